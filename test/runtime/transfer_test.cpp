// Reads, writes, copies and fills of one queue, and what they count.

#include <numeric>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::make_storage;
using runtime::this_thread_queue;
using test::device_array;

std::vector<int> ramp(std::size_t size, int start = 0) {
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), start);
  return values;
}

TEST(Write, ReadsBackForSizesRoundTheStagingLimit) {
  for (std::size_t size : {1, 3, 71, 4095, 4096, 4097, 100000}) {
    EXPECT_EQ(device_array<int>(ramp(size)).read(), ramp(size)) << size;
  }
}

TEST(Write, DoesNotLookAtHostMemoryAfterItsReturn) {
  for (std::size_t size : {16, 4096, 50000}) {
    device_array<int> array(size);
    std::vector<int> values = ramp(size);
    array.write(values);
    std::fill(values.begin(), values.end(), -1);
    EXPECT_EQ(array.read(), ramp(size)) << size;
  }
}

TEST(Write, OfManySmallPiecesGoesRoundTheRing) {
  std::vector<device_array<int>> arrays;
  for (int i = 0; i < 200; ++i) {
    arrays.emplace_back(ramp(3000, i));  // 2.4 MB, several times the ring
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(arrays[static_cast<std::size_t>(i)].read(), ramp(3000, i));
  }
}

TEST(Read, WithoutAWaitIsThereWhenALaterOneHasWaited) {
  // small ones go by way of memory of the driver's, while there is room; large ones to their places
  const std::vector<std::size_t> sizes = {1, 1000, 4096, 3, 4097, 300000, 17, 250000, 1000};
  std::vector<device_array<int>> arrays;
  for (std::size_t k = 0; k < sizes.size(); ++k) arrays.emplace_back(ramp(sizes[k], static_cast<int>(k)));
  for (std::size_t last = 0; last < sizes.size(); ++last) {
    std::vector<std::vector<int>> hosts;
    for (const std::size_t size : sizes) hosts.emplace_back(size, -1);
    const auto before = runtime_counters();
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (k != last) this_thread_queue().read(*arrays[k].storage(), 0, 4 * sizes[k], hosts[k].data(), false);
    EXPECT_EQ((runtime_counters() - before).host_waits, 0u);
    this_thread_queue().read(*arrays[last].storage(), 0, 4 * sizes[last], hosts[last].data());
    const auto used = runtime_counters() - before;
    EXPECT_EQ(used.host_waits, 1u);
    EXPECT_EQ(used.host_reads, sizes.size());
    EXPECT_EQ(used.events_created, used.events_released);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      EXPECT_EQ(hosts[k], ramp(sizes[k], static_cast<int>(k))) << k << " of those before " << last;
  }
}

TEST(Read, WithoutAWaitIsThereWhenTheQueueIsFinished) {
  const device_array<int> array(ramp(100));
  std::vector<int> host(100, -1);
  this_thread_queue().read(*array.storage(), 0, 400, host.data(), false);
  this_thread_queue().finish();
  EXPECT_EQ(host, ramp(100));
}

TEST(Read, SeesWhatIsThereWhenItIsEnqueued) {
  device_array<int> array(ramp(100));
  std::vector<int> first(100, -1), second(100, -1);
  this_thread_queue().read(*array.storage(), 0, 400, first.data(), false);
  array.write(ramp(100, 50));
  this_thread_queue().read(*array.storage(), 0, 400, second.data());
  EXPECT_EQ(first, ramp(100));
  EXPECT_EQ(second, ramp(100, 50));
}

TEST(Read, IsForgottenWhereItsScopeEndsByAnException) {
  const device_array<int> array(ramp(100)), other(ramp(10));
  std::vector<int> host(100, -1);
  try {
    const runtime::pending_reads pending;
    this_thread_queue().read(*array.storage(), 0, 400, host.data(), false);
    throw std::runtime_error("something else");
  } catch (const std::runtime_error&) {
  }
  const std::vector<int> then = host;  // as it was, or as it was read
  EXPECT_EQ(other.read(), ramp(10));
  EXPECT_EQ(host, then);
}

/// Holds back what the thread's queue is given after it, until its scope ends.
class held_back {
 public:
  held_back() : gate_(opencl_context.context()) { this_thread_queue().wait_for_event(gate_()); }
  ~held_back() { gate_.setStatus(CL_COMPLETE); }
  held_back(const held_back&) = delete;
  held_back& operator=(const held_back&) = delete;

 private:
  cl::UserEvent gate_;
};

TEST(ReadAhead, DoesNotWaitForWhatIsEnqueuedLater) {
  const device_array<int> array(ramp(8));
  std::vector<int> host(8, -1);
  const auto before = runtime_counters();
  this_thread_queue().read_ahead(*array.storage());
  {
    const held_back later;
    this_thread_queue().read(*array.storage(), 0, 32, host.data());  // would never return
  }
  EXPECT_EQ(host, ramp(8));
  const auto used = runtime_counters() - before;
  EXPECT_EQ(used.host_reads, 1u);
  EXPECT_EQ(used.host_reads_ahead, 1u);
  EXPECT_EQ(used.host_waits, 1u);
  EXPECT_EQ(used.bytes_to_host, 32u);
  EXPECT_EQ(used.events_created, used.events_released);
}

TEST(ReadAhead, ServesAPartAndOnlyOnce) {
  device_array<int> array(ramp(8));
  int host = -1;
  this_thread_queue().read_ahead(*array.storage());
  this_thread_queue().read(*array.storage(), 12, 4, &host);
  EXPECT_EQ(host, 3);
  array.write(ramp(8, 10));
  EXPECT_EQ(array.read(), ramp(8, 10));
}

TEST(ReadAhead, IsOfNoOtherStorage) {
  const device_array<int> array(ramp(8)), other(ramp(8, 10));
  const auto before = runtime_counters();
  this_thread_queue().read_ahead(*array.storage());
  EXPECT_EQ(other.read(), ramp(8, 10));
  EXPECT_EQ(array.read(), ramp(8));
  EXPECT_EQ((runtime_counters() - before).host_reads_ahead, 0u);
}

TEST(ReadAhead, IsForgottenWhereTheStorageIsWrittenAgain) {
  device_array<int> array(ramp(8));
  this_thread_queue().read_ahead(*array.storage());
  array.write(ramp(8, 10));
  this_thread_queue().forget_reads_ahead();
  EXPECT_EQ(array.read(), ramp(8, 10));
}

TEST(ReadAhead, ComesWithOtherCopiesThatAreUnderWay) {
  const device_array<int> array(ramp(8)), other(ramp(100, 10));
  std::vector<int> host(100, -1), ahead(8, -1);
  this_thread_queue().read_ahead(*array.storage());
  this_thread_queue().read(*other.storage(), 0, 400, host.data(), false);
  this_thread_queue().read(*array.storage(), 0, 32, ahead.data());
  EXPECT_EQ(host, ramp(100, 10));
  EXPECT_EQ(ahead, ramp(8));
}

/// Takes a while and then sets all elements.
const kernel_cl<out_buffer, int> slow_fill("slow_fill",
                                           "kernel void slow_fill(global int* a, int value) {\n"
                                           "  volatile int spin = 0;\n"
                                           "  if (get_global_id(0) == 0)\n"
                                           "    for (int k = 0; k < 3000000; ++k) spin += k;\n"
                                           "  a[get_global_id(0)] = value + (spin == 1 ? 1 : 0);\n}\n");

TEST(ReadAhead, WaitsForLargeCopiesThatWereAskedForAfterIt) {
  // such copies go to their places, and begin after a kernel that takes a while
  const std::size_t size = 400000;
  const device_array<int> array(ramp(8));
  device_array<int> large(std::vector<int>(size, 0));
  for (int round = 1; round < 4; ++round) {
    std::vector<int> number(8, -1), host(size, -1);
    this_thread_queue().read_ahead(*array.storage());
    slow_fill(cl::NDRange(size), cl::NDRange(100), large, round);
    this_thread_queue().read(*large.storage(), 0, 4 * size, host.data(), false);
    this_thread_queue().read(*array.storage(), 0, 32, number.data());
    EXPECT_EQ(number, ramp(8));
    EXPECT_EQ(host, std::vector<int>(size, round));
  }
}

TEST(ReadAhead, IsWaitedForBehindCopiesThatWereAskedForBeforeIt) {
  const device_array<int> other(ramp(8));
  device_array<int> array(std::vector<int>(100, 0));
  for (int round = 1; round < 4; ++round) {
    std::vector<int> host(8, -1), ahead(100, -1);
    this_thread_queue().read(*other.storage(), 0, 32, host.data(), false);
    slow_fill(cl::NDRange(100), cl::NDRange(100), array, round);
    this_thread_queue().read_ahead(*array.storage());
    this_thread_queue().read(*array.storage(), 0, 400, ahead.data());
    EXPECT_EQ(host, ramp(8));
    EXPECT_EQ(ahead, std::vector<int>(100, round));
  }
}

TEST(ReadAhead, OfALargeStorageDoesNothing) {
  const device_array<int> array(ramp(10000));
  const auto before = runtime_counters();
  this_thread_queue().read_ahead(*array.storage());
  EXPECT_EQ(array.read(), ramp(10000));
  EXPECT_EQ((runtime_counters() - before).host_reads_ahead, 0u);
}

TEST(Counters, OfTransfers) {
  device_array<int> small(100), large(100000);
  const std::vector<int> few = ramp(100), many = ramp(100000);
  const auto start = runtime_counters();
  small.write(few);
  const auto written_small = runtime_counters() - start;
  EXPECT_EQ(written_small.bytes_to_device, 400u);
  EXPECT_EQ(written_small.host_waits, 0u);
  large.write(many);
  EXPECT_EQ((runtime_counters() - start).bytes_to_device, 400400u);
  const auto middle = runtime_counters();
  small.read();
  const auto read = runtime_counters() - middle;
  EXPECT_EQ(read.bytes_to_host, 400u);
  EXPECT_EQ(read.host_waits, 1u);
  EXPECT_EQ(read.launches + read.buffers_created + read.bytes_to_device, 0u);
}

TEST(Copy, MovesAPart) {
  device_array<int> from(ramp(100)), to(std::vector<int>(10, -1));
  this_thread_queue().copy(*from.storage(), 200, *to.storage(), 8, 16);
  EXPECT_EQ(to.read(), (std::vector<int>{-1, -1, 50, 51, 52, 53, -1, -1, -1, -1}));
}

TEST(Copy, WithinAStorageMayOverlap) {
  device_array<int> up(ramp(10)), down(ramp(10)), apart(ramp(10));
  this_thread_queue().copy(*up.storage(), 0, *up.storage(), 8, 32);
  EXPECT_EQ(up.read(), (std::vector<int>{0, 1, 0, 1, 2, 3, 4, 5, 6, 7}));
  this_thread_queue().copy(*down.storage(), 8, *down.storage(), 0, 32);
  EXPECT_EQ(down.read(), (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9, 8, 9}));
  this_thread_queue().copy(*apart.storage(), 0, *apart.storage(), 20, 20);
  EXPECT_EQ(apart.read(), (std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
}

TEST(Fill, RepeatsThePattern) {
  device_array<int> array(ramp(6));
  const int pattern[2] = {7, 8};
  this_thread_queue().fill(*array.storage(), 8, 16, pattern, 8);
  EXPECT_EQ(array.read(), (std::vector<int>{0, 1, 7, 8, 7, 8}));
}

TEST(Transfers, OutsideTheStorageAreErrors) {
  device_array<int> array(ramp(4));
  std::vector<int> host(100);
  auto& queue = this_thread_queue();
  EXPECT_THROW(queue.read(*array.storage(), 0, 17, host.data()), std::invalid_argument);
  EXPECT_THROW(queue.write(*array.storage(), 17, 0, host.data()), std::invalid_argument);
  EXPECT_THROW(queue.write(*array.storage(), 8, static_cast<std::size_t>(-4), host.data()),
               std::invalid_argument);
  EXPECT_THROW(queue.fill(*array.storage(), 4, 16, host.data(), 4), std::invalid_argument);
  EXPECT_THROW(queue.copy(*array.storage(), 0, *array.storage(), 4, 16), std::invalid_argument);
  EXPECT_EQ(array.read(), ramp(4));
}

TEST(PaddedStorage, MayBeWrittenPastItsEnd) {
  // given neighbours of one size class
  device_array<int> a(ramp(33)), b(ramp(33)), c(ramp(33));
  // when a kernel writes up to 128 bytes past the size rounded up to 128
  const kernel_cl<in_out_buffer> overrun(
      "overrun",
      "kernel void overrun(global int* a) { const size_t i = get_global_id(0); if (i >= 33) a[i] = -1; }");
  overrun(cl::NDRange(96), b);
  // then nobody notices
  EXPECT_EQ(a.read(), ramp(33));
  EXPECT_EQ(b.read(), ramp(33));
  EXPECT_EQ(c.read(), ramp(33));
}

}  // namespace
}  // namespace fusecl
