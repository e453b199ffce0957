#pragma once
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/elementary.hpp>
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

FUSECL_INLINE log_class_probability::log_class_probability(const char* function, argument labels,
                                                           const argument& x, const argument& alpha,
                                                           const argument& beta)
    : label(std::move(labels)) {
  const bool one = alpha.is_number();
  const std::int64_t classes = one ? 1 : alpha.rows();
  if ((!one && alpha.cols() != 1) || classes == 0 || beta.is_number() || beta.cols() != classes ||
      beta.rows() != x.cols())
    throw std::invalid_argument(text::fill(
        "{}: {} ({}) has an element a class and {} ({}) a column a class and a row a column of {} ({})",
        {function, alpha.name(), one ? "a number" : alpha.size_text(), beta.name(),
         beta.is_number() ? "a number" : beta.size_text(), x.name(), x.size_text()}));
  intercepts = elements_of_argument(alpha);
  for (std::int64_t c = 0; c < classes; ++c)
    predictors.emplace_back(
        function, x,
        argument(beta.name(), numbered_line(beta, c, numbered_line::line::column), argument_form::as_it_is));
}

FUSECL_INLINE void log_class_probability::gather(binder& b) const {
  label.gather(b);
  b.choice(static_cast<std::uint32_t>(predictors.size()));
  for (std::size_t c = 0; c < predictors.size(); ++c) {
    predictors[c].gather(b);
    intercepts[c]->gather(b);
  }
}

FUSECL_INLINE ir::node_id log_class_probability::lower(lowering& low) const {
  ir::graph& g = low.graph();
  const ir::node_id by = label.lower(low);
  list_of<ir::node_id> eta(low.next_word());
  for (std::size_t c = 0; c < eta.size(); ++c) {
    eta[c] = predictors[c].lower(low);
    eta[c] = g.apply(op::add::record(), eta[c], intercepts[c]->lower(low));
  }
  // -log(1 + sum over the other classes of exp(eta - eta of this class)), shifted by the largest exponent
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
  return g.apply(op::negate::record(),
                 g.apply(op::add::record(), largest, g.apply(op::log1p::record(), others)));
}

}  // namespace fusecl::detail
