#pragma once
// Text of the values of a graph: one statement or sub-expression per node, in scalar or vector form. bool is
// int 0/1 in scalar form and an all-ones mask in vector form, as wide as the widest type of the kernel.

#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/function_library.hpp>
#include <fusion/ir/needed_parts.hpp>
#include <fusion/ir/needed_where.hpp>
#include <fusion/ir/views.hpp>

namespace fusecl::codegen {

/// How the surrounding loops read memory: filled in by the kernel emitter.
struct access {
  int lanes = 1;          ///< elements per value
  bool linear = false;    ///< rows and columns are one: what is no single element has the domain's shape
  bool crossing = false;  ///< the elements of a value may be of two columns
  std::string row;        ///< int expression of the row number, as wide as a value
  std::string col;        ///< int expression of the column number
  bool in_order = false;  ///< vectors are read in the order of their elements, whether rows or columns
  /// Row and column of each lane's element: expressions of 64 or 32 bits.
  list_of<std::string> lane_rows, lane_cols;
  /// Text that loads element(s) of a buffer with the given resolved extents, and whether it is one element.
  std::string (*load)(const void* self, const std::string& name, scalar_type type, bool rows,
                      bool cols) = nullptr;
  const void* self = nullptr;

  access();
};

/// Name of a kernel argument that holds a size of the statement; "1" for the extent one.
std::string size_name(ir::extent e);

/// A value as text.
struct value_text {
  std::string text;
  int precedence = 16;
  bool uniform = false;  ///< one element for all lanes
  float cost = 0;        ///< operations that the text does
};

/// Emits the values that some nodes need, in one scope.
class value_emitter {
 public:
  /// Text of a pointer to single elements of a buffer.
  std::string (*elements)(const void* self, const std::string& name, scalar_type type) = nullptr;
  const void* self = nullptr;
  /// Part of the domain that is walked: what is loaded of it needs no test.
  matrix_cl_view walked = matrix_cl_view::Entire;
  /// Matrices are read as they are in memory, whatever their views.
  bool uncut = false;
  /// Work-items of a group that share the list of a sum, numbered by `list_lane`, with local memory
  /// `list_parts`; all of the group compute the same values.
  int list_lanes = 1;

  /// `buffers`: names of those that values are read from; what has none is computed here. `parts`: of the
  /// wanted ones, where anybody looks at them; everywhere, unless it says otherwise.
  value_emitter(const ir::graph& g, function_library& library, const list_of<ir::node_id>& wanted,
                int mask_bytes, ir::sparse_node_map<std::string> buffers,
                const list_of<matrix_cl_view>& parts = {});

  /// Writes what does not depend on the element, before the loops.
  void uniforms(writer& out);
  /// Whether anything was declared so far.
  bool has_declared() const { return declared_; }
  /// Starts a loop body: values of an earlier body are forgotten.
  void begin(const access& how);
  /// Tells that a value is in a register, an array or local memory, by this name.
  void know(ir::node_id id, const std::string& name, bool uniform) { known_[id] = {name, 16, uniform}; }
  /// Starts a scope within the present one, whose values stay.
  void enter(const access& how) { how_ = how; }
  /// Gives a value a name, so that scopes within the present one do not compute it again.
  void pin(writer& out, ir::node_id id);
  /// Whether a value is one element in all scopes.
  bool is_uniform(ir::node_id id) const { return g_.is_single(g_[id]); }
  /// The value of `id` for a store or an accumulation, as wide as the body's lanes; bool as a mask or 0/1.
  std::string value(writer& out, ir::node_id id);
  /// The same converted to what a buffer holds.
  std::string stored(writer& out, ir::node_id id);

 private:
  // accesses.ipp: what accesses bring
  friend value_text text_of_access(value_emitter& values, writer& out, ir::node_id id);
  friend value_text text_of_indexed(value_emitter& values, writer& out, ir::node_id id);
  friend void store_part(value_emitter& values, writer& out, const ir::root_place& place,
                         const std::string& name, ir::node_id id, const std::string& text);
  value_text emit_access(writer& out, ir::node_id id);
  value_text emit_at_indices(writer& out, ir::node_id id);
  value_text emit_sum_of_list(writer& out, ir::node_id id);
  std::string clamped_index(writer& out, ir::node_id index, ir::extent size, bool& uniform);
  /// A coordinate that has to be within a size.
  struct guarded_place {
    std::string at, size;
  };
  /// The element of one lane, what has to hold for it to be there, and which coordinates that is about.
  struct lane_text {
    std::string condition, element;
    list_of<guarded_place> guards;
  };
  /// The place in what `id` and the maps below it read from of an element at (row, col) of `id`; what has to
  /// hold for it to be there is added to `condition`, and what of that is about coordinates to `guards`.
  void follow_maps(writer& out, ir::node_id id, std::string& row, std::string& col, std::string& condition,
                   list_of<guarded_place>* guards = nullptr);
  std::string of_guarded_vector(ir::node_id id, const lane_text& first, const lane_text& last,
                                const std::string& whole, const std::string& by_lanes) const;
  std::string text_of_lanes(const ir::node& n, const list_of<std::string>& each, int lanes) const;
  value_text of_lanes(writer& out, ir::node_id id, const list_of<std::string>& each, bool same_for_all,
                      const std::string& own);
  void store_part(writer& out, const ir::root_place& place, const std::string& name, ir::node_id id,
                  const std::string& text);
  std::string coordinate(writer& out, const ir::offset& start, int by_i, int by_j, const std::string& i,
                         const std::string& j);
  std::string element_of(writer& out, ir::node_id from, const std::string& row, const std::string& col);
  value_text emit(writer& out, ir::node_id id);
  value_text emit_leaf(writer& out, ir::node_id id);
  value_text emit_cast(writer& out, const ir::node& n);
  // operation_texts.ipp
  void prepare_for_same(writer& out, ir::node_id id);
  value_text marked_text(ir::node_id id, scalar_type type, int lanes);
  value_text fitted_operand(const ir::node& n, int k, const value_text& operand, int lanes,
                            bool takes_single) const;
  value_text emit_operation(writer& out, ir::node_id id);
  struct coordinates;
  coordinates coordinates_of(const ir::node& n) const;
  value_text cut(const ir::node& n, matrix_cl_view view, const value_text& v) const;
  std::string any_inside(const ir::node& n, matrix_cl_view view) const;
  std::string widened(const value_text& v, scalar_type type, int lanes) const;
  piece mask_type(int lanes) const;
  piece value_type(scalar_type type, int lanes) const;
  /// Where a value is read from; empty for one that is computed here.
  std::string memory_name(ir::node_id id) const;
  bool is_in_buffer(ir::node_id id) const { return buffers_.find(id) != nullptr; }
  /// Where anybody looks at a value.
  matrix_cl_view part_of(ir::node_id id) const { return *parts_.find(id); }
  bool is_known(ir::node_id id) const { return known_.find(id) != nullptr; }
  std::string fitted_mask(const value_text& v, std::size_t bytes, int lanes) const;
  value_text load(const std::string& name, const ir::node& n, ir::extent rows, ir::extent cols);
  std::string fresh_name();
  /// The text of a value, with a branch around it where it is long and not looked at everywhere.
  std::string guarded(ir::node_id id, const value_text& v) const;
  value_text name_it(writer& out, ir::node_id id, const value_text& v, const std::string& name);

  const ir::graph& g_;
  function_library& library_;
  int mask_bytes_;
  ir::sparse_node_map<std::string> buffers_;
  access how_;
  bool preamble_ = false;
  int named_ = 0;
  bool declared_ = false;
  ir::node_set needed_;
  ir::sparse_node_map<matrix_cl_view> parts_;  ///< where anybody looks at a value
  ir::sparse_node_map<int> uses_;              ///< how many values and nodes need one of those
  ir::sparse_node_map<ir::node_guards> guards_;
  ir::sparse_node_map<value_text> known_;  ///< values that are in registers or local memory
  ir::sparse_node_map<value_text> done_;   ///< in the present scope
  ir::sparse_node_map<value_text> uniform_values_;
  ir::sparse_node_map<std::string> prepared_;           ///< by an operand that is the same for all, its name
  keyed_values<std::string, std::string> coordinates_;  ///< their names, by their texts
};

/// Text of elements from other places.
value_text text_of_access(value_emitter& values, writer& out, ir::node_id id);
/// Writes the text of a value, made by `stored`, to a part of the buffer `name` of single elements.
void store_part(value_emitter& values, writer& out, const ir::root_place& place, const std::string& name,
                ir::node_id id, const std::string& text);

}  // namespace fusecl::codegen

#ifndef FUSECL_SPLIT
#include <fusion/codegen/accesses.ipp>
#include <fusion/codegen/operation_texts.ipp>
#include <fusion/codegen/values.ipp>
#endif
