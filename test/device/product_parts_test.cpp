// Products of which a part need not be computed, in both forms of kernels: of a matrix with its transpose, of
// triangles and of diagonal matrices. Unread triangles hold NaN.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr matrix_cl_view triangles[] = {matrix_cl_view::Lower, matrix_cl_view::Upper};

template <class T>
void expect_symmetric(const matrix_cl<T>& m) {
  const host<T> found = from_matrix_cl(m);
  EXPECT_TRUE(found == found.transpose()) << found.rows() << " rows";
}

struct product_size {
  int n, k;
};

class ProductParts : public ::testing::TestWithParam<product_size> {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  int n = GetParam().n, k = GetParam().k;
};

TEST_P(ProductParts, AMatrixTimesItsTransposeIsSymmetric) {
  const auto a = numbers<double>(n, k);
  in_both_forms([&] {
    expect_symmetric(matrix_cl<double>(a * transpose(a)));
    expect_matches_reference(a * transpose(a));
    expect_matches_reference(transpose(a) * a);
  });
}

TEST_P(ProductParts, WhatFollowsNeedNotBeSymmetric) {
  const auto a = numbers<double>(n, k), c = numbers<double>(n, n), column = numbers<double>(n, 1);
  in_both_forms([&] {
    expect_matches_reference(tcrossprod(a) - c + rowwise_broadcast(column));
    expect_matches_reference(select(row_index() < col_index(), tcrossprod(a), c));

    matrix_cl<double> onto = c;
    onto = tcrossprod(a) - 2.0 * onto;
    const host<double> x = from_matrix_cl(a), wanted = x * x.transpose() - 2 * from_matrix_cl(c);
    if (n > 0) {
      EXPECT_LE((from_matrix_cl(onto) - wanted).cwiseAbs().maxCoeff(), 1e-12 * (k + 1));
    }
  });
}

TEST_P(ProductParts, TrianglesAreReadWhereTheyAre) {
  const auto b = numbers<double>(n, k), bt = numbers<double>(k, n);
  for (matrix_cl_view view : triangles) {
    const auto l = numbers<double>(n, n, view);
    in_both_forms([&] {
      expect_matches_reference(transpose(l) * b);
      expect_matches_reference(bt * l);
      expect_matches_reference(bt * transpose(l) - bt);
      expect_matches_reference(l * transpose(l));
      expect_symmetric(matrix_cl<double>(l * transpose(l)));
    });
  }
}

TEST_P(ProductParts, TwoTrianglesMakeATriangleOrNot) {
  for (matrix_cl_view first : triangles)
    for (matrix_cl_view second : triangles) {
      const auto l = numbers<double>(n, n, first), r = numbers<double>(n, n, second),
                 c = numbers<double>(n, n);
      in_both_forms([&] {
        if (n > 1) {
          EXPECT_EQ(matrix_cl<double>(l * r).view(), either(first, second));
        }
        expect_matches_reference(transpose(l) * r - c);
        expect_matches_reference((l * r) * c);
      });
    }
}

TEST_P(ProductParts, TrianglesThatAreNotSquare) {
  for (matrix_cl_view view : triangles) {
    const auto tall = numbers<double>(n, k, view), wide = numbers<double>(k, n, view),
               b = numbers<double>(k, n);
    in_both_forms([&] {
      expect_matches_reference(tall * b);
      expect_matches_reference(transpose(tall) * transpose(wide));
    });
  }
}

TEST_P(ProductParts, OnlyTheTriangleThatIsLookedAtIsComputed) {
  const auto a = numbers<double>(n, k), b = numbers<double>(k, n), c = numbers<double>(n, n);
  for (matrix_cl_view view : triangles) {
    const auto l = numbers<double>(n, n, view);
    in_both_forms([&] {
      expect_matches_reference(elt_multiply(tcrossprod(a), l) + c);
      expect_matches_reference(elt_multiply(a * b, l) * c);
    });
  }
}

TEST_P(ProductParts, DiagonalsAreElementWise) {
  const auto v = numbers<double>(n, 1), w = numbers<double>(k, 1), b = numbers<double>(n, k);
  in_both_forms([&] {
    expect_matches_reference(diag_matrix(v) * b);
    expect_matches_reference(b * diag_matrix(exp(w)));
    expect_matches_reference(diag_matrix(v) * b * diag_matrix(w));
    expect_matches_reference(diag_matrix(v) * diag_matrix(v));
    expect_matches_reference(transpose(diag_matrix(v)) * v);
    expect_matches_reference(identity_matrix(n) * exp(b));
    expect_matches_reference(b * identity_matrix<float>(k));
    expect_matches_reference(tcrossprod(diag_matrix(v)));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, ProductParts,
                         ::testing::Values(product_size{0, 3}, product_size{3, 0}, product_size{1, 3},
                                           product_size{2, 2}, product_size{7, 5}, product_size{65, 33},
                                           product_size{129, 97}, product_size{5, 1999},
                                           product_size{260, 70}));

TEST(ProductPartsOf, OtherElementTypes) {
  const auto a = numbers<float>(101, 37), l = numbers<float>(101, 101, matrix_cl_view::Lower);
  const auto x = random_matrix<int>(70, 37, matrix_cl_view::Entire, -9, 9),
             u = random_matrix<int>(37, 37, matrix_cl_view::Upper, -9, 9);
  in_both_forms([&] {
    expect_symmetric(matrix_cl<float>(a * transpose(a)));
    expect_matches_reference(a * transpose(a));
    expect_matches_reference(l * a);
    expect_matches_reference(transpose(x) * x);
    expect_matches_reference(x * u);
    expect_matches_reference(u * u);
  });
}

TEST(ProductPartsOf, BlocksAndReversalsOfOneMatrix) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(120, 90), l = numbers<double>(120, 120, matrix_cl_view::Lower);
  in_both_forms([&] {
    expect_matches_reference(tcrossprod(block(a, 3, 2, 100, 80)));
    expect_matches_reference(crossprod(block(a, 3, 2, 100, 80)));
    expect_matches_reference(block(a, 3, 2, 100, 80) * transpose(block(a, 4, 2, 100, 80)));
    expect_matches_reference(tcrossprod(block(l, 5, 5, 99, 99)));
    expect_matches_reference(tcrossprod(block(l, 5, 4, 99, 99)));
    expect_matches_reference(block(l, 1, 1, 100, 50) * block(l, 1, 1, 50, 100));
  });
}

TEST(ProductPartsOf, ManyTermsIsSymmetricToo) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = numbers<double>(70, 5001), l = numbers<double>(70, 5001, matrix_cl_view::Lower);
  in_both_forms([&] {
    const matrix_cl<double> product = tcrossprod(a);
    expect_symmetric(product);
    EXPECT_TRUE(from_matrix_cl(matrix_cl<double>(tcrossprod(a))) == from_matrix_cl(product));
    expect_matches_reference(tcrossprod(a) - product);
    expect_matches_reference(tcrossprod(l));
    expect_matches_reference(l * transpose(a));
  });
}

/// Zeros that a view leaves out are not multiplied where a tile has nothing else.
TEST(ProductPartsOf, WhatIsNotFiniteMeetsZerosOfAViewAtMostWithinATile) {
  FUSECL_NEEDS_DOUBLE;
  constexpr int n = 700;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd b = random_host<double>(n, 3, -1, 1);
  b(n - 1, 1) = nan;
  const auto l = numbers<double>(n, n, matrix_cl_view::Lower);
  in_both_forms([&] {
    const Eigen::MatrixXd found = from_matrix_cl(l * matrix_cl<double>(b));
    EXPECT_TRUE(std::isnan(found(n - 1, 1)));
    EXPECT_TRUE(found.col(0).allFinite() && found.col(2).allFinite());
    EXPECT_TRUE(found.col(1).head(n - 256).allFinite()) << "the first rows have nothing there";
  });
  // outside of the view of the product there are zeros all the same
  Eigen::MatrixXd c = random_host<double>(n, n, -1, 1);
  c(90, 80) = nan;
  const matrix_cl<double> r(c, matrix_cl_view::Lower);
  in_both_forms([&] {
    const Eigen::MatrixXd sums = from_matrix_cl(rowwise_sum(l * r));
    EXPECT_TRUE(sums.topRows(64).allFinite());
    const Eigen::MatrixXd product = from_matrix_cl((l * r) + matrix_cl<double>(Eigen::MatrixXd::Zero(n, n)));
    EXPECT_TRUE(std::isnan(product(90, 80)));
    for (int j = 1; j < n; ++j) EXPECT_TRUE((product.col(j).head(j).array() == 0).all()) << j;
  });
}

TEST(ProductPartsCosts, HalfOfTheFlopsAndOneLaunch) {
  FUSECL_NEEDS_DOUBLE;
  constexpr int n = 200, k = 60;
  const auto a = numbers<double>(n, k), b = numbers<double>(k, n),
             l = numbers<double>(n, n, matrix_cl_view::Lower), v = numbers<double>(n, 1);
  in_both_forms([&] {
    const auto flops = [](const auto& e) { return explain(e).flops; };
    // beside these one an element of the result
    const double own = n * n;
    EXPECT_NEAR(flops(a * b), 2.0 * n * n * k, own);
    EXPECT_NEAR(flops(a * transpose(a)), 1.0 * n * (n + 1) * k, own);
    EXPECT_NEAR(flops(l * a), 1.0 * n * (n + 1) * k, n * k);
    EXPECT_NEAR(flops(l * l), n * (n + 1.0) * (n + 2.0) / 3, own);
    EXPECT_NEAR(flops(diag_matrix(v) * a), n * k, n * k);
    EXPECT_EQ(explain(a * transpose(a)).kernels.size(), 1u);
    EXPECT_EQ(explain(diag_matrix(exp(v)) * a + a).kernels.size(), 1u);
  });
}

}  // namespace
}  // namespace fusecl
