#pragma once
// The kinds of steps there are, and the choice among them by sizes.

#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {

/// Geometry of the first kind that takes the step and fits the sizes, of those that every graph needs and
/// those that the plan's nodes brought; `groups` is negative where none does.
schedule::geometry shape(const schedule::launch_request& r);
/// Kind of a geometry.
const step_kind& kind_of(const schedule::geometry& g);
/// Text of step `number` in the variant of `g`.
codegen::program_text emit(const schedule::plan& p, std::size_t number, const schedule::geometry& g);

}  // namespace fusecl::kinds

#ifndef FUSECL_SPLIT
#include <fusion/kinds/kinds.ipp>
#include <fusion/kinds/supports.ipp>
#endif
