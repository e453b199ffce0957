// The most device memory in use while gradients are computed: operands, adjoints and one matrix for each
// statement that leaves something to others, nothing else of that size.

#include <support/operands.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix_var = var_value<matrix_cl<double>>;

constexpr std::int64_t rows = 1000, cols = 300;
const std::uint64_t one_matrix = runtime::block_capacity(rows * cols * sizeof(double));

/// Matrices' worth of memory that `run` had in use at most, beyond what there was before. Numbers, vectors
/// and what groups leave for the end of a reduction are small beside them.
template <class Run>
double peak_matrices(Run run) {
  run();  // builds the kernels
  trim();
  reset_pool_peak();
  const std::uint64_t before = pool_statistics().bytes_in_use;
  EXPECT_EQ(pool_statistics().peak_bytes_in_use, before);
  run();
  const double peak =
      static_cast<double>(pool_statistics().peak_bytes_in_use - before) / static_cast<double>(one_matrix);
  trim();
  EXPECT_EQ(pool_statistics().bytes_in_use, before);
  return peak;
}

/// At most this many matrices, and a twentieth of one for what is small.
void expect_at_most(const char* what, double peak, int matrices) {
  std::cout << "[   peak   ] " << what << ": " << peak << " matrices beyond the operands\n";
  EXPECT_LE(peak, matrices + 0.05) << what;
}

class PeakMemory : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

TEST_F(PeakMemory, ValueAndGradientIsTheAdjoint) {
  const auto y = random_matrix<double>(rows, cols), a = random_matrix<double>(rows, cols);
  parameter<double> b(0.25);
  const double peak = peak_matrices([&] {
    const auto eta = a + b;
    const auto found = value_and_gradient(sum(elt_multiply(y, eta) - exp(eta)), wrt(a, b));
    EXPECT_TRUE(std::isfinite(found.value));
  });
  expect_at_most("value_and_gradient", peak, 1);
}

TEST_F(PeakMemory, AChainIsItsValuesAndAdjoints) {
  const auto a = random_matrix<double>(rows, cols), b = random_matrix<double>(rows, cols);
  const double peak = peak_matrices([&] {
    const matrix_var x{matrix_cl<double>(a)};
    const matrix_var y1 = elt_multiply(x, b), y2 = exp(0.1 * y1), y3 = y2 + x, y4 = elt_multiply(y3, y3),
                     y5 = tanh(y4), y6 = y5 - y1, y7 = 0.5 * y6, y8 = elt_multiply(y7, b), y9 = sin(y8),
                     y10 = y9 + y2;
    const var lp = sum(y10);
    lp.grad();
    recover_memory();
  });
  // the copy of a and ten results, then eleven adjoints
  expect_at_most("a chain of ten statements", peak, 11 + 11);
}

TEST_F(PeakMemory, StatementsWithReductionsInside) {
  const auto a = random_matrix<double>(rows, cols), data = random_matrix<double>(rows, cols);
  const double peak = peak_matrices([&] {
    const matrix_var x{matrix_cl<double>(a)};
    const var c = 0.25;
    const matrix_var y = exp(c * x) + data;
    const matrix_var z = elt_multiply(y, y) - rowwise_broadcast(rowwise_sum(x));
    const var lp = sum(elt_multiply(z, data)) + sum(y);
    lp.grad();
    recover_memory();
  });
  // the copy of a and two results, then three adjoints; and what lp gives to y, which another gradient needs
  expect_at_most("statements with reductions inside", peak, 3 + 3 + 1);
}

}  // namespace
}  // namespace fusecl
