// Reductions of what follows from a product of matrices, which the product's own kernel takes, in both forms
// of kernels: sizes at the edges of tiles, views, several results, and what that costs.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/spent_by.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

class SumsOfProduct : public ::testing::TestWithParam<product_sizes> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k, m = GetParam().m;
};

TEST_P(SumsOfProduct, MatchTheReference) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, m), bt = numbers<double>(m, k),
             c = numbers<double>(n, m), column = numbers<double>(n, 1), row = numbers<double>(1, m);
  in_both_forms([&] {
    expect_matches_reference(sum(square(a * b - c)));
    expect_matches_reference(sum(exp(a * transpose(bt))) / 2.0 - 1.0);
    expect_matches_reference(max_2d(a * b + rowwise_broadcast(column)));
    expect_matches_reference(min_2d(elt_multiply(a * b, colwise_broadcast(row))));
    expect_matches_reference(prod_2d(1.0 + 0.001 * (a * b)));
    EXPECT_ALL_MATCH_REFERENCE(a * b, sum(a * b));
    const auto p = shared(a * b);
    EXPECT_ALL_MATCH_REFERENCE(exp(p) + c, sum(p), max_2d(elt_multiply(p, c)), sum(c));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SumsOfProduct,
                         ::testing::Values(product_sizes{0, 3, 4}, product_sizes{3, 0, 4},
                                           product_sizes{3, 4, 0}, product_sizes{2, 2, 2},
                                           product_sizes{7, 5, 3}, product_sizes{33, 17, 31},
                                           product_sizes{64, 16, 64}, product_sizes{65, 33, 63},
                                           product_sizes{97, 129, 49}, product_sizes{5, 1999, 7},
                                           product_sizes{200, 40, 130}));

class SumsOfSquareProduct : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam();
};

TEST_P(SumsOfSquareProduct, OfTrianglesAndViews) {
  const auto lower = numbers<double>(n, n, matrix_cl_view::Lower),
             upper = numbers<double>(n, n, matrix_cl_view::Upper), a = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(sum(square(lower * lower)));
    expect_matches_reference(min_2d(5.0 + lower * upper));
    expect_matches_reference(sum(lower * a - a));
    expect_matches_reference(max_2d(upper * upper));
    expect_matches_reference(sum(elt_multiply(a * a, lower)));
    expect_matches_reference(max_2d(elt_multiply(a * a, upper)));
    expect_matches_reference(sum(square(a * a)));
  });
}

TEST_P(SumsOfSquareProduct, WithTheOwnTranspose) {
  const auto a = numbers<double>(n, 9), c = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(sum(square(a * transpose(a) - c)));
    expect_matches_reference(max_2d(elt_multiply(crossprod(transpose(a)), c)));
    EXPECT_ALL_MATCH_REFERENCE(a * transpose(a), sum(a * transpose(a)));
  });
}

TEST_P(SumsOfSquareProduct, AreReadByOthers) {
  const auto a = numbers<double>(n, n), b = numbers<double>(n, n), c = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(c * sum(a * b));
    expect_matches_reference((a * b) / sum(square(a * b)));
    expect_matches_reference(sum(a * b + b * a));
    expect_matches_reference(sum(elt_multiply(a * b, transpose(a * b))));
    expect_matches_reference(sum(a * b * c));
    expect_matches_reference(sum(exp(a * b)) + max_2d(b * a) + sum(rowwise_sum(a * c)));
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(a * b), sum(a * b), colwise_max(a * b), a * b + 1.0);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SumsOfSquareProduct, ::testing::Values(0, 1, 33, 65, 97));

TEST(SumsOfProducts, AreAllKindsOfReductions) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(70, 20), b = numbers<double>(20, 67);
  in_both_forms([&] {
    const auto p = shared(a * b);
    expect_matches_reference(log_sum_exp(p));
    expect_matches_reference(mean(p));
    expect_matches_reference(norm2(p));
    expect_matches_reference(any(p > 3.0));
    expect_matches_reference(all(p > -30.0));
    EXPECT_ALL_MATCH_REFERENCE(sum(p), max_2d(p), min_2d(exp(p)), sum(square(p)), prod_2d(1.0 + 0.01 * p));
    expect_matches_reference(variance(p));
  });
}

TEST(SumsOfProducts, OfOtherTypes) {
  const auto a = numbers<float>(70, 20), b = numbers<float>(20, 67), c = numbers<float>(70, 67);
  const matrix_cl<int> i = random_matrix<int>(70, 9, matrix_cl_view::Entire, -9, 9),
                       j = random_matrix<int>(9, 67, matrix_cl_view::Entire, -9, 9);
  in_both_forms([&] {
    expect_matches_reference(sum(square(a * b - c)));
    EXPECT_ALL_MATCH_REFERENCE(exp(a * b), max_2d(a * b));
    expect_matches_reference(sum(i * j));
    expect_matches_reference(min_2d(i * j - 3));
  });
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([&] {
    expect_matches_reference(sum(cast<double>(a * b)));
    expect_matches_reference(max_2d(cast<double>(i * j) / 3.0));
  });
}

TEST(SumsOfProducts, KeepNaNAndInfinity) {
  FUSECL_NEEDS_DOUBLE;
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  in_both_forms([&] {
    for (const double bad : {inf, -inf, nan}) {
      host<double> x = host<double>::Constant(70, 8, 1.0);
      x(69, 3) = bad;
      const matrix_cl<double> a(x), b(host<double>(host<double>::Constant(8, 66, 1.0)));
      const double all = sum(a * b), most = max_2d(a * b), least = min_2d(a * b);
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(all) : all == bad) << all;
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(most) : most == (bad > 0 ? inf : 8.0)) << most;
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(least) : least == (bad > 0 ? 8.0 : -inf)) << least;
    }
  });
}

TEST(SumsOfProducts, TakeOneLaunchAndNoMemory) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(150, 80), b = numbers<double>(80, 140), c = numbers<double>(150, 140),
             row = numbers<double>(1, 140);
  in_both_forms([&] {
    matrix_cl<double> d, e;
    double s = 0;
    // without the last group's help a second kernel adds the parts
    const auto most = fusecl::detail::selected_device_shape().last_group ? 1u : 2u;
    const auto expect_one = [most](const counters& spent) {
      EXPECT_EQ(spent.launches, most);
      EXPECT_EQ(spent.buffers_created, 0u);
    };
    expect_one(spent_by([&] { s = sum(square(a * b - c)); }));
    expect_one(spent_by([&] { s = max_2d(exp(a * b) + colwise_broadcast(row)); }));
    expect_one(spent_by([&] { s = sqrt(sum(square(a * transpose(a)))) / 2.0; }));
    const auto p = shared(a * b);
    expect_one(spent_by([&] { results(d, e) = expressions(exp(p), sum(p)); }));
    EXPECT_EQ(spent_by([&] { d = c * sum(p); }).launches, most + 1);
    // nothing of the product is kept
    const auto text = explain(sum(square(a * b - c))).text();
    EXPECT_NE(text.find("reductions of a product with it: taken"), std::string::npos) << text;
    EXPECT_EQ(text.find("* restrict t0"), std::string::npos) << text;
  });
}

TEST(SumsOfProducts, AreTheSameEachTime) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(300, 50), b = numbers<double>(50, 280);
  in_both_forms([&] {
    const double once = sum(exp(a * b));
    for (int k = 0; k < 10; ++k) EXPECT_EQ(once, double{sum(exp(a * b))});
  });
}

TEST(SumsOfProducts, MayGoToAnOperand) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([&] {
    auto a = numbers<double>(60, 60), b = numbers<double>(60, 60);
    const host<double> ha = from_matrix_cl(a), hb = from_matrix_cl(b);
    matrix_cl<double> total;
    const auto p = shared(a * b);
    results(a, total) = expressions(p + a, sum(p + a));
    EXPECT_LE((from_matrix_cl(a) - (ha * hb + ha)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(from_matrix_cl(total)(0, 0), (ha * hb + ha).sum(), 1e-9);
  });
}

}  // namespace
}  // namespace fusecl
