#pragma once
#include <fusion/autodiff/eigen_var.hpp>

namespace fusecl::detail {

FUSECL_INLINE void matrix_of_numbers::reverse() {
  if (!has_adjoint()) return;
  check_adjoint();
  const host_numbers amount = adjoint.to_host();
  for (std::size_t k = 0; k < numbers_.size(); ++k) numbers_[k]->add(amount.data()[k]);
}

FUSECL_INLINE void numbers_of_matrix::reverse() {
  const matrix_base& value = matrix_.value_base();
  host_numbers amount(value.rows(), value.cols());
  bool any = false;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    amount.data()[k] = numbers[k]->adjoint();
    any = any || !is_zero(amount.data()[k]);  // NaN is none
  }
  if (!any && !preparing) return;
  matrix_.check_adjoint();
  const auto accumulate = [&]<class T>(T) {
    auto& matrix = static_cast<matrix_entry<T>&>(matrix_);
    matrix_cl<T> device(amount, value.view());
    if (matrix.has_adjoint())
      matrix.adjoint = matrix.adjoint + device;
    else
      matrix.adjoint = std::move(device);
    matrix.mark_adjoint();
  };
  if (matrix_.type() == scalar_type::float32)
    accumulate(float{});
  else
    accumulate(double{});
}

FUSECL_INLINE std::vector<scalar_entry*> record_elements(matrix_entry_base& matrix,
                                                         const host_numbers& values) {
  check_own(matrix.mark(), "from_matrix_cl");
  auto* gather = this_thread_tape().record<numbers_of_matrix>(matrix);
  for (Eigen::Index k = 0; k < values.size(); ++k)
    gather->numbers.push_back(this_thread_tape().record<element_entry>(values.data()[k]));
  return gather->numbers;
}

}  // namespace fusecl::detail
