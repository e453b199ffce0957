// A group of work-items of an NVIDIA GPU on the host, for kernels whose text was made C++
// (emulation_test.cpp): each work-item is a context of its own, and they take turns where they wait for each
// other. Asynchronous copies are made at once, or as late as PTX allows (PTX ISA, "Asynchronous Operations"),
// and work-items take turns in either order: a kernel is right if its results are so in all these ways.
// Contexts are made by makecontext, but turns are taken by _longjmp, which asks nothing of the system.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include <setjmp.h>
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

struct fragments {
  double a0, a1, b;
};

struct work_item {
  ucontext_t context;  // of its begin
  jmp_buf waits;       // where it goes on
  static constexpr std::size_t stack_bytes = 64 * 1024;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  bool begun_to_run = false, ended = false;
  std::vector<copy> begun;               // since the last end of a slice
  std::deque<std::vector<copy>> slices;  // not yet made
  fragments matrices[2] = {};            // of its warp, of this product and of the one before
  int product = 0;
};

struct launch {
  bool late = false, backwards = false;
  std::vector<work_item> items;
  ucontext_t unused;  // of the scheduler, which ...
  jmp_buf scheduler;  // ... goes on here
  std::size_t running = 0;
  uint group = 0;
  void (*kernel)() = nullptr;
};
inline launch now;

inline work_item& self() { return now.items[now.running]; }
/// Lets the others go on to where they wait.
inline void wait_for_others() {
  if (_setjmp(self().waits) == 0) _longjmp(now.scheduler, 1);
}
/// Lets the work-item whose turn it is go on to where it waits.
inline void take_turn() {
  if (_setjmp(now.scheduler) != 0) return;
  if (self().begun_to_run) _longjmp(self().waits, 1);
  self().begun_to_run = true;
  swapcontext(&now.unused, &self().context);
}

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
    each.context.uc_stack.ss_sp = each.stack.get();
    each.context.uc_stack.ss_size = work_item::stack_bytes;
    makecontext(&each.context, enter, 0);
  }
  for (bool all_ended = false; !all_ended;) {
    all_ended = true;
    for (std::size_t k = 0; k < work_items; ++k) {
      now.running = now.backwards ? work_items - 1 - k : k;
      if (self().ended) continue;
      take_turn();
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

/// c += a b, a 16 x 4, b 4 x 8 (PTX ISA, "Matrix Fragments for mma.m16n8k4"). While some read the fragments
/// of this product others may write those of the next, which are apart.
inline void multiply_unit(double* c, double a0, double a1, double b) {
  work_item& own = self();
  const int product = own.product++ % 2;
  own.matrices[product] = {a0, a1, b};
  wait_for_others();
  const work_item* const warp = &now.items[now.running / 32 * 32];
  const std::size_t lane = now.running % 32;
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t k = 0; k < 4; ++k) {
      const fragments& row = warp[lane / 4 * 4 + k].matrices[product];
      const fragments& column = warp[(lane % 4 * 2 + q % 2) * 4 + k].matrices[product];
      c[q] = std::fma(q < 2 ? row.a0 : row.a1, column.b, c[q]);
    }
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
