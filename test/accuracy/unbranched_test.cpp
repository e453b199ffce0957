// Device functions that have a text of their own for NVIDIA's compiler: that of the exponential is OpenCL C
// and is held to its accuracy on every device.

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

std::string text_of(const ir::device_function& f, bool ptx, const std::string& body) {
  return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" +
         codegen::definition(device::exp_in_range, scalar_type::float64, 1, ptx) +
         codegen::definition(f, scalar_type::float64, 1, ptx) + body;
}

/// The exponential without branches at each of `x`, or that of what is not positive.
std::vector<double> exponentials(const std::vector<double>& x,
                                 const ir::device_function& f = device::exp_unbranched) {
  const kernel_cl<in_buffer, out_buffer> apply(
      "apply", text_of(f, true,
                       "kernel void apply(global const double* x, global double* y) {\n"
                       "  y[get_global_id(0)] = " +
                           std::string(f.name) + "_double(x[get_global_id(0)]);\n}\n"));
  const matrix_cl<double> from(
      Eigen::VectorXd(Eigen::VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size()))));
  matrix_cl<double> to(from.rows(), 1);
  apply(cl::NDRange(x.size()), from, to);
  const Eigen::VectorXd y = from_matrix_cl<Eigen::VectorXd>(to);
  return {y.data(), y.data() + y.size()};
}

TEST(Unbranched, ExponentialIsThatOfTheTable) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const std::vector<reference_row> rows = rows_exact_in<double>("exp");
  ASSERT_GT(rows.size(), 20u);
  std::vector<double> x;
  for (const reference_row& row : rows) x.push_back(static_cast<double>(row.operands[0]));
  expect_accurate<double>(op::exp::record(), rows, exponentials(x));
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
  const std::vector<double> y = exponentials(x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const long double exact = std::exp(static_cast<long double>(x[k]));
    const auto nearest = static_cast<double>(exact);
    if (std::isinf(nearest) || nearest == 0) {
      EXPECT_EQ(y[k], nearest) << x[k];
      continue;
    }
    const long double ulp = std::nextafter(nearest, 2 * nearest) - static_cast<long double>(nearest);
    EXPECT_LE(std::fabs(y[k] - exact), ulp) << x[k];
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = exponentials({infinity, -infinity, std::nan("")});
  EXPECT_EQ(special[0], infinity);
  EXPECT_EQ(special[1], 0);
  EXPECT_TRUE(std::isnan(special[2]));
  std::erase_if(x, [](double each) { return each > 0; });
  x.push_back(-infinity);
  EXPECT_EQ(exponentials(x, device::exp_of_nonpositive), exponentials(x));
  EXPECT_TRUE(std::isnan(exponentials({std::nan("")}, device::exp_of_nonpositive)[0]));
}

/// In the text that the device takes from the library.
TEST(Unbranched, QuotientsOfModerateNumbersAreWithinAnUlp) {
  if (!device_has_double()) GTEST_SKIP() << "the device has no double";
  const schedule::device_shape device = fusecl::detail::selected_device_shape();
  const bool ptx = device.shuffles && device.form == schedule::device_form::gpu;
  const kernel_cl<in_buffer, in_buffer, out_buffer> apply(
      "apply",
      text_of(device::moderate_quotient, ptx,
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
    const double nearest = std::fabs(static_cast<double>(exact));
    const long double ulp = std::nextafter(nearest, 2 * nearest) - static_cast<long double>(nearest);
    EXPECT_LE(std::fabs(q[k] - exact), ulp) << n[k] << " / " << d[k];
  }
}

}  // namespace
}  // namespace fusecl::test
