#pragma once
// How much the random tests do, from the environment: FUSECL_FUZZ_GRAPHS and FUSECL_FUZZ_DEVICE_GRAPHS say
// how many graphs, FUSECL_FUZZ_PLANS how many statements that are only cut into steps, FUSECL_FUZZ_PROGRAMS
// how many programs, FUSECL_FUZZ_SHARD=i/n that this process is number i (from 0) of n that share them,
// FUSECL_TEST_SEED where they start. tools/fuzz.sh runs the shards.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <support/operands.hpp>

namespace fusecl::test {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t usual) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

/// The part of the work that is this process's.
struct fuzz_shard {
  std::uint64_t index = 0, count = 1;

  fuzz_shard() {
    const char* given = std::getenv("FUSECL_FUZZ_SHARD");
    unsigned long long i = 0, n = 1;
    if (given != nullptr && (std::sscanf(given, "%llu/%llu", &i, &n) != 2 || n == 0 || i >= n))
      ADD_FAILURE() << "FUSECL_FUZZ_SHARD=" << given << " is not i/n with i < n";
    index = i;
    count = n;
  }
  /// Work that comes with a period is dealt out evenly, too.
  bool has(std::uint64_t k) const { return (k + k / count) % count == index; }
};

/// Seconds after which no further work starts; none where the environment does not say.
class time_limit {
 public:
  bool is_over() const {
    return seconds_ > 0 && std::chrono::steady_clock::now() - start_ > std::chrono::seconds(seconds_);
  }

 private:
  const std::uint64_t seconds_ = number_from_environment("FUSECL_FUZZ_SECONDS", 0);
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Calls f(seed) for this process's part of `count` seeds, until the time is over, something is wrong or f
/// returns false.
template <class F>
void for_seeds(std::uint64_t count, F f) {
  const fuzz_shard mine;
  const time_limit limit;
  bool goes_on = true;
  for (std::uint64_t k = 0; k < count && goes_on && !limit.is_over() && !testing::Test::HasFailure(); ++k) {
    if (!mine.has(k)) continue;
    const std::uint64_t seed = base_seed() + k;
    try {
      goes_on = f(seed);
    } catch (const std::exception& e) {
      ADD_FAILURE() << "seed " << seed << " throws " << e.what();
    }
  }
}

}  // namespace fusecl::test
