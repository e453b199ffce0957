#pragma once
// What functions of matrices of the host take and what form their results have.

#include <type_traits>
#include <utility>
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

/// Eigen's matrices of elements or of var, and triangular and diagonal ones of var. Of its arrays, Eigen has
/// functions of these names.
template <class A>
inline constexpr bool is_matrix_of_host = false;
template <eigen_like A>
inline constexpr bool is_matrix_of_host<A> = (has_base<A, Eigen::MatrixBase> &&
                                              element<typename A::Scalar>) ||
                                             (is_host_of_var<A> && !has_base<A, Eigen::ArrayBase>);
template <class A>
inline constexpr bool is_list_of_host = false;
template <class T>
inline constexpr bool is_list_of_host<std::vector<T>> = element<T> || std::is_same_v<T, var>;
template <class A>
inline constexpr bool is_container_of_host = is_matrix_of_host<A> || is_list_of_host<A>;
/// And lists of vectors, which are points.
template <class A>
inline constexpr bool may_be_points = is_container_of_host<A> || is_list_of_vectors<A>;

/// What a function of such may have besides.
template <class A>
inline constexpr bool is_beside_those_of_host =
    is_constant_matrix<A> || host_matrix<A> || std::is_arithmetic_v<A> || std::is_same_v<A, var>;
/// Arguments of which some are matrices or lists of the host and none is on the device.
template <class... Arguments>
concept on_the_host = (is_container_of_host<Arguments> || ...) &&
                      ((is_container_of_host<Arguments> || is_beside_those_of_host<Arguments>)&&...);
/// The same, or lists of points.
template <class... Arguments>
concept points_on_the_host = (may_be_points<Arguments> || ...) &&
                             ((may_be_points<Arguments> || is_beside_those_of_host<Arguments>)&&...);

/// Operands that are not of the host alone: some are expressions, or none is a matrix of the host.
template <class... Operands>
concept beside_the_device = (operand<Operands> && ...) &&
                            ((expression_like<Operands> || ...) ||
                             !(is_container_of_host<std::remove_cvref_t<Operands>> || ...));

/// Eigen's matrices and arrays of elements.
template <class A>
concept elements_of_host = host_matrix<A> && element<typename A::Scalar>;
/// An argument on the device: a copy of what holds elements of the host, the matrix of a constant; else as it
/// is.
template <class A>
decltype(auto) from_the_host(const A& a) {
  if constexpr (is_constant_matrix<A>)
    return a.device();
  else if constexpr (elements_of_host<A> || host_variables<A> || !operand<A>)
    return to_matrix_cl(a);
  else
    return (a);
}

/// Compile-time rows and columns: 1, any number (Eigen::Dynamic), or `neutral` of a number.
inline constexpr int neutral = 0;
struct host_size {
  int rows = neutral, cols = neutral;
};
template <class A>
constexpr host_size size_on_host() {
  if constexpr (host_matrix<A> || has_base<A, Eigen::MatrixBase>)
    return {A::RowsAtCompileTime == 1 ? 1 : Eigen::Dynamic, A::ColsAtCompileTime == 1 ? 1 : Eigen::Dynamic};
  else if constexpr (eigen_like<A> || is_constant_matrix<A>)
    return {Eigen::Dynamic, Eigen::Dynamic};
  else if constexpr (is_container_of_host<A>)
    return {Eigen::Dynamic, 1};
  else
    return {};
}
/// 1 where all that are not neutral are.
template <class... A>
constexpr host_size common_size() {
  return {((size_on_host<A>().rows != Eigen::Dynamic) && ...) ? 1 : Eigen::Dynamic,
          ((size_on_host<A>().cols != Eigen::Dynamic) && ...) ? 1 : Eigen::Dynamic};
}
/// Rows of the first, columns of the last that is not neutral.
template <class... A>
constexpr host_size product_size() {
  host_size all;
  [[maybe_unused]] const auto add = [&](const host_size& each) {
    if (each.rows == neutral) return;
    if (all.rows == neutral) all.rows = each.rows;
    all.cols = each.cols;
  };
  (add(size_on_host<A>()), ...);
  return all;
}

/// A product of the host in the form that the types of its factors tell: a number of a row and a column.
template <class A, class B, class T>
auto in_form_of_product(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>&& product) {
  constexpr host_size size = product_size<A, B>();
  if constexpr (size.rows == 1 && size.cols == 1)
    return T(product(0, 0));
  else
    return Eigen::Matrix<T, size.rows, size.cols>(std::move(product));
}

}  // namespace detail
}  // namespace fusecl
