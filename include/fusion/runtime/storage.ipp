#pragma once
#include <mutex>
#include <stdexcept>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/queue.hpp>
#include <fusion/runtime/storage.hpp>

namespace fusecl::runtime {

/// The storages of buffers that users know, by buffer and device. Each takes itself out at its end. Never
/// destroyed.
struct adopted_storages {
  struct entry {
    cl_mem buffer;
    std::uint64_t generation;
    storage* known;
  };
  std::mutex mutex;
  list_of<entry> all[256];  ///< by the buffer's address

  list_of<entry>& around(cl_mem buffer) {
    constexpr std::uint64_t spread =
        0x9e3779b97f4a7c15;  // the golden ratio: addresses follow each other evenly
    return all[reinterpret_cast<std::uintptr_t>(buffer) * spread >> 56];
  }
  entry* find(cl_mem buffer, std::uint64_t generation) {
    for (entry& each : around(buffer))
      if (each.buffer == buffer && each.generation == generation) return &each;
    return nullptr;
  }
  /// The entry, which is made where there is none.
  storage*& at(cl_mem buffer, std::uint64_t generation) {
    if (entry* known = find(buffer, generation)) return known->known;
    return around(buffer).emplace_back(entry{buffer, generation, nullptr}).known;
  }
  void remove(cl_mem buffer, std::uint64_t generation, const storage* own) {
    entry* const known = find(buffer, generation);
    if (known == nullptr || known->known != own) return;
    *known = around(buffer).back();
    around(buffer).pop_back();
  }
};

inline FUSECL_SHARED adopted_storages& the_adopted() {
  static adopted_storages& adopted = *new adopted_storages;
  return adopted;
}

/// Two threads may be the first to read the same storage; different storages rarely meet in a mutex.
inline FUSECL_SHARED std::mutex* allocation_mutexes() {
  static std::mutex* const mutexes = new std::mutex[16];
  return mutexes;
}

/// Where in the buffer of which it is a part a buffer begins.
inline std::size_t offset_in_whole(cl_mem buffer) {
  std::size_t offset = 0;
  check(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof(offset), &offset, nullptr), "clGetMemObjectInfo");
  return offset;
}

FUSECL_INLINE bool storage::overlaps(storage& other) {
  if (this == &other) return true;
  if (&identity() != &other.identity()) return false;
  const std::size_t first = offset_in_whole(mem()), second = offset_in_whole(other.mem());
  return first < second + other.bytes() && second < first + bytes();
}

FUSECL_INLINE storage::~storage() {
  if (whole_ != this) whole_->release();
  cl_mem buffer = mem_.load(std::memory_order_relaxed);
  if (buffer == nullptr || driver_is_gone()) {
    return;
  }
  if (adopted_ || handed_out_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(the_adopted().mutex);
    the_adopted().remove(buffer, generation(), this);
  }
  if (adopted_) {
    clReleaseMemObject(buffer);
    return;
  }
  the_pool().give({buffer, capacity_, generation_.load(std::memory_order_relaxed),
                   users.load(std::memory_order_relaxed), last_write.load(std::memory_order_relaxed)},
                  !handed_out_.load(std::memory_order_relaxed));
}

FUSECL_INLINE cl_mem storage::hand_out() {
  require_driver();
  cl_mem buffer = mem();
  if (adopted_ || handed_out_.load(std::memory_order_acquire)) return buffer;
  const std::lock_guard lock(the_adopted().mutex);
  the_adopted().at(buffer, generation()) = this;
  handed_out_.store(true, std::memory_order_release);
  return buffer;
}

FUSECL_INLINE cl_mem storage::allocate() {
  const std::uint64_t own_queue = this_thread_queue().bit();
  const std::lock_guard lock(
      allocation_mutexes()[reinterpret_cast<std::uintptr_t>(this) / sizeof(storage) % 16]);
  if (cl_mem buffer = mem_.load(std::memory_order_acquire)) {
    return buffer;
  }
  const block taken = the_pool().take(bytes_, own_queue);
  capacity_ = taken.capacity;
  generation_.store(taken.generation, std::memory_order_relaxed);
  users.store(taken.users, std::memory_order_relaxed);
  last_write.store(taken.last_write, std::memory_order_relaxed);
  mem_.store(taken.buffer, std::memory_order_release);
  return taken.buffer;
}

FUSECL_INLINE storage_ref make_storage(std::size_t bytes) { return storage_ref(new storage(bytes)); }

/// The storage of the buffer of which this one is a part; empty where it is none.
FUSECL_INLINE storage_ref adopt_whole(const cl::Buffer& buffer) {
  cl_mem whole = nullptr;
  check(clGetMemObjectInfo(buffer(), CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(whole), &whole, nullptr),
        "clGetMemObjectInfo");
  return whole == nullptr ? storage_ref() : adopt_storage(cl::Buffer(whole, true), 0);
}

inline void check_buffer(const cl::Buffer& buffer) {
  if (buffer() == nullptr) throw std::invalid_argument("adopt_storage: the buffer is null");
}

FUSECL_INLINE storage_ref adopt_storage(cl::Buffer buffer, std::size_t bytes) {
  check_buffer(buffer);
  std::size_t size = 0;
  cl_context context = nullptr;
  check(clGetMemObjectInfo(buffer(), CL_MEM_SIZE, sizeof(size), &size, nullptr), "clGetMemObjectInfo");
  check(clGetMemObjectInfo(buffer(), CL_MEM_CONTEXT, sizeof(context), &context, nullptr),
        "clGetMemObjectInfo");
  const auto check_size = [bytes](std::size_t room) {
    if (room < bytes)
      throw std::invalid_argument("a buffer of " + std::to_string(room) + " bytes cannot hold the " +
                                  std::to_string(bytes) + " bytes asked for");
  };
  check_size(size);
  thread_queue& queue = this_thread_queue();
  const device_state state = selected();
  if (context != context_of(state)()) {
    throw error("the buffer belongs to another context than that of the selected device " +
                state.entry.capabilities.name);
  }
  const storage_ref whole = adopt_whole(buffer);
  storage_ref adopted;
  {
    const std::lock_guard lock(the_adopted().mutex);
    storage*& known = the_adopted().at(buffer(), state.generation);
    if (known != nullptr && known->retain_if_alive()) {
      adopted = storage_ref(known);
      known->references_.fetch_sub(1, std::memory_order_relaxed);
      known->overlaid_.store(true, std::memory_order_relaxed);
    } else {
      check(clRetainMemObject(buffer()), "clRetainMemObject");
      known = new storage(size);
      adopted = storage_ref(known);
      adopted->adopted_ = true;
      if (whole) {
        whole.retain();
        adopted->whole_ = whole.get();
      }
      adopted->capacity_ = size;
      adopted->generation_.store(state.generation, std::memory_order_relaxed);
      adopted->mem_.store(buffer(), std::memory_order_release);
    }
  }
  check_size(adopted->bytes());  // of a matrix, what it was made for
  queue.before_write(*adopted);
  queue.enqueued();
  return adopted;
}

FUSECL_INLINE storage_ref adopt_storage(cl::Buffer buffer) {
  check_buffer(buffer);
  std::size_t size = 0;
  check(clGetMemObjectInfo(buffer(), CL_MEM_SIZE, sizeof(size), &size, nullptr), "clGetMemObjectInfo");
  return adopt_storage(std::move(buffer), size);
}

FUSECL_INLINE std::uint64_t storage::contents() const {
  const std::uint64_t write = identity().last_write.load(std::memory_order_acquire);
  return is_known_to_user() || (write >> 48) >= thread_queue::exclusive_count ? 0 : write;
}

FUSECL_INLINE std::uint64_t storage::writer() const {
  const std::uint64_t write = identity().last_write.load();
  return write == 0 ? 0 : std::uint64_t{1} << (write >> 48);
}

}  // namespace fusecl::runtime
