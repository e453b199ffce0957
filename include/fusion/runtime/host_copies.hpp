#pragma once
// Copies from the device on their way to the host. The device writes them to memory that the driver has set
// aside for such copies, and the host copies them on. To memory of the program's NVIDIA's driver makes a
// detour: 2 us for a copy that the host waits for, 40 us for one that it does not wait for (H200).

#include <cstddef>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/cl.hpp>

namespace fusecl::runtime {

/// The call, in messages.
inline constexpr char reading[] =
    "clEnqueueReadBuffer, which also reports failures of the kernels before it,";

/// Of one in-order queue and the thread that has it, or its turn.
class host_copies {
 public:
  /// Copies of up to so many bytes altogether may be under way at once; others go to their places.
  void set_room(std::size_t bytes) { room_ = bytes; }
  bool has_room(std::size_t bytes) const { return used_ + bytes <= room_; }

  /// Enqueues a copy. It is at `host` when `complete` has returned, or `deliver`.
  void enqueue(cl_command_queue queue, cl_mem from, std::size_t offset, std::size_t bytes, void* host);
  /// Waits for what was enqueued here, not for what other commands followed, and copies it on.
  void complete(cl_command_queue queue);
  /// Copies on, where the host has waited for all that was enqueued.
  void deliver();
  /// Of an exception: the same without copying anything on.
  void forget();

  /// Enqueues a copy of a few bytes for which somebody will ask by `take_ahead`; false where there is no
  /// room.
  bool enqueue_ahead(cl_command_queue queue, cl_mem from, std::size_t bytes);
  /// What `enqueue_ahead` copies of them, `complete` and `deliver` bring to `host`, too.
  void take_ahead(std::size_t offset, std::size_t bytes, void* host);
  void forget_ahead() { release(ahead_); }

  /// Gives the memory back; the queue is the last one used, and has nothing more to do, or null.
  void clear(cl_command_queue queue);

 private:
  struct copy {
    const unsigned char* from;
    void* to;
    std::size_t bytes;
  };
  static constexpr std::size_t most_ahead = 4096;
  static constexpr std::size_t alignment = 64;

  /// Memory of the first call's size and the one for `enqueue_ahead` at its end; null where the driver has
  /// none.
  unsigned char* memory(cl_command_queue queue);
  /// Enqueues a copy, whose event is `done` in place of the one there.
  static void enqueue(cl_command_queue queue, cl_mem from, std::size_t offset, std::size_t bytes, void* to,
                      cl_event& done);
  static void release(cl_event& event);

  std::size_t room_ = 0;
  std::size_t used_ = 0;
  cl_mem buffer_ = nullptr;
  unsigned char* mapped_ = nullptr;
  list_of<copy> under_way_;
  cl_event last_ = nullptr;   // of the copy enqueued last
  cl_event ahead_ = nullptr;  // of that of `enqueue_ahead`
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/host_copies.ipp>
#endif
