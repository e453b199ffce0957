#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE std::string lane_numbers(scalar_type type, int lanes) {
  std::string text = fill("({})(0", {vector_type(type, lanes)});
  for (int k = 1; k < lanes; ++k) text += fill(", {}", {k});
  text += ')';
  return text;
}

FUSECL_INLINE std::string group_of(const char* tile) { return fill("(long)get_group_id(0) {}", {tile}); }

/// One element or vector within the loops over `i`.
FUSECL_INLINE void step_emitter::visit(value_emitter& values, int lanes, const char* suffix,
                                       const char* accumulator_index) {
  at_element([&] { body(values, lanes, suffix, accumulator_index); });
}

/// Numbers of the rows or columns that the lanes of a crossing vector are in: "(int2)((int)i, (int)i1)".
FUSECL_INLINE std::string number_of_each_lane(const char* name, int lanes) {
  std::string text = fill("(int{})((int){}", {lanes, name});
  for (int k = 1; k < lanes; ++k) text += fill(", (int){}{}", {name, k});
  text += ')';
  return text;
}

/// Number of the row (or of each lane's row) that `i` stands for: an element's on a CPU, else a vector's.
FUSECL_INLINE std::string step_emitter::row_number(int lanes) const {
  if (lanes == 1) return "(int)i";
  if (v_.crossing) return number_of_each_lane("i", lanes);
  const std::string numbers = lane_numbers(scalar_type::int32, lanes);
  return cpu_ ? fill("((int)i + {})", {numbers}) : fill("((int)i * {} + {})", {lanes, numbers});
}

/// How values over the domain read memory.
FUSECL_INLINE access step_emitter::access_to_domain(int lanes) {
  lanes_ = lanes;
  const bool linear = s_.linear;
  access how;
  how.lanes = lanes;
  how.self = this;
  how.linear = linear;
  how.load = linear ? load_linear : load_tiled;
  how.crossing = v_.crossing;
  how.row = row_number(lanes);
  how.col = v_.crossing ? number_of_each_lane("j", lanes) : "(int)j";
  how.in_order = linear;
  set_lanes(how);
  return how;
}

/// Values of one element (or vector of elements): stores, then accumulations into r<k><suffix>.
FUSECL_ANY_KIND FUSECL_INLINE void step_emitter::body(value_emitter& values, int lanes, const char* suffix,
                                                      const char* accumulator_index) {
  values.begin(access_to_domain(lanes));
  const list_of<std::string> stored = texts_of(values, s_.stores);
  list_of<std::string> added;
  add_up(values, added);
  store_in_domain(values, s_.stores, stored, lanes);
  accumulate(added, suffix, accumulator_index, lanes);
}

FUSECL_INLINE column_bounds step_emitter::bounds_in_columns() const {
  const bool starts_late = s_.is_below_diagonal(), ends_early = s_.is_above_diagonal();
  writer lines = out_.apart();
  if (starts_late) lines.line("  const long i_first = max(tile_i * row_tile, j);");
  if (ends_early) lines.line("  const long i_last = min(i_end, j + 1);");
  return {ends_early ? "max(tile_j * col_tile, tile_i * row_tile)" : "tile_j * col_tile",
          starts_late ? "min(j_end, i_end)" : "j_end", starts_late ? "i_first" : "tile_i * row_tile",
          ends_early ? "i_last" : "i_end", lines.text()};
}

/// Texts of what is stored: all of them come before the first store, which may be to what they are read from.
FUSECL_INLINE list_of<std::string> step_emitter::texts_of(value_emitter& values,
                                                          const list_of<schedule::store>& stores) {
  list_of<std::string> texts;
  for (const schedule::store& result : stores) texts.push_back(values.stored(out_, result.value));
  return texts;
}

/// Writes values of the element that is visited.
FUSECL_INLINE void step_emitter::store_in_domain(value_emitter& values,
                                                 const list_of<schedule::store>& stores,
                                                 const list_of<std::string>& stored, int lanes) {
  const bool linear = s_.linear;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const node& n = g_[stores[k].value];
    const bool one_row = g_.resolve(n.rows) == ir::one, one_col = g_.resolve(n.cols) == ir::one;
    const bool single = one_row && one_col;
    const char* at = single ? "0" : linear || one_col ? "i" : one_row ? "j" : "e";
    store(values, stores[k], at, stored[k], cpu_ && !linear ? lanes : 1, v_.streaming && !single);
  }
}

/// Writes a value to the place `at` of a result; `lanes` elements where the pointer is to single ones.
FUSECL_INLINE void step_emitter::store(value_emitter& values, const schedule::store& to,
                                       const std::string& at, const std::string& value, int lanes,
                                       bool streaming) {
  const std::string name = buffer_name(to.to);
  if (to.place.is_part)
    to.place.brings->store(values, out_, to.place, name, to.value, value);
  else if (lanes > 1)
    out_.line("vstore{}({}, 0, {} + {});", {lanes, value, name, at});
  else if (streaming)
    out_.line("__builtin_nontemporal_store({}, {} + {});", {value, name, at});
  else
    out_.line("{}[{}] = {};", {name, at, value});
}

}  // namespace fusecl::codegen::detail
