#pragma once
// Functions of matrices of the host alone, of numbers or of var: the device computes them, and results come
// back to the host. Those of <primitives/host_matrices.hpp> decide by size where they are computed.

#include <primitives/constraints.hpp>
#include <primitives/covariances/gp.hpp>
#include <primitives/host_matrices.hpp>
#include <primitives/host_operands.hpp>
#include <primitives/log_mix.hpp>

namespace fusecl {
namespace detail {

template <class A>
decltype(auto) from_the_host(const A& a) {
  if constexpr (is_constant_matrix<A>)
    return a.device();
  else if constexpr (is_container_of_host<A>)
    return to_matrix_cl(a);
  else
    return (a);
}

/// The form of a result, where the type of the arguments tells it: that of the arguments, a matrix, a column,
/// a row.
enum class host_form { arguments, matrix, column, row };

/// The compile-time columns (or rows) of a result with the form of such arguments: 1 where all matrices have
/// it.
template <bool Columns, class... Arguments>
constexpr int common_size() {
  const auto is_one = []<class A>(std::type_identity<A>) {
    if constexpr (is_matrix_of_host<A>)
      return (Columns ? int(A::ColsAtCompileTime) : int(A::RowsAtCompileTime)) == 1;
    else
      return !is_constant_matrix<A>;
  };
  return (is_one(std::type_identity<Arguments>()) && ...) ? 1 : Eigen::Dynamic;
}

/// A result on the host: a number, a var or a matrix. One with the form of the arguments is a vector where
/// these are, and a list where all are lists or numbers.
template <host_form Form, class... Arguments, class Result>
auto to_the_host(const Result& result) {
  if constexpr (!expression_like<Result> || std::is_same_v<Result, var>) {
    return result;
  } else if constexpr (node_of<Result>::is_scalar) {
    if constexpr (reaches_tape<Result>::value)
      return evaluated(result);
    else
      return value_type_of<Result>(result);
  } else {
    const auto& matrix = to_matrix_cl(result);
    using T = std::remove_cvref_t<decltype(from_matrix_cl(matrix)(0, 0))>;
    if constexpr (Form == host_form::column)
      return from_matrix_cl<Eigen::Matrix<T, Eigen::Dynamic, 1>>(matrix);
    else if constexpr (Form == host_form::row)
      return from_matrix_cl<Eigen::Matrix<T, 1, Eigen::Dynamic>>(matrix);
    else if constexpr (Form == host_form::matrix)
      return from_matrix_cl(matrix);
    else if constexpr (!((is_matrix_of_host<Arguments> || is_constant_matrix<Arguments>) || ...))
      return from_matrix_cl<std::vector<T>>(matrix);
    else if constexpr (common_size<true, Arguments...>() == 1)
      return from_matrix_cl<Eigen::Matrix<T, Eigen::Dynamic, 1>>(matrix);
    else if constexpr (common_size<false, Arguments...>() == 1)
      return from_matrix_cl<Eigen::Matrix<T, 1, Eigen::Dynamic>>(matrix);
    else
      return from_matrix_cl(matrix);
  }
}

}  // namespace detail

/// Errors are those of the functions on the device, and no_device_error where there is none.
#define FUSECL_OF_HOST(NAME, FORM)                                     \
  template <class... Arguments>                                        \
  requires detail::on_the_host<Arguments...>                           \
  auto NAME(const Arguments&... arguments) {                           \
    return detail::to_the_host<detail::host_form::FORM, Arguments...>( \
        NAME(detail::from_the_host(arguments)...));                    \
  }

#define FUSECL_IN_FORM_OF_ARGUMENTS(NAME) FUSECL_OF_HOST(NAME, arguments)
#define FUSECL_AS_MATRIX(NAME) FUSECL_OF_HOST(NAME, matrix)
#define FUSECL_AS_COLUMN(NAME) FUSECL_OF_HOST(NAME, column)
#define FUSECL_AS_ROW(NAME) FUSECL_OF_HOST(NAME, row)

FUSECL_UNARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_UNARY_ARITHMETIC(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_UNARY_CLASSIFY(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_BINARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_BINARY_SCALED(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_TERNARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)

// clang-format off
/// Vectors of vectors and numbers of numbers, X(name).
#define FUSECL_HOST_FUNCTIONS_IN_FORM(X)                                                              \
  X(add) X(subtract) X(minus) X(divide) X(elt_multiply) X(elt_divide) X(log_mix)                      \
  X(softmax) X(log_softmax) X(cumulative_sum) X(reverse) X(head) X(tail) X(segment)                   \
  X(sort_asc) X(sort_desc) X(to_array_1d)                                                             \
  X(lb_constrain) X(ub_constrain) X(lub_constrain) X(offset_multiplier_constrain)                     \
  X(unit_vector_constrain)
/// Of everything, and of each row and column.
#define FUSECL_HOST_STATISTICS(X)                                                                     \
  FUSECL_PAIR_STATISTICS(X) X(mean) X(variance) X(sd) X(dot_self) X(norm) X(norm1)
/// The others by what their results are.
#define FUSECL_HOST_FUNCTIONS(X)                                                                      \
  FUSECL_HOST_STATISTICS(X) FUSECL_COVARIANCES(X) X(prod) X(max) X(min)                               \
  X(gp_periodic_cov) X(gp_dot_prod_cov) X(norm2) X(any) X(all) X(count) X(trace) X(multiply)          \
  X(multiply_transpose) X(tcrossprod) X(crossprod) X(quad_form) X(quad_form_sym) X(trace_quad_form)   \
  X(matrix_power) X(cholesky_decompose) X(tri_inverse) X(mdivide_left_tri_low)                        \
  X(mdivide_right_tri_low) X(mdivide_left_spd) X(mdivide_right_spd) X(inverse_spd) X(chol2inv)        \
  X(log_determinant) X(log_determinant_spd) X(transpose) X(diag_matrix) X(add_diag)                   \
  X(diag_pre_multiply) X(diag_post_multiply) X(symmetrize_from_lower_tri) X(symmetrize_from_upper_tri) \
  X(block) X(block_zero_based) X(append_row) X(append_col) X(append_array) X(rep_matrix) X(to_matrix) \
  X(take_rows) X(take_cols) X(rowwise_softmax) X(colwise_softmax) X(rowwise_log_softmax)              \
  X(colwise_log_softmax) X(rowwise_cumulative_sum) X(colwise_cumulative_sum)
#define FUSECL_HOST_COLUMNS(X)                                                                        \
  X(col) X(sub_col) X(diagonal) X(to_vector) X(rows_dot_product) X(rows_dot_self)

#define FUSECL_HOST_ROWS(X)                                                                           \
  X(row) X(sub_row) X(to_row_vector) X(columns_dot_product) X(columns_dot_self)

// clang-format on
#define FUSECL_ROWWISE(NAME) FUSECL_AS_COLUMN(rowwise_##NAME)
#define FUSECL_COLWISE(NAME) FUSECL_AS_ROW(colwise_##NAME)
FUSECL_HOST_FUNCTIONS_IN_FORM(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_HOST_FUNCTIONS(FUSECL_AS_MATRIX)
FUSECL_HOST_COLUMNS(FUSECL_AS_COLUMN)
FUSECL_HOST_ROWS(FUSECL_AS_ROW)
FUSECL_REDUCTIONS(FUSECL_ROWWISE)
FUSECL_REDUCTIONS(FUSECL_COLWISE)
FUSECL_HOST_STATISTICS(FUSECL_ROWWISE)
FUSECL_HOST_STATISTICS(FUSECL_COLWISE)
FUSECL_ROWWISE(log_sum_exp)
FUSECL_COLWISE(log_sum_exp)

/// Of matrices of which one is of var, and constants.
template <matrix_cl_view View, class... M>
requires detail::on_the_host<M...> &&(detail::is_host_of_var<M> || ...) auto tri_inverse(const M&... m) {
  return from_matrix_cl(tri_inverse<View>(detail::from_the_host(m)...));
}
template <matrix_cl_view View, class... M>
requires detail::on_the_host<M...> &&(detail::is_host_of_var<M> || ...) auto mdivide_left_tri(const M&... m) {
  return from_matrix_cl(mdivide_left_tri<View>(detail::from_the_host(m)...));
}

/// The transforms that add the logarithms of their derivatives to `lp`.
#define FUSECL_WITHIN_ONE_BOUND(NAME)                                      \
  template <class X, class B, detail::log_density Lp>                      \
  requires detail::on_the_host<X, B>                                       \
  auto NAME(const X& x, const B& bound, Lp& lp) {                          \
    return detail::to_the_host<detail::host_form::arguments, X, B>(        \
        NAME(detail::from_the_host(x), detail::from_the_host(bound), lp)); \
  }
#define FUSECL_WITHIN_TWO_NUMBERS(NAME)                                                          \
  template <class X, class A, class B, detail::log_density Lp>                                   \
  requires detail::on_the_host<X, A, B>                                                          \
  auto NAME(const X& x, const A& a, const B& b, Lp& lp) {                                        \
    return detail::to_the_host<detail::host_form::arguments, X, A, B>(                           \
        NAME(detail::from_the_host(x), detail::from_the_host(a), detail::from_the_host(b), lp)); \
  }
FUSECL_WITHIN_ONE_BOUND(lb_constrain)
FUSECL_WITHIN_ONE_BOUND(ub_constrain)
FUSECL_WITHIN_TWO_NUMBERS(lub_constrain)
FUSECL_WITHIN_TWO_NUMBERS(offset_multiplier_constrain)
template <class X, detail::log_density Lp>
requires detail::on_the_host<X>
auto unit_vector_constrain(const X& x, Lp& lp) {
  return detail::to_the_host<detail::host_form::arguments, X>(
      unit_vector_constrain(detail::from_the_host(x), lp));
}

#undef FUSECL_WITHIN_TWO_NUMBERS
#undef FUSECL_WITHIN_ONE_BOUND
#undef FUSECL_COLWISE
#undef FUSECL_ROWWISE
#undef FUSECL_AS_ROW
#undef FUSECL_AS_COLUMN
#undef FUSECL_AS_MATRIX
#undef FUSECL_IN_FORM_OF_ARGUMENTS
#undef FUSECL_OF_HOST

}  // namespace fusecl
