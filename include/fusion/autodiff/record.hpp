#pragma once
// Entries of the tape and how statements become entries. A statement with a matrix result keeps its
// expression and computes derivatives when it is gone through backwards; one with a scalar result computes
// them together with its value.

#include <fusion/autodiff/derivation.hpp>
#include <fusion/autodiff/derivative_check.hpp>
#include <fusion/autodiff/tape.hpp>
#include <fusion/autodiff/used_matrix.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/checks.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
template <class T>
class var_value;

namespace detail {

/// A matrix variable without its element type.
class matrix_entry_base : public tape_entry {
 public:
  explicit matrix_entry_base(scalar_type type) : type_(type) {}
  void clear_adjoint() override { restart_adjoint(); }
  /// Of a variable that no statement made: its adjoint is complete, and what a user made of it is looked at.
  void reverse() override { check_adjoint(); }
  std::function<void()> kept_adjoint() override;

  virtual matrix_base& value_base() = 0;
  virtual matrix_base& adjoint_base() = 0;
  scalar_type type() const { return type_; }
  /// Throws std::invalid_argument where a user has given the variable an adjoint of another size.
  void check_adjoint();
  /// Whether something was added to the adjoint; else it counts as zero, and its memory holds anything unless
  /// a user has a reference to it.
  bool has_adjoint() {
    if (!has_adjoint_ && handed_out_ && !is_zeroed()) has_adjoint_ = true;  // he wrote a seed
    return has_adjoint_;
  }
  void mark_adjoint() { has_adjoint_ = true; }
  /// Has zeros where nothing was added to the adjoint.
  void complete_adjoint();
  /// Starts anew with an adjoint of zeros.
  void restart_adjoint();

 protected:
  /// Lets a user have a reference to the adjoint.
  void hand_out();

 private:
  /// Whether the adjoint is as `zero_adjoint` has left it.
  bool is_zeroed();
  void zero_adjoint();

  bool has_adjoint_ = false;
  bool handed_out_ = false;
  const void* zeroed_memory_ = nullptr;
  std::uint64_t zeroed_write_ = 0;
  scalar_type type_;
};

template <element T>
class matrix_entry : public matrix_entry_base {
 public:
  explicit matrix_entry(matrix_cl<T> v) : matrix_entry_base(scalar_type_v<T>), value(std::move(v)) {}
  matrix_base& value_base() override { return value; }
  matrix_base& adjoint_base() override { return adjoint; }
  /// The adjoint for a user, filled with zeros if nothing was added.
  matrix_cl<T>& full_adjoint() {
    hand_out();
    return adjoint;
  }

  matrix_cl<T> value;
  matrix_cl<T> adjoint;
};

/// Keeps memory while this lives, and keeps it from being overwritten.
class storage_pin {
 public:
  storage_pin() = default;
  explicit storage_pin(runtime::storage_ref memory) : memory_(std::move(memory)) {
    if (memory_) memory_->identity().pins.fetch_add(1, std::memory_order_relaxed);
  }
  storage_pin(const storage_pin& other) : storage_pin(other.memory_) {}
  storage_pin(storage_pin&& other) noexcept = default;
  storage_pin& operator=(storage_pin other) noexcept {
    memory_.swap(other.memory_);
    return *this;
  }
  ~storage_pin() {
    if (memory_) memory_->identity().pins.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  runtime::storage_ref memory_;
};

/// A variable with the contents that a matrix has now, in the same memory: while this lives, the matrix takes
/// other memory for what it is assigned.
template <element T>
class variable_of_matrix : public matrix_entry<T> {
 public:
  explicit variable_of_matrix(const matrix_base& of) : matrix_entry<T>(matrix_cl<T>()) {
    static_cast<matrix_base&>(this->value) = of;
    this->value.set_apart();
    pin_ = storage_pin(this->value.storage());
  }

 private:
  storage_pin pin_;
};

/// A matrix variable in an expression.
template <element T>
struct variable_leaf : expression<variable_leaf<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = false;
  static constexpr bool is_on_tape = true;
  using variable_element = T;
  entry_handle<matrix_entry<T>> handle;
  std::int64_t rows_;
  std::int64_t cols_;

  explicit variable_leaf(const entry_handle<matrix_entry<T>>& h)
      : handle(h), rows_(h.get()->value.rows()), cols_(h.get()->value.cols()) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const {
    matrix_entry<T>* entry = handle.get();
    matrix_operand value = operand_of(entry->value, type);
    value.variable = static_cast<matrix_entry_base*>(entry);
    b.variable(value);
  }
  ir::node_id lower(lowering& low) const { return low.matrix(); }
};

/// A number on the tape. What statements on the device add to its adjoint stays there until somebody reads
/// it.
class scalar_entry : public tape_entry {
 public:
  explicit scalar_entry(double v) : value_(v) {}
  virtual double value() { return value_; }
  void clear_adjoint() override { set_adjoint(0); }

  /// The adjoint. Waits where something was added on the device. Threads may ask at once.
  double& adjoint() {
    if (unsettled_.load(std::memory_order_acquire)) settle();
    return adjoint_;
  }
  void set_adjoint(double amount) {
    put_on_device({});
    adjoint_ = amount;
  }
  void add(double amount) { adjoint_ += amount; }
  /// Adds `weight` times the 1 x 1 matrix of doubles `amount`, without waiting.
  void add(const untyped_matrix& amount, double weight);
  /// Adds `weight` times the adjoint of this to that of `other`, without waiting.
  void pass_on(scalar_entry& other, double weight) const;
  bool has_adjoint() const { return !is_zero(adjoint_) || !on_device_.empty(); }
  std::function<void()> kept_adjoint() override;

 protected:
  double value_;

 private:
  struct contribution {
    untyped_matrix amount;
    double weight;
  };
  void settle();
  void put_on_device(list_of<contribution> amounts) {
    on_device_ = std::move(amounts);
    unsettled_.store(!on_device_.empty(), std::memory_order_release);
  }

  double adjoint_ = 0;
  std::atomic<bool> unsettled_{false};  ///< something is on the device
  list_of<contribution> on_device_;
};

/// A number on the tape in an expression.
struct scalar_variable_leaf : expression<scalar_variable_leaf> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = true;
  static constexpr bool is_on_tape = true;
  entry_handle<scalar_entry> handle;
  double value;

  explicit scalar_variable_leaf(const entry_handle<scalar_entry>& h) : handle(h), value(h.get()->value()) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar_variable(value, handle.get(), true); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
};

/// An expression with what it needs to be gathered and lowered again.
struct recorded_expression {
  statement_type* type;  ///< of its reverse statement
  void (*gather)(const void* e, binder& b);
  ir::node_id (*lower)(const void* const* expressions, std::size_t k, lowering& low);
};

template <class E>
void gather_one(const void* e, binder& b) {
  static_cast<const E*>(e)->gather(b);
}

/// Tag of the statements that compute derivatives.
struct reverse_tag {};

template <class E>
recorded_expression recorded() {
  return {&type_of_statement<reverse_tag, E>, gather_one<E>, lower_nth<E>};
}

/// Throws std::logic_error unless the entry is on this thread's tape.
void check_owner(const tape_entry* entry);
/// Whether variables of a tape are among the operands; throws as above for those of another thread.
bool uses_variables(const binder& bound);

/// Keeps the memory of operands and value, and keeps it from being overwritten, while an entry may read it
/// again.
class pinned_operands {
 public:
  pinned_operands(const binder& bound, const matrix_base& value, scalar_type value_type);
  pinned_operands(const pinned_operands&) = delete;
  /// The operands as they were gathered, whatever the matrices have been assigned since.
  const binder_record& recorded() const { return recorded_; }
  /// The value as it was computed.
  const matrix_operand& value() const { return value_; }

 private:
  binder_record recorded_;
  list_of<storage_pin> pins_;  // by operand slot, the value's last
  matrix_operand value_;
};

/// Adds to the adjoints of the matrix and scalar variables of `e`, given the adjoint of its value. All
/// contributions are written by one statement. Of `e` only the form is looked at.
void reverse_matrix_statement(const recorded_expression& r, const void* e, const pinned_operands& operands,
                              matrix_entry_base& result);

/// Result of a scalar statement: value and partial derivatives are on the device until one is needed. One
/// with checks (`first_failed` of those that are always done is the second expression of `r`) fetches them at
/// once and throws what they say.
class scalar_statement : public scalar_entry {
 public:
  scalar_statement(const recorded_expression& r, const void* e, scalar_type type,
                   const scalar_checks* checks = nullptr);
  ~scalar_statement() override;
  double value() override;
  void start_gradient() override {
    if (!matrices_.empty() || !scalars_.empty()) set_adjoint(0);
  }
  void reverse() override;
  void request(number_reader& reader) override;

 private:
  void request_all(number_reader& reader);
  void fetch();

  scalar_type type_;
  std::atomic<bool> fetched_{false};
  bool is_constant_ = false;  ///< gives no adjoints
  shared_numbers numbers_;    ///< the value and the partial derivatives by numbers
  struct matrix_partial {
    used_matrix variable;
    untyped_matrix partial;
    storage_pin pin;
  };
  struct scalar_partial {
    scalar_entry* variable;
    double partial = 0;
  };
  list_of<matrix_partial> matrices_;
  list_of<scalar_partial> scalars_;
};

template <element T, class E>
class matrix_statement : public matrix_entry<T> {
 public:
  /// `bound`: the operands of `e`.
  matrix_statement(const E& e, const binder& bound)
      : matrix_entry<T>(matrix_cl<T>(e)), expression_(e), pins_(bound, this->value, scalar_type_v<T>) {}
  void start_gradient() override { this->restart_adjoint(); }
  void reverse() override {
    if (this->has_adjoint()) reverse_matrix_statement(recorded<E>(), &expression_, pins_, *this);
  }

 private:
  E expression_;
  pinned_operands pins_;
};

/// Does not compile where a variable of a tape reaches a user function without derivatives.
template <class E>
constexpr bool check_tape_derivatives() {
  return check_derivatives<E, variable_leaf<double>, variable_leaf<float>, scalar_variable_leaf>();
}

scalar_entry* record_number(double value);
/// A new variable: a copy of a matrix that a user may write to by hand, else with its memory.
template <element T>
matrix_entry<T>* record_variable(const matrix_cl<T>& of) {
  if (of.storage()->is_known_to_user()) return this_thread_tape().record<matrix_entry<T>>(matrix_cl<T>(of));
  return this_thread_tape().record<variable_of_matrix<T>>(of);
}
/// A number computed from one or two of this thread's with these partial derivatives; `b` may be null.
scalar_entry* record_partials(double value, scalar_entry* a, double da, scalar_entry* b, double db);

template <class E>
scalar_entry* record_scalar(const E& e) {
  static_assert(is_floating(E::type), "a var needs a floating-point expression");
  static_assert(check_tape_derivatives<E>());
  return this_thread_tape().record<scalar_statement>(recorded<E>(), &e, E::type);
}

template <element T, class E>
matrix_entry<T>* record_matrix(const E& e) {
  static_assert(std::is_floating_point_v<T>, "a variable has a floating-point element type");
  static_assert(check_tape_derivatives<E>());
  binder bound;
  bound.differentiate_by({.on_tape = true});
  e.gather(bound);
  if (!uses_variables(bound)) return this_thread_tape().record<matrix_entry<T>>(matrix_cl<T>(e));
  return this_thread_tape().record<matrix_statement<T, E>>(e, bound);
}

/// Runs the tape backwards from `root`. Throws std::logic_error if it is not on this thread's tape or older
/// than the innermost nested tape.
void run_reverse(const entry_handle<scalar_entry>& root);
/// Runs the innermost tape backwards from its end with the adjoints that are there.
void run_reverse_from_adjoints();

}  // namespace detail
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/record.ipp>
#endif
