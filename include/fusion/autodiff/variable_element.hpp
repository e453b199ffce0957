#pragma once
// One element of a matrix variable as a scalar expression: a block of one element, so that a statement that
// reads little else of the variable has a derivative of one element, too.

#include <fusion/autodiff/record.hpp>
#include <fusion/expr/indexing.hpp>
#include <fusion/expr/structure.hpp>

namespace fusecl::detail {

/// Element (i, j) of a variable, counted from 0.
template <element T>
struct variable_element : expression<variable_element<T>>,
                          number_conversion<variable_element<T>, scalar_type_v<T>, true> {
  using expression<variable_element<T>>::operator=;
  using place = block_of<variable_leaf<T>>;
  using operand_types = types<place>;
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = true;
  place a;

  variable_element(const char* function, variable_leaf<T> v, std::int64_t i, std::int64_t j)
      : a(function, std::move(v), i, j, 1, 1, 0, block_single_rows | block_single_cols) {}
  std::int64_t rows() const { return 1; }
  std::int64_t cols() const { return 1; }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const { return a.lower(low); }
};

/// Element `i` of a variable that is a vector.
template <element T, class I>
variable_element<T> element_of_vector(variable_leaf<T> v, I i) {
  const scalar_leaf<std::int64_t> index(static_cast<std::int64_t>(i));
  check_vector("operator[]", v.rows(), v.cols());
  check_index({"operator[]", "index", "elements of the vector"}, index, v.rows() * v.cols(), 1, 1);
  const auto [row, col] = place_in_vector(index.value, v.rows(), v.cols());
  return {"operator[]", std::move(v), row, col};
}

}  // namespace fusecl::detail
