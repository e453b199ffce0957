// The tape: variables, statements, gradients, nesting, recovery, threads, memory and launches.

#include <thread>

#include <support/delayed_queue.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;
using Eigen::ArrayXXd, Eigen::MatrixXd;
using matrix_var = var_value<matrix_cl<double>>;
using float_var = var_value<matrix_cl<float>>;

class Tape : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override {
    detail::this_thread_tape().nested.clear();
    recover_memory();
  }
  static matrix_cl<double> random(std::int64_t rows = 71, std::int64_t cols = 3, double low = -2,
                                  double high = 2) {
    return random_matrix<double>(rows, cols, matrix_cl_view::Entire, low, high);
  }
};

void expect_near(const MatrixXd& got, const ArrayXXd& wanted, double tolerance = 1e-11) {
  ASSERT_EQ(got.rows(), wanted.rows());
  ASSERT_EQ(got.cols(), wanted.cols());
  if (got.size() > 0) {
    EXPECT_LE((got.array() - wanted).abs().maxCoeff(), tolerance * (1 + wanted.abs().maxCoeff()));
  }
}

TEST_F(Tape, AnInfiniteAdjointPassesThroughAMinus) {
  var x = 1.0, y = -x;
  set_zero_all_adjoints();
  y.adj() = std::numeric_limits<double>::infinity();
  grad();
  EXPECT_EQ(x.adj(), -std::numeric_limits<double>::infinity());
  recover_memory();
}

// The value of a statement is in memory, but elements computed anew may be rounded otherwise than those it
// was the largest of.
TEST_F(Tape, ExtremesOfComputedElementsHaveDerivatives) {
  const auto expect_gradient_of = [](const auto& f) {
    for (const auto& [rows, cols] : {std::pair{13, 200}, {9, 40}, {1, 1}}) {
      const matrix_cl<double> a = random(rows, cols, -3, 3);
      const auto wanted = value_and_gradient(sum(f(a)), wrt(a));
      matrix_var x(a);
      matrix_var y = f(x);
      var lp = sum(y);
      lp.grad();
      EXPECT_GT(std::get<0>(wanted.gradient).to_host().array().abs().maxCoeff(), 0);
      expect_near(x.adj().to_host(), std::get<0>(wanted.gradient).to_host());
      recover_memory();
    }
  };
  const auto computed = [](const auto& x) { return exp(x) * 1.1 + elt_multiply(x, x) * 0.37; };
  expect_gradient_of([&](const auto& x) { return colwise_max(computed(x)); });
  expect_gradient_of([&](const auto& x) { return rowwise_min(computed(x)); });
  expect_gradient_of([&](const auto& x) { return rep_matrix(max(computed(x)), 2, 3); });
  expect_gradient_of([&](const auto& x) { return rowwise_max(rowwise_cumulative_sum(computed(x))); });
  expect_gradient_of([&](const auto& x) { return colwise_max(x * transpose(x)); });
  expect_gradient_of(
      [&](const auto& x) { return rep_matrix(max(rep_matrix(sum(computed(x)), 2, 3)), 2, 3); });
}

TEST_F(Tape, VariablesOfWhatTheyAreMadeOf) {
  const matrix_cl<float> m(2, 3);
  var_value of_matrix(m);
  var_value of_temporary(matrix_cl<double>(3, 1));
  var_value of_number(2);
  static_assert(std::is_same_v<decltype(of_matrix), float_var>);
  static_assert(std::is_same_v<decltype(of_temporary), matrix_var>);
  static_assert(std::is_same_v<decltype(of_number), var>);
  var_value copy(of_matrix);
  static_assert(std::is_same_v<decltype(copy), float_var>);
  EXPECT_EQ(copy.cols(), 3);
  EXPECT_EQ(of_temporary.rows(), 3);
  EXPECT_EQ(of_number.val(), 2);
  static_assert(std::is_same_v<decltype(+of_number), var>);
}

/// grad() refuses an adjoint and says all sizes.
void expect_sizes_refused(const std::string& variable, const std::string& adjoint) {
  expect_message<std::invalid_argument>([] { grad(); },
                                        "a variable is " + variable + ", its adjoint is " + adjoint);
}

TEST_F(Tape, AnAdjointOfAnotherSizeIsRefused) {
  const matrix_cl<double> a(MatrixXd::Constant(3, 4, 0.5)), wrong(MatrixXd::Ones(5, 7)),
      other_cols(MatrixXd::Ones(3, 2));
  var_value<matrix_cl<double>> x = a, y = exp(x);
  y.adj() = wrong;
  expect_message<std::invalid_argument>([] { grad(); },
                                        "grad: rows of a variable (3) and rows of its adjoint (5)");
  expect_sizes_refused("3 x 4", "5 x 7");
  y.adj() = other_cols;
  expect_sizes_refused("3 x 4", "3 x 2");
  y.adj() = a;
  x.adj() = wrong;
  expect_sizes_refused("3 x 4", "5 x 7");
  set_zero_all_adjoints();
  var_value<matrix_cl<double>> unused = a;
  unused.adj() = wrong;
  expect_sizes_refused("3 x 4", "5 x 7");
  set_zero_all_adjoints();
  y.adj() = a;
  grad();
  expect_near(from_matrix_cl(x.adj()), ArrayXXd::Constant(3, 4, 0.5 * std::exp(0.5)));
}

TEST_F(Tape, ASeedOfAnotherSizeForMovedElementsIsRefused) {
  const matrix_cl<double> wrong(MatrixXd::Ones(5, 7));
  const auto refuses = [&](const matrix_cl<double>& a, const auto& move, const std::string& variable,
                           const std::string& result) {
    matrix_var x(a);
    const matrix_var y = move(x);
    y.adj() = wrong;
    expect_sizes_refused(result, "5 x 7");
    expect_near(x.adj().to_host(), ArrayXXd::Zero(a.rows(), a.cols()));
    set_zero_all_adjoints();
    const MatrixXd seed = MatrixXd::Constant(y.rows(), y.cols(), 2);
    y.adj() = matrix_cl<double>(seed);
    x.adj() = wrong;
    expect_sizes_refused(variable, "5 x 7");
    set_zero_all_adjoints();
    y.adj() = matrix_cl<double>(seed);
    grad();
    expect_near(x.adj().to_host(), ArrayXXd::Constant(a.rows(), a.cols(), 2));
    recover_memory();
  };
  const auto column = random(6, 1), matrix = random(3, 4);
  refuses(
      column, [](const auto& x) { return sort_asc(x); }, "6 x 1", "6 x 1");
  refuses(
      column, [](const auto& x) { return sort_desc(x); }, "6 x 1", "6 x 1");
  refuses(
      matrix, [](const auto& x) { return to_matrix(x, 2, 6); }, "3 x 4", "2 x 6");
  refuses(
      matrix, [](const auto& x) { return to_vector(x); }, "3 x 4", "12 x 1");
}

TEST_F(Tape, NumbersNeedNoKernels) {
  const counters before = runtime_counters();
  var a = 3, b = 2;
  var c = a * b + a / b - b + 2 * a - 1.0 / b + (-a);
  c += a;
  c *= 2.0;
  c.grad();
  EXPECT_EQ((runtime_counters() - before).launches, 0u);
  EXPECT_DOUBLE_EQ(c.val(), 2 * (6 + 1.5 - 2 + 6 - 0.5 - 3 + 3));
  EXPECT_DOUBLE_EQ(a.adj(), 2 * (2 + 0.5 + 2 - 1 + 1));
  EXPECT_DOUBLE_EQ(b.adj(), 2 * (3 - 0.75 - 1 + 0.25));
}

TEST_F(Tape, NumbersRepeated) {
  var a = 3;
  var zero(0);
  var y = a * a / a + a - a + zero;
  y.grad();
  EXPECT_DOUBLE_EQ(a.adj(), 1);
}

TEST_F(Tape, RepeatedMatrices) {
  const auto a = random(71, 3, 0.5, 2);
  const ArrayXXd x = a.to_host().array();
  {
    matrix_var v(a);
    matrix_var y = v + v;
    var lp = sum(y);
    lp.grad();
    expect_near(v.adj().to_host(), ArrayXXd::Constant(71, 3, 2));
  }
  recover_memory();
  {
    matrix_var v(a);
    matrix_var y = elt_multiply(v, v);
    matrix_var z = elt_divide(y, v) + elt_multiply(y, y);
    var lp = sum(z) + sum(v);
    lp.grad();
    expect_near(v.adj().to_host(), 2 + 4 * x * x * x);
    expect_near(y.adj().to_host(), 1 / x + 2 * x * x);
  }
}

TEST_F(Tape, DataVariablesAndNumbersInEveryMixture) {
  const auto a = random(), b = random();
  const ArrayXXd x = a.to_host().array(), y = b.to_host().array();
  for (int kind = 0; kind < 4; ++kind) {
    const auto run = [&](const auto& u, const auto& v) {
      var c = 0.7;
      matrix_var w = elt_multiply(u, v) + c * u;
      var lp = sum(elt_multiply(w, exp(c * v)));
      lp.grad();
      const ArrayXXd e = (0.7 * y).exp(), value = x * y + 0.7 * x;
      EXPECT_NEAR(c.adj(), (x * e + value * e * y).sum(), 1e-10 * (x * e).abs().sum());
      if constexpr (!is_matrix_cl<std::remove_cvref_t<decltype(u)>>::value)
        expect_near(const_cast<matrix_var&>(u).adj().to_host(), (y + 0.7) * e);
      if constexpr (!is_matrix_cl<std::remove_cvref_t<decltype(v)>>::value)
        expect_near(const_cast<matrix_var&>(v).adj().to_host(), x * e + value * e * 0.7);
    };
    if (kind == 0) run(a, b);
    if (kind == 1) run(matrix_var(a), b);
    if (kind == 2) run(a, matrix_var(b));
    if (kind == 3) run(matrix_var(a), matrix_var(b));
    recover_memory();
  }
}

TEST_F(Tape, AVariableAndItsValueInOneExpression) {
  const auto a = random();
  matrix_var x(a);
  matrix_var y = elt_multiply(x, x.val());
  var lp = sum(elt_multiply(y, x.val()));
  lp.grad();
  expect_near(x.adj().to_host(), a.to_host().array().square());
  recover_memory();
  matrix_var z(a);
  var direct = sum(elt_multiply(z, elt_multiply(z.val(), z)));
  direct.grad();
  expect_near(z.adj().to_host(), 2 * a.to_host().array().square());
}

TEST_F(Tape, BroadcastsReductionsAndOneByOne) {
  const auto a = random(5, 4);
  const ArrayXXd h = a.to_host().array();
  matrix_var x(a);
  matrix_var r = rowwise_sum(square(x));
  matrix_var c = colwise_sum(x);
  matrix_var s = x + rowwise_broadcast(r) + colwise_broadcast(c);
  matrix_var t = sum(s);
  var lp = sum(t);
  lp.grad();
  expect_near(t.adj().to_host(), ArrayXXd::Ones(1, 1));
  expect_near(r.adj().to_host(), ArrayXXd::Constant(5, 1, 4));
  expect_near(c.adj().to_host(), ArrayXXd::Constant(1, 4, 5));
  expect_near(x.adj().to_host(), 1 + 8 * h + 5);
}

TEST_F(Tape, EmptyAndSingleMatrices) {
  for (std::int64_t n : {0, 1}) {
    matrix_var x(random(n, n));
    matrix_var y = exp(x);
    var lp = sum(elt_multiply(y, x)) + 1.0;
    lp.grad();
    const ArrayXXd h = x.val().to_host().array();
    EXPECT_NEAR(lp.val(), 1 + (h.exp() * h).sum(), 1e-12);
    expect_near(x.adj().to_host(), h.exp() * (h + 1));
  }
}

TEST_F(Tape, FloatVariables) {
  const auto a = random_matrix<float>(71, 3, matrix_cl_view::Entire, -2, 2);
  float_var x(a);
  float_var y = exp(x) + x;
  var lp = sum(elt_multiply(y, x));
  lp.grad();
  const ArrayXXd h = a.to_host().cast<double>().array();
  expect_near(x.adj().to_host().cast<double>(), h.exp() + h + h * (h.exp() + 1), 1e-5);
  recover_memory();
  float_var narrow(a);  // a double statement of a float variable, kept as float
  float_var z = elt_multiply(narrow, matrix_cl<double>(a.to_host().cast<double>()));
  var lz = sum(z);
  lz.grad();
  expect_near(narrow.adj().to_host().cast<double>(), h, 1e-6);
}

TEST_F(Tape, TriangularVariables) {
  auto a = random_matrix<double>(9, 9, matrix_cl_view::Lower, -1, 1);
  matrix_var x(a);
  matrix_var y = exp(x);
  var lp = sum(y) + sum(elt_multiply(x, x));
  lp.grad();
  MatrixXd wanted = (a.to_host().array().exp() + 2 * a.to_host().array()).matrix();
  wanted.triangularView<Eigen::StrictlyUpper>().setZero();
  expect_near(x.adj().to_host(), wanted.array());
}

TEST_F(Tape, NumbersFromScalarStatements) {
  const auto a = random();
  const double s = a.to_host().sum();
  matrix_var x(a);
  var total = sum(x);
  var scaled = sum(total * x) / 2.0 + 3 * total;  // total is used as a number of the second statement
  scaled.grad();
  EXPECT_NEAR(scaled.val(), s * s / 2 + 3 * s, 1e-9);
  expect_near(x.adj().to_host(), ArrayXXd::Constant(71, 3, s / 2 + s / 2 + 3), 1e-10);
}

TEST_F(Tape, SecondGradientAddsToVariablesOnly) {
  const auto a = random();
  matrix_var x(a);
  var c = 2;
  matrix_var y = c * x;
  var lp = sum(elt_multiply(y, y));
  lp.grad();
  const ArrayXXd once = 8 * a.to_host().array();
  expect_near(x.adj().to_host(), once);
  const double c_once = c.adj();
  lp.grad();  // adjoints of variables accumulate, those of results start again
  expect_near(x.adj().to_host(), 2 * once);
  expect_near(y.adj().to_host(), 4 * a.to_host().array());
  EXPECT_NEAR(c.adj(), 2 * c_once, 1e-9);
  EXPECT_EQ(lp.adj(), 1);
  set_zero_all_adjoints();
  expect_near(x.adj().to_host(), ArrayXXd::Zero(71, 3));
  EXPECT_EQ(c.adj(), 0);
  lp.grad();
  expect_near(x.adj().to_host(), once);
}

TEST_F(Tape, TwoRootsAddUp) {
  const auto a = random();
  matrix_var x(a);
  matrix_var y = exp(x);
  var first = sum(y), second = sum(elt_multiply(y, x));
  second.grad();
  first.grad();
  const ArrayXXd h = a.to_host().array();
  expect_near(x.adj().to_host(), h.exp() * (h + 1) + h.exp());
}

TEST_F(Tape, AdjointsOfWhatIsNotUsedAreZero) {
  matrix_var x(random()), unused(random(2, 5));
  var n = 4, lp = sum(x);
  lp.grad();
  expect_near(unused.adj().to_host(), ArrayXXd::Zero(2, 5));
  EXPECT_EQ(n.adj(), 0);
}

TEST_F(Tape, NestedTapesAreForgotten) {
  matrix_var x(random());
  matrix_var y = exp(x);
  const std::size_t outer = detail::this_thread_tape().size();
  {
    nested_rev_autodiff nested;
    matrix_var u(random(4, 4));
    var lp = sum(square(u));
    lp.grad();
    expect_near(u.adj().to_host(), 2 * u.val().to_host().array());
    EXPECT_THROW(recover_memory(), std::logic_error);
    {
      nested_rev_autodiff inner;
      var n = 3, m = n * n;
      m.grad();
      EXPECT_EQ(n.adj(), 6);
      EXPECT_THROW(lp.grad(), std::logic_error);  // older than the inner tape
    }
    nested.set_zero_all_adjoints();
    expect_near(u.adj().to_host(), ArrayXXd::Zero(4, 4));
  }
  EXPECT_EQ(detail::this_thread_tape().size(), outer);
  var lp = sum(y);
  lp.grad();
  expect_near(x.adj().to_host(), x.val().to_host().array().exp());
}

/// As in Stan Math: what is inside is derived by everything it uses, and what is outside goes no further.
TEST_F(Tape, NestedGradientsAddToAdjointsOutside) {
  const auto a = random();
  matrix_var x(a);
  var c = 2;
  matrix_var y = exp(x);
  {
    nested_rev_autodiff nested;
    var lp = c * sum(y) + sum(square(x));
    lp.grad();
    nested.set_zero_all_adjoints();  // those made inside only
  }
  const ArrayXXd of_x = a.to_host().array();
  expect_near(y.adj().to_host(), ArrayXXd::Constant(a.rows(), a.cols(), 2));
  expect_near(x.adj().to_host(), 2 * of_x);
  EXPECT_NEAR(c.adj(), of_x.exp().sum(), 1e-12 * of_x.exp().sum());
  set_zero_all_adjoints();
  var lp = sum(y);
  lp.grad();
  expect_near(x.adj().to_host(), of_x.exp());
}

/// A user function whose derivative cannot be made.
struct ill_derived {
  static constexpr std::string_view name = "ill_derived";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x;";
  static auto derivatives(const auto& x) { return std::tuple(x * row_index(2, 2)); }
};

TEST_F(Tape, AnExceptionLeavesTheTapeAsItWas) {
  const auto a = random();
  matrix_var x(a);
  matrix_var y = exp(x);
  const std::size_t size = detail::this_thread_tape().size();
  for (int k = 0; k < 1000; ++k) {
    EXPECT_THROW((void)var{sum(user_function<ill_derived>(y))}, std::logic_error);
    EXPECT_THROW((void)matrix_var{y + matrix_cl<double>(2, 2)}, std::invalid_argument);
  }
  EXPECT_EQ(detail::this_thread_tape().size(), size);
  matrix_var late = user_function<ill_derived>(y);  // is differentiated only when gone through
  var bad = sum(late);
  EXPECT_THROW(bad.grad(), std::logic_error);
  set_zero_all_adjoints();
  var good = sum(y);
  good.grad();
  expect_near(x.adj().to_host(), a.to_host().array().exp());
  recover_memory();
  EXPECT_EQ(detail::this_thread_tape().size(), 0u);
}

TEST_F(Tape, AnotherThreadsVariablesAreRefused) {
  matrix_var x(random());
  var c = 2, lp = c * c;
  bool root = false, scalar_used = false, matrix_used = false;
  std::thread([&] {
    try {
      lp.grad();
    } catch (const std::logic_error&) {
      root = true;
    }
    try {
      (void)var{sum(c * x.val())};
    } catch (const std::logic_error&) {
      scalar_used = true;
    }
    try {
      (void)var{sum(x)};
    } catch (const std::logic_error&) {
      matrix_used = true;
    }
  }).join();
  EXPECT_TRUE(root);
  EXPECT_TRUE(scalar_used);
  EXPECT_TRUE(matrix_used);
}

TEST_F(Tape, DataThatChangesInBetweenDoesNotMatter) {
  const auto a = random(), b = random();
  auto data = b;
  matrix_var x(a);
  matrix_var y = elt_multiply(x, data);
  data = data * 3.0 + 1.0;  // takes other memory: the statement will read the old contents
  var lp = sum(elt_multiply(y, y));
  data = data + data;
  lp.grad();
  const ArrayXXd d = b.to_host().array();
  expect_near(x.adj().to_host(), 2 * a.to_host().array() * d * d);
  expect_near(data.to_host(), 2 * (3 * d + 1));
  recover_memory();
  const auto memory = data.storage();
  data = data * 2.0;  // nobody reads it again: in place
  EXPECT_EQ(data.storage(), memory);
}

TEST_F(Tape, AdjointsTheUserKeepsAreNotOverwritten) {
  const auto a = random();
  matrix_var x(a);
  var lp = sum(square(x));
  lp.grad();
  const matrix_cl<double> kept = x.adj();
  x.adj() = x.adj() * 10.0;
  lp.grad();
  expect_near(kept.to_host(), 2 * a.to_host().array());
  expect_near(x.adj().to_host(), 22 * a.to_host().array());
}

TEST_F(Tape, StatementsDifferInWhichScalarsAreVariables) {
  const auto a = random();
  const double total = a.to_host().sum();
  parameter<double> p(2);
  var c = 3;
  var first = sum(p * a * c);
  first.grad();
  EXPECT_NEAR(c.adj(), 2 * total, 1e-9);
  var second = sum(c * a * p);  // of the same C++ type
  second.grad();
  EXPECT_NEAR(c.adj(), 4 * total, 1e-9);
  set_zero_all_adjoints();
  matrix_var x(a);
  matrix_var y = p * x * c, z = c * x * p;
  var lp = sum(elt_multiply(y, z));
  lp.grad();
  EXPECT_NEAR(c.adj(), 2 * 4 * 3 * a.to_host().squaredNorm(), 1e-8);
}

TEST_F(Tape, StatementsDifferInTheElementTypesOfAdjoints) {
  const auto a = random();
  matrix_var x(a);
  matrix_var y = elt_multiply(x, x);  // the seed of its reverse statement is double
  var first = sum(y);
  first.grad();
  expect_near(x.adj().to_host(), 2 * a.to_host().array());
  set_zero_all_adjoints();
  float_var z = elt_multiply(x, x);  // of this one float
  var second = sum(z);
  second.grad();
  expect_near(x.adj().to_host(), 2 * a.to_host().array());
}

TEST_F(Tape, AScalarStatementIsOneStatementAndOneWait) {
  const auto b = random(711, 33), y = random(711, 33);
  counters used;
  for (int round = 0; round < 4; ++round) {
    matrix_var x{matrix_cl<double>(b)};
    const counters before = runtime_counters();
    var lp = sum(elt_multiply(exp(x), y) + x);
    lp.grad();
    const double value = lp.val();
    used = runtime_counters() - before;
    EXPECT_TRUE(std::isfinite(value));
    recover_memory();
  }
  EXPECT_LE(used.launches, 2u);
  EXPECT_EQ(used.buffers_created, 0u);
  EXPECT_EQ(used.host_waits, 1u);
}

TEST_F(Tape, NumbersOfAStatementComeWithOneCopy) {
  const auto data = random(711, 33);
  const MatrixXd b = data.to_host();
  counters used;
  for (int round = 0; round < 4; ++round) {
    const counters before = runtime_counters();
    matrix_var x{data};
    var c = 2, d = 3, e = 0.25;
    // the derivatives by some of the numbers are sums, others follow from numbers alone
    var lp = sum(x) * c + d * d * e - log(e);
    lp.grad();
    EXPECT_NEAR(lp.val(), 2 * b.sum() + 9 * 0.25 - std::log(0.25), 1e-8 * b.cwiseAbs().sum());
    EXPECT_NEAR(c.adj(), b.sum(), 1e-9 * b.cwiseAbs().sum());
    EXPECT_NEAR(d.adj(), 1.5, 1e-14);
    EXPECT_NEAR(e.adj(), 5, 1e-14);
    used = runtime_counters() - before;
    recover_memory();
  }
  EXPECT_EQ(used.host_reads, 1u);
  EXPECT_EQ(used.host_waits, 1u);
  EXPECT_EQ(used.buffers_created, 0u);
}

TEST_F(Tape, AVariableOfAMatrixKeepsItsValueWhenThatIsAssigned) {
  const MatrixXd before = random(71, 33).to_host(), after = random(71, 33).to_host();
  matrix_cl<double> m(before);
  matrix_var x{m};
  m = matrix_cl<double>(after) + 1.0;
  expect_near(x.val().to_host(), before.array());
  block_zero_based(m, 1, 2, 1, 1) = -7.0;
  m = after;
  matrix_var y{m};
  block_zero_based(m, 1, 2, 1, 1) = -7.0;
  expect_near(y.val().to_host(), after.array());
  EXPECT_EQ(m(1, 2), -7.0);
  {
    matrix_cl<double> gone(before);
    y = matrix_var{gone};
  }
  var total = sum(elt_multiply(x, y));
  total.grad();
  expect_near(x.adj().to_host(), before.array());
  expect_near(x.val().to_host(), before.array());
}

TEST_F(Tape, AVariableOfAMatrixThatAUserWritesToIsACopy) {
  const MatrixXd a = random(71, 3).to_host(), other = random(71, 3).to_host();
  matrix_cl<double> m(a);
  const cl::Buffer buffer = m.buffer();
  const matrix_var x{m};
  opencl_context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof(double) * 71 * 3, other.data());
  expect_near(x.val().to_host(), a.array());
  expect_near(m.to_host(), other.array());
}

TEST_F(Tape, AChainIsOneLaunchAStatementEachWay) {
  const auto a = random(), b = random();
  counters forward, reverse;
  MatrixXd got;
  for (int round = 0; round < 3; ++round) {
    matrix_var x{matrix_cl<double>(a)};
    const counters start = runtime_counters();
    matrix_var y1 = elt_multiply(x, b), y2 = exp(0.1 * y1), y3 = y2 + x, y4 = elt_multiply(y3, y3),
               y5 = tanh(y4), y6 = y5 - y1, y7 = 0.5 * y6, y8 = elt_multiply(y7, b), y9 = sin(y8),
               y10 = y9 + y2;
    const counters middle = runtime_counters();
    var lp = sum(y10);
    const counters before = runtime_counters();
    lp.grad();
    forward = middle - start;
    reverse = runtime_counters() - before;
    got = x.adj().to_host();
    recover_memory();
  }
  EXPECT_LE(forward.launches, 10u);
  EXPECT_LE(reverse.launches, 10u);
  EXPECT_EQ(forward.host_waits + reverse.host_waits, 0u);
  EXPECT_EQ(forward.buffers_created + reverse.buffers_created, 0u);
  // the same as one expression
  const auto c = shared(elt_multiply(a, b));
  const auto e = shared(exp(0.1 * c));
  const auto s = shared(e + a);
  const auto whole =
      value_and_gradient(sum(sin(elt_multiply(0.5 * (tanh(elt_multiply(s, s)) - c), b)) + e), wrt(a));
  expect_near(got, std::get<0>(whole.gradient).to_host().array());
}

TEST_F(Tape, AValueThatWasKeptIsNotComputedAgain) {
  const auto a = random(71, 3, -1, 1), b = random(71, 3, -1, 1);
  counters reverse;
  for (int round = 0; round < 2; ++round) {
    matrix_var x(a);
    matrix_var y = exp(x + rowwise_broadcast(rowwise_sum(b)));  // exp's derivative is its value
    var lp = sum(elt_multiply(y, y));
    const counters before = runtime_counters();
    lp.grad();
    reverse = runtime_counters() - before;
    const ArrayXXd e = (a.to_host().colwise() + b.to_host().rowwise().sum()).array().exp();
    expect_near(x.adj().to_host(), 2 * e * e);
    recover_memory();
  }
  EXPECT_EQ(reverse.launches, 1u);  // no row sums
}

TEST_F(Tape, NumbersInMatrixStatementsCostOneWait) {
  const auto a = random(71, 3, -1, 1);
  counters forward, reverse, reading;
  double got = 0;
  for (int round = 0; round < 3; ++round) {
    matrix_var y(a);
    var c = 1.01, d = c * c;
    const counters start = runtime_counters();
    for (int k = 0; k < 20; ++k) y = k % 2 ? d * y : c * y;
    var lp = sum(y);
    const counters before = runtime_counters();
    lp.grad();
    const counters after = runtime_counters();
    got = c.adj();
    forward = before - start;
    reverse = after - before;
    reading = runtime_counters() - after;
    recover_memory();
  }
  EXPECT_NEAR(got, 30 * std::pow(1.01, 29) * a.to_host().sum(), 1e-9);
  EXPECT_EQ(forward.host_waits, 0u);
  EXPECT_EQ(reverse.host_waits, 0u);
  EXPECT_EQ(reading.host_waits, 1u);
}

TEST_F(Tape, PartialsOfManyScalarStatementsAreFetchedTogether) {
  const auto a = random(71, 3, -1, 1);
  matrix_var x(a);
  var c = 0.5, total = 0;
  for (int k = 0; k < 10; ++k) {
    var part = sum(exp(c * x));
    total = k ? var(total + part) : part;  // reads both values
  }
  var late = sum(c * x);
  const counters before = runtime_counters();
  late.grad();
  EXPECT_LE((runtime_counters() - before).host_waits, 1u);
  EXPECT_NEAR(c.adj(), a.to_host().sum(), 1e-10);
}

TEST_F(Tape, AdjointsOfNumbersAddUpAcrossGradientsAndByHand) {
  const auto a = random();
  const double s = a.to_host().sum();
  matrix_var x(a);
  var c = 2;
  c.adj() = 10;
  matrix_var y = c * x;
  var lp = sum(y);
  lp.grad();
  lp.grad();
  EXPECT_NEAR(c.adj(), 10 + 2 * s, 1e-10);
  lp.grad();
  set_zero_all_adjoints();
  EXPECT_EQ(c.adj(), 0);
}

TEST_F(Tape, AHandWrittenKernelMayReplaceAVariablesMemory) {
  const kernel_cl<in_out_buffer, double> fill(
      "fill", "__kernel void fill(__global double* x, double v) { x[get_global_id(0)] = v; }");
  const auto a = random();
  {
    matrix_var x(a);
    matrix_var y = elt_multiply(x, x);
    auto& by_force = const_cast<matrix_cl<double>&>(x.val());
    fill(cl::NDRange(static_cast<std::size_t>(a.size())), by_force, 7.0);
    const auto churn = random(), more = random();  // takes what was freed, if anything was
    var lp = sum(y);
    lp.grad();
    expect_near(x.adj().to_host(), 2 * a.to_host().array());
    expect_near(x.val().to_host(), ArrayXXd::Constant(71, 3, 7));
    expect_near(y.val().to_host(), a.to_host().array().square());
  }
  recover_memory();
  const auto memory = a.storage();
  EXPECT_EQ(memory->pins.load(), 0u);
}

TEST_F(Tape, ASeedMayBeWrittenToTheBufferOfAnAdjoint) {
  matrix_var x(random());
  const std::vector<double> ones(71 * 3, 1.0), twos(71 * 3, 2.0);
  const auto write = [&](const cl::Buffer& to, const std::vector<double>& values) {
    opencl_context.queue().enqueueWriteBuffer(to, CL_TRUE, 0, values.size() * sizeof(double), values.data());
  };
  matrix_var y = x * 2.0;
  const cl::Buffer seed = y.adj().buffer();
  expect_near(y.adj().to_host(), ArrayXXd::Zero(71, 3));
  write(seed, ones);
  expect_near(y.adj().to_host(), ArrayXXd::Constant(71, 3, 1));
  grad();
  expect_near(x.adj().to_host(), ArrayXXd::Constant(71, 3, 2));
  set_zero_all_adjoints();
  expect_near(y.adj().to_host(), ArrayXXd::Zero(71, 3));
  write(seed, twos);
  grad();
  expect_near(x.adj().to_host(), ArrayXXd::Constant(71, 3, 4));
  set_zero_all_adjoints();
  var lp = sum(y);
  lp.grad();  // what was written before is no seed of this
  expect_near(x.adj().to_host(), ArrayXXd::Constant(71, 3, 2));
}

TEST_F(Tape, ANumberThatCouldNotBeFetchedIsNoZero) {
  matrix_var x(random());
  var c = 0.5, lp = sum(x * c);
  runtime::select_anew();  // what is on the device is lost
  EXPECT_THROW(lp.grad(), error);
  EXPECT_THROW(static_cast<void>(lp.val()), error);
}

/// Of two numbers that are added to an adjoint the first is on its way to the host when the second turns out
/// to be lost with the device that was selected before: nothing is written afterwards to memory that is gone.
TEST_F(Tape, NumbersOnTheirWayAreWaitedForWhereAnotherOneIsLost) {
  var c = 2, d = 1.5 * c;
  {
    const nested_rev_autodiff nested;
    const matrix_var y = d * random();
    y.adj() = random();
    grad();  // adds to the adjoint of d, which goes no further
  }
  runtime::select_anew();
  const matrix_var y = c * random();
  y.adj() = random();
  grad();  // c gets a number from here, then what d had
  const delayed_queue late;
  EXPECT_THROW(static_cast<void>(c.adj()), error);
  EXPECT_TRUE(late.has_begun());
}

TEST_F(Tape, MemoryStaysFlat) {
  const auto a = random(), b = random();
  matrix_var{matrix_cl<double>(a)};
  recover_memory();
  const auto round = [&] {
    matrix_var x{matrix_cl<double>(a)};
    var c = 0.3;
    matrix_var y = elt_multiply(x, b) + c;
    var lp = sum(elt_multiply(y, x));
    lp.grad();
    recover_memory();
  };
  for (int k = 0; k < 20; ++k) round();
  opencl_context.queue().finish();
  const pool_counts before = pool_statistics();
  for (int k = 0; k < 2000; ++k) round();
  const pool_counts after = pool_statistics();
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(after.blocks_in_use, before.blocks_in_use);
  EXPECT_EQ(after.buffers_created, before.buffers_created);
  EXPECT_EQ(after.bytes_free, before.bytes_free);
}

/// Value and gradient of a few statements on this thread's tape.
MatrixXd gradient_on_this_thread(const MatrixXd& host, double& value) {
  const matrix_cl<double> data(host);
  matrix_var x{matrix_cl<double>(host)};
  var c = 0.25;
  matrix_var y = exp(c * x) + data;
  matrix_var z = elt_multiply(y, y) - rowwise_broadcast(rowwise_sum(x));
  var lp = sum(elt_multiply(z, data)) + sum(y);
  lp.grad();
  value = lp.val() + c.adj();
  const MatrixXd result = x.adj().to_host();
  recover_memory();
  return result;
}

TEST_F(Tape, EightThreadsAgreeBitwise) {
  const MatrixXd host = random(711, 7, -1, 1).to_host();
  double value = 0;
  const MatrixXd wanted = gradient_on_this_thread(host, value);
  std::vector<MatrixXd> got(8);
  std::vector<double> values(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < got.size(); ++k)
    threads.emplace_back([&, k] {
      for (int round = 0; round < 10; ++round) got[k] = gradient_on_this_thread(host, values[k]);
    });
  for (std::thread& t : threads) t.join();
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(got[k], wanted) << k;
    EXPECT_EQ(values[k], value) << k;
  }
}

TEST_F(Tape, AColumnOfNumbers) {
  const matrix_var x(std::vector<double>{1, 2, 3});
  sum(square(x)).eval().grad();
  EXPECT_EQ(x.adj().to_host(), (Eigen::Vector3d(2, 4, 6)));
}

// An expression of variables on the device is a variable there, as a matrix of var is.
TEST_F(Tape, ToTheDeviceOfAnExpression) {
  const matrix_var x(std::vector<double>{1, 2, 3});
  const auto y = to_matrix_cl(2.0 * x);
  static_assert(std::is_same_v<decltype(y), const matrix_var>);
  var(sum(y)).grad();
  EXPECT_EQ(x.adj().to_host(), (Eigen::Vector3d(2, 2, 2)));
}

}  // namespace
}  // namespace fusecl
