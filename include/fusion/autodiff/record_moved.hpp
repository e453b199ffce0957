#pragma once
// Entries of the tape whose elements are those of another one in other places: reshaped and sorted variables.

#include <utility>

#include <fusion/autodiff/record.hpp>
#include <fusion/eval/sort.hpp>

namespace fusecl::detail {

/// The elements of a matrix in other places. `Back` makes of their adjoint what the matrix gets.
template <element T, class Back>
class moved_entry : public matrix_entry<T> {
 public:
  moved_entry(matrix_entry<T>& of, matrix_cl<T> v, Back back)
      : matrix_entry<T>(std::move(v)), of_(of), back_(std::move(back)) {}
  void start_gradient() override { this->restart_adjoint(); }
  void reverse() override {
    if (!this->has_adjoint()) return;
    this->check_adjoint();
    of_.check_adjoint();
    matrix_cl<T> amount = back_(this->adjoint);
    amount.view(of_.value.view());
    if (of_.has_adjoint())
      of_.adjoint = of_.adjoint + amount;
    else
      of_.adjoint = std::move(amount);
    of_.mark_adjoint();
  }

 private:
  matrix_entry<T>& of_;
  Back back_;
};

template <element T, class Back>
matrix_entry<T>* record_moved(matrix_entry<T>& of, matrix_cl<T> value, Back back) {
  check_owner(&of);
  return this_thread_tape().record<moved_entry<T, Back>>(of, std::move(value), std::move(back));
}

template <element T>
matrix_entry<T>* record_reshaped(matrix_entry<T>& of, std::int64_t rows, std::int64_t cols) {
  return record_moved(of, reshaped(of.value, rows, cols),
                      [own_rows = of.value.rows(), own_cols = of.value.cols()](const matrix_cl<T>& adjoint) {
                        return reshaped(adjoint, own_rows, own_cols);
                      });
}

template <element T>
matrix_entry<T>* record_sorted(const char* function, matrix_entry<T>& of, bool descending) {
  const std::int64_t rows = of.value.rows(), cols = of.value.cols();
  check_sortable(function, rows, cols);
  matrix_cl<T> value = reshaped(of.value, rows, cols), other(rows, cols);
  matrix_cl<int> orders[] = {{rows, cols}, {rows, cols}};
  matrix_base* const order[] = {&orders[0], &orders[1]};
  matrix_base* sorted_order = nullptr;
  const bool here =
      sort_elements({&value, &other, scalar_type_v<T>}, descending, order, &sorted_order) == &value;
  return record_moved(
      of, std::move(here ? value : other),
      [places = std::move(sorted_order == order[0] ? orders[0] : orders[1])](const matrix_cl<T>& adjoint) {
        const matrix_cl<T> from = reshaped(adjoint, adjoint.rows(), adjoint.cols());
        matrix_cl<T> amount(from.rows(), from.cols());
        put_in_order(from, places, amount, scalar_type_v<T>);
        return amount;
      });
}

}  // namespace fusecl::detail
