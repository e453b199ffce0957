// Copies between host and device: Eigen matrices, vectors, arrays, expressions, maps and blocks, std::vector,
// pointers, scalars and buffers, of every element type; printing.

#include <sstream>

#include <Eigen/SparseCore>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class HostCopy : public ::testing::Test {};
using types = ::testing::Types<double, float, int, long, unsigned, bool>;
TYPED_TEST_SUITE(HostCopy, types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

TYPED_TEST(HostCopy, OfAnEigenMatrixRoundTrips) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : all_sizes()) {
    const host<T> values = random_host<T>(rows, cols);
    const matrix_cl<T> a(values);
    EXPECT_EQ(a.rows(), rows);
    EXPECT_EQ(a.cols(), cols);
    EXPECT_EQ(a.size(), rows * cols);
    EXPECT_EQ(a.view(), matrix_cl_view::Entire);
    expect_same<T>(from_matrix_cl(a), values);
    expect_same<T>(from_matrix_cl(to_matrix_cl(values)), values);
  }
}

TYPED_TEST(HostCopy, OfOtherEigenTypesKeepsTheOrderOfElements) {
  FUSECL_TYPE_OR_SKIP;
  const host<T> values = random_host<T>(7, 5);
  const Eigen::Matrix<T, -1, -1, Eigen::RowMajor> rows = values;
  const Eigen::Matrix<T, 7, 5> fixed = values;
  const Eigen::Array<T, -1, -1> array = values.array();
  const Eigen::Map<const host<T>, 0, Eigen::OuterStride<>> strided(values.data(), 3, 5,
                                                                   Eigen::OuterStride<>(7));
  expect_same<T>(from_matrix_cl(to_matrix_cl(rows)), values);
  expect_same<T>(from_matrix_cl(to_matrix_cl(fixed)), values);
  expect_same<T>(from_matrix_cl(to_matrix_cl(array)), values);
  expect_same<T>(from_matrix_cl(to_matrix_cl(values.block(2, 1, 4, 3))), values.block(2, 1, 4, 3));
  expect_same<T>(from_matrix_cl(to_matrix_cl(values.transpose())), values.transpose());
  expect_same<T>(from_matrix_cl(to_matrix_cl(values.col(2))), values.col(2));
  expect_same<T>(from_matrix_cl(to_matrix_cl(values.row(2))), values.row(2));
  expect_same<T>(from_matrix_cl(to_matrix_cl(strided)), values.topRows(3));
  expect_same<T>(from_matrix_cl(to_matrix_cl(Eigen::Map<const host<T>>(values.data(), 5, 7))),
                 Eigen::Map<const host<T>>(values.data(), 5, 7));
  expect_same<T>(from_matrix_cl(matrix_cl<T>(host<T>::Ones(3, 2))), host<T>::Ones(3, 2));
}

TYPED_TEST(HostCopy, ToOtherEigenTypesKeepsTheOrderOfElements) {
  FUSECL_TYPE_OR_SKIP;
  const host<T> values = random_host<T>(7, 5);
  const matrix_cl<T> a(values), column(host<T>(values.col(1))), row(host<T>(values.row(1)));
  using row_major = Eigen::Matrix<T, -1, -1, Eigen::RowMajor>;
  expect_same<T>(from_matrix_cl<row_major>(a), values);
  expect_same<T>((from_matrix_cl<Eigen::Matrix<T, 7, 5>>(a)), values);
  expect_same<T>((from_matrix_cl<Eigen::Array<T, -1, -1>>(a).matrix()), values);
  expect_same<T>((from_matrix_cl<Eigen::Matrix<T, -1, 1>>(column)), values.col(1));
  expect_same<T>((from_matrix_cl<Eigen::Matrix<T, 1, -1>>(row)), values.row(1));
}

TYPED_TEST(HostCopy, OfAVectorIsAColumn) {
  FUSECL_TYPE_OR_SKIP;
  for (const std::size_t n : {0, 1, 3, 71, 4097}) {
    std::vector<T> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = random_value<T>();
    const matrix_cl<T> a(values);
    EXPECT_EQ(a.rows(), static_cast<std::int64_t>(n));
    EXPECT_EQ(a.cols(), 1);
    EXPECT_EQ(from_matrix_cl<std::vector<T>>(a), values);
    EXPECT_EQ(from_matrix_cl<std::vector<T>>(to_matrix_cl(values)), values);
    EXPECT_EQ(from_matrix_cl<std::vector<T>>(matrix_cl<T>(values, 1, static_cast<std::int64_t>(n))), values);
  }
}

TYPED_TEST(HostCopy, OfVectorsAndPointersTakesSizes) {
  FUSECL_TYPE_OR_SKIP;
  const host<T> values = random_host<T>(3, 4);
  expect_same<T>(from_matrix_cl(matrix_cl<T>(values.data(), 3, 4)), values);
  expect_same<T>(from_matrix_cl(matrix_cl<T>(std::vector<T>(values.data(), values.data() + 12), 3, 4)),
                 values);
  const matrix_cl<T> lower(values.data(), 3, 4, matrix_cl_view::Lower);
  EXPECT_EQ(lower.view(), matrix_cl_view::Lower);
  expect_same<T>(from_matrix_cl(lower), values.template triangularView<Eigen::Lower>());
}

TYPED_TEST(HostCopy, OfAScalarIsOneByOne) {
  FUSECL_TYPE_OR_SKIP;
  const T value = T(1);
  const matrix_cl<T> a(value);
  EXPECT_EQ(a.rows(), 1);
  EXPECT_EQ(a.cols(), 1);
  EXPECT_EQ(from_matrix_cl<T>(a), value);
  EXPECT_EQ(from_matrix_cl<T>(to_matrix_cl(value)), value);
}

/// The number, not that many elements, as Stan Math has it.
TYPED_TEST(HostCopy, OfAWholeNumberIsOneByOne) {
  FUSECL_TYPE_OR_SKIP;
  matrix_cl<T> v(1);
  EXPECT_EQ(v.rows(), 1);
  EXPECT_EQ(v.cols(), 1);
  EXPECT_EQ(from_matrix_cl<T>(v), T(1));
  if constexpr (!std::is_same_v<T, bool>) {
    EXPECT_EQ(from_matrix_cl<T>(matrix_cl<T>(3)), T(3));
    EXPECT_EQ(from_matrix_cl<T>(matrix_cl<T>(0)), T(0));
    EXPECT_EQ(matrix_cl<T>(3, 1).size(), 3);
  }
  static_assert(std::is_same_v<decltype(matrix_cl(3)), matrix_cl<int>>);
  static_assert(!std::is_convertible_v<int, matrix_cl<T>>);
}

TYPED_TEST(HostCopy, OfAnExpressionEvaluatesIt) {
  FUSECL_TYPE_OR_SKIP;
  const host<T> values = random_host<T>(7, 5);
  const matrix_cl<T> a(values);
  expect_same<T>(from_matrix_cl(to_matrix_cl(cast<T>(a + T(1)))), from_matrix_cl(cast<T>(a + T(1))));
  EXPECT_EQ(from_matrix_cl<std::vector<T>>(cast<T>(max_2d(a))).size(), 1u);
  EXPECT_EQ(from_matrix_cl<T>(cast<T>(max_2d(a))), values.maxCoeff());
}

TEST(HostCopy, OfAnExpressionToAnEigenObjectIsOneCopyAndOneWait) {
  using matrix_of_eigen = host<float>;
  for (const auto [rows, cols] : std::vector<size_pair>{{0, 3}, {1, 1}, {71, 33}}) {
    const matrix_of_eigen a = random_host<float>(rows, cols), b = random_host<float>(rows, cols);
    const matrix_cl<float> A(a), B(b);
    const auto costs = [&](const auto& copy) {
      const counters before = runtime_counters();
      EXPECT_EQ(copy(), a + b);
      const counters used = runtime_counters() - before;
      const std::uint64_t once = a.size() > 0 ? 1 : 0;
      EXPECT_EQ(used.launches, once);
      EXPECT_EQ(used.host_reads, once);
      EXPECT_EQ(used.host_waits, once);
      EXPECT_EQ(used.bytes_to_host, static_cast<std::uint64_t>(a.size()) * sizeof(float));
      EXPECT_EQ(used.bytes_to_device, 0u);
    };
    costs([&] {
      matrix_of_eigen e = A + B;
      return e;
    });
    costs([&] {
      matrix_of_eigen e = matrix_of_eigen::Zero(2, 2);
      e = A + B;
      return e;
    });
    costs([&] { return from_matrix_cl(A + B); });
  }
}

TYPED_TEST(HostCopy, OfATriangleZeroesTheRest) {
  FUSECL_TYPE_OR_SKIP;
  for (const matrix_cl_view view : all_views)
    for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {9, 9}, {7, 5}, {5, 7}}) {
      host<T> values = random_host<T>(rows, cols), wanted = values;
      poison_unread(values, view);
      for (Eigen::Index k = 0; k < values.size(); ++k)
        if (std::isnan(static_cast<double>(values.data()[k])) || values.data()[k] == poison<T>())
          if (!std::is_same_v<T, bool>) wanted.data()[k] = T(0);
      if (std::is_same_v<T, bool>) continue;  // poison is an ordinary value
      expect_same<T>(from_matrix_cl(matrix_cl<T>(values, view)), wanted);
    }
}

TYPED_TEST(HostCopy, MayChangeTheSourceRightAfter) {
  FUSECL_TYPE_OR_SKIP;
  host<T> values = random_host<T>(257, 130);
  const host<T> before = values;
  const matrix_cl<T> a(values);
  values.setConstant(T(0));
  expect_same<T>(from_matrix_cl(a), before);
}

TYPED_TEST(HostCopy, PrintsAsEigen) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto [rows, cols] : std::vector<size_pair>{{0, 0}, {1, 1}, {3, 4}}) {
    const host<T> values = random_host<T>(rows, cols);
    const matrix_cl<T> a(values);
    std::ostringstream device, eigen, evaluated;
    device << a;
    eigen << values;
    evaluated << cast<T>(a + T(0));
    EXPECT_EQ(device.str(), eigen.str());
    EXPECT_EQ(evaluated.str(), eigen.str());
  }
}

/// Matrices of Eigen that are not dense: all of them have zeros that are copied, too.
TEST(HostCopy, OfDiagonalTriangularSparseAndPermutationMatrices) {
  FUSECL_NEEDS_DOUBLE;
  const Eigen::MatrixXd m = random_host<double>(5, 5);
  const Eigen::VectorXd v = m.col(2);
  const auto expect_copied = [&](const auto& given) {
    const Eigen::MatrixXd wanted(given);
    expect_same<double>(from_matrix_cl(matrix_cl<double>(given)), wanted);
    expect_same<float>(from_matrix_cl(matrix_cl<float>(given)), host<float>(wanted.cast<float>()));
    matrix_cl<double> assigned(2, 3);
    assigned = given;
    expect_same<double>(from_matrix_cl(assigned), wanted);
  };
  expect_copied(v.asDiagonal());
  expect_copied(Eigen::DiagonalMatrix<double, 3>(1, 2, 3));
  expect_copied(m.triangularView<Eigen::Lower>());
  expect_copied(m.triangularView<Eigen::StrictlyUpper>());
  expect_copied(m.selfadjointView<Eigen::Upper>());
  Eigen::SparseMatrix<double> sparse(4, 3);
  sparse.insert(1, 2) = 2.5;
  sparse.insert(3, 0) = -1;
  expect_copied(sparse);
  expect_copied(Eigen::SparseMatrix<double, Eigen::RowMajor>(sparse));
  const matrix_cl<int> places(Eigen::PermutationMatrix<3>(Eigen::Vector3i(2, 0, 1)));
  expect_same<int>(from_matrix_cl(places), (host<int>(3, 3) << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished());
}

TEST(HostCopy, WithinAViewLeavesTheRestZero) {
  const host<float> values = random_host<float>(7, 7);
  const auto within = [&](auto part) {
    return host<float>(values.template triangularView<decltype(part)::value>());
  };
  using lower = std::integral_constant<unsigned, Eigen::Lower>;
  using upper = std::integral_constant<unsigned, Eigen::Upper>;
  const matrix_cl<float> a(values);
  const matrix_cl<float> l(a, matrix_cl_view::Lower), sum(a + a, matrix_cl_view::Upper), again(l);
  EXPECT_EQ(l.view(), matrix_cl_view::Lower);
  EXPECT_EQ(a.view(), matrix_cl_view::Entire);
  expect_same<float>(from_matrix_cl(l), within(lower()));
  expect_same<float>(from_matrix_cl(again), within(lower()));
  EXPECT_EQ(sum.view(), matrix_cl_view::Upper);
  expect_same<float>(from_matrix_cl(sum), 2 * within(upper()));

  // what a view leaves out stays out, whatever is in memory there
  host<float> poisoned = values;
  poison_unread(poisoned, matrix_cl_view::Upper);
  const matrix_cl<float> u(poisoned, matrix_cl_view::Upper), both(u, matrix_cl_view::Lower),
      of_transpose(transpose(u), matrix_cl_view::Lower), all(u, matrix_cl_view::Entire);
  EXPECT_EQ(both.view(), matrix_cl_view::Diagonal);
  expect_same<float>(from_matrix_cl(both), values.diagonal().asDiagonal());
  expect_same<float>(from_matrix_cl(of_transpose), within(upper()).transpose());
  EXPECT_EQ(all.view(), matrix_cl_view::Upper);
  expect_same<float>(from_matrix_cl(matrix_cl<float>(all + 0.0f)), within(upper()));
  EXPECT_EQ(matrix_cl<float>(matrix_cl<float>(0, 3), matrix_cl_view::Lower).cols(), 3);
}

TEST(HostCopy, OfAListOfVectorsHasThemAsColumns) {
  const host<float> values = random_host<float>(5, 3);
  std::vector<Eigen::VectorXf> columns;
  std::vector<Eigen::RowVectorXf> rows;
  std::vector<host<float>> matrices;
  for (int j = 0; j < 3; ++j) {
    columns.push_back(values.col(j));
    rows.push_back(values.col(j).transpose());
    matrices.push_back(values.leftCols(j + 1).rightCols(1));
  }
  expect_same<float>(from_matrix_cl(matrix_cl<float>(columns)), values);
  expect_same<float>(from_matrix_cl(matrix_cl<float>(rows)), values);
  expect_same<float>(from_matrix_cl(matrix_cl<float>(matrices)), values);
  expect_same<float>(from_matrix_cl(matrix_cl<float>(columns, matrix_cl_view::Lower)),
                     values.triangularView<Eigen::Lower>());
  EXPECT_EQ(matrix_cl<float>(std::vector<Eigen::VectorXf>()).size(), 0);
  columns[1].resize(4);
  EXPECT_THROW(matrix_cl<float>{columns}, std::invalid_argument);
}

TEST(HostCopy, OfAVectorIsAssigned) {
  const std::vector<float> three = {1.5f, -2.0f, 3.0f}, fewer = {4.0f};
  matrix_cl<float> a(3, 1);
  const auto memory = a.storage();
  a = three;
  expect_same<float>(from_matrix_cl(a), Eigen::Vector3f(1.5f, -2.0f, 3.0f));
  EXPECT_EQ(a.storage(), memory);
  a = fewer;
  expect_same<float>(from_matrix_cl(a), host<float>::Constant(1, 1, 4.0f));
  a = std::vector{3, 7};
  expect_same<float>(from_matrix_cl(a), Eigen::Vector2f(3.0f, 7.0f));
  a = std::vector<float>();
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.cols(), 1);
  matrix_cl<bool> b;
  b = std::vector<bool>{true, false};
  EXPECT_TRUE(b(0) && !b(1));
  a = std::vector<Eigen::VectorXf>(2, Eigen::VectorXf::Ones(3));
  expect_same<float>(from_matrix_cl(a), host<float>::Ones(3, 2));
}

TEST(HostCopy, OfNumbersWithAPointInBracesIsAColumn) {
  const matrix_cl<float> one{1.5}, two{1.5f, -2.5f}, in_parentheses({1.0, 2.0}), three({1.0, 2.0, 3.0});
  expect_same<float>(from_matrix_cl(one), host<float>::Constant(1, 1, 1.5f));
  expect_same<float>(from_matrix_cl(two), Eigen::Vector2f(1.5f, -2.5f));
  expect_same<float>(from_matrix_cl(in_parentheses), Eigen::Vector2f(1.0f, 2.0f));
  expect_same<float>(from_matrix_cl(three), Eigen::Vector3f(1.0f, 2.0f, 3.0f));
  matrix_cl<float> a{3, 2};
  EXPECT_EQ(a.rows(), 3);
  EXPECT_EQ(a.cols(), 2);
  a = {1.0, 2.0};
  expect_same<float>(from_matrix_cl(a), Eigen::Vector2f(1.0f, 2.0f));
  a = {};
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.cols(), 0);
}

TEST(HostCopy, KnowsTheElementTypeOfWhatItIsMadeOf) {
  const host<float> values = random_host<float>(4, 4);
  const matrix_cl a(values), l(values, matrix_cl_view::Lower), e(a + a), part(a, matrix_cl_view::Lower),
      row(values.row(0)), columns(std::vector<Eigen::VectorXf>(2, values.col(0)));
  for (const matrix_cl<float>* each : {&a, &l, &e, &part, &row, &columns}) EXPECT_EQ(each->size() % 4, 0);
  EXPECT_EQ(l.view(), matrix_cl_view::Lower);
  const matrix_cl of_int(cast<int>(a));
  static_assert(std::is_same_v<decltype(of_int), const matrix_cl<int>>);
}

TEST(HostCopy, ConvertsBetweenElementTypes) {
  const host<int> values = random_host<int>(7, 5);
  expect_same<float>(from_matrix_cl(matrix_cl<float>(values)), values.cast<float>());
  expect_same<long>(from_matrix_cl<host<long>>(matrix_cl<int>(values)), values.cast<long>());
  EXPECT_EQ(from_matrix_cl<long>(matrix_cl<int>(7)), 7L);
}

TEST(HostCopy, OfTheWrongSizeIsRefused) {
  const matrix_cl<float> a(3, 4);
  EXPECT_THROW(from_matrix_cl<std::vector<float>>(a), std::invalid_argument);
  EXPECT_THROW(from_matrix_cl<float>(a), std::invalid_argument);
  EXPECT_THROW(from_matrix_cl<Eigen::VectorXf>(a), std::invalid_argument);
  EXPECT_THROW((from_matrix_cl<Eigen::Matrix<float, 4, 3>>(a)), std::invalid_argument);
  EXPECT_THROW((from_matrix_cl<std::vector<Eigen::Vector2f>>(a)), std::invalid_argument);
  EXPECT_THROW((from_matrix_cl<std::vector<Eigen::RowVector4f>>(a)), std::invalid_argument);
  EXPECT_EQ((from_matrix_cl<std::vector<Eigen::RowVector3f>>(a)).size(), 4u);
  EXPECT_THROW(matrix_cl<float>(std::vector<float>(11), 3, 4), std::invalid_argument);
  EXPECT_THROW((matrix_cl<float>(cl::Buffer(opencl_context.context(), CL_MEM_READ_WRITE, 40), 3, 4)),
               std::invalid_argument);
}

/// Eigen's matrices that keep their elements within themselves take no more than they have room for.
TEST(HostCopy, BeyondTheRoomOfAnEigenTypeIsRefused) {
  using small = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 4>;
  const host<float> values = random_host<float>(3, 4);
  const matrix_cl<float> fits(values), tall(4, 3), wide(3, 5);
  EXPECT_EQ(host<float>(from_matrix_cl<small>(fits)), values);
  EXPECT_EQ(from_matrix_cl<small>(matrix_cl<float>(0, 2)).rows(), 0);
  expect_message<std::invalid_argument>(
      [&] { from_matrix_cl<small>(tall); },
      "from_matrix_cl: the matrix is 4 x 3, the Eigen type holds at most 3 x 4");
  expect_message<std::invalid_argument>([&] { from_matrix_cl<small>(wide); }, "the matrix is 3 x 5");
  const auto converted = [&]() -> small { return wide + 1.0f; };
  EXPECT_THROW(converted(), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
