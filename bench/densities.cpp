// Every density of the table with all its arguments vectors and all but counts variables: value, checks and
// partial derivatives in one statement, against reading the arguments and writing the derivatives once at the
// speed of a copy. Host wall time with the value read back.

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

template <class Record>
void run_case(benchmark::State& state, std::int64_t n) {
  using Density = fusecl::detail::recorded_density<Record>;
  std::vector<var_value<matrix_cl<double>>> variables;
  std::vector<fusecl::detail::argument> arguments;
  double bytes = 0;
  for (std::size_t k = 0; k < Density::arity; ++k) {
    const density_parameter& p = Record::parameters[k];
    if (p.is_count) {
      const matrix_cl<int> counts = cast<int>(round(sampled(k, p, n)));
      arguments.emplace_back(p.what, counts);
      bytes += 4.0 * static_cast<double>(n);
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
    return variables.empty() ? fusecl::detail::result_of_density<Density, double>(terms)
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
  state.counters["launches"] = static_cast<double>(used.launches);
  state.counters["waits"] = static_cast<double>(used.host_waits);
  recover_memory();
}

template <class Record>
void add_density(std::int64_t n) {
  add_case("densities/" + std::string(Record::name) + "/" + size_text(n),
           [n](benchmark::State& state) { run_case<Record>(state, n); });
}

}  // namespace

void register_cases() {
  const std::int64_t n = quick ? 1000 : opencl_context.capabilities().gpu ? 100000000 : 10000000;
#define FUSECL_CASE(NAME) add_density<density::NAME>(n);
#define FUSECL_CASES(NAME) FUSECL_CASE(NAME##_lcdf) FUSECL_CASE(NAME##_lccdf)
  FUSECL_DENSITIES(FUSECL_CASE)
  FUSECL_DISTRIBUTIONS(FUSECL_CASES)
#undef FUSECL_CASES
#undef FUSECL_CASE
}

}  // namespace fusecl::bench
