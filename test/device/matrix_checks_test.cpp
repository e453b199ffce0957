// Checks of whole matrices by name, triangles copied packed, powers of matrices.

#include <limits>
#include <string>

#include <Eigen/Dense>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/eval/matrix_power.hpp>
#include <fusion/eval/packed_copy.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(MatrixChecks, OfSizesAndViews) {
  const auto square = random_matrix<float>(3, 3), wide = random_matrix<float>(2, 3);
  const auto lower = random_matrix<float>(3, 3, matrix_cl_view::Lower);
  check_square("f", "x", square);
  check_square("f", "x", square + 1.0f);
  check_vector("f", "x", col(square, 1));
  check_vector("f", "x", row(square, 1));
  check_mat_size_one("f", "x", block(square, 1, 1, 1, 1));
  check_matching_dims("f", "x", square, "y", lower);
  check_column_index("f", "x", wide, 3);
  check_triangular("f", "x", lower);
  check_invalid_matrix_view("f", "x", lower, matrix_cl_view::Entire);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { check_square("f", "x", wide); }),
            "f: x (2 x 3) must be square");
  EXPECT_THROW(check_vector("f", "x", wide), std::invalid_argument);
  EXPECT_THROW(check_mat_size_one("f", "x", wide), std::invalid_argument);
  EXPECT_THROW(check_mat_size_one("f", "x", matrix_cl<float>()), std::invalid_argument);
  EXPECT_THROW(check_matching_dims("f", "x", wide, "y", square), std::invalid_argument);
  EXPECT_THROW(check_column_index("f", "x", wide, 0), std::out_of_range);
  EXPECT_EQ(message_of<std::out_of_range>([&] { check_column_index("f", "x", wide, 4); }),
            "f: column 4 of x, which has 3 columns");
  EXPECT_THROW(check_triangular("f", "x", square), std::invalid_argument);
  EXPECT_EQ(message_of<std::invalid_argument>(
                [&] { check_invalid_matrix_view("f", "x", lower, matrix_cl_view::Lower); }),
            "f: the view of x is Lower, but must be another one");
}

TEST(MatrixChecks, OfElements) {
  host<float> values = random_host<float>(5, 5);
  values = (values + values.transpose()).eval();
  values.diagonal().setOnes();
  const matrix_cl<float> good(values);
  check_nan("f", "x", good);
  check_nan("f", "x", cast<int>(good));
  check_symmetric("f", "x", good);
  check_diagonal_zeros("f", "x", good);
  check_symmetric("f", "x", cast<int>(good));
  for (const int place : {0, 12, 24}) {
    host<float> bad = values;
    bad.data()[place] = nan;
    EXPECT_THROW(check_nan("f", "x", matrix_cl<float>(bad)), std::domain_error);
    EXPECT_THROW(check_symmetric("f", "x", matrix_cl<float>(bad)), std::domain_error);
    bad.data()[place] = 0;
    EXPECT_THROW(check_diagonal_zeros("f", "x", matrix_cl<float>(bad)), std::domain_error);
  }
  host<float> far = values;
  far(0, 0) = far(1, 3) = far(3, 1) = std::numeric_limits<float>::infinity();
  check_symmetric("f", "x", matrix_cl<float>(far));
  far(1, 3) *= -1;
  EXPECT_THROW(check_symmetric("f", "x", matrix_cl<float>(far)), std::domain_error);
  host<float> bad = values;
  bad(3, 1) = 17;
  EXPECT_NE(message_of<std::domain_error>([&] {
              check_symmetric("f", "x", matrix_cl<float>(bad));
            }).find("f: x[4, 2] is 17"),
            std::string::npos);
  // what is outside of a triangle is zero, whatever the memory holds
  check_nan("f", "x", random_matrix<float>(5, 5, matrix_cl_view::Upper));
  EXPECT_THROW(check_symmetric("f", "x", random_matrix<float>(5, 5, matrix_cl_view::Lower)),
               std::domain_error);
  EXPECT_THROW(check_symmetric("f", "x", random_matrix<float>(2, 3)), std::invalid_argument);
  check_symmetric("f", "x", matrix_cl<float>(0, 0));
  check_nan("f", "x", matrix_cl<float>(0, 3));
  check_diagonal_zeros("f", "x", matrix_cl<float>(0, 0));
}

template <class T>
class PackedCopy : public ::testing::Test {};
using types = ::testing::Types<double, float, int, bool, std::int64_t>;
TYPED_TEST_SUITE(PackedCopy, types);

TYPED_TEST(PackedCopy, HoldsTheTriangleColumnByColumn) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  for (const std::int64_t n : {0, 1, 2, 3, 31, 64, 65, 127})
    for (const matrix_cl_view view : {matrix_cl_view::Lower, matrix_cl_view::Upper}) {
      const bool lower = view == matrix_cl_view::Lower;
      const auto m = random_matrix<T>(n, n, view);
      const host<T> values = m.to_host();
      std::vector<T> wanted;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i) wanted.push_back(values(i, j));
      const std::vector<T> packed = packed_copy(m);
      EXPECT_EQ(packed, wanted);
      const matrix_cl<T> back = lower ? packed_copy<matrix_cl_view::Lower>(packed, n)
                                      : packed_copy<matrix_cl_view::Upper>(packed, n);
      EXPECT_EQ(back.view(), view);
      EXPECT_EQ(back.to_host(), values);
    }
}

TEST(MatrixOfAPointer, RefusesNullWhereThereAreElements) {
  const float* nothing = nullptr;
  EXPECT_EQ(message_of<std::invalid_argument>([&] { matrix_cl<float>(nothing, 3, 2); }),
            "matrix_cl: the pointer to the elements of a 3 x 2 matrix is null");
  EXPECT_EQ(matrix_cl<float>(nothing, 0, 2).cols(), 2);
}

TEST(MatrixOfOneValue, NamesTheFunctionThatRefusesItsSize) {
  matrix_cl<float> m(1, 1);
  EXPECT_EQ(message_of<std::domain_error>([&] { m.setZero(-1, 2); }),
            "setZero: rows of the result (-1) must not be negative");
  EXPECT_EQ(message_of<std::domain_error>([&] { m.setConstant(2, -3, 1.0f); }),
            "setConstant: columns of the result (-3) must not be negative");
  EXPECT_EQ(message_of<std::domain_error>([] { matrix_cl<float>::Constant(-1, 2, 1.0f); }),
            "Constant: rows of the result (-1) must not be negative");
  EXPECT_EQ(m.rows(), 1);
}

TEST(PackedCopyOf, RefusesWhatIsNoTriangle) {
  EXPECT_THROW(packed_copy(random_matrix<float>(3, 3)), std::invalid_argument);
  EXPECT_THROW(packed_copy(random_matrix<float>(3, 4, matrix_cl_view::Lower)), std::invalid_argument);
  const std::vector<float> six(6);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { packed_copy<matrix_cl_view::Lower>(six, 4); }),
            "packed_copy: a triangle of 4 rows has 10 elements, and elements has 6");
  EXPECT_THROW(packed_copy<matrix_cl_view::Upper>(six, -4), std::invalid_argument);
  for (const std::int64_t rows : {std::numeric_limits<std::int64_t>::max(), std::int64_t{3037000500}})
    EXPECT_EQ(message_of<std::invalid_argument>([&] { packed_copy<matrix_cl_view::Upper>(six, rows); }),
              "packed_copy: a matrix cannot have " + std::to_string(rows) + " rows");
  const auto lower = random_matrix<float>(3, 3, matrix_cl_view::Lower);
  EXPECT_EQ(packed_copy(-lower)[1], -lower(1, 0));
}

TEST(MatrixPower, IsRepeatedProducts) {
  const host<float> a = random_host<float>(4, 4, -1, 1);
  const matrix_cl<float> m(a);
  host<float> wanted = host<float>::Identity(4, 4);
  for (int n = 0; n < 12; ++n) {
    EXPECT_TRUE(matrix_power(m, n).to_host().isApprox(wanted, 1e-4f)) << n;
    wanted = (wanted * a).eval();
  }
  EXPECT_EQ(matrix_power(matrix_cl<float>(0, 0), 3).rows(), 0);
  EXPECT_EQ(matrix_power(matrix_cl<int>(Eigen::Matrix2i{{1, 1}, {1, 0}}), 40)(0, 1), 102334155);
  EXPECT_THROW(matrix_power(m, -1), std::domain_error);
  EXPECT_THROW(matrix_power(random_matrix<float>(2, 3), 2), std::invalid_argument);
  EXPECT_THROW(matrix_power(matrix_cl<float>(Eigen::Matrix2f{{1, nan}, {0, 1}}), 2), std::domain_error);
}

// Matrices of the host are looked at on the device, too.
TEST(MatrixChecks, OfElementsOfTheHost) {
  const Eigen::Matrix2f good{{1, 2}, {2, 3}}, bad{{1, nan}, {2, 0}};
  check_nan("f", "y", good);
  check_symmetric("f", "y", good);
  check_diagonal_zeros("f", "y", good);
  EXPECT_THROW(check_nan("f", "y", bad), std::domain_error);
  EXPECT_THROW(check_symmetric("f", "y", bad), std::domain_error);
  EXPECT_THROW(check_symmetric("f", "y", host<float>(2, 3)), std::invalid_argument);
  EXPECT_THROW(check_diagonal_zeros("f", "y", bad), std::domain_error);
}

}  // namespace
}  // namespace fusecl
