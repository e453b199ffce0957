#pragma once
// From the whole line to a support, as samplers need it: Stan Math's constraining transforms with the
// logarithms of their derivatives.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <fusion/autodiff.hpp>
#include <primitives/host_operands.hpp>

namespace fusecl {
namespace detail {

/// An operand for use in several places.
template <operand X>
auto in_several_places(X&& x) {
  return reused(as_operation_cl(std::forward<X>(x)));
}
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The operand, whose size must be that of x where neither is a number. Throws std::invalid_argument.
template <operand L, node X>
auto fitting(const char* function, const char* name, L&& of, const X& x) {
  auto in_places = in_several_places(std::forward<L>(of));
  if constexpr (!X::is_scalar && !decltype(in_places)::is_scalar)
    check_same_shape(function, name, in_places.rows(), in_places.cols(), "x", x.rows(), x.cols());
  return in_places;
}

/// What increments may be added to.
template <class Lp>
concept log_density =
    std::same_as<Lp, double> || std::same_as<Lp, scalar_cl<double>> || std::same_as<Lp, var>;

/// The value and the logarithm of the derivative of a transform bounded on one side: `sign` * exp(x) from
/// there.
template <class X, class Bound>
auto bounded_on_one_side(const X& x, const Bound& bound, double sign) {
  return select(bound == -sign * unbounded, x, bound + sign * exp(x));
}

/// Throws std::domain_error unless each upper bound is above its lower one.
template <operand L, operand U>
void check_bounds(const L& lb, const U& ub) {
  check_cl("lub_constrain", "(ub - lb)", ub - lb, "positive") = ub - lb > 0.0;
}

/// The unit vector, once its length was looked at.
template <class X, class Square>
auto scaled_to_unit_length(const X& x, const Square& square) {
  check_form(x.rows() * x.cols() > 0, "unit_vector_constrain", "x", x.rows(), x.cols(), "of some elements");
  check_cl("unit_vector_constrain", "norm", square, "positive and finite") = square > 0.0 && isfinite(square);
  return x / sqrt(square);
}

/// Throws unless offsets are finite, and multipliers finite and positive.
template <node M, node S>
void check_offset_and_multiplier(const M& mu, const S& sigma) {
  check_cl("offset_multiplier_constrain", "offset", mu, "finite") = isfinite(mu);
  check_cl("offset_multiplier_constrain", "multiplier", sigma, "positive finite") =
      isfinite(sigma) && sigma > 0.0;
}

}  // namespace detail

/// exp(x) + lb, above the lower bound; x itself where that is -infinity. The sizes of x and lb fit or lb is a
/// number; an expression, like those below.
template <class X, class L>
requires detail::beside_the_device<X, L>
auto lb_constrain(X&& x, L&& lb) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  return detail::bounded_on_one_side(free, detail::fitting("lb_constrain", "lb", std::forward<L>(lb), free),
                                     1.0);
}
/// The same, and the sum of the logarithms of its derivatives, x, is added to `lp`. Waits where that is a
/// double, and not for one on the device.
template <class X, class L, detail::log_density Lp>
requires detail::beside_the_device<X, L>
auto lb_constrain(X&& x, L&& lb, Lp& lp) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto bound = detail::in_several_places(std::forward<L>(lb));
  auto constrained = lb_constrain(free, bound);
  lp += sum(select(bound == -detail::unbounded, 0.0, free));
  return constrained;
}

/// ub - exp(x), below the upper bound; x itself where that is infinity.
template <class X, class U>
requires detail::beside_the_device<X, U>
auto ub_constrain(X&& x, U&& ub) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  return detail::bounded_on_one_side(free, detail::fitting("ub_constrain", "ub", std::forward<U>(ub), free),
                                     -1.0);
}
/// The same, and the sum of the logarithms of its derivatives' absolute values, x, is added to `lp`.
template <class X, class U, detail::log_density Lp>
requires detail::beside_the_device<X, U>
auto ub_constrain(X&& x, U&& ub, Lp& lp) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto bound = detail::in_several_places(std::forward<U>(ub));
  auto constrained = ub_constrain(free, bound);
  lp += sum(select(bound == detail::unbounded, 0.0, free));
  return constrained;
}

/// lb + (ub - lb) * inv_logit(x), between the bounds; bounded on one side or not at all where bounds are
/// infinite. Throws std::domain_error where a lower bound is not below its upper one; waits for that.
template <class X, class L, class U>
requires detail::beside_the_device<X, L, U>
auto lub_constrain(X&& x, L&& lb, U&& ub) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto low = detail::fitting("lub_constrain", "lb", std::forward<L>(lb), free);
  const auto high = detail::fitting("lub_constrain", "ub", std::forward<U>(ub), free);
  detail::check_bounds(low, high);
  return select(
      low == -detail::unbounded, detail::bounded_on_one_side(free, high, -1.0),
      select(high == detail::unbounded, exp(free) + low, elt_multiply(high - low, inv_logit(free)) + low));
}
/// The same, and the sum of the logarithms of its derivatives is added to `lp`:
/// log(ub - lb) - |x| - 2 log(1 + exp(-|x|)) between two bounds.
template <class X, class L, class U, detail::log_density Lp>
requires detail::beside_the_device<X, L, U>
auto lub_constrain(X&& x, L&& lb, U&& ub, Lp& lp) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto low = detail::in_several_places(std::forward<L>(lb));
  const auto high = detail::in_several_places(std::forward<U>(ub));
  auto constrained = lub_constrain(free, low, high);
  const auto size = detail::in_several_places(fabs(free));
  lp += sum(select(low == -detail::unbounded, select(high == detail::unbounded, 0.0, free),
                   select(high == detail::unbounded, free, log(high - low) - size - 2.0 * log1p_exp(-size))));
  return constrained;
}

/// mu + sigma * x, element by element. Throws std::domain_error where an offset mu is not finite or a
/// multiplier sigma not finite and positive; waits for that.
template <class X, class M, class S>
requires detail::beside_the_device<X, M, S>
auto offset_multiplier_constrain(X&& x, M&& mu, S&& sigma) {
  const auto free = as_operation_cl(std::forward<X>(x));
  const auto offset = detail::fitting("offset_multiplier_constrain", "offset", std::forward<M>(mu), free);
  const auto multiplier =
      detail::fitting("offset_multiplier_constrain", "multiplier", std::forward<S>(sigma), free);
  detail::check_offset_and_multiplier(offset, multiplier);
  return elt_multiply(free, multiplier) + offset;
}
/// The same, and the sum of log(sigma) over the elements is added to `lp`.
template <class X, class M, class S, detail::log_density Lp>
requires detail::beside_the_device<X, M, S>
auto offset_multiplier_constrain(X&& x, M&& mu, S&& sigma, Lp& lp) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto scale = detail::in_several_places(std::forward<S>(sigma));
  auto constrained = offset_multiplier_constrain(free, std::forward<M>(mu), scale);
  if constexpr (decltype(scale)::is_scalar)
    lp += static_cast<double>(constrained.rows() * constrained.cols()) * log(scale);
  else
    lp += sum(log(scale));
  return constrained;
}

/// x over its length. Throws std::invalid_argument where there are no elements, std::domain_error where the
/// squares do not add up to a positive, finite number; waits for that.
template <detail::matrix_expression X>
auto unit_vector_constrain(X&& x) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  return detail::scaled_to_unit_length(free, shared(dot_self(free)));
}
/// The same, and -|x|^2 / 2, the logarithm of the density that makes it uniform on the sphere, is added to
/// `lp`.
template <detail::matrix_expression X, detail::log_density Lp>
auto unit_vector_constrain(X&& x, Lp& lp) {
  const auto free = detail::in_several_places(std::forward<X>(x));
  const auto square = shared(dot_self(free));
  auto unit = detail::scaled_to_unit_length(free, square);
  lp += -0.5 * square;
  return unit;
}

}  // namespace fusecl
