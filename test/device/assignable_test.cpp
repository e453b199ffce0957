// Transposes, blocks, rows, columns, segments and diagonals on the left side: only their elements change,
// whatever the right side reads; views widen to what was written; sizes have to fit.

#include <memory>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

const std::vector<size_pair> sizes = {{0, 0}, {1, 1}, {1, 3}, {8, 8}, {64, 9}, {71, 33}};

/// What the matrix holds, with zeros outside of its view.
host<float> held(const matrix& m) { return from_matrix_cl(m); }

TEST(Assignable, PartsChangeAndNothingElse) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      auto a = random_matrix<float>(rows + 3, cols + 4);
      const auto b = random_matrix<float>(rows, cols), c = random_matrix<float>(cols, rows);
      host<float> wanted = held(a);
      const auto memory = a.storage();
      block_zero_based(a, 2, 1, rows, cols) = b + 1.0f;
      wanted.block(2, 1, rows, cols) = (held(b).array() + 1.0f).matrix();
      expect_same<float>(held(a), wanted);
      block(a, 1, 1, rows, cols) += transpose(c);
      wanted.block(0, 0, rows, cols) += held(c).transpose();
      expect_same<float>(held(a), wanted);
      block(transpose(a), 2, 3, cols, rows) -= c;
      wanted.block(2, 1, rows, cols) -= held(c).transpose();
      expect_same<float>(held(a), wanted);
      block_zero_based(block(a, 2, 2, rows + 2, cols + 2), 1, 0, rows, cols) = b;
      wanted.block(2, 1, rows, cols) = held(b);
      expect_same<float>(held(a), wanted);
      EXPECT_EQ(a.storage(), memory);
    }
  });
}

TEST(Assignable, VectorsChangeAndNothingElse) {
  in_both_forms([] {
    for (const std::int64_t n : {1, 4, 71}) {
      auto a = random_matrix<float>(n, n + 2), v = random_matrix<float>(n + 3, 1),
           r = random_matrix<float>(1, n + 3);
      const auto b = random_matrix<float>(n, n + 2), c = random_matrix<float>(n, 1);
      host<float> wa = held(a), wv = held(v), wr = held(r);
      row(a, n) = row(b, 1) * 2.0f;
      wa.row(n - 1) = held(b).row(0) * 2.0f;
      col(a, n + 1) += c;
      wa.col(n) += held(c);
      diagonal(a) = c;
      wa.diagonal() = held(c);
      row(transpose(a), 2) *= 4.0f;
      wa.col(1) *= 4.0f;
      col(a, 1) = rowwise_sum(select(b > 0.0f, 1.0f, 0.0f));
      wa.col(0) = (held(b).array() > 0).cast<float>().matrix().rowwise().sum();
      row(a, 1) = transpose(rowwise_sum(select(transpose(b) > 0.0f, 1.0f, 0.0f)));
      wa.row(0) = (held(b).array() > 0).cast<float>().matrix().colwise().sum();
      sub_row(a, n, 2, n) /= 2.0f;
      wa.block(n - 1, 1, 1, n) /= 2.0f;
      expect_same<float>(held(a), wa);
      head(v, n) = c;
      wv.topRows(n) = held(c);
      tail(v, 2) = 3.0f;
      wv.bottomRows(2).setConstant(3.0f);
      segment(v, 2, n) -= c;
      wv.middleRows(1, n) -= held(c);
      segment(r, 3, n) = transpose(c);
      wr.middleCols(2, n) = held(c).transpose();
      expect_same<float>(held(v), wv);
      expect_same<float>(held(r), wr);
      diagonal(block(a, 1, 2, n, n)) = sum(c);
      wa.block(0, 1, n, n).diagonal().setConstant(sum(c));
      expect_same<float>(held(a), wa);
    }
  });
}

TEST(Assignable, PartsTakeTransposedReductions) {
  in_both_forms([] {
    for (const auto [rows, cols] : {size_pair{1, 3}, {8, 5}, {64, 9}, {71, 33}, {3, 200}}) {
      // whole numbers: sums are exact in any order
      const host<float> hb = random_host<int>(rows, cols, -9, 9).cast<float>();
      const matrix b(hb);
      const std::int64_t n = std::max(rows, cols) + 2;
      auto a = random_matrix<float>(n, n), v = random_matrix<float>(n, 1), r = random_matrix<float>(1, n);
      host<float> wa = held(a), wv = held(v), wr = held(r);
      const host<float> across = hb.colwise().sum().transpose(), down = hb.rowwise().sum().transpose();
      block_zero_based(a, 1, 1, cols, 1) = transpose(colwise_sum(b));
      wa.block(1, 1, cols, 1) = across;
      block_zero_based(a, 1, 0, 1, rows) = transpose(rowwise_sum(b)) * 2.0f;
      wa.block(1, 0, 1, rows) = down * 2.0f;
      diagonal(block_zero_based(a, 1, 1, cols, cols)) = rowwise_sum(transpose(b)) + 1.0f;
      wa.block(1, 1, cols, cols).diagonal() = (across.array() + 1.0f).matrix();
      transpose(diagonal(block_zero_based(a, 0, 1, rows, rows))) = transpose(rowwise_sum(b));
      wa.block(0, 1, rows, rows).diagonal() = down.transpose();
      segment(v, 2, cols) = transpose(b) * constant(1.0f, rows, 1);
      wv.middleRows(1, cols) = across;
      segment(r, 3, rows) = transpose(b * constant(1.0f, cols, 1));
      wr.middleCols(2, rows) = down;
      expect_same<float>(held(a), wa);
      expect_same<float>(held(v), wv);
      expect_same<float>(held(r), wr);
      matrix s;
      results(block_zero_based(a, 2, 0, 1, rows), s) = expressions(transpose(rowwise_max(b)), sum(b));
      wa.block(2, 0, 1, rows) = hb.rowwise().maxCoeff().transpose();
      expect_same<float>(held(a), wa);
    }
  });
}

TEST(Assignable, TheRightSideIsReadAsItWas) {
  in_both_forms([] {
    for (const std::int64_t n : {2, 8, 71}) {
      auto a = random_matrix<float>(n + 2, n + 2);
      host<float> wanted = held(a);
      block_zero_based(a, 1, 1, n, n) = block_zero_based(a, 0, 0, n, n);
      wanted.block(1, 1, n, n) = host<float>(wanted.block(0, 0, n, n));
      expect_same<float>(held(a), wanted);
      block_zero_based(a, 0, 1, n, n) += transpose(block_zero_based(a, 1, 0, n, n));
      wanted.block(0, 1, n, n) += host<float>(wanted.block(1, 0, n, n).transpose());
      expect_same<float>(held(a), wanted);
      transpose(a) = a;
      wanted = host<float>(wanted.transpose());
      expect_same<float>(held(a), wanted);
      row(a, 1) = transpose(col(a, 2));
      wanted.row(0) = host<float>(wanted.col(1).transpose());
      expect_same<float>(held(a), wanted);
      diagonal(a) = reverse(diagonal(a));
      wanted.diagonal() = host<float>(wanted.diagonal().reverse());
      expect_same<float>(held(a), wanted);
    }
  });
}

TEST(Assignable, SeveralResultsAreReadAsTheyWere) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      auto a = random_matrix<float>(rows + 1, cols + 2), b = random_matrix<float>(rows, cols);
      auto c = random_matrix<float>(rows, cols), d = random_matrix<float>(rows + 1, cols + 1);
      host<float> wa = held(a), wb = held(b), wc = held(c), wd = held(d);
      results(block_zero_based(a, 1, 1, rows, cols), b) =
          expressions(b + c, block_zero_based(a, 0, 1, rows, cols));
      const host<float> before = wa.block(0, 1, rows, cols);
      wa.block(1, 1, rows, cols) = wb + wc;
      wb = before;
      expect_same<float>(held(a), wa);
      expect_same<float>(held(b), wb);
      results(block_zero_based(a, 0, 2, rows, cols), c, block_zero_based(d, 1, 0, rows, cols)) =
          expressions(b - 1.0f, b * 2.0f, b + 1.0f);
      wa.block(0, 2, rows, cols) = (wb.array() - 1.0f).matrix();
      wc = wb * 2.0f;
      wd.block(1, 0, rows, cols) = (wb.array() + 1.0f).matrix();
      expect_same<float>(held(a), wa);
      expect_same<float>(held(c), wc);
      expect_same<float>(held(d), wd);
      results(block_zero_based(a, 0, 0, rows, cols), block_zero_based(a, 1, 2, rows, cols)) +=
          expressions(b, c);
      const host<float> first = wa.block(0, 0, rows, cols) + wb, second = wa.block(1, 2, rows, cols) + wc;
      wa.block(0, 0, rows, cols) = first;
      wa.block(1, 2, rows, cols) = second;
      expect_same<float>(held(a), wa);
    }
  });
}

TEST(Assignable, ViewsWidenToWhatWasWritten) {
  in_both_forms([] {
    const std::int64_t n = 9;
    const auto b = random_matrix<float>(3, 3), low = random_matrix<float>(3, 3, matrix_cl_view::Lower);
    for (const matrix_cl_view view : all_views) {
      auto a = random_matrix<float>(n, n, view);
      host<float> wanted = held(a);
      diagonal(a) = 1.0f;
      wanted.diagonal().setOnes();
      EXPECT_EQ(a.view(), view);
      block_zero_based(a, 5, 5, 3, 3) = low;
      wanted.block(5, 5, 3, 3) = held(low);
      EXPECT_EQ(a.view(), either(view, matrix_cl_view::Lower));
      expect_same<float>(held(a), wanted);
      block_zero_based(a, 6, 0, 3, 3) = b;
      wanted.block(6, 0, 3, 3) = held(b);
      EXPECT_EQ(a.view(), either(view, matrix_cl_view::Lower));
      expect_same<float>(held(a), wanted);
      block_zero_based(a, 1, 4, 3, 3) += b;
      wanted.block(1, 4, 3, 3) += held(b);
      EXPECT_EQ(a.view(), matrix_cl_view::Entire);
      expect_same<float>(held(a), wanted);
    }
  });
}

TEST(Assignable, SizesHaveToFit) {
  auto a = random_matrix<float>(5, 4);
  const auto b = random_matrix<float>(3, 2);
  matrix c = b;
  const host<float> before = held(a);
  const counters start = runtime_counters();
  EXPECT_THROW(block_zero_based(a, 0, 0, 2, 2) = b, std::invalid_argument);
  EXPECT_THROW(block_zero_based(a, 0, 0, 2, 2) += b, std::invalid_argument);
  EXPECT_THROW(transpose(block_zero_based(a, 0, 0, 5, 4)) = b, std::invalid_argument);
  EXPECT_THROW(transpose(a) += b, std::invalid_argument);
  EXPECT_THROW(diagonal(a) = b, std::invalid_argument);
  EXPECT_THROW(results(row(a, 1), c) = expressions(b, b), std::invalid_argument);
  EXPECT_THROW(block(a, 4, 1, 3, 2) = b, std::out_of_range);
  EXPECT_EQ((runtime_counters() - start).launches, 0u);
  expect_same<float>(held(a), before);
  try {
    block_zero_based(a, 0, 0, 2, 2) = b;
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(
        e.what(),
        "assignment: the part assigned to is 2 x 2, the expression is 3 x 2: they must have the same size");
  }
}

TEST(Assignable, ProductsWithAPartAreOfThePartAsItWas) {
  in_both_forms([] {
    for (const std::int64_t n : {2, 4, 70}) {
      // whole numbers: sums are exact in any order
      const host<float> hm = random_host<int>(n, n, -9, 9).cast<float>();
      host<float> wa = random_host<int>(n + 1, n + 2, -9, 9).cast<float>();
      const matrix m(hm);
      matrix a(wa);
      sub_row(a, 2, 2, n) *= m;
      wa.block(1, 1, 1, n) = host<float>(wa.block(1, 1, 1, n) * hm);
      transpose(sub_col(a, 1, 1, n)) *= m;
      wa.block(0, 0, n, 1) = host<float>((wa.block(0, 0, n, 1).transpose() * hm).transpose());
      block(a, 1, 1, 1, n + 2) *= 2.0f;
      wa.row(0) *= 2.0f;
      expect_same<float>(held(a), wa);
    }
  });
}

TEST(Assignable, AStatementThatThrowsLeavesTheView) {
  auto a = random_matrix<float>(3, 3, matrix_cl_view::Lower);
  matrix w;
  const auto column = random_matrix<float>(3, 1), square = random_matrix<float>(2, 2);
  const host<float> before = held(a);
  EXPECT_THROW(results(row(a, 1), w) = expressions(transpose(column), square), std::invalid_argument);
  EXPECT_EQ(a.view(), matrix_cl_view::Lower);
  freeze();
  EXPECT_THROW(row(a, 1) = tan(transpose(column) * 0.123f) - 7.0f, frozen_error);
  EXPECT_THROW(results(row(a, 1), w) = expressions(tan(transpose(column)) - 8.0f, transpose(column)),
               frozen_error);
  unfreeze();
  EXPECT_EQ(a.view(), matrix_cl_view::Lower);
  expect_same<float>(held(a), before);
}

TEST(Assignable, APartOfAMatrixThatShrankIsRefused) {
  auto a = random_matrix<float>(5, 4);
  auto part = block(a, 3, 2, 2, 2);
  const auto b = random_matrix<float>(2, 2);
  a = random_matrix<float>(3, 3);
  const host<float> before = held(a);
  EXPECT_THROW(part = b, std::out_of_range);
  EXPECT_THROW(part += b, std::out_of_range);
  EXPECT_THROW(part = 1.0f, std::out_of_range);
  matrix c;
  EXPECT_THROW(results(part, c) = expressions(b, b), std::out_of_range);
  expect_same<float>(held(a), before);
}

TEST(Assignable, APartOfAMatrixThatIsGoneIsRefused) {
  const auto b = random_matrix<float>(2, 2);
  auto a = std::make_unique<matrix>(random_matrix<float>(5, 4));
  auto part = block(*a, 3, 2, 2, 2);
  auto across = transpose(part);
  const host<float> before = from_matrix_cl(part);
  a.reset();
  matrix c;
  EXPECT_THROW(part = b, std::logic_error);
  EXPECT_THROW(part += b, std::logic_error);
  EXPECT_THROW(part = 1.0f, std::logic_error);
  EXPECT_THROW(across = b, std::logic_error);
  EXPECT_THROW(results(part, c) = expressions(b, b), std::logic_error);
  EXPECT_EQ(from_matrix_cl(part), before);

  std::vector<matrix> several(1, random_matrix<float>(5, 4));
  auto first = block(several[0], 1, 1, 2, 2);
  several.reserve(10);  // moves the matrix
  EXPECT_THROW(first = b, std::logic_error);
  block(several[0], 1, 1, 2, 2) = b;
  expect_same<float>(from_matrix_cl(first), held(b));
}

TEST(Assignable, PartsWithAConstNameAreResults) {
  auto a = random_matrix<float>(8, 8);
  const auto b = random_matrix<float>(3, 2);
  host<float> wanted = held(a);
  const auto part = block(a, 2, 3, 3, 2);
  matrix sums;
  results(part, sums) = expressions(b + 1.0f, colwise_sum(b));
  wanted.block(1, 2, 3, 2) = (held(b).array() + 1.0f).matrix();
  expect_same<float>(held(a), wanted);
  results(sums, part) += expressions(colwise_sum(b), part * 2.0f);
  wanted.block(1, 2, 3, 2) *= 3;
  expect_same<float>(held(a), wanted);
}

TEST(Assignable, AWarmBlockIsOneLaunchWithoutATemporary) {
  auto a = random_matrix<float>(300, 40);
  const auto b = random_matrix<float>(20, 30);
  auto c = random_matrix<float>(20, 30);
  const auto round = [&](int i) {
    block_zero_based(a, i, 3, 20, 30) = b * 2.0f;
    block_zero_based(a, i, 5, 20, 30) += b;
    results(block_zero_based(a, i, 2, 20, 30), c) -= expressions(b, b);
  };
  round(0);
  const counters before = runtime_counters();
  for (int i = 1; i < 20; ++i) round(i);
  const counters spent = runtime_counters() - before;
  EXPECT_EQ(spent.launches, 3u * 19);
  EXPECT_EQ(spent.programs_built + spent.programs_loaded, 0u);
  EXPECT_EQ(spent.buffers_created + spent.buffers_reused, 0u);
}

TEST(Assignable, ListsFillRowsAndColumns) {
  matrix a(Eigen::MatrixXf::Zero(2, 3).eval());
  Eigen::MatrixXf wanted = Eigen::MatrixXf::Zero(2, 3);
  col(a, 2) = std::vector<float>{1, 2};
  wanted.col(1) << 1, 2;
  expect_same<float>(held(a), wanted);
  row(a, 1) = std::vector<float>{3, 4, 5};
  wanted.row(0) << 3, 4, 5;
  expect_same<float>(held(a), wanted);
  col(a, 1) = {6, 7};
  wanted.col(0) << 6, 7;
  expect_same<float>(held(a), wanted);
  block(a, 2, 3, 1, 1) = std::vector<float>{8};
  wanted(1, 2) = 8;
  expect_same<float>(held(a), wanted);
  EXPECT_THROW(col(a, 1) = std::vector<float>{}, std::invalid_argument);
  EXPECT_THROW(row(a, 1) = (std::vector<float>{1, 2}), std::invalid_argument);
  EXPECT_THROW(block(a, 1, 1, 2, 2) = (std::vector<float>{1, 2, 3, 4}), std::invalid_argument);
  expect_same<float>(held(a), wanted);

  col(a, 1) += {10, 20};
  row(a, 2) -= std::vector<float>{1, 2, 3};
  wanted.col(0) += Eigen::Vector2f(10, 20);
  wanted.row(1) -= Eigen::RowVector3f(1, 2, 3);
  expect_same<float>(held(a), wanted);
  EXPECT_THROW((col(a, 1) += {1, 2, 3}), std::invalid_argument);
  expect_same<float>(held(a), wanted);
  matrix_cl<float> v{1.5f, 2.5f};
  v += {1, 2};
  v -= std::vector<float>{0.5f, 0.5f};
  expect_same<float>(from_matrix_cl(v), Eigen::Vector2f(2, 4));
  EXPECT_THROW((v -= {1, 2, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
