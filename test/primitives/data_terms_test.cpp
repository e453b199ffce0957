// Terms of data alone: of many elements their sum is computed once for what the data hold.

#include <support/compare.hpp>
#include <support/spent_by.hpp>

#include <fusion/autodiff.hpp>
#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;

struct DataTerms : ::testing::Test {
  static constexpr std::int64_t half = std::int64_t{1} << 17, many = 2 * half;
  // 0 to 8, in some order
  matrix_cl<int> counts = cast<int>(row_index(many, 1) * 37 % 9);
  const matrix_cl<int> trials = cast<int>(row_index(many, 1) % 5 + 8);
  const matrix_cl<double> x = sin(cast<double>(row_index(many, 2) + 3 * col_index(many, 2)));

  /// What the function says of all elements against what it says of both halves, which are too few to keep.
  template <class F>
  void expect_sum_of_halves(F f) const {
    const double of_halves = f(head(counts, half), head(trials, half), block_zero_based(x, 0, 0, half, 2)) +
                             f(tail(counts, half), tail(trials, half), block_zero_based(x, half, 0, half, 2));
    const double first = f(counts, trials, x), again = f(counts, trials, x);
    EXPECT_NEAR(first, of_halves, 1e-12 * std::fabs(of_halves));
    EXPECT_EQ(first, again);
  }
  void expect_all_are_sums_of_halves() const {
    const auto beta = [] {
      return var_value<matrix_cl<double>>(matrix_cl<double>(host<double>::Constant(2, 1, 0.25)));
    };
    expect_sum_of_halves([](auto&& n, auto&&, auto&&) { return poisson_lpmf(n, var(2.5)).val(); });
    expect_sum_of_halves([](auto&& n, auto&&, auto&&) { return poisson_lpmf(n, 2.5); });
    expect_sum_of_halves(
        [](auto&& n, auto&& N, auto&&) { return binomial_logit_lpmf(n, N, var(0.5)).val(); });
    expect_sum_of_halves(
        [](auto&& n, auto&&, auto&&) { return neg_binomial_2_lpmf(n, var(2.5), var(3.5)).val(); });
    expect_sum_of_halves(
        [&](auto&& n, auto&&, auto&& of) { return poisson_log_glm_lpmf(n, of, var(0.1), beta()).val(); });
    expect_sum_of_halves([&](auto&& n, auto&& N, auto&& of) {
      return binomial_logit_glm_lpmf(n, N, of, var(0.1), beta()).val();
    });
    // a count for all, of which the term is a number, though other arguments are containers
    expect_sum_of_halves([](auto&&, auto&&, auto&& of) {
      return neg_binomial_2_lpmf(3, var(4.0), exp(block_zero_based(of, 0, 0, of.rows(), 1))).val();
    });
    recover_memory();
  }
};

TEST_F(DataTerms, AreThoseOfTheDataAsTheyAre) {
  FUSECL_NEEDS_DOUBLE;
  expect_all_are_sums_of_halves();
  counts = cast<int>(row_index(many, 1) * 41 % 7);
  expect_all_are_sums_of_halves();
  block_zero_based(counts, 5, 0, 100, 1) = constant(8, 100, 1);
  expect_all_are_sums_of_halves();
}

TEST_F(DataTerms, AreNotComputedAgain) {
  FUSECL_NEEDS_DOUBLE;
  const auto regression = [&] {
    var lp = poisson_log_glm_lpmf(counts, x, var(0.1), 0.25);
    lp.grad();
    recover_memory();
  };
  const auto without = [&] {
    var lp = poisson_log_glm_lpmf<true>(counts, x, var(0.1), 0.25);
    lp.grad();
    recover_memory();
  };
  const counters warm = spent_by(regression), least = spent_by(without);
  EXPECT_EQ(warm.launches, least.launches);
  EXPECT_EQ(warm.host_waits, least.host_waits);
  EXPECT_EQ(warm.buffers_created, 0u);
  counts = counts + 1;
  const counters before = runtime_counters();
  regression();
  EXPECT_EQ((runtime_counters() - before).launches, least.launches + 1);
}

/// The data may be taken back by their owner, who tells nobody what he writes: then nothing is kept.
TEST_F(DataTerms, OfBuffersThatOthersWriteAreComputedEachTime) {
  FUSECL_NEEDS_DOUBLE;
  const cl::Buffer memory = counts.buffer();
  const double first = poisson_lpmf(counts, 2.5);
  const std::vector<int> ones(static_cast<std::size_t>(many), 1);
  opencl_context.queue().enqueueWriteBuffer(memory, CL_TRUE, 0, sizeof(int) * ones.size(), ones.data());
  const double n = static_cast<double>(many);
  EXPECT_NEAR(poisson_lpmf(counts, 2.5), n * (std::log(2.5) - 2.5), 1e-9 * n);
  EXPECT_NE(first, poisson_lpmf(counts, 2.5));
}

}  // namespace
}  // namespace fusecl
