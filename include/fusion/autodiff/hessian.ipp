#pragma once
#include <stdexcept>

#include <fusion/autodiff/derivation.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.ipp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_direction(std::size_t place, const matrix_base& variable,
                                   const matrix_base& direction) {
  if (variable.rows() == direction.rows() && variable.cols() == direction.cols()) return;
  throw std::invalid_argument(text::fill(
      "hessian_times_vector: variable {} of wrt(...) is {}, its direction is {}: they must have the "
      "same size",
      {place, shape_text(variable.rows(), variable.cols()), shape_text(direction.rows(), direction.cols())}));
}

FUSECL_INLINE void evaluate_hessian_product(const statement& s, binder& bound,
                                            const gradient_variable* variables,
                                            const matrix_operand* directions, std::size_t count) {
  // found before the directions become operands too
  list_of<list_of<passes::variable>> uses(count);
  for (std::size_t k = 0; k < count; ++k) find_uses("hessian_times_vector", variables[k], k, bound, uses[k]);
  derived_statement twice(s, bound, hessian_product_rule());
  twice.add_result(s.results[0]);
  list_of<result_slot> products;
  for (std::size_t k = 0; k < count; ++k) {
    if (uses[k].empty()) {
      evaluation::fill_zero(s.results[k + 1]);
      evaluation::fill_zero(s.results[count + k + 1]);
      continue;
    }
    twice.give(root_name::direction, products.size(), directions[k]);
    for (const passes::variable& use : uses[k]) twice.differentiate_by(use);
    twice.add_result(s.results[k + 1]);
    products.push_back(s.results[count + k + 1]);
  }
  for (const result_slot& product : products) twice.add_result(product);
  evaluation::run(twice.complete(), bound);
}

}  // namespace fusecl::detail
