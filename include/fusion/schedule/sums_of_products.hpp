#pragma once
// Joins reductions with the step of the product that what they are of follows from: its kernel adds up what
// it has in registers, and the product is stored only where somebody else needs it.

#include <fusion/schedule/step_reads.hpp>

namespace fusecl::schedule {

/// Reductions that are joined with a product, at most: registers and local memory are its own.
inline constexpr std::size_t most_joined_sums = 4;

/// Joins the steps that reduce what follows, at the places of its elements, from a product and from what is
/// there before it. `compared`: values that have to be computed at one place.
void join_sums_of_products(const cut_steps& cut, const ir::node_set& compared);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/sums_of_products.ipp>
#endif
