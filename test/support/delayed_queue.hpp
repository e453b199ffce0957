#pragma once
// A queue whose work begins late: what returns before has not waited for it.

#include <chrono>
#include <thread>

#include <fusion/fusion.hpp>

namespace fusecl::test {

/// What the calling thread enqueues while this lives begins a fifth of a second later.
class delayed_queue {
 public:
  delayed_queue() : gate_(opencl_context.context()) {
    runtime::this_thread_queue().wait_for_event(gate_());
    opener_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      gate_.setStatus(CL_COMPLETE);
    });
  }
  delayed_queue(const delayed_queue&) = delete;
  delayed_queue& operator=(const delayed_queue&) = delete;
  ~delayed_queue() {
    opener_.join();
    runtime::this_thread_queue().finish();
  }

  /// Whether what was enqueued may have begun; before that nothing of it is over.
  bool has_begun() const { return gate_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE; }

 private:
  cl::UserEvent gate_;
  std::thread opener_;
};

}  // namespace fusecl::test
