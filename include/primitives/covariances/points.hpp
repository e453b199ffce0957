#pragma once
// Points of which covariances are made, and what two of them have to do with each other: distances and inner
// products of all pairs. Of few dimensions these are sums of one term a dimension within the kernel that uses
// them; beyond, a product of matrices.

#include <fusion/expr/assembled.hpp>
#include <fusion/expr/statistics.hpp>

namespace fusecl::detail {

/// Sums of up to so many dimensions are written out.
inline constexpr std::int64_t most_direct_dimensions = 16;

enum class pair_measure : std::uint8_t {
  squared_distance,
  distance,  ///< in one dimension the difference, which has a sign
  inner_product
};

/// Where there are no length scales.
struct no_lengths {};

/// Sizes of a matrix of points and what it is called.
struct points_size {
  const char* name;
  std::int64_t rows, cols;
};
/// How points lie: the word of a pair's node.
struct points_layout {
  std::int64_t dimensions;
  bool first_elements, second_elements;  ///< each element of a single column is a point
  bool single_first, single_second;      ///< there is one point

  std::uint32_t word() const;
  static points_layout of(std::uint32_t word);
};
/// Every column is a point. A single column is a point where other points or length scales have as many
/// dimensions, else its elements are points of one dimension. `lengths` is negative where there are none.
/// Throws std::invalid_argument where dimensions differ.
points_layout layout_of_points(const char* function, const points_size& first, const points_size& second,
                               std::int64_t lengths);
/// The matrix of a measure of all pairs, given the node of each operand; no_node for no lengths.
ir::node_id lower_pairs(ir::graph& g, pair_measure measure, const points_layout& layout, ir::node_id first,
                        ir::node_id second, ir::node_id lengths);

/// A measure of each point of `a` and each of `b`, whose coordinates are divided by `lengths`. `Same`: both
/// are the points of one argument.
template <pair_measure Measure, bool Same, class A, class B, class Lengths>
struct measured_pairs : expression<measured_pairs<Measure, Same, A, B, Lengths>> {
  using expression<measured_pairs<Measure, Same, A, B, Lengths>>::operator=;
  static constexpr bool has_lengths = !std::is_same_v<Lengths, no_lengths>;
  using operand_types = std::conditional_t<has_lengths, types<A, B, Lengths>, types<A, B>>;
  static constexpr scalar_type type = [] {
    const scalar_type of_points = floating(promoted(A::type, B::type));
    if constexpr (has_lengths)
      return floating(promoted(of_points, Lengths::type));
    else
      return of_points;
  }();
  static constexpr bool is_scalar = false;
  A a;
  B b;
  Lengths lengths;
  const char* function_;

  measured_pairs(const char* function, A first, B second, Lengths of)
      : a(std::move(first)), b(std::move(second)), lengths(std::move(of)), function_(function) {
    layout();
  }
  std::int64_t rows() const { return layout().first_elements ? a.rows() : a.cols(); }
  std::int64_t cols() const { return layout().second_elements ? b.rows() : b.cols(); }
  void gather(binder& bound) const {
    const points_layout now = layout();  // operands may have other sizes now
    a.gather(bound);
    b.gather(bound);
    if constexpr (has_lengths) lengths.gather(bound);
    bound.choice(now.word());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id first = a.lower(low), second = b.lower(low);
    ir::node_id by = ir::no_node;
    if constexpr (has_lengths) by = lengths.lower(low);
    return lower_pairs(low.graph(), Measure, points_layout::of(low.next_word()), first, second, by);
  }

 private:
  points_layout layout() const {
    std::int64_t count = -1;
    if constexpr (has_lengths) count = lengths.rows();
    return layout_of_points(function_, {Same ? "x" : "x1", a.rows(), a.cols()},
                            {Same ? "x" : "x2", b.rows(), b.cols()}, count);
  }
};

/// Products are complete only after a step of their own.
template <pair_measure Measure, bool Same, class A, class B, class Lengths>
inline constexpr bool is_reduced<measured_pairs<Measure, Same, A, B, Lengths>> = true;

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/covariances/points.ipp>
#endif
