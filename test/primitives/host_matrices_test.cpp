// Functions of Eigen matrices that go to the device from a size on: the same results and exceptions on both
// sides of it, constants that cross once, matrices of var, options and their file.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <support/messages.hpp>
#include <support/operands.hpp>
#include <support/scoped_variable.hpp>
#include <support/transfer_from.hpp>

#include <fusion/runtime/counters.hpp>
#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

template <class T>
class HostMatrices : public ::testing::Test {
 protected:
  using matrix = host<T>;
  static constexpr T tolerance = std::is_same_v<T, double> ? T(1e-12) : T(1e-4);

  static matrix positive(int n) {
    const matrix a = random_host<T>(n, n, -1, 1);
    return a * a.transpose() + n * matrix::Identity(n, n);
  }
  /// NaN outside of the triangle.
  static matrix triangle(int n, bool lower) {
    matrix a = random_host<T>(n, n, -1, 1);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (i == j) a(i, j) = T(n + 1);
        if (lower ? i < j : i > j) a(i, j) = poison<T>();
      }
    return a;
  }
};
using types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(HostMatrices, types);

TYPED_TEST(HostMatrices, AreTheSameOnBothSidesOfTheSize) {
  using T = TypeParam;
  using matrix = host<T>;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  for (const bool on_device : {false, true}) {
    const transfer_from here(on_device ? 0 : tuning_options::never);
    for (const int n : {0, 1, 2, 33}) {
      const matrix a = random_host<T>(n, 5), b = random_host<T>(5, 3), sides = random_host<T>(n, 3);
      const matrix s = this->positive(n), low = this->triangle(n, true), up = this->triangle(n, false);
      const matrix l = low.template triangularView<Eigen::Lower>(),
                   u = up.template triangularView<Eigen::Upper>();
      const auto near = [&](const matrix& found, const matrix& wanted) {
        return found.rows() == wanted.rows() && found.cols() == wanted.cols() &&
               (found - wanted).norm() <= this->tolerance * (1 + wanted.norm());
      };
      const std::uint64_t before = runtime_counters().launches;
      EXPECT_TRUE(near(multiply(a, b), a * b));
      EXPECT_TRUE(near(multiply(a.transpose(), s), a.transpose() * s));
      const matrix factor = cholesky_decompose(s);
      EXPECT_TRUE(near(factor * factor.transpose(), s));
      EXPECT_TRUE(factor.isLowerTriangular());
      EXPECT_TRUE(near(l * tri_inverse<matrix_cl_view::Lower>(low), matrix::Identity(n, n)));
      EXPECT_TRUE(near(u * tri_inverse<matrix_cl_view::Upper>(up), matrix::Identity(n, n)));
      EXPECT_TRUE(near(l * mdivide_left_tri_low(low), matrix::Identity(n, n)));
      EXPECT_TRUE(near(l * mdivide_left_tri_low(low, sides), sides));
      EXPECT_TRUE(near(u * mdivide_left_tri<matrix_cl_view::Upper>(up, sides), sides));
      EXPECT_TRUE(near(mdivide_right_tri_low(sides.transpose(), low) * l, sides.transpose()));
      EXPECT_TRUE(near(s * mdivide_left_spd(s, sides), sides));
      EXPECT_TRUE(near(s * inverse_spd(s), matrix::Identity(n, n)));
      if (n > 0) {
        EXPECT_EQ(runtime_counters().launches != before, on_device);
      }
    }
  }
}

TYPED_TEST(HostMatrices, OfArraysAndOfZeroPivotsAreTheSameToo) {
  using T = TypeParam;
  using matrix = host<T>;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  const Eigen::Array<T, 2, 2> a = (Eigen::Array<T, 2, 2>() << 1, 2, 3, 4).finished();
  const matrix square = a.matrix() * a.matrix();
  matrix l(3, 3), u(3, 3);
  l << 1, 0, 0, 2, 0, 0, 3, 4, 5;
  u << 5, 4, 3, 0, 0, 2, 0, 0, 1;
  for (const std::int64_t from : {tuning_options::never, std::int64_t{0}}) {
    const transfer_from size(from);
    EXPECT_EQ(multiply(a, a), square);
    EXPECT_EQ(multiply(a, a.matrix()), square);
    EXPECT_EQ(multiply(constant_matrix<T>(a), a), square);
    const matrix lower = tri_inverse<matrix_cl_view::Lower>(l), upper = tri_inverse<matrix_cl_view::Upper>(u);
    EXPECT_EQ(lower(2, 2), T(0.2));
    EXPECT_TRUE(lower(0, 2) == 0 && lower(1, 2) == 0 && lower(0, 0) == 1);
    EXPECT_EQ(upper(0, 0), T(0.2));
    matrix with_nan = l;
    with_nan(1, 1) = 3;
    with_nan(2, 1) = std::numeric_limits<T>::quiet_NaN();
    const matrix beside = tri_inverse<matrix_cl_view::Lower>(with_nan);
    EXPECT_EQ(beside(2, 2), T(0.2));
    EXPECT_TRUE(beside(0, 2) == 0 && std::isnan(beside(2, 1)));
  }
}

TYPED_TEST(HostMatrices, RefuseTheSameOnBothSides) {
  using T = TypeParam;
  using matrix = host<T>;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  std::string messages[2];
  for (const bool on_device : {false, true}) {
    const transfer_from here(on_device ? 0 : tuning_options::never);
    const matrix wide = random_host<T>(2, 3), square = this->positive(2);
    EXPECT_THROW(cholesky_decompose(wide), std::invalid_argument);
    EXPECT_THROW(tri_inverse<matrix_cl_view::Lower>(wide), std::invalid_argument);
    expect_message<std::invalid_argument>(
        [&] { mdivide_left_tri_low(square, random_host<T>(3, 1)); },
        "mdivide_left_tri_low: a (2 x 2) and b (3 x 1) must have as many rows");
    expect_message<std::invalid_argument>([&] { mdivide_left_tri_low(wide); },
                                          "mdivide_left_tri_low: a (2 x 3) must be square");
    EXPECT_THROW(mdivide_right_tri_low(random_host<T>(1, 3), square), std::invalid_argument);
    EXPECT_THROW(mdivide_left_spd(wide, square), std::invalid_argument);
    EXPECT_THROW(multiply(wide, wide), std::invalid_argument);
    matrix bad = this->positive(5);
    bad(3, 3) = -1;
    try {
      cholesky_decompose(bad);
      ADD_FAILURE() << "no exception";
    } catch (const std::domain_error& e) {
      messages[on_device] = e.what();
    }
    bad(0, 0) = poison<T>();
    EXPECT_THROW(cholesky_decompose(bad), std::domain_error);
    EXPECT_THROW(inverse_spd(bad), std::domain_error);
  }
  // the pivot's number; its value may be rounded otherwise
  EXPECT_EQ(messages[0].substr(0, messages[0].find(" is -")),
            messages[1].substr(0, messages[1].find(" is -")));
  EXPECT_NE(messages[0].find("pivot 4"), std::string::npos) << messages[0];
}

TYPED_TEST(HostMatrices, ConstantsCrossOnce) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  const transfer_from always(0);
  const constant_matrix x(random_host<T>(40, 20));
  const host<T> b = random_host<T>(20, 1);
  multiply(x, b);
  const std::uint64_t before = runtime_counters().bytes_to_device;
  const host<T> found = multiply(constant_matrix<T>(x), b);
  EXPECT_EQ(runtime_counters().bytes_to_device - before, 20 * sizeof(T));
  EXPECT_TRUE(found.isApprox(x.host() * b, this->tolerance));
}

TYPED_TEST(HostMatrices, TrianglesMayHaveTheNamesOfEigen) {
  using T = TypeParam;
  using matrix = host<T>;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  const matrix lower = TestFixture::triangle(5, true), upper = TestFixture::triangle(5, false),
               b = random_host<T>(5, 2, -1, 1);
  EXPECT_EQ(mdivide_left_tri<Eigen::Lower>(lower), tri_inverse<matrix_cl_view::Lower>(lower));
  EXPECT_EQ(mdivide_left_tri<Eigen::Upper>(upper), tri_inverse<matrix_cl_view::Upper>(upper));
  EXPECT_EQ(mdivide_left_tri<Eigen::Lower>(lower, b), mdivide_left_tri<matrix_cl_view::Lower>(lower, b));
  EXPECT_EQ(mdivide_left_tri<Eigen::Upper>(upper, b), mdivide_left_tri<matrix_cl_view::Upper>(upper, b));
  EXPECT_NO_THROW(check_pos_definite("f", "m", Eigen::LLT<Eigen::MatrixXd>(Eigen::MatrixXd::Identity(3, 3))));
  expect_message<std::domain_error>(
      [] { check_pos_definite("f", "m", Eigen::LLT<Eigen::MatrixXd>(-Eigen::MatrixXd::Identity(3, 3))); },
      "f: m is not positive definite");
}

TEST(HostMatricesOfVariables, HaveDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  using host_var = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;
  const host<double> a = random_host<double>(3, 3), b = random_host<double>(3, 2);
  const host_var variables = a.unaryExpr([](double x) { return var(x); });
  const host_var product = multiply(variables, b);
  var total = 0;
  for (Eigen::Index k = 0; k < product.size(); ++k) total += product.data()[k];
  total.grad();
  const host<double> wanted = host<double>::Ones(3, 2) * b.transpose();
  for (Eigen::Index k = 0; k < 9; ++k) EXPECT_NEAR(variables.data()[k].adj(), wanted.data()[k], 1e-12);
  recover_memory();
  const host<double> s = a * a.transpose() + 3 * host<double>::Identity(3, 3);
  const host_var of_s = s.unaryExpr([](double x) { return var(x); });
  const host_var wide = of_s.topRows(2);
  expect_message<std::invalid_argument>([&] { mdivide_left_tri_low(wide); }, "mdivide_left_tri_low: a (2 x ");
  expect_message<std::invalid_argument>([&] { mdivide_left_tri_low(of_s, wide); },
                                        "mdivide_left_tri_low: a (");
  const host_var factor = cholesky_decompose(of_s);
  var logarithm = log(factor(0, 0)) + log(factor(1, 1)) + log(factor(2, 2));
  logarithm
      .grad();  // of half the logarithm of the determinant: inverse(s) / 2, both triangles in the lower one
  const host<double> inverse = s.inverse();
  EXPECT_NEAR(of_s(0, 0).adj(), 0.5 * inverse(0, 0), 1e-12);
  EXPECT_NEAR(of_s(2, 1).adj(), inverse(2, 1), 1e-12);
  EXPECT_EQ(of_s(1, 2).adj(), 0);
  recover_memory();
}

TEST(Tuning, ReadsAndWritesItsFile) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("fusecl_tuning_" + std::to_string(::getpid()));
  const std::string file = (folder / "deeper" / "tuning.tsv").string();
  const capabilities& device = opencl_context.capabilities();
  const tuning_options options{1, 2, 3, tuning_options::never};
  capabilities other = device;
  other.name += " of another kind";
  runtime::write_tuning(file, other, {5, 6, 7, 8});
  runtime::write_tuning(file, device, {9, 9, 9, 9});
  runtime::write_tuning(file, device, options);
  const scoped_variable of_the_file("FUSECL_TUNING", file);
  const tuning_options read = runtime::tuned_for(device);
  EXPECT_EQ(read.multiply_dim_prod_worth_transfer, 1);
  EXPECT_EQ(read.mdivide_dim_prod_worth_transfer, 2);
  EXPECT_EQ(read.cholesky_size_worth_transfer, 3);
  EXPECT_EQ(read.tri_inverse_size_worth_transfer, tuning_options::never);
  EXPECT_EQ(runtime::tuned_for(other).cholesky_size_worth_transfer, 7);
  std::ofstream(file, std::ios::app) << other.name << "\tcholesky_size_worth_transfer\tnever\n";
  EXPECT_EQ(runtime::tuned_for(other).cholesky_size_worth_transfer, tuning_options::never);
  std::ofstream(file, std::ios::app) << device.name << "\tcholesky_size_worth_transferr\t7\n";
  EXPECT_THROW(runtime::tuned_for(device), error);
  std::filesystem::remove(file);
  runtime::write_tuning(file, device, options);
  std::ofstream(file, std::ios::app) << "not such a line\n";
  EXPECT_THROW(runtime::tuned_for(device), error);
  std::ofstream(file) << device.name << "\tcholesky_size_worth_transfer\t7" << '\0' << "\n";
  EXPECT_THROW(runtime::tuned_for(device), error);
  EXPECT_THROW(runtime::write_tuning(file, device, options), error);
  {
    const scoped_variable no_file("FUSECL_TUNING", folder);
    EXPECT_THROW(runtime::tuned_for(device), error);
  }
  {
    const scoped_variable none("FUSECL_TUNING", "off");
    EXPECT_NE(runtime::tuned_for(device).cholesky_size_worth_transfer, 3);
  }
  {
    const scoped_variable absent("FUSECL_TUNING", folder / "absent");
    EXPECT_THROW(runtime::tuned_for(device), error);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fusecl::test
