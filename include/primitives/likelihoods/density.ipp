#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/runtime/kept_failures.hpp>
#include <primitives/likelihoods/density.hpp>

namespace fusecl::detail {

FUSECL_INLINE density_scope::density_scope(const char* function, bool propto,
                                           std::span<const argument> arguments)
    : function_(function), propto_(propto) {
  for (const argument& a : arguments)
    if (!a.is_number()) fit(a);
}

FUSECL_INLINE void density_scope::fit(const sized_argument& a) {
  if (!first_) {
    first_ = a;
    rows_ = a.rows;
    cols_ = a.cols;
    return;
  }
  if (rows_ == a.rows && cols_ == a.cols) return;
  throw std::invalid_argument(text::fill("{}: {} of {} ({}) and {} of {} ({}) must match in size",
                                         {function_, first_->counted, first_->of.name(),
                                          first_->of.size_text(), a.counted, a.of.name(), a.of.size_text()}));
}

FUSECL_INLINE density_terms density_scope::sum_of(std::initializer_list<held_pointer> terms,
                                                  list_of<check> always, list_of<check> if_not_finite) const {
  density_terms all{{}, size(), {std::move(always), std::move(if_not_finite)}};
  for (const held_pointer& term : terms)
    if (term) all.terms.push_back(term);
  return all;
}

/// The value of a density and the number of the check that fails, as the two expressions of a statement.
class density_expressions {
 public:
  explicit density_expressions(const density_terms& terms) : terms_(terms), failed_(terms.checks.always) {}

  static void gather(const void* e, binder& b) { static_cast<const density_expressions*>(e)->gather(b); }
  static ir::node_id lower(const void* const* e, std::size_t k, lowering& low) {
    const auto& own = *static_cast<const density_expressions*>(e[k]);
    return k == 0 ? own.lower_value(low) : own.failed_.lower(low);
  }

 private:
  /// The word of a term: none comes after `end` and `product`.
  enum word : std::uint32_t { end, number, container, product };

  void gather(binder& b) const {
    for (const held_pointer& term : terms_.terms) {
      b.choice(term->rows() < 0 ? word::number : word::container);
      term->gather(b);
    }
    b.choice(terms_.is_product ? word::product : word::end);
    b.scalar(static_cast<double>(terms_.size));
    failed_.gather(b);
  }
  ir::node_id lower_value(lowering& low) const {
    ir::graph& g = low.graph();
    ir::node_id numbers = ir::no_node, elements = ir::no_node;
    const auto add = [&](ir::node_id& to, ir::node_id term) {
      to = to == ir::no_node ? term : g.apply(op::add::record(), to, term);
    };
    bool is_product = false;
    for (std::size_t k = 0;; ++k) {
      const std::uint32_t kind = low.next_word();
      is_product = kind == word::product;
      if (is_product || kind == word::end) break;
      add(kind == word::number ? numbers : elements, terms_.terms[k]->lower(low));
    }
    const ir::node_id size = low.scalar(scalar_type::float64);
    if (is_product)  // a number is that of one element
      return elements == ir::no_node ? numbers : g.reduce(op::prod::record(), ir::axis::all, elements);
    ir::node_id total = ir::no_node;
    // terms of containers may all be one number, such as those of a regression without columns
    if (elements != ir::no_node)
      add(total, g[elements].is_scalar() ? g.apply(op::multiply::record(), size, elements)
                                         : g.reduce(op::sum::record(), ir::axis::all, elements));
    if (numbers != ir::no_node) add(total, g.apply(op::multiply::record(), size, numbers));
    return total == ir::no_node ? g.constant(scalar_type::float64, 0) : total;
  }

  const density_terms& terms_;
  first_failed failed_;
};

FUSECL_INLINE double value_of_density(const density_terms& terms, statement_type& type) {
  const density_expressions both(terms);
  const void* expressions[] = {&both, &both};
  const bool checked = !terms.checks.always.empty();
  shared_numbers numbers;
  numbers.take(checked ? 2 : 1);
  result_slot slots[] = {numbers.slot(0, scalar_type::float64, "the value"),
                         numbers.slot(1, scalar_type::int32, "a check")};
  binder bound;
  density_expressions::gather(&both, bound);
  runtime::kept_failures others;
  evaluation::run({&type, expressions, density_expressions::lower, slots, checked ? std::size_t{2} : 1},
                  bound);
  double density = 0, number = 0;
  number_reader reader;
  reader.request(numbers.at(0, scalar_type::float64, density));
  if (checked) reader.request(numbers.at(1, scalar_type::int32, number));
  reader.complete();
  if (!preparing) throw_if_failed(terms.checks, static_cast<int>(number), density);
  others.tell();
  return density;
}

FUSECL_INLINE scalar_entry* record_density(const density_terms& terms, statement_type& type) {
  const density_expressions both(terms);
  return this_thread_tape().record<scalar_statement>(
      recorded_expression{&type, density_expressions::gather, density_expressions::lower}, &both,
      scalar_type::float64, terms.checks.empty() ? nullptr : &terms.checks);
}

}  // namespace fusecl::detail
