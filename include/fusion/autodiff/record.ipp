#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>

#include <fusion/autodiff/record.hpp>
#include <fusion/autodiff/used_variables.ipp>
#include <fusion/base/floating.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/kept_failures.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_owner(const tape_entry* entry) {
  if (entry->mark().tape != this_thread_tape().number())
    throw std::logic_error("a statement uses a variable that was recorded on the tape of another thread");
}

FUSECL_INLINE bool uses_variables(const binder& bound) { return !used_variables(bound).list.empty(); }

FUSECL_INLINE bool matrix_entry_base::is_zeroed() {
  const matrix_base &value = value_base(), &adjoint = adjoint_base();
  const runtime::storage_ref& memory = adjoint.storage();
  return value.rows() == adjoint.rows() && value.cols() == adjoint.cols() && memory.get() == zeroed_memory_ &&
         memory->identity().last_write == zeroed_write_ && !memory->is_known_to_user();
}

FUSECL_INLINE void matrix_entry_base::zero_adjoint() {
  const matrix_base& value = value_base();
  evaluation::fill_zero({&adjoint_base(), type_, value.rows(), value.cols(), "an adjoint"});
  zeroed_memory_ = adjoint_base().storage().get();
  zeroed_write_ = adjoint_base().storage()->identity().last_write;
}

FUSECL_INLINE void matrix_entry_base::hand_out() {
  if (!has_adjoint() && (!handed_out_ || !is_zeroed())) zero_adjoint();
  handed_out_ = true;
}

FUSECL_INLINE void matrix_entry_base::complete_adjoint() {
  if (!has_adjoint()) zero_adjoint();
  has_adjoint_ = true;
}

FUSECL_INLINE void matrix_entry_base::restart_adjoint() {
  if (handed_out_ && has_adjoint()) zero_adjoint();
  has_adjoint_ = false;
}

FUSECL_INLINE std::function<void()> matrix_entry_base::kept_adjoint() {
  // pinned: what is copied to the adjoint meanwhile goes to other memory
  const storage_pin pin(adjoint_base().storage());
  return [this, pin, has = has_adjoint(), memory = matrix_base(adjoint_base())] {
    has_adjoint_ = has;
    adjoint_base() = memory;
    if (handed_out_ && !has && !is_zeroed()) zero_adjoint();
  };
}

FUSECL_INLINE std::function<void()> scalar_entry::kept_adjoint() {
  return [this, amount = adjoint_, on_device = on_device_] {
    adjoint_ = amount;
    put_on_device(on_device);
  };
}

FUSECL_INLINE void scalar_entry::add(const untyped_matrix& amount, double weight) {
  constexpr std::size_t most = 256;  // each holds memory on the device
  for (contribution& c : on_device_)
    if (c.amount.storage() == amount.storage()) {
      c.weight += weight;
      return;
    }
  if (on_device_.size() == most) settle();
  on_device_.push_back({amount, weight});
  unsettled_.store(true, std::memory_order_release);
}

FUSECL_INLINE void scalar_entry::pass_on(scalar_entry& other, double weight) const {
  if (!is_zero(adjoint_)) other.adjoint_ += weight * adjoint_;
  const list_of<contribution> amounts = on_device_;  // `other` may be this
  for (const contribution& c : amounts) other.add(c.amount, weight * c.weight);
}

/// Held while numbers that threads may ask for are brought from the device.
inline FUSECL_SHARED std::mutex& fetching() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

FUSECL_INLINE void scalar_entry::settle() {
  const std::lock_guard lock(fetching());
  if (!unsettled_.load(std::memory_order_relaxed)) return;
  list_of<double> amounts(on_device_.size());
  number_reader reader;
  for (std::size_t k = 0; k < amounts.size(); ++k)
    reader.request({on_device_[k].amount.storage(), 0, scalar_type::float64, &amounts[k]});
  reader.complete();
  for (std::size_t k = 0; k < amounts.size(); ++k) adjoint_ += on_device_[k].weight * amounts[k];
  put_on_device({});
}

FUSECL_INLINE pinned_operands::pinned_operands(const binder& bound, const matrix_base& value,
                                               scalar_type value_type)
    : recorded_(bound), value_(operand_of(value, value_type)) {
  for (const matrix_operand& m : bound.matrices())
    pins_.emplace_back(runtime::storage_ref(static_cast<runtime::storage*>(m.storage)));
  pins_.emplace_back(value.storage());
}

FUSECL_INLINE void matrix_entry_base::check_adjoint() {
  const matrix_base &value = value_base(), &adjoint = adjoint_base();
  if (has_adjoint())
    check_same_shape("grad", "a variable", value.rows(), value.cols(), "its adjoint", adjoint.rows(),
                     adjoint.cols());
}

/// Adds `weight` times `partial` to the adjoint of `of`; shares the partial's memory where that is all it is.
inline void add_partial(const used_matrix& of, const untyped_matrix& partial, double weight) {
  matrix_entry_base& x = *of.entry;
  x.check_adjoint();
  if (!of.is_block && !x.has_adjoint() && weight == 1) {
    x.adjoint_base() = static_cast<const matrix_base&>(partial);
    x.mark_adjoint();
    return;
  }
  const auto accumulate = [&]<class T>(T) {
    matrix_cl<T>& adjoint = static_cast<matrix_entry<T>&>(x).adjoint;
    const auto amount = matrix_leaf<T>(partial) * static_cast<T>(weight);
    if (of.is_block) {
      x.complete_adjoint();
      block_zero_based(adjoint, of.row0, of.col0, of.rows, of.cols) += amount;
    } else if (x.has_adjoint()) {
      adjoint = adjoint + amount;
    } else {
      adjoint = amount;
    }
    x.mark_adjoint();
  };
  if (x.type() == scalar_type::float32)
    accumulate(float{});
  else
    accumulate(double{});
}

FUSECL_INLINE void reverse_matrix_statement(const recorded_expression& r, const void* e,
                                            const pinned_operands& operands, matrix_entry_base& result) {
  binder bound(operands.recorded());
  const used_variables used(bound);
  if (used.list.empty()) return;
  operands.recorded().check_contents();
  result.check_adjoint();
  for (const used_matrix& x : used.matrices) x.entry->check_adjoint();
  const void* expressions[] = {e};
  derived_statement reverse({r.type, expressions, r.lower, nullptr, 0}, bound, reverse_rule());
  for (const passes::variable& v : used.list) reverse.differentiate_by(v);
  reverse.give(root_name::seed, 0, operand_of(result.adjoint_base(), result.type()));
  reverse.give(root_name::kept, 0, operands.value());
  list_of<untyped_matrix> amounts(used.matrices.size());  // of blocks
  for (std::size_t k = 0; k < used.matrices.size(); ++k) {
    const used_matrix& used_here = used.matrices[k];
    matrix_entry_base& x = *used_here.entry;
    matrix_base& result_here = used_here.is_block ? amounts[k] : x.adjoint_base();
    if (!used_here.is_block && x.has_adjoint())
      reverse.give(root_name::adjoint, k, operand_of(x.adjoint_base(), x.type()));
    reverse.add_result({&result_here, x.type(), used_here.rows, used_here.cols, "an adjoint"});
  }
  list_of<untyped_matrix> numbers(used.scalars.size());
  for (untyped_matrix& m : numbers) reverse.add_result({&m, scalar_type::float64, 1, 1, "an adjoint"});
  evaluation::run(reverse.complete(), bound);
  for (std::size_t k = 0; k < used.matrices.size(); ++k)
    if (used.matrices[k].is_block)
      add_partial(used.matrices[k], amounts[k], 1);
    else
      used.matrices[k].entry->mark_adjoint();
  for (std::size_t k = 0; k < numbers.size(); ++k) used.scalars[k]->add(numbers[k], 1);
}

FUSECL_INLINE scalar_statement::scalar_statement(const recorded_expression& r, const void* e,
                                                 scalar_type type, const scalar_checks* checks)
    : scalar_entry(0), type_(type) {
  binder bound;
  bound.differentiate_by({.on_tape = true});
  r.gather(e, bound);
  const used_variables used(bound);
  matrices_.resize(used.matrices.size());
  scalars_.resize(used.scalars.size());
  const void* expressions[] = {e, e};
  derived_statement partials({r.type, expressions, r.lower, nullptr, 0}, bound, gradient_rule());
  partials.values = checks ? 2 : 1;
  for (const passes::variable& v : used.list) partials.differentiate_by(v);
  numbers_.take(1 + scalars_.size() + (checks ? 1 : 0));
  partials.add_result(numbers_.slot(0, type, "the value"));
  for (std::size_t k = 0; k < matrices_.size(); ++k) {
    const used_matrix& x = used.matrices[k];
    matrices_[k].variable = x;
    partials.add_result({&matrices_[k].partial, x.entry->type(), x.rows, x.cols, "a partial"});
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    scalars_[k].variable = used.scalars[k];
    partials.add_result(numbers_.slot(1 + k, scalar_type::float64, "a partial"));
  }
  const std::size_t failed = 1 + scalars_.size();
  if (checks) partials.add_result(numbers_.slot(failed, scalar_type::int32, "a check"));
  runtime::kept_failures others;
  evaluation::run(partials.complete(), bound);
  if (checks) {
    double number = 0;
    number_reader reader;
    request_all(reader);
    reader.request(numbers_.at(failed, scalar_type::int32, number));
    reader.complete();
    if (!preparing) throw_if_failed(*checks, static_cast<int>(number), value_);
    is_constant_ = checks->impossible_is_constant && is_infinite(value_) && std::signbit(value_);
  }
  others.tell();
  for (matrix_partial& m : matrices_) {
    m.pin = storage_pin(m.partial.storage());
    m.partial.storage()->set_of_record(true);
  }
}

FUSECL_INLINE scalar_statement::~scalar_statement() {
  for (matrix_partial& m : matrices_) m.partial.storage()->set_of_record(false);
}

FUSECL_INLINE void scalar_statement::request(number_reader& reader) {
  if (fetched_ || scalars_.empty()) return;
  request_all(reader);
}

FUSECL_INLINE void scalar_statement::request_all(number_reader& reader) {
  reader.request(numbers_.at(0, type_, value_));
  for (std::size_t k = 0; k < scalars_.size(); ++k)
    reader.request(numbers_.at(1 + k, scalar_type::float64, scalars_[k].partial));
  reader.report(fetched_);
}

FUSECL_INLINE void scalar_statement::fetch() {
  if (fetched_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(fetching());
  if (fetched_.load(std::memory_order_relaxed)) return;
  number_reader reader;
  request_all(reader);
  reader.complete();
}

FUSECL_INLINE double scalar_statement::value() {
  fetch();
  return value_;
}

FUSECL_INLINE void scalar_statement::reverse() {
  const double weight = adjoint();
  if (is_constant_ || is_zero(weight)) return;
  if (!scalars_.empty()) fetch();
  for (const scalar_partial& p : scalars_) p.variable->add(weight * p.partial);
  for (const matrix_partial& m : matrices_) add_partial(m.variable, m.partial, weight);
}

/// One or two operands with their partial derivatives.
class number_with_partials : public scalar_entry {
 public:
  number_with_partials(double value, scalar_entry* a, double da, scalar_entry* b, double db)
      : scalar_entry(value), a_(a), b_(b), da_(da), db_(db) {}
  void start_gradient() override { set_adjoint(0); }
  void reverse() override {
    if (!has_adjoint()) return;
    pass_on(*a_, da_);
    if (b_) pass_on(*b_, db_);
  }

 private:
  scalar_entry* a_;
  scalar_entry* b_;
  double da_;
  double db_;
};

FUSECL_INLINE scalar_entry* record_number(double value) {
  return this_thread_tape().record<scalar_entry>(value);
}

FUSECL_INLINE scalar_entry* record_partials(double value, scalar_entry* a, double da, scalar_entry* b,
                                            double db) {
  return this_thread_tape().record<number_with_partials>(value, a, da, b, db);
}

FUSECL_INLINE void run_reverse(const entry_handle<scalar_entry>& handle) {
  scalar_entry* root = handle.own("grad");
  tape& own = this_thread_tape();
  if (root->position() < own.first())
    throw std::logic_error("grad: the variable is older than the nested tape that is open");
  own.start_gradient(own.first());
  root->set_adjoint(1);
  {
    const std::lock_guard lock(fetching());  // other threads may ask for values meanwhile
    number_reader reader;
    for (std::size_t k = own.first(); k <= root->position(); ++k)
      if (own[k]) own[k]->request(reader);
    reader.complete();
  }
  own.reverse(root->position(), own.first());
}

FUSECL_INLINE void run_reverse_from_adjoints() {
  tape& own = this_thread_tape();
  if (own.size() > own.first()) own.reverse(own.size() - 1, own.first());
}

}  // namespace fusecl::detail
