#pragma once
// What regressions for classes, counted from 1, are made of: an element of a vector chosen by the class of a
// row, and the log probability of a class by a linear predictor each. Few classes are spelled out in the
// kernel, whose length grows with their number; of many, or with many columns of x, predictors are a product.

#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/regression.hpp>

namespace fusecl::detail {

/// The elements of a vector, or the number in its place. Each is known to the kernel by its number, unlike a
/// block of one element.
struct few_elements {
  argument of;

  std::uint32_t count() const { return of.is_number() ? 1 : static_cast<std::uint32_t>(of.rows()); }
  void gather(binder& b) const;
  list_of<ir::node_id> lower(lowering& low) const;
};

/// What is chosen by a class of an order: a cut point, or log(1 - exp(-w)) of the classes between two, w the
/// width of the class.
enum class class_value : std::uint32_t { cut_point, log_width };

/// That of element number `label + shift`, counted from 1, which is computed once for all that have it; that
/// at the end where there is none, and 0 where there are no elements.
struct chosen_element : expression<chosen_element> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  few_elements elements;
  int shift;
  class_value what;

  chosen_element(argument labels, few_elements of, int shift_by, class_value chosen = class_value::cut_point)
      : label(std::move(labels)), elements(std::move(of)), shift(shift_by), what(chosen) {}
  std::int64_t rows() const { return label.rows(); }
  std::int64_t cols() const { return label.cols(); }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// What a class must be, `a whole number in the interval [1, classes]`: a text that stays.
const char* one_of_classes(std::int64_t classes);

/// Whether all elements are finite, or each is greater than the one before.
struct all_elements : expression<all_elements> {
  enum class are : std::uint32_t { finite, increasing };
  static constexpr scalar_type type = scalar_type::boolean;
  static constexpr bool is_scalar = true;
  few_elements elements;
  are what;

  all_elements(few_elements of, are asked) : elements(std::move(of)), what(asked) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// A check of the elements of a vector as one of few: in the kernel each of them is asked, without a
/// reduction.
check spelled_out(check c, const few_elements& elements, all_elements::are what);

/// Log of the probability of class `label`, softmax(x * beta + alpha) with a column of beta and an element of
/// alpha for each class.
struct log_class_probability : expression<log_class_probability> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  argument x, beta;
  few_elements alpha;
  std::int64_t classes;
  bool is_product;  ///< whether x * beta is one of matrices

  /// Throws std::invalid_argument unless alpha has an element for each column of beta.
  log_class_probability(const char* function, argument labels, argument design, argument shifts,
                        argument weights);
  std::int64_t rows() const {
    return label.is_number() ? (x.rows() == 1 ? free_size : x.rows()) : label.rows();
  }
  std::int64_t cols() const { return label.is_number() ? (x.rows() == 1 ? free_size : 1) : label.cols(); }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;

 private:
  list_of<ir::node_id> predictors(lowering& low, std::uint32_t count) const;
  ir::node_id lower_spelled_out(lowering& low, ir::node_id by, std::uint32_t count) const;
  ir::node_id lower_product(lowering& low, ir::node_id by) const;
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/classes.ipp>
#endif
