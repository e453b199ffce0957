#pragma once
// Expressions that are symmetric as they are made, and need not be looked at.

#include <fusion/expr/assembled.hpp>
#include <fusion/expr/holder.hpp>
#include <primitives/covariances/gp.hpp>

namespace fusecl::detail {

/// Whether every matrix of this type is symmetric, if its elements are no NaN: covariances of points with
/// themselves, and what element-wise operations and add_diag make of these and of scalars.
template <class E>
inline constexpr bool is_symmetric = false;
template <class E>
inline constexpr bool is_symmetric_or_scalar = E::is_scalar || is_symmetric<E>;

template <pair_measure Measure, class A, class B, class Lengths>
inline constexpr bool is_symmetric<measured_pairs<Measure, true, A, B, Lengths>> =
    Measure != pair_measure::distance;
template <class E, class... Numbers>
inline constexpr bool is_symmetric<covariance_of_parameters<E, Numbers...>> = is_symmetric<E>;
template <class Op, class A>
inline constexpr bool is_symmetric<unary<Op, A>> = is_symmetric<A>;
template <class Op, class A, class B>
inline constexpr bool is_symmetric<binary<Op, A, B>> =
    !binary<Op, A, B>::is_scalar && is_symmetric_or_scalar<A> && is_symmetric_or_scalar<B>;
template <class M, class A>
inline constexpr bool is_symmetric<added_diagonal<M, A>> = is_symmetric<M>;
template <class A>
inline constexpr bool is_symmetric<shared_expression<A>> = is_symmetric<A>;
template <class A>
inline constexpr bool is_symmetric<holder_cl_<A>> = is_symmetric<A>;

}  // namespace fusecl::detail
