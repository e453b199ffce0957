// Matrices of which a view leaves out a part: what lies outside is zero wherever an expression is used,
// whatever its operands hold there, and is neither read nor computed. Expected values are those of Eigen.

#include <cstdlib>
#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/freezing.hpp>
#include <support/guarded.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;
using view = matrix_cl_view;

constexpr view parts[] = {view::Lower, view::Upper, view::Diagonal};

/// Nothing, single elements and lines, around widths of vectors and tiles, flat, long. Each size takes
/// kernels of its own; FUSECL_TEST_ALL_SIZES=1 adds those in between.
const std::vector<size_pair>& sizes() {
  static const std::vector<size_pair> few = {{0, 3}, {1, 1}, {5, 1}, {9, 9}, {33, 71}, {64, 64}, {257, 130}},
                                      all = {{0, 0},   {3, 0},   {1, 5},   {7, 7},   {8, 8},
                                             {17, 17}, {33, 33}, {71, 33}, {65, 65}, {3, 200}};
  static const std::vector<size_pair> both = [] {
    std::vector<size_pair> list = few;
    if (std::getenv("FUSECL_TEST_ALL_SIZES")) list.insert(list.end(), all.begin(), all.end());
    return list;
  }();
  return both;
}

/// Fewer, for what takes many kernels.
const std::vector<size_pair>& fewer_sizes() {
  static const std::vector<size_pair> list = {{0, 3}, {1, 1}, {33, 71}, {71, 33}};
  return list;
}

/// The elements within the view, zeros elsewhere.
Eigen::MatrixXd within(view part, Eigen::MatrixXd m) {
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      if (is_outside(part, i, j)) m(i, j) = 0;
  return m;
}

/// A view of a matrix and all of another, with NaN and infinities outside of the view in both.
struct operands {
  host<float> inner, other;
  matrix_cl<float> part, whole;

  operands(view v, std::int64_t rows, std::int64_t cols, double low = -2, double high = 2)
      : inner(random_host<float>(rows, cols, low, high)), other(random_host<float>(rows, cols, 0.5, 1.5)) {
    host<float> outer = inner, poisoned = other;
    poison_unread(outer, v);
    poison_unread(poisoned, v);
    for (Eigen::Index k = 0; k < poisoned.size(); k += 3)
      if (poisoned.data()[k] != poisoned.data()[k])
        poisoned.data()[k] = std::numeric_limits<float>::infinity();
    part = matrix_cl<float>(outer);
    part.view(v);
    whole = matrix_cl<float>(poisoned);
    inner = within(v, inner.cast<double>()).cast<float>();
  }
  Eigen::MatrixXd a() const { return inner.cast<double>(); }
  Eigen::MatrixXd b() const { return other.cast<double>(); }
  Eigen::MatrixXd product() const { return a().cwiseProduct(b()); }
};

template <class F>
void for_all(F f, const std::vector<size_pair>& these = fewer_sizes()) {
  in_both_forms([&] {
    for (const view v : parts)
      for (const auto& [rows, cols] : these) {
        SCOPED_TRACE(std::string(view_name(v)) + " " + std::to_string(rows) + " x " + std::to_string(cols));
        f(v, rows, cols);
      }
  });
}

/// `terms`: the sum of the magnitudes of what was added.
template <class Actual>
void expect_close(const Actual& actual, const Eigen::MatrixXd& wanted, double terms = 0,
                  std::source_location where = std::source_location::current()) {
  const matrix_cl<float> on_device(actual);
  const Eigen::MatrixXd got = from_matrix_cl(on_device).template cast<double>();
  ASSERT_EQ(got.rows(), wanted.rows()) << where.line();
  ASSERT_EQ(got.cols(), wanted.cols()) << where.line();
  for (Eigen::Index j = 0; j < got.cols(); ++j)
    for (Eigen::Index i = 0; i < got.rows(); ++i) {
      const double bound = 1e-4 * (1 + std::fabs(wanted(i, j))) + 1e-5 * terms;
      ASSERT_TRUE(std::fabs(got(i, j) - wanted(i, j)) <= bound)
          << "line " << where.line() << ", element (" << i << ", " << j << ") is " << got(i, j)
          << ", should be " << wanted(i, j);
    }
}

Eigen::MatrixXd single(double x) { return Eigen::MatrixXd::Constant(1, 1, x); }

TEST(Triangle, SumsOfAProductAreThoseOfTheStoredProduct) {
  for_all(
      [](view v, std::int64_t rows, std::int64_t cols) {
        const operands o(v, rows, cols);
        const auto product = elt_multiply(o.part, o.whole);
        EXPECT_EQ(product.view(), v);
        expect_close(product, o.product());
        const double all = o.product().cwiseAbs().sum(),
                     line = 2.0 * static_cast<double>(std::max(rows, cols));
        expect_close(sum_2d(product), single(o.product().sum()), all);
        expect_close(rowwise_sum(product), o.product().rowwise().sum(), line);
        expect_close(colwise_sum(product), o.product().colwise().sum(), line);
        expect_close(rowwise_sum(transpose(product)), o.product().transpose().rowwise().sum(), line);
      },
      sizes());
}

/// Views that numbers of rows and columns give.
TEST(Triangle, ZerosByIndicesStayWhereTheyAre) {
  in_both_forms([] {
    const host<float> h = random_host<float>(1, 4, 1, 2);
    const matrix_cl<float> r(h);
    const matrix_cl<float> scaled =
        elt_multiply(select(row_index(4, 1) >= col_index(4, 1), 1.0f, 0.0f), transpose(r)) * sum(r);
    EXPECT_TRUE(from_matrix_cl(scaled).isApprox(h.transpose() * h.sum(), 1e-5f));
    const operands o(view::Lower, 5, 5);
    const auto lower = select(row_index(5, 5) >= col_index(5, 5), o.whole, o.part);
    const Eigen::MatrixXd wanted = within(view::Lower, o.b()).transpose().cwiseProduct(o.b());
    host<float> other = o.other;
    poison_unread(other, view::Upper);
    const matrix_cl<float> b(other);
    EXPECT_EQ(elt_multiply(transpose(lower), b).view(), view::Upper);
    expect_close(sum_2d(elt_multiply(transpose(lower), b)), single(wanted.sum()));
    // what a divisor that is a number holds decides nothing: the zeros of a view are
    for (const float divisor : {0.0f, 3.0f, std::numeric_limits<float>::quiet_NaN()}) {
      const matrix_cl<float> quotient = transpose(o.part / divisor);
      EXPECT_EQ(quotient.view(), view::Upper);
      EXPECT_EQ(from_matrix_cl(quotient)(3, 1), 0);
    }
  });
}

TEST(Triangle, ExtremesAndProductsCountTheZeros) {
  for_all(
      [](view v, std::int64_t rows, std::int64_t cols) {
        if (rows * cols == 0) return;
        const operands negative(v, rows, cols, -2, -1), positive(v, rows, cols, 1, 1.001);
        const auto below = elt_multiply(negative.part, negative.whole);
        expect_close(max_2d(below), single(negative.product().maxCoeff()));
        expect_close(rowwise_max(below), negative.product().rowwise().maxCoeff());
        expect_close(colwise_max(below), negative.product().colwise().maxCoeff());
        expect_close(min_2d(positive.part), single(positive.a().minCoeff()));
        expect_close(rowwise_prod(positive.part), positive.a().rowwise().prod());
        expect_close(colwise_prod(positive.part), positive.a().colwise().prod());
      },
      sizes());
}

TEST(Triangle, IntegersCountTheZerosToo) {
  in_both_forms([] {
    for (const view v : parts) {
      host<int> values = random_host<int>(33, 33, -9, -1);
      const host<int> inner = within(v, values.cast<double>()).cast<int>();
      poison_unread(values, v);
      matrix_cl<int> a(values);
      a.view(v);
      EXPECT_EQ(from_matrix_cl(colwise_max(a)), host<int>(inner.colwise().maxCoeff()));
      EXPECT_EQ(from_matrix_cl(rowwise_max(a)), host<int>(inner.rowwise().maxCoeff()));
      EXPECT_EQ(sum(elt_multiply(a, a)), inner.cwiseProduct(inner).sum());
    }
  });
}

TEST(Triangle, QuotientsAreZeroWhereTheirNumeratorsAre) {
  for_all([](view v, std::int64_t rows, std::int64_t cols) {
    const operands o(v, rows, cols);
    expect_close(sum_2d(elt_divide(o.part, o.whole)), single(o.a().cwiseQuotient(o.b()).sum()));
    const matrix_cl<float> zero(host<float>(within(v, o.b()).cast<float>()));
    expect_close(colwise_sum(elt_divide(o.part, zero)), o.a().cwiseQuotient(o.b()).colwise().sum());
  });
}

TEST(Triangle, NumbersThatAreNotFiniteDoNotReachTheZeros) {
  in_both_forms([] {
    host<float> ones = host<float>::Ones(9, 9);
    matrix_cl<float> a(ones);
    a.view(view::Lower);
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(sum(a * infinity), infinity);
    EXPECT_EQ(sum(a / -infinity), 0);
  });
}

TEST(Triangle, ChainsOfOperationsSeeTheZeros) {
  for_all([](view v, std::int64_t rows, std::int64_t cols) {
    const operands o(v, rows, cols);
    const auto product = elt_multiply(o.part, o.whole);
    const Eigen::MatrixXd p = o.product();
    const matrix_cl<float> plain(o.other);
    matrix_cl<float> r1, r2, r3, r4;
    results(r1, r2, r3, r4) =
        expressions(exp(product), plain + product, elt_multiply(product, o.whole) + o.part,
                    select(product > 0.0f, product, o.part));
    expect_close(r1, p.array().exp());
    expect_close(r2, o.b() + p);
    expect_close(r3, p.cwiseProduct(o.b()) + o.a());
    expect_close(r4, (p.array() > 0).select(p, o.a()));
    expect_close(colwise_sum(exp(product)), p.array().exp().colwise().sum());
    expect_close(rowwise_sum(exp(product) - 1.0f), (p.array().exp() - 1).rowwise().sum());
    expect_close(sum_2d(elt_multiply(product, product) + product), single((p.cwiseProduct(p) + p).sum()));
    expect_close(product + rowwise_broadcast(rowwise_sum(product)), p.colwise() + p.rowwise().sum());
    expect_close(product - colwise_broadcast(colwise_sum(product)), p.rowwise() - p.colwise().sum());
    Eigen::MatrixXd sums = p;
    for (Eigen::Index j = 1; j < cols; ++j) sums.col(j) += sums.col(j - 1);
    expect_close(rowwise_cumulative_sum(product), sums);
  });
}

TEST(Triangle, TransposesAndBlocksOfAProductKeepTheZeros) {
  for_all(
      [](view v, std::int64_t rows, std::int64_t cols) {
        const operands o(v, rows, cols);
        const auto product = elt_multiply(o.part, o.whole);
        const Eigen::MatrixXd p = o.product();
        const matrix_cl<float> turned(host<float>(o.other.transpose()));
        expect_close(transpose(product) + turned, p.transpose() + o.b().transpose());
        expect_close(sum_2d(transpose(product)), single(p.sum()));
        const std::int64_t r = rows - 3, c = cols - 3;
        for (const auto& [i, j] : std::vector<std::pair<int, int>>{{2, 2}, {0, 3}, {3, 1}}) {
          expect_close(block_zero_based(product, i, j, r, c), p.block(i, j, r, c));
          expect_close(sum_2d(block_zero_based(product, i, j, r, c)), single(p.block(i, j, r, c).sum()));
          expect_close(block_zero_based(transpose(product), j, i, c, r), p.block(i, j, r, c).transpose());
          expect_close(exp(block_zero_based(elt_multiply(product, o.whole), i, j, r, c)),
                       p.cwiseProduct(o.b()).block(i, j, r, c).array().exp());
        }
        expect_close(row(product, 2), p.row(1));
        expect_close(reverse(col(product, 3)), p.col(2).reverse());
        expect_close(diagonal(product), p.diagonal());
      },
      {{9, 9}, {33, 20}});
}

TEST(Triangle, ProductsWithAVector) {
  for_all([](view v, std::int64_t rows, std::int64_t cols) {
    const operands o(v, rows, cols);
    const host<float> x = random_host<float>(cols, 1, -1, 1), y = random_host<float>(1, rows, -1, 1);
    const matrix_cl<float> on_right(x), on_left(y);
    if (rows * cols == 0) return;
    const Eigen::MatrixXd right = o.product() * x.cast<double>(), left = y.cast<double>() * o.product();
    expect_close(elt_multiply(o.part, o.whole) * on_right, right);
    expect_close(on_left * elt_multiply(o.part, o.whole), left);
    expect_close(o.part * on_right, o.a() * x.cast<double>());
    expect_close(on_left * o.part, y.cast<double>() * o.a());
    expect_close(transpose(o.part) * transpose(on_left), (y.cast<double>() * o.a()).transpose());
  });
}

TEST(Triangle, OfAVectorIsReadByItsOwnRowsAndColumns) {
  in_both_forms([] {
    for (const view v : parts) {
      const operands column(v, 5, 1), row(v, 1, 7), o(v, 5, 7);
      const matrix_cl<float> whole(o.other);
      expect_close(whole + rowwise_broadcast(column.part), o.b().colwise() + Eigen::VectorXd(column.a()));
      expect_close(whole + colwise_broadcast(row.part), o.b().rowwise() + Eigen::RowVectorXd(row.a()));
      expect_close(whole * transpose(row.part), o.b() * row.a().transpose());
    }
  });
}

/// Scans and broadcasts have no view, whatever becomes of them: a zero times NaN is NaN.
TEST(Triangle, OfAVectorEndsWithWhatRepeatsOrScansIt) {
  const Eigen::VectorXf ones = Eigen::VectorXf::Ones(5);
  const matrix_cl<float> first(ones, view::Diagonal), row(Eigen::RowVectorXf(ones), view::Lower);
  const auto m = random_matrix<float>(5, 3), square = random_matrix<float>(5, 5);
  const matrix_cl<float> nothing(Eigen::MatrixXf::Constant(5, 3, NAN)),
      column((Eigen::VectorXf(5) << 1, NAN, 1, 1, 1).finished());
  in_both_forms([&] {
    const Eigen::MatrixXf scanned = from_matrix_cl(rowwise_cumulative_sum(first) * sum(nothing)),
                          repeated = from_matrix_cl(col(elt_multiply(rowwise_broadcast(first), nothing), 2)),
                          times = from_matrix_cl(rep_matrix(row, 4) * column);
    EXPECT_TRUE(scanned.array().isNaN().all()) << scanned;
    EXPECT_TRUE(repeated.array().isNaN().all()) << repeated;
    EXPECT_TRUE(times.array().isNaN().all()) << times;
    expect_matches(matrix_cl<float>(col(elt_multiply(rowwise_broadcast(first), m), 2)),
                   expected(col(elt_multiply(rowwise_broadcast(first), m), 2)));
    expect_matches(matrix_cl<float>(rowwise_cumulative_sum(first)), expected(rowwise_cumulative_sum(first)));
    expect_matches(matrix_cl<float>(rep_matrix(row, 4) * square), expected(rep_matrix(row, 4) * square));
  });
}

TEST(Triangle, TallOnesEndWithTheirColumns) {
  in_both_forms([] {
    for (const auto& [rows, cols] : std::vector<size_pair>{{13, 0}, {1, 0}, {9, 4}, {257, 255}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      const guarded_matrix<float> a = random_guarded<float>(rows, cols, view::Lower);
      const Eigen::MatrixXd lower = from_matrix_cl(matrix_cl<float>(a.matrix + 0.0f)).cast<double>();
      expect_close(rowwise_sum(a.matrix), lower.rowwise().sum());
      if (cols == 0)
        expect_close(rowwise_prod(a.matrix), Eigen::VectorXd::Ones(rows));
      else
        expect_close(rowwise_max(a.matrix), lower.rowwise().maxCoeff());
      EXPECT_TRUE(a.intact());
    }
  });
}

TEST(Triangle, SeveralResultsOfOneStatement) {
  for_all([](view v, std::int64_t rows, std::int64_t cols) {
    const operands o(v, rows, cols);
    const matrix_cl<float> plain(o.other);
    matrix_cl<float> product, sums, moved;
    results(product, moved) = expressions(elt_multiply(o.part, o.whole), plain + 1.0f);
    expect_close(product, o.product());
    expect_close(moved, o.b().array() + 1);
    results(product, sums) = expressions(elt_multiply(o.part, o.whole), colwise_sum(o.part));
    expect_close(product, o.product());
    expect_close(sums, o.a().colwise().sum());
    results(sums, moved) = expressions(rowwise_sum(o.part), rowwise_sum(plain));
    expect_close(sums, o.a().rowwise().sum());
    expect_close(moved, o.b().rowwise().sum());
    product = o.part + o.part;
    product = elt_multiply(product, o.whole) - product;
    expect_close(product, 2 * (o.product() - o.a()));
  });
}

TEST(Triangle, WrittenToAPartOfAMatrixHasItsZeros) {
  in_both_forms([] {
    for (const view v : parts)
      for (const std::int64_t n : {1, 8, 33}) {
        const operands o(v, n, n);
        host<float> values = random_host<float>(n + 4, n + 4);
        matrix_cl<float> target(values);
        block_zero_based(target, 1, 3, n, n) = elt_multiply(o.part, o.whole);
        Eigen::MatrixXd wanted = values.cast<double>();
        wanted.block(1, 3, n, n) = o.product();
        expect_close(target, wanted);
      }
  });
}

TEST(Triangle, OfAMatrixThatWidensBecomesZeros) {
  in_both_forms([] {
    for (const view v : parts) {
      operands o(v, 33, 33);
      const matrix_cl<float> block(random_host<float>(4, 5));
      block_zero_based(o.part, 2, 9, 4, 5) = block;
      block_zero_based(o.part, 20, 3, 4, 5) = block;
      Eigen::MatrixXd wanted = o.a();
      wanted.block(2, 9, 4, 5) = wanted.block(20, 3, 4, 5) = from_matrix_cl(block).cast<double>();
      EXPECT_EQ(o.part.view(), view::Entire);
      expect_close(o.part, wanted);
    }
  });
}

TEST(Triangle, SelectedByRowAndColumnNumbersIsAView) {
  in_both_forms([] {
    for (const std::int64_t n : {1, 9, 33}) {
      const operands o(view::Lower, n, n);
      matrix_cl<float> diagonal(o.inner);
      diagonal.view(view::Diagonal);
      const auto lower = select(row_index() >= col_index(), o.whole, diagonal);
      EXPECT_EQ(lower.view(), view::Lower);
      EXPECT_EQ(select(row_index() < col_index(), o.whole, diagonal).view(), view::Upper);
      EXPECT_EQ(select(col_index() == row_index(), o.whole, diagonal).view(), view::Diagonal);
      EXPECT_EQ(select(row_index() != col_index(), o.whole, diagonal).view(), view::Entire);
      for (const float number : {0.0f, 1.0f})
        EXPECT_EQ(select(row_index() >= col_index(), o.whole, number).view(), view::Entire);
      expect_close(lower, within(view::Lower, o.b()));
      expect_close(transpose(lower), within(view::Lower, o.b()).transpose());
      expect_close(colwise_sum(elt_multiply(lower, o.whole)),
                   within(view::Lower, o.b().cwiseProduct(o.b())).colwise().sum());
    }
  });
}

/// A plan may hold a number as a constant or as an argument.
TEST(Triangle, WhatANumberIsDecidesNoView) {
  in_both_forms([] {
    const operands o(view::Lower, 17, 17);
    const auto all = [&](float zero, float one, float two) {
      matrix_cl<float> r[6];
      results(r[0], r[1], r[2], r[3], r[4], r[5]) = expressions(
          sum(elt_multiply(select(row_index() >= col_index(), o.part, zero), o.whole)),
          elt_multiply(o.part - zero, o.whole), elt_multiply(log(one + square(o.part)), o.whole),
          elt_multiply(pow(o.part, two), o.whole), elt_multiply(fmax(o.part, zero), o.whole), o.part / zero);
      std::vector<host<float>> values;
      for (const matrix_cl<float>& m : r) values.push_back(from_matrix_cl(m));
      return values;
    };
    all(0.3f, 1.5f, 2.5f);
    std::vector<host<float>> argument;
    {
      const freezing here;
      argument = all(0, 1, 2);
    }
    const std::vector<host<float>> folded = all(0, 1, 2);
    for (std::size_t k = 0; k < folded.size(); ++k)
      for (Eigen::Index e = 0; e < folded[k].size(); ++e) {
        const float a = folded[k].data()[e], b = argument[k].data()[e];
        EXPECT_TRUE(std::isnan(a) == std::isnan(b) && !(std::fabs(a - b) > 1e-5f * (1 + std::fabs(a))))
            << "result " << k << ", element " << e << ": " << a << " and " << b;
      }
  });
}

TEST(Triangle, GradientsAreZeroOutside) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const view v : parts)
      for (const auto& [rows, cols] : std::vector<size_pair>{{1, 1}, {17, 17}, {17, 40}}) {
        SCOPED_TRACE(std::string(view_name(v)) + " " + std::to_string(rows) + " x " + std::to_string(cols));
        const operands o(v, rows, cols);
        host<double> outer = o.a(), poisoned = o.b();
        poison_unread(outer, v);
        poison_unread(poisoned, v);
        matrix_cl<double> a(outer);
        a.view(v);
        const matrix_cl<double> b(poisoned);
        const auto check = [](const auto& found, const Eigen::MatrixXd& by_a, const Eigen::MatrixXd& by_b) {
          EXPECT_LT((from_matrix_cl(std::get<0>(found.gradient)) - by_a).cwiseAbs().maxCoeff(), 1e-10);
          EXPECT_LT((from_matrix_cl(std::get<1>(found.gradient)) - by_b).cwiseAbs().maxCoeff(), 1e-10);
        };
        const Eigen::MatrixXd p = o.product(), e = p.array().exp();
        const auto linear = value_and_gradient(sum(elt_multiply(a, b)), wrt(a, b));
        EXPECT_NEAR(linear.value, p.sum(), 1e-10 * (1 + p.cwiseAbs().sum()));
        check(linear, within(v, o.b()), o.a());
        const auto chain = value_and_gradient(sum(exp(elt_multiply(a, b))), wrt(a, b));
        EXPECT_NEAR(chain.value, e.sum(), 1e-10 * e.sum());
        check(chain, within(v, o.b().cwiseProduct(e)), o.a().cwiseProduct(e));
        const auto quotient = value_and_gradient(sum(square(elt_divide(a, b))), wrt(a, b));
        const Eigen::MatrixXd q = o.a().cwiseQuotient(o.b());
        check(quotient, within(v, 2 * q.cwiseQuotient(o.b())), -2 * q.cwiseProduct(q).cwiseQuotient(o.b()));
        const auto rows_too = value_and_gradient(sum(square(rowwise_sum(elt_multiply(a, b)))), wrt(a, b));
        const Eigen::MatrixXd s = 2 * p.rowwise().sum().replicate(1, cols);
        check(rows_too, within(v, s.cwiseProduct(o.b())), s.cwiseProduct(o.a()));
      }
  });
}

TEST(Triangle, GradientByAScaleIsThatOfTheElementsWithin) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const operands o(view::Lower, 33, 33);
    host<double> poisoned = o.b();
    poison_unread(poisoned, view::Lower);
    const matrix_cl<double> b(poisoned);
    matrix_cl<double> a(host<double>(o.a()));
    a.view(view::Lower);
    const parameter<double> s(0.5);
    const auto found = value_and_gradient(sum(elt_multiply(a * s, b)), wrt(s));
    EXPECT_NEAR(from_matrix_cl(std::get<0>(found.gradient))(0, 0), o.product().sum(), 1e-10);
  });
}

/// What a statement moves and computes.
template <class E>
std::vector<double> costs(const E& e) {
  const explanation x = explain(e);
  return {static_cast<double>(x.bytes_read), static_cast<double>(x.bytes_written), x.flops};
}

TEST(Triangle, ExplainCountsWhatIsWithin) {
  in_both_forms([] {
    const std::int64_t n = 100;
    const double all = 4.0 * n * n;
    for (const view v : parts) {
      SCOPED_TRACE(view_name(v));
      const double part = 4.0 * static_cast<double>(elements_in(v, n, n));
      const operands o(v, n, n);
      const auto &a = o.part, &b = o.whole;
      matrix_cl<float> diagonal(o.inner);
      diagonal.view(view::Diagonal);
      EXPECT_EQ(costs(a + a), (std::vector<double>{part, part, part / 4}));
      EXPECT_EQ(costs(elt_multiply(a, b)), (std::vector<double>{2 * part, part, part / 4}));
      EXPECT_EQ(costs(b + a), (std::vector<double>{all + part, all, all / 4}));
      EXPECT_EQ(costs(b + elt_multiply(a, elt_multiply(b, b))),
                (std::vector<double>{all + part, all, 3 * all / 4}));
      EXPECT_EQ(costs(elt_multiply(a, transpose(b))), (std::vector<double>{2 * part, part, part / 4}));
      EXPECT_EQ(costs(transpose(a)), (std::vector<double>{part, part, 0}));
      EXPECT_EQ(costs(select(row_index() == col_index(), b, diagonal))[0], 8 * n);
      const matrix_cl<float> full(o.other);
      const auto saves = [&](const auto& of_part, const auto& of_full) {
        const std::vector<double> less = costs(of_part), more = costs(of_full);
        EXPECT_LT(less[0], more[0] - 0.9 * (all - part));
        EXPECT_LT(less[2], 0.52 * more[2]);
      };
      saves(sum(a), sum(full));
      saves(sum(elt_multiply(a, b)), sum(elt_multiply(full, b)));
      saves(rowwise_sum(a), rowwise_sum(full));
      saves(colwise_sum(a), colwise_sum(full));
      saves(rowwise_max(elt_multiply(a, b)), rowwise_max(elt_multiply(full, b)));
      saves(colwise_max(a), colwise_max(full));
    }
  });
}

TEST(Triangle, WhatLiesOutsideIsNotWritten) {
  in_both_forms([] {
    const operands lower(view::Lower, 65, 65), upper(view::Upper, 65, 65);
    matrix_cl<float> target(host<float>(host<float>::Constant(65, 65, 5)));
    target = elt_multiply(lower.part, lower.whole);
    EXPECT_EQ(target.view(), view::Lower);
    target.view(view::Entire);
    EXPECT_EQ(from_matrix_cl(target)(0, 64), 5);
    target = matrix_cl<float>(host<float>(host<float>::Constant(65, 65, 5)));
    target = upper.part * 2.0f;
    target.view(view::Entire);
    EXPECT_EQ(from_matrix_cl(target)(40, 0), 5);
  });
}

TEST(TriangleReshaped, ReadsZeroWhereTheViewHadNothing) {
  for (const auto& [rows, cols] : fewer_sizes())
    for (const view part : parts) {
      operands o(part, rows, cols);
      const Eigen::MatrixXf expected = o.part.to_host().reshaped(cols, rows);
      const matrix_cl<float> copy = to_matrix(o.part, cols, rows);
      o.part.reshape(cols, rows);
      EXPECT_EQ(o.part.view(), view::Entire);
      EXPECT_EQ(o.part.to_host(), expected);
      EXPECT_EQ(matrix_cl<float>(o.part + 0.0f).to_host(), expected);
      EXPECT_EQ(copy.to_host(), expected);
    }
}

TEST(TriangleReshaped, InItsOwnShapeIsWhole) {
  operands o(view::Lower, 9, 9);
  const Eigen::MatrixXf expected = o.part.to_host();
  EXPECT_THROW(o.part.reshape(9, 8), std::invalid_argument);
  EXPECT_EQ(o.part.view(), view::Lower);
  o.part.reshape(9, 9);
  EXPECT_EQ(o.part.view(), view::Entire);
  EXPECT_EQ(o.part.to_host(), expected);
}

TEST(TriangleReshaped, IsNoWorkWhereAllIsStored) {
  auto m = random_matrix<float>(33, 4);
  const Eigen::MatrixXf expected = m.to_host().reshaped(4, 33);
  const auto* memory = m.storage().get();
  const counters before = runtime_counters();
  m.reshape(4, 33);
  const counters after = runtime_counters();
  EXPECT_EQ(after.launches, before.launches);
  EXPECT_EQ(m.storage().get(), memory);
  EXPECT_EQ(m.to_host(), expected);
}

}  // namespace
}  // namespace fusecl
