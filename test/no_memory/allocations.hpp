#pragma once
// The host's memory in tests: allocations fail when they are told to. An executable that has allocations.cpp
// allocates that way.

#include <cstddef>

namespace fusecl::test {

/// How many allocations of this thread succeed before one fails; negative: all.
extern thread_local int allocations_left;
/// Allocations of this thread of so many bytes fail, unless 0.
extern thread_local std::size_t failing_bytes;

}  // namespace fusecl::test
