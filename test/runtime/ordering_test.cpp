// Threads with a queue each that share storages: device-side waits keep the order the host gave.

#include <barrier>
#include <set>
#include <thread>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::this_thread_queue;
using runtime::thread_queue;
using test::device_array;

/// One work-item runs through a chain that takes a while, then stores; the order of kernels is visible.
const char* const slow_text = R"(
kernel void slow_store(global int* target, int value, int rounds) {
  volatile int spin = 0;
  for (int i = 0; i < rounds; ++i) spin += i;
  target[get_global_id(0)] = value + (spin == 1 ? 1 : 0);
}
kernel void increment(global const int* from, global int* to) {
  to[get_global_id(0)] = from[get_global_id(0)] + 1;
}
)";
const kernel_cl<out_buffer, int, int> slow_store("slow_store", slow_text);
const kernel_cl<in_buffer, out_buffer> increment("increment", slow_text);

constexpr int some_milliseconds = 3000000;

/// Runs a function on a new thread to its end.
template <class F>
void elsewhere(F f) {
  std::thread(f).join();
}

TEST(ThreadQueue, BelongsToOneLiveThread) {
  const unsigned mine = this_thread_queue().id();
  unsigned first = mine, second = mine;
  elsewhere([&] { first = this_thread_queue().id(); });
  elsewhere([&] { second = this_thread_queue().id(); });
  EXPECT_NE(first, mine);
  EXPECT_EQ(second, first);  // returned at the end of the thread, then reused
  EXPECT_EQ(this_thread_queue().id(), mine);
}

TEST(CrossQueue, ReadWaitsForTheWriteElsewhere) {
  device_array<int> array({0});
  elsewhere([&] { slow_store(cl::NDRange(1), array, 5, some_milliseconds); });
  const auto before = runtime_counters();
  EXPECT_EQ(array.read(), std::vector<int>{5});
  EXPECT_EQ((runtime_counters() - before).cross_queue_waits, 1u);
  array.read();
  EXPECT_EQ((runtime_counters() - before).cross_queue_waits, 1u);  // once is enough
}

TEST(CrossQueue, WriteWaitsForTheReadElsewhere) {
  device_array<int> source({1}), copy({0});
  elsewhere([&] {
    slow_store(cl::NDRange(1), source, 7, some_milliseconds);
    increment(cl::NDRange(1), source, copy);
  });
  slow_store(cl::NDRange(1), source, 100, 0);
  EXPECT_EQ(copy.read(), std::vector<int>{8});
  EXPECT_EQ(source.read(), std::vector<int>{100});
}

TEST(CrossQueue, BlockFreedElsewhereIsReusedWithoutHostWait) {
  trim();
  device_array<int> result({0});
  cl_mem freed = nullptr;
  elsewhere([&] {
    device_array<int> temporary(1000);
    slow_store(cl::NDRange(1), temporary, 7, some_milliseconds);
    increment(cl::NDRange(1), temporary, result);
    freed = temporary.storage()->mem();
  });
  const auto before = runtime_counters();
  device_array<int> next(1000);
  slow_store(cl::NDRange(1), next, 1000, 0);
  EXPECT_EQ(next.storage()->mem(), freed);
  EXPECT_EQ((runtime_counters() - before).host_waits, 0u);
  EXPECT_EQ(result.read(), std::vector<int>{8});
  EXPECT_EQ(next.read()[0], 1000);  // the former owner's store came first
}

TEST(CrossQueue, OwnQueueNeverWaits) {
  device_array<int> a({1}), b({0});
  increment(cl::NDRange(1), a, b);
  const auto before = runtime_counters();
  for (int i = 0; i < 100; ++i) {
    increment(cl::NDRange(1), a, b);
    increment(cl::NDRange(1), b, a);
  }
  const auto spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 200u);
  EXPECT_EQ(spent.cross_queue_waits + spent.host_waits + spent.buffers_created, 0u);
  EXPECT_EQ(a.read(), std::vector<int>{201});
}

TEST(CrossQueue, SharedDataReadByManyCostsEachOneWait) {
  trim();
  device_array<int> data({41});
  for (int t = 0; t < 4; ++t) {
    elsewhere([&] {
      device_array<int> mine(1);
      for (int i = 0; i < 50; ++i) {
        increment(cl::NDRange(1), data, mine);
      }
      EXPECT_EQ(mine.read(), std::vector<int>{42});
      EXPECT_LE(runtime_counters().cross_queue_waits, 2u);  // data, and a block another queue freed
    });
  }
}

TEST(CrossQueue, TwoThreadsPassingABallCountRight) {
  constexpr int rounds = 500;
  device_array<int> ball({0}), spare({0});
  std::barrier turn(2);
  const auto play = [&](int parity) {
    for (int i = 0; i < rounds; ++i) {
      if (i % 2 == parity) {
        increment(cl::NDRange(1), ball, spare);
        this_thread_queue().copy(*spare.storage(), 0, *ball.storage(), 0, sizeof(int));
      }
      turn.arrive_and_wait();
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(ball.read(), std::vector<int>{rounds});
}

/// Each thread makes temporaries from shared data and frees them while others take the blocks.
void churn(const device_array<int>& shared, int rounds, int seed) {
  for (int i = 0; i < rounds; ++i) {
    device_array<int> a(1 + static_cast<std::size_t>((seed + i) % 3) * 400), b(1);
    slow_store(cl::NDRange(1), a, i * 1000 + seed, 200);
    increment(cl::NDRange(1), a, b);
    device_array<int> c(1);
    increment(cl::NDRange(1), shared, c);
    if (i % 10 == 0) {
      ASSERT_EQ(b.read()[0], i * 1000 + seed + 1);
      ASSERT_EQ(c.read()[0], 42);
    }
  }
}

TEST(CrossQueue, ChurningThreadsKeepTheirResults) {
  const device_array<int> shared({41});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] { churn(shared, 300, t); });
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

TEST(CrossQueue, MoreThreadsThanQueuesShare) {
  const device_array<int> shared({41});
  constexpr unsigned count = thread_queue::count + 16;
  std::barrier all_alive(count);
  std::mutex mutex;
  std::multiset<unsigned> ids;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      {
        const unsigned id = this_thread_queue().id();
        const std::lock_guard lock(mutex);
        ids.insert(id);
      }
      all_alive.arrive_and_wait();
      churn(shared, 20, static_cast<int>(t));
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  for (unsigned id = 0; id < thread_queue::exclusive_count; ++id) {
    EXPECT_LE(ids.count(id), 1u);
  }
  EXPECT_GT(ids.size(), static_cast<std::size_t>(thread_queue::count));
}

TEST(CrossQueue, FirstUseOfAStorageByTwoReadersIsSafe) {
  for (int i = 0; i < 50; ++i) {
    const device_array<int> never_written(10);
    std::barrier start(2);
    const auto look = [&] {
      start.arrive_and_wait();
      never_written.read();
    };
    std::thread other(look);
    look();
    other.join();
  }
}

TEST(Launch, FailureNamesTheKernelAndLeavesTheQueueUsable) {
  device_array<int> a({1}), b({0});
  const std::size_t too_many = opencl_context.capabilities().max_work_group * 2;
  try {
    increment(cl::NDRange(too_many), cl::NDRange(too_many), a, b);
    FAIL() << "no exception";
  } catch (const opencl_error& e) {
    EXPECT_NE(std::string(e.what()).find("increment"), std::string::npos) << e.what();
  }
  increment(cl::NDRange(1), a, b);
  EXPECT_EQ(b.read(), std::vector<int>{2});
  elsewhere([&] { EXPECT_EQ(b.read(), std::vector<int>{2}); });
}

}  // namespace
}  // namespace fusecl
