#pragma once
// What functions of matrices of the host take.

#include <type_traits>
#include <vector>

#include <fusion/autodiff.hpp>

namespace fusecl {

template <scalar_value T>
class constant_matrix;

namespace detail {

/// Numbers of the host that nobody changes (host_matrices.hpp).
template <class A>
inline constexpr bool is_constant_matrix = false;
template <class T>
inline constexpr bool is_constant_matrix<constant_matrix<T>> = true;

/// Eigen's matrices of elements or of var. Of its arrays, Eigen has functions of these names.
template <class A>
inline constexpr bool is_matrix_of_host = false;
template <class A>
requires has_base<A, Eigen::MatrixBase>
inline constexpr bool is_matrix_of_host<A> = element<typename A::Scalar> || is_host_of_var<A>;
/// Lists of such, too.
template <class A>
inline constexpr bool is_container_of_host = is_matrix_of_host<A>;
template <class T>
inline constexpr bool is_container_of_host<std::vector<T>> =
    element<T> || std::is_same_v<T, var> || is_matrix_of_host<T>;

/// Numbers and what a function of such may have besides.
template <class A>
inline constexpr bool is_beside_those_of_host =
    is_container_of_host<A> || is_constant_matrix<A> || host_matrix<A> || std::is_arithmetic_v<A> ||
    std::is_same_v<A, var>;
/// Arguments of which some are matrices or lists of the host and none is on the device.
template <class... Arguments>
concept on_the_host = (is_container_of_host<Arguments> || ...) && (is_beside_those_of_host<Arguments> && ...);

/// Operands that are not of the host alone: some are expressions, or all are numbers.
template <class... Operands>
concept beside_the_device = (operand<Operands> && ...) &&
                            ((expression_like<Operands> || ...) || !(host_matrix<Operands> || ...));

}  // namespace detail
}  // namespace fusecl
