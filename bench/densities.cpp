// Every density of the table with all its arguments vectors and all but counts variables, or of data by
// parameters that are numbers: value, checks and partial derivatives in one statement, against reading the
// arguments and writing the derivatives once at the speed of a copy. Host wall time with the value read back.

#include <algorithm>
#include <cmath>

#include <primitives/primitives.hpp>

#include "ceilings.hpp"

namespace fusecl::bench {
namespace {

/// n x 1 values in the sample interval of an argument.
matrix_cl<double> sampled(std::size_t which, const density_parameter& p, std::int64_t n) {
  const double low = p.sample.low, width = p.sample.high - p.sample.low;
  return matrix_cl<double>(low + width * (random_matrix(which, n) - 0.1) / 0.9);
}

/// The value of a density without its checks, as an operand.
class value_of_terms : public expression<value_of_terms> {
 public:
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = true;

  explicit value_of_terms(const fusecl::detail::density_terms& terms) : terms_(terms) {}
  std::int64_t rows() const { return 1; }
  std::int64_t cols() const { return 1; }
  void gather(binder& b) const {
    for (const auto& term : terms_.terms) term->gather(b);
  }
  ir::node_id lower(lowering& low) const {
    ir::node_id total = ir::no_node;
    for (const auto& term : terms_.terms) {
      const ir::node_id next = term->lower(low);
      total = total == ir::no_node ? next : low.graph().apply(op::add::record(), total, next);
    }
    return low.graph().reduce(op::sum::record(), ir::axis::all, total);
  }

 private:
  const fusecl::detail::density_terms& terms_;
};

/// Floating-point operations an element of the value and all derivatives, checks aside, as the compiler
/// counts them: one for each of + - *, 4 a division, 20 to 30 an exponential or logarithm, 80 a `lgamma`.
template <class Record>
double flops_of_element() {
  using Density = fusecl::detail::recorded_density<Record>;
  constexpr std::int64_t n = 64;
  matrix_cl<double> values[Density::arity];
  std::vector<fusecl::detail::argument> arguments;
  for (std::size_t k = 0; k < Density::arity; ++k) {
    const density_parameter& p = Record::parameters[k];
    values[k] = sampled(k, p, n);
    if (p.is_count)
      arguments.emplace_back(p.what, matrix_cl<int>(cast<int>(round(values[k]))));
    else
      arguments.emplace_back(p.what, values[k]);
  }
  const fusecl::detail::density_scope scope(Density::function, false, arguments);
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    const fusecl::detail::density_terms terms = Density::terms(scope, arguments[K]...);
    return explain(value_of_terms(terms), wrt(optional(values[K])...)).flops / n;
  }
  (std::make_index_sequence<Density::arity>());
}

/// What the variables are: all arguments but counts, each a vector, or what follows the first one as numbers.
enum class variables_are { vectors, numbers };

template <class Record>
void run_case(benchmark::State& state, std::int64_t n, variables_are which) {
  using Density = fusecl::detail::recorded_density<Record>;
  std::vector<var_value<matrix_cl<double>>> variables;
  std::vector<var> numbers;
  std::vector<fusecl::detail::argument> arguments;
  double bytes = 0;
  for (std::size_t k = 0; k < Density::arity; ++k) {
    const density_parameter& p = Record::parameters[k];
    if (p.is_count) {
      const matrix_cl<int> counts = cast<int>(round(sampled(k, p, n)));
      arguments.emplace_back(p.what, counts);
      bytes += 4.0 * static_cast<double>(n);
    } else if (which == variables_are::numbers && k == 0) {
      arguments.emplace_back(p.what, sampled(k, p, n));
      bytes += 8.0 * static_cast<double>(n);
    } else if (which == variables_are::numbers) {
      arguments.emplace_back(p.what, numbers.emplace_back(0.5 * (p.sample.low + p.sample.high)));
    } else {
      arguments.emplace_back(p.what, variables.emplace_back(sampled(k, p, n)));
      bytes += 16.0 * static_cast<double>(n);
    }
  }
  const auto evaluate = [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const fusecl::detail::density_scope scope(Density::function, false, arguments);
    const auto terms = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return Density::terms(scope, arguments[K]...);
    }
    (std::make_index_sequence<Density::arity>());
    return variables.empty() && numbers.empty()
               ? fusecl::detail::result_of_density<Density, double>(terms)
               : fusecl::detail::result_of_density<Density, var>(terms).val();
  };
  comparison all;
  all.add("fused", runs_on::device, [&] { evaluate(); });
  all.add("floor", runs_on::device, copy_ceiling(bytes));
  all.measure();
  const counters before = runtime_counters();
  const double value = evaluate();
  const counters used = runtime_counters() - before;
  if (std::isnan(value)) state.SkipWithError("the density is NaN");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
  if (which == variables_are::vectors) state.counters["flops"] = flops_of_element<Record>();
  state.counters["launches"] = static_cast<double>(used.launches);
  state.counters["waits"] = static_cast<double>(used.host_waits);
  recover_memory();
}

template <class Record>
void add_density(std::int64_t n) {
  add_case("densities/" + std::string(Record::name) + "/" + size_text(n),
           [n](benchmark::State& state) { run_case<Record>(state, n, variables_are::vectors); });
}
template <class Record>
void add_density_by_numbers(std::int64_t n) {
  add_case("densities/" + std::string(Record::name) + "/by_numbers/" + size_text(n),
           [n](benchmark::State& state) { run_case<Record>(state, n, variables_are::numbers); });
}

}  // namespace

void register_cases() {
  const std::int64_t n = quick ? 1000 : opencl_context.capabilities().gpu ? 100000000 : 10000000;
  const std::int64_t few = std::min<std::int64_t>(n, 10000000);
#define FUSECL_CASE(NAME)                                                   \
  add_density<density::NAME>(n);                                            \
  if constexpr (fusecl::detail::recorded_density<density::NAME>::arity > 1) \
    add_density_by_numbers<density::NAME>(few);
#define FUSECL_CASES(NAME)              \
  add_density<density::NAME##_lcdf>(n); \
  add_density<density::NAME##_lccdf>(n);
  FUSECL_DENSITIES(FUSECL_CASE)
  FUSECL_DISTRIBUTIONS(FUSECL_CASES)
#undef FUSECL_CASES
#undef FUSECL_CASE
}

}  // namespace fusecl::bench
