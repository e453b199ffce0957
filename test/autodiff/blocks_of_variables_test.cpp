// Statements on the tape that read blocks and elements of large variables: derivatives are of these alone,
// whatever else a statement reads and however blocks overlap.

#include <support/operands.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>
#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::MatrixXd;
using matrix_var = var_value<matrix_cl<double>>;

class BlocksOfVariables : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

void expect_near(const MatrixXd& got, const MatrixXd& wanted, double tolerance = 1e-12) {
  ASSERT_EQ(got.rows(), wanted.rows());
  ASSERT_EQ(got.cols(), wanted.cols());
  EXPECT_LE((got - wanted).array().abs().maxCoeff(), tolerance * (1 + wanted.array().abs().maxCoeff()));
}

/// The tape and one statement agree on the derivative of `f`, a scalar expression of its argument.
template <class F>
void expect_one_derivative(std::int64_t rows, std::int64_t cols, F f) {
  const auto m = random_matrix<double>(rows, cols);
  const auto wanted = value_and_gradient(f(m), wrt(m));
  for (int round = 0; round < 2; ++round) {
    matrix_var v(m);
    var lp = f(v);
    lp.grad();
    EXPECT_NEAR(lp.val(), wanted.value, 1e-11 * (1 + std::abs(wanted.value)));
    expect_near(v.adj().to_host(), std::get<0>(wanted.gradient).to_host());
    recover_memory();
  }
}

TEST_F(BlocksOfVariables, DerivativesAreThoseOfOneStatement) {
  for (const auto& [rows, cols] : {std::pair{3000, 1}, {1, 3000}, {1025, 1}, {1023, 1}, {40000, 1}}) {
    expect_one_derivative(rows, cols, [](const auto& v) { return sum(square(segment(v, 3, 20))); });
    expect_one_derivative(rows, cols, [](const auto& v) { return exp(v[0]) * 2.0; });
    expect_one_derivative(rows, cols, [](const auto& v) { return exp(v[5] * 0.5) + v[6] * v[5]; });
    // overlapping, equal, of no element, at the end
    expect_one_derivative(rows, cols, [](const auto& v) {
      return sum(elt_multiply(segment(v, 3, 20), exp(segment(v, 13, 20))));
    });
    expect_one_derivative(rows, cols, [](const auto& v) {
      return sum(elt_multiply(segment(v, 3, 20), exp(segment(v, 3, 20)))) + sum(tail(v, 4));
    });
    expect_one_derivative(rows, cols, [](const auto& v) { return sum(exp(segment(v, 3, 0))) + v[1]; });
    expect_one_derivative(rows, cols, [](const auto& v) { return dot_product(head(v, 9), tail(v, 9)); });
    // and all of it
    expect_one_derivative(rows, cols, [](const auto& v) { return sum(v * v[7]); });
    expect_one_derivative(rows, cols, [](const auto& v) { return sum(square(head(v, 9))) + mean(exp(v)); });
    expect_one_derivative(rows, cols,
                          [](const auto& v) { return log_sum_exp(segment(reverse(v), 2, 9)) + v[3]; });
  }
}

TEST_F(BlocksOfVariables, OfMatricesToo) {
  for (const auto& [rows, cols] : {std::pair{70, 90}, {64, 64}, {1000, 33}}) {
    expect_one_derivative(rows, cols, [](const auto& m) { return sum(exp(block(m, 2, 3, 5, 4))); });
    expect_one_derivative(rows, cols, [](const auto& m) { return sum(exp(row(m, 7))) + sum(row(m, 7)); });
    expect_one_derivative(rows, cols, [](const auto& m) { return dot_product(col(m, 7), exp(col(m, 8))); });
    expect_one_derivative(rows, cols,
                          [](const auto& m) { return sum(transpose(row(m, 3)) * exp(row(m, 4))); });
    expect_one_derivative(rows, cols, [](const auto& m) { return sum(square(block(m, 1, 1, 0, 0))); });
    expect_one_derivative(rows, cols, [](const auto& m) { return sum(row(block(m, 2, 2, 9, 9), 3)); });
    expect_one_derivative(rows, cols, [](const auto& m) {
      return sum(block(m, 2, 2, 9, 9) * transpose(exp(block(m, 2, 2, 9, 9)))) + indexing(m, 3, 4);
    });
  }
}

// What is read of a triangle is known by its place in the whole.
TEST_F(BlocksOfVariables, OfATriangleAreDerivativesOfAll) {
  auto m = random_matrix<double>(60, 60);
  m.view(matrix_cl_view::Lower);
  const auto f = [](const auto& l) { return sum(exp(block(l, 2, 3, 5, 4))); };
  const auto wanted = value_and_gradient(f(m), wrt(m));
  matrix_var v(m);
  var lp = f(v);
  lp.grad();
  EXPECT_EQ(lp.val(), wanted.value);
  expect_near(v.adj().to_host(), std::get<0>(wanted.gradient).to_host());
}

// One C++ type, one plan each: blocks that are equal, that differ, of a variable that is small.
TEST_F(BlocksOfVariables, StatementsThatDifferInPlacesHaveTheirOwnPlans) {
  const auto f = [](const auto& v, std::int64_t i, std::int64_t j, std::int64_t n) {
    return sum(elt_multiply(segment(v, i, n), exp(segment(v, j, n))));
  };
  for (const std::int64_t size : {2000, 500, 50000, 2000})
    for (const auto& [i, j, n] :
         {std::tuple{1, 1, 9}, {1, 2, 9}, {5, 5, 7}, {9, 3, 1}, {1, 1, 450}, {3, 3, 1}}) {
      const auto m = random_matrix<double>(size, 1);
      const auto wanted = value_and_gradient(f(m, i, j, n), wrt(m));
      matrix_var v(m);
      var lp = f(v, i, j, n);
      lp.grad();
      EXPECT_NEAR(lp.val(), wanted.value, 1e-11 * (1 + std::abs(wanted.value)));
      expect_near(v.adj().to_host(), std::get<0>(wanted.gradient).to_host());
      recover_memory();
    }
}

TEST_F(BlocksOfVariables, MatrixStatementsGiveThemToTheirAdjoints) {
  const auto m = random_matrix<double>(3000, 1), w = random_matrix<double>(40, 1);
  const auto chain = [&](const auto& v) {
    return exp(segment(v, 11, 40) * 0.5) + elt_multiply(w, segment(v, 31, 40));
  };
  const auto wanted = value_and_gradient(sum(square(chain(m))) + sum(m), wrt(m));
  matrix_var v(m);
  matrix_var middle = chain(v);
  var lp = sum(square(middle));
  lp += sum(v);
  lp.grad();
  expect_near(v.adj().to_host(), std::get<0>(wanted.gradient).to_host());
  lp.grad();  // variables keep what they had
  expect_near(v.adj().to_host(), 2 * std::get<0>(wanted.gradient).to_host());
  set_zero_all_adjoints();
  lp.grad();
  expect_near(v.adj().to_host(), std::get<0>(wanted.gradient).to_host());
}

TEST_F(BlocksOfVariables, AddToWhatAUserHasGiven) {
  const auto m = random_matrix<double>(2000, 1), seed = random_matrix<double>(2000, 1);
  matrix_var v(m);
  matrix_cl<double>& adjoint = v.adj();
  adjoint = seed;
  var lp = 3.0 * v[4] + sum(tail(v, 2));
  lp.grad();
  MatrixXd wanted = seed.to_host();
  wanted(4) += 3;
  wanted.bottomRows(2).array() += 1;
  expect_near(adjoint.to_host(), wanted);
}

// The adjoint is the partial derivative's own memory where that is all it is: what is added later leaves it.
TEST_F(BlocksOfVariables, LeavePartialDerivativesOfOthersAlone) {
  const auto m = random_matrix<double>(2000, 1);
  matrix_var v(m);
  var part = sum(square(segment(v, 5, 3))), whole = sum(square(v));
  var lp = part + whole;
  for (int round = 0; round < 3; ++round) {
    set_zero_all_adjoints();
    lp.grad();
    MatrixXd wanted = 2 * m.to_host();
    wanted.middleRows(4, 3) *= 2;
    expect_near(v.adj().to_host(), wanted);
  }
}

TEST_F(BlocksOfVariables, OfFloatsAndWithChecks) {
  const auto m = random_matrix<float>(2000, 1);
  var_value<matrix_cl<float>> v(m);
  var lp = sum(segment(v, 5, 3) * 2.0f) + v[0];
  lp.grad();
  MatrixXd wanted = MatrixXd::Zero(2000, 1);
  wanted(0) = 1;
  wanted.middleRows(4, 3).array() = 2;
  expect_near(v.adj().to_host().cast<double>(), wanted);
  recover_memory();

  const auto y = random_matrix<double>(50, 1), mu = random_matrix<double>(3000, 1);
  // the densities of y by x[3] and exp(x[4]), and by fifty elements and 1.5
  const auto expected = value_and_gradient(
      -0.5 * (dot_self((y - mu[3]) / exp(mu[4])) + dot_self((y - segment(mu, 60, 50)) / 1.5)) - 50.0 * mu[4] -
          50.0 * (std::log(1.5) + std::log(2 * pi())),
      wrt(mu));
  matrix_var x(mu);
  var density = normal_lpdf(y, x[3], exp(x[4])) + normal_lpdf(y, segment(x, 60, 50), 1.5);
  density.grad();
  EXPECT_NEAR(density.val(), expected.value, 1e-10 * std::abs(expected.value));
  expect_near(x.adj().to_host(), std::get<0>(expected.gradient).to_host(), 1e-11);
  EXPECT_THROW(var(normal_lpdf(y, x[3], -exp(x[4]))), std::domain_error);
}

TEST_F(BlocksOfVariables, ManyOfOneStatementAreDerivativesOfAll) {
  expect_one_derivative(2000, 1, [](const auto& v) {
    return v[0] * v[1] + v[2] * v[3] + v[4] * v[5] + v[6] * v[7] + exp(v[8]) * v[9];
  });
  expect_one_derivative(2000, 1, [](const auto& v) { return sum(exp(segment(v, 2, 1500))); });
}

TEST_F(BlocksOfVariables, PlacesOutsideAreRefused) {
  matrix_var v(random_matrix<double>(2000, 1)), m(random_matrix<double>(40, 50)),
      none(matrix_cl<double>(0, 1));
  EXPECT_THROW(v[2000], std::out_of_range);
  EXPECT_THROW(v[-1], std::out_of_range);
  EXPECT_THROW(none[0], std::out_of_range);
  EXPECT_THROW(v(2000), std::out_of_range);
  EXPECT_THROW(v(0, 1), std::out_of_range);
  EXPECT_THROW(m[0], std::invalid_argument);
  EXPECT_THROW(m(40, 0), std::out_of_range);
  var first = v[0u] + m(39, 49);
  first.grad();
  EXPECT_EQ(m.adj()(39, 49), 1);
}

// A loop over elements and blocks takes memory and time for these, not for the whole each.
TEST_F(BlocksOfVariables, ALoopTakesMemoryForWhatItReads) {
  constexpr std::int64_t size = 100000, terms = 40;
  const auto m = random_matrix<double>(size, 1);
  const auto run = [&] {
    matrix_var v(m);
    var lp = 0;
    for (std::int64_t k = 0; k < terms; ++k) {
      lp += exp(v[k]) * 0.5;
      lp += sum(square(segment(v, 10 * k + 1, 10)));
      matrix_var middle = exp(segment(v, 10 * k + 1, 10));
      lp += sum(middle);
    }
    lp.grad();
    MatrixXd wanted = MatrixXd::Zero(size, 1);
    const MatrixXd x = m.to_host();
    for (std::int64_t k = 0; k < terms; ++k) wanted(k) += 0.5 * std::exp(x(k));
    for (std::int64_t k = 0; k < 10 * terms; ++k) wanted(k) += 2 * x(k) + std::exp(x(k));
    expect_near(v.adj().to_host(), wanted);
    recover_memory();
  };
  run();
  trim();
  reset_pool_peak();
  const std::uint64_t before = pool_statistics().bytes_in_use;
  run();
  const std::uint64_t peak = pool_statistics().peak_bytes_in_use - before;
  EXPECT_LT(peak, 2 * size * sizeof(double)) << "the adjoint, and little beside it";
}

}  // namespace
}  // namespace fusecl
