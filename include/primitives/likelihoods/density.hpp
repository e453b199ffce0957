#pragma once
// What all densities share: sizes that fit, terms that are left out, checks, and one statement for the value,
// the checks and every derivative. A density is a class with its texts and its terms:
//
//   struct rate_density {
//     static constexpr const char* function = "rate_lpdf";
//     static constexpr const char* names[] = {"Random variable", "Rate parameter"};
//     template <class Argument>  // compiled where the density is used
//     static density_terms terms(const density_scope& d, const Argument& y, const Argument& rate) {
//       return d.sum_of({d.term(log(rate), rate), d.term(-elt_multiply(rate, y), rate, y)},
//                       {d.check_that(y, y >= 0.0, "nonnegative"), d.check_that(rate, rate > 0.0,
//                       "positive")});
//     }
//   };
//   template <bool propto = false, operand Y, operand Rate>
//   auto rate_lpdf(const Y& y, const Rate& rate) {
//     return detail::density_of<detail::rate_density, propto>(y, rate);
//   }

#include <optional>
#include <span>

#include <fusion/base/constants.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/checks.hpp>
#include <fusion/eval/once.hpp>
#include <fusion/expr/reductions.hpp>
#include <primitives/likelihoods/argument.hpp>

namespace fusecl::detail {

inline constexpr double half_log_two_pi = HALF_LOG_TWO_PI;

/// A density ready to be evaluated, where the checks hold: the sum over the elements of its terms. A term
/// that is one number counts as often as there are elements.
struct density_terms {
  list_of<held_pointer> terms;
  std::int64_t size;  ///< number of elements
  scalar_checks checks;
  bool is_product = false;  ///< of the elements of a single term, in the place of the sum
};

/// What the terms of a density are written in.
class density_scope {
 public:
  /// Throws std::invalid_argument naming function, arguments and sizes where the sizes of `arguments` differ.
  density_scope(const char* function, bool propto, std::span<const argument> arguments);

  /// One more argument, an element of it for each element of the density, or, of a matrix of independent
  /// variables, a row. Throws std::invalid_argument where its size differs from the others'.
  void fit(const argument& a) {
    fit({a, a.rows(), a.cols(), a.cols() == 1 ? "elements" : "rows and columns"});
  }
  void fit_rows(const argument& a) { fit({a, a.rows(), 1, "rows"}); }

  const char* function() const { return function_; }
  /// Number of summands: one where all arguments are numbers.
  std::int64_t size() const { return rows_ * cols_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }

  /// A term that depends on these arguments, or null: of a density up to a constant it is left out where none
  /// of them is a variable.
  template <operand E, class... Of>
  held_pointer term(const E& e, const Of&... of) const {
    return keeps(of...) ? held_of(e) : nullptr;
  }
  /// A term of counts alone, or of other data, where it is `kept`: of many elements its sum is computed once
  /// for what these hold (see `once`) and counts as a number, the mean, for each of them.
  template <operand E>
  held_pointer data_term(bool kept, const E& e) const {
    constexpr std::int64_t many = std::int64_t{1} << 18;  // whose functions take longer than a launch
    if (!kept) return nullptr;
    if (size() < many || e.rows() < 0) return held_of(e);
    return held_of(once(sum(e)) / static_cast<double>(size()));
  }
  /// Whether such a term is kept.
  template <class... Of>
  bool keeps(const Of&... of) const {
    return !propto_ || (of.is_variable() || ...);
  }
  /// The condition, of type bool, must hold for every element of the argument.
  template <node C>
  check check_that(const argument& a, C condition, const char* must_be) const {
    return make_check(function_, a.name(), must_be, a, std::move(condition));
  }
  /// The density whose logarithm is the sum of these terms over the elements, where the checks hold; those
  /// that only a result that is not finite can fail are done then.
  density_terms sum_of(std::initializer_list<held_pointer> terms, list_of<check> always,
                       list_of<check> if_not_finite = {}) const;

 private:
  struct sized_argument {
    argument of;
    std::int64_t rows, cols;
    const char* counted;  ///< what of it has this size
  };
  void fit(const sized_argument& a);

  const char* function_;
  bool propto_;
  std::optional<sized_argument> first_;  ///< that is no number
  std::int64_t rows_ = 1, cols_ = 1;
};

/// Tag of the statements of a class of densities.
template <class Density>
struct density_tag {};

/// The value of a density. Throws std::domain_error where a check fails. Waits.
double value_of_density(const density_terms& terms, statement_type& type);
/// The same on the tape; the derivatives with respect to all variables are computed with it.
scalar_entry* record_density(const density_terms& terms, statement_type& type);

/// A density as a double, or as a var where one of its arguments is a variable.
template <class... Args>
using density_result = std::conditional_t<(reaches_tape<node_of<const Args&>>::value || ...), var, double>;

/// Evaluates or records.
template <class Density, class Result>
Result result_of_density(const density_terms& terms) {
  if constexpr (std::is_same_v<Result, var>)
    return var(record_density(terms, type_of_statement<reverse_tag, density_tag<Density>>));
  else
    return value_of_density(terms, type_of_statement<density_tag<Density>>);
}

/// The density of containers without elements.
template <class Density>
inline constexpr double of_nothing = 0;

/// The density of these arguments.
template <class Density, bool Propto, operand... Args>
density_result<Args...> density_of(const Args&... args) {
  std::size_t k = 0;
  const argument list[] = {argument(Density::names[k++], args)...};
  const density_scope scope(Density::function, Propto, list);
  if (scope.size() == 0) return of_nothing<Density>;
  density_terms terms = [&]<std::size_t... Ks>(std::index_sequence<Ks...>) {
    return Density::terms(scope, list[Ks]...);
  }
  (std::index_sequence_for<Args...>{});
  if constexpr (requires { Density::impossible_is_constant; })
    terms.checks.impossible_is_constant = Density::impossible_is_constant;
  return result_of_density<Density, density_result<Args...>>(terms);
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/density.ipp>
#endif
