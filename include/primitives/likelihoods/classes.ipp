#pragma once
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/tensor_cores.hpp>
#include <primitives/likelihoods/classes.hpp>

namespace fusecl::detail {

/// Column `number` of a matrix.
inline ir::node_id column_of(ir::graph& g, ir::node_id matrix, std::uint32_t number) {
  ir::access_map map;
  map.from_diagonal = ir::diagonal_from::anywhere;
  map.col0 = {ir::no_extent, 1, static_cast<std::int32_t>(number)};
  return g.access(op::access::record(), map, matrix, g[matrix].rows, ir::one);
}

FUSECL_INLINE void few_elements::gather(binder& b) const {
  b.choice(2 * count() + (of.is_number() ? 1u : 0u));
  of.gather(b);
}

FUSECL_INLINE list_of<ir::node_id> few_elements::lower(lowering& low) const {
  const std::uint32_t word = low.next_word();
  const ir::node_id from = of.lower(low);
  if (word % 2 == 1) return {from};
  ir::graph& g = low.graph();
  list_of<ir::node_id> all(word / 2);
  if (!all.empty()) g.unify(ir::one, g[from].cols);
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = ops::element_of(g, from, static_cast<std::int32_t>(k));
  return all;
}

/// `choices[k]` where `label` is k + 1 - shift, from the second on; else the first.
inline ir::node_id chosen_by(ir::graph& g, ir::node_id label, const list_of<ir::node_id>& choices,
                             int shift) {
  ir::node_id chosen = choices[0];
  for (std::size_t k = 1; k < choices.size(); ++k) {
    const ir::node_id number = g.constant(scalar_type::float64, static_cast<double>(k + 1) - shift);
    chosen = ops::choose(g, g.apply(op::greater_or_equal::record(), label, number), choices[k], chosen);
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

FUSECL_INLINE void all_elements::gather(binder& b) const {
  b.choice(static_cast<std::uint32_t>(what));
  elements.gather(b);
}

FUSECL_INLINE ir::node_id all_elements::lower(lowering& low) const {
  ir::graph& g = low.graph();
  const bool pairs = low.next_word() == static_cast<std::uint32_t>(are::increasing);
  const list_of<ir::node_id> each = elements.lower(low);
  const auto holds = [&](std::size_t k) {
    return pairs ? g.apply(op::greater::record(), each[k], each[k - 1])
                 : g.apply(op::isfinite::record(), each[k]);
  };
  const std::size_t first = pairs ? 1 : 0;
  if (each.size() <= first) return g.constant(type, 1);
  ir::node_id all = holds(first);
  for (std::size_t k = first + 1; k < each.size(); ++k)
    all = g.apply(op::logical_and::record(), all, holds(k));
  return all;
}

FUSECL_INLINE check spelled_out(check c, const few_elements& elements, all_elements::are what) {
  c.for_all = std::make_shared<const held<all_elements>>(all_elements(elements, what));
  return c;
}

FUSECL_INLINE void chosen_element::gather(binder& b) const {
  label.gather(b);
  b.choice(static_cast<std::uint32_t>(what) | static_cast<std::uint32_t>(shift) << 1);
  elements.gather(b);
}

FUSECL_INLINE ir::node_id chosen_element::lower(lowering& low) const {
  ir::graph& g = low.graph();
  const ir::node_id by = label.lower(low);
  const std::uint32_t word = low.next_word();
  list_of<ir::node_id> choices = elements.lower(low);
  if (word % 2 == static_cast<std::uint32_t>(class_value::log_width)) {
    list_of<ir::node_id> widths;
    for (std::size_t k = 1; k < choices.size(); ++k)
      widths.push_back(
          g.apply(op::log1m_exp::record(), g.apply(op::subtract::record(), choices[k - 1], choices[k])));
    choices = std::move(widths);
  }
  if (choices.empty()) return g.constant(type, 0);
  return chosen_by(g, by, choices, static_cast<std::int32_t>(word) >> 1);
}

// Classes that are spelled out at most; fewest classes, and columns of x, from which on tensor cores that
// multiply doubles take less time than tiles of rows do (H200, ten classes: 484 us at 1e5 x 1000, 1358 in
// tiles; 267 and 690 at 6e4 x 784, 1050 and 2134 at 1e6 x 160, but 690 and 431 at 1e6 x 100).
inline constexpr std::int64_t most_spelled_classes = 16, fewest_product_classes = 3,
                              fewest_product_columns = 128;

inline bool are_product(std::int64_t columns, std::int64_t classes) {
  if (columns == 0) return false;
  if (classes > most_spelled_classes) return true;
  return classes >= fewest_product_classes && columns >= fewest_product_columns &&
         runtime::has_fast_tensor_cores();
}

FUSECL_INLINE log_class_probability::log_class_probability(const char* function, argument labels,
                                                           argument design, argument shifts, argument weights)
    : label(std::move(labels)),
      x(std::move(design)),
      beta(std::move(weights)),
      alpha{std::move(shifts)},
      classes(alpha.count()),
      is_product(x.rows() != 1 && are_product(x.cols(), classes)) {
  if ((!alpha.of.is_number() && alpha.of.cols() != 1) || classes == 0 || beta.is_number() ||
      beta.cols() != classes || beta.rows() != x.cols())
    throw std::invalid_argument(
        text::fill("{}: {} ({}) must have an element for each class, {} ({}) a column for each class and a "
                   "row for each column of "
                   "{} ({})",
                   {function, alpha.of.name(), alpha.of.is_number() ? "a number" : alpha.of.size_text(),
                    beta.name(), beta.is_number() ? "a number" : beta.size_text(), x.name(), x.size_text()}));
}

FUSECL_INLINE void log_class_probability::gather(binder& b) const {
  label.gather(b);
  b.choice(is_product ? 0u : static_cast<std::uint32_t>(classes));
  if (!is_product) b.choice(form_of_predictor(x));
  if (x.cols() != 0) {
    x.gather(b);
    beta.gather(b);
  }
  if (is_product)
    alpha.of.gather(b);
  else
    alpha.gather(b);
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

FUSECL_INLINE list_of<ir::node_id> log_class_probability::predictors(lowering& low,
                                                                     std::uint32_t count) const {
  ir::graph& g = low.graph();
  const std::uint32_t form = low.next_word();
  const bool has_columns = (form & predictor_form::no_columns) == 0;
  const ir::node_id design = has_columns ? x.lower(low) : ir::no_node,
                    weights = has_columns ? beta.lower(low) : ir::no_node;
  const list_of<ir::node_id> intercepts = alpha.lower(low);
  list_of<ir::node_id> eta(count);
  for (std::uint32_t c = 0; c < count; ++c) {
    const ir::node_id own =
        has_columns ? lower_predictor(g, form, design, column_of(g, weights, c)) : g.constant(type, 0);
    eta[c] = g.apply(op::add::record(), own, intercepts[c]);
  }
  return eta;
}

FUSECL_INLINE ir::node_id log_class_probability::lower_spelled_out(lowering& low, ir::node_id by,
                                                                   std::uint32_t count) const {
  ir::graph& g = low.graph();
  list_of<ir::node_id> eta = predictors(low, count), is_own(count);
  const ir::node_id zero = g.constant(type, 0);
  ir::node_id own = zero;
  for (std::size_t c = 0; c < eta.size(); ++c) {
    is_own[c] = g.apply(op::equal::record(), by, g.constant(type, static_cast<double>(c + 1)));
    own = g.apply(op::add::record(), own, ops::choose(g, is_own[c], eta[c], zero));
  }
  ir::node_id largest = zero;
  for (ir::node_id& each : eta) {
    each = g.apply(op::subtract::record(), each, own);
    largest = g.apply(op::fmax::record(), largest, each);
  }
  largest = g.apply(op::stop_gradient::record(), largest);
  ir::node_id others = g.apply(op::expm1::record(), g.apply(op::negate::record(), largest));
  for (std::size_t c = 0; c < eta.size(); ++c) {
    const ir::node_id weight = g.apply(op::exp::record(), g.apply(op::subtract::record(), eta[c], largest));
    others = g.apply(op::add::record(), others, ops::choose(g, is_own[c], zero, weight));
  }
  return log_share(g, largest, others);
}

FUSECL_INLINE ir::node_id log_class_probability::lower_product(lowering& low, ir::node_id by) const {
  ir::graph& g = low.graph();
  const ir::node_id design = x.lower(low), weights = beta.lower(low), shifts = alpha.of.lower(low);
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
  const auto choose = [&](ir::node_id a, ir::node_id b) { return ops::choose(g, is_own, a, b); };
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
