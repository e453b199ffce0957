// Bars are drawn over by moving the cursor up.

#include "progress.hpp"

#include <cstdio>
#include <string>

#include <unistd.h>

#include "counted.hpp"

namespace sampling {

progress::progress(const settings& chosen)
    : chosen_(chosen),
      terminal_(isatty(STDERR_FILENO) == 1),
      chains_(static_cast<std::size_t>(chosen.chains)) {}

void progress::drawn(int chain, const draw& made) {
  state_of_chain& of = chains_[static_cast<std::size_t>(chain)];
  of.divergent += !made.warmup && made.how.divergent;
  of.iterations = made.iteration + 1;
}

void progress::show() { terminal_ ? show_bars() : show_lines(); }

void progress::show_bars() {
  constexpr int width = 40;
  const int total = chosen_.warmup + chosen_.draws;
  if (bars_shown_) std::fprintf(stderr, "\x1b[%zuA", chains_.size());
  bars_shown_ = true;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const int done = chains_[c].iterations;
    const auto filled = static_cast<std::size_t>(static_cast<long long>(done) * width / total);
    const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
    std::fprintf(stderr, "\rchain %2zu [%s] %d/%d %s, %d divergent\x1b[K\n", c + 1, bar.c_str(), done, total,
                 done < chosen_.warmup ? "warm-up" : "sampling", chains_[c].divergent.load());
  }
  std::fflush(stderr);
}

void progress::show_lines() {
  const int total = chosen_.warmup + chosen_.draws;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const int done = chains_[c].iterations;
    const int tenth = static_cast<int>(static_cast<long long>(done) * 10 / total);
    if (tenth <= chains_[c].shown_tenth) continue;
    chains_[c].shown_tenth = tenth;
    std::fprintf(stderr, "chain %zu: %d of %s%s\n", c + 1, done, counted(total, "iteration").c_str(),
                 done <= chosen_.warmup ? ", warm-up" : "");
  }
}

}  // namespace sampling
