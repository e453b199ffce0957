// Counts the basic blocks of what was compiled to be traced.

#include <plan_cost/count_blocks.hpp>

namespace fusecl::test {

std::uint64_t blocks_run = 0;

}  // namespace fusecl::test

/// Called by each basic block that the compiler was told to trace; this file's are not.
extern "C" void __sanitizer_cov_trace_pc() { ++fusecl::test::blocks_run; }
