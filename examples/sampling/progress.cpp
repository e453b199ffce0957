// Bars are drawn over by moving the cursor up.

#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "counted.hpp"

namespace sampling {
namespace {

/// Of the terminal that stderr is.
struct terminal_size {
  int rows = 24, columns = 80;
};

terminal_size size_of_terminal() {
  winsize known{};
  terminal_size size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &known) != 0) return size;
  if (known.ws_row > 0) size.rows = known.ws_row;  // 0 where it says nothing
  if (known.ws_col > 0) size.columns = known.ws_col;
  return size;
}

}  // namespace

progress::progress(const settings& chosen)
    : chosen_(chosen),
      terminal_(isatty(STDERR_FILENO) == 1 && size_of_terminal().rows > chosen.chains),
      chains_(static_cast<std::size_t>(chosen.chains)) {}

void progress::drawn(int chain, const draw& made) {
  state_of_chain& of = chains_[static_cast<std::size_t>(chain)];
  of.divergent += !made.warmup && made.how.divergent;
  of.iterations = made.iteration + 1;
}

void progress::show() { terminal_ ? show_bars() : show_lines(); }

void progress::show_bars() {
  const int total = chosen_.warmup + chosen_.draws;
  // A line that the terminal breaks would be two, and the cursor would not come back to the first bar.
  const int longest = size_of_terminal().columns - 1;
  if (bars_shown_) std::fprintf(stderr, "\x1b[%zuA", chains_.size());
  bars_shown_ = true;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const int done = chains_[c].iterations;
    const std::string of_all = "/" + std::to_string(total), divergent = std::to_string(chains_[c].divergent);
    const auto counts = [&](int made) {
      return "] " + std::to_string(made) + of_all +
             (made == 0               ? " starting, "
              : made < chosen_.warmup ? " warm-up, "
                                      : " sampling, ") +
             divergent + " divergent";
    };
    std::string line = "chain " + std::string(c < 9 ? " " : "") + std::to_string(c + 1) + " [";
    const int width = std::clamp(longest - static_cast<int>((line + counts(total)).size()), 0, 40);
    const auto filled = static_cast<std::size_t>(static_cast<long long>(done) * width / total);
    line.append(filled, '#').append(static_cast<std::size_t>(width) - filled, '.');
    line += counts(done);
    std::fprintf(stderr, "\r%.*s\x1b[K\n", longest, line.c_str());
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
