#pragma once
// What the emitters of all kinds of steps share: bookkeeping and assembly, and in loops.ipp the body of a
// loop. A kind of step derives its walk from it, one that reduces from reducing_emitter.

#include <algorithm>
#include <string>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/emit.hpp>
#include <fusion/codegen/values.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::codegen::detail {

using ir::axis, ir::node, ir::node_id, schedule::buffer_kind, schedule::device_form;

/// Vector of lane numbers: "(int4)(0, 1, 2, 3)".
std::string lane_numbers(scalar_type type, int lanes);
/// Group number as a long, followed by `tile`: "(long)get_group_id(0) * chunk".
std::string group_of(const char* tile);
/// Declaration of a group's row and column tile. Groups are counted in 32 bits: their division is cheap.
inline constexpr const char* tile_numbers =
    "const uint group = get_group_id(0);\n"
    "  const long tile_i = group % row_tiles, tile_j = group / row_tiles;";

/// Where a tile ends.
inline constexpr const char* tile_ends =
    "const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);";

/// The columns of a tile and the rows of each that are within the step's part.
struct column_bounds {
  const char *first_column, *last_column;
  const char *begin, *end;  ///< of the rows
  std::string declared;     ///< the lines in the loop over columns that these need
};

/// Emits one step. Loops name the element `i` (and `j`, `e` where tiled; i1, j1, ... for the further lanes of
/// vectors that cross columns).
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
  /// Writes the kernel that completes what groups have left in parts, where they leave some.
  virtual void finish() {}
  /// Texts of the elements that are accumulated, and the lines that do so.
  virtual void add_up(value_emitter&, list_of<std::string>&) {}
  virtual void accumulate(const list_of<std::string>&, const char*, const char*, int) {}
  // step_emitter.ipp: bookkeeping and text of single lines
  /// The line before a loop of `times` rounds with an element each, whose rounds may go side by side.
  const char* unrolled(int times) const;
  ir::node_set cone(const list_of<node_id>& ids, bool enter_own) const;
  std::size_t widest_bytes() const;
  bool is_own(node_id id) const { return own_collectives_[id]; }
  /// Whether the value is not computed where it is used: read from memory, or a reduction of this step,
  /// unless those are known there.
  FUSECL_INLINE bool is_given(node_id id, bool own_known) const {
    return plan_.loads(s_, id) || (ir::is_collective(g_[id]) && !(own_known && is_own(id)));
  }
  std::string buffer_name(const schedule::buffer& b) const;
  int pointer_lanes(ir::extent rows, ir::extent cols, int lanes) const;
  /// Those of a buffer that was declared, by its name.
  int declared_lanes(const std::string& name) const {
    const int* declared = pointer_lanes_.find(name);
    return declared ? *declared : 1;
  }
  void add_buffers(const list_of<node_id>& ids, bool own_known, int lanes);
  void add_sizes_of_access(const node& n);
  void add_extents(std::initializer_list<ir::extent> sizes);
  void add_argument(argument a, const std::string& declaration);
  /// Declares a size of the geometry, under the name `text` if it has another one there.
  void add_size(std::string_view name, std::string_view text = "");
  void declare(const schedule::store& result, int lanes);
  /// Loads may pass stores where no result shares memory with an operand.
  const char* pointer() const { return v_.distinct ? "* restrict " : "* "; }
  static std::string with_parameters(const std::string& begin, const list_of<std::string>& parameters);
  std::string header(const std::string& name, std::int64_t local) const;
  value_emitter emitter_of(const list_of<node_id>& ids, bool own_known,
                           const list_of<matrix_cl_view>& parts = {});
  /// Of the values over the domain.
  value_emitter domain_emitter();
  /// Whether the walk meets no element outside of the step's part.
  virtual bool walks_exactly() const { return false; }
  /// Writes what the values of the loops need before them.
  void start(value_emitter& values);
  void define_bring_to_cache();
  void define_instruction(const std::string& declaration, const std::string& instruction);
  void define_copy(const std::string& name, const std::string& type, int bytes);
  void define_multiply_unit();
  void open_last_group(const char* what, std::string_view counter = "arrivals",
                       std::string_view groups = "get_num_groups(0)");
  // loops.ipp
  column_bounds bounds_in_columns() const;
  FUSECL_INLINE virtual access access_to_domain(int lanes);
  void body(value_emitter& values, int lanes, const char* suffix, const char* accumulator_index);
  list_of<std::string> texts_of(value_emitter& values, const list_of<schedule::store>& stores);
  void store(value_emitter& values, const schedule::store& to, const std::string& at,
             const std::string& value, int lanes, bool streaming);
  void store_in_domain(value_emitter& values, const list_of<schedule::store>& stores,
                       const list_of<std::string>& stored, int lanes);
  /// The lines that `write` writes, after the declaration of names where they mention one of these.
  template <class Write>
  FUSECL_INLINE void after_what_it_mentions(std::initializer_list<const char*> names,
                                            const std::string& declaration, const Write& write) {
    const writer before = std::exchange(out_, out_.apart());
    write();
    const writer lines = std::exchange(out_, before);
    const auto mentioned = [&](const char* name) { return mentions(lines.text(), name); };
    if (std::any_of(names.begin(), names.end(), mentioned)) out_.line("{}", {declaration});
    out_.raw(lines.text());
  }
  /// The same, after the number `e` of the element.
  template <class Write>
  FUSECL_INLINE void at_element(const Write& write) {
    if (s_.linear)
      write();
    else
      after_what_it_mentions({"e"}, "const long e = i + j * rows;", write);
  }
  std::string row_number(int lanes) const;
  void visit(value_emitter& values, int lanes, const char* suffix, const char* accumulator_index);

  void set_lanes(access& how) const;
  static std::string elements_of(const void* self, const std::string& name, scalar_type type);
  static std::string load_linear(const void* self, const std::string& name, scalar_type, bool rows,
                                 bool cols);
  static std::string load_tiled(const void* self, const std::string& name, scalar_type type, bool rows,
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
  std::string room_of_flag_;   // local memory that the last group's flag may have; empty: it has its own
  bool names_around_ = false;  // the scope around the loops has names of values
  list_of<node_id> domain_;
  list_of<node_id> after_;
  ir::node_set own_collectives_;                  // reductions and sums of this step
  keyed_values<std::string, int> pointer_lanes_;  // of the buffers that were declared, by their names
  function_library library_;
  std::string helpers_;  // functions that are no operations,
  std::string own_;      // and those of one kernel, which may call the others
  const char* finish_title_ = "";
  writer out_{1};
  kernel_text kernel_;
  numbering<argument> arguments_;    // of the kernel, by place
  list_of<std::string> parameters_;  // as declared
};

}  // namespace fusecl::codegen::detail

#ifndef FUSECL_SPLIT
#include <fusion/codegen/loops.ipp>
#include <fusion/codegen/step_emitter.ipp>
#endif
