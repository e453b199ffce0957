// Products with a vector against Eigen, their errors, and what a regression written with them costs.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

class Product : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }

  int n = GetParam().first, k = GetParam().second;
  matrix_cl<double> X = random_matrix<double>(n, k, matrix_cl_view::Entire, -1, 1);
  matrix_cl<double> b = random_matrix<double>(k, 1, matrix_cl_view::Entire, -1, 1);
  matrix_cl<double> w = random_matrix<double>(1, n, matrix_cl_view::Entire, -1, 1);
};

TEST_P(Product, OfAMatrixAndAColumn) {
  in_both_forms([&] { expect_matches_reference(X * b); });
  const Eigen::MatrixXd product = from_matrix_cl(X) * from_matrix_cl(b);
  EXPECT_LE((from_matrix_cl(X * b) - product).cwiseAbs().sum(), 1e-10);
}

TEST_P(Product, OfARowAndAMatrix) {
  in_both_forms([&] { expect_matches_reference(w * X); });
  const Eigen::MatrixXd product = from_matrix_cl(w) * from_matrix_cl(X);
  EXPECT_LE((from_matrix_cl(w * X) - product).cwiseAbs().sum(), 1e-10);
}

TEST_P(Product, OfAColumnAndARow) {
  in_both_forms([&] { expect_matches_reference(b * w); });
}

TEST_P(Product, OfExpressionsWithinAnExpression) {
  in_both_forms([&] { expect_matches_reference(exp((X + 1.0) * (b - 0.5)) + rowwise_sum(X)); });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Product,
                         ::testing::Values(std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(1, 7),
                                           std::pair(7, 1), std::pair(71, 33), std::pair(1025, 9)));

TEST(ProductOf, ATriangleDoesNotReadTheRest) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> L = random_matrix<double>(33, 33, matrix_cl_view::Lower, -1, 1);
  const matrix_cl<double> b = random_matrix<double>(33, 1, matrix_cl_view::Entire, -1, 1);
  in_both_forms([&] { expect_matches_reference(L * b); });
}

/// Log density of counts, whose logarithm of a gamma function follows from rows alone, and what a gradient
/// needs besides; rows that are no multiple of anything, and fewer rows than work-items.
TEST(ProductOf, RowsWhoseOwnTermsTakeLong) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto& [n, k] : {std::pair(1, 40), std::pair(63, 40), std::pair(4098, 17)}) {
    const matrix_cl<double> x = random_matrix<double>(n, k, matrix_cl_view::Entire, -1, 1),
                            b = random_matrix<double>(k, 1, matrix_cl_view::Entire, -0.2, 0.2);
    const matrix_cl<int> y = random_matrix<int>(n, 1, matrix_cl_view::Entire, 0, 9);
    const matrix_cl<double> offset = random_matrix<double>(n, 1, matrix_cl_view::Entire, -1, 1);
    in_both_forms([&] {
      const auto eta = shared(x * b + offset);
      const auto own = shared(lgamma(y + 2.5) - lgamma(fabs(offset) + 1.0));
      EXPECT_ALL_MATCH_REFERENCE(sum(elt_multiply(y, eta) - (exp(eta) + own)), transpose(x) * (y - exp(eta)),
                                 -sum(elt_multiply(-lgamma(y + 2.5), offset) - eta), min_2d(own - eta),
                                 colwise_max(lgamma(y + 1.5)));
    });
  }
}

TEST(ProductOf, IntegersIsAnInteger) {
  Eigen::MatrixXi x(2, 2), y(2, 1);
  x << 1, 2, 3, 4;
  y << 5, 6;
  const Eigen::MatrixXi wanted = x * y;
  EXPECT_EQ(from_matrix_cl(matrix_cl<int>(x) * matrix_cl<int>(y)), wanted);
}

TEST(ProductOf, SizesThatDoNotFitAreNamed) {
  const matrix_cl<double> a(3, 4), b(3, 1), c(3, 5);
  try {
    a* b;
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("a (3 x 4) and b (3 x 1)"), std::string::npos) << e.what();
  }
  EXPECT_THROW(a * c, std::invalid_argument);
}

/// Logistic regression as a text book writes it: one pass over X and one finish.
TEST(ProductOf, ARegressionReadsItsDataOnce) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (int n : {1, 71, 2000}) {
      const matrix_cl<double> X = random_matrix<double>(n, 11, matrix_cl_view::Entire, -1, 1);
      const matrix_cl<double> y = random_matrix<double>(n, 1, matrix_cl_view::Entire, 0, 1);
      const matrix_cl<double> b = random_matrix<double>(11, 1, matrix_cl_view::Entire, -1, 1);
      const auto eta = shared(X * b + 0.3);
      const auto density = sum(elt_multiply(y, eta) - log1p_exp(eta));
      auto result = value_and_gradient(density, wrt(b));
      const counters before = runtime_counters();
      result = value_and_gradient(density, wrt(b));
      const counters spent = runtime_counters() - before;
      EXPECT_LE(spent.launches, 2u);
      EXPECT_EQ(spent.host_waits, 1u);
      const Eigen::MatrixXd x = from_matrix_cl(X);
      const Eigen::ArrayXd e = (x * from_matrix_cl(b)).array() + 0.3;
      const Eigen::MatrixXd d = from_matrix_cl(y).array() - 1 / (1 + (-e).exp());
      const Eigen::MatrixXd wanted = x.transpose() * d;
      EXPECT_LE((from_matrix_cl(std::get<0>(result.gradient)) - wanted).cwiseAbs().maxCoeff(), 1e-11);
    }
  });
}

TEST(Product, WithOneElementIsANumber) {
  in_both_forms([] {
    // whole numbers: sums are exact in any order
    const host<float> ha = random_host<int>(9, 9, -9, 9).cast<float>(), hv = ha.col(0);
    const matrix_cl<float> a(ha), v(hv);
    const float square = transpose(v) * v, form = (transpose(v) * a) * v;
    EXPECT_EQ(square, hv.squaredNorm());
    EXPECT_EQ(form, (hv.transpose() * ha * hv)(0, 0));
    EXPECT_THROW(static_cast<float>(a * v), std::invalid_argument);
    float total = 1;
    total += sum(a);
    total -= sum(v);
    EXPECT_EQ(total, 1 + ha.sum() - hv.sum());
    EXPECT_EQ(static_cast<float>(dot_product(v, transpose(v))), hv.squaredNorm());
    EXPECT_EQ(static_cast<float>(squared_distance(transpose(v), v)), 0);
    EXPECT_EQ(static_cast<float>(dot_product(transpose(v), row(a, 1))), (ha.row(0) * hv)(0, 0));
    EXPECT_THROW(dot_product(v, row(block(a, 1, 1, 9, 8), 1)), std::invalid_argument);
    EXPECT_TRUE(static_cast<bool>(any(a == a)));
    EXPECT_FALSE(static_cast<bool>(any(a > 9.0f)));
    EXPECT_TRUE(static_cast<bool>(all(a < 10.0f)));
    EXPECT_FALSE(static_cast<bool>(all(v == v + 1.0f)));
    EXPECT_FALSE(static_cast<bool>(any(matrix_cl<float>())));
    EXPECT_TRUE(static_cast<bool>(all(matrix_cl<float>())));
  });
}

TEST(Product, MakesNumbersOfWhatIsComputedFromIt) {
  in_both_forms([] {
    const host<float> hv = random_host<int>(9, 1, -9, 9).cast<float>();
    const matrix_cl<float> v(hv), none(0, 1);
    const float square = hv.squaredNorm();
    const float half = 0.5f * (transpose(v) * v), both = transpose(v) * v - (transpose(v) * v) / 4.0f;
    EXPECT_EQ(half, square / 2);
    EXPECT_EQ(both, square * 0.75f);
    EXPECT_EQ(static_cast<float>(2.0f * (transpose(v) * v) + sum(v)), 2 * square + hv.sum());
    EXPECT_EQ(static_cast<float>(select(transpose(v) * v > 0.0f, transpose(v) * v, -1.0f)), square);
    EXPECT_EQ(static_cast<float>(-shared(transpose(v) * v)), -square);
    const double wider = 0.5f * (transpose(v) * v);
    EXPECT_EQ(wider, square / 2);
    EXPECT_EQ(static_cast<float>(3.0f + transpose(none) * none), 3);
    float total = 1;
    total += 0.5f * (transpose(v) * v);
    total -= transpose(v) * v;
    EXPECT_EQ(total, 1 - square / 2);
    EXPECT_TRUE(static_cast<bool>(transpose(v) * v > square - 1));
    if (transpose(v) * v < 0.0f) ADD_FAILURE() << "a sum of squares below 0";
    // more elements than one
    EXPECT_THROW(static_cast<float>(0.5f * (v * transpose(v))), std::invalid_argument);
    EXPECT_THROW(static_cast<float>(none * transpose(none)), std::invalid_argument);
    EXPECT_THROW(total += v * transpose(v), std::invalid_argument);
    EXPECT_EQ(total, 1 - square / 2);
    EXPECT_EQ((0.5f * (v * transpose(v))).eval().rows(), 9);
  });
}

}  // namespace
}  // namespace fusecl
