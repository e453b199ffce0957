#pragma once
// The densities as a list that tests go through, and their reference values.

#include <span>
#include <string>
#include <vector>

#include <primitives/primitives.hpp>

namespace fusecl::test {

/// A density, called with arguments of any mixture.
struct density_case {
  std::string name;
  std::span<const density_parameter> parameters;
  double (*value)(std::span<const detail::argument> arguments, bool propto);
  var (*recorded)(std::span<const detail::argument> arguments, bool propto);
};

template <class Record, std::size_t... K>
detail::density_terms terms_of(const detail::density_scope& scope, std::span<const detail::argument> a,
                               std::index_sequence<K...>) {
  return detail::recorded_density<Record>::terms(scope, a[K]...);
}

template <class Record>
density_case case_of() {
  using Density = detail::recorded_density<Record>;
  using each = std::make_index_sequence<Density::arity>;
  return {Record::name, Record::parameters,
          [](std::span<const detail::argument> a, bool propto) -> double {
            const detail::density_scope scope(Density::function, propto, a);
            if (scope.size() == 0) return 0;
            return detail::value_of_density(terms_of<Record>(scope, a, each()),
                                            detail::type_of_statement<detail::density_tag<Density>>);
          },
          [](std::span<const detail::argument> a, bool propto) -> var {
            const detail::density_scope scope(Density::function, propto, a);
            if (scope.size() == 0) return 0.0;
            return var(detail::record_density(
                terms_of<Record>(scope, a, each()),
                detail::type_of_statement<detail::reverse_tag, detail::density_tag<Density>>));
          }};
}

/// All densities and distribution functions.
const std::vector<density_case>& density_cases();

/// A line of densities.csv.
struct density_row {
  std::vector<double> arguments;
  struct number {
    double value, scale;
  };
  std::vector<number> results;  ///< the value, then the partial derivatives by arguments that are no counts
};
/// The lines of a density.
const std::vector<density_row>& density_rows(const std::string& name);

}  // namespace fusecl::test
