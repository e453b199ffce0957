#pragma once
// Functions of matrices of the host alone, of numbers or of var: the device computes them, and results come
// back to the host. Those of <primitives/host_matrices.hpp> decide by size where they are computed.

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <fusion/base/fill.hpp>
#include <primitives/constraints.hpp>
#include <primitives/covariances/gp.hpp>
#include <primitives/host_matrices.hpp>
#include <primitives/host_operands.hpp>
#include <primitives/log_mix.hpp>

namespace fusecl {
namespace detail {

/// The form of a result, where the types of the arguments tell it.
enum class host_form {
  arguments,     ///< vectors where all matrices are, lists where all are lists
  matrix,        ///< of any size
  column,        ///< whatever the arguments are
  row,           ///< likewise
  list,          ///< std::vector
  turned,        ///< that of the argument, transposed
  product,       ///< rows of the first, columns of the last; a number of a row and a column
  stacked,       ///< columns below each other
  side_by_side,  ///< rows next to each other
};
template <host_form Form, class... Arguments>
constexpr host_size size_of_result() {
  constexpr host_size common = common_size<Arguments...>();
  switch (Form) {
    case host_form::arguments:
      return common.cols == 1 ? host_size{Eigen::Dynamic, 1} : common;
    case host_form::column:
      return {Eigen::Dynamic, 1};
    case host_form::row:
      return {1, Eigen::Dynamic};
    case host_form::turned:
      return {common.cols, common.cols == 1 ? Eigen::Dynamic : common.rows};
    case host_form::product:
      return product_size<Arguments...>();
    case host_form::stacked:
      return {Eigen::Dynamic, common.cols};
    case host_form::side_by_side:
      return {common.rows, common.rows == 1 ? Eigen::Dynamic : common.cols};
    default:
      return {Eigen::Dynamic, Eigen::Dynamic};
  }
}

enum class types_of { arguments };

/// A result on the host: a number, a var, or a matrix or list of that form.
template <host_form Form, class... Arguments, class Result>
auto to_the_host(const Result& result) {
  if constexpr (!expression_like<Result> || std::is_same_v<Result, var>) {
    return result;
  } else if constexpr (node_of<Result>::is_scalar) {
    if constexpr (node_on_tape<Result>)
      return var(result);
    else
      return value_type_of<Result>(result);
  } else {
    const auto& matrix = to_matrix_cl(result);
    using T = std::remove_cvref_t<decltype(from_matrix_cl(matrix)(0, 0))>;
    constexpr host_size size = size_of_result<Form, Arguments...>();
    constexpr bool all_lists =
        Form == host_form::arguments && !((eigen_like<Arguments> || is_constant_matrix<Arguments>) || ...);
    if constexpr (Form == host_form::list || all_lists)
      return from_matrix_cl<std::vector<T>>(matrix);
    else if constexpr (size.rows == 1 && size.cols == 1)
      return from_matrix_cl<T>(matrix);
    else
      return from_matrix_cl<Eigen::Matrix<T, size.rows, size.cols>>(matrix);
  }
}

/// What looks like a part of the argument is const, so that nothing is assigned to it.
template <class Matrix>
const Matrix as_part(Matrix matrix) {  // NOLINT(readability-const-return-type)
  return matrix;
}
/// What does not may be changed.
template <class Matrix>
Matrix as_result(Matrix matrix) {
  return matrix;
}

}  // namespace detail

/// What functions of a matrix of the host take: `first` is one of Eigen's, or a list or what is beside. A
/// function of the user's own that takes Eigen::MatrixBase is preferred. Errors are those of the functions on
/// the device, and no_device_error where there is none. What a call names by itself, as rep_matrix<M>(...)
/// does, is not for these: the types are of arguments.
#define FUSECL_OF_HOST(NAME, FORM, KIND)                                                \
  template <detail::types_of = detail::types_of::arguments, class First, class... Rest> \
  requires detail::on_the_host<First, Rest...>                                          \
  decltype(auto) NAME(const Eigen::MatrixBase<First>& first, const Rest&... rest) {     \
    return detail::KIND(detail::to_the_host<detail::host_form::FORM, First, Rest...>(   \
        NAME(detail::from_the_host(first.derived()), detail::from_the_host(rest)...))); \
  }                                                                                     \
  template <detail::types_of = detail::types_of::arguments, class First, class... Rest> \
  requires(detail::on_the_host<First, Rest...> &&                                       \
           !detail::has_base<First, Eigen::MatrixBase>) decltype(auto)                  \
  NAME(const First& first, const Rest&... rest) {                                       \
    return detail::KIND(detail::to_the_host<detail::host_form::FORM, First, Rest...>(   \
        NAME(detail::from_the_host(first), detail::from_the_host(rest)...)));           \
  }

#define FUSECL_IN_FORM_OF_ARGUMENTS(NAME) FUSECL_OF_HOST(NAME, arguments, as_result)
#define FUSECL_AS_MATRIX(NAME) FUSECL_OF_HOST(NAME, matrix, as_result)
#define FUSECL_AS_COLUMN(NAME) FUSECL_OF_HOST(NAME, column, as_result)
#define FUSECL_AS_ROW(NAME) FUSECL_OF_HOST(NAME, row, as_result)
#define FUSECL_AS_PRODUCT(NAME) FUSECL_OF_HOST(NAME, product, as_result)
#define FUSECL_PART_IN_FORM(NAME) FUSECL_OF_HOST(NAME, arguments, as_part)
#define FUSECL_PART_AS_MATRIX(NAME) FUSECL_OF_HOST(NAME, matrix, as_part)
#define FUSECL_PART_AS_COLUMN(NAME) FUSECL_OF_HOST(NAME, column, as_part)
#define FUSECL_PART_AS_ROW(NAME) FUSECL_OF_HOST(NAME, row, as_part)

FUSECL_UNARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_UNARY_ARITHMETIC(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_UNARY_CLASSIFY(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_BINARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_BINARY_SCALED(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_TERNARY_FLOATING(FUSECL_IN_FORM_OF_ARGUMENTS)

// clang-format off
/// Vectors of vectors and numbers of numbers, X(name).
#define FUSECL_HOST_FUNCTIONS_IN_FORM(X)                                                              \
  X(add) X(subtract) X(minus) X(divide) X(elt_multiply) X(elt_divide) X(softmax) X(log_softmax)       \
  X(cumulative_sum) X(sort_asc) X(sort_desc) X(lb_constrain) X(ub_constrain) X(lub_constrain)         \
  X(offset_multiplier_constrain) X(unit_vector_constrain) X(select)
/// Of everything, and of each row and column.
#define FUSECL_HOST_STATISTICS(X)                                                                     \
  FUSECL_PAIR_STATISTICS(X) X(mean) X(variance) X(sd) X(dot_self) X(norm) X(norm1)
/// The others by what their results are.
#define FUSECL_HOST_FUNCTIONS(X)                                                                      \
  FUSECL_HOST_STATISTICS(X) X(prod) X(max) X(min) X(norm2) X(any) X(all) X(count) X(trace) X(rank)    \
  X(multiply_transpose) X(tcrossprod) X(crossprod) X(quad_form) X(quad_form_sym) X(trace_quad_form)   \
  X(matrix_power) X(cholesky_decompose) X(inverse_spd) X(chol2inv) X(log_determinant_spd)             \
  X(diag_matrix) X(add_diag) X(diag_pre_multiply) X(diag_post_multiply)                               \
  X(symmetrize_from_lower_tri) X(symmetrize_from_upper_tri) X(rep_matrix) X(take_rows) X(take_cols)   \
  X(indexing)                                                                                         \
  X(rowwise_softmax) X(colwise_softmax) X(rowwise_log_softmax) X(colwise_log_softmax)                 \
  X(rowwise_cumulative_sum) X(colwise_cumulative_sum)
#define FUSECL_HOST_PRODUCTS(X)                                                                       \
  X(multiply) X(mdivide_left_tri_low) X(mdivide_right_tri_low) X(mdivide_left_spd) X(mdivide_right_spd)
// clang-format on
#define FUSECL_ROWWISE(NAME) FUSECL_AS_COLUMN(rowwise_##NAME)
#define FUSECL_COLWISE(NAME) FUSECL_AS_ROW(colwise_##NAME)
FUSECL_HOST_FUNCTIONS_IN_FORM(FUSECL_IN_FORM_OF_ARGUMENTS)
FUSECL_HOST_FUNCTIONS(FUSECL_AS_MATRIX)
FUSECL_HOST_PRODUCTS(FUSECL_AS_PRODUCT)
FUSECL_REDUCTIONS(FUSECL_ROWWISE)
FUSECL_REDUCTIONS(FUSECL_COLWISE)
FUSECL_HOST_STATISTICS(FUSECL_ROWWISE)
FUSECL_HOST_STATISTICS(FUSECL_COLWISE)
FUSECL_ROWWISE(log_sum_exp)
FUSECL_COLWISE(log_sum_exp)
FUSECL_AS_COLUMN(rows_dot_product)
FUSECL_AS_COLUMN(rows_dot_self)
FUSECL_AS_ROW(columns_dot_product)
FUSECL_AS_ROW(columns_dot_self)
FUSECL_OF_HOST(append_row, stacked, as_result)
FUSECL_OF_HOST(append_col, side_by_side, as_result)
FUSECL_OF_HOST(append_array, arguments, as_result)
FUSECL_OF_HOST(to_array_1d, list, as_result)
FUSECL_PART_IN_FORM(head)
FUSECL_PART_IN_FORM(tail)
FUSECL_PART_IN_FORM(segment)
FUSECL_PART_IN_FORM(reverse)
FUSECL_PART_AS_MATRIX(block)
FUSECL_PART_AS_MATRIX(block_zero_based)
FUSECL_PART_AS_MATRIX(to_matrix)
FUSECL_OF_HOST(transpose, turned, as_part)
FUSECL_PART_AS_COLUMN(col)
FUSECL_PART_AS_COLUMN(sub_col)
FUSECL_PART_AS_COLUMN(diagonal)
FUSECL_PART_AS_COLUMN(to_vector)
FUSECL_PART_AS_ROW(row)
FUSECL_PART_AS_ROW(sub_row)
FUSECL_PART_AS_ROW(to_row_vector)

/// The rows, each as a list.
template <class Derived>
auto to_array_2d(const Eigen::MatrixBase<Derived>& m) {
  const typename Derived::PlainObject all = m;
  std::vector<std::vector<typename Derived::Scalar>> rows;
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    rows.emplace_back();
    for (Eigen::Index j = 0; j < all.cols(); ++j) rows.back().push_back(all(i, j));
  }
  return rows;
}

namespace detail {

/// Elements as a matrix has them: whole numbers of lists as double.
template <class T>
using matrix_of_list =
    Eigen::Matrix<std::conditional_t<std::is_integral_v<T>, double, T>, Eigen::Dynamic, Eigen::Dynamic>;

template <class T, class Row>
matrix_of_list<T> matrix_of_rows(const std::vector<Row>& rows) {
  const auto size_of_row = [](const Row& row) { return static_cast<Eigen::Index>(row.size()); };
  matrix_of_list<T> all(static_cast<Eigen::Index>(rows.size()), rows.empty() ? 0 : size_of_row(rows[0]));
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    if (size_of_row(row) != all.cols())
      throw std::invalid_argument(
          text::fill("to_matrix: row 0 has {} elements, row {} has {}", {all.cols(), i, size_of_row(row)}));
    std::copy(row.begin(), row.end(), all.row(i).begin());
  }
  return all;
}

}  // namespace detail

/// A matrix of such lists, or of Eigen's rows. Throws std::invalid_argument where these have different sizes.
template <class T>
requires(std::is_arithmetic_v<T> ||
         std::is_same_v<T, var>) auto to_matrix(const std::vector<std::vector<T>>& rows) {
  return detail::matrix_of_rows<T>(rows);
}
template <class T, int Size>
requires(std::is_arithmetic_v<T> ||
         std::is_same_v<T, var>) auto to_matrix(const std::vector<Eigen::Matrix<T, 1, Size>>& rows) {
  return detail::matrix_of_rows<T>(rows);
}

/// Mixtures, of lists of vectors, too, each a column.
template <class... Arguments>
requires detail::points_on_the_host<Arguments...>
auto log_mix(const Arguments&... arguments) {
  return detail::to_the_host<detail::host_form::arguments, Arguments...>(
      log_mix(detail::from_the_host(arguments)...));
}

namespace detail {

/// Whether a list of points has one alone, whose column would be read as points of one dimension.
template <class A>
bool is_one_point(const A& a) {
  if constexpr (is_list_of_vectors<A>)
    return a.size() == 1;
  else
    return true;
}

}  // namespace detail

/// Covariances of lists of points and of matrices of var; of numbers they are expressions. Every vector in a
/// list is a point.
#define FUSECL_OF_POINTS(NAME)                                                                      \
  template <class Points, class... Rest>                                                            \
  requires(detail::points_on_the_host<Points, Rest...> && detail::may_be_points<Points> &&          \
           !host_matrix<Points>) auto                                                               \
  NAME(const Points& points, const Rest&... rest) {                                                 \
    const auto x = detail::from_the_host(points);                                                   \
    if constexpr (detail::is_list_of_vectors<Points>)                                               \
      if (detail::is_one_point(points) && (detail::is_one_point(rest) && ...)) {                    \
        const auto twice = to_matrix_cl(append_col(x, x));                                          \
        return detail::to_the_host<detail::host_form::matrix>(                                      \
            block(NAME(twice, detail::from_the_host(rest)...), 1, 1, 1, 1));                        \
      }                                                                                             \
    return detail::to_the_host<detail::host_form::matrix>(NAME(x, detail::from_the_host(rest)...)); \
  }
FUSECL_COVARIANCES(FUSECL_OF_POINTS)
FUSECL_OF_POINTS(gp_periodic_cov)
FUSECL_OF_POINTS(gp_dot_prod_cov)
#undef FUSECL_OF_POINTS

/// Of matrices of which one is of var, and constants.
template <matrix_cl_view View, class... M>
requires detail::on_the_host<M...> &&(detail::is_host_of_var<M> || ...) auto tri_inverse(const M&... m) {
  return detail::to_the_host<detail::host_form::product, M...>(
      tri_inverse<View>(detail::from_the_host(m)...));
}
template <matrix_cl_view View, class... M>
requires detail::on_the_host<M...> &&(detail::is_host_of_var<M> || ...) auto mdivide_left_tri(const M&... m) {
  return detail::to_the_host<detail::host_form::product, M...>(
      mdivide_left_tri<View>(detail::from_the_host(m)...));
}

/// The same by Eigen's names of triangles; of one matrix its inverse.
template <Eigen::UpLoType Triangle, class... M>
requires detail::on_the_host<M...> &&(sizeof...(M) <= 2) auto mdivide_left_tri(const M&... m) {
  static_assert(Triangle == Eigen::Lower || Triangle == Eigen::Upper,
                "mdivide_left_tri: name the lower or the upper triangle");
  constexpr auto view = Triangle == Eigen::Lower ? matrix_cl_view::Lower : matrix_cl_view::Upper;
  if constexpr (sizeof...(M) == 1)
    return tri_inverse<view>(m...);
  else
    return mdivide_left_tri<view>(m...);
}

/// Elements converted as static_cast does it.
template <element T, class M>
requires detail::on_the_host<M>
auto cast(const M& m) {
  return detail::to_the_host<detail::host_form::arguments, M>(cast<T>(detail::from_the_host(m)));
}

/// Checks of elements of matrices of var, and of lists.
#define FUSECL_CHECK_OF_HOST(NAME)                                             \
  template <class M>                                                           \
  requires(detail::is_host_of_var<M> || detail::is_list_of_host<M>) void NAME( \
      const char* function, const char* name, const M& m) {                    \
    NAME(function, name, value_of(detail::from_the_host(m)));                  \
  }
FUSECL_CHECK_OF_HOST(check_nan)
FUSECL_CHECK_OF_HOST(check_symmetric)
FUSECL_CHECK_OF_HOST(check_diagonal_zeros)
#undef FUSECL_CHECK_OF_HOST

/// Throws std::domain_error unless the matrix that Eigen has factored, as Eigen::LLT does it, is positive
/// definite.
template <class Factor>
requires requires(const Factor& f) {
  f.info();
  f.matrixLLT();
}
void check_pos_definite(const char* function, const char* name, const Factor& factor) {
  if (factor.info() != Eigen::Success || !(factor.matrixLLT().diagonal().array() > 0).all())
    throw std::domain_error(text::fill("{}: {} is not positive definite", {function, name}));
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
#undef FUSECL_HOST_PRODUCTS
#undef FUSECL_HOST_FUNCTIONS
#undef FUSECL_HOST_STATISTICS
#undef FUSECL_HOST_FUNCTIONS_IN_FORM
#undef FUSECL_COLWISE
#undef FUSECL_ROWWISE
#undef FUSECL_PART_AS_ROW
#undef FUSECL_PART_AS_COLUMN
#undef FUSECL_PART_AS_MATRIX
#undef FUSECL_PART_IN_FORM
#undef FUSECL_AS_PRODUCT
#undef FUSECL_AS_ROW
#undef FUSECL_AS_COLUMN
#undef FUSECL_AS_MATRIX
#undef FUSECL_IN_FORM_OF_ARGUMENTS
#undef FUSECL_OF_HOST

}  // namespace fusecl
