#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/checks.hpp>
#include <fusion/eval/scalar.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/runtime/kept_failures.hpp>

namespace fusecl::detail {

using held_condition = erased<scalar_type::boolean, false, false>;

FUSECL_INLINE void check_condition_size(const check& c) {
  if (!c.of_number && c.value->rows() >= 0)
    check_same_shape(c.function, "the condition", c.condition->rows(), c.condition->cols(), c.name,
                     c.value->rows(), c.value->cols());
}

/// Sizes of what is looked at: what the condition has none of it takes from the value, and that of a number
/// is one element.
struct checked_elements {
  std::int64_t rows, cols;
};
FUSECL_INLINE checked_elements elements_of(const check& c) {
  const auto size = [](std::int64_t own, std::int64_t of_value) {
    return own >= 0 ? own : of_value >= 0 ? of_value : 1;
  };
  return {size(c.condition->rows(), c.value->rows()), size(c.condition->cols(), c.value->cols())};
}

/// Where a condition has its size from.
enum size_of_condition : std::uint32_t { as_it_is, one, as_the_value };

FUSECL_INLINE void first_failed::gather(binder& b) const {
  b.choice(static_cast<std::uint32_t>(checks->size()));
  for (const check& c : *checks) {
    const held_pointer& condition = c.for_all ? c.for_all : c.condition;
    held_condition(condition).gather(b);
    const bool is_free = condition->rows() < 0 || condition->cols() < 0, is_one = c.value->rows() < 0;
    b.choice(!is_free ? as_it_is : is_one ? one : as_the_value);
    if (is_free && !is_one) b.extents(elements_of(c).rows, elements_of(c).cols);
  }
}

FUSECL_INLINE ir::node_id first_failed::lower(lowering& low) const {
  list_of<ir::node_id> holds(low.next_word());
  ir::graph& g = low.graph();
  for (std::size_t k = 0; k < holds.size(); ++k) {
    const check& c = (*checks)[k];
    const ir::node_id each = g.cast(type, low.shared(c.for_all ? *c.for_all : *c.condition));
    const std::uint32_t size = low.next_word();
    const ir::extent rows = size == as_the_value ? low.extents() : ir::one;
    if (size != as_it_is && !g[each].is_scalar()) {
      g.unify(rows, g[each].rows);
      g.unify(size == one ? ir::one : rows + 1, g[each].cols);
    }
    const ir::node_id all = g[each].is_scalar() ? each : g.reduce(op::min::record(), ir::axis::all, each);
    holds[k] = g.apply(op::greater::record(), all, g.constant(type, 0));
  }
  ir::node_id number = g.constant(type, 0);
  for (std::size_t k = holds.size(); k-- > 0;) {
    const ir::node_id choice[] = {holds[k], number, g.constant(type, static_cast<double>(k + 1))};
    number = g.apply(op::select::record(), choice);
  }
  return number;
}

/// Place of an element.
struct failed_place {
  std::int64_t row, col;
};

/// The first element that is false, column by column; numbers of rows and columns within a part are int.
FUSECL_INLINE failed_place first_false(const check& c) {
  const auto [rows, cols] = elements_of(c);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t part_cols = rows > most ? 1 : std::min(cols, most);
  for (std::int64_t col = 0; col < cols; col += part_cols)
    for (std::int64_t row = 0; row < rows; row += most) {
      const std::int64_t m = std::min(rows - row, most), n = std::min(cols - col, part_cols);
      const auto look = [&](const auto& part) -> std::int64_t {
        return min_2d(select(part, none, cast<std::int64_t>(col_index(m, n)) * m + row_index(m, n)));
      };
      const bool is_whole = m == rows && n == cols;  // what has no size of its own has no parts
      const held_condition whole(c.condition);
      const std::int64_t first = is_whole ? look(whole) : look(block_zero_based(whole, row, col, m, n));
      if (first != none) return {row + first % m, col + first / m};
    }
  return {0, 0};
}

/// The message of a check that failed with the place and the value, which kernels of their own look for.
FUSECL_INLINE std::string failure_text(const check& c) {
  std::string place;
  failed_place at{0, 0};
  if (!c.of_number && c.value->rows() >= 0) {
    if (c.value->rows() == 0 || c.value->cols() == 0)
      return text::fill("{}: {} has no elements, but must be {}!", {c.function, c.name, c.must_be});
    if (c.state == check_state::unknown) at = first_false(c);
    if (c.value->cols() == 1)
      place = text::fill("[{}]", {at.row + 1});
    else if (c.value->rows() == 1)
      place = text::fill("[{}]", {at.col + 1});
    else
      place = text::fill("[{}, {}]", {at.row + 1, at.col + 1});
  }
  return text::fill("{}: {}{} is {}, but must be {}!",
                    {c.function, c.name, place, c.element(c.value, at.row, at.col), c.must_be});
}

FUSECL_INLINE void throw_failed(const check& c) {
  std::string message;
  try {
    message = failure_text(c);
  } catch (const frozen_error&) {
    message = text::fill("{}: an element of {} (freeze() leaves no kernel to find it) is not {}!",
                         {c.function, c.name, c.must_be});
  }
  throw std::domain_error(message);
}

FUSECL_INLINE void check_list::add(check c) {
  check_condition_size(c);
  if (c.state == check_state::holds || !known_.empty()) return;
  (c.state == check_state::fails ? known_ : computed_).push_back(std::move(c));
}

FUSECL_INLINE void check_list::throw_if_known() const {
  if (known_.empty()) return;
  const runtime::kept_failures never_told;
  if (!computed_.empty() && !preparing) throw_if_failed(computed_, evaluate_scalar(first_failed(computed_)));
  throw_failed(known_[0]);
}

FUSECL_INLINE void throw_if_failed(const scalar_checks& checks, int number, double value) {
  throw_if_failed(checks.always, number);
  if (is_finite(value) || checks.if_not_finite.empty()) return;
  int failed = 0;
  try {
    failed = evaluate_scalar(first_failed(checks.if_not_finite));
  } catch (const frozen_error&) {
    return;  // no kernel to ask why; the value says enough
  }
  throw_if_failed(checks.if_not_finite, failed);
}

}  // namespace fusecl::detail
