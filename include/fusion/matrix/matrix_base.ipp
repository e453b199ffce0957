#pragma once
#include <stdexcept>
#include <string>

#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {

FUSECL_INLINE matrix_base::matrix_base(std::int64_t rows, std::int64_t cols, matrix_cl_view view,
                                       std::size_t element_bytes)
    : rows_(rows), cols_(cols), view_(view) {
  detail::check_stated_size("matrix_cl", rows, cols, false);
  storage_ = runtime::make_storage(bytes_of(rows, cols, element_bytes));
}

FUSECL_INLINE matrix_base::matrix_base(const cl::Buffer& buffer, std::int64_t rows, std::int64_t cols,
                                       matrix_cl_view view, std::size_t element_bytes)
    : rows_(rows), cols_(cols), view_(view) {
  detail::check_stated_size("matrix_cl", rows, cols, false);
  storage_ = runtime::adopt_storage(buffer, bytes_of(rows, cols, element_bytes));
}

FUSECL_INLINE void matrix_base::write(const void* host, std::size_t element_bytes) {
  const std::size_t bytes = static_cast<std::size_t>(size()) * element_bytes;
  if (bytes > 0) runtime::this_thread_queue().write(*storage_, 0, bytes, host);
}

FUSECL_INLINE void matrix_base::read(void* host, std::size_t element_bytes) const {
  const std::size_t bytes = static_cast<std::size_t>(size()) * element_bytes;
  if (bytes > 0) runtime::this_thread_queue().read(*storage_, 0, bytes, host);
}

FUSECL_INLINE void matrix_base::unshare(bool keep) const {
  if (!storage_ || storage_->pins == 0) return;
  const runtime::storage_ref before = storage_;
  runtime::storage_ref fresh = runtime::make_storage(before->bytes());
  if (keep && before->bytes() > 0) runtime::this_thread_queue().copy(*before, 0, *fresh, 0, before->bytes());
  storage_ = std::move(fresh);
}

FUSECL_INLINE void matrix_base::copy_from(const matrix_base& other, std::size_t element_bytes) {
  if (this == &other) return;
  const std::size_t bytes = static_cast<std::size_t>(other.size()) * element_bytes;
  const bool fits =
      storage_ && static_cast<std::size_t>(size()) * element_bytes == bytes && storage_->pins == 0;
  if (!fits) storage_ = runtime::make_storage(bytes);
  rows_ = other.rows_;
  cols_ = other.cols_;
  view_ = other.view_;
  if (bytes > 0 && storage_ != other.storage_)
    runtime::this_thread_queue().copy(*other.storage_, 0, *storage_, 0, bytes);
}

}  // namespace fusecl
