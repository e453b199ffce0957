#pragma once
// Text of elements from other places of a matrix, and of those that go to other places.

#include <functional>
#include <stdexcept>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/values.ipp>

namespace fusecl::codegen {
namespace detail {

/// Appends a term of a sum of coordinates.
FUSECL_INLINE void append_term(std::string& sum, bool minus, const std::string& term) {
  if (term == "0") return;
  if (sum.empty() && minus)
    sum = "-";
  else if (!sum.empty())
    sum += minus ? " - " : " + ";
  sum += term;
}

}  // namespace detail

/// A name for one coordinate of an element that is read; equal ones are computed once.
FUSECL_INLINE std::string value_emitter::coordinate(writer& out, const ir::offset& start, int by_i, int by_j,
                                                    const std::string& i, const std::string& j) {
  std::string text;
  if (start.size != ir::no_extent)
    detail::append_term(text, start.sign < 0, size_name(g_.resolve(start.size)));
  if (start.plus != 0)
    detail::append_term(text, start.plus < 0, std::to_string(start.plus < 0 ? -start.plus : start.plus));
  if (by_i != 0) detail::append_term(text, by_i < 0, i);
  if (by_j != 0) detail::append_term(text, by_j < 0, j);
  if (text.empty()) return "0";
  if (text.find(' ') == std::string::npos || text == i || text == j) return text;
  if (const std::string* known = coordinates_.find(text)) return *known;
  const std::string name = fill("at{}", {named_++});
  coordinates_[text] = name;
  declared_ = true;
  out.line("const long {} = {};", {name, text});
  return name;
}

/// One element of what accesses read from.
FUSECL_INLINE std::string value_emitter::element_of(writer& out, ir::node_id from, const std::string& row,
                                                    const std::string& col) {
  const ir::node& n = g_[from];
  if (n.is(ir::leaf_operations::row_index)) return fill("(int){}", {row});
  if (n.is(ir::leaf_operations::col_index)) return fill("(int){}", {col});
  const std::string name = memory_name(from);
  if (name.empty()) return emit(out, from).text;
  const ir::extent rows = g_.resolve(n.rows), cols = g_.resolve(n.cols);
  std::string at = "0";
  if (rows != ir::one && cols != ir::one) {
    at = col == "0" ? col : fill("{} * {}", {col, size_name(rows)});
    if (row != "0") at = fill("{} + {}", {row, at});
  } else if (rows != ir::one || cols != ir::one) {
    at = rows != ir::one ? row : col;
  }
  return fill(n.type == scalar_type::boolean ? "{}[{}] != 0" : "{}[{}]",
              {elements ? elements(self, name, n.type) : name, at});
}

FUSECL_INLINE void value_emitter::follow_maps(writer& out, ir::node_id id, std::string& row, std::string& col,
                                              std::string& condition, list_of<guarded_place>* guards) {
  const auto guard = [&](ir::extent limit, const std::string& at) {
    if (limit == ir::no_extent) return;
    const std::string size = size_name(g_.resolve(limit));
    append_item(condition, " && ", fill("{} >= 0 && {} < {}", {at, at, size}));
    if (guards) guards->push_back({at, size});
  };
  for (; ir::maps_places(g_[id]); id = g_[id].operands[0]) {
    // what stands for equal elements has one row or one column, whichever is asked for
    if (g_.resolve(g_[id].rows) == ir::one) row = "0";
    if (g_.resolve(g_[id].cols) == ir::one) col = "0";
    const ir::access_map& m = g_[id].map;
    const std::string next_row = coordinate(out, m.row0, m.row_by_i, m.row_by_j, row, col);
    const std::string next_col = coordinate(out, m.col0, m.col_by_i, m.col_by_j, row, col);
    guard(m.row_limit, next_row);
    guard(m.col_limit, next_col);
    row = next_row;
    col = next_col;
  }
  const ir::node& from = g_[id];
  if (from.is(ir::leaf_operations::matrix) && from.view != matrix_cl_view::Entire && row != col && !uncut)
    append_item(condition, " && ", detail::is_inside(from.view, row, col));
}

FUSECL_INLINE std::string value_emitter::text_of_lanes(const ir::node& n, const list_of<std::string>& each,
                                                       int lanes) const {
  std::string text;
  for (const std::string& element : each)
    append_item(text, ", ", n.type == scalar_type::boolean ? fill("-({})", {element}) : element);
  return fill("({})({})", {value_type(n.type, lanes), text});
}

/// The elements of the lanes as one value.
FUSECL_INLINE value_text value_emitter::of_lanes(writer& out, ir::node_id id,
                                                 const list_of<std::string>& each, bool same_for_all,
                                                 const std::string& own) {
  const ir::node& n = g_[id];
  const int lanes = preamble_ ? 1 : how_.lanes;
  if (each.size() == 1) return name_it(out, id, {each[0], 3, same_for_all || lanes == 1}, own);
  return name_it(out, id, {text_of_lanes(n, each, lanes), 16, false}, own);
}

/// The elements from a "pointer[at]" on, as many as a vector has lanes.
FUSECL_INLINE std::string vector_from(std::string_view element, int lanes) {
  const std::size_t bracket = element.rfind('[');
  return fill("vload{}(0, {} + {})",
              {lanes, element.substr(0, bracket), element.substr(bracket + 1, element.size() - bracket - 2)});
}

/// A vector some elements of which may be outside: `whole` where the first and the last one are inside, since
/// so are those between, and zeros where these are beyond the same edge. Where operands are appended most
/// vectors are within one of them (append_row of two of 1000 x 1000 on a CPU: 3.4 ms by lanes).
FUSECL_INLINE std::string value_emitter::of_guarded_vector(ir::node_id id, const lane_text& first,
                                                           const lane_text& last, const std::string& whole,
                                                           const std::string& by_lanes) const {
  const piece type = value_type(g_[id].type, how_.lanes);
  if (first.condition == last.condition)  // which is about what all lanes have in common
    return fill("({}) ? {} : ({})(0)", {first.condition, whole, type});
  std::string outside;
  for (std::size_t k = 0; k < first.guards.size(); ++k) {
    const auto& [a, size] = first.guards[k];
    const std::string& b = last.guards[k].at;
    append_item(outside, " || ",
                a == b ? fill("{} < 0 || {} >= {}", {a, a, size})
                       : fill("max({}, {}) < 0 || min({}, {}) >= {}", {a, b, a, b, size}));
  }
  return fill("({} && {}) ? {} : ({}) ? ({})(0) : {}",
              {first.condition, last.condition, whole, outside.empty() ? "0" : outside, type, by_lanes});
}

/// Elements from other places: every lane's coordinates go through the maps, from the result to what is in
/// memory. Whole vectors are loaded where the lanes' elements are neighbours.
FUSECL_INLINE value_text value_emitter::emit_access(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const ir::node_id base = ir::accessed(g_, id);
  const ir::node& from = g_[base];
  const bool turned = how_.in_order && ir::is_turned_vector(g_, n);
  if (is_known(base) && turned) return *known_.find(base);
  const std::string name = memory_name(base);
  const bool in_memory = !name.empty();
  const ir::extent from_rows = g_.resolve(from.rows), from_cols = g_.resolve(from.cols);
  const bool in_place = is_known(base) || is_uniform(base) || from.op->kind == ir::op_class::leaf || turned ||
                        (from_rows == ir::one && from_cols == ir::one);
  if (!in_memory && !in_place)
    throw std::logic_error(fill("a kernel reads other elements of {}, which it computes", {from.op->name}));
  const int lanes = preamble_ ? 1 : how_.lanes;
  const std::string own = fill("{}{}", {in_memory ? name + "_at" : "v", named_++});
  if (!preamble_ && in_memory && turned)
    return name_it(out, id, load(name, n, g_.resolve(n.rows), g_.resolve(n.cols)), own);
  const bool many_rows = g_.resolve(n.rows) != ir::one && !preamble_;
  const bool many_cols = g_.resolve(n.cols) != ir::one && !preamble_;
  const bool same_for_all = !(many_rows || (how_.crossing && many_cols));
  ir::map_directions all;
  for (ir::node_id k = id; k != base; k = g_[k].operands[0]) all = all.through(g_[k].map);
  const bool neighbours = from_rows == ir::one   ? all.col_by_i == 1
                          : from_cols == ir::one ? all.row_by_i == 1
                                                 : all.row_by_i == 1 && all.col_by_i == 0;
  const bool neighbours_in_memory = in_memory && neighbours && !how_.crossing && lanes > 1 && !same_for_all;
  list_of<std::string> each;
  lane_text first, last;
  for (int lane = 0; lane < (same_for_all ? 1 : lanes); ++lane) {
    std::string row = many_rows ? how_.lane_rows[static_cast<std::size_t>(lane)] : "0";
    std::string col = many_cols ? how_.lane_cols[static_cast<std::size_t>(lane)] : "0";
    std::string condition;
    list_of<guarded_place> guards;
    follow_maps(out, id, row, col, condition, &guards);
    const std::string element = element_of(out, base, row, col);
    const bool conditional = !condition.empty();
    last = {condition, element, std::move(guards)};
    if (lane == 0) first = last;
    each.push_back(conditional ? fill("({}) ? {} : {}", {condition, element, detail::zero_text(n.type)})
                               : element);
    if (neighbours_in_memory && !conditional && n.type != scalar_type::boolean)
      return name_it(out, id, {vector_from(element, lanes), 16, false}, own);
  }
  std::string whole;
  if (neighbours_in_memory && n.type != scalar_type::boolean)
    whole = vector_from(first.element, lanes);
  else if (is_uniform(base) && !how_.crossing)
    whole = text_of_lanes(n, {first.element}, lanes);
  constexpr int least_lanes = 4;  // with fewer the test by vector costs as much as those by lane
  if (lanes < least_lanes || same_for_all || whole.empty() || first.condition.empty())
    return of_lanes(out, id, each, same_for_all, own);
  const std::string by_lanes = text_of_lanes(n, each, lanes);
  return name_it(out, id, {of_guarded_vector(id, first, last, whole, by_lanes), 16, false}, own);
}

/// An index, which a lane past the end of the domain may hold anything in, as a place that is there.
FUSECL_INLINE std::string value_emitter::clamped_index(writer& out, ir::node_id index, ir::extent size,
                                                       bool& uniform) {
  uniform = true;
  if (g_.resolve(size) == ir::one) return "0";
  const value_text v = emit(out, index);
  uniform = v.uniform || how_.lanes == 1 || preamble_;
  const piece type = value_type(g_[index].type, uniform ? 1 : how_.lanes);
  const std::string name = fill("at{}", {named_++});
  declared_ = true;
  const bool narrow = g_[index].type != scalar_type::int64;
  const std::string last =
      fill(narrow ? "(int)min({} - 1, 2147483647L)" : "{} - 1", {size_name(g_.resolve(size))});
  if (uniform)
    out.line("const {} {} = max(min({}, {}), {});", {type, name, v.text, last, narrow ? "0" : "0L"});
  else  // vectors of one number: Oclgrind 21 takes a number for the first element of a vector
    out.line("const {} {} = max(min({}, ({})({})), ({})(0));", {type, name, v.text, type, last, type});
  return name;
}

/// Elements whose rows and columns are values.
FUSECL_INLINE value_text value_emitter::emit_at_indices(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const ir::node& of = g_[n.operands[0]];
  const ir::node_id base = ir::accessed(g_, id);
  const std::string name = memory_name(base);
  bool one_row = false, one_col = false;
  const std::string rows = clamped_index(out, n.operands[1], of.rows, one_row),
                    cols = clamped_index(out, n.operands[2], of.cols, one_col);
  const bool same_for_all = one_row && one_col;
  list_of<std::string> each;
  for (int lane = 0; lane < (same_for_all ? 1 : how_.lanes); ++lane) {
    std::string row = one_row ? rows : fill("{}.s{}", {rows, lane_letter(lane)}),
                col = one_col ? cols : fill("{}.s{}", {cols, lane_letter(lane)}), condition;
    follow_maps(out, n.operands[0], row, col, condition);
    const bool wide = col != "0" && g_[base].rows != ir::one;  // a product that may be beyond an int
    const std::string element = element_of(out, base, row, wide ? fill("(long){}", {col}) : col);
    each.push_back(condition.empty()
                       ? element
                       : fill("({}) ? {} : {}", {condition, element, detail::zero_text(n.type)}));
  }
  return of_lanes(out, id, each, same_for_all, fill("{}_at{}", {name.empty() ? "v" : name, named_++}));
}

/// Sums over the lists of the elements' places, or of their rows or columns.
FUSECL_INLINE value_text value_emitter::emit_sum_of_list(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const bool many_rows = g_.resolve(n.rows) != ir::one && !preamble_;
  const bool many_cols = g_.resolve(n.cols) != ir::one && !preamble_;
  const bool same_for_all = !(many_rows || (how_.crossing && many_cols));
  std::string lists;
  const auto pointer = [&](int k) {
    const std::string name = memory_name(n.operands[k]);
    return elements ? elements(self, name, g_[n.operands[k]].type) : name;
  };
  for (int k = 1; k < ir::arity(n); ++k) append_item(lists, ", ", pointer(k));
  const std::string from = pointer(0), line = size_name(g_.resolve(g_[n.operands[0]].rows));
  const ir::listed_lines by = ir::lines_of(n);
  const ir::device_function* const* const functions = list_lanes > 1 ? n.op->shared_uses : n.op->uses;
  library_.require(functions, n.type, 1);
  const std::string shared = list_lanes > 1 ? fill(", list_lane, {}, list_parts", {list_lanes}) : "";
  list_of<std::string> each;
  for (int lane = 0; lane < (same_for_all || preamble_ ? 1 : how_.lanes); ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    const std::string row = many_rows ? how_.lane_rows[at] : "0", col = many_cols ? how_.lane_cols[at] : "0";
    std::string first = from, apart = "1", place = row;
    if (by == ir::listed_lines::rows) {
      if (many_cols) first = fill("{} + {} * {}", {from, col, line});
    } else if (by == ir::listed_lines::cols) {
      if (many_rows) first = fill("{} + {}", {from, row});
      apart = line;
      place = col;
    } else if (many_cols) {
      place = many_rows ? fill("{} + {} * {}", {row, col, size_name(g_.resolve(n.rows))}) : col;
    }
    each.push_back(instantiate(
        fill("{}$S({}, {}, {}, {}{})", {functions[0]->name, first, apart, lists, place, shared}), n.type, 1));
  }
  return of_lanes(out, id, each, same_for_all, fresh_name());
}

FUSECL_INLINE value_text text_of_indexed(value_emitter& values, writer& out, ir::node_id id) {
  const ir::place_rule rule = values.g_[id].op->places;
  return rule == ir::place_rule::indices ? values.emit_at_indices(out, id) : values.emit_sum_of_list(out, id);
}

FUSECL_INLINE void value_emitter::store_part(writer& out, const ir::root_place& place,
                                             const std::string& name, ir::node_id id,
                                             const std::string& text) {
  const ir::node& n = g_[id];
  const ir::access_map& m = place.map;
  const bool many_rows = g_.resolve(n.rows) != ir::one, many_cols = g_.resolve(n.cols) != ir::one;
  // a vector may lie across what the lanes count: the column that follows from a row of results
  const bool across =
      how_.in_order && many_rows != many_cols && (many_rows ? how_.lane_rows : how_.lane_cols)[0] == "0";
  const list_of<std::string>&rows = across ? how_.lane_cols : how_.lane_rows,
        &cols = across ? how_.lane_rows : how_.lane_cols;
  const auto element = [&](int lane) {
    const std::string i = many_rows ? rows[static_cast<std::size_t>(lane)] : "0";
    const std::string j = many_cols ? cols[static_cast<std::size_t>(lane)] : "0";
    const std::string row = coordinate(out, m.row0, m.row_by_i, m.row_by_j, i, j);
    const std::string col = coordinate(out, m.col0, m.col_by_i, m.col_by_j, i, j);
    return fill("{} + {} * {}", {row, col, size_name(g_.resolve(place.rows))});
  };
  if (how_.lanes == 1) return out.line("{}[{}] = {};", {name, element(0), text});
  const bool neighbours = across ? m.row_by_j == 1 && m.col_by_j == 0 : m.row_by_i == 1 && m.col_by_i == 0;
  if (neighbours && !how_.crossing)
    return out.line("vstore{}({}, 0, {} + {});", {how_.lanes, text, name, element(0)});
  const std::string whole = fresh_name();
  declared_ = true;
  out.line("const {} {} = {};", {{n.type, how_.lanes}, whole, text});
  for (int lane = 0; lane < how_.lanes; ++lane)
    out.line("{}[{}] = {}.s{};", {name, element(lane), whole, lane_letter(lane)});
}

FUSECL_INLINE value_text text_of_access(value_emitter& values, writer& out, ir::node_id id) {
  return values.emit_access(out, id);
}

FUSECL_INLINE void store_part(value_emitter& values, writer& out, const ir::root_place& place,
                              const std::string& name, ir::node_id id, const std::string& text) {
  values.store_part(out, place, name, id, text);
}

}  // namespace fusecl::codegen
