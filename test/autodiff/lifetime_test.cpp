// What a tape remembers and for how long: variables that are forgotten, nested tapes that are closed early,
// and references to adjoints.

#include <optional>
#include <thread>

#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::MatrixXd;
using matrix_var = var_value<matrix_cl<double>>;

class TapeLifetime : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override {
    detail::this_thread_tape().nested.clear();
    recover_memory();
  }
};

#define EXPECT_FORGOTTEN(...)                                                            \
  do {                                                                                   \
    const std::string said = message_of<std::logic_error>([&] { (void)(__VA_ARGS__); }); \
    EXPECT_NE(said.find("the variable is forgotten"), std::string::npos) << said;        \
  } while (false)

TEST_F(TapeLifetime, AForgottenNumberIsRefused) {
  var x = 2.0, y = x * x;
  recover_memory();
  EXPECT_FORGOTTEN(x.val());
  EXPECT_FORGOTTEN(x.adj());
  EXPECT_FORGOTTEN(x + 1.0);
  EXPECT_FORGOTTEN(-x);
  EXPECT_FORGOTTEN(x < 1.0);
  EXPECT_FORGOTTEN(y.grad());
  EXPECT_FORGOTTEN(exp(x));
  EXPECT_NE(message_of<std::logic_error>([&] { y.grad(); }).find("grad: "), std::string::npos);
  x = 3.0;  // made anew
  y = x * x;
  y.grad();
  EXPECT_EQ(x.adj(), 6);
}

TEST_F(TapeLifetime, AForgottenMatrixIsRefused) {
  matrix_var x(random_matrix<double>(3, 2));
  const auto kept = sum(exp(x));
  recover_memory();
  EXPECT_FORGOTTEN(x.rows());
  EXPECT_FORGOTTEN(x.val());
  EXPECT_FORGOTTEN(x.adj());
  EXPECT_FORGOTTEN(sum(x));
  EXPECT_FORGOTTEN(from_matrix_cl(x));
  EXPECT_FORGOTTEN(var(kept));
  EXPECT_FORGOTTEN(x += x);
  x = random_matrix<double>(1, 1);
  EXPECT_EQ(x.rows(), 1);
}

TEST_F(TapeLifetime, WhatTookTheMemoryIsNotTakenForIt) {
  matrix_var old(random_matrix<double>(3, 2));
  var number = 1.0;
  const auto kept = sum(old);
  recover_memory();
  matrix_var other(random_matrix<double>(5, 4));  // in the same place of the tape
  var another = 7.0;
  EXPECT_FORGOTTEN(old.val());
  EXPECT_FORGOTTEN(var(kept));
  EXPECT_FORGOTTEN(number * another);
  var lp = sum(other) * another;
  lp.grad();
  EXPECT_EQ(other.adj().to_host(), MatrixXd::Constant(5, 4, 7));
}

TEST_F(TapeLifetime, ALoopThatRecoversForgetsWhatWasMadeBefore) {
  var before = 0.5;
  int refused = 0;
  for (int k = 0; k < 3; ++k) {
    var inside = 2.0;
    var lp = inside * inside;
    if (message_of<std::logic_error>([&] { lp = lp * before; }) != "") ++refused;
    lp.grad();
    EXPECT_EQ(inside.adj(), k == 0 ? 2.0 : 4.0);
    recover_memory();
  }
  EXPECT_EQ(refused, 2);
}

TEST_F(TapeLifetime, AVariableOfANestedTapeEndsWithIt) {
  var outer = 3.0, escaped = 0.0;
  {
    const nested_rev_autodiff nested;
    escaped = outer * outer;
    EXPECT_EQ(escaped.val(), 9);
  }
  EXPECT_FORGOTTEN(escaped.val());
  EXPECT_EQ(outer.val(), 3);
}

TEST_F(TapeLifetime, WhatTookThePlaceOfANestedVariableIsNotTakenForIt) {
  var outer = 3.0;
  std::optional<var> number, made;
  std::optional<matrix_var> matrix;
  const detail::tape_entry *of_number = nullptr, *of_made = nullptr, *of_matrix = nullptr;
  {
    const nested_rev_autodiff nested;
    number = 5.0;
    made = outer * outer;
    matrix = matrix_var(random_matrix<double>(3, 2));
    of_number = number->entry();
    of_made = made->entry();
    of_matrix = matrix->entry();
  }
  const auto refused_beside_others = [&] {
    var another = 7.0, product = outer * outer;
    matrix_var other(random_matrix<double>(5, 4));
    EXPECT_EQ(another.entry(), of_number);  // in the same place and memory
    EXPECT_EQ(product.entry(), of_made);
    EXPECT_EQ(other.entry(), of_matrix);
    EXPECT_FORGOTTEN(number->val());
    EXPECT_FORGOTTEN(number->adj());
    EXPECT_FORGOTTEN(*number * another);
    EXPECT_FORGOTTEN(made->grad());
    EXPECT_FORGOTTEN(matrix->val());
    EXPECT_FORGOTTEN(matrix->adj());
    EXPECT_FORGOTTEN(sum(*matrix));
    var lp = sum(other) * another;
    lp.grad();
    EXPECT_EQ(other.adj().to_host(), MatrixXd::Constant(5, 4, 7));
  };
  {
    const nested_rev_autodiff nested;
    refused_beside_others();
  }
  refused_beside_others();
}

TEST_F(TapeLifetime, AScopeMayBeRecoveredBeforeItsEnd) {
  var outer = 3.0;
  const std::size_t before = detail::this_thread_tape().size();
  {
    const nested_rev_autodiff nested;
    var inner = 2.0;
    recover_memory_nested();
    EXPECT_FORGOTTEN(inner.val());
    EXPECT_THROW(recover_memory_nested(), std::logic_error);
  }
  EXPECT_EQ(detail::this_thread_tape().size(), before);
  std::optional<nested_rev_autodiff> nested;
  nested.emplace();
  recover_memory_nested();
  start_nested();  // another tape, which the scope's end leaves open
  var inner = 2.0;
  nested.reset();
  EXPECT_EQ(inner.val(), 2);
  recover_memory_nested();
  EXPECT_EQ(outer.val(), 3);
}

TEST_F(TapeLifetime, AScopeClosesTapesThatWereLeftOpenInIt) {
  {
    const nested_rev_autodiff nested;
    start_nested();
    const var inner = 2.0;
    EXPECT_EQ(inner.val(), 2);
  }
  EXPECT_EQ(detail::this_thread_tape().size(), 0u);
  EXPECT_NO_THROW(recover_memory());
}

TEST_F(TapeLifetime, PreparingOutlivesARecoveryWithinIt) {
  matrix_var x(random_matrix<double>(3, 2));
  var lp = sum(x);
  lp.grad();
  start_nested();
  var gone = 1.0;
  prepare([&] {
    recover_memory_nested();
    recover_memory_nested();
  });
  EXPECT_FORGOTTEN(gone.val());
  EXPECT_EQ(x.adj().to_host(), MatrixXd::Ones(3, 2));
}

TEST_F(TapeLifetime, VariablesOfThreadsThatEndedAreRefused) {
  std::optional<var> number;
  std::optional<matrix_var> matrix;
  std::thread([&] {
    number = var(2.0);
    matrix = matrix_var(random_matrix<double>(3, 2));
  }).join();
  EXPECT_FORGOTTEN(number->val());
  EXPECT_FORGOTTEN(matrix->val());
  EXPECT_FORGOTTEN(sum(*matrix));
  EXPECT_THROW(*number + 1.0, std::logic_error);
}

TEST_F(TapeLifetime, AReferenceToAnAdjointShowsZerosAndTakesASeed) {
  const auto a = random_matrix<double>(3, 2), w = random_matrix<double>(3, 2);
  matrix_var x(a);
  matrix_var y = square(x);
  matrix_cl<double>&of_x = x.adj(), &of_y = y.adj();
  var lp = sum(y);
  lp.grad();
  EXPECT_EQ(of_x.to_host(), 2 * a.to_host());
  set_zero_all_adjoints();
  EXPECT_EQ(of_x.to_host(), MatrixXd::Zero(3, 2));
  EXPECT_EQ(of_y.to_host(), MatrixXd::Zero(3, 2));
  of_y = w;  // a seed
  grad();
  const Eigen::ArrayXXd wanted = 2 * a.to_host().array() * w.to_host().array();
  EXPECT_LT((of_x.to_host().array() - wanted).abs().maxCoeff(), 1e-14);
  EXPECT_EQ(&of_x, &x.adj());
}

TEST_F(TapeLifetime, AReferenceToTheAdjointOfANumberShowsZeroAndTakesASeed) {
  const auto a = random_matrix<double>(3, 2);
  const double total = a.to_host().sum();
  matrix_var x(a);
  var c = 2.0, squared = c * c, of_device = sum(c * x);
  matrix_var y = squared * x;  // what this adds to an adjoint stays on the device until it is asked for
  var lp = sum(y) + of_device;
  double &of_c = c.adj(), &of_squared = squared.adj(), &of_sum = of_device.adj();
  lp.grad();
  EXPECT_NEAR(c.adj(), 5 * total, 1e-12);
  lp.grad();
  set_zero_all_adjoints();
  for (double* each : {&of_c, &of_squared, &of_sum}) EXPECT_EQ(*each, 0);
  EXPECT_EQ(c.adj(), 0);
  EXPECT_EQ(&of_c, &c.adj());
  of_squared = 3;  // seeds
  of_sum = 10;
  grad();
  EXPECT_NEAR(c.adj(), 3 * 2 * 2 + 10 * total, 1e-12);
  EXPECT_EQ(of_c, c.adj());
  EXPECT_LT((x.adj().to_host() - MatrixXd::Constant(3, 2, 20)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_F(TapeLifetime, AResultThatARootDoesNotReachHasNoAdjoint) {
  matrix_var x(matrix_cl<double>(MatrixXd::Zero(3, 2)));
  matrix_var y = log(x), z = exp(x);  // log's derivative at 0 is infinite
  var first = sum(z), second = sum(z + y);
  second.grad();
  const matrix_cl<double>& of_y = y.adj();
  set_zero_all_adjoints();
  x.adj() = matrix_cl<double>(MatrixXd::Zero(3, 2));
  first.grad();
  EXPECT_EQ(x.adj().to_host(), MatrixXd::Ones(3, 2));
  EXPECT_EQ(of_y.to_host(), MatrixXd::Zero(3, 2));
}

TEST_F(TapeLifetime, AdjointsOfAnotherSizeAreRefusedWhereverTheyAreRead) {
  const matrix_cl<double> wrong(MatrixXd::Ones(5, 4));
  Eigen::Matrix<var, -1, -1> host(2, 2);
  host.setConstant(var(1.0));
  matrix_var made = to_matrix_cl(host);
  made.adj() = wrong;
  EXPECT_THROW(grad(), std::invalid_argument);
  recover_memory();
  matrix_var x(random_matrix<double>(3, 2));
  const auto elements = from_matrix_cl(x);
  var total = elements.sum();
  x.adj() = wrong;
  EXPECT_THROW(total.grad(), std::invalid_argument);
  set_zero_all_adjoints();
  var lp = sum(square(x));
  x.adj() = wrong;
  EXPECT_THROW(lp.grad(), std::invalid_argument);
}

TEST_F(TapeLifetime, EvalOfAnExpressionWithVariablesRecords) {
  const auto a = random_matrix<double>(3, 2);
  matrix_var x(a);
  const matrix_var y = exp(x).eval();
  static_assert(std::is_same_v<decltype(exp(x).eval()), matrix_var>);
  static_assert(std::is_same_v<decltype(sum(x).eval()), var>);
  static_assert(std::is_same_v<decltype(stop_gradient(exp(x)).eval()), matrix_cl<double>>);
  static_assert(std::is_same_v<decltype((x > 0.0).eval()), matrix_cl<bool>>);
  var lp = sum(elt_multiply(y, x)).eval();
  lp.grad();
  const Eigen::ArrayXXd h = a.to_host().array(), wanted = h.exp() * (1 + h);
  EXPECT_LT(((x.adj().to_host().array() - wanted).abs() / (1 + wanted.abs())).maxCoeff(), 1e-14);
  EXPECT_EQ(&x.eval(), &x);
}

TEST_F(TapeLifetime, CopiesOfAnExpressionWithVariablesAreVariables) {
  const auto a = random_matrix<double>(3, 2);
  matrix_var x(a);
  const auto elements = from_matrix_cl(2.0 * x);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(elements(0, 0))>, var>);
  const var one = from_matrix_cl<var>(block_zero_based(x, 1, 1, 1, 1));
  const auto column = from_matrix_cl<std::vector<var>>(col(x, 1));
  var lp = elements.sum() + 10.0 * one + 100.0 * column[2];
  lp.grad();
  MatrixXd wanted = MatrixXd::Constant(3, 2, 2);
  wanted(1, 1) += 10;
  wanted(2, 0) += 100;
  EXPECT_EQ(x.adj().to_host(), wanted);
  EXPECT_EQ(from_matrix_cl(value_of(2.0 * x)), (2 * a.to_host()).eval());
}

TEST_F(TapeLifetime, ValuesOfExpressionsAreNumbers) {
  const auto a = random_matrix<double>(3, 2);
  matrix_var x(a);
  const double total = value_of(sum(exp(x)));
  EXPECT_NEAR(total, a.to_host().array().exp().sum(), 1e-12);
  const int positive = sum(cast<int>(x > 0.0));  // no derivative to be lost
  EXPECT_EQ(positive, (a.to_host().array() > 0).count());
  double more = 1;
  more += value_of(sum(x));
  EXPECT_NEAR(more, 1 + a.to_host().sum(), 1e-12);
}

TEST_F(TapeLifetime, TheBufferOfAnAdjointIsNotThatOfARecordedDerivative) {
  const auto write = [](const cl::Buffer& to, double value) {
    const double values[] = {value, value};
    opencl_context.queue().enqueueWriteBuffer(to, CL_TRUE, 0, sizeof values, values);
  };
  matrix_var v(matrix_cl<double>(std::vector<double>{1, 2}));
  const Eigen::Vector2d wanted(2, 4);
  var lp = sum(elt_multiply(v, v));
  lp.grad();
  const counters before = runtime_counters();
  EXPECT_EQ(MatrixXd(v.adj()), wanted);
  EXPECT_EQ((runtime_counters() - before).launches, 0u);  // reading it copies nothing
  write(v.adj().buffer(), 0);
  EXPECT_EQ(MatrixXd(v.adj()), MatrixXd::Zero(2, 1));
  set_zero_all_adjoints();
  lp.grad();
  EXPECT_EQ(MatrixXd(v.adj()), wanted);
  set_zero_all_adjoints();
  lp.grad();
  matrix_cl<double> moved = std::move(v.adj());  // which takes along what it shares
  write(moved.buffer(), 7);
  EXPECT_EQ(MatrixXd(moved), MatrixXd::Constant(2, 1, 7));
  v.adj() = matrix_cl<double>(std::vector<double>{0, 0});
  lp.grad();
  EXPECT_EQ(MatrixXd(v.adj()), wanted);
}

TEST_F(TapeLifetime, TheBufferOfAnAdjointOfWhatIsForgottenIsItsOwn) {
  matrix_cl<double> kept;
  {
    matrix_var v(matrix_cl<double>(std::vector<double>{1, 2}));
    var lp = sum(elt_multiply(v, v));
    lp.grad();
    kept = std::move(v.adj());
  }
  recover_memory();
  const auto memory = kept.storage();
  static_cast<void>(kept.buffer());
  EXPECT_EQ(kept.storage(), memory);  // nothing else refers to it
}

}  // namespace
}  // namespace fusecl
