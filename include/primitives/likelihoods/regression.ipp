#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/expr/product.hpp>
#include <fusion/ops/structure.hpp>
#include <primitives/likelihoods/regression.hpp>

namespace fusecl::detail {

FUSECL_INLINE void require_vector(const char* function, const argument& a) {
  if (!a.is_number() && a.cols() != 1)
    throw std::invalid_argument(
        text::fill("{}: {} must be a number or a vector, and is {}", {function, a.name(), a.size_text()}));
}

FUSECL_INLINE linear_predictor::linear_predictor(const char* function, argument design, argument weights)
    : x(std::move(design)), beta(std::move(weights)) {
  if (x.is_number())
    throw std::invalid_argument(text::fill("{}: {} must be a matrix, and is a number", {function, x.name()}));
  require_vector(function, beta);
  if (!beta.is_number() && beta.rows() != x.cols())
    throw std::invalid_argument(
        text::fill("{}: columns of {} ({}) and elements of {} ({}) must match in size",
                   {function, x.name(), x.size_text(), beta.name(), beta.size_text()}));
}

FUSECL_INLINE void linear_predictor::gather(binder& b) const {
  b.choice(form_of_predictor(x) | (beta.is_number() ? equal_weights : 0u));
  if (x.cols() == 0) return;
  x.gather(b);
  beta.gather(b);
}

FUSECL_INLINE ir::node_id lower_predictor(ir::graph& g, std::uint32_t form, ir::node_id x, ir::node_id beta) {
  const ir::axis along = form & single_row ? ir::axis::all : ir::axis::row;
  if (form & equal_weights)
    return g.apply(op::multiply::record(), g.reduce(op::sum::record(), along, x), beta);
  if (along == ir::axis::row) return lower_product(g, product_form::matrix_by_vector, x, beta);
  const ir::node from = g[beta];
  const ir::node_id row =
      g.access(op::access::record(), ir::access_map::transpose(), beta, ir::one, from.rows);
  g.unify(g[x].cols, from.rows);
  return g.reduce(op::sum::record(), along, g.apply(op::multiply::record(), x, row));
}

FUSECL_INLINE ir::node_id linear_predictor::lower(lowering& low) const {
  const std::uint32_t form = low.next_word();
  if (form & no_columns) return low.graph().constant(type, 0);
  const ir::node_id design = x.lower(low), weights = beta.lower(low);
  return lower_predictor(low.graph(), form, design, weights);
}

FUSECL_INLINE regression_scope::regression_scope(const char* function, bool propto, argument x,
                                                 argument alpha, argument beta,
                                                 std::span<const argument> arguments)
    : density_scope(function, propto, arguments),
      predictor_(function, std::move(x), std::move(beta)),
      alpha_(std::move(alpha)) {
  const argument& design = predictor_.x;
  for (const argument& a : arguments) require_vector(function, a);
  require_vector(function, alpha_);
  if (design.rows() != 1) fit_rows(design);
  if (!alpha_.is_number()) fit(alpha_);
}

FUSECL_INLINE density_terms regression_scope::sum_of(std::initializer_list<held_pointer> terms,
                                                     list_of<check> always) const {
  const argument &x = predictor_.x, &beta = predictor_.beta;
  return density_scope::sum_of(
      terms, std::move(always),
      {check_that(beta, isfinite(beta), "finite"), check_that(alpha_, isfinite(alpha_), "finite"),
       check_that(x, isfinite(x), "finite")});
}

}  // namespace fusecl::detail
