// Elements at indices on both sides of an assignment: values against loops on the host and the interpreter,
// bounds, what is asked of the device how often, aliasing.

#include <cmath>
#include <numeric>
#include <sstream>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

matrix_cl<int> random_places(std::int64_t rows, std::int64_t cols, std::int64_t size) {
  std::vector<int> numbers(static_cast<std::size_t>(rows * cols));
  static std::uint64_t state = 12345;
  for (int& number : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<int>((state >> 33) % static_cast<std::uint64_t>(size));
  }
  return matrix_cl<int>(numbers, rows, cols);
}

template <class T>
class Indexing : public ::testing::Test {};
using types = ::testing::Types<double, int, bool>;
TYPED_TEST_SUITE(Indexing, types);

TYPED_TEST(Indexing, ReadsTheElementsThatTheIndicesName) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  in_both_forms([] {
    for (const auto [rows, cols] : std::vector<size_pair>{{0, 3}, {1, 1}, {71, 3}}) {
      const auto m = random_matrix<T>(7, 4);
      const auto i = random_places(rows, cols, 7), j = random_places(rows, cols, 4);
      const matrix_cl<T> found = indexing(m, i, j);
      ASSERT_EQ(found.rows(), rows);
      ASSERT_EQ(found.cols(), cols);
      const auto of_m = m.to_host(), of_found = found.to_host();
      const auto of_i = i.to_host(), of_j = j.to_host();
      for (Eigen::Index k = 0; k < of_found.size(); ++k)
        ASSERT_EQ(of_found.data()[k], of_m(of_i.data()[k], of_j.data()[k])) << k;
    }
  });
}

TEST(Indexings, OfExpressionsTransposesBlocksAndViews) {
  in_both_forms([] {
    for (const std::int64_t n : {65}) {
      const auto a = random_matrix<float>(9, 9), b = random_matrix<float>(9, 9, matrix_cl_view::Lower);
      const auto v = random_matrix<float>(9, 1), r = random_matrix<float>(1, 9);
      const auto w = random_matrix<float>(n, 2);
      const auto i = random_places(n, 2, 9), j = random_places(n, 2, 9), small = random_places(n, 2, 4);
      EXPECT_ALL_MATCH_REFERENCE(indexing(exp(a) + b, i, j), indexing(transpose(b), i, j) + w,
                                 indexing(block(a, 2, 3, 6, 5), small, small),
                                 transpose(transpose(indexing(a + rowwise_broadcast(v), i, j))),
                                 indexing(a, i, 3), indexing(indexing(a, i, j), row_index(), small % 2) - w,
                                 indexing(elt_divide(b, a), j, i), v[i] + transpose(r)[j], r[i],
                                 indexing(colwise_broadcast(r) + rowwise_broadcast(rowwise_sum(a)) * 2, i, j),
                                 indexing(row_index(9, 9) + 2 * col_index(), i, j),
                                 indexing(append_row(r, a), i, j), exp(v)[cast<std::int64_t>(i)]);
      expect_matches_reference(append_row(v[i], w));
      expect_matches_reference(block(indexing(b, i, j), 1, 2, n, 1));
      expect_matches_reference(rowwise_sum(indexing(a, i, j)) + v[block(i, 1, 1, n, 1)]);
      expect_matches_reference(indexing(rowwise_sum(exp(a)), i, 0));
      const float total = sum(elt_multiply(v[i], w));
      EXPECT_NEAR(total, reference(sum(elt_multiply(v[i], w)))(0, 0), 1e-3);
    }
  });
}

TEST(Indexings, WholeRowsAndColumns) {
  in_both_forms([] {
    const auto a = random_matrix<float>(6, 5);
    const auto g = random_places(31, 1, 6), h = random_places(1, 17, 5);
    const auto host = a.to_host();
    const auto rows = matrix(take_rows(a, g)).to_host(), cols = matrix(take_cols(a, h)).to_host();
    ASSERT_EQ(rows.rows(), 31);
    ASSERT_EQ(rows.cols(), 5);
    ASSERT_EQ(cols.cols(), 17);
    for (int k = 0; k < 31; ++k) EXPECT_EQ(rows.row(k), host.row(g(k)));
    for (int k = 0; k < 17; ++k) EXPECT_EQ(cols.col(k), host.col(h(k)));
    EXPECT_EQ(matrix(indexing(a, rowwise_broadcast(g), col_index())).to_host(), rows);
    const Eigen::VectorXi of_host(from_matrix_cl(g));
    EXPECT_EQ(matrix(take_rows(a, of_host)).to_host(), rows);
    EXPECT_EQ(matrix(take_cols(a, Eigen::RowVectorXi(from_matrix_cl(h)))).to_host(), cols);
  });
}

TEST(Indexings, NameTheFirstPlaceThatIsNotThere) {
  const auto a = random_matrix<float>(5, 2), v = random_matrix<float>(5, 1);
  const matrix_cl<int> high(std::vector<int>{0, 4, 5, 9}), low(std::vector<int>{3, -1, 2, 7}, 2, 2);
  auto target = random_matrix<float>(3, 3);
  const auto before = target.to_host();
  const auto expect = [&](const char* message, const auto& e) {
    try {
      target = e;
      ADD_FAILURE() << message;
    } catch (const std::out_of_range& x) {
      EXPECT_STREQ(x.what(), message);
    }
    EXPECT_EQ(target.to_host(), before);
  };
  expect("operator[]: index 5 at (2, 0) is outside of the 5 elements of the vector, which count from 0",
         exp(v)[high]);
  expect("indexing: row index -1 at (1, 0) is outside of the 5 rows of the matrix, which count from 0",
         indexing(a, low, 0));
  expect("indexing: column index 4 at (1, 0) is outside of the 2 columns of the matrix, which count from 0",
         indexing(a, 0, high));
  expect("indexing: row index 5 is outside of the 5 rows of the matrix, which count from 0",
         indexing(a, 5, rep_matrix<matrix_cl<int>>(0, 2, 2)));
  expect("operator[]: index -1 at (0, 0) is outside of the 5 elements of the vector, which count from 0",
         v[high - 1]);
  EXPECT_THROW(a[high], std::invalid_argument);
  EXPECT_THROW(indexing(a, high, low), std::invalid_argument);
  EXPECT_THROW((void)float(sum(random_matrix<float>(0, 1)[high])), std::out_of_range);
}

TEST(Indexings, OfWholeRowsNameWhatIsNoColumn) {
  const auto a = random_matrix<float>(5, 2);
  const matrix_cl<int> nothing, row = random_places(1, 3, 2), column = random_places(3, 1, 2), square(2, 2);
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { take_rows(a, nothing); }),
      "take_rows: index is 0 x 0, but must be a column; a matrix_cl that was given no size is 0 x 0, an "
      "empty column 0 x 1");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { take_cols(a, nothing); }),
            "take_cols: index is 0 x 0, but must be a row; a matrix_cl that was given no size is 0 x 0, an "
            "empty row 1 x 0");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { take_rows(a, row); }),
            "take_rows: index is 1 x 3, but must be a column; transpose(index) is a column");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { take_cols(a, column); }),
            "take_cols: index is 3 x 1, but must be a row; transpose(index) is a row");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { take_rows(a, square + 1); }),
            "take_rows: index is 2 x 2, but must be a column");
  EXPECT_EQ(matrix(take_rows(a, matrix_cl<int>(0, 1))).cols(), 2);
  EXPECT_EQ(matrix(take_cols(a, matrix_cl<int>(1, 0))).rows(), 5);
}

TEST(Indexings, WithoutASizeOfTheirOwnAreNoTargets) {
  matrix_cl<int> w(std::vector<int>{10, 20, 30});
  const auto before = w.to_host();
  EXPECT_THROW(w[constant(1)] += 5, std::invalid_argument);
  EXPECT_THROW(w[constant(1)] = 5, std::invalid_argument);
  EXPECT_EQ(w.to_host(), before);
}

TEST(SingleElements, AreNumbers) {
  in_both_forms([] {
    const auto v = random_matrix<float>(1, 71), a = random_matrix<float>(3, 4);
    const matrix_cl<int> g(std::vector<int>{2, 70, 0});
    const auto of_v = v.to_host(), of_a = a.to_host();
    const float last = v[70];
    EXPECT_EQ(last, of_v(70));
    EXPECT_EQ(float(v[g[1]]), last);
    EXPECT_EQ(float(v[max(g)]), last);
    EXPECT_EQ(float(indexing(a, 2, 3L)), of_a(2, 3));
    EXPECT_EQ(float(indexing(transpose(a), 3, 2)), of_a(2, 3));
    EXPECT_EQ(int(g[1]), 70);
    EXPECT_EQ(float(sum(v[1])), of_v(1));
    EXPECT_NEAR(rowwise_sum(a)[2], of_a.row(2).sum(), 1e-5);
    EXPECT_EQ(std::exp(v[3]), std::exp(of_v(3)));
    const matrix one = v[5];
    EXPECT_EQ(one.to_host(), Eigen::MatrixXf::Constant(1, 1, of_v(5)));
    matrix first, second;
    results(first, second) = expressions(v[4], v);
    EXPECT_EQ(first.to_host(), Eigen::MatrixXf::Constant(1, 1, of_v(4)));
    EXPECT_EQ(second.to_host(), of_v);
    std::ostringstream text;
    text << g[1];
    EXPECT_EQ(text.str(), "70");
  });
}

TEST(SingleElements, FuseWithWhatTheyScale) {
  const auto v = random_matrix<float>(5, 1), a = random_matrix<float>(71, 3);
  expect_matches_reference(a * v[4] + exp(v)[2]);
  expect_matches_reference(rowwise_sum(a * v[4]) + v[0]);
  matrix result;
  for (const int k : {3, 4}) {
    const counters before = runtime_counters();
    result = a * v[k] + v[k];
    const counters used = runtime_counters() - before;
    EXPECT_EQ(used.launches, 1u);
    EXPECT_EQ(used.host_waits, 0u);
  }
}

// What indices of no matrix are is found out once, for each of their sizes and numbers.
TEST(ComputedIndices, AreReadOnceWithoutAMatrixToo) {
  const auto v = random_matrix<float>(5, 1);
  matrix result;
  const auto take = [&](int divisor) { result = v[row_index(9, 1) % divisor]; };
  const auto expect_taken = [&](int divisor) {
    const host<float> values = v.to_host(), taken = result.to_host();
    for (Eigen::Index k = 0; k < 9; ++k) EXPECT_EQ(taken(k), values(k % divisor)) << k;
  };
  for (const int divisor : {5, 4, 3}) {
    take(divisor);
    take(divisor);
    const counters before = runtime_counters();
    take(divisor);
    const counters used = runtime_counters() - before;
    EXPECT_EQ(used.launches, 1u);
    EXPECT_EQ(used.host_waits, 0u);
    expect_taken(divisor);
  }
  EXPECT_THROW(take(6), std::out_of_range);
  EXPECT_THROW(take(6), std::out_of_range);
  for (int divisor = 1; divisor <= 5; ++divisor)
    for (const int rows : {9, 12}) {  // more than are kept
      result = v[row_index(rows, 1) % divisor];
      expect_taken(divisor);
    }
}

TEST(SingleElements, OutsideAreNamed) {
  const auto v = random_matrix<float>(5, 1), a = random_matrix<float>(3, 4);
  const matrix empty(0, 1);
  const std::string of_v =
      "operator[]: index 7 is outside of the 5 elements of the vector, which count from 0";
  EXPECT_EQ(message_of<std::out_of_range>([&] { (void)float(v[7]); }), of_v);
  EXPECT_EQ(message_of<std::out_of_range>([&] { (void)float(sum(v[7])); }), of_v);
  EXPECT_EQ(message_of<std::out_of_range>([&] { matrix r = v[7]; }), of_v);
  EXPECT_EQ(message_of<std::out_of_range>([&] { matrix r = v + v[7]; }), of_v);
  EXPECT_EQ(message_of<std::out_of_range>([&] { std::ostringstream() << v[7]; }), of_v);
  EXPECT_EQ(message_of<std::out_of_range>([&] { (void)float(v[-1]); }),
            "operator[]: index -1 is outside of the 5 elements of the vector, which count from 0");
  EXPECT_EQ(message_of<std::out_of_range>([&] { (void)float(empty[0]); }),
            "operator[]: index 0 is outside of the 0 elements of the vector, which count from 0");
  EXPECT_EQ(message_of<std::out_of_range>([&] { (void)float(indexing(a, 0, 4)); }),
            "indexing: column index 4 is outside of the 4 columns of the matrix, which count from 0");
  EXPECT_EQ(message_of<std::out_of_range>([&] { matrix r = a + indexing(a, 3, col_index()); }),
            "indexing: row index 3 is outside of the 3 rows of the matrix, which count from 0");
  EXPECT_THROW((void)float(a[1]), std::invalid_argument);
}

TEST(SingleElements, AreAssignedTo) {
  in_both_forms([] {
    auto v = random_matrix<float>(5, 1), a = random_matrix<float>(3, 4);
    auto of_v = v.to_host(), of_a = a.to_host();
    const matrix_cl<int> g(std::vector<int>{3});
    v[1] = 2;
    v[2] = v[0];
    v[g[0]] += v[1];
    v[4] *= 3.0f;
    v[0] -= matrix(1.0f);
    of_v(1) = 2;
    of_v(2) = of_v(0);
    of_v(3) += 2;
    of_v(4) *= 3;
    of_v(0) -= 1;
    EXPECT_EQ(v.to_host(), of_v);
    indexing(a, 1, 3) = sum(v);
    of_a(1, 3) = sum(v);
    EXPECT_EQ(a.to_host(), of_a);
    EXPECT_THROW(v[5] = 1, std::out_of_range);
    EXPECT_THROW(indexing(a, 3, 0) /= 2, std::out_of_range);
    EXPECT_THROW(v[1] = a, std::invalid_argument);
    EXPECT_EQ(v.to_host(), of_v);
    EXPECT_EQ(a.to_host(), of_a);
    matrix lower(Eigen::MatrixXf::Ones(3, 3));
    lower.view(matrix_cl_view::Lower);
    indexing(lower, 2, 0) = 7;
    EXPECT_EQ(lower.view(), matrix_cl_view::Lower);
    EXPECT_EQ(float(indexing(lower, 0, 2)), 0);
    EXPECT_EQ(float(indexing(lower, 2, 0)), 7);
  });
}

TEST(Indexings, LookAtIndicesOnceForTheirContents) {
  const auto v = random_matrix<float>(50, 1);
  matrix_cl<int> g = random_places(300, 1, 50);
  const auto evaluate = [&] {
    const counters before = runtime_counters();
    const matrix result = exp(v[g]) + v[g];
    const counters after = runtime_counters();
    return std::pair(after.launches - before.launches, after.host_waits - before.host_waits);
  };
  evaluate();
  EXPECT_EQ(evaluate(), std::pair(std::uint64_t{1}, std::uint64_t{0}));
  g = random_places(300, 1, 50);
  EXPECT_EQ(evaluate().second, 1u);
  EXPECT_EQ(evaluate().second, 0u);
  g = g + 50;
  EXPECT_THROW(evaluate(), std::out_of_range);
  g = matrix_cl<int>(std::vector<int>{1, 2, 77});
  EXPECT_THROW(evaluate(), std::out_of_range);
  matrix_cl<int> written(std::vector<int>{1, 2, 3});
  const matrix first = v[written];
  const int bad[] = {1, 99, 3};
  cl::Buffer memory = written.buffer();
  written.wait_for_read_write_events();
  opencl_context.queue().enqueueWriteBuffer(memory, CL_TRUE, 0, sizeof bad, bad);
  EXPECT_THROW((void)v[written].eval(), std::out_of_range);
}

TEST(Indexings, OfMatricesTakeNoKernelToBeLookedAt) {
  const auto v = random_matrix<float>(20, 1);
  matrix result = exp2(v[random_places(64, 1, 20)]);
  const auto fresh = random_places(64, 1, 20);
  const counters before = runtime_counters();
  result = exp2(v[fresh]);
  const counters used = runtime_counters() - before;
  EXPECT_EQ(used.launches, 1u);
  EXPECT_EQ(used.host_waits, 1u);
  EXPECT_EQ(used.programs_built + used.programs_loaded, 0u);
}

TEST(Indexings, KeptExpressionsReadWhatIsThere) {
  auto v = random_matrix<float>(9, 1);
  matrix_cl<int> g(std::vector<int>{8, 0, 0, 3});
  const auto kept = 2.0f * v[g];
  expect_matches_reference(kept);
  g = matrix_cl<int>(std::vector<int>{1, 2, 3, 4});
  v = random_matrix<float>(5, 1);
  const auto host = v.to_host();
  const auto found = matrix(kept).to_host();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(found(k), 2 * host(k + 1));
}

TEST(Indexings, MayReadWhatTheyAreAssignedTo) {
  in_both_forms([] {
    const int n = 77;
    auto v = random_matrix<float>(n, 1);
    std::vector<int> back(static_cast<std::size_t>(n));
    std::iota(back.rbegin(), back.rend(), 0);
    const matrix_cl<int> g(back);
    const auto before = v.to_host();
    v = v[g];
    EXPECT_EQ(v.to_host(), before.colwise().reverse());
    v = v + v[g];
    EXPECT_EQ(v.to_host(), before + before.colwise().reverse());
    auto w = random_matrix<float>(n, 1);
    const auto old = w.to_host();
    w[g] = w + 1.0f;
    EXPECT_EQ(w.to_host(), (old.array() + 1).matrix().colwise().reverse());
  });
}

TEST(IndexedTargets, KeepTheLastAndAddAll) {
  in_both_forms([] {
    for (const std::int64_t n : {0, 1, 5000}) {
      auto m = random_matrix<float>(7, 3);
      auto expected = m.to_host();
      const auto i = random_places(n, 1, 7), j = random_places(n, 1, 3);
      const auto e = random_matrix<float>(n, 1);
      indexing(m, i, j) = 2.0f * e;
      const auto of_i = i.to_host(), of_j = j.to_host();
      const auto of_e = e.to_host();
      for (Eigen::Index k = 0; k < n; ++k) expected(of_i(k), of_j(k)) = 2.0f * of_e(k);
      EXPECT_EQ(m.to_host(), expected);
      Eigen::MatrixXd sums = expected.cast<double>();
      for (Eigen::Index k = 0; k < n; ++k) sums(of_i(k), of_j(k)) += static_cast<double>(of_e(k));
      indexing(m, i, j) += e;
      EXPECT_LT((m.to_host().cast<double>() - sums).cwiseAbs().maxCoeff(), 1e-3) << n;
      const auto first = m.to_host();
      auto again = matrix(expected);
      indexing(again, i, j) += e;
      EXPECT_EQ(again.to_host(), first);
      indexing(m, i, j) -= e;
      EXPECT_LT((m.to_host() - expected).cwiseAbs().maxCoeff(), 1e-3f) << n;
    }
  });
}

TEST(IndexedTargets, OfVectorsAreFilledAndRefuse) {
  auto v = random_matrix<float>(1, 9);
  const auto before = v.to_host();
  const matrix_cl<int> g(std::vector<int>{2, 2, 8}), bad(std::vector<int>{1, 9});
  v[g] = 1.5f;
  v[g] += 1;
  const auto after = v.to_host();
  for (int k = 0; k < 9; ++k) EXPECT_EQ(after(k), k == 2 ? 3.5f : k == 8 ? 2.5f : before(k));
  EXPECT_THROW(v[bad] = 0, std::out_of_range);
  EXPECT_THROW(v[bad] += 1, std::out_of_range);
  const unsigned last = 8;
  EXPECT_EQ(v[last], after(8));
  EXPECT_THROW(v[g] = random_matrix<float>(2, 1), std::invalid_argument);
  EXPECT_EQ(v.to_host(), after);
  matrix_cl<int> whole(std::vector<int>{1, 2, 3});
  EXPECT_THROW(whole[g - 1 - g] = 7, std::out_of_range);
  whole[g / 4] = cast<int>(g);
  EXPECT_EQ(whole.to_host(), (Eigen::Vector3i() << 2, 2, 8).finished());
}

TEST(IndexedTargets, AreRefusedWhereTheContentsWereMovedAway) {
  auto v = random_matrix<float>(1000, 1);
  const auto before = v.to_host();
  const matrix_cl<int> g(std::vector<int>{999, 0});
  const auto elements = v[g];
  const auto one = indexing(v, 999, 0);
  matrix_cl<float> there = std::move(v);
  EXPECT_THROW(elements = 1.0f, std::out_of_range);
  EXPECT_THROW(elements += 1.0f, std::out_of_range);
  EXPECT_THROW(one = 1.0f, std::out_of_range);
  EXPECT_EQ(there.to_host(), before);
  v = there;
  elements = 1.0f;
  EXPECT_EQ(v(999), 1);
  EXPECT_EQ(there.to_host(), before);
}

TEST(IndexedTargets, TakeElementsOfTheHost) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> v{1.0, 2.0, 3.0};
  const matrix_cl<int> at(std::vector<int>{2, 0});
  const std::vector<double> two{10, 20};
  v[at] = two;
  EXPECT_EQ(from_matrix_cl<std::vector<double>>(v), (std::vector<double>{20, 2, 10}));
  v[at] += two;
  v[at] -= {1.0, 2.0};
  EXPECT_EQ(from_matrix_cl<std::vector<double>>(v), (std::vector<double>{38, 2, 19}));
  matrix_cl<double> row(std::vector<double>{1, 2, 3}, 1, 3);
  row[transpose(at)] = {5.0, 6.0};
  EXPECT_EQ(from_matrix_cl<std::vector<double>>(row), (std::vector<double>{6, 2, 5}));
  EXPECT_THROW(v[at] = (std::vector<double>{1, 2, 3}), std::invalid_argument);
  EXPECT_EQ(from_matrix_cl<std::vector<double>>(v), (std::vector<double>{38, 2, 19}));
}

TEST(Indexings, OfRowsAndColumnsNameTheirFunction) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> a(3, 2);
  a.setZero();
  const matrix_cl<int> outside(std::vector<int>{0, 3});
  matrix_cl<double> r;
  expect_message<std::out_of_range>([&] { r = take_rows(a, outside); }, "take_rows: row index 3");
  expect_message<std::out_of_range>([&] { r = take_cols(a, transpose(outside)); },
                                    "take_cols: column index 3");
  expect_message<std::out_of_range>([&] { take_rows(a, outside) = 1.0; }, "take_rows: row index 3");
}

TEST(IndexedTargets, ArePartsOfMatrices) {
  in_both_forms([] {
    auto c = random_matrix<float>(71, 5);
    const matrix_cl<int> g(std::vector<int>{2, 0, 2, 70, 2}), i(std::vector<int>{1, 0, 1});
    const auto e = random_matrix<float>(5, 1), f = random_matrix<float>(3, 1);
    Eigen::MatrixXf host = c.to_host();
    const Eigen::MatrixXf of_e = e.to_host(), of_f = f.to_host();
    col(c, 2)[g] = e;
    const int places[] = {2, 0, 2, 70, 2};
    for (int k = 0; k < 5; ++k) host(places[k], 1) = of_e(k);
    EXPECT_EQ(c.to_host(), host);
    col(c, 2)[g] += 1.0f;
    host(2, 1) += 3;
    host(0, 1) += 1;
    host(70, 1) += 1;
    EXPECT_LT((c.to_host() - host).cwiseAbs().maxCoeff(), 1e-5f);
    host = c.to_host();
    const auto middle = block(c, 10, 2, 4, 3);  // what says which part may be const
    indexing(middle, i + 1, i) -= f;
    for (int k = 0; k < 3; ++k) host(9 + (k == 1 ? 1 : 2), k == 1 ? 1 : 2) -= of_f(k);
    EXPECT_LT((c.to_host() - host).cwiseAbs().maxCoeff(), 1e-5f);
    host = c.to_host();
    row(transpose(c), 1)[i] = col(c, 1)[1 - i];  // column 1 of c, read before it is written
    std::swap(host(0, 0), host(1, 0));
    EXPECT_EQ(c.to_host(), host);
    col(c, 3)[4] = 7.0f;
    indexing(middle, 3, 2) *= 2.0f;
    host(4, 2) = 7;
    host(12, 3) *= 2;
    EXPECT_EQ(c.to_host(), host);
  });
}

TEST(IndexedTargets, OfPartsKeepTheRestAndRefuse) {
  auto c = random_matrix<float>(9, 9, matrix_cl_view::Lower);
  const Eigen::MatrixXf before = c.to_host();
  const matrix_cl<int> bad(std::vector<int>{1, 9}), g(std::vector<int>{8, 3}), none(0, 1);
  EXPECT_THROW(col(c, 1)[bad] = 0, std::out_of_range);
  EXPECT_THROW(col(c, 1)[bad] += 1, std::out_of_range);
  EXPECT_THROW(col(c, 1)[9] = 1, std::out_of_range);
  EXPECT_THROW(col(c, 1)[g] = random_matrix<float>(3, 1), std::invalid_argument);
  EXPECT_THROW(block(c, 1, 1, 2, 2)[g] = 1, std::invalid_argument);
  col(c, 1)[none] = 5;
  EXPECT_EQ(c.to_host(), before);
  EXPECT_EQ(c.view(), matrix_cl_view::Lower);
  col(c, 1)[g] = 2.0f;
  Eigen::MatrixXf expected = before;
  expected(8, 0) = expected(3, 0) = 2;
  EXPECT_EQ(c.to_host(), expected);
  const auto of_a_matrix_gone = [] {
    auto gone = random_matrix<float>(3, 3);
    return col(gone, 1)[matrix_cl<int>(std::vector<int>{1})];
  }();
  EXPECT_THROW(of_a_matrix_gone = 1.0f, std::logic_error);
}

TEST(Indexings, HaveTheSizeOfWhatIsAroundThem) {
  in_both_forms([] {
    const auto m = random_matrix<float>(3, 4);
    const Eigen::MatrixXf turned = m.to_host().transpose();
    const auto of = [&](std::int64_t rows, std::int64_t cols) {
      return matrix(indexing(m, col_index(), row_index() + 0) + constant(0.0f, rows, cols)).to_host();
    };
    EXPECT_EQ(of(4, 3), turned);
    EXPECT_EQ(of(2, 1), turned.block(0, 0, 2, 1));
    EXPECT_EQ(of(1, 3), turned.row(0));
    EXPECT_EQ(of(0, 3).size(), 0);
    EXPECT_EQ(of(4, 3), turned);
    EXPECT_THROW(of(4, 4), std::out_of_range);
    EXPECT_THROW(of(5, 3), std::out_of_range);
    const float sums = sum(indexing(m, col_index(), row_index()) + constant(0.0f, 4, 2));
    EXPECT_NEAR(sums, turned.leftCols(2).sum(), 1e-5f);
    matrix part = matrix::Zero(5, 6), other;
    block(part, 2, 2, 4, 3) = indexing(m, col_index(), row_index() * 1);
    EXPECT_EQ(part.to_host().block(1, 1, 4, 3), turned);
    EXPECT_THROW(block(part, 1, 1, 4, 4) = indexing(m, col_index(), row_index()), std::out_of_range);
    results(part, other) = expressions(indexing(m, col_index(), row_index()), constant(1.0f, 4, 3));
    EXPECT_EQ(part.to_host(), turned);
    EXPECT_THROW(
        results(part, other) = expressions(indexing(m, col_index(), row_index()), constant(1.0f, 4, 9)),
        std::out_of_range);
    EXPECT_EQ(part.to_host(), turned);
    EXPECT_THROW(part = indexing(m, col_index(), row_index()), std::invalid_argument);
    EXPECT_THROW(part = indexing(m, col_index(), row_index() + 1), std::invalid_argument);
  });
}

TEST(Indexings, AComputedNumberHasNoSize) {
  in_both_forms([] {
    const auto m = random_matrix<float>(4, 3);
    const Eigen::MatrixXf host = m.to_host();
    const matrix_cl<int> two(2), both(Eigen::MatrixXi{{2, 0}});
    const scalar_cl<int> k(2);
    const auto expect = [&](const auto& index) {
      EXPECT_EQ(matrix(indexing(m, index, col_index(1, 3))).to_host(), host.row(2));
      EXPECT_EQ(matrix(indexing(m, row_index(4, 1), index)).to_host(), host.col(2));
      EXPECT_EQ(matrix(indexing(m, index, both)).to_host(), (Eigen::RowVector2f(host(2, 2), host(2, 0))));
      EXPECT_EQ(matrix(indexing(m, index, index)).to_host(), host.block(2, 2, 1, 1));
      EXPECT_THROW(matrix(indexing(m, index, col_index())), std::invalid_argument);
      EXPECT_EQ(matrix(indexing(m, index, col_index()) + constant(0.0f, 1, 3)).to_host(), host.row(2));
      matrix to = m;
      EXPECT_THROW((indexing(to, index, col_index()) = 8.0f), std::invalid_argument);
      indexing(to, index, col_index(1, 3)) = 8.0f;
      EXPECT_EQ(to.to_host().row(2), Eigen::RowVector3f::Constant(8));
      EXPECT_EQ(to.to_host().topRows(2), host.topRows(2));
    };
    expect(2);
    expect(sum(two));
    expect(k);
  });
}

TEST(Indexings, ByNumbersOfEveryType) {
  const auto m = random_matrix<float>(5, 6), v = random_matrix<float>(5, 1);
  const auto expect_all = [&]<class Index>(Index) {
    for (Index k = 0; k < 5; ++k) {
      EXPECT_EQ(float(v[k]), v.to_host()(k)) << k;
      EXPECT_EQ(float(indexing(m, k, Index(5 - k))), m.to_host()(k, 5 - k)) << k;
      expect_matches_reference(v[k] * m);
    }
  };
  expect_all(0);
  expect_all(0L);
  expect_all(std::size_t{0});
}

TEST(Indexings, ByIndicesOfNoSizeTellThePlaceOutside) {
  const auto m = random_matrix<float>(3, 4);
  try {
    const matrix r = indexing(m, col_index(), row_index()) + constant(0.0f, 4, 9);
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(
        e.what(),
        "indexing: row index 3 at (0, 3) is outside of the 3 rows of the matrix, which count from 0");
  }
}

}  // namespace
}  // namespace fusecl
