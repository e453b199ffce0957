#pragma once
// Assignment to parts of matrices: straight into the matrix where the right side does not read it elsewhere,
// else through a temporary.

#include <exception>

#include <fusion/eval/evaluate.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

/// View that the result of `e` would have.
template <node E>
matrix_cl_view result_view(const E& e);

namespace detail {

/// Throws std::invalid_argument unless the expression has the size of the part it is assigned to.
void check_part_size(std::int64_t rows, std::int64_t cols, std::int64_t own_rows, std::int64_t own_cols);
/// Throws std::out_of_range unless a part of this size lies within the matrix as it is now.
void check_part_within(const element_place& place, std::int64_t rows, std::int64_t cols,
                       const matrix_base& m);
/// The triangles of a matrix that a part of this size touches.
matrix_cl_view view_of_part(const element_place& place, std::int64_t rows, std::int64_t cols);

/// Throws std::logic_error.
[[noreturn]] void matrix_is_gone();

/// Throws unless what has rows x cols elements may be assigned to the part.
template <element T, class Node>
void check_part(const assignable<T, Node>& to, std::int64_t rows, std::int64_t cols) {
  const matrix_place<T> elements = to.writable_elements();
  if (elements.state->is_gone) [[unlikely]]
    matrix_is_gone();
  check_part_size(to.rows(), to.cols(), rows, cols);
  check_part_within(elements.place, rows, cols, *elements.matrix);
}

/// Puts the view of a matrix back where an exception ends its scope.
class view_unless_written {
 public:
  /// Of nothing where `m` is null.
  explicit view_unless_written(matrix_base* m)
      : m_(m), before_(m ? m->view() : matrix_cl_view::Entire), exceptions_(std::uncaught_exceptions()) {}
  view_unless_written(const view_unless_written&) = delete;
  ~view_unless_written() {
    if (m_ && std::uncaught_exceptions() > exceptions_) m_->view(before_);
  }

 private:
  matrix_base* m_;
  matrix_cl_view before_;
  int exceptions_;
};

/// Tag of the statements that write to parts.
struct part_tag {};

/// Writes zeros to what is outside of the matrix's view.
template <element T>
void write_zeros(matrix_cl<T>& m) {
  const matrix_leaf<T> e = m.leaf();
  const void* expressions[] = {&e};
  const element_place all;
  result_slot slot{&m, scalar_type_v<T>, m.rows(), m.cols(), "the result", &all};
  binder bound;
  e.gather(bound);
  gather_places(bound, &slot, 1);
  evaluation::run(
      {&type_of_statement<part_tag, matrix_cl<T>>, expressions, lower_nth<matrix_leaf<T>>, &slot, 1}, bound);
}

template <element T>
void fill_outside_view(matrix_cl<T>& m) {
  if (!preparing) m.unshare();
  write_zeros(m);
}

/// Makes the matrix ready for a part of it to be written: memory of its own, and zeros where its view widens.
/// While statements are only prepared, the matrix stays as it is.
template <element T, class Node, class E>
void prepare_part(const assignable<T, Node>& to, const E& e) {
  const matrix_place<T> elements = to.writable_elements();
  matrix_cl<T>& m = *elements.matrix;
  if (!preparing) m.unshare();
  if (m.view() == matrix_cl_view::Entire) return;
  matrix_cl_view written = view_of_part(elements.place, to.rows(), to.cols());
  if (elements.place.on_diagonal()) {
    const matrix_cl_view own = result_view(e);
    written = both(written, elements.place.row_by_i == 0 ? transpose(own) : own);
  }
  const matrix_cl_view wider = either(m.view(), written);
  if (wider == m.view()) return;
  write_zeros(m);
  if (!preparing) m.view(wider);
}

template <element T, class Node, class E>
void write_part(const assignable<T, Node>& to, const E& e) {
  binder bound;
  e.gather(bound);
  const view_unless_written kept(to.writable_elements().matrix);
  prepare_part(to, e);
  const matrix_place<T> elements = to.writable_elements();
  const void* expressions[] = {&e};
  result_slot slot{elements.matrix, scalar_type_v<T>, to.rows(), to.cols(), "the result", &elements.place};
  slot.free = e.rows() < 0 || e.cols() < 0;
  gather_places(bound, &slot, 1);
  evaluation::run({&type_of_statement<part_tag, matrix_cl<T>, E>, expressions, lower_nth<E>, &slot, 1},
                  bound);
}

/// Evaluates `e` into a part; `others` are the operands besides the part itself.
template <element T, class Node, class E, class Others>
void assign_part(const assignable<T, Node>& to, const E& e, const Others& others) {
  const std::int64_t rows = to.rows(), cols = to.cols();
  const bool sized = e.rows() >= 0 && e.cols() >= 0;  // else the part says how much there is
  check_part(to, e.rows() < 0 ? rows : e.rows(), e.cols() < 0 ? cols : e.cols());
  if (rows == 0 || cols == 0) return;
  const matrix_place<T> elements = to.writable_elements();
  matrix_cl<T>& m = *elements.matrix;
  if (sized && elements.place.is_whole() && rows == m.rows() && cols == m.cols()) {
    m = e;
    return;
  }
  if (sized && elements.place.is_transpose() && rows == m.cols() && cols == m.rows()) {
    m = transposed<E>(e);
    return;
  }
  binder bound;
  others.gather(bound);
  if (reads(bound, m)) {
    matrix_cl<T> copy;
    if (sized) {
      copy = e;
    } else {
      copy = matrix_cl<T>(rows, cols);
      write_part(block_zero_based(copy, 0, 0, rows, cols), e);
    }
    write_part(to, std::as_const(copy).leaf());
  } else {
    write_part(to, e);
  }
}

/// A number or scalar expression as a matrix of the size of the part.
template <class Part, class E>
auto filling(const Part& to, const E& e) {
  if constexpr (E::is_scalar)
    return broadcasted<true, true, false, E>("assignment", e, to.rows(), to.cols());
  else
    return e;
}

}  // namespace detail

/// Assigns `e` to the elements; see `assignable`. The transpose of a whole matrix takes the size of `e`, as
/// the matrix does.
template <element T, class Node, node E>
void assign_elements(const assignable<T, Node>& to, const E& e) {
  if constexpr (std::is_same_v<Node, transposed<matrix_leaf<T>>> && !E::is_scalar) {
    const std::int64_t rows = to.rows(), cols = to.cols();
    if (e.rows() >= 0 && e.cols() >= 0 && (e.rows() != rows || e.cols() != cols)) {
      detail::check_part(to, rows, cols);  // that the matrix is there
      *to.writable_elements().matrix = transposed<E>(e);
      return;
    }
  }
  const auto filled = detail::filling(to, e);
  detail::assign_part(to, filled, filled);
}

/// Assigns `e`, which reads the elements themselves and the expression `other`.
template <element T, class Node, node Other, node E>
void update_elements(const assignable<T, Node>& to, const Other& other, const E& e) {
  detail::assign_part(to, e, other);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/elements.ipp>
#endif
