#pragma once
// One in-order command queue per host thread and the ordering between them. Within a queue order is free; a
// storage that another queue used makes this queue wait on the device, never the host.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/host_copies.hpp>
#include <fusion/runtime/kept_failures.hpp>
#include <fusion/runtime/pool.hpp>
#include <fusion/runtime/staging_ring.hpp>
#include <fusion/runtime/storage.hpp>

namespace fusecl::runtime {

class thread_queue;
thread_queue& acquire_queue();

/// The turn of a thread that enqueues a kernel whose groups wait for each other.
std::unique_lock<std::mutex> exchange_turn();

/// A command queue with an id, which a host thread holds while it lives. Threads beyond the first
/// `exclusive_count` alive at once share the remaining queues; on those every call takes a lock.
class thread_queue {
 public:
  static constexpr unsigned count = 64;
  static constexpr unsigned exclusive_count = 48;

  explicit thread_queue(unsigned id);

  /// Before enqueueing what reads `s`: makes this queue wait for the last write if another queue did it.
  /// Throws error if `s` lives on a device selected before.
  void before_read(storage& s) {
    if ((s.identity().users.load(std::memory_order_relaxed) & bit_) == 0 || s.generation() != generation())
        [[unlikely]] {
      order_read(s);
    }
  }
  /// Before enqueueing what writes `s`: makes this queue wait for all other queues that use it. Throws as
  /// above.
  void before_write(storage& s) {
    storage& marks = s.identity();
    if (marks.users.load(std::memory_order_relaxed) != bit_ || s.generation() != generation()) [[unlikely]] {
      order_write(s);
    }
    marks.last_write.store(tag_ | (sequence_.load(std::memory_order_relaxed) + 1), std::memory_order_relaxed);
  }
  /// After enqueueing something by hand, so that other queues know of it.
  void enqueued() {
    const turn mine(*this);
    advance();
  }

  /// What is enqueued from here on waits for an event of the program's, on the device; the queue that the
  /// event comes from is flushed. Throws opencl_error where the event is of another context.
  void wait_for_event(cl_event event);
  /// An event that is reached when all that is enqueued here is done.
  cl::Event marker();

  /// Enqueues a kernel whose arguments are set. `local` is never null; a global size of zero does nothing.
  /// Throws opencl_error naming the kernel, out_of_device_memory if memory is what failed.
  void launch(cl_kernel kernel, unsigned dims, const std::size_t* global, const std::size_t* local);

  /// Whether the device notes times: FUSECL_PROFILE was on when the queue was made, or the program's own
  /// queue has them. Never of queues that threads share.
  bool profiles() const { return profiles_; }

  /// Copies to the host; the one call here that waits for the device. `bytes` 0 does nothing.
  /// Without `wait` the host memory is written by the time a later call here has waited.
  void read(storage& s, std::size_t offset, std::size_t bytes, void* host, bool wait = true);
  /// Says that the host is about to `read` all or some of a small storage, which what is enqueued so far has
  /// written and nothing will write before: that call will not wait for what is enqueued after this one.
  void read_ahead(storage& s);
  /// Of a storage that is written again.
  void forget_reads_ahead();
  /// Copies from the host, which may reuse its memory on return. Up to `staged_limit` bytes the host does not
  /// wait.
  void write(storage& s, std::size_t offset, std::size_t bytes, const void* host);
  /// Copies between storages, or within one, overlapping or not.
  void copy(storage& from, std::size_t from_offset, storage& to, std::size_t to_offset, std::size_t bytes);
  /// Repeats a pattern of 1, 2, 4, ... 128 bytes; offset and bytes are multiples of its size.
  void fill(storage& s, std::size_t offset, std::size_t bytes, const void* pattern,
            std::size_t pattern_bytes);
  /// Waits until the device has done everything enqueued here.
  void finish();
  /// Numbers in so many bytes, always the same, that are zero between kernels: a kernel that counts in some
  /// puts them back to zero.
  storage_ref arrivals(std::size_t bytes) { return kept(arrivals_, bytes, 0); }
  /// Memory of that size, always the same, whose bits are all set between kernels: a kernel that changes some
  /// sets them again.
  storage_ref handed_on(std::size_t bytes) { return kept(handed_on_, bytes, ~cl_uint{0}); }
  /// Memory of that size that is zero at first, the same for all queues: kernels whose groups wait for each
  /// other use it, so that they run one after the other and none has to share the device with another one
  /// that waits. Who uses it holds `exchange_turn()` from `before_write` until the kernel is enqueued.
  storage_ref exchanged(std::size_t bytes);
  /// Goes over to a queue of the program's on the selected device, after waiting for what is enqueued.
  void change_to(const cl::CommandQueue& queue);
  /// Of a thread that ends: a queue of the program's is not for the thread that has this one next. Waits for
  /// what is enqueued there. Threads that share this one keep it.
  void let_go_of_adopted() noexcept;
  /// Gives the memory of these numbers, and of what is handed on and exchanged, back.
  void release_arrivals();
  /// Of a thread that ends: forgets what it has not looked at.
  void forget_outcomes() noexcept;
  /// Has `failed` look at what a kernel that is enqueued writes to `s`, 16 bytes at most, when the host next
  /// waits for a copy from here on this thread: it throws where the kernel could not do its work, after the
  /// checks of its statement where these are kept_failures. Costs the host no wait.
  void look_at(const storage_ref& s, void (*failed)(const void* bytes));

  /// Waits for what is still to be looked at, whose failure is thrown; returns whether kept_failures may have
  /// it instead.
  bool look_now();

  cl_command_queue handle() const { return handle_.load(std::memory_order_relaxed); }
  unsigned id() const { return id_; }
  std::uint64_t bit() const { return bit_; }
  bool shared() const { return shared_; }
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

  static constexpr std::size_t staged_limit = 16 * 1024;

 private:
  storage_ref kept(storage_ref& own, std::size_t bytes, cl_uint each);
  friend thread_queue& acquire_queue();
  friend void finish_queues(std::uint64_t bits, queues_of which);
  friend class noted_events;
  friend class pending_reads;

  /// Holds the queue if several threads share it.
  struct turn {
    explicit turn(thread_queue& queue) : mutex(queue.shared_ ? &queue.turn_ : nullptr) {
      if (mutex != nullptr) {
        mutex->lock();
      }
    }
    ~turn() {
      if (mutex != nullptr) {
        mutex->unlock();
      }
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    std::recursive_mutex* mutex;
  };

  void advance() {
    sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void order_read(storage& s);
  void order_write(storage& s);
  /// Throws error unless `s` is of this queue's device; `role` says in the message what it is for.
  void require_generation(storage& s, const char* role);
  void wait_for(std::uint64_t others);
  /// After a failed launch: true if a second attempt went well, false if there was nothing to launch.
  bool relaunch(cl_int code, cl_kernel kernel, unsigned dims, const std::size_t* global,
                const std::size_t* local);
  /// Runs an enqueueing call, once more after freeing memory if memory is what it lacks.
  template <class Call>
  void enqueue(const char* name, const storage& s, Call call);
  /// The queue that the program gave for this one; null if none.
  cl_command_queue take_adopted_queue(const device_state& state);
  /// Goes over to a selection; false, and as it was, where that is over by now.
  bool open(const device_state& state);
  /// Takes over a queue as its own, for statements of that generation; lets go of the one before.
  void use(cl_command_queue fresh, std::uint64_t generation, bool adopted);
  void replace(cl_command_queue fresh, std::uint64_t generation, bool adopted);

  const unsigned id_;
  const bool shared_;
  const std::uint64_t bit_;
  const std::uint64_t tag_;
  std::atomic<cl_command_queue> handle_{nullptr};
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::uint64_t> sequence_{0};
  std::uint64_t synced_[count] = {};  // per other queue: its sequence number this queue has waited for
  std::recursive_mutex turn_;
  std::mutex handle_mutex_;  // replacing the handle against markers put in by other threads
  staging_ring ring_;
  host_copies copies_;      // has no room on queues that threads share
  storage_ref read_ahead_;  // of which a copy is on its way
  storage_ref arrivals_, handed_on_;
  struct outcome {
    storage_ref storage;  ///< null where `copy` is known to tell of a failure
    void (*failed)(const void* bytes);
    std::uint64_t keeper;  ///< the number of that by which it is told; 0 or gone: at once
    std::uint64_t thread;  ///< whose kernel it was
    std::size_t bytes;
    alignas(8) unsigned char copy[16];
  };
  bool complete_read(storage& s, std::size_t offset, std::size_t bytes, void* host);
  /// Enqueues copies of this thread's outcomes, which are to be looked at.
  void fetch_outcomes();
  /// Does so and waits for them.
  void wait_for_outcomes();
  static bool is_settled(const outcome& one);
  /// Looks at their copies, which are there, and throws nothing: the first failure is for a later call to
  /// tell.
  void settle_outcomes();
  /// Looks at their copies, which are there. Throws what the first failed one does, unless it is kept;
  /// forgets all of this thread.
  void judge_outcomes();
  /// Those of this thread, which are no longer kept then.
  list_of<outcome> take_outcomes();

  list_of<outcome> outcomes_;  // of all threads that share this
  bool adopted_ = false;       // the handle is the program's own queue
  bool profiles_ = false;
  list_of<cl_event>* events_ = nullptr;
};

/// While it lives, the events of kernels that are launched on a queue are put into a list, for its owner to
/// release. Not of queues that threads share, and not within another one.
class noted_events {
 public:
  noted_events(thread_queue& queue, list_of<cl_event>& events) : queue_(queue) { queue_.events_ = &events; }
  ~noted_events() { queue_.events_ = nullptr; }
  noted_events(const noted_events&) = delete;
  noted_events& operator=(const noted_events&) = delete;

 private:
  thread_queue& queue_;
};

/// Gives back what was built for earlier selections than this queue's: programs, and the kernel objects of
/// the thread whose queue it is. Other threads give back theirs when they use the library again, or end.
void let_go_of_earlier_kernels(const thread_queue& queue);

/// Gives the thread a queue on the selected device. Throws error where the driver is gone.
thread_queue& acquire_queue();
/// The queue of this thread as it is, on whatever device.
thread_queue& own_queue();

/// The calling thread's queue on the selected device; about the cost of reading a thread_local.
inline thread_queue& this_thread_queue() {
  thread_queue* queue = held_queue;
  if (queue != nullptr && queue->generation() == selected_generation.load(std::memory_order_acquire))
      [[likely]] {
    return *queue;
  }
  return acquire_queue();
}

/// While it lives the thread's queue stays on its selection: where another thread makes one meanwhile, what
/// needs the queue throws error, so that no statement is half of one selection and half of the next.
class statement_in_work {
 public:
  explicit statement_in_work(const thread_queue& queue) : before_(statement_generation) {
    if (before_ == 0) statement_generation = queue.generation();
  }
  statement_in_work(const statement_in_work&) = delete;
  statement_in_work& operator=(const statement_in_work&) = delete;
  ~statement_in_work() { statement_generation = before_; }

 private:
  const std::uint64_t before_;
};

/// Where its scope ends by an exception, waits until nothing is written any more to host memory that was
/// given to `read` without a wait.
class pending_reads {
 public:
  pending_reads() : exceptions_(std::uncaught_exceptions()) {}
  pending_reads(const pending_reads&) = delete;
  pending_reads& operator=(const pending_reads&) = delete;
  ~pending_reads() {
    if (std::uncaught_exceptions() > exceptions_) give_up();
  }

 private:
  static void give_up() noexcept;
  int exceptions_;
};

/// Waits for everything that any thread has enqueued on the selected device.
void finish_all_queues();

/// Gives the device what the pool keeps, when nothing uses it any more.
inline void free_memory() {
  finish_all_queues();
  the_pool().trim();
}
/// The status of `call`, which is called once more after that where it finds no memory.
template <class Call>
cl_int with_memory_freed(const Call& call) {
  const cl_int code = call();
  if (!is_memory_failure(code)) return code;
  free_memory();
  return call();
}

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
// Context, pool, storage and queue refer to each other: their bodies follow when all four are declared.
#include <fusion/runtime/context.ipp>
#include <fusion/runtime/pool.ipp>
#include <fusion/runtime/queue.ipp>
#include <fusion/runtime/queue_copies.ipp>
#include <fusion/runtime/queue_order.ipp>
#include <fusion/runtime/queue_outcomes.ipp>
#include <fusion/runtime/storage.ipp>
#endif
