// log_sum_exp, softmax, mean, variance, sd, inner products, norms and distances of rows, columns and
// everything: against the interpreter and against extended precision on the host, at infinities, of nothing,
// of integers and of triangles.

#include <cmath>
#include <numeric>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

using line = list_of<long double>;

/// The rows, the columns or all elements of a matrix.
template <class T>
std::vector<line> lines(const host<T>& m, ir::axis axis) {
  if (axis == ir::axis::all) return {line(m.data(), m.data() + m.size())};
  const bool rows = axis == ir::axis::row;
  std::vector<line> result(static_cast<std::size_t>(rows ? m.rows() : m.cols()));
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      result[static_cast<std::size_t>(rows ? i : j)].push_back(static_cast<long double>(m(i, j)));
  return result;
}

long double sum_of(const line& x) { return std::accumulate(x.begin(), x.end(), 0.0L); }
long double mean_of(const line& x) { return sum_of(x) / static_cast<long double>(x.size()); }
long double squares_of(const line& x, long double about = 0) {
  return std::accumulate(x.begin(), x.end(), 0.0L,
                         [&](long double s, long double e) { return s + (e - about) * (e - about); });
}
long double variance_of(const line& x) {
  return x.size() < 2 ? 0 : squares_of(x, mean_of(x)) / static_cast<long double>(x.size() - 1);
}
long double log_sum_exp_of(const line& x) {
  const long double largest = *std::max_element(x.begin(), x.end());
  long double total = 0;
  for (long double e : x) total += std::exp(e - largest);
  return largest + std::log(total);
}

/// Values within [-10, 10] lose at most a few units of the sum of their sizes, whatever the order.
template <class T, class E, class F>
void expect_lines(const E& e, const host<T>& m, ir::axis axis, F f,
                  std::source_location where = std::source_location::current()) {
  const auto found = from_matrix_cl(matrix_cl<T>(e));
  const std::vector<line> all = lines(m, axis);
  ASSERT_EQ(static_cast<std::size_t>(found.size()), all.size()) << test::detail::place(where);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double wanted = static_cast<double>(f(all[k]));
    const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                             std::sqrt(static_cast<double>(all[k].size())) * (20 + std::fabs(wanted));
    EXPECT_NEAR(static_cast<double>(found.data()[k]), wanted, tolerance)
        << test::detail::place(where) << ", line " << k;
  }
}

template <class T>
class Statistics : public ::testing::Test {};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Statistics, floating_types);

#define FUSECL_TYPE_OR_SKIP \
  using T = TypeParam;      \
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>))

/// One element, less than a vector, ragged, more than a tile.
const std::vector<size_pair> some_sizes = {{1, 1}, {71, 33}, {5, 300}, {300, 5}};

TYPED_TEST(Statistics, OfRowsAreThoseOfEachRow) {
  FUSECL_TYPE_OR_SKIP;
  constexpr ir::axis axis = ir::axis::row;
  in_both_forms([] {
    for (const auto [rows, cols] : some_sizes) {
      const host<T> h = random_host<T>(rows, cols);
      const matrix_cl<T> a(h);
      expect_lines(rowwise_log_sum_exp(a), h, axis, log_sum_exp_of);
      expect_lines(rowwise_mean(a), h, axis, mean_of);
      expect_lines(rowwise_variance(a), h, axis, variance_of);
      expect_lines(rowwise_sd(a), h, axis, [](const line& x) { return std::sqrt(variance_of(x)); });
      expect_lines(rowwise_dot_self(a), h, axis, [](const line& x) { return squares_of(x); });
      expect_lines(rowwise_norm(a), h, axis, [](const line& x) { return std::sqrt(squares_of(x)); });
    }
  });
}

TYPED_TEST(Statistics, OfColumnsAreThoseOfEachColumn) {
  FUSECL_TYPE_OR_SKIP;
  constexpr ir::axis axis = ir::axis::column;
  in_both_forms([] {
    for (const auto [rows, cols] : some_sizes) {
      const host<T> h = random_host<T>(rows, cols);
      const matrix_cl<T> a(h);
      expect_lines(colwise_log_sum_exp(a), h, axis, log_sum_exp_of);
      expect_lines(colwise_mean(a), h, axis, mean_of);
      expect_lines(colwise_variance(a), h, axis, variance_of);
      expect_lines(colwise_sd(a), h, axis, [](const line& x) { return std::sqrt(variance_of(x)); });
      expect_lines(colwise_dot_self(a), h, axis, [](const line& x) { return squares_of(x); });
      expect_lines(colwise_norm(a), h, axis, [](const line& x) { return std::sqrt(squares_of(x)); });
    }
  });
}

/// Columns that are taken side by side, in vectors with one pivot, and in several times a few of these.
TYPED_TEST(Statistics, OfColumnsOfAnyLengthAreThoseOfEachColumn) {
  FUSECL_TYPE_OR_SKIP;
  constexpr ir::axis axis = ir::axis::column;
  in_both_forms([] {
    for (const auto [rows, cols] : {size_pair{2, 40},
                                    {8, 33},
                                    {15, 34},
                                    {16, 17},
                                    {31, 35},
                                    {33, 18},
                                    {48, 65},
                                    {49, 16},
                                    {100, 9},
                                    {5003, 3}}) {
      const host<T> h = random_host<T>(rows, cols);
      const matrix_cl<T> a(h);
      expect_lines(colwise_variance(a), h, axis, variance_of);
      expect_lines(colwise_sd(a), h, axis, [](const line& x) { return std::sqrt(variance_of(x)); });
      expect_lines(colwise_log_sum_exp(a), h, axis, log_sum_exp_of);
    }
  });
}

/// A mean far larger than what elements vary by, infinities and NaN at any place, elements that are all the
/// same.
TYPED_TEST(Statistics, OfColumnsVaryByWhatIsInThem) {
  FUSECL_TYPE_OR_SKIP;
  const T mean = any_double<T> ? T(1e8) : T(1000), inf = std::numeric_limits<T>::infinity();
  for (const Eigen::Index rows : {5, 12, 16, 33, 47, 48, 300, 5003}) {
    SCOPED_TRACE(std::to_string(rows));
    const Eigen::Index cols = 40, last = rows - 1;
    host<T> h = random_host<T>(rows, cols, -1, 1);
    h.array() += mean;
    h.col(1).setConstant(T(0.1));
    h(0, 2) = inf;
    h(last, 3) = -inf;
    h(0, 4) = h(last, 4) = inf;
    h(0, 5) = std::numeric_limits<T>::quiet_NaN();
    h(last, 6) = std::numeric_limits<T>::quiet_NaN();
    h(rows / 2, 7) = std::numeric_limits<T>::quiet_NaN();
    h(0, 8) = T(0);     // far from the others, and what these are taken from
    h(last, 9) = T(0);  // far from them
    const matrix_cl<T> a(h);
    in_both_forms([&] {
      const host<T> found = from_matrix_cl(matrix_cl<T>(colwise_variance(a))),
                    sds = from_matrix_cl(matrix_cl<T>(colwise_sd(a)));
      const std::vector<line> all = lines(h, ir::axis::column);
      EXPECT_EQ(sds(0, 1), 0);
      for (Eigen::Index j = 0; j < cols; ++j) {
        SCOPED_TRACE(j);
        if (j >= 2 && j <= 7) {
          EXPECT_TRUE(std::isnan(found(0, j)) && std::isnan(sds(0, j)));
          continue;
        }
        const double wanted = static_cast<double>(variance_of(all[static_cast<std::size_t>(j)]));
        const double tolerance = 4 * static_cast<double>(rows) * std::numeric_limits<T>::epsilon() * wanted;
        // equal elements may be taken from a mean that is not quite theirs
        const double of_mean = 0.1 * static_cast<double>(rows) * std::numeric_limits<T>::epsilon();
        EXPECT_NEAR(found(0, j), wanted, j == 1 ? of_mean * of_mean : tolerance);
        EXPECT_NEAR(sds(0, j), std::sqrt(wanted), j == 1 ? 0 : tolerance / std::sqrt(wanted));
      }
    });
  }
}

TYPED_TEST(Statistics, OfTheOtherLinesOfATransposeAreTurned) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : {size_pair{6, 4}, {40, 30}, {71, 33}}) {
      const auto a = random_matrix<T>(rows, cols);
      expect_matches_reference(transpose(a) - colwise_broadcast(transpose(rowwise_sd(a))));
      expect_matches_reference(transpose(a) - colwise_broadcast(transpose(rowwise_variance(a))));
      expect_matches_reference(transpose(a) - colwise_broadcast(transpose(rowwise_log_sum_exp(a))));
      expect_matches_reference(a - rowwise_broadcast(transpose(colwise_sd(transpose(a)))));
      matrix_cl<T> part(constant(T(0), 3, rows));
      row(part, 2) = transpose(rowwise_sd(a));
      expect_matches(matrix_cl<T>(row(part, 2)), expected(transpose(rowwise_sd(a))));
    }
  });
}

TYPED_TEST(Statistics, OfEverythingAreNumbers) {
  FUSECL_TYPE_OR_SKIP;
  constexpr ir::axis axis = ir::axis::all;
  in_both_forms([] {
    for (const auto [rows, cols] : some_sizes) {
      const host<T> h = random_host<T>(rows, cols);
      const matrix_cl<T> a(h);
      expect_lines(log_sum_exp(a), h, axis, log_sum_exp_of);
      expect_lines(mean(a), h, axis, mean_of);
      expect_lines(variance(a), h, axis, variance_of);
      expect_lines(sd(a), h, axis, [](const line& x) { return std::sqrt(variance_of(x)); });
      expect_lines(dot_self(a), h, axis, [](const line& x) { return squares_of(x); });
      expect_lines(norm(a), h, axis, [](const line& x) { return std::sqrt(squares_of(x)); });
    }
  });
}

TYPED_TEST(Statistics, OfTwoOperandsAreThoseOfTheirProductsAndDifferences) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    const host<T> h = random_host<T>(71, 33), g = random_host<T>(71, 33);
    const matrix_cl<T> a(h), b(g);
    const host<T> products = h.cwiseProduct(g), differences = h - g;
    expect_lines(rowwise_dot_product(a, b), products, ir::axis::row, sum_of);
    expect_lines(columns_dot_product(a, b), products, ir::axis::column, sum_of);
    expect_lines(rowwise_squared_distance(a, b), differences, ir::axis::row,
                 [](const line& x) { return squares_of(x); });
    expect_lines(colwise_distance(a, b), differences, ir::axis::column,
                 [](const line& x) { return std::sqrt(squares_of(x)); });
    expect_lines(distance(a, b), differences, ir::axis::all,
                 [](const line& x) { return std::sqrt(squares_of(x)); });
    expect_lines(norm1(a), host<T>(h.cwiseAbs()), ir::axis::all, sum_of);
  });
}

TYPED_TEST(Statistics, SoftmaxAndItsLogarithmBelongTogether) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const auto [rows, cols] : some_sizes) {
      const auto a = random_matrix<T>(rows, cols);
      expect_matches_reference(rowwise_softmax(a));
      expect_matches_reference(colwise_softmax(a));
      expect_matches_reference(softmax(a));
      const host<T> logarithm = from_matrix_cl(rowwise_log_softmax(a));
      const host<T> direct = from_matrix_cl(a - rowwise_broadcast(rowwise_log_sum_exp(a)));
      EXPECT_LT((logarithm - direct).cwiseAbs().maxCoeff(), 100 * std::numeric_limits<T>::epsilon());
      const host<T> powers = logarithm.array().exp().matrix();
      EXPECT_LT((powers.rowwise().sum().array() - T(1)).abs().maxCoeff(),
                100 * std::numeric_limits<T>::epsilon());
      expect_matches_reference(colwise_log_softmax(a) + log_softmax(a));
    }
  });
}

TYPED_TEST(Statistics, DoNotOverflowAndKeepSmallDifferences) {
  FUSECL_TYPE_OR_SKIP;
  const T big = std::is_same_v<T, double> ? T(1e300) : T(1e30);
  host<T> h(2, 2);
  h << big, big, -big, -big;
  EXPECT_EQ(from_matrix_cl(matrix_cl<T>(rowwise_log_sum_exp(matrix_cl<T>(h)))), h.col(0));
  EXPECT_EQ(from_matrix_cl(matrix_cl<T>(rowwise_softmax(matrix_cl<T>(h)))),
            (host<T>::Constant(2, 2, T(0.5))));
  host<T> far(1, 2);  // neighbours of 2^20, whose sum of powers is far below a unit of 2^20
  far << T(1 << 20), T(1 << 20) - T(0.125);
  const host<T> found = from_matrix_cl(matrix_cl<T>(rowwise_log_softmax(matrix_cl<T>(far))));
  EXPECT_NEAR(found(0, 0), -std::log1p(std::exp(-0.125)), 4 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Statistics, KeepInfinitiesAndNaN) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    host<T> h(5, 3), wanted(5, 1);
    const T inf = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
    h << -inf, -inf, -inf,  //
        -inf, 2, -inf,      //
        inf, 1, -inf,       //
        inf, none, 1,       //
        -inf, none, -inf;
    wanted << -inf, 2, inf, none, none;
    const matrix_cl<T> a(h);
    expect_same<T>(from_matrix_cl(matrix_cl<T>(rowwise_log_sum_exp(a))), wanted);
    const host<T> share = from_matrix_cl(matrix_cl<T>(rowwise_softmax(a)));
    for (int i : {0, 2, 3, 4}) EXPECT_TRUE(share.row(i).array().isNaN().all()) << i;
    EXPECT_EQ(share.row(1), (host<T>(1, 3) << 0, 1, 0).finished());
    const host<T> logarithm = from_matrix_cl(matrix_cl<T>(rowwise_log_softmax(a)));
    for (int i : {0, 2, 3, 4}) EXPECT_TRUE(logarithm.row(i).array().isNaN().all()) << i;
    EXPECT_EQ(logarithm.row(1), (host<T>(1, 3) << -inf, 0, -inf).finished());
    EXPECT_TRUE(from_matrix_cl(matrix_cl<T>(rowwise_sd(a))).array().isNaN().all());
  });
}

TYPED_TEST(Statistics, OfTrianglesSeeZerosOutsideTheView) {
  FUSECL_TYPE_OR_SKIP;
  in_both_forms([] {
    for (const matrix_cl_view view : all_views) {
      const auto a = random_matrix<T>(33, 33, view);
      const host<T> h = a.to_host();
      expect_lines(rowwise_log_sum_exp(a), h, ir::axis::row, log_sum_exp_of);
      expect_lines(colwise_variance(a), h, ir::axis::column, variance_of);
      expect_lines(mean(a), h, ir::axis::all, mean_of);
      expect_lines(rowwise_norm(a), h, ir::axis::row, [](const line& x) { return std::sqrt(squares_of(x)); });
      expect_matches_reference(rowwise_softmax(a));
    }
  });
}

TYPED_TEST(Statistics, OfFloatsStayFloats) {
  using T = TypeParam;
  const matrix_cl<T> a(2, 3);
  static_assert(std::is_same_v<value_type_of<decltype(mean(a))>, T>);
  static_assert(std::is_same_v<value_type_of<decltype(rowwise_sd(a))>, T>);
  static_assert(std::is_same_v<value_type_of<decltype(colwise_softmax(a))>, T>);
  static_assert(std::is_same_v<value_type_of<decltype(log_sum_exp(a))>, T>);
  static_assert(std::is_same_v<value_type_of<decltype(distance(a, a))>, T>);
}

TEST(StatisticsOfNothing, AreThoseOfStanMath) {
  const matrix_cl<float> flat(3, 0), none(0, 3), empty(0, 0);
  const float lowest = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(static_cast<float>(log_sum_exp(empty)), lowest);
  EXPECT_EQ(from_matrix_cl(matrix_cl<float>(rowwise_log_sum_exp(flat))), host<float>::Constant(3, 1, lowest));
  EXPECT_EQ(from_matrix_cl(matrix_cl<float>(colwise_log_sum_exp(none))), host<float>::Constant(1, 3, lowest));
  EXPECT_EQ(matrix_cl<float>(softmax(flat)).rows(), 3);
  EXPECT_EQ(matrix_cl<float>(rowwise_log_softmax(empty)).size(), 0);
  EXPECT_EQ(static_cast<float>(norm(empty)), 0);
  EXPECT_EQ(static_cast<float>(distance(flat, flat)), 0);
  EXPECT_THROW(mean(empty), std::invalid_argument);
  EXPECT_THROW(variance(flat), std::invalid_argument);
  EXPECT_THROW(rowwise_sd(flat), std::invalid_argument);
  EXPECT_EQ(matrix_cl<float>(rowwise_mean(none)).rows(), 0);
  EXPECT_THROW(colwise_mean(none), std::invalid_argument);
  EXPECT_EQ(matrix_cl<float>(colwise_variance(flat)).cols(), 0);
}

TEST(StatisticsOfIntegers, AreComputedInDouble) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> a(std::vector<int>{2000000000, 2000000000, 2000000001});
  EXPECT_DOUBLE_EQ(static_cast<double>(mean(a)), 6000000001.0 / 3);
  EXPECT_NEAR(static_cast<double>(variance(a)), 1.0 / 3, 1e-9);
  EXPECT_NEAR(static_cast<double>(log_sum_exp(a)), 2000000001 + std::log1p(2 * std::exp(-1.0)), 1e-6);
  EXPECT_DOUBLE_EQ(static_cast<double>(norm(a)), std::sqrt(1.2e19 + 4e9 + 1));
  EXPECT_EQ(static_cast<double>(mean(a > 2000000000)), 1.0 / 3);
  const matrix_cl<unsigned> b(std::vector<unsigned>{1, 2}), c(std::vector<unsigned>{3, 1});
  EXPECT_EQ(static_cast<double>(squared_distance(b, c)), 5);
  static_assert(std::is_same_v<value_type_of<decltype(dot_self(b))>, unsigned>);
  static_assert(std::is_same_v<value_type_of<decltype(dot_product(a, a))>, int>);
  EXPECT_EQ(static_cast<unsigned>(dot_self(b)), 5u);
  EXPECT_EQ(static_cast<unsigned>(dot_product(b, c)), 5u);
}

/// dot_self(a) and dot_product(a, a) are one value of the type that T has after promotion.
template <class T>
void expect_agreement() {
  const matrix_cl<T> a = random_matrix<T>(5, 3, matrix_cl_view::Entire, 0, 9);
  using wanted = decltype(T{} + T{});
  static_assert(std::is_same_v<value_type_of<decltype(dot_self(a))>, wanted>);
  static_assert(std::is_same_v<value_type_of<decltype(dot_product(a, a))>, wanted>);
  static_assert(std::is_same_v<value_type_of<decltype(rowwise_dot_self(a))>, wanted>);
  static_assert(std::is_same_v<value_type_of<decltype(colwise_dot_product(a, a))>, wanted>);
  EXPECT_EQ(reference(dot_self(a)), reference(dot_product(a, a)));
  EXPECT_EQ(reference(rowwise_dot_self(a)), reference(rowwise_dot_product(a, a)));
}

TEST(StatisticsOfIntegers, InnerProductsAgreeAndAreOfThePromotedType) {
  expect_agreement<bool>();
  expect_agreement<int>();
  expect_agreement<unsigned>();
  expect_agreement<long>();
  // they wrap where the type does not hold them
  const matrix_cl<int> large(std::vector<int>{65536, 1});
  EXPECT_EQ(static_cast<int>(dot_self(large)), 1);
  EXPECT_EQ(static_cast<int>(dot_product(large, large)), 1);
}

TEST(StatisticsOfIntegers, AreDoublesOfEveryIntegerType) {
  FUSECL_NEEDS_DOUBLE;
  const auto check = []<class T>(T) {
    const matrix_cl<T> a(host<T>(host<T>{{T(1), T(0)}, {T(1), T(1)}}));
    static_assert(std::is_same_v<value_type_of<decltype(mean(a))>, double>);
    static_assert(std::is_same_v<value_type_of<decltype(rowwise_variance(a))>, double>);
    static_assert(std::is_same_v<value_type_of<decltype(colwise_sd(a))>, double>);
    EXPECT_DOUBLE_EQ(reference(mean(a))(0), 0.75);
    EXPECT_DOUBLE_EQ(reference(variance(a))(0), 0.25);
    EXPECT_DOUBLE_EQ(reference(sd(a))(0), 0.5);
  };
  check(true), check(1), check(1u), check(1L);
}

TYPED_TEST(Statistics, OfAConstantVaryNotAtAll) {
  FUSECL_TYPE_OR_SKIP;
  // 0.1 * 71 / 71 is not 0.1 in either type
  const matrix_cl<T> a = constant(T(0.1), 71, 3);
  EXPECT_EQ(from_matrix_cl(matrix_cl<T>(colwise_sd(a))), (host<T>::Zero(1, 3)));
  EXPECT_EQ(static_cast<T>(sd(a)), 0);
}

/// Whatever one element of a row or column is to the others.
TYPED_TEST(Statistics, VaryByWhatIsFarFromTheRest) {
  FUSECL_TYPE_OR_SKIP;
  for (const auto& [base, far] : {std::pair(0, 10000), std::pair(1000, 0)})
    for (const int n : {20000, 100000}) {
      const host<T> others = random_host<T>(1, n, -1, 1).array() + T(base);
      for (const int at : {0, n / 3, n - 65}) {
        host<T> row = others;
        row(0, at) = T(far);
        const Eigen::ArrayXd exact = row.template cast<double>().transpose().array();
        const double wanted = (exact - exact.mean()).square().sum() / (n - 1);
        const matrix_cl<T> by_row = rowwise_variance(matrix_cl<T>(row)),
                           by_col = colwise_variance(matrix_cl<T>(host<T>(row.transpose())));
        const double tolerance = (std::is_same_v<T, float> ? 1e-3 : 1e-12) * wanted;
        EXPECT_NEAR(by_row.to_host()(0, 0), wanted, tolerance) << n << " " << base << " " << at;
        EXPECT_NEAR(by_col.to_host()(0, 0), wanted, tolerance) << n << " " << base << " " << at;
      }
    }
}

TEST(StatisticsOfTwoOperands, RefuseOtherSizesByName) {
  const matrix_cl<float> a(2, 3), b(3, 2);
  EXPECT_THROW(distance(a, b), std::invalid_argument);
  EXPECT_THROW(rowwise_dot_product(a, b), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
