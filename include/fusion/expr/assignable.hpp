#pragma once
// Elements of a matrix that can be assigned to: what block, row, transpose and the like make of a matrix that
// is not const. They are expressions, too.

#include <vector>

#include <fusion/expr/operators.hpp>
#include <fusion/ir/access_map.hpp>

namespace fusecl {

namespace detail {

struct matrix_state;

/// Where element (i, j) of some part of a matrix is in it; as ir::access_map, with numbers for offsets.
struct element_place {
  std::int64_t row0 = 0, col0 = 0;
  int row_by_i = 1, row_by_j = 0, col_by_i = 0, col_by_j = 1;

  /// The place in the whole matrix of an element that `part` places in this.
  element_place of(const element_place& part) const {
    return {row0 + row_by_i * part.row0 + row_by_j * part.col0,
            col0 + col_by_i * part.row0 + col_by_j * part.col0,
            row_by_i * part.row_by_i + row_by_j * part.col_by_i,
            row_by_i * part.row_by_j + row_by_j * part.col_by_j,
            col_by_i * part.row_by_i + col_by_j * part.col_by_i,
            col_by_i * part.row_by_j + col_by_j * part.col_by_j};
  }
  bool is_whole() const { return *this == element_place{}; }
  bool is_transpose() const { return *this == element_place{0, 0, 0, 1, 1, 0}; }
  bool on_diagonal() const { return row0 == col0 && row_by_i == col_by_j && row_by_j == col_by_i; }
  /// The coefficients as a word of the key.
  std::uint32_t word() const {
    std::uint32_t coefficients = 0;
    for (int c : {row_by_i, row_by_j, col_by_i, col_by_j})
      coefficients = 4 * coefficients + static_cast<std::uint32_t>(c + 1);
    return coefficients;
  }
  friend bool operator==(const element_place&, const element_place&) = default;
};

/// The map that a word and two symbols of offsets stand for.
ir::access_map map_of(std::uint32_t word, ir::extent row0);

/// Elements of a matrix. The expression that reads them keeps the state, which tells whether the matrix is
/// there.
template <element T>
struct matrix_place {
  matrix_cl<T>* matrix;
  const matrix_state* state;
  element_place place;
};

/// Nothing that may be written to.
struct no_place {};

/// Elements of the host as a column or, for a target that is a row, as a row.
template <element T, class Target>
matrix_cl<T> in_form_of(const Target& target, const std::vector<T>& host) {
  const auto size = static_cast<std::int64_t>(host.size());
  return target.rows() == 1 && target.cols() != 1 ? matrix_cl<T>(host, 1, size) : matrix_cl<T>(host);
}

/// Where the elements of `a` are, if they may be written to.
template <class A>
auto writable_elements_of(A& a) {
  if constexpr (requires { a.writable_elements(); })
    return a.writable_elements();
  else
    return no_place{};
}

}  // namespace detail

/// The expression `Node`, which reads elements of a matrix, with the means to write them. Assigning evaluates
/// into the matrix and touches no other element. Throws std::invalid_argument where sizes differ; the matrix
/// is as it was then. A scalar fills.
template <element T, class Node>
class assignable : public Node {
 public:
  using value_type = T;
  static constexpr scalar_type leaf_type = scalar_type_v<T>;

  assignable(Node node, detail::matrix_place<T> elements) : Node(std::move(node)), elements_(elements) {}
  assignable(const assignable&) = default;

  template <operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, assignable>) const assignable& operator=(E&& e) const {
    assign_elements(*this, as_operation_cl(std::forward<E>(e)));
    return *this;
  }
  /// Elements of a column or, where this is a row, of a row.
  const assignable& operator=(const std::vector<T>& host) const {
    return *this = detail::in_form_of(as_node(), host);
  }
  const assignable& operator+=(const std::vector<T>& host) const {
    return *this += detail::in_form_of(as_node(), host);
  }
  const assignable& operator-=(const std::vector<T>& host) const {
    return *this -= detail::in_form_of(as_node(), host);
  }
  const assignable& operator=(const assignable& other) const { return *this = other.as_node(); }
  assignable& operator=(const assignable& other) {
    static_cast<const assignable&>(*this) = other.as_node();
    return *this;
  }
  template <operand E>
  const assignable& operator+=(E&& e) const {
    return combine(std::forward<E>(e), [](const auto& before, const auto& by) {
      return detail::make_binary<op::add>("operator+=", before, by);
    });
  }
  template <operand E>
  const assignable& operator-=(E&& e) const {
    return combine(std::forward<E>(e), [](const auto& before, const auto& by) {
      return detail::make_binary<op::subtract>("operator-=", before, by);
    });
  }
  /// Scales; the matrix product where `e` is no scalar.
  template <operand E>
  const assignable& operator*=(E&& e) const {
    if constexpr (node_of<E>::is_scalar) {
      return combine(std::forward<E>(e), [](const auto& before, const auto& by) {
        return detail::scaled_or_product("operator*=", before, by);
      });
    } else {  // reads the elements at other places than they are written to
      assign_elements(*this, detail::scaled_or_product("operator*=", as_node(), std::forward<E>(e)));
      return *this;
    }
  }
  template <operand E>
  const assignable& operator/=(E&& e) const {
    return combine(std::forward<E>(e), [](const auto& before, const auto& by) {
      return detail::divided("operator/=", before, by);
    });
  }

  /// Elements of a vector by number, to which can be assigned, too.
  template <class I>
  auto operator[](I&& index) const {
    return detail::elements_of_vector(*this, std::forward<I>(index));
  }

  const Node& as_node() const { return *this; }
  detail::matrix_place<T> writable_elements() const { return elements_; }

 private:
  template <class E, class Combination>
  const assignable& combine(E&& e, const Combination& combination) const {
    const auto other = as_operation_cl(std::forward<E>(e));
    update_elements(*this, other, combination(as_node(), other));
    return *this;
  }

  detail::matrix_place<T> elements_;
};

namespace detail {

/// `node`, which reads the elements at `part` of what is at `whole`, as something to assign to.
template <element T, class Node>
auto part_of(const matrix_place<T>& whole, Node node, const element_place& part) {
  return assignable<T, Node>(std::move(node), {whole.matrix, whole.state, whole.place.of(part)});
}
template <class Node>
Node part_of(no_place, Node node, const element_place&) {
  return node;
}

}  // namespace detail
}  // namespace fusecl
