#pragma once
// The kinds of steps there are, and the choice among them by sizes.

#include <span>

#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {

/// All kinds, in the order in which they are asked.
std::span<const step_kind* const> all();
/// Geometry of the first kind that takes the step and fits the sizes; `groups` is negative where none does.
schedule::geometry shape(const schedule::launch_request& r);
/// Kind of a geometry.
const step_kind& kind_of(const schedule::geometry& g);
/// Text of step `number` in the variant of `g`.
codegen::program_text emit(const schedule::plan& p, std::size_t number, const schedule::geometry& g);

}  // namespace fusecl::kinds

#ifndef FUSECL_SPLIT
#include <fusion/kinds/kinds.ipp>
#endif
