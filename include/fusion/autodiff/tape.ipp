#pragma once
#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <fusion/autodiff/living_tapes.ipp>
#include <fusion/autodiff/tape.hpp>
#include <fusion/base/per_thread.hpp>

namespace fusecl {
namespace detail {

/// In a forked child another thread of its parent may hold the list for ever.
inline bool can_list_tapes() { return !runtime::process_was_forked.load(std::memory_order_relaxed); }

FUSECL_INLINE tape::tape() {
  if (!can_list_tapes()) return;
  living_tapes& all = all_tapes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  number_ = all.next++;
  all.numbers.insert(number_);
}

FUSECL_INLINE tape::~tape() {
  recover(0);
  if (!can_list_tapes()) return;
  living_tapes& all = all_tapes();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.numbers.erase(number_);
}

[[noreturn]] inline void forgotten(const char* function) {
  throw std::logic_error(std::string(function) +
                         ": the variable is forgotten, by recover_memory or at the end of the nested tape or "
                         "of the thread that it "
                         "was made on; make it anew");
}

FUSECL_INLINE void check_remembered(const entry_mark& mark) {
  const tape& own = this_thread_tape();
  if (own.remembers(mark)) [[likely]]
    return;
  if (mark.tape != own.number() && can_list_tapes()) {
    living_tapes& all = all_tapes();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.numbers.count(mark.tape) != 0) return;
  }
  forgotten("var");
}

FUSECL_INLINE void check_own(const entry_mark& mark, const char* function) {
  const tape& own = this_thread_tape();
  if (own.remembers(mark)) [[likely]]
    return;
  if (mark.tape == own.number()) forgotten(function);
  throw std::logic_error(std::string(function) + ": the variable was recorded on the tape of another thread");
}

FUSECL_INLINE void tape::start_gradient(std::size_t first) {
  for (std::size_t k = first; k < entries_.size(); ++k)
    if (entries_[k]) entries_[k]->start_gradient();  // none while it is being made
}

FUSECL_INLINE void tape::reverse(std::size_t last, std::size_t first) {
  for (std::size_t k = last + 1; k-- > first;)
    if (entries_[k]) entries_[k]->reverse();
}

FUSECL_INLINE void tape::clear_adjoints(std::size_t first) {
  for (std::size_t k = first; k < entries_.size(); ++k)
    if (entries_[k]) entries_[k]->clear_adjoint();
}

FUSECL_INLINE void tape::recover(std::size_t first) {
  while (entries_.size() > first) {
    if (tape_entry* last = entries_.back()) last->~tape_entry();
    drop_last();
  }
}

FUSECL_INLINE std::uint64_t tape::open_nested() {
  nested.push_back({size(), next_serial_});
  return next_serial_++;
}

FUSECL_INLINE void tape::close_nested(std::uint64_t serial) {
  const auto own = std::find_if(nested.begin(), nested.end(),
                                [&](const nested_tape& each) { return each.serial == serial; });
  if (own == nested.end()) return;
  recover(own->first);
  nested.erase(own, nested.end());
}

FUSECL_INLINE void tape::drop_last() {
  entries_.pop_back();
  block_ = marks_.back().block;
  used_ = marks_.back().used;
  marks_.pop_back();
}

FUSECL_INLINE void* tape::allocate(std::size_t bytes, std::size_t alignment) {
  const mark before{block_, used_};
  std::size_t start = (used_ + alignment - 1) / alignment * alignment;
  while (block_ < blocks_.size() && start + bytes > blocks_[block_].second) {
    ++block_;
    start = 0;
  }
  if (block_ == blocks_.size()) {
    const std::size_t capacity = std::max(block_bytes, bytes);
    blocks_.emplace_back(std::make_unique<std::byte[]>(capacity), capacity);
    start = 0;
  }
  used_ = start + bytes;
  marks_.push_back(before);
  return blocks_[block_].first.get() + start;
}

FUSECL_INLINE tape& make_own_tape() { return per_thread<tape>::get(own_tape); }

}  // namespace detail

FUSECL_INLINE void set_zero_all_adjoints() { detail::this_thread_tape().clear_adjoints(0); }

FUSECL_INLINE void set_zero_all_adjoints_nested() {
  detail::tape& t = detail::this_thread_tape();
  t.clear_adjoints(t.first());
}

FUSECL_INLINE void recover_memory() {
  detail::tape& t = detail::this_thread_tape();
  if (!t.nested.empty()) throw std::logic_error("recover_memory: a nested tape is open");
  t.recover(0);
}

FUSECL_INLINE void start_nested() { detail::this_thread_tape().open_nested(); }

FUSECL_INLINE void recover_memory_nested() {
  detail::tape& t = detail::this_thread_tape();
  if (t.nested.empty()) throw std::logic_error("recover_memory_nested: no nested tape is open");
  t.close_nested(t.nested.back().serial);
}

}  // namespace fusecl
