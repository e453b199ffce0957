// Evaluations with gradients, many thousands in one process: the memory of process and pool, the buffers
// asked for, the events and the tape are the same after a tenth, after half and at the end.
// FUSECL_EVALUATIONS sets how many.

#include <fstream>
#include <sstream>

#include <support/operands.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix_var = var_value<matrix_cl<double>>;

/// Resident memory of the process in bytes.
std::int64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmRSS:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

/// What must not grow, once the device is idle.
struct footprint {
  std::int64_t resident;
  pool_counts pool;
  std::uint64_t live_events, host_waits;
  std::size_t tape;

  footprint() {
    runtime::this_thread_queue().finish();
    resident = resident_bytes();
    pool = pool_statistics();
    const counters all = runtime_counters();
    live_events = all.events_created - all.events_released;
    host_waits = all.host_waits;
    tape = detail::this_thread_tape().size();
  }
};

void expect_no_more(const footprint& later, const footprint& first) {
  // the allocator of the host and the driver may round up
  EXPECT_LE(later.resident, first.resident + (1 << 20));
  EXPECT_EQ(later.pool.bytes_in_use, first.pool.bytes_in_use);
  EXPECT_EQ(later.pool.blocks_in_use, first.pool.blocks_in_use);
  EXPECT_EQ(later.pool.bytes_free, first.pool.bytes_free);
  EXPECT_EQ(later.pool.blocks_free, first.pool.blocks_free);
  EXPECT_EQ(later.pool.buffers_created, first.pool.buffers_created);
  EXPECT_EQ(later.pool.peak_bytes_in_use, first.pool.peak_bytes_in_use);
  EXPECT_LE(later.live_events, 2u);
  EXPECT_EQ(later.tape, first.tape);
}

std::int64_t evaluations() {
  const char* given = std::getenv("FUSECL_EVALUATIONS");
  return given != nullptr ? std::strtoll(given, nullptr, 10) : 20000;
}

class FlatMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    FUSECL_NEEDS_DOUBLE;
    a_ = random_matrix<double>(17, 3, matrix_cl_view::Entire, -1, 1);
    b_ = random_matrix<double>(17, 3, matrix_cl_view::Entire, -1, 1);
  }
  void TearDown() override { recover_memory(); }

  /// Calls `once` for each evaluation and compares what is in use on the way.
  template <class Once>
  void run(std::int64_t count, Once once) {
    for (std::int64_t k = 0; k < count / 10; ++k) once(k);
    const footprint tenth;
    for (std::int64_t k = count / 10; k < count / 2; ++k) once(k);
    const footprint half;
    for (std::int64_t k = count / 2; k < count; ++k) once(k);
    const footprint whole;
    std::cout << "[  memory  ] " << count << " evaluations: resident KiB " << tenth.resident / 1024 << ", "
              << half.resident / 1024 << ", " << whole.resident / 1024 << "; pool bytes "
              << tenth.pool.bytes_in_use << " in use, " << tenth.pool.bytes_free << " free; buffers created "
              << whole.pool.buffers_created << "; live events " << whole.live_events << "; waits each "
              << static_cast<double>(whole.host_waits - tenth.host_waits) /
                     static_cast<double>(count - count / 10)
              << "\n";
    expect_no_more(half, tenth);
    expect_no_more(whole, tenth);
  }

  /// A matrix statement, a reduction and arithmetic of numbers, so that every kind of entry is recorded.
  var density(const matrix_var& x, const var& c) {
    matrix_var y = elt_multiply(x, b_) + c;
    var quadratic = sum(elt_multiply(y, x));
    return quadratic + sum(exp(c * y)) * 0.5 - c;
  }

  matrix_cl<double> a_, b_;
};

TEST_F(FlatMemory, RecoveredTape) {
  const Eigen::MatrixXd host = a_.to_host();
  double first = 0;
  run(evaluations(), [&](std::int64_t k) {
    const matrix_var x{matrix_cl<double>(host)};
    const var c = 0.3;
    var lp = density(x, c);
    lp.grad();
    const double found = lp.val() + c.adj() + x.adj().to_host().sum();
    if (k == 0) first = found;
    ASSERT_EQ(found, first);
    recover_memory();
  });
}

TEST_F(FlatMemory, RepeatedGradientsOfOneTape) {
  const matrix_var x{matrix_cl<double>(a_)};
  const var c = 0.3;
  var lp = density(x, c);
  double first = 0;
  run(evaluations(), [&](std::int64_t k) {
    set_zero_all_adjoints();
    lp.grad();
    const double found = c.adj() + x.adj().to_host().sum();
    if (k == 0) first = found;
    ASSERT_EQ(found, first);
  });
}

TEST_F(FlatMemory, NestedTapes) {  // three tapes' work in each: fewer of them
  const matrix_var outer{matrix_cl<double>(a_)};
  const matrix_var squared = elt_multiply(outer, outer);
  run(evaluations() / 5, [&](std::int64_t) {
    const nested_rev_autodiff nested;
    const matrix_var x{matrix_cl<double>(a_)};
    const var c = 0.3;
    var lp = density(x, c);
    lp.grad();
    {
      const nested_rev_autodiff inner;
      const matrix_var u{matrix_cl<double>(b_)};
      var total = sum(square(u));
      total.grad();
      ASSERT_TRUE(std::isfinite(total.val()));
    }
    ASSERT_TRUE(std::isfinite(lp.val() + c.adj()));
  });
  var total = sum(squared);
  total.grad();
  EXPECT_EQ(outer.adj().to_host(), 2 * a_.to_host());
}

TEST_F(FlatMemory, WithoutATape) {
  parameter<double> c(0.3);
  matrix_cl<double> da, dc;
  run(evaluations(), [&](std::int64_t) {
    const double value =
        value_and_gradient_into(sum(elt_multiply(b_, a_ + c) - exp(a_ + c)), wrt(a_, c), da, dc);
    ASSERT_TRUE(std::isfinite(value));
  });
}

TEST_F(FlatMemory, MovesUnderKeptExpressions) {
  const auto e = a_ + 1.0, f = b_ + 2.0;
  matrix_cl<double> c(2, 2);
  const auto g = c + 3.0;
  const double of_a = sum(a_), of_b = sum(b_);
  run(evaluations() * 10, [&](std::int64_t) {
    std::swap(a_, b_);
    std::swap(b_, c);
    matrix_cl<double> d = std::move(c), last;
    last = std::move(d);
    c = std::move(last);
    std::swap(b_, c);
    std::swap(a_, b_);
  });
  EXPECT_NEAR(static_cast<double>(sum(e)), of_a + 51, 1e-9);
  EXPECT_NEAR(static_cast<double>(sum(f)), of_b + 102, 1e-9);
  EXPECT_EQ(g.rows(), 2);
}

}  // namespace
}  // namespace fusecl
