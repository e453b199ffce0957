#pragma once
// The part of a device matrix that does not depend on its element type, and its leaf in expressions.

#include <atomic>
#include <utility>
#include <vector>

#include <fusion/expr/expression.hpp>
#include <fusion/matrix/matrix_state.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless a matrix of rows x cols elements has as many as the operand.
void check_reshape(const char* function, std::int64_t a_rows, std::int64_t a_cols, std::int64_t rows,
                   std::int64_t cols);
/// Throws std::invalid_argument where a matrix, called `name`, is larger than a host object can become.
void check_room(const char* function, const char* name, std::int64_t rows, std::int64_t cols,
                const char* host_name, std::int64_t most_rows, std::int64_t most_cols);

}  // namespace detail

/// Shape, view and device memory of a column-major matrix.
class matrix_base {
 public:
  /// Copies of this part share the memory.
  matrix_base(const matrix_base& other);
  matrix_base& operator=(const matrix_base& other);
  /// What is moved from is 0 x 0 afterwards. Expressions that named it before read what it held in its new
  /// place until it is assigned to.
  matrix_base(matrix_base&& other) noexcept {
    detail::matrix_state* held = other.held();
    if (held != nullptr && held->is_shared())
      take(other);
    else
      state_.store(other.state_.exchange(nullptr, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  matrix_base& operator=(matrix_base&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~matrix_base() {
    if (detail::matrix_state* held = this->held()) held->leave();
  }

  std::int64_t rows() const {
    const detail::matrix_state* s = held();
    return s != nullptr ? s->rows : 0;
  }
  std::int64_t cols() const {
    const detail::matrix_state* s = held();
    return s != nullptr ? s->cols : 0;
  }
  /// Number of elements. Throws std::length_error where that cannot be counted: no device holds so many.
  std::int64_t size() const { return detail::elements_of(rows(), cols()); }
  matrix_cl_view view() const {
    const detail::matrix_state* s = held();
    return s != nullptr ? s->view : matrix_cl_view::Entire;
  }
  /// Declares which part is non-zero; the buffer is not touched.
  void view(matrix_cl_view view) { state().view = view; }
  const runtime::storage_ref& storage() const { return state().storage; }
  /// What operands that name this matrix say of it (matrix_operand).
  const void* owner() const { return detail::owner_of(state()); }
  /// Before others see it: whatever else is in its memory is another variable.
  void set_apart() { state().is_apart = true; }
  /// The OpenCL buffer; none of a matrix that is 0 x 0, a small one where there are no elements otherwise. It
  /// may outlive the matrix: it never serves another one. Whoever uses it on a queue of his own orders that
  /// himself, by events or by waiting.
  cl::Buffer buffer() const {
    if (rows() == 0 && cols() == 0) return cl::Buffer();
    if (storage()->is_of_record()) unshare();
    return cl::Buffer(storage()->hand_out(), true);
  }
  /// Waits until the device has done everything that reads or writes this matrix.
  void wait_for_read_write_events() const {
    if (const detail::matrix_state* s = held()) {
      runtime::finish_queues(s->storage->identity().users.load());
      if (s->events.get() != nullptr) [[unlikely]]
        finish_user_events();
    }
  }

  /// Tells of what the program has enqueued by itself that reads (writes, does both with) this matrix's
  /// buffer, and that is done when `event` is complete: what the library does with the matrix from now on
  /// waits for it on the device. An event that is empty is listed and not waited for. Throws opencl_error for
  /// an event of another context.
  void add_read_event(const cl::Event& event) const;
  void add_write_event(const cl::Event& event) const;
  void add_read_write_event(const cl::Event& event) const;
  /// What has to be complete before the buffer may be written to: the events told of that read it, and one
  /// for all that the library has enqueued, if there is anything.
  std::vector<cl::Event> read_events() const;
  /// What has to be complete before it may be read: the same of all that writes it.
  std::vector<cl::Event> write_events() const;
  std::vector<cl::Event> read_write_events() const;
  /// Forgets the events told of. What waits for them still does.
  void clear_read_events() const;
  void clear_write_events() const;
  void clear_read_write_events() const;
  /// Waits for what read_events() (write_events()) has, and forgets it.
  void wait_for_read_events() const;
  void wait_for_write_events() const;

  /// Takes memory of its own, with the same contents, where a tape may read the present one again.
  void unshare() const;
  /// Whether this and `other` are handles to one matrix, or one object.
  bool is_same_matrix(const matrix_base& other) const {
    return this == &other || (held() != nullptr && held() == other.held());
  }

 protected:
  /// Tag of constructors of handles.
  struct same_matrix {};

  matrix_base() = default;
  /// Another handle to the matrix that `other` is.
  matrix_base(same_matrix, const matrix_base& other);
  void become(same_matrix, const matrix_base& other);
  /// A matrix without contents. Throws std::invalid_argument for a negative size.
  matrix_base(std::int64_t rows, std::int64_t cols, matrix_cl_view view, std::size_t element_bytes);
  /// A matrix over a user's buffer, which may be null where there are no elements.
  matrix_base(const cl::Buffer& buffer, std::int64_t rows, std::int64_t cols, matrix_cl_view view,
              std::size_t element_bytes);

  /// The state, or null: then this is 0 x 0 and no expression names it.
  detail::matrix_state* held() const { return state_.load(std::memory_order_acquire); }
  detail::matrix_state& state() const {
    detail::matrix_state* s = held();
    return s != nullptr ? *s : make_state();
  }
  /// Another shape for all elements that the memory holds, of which there are as many; the view is Entire
  /// then.
  void take_shape(std::int64_t rows, std::int64_t cols);
  /// Whether a result of this size may be written to the memory that is there.
  bool can_keep_memory(std::int64_t rows, std::int64_t cols) const;
  /// Copies `rows * cols` elements from the host.
  void write(const void* host, std::size_t element_bytes);
  /// Copies them to the host and waits.
  void read(void* host, std::size_t element_bytes) const;
  /// Copies the element in row `i` and column `j`, counted from 0, to the host and waits; false where it is
  /// outside of the view. Throws std::out_of_range where there is none.
  bool read_element(std::int64_t i, std::int64_t j, void* host, std::size_t element_bytes) const;
  /// Becomes a copy of `other` on the device. After an exception this is as it was.
  void copy_from(const matrix_base& other, std::size_t element_bytes);

 private:
  void finish_user_events() const;
  /// Events that this was told of; null if of none.
  detail::user_events* told_of() const;

  template <element T>
  friend struct matrix_leaf;
  friend class evaluation;

  detail::matrix_state& make_state() const;
  /// Moves what `other` holds here.
  void take(matrix_base& other) noexcept;
  /// The same where expressions name what `other` holds or did. Throws std::bad_alloc, all as it was then.
  void take_named(matrix_base& other);
  /// The same without memory to be had: expressions that name `other` stay with what is moved.
  void take_with_names(matrix_base& other) noexcept;

  mutable std::atomic<detail::matrix_state*> state_{nullptr};
};

namespace detail {

/// One use of the matrix with this state, of elements `type`.
void gather_matrix(binder& b, const state_ref& state, scalar_type type);
/// A matrix as an operand that names no owner.
matrix_operand operand_of(const matrix_base& m, scalar_type type);

}  // namespace detail

/// A matrix as an operand: reads what the matrix holds when the expression is evaluated.
template <element T>
struct matrix_leaf : expression<matrix_leaf<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = false;
  static constexpr bool is_matrix_as_it_is = true;  ///< what has one reads elements of memory, nothing else

  explicit matrix_leaf(const matrix_base& matrix) : state_(matrix.state()) {}
  std::int64_t rows() const { return state_.rows(); }
  std::int64_t cols() const { return state_.cols(); }
  const detail::state_ref& sized() const { return state_; }
  void gather(binder& b) const { detail::gather_matrix(b, state_, type); }
  ir::node_id lower(lowering& low) const { return low.matrix(); }

 private:
  detail::state_ref state_;
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/matrix/matrix_base.ipp>
#include <fusion/matrix/user_events.ipp>
#endif
