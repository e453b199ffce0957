#pragma once
// How many basic blocks have run of what is compiled with -fsanitize-coverage=trace-pc.

#include <cstdint>

namespace fusecl::test {

extern std::uint64_t blocks_run;

}  // namespace fusecl::test
