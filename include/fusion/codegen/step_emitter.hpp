#pragma once
// What the emitters of all kinds of steps share: bookkeeping and assembly, and in loops.ipp the body of a
// loop, accumulators and what follows when they are complete. A kind of step derives its walk from it.

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fusion/codegen/emit.hpp>
#include <fusion/codegen/values.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::codegen::detail {

using ir::axis, ir::node, ir::node_id, schedule::buffer_kind, schedule::device_form;

/// Text of the neutral element of a reduction.
std::string neutral_text(const node& n);
/// Vector of lane numbers: "(int4)(0, 1, 2, 3)".
std::string lane_numbers(scalar_type type, int lanes);
/// Group number as a long, followed by `tile`: "(long)get_group_id(0) * chunk".
std::string group_of(const char* tile);
/// Declaration of a group's row and column tile. Groups are counted in 32 bits: their division is cheap.
inline constexpr const char* tile_numbers =
    "const uint group = get_group_id(0);\n"
    "  const long tile_i = group % row_tiles, tile_j = group / row_tiles;";

/// Emits one step. Accumulators are r0, r1, ...; loops name the element `i` (and `j`, `e` where tiled;
/// i1, j1, ... for the further lanes of vectors that cross columns).
class step_emitter {
 public:
  explicit step_emitter(const emit_request& r);
  virtual ~step_emitter() = default;

  program_text run();

 protected:
  /// Declares buffers in the order in which they become arguments.
  FUSECL_INLINE virtual void declare_all();
  /// Writes the main kernel.
  virtual void walk() = 0;
  /// Writes the kernel that completes what groups have left in parts.
  FUSECL_INLINE virtual void finish();
  // step_emitter.ipp: bookkeeping and text of single lines
  void order_reductions();
  ir::node_set cone(const std::vector<node_id>& ids, bool enter_own) const;
  std::size_t widest_bytes() const;
  bool is_own(node_id id) const { return numbers_.find(id) != nullptr; }
  /// Whether the value is not computed where it is used: read from memory, or a reduction of this step,
  /// unless those are known there.
  bool is_given(node_id id, bool own_known) const {
    return plan_.loads(s_, id) || (ir::is_collective(g_[id]) && !(own_known && is_own(id)));
  }
  /// Whether the results of reductions are complete at the end of the main kernel.
  bool finishes_here() const { return s_.reduces && (!v_.partial || v_.last); }
  std::string buffer_name(const schedule::buffer& b) const;
  int pointer_lanes(ir::extent rows, ir::extent cols, int lanes) const;
  /// Those of a buffer that was declared, by its name.
  int declared_lanes(const std::string& name) const {
    const auto declared = pointer_lanes_.find(name);
    return declared == pointer_lanes_.end() ? 1 : declared->second;
  }
  void add_buffers(const std::vector<node_id>& ids, bool own_known, int lanes);
  void add_sizes_of_access(const node& n);
  void add_extents(std::initializer_list<ir::extent> sizes);
  void add_argument(argument a, const std::string& declaration);
  /// Declares a size of the geometry, under the name `text` if it has another one there.
  void add_size(std::string_view name, std::string_view text = "");
  void declare(const schedule::store& result, int lanes);
  void declare_parts(bool written, int lanes);
  std::string combined(const node& n, const std::string& a, const std::string& b, int lanes);
  /// Where the accumulators of all reductions are: a pattern with a place for a reduction's number.
  using accumulators = const std::string&;
  static std::string at(accumulators all, std::size_t k) { return fill(all, {k}); }
  void merge(accumulators into, accumulators from, int lanes);
  void merge(const std::vector<std::size_t>& which, accumulators into, accumulators from, int lanes);
  void add_element(std::size_t k, accumulators into, const std::string& element, int lanes);
  std::string running(std::size_t k, std::string_view text, accumulators own, accumulators other, int lanes);
  /// Whether a reduction is accumulated beside others.
  bool has_running() const;
  /// Loads may pass stores where no result shares memory with an operand.
  const char* pointer() const { return v_.distinct ? "* restrict " : "* "; }
  std::string header(const std::string& name, std::int64_t local) const;
  value_emitter emitter_of(const std::vector<node_id>& ids, bool own_known,
                           const std::vector<matrix_cl_view>& parts = {});
  /// Of the values over the domain.
  value_emitter domain_emitter();
  /// Whether the walk meets no element outside of the step's part.
  virtual bool walks_exactly() const { return false; }
  /// Whether a reduction has to be told of the zeros outside of the step's part.
  bool misses_zeros(const node& n) const;
  void add_missed_zeros(const char* index, int lanes);
  std::string test_of_missed_zeros(const char* index, int lanes) const;
  /// Writes what the values of the loops need before them.
  void start(value_emitter& values);
  // loops.ipp
  std::string lane_numbers_in_group() const;
  const char* unrolling() const;
  access access_to_domain(int lanes);
  void body(value_emitter& values, int lanes, const char* suffix, const char* accumulator_index);
  std::vector<std::string> texts_of(value_emitter& values, const std::vector<schedule::store>& stores);
  void store(value_emitter& values, const schedule::store& to, const std::string& at,
             const std::string& value, int lanes, bool streaming);
  void store_in_domain(value_emitter& values, const std::vector<schedule::store>& stores,
                       const std::vector<std::string>& stored, int lanes);
  /// The lines that `write` writes, after the number `e` of the element where they mention it.
  template <class Write>
  void at_element(Write write) {
    const writer before = std::exchange(out_, out_.apart());
    write();
    const writer lines = std::exchange(out_, before);
    if (!s_.linear && mentions(lines.text(), "e")) out_.line("const long e = i + j * rows;");
    out_.raw(lines.text());
  }
  std::string inside(scalar_type type, int lanes) const;
  std::string inside(const std::string& value, const node& n, int lanes) const;
  std::string row_number(int lanes) const;
  void number_inside();
  void declare_accumulators(const char* suffix, int lanes, int count = 1);
  void visit(value_emitter& values, int lanes, const char* suffix, const char* accumulator_index);
  void visit_in_turn(value_emitter& values, const char* begin, const char* end, int apart);
  void fold(bool with_tail);
  void fold_running(bool with_tail);
  void tree(std::string_view count, std::string_view apart, const char* self, int lanes,
            const char* member = "");
  void finish_results(const char* part, const char* index, int lanes);
  void open_last_group();
  void finish_last_group();
  void add_parts(const char* index);
  void run_epilogue(const char* index, int lanes);
  access access_to_results(const char* index, int lanes);
  static std::vector<std::size_t> natural_order(std::vector<std::size_t> numbers);
  std::size_t widest_sum() const;
  bool is_beside(std::size_t k, std::size_t other) const;
  std::vector<std::vector<std::size_t>> batches_of_tree(int lanes) const;
  void declare_shared(int lanes);

  void set_lanes(access& how) const;
  static std::string elements_of(const void* self, const std::string& name, scalar_type type);
  static std::string load_linear(const void* self, const std::string& name, scalar_type, bool rows,
                                 bool cols);
  static std::string load_tiled(const void* self, const std::string& name, scalar_type type, bool rows,
                                bool cols);
  static std::string load_result(const void* self, const std::string& name, scalar_type type, bool rows,
                                 bool cols);

  const char* prefix_;
  const schedule::plan& plan_;
  const ir::graph& g_;
  const schedule::step& s_;
  schedule::geometry shape_;
  schedule::variant v_;
  bool cpu_;
  int mask_bytes_ = 8;
  int lanes_ = 1;              // of the body being written
  bool names_around_ = false;  // the scope around the loops has names of values
  std::string result_index_;   // of the epilogue being written
  std::vector<node_id> domain_;
  std::vector<std::size_t> in_turn_;  // reductions by number, in the order in which accumulators may change
  std::vector<node_id> after_;
  ir::sparse_node_map<std::size_t> numbers_;                          // of reductions
  ir::sparse_node_map<std::vector<std::size_t>> reductions_of_;       // by what they are of, in turn
  std::unordered_map<std::string, int> pointer_lanes_;                // by buffer name
  std::set<std::tuple<argument_kind, std::int64_t, bool>> declared_;  // as arguments
  function_library library_;
  std::string helpers_;  // functions that are no operations
  const char* finish_title_ = "adds the partial results of the groups";
  writer out_{1};
  kernel_text kernel_;
  std::vector<std::string> parameters_;  // as declared
};

}  // namespace fusecl::codegen::detail

#ifndef FUSECL_SPLIT
#include <fusion/codegen/loops.ipp>
#include <fusion/codegen/step_emitter.ipp>
#endif
