#pragma once
// What densities of vectors share. A vector for each outcome is a column of a matrix; one column may stand
// for all outcomes.

#include <initializer_list>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/statistics.hpp>
#include <primitives/likelihoods/terms.hpp>

namespace fusecl::detail {

/// Throws std::invalid_argument unless the vectors have the same number of elements, at least one (numbers
/// fit any), and the same number of columns where they have not one. Returns that number, 0 where one is 0 x
/// 0.
std::int64_t check_columns(const char* function, std::initializer_list<const argument*> vectors);

/// The columns must be probabilities: no element negative, each sum 1 within 1e-8.
void check_simplex(list_of<check>& checks, const char* function, const argument& probabilities,
                   const char* sum_of_them);

/// A number, or each element of a column, as the 1 x n row of what each of n columns has; one stands for all.
argument one_each(const argument& of, std::int64_t n);
/// Columns, one of which stands for n.
argument in_columns(const argument& of, std::int64_t n);

/// The density whose logarithm is the sum of these numbers, where the checks hold.
inline density_terms sum_of_numbers(std::initializer_list<held_pointer> numbers, list_of<check> always) {
  density_terms all{{}, 1, {std::move(always), {}}};
  for (const held_pointer& number : numbers)
    if (number) all.terms.push_back(number);
  return all;
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/columns.ipp>
#endif
