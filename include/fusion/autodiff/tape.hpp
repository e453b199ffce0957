#pragma once
// The tape of a thread: what was computed from variables, in order, so that it can be gone through backwards.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <fusion/base/config.hpp>

namespace fusecl {
namespace detail {

class tape;
class number_reader;

/// An entry of the tape: a variable, or a statement whose result is one.
class tape_entry {
 public:
  tape_entry();
  virtual ~tape_entry() = default;
  tape_entry(const tape_entry&) = delete;
  tape_entry& operator=(const tape_entry&) = delete;
  /// The tape of the thread that made the entry, and the entry's place on it.
  const tape* owner() const { return owner_; }
  std::size_t position() const { return position_; }
  /// Forgets what an earlier gradient left in the adjoint of a statement's result; variables keep theirs.
  virtual void start_gradient() {}
  /// Adds to the adjoints of what the entry was computed from.
  virtual void reverse() {}
  /// Sets the entry's adjoint to zero.
  virtual void clear_adjoint() {}
  /// Asks for the numbers on the device that `reverse` will need on the host.
  virtual void request(number_reader&) {}
  /// What puts the adjoint back to what it is now.
  virtual std::function<void()> kept_adjoint() { return {}; }

 private:
  const tape* owner_;
  std::size_t position_;
};

/// Entries in the order of their creation, in memory that is kept for the next round.
class tape {
 public:
  tape() = default;
  ~tape() { recover(0); }
  tape(const tape&) = delete;
  tape& operator=(const tape&) = delete;

  template <class Entry, class... Arguments>
  Entry* record(Arguments&&... arguments) {
    void* memory = allocate(sizeof(Entry), alignof(Entry));
    entries_.push_back(nullptr);
    try {
      Entry* entry = new (memory) Entry(std::forward<Arguments>(arguments)...);
      entries_.back() = entry;
      return entry;
    } catch (...) {
      drop_last();
      throw;
    }
  }
  /// Lets the entries from `first` on start a gradient.
  void start_gradient(std::size_t first);
  /// Runs `reverse` from entry `last` down to entry `first`.
  void reverse(std::size_t last, std::size_t first);
  void clear_adjoints(std::size_t first);
  tape_entry& operator[](std::size_t k) { return *entries_[k]; }
  /// Destroys the entries from `first` on.
  void recover(std::size_t first);

  std::size_t size() const { return entries_.size(); }
  /// First entries of the nested tapes that are open.
  std::vector<std::size_t> nested;
  /// First entry that belongs to the innermost open tape.
  std::size_t first() const { return nested.empty() ? 0 : nested.back(); }

 private:
  void* allocate(std::size_t bytes, std::size_t alignment);
  void drop_last();

  static constexpr std::size_t block_bytes = 64 * 1024;
  struct mark {
    std::size_t block;
    std::size_t used;
  };
  std::vector<tape_entry*> entries_;
  std::vector<mark> marks_;  // where the arena stood before each entry
  std::vector<std::pair<std::unique_ptr<std::byte[]>, std::size_t>> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

/// The calling thread's tape.
tape& this_thread_tape();

}  // namespace detail

/// Sets the adjoints of all variables of this thread to zero.
void set_zero_all_adjoints();
/// The same for the innermost nested tape only.
void set_zero_all_adjoints_nested();
/// Forgets everything recorded on this thread; variables made before must not be used again. Throws
/// std::logic_error while a nested tape is open.
void recover_memory();
/// Opens a nested tape. `nested_rev_autodiff` does so for its lifetime.
void start_nested();
/// Forgets what was recorded since `start_nested` and closes that tape. Throws std::logic_error if none is
/// open.
void recover_memory_nested();

/// Opens a nested tape for its lifetime: gradients inside go back no further, and what was recorded inside is
/// forgotten at the end.
class nested_rev_autodiff {
 public:
  nested_rev_autodiff() { start_nested(); }
  ~nested_rev_autodiff() { recover_memory_nested(); }
  nested_rev_autodiff(const nested_rev_autodiff&) = delete;
  nested_rev_autodiff& operator=(const nested_rev_autodiff&) = delete;
  void set_zero_all_adjoints() { set_zero_all_adjoints_nested(); }
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/tape.ipp>
#endif
