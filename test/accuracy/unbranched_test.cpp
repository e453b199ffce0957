// Device functions that have a text of their own for NVIDIA's compiler: those of the exponential, the
// logarithm and quotients by one number are OpenCL C and are held to their accuracy on every device.

#include <cmath>
#include <random>

#include <accuracy/reference.hpp>
#include <support/operands.hpp>

#include <fusion/codegen/function_library.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/ops/device_functions/unbranched.hpp>
#include <fusion/ops/elementary.hpp>

namespace fusecl::test {
namespace {

/// Whether the device takes texts with PTX from the library.
bool has_ptx() { return fusecl::detail::selected_device_shape().takes_ptx(); }

/// A function after what its text calls; that of the inverse is PTX, which some devices do not take.
std::string definitions(const ir::device_function& f, bool ptx) {
  std::string text;
  for (auto uses = ptx ? f.uses_ptx : f.uses; uses != nullptr && *uses != nullptr; ++uses)
    text += definitions(**uses, ptx && (*uses != &device::moderate_inverse || has_ptx()));
  return text + codegen::definition(f, scalar_type::float64, 1, ptx);
}

std::string text_of(const ir::device_function& f, bool ptx, const std::string& body) {
  return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + definitions(f, ptx) + body;
}

/// A function of one operand, in its text without branches, at each of `x`.
std::vector<double> at_each(const ir::device_function& f, const std::vector<double>& x) {
  const kernel_cl<in_buffer, out_buffer> apply(
      "apply", text_of(f, true,
                       "kernel void apply(global const double* x, global double* y) {\n"
                       "  y[get_global_id(0)] = " +
                           std::string(f.name) + "_double(x[get_global_id(0)]);\n}\n"));
  const matrix_cl<double> from(x);
  matrix_cl<double> to(from.rows(), 1);
  apply(cl::NDRange(x.size()), from, to);
  const Eigen::VectorXd y = from_matrix_cl<Eigen::VectorXd>(to);
  return {y.data(), y.data() + y.size()};
}

long double ulp_of(double x) {
  return std::nextafter(std::fabs(x), HUGE_VAL) - static_cast<long double>(std::fabs(x));
}

TEST(Unbranched, ExponentialIsThatOfTheTable) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const std::vector<reference_row> rows = rows_exact_in<double>("exp");
  ASSERT_GT(rows.size(), 20u);
  std::vector<double> x;
  for (const reference_row& row : rows) x.push_back(static_cast<double>(row.operands[0]));
  expect_accurate<double>(op::exp::record(), rows, at_each(device::exp_unbranched, x));
}

TEST(Unbranched, ExponentialIsWithinAnUlpFarOutAndNearItsEnds) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  std::mt19937_64 random(26113054);
  std::uniform_real_distribution<double> far(-745.2, 709.79), near(-2, 2);
  std::vector<double> x = {
      0.0,  -0.0,  709.782712893384, 709.7827128933841, 710, 746, 1e300, -708.4, -745.1, -745.2, -746.0,
      -747, -1e300};
  for (int k = 0; k < 20000; ++k) {
    x.push_back(far(random));
    x.push_back(near(random));
  }
  const std::vector<double> y = at_each(device::exp_unbranched, x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const long double exact = std::exp(static_cast<long double>(x[k]));
    const auto nearest = static_cast<double>(exact);
    if (std::isinf(nearest) || nearest == 0) {
      EXPECT_EQ(y[k], nearest) << x[k];
      continue;
    }
    EXPECT_LE(std::fabs(y[k] - exact), ulp_of(nearest)) << x[k];
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = at_each(device::exp_unbranched, {infinity, -infinity, std::nan("")});
  EXPECT_EQ(special[0], infinity);
  EXPECT_EQ(special[1], 0);
  EXPECT_TRUE(std::isnan(special[2]));
  std::erase_if(x, [](double each) { return each > 0; });
  x.push_back(-infinity);
  EXPECT_EQ(at_each(device::exp_of_nonpositive, x), at_each(device::exp_unbranched, x));
  EXPECT_TRUE(std::isnan(at_each(device::exp_of_nonpositive, {std::nan("")})[0]));
}

TEST(Unbranched, LogarithmIsThatOfTheTable) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const std::vector<reference_row> rows = rows_exact_in<double>("log");
  ASSERT_GT(rows.size(), 20u);
  std::vector<double> x;
  for (const reference_row& row : rows) x.push_back(static_cast<double>(row.operands[0]));
  expect_accurate<double>(op::log::record(), rows, at_each(device::log_unbranched, x));
}

TEST(Unbranched, LogarithmIsWithinAnUlpEverywhere) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  std::mt19937_64 random(26113056);
  std::uniform_real_distribution<double> exponent(-1074, 1024), near(0.5, 2), at_one(-1e-3, 1e-3);
  std::vector<double> x = {1,
                           2,
                           std::sqrt(0.5),
                           std::nextafter(std::sqrt(0.5), 0),
                           std::sqrt(2.0),
                           std::nextafter(std::sqrt(2.0), 2),
                           std::nextafter(1.0, 0),
                           std::nextafter(1.0, 2),
                           std::numeric_limits<double>::min(),
                           std::nextafter(std::numeric_limits<double>::min(), 0),
                           std::numeric_limits<double>::denorm_min(),
                           1e-310,
                           std::numeric_limits<double>::max()};
  for (int k = 0; k < 10000; ++k) {
    x.push_back(std::exp2(exponent(random)));
    x.push_back(near(random));
    x.push_back(1 + at_one(random));
  }
  const std::vector<double> y = at_each(device::log_unbranched, x);
  EXPECT_EQ(y[0], 0);
  for (std::size_t k = 1; k < x.size(); ++k) {
    const long double exact = std::log(static_cast<long double>(x[k]));
    EXPECT_LE(std::fabs(y[k] - exact), ulp_of(static_cast<double>(exact))) << x[k];
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special =
      at_each(device::log_unbranched, {0.0, -0.0, infinity, -infinity, std::nan(""), -1.0, -1e-310, -1e300});
  EXPECT_EQ(special[0], -infinity);
  EXPECT_EQ(special[1], -infinity);
  EXPECT_EQ(special[2], infinity);
  for (std::size_t k = 3; k < special.size(); ++k) EXPECT_TRUE(std::isnan(special[k])) << k;
}

/// log(1 + x) where `sign` is 1, else log(1 - x) as of -x.
void expect_log1p_everywhere(const ir::device_function& f, double sign) {
  std::mt19937_64 random(26113058);
  std::uniform_real_distribution<double> exponent(-1074, 1024), near(-1, 3), above_minus_one(-54, 0);
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  std::vector<double> x = {1,
                           -0.5,
                           std::sqrt(0.5) - 1,
                           std::sqrt(2.0) - 1,
                           std::nextafter(-1.0, 0),
                           smallest,
                           -smallest,
                           1e-310,
                           0x1p-54,
                           -0x1p-54,
                           0x1p52,
                           0x1p53 + 2,
                           1e300,
                           std::numeric_limits<double>::max()};
  for (int k = 0; k < 10000; ++k) {
    const double size = std::exp2(exponent(random));
    x.push_back(size);
    if (size < 1) x.push_back(-size);
    x.push_back(near(random));
    x.push_back(std::exp2(above_minus_one(random)) - 1);
  }
  std::vector<double> operands = x;
  for (double& each : operands) each *= sign;
  const std::vector<double> y = at_each(f, operands);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const long double exact = std::log1p(static_cast<long double>(x[k]));
    EXPECT_LE(std::fabs(y[k] - exact), 1.5L * ulp_of(static_cast<double>(exact))) << x[k];
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = at_each(
      f, {0.0, -0.0, -sign, sign * infinity, -sign * infinity, std::nan(""), -1.5 * sign, -1e300 * sign});
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(special[k], 0);
    EXPECT_EQ(std::signbit(special[k]), (k == 1) == (sign > 0)) << k;
  }
  EXPECT_EQ(special[2], -infinity);
  EXPECT_EQ(special[3], infinity);
  for (std::size_t k = 4; k < special.size(); ++k) EXPECT_TRUE(std::isnan(special[k])) << k;
}

TEST(Unbranched, LogarithmOfOneMoreIsWithinAnUlpAndAHalfEverywhere) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  expect_log1p_everywhere(device::log1p_unbranched, 1);
  expect_log1p_everywhere(device::log1m_unbranched, -1);
}

TEST(Unbranched, LogarithmOfOneMoreIsThatOfTheTable) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const std::vector<reference_row> rows = rows_exact_in<double>("log1p");
  ASSERT_GT(rows.size(), 20u);
  std::vector<double> x;
  for (const reference_row& row : rows) x.push_back(static_cast<double>(row.operands[0]));
  expect_accurate<double>(op::log1p::record(), rows, at_each(device::log1p_unbranched, x));
}

/// n / d of numbers that are divided by one after the other.
TEST(Unbranched, QuotientsByOneNumberAreThoseOfIeee) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const kernel_cl<in_buffer, in_buffer, out_buffer> apply(
      "apply", text_of(device::divisor, false,
                       codegen::definition(device::quotient_by, scalar_type::float64) +
                           codegen::definition(device::quotient_by, scalar_type::float64, 2) +
                           "kernel void apply(global const double2* n, global const double* d,\n"
                           "                  global double2* q) {\n"
                           "  const size_t i = get_global_id(0);\n"
                           "  const double2 by = divisor_double(d[i]);\n"
                           "  q[2 * i] = quotient_by_double2(n[i], by);\n"
                           "  q[2 * i + 1] = (double2)(quotient_by_double(n[i].lo, by),\n"
                           "                           quotient_by_double(n[i].hi, by));\n}\n"));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> specials = {
      0.0,    -0.0,  1,       -3,  infinity, -infinity, std::nan(""), 1e-5,     5e-324,   2.3e-308,
      1e-300, 1e300, 1.7e308, 0.1, 7,        6.0 / 49,  1.0 / 3.0,    0x1p1023, 0x1p-1022};
  std::mt19937_64 random(26113057);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-900, 900);
  std::vector<double> n, d;
  for (double by : specials)
    for (std::size_t k = 0; k < specials.size(); ++k) {
      n.push_back(specials[k]);
      n.push_back(k % 2 == 0 ? by : 3 * by);
      d.push_back(by);
    }
  const std::size_t tame = n.size();
  for (int k = 0; k < 20000; ++k) {
    const double scale = k % 2 == 0 ? 0 : exponent(random) / 2;
    d.push_back(std::ldexp(normal(random), static_cast<int>(scale)));
    n.push_back(std::ldexp(normal(random), static_cast<int>(scale)));
    n.push_back(std::round(100 * normal(random)) * d.back());
  }
  matrix_cl<double> quotients(static_cast<std::int64_t>(2 * n.size()), 1);
  apply(cl::NDRange(d.size()), matrix_cl<double>(n), matrix_cl<double>(d), quotients);
  const Eigen::VectorXd q = from_matrix_cl<Eigen::VectorXd>(quotients);
  for (std::size_t k = 0; k < n.size(); ++k) {
    const double exact = n[k] / d[k / 2];
    const bool near_smallest =
        std::isfinite(exact) && (std::fabs(n[k]) < 1e-290 || (std::fabs(exact) < 1e-290 && exact != 0));
    for (std::size_t at : {4 * (k / 2) + k % 2, 4 * (k / 2) + 2 + k % 2}) {
      const double got = q[static_cast<Eigen::Index>(at)];
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(got)) << n[k] << " / " << d[k / 2];
      else if (near_smallest && k < tame)
        EXPECT_LE(std::fabs(got - static_cast<long double>(exact)), ulp_of(exact))
            << n[k] << " / " << d[k / 2];
      else
        EXPECT_EQ(got, exact) << n[k] << " / " << d[k / 2];
      if (exact == 0) {
        EXPECT_EQ(std::signbit(got), std::signbit(exact)) << n[k] << " / " << d[k / 2];
      }
    }
  }
}

/// In the text that the device takes from the library.
TEST(Unbranched, QuotientsOfModerateNumbersAreWithinAnUlp) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const kernel_cl<in_buffer, in_buffer, out_buffer> apply(
      "apply",
      text_of(device::moderate_quotient, has_ptx(),
              "kernel void apply(global const double* n, global const double* d, global double* q) {\n"
              "  const size_t i = get_global_id(0);\n"
              "  q[i] = moderate_quotient_double(n[i], d[i]);\n}\n"));
  std::mt19937_64 random(26113055);
  std::uniform_real_distribution<double> moderate(1, 4), exponent(-300, 300);
  const Eigen::Index count = 20000;
  Eigen::VectorXd n(count), d(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    n[k] = k % 3 == 0 ? 1 : k % 3 == 1 ? std::pow(10.0, exponent(random)) : moderate(random) - 2;
    d[k] = moderate(random);
  }
  n.head(6) << 0, 1, 1, 1, 3, std::nan("");
  d.head(6) << 2, 1, 2, 4, 3, 2;
  matrix_cl<double> quotients(count, 1);
  apply(cl::NDRange(static_cast<std::size_t>(count)), matrix_cl<double>(n), matrix_cl<double>(d), quotients);
  const Eigen::VectorXd q = from_matrix_cl<Eigen::VectorXd>(quotients);
  EXPECT_EQ(q.head(5), (Eigen::VectorXd(5) << 0, 1, 0.5, 0.25, 1).finished());
  EXPECT_TRUE(std::isnan(q[5]));
  for (Eigen::Index k = 6; k < count; ++k) {
    const long double exact = static_cast<long double>(n[k]) / d[k];
    EXPECT_LE(std::fabs(q[k] - exact), ulp_of(static_cast<double>(exact))) << n[k] << " / " << d[k];
  }
}

}  // namespace
}  // namespace fusecl::test
