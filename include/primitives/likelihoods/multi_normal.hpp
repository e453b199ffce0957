#pragma once
// Densities of normal vectors by the Cholesky factor of their covariance, by the covariance, or by its
// inverse.

#include <fusion/base/list_of.hpp>
#include <fusion/expr/factorizations.hpp>
#include <primitives/likelihoods/columns.hpp>
#include <primitives/likelihoods/normal_density.hpp>
#include <primitives/likelihoods/symmetric.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless the matrix is square with as many rows as the vectors have elements.
void check_square_for(const char* function, const argument& matrix, const argument& vectors);

/// The checks of y and mu.
list_of<check> checks_of_vectors(const char* function, const argument& y, const argument& mu);
/// Those that all of them are finite, and symmetric within 1e-8.
void add_symmetry_checks(list_of<check>& checks, const char* function, const argument& matrix);

/// What densities of normal vectors have in common: the arguments and how many outcomes there are.
struct normal_vectors {
  bool propto;
  argument y, mu, matrix;  ///< the last is what gives the covariance
  std::int64_t n;

  bool any_variable() const { return y.is_variable() || mu.is_variable() || matrix.is_variable(); }
  argument distances() const {
    return y.arranged(in_columns(y, n) - (mu.is_number() ? mu : in_columns(mu, n)));
  }
  argument factor_by(ops::factored by) const {
    return matrix.arranged(cholesky_factor<argument>(matrix, by));
  }
  held_pointer constant() const {
    if (propto) return nullptr;
    return held_of(
        scalar_leaf<double>(-static_cast<double>(n) * static_cast<double>(y.rows()) * half_log_two_pi));
  }
};

struct multi_normal_cholesky {
  static constexpr const char* function = "multi_normal_cholesky_lpdf";
  static constexpr const char* matrix_name = "covariance parameter";

  static density_terms terms(const normal_vectors& v, bool) {
    const auto along = diagonal(v.matrix);
    const auto sizes = fabs(along);  // L L' is the same whatever signs columns have
    density_terms all = by_factor(v, v.matrix, sizes, checks_of_vectors(function, v.y, v.mu));
    all.checks.if_not_finite.push_back(
        make_check(function, "diagonal of covariance parameter", "other than 0", along, sizes > 0.0));
    all.checks.if_not_finite.push_back(make_check(function, matrix_name, "not nan", v.matrix,
                                                  row_index() < col_index() || !isnan(v.matrix)));
    return all;
  }
  static density_terms by_factor(const normal_vectors& v, const argument& factor, const auto& along,
                                 list_of<check> checks) {
    held_pointer square, scale;
    if (!v.propto || v.any_variable())
      square = held_of(-0.5 * sum(fusecl::square(mdivide_left_tri_low(factor, v.distances()))));
    if (!v.propto || v.matrix.is_variable()) scale = held_of(-static_cast<double>(v.n) * sum(log(along)));
    return sum_of_numbers({square, scale, v.constant()}, std::move(checks));
  }
};

struct multi_normal {
  static constexpr const char* function = "multi_normal_lpdf";
  static constexpr const char* matrix_name = "Covariance parameter";

  static density_terms terms(const normal_vectors& v, bool is_symmetric) {
    list_of<check> checks = checks_of_vectors(function, v.y, v.mu);
    if (!is_symmetric) add_symmetry_checks(checks, function, v.matrix);
    if (!v.matrix.is_variable() || v.matrix.rows() == 1) {
      const argument factor = v.factor_by(ops::factored::multi_normal);
      return multi_normal_cholesky::by_factor(v, factor, diagonal(factor), std::move(checks));
    }
    return sum_of_numbers({held_of(normal_density_term(v.distances(), v.matrix)), v.constant()},
                          std::move(checks));
  }
};

struct multi_normal_prec {
  static constexpr const char* function = "multi_normal_prec_lpdf";
  static constexpr const char* matrix_name = "Precision parameter";

  static density_terms terms(const normal_vectors& v, bool is_symmetric) {
    list_of<check> checks = checks_of_vectors(function, v.y, v.mu);
    if (!is_symmetric) add_symmetry_checks(checks, function, v.matrix);
    const argument factor = v.factor_by(ops::factored::multi_normal_prec);
    held_pointer square, scale;
    if (!v.propto || v.any_variable())
      square = held_of(-0.5 * sum(fusecl::square(transpose(factor) * v.distances())));
    if (!v.propto || v.matrix.is_variable())
      scale = held_of(static_cast<double>(v.n) * sum(log(diagonal(factor))));
    return sum_of_numbers({square, scale, v.constant()}, std::move(checks));
  }
};

/// The density of vectors by a record as those above.
template <class Record, bool Propto, class Y, class Mu, class Matrix>
density_result<Y, Mu, Matrix> density_of_vectors(const Y& y, const Mu& mu, const Matrix& matrix) {
  const argument m(Record::matrix_name, matrix, argument_form::as_it_is);
  // with one element a vector the outcomes are a row
  const argument_form form = m.rows() == 1 ? argument_form::as_it_is : argument_form::column;
  const argument vectors("Random variable", y, form), means("Location parameter", mu, form);
  if (vectors.rows() == 0 && m.rows() == 0 && m.cols() == 0) return 0.0;
  const std::int64_t n = check_columns(Record::function, {&vectors, &means});
  if (n == 0 && (vectors.rows() == 0 || means.rows() == 0)) return 0.0;
  check_square_for(Record::function, m, vectors);
  if (n == 0) return 0.0;
  return result_of_density<Record, density_result<Y, Mu, Matrix>>(
      Record::terms({Propto, vectors, means, m, n}, is_symmetric<node_of<const Matrix&>>));
}

}  // namespace detail

/// Density of normal vectors y with means mu and covariance L L': -log|L| - |inverse(L) (y - mu)|^2 / 2 -
/// K log(2 pi) / 2. y and mu are vectors or matrices with a column an outcome, over which the density is
/// summed; one column stands for all outcomes, a number mu for all elements. Of L, K x K, the lower triangle
/// is read, and its columns may have any sign. Throws std::invalid_argument where sizes differ or L is not
/// square, std::domain_error where mu is not finite, y is NaN or, of a result that is not finite, an element
/// on the diagonal of L is 0 or NaN or one below it is NaN. Of no outcomes or elements it is 0. With
/// `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand Mu, operand L>
detail::density_result<Y, Mu, L> multi_normal_cholesky_lpdf(const Y& y, const Mu& mu, const L& factor) {
  return detail::density_of_vectors<detail::multi_normal_cholesky, propto>(y, mu, factor);
}

/// The same density with covariance Sigma, of which the derivative is that by its lower triangle. Throws
/// std::domain_error, too, where Sigma has an element that is not finite, is not symmetric within 1e-8 or is
/// not positive definite. Covariances as gp_exp_quad_cov(x, sigma,
/// l), also with add_diag, are symmetric as they are made, and are not looked at.
template <bool propto = false, operand Y, operand Mu, operand Sigma>
detail::density_result<Y, Mu, Sigma> multi_normal_lpdf(const Y& y, const Mu& mu, const Sigma& covariance) {
  return detail::density_of_vectors<detail::multi_normal, propto>(y, mu, covariance);
}

/// The same density with the inverse of the covariance, the precision.
template <bool propto = false, operand Y, operand Mu, operand Omega>
detail::density_result<Y, Mu, Omega> multi_normal_prec_lpdf(const Y& y, const Mu& mu,
                                                            const Omega& precision) {
  return detail::density_of_vectors<detail::multi_normal_prec, propto>(y, mu, precision);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/multi_normal.ipp>
#endif
