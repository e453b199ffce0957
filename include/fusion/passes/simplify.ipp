#pragma once
// Bottom-up rewriting. Every rule is exact in real arithmetic and at least as accurate in floating point;
// none may turn a NaN or an infinity of the original into a number, except where the original overflowed.

#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/special.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

/// Applies the rules while it builds nodes.
class simplifier {
 public:
  explicit simplifier(ir::graph& g) : g_(g) {}

  template <class Op>
  ir::node_id make(ir::node_id a, ir::node_id b = ir::no_node) {
    const ir::node_id operands[] = {a, b, ir::no_node};
    if (const ir::node_id simpler = rewrite(Op::record(), operands); simpler != ir::no_node) return simpler;
    return g_.apply(Op::record(), operands);
  }

  /// A simpler node for `op(operands)`, or no_node.
  FUSECL_INLINE ir::node_id rewrite(const ir::operation& op, const ir::node_id* x) {
    if (op.arity == 1) return rewrite_unary(op, x[0]);
    return op.arity == 2 ? rewrite_binary(op, x[0], x[1]) : ir::no_node;
  }

 private:
  template <class Op>
  static bool is(const ir::operation& op) {
    return &op == &Op::record();
  }
  template <class Op>
  bool is(ir::node_id id) const {
    return g_[id].is(Op::record());
  }
  bool is_exactly(ir::node_id id, double value) const {
    return g_[id].is(ir::leaf_operations::constant) && is_same_number(g_[id].value, value);
  }
  ir::node_id operand(ir::node_id id, int k = 0) const { return g_[id].operands[k]; }
  /// The other operand where one operand of the sum `id` is the constant `value`, else no_node.
  ir::node_id addend_besides(ir::node_id id, double value) const {
    if (!is<op::add>(id)) return ir::no_node;
    if (is_exactly(operand(id, 0), value)) return operand(id, 1);
    return is_exactly(operand(id, 1), value) ? operand(id, 0) : ir::no_node;
  }

  /// Whether the value is a whole number for the type of what it is made of.
  bool is_whole(ir::node_id x) const {
    return g_[x].op->kind == ir::op_class::cast && !is_floating(g_[operand(x)].type);
  }

  FUSECL_INLINE ir::node_id rewrite_unary(const ir::operation& op, ir::node_id x) {
    const bool rounds = is<op::floor>(op) || is<op::ceil>(op) || is<op::round>(op) || is<op::trunc>(op);
    if (rounds && is_whole(x)) return x;
    if (is<op::negate>(op) && is<op::negate>(x)) return operand(x);
    if (is<op::logical_not>(op) && is<op::logical_not>(x)) return operand(x);
    if (is<op::log>(op)) return rewrite_log(x);
    if (is<op::log1p>(op)) {
      if (is<op::exp>(x)) return make<op::log1p_exp>(operand(x));
      if (is<op::negate>(x)) return make<op::log1m>(operand(x));
    }
    if (is<op::log1m>(op)) {
      if (is<op::exp>(x)) return make<op::log1m_exp>(operand(x));
      if (is<op::inv_logit>(x)) return make<op::log1m_inv_logit>(operand(x));
    }
    if (is<op::inv>(op)) return rewrite_reciprocal(x);
    return ir::no_node;
  }

  FUSECL_INLINE ir::node_id rewrite_log(ir::node_id x) {
    if (const ir::node_id rest = addend_besides(x, 1); rest != ir::no_node) return make<op::log1p>(rest);
    if (is<op::subtract>(x) && is_exactly(operand(x), 1)) return make<op::log1m>(operand(x, 1));
    if (is<op::negate>(x) && is<op::expm1>(operand(x))) return make<op::log1m_exp>(operand(operand(x)));
    if (is<op::subtract>(x) && is_exactly(operand(x), 0) && is<op::expm1>(operand(x, 1)))
      return make<op::log1m_exp>(operand(operand(x, 1)));
    if (is<op::inv_logit>(x)) return make<op::log_inv_logit>(operand(x));
    const bool exponentials =
        (is<op::add>(x) || is<op::subtract>(x)) && is<op::exp>(operand(x)) && is<op::exp>(operand(x, 1));
    if (exponentials && is<op::add>(x))
      return make<op::log_sum_exp>(operand(operand(x)), operand(operand(x, 1)));
    if (exponentials) return make<op::log_diff_exp>(operand(operand(x)), operand(operand(x, 1)));
    return ir::no_node;
  }

  /// 1 / x: the logistic function has a form that does not overflow.
  FUSECL_INLINE ir::node_id rewrite_reciprocal(ir::node_id x) {
    const ir::node_id rest = addend_besides(x, 1);
    if (rest != ir::no_node && is<op::exp>(rest) && is<op::negate>(operand(rest)))
      return make<op::inv_logit>(operand(operand(rest)));
    return ir::no_node;
  }

  FUSECL_INLINE ir::node_id rewrite_binary(const ir::operation& op, ir::node_id a, ir::node_id b) {
    if (is<op::multiply>(op)) {
      if (is_exactly(a, 1)) return b;
      if (is_exactly(b, 1)) return a;
      if (is_exactly(a, -1)) return make<op::negate>(b);
      if (is_exactly(b, -1)) return make<op::negate>(a);
    }
    if (is<op::divide>(op)) {
      if (is_exactly(b, 1)) return a;
      if (is_exactly(a, 1)) return rewrite_reciprocal(b);
    }
    if (is<op::integer_divide>(op) && is_exactly(b, 1)) return a;
    if (is<op::subtract>(op)) {
      if (is_exactly(b, 0)) return a;
      if (is<op::exp>(a) && is_exactly(b, 1)) return make<op::expm1>(operand(a));
      if (is_exactly(a, 1) && is<op::exp>(b)) {  // from 0, so that it is 0 and not -0 at 0
        const ir::node_id from = make<op::expm1>(operand(b));
        return make<op::subtract>(g_.constant(g_[from].type, 0), from);
      }
      if (is<op::erf>(b) && is_exactly(a, 1)) return make<op::erfc>(operand(b));
      if (is<op::negate>(b)) return make<op::add>(a, operand(b));
    }
    if (is<op::add>(op)) {
      if (is<op::negate>(b)) return make<op::subtract>(a, operand(b));
      if (is<op::negate>(a)) return make<op::subtract>(b, operand(a));
      if (is_exactly(a, -1) && is<op::exp>(b)) return make<op::expm1>(operand(b));
      if (is_exactly(b, -1) && is<op::exp>(a)) return make<op::expm1>(operand(a));
    }
    if (is<op::pow>(op)) {
      if (is_exactly(b, 2)) return make<op::square>(a);
      if (is_exactly(b, 1)) return a;
      if (is_exactly(b, -1)) return make<op::inv>(a);
    }
    return ir::no_node;
  }

  ir::graph& g_;
};

FUSECL_INLINE bool is_scan_of_single_elements(const ir::graph& g, const ir::node& n) {
  return n.op->kind == ir::op_class::scan &&
         g.resolve(n.axis() == ir::axis::row ? n.cols : n.rows) == ir::one;
}

/// Whether what is simpler leaves out the same. `log(1.0 + x)` of a triangle has no view, `log1p(x)` has one;
/// a zero is added there.
FUSECL_INLINE bool has_same_view(const ir::node& simpler, const ir::node& n) {
  return n.is_scalar() || simpler.view == n.view;
}

/// The constant that an operation on constants alone amounts to, or no_node where it is not finite.
FUSECL_INLINE ir::node_id folded(ir::graph& g, const ir::node& n, const ir::node_id* operands) {
  if (!n.op->host || !is_floating(n.type) || !n.is_scalar()) return ir::no_node;
  list_of<long double> values;
  for (int k = 0; k < ir::arity(n); ++k) {
    const ir::node& operand = g[operands[k]];
    if (!operand.is(ir::leaf_operations::constant) || operand.type != n.type) return ir::no_node;
    values.push_back(operand.value);
  }
  const long double exact = n.op->host(values.data());
  const double value =
      n.type == scalar_type::float32 ? static_cast<float>(exact) : static_cast<double>(exact);
  return is_finite(value) ? g.constant(n.type, value) : ir::no_node;
}

}  // namespace detail

FUSECL_INLINE ir::graph drop_stops(const ir::graph& g) {
  return rebuild(g, [](ir::graph& result, const ir::node& n, const ir::node_id* operands) {
    return n.op->is_mark ? operands[0] : result.copy(n, operands);
  });
}

FUSECL_INLINE ir::graph simplify(const ir::graph& g) {
  return rebuild(g, [](ir::graph& result, const ir::node& n, const ir::node_id* operands) {
    if (n.op->kind == ir::op_class::elementwise) {
      const ir::node_id simpler = detail::simplifier(result).rewrite(*n.op, operands);
      if (simpler != ir::no_node && result[simpler].is_scalar() == n.is_scalar()) {
        if (detail::has_same_view(result[simpler], n)) return simpler;
        const bool is_operand = simpler == operands[0] || simpler == operands[ir::arity(n) - 1];
        if (!is_operand && n.view == matrix_cl_view::Entire && n.type != scalar_type::boolean)
          return result.apply(op::add::record(), simpler, result.constant(n.type, 0));
      }
      if (const ir::node_id value = detail::folded(result, n, operands); value != ir::no_node) return value;
    }
    if (detail::is_scan_of_single_elements(result, n)) return ops::in_full(result, operands[0]);
    return result.copy(n, operands);
  });
}

}  // namespace fusecl::passes
