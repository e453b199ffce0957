// Handles to matrices stand wherever a matrix does, and copies of them stay the same matrix whatever is done
// with one of them.

#include <memory>
#include <sstream>

#include <support/compare.hpp>

#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;
using arena = arena_matrix_cl<double>;

class ArenaMatrix : public ::testing::Test {
 protected:
  void SetUp() override {
    FUSECL_NEEDS_DOUBLE;
    e = random_host<int>(3, 3, 1, 9).cast<double>();
    A = matrix(e);
    first = arena(e);
    second = first;
  }
  void TearDown() override { recover_memory(); }
  void both_are(const host<double>& wanted, std::source_location where = std::source_location::current()) {
    expect_same<double>(first.to_host(), wanted, where);
    expect_same<double>(second.to_host(), wanted, where);
    EXPECT_EQ(first.buffer()(), second.buffer()());
  }
  host<double> e;
  matrix A;
  arena first, second;
};

TEST_F(ArenaMatrix, KernelsLeaveWhatTheTapeReads) {
  const matrix_var x(A);
  const matrix_var y = elt_multiply(x, first);
  const kernel_cl<in_out_buffer> one("one", "kernel void one(global double* b) { b[0] = 100; }\n");
  one(cl::NDRange(1), first);
  const var s = sum(y);
  s.grad();
  EXPECT_EQ(x.adj().to_host(), e);
  host<double> wanted = e;
  wanted(0, 0) = 100;
  both_are(wanted);
}

TEST_F(ArenaMatrix, IsAssignedTo) {
  results(first) = expressions(A + 1);
  both_are(e.array() + 1);
  second += A;
  both_are(2 * e.array() + 1);
  divide_columns(first, 2);
  both_are(e.array() + 0.5);
  first = rep_matrix(1.0, 3, 3);
  block(second, 1, 1, 2, 2) = block(A, 1, 1, 2, 2);
  host<double> wanted = host<double>::Ones(3, 3);
  wanted.topLeftCorner(2, 2) = e.topLeftCorner(2, 2);
  both_are(wanted);
  first.setZero();
  both_are(host<double>::Zero(3, 3));
  second = e;
  both_are(e);
  first = matrix(2 * A);
  both_are(2 * e);
  second = rep_matrix(3.0, 4, 1);  // another size, for both
  both_are(host<double>::Constant(4, 1, 3));
  EXPECT_THROW((results(first, second) = expressions(A, A)), std::invalid_argument);
}

TEST_F(ArenaMatrix, IsReadAsAMatrix) {
  const arena column(e.col(0).eval());
  host<double> ascending = e.col(0);
  std::sort(ascending.data(), ascending.data() + 3);
  EXPECT_EQ(sort_asc(column).to_host(), ascending);
  EXPECT_EQ(to_matrix(first, 9, 1).to_host(), e.reshaped(9, 1));
  EXPECT_EQ(copy_cl(first).to_host(), e);
  EXPECT_EQ(&to_matrix_cl(first), &first);
  EXPECT_EQ(value_of(first).to_host(), e);
  EXPECT_EQ(value_of(A).to_host(), e);
  EXPECT_EQ(value_of_rec(first).to_host(), e);
  const Eigen::MatrixXd on_host = first;
  EXPECT_EQ(on_host, e);
  EXPECT_EQ(first(2, 1), e(2, 1));
  EXPECT_EQ(column(1), e(1, 0));
  std::ostringstream printed, wanted;
  printed << first;
  wanted << e;
  EXPECT_EQ(printed.str(), wanted.str());
}

TEST_F(ArenaMatrix, HasDerivatives) {
  const auto square = sum(elt_multiply(first, second));
  const auto result = value_and_gradient(square, wrt(first));
  EXPECT_EQ(result.value, e.squaredNorm());
  EXPECT_EQ(std::get<0>(result.gradient).to_host(), 2 * e);
  arena gradient;
  const arena same(gradient);
  value_and_gradient_into(square, wrt(first), gradient);
  EXPECT_EQ(same.to_host(), 2 * e);
  const auto products = hessian_times_vector(square, wrt(first), second);
  EXPECT_EQ(std::get<0>(products.product).to_host(), 2 * e);
}

/// A copy, although what is returned is given up.
matrix as_matrix(const matrix& m) {
  arena result(m);
  static arena kept;
  kept = result;
  if (m.rows() == 0) return kept;
  return result;
}

TEST_F(ArenaMatrix, StaysWhenAHandleIsGivenUp) {
  matrix taken = std::move(second);
  both_are(e);
  taken = arena(first);
  first = matrix(A + 1);
  expect_same<double>(taken.to_host(), e);
  EXPECT_EQ(to_matrix(arena(first), 9, 1).rows(), 9);
  both_are(e.array() + 1);
  EXPECT_EQ(as_matrix(A).to_host(), e);
  { const arena third(first); }
  both_are(e.array() + 1);
  std::swap<matrix>(first, second);
  both_are(e.array() + 1);
}

TEST_F(ArenaMatrix, PartsAreOfTheMatrixAndNotOfTheHandle) {
  auto third = std::make_unique<arena>(first);
  auto part = row(*third, 1);
  third.reset();
  part = 2.0;
  host<double> wanted = e;
  wanted.row(0).setConstant(2);
  both_are(wanted);
  first = arena();
  second = first;
  EXPECT_THROW(part = 1.0, std::logic_error);
}

TEST_F(ArenaMatrix, TakesExpressionsAlongWhenItsContentsAreMoved) {
  arena named(A);
  const auto sum_of = named + 1;
  matrix moved;
  { const arena third(named); }
  moved = static_cast<matrix&&>(named);
  EXPECT_EQ(named.size(), 0);
  EXPECT_EQ(from_matrix_cl(sum_of), host<double>(e.array() + 1));
  named = std::move(moved);
  EXPECT_EQ(from_matrix_cl(named), e);
}

TEST_F(ArenaMatrix, ContentsOfAMatrixKeepTheirExpressions) {
  matrix source(A);
  const auto doubled = 2 * source;
  arena held(std::move(source));
  { const arena third(held); }
  matrix target = static_cast<matrix&&>(held);
  EXPECT_EQ(from_matrix_cl(doubled), 2 * e);
}

}  // namespace
}  // namespace fusecl
