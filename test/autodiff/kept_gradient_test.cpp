// Gradients of expressions that are kept while their operands are assigned, and statements on the tape, which
// keep what they were recorded with.

#include <atomic>
#include <thread>

#include <support/operands.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::ArrayXXd, Eigen::MatrixXd;
using matrix = matrix_cl<double>;

class KeptGradient : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
  static matrix random(std::int64_t rows = 9, std::int64_t cols = 5) {
    return random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
  }
};

void expect_near(const MatrixXd& got, const MatrixXd& wanted) {
  ASSERT_EQ(got.rows(), wanted.rows());
  ASSERT_EQ(got.cols(), wanted.cols());
  if (got.size() > 0) {
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-12 * (1 + wanted.cwiseAbs().maxCoeff()));
  }
}

TEST_F(KeptGradient, IsThatOfWhatTheVariableHoldsThen) {
  matrix a = random();
  const auto e = sum(exp(a) + square(a));
  const auto check = [&] {
    const auto [value, gradient] = value_and_gradient(e, wrt(a));
    const ArrayXXd h = a.to_host().array();
    EXPECT_NEAR(value, (h.exp() + h.square()).sum(), 1e-10);
    expect_near(std::get<0>(gradient).to_host(), h.exp() + 2 * h);
  };
  check();
  a = a * 0.5;  // in place
  check();
  a = random();  // moved
  check();
  matrix other = random();
  a = other;
  check();
  a = random(4, 3);
  check();
  std::swap(a, other);
  check();
  a.view(matrix_cl_view::Entire);
  a = matrix();
  check();
}

TEST_F(KeptGradient, OfAMovedVariableIsByTheMatrixThatHoldsItsContents) {
  matrix a = random();
  const MatrixXd values = a.to_host();
  const auto e = sum(exp(a) + square(a));
  const auto check = [&](const matrix& by, const MatrixXd& h) {
    const auto [value, gradient] = value_and_gradient(e, wrt(by));
    EXPECT_NEAR(value, (h.array().exp() + h.array().square()).sum(), 1e-10);
    expect_near(std::get<0>(gradient).to_host(), h.array().exp() + 2 * h.array());
  };
  matrix b = std::move(a);
  check(b, values);
  EXPECT_THROW(value_and_gradient(e, wrt(a)), std::invalid_argument);  // NOLINT: nothing is in it
  const auto zeros = value_and_gradient(e, wrt(optional(a), b));
  EXPECT_EQ(std::get<0>(zeros.gradient).size(), 0);
  expect_near(std::get<1>(zeros.gradient).to_host(), values.array().exp() + 2 * values.array());
  const auto of_nothing = sum(a * 2.0);
  EXPECT_EQ(std::get<0>(value_and_gradient(of_nothing, wrt(a)).gradient).size(), 0);
  EXPECT_THROW(value_and_gradient(of_nothing, wrt(b)), std::invalid_argument);
  matrix d = std::move(b);
  b = random(4, 3);
  check(d, values);
  EXPECT_THROW(value_and_gradient(e, wrt(b)), std::invalid_argument);
  value_and_gradient_into(e, wrt(d), a);  // into the old name, which e reads then
  expect_near(a.to_host(), values.array().exp() + 2 * values.array());
  check(a, a.to_host());
  EXPECT_THROW(value_and_gradient(e, wrt(d)), std::invalid_argument);
}

TEST_F(KeptGradient, OnATapeIsNotChangedByMoves) {
  matrix data = random();
  const MatrixXd values = data.to_host();
  const var_value<matrix> x{random()};
  var lp = sum(elt_multiply(x, data));
  matrix moved = std::move(data);
  moved = moved * 2.0;
  data = random(4, 3);
  lp.grad();
  expect_near(x.adj().to_host(), values);
  expect_near(moved.to_host(), 2 * values);
}

TEST_F(KeptGradient, ChecksSizesAgain) {
  matrix a = random(), b = random();
  const auto e = sum(elt_multiply(a, b));
  value_and_gradient(e, wrt(a));
  a = random(4, 3);
  EXPECT_THROW(value_and_gradient(e, wrt(a)), std::invalid_argument);
  EXPECT_THROW(gradient_kernel_source(e, wrt(a)), std::invalid_argument);
  b = random(4, 3);
  expect_near(std::get<0>(value_and_gradient(e, wrt(a)).gradient).to_host(), b.to_host());
}

TEST_F(KeptGradient, SeesTheViewThatTheVariableHas) {
  matrix a = random(5, 5);
  const auto e = sum(exp(a)) + sum(square(a));
  a.view(matrix_cl_view::Lower);
  const auto r = value_and_gradient(e, wrt(a));
  const ArrayXXd h = a.to_host().array();
  EXPECT_NEAR(r.value, h.exp().sum() + h.square().sum(), 1e-10);
  const MatrixXd wanted = h.exp() + 2 * h;
  expect_near(std::get<0>(r.gradient).to_host(), wanted.triangularView<Eigen::Lower>());
}

TEST_F(KeptGradient, GivesAParameterTheValueItHasThen) {
  const matrix a = random();
  const double total = a.to_host().sum();
  const auto make = [&](parameter<double>& p) { return sum(a * p) * p; };
  parameter<double> p(2.0);
  const auto e = make(p);
  for (const double x : {2.0, 3.0, 0.0, 1.0}) {
    p = x;
    EXPECT_NEAR(static_cast<double>(e), x * x * total, 1e-10);
    const auto r = value_and_gradient(e, wrt(p));
    EXPECT_NEAR(std::get<0>(r.gradient).to_host()(0, 0), 2 * x * total, 1e-10);
    const auto twice = hessian_times_vector(e, wrt(p), 1.0);
    EXPECT_NEAR(std::get<0>(twice.product).to_host()(0, 0), 2 * total, 1e-10);
  }
}

TEST_F(KeptGradient, OutlivesItsParameter) {
  const matrix a = random();
  const auto make = [&] {
    parameter<double> p(2.0);
    auto e = sum(a * p);
    p = 5.0;
    return e;
  };
  EXPECT_NEAR(static_cast<double>(make()), 5 * a.to_host().sum(), 1e-10);
}

TEST_F(KeptGradient, OfARecordedStatementIsOfWhatItWasRecordedWith) {
  const MatrixXd h = random().to_host(), d = random().to_host();
  const auto run = [&](auto change) {
    matrix data(d);
    var_value<matrix> x{matrix(h)};
    parameter<double> p(2.0);
    var_value<matrix> y = elt_multiply(exp(x), data) * p;
    change(data, p);
    var lp = sum(elt_multiply(y, y));
    lp.grad();
    const ArrayXXd value = 2 * h.array().exp() * d.array();
    expect_near(x.adj().to_host(), 2 * value * value);
    recover_memory();
  };
  run([](matrix&, parameter<double>&) {});
  run([](matrix& data, parameter<double>& p) {
    data = data * 3.0;
    p = 7.0;
  });
  run([](matrix& data, parameter<double>&) { data = random(4, 3); });
  run([](matrix& data, parameter<double>&) { data.view(matrix_cl_view::Lower); });
  run([](matrix& data, parameter<double>&) { const matrix gone = std::move(data); });
  run([](matrix& data, parameter<double>&) { row(data, 1) = rep_matrix(0.0, 1, 5); });
  run([](matrix& data, parameter<double>&) { data = matrix(); });
}

TEST_F(KeptGradient, NumbersOfATapeMayBeReadByManyThreads) {
  for (int round = 0; round < 20; ++round) {
    const matrix a = random();
    var c = 0.5;
    var_value<matrix> x{matrix(a)};
    var_value<matrix> y = x * c;  // leaves the adjoint of c on the device
    var total = sum(y);
    total.grad();
    std::vector<double> values(4), adjoints(4);
    std::atomic<int> waiting{4};
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < 4; ++k)
      threads.emplace_back([&, k] {
        runtime::this_thread_queue();
        for (--waiting; waiting > 0;) {
        }
        adjoints[k] = c.adj();
        values[k] = total.val();
      });
    for (std::thread& each : threads) each.join();
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(adjoints[k], adjoints[0]);
      EXPECT_NEAR(adjoints[k], a.to_host().sum(), 1e-10);
      EXPECT_NEAR(values[k], 0.5 * a.to_host().sum(), 1e-10);
    }
    recover_memory();
  }
}

const char* const twice_text =
    "kernel void twice(global const double* a, global double* b, int n) {\n"
    "  const int i = get_global_id(0);\n  if (i < n) b[i] = 2 * a[i];\n}\n";

TEST_F(KeptGradient, AKernelOverAMatrixThatATapeNeedsReadsAndKeepsItsContents) {
  const kernel_cl<in_buffer, out_buffer, int> twice("twice", twice_text);
  for (const bool recorded : {false, true}) {
    const MatrixXd h = random().to_host();
    const auto with = [&](auto use) {
      matrix a(h);
      var_value<matrix> x{random()};
      var_value<matrix> y;
      if (recorded) y = elt_multiply(x, a);
      use(a);
      if (recorded) {
        var lp = sum(y);
        lp.grad();
        expect_near(x.adj().to_host(), h);
      }
      recover_memory();
    };
    with([&](matrix& a) {
      twice(cl::NDRange(45), a, a, 45);
      expect_near(a.to_host(), 2 * h);
    });
    with([&](matrix& a) {
      twice(cl::NDRange(45), a, a, 3);  // writes a part
      MatrixXd wanted = h;
      wanted.topLeftCorner(3, 1) *= 2;
      expect_near(a.to_host(), wanted);
    });
    with([&](matrix& a) {
      const kernel_cl<out_buffer> broken("broken", "kernel void broken(global double* a) { a[0] = x; }\n");
      EXPECT_THROW(broken(cl::NDRange(1), a), build_error);
      expect_near(a.to_host(), h);
    });
    with([&](matrix& a) {
      twice(cl::NDRange(0), a, a, 45);  // nothing to do
      expect_near(a.to_host(), h);
    });
  }
}

}  // namespace
}  // namespace fusecl
