#pragma once
// What a queue copies between the host and the device, and on the device.

#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl::runtime {

template <class Call>
void thread_queue::enqueue(const char* name, const storage& s, Call call) {
  const cl_int code = with_memory_freed(call);
  if (is_memory_failure(code)) {
    the_pool().throw_out_of_memory(name, s.bytes(), code);
  }
  check(code, name);
  advance();
}

FUSECL_INLINE void require_inside(const char* what, const storage& s, std::size_t offset, std::size_t bytes) {
  if (offset > s.bytes() || bytes > s.bytes() - offset) {
    throw std::invalid_argument(
        text::fill("{} of {} bytes at {} leaves a storage of {} bytes", {what, bytes, offset, s.bytes()}));
  }
}

/// Enqueues a copy or takes the one that is on its way already, and waits for all of this thread's. Whether
/// it was on its way.
FUSECL_HOT_INLINE bool thread_queue::complete_read(storage& s, std::size_t offset, std::size_t bytes,
                                                   void* host) {
  const bool ahead = outcomes_.empty() && read_ahead_.get() == &s;
  if (ahead) {
    read_ahead_ = storage_ref();
    copies_.take_ahead(offset, bytes, host);
  } else {
    forget_reads_ahead();
    fetch_outcomes();
    if (!copies_.has_room(bytes)) {
      check(clEnqueueReadBuffer(handle(), s.mem(), CL_TRUE, offset, bytes, host, 0, nullptr, nullptr),
            reading);
      copies_.deliver();
      return false;
    }
    copies_.enqueue(handle(), s.mem(), offset, bytes, host);
  }
  copies_.complete(handle());
  return ahead;
}

FUSECL_INLINE void thread_queue::read(storage& s, std::size_t offset, std::size_t bytes, void* host,
                                      bool wait) {
  require_inside("read", s, offset, bytes);
  if (bytes == 0) {
    return;
  }
  before_read(s);
  const turn mine(*this);
  if (!wait) {
    copies_.enqueue(handle(), s.mem(), offset, bytes, host);
  } else {
    try {
      thread_counters.host_reads_ahead += complete_read(s, offset, bytes, host) ? 1 : 0;
    } catch (...) {
      copies_.forget();
      throw;
    }
  }
  advance();
  thread_counters.host_waits += wait ? 1 : 0;
  thread_counters.bytes_to_host += bytes;
  ++thread_counters.host_reads;
  if (wait && !outcomes_.empty()) [[unlikely]]
    judge_outcomes();
}

FUSECL_INLINE void thread_queue::read_ahead(storage& s) {
  const turn mine(*this);
  forget_reads_ahead();
  if (!outcomes_.empty()) return;
  before_read(s);
  if (copies_.enqueue_ahead(handle(), s.mem(), s.bytes())) read_ahead_ = storage_ref(&s);
  advance();
}

FUSECL_INLINE void thread_queue::forget_reads_ahead() {
  const turn mine(*this);
  copies_.forget_ahead();
  read_ahead_ = storage_ref();
}

FUSECL_INLINE void thread_queue::write(storage& s, std::size_t offset, std::size_t bytes, const void* host) {
  require_inside("write", s, offset, bytes);
  if (bytes == 0) {
    return;
  }
  before_write(s);
  const turn mine(*this);
  const bool staged = bytes <= staged_limit;
  const void* source = staged ? ring_.copy(handle(), host, bytes) : host;
  enqueue("clEnqueueWriteBuffer", s, [&] {
    return clEnqueueWriteBuffer(handle(), s.mem(), staged ? CL_FALSE : CL_TRUE, offset, bytes, source, 0,
                                nullptr, nullptr);
  });
  thread_counters.host_waits += staged ? 0 : 1;
  thread_counters.bytes_to_device += bytes;
}

FUSECL_INLINE void thread_queue::copy(storage& from, std::size_t from_offset, storage& to,
                                      std::size_t to_offset, std::size_t bytes) {
  require_inside("copy", from, from_offset, bytes);
  require_inside("copy", to, to_offset, bytes);
  if (bytes == 0 || (&from == &to && from_offset == to_offset)) {
    return;
  }
  const bool overlap = &from == &to
                           ? std::max(from_offset, to_offset) < std::min(from_offset, to_offset) + bytes
                           : &from.identity() == &to.identity();
  if (overlap) {
    const storage_ref between = make_storage(bytes);
    copy(from, from_offset, *between, 0, bytes);
    copy(*between, 0, to, to_offset, bytes);
    return;
  }
  before_read(from);
  before_write(to);
  const turn mine(*this);
  enqueue("clEnqueueCopyBuffer", to, [&] {
    return clEnqueueCopyBuffer(handle(), from.mem(), to.mem(), from_offset, to_offset, bytes, 0, nullptr,
                               nullptr);
  });
}

FUSECL_INLINE void thread_queue::fill(storage& s, std::size_t offset, std::size_t bytes, const void* pattern,
                                      std::size_t pattern_bytes) {
  require_inside("fill", s, offset, bytes);
  if (bytes == 0) {
    return;
  }
  before_write(s);
  const turn mine(*this);
  enqueue("clEnqueueFillBuffer", s, [&] {
    return clEnqueueFillBuffer(handle(), s.mem(), pattern, pattern_bytes, offset, bytes, 0, nullptr, nullptr);
  });
}

FUSECL_INLINE void pending_reads::give_up() noexcept {
  if (held_queue == nullptr || held_queue->handle() == nullptr) return;
  clFinish(held_queue->handle());
  const thread_queue::turn mine(*held_queue);
  held_queue->forget_reads_ahead();
  held_queue->copies_.forget();
}

}  // namespace fusecl::runtime
