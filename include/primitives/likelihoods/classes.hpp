#pragma once
// What regressions for classes, counted from 1, are made of: an element of a vector chosen by the class of a
// row, and the log probability of a class by a linear predictor each. Few classes are spelled out in the
// kernel, whose length grows with their number; of many, or with many columns of x, predictors are a product.

#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/regression.hpp>

namespace fusecl::detail {

/// Element `number` of a vector, or column `number` of a matrix, counted from 0: the number is known to the
/// kernel, unlike that of a block.
struct numbered_line : expression<numbered_line> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  enum class line : std::uint32_t { element, column };
  argument of;
  std::uint32_t number;
  line kind;

  numbered_line(argument from, std::int64_t which, line what)
      : of(std::move(from)), number(static_cast<std::uint32_t>(which)), kind(what) {}
  std::int64_t rows() const { return kind == line::element ? 1 : of.rows(); }
  std::int64_t cols() const { return 1; }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// Element number `label + shift`, counted from 1, of a list of expressions of one element, which are
/// computed once for all that have them; that at the end where there is none, and 0 where there are no
/// elements.
struct chosen_element : expression<chosen_element> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  list_of<held_pointer> elements;
  int shift;

  chosen_element(argument labels, list_of<held_pointer> of, int shift_by);
  std::int64_t rows() const { return label.rows(); }
  std::int64_t cols() const { return label.cols(); }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// The elements of a vector, or the number in its place, each as an expression of one element.
list_of<held_pointer> elements_of_argument(const argument& of);

/// What a class must be, `a whole number in the interval [1, classes]`: a text that stays.
const char* one_of_classes(std::int64_t classes);

/// Whether all of these conditions hold, scalar expressions of type bool.
struct all_hold : expression<all_hold> {
  static constexpr scalar_type type = scalar_type::boolean;
  static constexpr bool is_scalar = true;
  list_of<held_pointer> conditions;

  explicit all_hold(list_of<held_pointer> of) : conditions(std::move(of)) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// A check of the elements of a vector as one of few, `elements`: in the kernel each of them is asked by
/// `condition(element)`, or each but the first by `condition(element, the one before)`, without a reduction.
template <class Condition>
check spelled_out(check c, const list_of<held_pointer>& elements, Condition condition) {
  using element = erased<scalar_type::float64, true, true>;
  constexpr bool of_pairs = std::is_invocable_v<Condition, element, element>;
  list_of<held_pointer> each;
  for (std::size_t k = of_pairs ? 1 : 0; k < elements.size(); ++k) {
    const auto ask = [&] {
      if constexpr (of_pairs)
        return condition(element(elements[k]), element(elements[k - 1]));
      else
        return condition(element(elements[k]));
    };
    each.push_back(std::make_shared<const held<decltype(ask())>>(ask()));
  }
  c.for_all = std::make_shared<const held<all_hold>>(all_hold(std::move(each)));
  return c;
}

/// Log of the probability of class `label`, softmax(x * beta + alpha) with a column of beta and an element of
/// alpha for each class.
struct log_class_probability : expression<log_class_probability> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  argument label;
  argument x, alpha, beta;
  std::int64_t classes;
  bool is_product;                       ///< whether x * beta is one of matrices
  list_of<linear_predictor> predictors;  ///< by class where they are spelled out
  list_of<held_pointer> intercepts;      ///< by class where they are spelled out

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
  ir::node_id lower_spelled_out(lowering& low, ir::node_id by, std::uint32_t count) const;
  ir::node_id lower_product(lowering& low, ir::node_id by) const;
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/classes.ipp>
#endif
