#pragma once
// Nothing is built while one of these lives.

#include <fusion/eval/prepare.hpp>
#include <fusion/runtime/program_cache.hpp>

namespace fusecl::test {

struct freezing {
  freezing() { freeze(); }
  ~freezing() { unfreeze(); }
  freezing(const freezing&) = delete;
  freezing& operator=(const freezing&) = delete;
};

}  // namespace fusecl::test
