// Checks in the statements that compute gradients: one wait for the value, the derivatives and all checks,
// and what is left as it was where one fails.

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/messages.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<float>;

/// A density whose argument has to be positive, and below a bound.
template <class X>
auto positive_density(const X& x, const matrix& y) {
  return checked(sum(log(x) - elt_multiply(x, y)), check_cl("density", "x", x, "positive", x > 0.0f),
                 check_cl("density", "y", y, "below 5", y < 5.0f));
}

class CheckedGradient : public ::testing::Test {
 protected:
  matrix x = matrix(std::vector<float>{1, 2, 4});
  matrix bad = matrix(std::vector<float>{1, -2, 4});
  matrix y = matrix(std::vector<float>{3, 1, 2});
  matrix high = matrix(std::vector<float>{3, 1, 7});
};

TEST_F(CheckedGradient, IsThatOfTheExpression) {
  in_both_forms([&] {
    const auto wanted = value_and_gradient(sum(log(x) - elt_multiply(x, y)), wrt(x, y));
    const auto found = value_and_gradient(positive_density(x, y), wrt(x, y));
    EXPECT_EQ(found.value, wanted.value);
    EXPECT_EQ(std::get<0>(found.gradient).to_host(), std::get<0>(wanted.gradient).to_host());
    EXPECT_EQ(std::get<1>(found.gradient).to_host(), std::get<1>(wanted.gradient).to_host());
  });
}

TEST_F(CheckedGradient, CostsOneWait) {
  Eigen::VectorXf by_x;
  matrix by_y;
  const matrix long_x = random_matrix<float>(1000, 1, matrix_cl_view::Entire, 1, 2), long_y = 1.0f / long_x;
  counters of_plain, of_checked;
  for (int k = 0; k < 3; ++k) {
    const counters start = runtime_counters();
    value_and_gradient_into(sum(log(long_x) - elt_multiply(long_x, long_y)), wrt(long_x, long_y), by_x, by_y);
    const counters middle = runtime_counters();
    value_and_gradient_into(positive_density(long_x, long_y), wrt(long_x, long_y), by_x, by_y);
    of_plain = middle - start;
    of_checked = runtime_counters() - middle;
  }
  EXPECT_EQ(of_checked.host_waits, 1u);
  EXPECT_EQ(of_checked.launches, of_plain.launches);
  // the value and the number of the check in one copy, beside that of the gradient
  EXPECT_EQ(of_checked.host_reads, of_plain.host_reads);
  EXPECT_EQ(of_checked.bytes_to_host,
            of_plain.bytes_to_host - sizeof(float) + ir::number_stride + sizeof(int));
  EXPECT_EQ(of_checked.programs_built + of_checked.programs_loaded, 0u);
  EXPECT_EQ(of_checked.buffers_created, 0u);
}

TEST_F(CheckedGradient, LeavesEveryKindOfTargetAsItWasWhereACheckFails) {
  const matrix ones(std::vector<float>{7, 7, 7});
  matrix device = ones;
  Eigen::Vector3f fixed = Eigen::Vector3f::Constant(7);
  std::vector<float> plain(3, 7);
  Eigen::VectorXf larger = Eigen::VectorXf::Constant(5, 7);
  auto part = larger.segment(1, 3);
  const auto fails = [&](auto& target) {
    EXPECT_EQ(failed_check([&] { value_and_gradient_into(positive_density(bad, y), wrt(bad), target); }),
              "density: x[2] is -2, but must be positive!");
    EXPECT_EQ(failed_check([&] { value_and_gradient_into(positive_density(x, high), wrt(x), target); }),
              "density: y[3] is 7, but must be below 5!");
    EXPECT_EQ(failed_check([&] { value_and_gradient_into(positive_density(bad, high), wrt(bad), target); }),
              "density: x[2] is -2, but must be positive!");
  };
  fails(device);
  fails(fixed);
  fails(plain);
  fails(part);
  EXPECT_EQ(device.to_host(), ones.to_host());
  EXPECT_EQ(fixed, Eigen::Vector3f::Constant(7));
  EXPECT_EQ(plain, std::vector<float>(3, 7));
  EXPECT_EQ(larger, Eigen::VectorXf::Constant(5, 7));

  const Eigen::Vector3f wanted = 1 / x.to_host().array() - y.to_host().array();
  const float value = value_and_gradient_into(positive_density(x, y), wrt(x), device);
  EXPECT_EQ(value, value_and_gradient_into(positive_density(x, y), wrt(x), fixed));
  EXPECT_EQ(value, value_and_gradient_into(positive_density(x, y), wrt(x), plain));
  EXPECT_EQ(value, value_and_gradient_into(positive_density(x, y), wrt(x), part));
  EXPECT_EQ(device.to_host(), wanted);
  EXPECT_EQ(fixed, wanted);
  EXPECT_EQ(Eigen::Map<Eigen::Vector3f>(plain.data()), wanted);
  EXPECT_EQ(larger.segment(1, 3), wanted);
  EXPECT_EQ(larger(0) + larger(4), 14);
}

TEST_F(CheckedGradient, TakesNumbersInTheOrderWrittenAndVariablesThatAreNotUsed) {
  const auto density = [&](const matrix& at, bool known) {
    return checked(sum(log(at)), check_cl("f", "x", at, "positive", at > 0.0f),
                   check_cl("f", "n", 3, "known", known), check_cl("f", "y", y, "below 2", y < 2.0f));
  };
  matrix by_x, by_other;
  EXPECT_EQ(failed_check([&] { value_and_gradient_into(density(bad, false), wrt(bad), by_x); }),
            "f: x[2] is -2, but must be positive!");
  EXPECT_EQ(failed_check([&] { value_and_gradient_into(density(x, false), wrt(x), by_x); }),
            "f: n is 3, but must be known!");
  EXPECT_EQ(failed_check([&] { value_and_gradient_into(density(x, true), wrt(x), by_x); }),
            "f: y[1] is 3, but must be below 2!");
  const matrix other(2, 2);
  value_and_gradient_into(checked(sum(log(x)), check_cl("f", "x", x, "positive", x > 0.0f)),
                          wrt(optional(other), x), by_other, by_x);
  EXPECT_EQ(by_other.to_host(), Eigen::Matrix2f::Zero());
  EXPECT_EQ(by_x.to_host(), x.to_host().cwiseInverse());
  EXPECT_THROW(value_and_gradient(density(x, true), wrt(other)), std::invalid_argument);
}

TEST_F(CheckedGradient, IsPreparedAndShown) {
  const matrix fresh = random_matrix<float>(17, 1, matrix_cl_view::Entire, 1, 2);
  const auto density = checked(sum(sqrt(fresh) * 3.25f), check_cl("f", "x", fresh, "positive", fresh > 0.0f));
  prepare(density, wrt(fresh));
  const counters start = runtime_counters();
  value_and_gradient(density, wrt(fresh));
  const counters spent = runtime_counters() - start;
  EXPECT_EQ(spent.programs_built + spent.programs_loaded, 0u);
  EXPECT_NE(gradient_kernel_source(density, wrt(fresh)).find("sqrt"), std::string::npos);
}

TEST(CheckedVariable, IsRecordedWhereTheChecksHold) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> data(std::vector<double>{0.5, 2, 4});
  for (const double at : {1.5, -1.5}) {
    var_value<matrix_cl<double>> x(data);
    var s = at;
    const auto density = checked(sum(log(x) * s), check_cl("f", "x", x, "positive", x > 0.0),
                                 check_cl("f", "s", s, "positive", s > 0.0));
    if (at > 0) {
      const counters start = runtime_counters();
      var l = density;
      EXPECT_NEAR(l.val(), 1.5 * std::log(4.0), 1e-14);
      EXPECT_EQ((runtime_counters() - start).host_waits, 1u);
      l.grad();
      EXPECT_NEAR(s.adj(), std::log(4.0), 1e-14);
      EXPECT_EQ(x.adj().to_host(), (Eigen::Vector3d(3, 0.75, 0.375)));
    } else {
      const std::size_t before = detail::this_thread_tape().size();
      EXPECT_EQ(failed_check([&] { (void)var(density); }), "f: s is -1.5, but must be positive!");
      EXPECT_EQ(detail::this_thread_tape().size(), before);
    }
  }
  recover_memory();
}

}  // namespace
}  // namespace fusecl
