#pragma once
// The tape of a thread: what was computed from variables, in order, so that it can be gone through backwards.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include <fusion/base/config.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/process.hpp>

namespace fusecl {
namespace detail {

class number_reader;

/// Which entry of which tape: what was forgotten is told from what has taken its place.
struct entry_mark {
  std::uint64_t serial;    ///< no other entry of this tape has or had it
  std::uint32_t position;  ///< on the tape
  std::uint32_t tape;      ///< number of the tape, one a thread
};

/// An entry of the tape: a variable, or a statement whose result is one.
class tape_entry {
 public:
  tape_entry();
  virtual ~tape_entry() = default;
  tape_entry(const tape_entry&) = delete;
  tape_entry& operator=(const tape_entry&) = delete;
  const entry_mark& mark() const { return mark_; }
  std::size_t position() const { return mark_.position; }
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
  entry_mark mark_;
};

/// Entries in the order of their creation, in memory that is kept for the next round.
class tape {
 public:
  tape();
  ~tape();
  tape(const tape&) = delete;
  tape& operator=(const tape&) = delete;

  template <class Entry, class... Arguments>
  Entry* record(Arguments&&... arguments) {
    void* memory = allocate(sizeof(Entry), alignof(Entry));
    const std::size_t position = entries_.size();
    entries_.push_back(nullptr);
    try {
      Entry* entry = new (memory) Entry(std::forward<Arguments>(arguments)...);
      entries_[position] = entry;
      return entry;
    } catch (...) {
      recover(position);
      throw;
    }
  }
  /// The mark of the entry that is being made.
  entry_mark next_mark() {
    return {next_serial_++, static_cast<std::uint32_t>(entries_.size() - 1), number_};
  }
  /// Whether an entry with this mark is here.
  bool remembers(const entry_mark& wanted) const {
    return wanted.tape == number_ && wanted.position < entries_.size() && entries_[wanted.position] &&
           entries_[wanted.position]->mark().serial == wanted.serial;
  }
  std::uint32_t number() const { return number_; }
  /// Lets the entries from `first` on start a gradient.
  void start_gradient(std::size_t first);
  /// Runs `reverse` from entry `last` down to entry `first`.
  void reverse(std::size_t last, std::size_t first);
  void clear_adjoints(std::size_t first);
  /// The entry, or null while it is being made.
  tape_entry* operator[](std::size_t k) { return entries_[k]; }
  /// Destroys the entries from `first` on.
  void recover(std::size_t first);

  std::size_t size() const { return entries_.size(); }
  /// A nested tape that is open.
  struct nested_tape {
    std::size_t first;  ///< entry
    std::uint64_t serial;
  };
  list_of<nested_tape> nested;
  /// First entry that belongs to the innermost open tape.
  std::size_t first() const { return nested.empty() ? 0 : nested.back().first; }
  /// Opens a nested tape and returns its serial number.
  std::uint64_t open_nested();
  /// Closes that tape and those within it, unless it is closed.
  void close_nested(std::uint64_t serial);

 private:
  void* allocate(std::size_t bytes, std::size_t alignment);
  void drop_last();

  static constexpr std::size_t block_bytes = 64 * 1024;
  struct mark {
    std::size_t block;
    std::size_t used;
  };
  list_of<tape_entry*> entries_;
  list_of<mark> marks_;  // where the arena stood before each entry
  list_of<std::pair<std::unique_ptr<std::byte[]>, std::size_t>> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
  std::uint32_t number_ = ~std::uint32_t{0};
  std::uint64_t next_serial_ = 0;
};

/// The calling thread's tape once it has used it.
inline FUSECL_SHARED constinit thread_local tape* own_tape = nullptr;
tape& make_own_tape();
/// The calling thread's tape.
inline tape& this_thread_tape() { return own_tape ? *own_tape : make_own_tape(); }

inline tape_entry::tape_entry() : mark_(this_thread_tape().next_mark()) {}

/// Throws std::logic_error where the entry is known to be gone: forgotten by this thread's tape, or of a
/// thread that has ended.
void check_remembered(const entry_mark& mark);
/// The same also for entries of other threads.
void check_own(const entry_mark& mark, const char* function);

/// A variable's hold on its entry, which may be forgotten meanwhile.
template <class Entry>
class entry_handle {
 public:
  explicit entry_handle(Entry* entry) : entry_(entry), mark_(entry->mark()) {}
  /// Throws std::logic_error where it is known to be gone.
  Entry* get() const {
    if (!own_tape || !own_tape->remembers(mark_)) [[unlikely]]
      check_remembered(mark_);
    return entry_;
  }
  /// Throws std::logic_error also where it is on the tape of another thread.
  Entry* own(const char* function) const {
    if (!own_tape || !own_tape->remembers(mark_)) [[unlikely]]
      check_own(mark_, function);
    return entry_;
  }

 private:
  Entry* entry_;
  entry_mark mark_;
};

}  // namespace detail

/// Sets the adjoints of all variables of this thread to zero.
void set_zero_all_adjoints();
/// The same for the innermost nested tape only.
void set_zero_all_adjoints_nested();
/// Forgets everything recorded on this thread: using a variable made before throws std::logic_error. So does
/// this while a nested tape is open.
void recover_memory();
/// Opens a nested tape. `nested_rev_autodiff` does so for its lifetime.
void start_nested();
/// Forgets what was recorded since `start_nested` and closes that tape. Throws std::logic_error if none is
/// open.
void recover_memory_nested();

/// Opens a nested tape for its lifetime: gradients inside go back no further, and what was recorded inside is
/// forgotten at the end, unless `recover_memory_nested` has done so; nested tapes within it are closed with
/// it.
class nested_rev_autodiff {
 public:
  nested_rev_autodiff() : serial_(detail::this_thread_tape().open_nested()) {}
  ~nested_rev_autodiff() { detail::this_thread_tape().close_nested(serial_); }
  nested_rev_autodiff(const nested_rev_autodiff&) = delete;
  nested_rev_autodiff& operator=(const nested_rev_autodiff&) = delete;
  void set_zero_all_adjoints() { set_zero_all_adjoints_nested(); }

 private:
  std::uint64_t serial_;
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/tape.ipp>
#endif
