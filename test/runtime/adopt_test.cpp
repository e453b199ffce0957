// A context, a device and a queue that the program already has.

#include <atomic>
#include <chrono>
#include <thread>

#include "scratch.hpp"

namespace fusecl {
namespace {

/// What a program with OpenCL code of its own has. The library's own selection comes back at the end.
class Adopt : public ::testing::Test {
 protected:
  Adopt()
      : device_(opencl_context.device()),
        context_(device_),
        queue_(context_, device_, CL_QUEUE_PROFILING_ENABLE),
        buffer_(context_, CL_MEM_READ_WRITE, 4 * sizeof(cl_int)) {}
  ~Adopt() override { runtime::select_anew(); }

  void fill(cl_int value) { queue_.enqueueFillBuffer(buffer_, value, 0, 4 * sizeof(cl_int)); }

  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
};

/// A user's buffer as an argument of kernel_cl.
struct adopted_array {
  runtime::storage_ref memory;
  const runtime::storage_ref& storage() const { return memory; }
};

const kernel_cl<in_out_buffer> twice("twice",
                                     "kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }");

TEST_F(Adopt, StatementsAndTheProgramInOneQueueKeepTheirOrder) {
  opencl_context.adopt(context_, device_, queue_);
  EXPECT_EQ(opencl_context.context()(), context_());
  EXPECT_EQ(opencl_context.device()(), device_());
  EXPECT_EQ(opencl_context.queue()(), queue_());
  fill(21);
  adopted_array array{runtime::adopt_storage(buffer_)};
  twice(cl::NDRange(4), array);
  cl_int read[4] = {};
  queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, sizeof(read), read);
  EXPECT_EQ(std::vector<int>(read, read + 4), std::vector<int>(4, 42));
}

TEST_F(Adopt, OtherThreadsHaveQueuesOfTheirOwn) {
  opencl_context.adopt(context_, device_, queue_);
  cl_command_queue other = queue_();
  std::vector<int> result;
  std::thread([&] {
    other = opencl_context.queue()();
    test::device_array<int> array({1, 2});
    twice(cl::NDRange(2), array);
    result = array.read();
  }).join();
  EXPECT_NE(other, queue_());
  EXPECT_EQ(result, (std::vector<int>{2, 4}));
}

TEST_F(Adopt, WorksWithoutAQueue) {
  opencl_context.adopt(context_, device_);
  EXPECT_EQ(opencl_context.context()(), context_());
  EXPECT_NE(opencl_context.queue()(), queue_());
  test::device_array<int> array({5});
  twice(cl::NDRange(1), array);
  EXPECT_EQ(array.read(), (std::vector<int>{10}));
}

TEST_F(Adopt, OfTheSameAgainKeepsWhatIsThere) {
  opencl_context.adopt(context_, device_, queue_);
  test::device_array<int> array({1, 2, 3});
  const std::uint64_t before = opencl_context.generation();
  opencl_context.adopt(context_, device_, queue_);
  opencl_context.adopt(context_, device_);
  EXPECT_EQ(opencl_context.generation(), before);
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST_F(Adopt, OfAnotherQueueChangesTheQueueOnly) {
  opencl_context.adopt(context_, device_, queue_);
  test::device_array<int> array({1, 2, 3});
  twice(cl::NDRange(3), array);
  const std::uint64_t before = opencl_context.generation();
  const cl::CommandQueue other(context_, device_);
  opencl_context.adopt(context_, device_, other);
  EXPECT_EQ(opencl_context.generation(), before);
  EXPECT_EQ(opencl_context.queue()(), other());
  twice(cl::NDRange(3), array);
  std::thread([&] {
    opencl_context.adopt(context_, device_, queue_);
    EXPECT_EQ(opencl_context.queue()(), queue_());
    twice(cl::NDRange(3), array);
  }).join();
  EXPECT_EQ(opencl_context.queue()(), other());
  EXPECT_EQ(array.read(), (std::vector<int>{8, 16, 24}));
  EXPECT_EQ(opencl_context.generation(), before);
}

TEST_F(Adopt, OfAnotherQueueBeforeTheFirstUseTakesThat) {
  opencl_context.adopt(context_, device_, queue_);
  const cl::CommandQueue other(context_, device_);
  const cl_uint references = other.getInfo<CL_QUEUE_REFERENCE_COUNT>();
  opencl_context.adopt(context_, device_, other);
  EXPECT_EQ(opencl_context.queue()(), other());
  opencl_context.adopt(context_, device_, queue_);
  EXPECT_EQ(opencl_context.queue()(), queue_());
  EXPECT_EQ(other.getInfo<CL_QUEUE_REFERENCE_COUNT>(), references);
}

TEST_F(Adopt, OfTwoThreadsBeforeEitherUsesItsQueueGivesEachItsOwn) {
  opencl_context.adopt(context_, device_, queue_);
  const cl::CommandQueue other(context_, device_);
  std::thread([&] {
    opencl_context.adopt(context_, device_, other);
    std::thread([] { runtime::this_thread_queue(); }).join();
    EXPECT_EQ(opencl_context.queue()(), other());
  }).join();
  EXPECT_EQ(opencl_context.queue()(), queue_());
}

TEST_F(Adopt, OfAQueueThatAnEarlierSelectionHadTakesItAgain) {
  opencl_context.adopt(context_, device_, queue_);
  EXPECT_EQ(opencl_context.queue()(), queue_());
  runtime::select_anew();
  std::thread([&] { opencl_context.adopt(context_, device_); }).join();
  opencl_context.adopt(context_, device_, queue_);
  EXPECT_EQ(opencl_context.queue()(), queue_());
  test::device_array<int> array({4});
  twice(cl::NDRange(1), array);
  EXPECT_EQ(array.read(), (std::vector<int>{8}));
}

TEST_F(Adopt, EndsWithTheThreadThatDidIt) {
  opencl_context.adopt(context_, device_);
  const cl::CommandQueue other(context_, device_);
  test::device_array<int> array({1, 2});
  std::vector<bool> in_other;
  const auto twice_in_a_thread = [&](bool adopts) {
    std::thread([&] {
      if (adopts) opencl_context.adopt(context_, device_, other);
      twice(cl::NDRange(2), array);
      in_other.push_back(opencl_context.queue()() == other());
    }).join();
  };
  twice_in_a_thread(true);
  twice_in_a_thread(false);
  EXPECT_EQ(in_other, (std::vector<bool>{true, false}));
  EXPECT_EQ(array.read(), (std::vector<int>{4, 8}));
}

TEST_F(Adopt, EndsWithTheThreadThatDidItAndNothingElse) {
  opencl_context.adopt(context_, device_);
  const cl::CommandQueue other(context_, device_);
  const cl_uint references = other.getInfo<CL_QUEUE_REFERENCE_COUNT>();
  std::thread([&] { opencl_context.adopt(context_, device_, other); }).join();
  EXPECT_EQ(other.getInfo<CL_QUEUE_REFERENCE_COUNT>(), references);
  std::thread([&] { EXPECT_NE(opencl_context.queue()(), other()); }).join();
}

TEST_F(Adopt, OrAnySelectionWhileAQueueGoesOverToOneIsTheOneItGoesTo) {
  std::atomic<bool> goes_over = false;
  opencl_context.adopt(context_, device_);
  cl::UserEvent gate(context_);
  std::thread([&] {
    runtime::this_thread_queue().wait_for_event(gate());
    std::thread others([&] {
      runtime::select_anew();
      goes_over = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      runtime::select_anew();
      gate.setStatus(CL_COMPLETE);
    });
    while (!goes_over) std::this_thread::yield();
    EXPECT_NO_THROW(runtime::this_thread_queue());  // waits for the gate before it goes over
    others.join();
    EXPECT_EQ(runtime::this_thread_queue().generation(), runtime::selected().generation);
  }).join();
}

TEST_F(Adopt, IsASelectionLikeAnyOther) {
  test::device_array<int> old({1, 2, 3});
  const std::uint64_t before = opencl_context.generation();
  opencl_context.adopt(context_, device_, queue_);
  EXPECT_EQ(opencl_context.generation(), before + 1);
  EXPECT_THROW(old.read(), error);
  const capabilities& now = opencl_context.capabilities();
  select_device(filter::name(now.name) && filter::platform(now.platform));
  EXPECT_EQ(opencl_context.generation(), before + 2);
  EXPECT_NE(opencl_context.context()(), context_());
  EXPECT_NE(opencl_context.queue()(), queue_());
}

TEST_F(Adopt, LeavesWhatTheProgramHasSetForTheDevice) {
  tuning_options& options = opencl_context.tuning_opts();
  const tuning_options before = options;
  options.cholesky_size_worth_transfer = 77;
  opencl_context.adopt(context_, device_);
  EXPECT_EQ(opencl_context.tuning_opts().cholesky_size_worth_transfer, 77);
  runtime::select_anew();
  EXPECT_EQ(opencl_context.tuning_opts().cholesky_size_worth_transfer, 77);
  EXPECT_EQ(opencl_context.tuning_opts().tri_inverse_size_worth_transfer,
            before.tri_inverse_size_worth_transfer);
  opencl_context.tuning_opts() = before;
}

TEST_F(Adopt, LetsGoOfWhatIsNoLongerSelected) {
  const auto references = [&] { return context_.getInfo<CL_CONTEXT_REFERENCE_COUNT>(); };
  const cl_uint before = references();
  opencl_context.adopt(context_, device_);
  runtime::this_thread_queue();
  const cl_uint while_selected = references();
  EXPECT_GT(while_selected, before);
  runtime::select_anew();
  runtime::this_thread_queue();
  EXPECT_LT(references(), while_selected);
}

TEST_F(Adopt, RefusesWhatDoesNotFit) {
  const std::uint64_t before = opencl_context.generation();
  const cl::Context another(device_);
  EXPECT_THROW(opencl_context.adopt(another, device_, queue_), std::invalid_argument);
  EXPECT_THROW(opencl_context.adopt(cl::Context(), device_), std::invalid_argument);
  EXPECT_THROW(opencl_context.adopt(context_, cl::Device()), std::invalid_argument);
  for (const device_entry& each : list_devices()) {
    if (each.device() != device_()) {
      EXPECT_THROW(opencl_context.adopt(context_, each.device), std::invalid_argument);
    }
  }
  cl_int code = CL_SUCCESS;
  cl_command_queue unordered =
      clCreateCommandQueue(context_(), device_(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_SUCCESS) {
    EXPECT_THROW(opencl_context.adopt(context_, device_, cl::CommandQueue(unordered)), std::invalid_argument);
  }
  EXPECT_EQ(opencl_context.generation(), before);
}

TEST(Description, NamesTheDeviceAndWhatItHas) {
  const capabilities& device = opencl_context.capabilities();
  const std::string text = opencl_context.description();
  for (const std::string& part : {device.name, device.platform, device.driver,
                                  std::to_string(device.compute_units), std::to_string(device.global_bytes)})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(opencl_context.max_thread_block_size(), static_cast<int>(device.max_work_group));
}

}  // namespace
}  // namespace fusecl
