#pragma once
#include <new>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {
namespace detail {

/// A state for whoever asks, with one reference.
FUSECL_HOT_INLINE matrix_state* new_state(runtime::storage_ref memory, std::int64_t rows, std::int64_t cols,
                                          matrix_cl_view view) {
  auto* fresh = new matrix_state(std::move(memory));
  fresh->rows = rows;
  fresh->cols = cols;
  fresh->view = view;
  return fresh;
}

FUSECL_HOT_INLINE void gather_matrix(binder& b, const state_ref& state, scalar_type type) {
  const matrix_state& now = state.now();
  matrix_operand operand{now.storage.get(), now.rows, now.cols, type, now.view, now.storage->padded()};
  operand.owner = owner_of(now);
  b.matrix(operand);
}

FUSECL_INLINE matrix_operand operand_of(const matrix_base& m, scalar_type type) {
  return {m.storage().get(), m.rows(), m.cols(), type, m.view(), m.storage()->padded()};
}

FUSECL_HOT_INLINE void check_same_shape(const char* function, const char* name_a, const state_ref& a,
                                        const char* name_b, const state_ref& b) {
  const matrix_state &x = a.now(), &y = b.now();
  if (x.rows != y.rows || x.cols != y.cols) [[unlikely]]
    shape_mismatch(function, name_a, x.rows, x.cols, name_b, y.rows, y.cols);
}

FUSECL_INLINE void check_reshape(const char* function, std::int64_t a_rows, std::int64_t a_cols,
                                 std::int64_t rows, std::int64_t cols) {
  std::int64_t own = 0, wanted = 0;
  const bool counts = a_rows >= 0 && a_cols >= 0 && rows >= 0 && cols >= 0 &&
                      !__builtin_mul_overflow(a_rows, a_cols, &own) &&
                      !__builtin_mul_overflow(rows, cols, &wanted);
  if (!counts || own != wanted)
    throw std::invalid_argument(
        text::fill("{}: a ({} x {}) and the result ({} x {}) must have equally many elements",
                   {function, a_rows, a_cols, rows, cols}));
}

FUSECL_INLINE void check_room(const char* function, const char* name, std::int64_t rows, std::int64_t cols,
                              const char* host_name, std::int64_t most_rows, std::int64_t most_cols) {
  if (rows > most_rows || cols > most_cols)
    throw std::invalid_argument(text::fill("{}: {} is {} x {}, {} holds at most {} x {}",
                                           {function, name, rows, cols, host_name, most_rows, most_cols}));
}

}  // namespace detail

FUSECL_HOT_INLINE matrix_base::matrix_base(std::int64_t rows, std::int64_t cols, matrix_cl_view view,
                                           std::size_t element_bytes) {
  detail::check_stated_size("matrix_cl", rows, cols, false);
  const auto memory = runtime::make_storage(bytes_of(rows, cols, element_bytes));
  state_.store(detail::new_state(memory, rows, cols, view), std::memory_order_relaxed);
}

FUSECL_INLINE matrix_base::matrix_base(const cl::Buffer& buffer, std::int64_t rows, std::int64_t cols,
                                       matrix_cl_view view, std::size_t element_bytes) {
  detail::check_stated_size("matrix_cl", rows, cols, false);
  const std::size_t bytes = bytes_of(rows, cols, element_bytes);
  const bool nothing = bytes == 0 && buffer() == nullptr;
  if (!nothing && buffer() == nullptr)
    throw std::invalid_argument(
        text::fill("matrix_cl: the buffer is null, and the matrix has {} x {} elements", {rows, cols}));
  const auto memory = nothing ? runtime::make_storage(0) : runtime::adopt_storage(buffer, bytes);
  state_.store(detail::new_state(memory, rows, cols, view), std::memory_order_relaxed);
}

FUSECL_INLINE matrix_base::matrix_base(const matrix_base& other) {
  if (const detail::matrix_state* from = other.held())
    state_.store(detail::new_state(from->storage, from->rows, from->cols, from->view),
                 std::memory_order_relaxed);
}

FUSECL_INLINE matrix_base::matrix_base(same_matrix, const matrix_base& other) {
  detail::matrix_state& own = other.state();
  own.join();
  state_.store(&own, std::memory_order_relaxed);
}

FUSECL_INLINE void matrix_base::become(same_matrix, const matrix_base& other) {
  detail::matrix_state& own = other.state();
  own.join();
  if (detail::matrix_state* before = state_.exchange(&own, std::memory_order_acq_rel)) before->leave();
}

FUSECL_INLINE matrix_base& matrix_base::operator=(const matrix_base& other) {
  if (this == &other) return *this;
  const detail::matrix_state& from = other.state();
  state().hold(from.storage, from.rows, from.cols, from.view);
  return *this;
}

FUSECL_HOT_INLINE detail::matrix_state& matrix_base::make_state() const {
  detail::matrix_state* fresh = detail::new_state(runtime::make_storage(0), 0, 0, matrix_cl_view::Entire);
  detail::matrix_state* none = nullptr;
  if (state_.compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) return *fresh;
  fresh->release();  // another thread was first
  return *none;
}

FUSECL_HOT_INLINE void matrix_base::take(matrix_base& other) noexcept {
  detail::matrix_state* from = other.held();
  detail::matrix_state* own = held();
  if (own != nullptr && own == from) return;  // handles to one matrix
  const bool own_is_alone = own == nullptr || own->is_alone();
  const bool from_is_alone = from == nullptr || from->is_alone();
  if (own_is_alone && from_is_alone) {
    if (own != nullptr) own->release();
    state_.store(from, std::memory_order_relaxed);
    other.state_.store(nullptr, std::memory_order_relaxed);
    return;
  }
  try {
    take_named(other);
  } catch (const std::bad_alloc&) {
    take_with_names(other);
  }
}

FUSECL_INLINE void matrix_base::take_named(matrix_base& other) {
  detail::matrix_state* from = other.held();
  if (from == nullptr || (from->rows == 0 && from->cols == 0)) {  // nothing to go with
    if (held() != nullptr) state().hold(runtime::make_storage(0), 0, 0, matrix_cl_view::Entire);
    return;
  }
  const bool named = from->is_named();
  detail::matrix_state& to = state();
  runtime::storage_ref nothing = named ? runtime::make_storage(0) : runtime::storage_ref();
  const bool lacks_group = named && from->group == nullptr && to.group == nullptr;
  detail::follower_group* fresh = lacks_group ? new detail::follower_group : nullptr;
  to.hold(from->storage, from->rows, from->cols, from->view);  // nothing throws from here on
  to.adopt(fresh != nullptr ? fresh : std::exchange(from->group, nullptr));
  if (named) {
    from->go_to(to, std::move(nothing));
  } else {
    other.state_.store(nullptr, std::memory_order_relaxed);
    from->release();
  }
}

FUSECL_INLINE void matrix_base::take_with_names(matrix_base& other) noexcept {
  detail::matrix_state* from = other.held();
  detail::matrix_state* own = held();
  if (from == nullptr || (from->rows == 0 && from->cols == 0)) {
    own->hold(own->storage, 0, 0, matrix_cl_view::Entire);
    return;
  }
  other.state_.store(nullptr, std::memory_order_relaxed);
  if (own == nullptr || !own->is_shared()) {
    if (own != nullptr) own->release();
    state_.store(from, std::memory_order_relaxed);
    return;
  }
  own->hold(from->storage, from->rows, from->cols, from->view);
  own->adopt(std::exchange(from->group, nullptr));
  from->release();
}

FUSECL_INLINE void matrix_base::take_shape(std::int64_t rows, std::int64_t cols) {
  detail::matrix_state& s = state();
  if (s.rows == rows && s.cols == cols)
    s.view = matrix_cl_view::Entire;
  else
    s.hold(s.storage, rows, cols, matrix_cl_view::Entire);
}

FUSECL_HOT_INLINE bool matrix_base::can_keep_memory(std::int64_t rows, std::int64_t cols) const {
  const detail::matrix_state* s = held();
  if (s == nullptr || s->rows != rows || s->cols != cols || s->follows != nullptr) return false;
  if (s->storage->identity().pins.load(std::memory_order_relaxed) != 0) return false;
  const std::uint64_t generation = s->storage->generation();  // 0 where no memory was taken yet
  return generation == 0 || generation == runtime::selected_generation.load(std::memory_order_acquire);
}

FUSECL_INLINE void matrix_base::write(const void* host, std::size_t element_bytes) {
  const std::size_t bytes = bytes_of(rows(), cols(), element_bytes);
  if (bytes > 0 && host == nullptr)
    throw std::invalid_argument("matrix_cl: the pointer to the elements of a " + std::to_string(rows()) +
                                " x " + std::to_string(cols()) + " matrix is null");
  if (bytes > 0) runtime::this_thread_queue().write(*storage(), 0, bytes, host);
}

FUSECL_INLINE void matrix_base::read(void* host, std::size_t element_bytes) const {
  const std::size_t bytes = bytes_of(rows(), cols(), element_bytes);
  if (bytes > 0) runtime::this_thread_queue().read(*storage(), 0, bytes, host);
}

FUSECL_INLINE bool matrix_base::read_element(std::int64_t i, std::int64_t j, void* host,
                                             std::size_t element_bytes) const {
  detail::check_place(i, j, rows(), cols());
  if (is_outside(view(), i, j)) return false;
  const auto at = static_cast<std::size_t>(i + j * rows());
  runtime::this_thread_queue().read(*storage(), at * element_bytes, element_bytes, host);
  return true;
}

FUSECL_INLINE void matrix_base::unshare() const {
  const detail::matrix_state* held = this->held();
  if (held == nullptr || held->storage->identity().pins == 0) return;
  const runtime::storage_ref& before = held->storage;
  runtime::storage_ref fresh = runtime::make_storage(before->bytes());
  if (before->bytes() > 0) runtime::this_thread_queue().copy(*before, 0, *fresh, 0, before->bytes());
  state().storage = std::move(fresh);
}

FUSECL_INLINE void matrix_base::copy_from(const matrix_base& other, std::size_t element_bytes) {
  if (this == &other) return;
  const std::size_t bytes = static_cast<std::size_t>(other.size()) * element_bytes;
  detail::matrix_state& own = state();
  const detail::matrix_state& from = other.state();
  const bool fits =
      static_cast<std::size_t>(size()) * element_bytes == bytes && can_keep_memory(own.rows, own.cols);
  runtime::storage_ref to = fits ? own.storage : runtime::make_storage(bytes);
  if (bytes > 0 && to != from.storage) runtime::this_thread_queue().copy(*from.storage, 0, *to, 0, bytes);
  own.hold(std::move(to), from.rows, from.cols, from.view);
}

}  // namespace fusecl
