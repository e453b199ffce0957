#pragma once
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/runtime/context.hpp>
#include <primitives/likelihoods/classes.hpp>

namespace fusecl::detail {

FUSECL_INLINE list_of<held_pointer> elements_of_argument(const argument& of) {
  list_of<held_pointer> all;
  if (of.is_number()) all.push_back(std::make_shared<const held<argument>>(of));
  for (std::int64_t k = 0; k < of.rows(); ++k)
    all.push_back(
        std::make_shared<const held<numbered_line>>(numbered_line(of, k, numbered_line::line::element)));
  return all;
}

FUSECL_INLINE void numbered_line::gather(binder& b) const {
  of.gather(b);
  b.choice(2 * number + (kind == line::column ? 1u : 0u));
}

FUSECL_INLINE ir::node_id numbered_line::lower(lowering& low) const {
  ir::graph& g = low.graph();
  const ir::node_id from = of.lower(low);
  const std::uint32_t word = low.next_word();
  const ir::offset at{ir::no_extent, 1, static_cast<std::int32_t>(word / 2)};
  ir::access_map map;
  map.from_diagonal = ir::diagonal_from::anywhere;
  if (word % 2 == 1) {
    map.col0 = at;
    return g.access(op::access::record(), map, from, g[from].rows, ir::one);
  }
  map.row0 = at;
  const ir::extent cols = g[from].cols;
  g.unify(ir::one, cols);
  return g.access(op::access::record(), map, from, ir::one, ir::one);
}

/// `choices[k]` where `label` is k + 1 - shift, from the second on; else the first.
inline ir::node_id chosen_by(ir::graph& g, ir::node_id label, const list_of<ir::node_id>& choices,
                             int shift) {
  ir::node_id chosen = choices[0];
  for (std::size_t k = 1; k < choices.size(); ++k) {
    const ir::node_id number = g.constant(scalar_type::float64, static_cast<double>(k + 1) - shift);
    const ir::node_id operands[] = {g.apply(op::greater_or_equal::record(), label, number), choices[k],
                                    chosen};
    chosen = g.apply(op::select::record(), operands);
  }
  return chosen;
}

FUSECL_INLINE const char* one_of_classes(std::int64_t classes) {
  static std::mutex& mutex = *new std::mutex;  // outlive every thread
  static auto& texts = *new std::map<std::int64_t, std::string>;
  const std::scoped_lock lock(mutex);
  std::string& text = texts[classes];
  if (text.empty()) text = "a whole number in the interval [1, " + std::to_string(classes) + "]";
  return text.c_str();
}

FUSECL_INLINE void all_hold::gather(binder& b) const {
  b.choice(static_cast<std::uint32_t>(conditions.size()));
  for (const held_pointer& each : conditions) each->gather(b);
}

FUSECL_INLINE ir::node_id all_hold::lower(lowering& low) const {
  ir::graph& g = low.graph();
  const std::uint32_t count = low.next_word();
  ir::node_id all = g.constant(type, 1);
  for (std::uint32_t k = 0; k < count; ++k) {
    const ir::node_id each = conditions[k]->lower(low);
    all = k == 0 ? each : g.apply(op::logical_and::record(), all, each);
  }
  return all;
}

FUSECL_INLINE chosen_element::chosen_element(argument labels, list_of<held_pointer> of, int shift_by)
    : label(std::move(labels)), elements(std::move(of)), shift(shift_by) {}

FUSECL_INLINE void chosen_element::gather(binder& b) const {
  label.gather(b);
  b.choice(static_cast<std::uint32_t>(elements.size()));
  for (const held_pointer& e : elements)
    if (b.first_visit(e.get())) e->gather(b);
}

FUSECL_INLINE ir::node_id chosen_element::lower(lowering& low) const {
  const ir::node_id by = label.lower(low);
  list_of<ir::node_id> choices(low.next_word());
  for (std::size_t k = 0; k < choices.size(); ++k) choices[k] = low.shared(*elements[k]);
  if (choices.empty()) return low.graph().constant(type, 0);
  return chosen_by(low.graph(), by, choices, shift);
}

// Classes that are spelled out at most; fewest classes, and columns of x, from which on tensor cores that
// multiply doubles take less time than tiles of rows do (H200, ten classes: 484 us at 1e5 x 1000, 1358 in
// tiles; 267 and 690 at 6e4 x 784, 1050 and 2134 at 1e6 x 160, but 690 and 452 at 1e6 x 100).
inline constexpr std::int64_t most_spelled_classes = 16, fewest_product_classes = 3,
                              fewest_product_columns = 128;

inline bool are_product(std::int64_t columns, std::int64_t classes) {
  if (columns == 0) return false;
  if (classes > most_spelled_classes) return true;
  return classes >= fewest_product_classes && columns >= fewest_product_columns &&
         opencl_context.capabilities().nvidia_capability == 90;
}

FUSECL_INLINE log_class_probability::log_class_probability(const char* function, argument labels,
                                                           argument design, argument shifts, argument weights)
    : label(std::move(labels)),
      x(std::move(design)),
      alpha(std::move(shifts)),
      beta(std::move(weights)),
      classes(alpha.is_number() ? 1 : alpha.rows()),
      is_product(x.rows() != 1 && are_product(x.cols(), classes)) {
  if ((!alpha.is_number() && alpha.cols() != 1) || classes == 0 || beta.is_number() ||
      beta.cols() != classes || beta.rows() != x.cols())
    throw std::invalid_argument(text::fill(
        "{}: {} ({}) has an element a class and {} ({}) a column a class and a row a column of {} ({})",
        {function, alpha.name(), alpha.is_number() ? "a number" : alpha.size_text(), beta.name(),
         beta.is_number() ? "a number" : beta.size_text(), x.name(), x.size_text()}));
  if (is_product) return;
  intercepts = elements_of_argument(alpha);
  for (std::int64_t c = 0; c < classes; ++c)
    predictors.emplace_back(
        function, x,
        argument(beta.name(), numbered_line(beta, c, numbered_line::line::column), argument_form::as_it_is));
}

FUSECL_INLINE void log_class_probability::gather(binder& b) const {
  label.gather(b);
  b.choice(is_product ? 0u : static_cast<std::uint32_t>(classes));
  if (is_product) {
    x.gather(b);
    beta.gather(b);
    alpha.gather(b);
  }
  for (std::size_t c = 0; c < predictors.size(); ++c) {
    predictors[c].gather(b);
    intercepts[c]->gather(b);
  }
}

FUSECL_INLINE ir::node_id log_class_probability::lower(lowering& low) const {
  const ir::node_id by = label.lower(low);
  const std::uint32_t count = low.next_word();
  return count == 0 ? lower_product(low, by) : lower_spelled_out(low, by, count);
}

/// -log(1 + sum over the other classes of exp(eta - eta of this class)), where `largest` of these exponents
/// is at least 0: `others` is the sum of exponentials without it, and of its own exp(-largest) - 1.
inline ir::node_id log_share(ir::graph& g, ir::node_id largest, ir::node_id others) {
  return g.apply(op::negate::record(),
                 g.apply(op::add::record(), largest, g.apply(op::log1p::record(), others)));
}

FUSECL_INLINE ir::node_id log_class_probability::lower_spelled_out(lowering& low, ir::node_id by,
                                                                   std::uint32_t count) const {
  ir::graph& g = low.graph();
  list_of<ir::node_id> eta(count);
  for (std::size_t c = 0; c < eta.size(); ++c) {
    eta[c] = predictors[c].lower(low);
    eta[c] = g.apply(op::add::record(), eta[c], intercepts[c]->lower(low));
  }
  const ir::node_id own = chosen_by(g, by, eta, 0), zero = g.constant(type, 0);
  ir::node_id largest = zero;
  for (ir::node_id& each : eta) {
    each = g.apply(op::subtract::record(), each, own);
    largest = g.apply(op::fmax::record(), largest, each);
  }
  largest = g.apply(op::stop_gradient::record(), largest);
  ir::node_id others = g.apply(op::expm1::record(), g.apply(op::negate::record(), largest));
  for (std::size_t c = 0; c < eta.size(); ++c) {
    const ir::node_id weight = g.apply(op::exp::record(), g.apply(op::subtract::record(), eta[c], largest));
    const ir::node_id is_own = g.apply(op::equal::record(), by, g.constant(type, static_cast<double>(c + 1)));
    const ir::node_id choice[] = {is_own, zero, weight};
    others = g.apply(op::add::record(), others, g.apply(op::select::record(), choice));
  }
  return log_share(g, largest, others);
}

FUSECL_INLINE ir::node_id log_class_probability::lower_product(lowering& low, ir::node_id by) const {
  ir::graph& g = low.graph();
  const ir::node_id design = x.lower(low), weights = beta.lower(low), shifts = alpha.lower(low);
  ir::node_id eta = ops::product(g, design, weights);
  const ir::extent rows = g[eta].rows, cols = g[eta].cols;
  const auto minus = [&](ir::node_id a, ir::node_id b) { return g.apply(op::subtract::record(), a, b); };
  if (!g[by].is_scalar()) g.unify(g[by].rows, rows), g.unify(ir::one, g[by].cols);
  g.unify(g[shifts].rows, cols);
  g.unify(ir::one, g[shifts].cols);
  const auto along_row = [&](ir::node_id id) { return g[id].is_scalar() ? id : g.broadcast(id, rows, cols); };
  const auto row_sum = [&](ir::node_id id) { return g.reduce(op::sum::record(), ir::axis::row, id); };
  eta = g.apply(op::add::record(), eta, g.broadcast(ops::transposed(g, shifts), rows, cols));
  const ir::node_id number = g.apply(op::add::record(), g.cast(type, g.col_index(rows, cols)),
                                     g.constant(type, 1)),
                    is_own = g.apply(op::equal::record(), along_row(by), number), zero = g.constant(type, 0);
  const auto choose = [&](ir::node_id a, ir::node_id b) {
    const ir::node_id choice[] = {is_own, a, b};
    return g.apply(op::select::record(), choice);
  };
  const ir::node_id distance = minus(eta, along_row(row_sum(choose(eta, zero))));
  const ir::node_id largest = g.apply(op::stop_gradient::record(),
                                      g.reduce(op::max::record(), ir::axis::row, choose(zero, distance)));
  const ir::node_id weight = g.apply(op::exp::record(), minus(distance, along_row(largest)));
  const ir::node_id others =
      g.apply(op::add::record(), g.apply(op::expm1::record(), g.apply(op::negate::record(), largest)),
              row_sum(choose(zero, weight)));
  return log_share(g, largest, others);
}

}  // namespace fusecl::detail
