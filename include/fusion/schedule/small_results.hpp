#pragma once
// Joins small steps with the finish of the row tile that they follow, or that needs them: a matrix of a few
// numbers, such as the derivatives by a few cut points, is not worth a launch.

#include <fusion/schedule/step_reads.hpp>

namespace fusecl::schedule {

/// Elements of a result that follow from one sum, at most; a launch is cheaper for more.
inline constexpr std::int64_t most_small_results = 256;

/// Elements of a sum that is taken where another is finished, at most.
inline constexpr std::int64_t most_small_elements = 1024;

/// Joins the steps behind a row tile whose results follow from the sums of one of its sections, at the places
/// of these sums, and from what is there before the tile. Whether they are small is asked when sizes are
/// known.
void join_small_results(const cut_steps& cut);
/// Joins sums of everything that only the numbers finished with a tile need, such as those of priors. Whether
/// these have few elements is asked when sizes are known, too.
void join_small_sums(const cut_steps& cut);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/small_results.ipp>
#endif
