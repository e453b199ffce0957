#pragma once
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>
#include <primitives/likelihoods/density.hpp>

namespace fusecl::detail {

FUSECL_INLINE density_scope::density_scope(const char* function, bool propto,
                                           std::span<const argument> arguments)
    : function_(function), propto_(propto) {
  const argument* first = nullptr;
  for (const argument& a : arguments) {
    if (a.is_number()) continue;
    if (first)
      check_same_shape(function, first->name(), rows_, cols_, a.name(), a.rows(), a.cols());
    else
      first = &a, rows_ = a.rows(), cols_ = a.cols();
  }
}

/// The value of a density and the number of the check that fails, as the two expressions of a statement.
class density_expressions {
 public:
  explicit density_expressions(const density_terms& terms) : terms_(terms), failed_(terms.checks) {}

  static void gather(const void* e, binder& b) { static_cast<const density_expressions*>(e)->gather(b); }
  static ir::node_id lower(const void* const* e, std::size_t k, lowering& low) {
    const auto& own = *static_cast<const density_expressions*>(e[k]);
    return k == 0 ? own.lower_value(low) : own.failed_.lower(low);
  }

 private:
  void gather(binder& b) const {
    terms_.summand->gather(b);
    const bool repeats = terms_.summand->rows() < 0 && terms_.size != 1;
    b.choice(repeats);
    if (repeats) b.scalar(static_cast<double>(terms_.size));
    if (!terms_.checks.empty()) failed_.gather(b);
  }
  ir::node_id lower_value(lowering& low) const {
    ir::graph& g = low.graph();
    const ir::node_id summand = terms_.summand->lower(low);
    const ir::node_id value =
        g[summand].is_scalar() ? summand : g.reduce(op::sum::record(), ir::axis::all, summand);
    if (low.next_word() == 0) return value;
    return g.apply(op::multiply::record(), low.scalar(scalar_type::float64), value);
  }

  const density_terms& terms_;
  first_failed failed_;
};

FUSECL_INLINE double value_of_density(const density_terms& terms) {
  const density_expressions both(terms);
  const void* expressions[] = {&both, &both};
  untyped_matrix value, failed;
  result_slot slots[] = {{&value, scalar_type::float64, 1, 1, "the value"},
                         {&failed, scalar_type::float64, 1, 1, "a check"}};
  binder bound;
  density_expressions::gather(&both, bound);
  const bool checked = !terms.checks.empty();
  evaluation::run(
      {terms.value_type, expressions, density_expressions::lower, slots, checked ? std::size_t{2} : 1},
      bound);
  double density = 0, number = 0;
  number_reader reader;
  reader.request(value, scalar_type::float64, density);
  if (checked) reader.request(failed, scalar_type::float64, number);
  reader.complete();
  if (!preparing) throw_if_failed(terms.checks, static_cast<int>(number));
  return density;
}

FUSECL_INLINE scalar_entry* record_density(const density_terms& terms) {
  const density_expressions both(terms);
  return this_thread_tape().record<scalar_statement>(
      recorded_expression{terms.gradient_type, density_expressions::gather, density_expressions::lower},
      &both, scalar_type::float64, terms.checks.empty() ? nullptr : &terms.checks);
}

}  // namespace fusecl::detail
