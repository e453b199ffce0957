// Reductions of the rows or columns of what follows from a product of matrices, which the product's own
// kernel takes, in both forms of kernels: sizes at the edges of tiles, views, several results, and what that
// costs.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/spent_by.hpp>

#include <fusion/autodiff/check_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

class LinesOfProduct : public ::testing::TestWithParam<product_sizes> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k, m = GetParam().m;
};

TEST_P(LinesOfProduct, MatchTheReference) {
  const auto a = numbers<double>(n, k), at = numbers<double>(k, n), b = numbers<double>(k, m),
             bt = numbers<double>(m, k), c = numbers<double>(n, m), ct = numbers<double>(m, n),
             column = numbers<double>(n, 1), row = numbers<double>(1, m);
  in_both_forms([&] {
    expect_matches_reference(rowwise_sum(square(a * b - c)));
    expect_matches_reference(colwise_sum(exp(a * b)));
    expect_matches_reference(rowwise_sum(transpose(at) * b) + 2.0 * column);
    expect_matches_reference(colwise_sum(a * transpose(bt) - transpose(ct)) - row);
    expect_matches_reference(rowwise_prod(1.0 + 0.001 * (a * b)));
    expect_matches_reference(transpose(rowwise_sum(a * b)));
    expect_matches_reference(colwise_sum(a * b + rowwise_broadcast(column)));
    expect_matches_reference(rowwise_sum(elt_multiply(a * b, colwise_broadcast(row))));
    const auto p = shared(a * b);
    EXPECT_ALL_MATCH_REFERENCE(exp(p) + c, rowwise_sum(p), rowwise_sum(square(p)));
    EXPECT_ALL_MATCH_REFERENCE(p, colwise_sum(p), colwise_sum(elt_multiply(p, c)));
    if (m > 0) {
      expect_matches_reference(rowwise_max(a * b));
      EXPECT_ALL_MATCH_REFERENCE(rowwise_min(p - c), rowwise_max(p + c), rowwise_sum(p));
      expect_matches_reference(rowwise_mean(a * b));
    }
    if (n > 0) {
      expect_matches_reference(colwise_min(a * b));
      EXPECT_ALL_MATCH_REFERENCE(colwise_max(p), colwise_min(exp(p)), colwise_sum(p),
                                 colwise_prod(1.0 + 0.001 * p));
      expect_matches_reference(colwise_mean(a * b - c));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, LinesOfProduct,
                         ::testing::Values(product_sizes{0, 3, 4}, product_sizes{3, 0, 4},
                                           product_sizes{3, 4, 0}, product_sizes{2, 2, 2},
                                           product_sizes{1, 5, 3}, product_sizes{3, 5, 1},
                                           product_sizes{7, 5, 3}, product_sizes{33, 17, 31},
                                           product_sizes{64, 16, 64}, product_sizes{65, 33, 63},
                                           product_sizes{63, 17, 65}, product_sizes{97, 257, 49},
                                           product_sizes{5, 1999, 7}, product_sizes{200, 40, 193}));

class LinesOfSquareProduct : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam();
};

TEST_P(LinesOfSquareProduct, OfTrianglesAndViews) {
  const auto lower = numbers<double>(n, n, matrix_cl_view::Lower),
             upper = numbers<double>(n, n, matrix_cl_view::Upper), a = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(rowwise_sum(square(lower * lower)));
    expect_matches_reference(colwise_sum(5.0 + lower * upper));
    expect_matches_reference(rowwise_sum(lower * a - a));
    expect_matches_reference(colwise_sum(elt_multiply(a * a, lower)));
    expect_matches_reference(rowwise_prod(elt_multiply(a * a, upper)));
    if (n > 0) {
      expect_matches_reference(colwise_max(upper * upper));
      expect_matches_reference(rowwise_min(elt_multiply(a * a, upper)));
    }
    expect_matches_reference(rowwise_sum(square(a * a)));
    expect_matches_reference(rowwise_sum(square(a * transpose(a) - lower)));
    expect_matches_reference(colwise_sum(crossprod(a)));
  });
}

TEST_P(LinesOfSquareProduct, AreReadByOthers) {
  const auto a = numbers<double>(n, n), b = numbers<double>(n, n), c = numbers<double>(n, n);
  in_both_forms([&] {
    expect_matches_reference(c + rowwise_broadcast(rowwise_sum(exp(a * b))));
    expect_matches_reference(a * b - rowwise_broadcast(rowwise_sum(a * b)));
    expect_matches_reference(rowwise_sum(a * b + b * a));
    expect_matches_reference(rowwise_sum(elt_multiply(a * b, transpose(a * b))));
    expect_matches_reference(colwise_sum(a * b * c));
    expect_matches_reference(sum(exp(rowwise_sum(a * b))) + sum(square(colwise_sum(b * c))));
    expect_matches_reference(c * rowwise_sum(square(a * b)));
    const auto p = shared(a * b);
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(p), colwise_sum(p), sum(p), p);
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(p), rowwise_sum(c), rowwise_sum(p + c));
  });
}

TEST_P(LinesOfSquareProduct, MeetElementsOfTheProduct) {
  if (n == 0) return;
  const auto a = numbers<double>(n, 5), b = numbers<double>(5, n), c = numbers<double>(n, n);
  in_both_forms([&] {
    const auto p = shared(a * b);
    expect_matches_reference(rowwise_sum(exp(p)) + col(p, 1));
    expect_matches_reference(colwise_max(p - c) - row(p, n));
    expect_matches_reference(rowwise_sum(elt_multiply(p, c)) + transpose(row(p, 1)));
    EXPECT_ALL_MATCH_REFERENCE(colwise_max(p - c) - row(p, 1), exp(p));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, LinesOfSquareProduct, ::testing::Values(0, 1, 2, 33, 65, 97));

TEST(LinesOfProducts, AreAllKindsOfReductions) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(70, 20), b = numbers<double>(20, 67);
  in_both_forms([&] {
    const auto p = shared(a * b);
    expect_matches_reference(rowwise_log_sum_exp(p));
    expect_matches_reference(colwise_log_sum_exp(p));
    expect_matches_reference(rowwise_norm1(p));
    expect_matches_reference(colwise_variance(p));
    EXPECT_ALL_MATCH_REFERENCE(rowwise_sum(p), rowwise_max(p), rowwise_min(exp(p)), rowwise_sum(square(p)),
                               rowwise_prod(1.0 + 0.01 * p));
  });
}

TEST(LinesOfProducts, OfOtherTypes) {
  const auto a = numbers<float>(70, 20), b = numbers<float>(20, 67), c = numbers<float>(70, 67);
  const matrix_cl<int> i = random_matrix<int>(70, 9, matrix_cl_view::Entire, -9, 9),
                       j = random_matrix<int>(9, 67, matrix_cl_view::Entire, -9, 9);
  in_both_forms([&] {
    expect_matches_reference(rowwise_sum(square(a * b - c)));
    expect_matches_reference(colwise_max(exp(a * b)));
    expect_matches_reference(rowwise_sum(i * j));
    expect_matches_reference(colwise_min(i * j - 3));
  });
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([&] {
    expect_matches_reference(rowwise_sum(cast<double>(a * b)));
    const auto p = shared(i * j);
    EXPECT_ALL_MATCH_REFERENCE(colwise_max(cast<double>(p) / 3.0), colwise_sum(p));
  });
}

TEST(LinesOfProducts, KeepNaNAndInfinity) {
  FUSECL_NEEDS_DOUBLE;
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  in_both_forms([&] {
    for (const double bad : {inf, -inf, nan}) {
      host<double> x = host<double>::Constant(70, 8, 1.0);
      x(69, 3) = bad;
      const matrix_cl<double> a(x), b(host<double>(host<double>::Constant(8, 66, 1.0)));
      const matrix_cl<double> of_rows = rowwise_sum(a * b), most = colwise_max(a * b);
      const host<double> sums = from_matrix_cl(of_rows), largest = from_matrix_cl(most);
      for (int i = 0; i < 69; ++i) EXPECT_EQ(sums(i, 0), 8 * 66.0);
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(sums(69, 0)) : sums(69, 0) == bad) << sums(69, 0);
      for (int j = 0; j < 66; ++j)
        EXPECT_TRUE(std::isnan(bad) ? std::isnan(largest(0, j)) : largest(0, j) == (bad > 0 ? inf : 8.0));
    }
  });
}

TEST(LinesOfProducts, TakeTwoLaunchesAtMostAndNoMemory) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(250, 80), b = numbers<double>(80, 240), c = numbers<double>(250, 240),
             row = numbers<double>(1, 240), few = numbers<double>(80, 9), thin = numbers<double>(9, 80);
  in_both_forms([&] {
    matrix_cl<double> d, e, f;
    const auto shape = fusecl::detail::selected_device_shape();
    const bool on_cpu = shape.form == schedule::device_form::cpu;
    const auto most = shape.last_group && !on_cpu ? 1u : 2u;
    const auto expect = [](std::uint64_t launches, const counters& spent) {
      EXPECT_EQ(spent.launches, launches);
      EXPECT_EQ(spent.buffers_created, 0u);
    };
    expect(most, spent_by([&] { d = rowwise_sum(square(a * b - c)); }));
    expect(most, spent_by([&] { d = colwise_mean(exp(a * b) + colwise_broadcast(row)); }));
    // one tile has all of the row, or column
    expect(1, spent_by([&] { d = rowwise_max(a * few); }));
    expect(1, spent_by([&] { d = colwise_sum(thin * b); }));
    const auto p = shared(a * b);
    expect(most, spent_by([&] { results(d, e, f) = expressions(exp(p), rowwise_sum(p), rowwise_min(p)); }));
    // nothing of the product is kept
    const auto text = explain(rowwise_sum(square(a * b - c))).text();
    EXPECT_NE(text.find("reductions of a product with it: taken"), std::string::npos) << text;
    EXPECT_EQ(text.find("* restrict t0"), std::string::npos) << text;
  });
}

TEST(LinesOfProducts, AreTheSameEachTime) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(300, 50), b = numbers<double>(50, 280);
  in_both_forms([&] {
    const matrix_cl<double> of_rows = rowwise_sum(exp(a * b)), of_cols = colwise_sum(exp(a * b));
    for (int k = 0; k < 10; ++k) {
      const matrix_cl<double> rows = rowwise_sum(exp(a * b)), cols = colwise_sum(exp(a * b));
      EXPECT_EQ(from_matrix_cl(rows), from_matrix_cl(of_rows));
      EXPECT_EQ(from_matrix_cl(cols), from_matrix_cl(of_cols));
    }
  });
}

TEST(LinesOfProducts, HaveGradients) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(9, 70), b = numbers<double>(70, 66), c = numbers<double>(9, 66);
  in_both_forms([&] {
    const auto agree = [](const auto& checked) { EXPECT_TRUE(checked.passed(1e-6)) << checked; };
    agree(check_gradient([&](const auto& x) { return sum(square(rowwise_sum(exp(0.1 * (x * b)) - c))); }, a));
    agree(check_gradient([&](const auto& x) { return sum(rowwise_max(x * b) - rowwise_sum(x * b)); }, a));
    agree(check_gradient([&](const auto& x) { return sum(square(colwise_mean(x * b - c))); }, a));
  });
}

TEST(LinesOfProducts, MayGoToAnOperand) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([&] {
    const auto a = numbers<double>(60, 30), b = numbers<double>(30, 130);
    auto x = numbers<double>(60, 1), square_one = numbers<double>(60, 60), c = numbers<double>(60, 130);
    const host<double> ha = from_matrix_cl(a), hb = from_matrix_cl(b), hx = from_matrix_cl(x),
                       hs = from_matrix_cl(square_one), hc = from_matrix_cl(c);
    x = rowwise_sum(a * b + rowwise_broadcast(x)) - x;
    EXPECT_LE((from_matrix_cl(x) - ((ha * hb).rowwise().sum() + 129 * hx)).cwiseAbs().maxCoeff(), 1e-11);
    square_one = rowwise_sum(square_one * square_one);
    EXPECT_LE((from_matrix_cl(square_one) - (hs * hs).rowwise().sum()).cwiseAbs().maxCoeff(), 1e-11);
    matrix_cl<double> sums;
    const auto p = shared(a * b + c);
    results(c, sums) = expressions(p, colwise_sum(p));
    EXPECT_LE((from_matrix_cl(c) - (ha * hb + hc)).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((from_matrix_cl(sums) - (ha * hb + hc).colwise().sum()).cwiseAbs().maxCoeff(), 1e-11);
  });
}

}  // namespace
}  // namespace fusecl
