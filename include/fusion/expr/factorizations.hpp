#pragma once
// Cholesky factors, systems with triangular and with symmetric matrices, inverses, determinants and quadratic
// forms. Names, argument order and which triangle is read are Stan Math's. Integers become double.

#include <fusion/expr/assembled.hpp>
#include <fusion/expr/functions.hpp>
#include <fusion/expr/operators.hpp>
#include <fusion/expr/product.hpp>
#include <fusion/expr/reductions.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl {
namespace detail {

/// The function that solves A X = B, or X A = B where A and B stand `transposed` in it: errors tell sizes as
/// they were given.
struct system_function {
  const char* name;
  bool transposed = false;
};

/// Throws std::invalid_argument unless a (rows x cols) is square and has as many rows as b.
void check_system(system_function function, std::int64_t rows, std::int64_t cols, std::int64_t b_rows,
                  std::int64_t b_cols);

/// Which triangle of a matrix a function reads; `by_view`: the one that its view says.
enum class triangle_choice : std::uint32_t { lower, upper, by_view };
constexpr triangle_choice choice_of(matrix_cl_view view) {
  return view == matrix_cl_view::Upper   ? triangle_choice::upper
         : view == matrix_cl_view::Lower ? triangle_choice::lower
                                         : triangle_choice::by_view;
}

/// What is known of the number of rows of a matrix.
enum class known_rows : std::uint32_t { any, one, none };
constexpr std::uint32_t word_of_rows(std::int64_t rows) {
  return static_cast<std::uint32_t>(rows == 1   ? known_rows::one
                                    : rows == 0 ? known_rows::none
                                                : known_rows::any);
}

// Nodes of these; `single`: the matrix has one element.
ir::node_id lower_cholesky(ir::graph& g, ops::factored by, ir::node_id a, bool single);
ir::node_id lower_inverse(ir::graph& g, const char* function, triangle_choice part, ir::node_id a,
                          known_rows rows);
ir::node_id lower_solve(ir::graph& g, triangle_choice part, ir::node_id a, ir::node_id b, bool single,
                        bool single_side);
/// Throws std::invalid_argument: there is no triangular view.
[[noreturn]] void refuse_whole_view(const char* function);
/// Throws std::invalid_argument where the view of `a` is no triangle. A single element is one, and so is
/// none.
template <class A>
void check_triangle(const char* function, const A& a) {
  if (a.rows() > 1 && a.view() == matrix_cl_view::Entire) refuse_whole_view(function);
}
/// `a` itself. Throws std::invalid_argument where its view is no triangle.
ir::node_id lower_triangle(ir::graph& g, const char* function, ir::node_id a, known_rows rows);

}  // namespace detail

/// The Cholesky factor of `a`, which `by` computes.
template <class A>
struct cholesky_factor : expression<cholesky_factor<A>> {
  using expression<cholesky_factor<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = floating(A::type);
  static constexpr bool is_scalar = false;
  A a;
  ops::factored by_;
  const char* function_;  ///< that refuses what is not square

  explicit cholesky_factor(A operand, ops::factored by = ops::factored::cholesky_decompose,
                           const char* function = "cholesky_decompose")
      : a(std::move(operand)), by_(by), function_(function) {
    check();
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.rows(); }
  void gather(binder& b) const {
    check();  // the operand may have another size now
    a.gather(b);
    b.choice(2 * static_cast<std::uint32_t>(by_) + (a.rows() == 1 ? 1 : 0));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const std::uint32_t word = low.next_word();
    return detail::lower_cholesky(low.graph(), static_cast<ops::factored>(word / 2), operand, word % 2 != 0);
  }

 private:
  void check() const { detail::check_square(function_, a.rows(), a.cols()); }
};

/// The inverse of a triangle of `a`.
template <detail::triangle_choice Part, class A>
struct inverted_triangle : expression<inverted_triangle<Part, A>> {
  using expression<inverted_triangle<Part, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = floating(A::type);
  static constexpr bool is_scalar = false;
  A a;
  const char* function_;

  inverted_triangle(const char* function, A operand) : a(std::move(operand)), function_(function) {
    check();
    // of an expression the view is known when it is evaluated
    constexpr bool is_leaf = std::is_same_v<typename A::operand_types, detail::types<>>;
    if constexpr (is_leaf && Part == detail::triangle_choice::by_view) detail::check_triangle(function, a);
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.rows(); }
  void gather(binder& b) const {
    check();
    a.gather(b);
    b.choice(detail::word_of_rows(a.rows()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    return detail::lower_inverse(low.graph(), function_, Part, operand,
                                 static_cast<detail::known_rows>(low.next_word()));
  }

 private:
  void check() const { detail::check_square(function_, a.rows(), a.cols()); }
};

/// X of A X = B with a triangle of `a`.
template <detail::triangle_choice Part, class A, class B>
struct solved_triangle : expression<solved_triangle<Part, A, B>> {
  using expression<solved_triangle<Part, A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  static constexpr scalar_type type = floating(promoted(A::type, B::type));
  static constexpr bool is_scalar = false;
  A a;
  B b;
  detail::system_function function_;

  solved_triangle(detail::system_function function, A matrix, B sides)
      : a(std::move(matrix)), b(std::move(sides)), function_(function) {
    check();
  }
  std::int64_t rows() const { return b.rows(); }
  std::int64_t cols() const { return b.cols(); }
  void gather(binder& bound) const {
    check();
    a.gather(bound);
    b.gather(bound);
    bound.choice(detail::single_sizes_of(b.rows(), b.cols()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id matrix = a.lower(low), sides = b.lower(low);
    const std::uint32_t singles = low.next_word();
    return detail::lower_solve(low.graph(), Part, matrix, sides, (singles & detail::single_rows) != 0,
                               (singles & detail::single_cols) != 0);
  }

 private:
  void check() const { detail::check_system(function_, a.rows(), a.cols(), b.rows(), b.cols()); }
};

/// `a`, whose view has to be a triangle.
template <class A>
struct triangular_operand : expression<triangular_operand<A>> {
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  const char* function_;

  triangular_operand(const char* function, A operand) : a(std::move(operand)), function_(function) {
    detail::check_square(function_, a.rows(), a.cols());
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    detail::check_square(function_, a.rows(), a.cols());
    a.gather(b);
    b.choice(detail::word_of_rows(a.rows()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    return detail::lower_triangle(low.graph(), function_, operand,
                                  static_cast<detail::known_rows>(low.next_word()));
  }
};

namespace detail {

template <class A>
inline constexpr bool is_reduced<cholesky_factor<A>> = true;
template <triangle_choice Part, class A>
inline constexpr bool is_reduced<inverted_triangle<Part, A>> = true;
template <triangle_choice Part, class A, class B>
inline constexpr bool is_reduced<solved_triangle<Part, A, B>> = true;
template <class A>
inline constexpr bool is_reduced<triangular_operand<A>> = is_reduced<A>;

template <triangle_choice Part, class A>
auto make_inverse(const char* function, A&& a) {
  return inverted_triangle<Part, node_of<A>>(function, as_operation_cl(std::forward<A>(a)));
}
template <triangle_choice Part, class A, class B>
auto make_solve(system_function function, A&& a, B&& b) {
  return solved_triangle<Part, node_of<A>, node_of<B>>(function, as_operation_cl(std::forward<A>(a)),
                                                       as_operation_cl(std::forward<B>(b)));
}
/// The factor of a symmetric positive definite matrix that `function` is given.
template <class A>
auto factor_for(const char* function, A&& a) {
  return cholesky_factor<node_of<A>>(as_operation_cl(std::forward<A>(a)), ops::factored::cholesky_decompose,
                                     function);
}
/// X of L L' X = B, where `factor` is L.
template <class L, class B>
auto solve_with_factor(system_function function, const L& factor, B&& b) {
  return make_solve<triangle_choice::upper>(
      function, transpose(factor), make_solve<triangle_choice::lower>(function, factor, std::forward<B>(b)));
}

}  // namespace detail

/// The lower triangular L with positive diagonal and L L' = A. Of A only the lower triangle is read, and the
/// derivative by A is that by its lower triangle. Throws std::invalid_argument where A is not square. Where
/// it is not positive definite, or has a NaN, columns of L from the first pivot that is not positive on are
/// NaN, and the next host read on the same thread throws std::domain_error with that pivot: the statement
/// itself where its result is a number.
template <detail::matrix_expression A>
auto cholesky_decompose(A&& a) {
  return cholesky_factor<node_of<A>>(as_operation_cl(std::forward<A>(a)));
}

/// The inverse of a triangular matrix: of the triangle that `View` names, or the one that the view of `a` is.
/// The result has that view. Throws std::invalid_argument where `a` is not square, or has no such view. An
/// element 0 of the diagonal makes infinities or NaN.
template <matrix_cl_view View = matrix_cl_view::Entire, detail::matrix_expression A>
auto tri_inverse(A&& a) {
  return detail::make_inverse<detail::choice_of(View)>("tri_inverse", std::forward<A>(a));
}

/// X of A X = B with the lower triangle of A, of which nothing else is read; without B the inverse of that
/// triangle. B may have any number of columns. Throws std::invalid_argument where A is not square or the rows
/// of B are not as many.
template <class A, class B>
requires detail::matrix_pair<A, B>
auto mdivide_left_tri_low(A&& a, B&& b) {
  return detail::make_solve<detail::triangle_choice::lower>({"mdivide_left_tri_low"}, std::forward<A>(a),
                                                            std::forward<B>(b));
}
template <detail::matrix_expression A>
auto mdivide_left_tri_low(A&& a) {
  return detail::make_inverse<detail::triangle_choice::lower>("mdivide_left_tri_low", std::forward<A>(a));
}
/// The same with the triangle that `View` names, Lower or Upper.
template <matrix_cl_view View, class A, class B>
requires detail::matrix_pair<A, B>
auto mdivide_left_tri(A&& a, B&& b) {
  static_assert(detail::choice_of(View) != detail::triangle_choice::by_view,
                "mdivide_left_tri: name the lower or the upper triangle");
  return detail::make_solve<detail::choice_of(View)>({"mdivide_left_tri"}, std::forward<A>(a),
                                                     std::forward<B>(b));
}
/// X of X A = B with the lower triangle of A. Throws std::invalid_argument where A is not square or the
/// columns of B are not as many.
template <class B, class A>
requires detail::matrix_pair<B, A>
auto mdivide_right_tri_low(B&& b, A&& a) {
  return transpose(detail::make_solve<detail::triangle_choice::upper>(
      {"mdivide_right_tri_low", true}, transpose(as_operation_cl(std::forward<A>(a))),
      transpose(as_operation_cl(std::forward<B>(b)))));
}

/// X of A X = B with a symmetric positive definite A, of which the lower triangle is read, through its
/// Cholesky factor; throws what `cholesky_decompose` and `mdivide_left_tri_low` do.
template <class A, class B>
requires detail::matrix_pair<A, B>
auto mdivide_left_spd(A&& a, B&& b) {
  return detail::solve_with_factor({"mdivide_left_spd"},
                                   shared(detail::factor_for("mdivide_left_spd", std::forward<A>(a))),
                                   as_operation_cl(std::forward<B>(b)));
}
/// X of X A = B with such an A.
template <class B, class A>
requires detail::matrix_pair<B, A>
auto mdivide_right_spd(B&& b, A&& a) {
  return transpose(detail::solve_with_factor(
      {"mdivide_right_spd", true}, shared(detail::factor_for("mdivide_right_spd", std::forward<A>(a))),
      transpose(as_operation_cl(std::forward<B>(b)))));
}
/// The inverse of L L' for a lower triangular L.
template <detail::matrix_expression L>
auto chol2inv(L&& l) {
  return crossprod(
      shared(detail::make_inverse<detail::triangle_choice::lower>("chol2inv", std::forward<L>(l))));
}
/// The inverse of a symmetric positive definite matrix, of which the lower triangle is read.
template <detail::matrix_expression A>
auto inverse_spd(A&& a) {
  return chol2inv(detail::factor_for("inverse_spd", std::forward<A>(a)));
}

/// The logarithm of the determinant of a symmetric positive definite matrix, a scalar expression.
template <detail::matrix_expression A>
auto log_determinant_spd(A&& a) {
  return 2 * sum(log(diagonal(detail::factor_for("log_determinant_spd", std::forward<A>(a)))));
}
/// The logarithm of the absolute value of the determinant of a matrix with a triangular view, a scalar
/// expression. Throws std::invalid_argument for others: log_determinant_spd takes symmetric ones.
template <detail::matrix_expression A>
auto log_determinant(A&& a) {
  return sum(log(fabs(
      diagonal(triangular_operand<node_of<A>>("log_determinant", as_operation_cl(std::forward<A>(a)))))));
}

namespace detail {
template <class A, class B>
auto quad_form_of(const char* function, A&& a, B&& b) {
  const auto matrix = as_operation_cl(std::forward<A>(a));
  const auto sides = as_operation_cl(std::forward<B>(b));
  check_system({function}, matrix.rows(), matrix.cols(), sides.rows(), sides.cols());
  return transpose(sides) * (matrix * sides);
}
}  // namespace detail

/// B' A B. Throws std::invalid_argument where A is not square or the rows of B are not as many.
template <class A, class B>
requires detail::matrix_pair<A, B>
auto quad_form(A&& a, B&& b) {
  return detail::quad_form_of("quad_form", std::forward<A>(a), std::forward<B>(b));
}
/// The mean of B' A B and its transpose, which is the same for a symmetric A but for rounding.
template <class A, class B>
requires detail::matrix_pair<A, B>
auto quad_form_sym(A&& a, B&& b) {
  const auto form = shared(detail::quad_form_of("quad_form_sym", std::forward<A>(a), std::forward<B>(b)));
  return static_cast<cpp_type<floating(decltype(form)::type)>>(0.5) * (form + transpose(form));
}
/// The trace of B' A B, a scalar expression.
template <class A, class B>
requires detail::matrix_pair<A, B>
auto trace_quad_form(A&& a, B&& b) {
  const auto matrix = as_operation_cl(std::forward<A>(a));
  const auto sides = as_operation_cl(std::forward<B>(b));
  detail::check_system({"trace_quad_form"}, matrix.rows(), matrix.cols(), sides.rows(), sides.cols());
  return sum(elt_multiply(sides, matrix * sides));
}

FUSECL_REFUSE_OPERANDS(cholesky_decompose)
FUSECL_REFUSE_OPERANDS(tri_inverse)
FUSECL_REFUSE_OPERANDS(mdivide_left_tri_low)
FUSECL_REFUSE_OPERANDS(mdivide_right_tri_low)
FUSECL_REFUSE_OPERANDS(mdivide_left_spd)
FUSECL_REFUSE_OPERANDS(mdivide_right_spd)
FUSECL_REFUSE_OPERANDS(chol2inv)
FUSECL_REFUSE_OPERANDS(inverse_spd)
FUSECL_REFUSE_OPERANDS(log_determinant_spd)
FUSECL_REFUSE_OPERANDS(log_determinant)
FUSECL_REFUSE_OPERANDS(quad_form)
FUSECL_REFUSE_OPERANDS(quad_form_sym)
FUSECL_REFUSE_OPERANDS(trace_quad_form)

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/factorizations.ipp>
#endif
