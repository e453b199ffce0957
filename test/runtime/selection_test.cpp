// Which device is selected, what a new selection changes, and the messages when nothing fits.

#include <thread>

#include <support/messages.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using test::contains;
using test::run_probe;
using test::select_same_device;

const std::string no_requests = "-u OCL_DEVICE -u OCL_PLATFORM -u OCL_VENDOR -u OCL_TYPE -u OCL_POSITION ";

TEST(Probe, DISABLED_PrintsTheDevice) {
  try {
    const capabilities& device = opencl_context.capabilities();
    std::printf("device=%s platform=%s cpu=%d\n", device.name.c_str(), device.platform.c_str(), device.cpu);
  } catch (const no_device_error& e) {
    std::printf("no_device_error=%s\n", e.what());
  } catch (const error& e) {
    std::printf("error=%s\n", e.what());
  }
}

TEST(Probe, DISABLED_PrintsTheDeviceAfterAFailedFirstSelection) {
  EXPECT_THROW(select_device("no such device"), no_device_error);
  std::printf("device=%s generation=%d\n", opencl_context.capabilities().name.c_str(),
              static_cast<int>(opencl_context.generation()));
}

TEST(Probe, DISABLED_ManyThreadsUseTheContextFirst) {
  std::vector<std::uint64_t> generations(8);
  std::vector<std::thread> threads;
  for (std::uint64_t& each : generations) {
    threads.emplace_back([&each] {
      runtime::this_thread_queue().finish();
      each = opencl_context.generation();
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(generations, std::vector<std::uint64_t>(8, 1));
}

std::string device_in(const std::string& variables) {
  return run_probe("Probe.DISABLED_PrintsTheDevice", no_requests + variables).first;
}

/// Devices made up for filters.
std::vector<device_entry> three_devices() {
  std::vector<device_entry> devices(3);
  const char* names[] = {"Fast GPU", "Slow GPU", "Some CPU"};
  for (int i = 0; i < 3; ++i) {
    devices[i].capabilities.name = names[i];
    devices[i].capabilities.gpu = i < 2;
    devices[i].capabilities.cpu = i == 2;
    devices[i].capabilities.fp64 = i != 1;
  }
  return devices;
}

using indices = list_of<std::size_t>;

TEST(DeviceFilter, ComparesNamesWithoutCase) {
  EXPECT_EQ(filter::name("gpu").matches(three_devices()), (indices{0, 1}));
  EXPECT_EQ(filter::name("tpu").matches(three_devices()), indices{});
}

TEST(DeviceFilter, ComposesWithLogic) {
  const auto devices = three_devices();
  EXPECT_EQ((filter::type("GPU") && filter::fp64()).matches(devices), (indices{0}));
  EXPECT_EQ((filter::type("cpu") || filter::name("slow")).matches(devices), (indices{1, 2}));
  EXPECT_EQ((!filter::fp64()).matches(devices), (indices{1}));
  EXPECT_EQ((filter::any() && !filter::any()).matches(devices), indices{});
}

TEST(DeviceFilter, PositionCountsWhatRemains) {
  EXPECT_EQ((filter::type("GPU") && filter::position(1)).matches(three_devices()), (indices{1}));
  EXPECT_EQ((filter::fp64() && filter::position(1)).matches(three_devices()), (indices{2}));
  EXPECT_EQ(filter::position(3).matches(three_devices()), indices{});
  EXPECT_EQ(test::message_of<std::invalid_argument>([] { filter::position(-1); }),
            "filter::position: the position (-1) must not be negative");
}

TEST(DeviceFilter, TakesAPredicateOfTheUser) {
  const device_filter mine = [](const capabilities& c) { return c.name.starts_with("S"); };
  EXPECT_EQ((mine && !filter::fp64()).matches(three_devices()), (indices{1}));
}

TEST(DeviceFilter, RejectsAnUnknownType) { EXPECT_THROW(filter::type("TPU"), std::invalid_argument); }

TEST(Capabilities, FindsWholeExtensionNames) {
  capabilities device;
  device.extensions = "cl_khr_fp64_extra cl_khr_fp16 cl_khr_fp64";
  EXPECT_TRUE(device.extension("cl_khr_fp64"));
  EXPECT_TRUE(device.extension("cl_khr_fp16"));
  EXPECT_FALSE(device.extension("khr_fp16"));
  EXPECT_FALSE(device.extension(""));
}

TEST(Capabilities, OfTheSelectedDeviceMakeSense) {
  const capabilities& device = opencl_context.capabilities();
  EXPECT_FALSE(device.name.empty());
  EXPECT_GT(device.max_work_group, 0u);
  EXPECT_GT(device.max_allocation, std::uint64_t{1} << 20);
  EXPECT_GE(device.vector_float, 1u);
}

TEST(Environment, NamesTheDevice) {
  const capabilities& here = opencl_context.capabilities();
  const std::string part = here.name.substr(0, 8);
  EXPECT_TRUE(contains(device_in("OCL_DEVICE='" + part + "'"), "device=" + here.name));
  EXPECT_TRUE(contains(device_in("OCL_PLATFORM='" + here.platform + "'"), "platform=" + here.platform));
}

TEST(Environment, RequestThatMatchesNothingListsWhatExists) {
  const std::string output = device_in("OCL_DEVICE=abacus OCL_VENDOR=nobody");
  EXPECT_TRUE(
      contains(output, "no_device_error=no OpenCL device matches OCL_DEVICE=abacus, OCL_VENDOR=nobody"));
  EXPECT_TRUE(contains(output, opencl_context.capabilities().name)) << output;
}

TEST(Environment, PositionBeyondTheLastMatchesNothing) {
  EXPECT_TRUE(contains(device_in("OCL_POSITION=0"), "device="));
  EXPECT_TRUE(contains(device_in("OCL_POSITION=99"), "no_device_error="));
}

TEST(Environment, RejectsWhatItCannotRead) {
  EXPECT_TRUE(
      contains(device_in("OCL_TYPE=TPU"), "error=OCL_TYPE is \"TPU\", expected CPU, GPU or ACCELERATOR"));
  EXPECT_TRUE(
      contains(device_in("OCL_POSITION=first"), "error=OCL_POSITION is \"first\", expected a number"));
  EXPECT_TRUE(contains(device_in("OCL_POSITION=-1"), "error=OCL_POSITION"));
}

TEST(Environment, WithoutAnyDriverTheErrorNamesAPackage) {
  const std::string output = device_in("-u OCL_ICD_FILENAMES OCL_ICD_VENDORS=/nonexistent/");
  EXPECT_TRUE(contains(output, "no_device_error=no OpenCL device found")) << output;
  EXPECT_TRUE(contains(output, "pocl-opencl-icd"));
  EXPECT_TRUE(contains(output, "POCL_CACHE_DIR"));
}

TEST(Environment, HomeThatPoclCannotWriteToIsNamedOrNoHindrance) {
  if (opencl_context.capabilities().platform != "Portable Computing Language") GTEST_SKIP() << "not PoCL";
  const std::string output = device_in("-u POCL_CACHE_DIR -u XDG_CACHE_HOME HOME=/proc/nowhere");
  EXPECT_TRUE(contains(output, "device=") || contains(output, "set POCL_CACHE_DIR")) << output;
  const test::scratch_directory cache;
  EXPECT_TRUE(contains(
      device_in("-u XDG_CACHE_HOME HOME=/proc/nowhere POCL_CACHE_DIR=" + cache.path.string()), "device="));
}

TEST(Environment, FirstUseByManyThreadsSelectsOnce) {
  EXPECT_EQ(run_probe("Probe.DISABLED_ManyThreadsUseTheContextFirst", no_requests).second, 0);
}

TEST(SelectDevice, FailedFirstSelectionLeavesTheDefault) {
  const auto [output, status] =
      run_probe("Probe.DISABLED_PrintsTheDeviceAfterAFailedFirstSelection", no_requests);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(contains(output, "generation=1")) << output;
}

TEST(SelectDevice, FailureLeavesThePreviousDevice) {
  test::device_array<int> array({1, 2, 3});
  const std::uint64_t before = opencl_context.generation();
  EXPECT_THROW(select_device("no such device"), no_device_error);
  EXPECT_EQ(opencl_context.generation(), before);
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST(SelectDevice, StartsAGenerationInWhichOldStoragesAreErrors) {
  test::device_array<int> old({1, 2, 3});
  test::device_array<int> untouched(3);
  const std::uint64_t before = opencl_context.generation();
  select_same_device();
  EXPECT_EQ(opencl_context.generation(), before + 1);
  EXPECT_THROW(old.read(), error);
  EXPECT_THROW(old.write({4, 5, 6}), error);
  untouched.write({7, 8, 9});  // never allocated: belongs to no device yet
  EXPECT_EQ(untouched.read(), (std::vector<int>{7, 8, 9}));
}

TEST(SelectDevice, OfTheSelectedDeviceChangesNothing) {
  const capabilities& now = opencl_context.capabilities();
  test::device_array<int> array({1, 2, 3});
  const std::uint64_t before = opencl_context.generation();
  cl_context context = opencl_context.context()();
  for (int round = 0; round < 3; ++round)
    select_device(filter::name(now.name) && filter::platform(now.platform));
  EXPECT_EQ(opencl_context.generation(), before);
  EXPECT_EQ(opencl_context.context()(), context);
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST(SelectDevice, TheMessageSaysWhichMatrixIsOld) {
  test::device_array<int> old({1, 2, 3});
  test::device_array<int> old_too({1, 2, 3});
  select_same_device();
  EXPECT_TRUE(
      test::message_of<error>([&] { old.read(); }).starts_with("a matrix that is read (12 bytes) was made"));
  EXPECT_TRUE(test::message_of<error>([&] {
                old_too.write({4, 5, 6});
              }).starts_with("the matrix that is written to (12 bytes) was made"));
}

TEST(SelectDevice, OldBlocksDoNotReachTheNewPool) {
  test::device_array<int> old({1, 2, 3});
  { test::device_array<int> freed({1, 2, 3}); }
  select_same_device();
  EXPECT_EQ(pool_statistics().blocks_free, 0u);
  old = test::device_array<int>(3);
  EXPECT_EQ(pool_statistics().blocks_free, 0u);
}

TEST(SelectDevice, OtherThreadsFollow) {
  std::uint64_t seen = 0;
  std::atomic<int> step{0};
  std::thread other([&] {
    runtime::this_thread_queue();
    step = 1;
    while (step != 2) {
      std::this_thread::yield();
    }
    test::device_array<int> array({1, 2, 3});
    EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
    seen = runtime::selection_number(runtime::this_thread_queue().generation());
  });
  while (step != 1) {
    std::this_thread::yield();
  }
  select_same_device();
  step = 2;
  other.join();
  EXPECT_EQ(seen, opencl_context.generation());
}

TEST(SelectDevice, MovesToADeviceOfAnotherPlatform) {
  const auto devices = list_devices();
  if (devices.size() < 2) {
    GTEST_SKIP() << "only one device (RUSTICL_ENABLE=llvmpipe adds one where Mesa's driver is installed)";
  }
  for (std::size_t k = 0; k < devices.size(); ++k) {
    select_device(filter::position(static_cast<std::int64_t>(k)));
    EXPECT_EQ(opencl_context.capabilities().name, devices[k].capabilities.name);
    test::device_array<float> array({1, 2, 3});
    const kernel_cl<in_out_buffer> twice("twice",
                                         "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }");
    twice(cl::NDRange(3), array);
    EXPECT_EQ(array.read(), (std::vector<float>{2, 4, 6}));
  }
}

}  // namespace
}  // namespace fusecl
