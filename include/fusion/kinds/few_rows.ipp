#pragma once
// Element-wise steps on a CPU that tell rows and columns apart where columns do not fill vectors: as many
// columns at a time as a vector has lanes. Their elements are whole vectors, as many as there are rows, and
// the row and column of each lane are the same for all such blocks: they are in the text.

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace few_rows_walk {

using schedule::device_form, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Rows of which a vector each is in the text, and the flops of all of them: texts stay short.
inline constexpr std::int64_t most_rows = 15;
inline constexpr double most_flops = 512;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  const bool in_domain = !s.is_tile() && !s.scans && !s.reduces && !s.maps && !s.linear;
  return p.form == device_form::cpu && in_domain && s.rows != ir::one && s.cols != ir::one;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols(), width = r.width;
  const bool fits =
      r.padded && width > 1 && rows > 0 && rows <= most_rows && rows % width != 0 && cols >= width;
  if (!fits || r.s.flops * static_cast<double>(rows) > most_flops) {
    g.groups = does_not_fit;
    return g;
  }
  cpu_columns(g, r);
  g.kernel.choices[0] = static_cast<std::uint16_t>(rows);
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    for (const char* name : {"rows", "cols", "col_tile"}) add_size(name);
    codegen::value_emitter values = emitter_of(domain_, false);
    out_.line("const long begin = {};", {codegen::detail::group_of("* col_tile")});
    out_.line("const long end = min(begin + col_tile, cols);");
    start(values);
    out_.line("long j = begin;");
    out_.open("for (; j + {} <= end; j += {})", {v_.width, v_.width});
    for (number_ = 0; number_ < v_.choices[0]; ++number_) {
      out_.open();
      one_vector(values);
      out_.close();
    }
    out_.close();
    out_.open("for (; j < end; ++j)");
    out_.open("for (long i = 0; i < rows; ++i)");
    visit(values, 1, "", "");
    out_.close();
    out_.close();
  }

  /// Vector `number_` of those of a block of columns from `j` on.
  void one_vector(codegen::value_emitter& values) {
    lanes_ = v_.width;
    codegen::access how;
    how.lanes = lanes_;
    how.self = this;
    how.load = load;
    how.crossing = true;
    how.row = how.col = codegen::fill("({})(", {{scalar_type::int32, lanes_}});
    how.lane_rows.clear();
    how.lane_cols.clear();
    for (int lane = 0; lane < lanes_; ++lane) {
      const char* separator = lane + 1 < lanes_ ? ", " : ")";
      how.row += codegen::fill("{}{}", {row_of(lane), separator});
      how.col += codegen::fill("{}{}", {col_of(lane), separator});
      how.lane_rows.push_back(codegen::fill("{}", {row_of(lane)}));
      how.lane_cols.push_back(codegen::fill("(j + {})", {col_of(lane)}));
    }
    how.col = codegen::fill("((int)j + {})", {how.col});
    values.begin(how);
    out_.line("const long e = j * {} + {};", {v_.choices[0], number_ * lanes_});
    store_in_domain(values, s_.stores, texts_of(values, s_.stores), lanes_);
  }

  int row_of(int lane) const { return (number_ * v_.width + lane) % v_.choices[0]; }
  int col_of(int lane) const { return (number_ * v_.width + lane) / v_.choices[0]; }

  FUSECL_INLINE static std::string load(const void* self, const std::string& name, scalar_type type,
                                        bool rows, bool cols) {
    const auto& own = *static_cast<const emitter*>(self);
    if (rows && cols) return codegen::fill("vload{}(0, {} + e)", {own.lanes_, name});
    if (!rows && !cols) return codegen::fill("{}[0]", {name});
    return rows && own.v_.choices[0] > own.lanes_ ? own.far_rows(name, type) : own.near_elements(name, rows);
  }
  /// Elements of a row or of a short column, which are in one vector.
  std::string near_elements(const std::string& name, bool rows) const {
    std::string text = codegen::fill(rows ? "vload{}(0, {}).s" : "vload{}(0, {} + j).s", {lanes_, name});
    for (int lane = 0; lane < lanes_; ++lane)
      text += codegen::lane_letter(rows ? row_of(lane) : col_of(lane));
    return text;
  }
  /// Elements of a column: those side by side up to the last row, then from the first one on.
  std::string far_rows(const std::string& name, scalar_type type) const {
    const int first = row_of(0), left = v_.choices[0] - first;
    if (left >= lanes_) return codegen::fill("vload{}(0, {} + {})", {lanes_, name, first});
    std::string text = codegen::fill("({})(", {{type, lanes_}});
    for (int lane = 0; lane < lanes_; ++lane)
      text += codegen::fill("{}[{}]{}", {name, row_of(lane), lane + 1 < lanes_ ? ", " : ")"});
    return text;
  }

  int number_ = 0;
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace few_rows_walk

inline constexpr step_kind few_rows{
    kind_order::few_rows, "few_rows",           "as many columns at a time as a vector has lanes",
    few_rows_walk::takes, few_rows_walk::shape, few_rows_walk::emit};

}  // namespace fusecl::kinds
