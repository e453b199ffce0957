// What threads share besides contents: events that a matrix was told of, constants that are on the device,
// options that are read from a file, queues. What is wrong here the tsan preset tells, too.

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include <support/at_once.hpp>
#include <support/compare.hpp>
#include <support/transfer_from.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>
#include <primitives/host_matrices.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(ThreadsThatShare, AMatrixAllTellItOfTheirEvents) {
  constexpr int rounds = 200;
  const cl::Event none;  // is kept until it is cleared
  for (int time = 0; time < 20; ++time) {
    const matrix_cl<float> m(7, 5);
    at_once([&](int t) {
      for (int round = 0; round < rounds; ++round) {
        m.add_read_event(none);
        if ((round + t) % 50 == 0) {
          EXPECT_GT(m.read_write_events().size(), static_cast<std::size_t>(round));
        }
      }
    });
    EXPECT_EQ(m.read_events().size(), static_cast<std::size_t>(thread_count * rounds));
    EXPECT_EQ(m.write_events().size(), 0u);
  }
}

TEST(ThreadsThatShare, AMatrixMayAllWaitForItsEvents) {
  const host<float> values = random_host<float>(7, 5);
  const matrix_cl<float> m(values);
  cl::UserEvent done(opencl_context.context());
  done.setStatus(CL_COMPLETE);
  at_once([&](int t) {
    for (int round = 0; round < 100; ++round) {
      m.add_read_event(done);
      if (round % 8 == t) m.wait_for_read_write_events();
      if (round % 16 == t) {
        EXPECT_EQ(m.to_host(), values);
      }
      if (round % 32 == t) m.clear_read_write_events();
    }
    m.wait_for_read_events();
  });
  EXPECT_LE(m.read_events().size(), 1u);  // that of what the library does
}

TEST(ThreadsThatShare, AMatrixMayMakeVariablesOfItAndDifferentiateByIt) {
  const matrix_cl<float> a(random_host<float>(7, 5));
  std::atomic<int> differentiating = thread_count / 2;
  at_once([&](int t) {
    if (t % 2 == 0) {
      while (differentiating > 0) {
        const var_value<matrix_cl<float>> x(a);
        recover_memory();
      }
      return;
    }
    for (int round = 0; round < 200; ++round) EXPECT_NO_THROW(value_and_gradient(sum(a), wrt(a))) << round;
    --differentiating;
  });
}

TEST(ThreadsThatShare, AConstantCopyItOnce) {
  const host<float> values = random_host<float>(71, 33);
  const constant_matrix<float> c(values);
  const auto bytes = static_cast<std::uint64_t>(values.size()) * sizeof(float);
  for (const bool after_another_selection : {false, true}) {
    if (after_another_selection) runtime::select_anew();
    std::atomic<std::uint64_t> copied = 0;
    at_once([&](int) {
      const counters before = runtime_counters();
      const matrix_cl<float>& on_device = constant_matrix<float>(c).device();
      copied += (runtime_counters() - before).bytes_to_device;
      EXPECT_EQ(matrix_cl<float>(on_device + 0.0f).to_host(), values);
    });
    EXPECT_EQ(copied, bytes);
  }
}

TEST(ThreadsThatShare, AQueueAreToldOfTheirOwnFailures) {
  const matrix_cl<float> bad(std::vector<float>{1, 2, 2, 1}, 2, 2), good = cast<float>(identity_matrix(2));
  cholesky_decompose(good).eval();
  constexpr int count = 2 * runtime::thread_queue::count;
  std::barrier<> all_alive(count), all_enqueued(count);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      runtime::this_thread_queue();
      all_alive.arrive_and_wait();
      const matrix_cl<float> factor = cholesky_decompose(t % 3 == 0 ? bad : good);
      all_enqueued.arrive_and_wait();
      bool told = false;
      try {
        static_cast<void>(good.to_host());
      } catch (const std::domain_error&) {
        told = true;
      }
      if (told != (t % 3 == 0)) ++wrong;
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadsThatShare, FunctionsOfHostMatricesFindTheSame) {
  const host<float> a = random_host<float>(33, 33), b = random_host<float>(33, 17);
  const transfer_from always(0);
  const constant_matrix<float> shared(a);
  const host<float> alone = multiply(shared, b);
  at_once([&](int) {
    for (int round = 0; round < 10; ++round) {
      EXPECT_EQ(host<float>(multiply(shared, b)), alone);
    }
  });
  EXPECT_TRUE(alone.isApprox(a * b, 1e-5f));
}

/// What is on the device before goes when another thread selects: who is about to use it has it still.
TEST(ThreadsThatShare, AConstantKeepItWhileOneOfThemSelects) {
  const host<float> a = random_host<float>(33, 33), b = random_host<float>(33, 17);
  const transfer_from always(0);
  const constant_matrix<float> shared(a);
  const host<float> alone = multiply(shared, b);
  std::atomic<bool> done = false;
  std::atomic<int> good = 0;
  at_once([&](int t) {
    if (t == 0) {
      for (int round = 0; round < 40; ++round) {
        const int was = good;
        runtime::select_anew();
        for (int waited = 0; good == was && waited < 2000; ++waited)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      done = true;
      return;
    }
    while (!done) try {
        EXPECT_EQ(host<float>(multiply(shared, b)), alone);
        ++good;
      } catch (const error&) {  // the selection came between two steps of the statement
      }
  });
  EXPECT_GT(good, 0);
}

TEST(ThreadsThatShare, OptionsReadThemOnce) {
  for (int time = 0; time < 5; ++time) {
    runtime::select_anew();
    std::atomic<const tuning_options*> first = nullptr;
    at_once([&](int) {
      const tuning_options& options = opencl_context.tuning_opts();
      EXPECT_GT(options.cholesky_size_worth_transfer, 0);
      const tuning_options* none = nullptr;
      if (!first.compare_exchange_strong(none, &options)) {
        EXPECT_EQ(&options, none);
      }
    });
  }
}

}  // namespace
}  // namespace fusecl
