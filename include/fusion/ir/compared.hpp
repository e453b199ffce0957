#pragma once
// Values that are compared with what they are reduced to, as in the derivative of a maximum. They are
// computed once, at one place: a compiler may round differently in another kernel or for another width of
// vectors, and then none of the elements would be the largest.

#include <fusion/ir/graph.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

/// Of what the roots need, the values of floating point type, other than operands, of which a comparison is
/// with a reduction of themselves, both looked at through accesses, broadcasts and casts.
node_set compared_with_reductions(const graph& g);
/// Those of them with many elements that are computed one by one; others have one place anyway.
node_set elements_compared_with_reductions(const graph& g);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/compared.ipp>
#endif
