// Several linear predictors of the same rows, each with functions of its own: on a GPU slots of a group
// follow one each. Values and derivatives are those of the predictors one by one.

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Data and a column of coefficients for each predictor.
template <class T>
struct regressions {
  matrix_cl<T> x, counts, at;

  regressions(std::int64_t rows, std::int64_t features, std::int64_t predictors)
      : x(random_matrix<T>(rows, features, matrix_cl_view::Entire, -1, 1)),
        counts(rows, 1),
        at(random_matrix<T>(features, predictors, matrix_cl_view::Entire, -1, 1)) {
    counts = cast<T>(row_index(rows, 1) % 3);
  }

  auto predictor(int j) const { return shared(x * col(at, j)); }
  auto logistic(int j) const {
    const auto eta = predictor(j);
    return sum(elt_multiply(counts, eta) - log1p_exp(eta));
  }
  auto poisson(int j) const {
    const auto eta = predictor(j);
    return sum(elt_multiply(counts, eta) - exp(eta) - lgamma(counts + T(1)));
  }
  /// Columns read a function of a weight before the predictor is known, and rows read it again afterwards.
  auto scaled(int j, const parameter<T>& weight) const {
    const auto scale = shared(exp(weight * counts));
    const auto eta = shared(rowwise_sum(
        elt_multiply(elt_multiply(x, rowwise_broadcast(scale)), colwise_broadcast(transpose(col(at, j))))));
    return sum(elt_multiply(scale, inv_logit(eta)));
  }
  auto student(int j) const { return -sum(log1p(square(counts - predictor(j)))); }
  auto of_two(int j) const {
    return sum(elt_multiply(inv_logit(predictor(2 * j - 1)), sin(predictor(2 * j))));
  }
};

/// Compares a weighted sum of densities, evaluated at once, with each evaluated alone.
template <class T, class... Densities>
void expect_as_alone(const regressions<T>& r, const Densities&... densities) {
  constexpr std::size_t count = sizeof...(Densities);
  T next = 0;
  std::array<parameter<T>, count> weights{((void)densities, parameter<T>(next += T(0.5)))...};
  std::array<T, count> by_weight{};
  Eigen::MatrixX<T> by_at, expected = Eigen::MatrixX<T>::Zero(r.at.rows(), r.at.cols());
  T total = 0, expected_total = 0;
  std::array<T, count> values{};
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    total = value_and_gradient_into((... + (weights[K] * densities)), wrt(r.at, weights[K]...), by_at,
                                    by_weight[K]...);
    const auto alone = [&](std::size_t k, const auto& density) {
      Eigen::MatrixX<T> own;
      values[k] = value_and_gradient_into(density, wrt(r.at), own);
      expected += own * (static_cast<T>(k + 1) / 2);
      expected_total += values[k] * (static_cast<T>(k + 1) / 2);
    };
    (alone(K, densities), ...);
  }
  (std::make_index_sequence<count>());
  const T near = (std::is_same_v<T, float> ? T(2e-5) : T(1e-13)) * static_cast<T>(r.x.rows() + 10);
  EXPECT_NEAR(total, expected_total, near * T(count));
  for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(by_weight[k], values[k], near) << k;
  ASSERT_EQ(by_at.rows(), expected.rows());
  ASSERT_EQ(by_at.cols(), expected.cols());
  for (Eigen::Index j = 0; j < by_at.cols(); ++j)
    for (Eigen::Index i = 0; i < by_at.rows(); ++i)
      EXPECT_NEAR(by_at(i, j), expected(i, j), near) << i << ", " << j << " of " << r.x.rows() << " rows";
}

const std::vector<size_pair> sizes = {{0, 3}, {31, 5}, {1001, 17}};

class RowChains : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
};

TEST_F(RowChains, OfOneFormulaAreThoseOfEachAlone) {
  in_both_forms([] {
    for (const size_pair size : sizes) {
      const regressions<double> r(size.rows, size.cols, 5);
      expect_as_alone(r, r.logistic(5), r.logistic(1), r.logistic(3));
      expect_as_alone(r, r.poisson(1), r.poisson(4));
    }
  });
}

TEST_F(RowChains, OfOneFormulaReadWhatColumnsReadBefore) {
  in_both_forms([] {
    const regressions<double> r(257, 7, 3);
    const parameter<double> first(0.1), second(-0.3), third(0.2);
    expect_as_alone(r, r.scaled(1, first), r.scaled(2, second), r.scaled(3, third));
  });
}

// Of two terms that follow from rows alone columns need the second one. By the numbers that the chains share
// with what follows, the first one of one chain stands for the second one of the other.
TEST_F(RowChains, HaveTermsOfRowsAloneInAnyOrder) {
  in_both_forms([] {
    const regressions<double> r(257, 7, 2);
    const parameter<double> a(0.3), b(0.5), c(0.7), d(0.4);
    const auto density = [&](int j, const auto& free, const auto& used, const auto& slope) {
      const auto term = lgamma(used * (r.counts + 1.0));
      const auto scaled = elt_multiply(r.x, rowwise_broadcast(term));
      const auto eta = shared(rowwise_sum(elt_multiply(scaled, colwise_broadcast(transpose(col(r.at, j))))));
      return sum(lgamma(free * (r.counts + 1.0)) + term + slope * square(eta));
    };
    const auto first = density(1, a, b, a), second = density(2, c, d, d);
    Eigen::MatrixXd together, by_first, by_second;
    const double value = value_and_gradient_into(first + second, wrt(r.at), together);
    const double alone = value_and_gradient_into(first, wrt(r.at), by_first) +
                         value_and_gradient_into(second, wrt(r.at), by_second);
    EXPECT_NEAR(value, alone, 1e-12 * std::fabs(alone));
    EXPECT_LT((together - by_first - by_second).norm(), 1e-12 * together.norm());
  });
}

TEST_F(RowChains, OfSeveralFormulasAreThoseOfEachAlone) {
  in_both_forms([] {
    for (const size_pair size : {size_pair{1, 1}, size_pair{257, 7}}) {
      const regressions<double> r(size.rows, size.cols, 4);
      expect_as_alone(r, r.poisson(1), r.student(3));
      expect_as_alone(r, r.of_two(1), r.logistic(3), r.logistic(4));
    }
  });
}

TEST(RowChainsOfFloats, AreThoseOfEachAlone) {
  in_both_forms([] {
    const regressions<float> r(257, 7, 3);
    expect_as_alone(r, r.logistic(1), r.logistic(2), r.logistic(3));
    expect_as_alone(r, r.student(1), r.logistic(2));
  });
}

// Functions of a row that join several predictors of two designs, where columns read a function of a number
// and the row before the predictors are known, and rows read it again.
template <class T>
void expect_joined(std::int64_t rows, std::int64_t features, T near) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(features));
  const regressions<T> r(rows, features, 3);
  const matrix_cl<T> other = random_matrix<T>(rows, 3, matrix_cl_view::Entire, -1, 1),
                     slopes = random_matrix<T>(3, 1, matrix_cl_view::Entire, -1, 1);
  const parameter<T> weight(T(0.25));
  const auto scale = shared(exp(weight * r.counts));
  const auto first = shared(rowwise_sum(
      elt_multiply(elt_multiply(r.x, rowwise_broadcast(scale)), colwise_broadcast(transpose(col(r.at, 1))))));
  const auto second = shared(r.x * col(r.at, 2));
  const auto third = shared(other * slopes);
  Eigen::MatrixX<T> by_at, by_slopes;
  const T value =
      value_and_gradient_into(sum(elt_multiply(elt_multiply(scale, sin(first)), exp(second - third))),
                              wrt(r.at, slopes), by_at, by_slopes);
  const Eigen::MatrixXd x = from_matrix_cl(r.x).template cast<double>(),
                        z = from_matrix_cl(other).template cast<double>(),
                        at = from_matrix_cl(r.at).template cast<double>();
  const Eigen::ArrayXd y = from_matrix_cl(r.counts).template cast<double>().array(), s = (0.25 * y).exp(),
                       plain = (x * at.col(0)).array(), a = s * plain, b = (x * at.col(1)).array(),
                       e = (b - (z * from_matrix_cl(slopes).template cast<double>()).array()).exp();
  const Eigen::VectorXd by_a = s * a.cos() * e, by_b = s * a.sin() * e;
  EXPECT_NEAR(value, by_b.sum(), near);
  const auto expect_near = [&](const auto& found, const Eigen::VectorXd& expected) {
    EXPECT_LT((found.template cast<double>() - expected).cwiseAbs().maxCoeff(), near);
  };
  expect_near(by_at.col(0), x.transpose() * (by_a.array() * s).matrix());
  expect_near(by_at.col(1), x.transpose() * by_b);
  expect_near(by_at.col(2), Eigen::VectorXd::Zero(x.cols()));
  expect_near(by_slopes, -(z.transpose() * by_b));
}

TEST_F(RowChains, AreJoinedByFunctionsOfRows) {
  in_both_forms([] {
    for (const std::int64_t rows : {1, 257}) expect_joined<double>(rows, 7, 1e-10);
    expect_joined<double>(1001, 33, 1e-9);
  });
}

TEST(RowChainsOfFloats, AreJoinedByFunctionsOfRows) {
  in_both_forms([] { expect_joined<float>(257, 7, 0.02F); });
}

// Beside them long terms of counts, whose tables such tiles have no room for.
TEST_F(RowChains, AreJoinedBesideTermsOfCounts) {
  in_both_forms([] {
    for (const auto& [rows, features] : {std::pair{1, 5}, {257, 7}, {1001, 40}}) {
      SCOPED_TRACE(rows);
      const Eigen::MatrixXd x = random_host<double>(rows, features, -1, 1),
                            at = random_host<double>(features, 2, -0.2, 0.2);
      Eigen::VectorXi y(rows);
      for (int i = 0; i < rows; ++i) y(i) = i % 7 == 0 ? 300 + i : i % 11;
      const matrix_cl<double> design(x), slopes(at);
      const matrix_cl<int> counts(y);
      const parameter<double> phi(1.5);
      const auto first = shared(design * col(slopes, 1)), second = shared(design * col(slopes, 2));
      const auto density = sum(lgamma(counts + phi) + elt_multiply(exp(first - second), sin(first)));
      const auto found = value_and_gradient(density, wrt(slopes));
      const Eigen::ArrayXd a = (x * at.col(0)).array(), b = (x * at.col(1)).array();
      double value = ((a - b).exp() * a.sin()).sum();
      for (int i = 0; i < rows; ++i) value += std::lgamma(y(i) + 1.5);
      EXPECT_NEAR(found.value, value, 1e-12 * std::abs(value) + 1e-12);
      const Eigen::MatrixXd gradient = from_matrix_cl(std::get<0>(found.gradient));
      const Eigen::ArrayXd by_a = (a - b).exp() * (a.sin() + a.cos()), by_b = -(a - b).exp() * a.sin();
      EXPECT_LT((gradient.col(0) - x.transpose() * by_a.matrix()).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LT((gradient.col(1) - x.transpose() * by_b.matrix()).cwiseAbs().maxCoeff(), 1e-11);
    }
  });
}

/// The sum of `one(0)`, `one(1)` ... of so many regressions.
template <class One, int... Numbers>
auto sum_of(One one, std::integer_sequence<int, Numbers...>) {
  return (one(Numbers) + ...);
}

// Each has a table of its own: of many of them local memory would have no room.
TEST_F(RowChains, OfCountsHaveTablesWhereThereIsRoom) {
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
  const schedule_as_before restored;
  set_schedule("gpu");
  constexpr int n = 257, k = 40, most = 6;
  const Eigen::MatrixXd x = random_host<double>(n, k, -1, 1), at = random_host<double>(k, most, -0.2, 0.2);
  Eigen::VectorXi y(n);
  for (int i = 0; i < n; ++i) y(i) = i % 7 == 0 ? 300 + i : i % 11;
  const matrix_cl<double> design(x), slopes(at);
  const matrix_cl<int> counts(y);
  std::deque<parameter<double>> phi;
  for (int c = 0; c < most; ++c) phi.emplace_back(1.5 + c);
  const auto one = [&](int c) {
    const auto eta = shared(design * col(slopes, c + 1));
    return sum(lgamma(counts + phi[static_cast<std::size_t>(c)]) + elt_multiply(counts, eta) - exp(eta));
  };
  const auto expect = [&](const auto& e, int regressions, bool has_tables) {
    SCOPED_TRACE(regressions);
    const std::string source = gradient_kernel_source(e, wrt(slopes));
    EXPECT_EQ(source.find("local double table") != std::string::npos, has_tables);
    const auto found = value_and_gradient(e, wrt(slopes));
    const Eigen::MatrixXd gradient = from_matrix_cl(std::get<0>(found.gradient));
    double value = 0;
    for (int c = 0; c < regressions; ++c) {
      const Eigen::ArrayXd eta = (x * at.col(c)).array(), counted = y.cast<double>().array();
      value += (counted * eta - eta.exp()).sum();
      for (int i = 0; i < n; ++i) value += std::lgamma(y(i) + 1.5 + c);
      EXPECT_LT((gradient.col(c) - x.transpose() * (counted - eta.exp()).matrix()).cwiseAbs().maxCoeff(),
                1e-9);
    }
    EXPECT_NEAR(found.value, value, 1e-12 * std::abs(value));
  };
  expect(sum_of(one, std::make_integer_sequence<int, 2>{}), 2, true);
  expect(sum_of(one, std::make_integer_sequence<int, most>{}), most, false);
}

// What is not a number in one predictor stays there.
TEST_F(RowChains, KeepNaNToThemselves) {
  in_both_forms([] {
    regressions<double> r(257, 7, 3);
    Eigen::MatrixXd at = from_matrix_cl(r.at), gradient;
    at(2, 1) = std::numeric_limits<double>::quiet_NaN();
    r.at = matrix_cl<double>(at);
    value_and_gradient_into(r.logistic(1) + r.logistic(2) + r.logistic(3), wrt(r.at), gradient);
    EXPECT_TRUE(gradient.col(0).allFinite());
    EXPECT_TRUE(gradient.col(1).array().isNaN().all());
    EXPECT_TRUE(gradient.col(2).allFinite());
  });
}

// Values of rows that are stored as well as what columns are reduced to with them.
TEST_F(RowChains, StoreValuesOfRows) {
  in_both_forms([] {
    const regressions<double> r(1001, 33, 2);
    const auto residual = [&](int j) { return shared(r.counts - inv_logit(r.predictor(j))); };
    const auto first = residual(1), second = residual(2);
    matrix_cl<double> one, two, by_one, by_two;
    results(one, two, by_one, by_two) =
        expressions(first, second, transpose(r.x) * first, transpose(r.x) * second);
    const Eigen::MatrixXd x = from_matrix_cl(r.x), y = from_matrix_cl(r.counts), at = from_matrix_cl(r.at);
    const Eigen::MatrixXd expected = y.replicate(1, 2) - (1 / (1 + (-(x * at)).array().exp())).matrix();
    EXPECT_LT((from_matrix_cl(one) - expected.col(0)).norm(), 1e-12);
    EXPECT_LT((from_matrix_cl(two) - expected.col(1)).norm(), 1e-12);
    EXPECT_LT((from_matrix_cl(by_one) - x.transpose() * expected.col(0)).norm(), 1e-11);
    EXPECT_LT((from_matrix_cl(by_two) - x.transpose() * expected.col(1)).norm(), 1e-11);
  });
}

// Rows give a sum of their own and, with what columns are reduced to, another one: both need values with
// names.
TEST_F(RowChains, AddRowsAloneBesideRowsOfSeveralPredictors) {
  in_both_forms([] {
    const matrix_cl<double> x(random_matrix<double>(300, 3, matrix_cl_view::Entire, -1, 1)),
        y(random_matrix<double>(300, 1, matrix_cl_view::Entire, -1, 1)),
        b(random_matrix<double>(3, 1, matrix_cl_view::Entire, -1, 1)),
        c(random_matrix<double>(3, 1, matrix_cl_view::Entire, -1, 1));
    parameter<double> weight = 0.3;
    const auto scale = shared(exp(weight * y));
    const auto more = scale + 0.5;
    const auto apart = x * b - x * c;
    const auto density = sum(elt_multiply(more, exp(-more))) +
                         sum(elt_multiply(scale, elt_multiply(apart, exp(-square(apart)))));
    Eigen::VectorXd by_b, by_c;
    double by_weight = 0;
    const double value = value_and_gradient_into(density, wrt(b, c, weight), by_b, by_c, by_weight);

    const Eigen::MatrixXd rows = from_matrix_cl(x);
    const Eigen::ArrayXd at = from_matrix_cl(y).col(0).array(), s = (0.3 * at).exp(), m = s + 0.5;
    const Eigen::ArrayXd d = (rows * (from_matrix_cl(b) - from_matrix_cl(c))).col(0).array(),
                         e = (-d * d).exp();
    const Eigen::VectorXd expected = rows.transpose() * (s * (1 - 2 * d * d) * e).matrix();
    EXPECT_NEAR(value, (m * (-m).exp() + s * d * e).sum(), 1e-11);
    EXPECT_NEAR(by_weight, (s * at * ((1 - m) * (-m).exp() + d * e)).sum(), 1e-11);
    EXPECT_LT((by_b - expected).norm() + (by_c + expected).norm(), 1e-11);
  });
}

// The forms above are taken: one text for chains that are alike, else one for each.
TEST_F(RowChains, HaveOneTextWhereTheyAreAlike) {
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver does not compile the form for GPUs right";
  const schedule_as_before restored;
  set_schedule("gpu");
  const regressions<double> r(20001, 100, 4);  // enough for as many slots as chains on any device
  const auto source = [&](const auto& e) { return gradient_kernel_source(e, wrt(r.at)); };
  const std::string alike = source(r.logistic(1) + r.logistic(2) + r.logistic(4));
  EXPECT_NE(alike.find("if (follows)"), std::string::npos) << alike;
  const std::string counted = source(r.poisson(1) + r.poisson(2));
  EXPECT_NE(counted.find("if (follows)"), std::string::npos) << counted;
  EXPECT_NE(counted.find("// terms of rows alone"), std::string::npos) << counted;
  const std::string unlike = source(r.logistic(1) + r.student(2));
  EXPECT_EQ(unlike.find("follows"), std::string::npos) << unlike;
  EXPECT_NE(unlike.find("if (slot == 0)"), std::string::npos) << unlike;
  const std::string joined = source(sum(elt_multiply(exp(r.predictor(1)), exp(r.predictor(2)))));
  EXPECT_EQ(joined.find("if (slot == 0)"), std::string::npos) << joined;
  EXPECT_EQ(joined.find("follows"), std::string::npos) << joined;
}

}  // namespace
}  // namespace fusecl
