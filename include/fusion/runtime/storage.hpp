#pragma once
// Device memory of one matrix: a buffer that is taken from the pool when first needed, shared by reference
// count, and marked with the queues that use it. Queues order themselves by these marks (queue.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <fusion/runtime/cl.hpp>

namespace fusecl::runtime {

class storage_ref;
class storage;
storage_ref make_storage(std::size_t bytes);
storage_ref adopt_storage(cl::Buffer buffer, std::size_t bytes);

/// What somebody has found out about the contents of a storage, of use until these are written again.
struct contents_note {
  contents_note() = default;
  contents_note(const contents_note&) = delete;
  contents_note& operator=(const contents_note&) = delete;
  virtual ~contents_note() = default;
};

/// One device buffer. Reached through storage_ref; all members may be called from any thread.
class storage {
 public:
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;

  /// The buffer; the first call takes it from the pool. For zero bytes it is a small buffer never to be read.
  /// Throws out_of_device_memory.
  cl_mem mem() {
    cl_mem buffer = mem_.load(std::memory_order_acquire);
    return buffer != nullptr ? buffer : allocate();
  }
  /// The same for a user, who may hold the buffer for longer than this lives: it never serves another
  /// storage, and who adopts it gets this one. Throws error where the driver is gone.
  cl_mem hand_out();
  std::size_t bytes() const { return bytes_; }
  /// True if kernels may read and write up to 128 bytes past `bytes()` rounded up to a multiple of 128.
  bool padded() const { return !adopted_ && !overlaid_.load(std::memory_order_relaxed); }
  bool allocated() const { return mem_.load(std::memory_order_acquire) != nullptr; }
  /// Generation of the device that holds the buffer; 0 until allocated.
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

  /// Where it is marked: the storage of the user's buffer of which this is a part, else itself. What has the
  /// same one may overlap.
  storage& identity() { return *whole_; }
  const storage& identity() const { return *whole_; }
  /// Whether some byte belongs to both; asks the driver where parts of one buffer are.
  bool overlaps(storage& other);
  /// Whether a user has the buffer, who may write to it without a mark.
  bool is_known_to_user() const { return adopted_ || handed_out_.load(std::memory_order_acquire); }

  /// Whether a recorded statement made the contents for itself: who shares them takes memory of his own
  /// before a user gets the buffer.
  bool is_of_record() const { return of_record_.load(std::memory_order_relaxed); }
  void set_of_record(bool is) { of_record_.store(is, std::memory_order_relaxed); }

  /// Number of the contents, other ones after every write; 0 where nobody can tell: never written, or known
  /// to a user, or written on a queue that threads share.
  std::uint64_t contents() const;
  /// The bit of the queue that wrote last, or 0.
  std::uint64_t writer() const;
  /// A place for what is found out about the contents; who uses it sees to threads.
  std::shared_ptr<contents_note> note;

  // Marks, looked up and set in `identity()`.
  /// A bit for each queue that touched the buffer since its last write, that write's queue included.
  std::atomic<std::uint64_t> users{0};
  /// Recorded statements that will read the contents again: while there are any, a matrix that is assigned
  /// takes other memory.
  std::atomic<std::uint32_t> pins{0};
  /// The last write: queue id << 48 | sequence number in that queue; 0 if never written.
  std::atomic<std::uint64_t> last_write{0};

 private:
  friend class storage_ref;
  friend storage_ref make_storage(std::size_t bytes);
  friend storage_ref adopt_storage(cl::Buffer buffer, std::size_t bytes);

  explicit storage(std::size_t bytes) : bytes_(bytes) {}
  ~storage();
  /// One more reference unless the last one is gone.
  bool retain_if_alive() {
    std::uint32_t count = references_.load(std::memory_order_relaxed);
    while (count != 0 && !references_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) {
    }
    return count != 0;
  }
  cl_mem allocate();
  /// One reference less; the last one deletes.
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  storage* whole_ = this;  ///< held unless this
  std::atomic<cl_mem> mem_{nullptr};
  std::atomic<std::uint32_t> references_{0};
  bool adopted_ = false;
  std::atomic<bool> handed_out_{false};
  std::atomic<bool> of_record_{false};
  std::atomic<bool> overlaid_{false};  ///< adopted after it was handed out: by what may be smaller
  std::size_t bytes_;
  std::size_t capacity_ = 0;
  std::atomic<std::uint64_t> generation_{0};
};

/// Shared owner of a storage, empty by default. The last one gives the block back to the pool at once,
/// without waiting for kernels that still use it.
class storage_ref {
 public:
  storage_ref() = default;
  /// One more owner of a storage that has one.
  explicit storage_ref(storage* target) : target_(target) { retain(); }
  storage_ref(const storage_ref& other) noexcept : target_(other.target_) { retain(); }
  storage_ref(storage_ref&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  storage_ref& operator=(const storage_ref& other) noexcept {
    storage_ref(other).swap(*this);
    return *this;
  }
  storage_ref& operator=(storage_ref&& other) noexcept {
    storage_ref(std::move(other)).swap(*this);
    return *this;
  }
  ~storage_ref() {
    if (target_ != nullptr) {
      target_->release();
    }
  }

  storage& operator*() const { return *target_; }
  storage* operator->() const { return target_; }
  storage* get() const { return target_; }
  explicit operator bool() const { return target_ != nullptr; }
  friend bool operator==(const storage_ref&, const storage_ref&) = default;
  void swap(storage_ref& other) noexcept { std::swap(target_, other.target_); }
  /// True if no other reference exists: the contents may be overwritten without anyone noticing.
  bool unique() const {
    return target_ != nullptr && target_->references_.load(std::memory_order_acquire) == 1;
  }

 private:
  friend storage_ref make_storage(std::size_t bytes);
  friend storage_ref adopt_storage(cl::Buffer buffer, std::size_t bytes);

  void retain() const {
    if (target_ != nullptr) {
      target_->references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  storage* target_ = nullptr;
};

/// A new storage; no device memory is taken before its first use. `bytes` may be 0.
storage_ref make_storage(std::size_t bytes);

/// The storage of a buffer of the user's, which it shares and never pools: one for all that adopt the buffer,
/// so that they know each other, and with one identity for its sub-buffers and itself. What the calling
/// thread's queue was given to do with the buffer before this call is ordered before later uses. Throws
/// std::invalid_argument if the buffer is null or smaller than `bytes`, error if it belongs to another
/// context than the selected one.
storage_ref adopt_storage(cl::Buffer buffer, std::size_t bytes);
/// The same with all bytes of the buffer.
storage_ref adopt_storage(cl::Buffer buffer);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/queue.hpp>  // ends with the bodies of this file
#endif
