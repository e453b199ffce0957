#pragma once
#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/value_and_gradient.ipp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/eval/reference.hpp>
#include <fusion/passes/forward_differentiate.hpp>

namespace fusecl {
namespace detail {

/// The graph with double in place of float, so that differences see no rounding to float.
inline ir::graph widened(const ir::graph& g) {
  return passes::rebuild(g, [](ir::graph& result, ir::node n, const ir::node_id* operands) {
    if (n.type == scalar_type::float32) n.type = scalar_type::float64;
    return result.copy(n, operands);
  });
}

/// All uses of a variable.
using all_uses = list_of<passes::variable>;

/// The value of the expression on the host as a function of one element of its operands.
class moved_value {
 public:
  moved_value(const ir::graph& g, ir::host_bindings values) : g_(g), values_(std::move(values)) {}

  /// Central differences with step `h`, extrapolated twice; `error` gets the change by the last
  /// extrapolation.
  double difference(const all_uses& v, std::size_t element, long double h, double& error) {
    const long double start = of(v[0], element);
    const auto at = [&](long double x) {
      for (const passes::variable& use : v) of(use, element) = x;
      return value();
    };
    long double d[3];
    for (int k = 0; k < 3; ++k, h /= 2) {
      const long double above = at(start + h);
      d[k] = (above - at(start - h)) / (2 * h);
    }
    for (const passes::variable& use : v) of(use, element) = start;
    const long double once[] = {(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3};
    const long double twice = (16 * once[1] - once[0]) / 15;
    error = static_cast<double>(std::fabs(twice - once[1]));
    return static_cast<double>(twice);
  }
  /// Step in proportion to the element, or to 1 where that is more accurate.
  double best_difference(const all_uses& v, std::size_t element, double& error) {
    const long double x = std::fabs(of(v[0], element));
    double other_error;
    const double wide = difference(v, element, 0x1p-9L * std::max(0.5L, x), error);
    if (x == 0 || x >= 0.5L) return wide;
    const double narrow = difference(v, element, 0x1p-7L * x, other_error);
    if (!is_nan(error) && (is_nan(other_error) || other_error >= error)) return wide;
    error = other_error;
    return narrow;
  }

 private:
  long double& of(const passes::variable& v, std::size_t element) {
    return v.matrix ? values_.matrices[static_cast<std::size_t>(v.number)].values[element]
                    : values_.scalars[static_cast<std::size_t>(v.number)];
  }
  long double value() const {
    return ir::interpret(g_, values_)[static_cast<std::size_t>(g_.roots[0])].values[0];
  }

  const ir::graph& g_;
  ir::host_bindings values_;
};

/// Forward accumulation along one element of one variable at a time.
class unit_direction {
 public:
  unit_direction(ir::graph g, ir::host_bindings values, const all_uses& v, const binder& bound)
      : values_(std::move(values)), matrix_(v[0].matrix) {
    ir::node_id direction;
    if (matrix_) {
      const matrix_operand& m = bound.matrices()[static_cast<std::size_t>(v[0].number)];
      direction = g.matrix(scalar_type::float64, static_cast<std::int64_t>(values_.matrices.size()),
                           m.first_extent, m.first_extent + 1, matrix_cl_view::Entire);
      values_.matrices.push_back(
          {m.rows, m.cols, list_of<long double>(static_cast<std::size_t>(m.rows * m.cols))});
    } else {
      direction = g.constant(scalar_type::float64, 1);
    }
    g_ = passes::forward_differentiate(g, v, list_of<ir::node_id>(v.size(), direction));
  }
  double along(std::size_t element) {
    if (matrix_) values_.matrices.back().values[element] = 1;
    const long double result = ir::interpret(g_, values_)[static_cast<std::size_t>(g_.roots[1])].values[0];
    if (matrix_) values_.matrices.back().values[element] = 0;
    return static_cast<double>(result);
  }

 private:
  ir::graph g_;
  ir::host_bindings values_;
  bool matrix_;
};

FUSECL_INLINE gradient_check compare_gradient(const statement& s, const binder& bound,
                                              const gradient_variable* variables,
                                              const list_of<host_gradient>& gradients) {
  const ir::graph g = widened(lower_statement(s, bound));
  const ir::host_bindings values = read_operands(bound);
  Eigen::Index elements = 0;
  for (const host_gradient& m : gradients) elements += m.size();
  const Eigen::Index stride = std::max<Eigen::Index>(1, elements / 200);
  gradient_check result;
  std::vector<gradient_entry> all;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const host_gradient& own = gradients[k];
    all_uses v;
    find_uses("check_gradient", variables[k], k, bound, v);
    moved_value moved(g, values);
    owned<unit_direction> direction;
    if (!v.empty() && own.size() > 0) direction = owned(new unit_direction(g, values, v, bound));
    for (Eigen::Index at = 0; at < own.size(); at += stride) {
      gradient_entry entry{k, at % own.rows(), at / own.rows(), own.data()[at], 0, 0, 0};
      if (!v.empty()) {
        const auto element = static_cast<std::size_t>(at);
        entry.forward = direction->along(element);
        entry.difference = moved.best_difference(v, element, entry.step_error);
      }
      all.push_back(entry);
    }
  }
  result.entries = static_cast<std::int64_t>(all.size());
  // NaN first
  const auto rank = [](const gradient_entry& e) { return is_nan(e.error()) ? HUGE_VAL : e.error(); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const gradient_entry& a, const gradient_entry& b) { return rank(a) > rank(b); });
  result.worst.assign(all.begin(), all.begin() + std::min<std::ptrdiff_t>(10, std::ssize(all)));
  return result;
}

FUSECL_INLINE double moved_values::difference_from(double wanted) const {
  const double wide = (values[3] - values[0]) / (2 * h), narrow = (values[2] - values[1]) / h;
  const double found = (4 * narrow - wide) / 3;
  if (!is_finite(found) || !is_finite(wanted) || values[0] == values[3]) return 0;
  const double noise = rounding * (std::fabs(values[0]) + std::fabs(values[3])) / h;
  const double off = std::fabs(found - wanted) - 10 * (std::fabs(narrow - wide) + noise);
  return std::max(0.0, off) / (1 + std::fabs(wanted));
}

FUSECL_INLINE bool are_apart(std::span<const gradient_variable> inputs, const binder& named) {
  list_of<const void*> seen;
  for (const matrix_operand& m : named.matrices()) seen.push_back(m.storage);
  for (const gradient_variable& input : inputs) {
    if (!input.matrix) continue;
    const void* const memory = input.matrix->storage().get();
    if (std::find(seen.begin(), seen.end(), memory) != seen.end()) return false;
    seen.push_back(memory);
  }
  return true;
}

}  // namespace detail

FUSECL_INLINE double gradient_entry::error() const {
  if (is_nan(gradient) || is_nan(forward) || is_nan(difference)) return std::nan("");
  if (gradient == forward && gradient == difference) return 0;
  const double scale = 1 + std::fabs(difference);
  const double by_difference = std::max(0.0, std::fabs(gradient - difference) - 10 * step_error) / scale;
  return std::max(by_difference, std::fabs(gradient - forward) / scale);
}

FUSECL_INLINE std::string to_string(const gradient_check& check) {
  std::ostringstream out;
  out << check;
  return out.str();
}

FUSECL_INLINE std::ostream& operator<<(std::ostream& out, const gradient_check& check) {
  out << check.entries << " derivatives compared";
  if (check.unseen > 1e-5)
    out << "; the function takes numbers of its inputs, as v(0) is one, which have no derivative, or has a "
           "kink: along one direction it is off by "
        << check.unseen;
  if (!check.worst.empty())
    out << "; input (row, col): gradient, forward accumulation, difference, relative error";
  for (const gradient_entry& e : check.worst)
    out << "\n  " << e.variable << " (" << e.row << ", " << e.col << "): " << e.gradient << ", " << e.forward
        << ", " << e.difference << ", " << e.error();
  return out;
}

}  // namespace fusecl
