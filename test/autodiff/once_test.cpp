// Values that are kept from one evaluation to the next: what is launched when, and that what is read is what
// the operands hold now.

#include <cmath>
#include <thread>

#include <support/freezing.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff.hpp>
#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;
using host_matrix = Eigen::MatrixXf;

host_matrix ramp(std::int64_t rows, std::int64_t cols, float first = 1) {
  host_matrix m(rows, cols);
  for (std::int64_t k = 0; k < m.size(); ++k) m.data()[k] = first + 0.25f * static_cast<float>(k % 61);
  return m;
}

template <class F>
std::uint64_t launches_of(F statement) {
  const counters before = runtime_counters();
  statement();
  return (runtime_counters() - before).launches;
}

void expect_close(const host_matrix& found, const host_matrix& wanted) {
  ASSERT_EQ(found.rows(), wanted.rows());
  ASSERT_EQ(found.cols(), wanted.cols());
  if (found.size() == 0) return;
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 1e-5f * (1 + wanted.cwiseAbs().maxCoeff()));
}

TEST(Once, IsTheValueInEverySize) {
  for (const auto [rows, cols] :
       std::vector<size_pair>{{0, 0}, {0, 3}, {1, 1}, {1, 71}, {257, 1}, {71, 33}}) {
    const host_matrix a = ramp(rows, cols), b = ramp(rows, cols, -3);
    const matrix x(a), y(b);
    for (int round = 0; round < 2; ++round) {
      const matrix r = x + once(elt_multiply(y, y) - 1.0f);
      expect_close(r.to_host(), a.array() + b.array().square() - 1);
      const float total = sum(x) + once(sum(y));
      EXPECT_NEAR(total, a.sum() + b.sum(), 1e-4f * (1 + a.cwiseAbs().sum() + b.cwiseAbs().sum()));
    }
  }
}

TEST(Once, OfANumberStandsBesideMatrices) {
  const host_matrix a = ramp(7, 5), b = ramp(7, 5, -3);
  const matrix x(a), y(b);
  const float total = b.sum(), most = b.maxCoeff();
  for (int round = 0; round < 2; ++round) {
    expect_close(matrix(x * once(sum(y))).to_host(), a * total);
    expect_close(matrix(x + once(max(y)) * 2.0f).to_host(), a.array() + 2 * most);
    expect_close(matrix(once(sum(y)) + once(max(y))).to_host(), host_matrix::Constant(1, 1, total + most));
    expect_close(matrix(select(x > once(max(y)), x, once(sum(y)))).to_host(),
                 (a.array() > most).select(a, total));
    const auto [value, gradient] = value_and_gradient(sum(x * once(sum(y))), wrt(x));
    EXPECT_NEAR(value, a.sum() * total, 1e-4f * std::fabs(a.sum() * total));
    expect_close(std::get<0>(gradient).to_host(), host_matrix::Constant(7, 5, total));
    var_value<matrix> v(x);
    var_value<matrix> w = v * once(max(y));
    var all = sum(w);
    all.grad();
    expect_close(v.adj().to_host(), host_matrix::Constant(7, 5, most));
    recover_memory();
  }
}

TEST(Once, OfAnyNumberIsOne) {
  const host_matrix a = ramp(7, 5), b = ramp(7, 5, -3);
  const matrix x(a), y(b), v(ramp(4, 1)), w(ramp(4, 1, 2));
  const matrix_cl<int> counts(Eigen::Matrix<int, 3, 1>(1, 2, 1));
  matrix r, of_bool, at;
  const auto statement = [&] {
    results(r, of_bool, at) =
        expressions(x * once(sum(counts)), select(once(max(y) > 1.0f), x, y), x + v[once(max(counts))]);
  };
  statement();
  EXPECT_EQ(launches_of(statement), 1u);
  for (int round = 0; round < 2; ++round) {
    expect_close(r.to_host(), a * 4);
    expect_close(of_bool.to_host(), b.maxCoeff() > 1 ? a : b);
    expect_close(at.to_host(), a.array() + v.to_host()(2));
    const freezing nothing_is_built;
    statement();
  }
  const float product = once(transpose(v) * w), wanted = v.to_host().col(0).dot(w.to_host().col(0));
  EXPECT_NEAR(product, wanted, 1e-4f * wanted);
}

TEST(Once, WithinOnceHasDerivatives) {
  const host_matrix a = ramp(3, 2), b = ramp(3, 2, -2);
  const matrix x(a), y(b);
  const matrix_cl<int> places(Eigen::Matrix<int, 3, 1>(2, 0, 0));
  const auto by = [](const auto& e, const matrix& v) {
    return std::get<0>(value_and_gradient(e, wrt(v)).gradient).to_host();
  };
  expect_close(by(sum(elt_multiply(x, once(elt_multiply(y, once(square(x)))))), x),
               3 * a.array().square() * b.array());
  expect_close(by(sum(once(once(x) * 2.0f)), x), host_matrix::Constant(3, 2, 2));
  const matrix v(ramp(3, 1));
  const host_matrix e = v.to_host().array().exp();
  expect_close(by(sum(once(exp(v))[places]), v), (host_matrix(3, 1) << 2 * e(0), 0, e(2)).finished());
  var_value<matrix> on_tape(x);
  var total = sum(elt_multiply(once(once(on_tape)), y));
  total.grad();
  expect_close(on_tape.adj().to_host(), b);
  recover_memory();
  EXPECT_TRUE(check_gradient([&](const auto& z) { return sum(elt_multiply(y, once(sin(z)))); }, x).passed());
}

TEST(Once, CostsALaunchForNewContentsOnly) {
  const host_matrix a = ramp(71, 3);
  matrix x(a), y(a), r;
  const auto statement = [&] { r = x + once(sqrt(y)); };
  EXPECT_EQ(launches_of(statement), 2u);
  EXPECT_EQ(launches_of(statement), 1u);
  x = 2.0f * x;
  EXPECT_EQ(launches_of(statement), 1u);
  expect_close(r.to_host(), 2 * a.array() + a.array().sqrt());
  y = 4.0f * y;
  EXPECT_EQ(launches_of(statement), 2u);
  expect_close(r.to_host(), 2 * a.array() + 2 * a.array().sqrt());
  y = host_matrix(a.array() + 1);
  EXPECT_EQ(launches_of(statement), 2u);
  expect_close(r.to_host(), 2 * a.array() + (a.array() + 1).sqrt());
  EXPECT_EQ(launches_of(statement), 1u);
}

TEST(Once, IsFoundAgainInOtherStatements) {
  const matrix y(ramp(71, 3));
  matrix r, s;
  r = 1.0f + once(sqrt(y));
  EXPECT_EQ(launches_of([&] { s = 2.0f * once(sqrt(y)); }), 1u);
  expect_close(s.to_host(), 2 * ramp(71, 3).array().sqrt());
}

TEST(Once, IsAnotherValueForAnotherNumberAndAnotherMatrix) {
  const matrix y(ramp(71, 3)), z(ramp(71, 3, 7));
  matrix r;
  for (const float c : {3.0f, 5.0f, 3.0f}) {
    r = once(y * c + z);
    expect_close(r.to_host(), ramp(71, 3).array() * c + ramp(71, 3, 7).array());
  }
  r = once(z * 3.0f + y);
  expect_close(r.to_host(), ramp(71, 3, 7).array() * 3 + ramp(71, 3).array());
}

TEST(Once, OutlivesNoContents) {
  matrix r;
  for (const float first : {1.0f, 9.0f, 17.0f}) {
    const matrix y(ramp(71, 3, first));  // in the memory of the one before
    r = 1.0f + once(sqrt(y));
    expect_close(r.to_host(), 1 + ramp(71, 3, first).array().sqrt());
  }
  const auto made = [] {
    const matrix gone(ramp(71, 3, 4));
    return once(sqrt(gone));
  }();
  r = 1.0f + made;
  r = 2.0f + made;
  expect_close(r.to_host(), 2 + ramp(71, 3, 4).array().sqrt());
}

TEST(Once, ReadsWhatAUserWrites) {
  matrix y(ramp(71, 1)), r;
  r = 1.0f + once(sqrt(y));
  const host_matrix fresh = ramp(71, 1, 30);
  const cl::Buffer buffer = y.buffer();
  opencl_context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, 71 * sizeof(float), fresh.data());
  r = 1.0f + once(sqrt(y));
  expect_close(r.to_host(), 1 + fresh.array().sqrt());
  EXPECT_EQ(launches_of([&] { r = 1.0f + once(sqrt(y)); }), 1u);  // within the statement
}

TEST(Once, KeepsAView) {
  const host_matrix a = ramp(9, 9);
  matrix y(a);
  y.view(matrix_cl_view::Lower);
  matrix r;
  for (int round = 0; round < 2; ++round) {
    r = once(2.0f * y);
    EXPECT_EQ(r.view(), matrix_cl_view::Lower);
    r = 1.0f + once(2.0f * y);
    expect_close(r.to_host(), 1 + 2 * host_matrix(a.triangularView<Eigen::Lower>()).array());
  }
}

TEST(Once, BuildsNothingAfterFreeze) {
  matrix y(ramp(71, 3)), r;
  for (int round = 0; round < 2; ++round) r = 1.0f + once(cbrt(y));
  const freezing here;
  y = ramp(71, 3, 8);
  for (int round = 0; round < 2; ++round) r = 1.0f + once(cbrt(y));
  expect_close(r.to_host(), 1 + ramp(71, 3, 8).array().unaryExpr([](float v) { return std::cbrt(v); }));
}

TEST(Once, ServesThreads) {
  const matrix y(ramp(1001, 3));
  list_of<host_matrix> found(4);
  std::vector<std::thread> threads;
  for (host_matrix& own : found)
    threads.emplace_back([&y, &own] {
      for (int round = 0; round < 20; ++round) {
        const matrix r = 1.0f + once(exp2(y * -0.5f));
        own = r.to_host();
      }
    });
  for (std::thread& each : threads) each.join();
  for (const host_matrix& own : found)
    expect_close(own, 1 + (ramp(1001, 3).array() * -0.5f * std::log(2.0f)).exp());
}

TEST(Once, HasDerivativesByWhatItDependsOn) {
  const matrix x(ramp(71, 1)), y(ramp(71, 1, 5));
  const auto e = sum(elt_multiply(x, once(elt_multiply(y, y))));
  matrix by_x, by_y;
  value_and_gradient_into(e, wrt(x, y), by_x, by_y);
  expect_close(by_x.to_host(), ramp(71, 1, 5).array().square());
  expect_close(by_y.to_host(), 2 * ramp(71, 1).array() * ramp(71, 1, 5).array());
  std::uint64_t launches[3];
  for (std::uint64_t& each : launches) each = launches_of([&] { value_and_gradient_into(e, wrt(x), by_x); });
  EXPECT_GT(launches[0], launches[1]);
  EXPECT_EQ(launches[1], launches[2]);
  expect_close(by_x.to_host(), ramp(71, 1, 5).array().square());
}

TEST(Once, HasDerivativesOnTheTape) {
  const matrix y(ramp(71, 1, 5));
  for (int round = 0; round < 2; ++round) {
    const var_value<matrix> x{matrix(ramp(71, 1))};
    var_value<matrix> z = elt_multiply(x, once(elt_multiply(y, y)));
    var_value<matrix> w = elt_multiply(z, once(elt_multiply(x, x)));
    var total = sum(w);
    total.grad();
    expect_close(x.adj().to_host(), 3 * ramp(71, 1).array().square() * ramp(71, 1, 5).array().square());
    recover_memory();
  }
}

TEST(Once, CanBePrepared) {
  const matrix y(ramp(71, 3));
  matrix r;
  prepare([&] { r = 1.0f + once(y * 0.75f - sqrt(y)); });
  const freezing here;
  r = 1.0f + once(y * 0.75f - sqrt(y));
  expect_close(r.to_host(), 1 + 0.75f * ramp(71, 3).array() - ramp(71, 3).array().sqrt());
}

TEST(Once, KeepsNothingThatCouldNotBeComputed) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> s(Eigen::MatrixXd(-Eigen::MatrixXd::Identity(3, 3))),
      v(Eigen::MatrixXd(Eigen::MatrixXd::Ones(3, 1)));
  const auto log_determinant = once(log_determinant_spd(s));
  const auto squares = sum(square(once(cholesky_decompose(s)))) * sum(v);
  for (int k = 0; k < 3; ++k) {
    EXPECT_THROW(static_cast<void>(static_cast<double>(log_determinant)), std::domain_error) << k;
    EXPECT_THROW(value_and_gradient(squares, wrt(v)), std::domain_error) << k;
  }
  s = Eigen::MatrixXd(4 * Eigen::MatrixXd::Identity(3, 3));
  EXPECT_NEAR(static_cast<double>(log_determinant), 3 * std::log(4.0), 1e-14);
  EXPECT_NEAR(value_and_gradient(squares, wrt(v)).value, 36, 1e-13);
}

}  // namespace
}  // namespace fusecl
