// Rows with more columns than a group of a GPU has room for are shared by groups that exchange what they
// reduce along them: values, derivatives and results of rows are those of a plain loop on the host.

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Number of the exchange memory that says which tags are used up.
constexpr std::size_t place_of_tag = 2 * sizeof(cl_uint);

cl_uint tag() {
  runtime::thread_queue& queue = runtime::acquire_queue();
  cl_uint found = 0;
  queue.read(*queue.exchanged(schedule::bytes_exchanged), place_of_tag, sizeof found, &found);
  return found;
}

struct regression {
  Eigen::MatrixXd x;
  Eigen::VectorXd b, w;
  Eigen::VectorXi y;

  regression(int rows, int columns)
      : x(random_host<double>(rows, columns, -1, 1)),
        b(random_host<double>(columns, 1, -1, 1) / std::sqrt(columns)),
        w(random_host<double>(rows, 1, -1, 1)),
        y(rows) {
    for (int i = 0; i < rows; ++i) y[i] = (i * 7 + i / 3) % 5;
  }
  /// Derivatives by rows of sum(y eta - w log(1 + exp(eta))), and the sum.
  Eigen::ArrayXd slope() const {
    const Eigen::ArrayXd eta = x * b;
    return y.cast<double>().array() - w.array() / (1 + (-eta).exp());
  }
  double value() const {
    const Eigen::ArrayXd eta = x * b;
    return (y.cast<double>().array() * eta - w.array() * (1 + eta.exp()).log()).sum();
  }
};

template <class T>
struct found_of {
  T value;
  Eigen::VectorX<T> by_b;
  T by_a;
  bool operator==(const found_of&) const = default;
};

template <class T = double>
found_of<T> fit(const regression& m) {
  const matrix_cl<T> x(Eigen::MatrixX<T>(m.x.cast<T>())), b(Eigen::VectorX<T>(m.b.cast<T>())),
      w(Eigen::VectorX<T>(m.w.cast<T>()));
  const matrix_cl<int> y(m.y);
  const parameter<T> a = 0;
  const auto eta = shared(x * b + a);
  found_of<T> found;
  found.value = value_and_gradient_into(sum(elt_multiply(cast<T>(y), eta) - elt_multiply(w, log1p_exp(eta))),
                                        wrt(b, a), found.by_b, found.by_a);
  return found;
}

template <class T>
void expect_as_on_host(const regression& m, const found_of<T>& found) {
  const Eigen::ArrayXd slope = m.slope();
  const Eigen::VectorXd by_b = m.x.transpose() * slope.matrix(),
                        size = m.x.cwiseAbs().transpose() * slope.abs().matrix();
  const double digits = std::is_same_v<T, float> ? 3e-5 : 3e-14;
  const double terms = static_cast<double>(m.x.rows());
  EXPECT_NEAR(found.value, m.value(), digits * terms * 4);
  EXPECT_NEAR(found.by_a, slope.sum(), digits * terms * 4);
  ASSERT_EQ(found.by_b.size(), by_b.size());
  EXPECT_LE(((found.by_b.template cast<double>() - by_b).array() / (size.array() + 1)).abs().maxCoeff(),
            digits);
}

/// The form of kernels for a GPU, where groups may wait for each other, as long as it lives.
class TileTeam : public ::testing::Test {
 protected:
  void SetUp() override {
    FUSECL_NEEDS_DOUBLE;
    if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
    set_schedule("gpu");
    const schedule::device_shape device = fusecl::detail::selected_device_shape();
    if (!device.last_group || device.compute_units < 2) GTEST_SKIP() << "groups do not wait for each other";
    if (device.shuffles && device.shown_bytes < 200 * 1024) GTEST_SKIP() << "groups have too little memory";
    // on a GPU only large matrices are worth it
    many_rows_ = device.shuffles ? 4003 : 203;
    columns_ = device.shuffles ? 4000 : 120;
    stored_columns_ = device.shuffles ? columns_ : 100;
  }
  int many_rows_ = 0, columns_ = 0;
  int stored_columns_ = 0;  ///< with two sums each

 private:
  schedule_as_before restored_;
};

TEST_F(TileTeam, HasTheValuesOfOneRowAtATime) {
  for (const int columns : {columns_, columns_ + 1, columns_ - 1}) {
    const regression m(many_rows_, columns);
    const cl_uint before = tag();
    expect_as_on_host(m, fit(m));
    EXPECT_NE(tag(), before) << "no groups have exchanged anything";
  }
}

TEST_F(TileTeam, HasTilesThatAreNotFull) {
  for (const int rows : {1, 2, 15, 16, 17, 31, 32, 33, 48, 160}) {
    SCOPED_TRACE(rows);
    const regression m(rows, columns_);
    expect_as_on_host(m, fit(m));
  }
}

TEST_F(TileTeam, OfFloats) {
  for (const int rows : {1, 31, 32, 33, many_rows_, many_rows_ + 1}) {
    SCOPED_TRACE(rows);
    const regression m(rows, columns_);
    expect_as_on_host(m, fit<float>(m));
  }
}

TEST_F(TileTeam, RepeatsWhatItHasComputedBitwise) {
  const regression m(many_rows_, columns_), other(many_rows_ - 60, columns_ + 7);
  const auto first = fit(m), second = fit(other);
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(fit(m), first);
    EXPECT_EQ(fit(other), second);
    EXPECT_EQ(fit<float>(m), fit<float>(m));
    if (k == 5) trim();
  }
}

TEST_F(TileTeam, HasSeveralPredictors) {
  const int rows = many_rows_ + 1;
  const regression m(rows, columns_);
  const Eigen::VectorXd c = random_host<double>(columns_, 1, -1, 1) / columns_;
  const matrix_cl<double> x(m.x), w(m.w);
  matrix_cl<double> b(m.b), log_scale(c), by_b(columns_, 1), by_c(columns_, 1);
  const auto mean = shared(x * b), scale = shared(x * log_scale);
  const double value = value_and_gradient_into(
      sum(square(elt_multiply(w - mean, exp(-scale))) * -0.5 - scale), wrt(b, log_scale), by_b, by_c);
  const Eigen::ArrayXd s = m.x * c, z = (m.w - m.x * m.b).array() * (-s).exp();
  EXPECT_NEAR(value, (z.square() * -0.5 - s).sum(), 1e-12 * rows);
  const Eigen::VectorXd right_b = m.x.transpose() * (z * (-s).exp()).matrix(),
                        right_c = m.x.transpose() * (z.square() - 1).matrix();
  EXPECT_LT((by_b.to_host() - right_b).cwiseAbs().maxCoeff(), 1e-13 * rows);
  EXPECT_LT((by_c.to_host() - right_c).cwiseAbs().maxCoeff(), 1e-13 * rows);
}

TEST_F(TileTeam, StoresWhatRowsGive) {
  const regression m(many_rows_ + 1, stored_columns_);
  const matrix_cl<double> x(m.x), b(m.b);
  matrix_cl<double> w(m.w), sums, slopes, largest;
  const auto eta = shared(x * b);
  const auto slope = shared(inv_logit(eta) - elt_multiply(w, exp(-square(eta))));
  const Eigen::ArrayXd e = m.x * m.b, right = 1 / (1 + (-e).exp()) - m.w.array() * (-e.square()).exp();
  const cl_uint before = tag();
  results(slopes, sums, largest) = expressions(slope, transpose(x) * slope, transpose(colwise_max(x)));
  EXPECT_NE(tag(), before);
  EXPECT_LT((slopes.to_host() - right.matrix()).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((sums.to_host() - m.x.transpose() * right.matrix()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(largest.to_host(), m.x.colwise().maxCoeff().transpose());
  // where an operand was, which another group may not have read yet
  results(sums, w) = expressions(transpose(x) * slope, slope + w);
  EXPECT_LT((w.to_host() - right.matrix() - m.w).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((sums.to_host() - m.x.transpose() * right.matrix()).cwiseAbs().maxCoeff(), 1e-10);
}

// The kernel reads an operand of rows where columns are completed, and where they are added up along rows.
TEST_F(TileTeam, ReadsWhatRowsHaveBesideColumns) {
  const int rows = many_rows_ + 1;
  const regression m(rows, stored_columns_);
  const Eigen::VectorXd y = m.y.cast<double>();
  const matrix_cl<double> x(m.x), b(m.b), w(m.w), counts(y);
  matrix_cl<double> sums, weighted;
  const Eigen::ArrayXd e = m.w.array() * (m.x * m.b).array();
  const Eigen::VectorXd slope = (y.array() - 1 / (1 + (-e).exp())).matrix();
  const auto of_x = elt_multiply(x, rowwise_broadcast(w));
  const cl_uint before = tag();
  results(sums, weighted) = expressions(
      transpose(colwise_sum(elt_multiply(
          of_x, rowwise_broadcast(
                    counts - inv_logit(rowwise_sum(elt_multiply(of_x, colwise_broadcast(transpose(b))))))))),
      transpose(colwise_sum(elt_multiply(x, rowwise_broadcast(counts)))));
  EXPECT_NE(tag(), before);
  EXPECT_LT((sums.to_host() - m.x.transpose() * (m.w.array() * slope.array()).matrix()).cwiseAbs().maxCoeff(),
            1e-13 * rows * 10);
  EXPECT_LT((weighted.to_host() - m.x.transpose() * y).cwiseAbs().maxCoeff(), 1e-13 * rows * 10);
}

TEST_F(TileTeam, LeavesWhatIsNotFiniteInItsColumns) {
  const auto is_same = [](double a, double b, double near) {
    return std::isfinite(b) ? std::abs(a - b) <= near : a == b || (std::isnan(a) && std::isnan(b));
  };
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    regression m(many_rows_, columns_);
    m.x(many_rows_ - 2, 3) = odd;
    m.b[3] = -1;
    const auto found = fit(m);
    const Eigen::VectorXd by_b = m.x.transpose() * m.slope().matrix();
    EXPECT_FALSE(std::isfinite(found.value));
    EXPECT_TRUE(is_same(found.value, m.value(), 0)) << found.value << " for " << m.value();
    for (Eigen::Index k = 0; k < by_b.size(); ++k)
      EXPECT_TRUE(is_same(found.by_b[k], by_b[k], 1e-12 * many_rows_)) << k << ": " << found.by_b[k];
    m.x(many_rows_ - 2, 3) = 1;
    expect_as_on_host(m, fit(m));
  }
}

TEST_F(TileTeam, BeginsAnewWhereTagsAreUsedUp) {
  const regression m(many_rows_, columns_);
  const auto first = fit(m);
  runtime::thread_queue& queue = runtime::acquire_queue();
  const runtime::storage_ref memory = queue.exchanged(schedule::bytes_exchanged);
  for (const cl_uint last : {0xBFFFFFFFu, 0xC0000000u, 0xFFFFFF00u}) {
    queue.write(*memory, place_of_tag, sizeof last, &last);
    EXPECT_EQ(fit(m), first) << last;
    std::vector<cl_uint> all(schedule::bytes_exchanged / sizeof(cl_uint), 1);
    queue.read(*memory, 0, schedule::bytes_exchanged, all.data());
    EXPECT_EQ(all, std::vector<cl_uint>(all.size(), 0)) << last;
    EXPECT_EQ(fit(m), first);
  }
}

TEST_F(TileTeam, ServesThreadsOneAfterTheOther) {
  const regression m(many_rows_, columns_);
  const auto first = fit(m);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t k = 0; k < wrong.size(); ++k)
    threads.emplace_back([&, k] {
      for (int round = 0; round < 6; ++round) wrong[k] += fit(m) == first ? 0 : 1;
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace fusecl
