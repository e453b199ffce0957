// The buffer pool: what it hands out, takes back and counts, and what happens when memory ends.

#include <sys/resource.h>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::block_capacity;
using runtime::make_storage;
using runtime::storage_ref;

TEST(BlockCapacity, LeavesThePadding) {
  for (std::size_t bytes : {0, 1, 127, 128, 129, 1000, 4096, 100000, 12345678, 123456789}) {
    const std::size_t rounded = (bytes + 127) / 128 * 128;
    EXPECT_GE(block_capacity(bytes), rounded + 128) << bytes;
  }
}

TEST(BlockCapacity, WastesLittle) {
  for (std::size_t bytes = 4096; bytes < (std::size_t{1} << 40); bytes += bytes / 7) {
    const double limit = bytes > (std::size_t{16} << 20) ? 1.0 / 16 : 1.0 / 4;
    EXPECT_LE(static_cast<double>(block_capacity(bytes)), (1 + limit) * static_cast<double>(bytes + 256))
        << bytes;
  }
}

TEST(BlockCapacity, HasFewClasses) {
  std::size_t classes = 0, last = 0;
  for (std::size_t bytes = 1; bytes < 100000; ++bytes) {
    classes += block_capacity(bytes) != last;
    last = block_capacity(bytes);
  }
  EXPECT_LE(classes, 36u);
}

TEST(Storage, TakesMemoryAtItsFirstUse) {
  trim();
  const auto before = pool_statistics();
  const storage_ref s = make_storage(1000);
  EXPECT_FALSE(s->allocated());
  EXPECT_EQ(pool_statistics().blocks_in_use, before.blocks_in_use);
  EXPECT_NE(s->mem(), nullptr);
  EXPECT_TRUE(s->allocated());
  EXPECT_TRUE(s->padded());
  EXPECT_EQ(s->bytes(), 1000u);
  EXPECT_EQ(pool_statistics().blocks_in_use, before.blocks_in_use + 1);
}

TEST(Storage, OfZeroBytesHasABuffer) {
  const storage_ref s = make_storage(0);
  EXPECT_NE(s->mem(), nullptr);
  char nothing = 0;
  EXPECT_NO_THROW(runtime::this_thread_queue().read(*s, 0, 0, &nothing));
  EXPECT_NO_THROW(runtime::this_thread_queue().write(*s, 0, 0, &nothing));
}

TEST(Storage, IsSharedByReference) {
  storage_ref a = make_storage(8);
  EXPECT_TRUE(a.unique());
  storage_ref b = a;
  EXPECT_FALSE(a.unique());
  EXPECT_EQ(a, b);
  storage_ref c = std::move(b);
  EXPECT_FALSE(b);
  c = storage_ref();
  EXPECT_TRUE(a.unique());
  a = *&a;
  EXPECT_TRUE(a.unique());
}

TEST(Pool, ReusesAFreedBlock) {
  trim();
  cl_mem first = nullptr;
  {
    const storage_ref s = make_storage(5000);
    first = s->mem();
  }
  const auto before = runtime_counters();
  const storage_ref again = make_storage(5010);
  EXPECT_EQ(again->mem(), first);
  const auto spent = runtime_counters() - before;
  EXPECT_EQ(spent.buffers_reused, 1u);
  EXPECT_EQ(spent.buffers_created, 0u);
}

TEST(Pool, DoesNotHandOutABlockInUse) {
  const storage_ref a = make_storage(5000), b = make_storage(5000);
  EXPECT_NE(a->mem(), b->mem());
}

TEST(Pool, CountsAddUp) {
  trim();
  const auto before = pool_statistics();
  {
    const storage_ref a = make_storage(5000), b = make_storage(100000);
    a->mem();
    b->mem();
    EXPECT_EQ(pool_statistics().bytes_in_use,
              before.bytes_in_use + block_capacity(5000) + block_capacity(100000));
  }
  EXPECT_EQ(pool_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(pool_statistics().bytes_free, block_capacity(5000) + block_capacity(100000));
  EXPECT_EQ(pool_statistics().blocks_free, 2u);
  trim();
  EXPECT_EQ(pool_statistics().bytes_free, 0u);
  EXPECT_EQ(pool_statistics().buffers_released, before.buffers_released + 2);
}

TEST(Pool, RemembersTheMostInUse) {
  reset_pool_peak();
  const auto before = pool_statistics();
  EXPECT_EQ(before.peak_bytes_in_use, before.bytes_in_use);
  {
    const storage_ref a = make_storage(5000);
    a->mem();
  }
  for (int k = 0; k < 2; ++k) {
    const storage_ref b = make_storage(4000);
    b->mem();
  }
  EXPECT_EQ(pool_statistics().peak_bytes_in_use, before.bytes_in_use + block_capacity(5000));
  reset_pool_peak();
  EXPECT_EQ(pool_statistics().peak_bytes_in_use, before.bytes_in_use);
}

TEST(Pool, ReleasingWaitsForNothing) {
  const auto before = runtime_counters();
  for (int i = 0; i < 100; ++i) {
    test::device_array<int> array(100);
    array.write(std::vector<int>(100, i));
  }
  EXPECT_EQ((runtime_counters() - before).host_waits, 0u);
}

TEST(Pool, RefusesWhatTheDeviceCannotHaveBeforeAskingTheDriver) {
  const std::uint64_t largest = opencl_context.capabilities().max_allocation;
  const auto created = pool_statistics().buffers_created;
  const storage_ref s = make_storage(largest + 1);
  try {
    s->mem();
    FAIL() << "no exception";
  } catch (const out_of_device_memory& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find(std::to_string(largest + 1)), std::string::npos) << message;
    EXPECT_NE(message.find(opencl_context.capabilities().name), std::string::npos) << message;
  }
  EXPECT_EQ(pool_statistics().buffers_created, created);
  test::device_array<int> array({1, 2, 3});
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST(Probe, DISABLED_RunsOutOfMemory) {
  test::device_array<int> array({1, 2, 3});
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  std::size_t mapped = 0;
  std::ifstream("/proc/self/statm") >> mapped;
  limit.rlim_cur = mapped * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (std::size_t{600} << 20);
  setrlimit(RLIMIT_AS, &limit);
  const std::size_t bytes = std::size_t{200} << 20;
  const int zero = 0;
  const auto filled = [&](std::size_t size) {
    storage_ref s = make_storage(size);
    runtime::this_thread_queue().fill(*s, 0, size, &zero, sizeof(zero));
    runtime::this_thread_queue().finish();
    return s;
  };
  { const storage_ref a = filled(bytes), b = filled(bytes); }  // 400 MiB wait in the pool
  const storage_ref other_size = filled(bytes + bytes / 2);    // fits only once they are gone
  EXPECT_EQ(pool_statistics().blocks_free, 0u);
  EXPECT_THROW(filled(2 * bytes), out_of_device_memory);
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST(Pool, FreesItsBlocksWhenMemoryEndsAndThenThrows) {
  if (!opencl_context.capabilities().cpu) {
    GTEST_SKIP() << "a limit on the process does not limit a GPU's memory";
  }
  const auto [output, status] = test::run_probe("Probe.DISABLED_RunsOutOfMemory", "");
  EXPECT_EQ(status, 0) << output;
}

TEST(AdoptedStorage, SharesTheBufferOfTheUser) {
  std::vector<int> values = {1, 2, 3, 4};
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 16);
  opencl_context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, 16, values.data());
  const auto free_before = pool_statistics().blocks_free;
  {
    const storage_ref s = runtime::adopt_storage(buffer);
    EXPECT_EQ(s->bytes(), 16u);
    EXPECT_FALSE(s->padded());
    EXPECT_EQ(s->mem(), buffer());
    std::vector<int> seen(4);
    runtime::this_thread_queue().read(*s, 0, 16, seen.data());
    EXPECT_EQ(seen, values);
  }
  EXPECT_EQ(pool_statistics().blocks_free, free_before);
  EXPECT_EQ(buffer.getInfo<CL_MEM_REFERENCE_COUNT>(), 1u);
}

TEST(AdoptedStorage, RejectsForeignAndShortBuffers) {
  const cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 16);
  EXPECT_THROW(runtime::adopt_storage(buffer, 17), std::invalid_argument);
  test::select_same_device();
  EXPECT_THROW(runtime::adopt_storage(buffer), error);
}

}  // namespace
}  // namespace fusecl
