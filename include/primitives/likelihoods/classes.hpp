#pragma once
// What regressions for classes, counted from 1, are made of: an element of a vector chosen by the class of a
// row, and the log probability of a class by a linear predictor each. Classes are spelled out in the kernel:
// its length grows with their number.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl::detail {

/// Element number `label + shift`, counted from 1, of the vector `of`; that at the end where there is none.
struct chosen_element : expression<chosen_element> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  std::vector<held_pointer> elements;
  int shift;

  chosen_element(argument labels, const argument& of, int shift_by);
  std::int64_t rows() const { return label.rows(); }
  std::int64_t cols() const { return label.cols(); }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// Log of the probability of class `label`, softmax(x * beta + alpha) with a column of beta and an element of
/// alpha for each class.
struct log_class_probability : expression<log_class_probability> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  std::vector<linear_predictor> predictors;  ///< by class
  std::vector<held_pointer> intercepts;      ///< by class

  /// Throws std::invalid_argument unless alpha has an element for each column of beta.
  log_class_probability(const char* function, argument labels, const argument& x, const argument& alpha,
                        const argument& beta);
  std::int64_t rows() const { return label.is_number() ? predictors[0].rows() : label.rows(); }
  std::int64_t cols() const { return label.is_number() ? predictors[0].cols() : label.cols(); }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/classes.ipp>
#endif
