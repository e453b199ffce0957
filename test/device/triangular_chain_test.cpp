// Triangular systems with few right-hand sides in one launch, whose groups wait for each other, where the
// device lets them: sizes at the edges of blocks, triangles from all sides, many launches in a row, threads.

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/runtime/counters.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

/// The form of kernels for a GPU, as long as it lives.
class TriangularChain : public ::testing::Test {
 protected:
  void SetUp() override {
    FUSECL_NEEDS_DOUBLE;
    if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles the form of a GPU wrong";
    set_schedule("gpu");
    if (!fusecl::detail::selected_device_shape().last_group) GTEST_SKIP() << "groups do not see each other";
  }

 private:
  schedule_as_before restored_;
};

using TriangularChainOf = TriangularChain;

void expect_solved(const host<double>& a, const host<double>& x, const host<double>& b, const char* what) {
  const host<double> size = a.cwiseAbs() * x.cwiseAbs();
  EXPECT_LE(((a * x - b).array() / size.array().max(1e-300)).abs().maxCoeff(), 1e-14)
      << what << " " << a.rows();
}

TEST_F(TriangularChainOf, AllSizesReadOneTriangle) {
  for (const int n : {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 129, 1000, 1023}) {
    const auto l = triangle(n, matrix_cl_view::Lower), u = triangle(n, matrix_cl_view::Upper);
    const matrix_cl<double> b = numbers(n, 1), row = transpose(b);
    if (n < 100) {
      expect_matches_reference(mdivide_left_tri_low(l, b));
      expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(u, b));
      expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(transpose(l), b) * 2.0);
      expect_matches_reference(mdivide_right_tri_low(row, l) - row);
      continue;
    }
    const host<double> lower = from_matrix_cl(l).triangularView<Eigen::Lower>(),
                       upper = from_matrix_cl(u).triangularView<Eigen::Upper>(), side = from_matrix_cl(b);
    expect_solved(lower, from_matrix_cl(mdivide_left_tri_low(l, b)), side, "lower");
    expect_solved(upper, from_matrix_cl(mdivide_left_tri<matrix_cl_view::Upper>(u, b)), side, "upper");
    expect_solved(lower.transpose(), from_matrix_cl(mdivide_left_tri<matrix_cl_view::Upper>(transpose(l), b)),
                  side, "transposed");
    expect_solved(lower.transpose(), from_matrix_cl(mdivide_right_tri_low(row, l)).transpose(), side,
                  "right");
  }
}

TEST_F(TriangularChainOf, FewSidesAndFloats) {
  for (const int n : {1, 33, 65, 130}) {
    const auto l = triangle(n, matrix_cl_view::Lower);
    for (const int sides : {2, 3, 4, 5}) expect_matches_reference(mdivide_left_tri_low(l, numbers(n, sides)));
    const auto f = triangle<float>(n, matrix_cl_view::Lower);
    expect_matches_reference(mdivide_left_tri_low(f, numbers<float>(n, 2)) * 0.5f);
    expect_matches_reference(mdivide_left_tri<matrix_cl_view::Upper>(transpose(f), numbers<float>(n, 1)));
  }
}

TEST_F(TriangularChainOf, PartsAndResultsInPlace) {
  const auto a = triangle(150, matrix_cl_view::Lower), b = numbers(150, 7);
  expect_matches_reference(
      mdivide_left_tri_low(block_zero_based(a, 5, 5, 133, 133), block_zero_based(b, 11, 2, 133, 1)));
  expect_matches_reference(
      mdivide_left_tri_low(exp(block_zero_based(a, 30, 2, 65, 65)), exp(block_zero_based(b, 1, 2, 65, 1))));
  const auto l = triangle(129, matrix_cl_view::Lower), y = numbers(129, 1);
  const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, y));
  matrix_cl<double> onto = y;
  onto = mdivide_left_tri_low(l, onto);
  EXPECT_TRUE(from_matrix_cl(onto) == x);
  onto = y;
  onto += mdivide_left_tri_low(l, onto);
  EXPECT_TRUE(from_matrix_cl(onto) == x + from_matrix_cl(y));
  matrix_cl<double> wide = b, whole = a;
  block_zero_based(wide, 3, 2, 129, 1) = mdivide_left_tri_low(l, block_zero_based(wide, 3, 2, 129, 1));
  EXPECT_TRUE(host<double>(from_matrix_cl(wide).col(2).segment(3, 129)) ==
              from_matrix_cl(mdivide_left_tri_low(l, block_zero_based(b, 3, 2, 129, 1))));
  // the right-hand side, and the result, are a column of the triangle's matrix
  const host<double> of_column = from_matrix_cl(mdivide_left_tri_low(a, col(a, 1)));
  col(whole, 1) = mdivide_left_tri_low(whole, col(whole, 1));
  EXPECT_TRUE(host<double>(from_matrix_cl(whole).col(0)) == of_column);
}

TEST_F(TriangularChainOf, WhatIsNotFiniteStaysBelow) {
  const int n = 200;
  for (const int at : {0, 15, 16, 40, 63, 64, 100, 199}) {
    const auto l = triangle(n, matrix_cl_view::Lower);
    for (const double bad : {nan, infinity}) {
      host<double> b = from_matrix_cl(numbers(n, 2));
      b(at, 1) = bad;
      const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, matrix_cl<double>(b)));
      for (int i = 0; i < n; ++i) {
        EXPECT_TRUE(std::isfinite(x(i, 0))) << i;
        EXPECT_EQ(std::isfinite(x(i, 1)), i < at) << i << " " << at;
      }
    }
    // a zero on the diagonal, and an element of the triangle, are met from their row on, too
    for (const double bad : {0.0, nan}) {
      host<double> m = from_matrix_cl(l);
      m(at, bad == 0 ? at : at / 2) = bad;
      const host<double> x = from_matrix_cl(mdivide_left_tri_low(matrix_cl<double>(m), numbers(n, 1)));
      for (int i = 0; i < n; ++i) EXPECT_EQ(std::isfinite(x(i, 0)), i < at) << i << " " << at << " " << bad;
    }
  }
}

/// What looks as memory does before a group has handed on.
TEST_F(TriangularChainOf, EveryNanIsHandedOn) {
  const auto l = triangle(130, matrix_cl_view::Lower);
  host<double> b = from_matrix_cl(numbers(130, 1));
  std::memset(&b(5, 0), 0xff, sizeof(double));
  const host<double> x = from_matrix_cl(mdivide_left_tri_low(l, matrix_cl<double>(b)));
  for (int i = 0; i < 130; ++i) EXPECT_EQ(std::isnan(x(i, 0)), i >= 5);
  const auto f = triangle<float>(130, matrix_cl_view::Lower);
  host<float> c = from_matrix_cl(numbers<float>(130, 1));
  std::memset(&c(5, 0), 0xff, sizeof(float));
  const host<float> y = from_matrix_cl(mdivide_left_tri_low(f, matrix_cl<float>(c)));
  for (int i = 0; i < 130; ++i) EXPECT_EQ(std::isnan(y(i, 0)), i >= 5);
}

/// Systems of some sizes, one after the other many times: each as the first time.
void solve_in_turn(int rounds) {
  struct system {
    matrix_cl<double> l, b;
    host<double> x;
  };
  std::vector<system> systems;
  for (const auto& [n, sides] : {std::pair{300, 1}, {1, 1}, {65, 4}, {450, 2}, {33, 1}, {129, 3}})
    systems.push_back({triangle(n, matrix_cl_view::Lower), numbers(n, sides), {}});
  for (system& s : systems) {
    s.x = from_matrix_cl(mdivide_left_tri_low(s.l, s.b));
    expect_solved(from_matrix_cl(s.l).triangularView<Eigen::Lower>(), s.x, from_matrix_cl(s.b), "first");
  }
  for (int k = 0; k < rounds; ++k) {
    std::vector<matrix_cl<double>> results;  // nobody waits between launches
    for (const system& s : systems) results.emplace_back(mdivide_left_tri_low(s.l, s.b));
    for (std::size_t s = 0; s < systems.size(); ++s)
      ASSERT_TRUE(from_matrix_cl(results[s]) == systems[s].x) << k << " " << s;
    if (k == rounds / 2) trim();
  }
}

TEST_F(TriangularChain, IsTheSameEveryTime) { solve_in_turn(20); }

TEST_F(TriangularChain, ServesThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) threads.emplace_back([] { solve_in_turn(8); });
  for (std::thread& each : threads) each.join();
}

TEST_F(TriangularChain, IsOneLaunchThatCostsNeitherWaitsNorBuffers) {
  const auto l = triangle(300, matrix_cl_view::Lower), b = numbers(300, 1);
  matrix_cl<double> x;
  x = mdivide_left_tri_low(l, b);
  from_matrix_cl(x);
  const counters before = runtime::thread_counters;
  x = mdivide_left_tri_low(l, b);
  const counters& after = runtime::thread_counters;
  EXPECT_EQ(after.launches - before.launches, 1u);
  EXPECT_EQ(after.host_waits, before.host_waits);
  EXPECT_EQ(after.buffers_created, before.buffers_created);
}

TEST_F(TriangularChain, GivesGradients) {
  const int n = 70;
  const auto l = triangle(n, matrix_cl_view::Lower), b = numbers(n, 1);
  const host<double> lower = from_matrix_cl(l).triangularView<Eigen::Lower>(), side = from_matrix_cl(b),
                     x = lower.triangularView<Eigen::Lower>().solve(side),
                     of_b = lower.transpose().triangularView<Eigen::Upper>().solve(2 * x);
  const host<double> of_l = (-of_b * x.transpose()).triangularView<Eigen::Lower>();
  const auto found = value_and_gradient(sum(square(mdivide_left_tri_low(l, b))), wrt(l, b));
  EXPECT_NEAR(found.value, x.squaredNorm(), 1e-12 * x.squaredNorm());
  EXPECT_LE((from_matrix_cl(std::get<0>(found.gradient)) - of_l).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE((from_matrix_cl(std::get<1>(found.gradient)) - of_b).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_F(TriangularChain, IsExplained) {
  const auto l = triangle(300, matrix_cl_view::Lower), b = numbers(300, 1);
  const std::string text = explain(mdivide_left_tri_low(l, b)).text();
  EXPECT_NE(text.find("1 launch,"), std::string::npos) << text;
  EXPECT_NE(text.find("triangular_chain (a triangular system, blocks of rows that wait for those before)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("5 groups of 256"), std::string::npos) << text;
}

}  // namespace
}  // namespace fusecl
