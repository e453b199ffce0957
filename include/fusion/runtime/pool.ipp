#pragma once
#include <algorithm>
#include <bit>

#include <fusion/base/append.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/pool.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace runtime {

FUSECL_INLINE std::size_t padded_size(std::size_t bytes) {
  return (bytes + block_alignment - 1) / block_alignment * block_alignment + block_padding;
}

/// Steps per power of two at a size.
FUSECL_INLINE unsigned step_bits(std::size_t bytes) { return bytes > (std::size_t{16} << 20) ? 4 : 2; }

FUSECL_INLINE std::size_t block_capacity(std::size_t bytes) {
  const std::size_t need = std::max<std::size_t>(padded_size(bytes), 512);
  const std::size_t step = std::bit_floor(need) >> step_bits(need);
  return (need + step - 1) / step * step;
}

/// Index of the free list of a capacity that `block_capacity` gave: exponent, then the four bits below it.
FUSECL_INLINE std::size_t size_class(std::size_t capacity) {
  const auto exponent = static_cast<std::size_t>(std::bit_width(capacity) - 1);
  return exponent * 16 + ((capacity >> (exponent - 4)) & 15);
}

inline FUSECL_SHARED buffer_pool& pool_of_process() {
  static buffer_pool& pool = *new buffer_pool;
  return pool;
}
FUSECL_INLINE buffer_pool& the_pool() { return pool_of_process(); }

FUSECL_INLINE void buffer_pool::throw_out_of_memory(const char* call, std::size_t bytes, cl_int code) {
  const pool_counts now = statistics();
  const capabilities& device = selected().entry.capabilities;
  throw out_of_device_memory(
      text::fill(
          "{}: no memory for {}: {} bytes are in use, device {} has {} bytes and allows {} in one buffer "
          "({})",
          {call, bytes == 0 ? std::string("what the driver keeps") : text::fill("{} bytes", {bytes}),
           now.bytes_in_use, device.name, device.global_bytes, device.max_allocation, error_name(code)}),
      code);
}

FUSECL_INLINE cl_mem create_buffer(const device_state& state, std::size_t bytes) {
  const cl::Context context = living_context_of(state);
  // PoCL allocates when a buffer is first used and aborts if it cannot, unless asked for host memory at once.
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (state.entry.capabilities.cpu ? CL_MEM_ALLOC_HOST_PTR : 0);
  cl_mem buffer = nullptr;
  const cl_int code = with_memory_freed([&] {
    cl_int status = CL_SUCCESS;
    buffer = clCreateBuffer(context(), flags, bytes, nullptr, &status);
    return status;
  });
  if (is_memory_failure(code)) {
    the_pool().throw_out_of_memory("clCreateBuffer", bytes, code);
  }
  check(code, "clCreateBuffer");
  return buffer;
}

FUSECL_INLINE void buffer_pool::count_taken(std::uint64_t capacity) {
  counts_.bytes_in_use += capacity;
  counts_.peak_bytes_in_use = std::max(counts_.peak_bytes_in_use, counts_.bytes_in_use);
  ++counts_.blocks_in_use;
}

FUSECL_INLINE block buffer_pool::take(std::size_t bytes, std::uint64_t own_queue) {
  const device_state state = selected();
  const std::uint64_t largest = state.entry.capabilities.max_allocation;
  if (bytes > largest || padded_size(bytes) > largest) {
    throw_out_of_memory("allocation", bytes, CL_INVALID_BUFFER_SIZE);
  }
  const std::size_t capacity = std::min<std::uint64_t>(block_capacity(bytes), largest);
  {
    const std::lock_guard lock(mutex_);
    list_of<block>& candidates = free_[size_class(capacity)];
    if (generation_ == state.generation && !candidates.empty()) {
      // The most recently freed block is warmest; among the last few, one of the caller's own queue needs no
      // device-side wait.
      std::size_t chosen = candidates.size();
      const std::size_t oldest = candidates.size() > 8 ? candidates.size() - 8 : 0;
      for (std::size_t i = candidates.size(); i-- > oldest;) {
        if (candidates[i].capacity >= padded_size(bytes)) {
          chosen = chosen == candidates.size() ? i : chosen;
          if ((candidates[i].users & ~own_queue) == 0) {
            chosen = i;
            break;
          }
        }
      }
      if (chosen != candidates.size()) {
        const block reused = candidates[chosen];
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
        counts_.bytes_free -= reused.capacity;
        --counts_.blocks_free;
        count_taken(reused.capacity);
        ++counts_.buffers_reused;
        ++thread_counters.buffers_reused;
        return reused;
      }
    }
  }
  const block created{create_buffer(state, capacity), capacity, state.generation, 0, 0};
  ++thread_counters.buffers_created;
  const std::lock_guard lock(mutex_);
  ++counts_.buffers_created;
  count_taken(capacity);
  return created;
}

FUSECL_INLINE void buffer_pool::give(const block& returned, bool reusable) noexcept {
  if (!is_own_generation(returned.generation)) {  // of another copy of the library, whose pool counts it
    clReleaseMemObject(returned.buffer);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    counts_.bytes_in_use -= returned.capacity;
    --counts_.blocks_in_use;
    if (reusable && returned.generation == generation_ &&
        counts_.bytes_free + returned.capacity <= free_limit_) {
      try {
        free_[size_class(returned.capacity)].push_back(returned);
        counts_.bytes_free += returned.capacity;
        ++counts_.blocks_free;
        return;
      } catch (...) {  // no memory to remember the block: the driver gets it
      }
    }
    ++counts_.buffers_released;
  }
  clReleaseMemObject(returned.buffer);
}

FUSECL_INLINE list_of<block> buffer_pool::take_all_free() {
  list_of<block> all;
  for (list_of<block>& list : free_) {
    append(all, list);
    list.clear();
  }
  counts_.bytes_free = 0;
  counts_.blocks_free = 0;
  counts_.buffers_released += all.size();
  return all;
}

FUSECL_INLINE void buffer_pool::trim() {
  list_of<block> released;
  {
    const std::lock_guard lock(mutex_);
    released = take_all_free();
  }
  for (const block& each : released) {
    clReleaseMemObject(each.buffer);
  }
}

FUSECL_INLINE pool_counts buffer_pool::statistics() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

FUSECL_INLINE void buffer_pool::reset_peak() {
  const std::lock_guard lock(mutex_);
  counts_.peak_bytes_in_use = counts_.bytes_in_use;
}

FUSECL_INLINE void buffer_pool::start_generation(const device_state& state) {
  list_of<block> released;
  {
    const std::lock_guard lock(mutex_);
    generation_ = state.generation;
    // On a CPU the free blocks are the host's own memory.
    free_limit_ = state.entry.capabilities.global_bytes / (state.entry.capabilities.cpu ? 4 : 1);
    released = take_all_free();
  }
  for (const block& each : released) {
    clReleaseMemObject(each.buffer);
  }
}

}  // namespace runtime

FUSECL_INLINE pool_counts pool_statistics() { return runtime::the_pool().statistics(); }
FUSECL_INLINE void reset_pool_peak() { runtime::the_pool().reset_peak(); }
FUSECL_INLINE void trim() {
  if (runtime::driver_is_gone()) return;
  if (runtime::held_queue != nullptr) runtime::held_queue->release_arrivals();
  runtime::the_pool().trim();
}

}  // namespace fusecl
