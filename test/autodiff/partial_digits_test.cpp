// Derivatives of special functions on the device, where those of the terms they are written in nearly cancel:
// relative to values in 60 digits.

#include <cmath>
#include <limits>

#include <support/both_forms.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

struct digits_row {
  double x, y;
  double by_x, by_y;
};

template <class F>
void expect_partials(const char* function, const std::vector<digits_row>& rows, const F& f) {
  std::vector<double> x, y;
  for (const digits_row& row : rows) {
    x.push_back(row.x);
    y.push_back(row.y);
  }
  const var_value<matrix_cl<double>> a{matrix_cl<double>(x)}, b{matrix_cl<double>(y)};
  const var total = sum(f(a, b));
  total.grad();
  const auto by_x = from_matrix_cl(a.adj()), by_y = from_matrix_cl(b.adj());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(by_x(i, 0), rows[k].by_x, 1e-13 * std::fabs(rows[k].by_x))
        << function << " by x at " << rows[k].x << ", " << rows[k].y;
    EXPECT_NEAR(by_y(i, 0), rows[k].by_y, 1e-13 * std::fabs(rows[k].by_y))
        << function << " by y at " << rows[k].x << ", " << rows[k].y;
  }
  recover_memory();
}

TEST(PartialDigits, OfLogInvLogitDiffFarAbove) {
  FUSECL_NEEDS_DOUBLE;
  const std::vector<digits_row> rows = {{20, 1, 7.6639500871187992e-9, -0.73105858423280135},
                                        {40, -30, 4.2483542552919865e-18, -9.357622968839299e-14},
                                        {160.5, 38.5, 1.0377033238158346e-53, -0.99999999999999998},
                                        {700, -700, 9.8596765437597709e-305, -9.8596765437597709e-305},
                                        {-3, -5, 1.1090917695720989, -0.16321049367395051},
                                        {0.5, 0.25, 3.8983523329859439, -4.0829881650735966}};
  in_both_forms([&] {
    expect_partials("log_inv_logit_diff", rows,
                    [](const auto& x, const auto& y) { return log_inv_logit_diff(x, y); });
  });
}

TEST(PartialDigits, OfLbetaWhereOneIsLarge) {
  FUSECL_NEEDS_DOUBLE;
  const std::vector<digits_row> rows = {{389664, 0.03125, -8.0197397875085873e-8, -45.39999219395293},
                                        {1e8, 1, -1.0e-8, -18.997896413853898},
                                        {1e8, 3.5, -3.4999999562500009e-8, -17.317524133307122},
                                        {0.0009765625, 5e6, -1040.0005587999343, -1.9531251951217781e-10},
                                        {2, 3, -1.0833333333333333, -0.58333333333333333},
                                        {0.25, 0.5, -3.1415926535897932, -0.87764914623495131},
                                        {1e8, 1e8, -0.69314718305994532, -0.69314718305994532}};
  in_both_forms([&] {
    expect_partials("lbeta", rows, [](const auto& x, const auto& y) { return lbeta(x, y); });
    std::vector<digits_row> of_beta;
    for (const digits_row& row : rows) {
      const double value = std::exp(std::lgamma(row.x) + std::lgamma(row.y) - std::lgamma(row.x + row.y));
      if (row.x < 10 && row.y < 10) of_beta.push_back({row.x, row.y, value * row.by_x, value * row.by_y});
    }
    expect_partials("beta", of_beta, [](const auto& x, const auto& y) { return beta(x, y); });
  });
}

TEST(PartialDigits, AreInfiniteWithTheSignOfTheLimit) {
  FUSECL_NEEDS_DOUBLE;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  in_both_forms([&] {
    const var_value<matrix_cl<double>> x{matrix_cl<double>(std::vector<double>{1, -3})};
    const var_value<matrix_cl<double>> y{matrix_cl<double>(std::vector<double>{1, -3})};
    const var_value<matrix_cl<double>> zero{matrix_cl<double>(std::vector<double>{0.0, -0.0})};
    const auto expect_all = [](const var_value<matrix_cl<double>>& of, double wanted) {
      const auto found = from_matrix_cl(of.adj());
      EXPECT_EQ(found(0, 0), wanted);
      EXPECT_EQ(found(1, 0), wanted);
      set_zero_all_adjoints();
    };
    const var of_logits = sum(log_inv_logit_diff(x, y)), of_exponentials = sum(log_diff_exp(x, y)),
              of_one = sum(log1m_exp(zero));
    of_logits.grad();
    EXPECT_EQ(from_matrix_cl(y.adj())(0, 0), -infinity);
    expect_all(x, infinity);
    of_exponentials.grad();
    EXPECT_EQ(from_matrix_cl(y.adj())(0, 0), -infinity);
    expect_all(x, infinity);
    of_one.grad();
    expect_all(zero, -infinity);
    recover_memory();
  });
}

}  // namespace
}  // namespace fusecl
