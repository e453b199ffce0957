// Long functions of a row between its predictor and sums of columns: on a GPU the work-items that share rows
// share out these functions. Values, derivatives and results of rows are those of a plain loop on the host.

#include <cmath>
#include <utility>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
struct row_model {
  Eigen::MatrixX<T> x;
  Eigen::VectorX<T> b, w;
  Eigen::VectorXi y;

  row_model(int rows, int columns)
      : x(random_host<T>(rows, columns, -1, 1)),
        b(random_host<T>(columns, 1, -1, 1)),
        w(random_host<T>(rows, 1, -1, 1)),
        y(rows) {
    for (int i = 0; i < rows; ++i) y[i] = (i * 7 + i / 3) % 5;
  }

  Eigen::VectorXd eta() const { return x.template cast<double>() * b.template cast<double>(); }
  /// sum of y exp(-eta^2) + w log(1 + exp(eta)) and its derivatives by b
  std::pair<double, Eigen::VectorXd> expected() const {
    const Eigen::ArrayXd e = eta(), counts = y.cast<double>(), weights = w.template cast<double>();
    const Eigen::ArrayXd bell = (-e.square()).exp();
    const Eigen::ArrayXd slope = -2 * counts * e * bell + weights / (1 + (-e).exp());
    return {(counts * bell + weights * (1 + e.exp()).log()).sum(),
            x.template cast<double>().transpose() * slope.matrix()};
  }
};

template <class T>
T near_of(const Eigen::VectorXd& expected, int rows) {
  const double digits = std::is_same_v<T, float> ? 2e-6 : 1e-14;
  return static_cast<T>(digits * (rows + 10) *
                        (1 + expected.cwiseAbs().sum() / (1 + static_cast<double>(expected.size()))));
}

template <class T>
void expect_as_on_host(int rows, int columns) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  const row_model<T> m(rows, columns);
  const matrix_cl<T> x(m.x), b(m.b), w(m.w);
  const matrix_cl<int> y(m.y);
  const auto eta = shared(x * b);
  const auto term = shared(elt_multiply(cast<T>(y), exp(-square(eta))) + elt_multiply(w, log1p_exp(eta)));
  const auto [value, slopes] = m.expected();
  Eigen::VectorX<T> by_b;
  const T found = value_and_gradient_into(sum(term), wrt(b), by_b);
  const T near = near_of<T>(slopes, rows);
  EXPECT_NEAR(found, static_cast<T>(value), near);
  ASSERT_EQ(by_b.size(), slopes.size());
  for (Eigen::Index k = 0; k < slopes.size(); ++k) EXPECT_NEAR(by_b[k], static_cast<T>(slopes[k]), near) << k;
}

// one row, tiles that are not full, rows without whole vectors, more columns than a tile loads ahead
const std::vector<size_pair> sizes = {{1, 3}, {63, 40}, {1000, 100}, {131, 700}};

TEST(SharedRows, AreThoseOfOneRowAtATime) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const size_pair size : sizes)
      expect_as_on_host<double>(static_cast<int>(size.rows), static_cast<int>(size.cols));
  });
}

TEST(SharedRows, OfFloatsAreThoseOfOneRowAtATime) {
  in_both_forms([] {
    for (const size_pair size : sizes)
      expect_as_on_host<float>(static_cast<int>(size.rows), static_cast<int>(size.cols));
  });
}

// The value of a row goes to memory, once where the labels are, beside sums of columns that follow from it.
TEST(SharedRows, StoreWhatRowsGive) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const auto& [rows, columns] : {std::pair(257, 60), std::pair(512, 100)}) {
      const row_model<double> m(rows, columns);
      const matrix_cl<double> x(m.x), b(m.b);
      matrix_cl<double> w(m.w), sums, slopes;
      const auto eta = shared(x * b);
      const auto slope = shared(inv_logit(eta) - elt_multiply(w, exp(-square(eta))));
      results(slopes, sums, w) = expressions(slope, transpose(x) * slope, slope + w);
      const Eigen::ArrayXd e = m.eta(), expected = 1 / (1 + (-e).exp()) - m.w.array() * (-e.square()).exp();
      EXPECT_LT((slopes.to_host() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((w.to_host() - expected.matrix() - m.w).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((sums.to_host() - m.x.transpose() * expected.matrix()).cwiseAbs().maxCoeff(), 1e-11);
    }
  });
}

}  // namespace
}  // namespace fusecl
