#pragma once
// What the emitters of scans for both forms of devices share.

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace scan_walk {

using schedule::device_form, schedule::divide_up, schedule::first_stride, schedule::geometry,
    schedule::launch_request, schedule::plan, schedule::round_up, schedule::step, schedule::variant;

// Vectors of a column that a work-item of a GPU scans one after the other, and columns of a row: enough loads
// in flight, few enough to stay in registers and in 32 KiB of local memory.
inline constexpr std::int64_t gpu_vectors = 4, gpu_columns = 8;
/// Whether lines are contiguous: columns, or a vector as a whole.
inline bool along_columns(const step& s) { return s.linear || s.axis == ir::axis::column; }

/// Meaning of variant::choices: work-items of a GPU side by side along a contiguous line, or along the rows.
inline std::int64_t lanes_of(const variant& v) { return v.choices[0]; }

/// What the emitters of both forms share.
class emitter : public codegen::detail::reducing_emitter {
 public:
  explicit emitter(const codegen::emit_request& r) : reducing_emitter(r), columns_(along_columns(s_)) {
    finish_title_ = "scans each chunk again, from what those before it amount to";
    all_ = domain_;
    append(all_, after_);
  }

 protected:
  void declare_all() override {
    if (v_.partial) {
      declare_parts(true, part_lanes());
      add_buffers(domain_, false, lanes_of_buffers());
    } else {
      declare_results();
    }
  }
  void walk() override {
    if (v_.partial)
      total_chunks();
    else
      scan_chunks(false);
  }
  void finish() override {
    declare_parts(false, part_lanes());
    declare_results();
    scan_chunks(true);
  }

  virtual void total_chunks() = 0;
  virtual void scan_chunks(bool follow) = 0;

  int lanes_of_buffers() const { return s_.linear || !cpu_ ? v_.width : 1; }
  int part_lanes() const { return columns_ || cpu_ ? 1 : v_.width; }
  std::size_t count() const { return s_.reductions.size(); }
  const codegen::detail::node& scan(std::size_t k) const { return g_[s_.reductions[k]]; }
  std::string type(std::size_t k, int lanes) const { return codegen::vector_type(scan(k).type, lanes); }
  std::string neutral(std::size_t k) const { return codegen::detail::neutral_text(scan(k)); }
  /// Combines what comes first with what comes later.
  std::string then(std::size_t k, const std::string& first, const std::string& later, int lanes) {
    return combined(scan(k), first, later, lanes);
  }

  void declare_results() {
    const int lanes = lanes_of_buffers();
    for (const schedule::store& result : s_.epilogue) {
      const codegen::detail::node& n = g_[result.value];
      declare(result, pointer_lanes(g_.resolve(n.rows), g_.resolve(n.cols), lanes));
    }
    add_buffers(domain_, false, lanes);
    add_buffers(after_, true, lanes);
  }
  /// Parts of the line that a chunk follows, as a loop from `first` on.
  void open_parts(std::string_view first, std::string_view apart) {
    if (s_.from_end)
      out_.open("for (long part = chunk_number + 1 + {}; part < parts; part += {})", {first, apart});
    else
      out_.open("for (long part = {}; part < chunk_number; part += {})", {first, apart});
  }
  std::string place_of_part(std::string_view part) const {
    return s_.linear  ? std::string(part)
           : columns_ ? codegen::fill("j + {} * cols", {part})
                      : codegen::fill("i + {} * rows", {part});
  }
  /// Value that scan `k` takes at the element.
  std::string operand(codegen::value_emitter& values, std::size_t k, int lanes) {
    values.begin(access_to_domain(lanes));
    return values.value(out_, scan(k).operands[0]);
  }
  /// Stores what follows from r0, r1, ... at the element.
  void store_results(codegen::value_emitter& values, int lanes) {
    at_element([&] {
      values.begin(access_to_domain(lanes));
      store_in_domain(values, s_.epilogue, texts_of(values, s_.epilogue), lanes);
    });
  }

  bool columns_;
  list_of<ir::node_id> all_;
};

}  // namespace scan_walk
}  // namespace fusecl::kinds
