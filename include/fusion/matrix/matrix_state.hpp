#pragma once
// What a matrix holds, in a state that it shares with the expressions that name it, and where expressions
// find what was moved away: docs/matrices.md has the rule.

#include <atomic>
#include <cstdint>
#include <utility>

#include <fusion/base/view.hpp>
#include <fusion/matrix/user_events.hpp>
#include <fusion/runtime/storage.hpp>

namespace fusecl::detail {

struct matrix_state;

/// Where the contents are that some matrices held until they were moved away. All that follow the same
/// contents share a group, or groups that were joined: another move sets one pointer, however many follow.
struct follower_group {
  std::atomic<std::uint32_t> references{1};
  unsigned rank = 0;                 ///< joined ones are at most so deep: log2 of their number
  follower_group* joined = nullptr;  ///< the group that knows; held
  matrix_state* target = nullptr;    ///< of one that is not joined: who holds the contents; held

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  [[gnu::noinline, gnu::cold]] const matrix_state& contents() const {
    const follower_group* g = this;
    while (g->joined != nullptr) g = g->joined;
    return *g->target;
  }
  void set_target(matrix_state* state);

 private:
  void destroy();
};

/// What a matrix holds now. The matrix writes it, expressions that name the matrix read it.
struct matrix_state {
  std::atomic<std::uint32_t> references{1};
  matrix_cl_view view = matrix_cl_view::Entire;
  bool is_gone = false;   ///< there is no matrix of which this is the state
  bool is_apart = false;  ///< no other matrix is the same variable, though it may be in the same memory
  runtime::storage_ref storage;  ///< never empty
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// Where expressions that are older than the last move find what was moved out of this; null if nothing was
  /// since this was last assigned to. What `group` refers to follows nobody: a walk has one step.
  follower_group* follows = nullptr;
  /// Who follows what this holds, while a matrix owns this; it refers to this. Null if nobody was known to.
  follower_group* group = nullptr;
  events_when_told events;
  std::uint32_t moves = 0;                       ///< how often contents were moved out
  std::atomic<std::uint32_t> further_owners{0};  ///< handles that are this matrix, but for the first

  explicit matrix_state(runtime::storage_ref memory) : storage(std::move(memory)) {}
  /// Whether others than its matrix may refer to this.
  bool is_shared() const { return references.load(std::memory_order_acquire) != 1; }
  /// Whether none do, nor follow what this holds.
  bool is_alone() {
    if (group != nullptr) drop_group_of_nobody();
    return !is_shared();
  }
  /// Whether expressions name the matrix.
  bool is_named() const { return references.load(std::memory_order_acquire) != (group == nullptr ? 1u : 2u); }
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  /// A handle is this matrix, too.
  void join() {
    retain();
    further_owners.fetch_add(1, std::memory_order_relaxed);
  }
  /// The matrix is gone, with the last handle: what this holds is moved no more.
  void leave() {
    if (further_owners.load(std::memory_order_relaxed) != 0 &&
        further_owners.fetch_sub(1, std::memory_order_acq_rel) != 0)
      return release();
    is_gone = true;
    if (group != nullptr) std::exchange(group, nullptr)->release();
    release();
  }
  /// What an expression reads that named the matrix when so many moves were done.
  const matrix_state& now(std::uint32_t moves_then) const {
    if (follows == nullptr || moves_then == moves) [[likely]]
      return *this;
    return follows->contents();
  }
  /// Takes what the matrix is assigned.
  void hold(runtime::storage_ref memory, std::int64_t new_rows, std::int64_t new_cols,
            matrix_cl_view new_view);
  /// Those of `others` follow this, too; takes over the caller's reference, null for none.
  void adopt(follower_group* others);
  /// Older expressions find the contents in `to`, which has a group; this is 0 x 0 with the storage
  /// `nothing`.
  void go_to(matrix_state& to, runtime::storage_ref nothing);

 private:
  void drop_group_of_nobody();
  void destroy();
};

/// The owner that an operand names: null where all matrices in the same memory are one variable.
inline const void* owner_of(const matrix_state& of) { return of.is_apart ? &of : nullptr; }

/// A reference to the state of a matrix.
class state_ref {
 public:
  explicit state_ref(matrix_state& target) : target_(&target), moves_then_(target.moves) {
    target_->retain();
  }
  state_ref(const state_ref& other) : target_(other.target_), moves_then_(other.moves_then_) {
    if (target_ != nullptr) target_->retain();
  }
  state_ref(state_ref&& other) noexcept
      : target_(std::exchange(other.target_, nullptr)), moves_then_(other.moves_then_) {}
  state_ref& operator=(state_ref other) noexcept {
    std::swap(target_, other.target_);
    std::swap(moves_then_, other.moves_then_);
    return *this;
  }
  ~state_ref() {
    if (target_ != nullptr) drop(target_);
  }
  const matrix_state& now() const { return target_->now(moves_then_); }
  std::int64_t rows() const { return now().rows; }
  std::int64_t cols() const { return now().cols; }

 private:
  static void drop(matrix_state* target) noexcept;

  matrix_state* target_;
  std::uint32_t moves_then_;
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/matrix/matrix_state.ipp>
#endif
