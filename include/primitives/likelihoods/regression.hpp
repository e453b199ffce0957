#pragma once
// What generalized linear models share: the linear predictor x * beta + alpha in the place of an argument.
// The compiler reads x once for the value and every derivative.

#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/density.hpp>

namespace fusecl::detail {

/// Throws std::invalid_argument unless `a` is a number or a vector.
void require_vector(const char* function, const argument& a);

/// What a linear predictor is, as bits of its word in the key.
enum predictor_form : std::uint32_t { no_columns = 1, equal_weights = 2, single_row = 4 };

/// The bits that follow from the matrix.
inline std::uint32_t form_of_predictor(const argument& x) {
  return (x.cols() == 0 ? no_columns : 0u) | (x.rows() == 1 ? single_row : 0u);
}

/// That of a matrix which has columns.
ir::node_id lower_predictor(ir::graph& g, std::uint32_t form, ir::node_id x, ir::node_id beta);

/// x * beta, where beta may be one number for all columns. Of one row it is a number.
struct linear_predictor : expression<linear_predictor> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument x;
  argument beta;

  /// Throws std::invalid_argument unless beta is a number or has an element for each column of x.
  linear_predictor(const char* function, argument design, argument weights);
  std::int64_t rows() const { return x.rows() == 1 ? free_size : x.rows(); }
  std::int64_t cols() const { return x.rows() == 1 ? free_size : 1; }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// Whether no count is a variable: by whole numbers there is no derivative.
template <class... Counts>
inline constexpr bool counts_are_data = (!reaches_tape<node_of<const Counts&>>::value && ...);
/// The outcomes of a regression of counts are data.
#define FUSECL_COUNTS_ARE_DATA(FUNCTION, ...)                                                       \
  static_assert(detail::counts_are_data<__VA_ARGS__>, FUNCTION                                      \
                " takes counts and classes as data: there is no derivative by whole numbers; pass " \
                "value_of(y)")

/// Whether an element is a count: 0, 1, 2, ... (infinite ones are none).
template <class Y>
auto is_count(const Y& y) {
  return y >= 0.0 && y - floor(y) == 0.0;
}
inline constexpr const char* must_be_count = "a nonnegative whole number";

/// What the terms of a regression are written in: each element of the density is a row of x.
class regression_scope : public density_scope {
 public:
  /// Throws std::invalid_argument where `arguments` and `alpha` are no numbers and not vectors of one element
  /// a row of x (any number where x is one row, which stands for all), or beta has not one for each column.
  regression_scope(const char* function, bool propto, argument x, argument alpha, argument beta,
                   std::span<const argument> arguments);

  /// x * beta + alpha.
  auto eta() const { return predictor_ + alpha_; }
  /// A term that depends on eta and on these arguments.
  template <operand E, class... Of>
  held_pointer predictor_term(const E& e, const Of&... of) const {
    return term(e, predictor_.x, predictor_.beta, alpha_, of...);
  }
  /// As of a density; where the result is not finite, x, alpha and beta must be.
  density_terms sum_of(std::initializer_list<held_pointer> terms, list_of<check> always) const;

 private:
  linear_predictor predictor_;
  argument alpha_;
};

/// The log likelihood of a regression with these arguments besides x, alpha and beta. Without rows it is 0.
template <class Regression, bool Propto, operand X, operand Alpha, operand Beta, operand... Args>
density_result<X, Alpha, Beta, Args...> regression_of(const X& x, const Alpha& alpha, const Beta& beta,
                                                      const Args&... args) {
  std::size_t k = 0;
  const argument list[] = {argument(Regression::names[k++], args)...};
  const regression_scope scope(Regression::function, Propto,
                               argument("Matrix of independent variables", x, argument_form::as_it_is),
                               argument("Intercept", alpha), argument("Weight vector", beta), list);
  if (scope.size() == 0) return 0.0;
  const density_terms terms = [&]<std::size_t... Ks>(std::index_sequence<Ks...>) {
    return Regression::terms(scope, list[Ks]...);
  }
  (std::index_sequence_for<Args...>{});
  return result_of_density<Regression, density_result<X, Alpha, Beta, Args...>>(terms);
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/regression.ipp>
#endif
