#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/autodiff/tape.hpp>
#include <fusion/base/per_thread.hpp>

namespace fusecl {
namespace detail {

FUSECL_INLINE tape_entry::tape_entry()
    : owner_(&this_thread_tape()), position_(this_thread_tape().size() - 1) {}

FUSECL_INLINE void tape::start_gradient(std::size_t first) {
  for (std::size_t k = first; k < entries_.size(); ++k) entries_[k]->start_gradient();
}

FUSECL_INLINE void tape::reverse(std::size_t last, std::size_t first) {
  for (std::size_t k = last + 1; k-- > first;) entries_[k]->reverse();
}

FUSECL_INLINE void tape::clear_adjoints(std::size_t first) {
  for (std::size_t k = first; k < entries_.size(); ++k) entries_[k]->clear_adjoint();
}

FUSECL_INLINE void tape::recover(std::size_t first) {
  while (entries_.size() > first) {
    entries_.back()->~tape_entry();
    drop_last();
  }
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

inline FUSECL_SHARED constinit thread_local tape* tape_of_thread = nullptr;
FUSECL_INLINE tape& this_thread_tape() { return per_thread<tape>::get(tape_of_thread); }

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

FUSECL_INLINE void start_nested() {
  detail::tape& t = detail::this_thread_tape();
  t.nested.push_back(t.size());
}

FUSECL_INLINE void recover_memory_nested() {
  detail::tape& t = detail::this_thread_tape();
  if (t.nested.empty()) throw std::logic_error("recover_memory_nested: no nested tape is open");
  t.recover(t.nested.back());
  t.nested.pop_back();
}

}  // namespace fusecl
