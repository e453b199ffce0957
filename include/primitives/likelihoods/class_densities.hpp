#pragma once
// Probabilities of classes, which are counted from 1: without an order, by probabilities or their logs, and
// with an order.

#include <limits>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/indexing.hpp>
#include <primitives/likelihoods/classes.hpp>
#include <primitives/likelihoods/columns.hpp>

namespace fusecl {
namespace detail {

/// Classes with the vectors that say how likely they are: one for all, or a column for each. A number in the
/// place of the classes is that of all columns.
struct classes_of_columns {
  const char* function;
  argument labels;
  argument vectors;
  std::int64_t categories;  ///< of elements of a vector, and `more`
  std::int64_t outcomes;    ///< 0 where the classes or the columns are none

  /// Throws std::invalid_argument where there are `given` outcomes but another number of vectors.
  classes_of_columns(const char* of, argument n, argument v, std::int64_t given, int more = 0);

  /// One vector is that of several classes.
  bool is_one_for_many() const { return vectors.cols() == 1 && labels.rows() > 1; }
  check label_check() const;
  /// Whether an element of the vectors is that of the class, of which there is one for each vector.
  auto is_own() const { return row_index() + 1 == colwise_broadcast(one_each(labels, vectors.cols())); }
  /// The places of the classes in a vector; of a class that fails its check some other place.
  auto places() const { return cast<int>(fmin(fmax(labels, 1.0), static_cast<double>(categories)) - 1.0); }
  /// The element of the vector for each class.
  template <class E>
  auto elements(const E& of) const {
    auto at = places();
    return gathered<node_of<const E&>, decltype(at), no_index>(as_operation_cl(of), std::move(at), no_index(),
                                                               unchecked_places());
  }
};

/// Classes of outcomes without further arguments.
struct plain_classes : classes_of_columns {
  plain_classes(const char* of, const argument& n, const argument& v)
      : classes_of_columns(of, n, v, n.is_number() ? 1 : n.rows()) {}
};

struct categorical {
  static constexpr const char* function = "categorical_lpmf";

  static density_terms terms(bool propto, const classes_of_columns& c) {
    const argument& theta = c.vectors;
    list_of<check> checks{c.label_check()};
    check_simplex(checks, function, theta, "sum of Probabilities parameter");
    if (propto && !theta.is_variable()) return sum_of_numbers({}, std::move(checks));
    if (c.is_one_for_many()) return sum_of_numbers({held_of(sum(log(c.elements(theta))))}, std::move(checks));
    return sum_of_numbers({held_of(sum(log(select(c.is_own(), theta, 1.0))))}, std::move(checks));
  }
};

struct categorical_logit {
  static constexpr const char* function = "categorical_logit_lpmf";

  static density_terms terms(bool propto, const classes_of_columns& c) {
    const argument& beta = c.vectors;
    list_of<check> checks{c.label_check(), make_check(function, beta.name(), "finite", beta, isfinite(beta))};
    if (propto && !beta.is_variable()) return sum_of_numbers({}, std::move(checks));
    if (c.is_one_for_many()) {
      // log_sum_exp with log1p of what the largest leave
      const auto largest = shared(stop_gradient(colwise_max(beta)));
      const auto is_largest = cast<double>(beta == colwise_broadcast(largest));
      const auto others =
          colwise_sum(exp(beta - colwise_broadcast(largest)) - is_largest) + (colwise_sum(is_largest) - 1.0);
      const double count = static_cast<double>(c.outcomes);
      return sum_of_numbers(
          {held_of(sum(c.elements(beta) - colwise_broadcast(largest))), held_of(-count * sum(log1p(others)))},
          std::move(checks));
    }
    // -log(1 + sum over the other classes of exp(beta - beta of this class)), shifted by the largest exponent
    const auto own = shared(c.is_own());
    const auto d = shared(beta - colwise_broadcast(colwise_sum(select(own, beta, 0.0))));
    const auto largest = shared(stop_gradient(colwise_max(d)));
    const auto others = expm1(-largest) + colwise_sum(select(own, 0.0, exp(d - colwise_broadcast(largest))));
    return sum_of_numbers({held_of(-sum(largest + log1p(others)))}, std::move(checks));
  }
};

struct ordered_logistic {
  static constexpr const char* function = "ordered_logistic_lpmf";

  /// log(inv_logit(eta - lower) - inv_logit(eta - upper)), without the first or second where the class is the
  /// last or first.
  template <class Y, class Eta, class Lower, class Upper>
  static auto log_probability(const Y& y, double last, const Eta& eta, const Lower& lower,
                              const Upper& upper) {
    const auto below = shared(lower);
    const auto above = shared(upper);
    const auto has_below = shared(y > 1.0);
    const auto has_above = shared(y < last);
    return select(has_below, log_inv_logit(eta - below), 0.0) +
           select(has_above, log_inv_logit(above - eta), 0.0) +
           log1m_exp(select(has_below && has_above, below - above, NEGATIVE_INFTY));
  }

  static density_terms terms(bool propto, const classes_of_columns& c, const argument& lambda) {
    const argument& cuts = c.vectors;
    list_of<check> checks{c.label_check(),
                          make_check(function, lambda.name(), "finite", lambda, isfinite(lambda))};
    const std::int64_t count = c.categories - 1;
    if (count > 0) checks.push_back(make_check(function, cuts.name(), "finite", cuts, isfinite(cuts)));
    if (count > 1) {
      const auto before = append_row(rep_row_vector(NEGATIVE_INFTY, cuts.cols()),
                                     block_zero_based(cuts, 0, 0, count - 1, cuts.cols()));
      checks.push_back(
          make_check(function, cuts.name(), "greater than the one before it", cuts, cuts > before));
    }
    if (count == 0 || (propto && !lambda.is_variable() && !cuts.is_variable()))
      return sum_of_numbers({}, std::move(checks));
    const auto last = static_cast<double>(c.categories);
    if (cuts.cols() == 1) {
      const few_elements points{cuts};
      const auto of_class = log_probability(c.labels, last, lambda, chosen_element(c.labels, points, -1),
                                            chosen_element(c.labels, points, 0));
      return {{held_of(of_class)}, c.outcomes, {std::move(checks), {}}};
    }
    const argument labels = one_each(c.labels, c.outcomes), eta = one_each(lambda, c.outcomes);
    const auto class_of_row = colwise_broadcast(labels);
    const auto lower = colwise_sum(select(row_index() + 2 == class_of_row, cuts, 0.0));
    const auto upper = colwise_sum(select(row_index() + 1 == class_of_row, cuts, 0.0));
    return sum_of_numbers({held_of(sum(log_probability(labels, last, eta, lower, upper)))},
                          std::move(checks));
  }
};

}  // namespace detail

/// Log probability of the classes n, 1 to K, with probabilities theta, summed: sum of log(theta[n]). n is a
/// number or a vector; theta is a vector or a matrix with a column for each class in n. Throws
/// std::invalid_argument where sizes differ, std::domain_error where n is no class, or columns of theta are
/// not nonnegative with sum 1 (within 1e-8). Without elements it is 0. With `propto`, terms without variables
/// are left out.
template <bool propto = false, operand N, operand Theta>
detail::density_result<Theta> categorical_lpmf(const N& n, const Theta& theta) {
  static_assert(!is_floating(node_of<const N&>::type),
                "categorical_lpmf takes classes as whole numbers: int, long, unsigned or bool, or a "
                "matrix_cl of these");
  using detail::argument;
  const detail::plain_classes classes(detail::categorical::function, argument("element of outcome array", n),
                                      argument("Probabilities parameter", theta));
  if (classes.outcomes == 0) return 0.0;
  return detail::result_of_density<detail::categorical, detail::density_result<Theta>>(
      detail::categorical::terms(propto, classes));
}

/// Log probability of the classes n, 1 to K, whose probabilities are softmax(beta), summed: sum of beta[n] -
/// log_sum_exp(beta). Arguments and errors are those of categorical_lpmf, but beta has to be finite.
template <bool propto = false, operand N, operand Beta>
detail::density_result<Beta> categorical_logit_lpmf(const N& n, const Beta& beta) {
  static_assert(!is_floating(node_of<const N&>::type),
                "categorical_logit_lpmf takes classes as whole numbers: int, long, unsigned or bool, or a "
                "matrix_cl of these");
  using detail::argument;
  const detail::plain_classes classes(detail::categorical_logit::function, argument("categorical outcome", n),
                                      argument("log odds parameter", beta));
  if (classes.outcomes == 0) return 0.0;
  return detail::result_of_density<detail::categorical_logit, detail::density_result<Beta>>(
      detail::categorical_logit::terms(propto, classes));
}

/// Log probability of the classes y, 1 to K, where class k lies between cut points k - 1 and k on the scale
/// of lambda with logistic errors, summed: sum of log(inv_logit(lambda - c[y - 1]) - inv_logit(lambda -
/// c[y])), with minus and plus infinity at the ends. y and lambda are numbers or vectors of one size; c has K
/// - 1 elements, or a column of these for each element of y: a row with an element for each of several
/// elements of y is the only cut point of each. Throws std::invalid_argument where sizes differ,
/// std::domain_error where y is no class, lambda not finite, or c not finite and increasing. Without elements
/// it is 0. With `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand Lambda, operand Cuts>
detail::density_result<Lambda, Cuts> ordered_logistic_lpmf(const Y& y, const Lambda& lambda, const Cuts& c) {
  static_assert(!is_floating(node_of<const Y&>::type),
                "ordered_logistic_lpmf takes classes as whole numbers: int, long, unsigned or bool, or a "
                "matrix_cl of these");
  using detail::argument;
  using ordered = detail::ordered_logistic;
  const argument list[] = {argument("Random variable", y), argument("Location parameter", lambda)};
  const detail::density_scope scope(ordered::function, propto, list);
  // a row is a vector of cut points, unless it has one for each of several elements of y
  const auto& points = as_operation_cl(c);
  const bool one_each = scope.size() > 1 && points.rows() == 1 && points.cols() == scope.size();
  const argument cuts("Cut-points", c,
                      one_each ? detail::argument_form::as_it_is : detail::argument_form::column);
  const detail::classes_of_columns classes(ordered::function, list[0], cuts, scope.size(), 1);
  if (classes.outcomes == 0) return 0.0;
  return detail::result_of_density<ordered, detail::density_result<Lambda, Cuts>>(
      ordered::terms(propto, classes, list[1]));
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/class_densities.ipp>
#endif
