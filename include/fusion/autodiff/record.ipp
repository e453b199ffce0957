#pragma once
#include <stdexcept>

#include <fusion/autodiff/record.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_owner(const tape_entry* entry) {
  if (entry->owner() != &this_thread_tape())
    throw std::logic_error("a statement uses a variable that was recorded on the tape of another thread");
}

/// The variables a statement uses, as the differentiation pass and as the tape name them.
struct used_variables {
  std::vector<passes::variable> list;  ///< matrices first
  std::vector<matrix_entry_base*> matrices;
  std::vector<scalar_entry*> scalars;

  explicit used_variables(const binder& bound) {
    for (std::size_t slot = 0; slot < bound.matrices().size(); ++slot)
      if (void* entry = bound.matrices()[slot].variable) {
        list.push_back({true, static_cast<std::int64_t>(slot)});
        matrices.push_back(own(static_cast<matrix_entry_base*>(entry)));
      }
    for (std::size_t k = 0; k < bound.scalars().size(); ++k)
      if (bound.scalars()[k].on_tape) {
        list.push_back({false, static_cast<std::int64_t>(k)});
        scalars.push_back(own(static_cast<scalar_entry*>(bound.scalars()[k].identity)));
      }
  }

 private:
  template <class Entry>
  static Entry* own(Entry* entry) {
    check_owner(entry);
    return entry;
  }
};

FUSECL_INLINE bool uses_variables(const binder& bound) { return !used_variables(bound).list.empty(); }

inline matrix_operand operand_of(const matrix_base& m, scalar_type type) {
  return {m.storage().get(), m.rows(), m.cols(), type, m.view(), m.storage()->padded()};
}

/// Reads numbers of type `type` from 1 x 1 matrices, waiting once for all.
inline std::vector<double> read_numbers(const std::vector<const matrix_base*>& from,
                                        const std::vector<scalar_type>& types) {
  std::vector<double> bytes(from.size());
  for (std::size_t k = 0; k < from.size(); ++k)
    runtime::this_thread_queue().read(*from[k]->storage(), 0, size_of(types[k]), &bytes[k],
                                      k + 1 == from.size());
  for (std::size_t k = 0; k < from.size(); ++k)
    if (types[k] == scalar_type::float32) {
      float value;
      std::memcpy(&value, &bytes[k], sizeof value);
      bytes[k] = value;
    }
  return bytes;
}

FUSECL_INLINE pinned_operands::pinned_operands(const binder& bound) {
  for (const matrix_operand& m : bound.matrices()) {
    auto* storage = static_cast<runtime::storage*>(m.storage);
    pinned_.push_back(storage);
    storage->pins.fetch_add(1, std::memory_order_relaxed);
  }
}

FUSECL_INLINE pinned_operands::~pinned_operands() {
  for (runtime::storage* storage : pinned_) storage->pins.fetch_sub(1, std::memory_order_relaxed);
}

FUSECL_INLINE void reverse_matrix_statement(const recorded_expression& r, const void* e,
                                            matrix_entry_base& result) {
  binder bound;
  r.gather(e, bound);
  const used_variables used(bound);
  if (used.list.empty()) return;
  const void* expressions[] = {e};
  derived_statement reverse({r.type, expressions, r.lower, nullptr, 0}, bound, reverse_rule());
  for (const passes::variable& v : used.list) reverse.differentiate_by(v);
  reverse.give(root_name::seed, 0, operand_of(result.adjoint_base(), result.type()));
  for (std::size_t k = 0; k < used.matrices.size(); ++k) {
    matrix_entry_base& x = *used.matrices[k];
    if (x.has_adjoint) reverse.give(root_name::adjoint, k, operand_of(x.adjoint_base(), x.type()));
    reverse.add_result(
        {&x.adjoint_base(), x.type(), x.value_base().rows(), x.value_base().cols(), "an adjoint"});
  }
  std::vector<untyped_matrix> numbers(used.scalars.size());
  for (untyped_matrix& m : numbers) reverse.add_result({&m, scalar_type::float64, 1, 1, "an adjoint"});
  evaluation::run(reverse.complete(), bound);
  for (matrix_entry_base* x : used.matrices) x->has_adjoint = true;
  if (numbers.empty()) return;
  std::vector<const matrix_base*> from;
  for (const untyped_matrix& m : numbers) from.push_back(&m);
  const std::vector<double> values =
      read_numbers(from, std::vector<scalar_type>(from.size(), scalar_type::float64));
  for (std::size_t k = 0; k < values.size(); ++k) used.scalars[k]->adjoint += values[k];
}

FUSECL_INLINE scalar_statement::scalar_statement(const recorded_expression& r, const void* e,
                                                 scalar_type type)
    : scalar_entry(0), type_(type) {
  binder bound;
  r.gather(e, bound);
  const used_variables used(bound);
  matrices_.resize(used.matrices.size());
  scalars_.resize(used.scalars.size());
  const void* expressions[] = {e};
  derived_statement partials({r.type, expressions, r.lower, nullptr, 0}, bound, gradient_rule());
  for (const passes::variable& v : used.list) partials.differentiate_by(v);
  partials.add_result({&device_value_, type, 1, 1, "the value"});
  for (std::size_t k = 0; k < matrices_.size(); ++k) {
    matrix_entry_base& x = *used.matrices[k];
    matrices_[k].variable = &x;
    partials.add_result(
        {&matrices_[k].partial, x.type(), x.value_base().rows(), x.value_base().cols(), "a partial"});
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    scalars_[k].variable = used.scalars[k];
    partials.add_result({&scalars_[k].device, scalar_type::float64, 1, 1, "a partial"});
  }
  evaluation::run(partials.complete(), bound);
  for (matrix_partial& m : matrices_) m.partial.storage()->pins.fetch_add(1, std::memory_order_relaxed);
}

FUSECL_INLINE scalar_statement::~scalar_statement() {
  for (matrix_partial& m : matrices_) m.partial.storage()->pins.fetch_sub(1, std::memory_order_relaxed);
}

FUSECL_INLINE void scalar_statement::fetch() {
  if (fetched_) return;
  std::vector<const matrix_base*> from{&device_value_};
  std::vector<scalar_type> types{type_};
  for (const scalar_partial& p : scalars_) {
    from.push_back(&p.device);
    types.push_back(scalar_type::float64);
  }
  const std::vector<double> values = read_numbers(from, types);
  value_ = values[0];
  for (std::size_t k = 0; k < scalars_.size(); ++k) scalars_[k].partial = values[k + 1];
  fetched_ = true;
}

FUSECL_INLINE double scalar_statement::value() {
  fetch();
  return value_;
}

/// Adds `weight` times `partial` to the adjoint of `x`; shares the partial's memory where that is all it is.
inline void add_partial(matrix_entry_base& x, const untyped_matrix& partial, double weight) {
  if (!x.has_adjoint && weight == 1) {
    x.adjoint_base() = static_cast<const matrix_base&>(partial);
    x.has_adjoint = true;
    return;
  }
  const auto accumulate = [&]<class T>(T) {
    matrix_cl<T>& adjoint = static_cast<matrix_entry<T>&>(x).adjoint;
    const matrix_leaf<T> amount{partial.storage(), partial.rows(), partial.cols(), partial.view()};
    if (x.has_adjoint)
      adjoint = adjoint + amount * static_cast<T>(weight);
    else
      adjoint = amount * static_cast<T>(weight);
    x.has_adjoint = true;
  };
  if (x.type() == scalar_type::float32)
    accumulate(float{});
  else
    accumulate(double{});
}

FUSECL_INLINE void scalar_statement::reverse() {
  if (adjoint == 0) return;
  if (!scalars_.empty()) fetch();
  for (const scalar_partial& p : scalars_) p.variable->adjoint += adjoint * p.partial;
  for (const matrix_partial& m : matrices_) add_partial(*m.variable, m.partial, adjoint);
}

/// Two operands with their partial derivatives.
class product_rule : public scalar_entry {
 public:
  product_rule(double value, scalar_entry* a, double da, scalar_entry* b, double db)
      : scalar_entry(value), a_(a), b_(b), da_(da), db_(db) {}
  void start_gradient() override { adjoint = 0; }
  void reverse() override {
    if (adjoint == 0) return;
    a_->adjoint += da_ * adjoint;
    b_->adjoint += db_ * adjoint;
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

FUSECL_INLINE scalar_entry* record_product_rule(double value, scalar_entry* a, double da, scalar_entry* b,
                                                double db) {
  check_owner(a);
  check_owner(b);
  return this_thread_tape().record<product_rule>(value, a, da, b, db);
}

FUSECL_INLINE void run_reverse(scalar_entry* root) {
  tape& own = this_thread_tape();
  if (root->owner() != &own)
    throw std::logic_error("grad: the variable was recorded on the tape of another thread");
  if (root->position() < own.first())
    throw std::logic_error("grad: the variable is older than the nested tape that is open");
  own.start_gradient(own.first());
  root->adjoint = 1;
  own.reverse(root->position(), own.first());
}

FUSECL_INLINE void run_reverse_from_adjoints() {
  tape& own = this_thread_tape();
  if (own.size() > own.first()) own.reverse(own.size() - 1, own.first());
}

}  // namespace fusecl::detail
