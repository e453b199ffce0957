// A group of work-items of an NVIDIA GPU on the host, for kernels whose text was made C++
// (emulation_test.cpp): each work-item is a context of its own, and they take turns where they wait for each
// other. Asynchronous copies are made at once, or as late as PTX allows (PTX ISA, "Asynchronous Operations"),
// and work-items take turns in either order: a kernel is right if its results are so in all these ways.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <ucontext.h>

using uint = unsigned;
using ulong = unsigned long;

namespace on_host {

struct copy {
  char* to;
  const char* from;
  int bytes, size;  // zeros behind the first `bytes`
  void make() const {
    std::memset(to, 0, static_cast<std::size_t>(size));
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};

struct work_item {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(64 * 1024);
  bool ended = false;
  std::vector<copy> begun;               // since the last end of a slice
  std::deque<std::vector<copy>> slices;  // not yet made
  double a0 = 0, a1 = 0, b = 0;          // fragments of a warp's matrices
};

struct launch {
  bool late = false, backwards = false;
  std::vector<work_item> items;
  ucontext_t scheduler;
  std::size_t running = 0;
  uint group = 0;
  void (*kernel)() = nullptr;
};
inline launch now;

inline work_item& self() { return now.items[now.running]; }
/// Lets the others go on to where they wait.
inline void wait_for_others() { swapcontext(&self().context, &now.scheduler); }

inline void enter() {
  now.kernel();
  self().ended = true;
  wait_for_others();
}

/// Runs one group: all go on to where they wait next, again and again.
inline void run_group(std::size_t work_items) {
  now.items.clear();
  now.items.resize(work_items);
  for (work_item& each : now.items) {
    getcontext(&each.context);
    each.context.uc_stack.ss_sp = each.stack.data();
    each.context.uc_stack.ss_size = each.stack.size();
    makecontext(&each.context, enter, 0);
  }
  for (bool all_ended = false; !all_ended;) {
    all_ended = true;
    for (std::size_t k = 0; k < work_items; ++k) {
      now.running = now.backwards ? work_items - 1 - k : k;
      if (self().ended) continue;
      swapcontext(&now.scheduler, &self().context);
      all_ended = all_ended && self().ended;
    }
  }
}

inline char anchor;  // of the static memory, in which local memory is
inline void copy_async(uint to, const void* from, int bytes, int size) {
  const auto high = reinterpret_cast<std::uintptr_t>(&anchor) >> 32 << 32;
  const copy c{reinterpret_cast<char*>(high | to), static_cast<const char*>(from), bytes, size};
  if (now.late)
    self().begun.push_back(c);
  else
    c.make();
}
inline void end_of_slice() { self().slices.push_back(std::move(self().begun)), self().begun.clear(); }
inline void wait_for_slices(std::size_t pending) {
  for (auto& slices = self().slices; slices.size() > pending; slices.pop_front())
    for (const copy& c : slices.front()) c.make();
}

/// c += a b, a 16 x 4, b 4 x 8 (PTX ISA, "Matrix Fragments for mma.m16n8k4").
inline void multiply_unit(double* c, double a0, double a1, double b) {
  work_item& own = self();
  own.a0 = a0, own.a1 = a1, own.b = b;
  wait_for_others();
  const std::size_t warp = now.running / 32 * 32, lane = now.running % 32;
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t k = 0; k < 4; ++k) {
      const work_item& of_row = now.items[warp + lane / 4 * 4 + k];
      const work_item& of_column = now.items[warp + (lane % 4 * 2 + q % 2) * 4 + k];
      c[q] = std::fma(q < 2 ? of_row.a0 : of_row.a1, of_column.b, c[q]);
    }
  wait_for_others();
}

}  // namespace on_host

inline uint get_local_id(int) { return static_cast<uint>(on_host::now.running); }
inline uint get_group_id(int) { return on_host::now.group; }
#define CLK_LOCAL_MEM_FENCE 0
inline void barrier(int) { on_host::wait_for_others(); }
template <class A, class B>
auto min(A a, B b) {
  return a < b ? a : b;
}
template <class A, class B>
auto max(A a, B b) {
  return a > b ? a : b;
}
