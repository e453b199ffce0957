// Host threads that evaluate at once: shared read-only operands, the same first expression, matrices handed
// from thread to thread, a tape for each, and bounded memory.

#include <atomic>
#include <barrier>
#include <thread>

#include <support/at_once.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

class Threads : public ::testing::Test {
 protected:
  matrix a = random_matrix<float>(711, 33, matrix_cl_view::Entire, 1, 2);
  matrix b = random_matrix<float>(711, 33, matrix_cl_view::Entire, 1, 2);
};

TEST_F(Threads, GiveBitwiseTheResultsOfOneThread) {
  const auto work = [&] {
    matrix r, s, t;
    results(r, s, t) =
        expressions(exp(a) * 2.0f + elt_divide(b, a), rowwise_sum(elt_multiply(a, b)), sum(a - b));
    matrix chained = r - rowwise_broadcast(s) + sum(t);
    chained += colwise_broadcast(colwise_max(r));
    return from_matrix_cl(chained);
  };
  const host<float> alone = work();
  std::vector<host<float>> together(thread_count);
  at_once([&](int t) {
    for (int round = 0; round < 20; ++round) together[static_cast<std::size_t>(t)] = work();
  });
  for (const auto& each : together) EXPECT_EQ(each, alone);
}

TEST_F(Threads, BuildTheSameFirstExpressionOnce) {
  std::vector<host<float>> found(thread_count);
  std::atomic<std::uint64_t> built = 0;
  at_once([&](int t) {
    const counters before = runtime_counters();
    // an expression that nothing else in this program evaluates
    found[static_cast<std::size_t>(t)] = from_matrix_cl<host<float>>(atan(a * 0.375f) - cbrt(b + a) * 1.25f);
    const counters spent = runtime_counters() - before;
    built += spent.programs_built + spent.programs_loaded;
  });
  EXPECT_EQ(built, 1u);
  for (const auto& each : found) EXPECT_EQ(each, found[0]);
}

TEST_F(Threads, BuildDifferentExpressionsSideBySide) {
  at_once([&](int t) {
    const auto work = [&](auto op) { EXPECT_GT(static_cast<float>(sum(op)), 0.0f); };
    switch (t) {
      case 0:
        return work(exp2(a) + 1.5f);
      case 1:
        return work(log1p(a) + 1.5f);
      case 2:
        return work(sinh(a) + 1.5f);
      case 3:
        return work(tanh(a) + 1.5f);
      case 4:
        return work(rowwise_sum(sqrt(a)));
      case 5:
        return work(colwise_sum(sqrt(a)));
      case 6:
        return work(a / sum(b));
      default:
        return work(a - rowwise_broadcast(rowwise_min(b)) + 1.5f);
    }
  });
}

TEST_F(Threads, LaunchTheSameKernelOnGrowingGrids) {
  at_once([&](int t) {
    for (int round = 0; round < 60; ++round) {
      const int rows = 1 + (round * round + 7 * t) % 3000, cols = 1 + (round + t) % 40;
      const matrix grown = rep_matrix(1.0f, rows, cols) * 2.0f + 0.25f;
      ASSERT_EQ(static_cast<float>(sum(grown)), 2.25f * static_cast<float>(rows * cols));
    }
  });
}

TEST_F(Threads, HandMatricesOn) {
  matrix ball(rep_matrix(0.0f, 1500, 1000));  // large enough to be still in work when the next thread has it
  std::barrier turn(thread_count);
  constexpr int rounds = 100;
  at_once([&](int t) {
    for (int round = 0; round < rounds; ++round) {
      if (round % thread_count == t) ball = ball + 1.0f;
      turn.arrive_and_wait();
    }
  });
  EXPECT_EQ(from_matrix_cl(ball), host<float>::Constant(1500, 1000, rounds));
}

TEST_F(Threads, ReadWhatOthersJustWrote) {
  std::vector<matrix> chain(thread_count + 1);
  chain[0] = rep_matrix(1.0f, 1500, 1000);
  std::vector<std::atomic<bool>> ready(thread_count + 1);
  ready[0] = true;
  at_once([&](int t) {
    const auto k = static_cast<std::size_t>(t);
    matrix(chain[0] + 1.0f);  // built before it is needed: the next one comes while this kernel still runs
    ready[k].wait(false);
    chain[k + 1] = chain[k] + 1.0f;
    ready[k + 1] = true;
    ready[k + 1].notify_all();
  });
  EXPECT_EQ(from_matrix_cl(chain.back()), host<float>::Constant(1500, 1000, 1.0f + thread_count));
}

TEST_F(Threads, TemporariesOfOneAreNotMixedWithThoseOfAnother) {
  at_once([&](int t) {
    const auto shift = static_cast<float>(t);
    for (int round = 0; round < 50; ++round) {
      const matrix mine = a + shift;
      const matrix normed = mine - rowwise_broadcast(rowwise_sum(mine) / 33.0f);
      const float left = max_2d(fabs(rowwise_sum(normed)));
      ASSERT_LE(left, 1e-3f) << "thread " << t << " round " << round;  // 33 roundings at 10
    }
  });
}

TEST_F(Threads, ReadOnlyMatricesCostNoMemory) {
  const auto work = [&](int rounds) {
    matrix r;
    for (int k = 0; k < rounds; ++k) r = a + b;
    return static_cast<float>(sum(r));
  };
  at_once([&](int) { work(50); });
  const pool_counts before = pool_statistics();
  at_once([&](int) { work(2000); });
  const pool_counts after = pool_statistics();
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_LE(after.buffers_created - before.buffers_created, 4u * thread_count);  // not one per evaluation
}

/// Gradients of a few statements on the calling thread's tape: matrix, reduction and number, one after
/// another.
std::vector<host<double>> gradients_of(const matrix_cl<double>& shared, const host<double>& own) {
  using matrix_var = var_value<matrix_cl<double>>;
  const matrix_var x{matrix_cl<double>(own)};
  const var c = 0.25;
  const matrix_var y = exp(c * x) + shared;
  const matrix_var z = elt_multiply(y, y) - rowwise_broadcast(rowwise_sum(x));
  var lp = sum(elt_multiply(z, shared)) + 0.5 * sum(y);
  lp.grad();
  std::vector<host<double>> found = {x.adj().to_host(), y.adj().to_host(),
                                     host<double>::Constant(1, 1, lp.val()),
                                     host<double>::Constant(1, 1, c.adj())};
  recover_memory();
  return found;
}

TEST_F(Threads, WithATapeEachGiveBitwiseTheGradientsOfOne) {
  FUSECL_NEEDS_DOUBLE;
  const auto shared = random_matrix<double>(711, 33, matrix_cl_view::Entire, -1, 1);
  const auto own = random_host<double>(711, 33, -1, 1);
  const auto alone = gradients_of(shared, own);
  std::vector<std::vector<host<double>>> together(thread_count);
  at_once([&](int t) {
    for (int round = 0; round < 20; ++round) {
      auto& mine = together[static_cast<std::size_t>(t)];
      auto found = gradients_of(shared, own);
      if (round > 0) {
        ASSERT_EQ(found, mine) << "thread " << t << " round " << round;
      }
      mine = std::move(found);
    }
  });
  for (const auto& each : together) EXPECT_EQ(each, alone);
}

/// The two threads fetch the same numbers: what is wrong here the tsan preset tells.
TEST_F(Threads, ReadTheValueOfAStatementWhileItsGradientIsTaken) {
  FUSECL_NEEDS_DOUBLE;
  const auto data = random_matrix<double>(71, 33);
  const double sum_of_data = from_matrix_cl(data).sum();
  for (int round = 0; round < 20; ++round) {
    const var c = 0.25;
    const var lp = sum(data * c);
    double seen = 0;
    std::barrier<> start(2);
    std::thread other([&] {
      start.arrive_and_wait();
      seen = lp.val();
    });
    start.arrive_and_wait();
    lp.grad();
    other.join();
    EXPECT_DOUBLE_EQ(seen, lp.val());
    EXPECT_NEAR(c.adj(), sum_of_data, 1e-9);
    recover_memory();
  }
}

TEST_F(Threads, ThatEndLeaveUsableMatrices) {
  matrix made;
  std::thread([&] { made = exp(a) + b; }).join();
  expect_matches(made, expected(exp(a) + b));
}

TEST_F(Threads, ErrorsStayInTheirThread) {
  const matrix narrow = random_matrix<float>(711, 2);
  std::atomic<int> refused = 0;
  at_once([&](int t) {
    for (int round = 0; round < 50; ++round) {
      if (t % 2 == 0) {
        matrix r = a + b;
        ASSERT_EQ(r.cols(), 33);
      } else {
        try {
          matrix r = a + narrow;
        } catch (const std::invalid_argument&) {
          ++refused;
        }
      }
    }
  });
  EXPECT_EQ(refused, 50 * thread_count / 2);
}

}  // namespace
}  // namespace fusecl
