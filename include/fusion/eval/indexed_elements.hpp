#pragma once
// Assignment to elements of a matrix, or of a part of one, at indices. Every element of the matrix finds what
// goes to it by lists made once for the contents of the indices: whatever the order in which the device
// works, the result is one.

#include <vector>

#include <fusion/base/list_of.hpp>
#include <fusion/eval/elements.hpp>
#include <fusion/eval/index_contents.hpp>

namespace fusecl::detail {

/// The expression `Node`, which reads elements of a matrix at indices, with the means to write them.
/// `M` is the matrix or the part. Assigning evaluates at once and writes all of it, where other elements keep
/// their values. Throws
/// std::invalid_argument where sizes differ and std::out_of_range for places outside; the matrix is as it was
/// then. A scalar fills. Where all indices are scalars that one element is written, as a block of it.
template <class M, class Node>
class indexed_elements : public Node {
 public:
  using value_type = typename M::value_type;

  indexed_elements(const M& part, Node elements) requires node<M>
      : Node(std::move(elements)), target_(part), state_(part.writable_elements().state) {}
  indexed_elements(M& m, Node elements) requires(!node<M>)
      : Node(std::move(elements)), target_(&m), state_(m.writable_elements().state) {}
  indexed_elements(const indexed_elements&) = default;

  /// Of several values for one element the last stays, column by column.
  template <operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, indexed_elements>) const indexed_elements& operator=(
      E&& e) const {
    if constexpr (Node::is_scalar)
      element() = cast<value_type>(as_operation_cl(std::forward<E>(e)));
    else
      assign(cast<value_type>(as_operation_cl(std::forward<E>(e))));
    return *this;
  }
  // elements of themselves are read before they are written
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  const indexed_elements& operator=(const indexed_elements& other) const { return *this = other.as_node(); }
  /// Elements of the host, as a column or, where these are a row, as a row.
  const indexed_elements& operator=(const std::vector<value_type>& host) const {
    return *this = in_form_of(as_node(), host);
  }
  const indexed_elements& operator+=(const std::vector<value_type>& host) const {
    return *this += in_form_of(as_node(), host);
  }
  const indexed_elements& operator-=(const std::vector<value_type>& host) const {
    return *this -= in_form_of(as_node(), host);
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  indexed_elements& operator=(const indexed_elements& other) {
    static_cast<const indexed_elements&>(*this) = other.as_node();
    return *this;
  }
  /// All values for an element are added, in an order that does not change.
  template <operand E>
  const indexed_elements& operator+=(E&& e) const {
    if constexpr (Node::is_scalar)
      element() += std::forward<E>(e);
    else if (const auto amount = checked(as_operation_cl(std::forward<E>(e))); this->size() > 0)
      target() += sums(amount);
    return *this;
  }
  template <operand E>
  const indexed_elements& operator-=(E&& e) const {
    if constexpr (Node::is_scalar)
      element() -= std::forward<E>(e);
    else if (const auto amount = checked(as_operation_cl(std::forward<E>(e))); this->size() > 0)
      target() -= sums(amount);
    return *this;
  }
  /// Of a single element; refused for more: what several factors for one of them are is not said.
  template <class E>
  const indexed_elements& operator*=(const E& e) const {
    static_assert(Node::is_scalar, "elements at indices can be assigned to by =, += and -= only");
    if constexpr (Node::is_scalar) element() *= e;
    return *this;
  }
  template <class E>
  const indexed_elements& operator/=(const E& e) const {
    static_assert(Node::is_scalar, "elements at indices can be assigned to by =, += and -= only");
    if constexpr (Node::is_scalar) element() /= e;
    return *this;
  }

  const Node& as_node() const { return *this; }
  auto& written_matrix() const { return target(); }

 private:
  /// Throws std::logic_error where the matrix is gone, std::out_of_range where its contents were moved away:
  /// the indices are then looked at in these.
  void check_target() const {
    if (state_->is_gone) matrix_is_gone();
    if constexpr (!node<M>) check_part_within({}, this->a.rows(), this->a.cols(), *target_);
  }
  /// The single element, as a block.
  auto element() const {
    check_target();
    if (!preparing) this->check_places();
    std::int64_t row = index_number(this->i), col = 0;
    if constexpr (!Node::of_vector)
      col = index_number(this->j);
    else if (!this->is_by_row())
      std::swap(row, col);
    return block_zero_based(target(), row, col, 1, 1);
  }
  /// `e` in the size of the elements, all of which are there.
  template <class E>
  auto checked(const E& e) const {
    check_target();
    check_index_count(this->rows(), this->cols());
    const auto whole = filling(*this, e);
    check_part_size(this->rows(), this->cols(), whole.rows() < 0 ? this->rows() : whole.rows(),
                    whole.cols() < 0 ? this->cols() : whole.cols());
    if (!preparing) this->check_places();
    return whole;
  }
  template <class E>
  auto sums(const E& e) const {
    return summed_at_places<E, Node>(e, *this);
  }
  template <class E>
  void assign(const E& e) const {
    const auto whole = checked(e);
    auto& m = target();
    if (this->size() == 0 || preparing) return;
    const contents_key key =
        key_of(this->i, this->j,
               {this->rows(), this->cols(), m.rows(), m.cols(), std::int64_t{this->is_by_row()}, -1});
    auto last = std::static_pointer_cast<const last_places>(key.known());
    if (!last) {
      list_of<std::int64_t> places = places_of(this->i, this->j, this->rows(), this->cols(), m.rows());
      last = find_last(places, this->rows(), m.rows(), m.cols());
      key.keep(last, static_cast<std::int64_t>(2 * sizeof(int)) * m.rows() * m.cols());
    }
    // places that nothing goes to read some element, which is not chosen
    using amount = std::remove_const_t<decltype(whole)>;
    const gathered<amount, matrix_leaf<int>, matrix_leaf<int>> chosen(whole, last->row.leaf(),
                                                                      last->col.leaf(), unchecked_places());
    if constexpr (node<M>)
      update_elements(m, chosen, select(last->row >= 0, chosen, m.as_node()));
    else
      m = select(last->row >= 0, chosen, std::as_const(m));
  }
  /// What is written: the matrix, or its part.
  auto& target() const {
    if constexpr (node<M>)
      return target_;
    else
      return *target_;
  }

  std::conditional_t<node<M>, M, M*> target_;
  const matrix_state* state_;
};

}  // namespace fusecl::detail
