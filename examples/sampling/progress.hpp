#pragma once
// How far the chains are, on stderr: a bar for each on a terminal that has a row for each, else a line at
// every tenth.

#include <atomic>
#include <vector>

#include "runner.hpp"

namespace sampling {

/// Counts on the chains' threads, prints on the one that waits.
class progress {
 public:
  explicit progress(const settings& chosen);

  void drawn(int chain, const draw& made);
  /// Prints what is new.
  void show();
  /// Something else was printed: bars go on below it.
  void go_on_below() { bars_shown_ = false; }

 private:
  struct state_of_chain {
    std::atomic<int> iterations{0}, divergent{0};
    int shown_tenth = 0;
  };
  void show_bars();
  void show_lines();

  settings chosen_;
  bool terminal_;
  bool bars_shown_ = false;
  std::vector<state_of_chain> chains_;
};

}  // namespace sampling
