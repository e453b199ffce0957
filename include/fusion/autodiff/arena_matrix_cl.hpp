#pragma once
// A matrix of which copies are the same matrix, as programs written for Stan Math keep for the way back.

#include <memory>

#include <fusion/autodiff/var.hpp>
#include <fusion/matrix/copy.hpp>

namespace fusecl {

/// A handle to a matrix_cl, which lives as long as any copy of the handle. It stands in expressions as the
/// matrix does, and assigning to it assigns to the matrix.
template <element T>
class arena_matrix_cl {
 public:
  using type = T;
  using Scalar = T;
  using value_type = T;

  /// A matrix made as matrix_cl<T>(arguments...).
  template <class... Arguments>
  requires(std::is_constructible_v<matrix_cl<T>, Arguments...> &&
           !(std::is_same_v<std::remove_cvref_t<Arguments>, arena_matrix_cl> ||
             ...)) explicit arena_matrix_cl(Arguments&&... arguments)
      : matrix_(std::make_shared<matrix_cl<T>>(std::forward<Arguments>(arguments)...)) {}
  /// The value of an expression.
  template <node E>
  arena_matrix_cl(const E& e) : matrix_(std::make_shared<matrix_cl<T>>(e)) {}  // NOLINT: as for matrix_cl
  template <operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, arena_matrix_cl>) arena_matrix_cl& operator=(const E& e) {
    *matrix_ = e;
    return *this;
  }

  operator const matrix_cl<T>&() const { return *matrix_; }  // NOLINT: it is one
  operator matrix_cl<T>&() { return *matrix_; }              // NOLINT

  std::int64_t rows() const { return matrix_->rows(); }
  std::int64_t cols() const { return matrix_->cols(); }
  std::int64_t size() const { return matrix_->size(); }
  matrix_cl_view view() const { return matrix_->view(); }
  void view(matrix_cl_view view) { matrix_->view(view); }
  cl::Buffer buffer() const { return matrix_->buffer(); }
  decltype(auto) storage() const { return matrix_->storage(); }
  void wait_for_read_write_events() const { matrix_->wait_for_read_write_events(); }
  template <matrix_cl_view View>
  void zeros_strict_tri() {
    matrix_->template zeros_strict_tri<View>();
  }
  /// A copy with memory of its own.
  matrix_cl<T> eval() const { return *matrix_; }

  auto leaf() const { return std::as_const(*matrix_).leaf(); }
  auto writable_elements() { return matrix_->writable_elements(); }

 private:
  std::shared_ptr<matrix_cl<T>> matrix_;
};

/// As of the matrix that it holds.
template <class Host = void, element T>
auto from_matrix_cl(const arena_matrix_cl<T>& m) {
  return from_matrix_cl<Host>(static_cast<const matrix_cl<T>&>(m));
}

template <element T>
struct is_matrix_cl<arena_matrix_cl<T>> : std::true_type {};

}  // namespace fusecl
