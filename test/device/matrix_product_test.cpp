// Products of matrices against Eigen and the host interpreter, in both forms of kernels: every layout of the
// operands, sizes at the edges of tiles, what follows from a product in its kernel, and what that costs.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

class MatrixProduct : public ::testing::TestWithParam<product_sizes> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k, m = GetParam().m;
};

TEST_P(MatrixProduct, IsTheSumOfProductsInAllLayouts) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, m), at = numbers<double>(k, n),
             bt = numbers<double>(m, k);
  in_both_forms([&] {
    expect_matches_reference(a * b);
    expect_matches_reference(transpose(at) * b);
    expect_matches_reference(a * transpose(bt));
    expect_matches_reference(transpose(at) * transpose(bt));
  });
}

TEST_P(MatrixProduct, IsFinishedWhereItIsComputed) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, m), c = numbers<double>(n, m),
             column = numbers<double>(n, 1), row = numbers<double>(1, m);
  in_both_forms([&] {
    expect_matches_reference(exp(a * b + c));
    expect_matches_reference(2.5 * (a * b) - 0.5 * c);
    expect_matches_reference(a * b + rowwise_broadcast(column) + colwise_broadcast(row));
    expect_matches_reference(sum(square(a * b - c)));
    expect_matches_reference(transpose(a * b) + transpose(c));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, MatrixProduct,
    ::testing::Values(product_sizes{0, 3, 4}, product_sizes{3, 0, 4}, product_sizes{3, 4, 0},
                      product_sizes{2, 2, 2}, product_sizes{7, 5, 3}, product_sizes{33, 17, 31},
                      product_sizes{64, 16, 64}, product_sizes{65, 33, 63}, product_sizes{97, 129, 49},
                      product_sizes{2, 300, 2}, product_sizes{5, 1999, 7}, product_sizes{67, 520, 3},
                      product_sizes{5, 5001, 7}, product_sizes{30, 4500, 3}, product_sizes{2, 3000, 97},
                      product_sizes{1001, 2, 2}, product_sizes{193, 257, 193}));

TEST(MatrixProductOf, BlocksViewsAndReversals) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(41, 37), b = numbers<double>(39, 45),
             l = numbers<double>(33, 33, matrix_cl_view::Lower),
             u = numbers<double>(33, 33, matrix_cl_view::Upper);
  expect_matches_reference(block(a, 3, 2, 33, 29) * block(b, 5, 4, 29, 31));
  expect_matches_reference(transpose(block(a, 3, 2, 33, 29)) * transpose(block(b, 2, 3, 35, 33)));
  expect_matches_reference(transpose(l) * l);
  expect_matches_reference(l * transpose(u) + l);
  expect_matches_reference(append_row(a, a) * transpose(a));
}

TEST(MatrixProductOf, ExpressionsAndOfOtherProducts) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(33, 20), b = numbers<double>(20, 18), c = numbers<double>(18, 33);
  expect_matches_reference(exp(a) * (b + 1.0));
  expect_matches_reference(transpose(exp(a)) * transpose(c + 0.5));
  expect_matches_reference(a * b * c);
  expect_matches_reference(exp(a * b) * c - a * (b * c));
  expect_matches_reference((a - rowwise_broadcast(rowwise_sum(a))) * transpose(a));
  expect_matches_reference((a * b) * transpose(a * b));
}

TEST(MatrixProductOf, OneMatrixWithItself) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(65, 65), b = numbers<double>(40, 33);
  expect_matches_reference(a * a);
  expect_matches_reference(a * transpose(a) + a);
  expect_matches_reference(tcrossprod(b));
  expect_matches_reference(crossprod(b));
  expect_matches_reference(multiply_transpose(exp(b)));
}

TEST(MatrixProductOf, OtherElementTypes) {
  const auto a = numbers<float>(41, 37), b = numbers<float>(37, 70);
  const auto x = random_matrix<int>(41, 37, matrix_cl_view::Entire, -9, 9),
             y = random_matrix<int>(37, 70, matrix_cl_view::Entire, -9, 9);
  in_both_forms([&] {
    expect_matches_reference(a * b);
    expect_matches_reference(exp(transpose(b) * transpose(a)) + 1.0f);
    expect_matches_reference(x * y);
    expect_matches_reference(elt_multiply(x * y, x * y) - 3);
  });
}

TEST(MatrixProductOf, TallMatricesHasTermsThatGroupsShare) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(5001, 5), b = numbers<double>(5001, 33),
             lower = numbers<double>(5001, 20, matrix_cl_view::Lower);
  const auto f = numbers<float>(4099, 17);
  in_both_forms([&] {
    expect_matches_reference(transpose(a) * a);
    expect_matches_reference(crossprod(b) * 0.5);
    expect_matches_reference(transpose(lower) * b + 1.0);
    expect_matches_reference(transpose(b) * lower);
    expect_matches_reference(transpose(f) * f);
    expect_matches_reference(rowwise_sum(square(transpose(a) * b)));
  });
}

TEST(MatrixProductOf, ManyTermsIsRightOrRefused) {
  for (const int terms : {2000, 20000, 200000}) {
    const matrix_cl<float> a(host<float>::Ones(3, terms)), b(host<float>::Ones(terms, 2));
    matrix_cl<float> product(host<float>::Constant(1, 1, 7));
    try {
      product = a * b;
      EXPECT_TRUE(from_matrix_cl(product) == host<float>::Constant(3, 2, static_cast<float>(terms))) << terms;
    } catch (const error& e) {  // a driver that ends loops
      EXPECT_GT(fusecl::detail::selected_device_shape().loop_rounds, 0) << e.what();
      EXPECT_GT(terms, 2000);
      EXPECT_NE(std::string(e.what()).find(std::to_string(terms) + " columns"), std::string::npos)
          << e.what();
      EXPECT_EQ(from_matrix_cl(product)(0, 0), 7);
    }
  }
}

TEST(MatrixProductOf, ManyTermsIsTheSameEveryTime) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(3, 5001), b = numbers<double>(5001, 9);
  in_both_forms([&] {
    matrix_cl<double> result;
    result = a * b;
    const host<double> first = from_matrix_cl(result);
    for (int k = 0; k < 5; ++k) {
      result = a * b;
      EXPECT_TRUE(from_matrix_cl(result) == first);
    }
    matrix_cl<double> onto = numbers<double>(3, 9);
    const host<double> before = from_matrix_cl(onto);
    onto = a * b - onto;  // what the parts are added to is an operand
    EXPECT_LE((from_matrix_cl(onto) - (first - before)).cwiseAbs().maxCoeff(), 1e-12);
  });
}

TEST(MatrixProductOf, MixedTypesIsThatOfTheirCommonType) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<float>(41, 37);
  const auto b = numbers<double>(37, 70);
  const auto x = random_matrix<int>(70, 37, matrix_cl_view::Entire, -9, 9);
  expect_matches_reference(a * b);
  expect_matches_reference(b * x);
  expect_matches_reference(exp(1e-3 * (x * transpose(a))));
}

TEST(MatrixProductOf, NumbersThatAreNotFiniteIsAsEigens) {
  FUSECL_NEEDS_DOUBLE;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd a = random_host<double>(35, 33, -1, 1), b = random_host<double>(33, 37, -1, 1);
  a(3, 2) = nan;
  a(34, 32) = inf;
  b(0, 36) = -inf;
  b(5, 1) = 0;
  a(7, 5) = inf;
  const Eigen::MatrixXd wanted = a.lazyProduct(b);
  in_both_forms([&] {
    const Eigen::MatrixXd found = from_matrix_cl(matrix_cl<double>(a) * matrix_cl<double>(b));
    for (Eigen::Index k = 0; k < wanted.size(); ++k) {
      const double w = wanted.data()[k], f = found.data()[k];
      if (std::isnan(w))
        EXPECT_TRUE(std::isnan(f)) << k;
      else if (std::isinf(w))
        EXPECT_EQ(f, w) << k;
      else
        EXPECT_NEAR(f, w, 35 * std::numeric_limits<double>::epsilon() * 33) << k;
    }
  });
}

TEST(MatrixProductOf, WhatItIsAssignedToReadsItBefore) {
  FUSECL_NEEDS_DOUBLE;
  const auto first = numbers<double>(65, 65), second = numbers<double>(65, 65);
  const Eigen::MatrixXd a = from_matrix_cl(first), b = from_matrix_cl(second);
  const auto is = [](const matrix_cl<double>& found, const Eigen::MatrixXd& wanted) {
    EXPECT_LE((from_matrix_cl(found) - wanted).cwiseAbs().maxCoeff(), 1e-12);
  };
  matrix_cl<double> x = first, y = second;
  x = x * y;
  is(x, a * b);
  x = first;
  x = x * x;
  is(x, a * a);
  x = first;
  x *= y;
  is(x, a * b);
  x = first;
  x += x * y;
  is(x, a + a * b);
  x = first;
  x = transpose(y * x) + x;
  is(x, (b * a).transpose() + a);
  x = first;
  block(x, 2, 3, 40, 50) = block(x, 1, 1, 40, 65) * block(y, 1, 1, 65, 50);
  Eigen::MatrixXd wanted = a;
  wanted.block(1, 2, 40, 50) = a.topRows(40) * b.leftCols(50);
  is(x, wanted);
  x = first;
  transpose(x) = x * y;
  is(x, (a * b).transpose());
  x = first;
  results(x, y) = expressions(x * y, y * x);
  is(x, a * b);
  is(y, b * a);
}

/// One launch for a product and all that follows from its elements at their places, without temporaries.
TEST(MatrixProductCosts, OneLaunchWithWhatFollows) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto a = numbers<double>(70, 50), b = numbers<double>(50, 60), c = numbers<double>(70, 60),
               row = numbers<double>(1, 60);
    matrix_cl<double> d(70, 60), e(70, 60);
    const auto launches = [&](auto&& statement) {
      statement();
      opencl_context.queue().finish();
      const counters before = runtime_counters();
      statement();
      const counters spent = runtime_counters() - before;
      EXPECT_EQ(spent.buffers_created, 0u);
      EXPECT_EQ(spent.host_waits, 0u);
      return spent.launches;
    };
    EXPECT_EQ(launches([&] { d = a * b; }), 1u);
    EXPECT_EQ(launches([&] { d = exp(a * b + c); }), 1u);
    EXPECT_EQ(launches([&] { d = 2.0 * (a * b) - 0.5 * c + colwise_broadcast(row); }), 1u);
    EXPECT_EQ(launches([&] { results(d, e) = expressions(a * b, tanh(a * b)); }), 1u);
    EXPECT_EQ(launches([&] { d = transpose(transpose(b) * transpose(a)) + c; }), 2u);
    EXPECT_EQ(launches([&] { d = exp(a) * b; }), 2u);
  });
}

TEST(MatrixProductCosts, ExplainNamesWhatIsComputedBefore) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(70, 50), b = numbers<double>(50, 60);
  const std::string plain = explain(transpose(b) * transpose(a)).text(),
                    computed = explain(exp(a) * b).text();
  EXPECT_EQ(plain.find("stored("), std::string::npos) << plain;
  EXPECT_NE(computed.find("stored(exp(x0))"), std::string::npos) << computed;
  EXPECT_NE(computed.find("it has a kernel of its own"), std::string::npos) << computed;
}

TEST(MatrixProductErrors, SizesThatDoNotFitAreNamedBeforeAnythingRuns) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(3, 4), b(5, 6);
  matrix_cl<double> c = numbers<double>(2, 2);
  const Eigen::MatrixXd held = from_matrix_cl(c);
  const counters before = runtime_counters();
  try {
    c = a * b;
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("a (3 x 4) and b (5 x 6)"), std::string::npos) << e.what();
  }
  EXPECT_THROW(c += a * transpose(a), std::invalid_argument);
  EXPECT_EQ((runtime_counters() - before).launches, 0u);
  EXPECT_EQ(from_matrix_cl(c), held);
}

TEST(MatrixProductErrors, KeptExpressionsOfChangedOperandsAreRefused) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> a = numbers<double>(3, 4), b = numbers<double>(4, 5);
  const auto product = a * b;
  matrix_cl<double> c = product;
  b = numbers<double>(6, 5);
  EXPECT_THROW(c = product, std::invalid_argument);
}

/// Where tiles do not fill the last round of groups, these share their terms: on GPUs with tensor cores.
/// Against products with a vector.
TEST(MatrixProductOf, MoreTilesThanFullRoundsHaveIsWhole) {
  FUSECL_NEEDS_DOUBLE;
  const bool large = opencl_context.device().getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU;
  const int rows = large ? 1535 : 255, cols = large ? 1530 : 250, terms = large ? 1533 : 253;
  const auto a = random_matrix<double>(rows, terms, matrix_cl_view::Entire, -1, 1),
             b = random_matrix<double>(terms, cols, matrix_cl_view::Entire, -1, 1),
             c = random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1),
             v = random_matrix<double>(cols, 1, matrix_cl_view::Entire, -1, 1);
  const matrix_cl<double> plain = a * b, again = a * b;
  EXPECT_TRUE(from_matrix_cl(again) == from_matrix_cl(plain)) << "bitwise";
  matrix_cl<double> more, twice;
  results(more, twice) = expressions(a * b + c, 2.0 * (a * b));
  const auto expect_same = [&](const auto& found, const auto& wanted) {
    EXPECT_LE(static_cast<double>(max(fabs(found - wanted))), 1e-12 * terms);
  };
  expect_same(plain * v, a * matrix_cl<double>(b * v));
  expect_same(more, plain + c);
  expect_same(twice, 2.0 * plain);
}

}  // namespace
}  // namespace fusecl
