// prepare(f): what statements on the tape need is built without the device.

#include <support/both_forms.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/prepare.hpp>
#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix_var = var_value<matrix_cl<double>>;

TEST(PrepareTape, BuildsStatementsAndGradients) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(71, 3, matrix_cl_view::Entire, -1, 1);
  matrix_var x(a);
  var c = 0.3;
  double value = 0;
  const auto density = [&] {
    matrix_var y = tan(c * x) - rowwise_broadcast(rowwise_sum(x));
    matrix_var z = elt_multiply(y, y) + x;
    var total = sum(z);
    var lp = sum(elt_multiply(z, exp(total * x / 1000.0))) + 2 * total * c;
    lp.grad();
    value = lp.val();
  };
  const counters before = runtime_counters();
  prepare(density);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 0u);
  EXPECT_EQ(spent.host_waits, 0u);
  EXPECT_GT(spent.programs_built + spent.programs_loaded, 4u);
  EXPECT_EQ(detail::this_thread_tape().size(), 2u);
  EXPECT_EQ(c.adj(), 0);
  EXPECT_EQ(x.adj().to_host(), (Eigen::MatrixXd::Zero(71, 3)));
  set_zero_all_adjoints();
  freeze();
  EXPECT_NO_THROW(density());
  unfreeze();
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_NE(value, 1);
  recover_memory();
}

TEST(PrepareTape, BuildsHandWrittenKernelsAndRunsNone) {
  const kernel_cl<in_buffer, in_out_buffer> add("add", R"(
    kernel void add(global const float* a, global float* b) { b[get_global_id(0)] += a[get_global_id(0)]; })",
                                                {}, kernel_sizes("(n, 1), (n, 1)"));
  const matrix_cl<float> a(std::vector<float>{3, 1, 2});
  matrix_cl<float> b = a, sorted;
  const cl::NDRange all(3);
  const auto work = [&] {
    add(all, a, b);
    sorted = sort_desc(b);
  };
  const counters before = runtime_counters();
  prepare(work);
  EXPECT_THROW(prepare([&] { add(all, matrix_cl<float>(a.size() + 1, 1), b); }), std::invalid_argument);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 0u);
  EXPECT_GT(spent.programs_built + spent.programs_loaded, 1u);
  EXPECT_EQ(b.to_host(), a.to_host());
  freeze();
  EXPECT_NO_THROW(work());
  unfreeze();
  EXPECT_EQ(sorted.to_host(), Eigen::Vector3f(6, 4, 2));
}

TEST(PrepareTape, LeavesAdjointsThatAreNotPinned) {
  FUSECL_NEEDS_DOUBLE;
  matrix_var x(random_matrix<double>(2, 2));
  matrix_var y = exp(x);
  var lp = sum(square(y));
  lp.grad();
  const auto before = x.adj().to_host();
  prepare([&] {
    set_zero_all_adjoints();
    (void)x.adj();
  });
  EXPECT_EQ(x.adj().to_host(), before);
  recover_memory();
}

TEST(PrepareTape, LeavesAdjointsThatAreCopiedTo) {
  const matrix_cl<float> ones = constant(1.0f, 2, 2), other = constant(5.0f, 2, 2);
  var_value<matrix_cl<float>> x(ones);
  x.adj() = ones;
  prepare([&] {
    x.adj() = other;
    prepare([&] { x.adj() = other.to_host(); });
    x.adj() = other.to_host();
  });
  EXPECT_EQ(x.adj().to_host(), ones.to_host());
  var(sum(x)).grad();
  EXPECT_EQ(x.adj().to_host(), 2 * ones.to_host());
  recover_memory();
}

TEST(PrepareTape, LeavesMatricesWhosePartsAreAssigned) {
  FUSECL_NEEDS_DOUBLE;
  auto a = random_matrix<double>(3, 3, matrix_cl_view::Lower);
  const auto b = random_matrix<double>(3, 1);
  const auto before = a.to_host();
  const auto statements = [&] {
    row(a, 1) = transpose(b) * 0.3;
    block(a, 1, 2, 2, 2) = 1.0;
    matrix_cl<double> c;
    results(col(a, 2), c) = expressions(b * 0.7, b);
  };
  prepare(statements);
  EXPECT_EQ(a.view(), matrix_cl_view::Lower);
  EXPECT_EQ(a.to_host(), before);
  freeze();
  EXPECT_NO_THROW(statements());
  unfreeze();
}

TEST(PrepareTape, LeavesEverythingAsItWasAfterAnException) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 3);
  matrix_var x(a);
  x.adj() = a;
  EXPECT_THROW(prepare([&] {
                 var lp = sum(exp(x));
                 lp.grad();
                 throw std::runtime_error("enough");
               }),
               std::runtime_error);
  EXPECT_EQ(x.adj().to_host(), a.to_host());
  var lp = sum(x);
  lp.grad();
  EXPECT_EQ(x.adj().to_host(), (a.to_host().array() + 1).matrix());
  recover_memory();
}

TEST(PrepareTape, NumbersAreOneAndResultsHaveSizes) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(4, 3);
  double x = 0, y = 0, z = 2, u = 0, v = 0, w = 0;
  std::int64_t rows = 0;
  const auto statements = [&] {
    matrix_cl<double> b, c;
    x = sum(a);
    results(y, b) = expressions(sum(a), a * 2.0);
    z += sum(exp(b));
    u = checked(sum(a * 3.0), check_cl("f", "a", a, "small", a < 1e6));
    results(check_cl("f", "b", b, "small"), c, v) = expressions(b < 1e6, b + a, sum(b));
    w = hessian_times_vector(sum(exp(a)), wrt(a), a).value + (a + b)(1, 2);
    rows = c.rows();
  };
  const counters before = runtime_counters();
  prepare(statements);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches + spent.host_waits, 0u);
  EXPECT_EQ(x, 1);
  EXPECT_EQ(y, 1);
  EXPECT_EQ(z, 3);
  EXPECT_EQ(u, 1);
  EXPECT_EQ(v, 1);
  EXPECT_EQ(w, 2);
  EXPECT_EQ(rows, 4);
  freeze();
  EXPECT_NO_THROW(statements());
  unfreeze();
  EXPECT_NEAR(v, 2 * x, 1e-12);
}

TEST(PrepareTape, WritesNothingToTheHost) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(1000, 1, matrix_cl_view::Entire, -1, 1);
  Eigen::VectorXd part = Eigen::VectorXd::Zero(1200);
  std::vector<double> list;
  const counters before = runtime_counters();
  prepare([&] {
    Eigen::VectorXd ends_with_the_statement;
    value_and_gradient_into(sum(exp(a)), wrt(a), ends_with_the_statement);
    EXPECT_EQ(ends_with_the_statement, Eigen::VectorXd::Ones(1000));
    auto segment = part.segment(100, 1000);
    value_and_gradient_into(sum(exp(a)), wrt(a), segment);
    value_and_gradient_into(sum(exp(a)), wrt(a), list);
  });
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.host_reads, 0u);
  EXPECT_EQ(spent.bytes_to_host, 0u);
  EXPECT_EQ(list, std::vector<double>(1000, 1));
  EXPECT_EQ(part.sum(), 1000);
}

TEST(PrepareTape, AsksNothingOfIndicesThatAreComputed) {
  FUSECL_NEEDS_DOUBLE;
  const Eigen::MatrixXi far = Eigen::MatrixXi::Constant(3, 1, 1000000);
  const auto a = random_matrix<double>(3, 1);
  matrix_cl<int> numbers(far);
  EXPECT_NO_THROW(prepare([&] {
    matrix_cl<double> r = random_matrix<double>(3, 1);
    r[numbers] = a;
    r[numbers] += a;
  }));
  matrix_cl<double> r = a;
  EXPECT_THROW(r[numbers] = a, std::out_of_range);
}

/// Of indices that are there, what their groups need, and equal ones are one.
TEST(PrepareTape, OfIndicesTwiceBuildsWhatTheyNeed) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int count : {21, 2100}) {
      Eigen::VectorXi groups(count);
      for (int k = 0; k < count; ++k) groups[k] = k % 7;
      const matrix_cl<int> g(groups);
      const auto y = random_matrix<double>(count, 1), a = random_matrix<double>(7, 1);
      matrix_cl<double> by_a;
      const auto lp = sum(elt_multiply(y, a[g]) - log1p_exp(a[g]));
      prepare([&] { value_and_gradient_into(lp, wrt(a), by_a); });
      freeze();
      EXPECT_NO_THROW(value_and_gradient_into(lp, wrt(a), by_a)) << count;
      unfreeze();
      const auto wanted = value_and_gradient(lp, wrt(a));
      EXPECT_EQ(from_matrix_cl(by_a), from_matrix_cl(std::get<0>(wanted.gradient)));
    }
  });
}

/// What is assigned in what is prepared is not read.
TEST(PrepareTape, OfIndicesThatAreMadeThereReadsNone) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 1);
  matrix_cl<double> by_a;
  const auto work = [&](const Eigen::VectorXi& groups) {
    matrix_cl<int> g(groups.size(), 1);
    g = matrix_cl<int>(groups) + 0;
    return value_and_gradient_into(sum(exp(a[g]) + a[g]), wrt(a), by_a);
  };
  EXPECT_NO_THROW(prepare([&] { work(Eigen::VectorXi::Constant(21, 3)); }));
  freeze();
  EXPECT_NO_THROW(work(Eigen::VectorXi::Constant(21, 3)));
  unfreeze();
}

/// Places that are none are told where the statement runs.
TEST(PrepareTape, OfIndicesThatLeadOutsideWaitsForTheStatement) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 1);
  const matrix_cl<int> g(Eigen::VectorXi::Constant(5, 7));
  matrix_cl<double> by_a;
  const auto work = [&] { value_and_gradient_into(sum(exp(a[g])), wrt(a), by_a); };
  EXPECT_NO_THROW(prepare(work));
  EXPECT_THROW(work(), std::out_of_range);
}

}  // namespace
}  // namespace fusecl
