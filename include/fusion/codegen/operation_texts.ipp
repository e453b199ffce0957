#pragma once
// Texts of element-wise operations, of which some are others where an operand is the same for all elements or
// where the device takes PTX.

#include <cctype>
#include <cmath>

#include <fusion/codegen/values.hpp>

namespace fusecl::codegen {
namespace detail {

/// Whether the text is an operator on signed numbers, which wrap: compilers take it that those of OpenCL C,
/// unlike vectors of them, do not overflow.
inline bool is_made_unsigned(const ir::operation& op, scalar_type type, int lanes) {
  return lanes == 1 && op.types == ir::type_rule::arithmetic && op.precedence < 16 &&
         (type == scalar_type::int32 || type == scalar_type::int64);
}

/// The operand that is repeated, for one that is.
inline ir::node_id what_is_repeated(const ir::graph& g, ir::node_id id) {
  while (g[id].op->kind == ir::op_class::broadcast) id = g[id].operands[0];
  return id;
}

}  // namespace detail

/// Makes of the second operand of a node, where that is the same for all elements, what the node is computed
/// with.
FUSECL_INLINE void value_emitter::prepare_for_same(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  if (is_uniform(id) || is_known(id) || is_in_buffer(id)) return;
  const ir::same_operand_rule* rule = library_.instead_of_same(*n.op, n.type);
  if (!rule) return;
  const ir::node_id same = detail::what_is_repeated(g_, n.operands[1]);
  int exponent = 0;
  const bool compilers_do_it =
      g_[same].is(ir::leaf_operations::constant) && std::frexp(std::fabs(g_[same].value), &exponent) == 0.5;
  if (!is_uniform(same) || prepared_.find(same) || compilers_do_it) return;
  const ir::device_function* const prepare[] = {rule->prepare, nullptr};
  library_.require(prepare, n.type, 1);
  const std::string name = fresh_name();
  out.line("const double2 {} = {}_{}({});", {name, rule->prepare->name, {n.type, 1}, emit(out, same).text});
  prepared_[same] = name;
  declared_ = true;
}

/// The text of an operation, with marks for its operands.
FUSECL_INLINE value_text value_emitter::marked_text(ir::node_id id, scalar_type type, int lanes) {
  const ir::node& n = g_[id];
  const ir::same_operand_rule* rule = preamble_ ? nullptr : library_.instead_of_same(*n.op, type);
  const std::string* prepared = rule ? prepared_.find(detail::what_is_repeated(g_, n.operands[1])) : nullptr;
  const ir::device_function* other = prepared ? rule->apply : library_.instead_of(*n.op, type);
  const ir::device_function* const own[] = {other, nullptr};
  library_.require(other ? own : n.op->uses, type, lanes);
  if (!other) return {instantiate(n.op->opencl, type, lanes), n.op->precedence};
  return {instantiate(fill("{}$S($0{})", {other->name, prepared ? ", " + *prepared : ""}), type, lanes)};
}

/// Operand `k` as wide as an operation on so many lanes wants it. `takes_single`: a single element beside
/// vectors.
FUSECL_INLINE value_text value_emitter::fitted_operand(const ir::node& n, int k, const value_text& operand,
                                                       int lanes, bool takes_single) const {
  value_text v = operand;
  if (n.op->types == ir::type_rule::selection && k == 0) {
    const scalar_type type = g_[n.operands[1]].type;
    const std::size_t bytes =
        type == scalar_type::boolean ? static_cast<std::size_t>(mask_bytes_) : size_of(type);
    // a condition that is the same for all lanes stays a single value
    if (!operand.uniform) v.text = fitted_mask(operand, bytes, lanes);
  } else if (!takes_single) {
    v.text = widened(operand, g_[n.operands[k]].type, lanes);
  }
  if (v.text != operand.text) v.precedence = 16;
  return v;
}

FUSECL_INLINE value_text value_emitter::emit_operation(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const ir::operation& op = *n.op;
  const bool selects = op.types == ir::type_rule::selection;
  const scalar_type type = g_[n.operands[selects ? 1 : 0]].type;
  list_of<value_text> operands(op.arity);
  bool uniform = true;
  float cost = op.cost;
  for (int k = 0; k < op.arity; ++k) {
    const value_text& operand = operands[static_cast<std::size_t>(k)] = emit(out, n.operands[k]);
    uniform = uniform && operand.uniform;
    cost += operand.cost;
  }
  const int lanes = uniform ? 1 : how_.lanes;
  const value_text marked = marked_text(id, type, lanes);
  const std::string& text = marked.text;
  const int binds = marked.precedence;
  const bool takes_single = binds >= 9 && binds < 16 && type != scalar_type::boolean;
  for (int k = 0; k < op.arity; ++k) {  // an operand that the text repeats gets a name
    const std::string mark = fill("${}", {k});
    const std::size_t first = text.find(mark);
    const bool repeated = first != std::string::npos && text.find(mark, first + 1) != std::string::npos;
    value_text& operand = operands[static_cast<std::size_t>(k)];
    if (repeated && operand.text.find_first_of(" (") != std::string::npos)
      operand = name_it(out, n.operands[k], operand, fresh_name());
    operand = fitted_operand(n, k, operand, lanes, takes_single);
  }

  const bool made_unsigned = detail::is_made_unsigned(op, type, lanes);
  std::string result;
  for (std::size_t p = 0; p < text.size(); ++p) {
    const bool operand_here =
        text[p] == '$' && p + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[p + 1]));
    if (!operand_here) {
      result += text[p];
      continue;
    }
    std::size_t end = p + 1;  // of the operand's number
    int k = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
      k = 10 * k + (text[end++] - '0');
    const char before = p == 0 ? '\0' : text[p - 1];
    const char after = end < text.size() ? text[end] : '\0';
    const value_text& operand = operands[static_cast<std::size_t>(k)];
    const bool argument =
        binds == 16 && (before == '(' || before == ' ' || before == ',') && (after == ')' || after == ',');
    if (made_unsigned) result += type == scalar_type::int32 ? "(uint)" : "(ulong)";
    const int least = made_unsigned ? 14
                      : binds == 16 ? 16
                                    : binds + 1 - (k == 0 && op.arity == 2 && binds > 10 ? 1 : 0);
    result += argument || operand.precedence >= least ? operand.text : fill("({})", {operand.text});
    p = end - 1;
  }
  if (made_unsigned) return {fill("({})({})", {opencl_name(type), result}), 14, uniform, cost};
  const bool makes_mask = op.types == ir::type_rule::comparison || op.types == ir::type_rule::classify;
  if (makes_mask && lanes > 1 && static_cast<int>(size_of(type)) != mask_bytes_)
    return {fill("convert_{}({})", {mask_type(lanes), result}), 16, false, cost};
  return {result, binds, uniform, cost};
}

}  // namespace fusecl::codegen
