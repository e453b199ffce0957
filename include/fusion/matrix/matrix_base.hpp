#pragma once
// The part of a device matrix that does not depend on its element type, and its leaf in expressions.

#include <utility>

#include <fusion/expr/expression.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {

/// Shape, view and device memory of a column-major matrix.
class matrix_base {
 public:
  /// Copies of this part share the memory.
  matrix_base(const matrix_base&) = default;
  matrix_base& operator=(const matrix_base&) = default;
  /// What is moved from is 0 x 0 afterwards.
  matrix_base(matrix_base&& other) noexcept
      : storage_(std::move(other.storage_)),
        rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        view_(std::exchange(other.view_, matrix_cl_view::Entire)) {}
  matrix_base& operator=(matrix_base&& other) noexcept {
    storage_ = std::move(other.storage_);
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    view_ = std::exchange(other.view_, matrix_cl_view::Entire);
    return *this;
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t size() const { return rows_ * cols_; }
  matrix_cl_view view() const { return view_; }
  /// Declares which part is non-zero; the buffer is not touched.
  void view(matrix_cl_view view) { view_ = view; }
  /// Another shape for the same elements, column by column, of which there are as many as before; the view is
  /// Entire then.
  void reshape(std::int64_t rows, std::int64_t cols) {
    rows_ = rows;
    cols_ = cols;
    view_ = matrix_cl_view::Entire;
  }
  const runtime::storage_ref& storage() const {
    if (!storage_) [[unlikely]]
      storage_ = runtime::make_storage(0);
    return storage_;
  }
  /// The OpenCL buffer, null where there are no elements. Whoever uses it on a queue of his own orders that
  /// himself.
  cl::Buffer buffer() const {
    return rows_ == 0 || cols_ == 0 ? cl::Buffer() : cl::Buffer(storage()->mem(), true);
  }
  /// Waits until the device has done everything that reads or writes this matrix.
  void wait_for_read_write_events() const {
    if (storage_) runtime::finish_queues(storage_->users.load());
  }
  /// Takes memory of its own where a tape may read the present one again; `keep` copies the contents.
  void unshare(bool keep) const;

 protected:
  matrix_base() = default;
  /// A matrix without contents. Throws std::invalid_argument for a negative size.
  matrix_base(std::int64_t rows, std::int64_t cols, matrix_cl_view view, std::size_t element_bytes);
  /// A matrix over a user's buffer.
  matrix_base(const cl::Buffer& buffer, std::int64_t rows, std::int64_t cols, matrix_cl_view view,
              std::size_t element_bytes);

  /// Copies `rows * cols` elements from the host.
  void write(const void* host, std::size_t element_bytes);
  /// Copies them to the host and waits.
  void read(void* host, std::size_t element_bytes) const;
  /// Becomes a copy of `other` on the device.
  void copy_from(const matrix_base& other, std::size_t element_bytes);

 private:
  friend class evaluation;

  mutable runtime::storage_ref storage_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  matrix_cl_view view_ = matrix_cl_view::Entire;
};

/// A matrix as an operand: a handle to its memory as it was when the expression was built.
template <element T>
struct matrix_leaf : expression<matrix_leaf<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = false;
  runtime::storage_ref storage;
  std::int64_t rows_;
  std::int64_t cols_;
  matrix_cl_view view_;

  matrix_leaf(runtime::storage_ref memory, std::int64_t rows, std::int64_t cols, matrix_cl_view view)
      : storage(std::move(memory)), rows_(rows), cols_(cols), view_(view) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const {
    b.matrix({storage.get(), rows_, cols_, type, view_, !storage || storage->padded()});
  }
  ir::node_id lower(lowering& low) const { return low.matrix(); }
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/matrix/matrix_base.ipp>
#endif
