#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/values.hpp>

namespace fusecl::codegen {
namespace detail {

/// Text of a test that only elements of a part of a triangle pass.
FUSECL_INLINE std::string is_inside(matrix_cl_view view, const std::string& row, const std::string& col) {
  const char* relation = view == matrix_cl_view::Lower ? ">=" : view == matrix_cl_view::Upper ? "<=" : "==";
  return fill("{} {} {}", {row, relation, col});
}

FUSECL_INLINE std::string zero_text(scalar_type type) {
  return type == scalar_type::boolean ? "0" : literal(type, 0);
}

}  // namespace detail

FUSECL_INLINE access::access() : lane_rows{"0"}, lane_cols{"0"} {}

FUSECL_INLINE value_emitter::value_emitter(const ir::graph& g, function_library& library,
                                           const list_of<ir::node_id>& wanted, int mask_bytes,
                                           ir::sparse_node_map<std::string> buffers,
                                           const list_of<matrix_cl_view>& parts)
    : g_(g), library_(library), mask_bytes_(mask_bytes), buffers_(std::move(buffers)) {
  const auto is_given = [&](ir::node_id id) { return ir::is_collective(g[id]) || is_in_buffer(id); };
  needed_ = ir::reachable(g, wanted, is_given);
  parts_ = ir::needed_parts(g, needed_, wanted, parts, is_given);
  guards_ = ir::needed_where(g, needed_, wanted, is_given);
  for (ir::node_id id : wanted) ++uses_[id];
  for (ir::node_id id : needed_)
    for (int k = 0; !is_given(id) && k < ir::arity(g[id]); ++k) ++uses_[g[id].operands[k]];
}

FUSECL_INLINE piece value_emitter::mask_type(int lanes) const {
  return {mask_bytes_ == 8 ? scalar_type::int64 : scalar_type::int32, lanes};
}

/// The type of a value in registers.
FUSECL_INLINE piece value_emitter::value_type(scalar_type type, int lanes) const {
  if (type != scalar_type::boolean) return {type, lanes};
  return lanes == 1 ? piece("int") : mask_type(lanes);
}

FUSECL_INLINE std::string value_emitter::memory_name(ir::node_id id) const {
  const ir::node& n = g_[id];
  if (n.is(ir::leaf_operations::matrix)) return fill("x{}", {n.index});
  const std::string* name = buffers_.find(id);
  return name ? *name : std::string();
}

/// Text of `v` as a vector of `lanes`; operators take a single element as it is, calls and selections do not.
FUSECL_INLINE std::string value_emitter::widened(const value_text& v, scalar_type type, int lanes) const {
  if (lanes == 1 || !v.uniform) return v.text;
  return fill(type == scalar_type::boolean ? "({})(-({}))" : "({})({})", {value_type(type, lanes), v.text});
}

/// A mask as wide as an element of `bytes`, which a selection needs.
FUSECL_INLINE std::string value_emitter::fitted_mask(const value_text& v, std::size_t bytes,
                                                     int lanes) const {
  const std::string wide = widened(v, scalar_type::boolean, lanes);
  if (lanes == 1 || static_cast<int>(bytes) == mask_bytes_) return wide;
  return fill("convert_{}{}({})", {bytes == 8 ? "long" : "int", lanes, wide});
}

FUSECL_INLINE void value_emitter::uniforms(writer& out) {
  preamble_ = true;
  how_ = {};
  for (ir::node_id id : needed_) {
    if (!is_uniform(id) || is_known(id)) continue;
    value_text value = emit(out, id);
    value.uniform = true;
    uniform_values_[id] = std::move(value);
  }
  for (ir::node_id id : needed_) prepare_for_same(out, id);
  preamble_ = false;
}

FUSECL_INLINE void value_emitter::begin(const access& how) {
  how_ = how;
  coordinates_.clear();
  done_.clear();
}

/// Elements of a buffer, those of bool as what tests give.
FUSECL_INLINE value_text value_emitter::load(const std::string& name, const ir::node& n, ir::extent rows,
                                             ir::extent cols) {
  const bool many_rows = rows != ir::one, many_cols = cols != ir::one;
  value_text v;
  const bool turned = how_.in_order && how_.lanes > 1;  // whichever way a vector lies
  v.uniform = preamble_ || !(many_rows || ((how_.linear || how_.crossing || turned) && many_cols));
  v.text = preamble_ ? fill("{}[0]", {name}) : how_.load(how_.self, name, n.type, many_rows, many_cols);
  if (n.type != scalar_type::boolean) return v;
  if (v.uniform || how_.lanes == 1)
    v.text += " != 0";
  else
    v.text = fill("convert_{}({}) != 0", {mask_type(how_.lanes), v.text});
  return v;
}

FUSECL_INLINE std::string value_emitter::fresh_name() { return fill(preamble_ ? "u{}" : "v{}", {named_++}); }

FUSECL_INLINE std::string value_emitter::guarded(ir::node_id id, const value_text& v) const {
  // Flops that pay for a branch which all work-items take, and for one of which neighbours take both sides (a
  // regression with one of 100 at every other row took a sixth longer, H200).
  constexpr float least_together = 30, least_apart = 200;
  const ir::node_guards* guards = guards_.find(id);
  if (!guards || how_.lanes > 1 || preamble_ || v.cost < least_together) return v.text;
  std::string guard;
  for (int k = 0; k < guards->count; ++k) {
    const auto [condition, holds] = guards->of[k];
    const ir::node &c = g_[condition], &n = g_[id];
    const auto covers = [&](ir::extent of_condition, ir::extent own) {
      return g_.resolve(of_condition) == ir::one || g_.resolve(of_condition) == g_.resolve(own);
    };
    if (!covers(c.rows, n.rows) || !covers(c.cols, n.cols)) continue;
    if (!is_uniform(condition) && v.cost < least_apart) continue;
    for (const ir::sparse_node_map<value_text>* values : {&known_, &uniform_values_, &done_})
      if (const value_text* test = values->find(condition)) {
        const bool alone = test->precedence >= (holds ? 6 : 15);  // than that of && and of !
        const std::string operand = alone ? test->text : fill("({})", {test->text});
        append_item(guard, " && ", holds ? operand : fill("!{}", {operand}));
        break;
      }
  }
  if (guard.empty()) return v.text;
  return fill("{} ? {} : {}", {guard, v.text, detail::zero_text(g_[id].type)});
}

FUSECL_INLINE value_text value_emitter::name_it(writer& out, ir::node_id id, const value_text& v,
                                                const std::string& name) {
  declared_ = true;
  out.line("const {} {} = {};", {value_type(g_[id].type, v.uniform ? 1 : how_.lanes), name, v.text});
  return {name, 16, v.uniform};
}

/// Row and column of a node's element, and whether they are one for all lanes.
struct value_emitter::coordinates {
  std::string row, col;
  bool uniform;
};

FUSECL_INLINE value_emitter::coordinates value_emitter::coordinates_of(const ir::node& n) const {
  const bool many_rows = g_.resolve(n.rows) != ir::one, many_cols = g_.resolve(n.cols) != ir::one;
  const bool uniform = how_.lanes == 1 || !(many_rows || (how_.crossing && many_cols));
  return {many_rows ? how_.row : "0", many_cols ? how_.col : "0", uniform};
}

/// The value with zeros outside of the view.
FUSECL_INLINE value_text value_emitter::cut(const ir::node& n, matrix_cl_view view,
                                            const value_text& v) const {
  const coordinates at = coordinates_of(n);
  const std::string inside = detail::is_inside(view, at.row, at.col);
  if (at.uniform && (how_.lanes == 1 || v.uniform))
    return {fill("({}) ? ({}) : {}", {inside, v.text, detail::zero_text(n.type)}), 3, v.uniform};
  const int lanes = how_.lanes;
  const std::size_t bytes =
      n.type == scalar_type::boolean ? static_cast<std::size_t>(mask_bytes_) : size_of(n.type);
  const std::string mask =
      at.uniform ? inside : fill("{}({})", {bytes == 8 ? fill("convert_long{}", {lanes}) : "", inside});
  return {fill("{} ? {} : ({})(0)", {mask, widened(v, n.type, lanes), value_type(n.type, lanes)}), 3, false};
}

/// A test that a vector passes if any of its elements is inside of the view.
FUSECL_INLINE std::string value_emitter::any_inside(const ir::node& n, matrix_cl_view view) const {
  const coordinates at = coordinates_of(n);
  if (how_.crossing || g_.resolve(n.cols) == ir::one)
    return fill("any({})", {detail::is_inside(view, at.row, at.col)});
  const std::string &first = how_.lane_rows.front(), &last = how_.lane_rows.back(), &col = how_.lane_cols[0];
  std::string test;
  if (!contains_nonzero(view, matrix_cl_view::Upper)) test = fill("{} >= {}", {last, col});
  if (!contains_nonzero(view, matrix_cl_view::Lower))
    append_item(test, " && ", fill("{} <= {}", {first, col}));
  return fill("({})", {test});
}

FUSECL_INLINE value_text value_emitter::emit_leaf(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const bool boolean = n.type == scalar_type::boolean;
  if (n.is(ir::leaf_operations::constant))
    return {boolean ? (n.value != 0 ? "1" : "0") : literal(n.type, n.value), n.value < 0 ? 14 : 16, true};
  if (n.is(ir::leaf_operations::scalar)) return {fill(boolean ? "(s{} != 0)" : "s{}", {n.index}), 16, true};
  if (n.is(ir::leaf_operations::row_index) || n.is(ir::leaf_operations::col_index)) {
    // of what is repeated the only row, or column, is the first wherever that is
    const bool of_rows = n.is(ir::leaf_operations::row_index);
    const bool first = preamble_ || g_.resolve(of_rows ? n.rows : n.cols) == ir::one;
    return {first ? "0" : of_rows ? how_.row : how_.col, 16, first || (!of_rows && !how_.crossing)};
  }

  if (n.is(ir::leaf_operations::size))
    return {fill("({}){}", {{n.type, 1}, size_name(g_.resolve(static_cast<ir::extent>(n.index)))}), 14, true};

  const std::string name = memory_name(id);
  value_text v = load(name, n, g_.resolve(n.rows), g_.resolve(n.cols));
  const matrix_cl_view part = both(part_of(id), n.view);
  const bool all_inside = is_within(part_of(id), n.view) && is_within(walked, part);
  if (n.is(ir::leaf_operations::matrix) && part != matrix_cl_view::Entire && !all_inside && !preamble_ &&
      !uncut) {
    const value_text inside = cut(n, part, v);
    // a vector that lies outside is not read
    if (!inside.uniform && how_.lanes > 1 && !is_within(walked, part))
      v.text =
          fill("{} ? ({}) : ({})(0)", {any_inside(n, part), inside.text, value_type(n.type, how_.lanes)});
    else
      v.text = inside.text;
    v.uniform = inside.uniform;
  }
  return name_it(out, id, v, fill("{}{}", {name, preamble_ ? "_0" : v.uniform ? "_j" : "_i"}));
}

FUSECL_INLINE value_text value_emitter::emit_cast(writer& out, const ir::node& n) {
  const ir::node& from = g_[n.operands[0]];
  const value_text v = emit(out, n.operands[0]);
  const int lanes = v.uniform ? 1 : how_.lanes;
  if (n.type == scalar_type::boolean) {
    const std::string test = fill(v.precedence > 9 ? "{} != 0" : "({}) != 0", {v.text});
    if (lanes == 1 || static_cast<int>(size_of(from.type)) == mask_bytes_) return {test, 9, v.uniform};
    return {fill("convert_{}({})", {mask_type(lanes), test}), 16, v.uniform};
  }
  const char* pattern = lanes == 1                          ? "({})({})"
                        : from.type == scalar_type::boolean ? "convert_{}(-({}))"
                                                            : "convert_{}({})";
  return {fill(pattern, {{n.type, lanes}, v.text}), 16, v.uniform, v.cost};
}

FUSECL_INLINE std::string size_name(ir::extent e) { return e == ir::one ? "1" : fill("n{}", {e}); }

FUSECL_INLINE value_text value_emitter::emit(writer& out, ir::node_id id) {
  for (const ir::sparse_node_map<value_text>* values : {&known_, &uniform_values_, &done_}) {
    if (values == &done_ && preamble_) continue;
    if (const value_text* there = values->find(id)) return *there;
  }
  const ir::node& n = g_[id];
  value_text v;
  if (n.op->kind == ir::op_class::leaf || ir::is_collective(n) || is_in_buffer(id))
    v = emit_leaf(out, id);
  else if (n.op->kind == ir::op_class::access)
    return done_[id] = n.op->brings->text(*this, out, id);
  else if (n.op->kind == ir::op_class::cast)
    v = emit_cast(out, n);
  else if (n.op->kind == ir::op_class::broadcast)
    v = emit(out, n.operands[0]);
  else
    v = emit_operation(out, id);
  if (n.op->kind == ir::op_class::elementwise && !preamble_ && !is_within(part_of(id), n.view) &&
      !ir::gives_own_zeros(g_, n) && !is_in_buffer(id))
    v = cut(n, n.view, v);
  constexpr std::size_t longest_inline = 60;
  // compilers do not move all functions out of loops by themselves
  constexpr float least_hoisted = 4;
  const bool hoisted = preamble_ && n.op->kind == ir::op_class::elementwise && n.op->cost >= least_hoisted;
  const bool trivial = v.precedence == 16 && v.text.size() <= 8 && v.text.find('(') == std::string::npos;
  if (n.op->kind != ir::op_class::leaf && !trivial &&
      (hoisted || uses_[id] > 1 || v.text.size() > longest_inline)) {
    v.text = guarded(id, v);
    v = name_it(out, id, v, fresh_name());
  }
  if (!preamble_) done_[id] = v;
  return v;
}

FUSECL_INLINE void value_emitter::pin(writer& out, ir::node_id id) {
  if (is_uniform(id) || is_known(id)) return;
  const value_text v = emit(out, id);
  const bool is_name = v.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
  done_[id] = is_name ? v : name_it(out, id, v, fresh_name());
}

FUSECL_INLINE std::string value_emitter::value(writer& out, ir::node_id id) {
  return widened(emit(out, id), g_[id].type, how_.lanes);
}

FUSECL_INLINE std::string value_emitter::stored(writer& out, ir::node_id id) {
  const std::string text = value(out, id);
  if (g_[id].type != scalar_type::boolean) return text;
  return fill(how_.lanes == 1 ? "({})({})" : "convert_{}(-({}))", {{scalar_type::boolean, how_.lanes}, text});
}

}  // namespace fusecl::codegen
