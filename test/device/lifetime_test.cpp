// Expressions kept, returned and evaluated later; copies and moves of matrices; user buffers; many operands.

#include <support/compare.hpp>
#include <support/guarded.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

auto made_from_temporaries(const host<float>& values) {
  const matrix local(values);
  return matrix(values) + exp(local) * 0.5f;
}

TEST(Expression, KeepsItsOperandsAlive) {
  const host<float> values = random_host<float>(71, 33);
  const auto e = made_from_temporaries(values);
  for (int k = 0; k < 5; ++k) matrix overwrites = rep_matrix(7.0f, 71, 33);
  const matrix a(values);
  expect_matches(matrix(e), expected(a + exp(a) * 0.5f));
}

TEST(Expression, MayBeEvaluatedOften) {
  const auto a = random_matrix<float>(9, 5);
  const auto e = a * 2 + 1;
  const auto f = elt_multiply(e, e) - e;
  expect_matches_reference(e);
  expect_matches_reference(f);
  expect_matches_reference(f + e);
  EXPECT_EQ(f.rows(), 9);
  EXPECT_EQ(f.cols(), 5);
}

TEST(Copy, IsDeep) {
  auto a = random_matrix<float>(9, 9, matrix_cl_view::Lower);
  const matrix copy = a;
  matrix assigned;
  assigned = a;
  const expected_values before = expected(a.leaf());
  a = a + 1;
  expect_matches(copy, before);
  expect_matches(assigned, before);
  EXPECT_EQ(copy.view(), matrix_cl_view::Lower);
}

TEST(Copy, OverASourceOfTheSameSizeKeepsTheOtherIntact) {
  matrix a = random_matrix<float>(9, 5), b = random_matrix<float>(9, 5);
  const expected_values values = expected(a.leaf());
  b = a;
  a += 1;
  expect_matches(b, values);
}

TEST(Move, LeavesTheMemoryWhereItIs) {
  matrix a = random_matrix<float>(9, 5);
  const host<float> values = from_matrix_cl(a);
  const auto memory = a.storage();
  matrix b = std::move(a);
  EXPECT_EQ(b.storage(), memory);
  matrix c;
  c = std::move(b);
  EXPECT_EQ(c.storage(), memory);
  expect_same<float>(from_matrix_cl(c), values);
}

TEST(Move, LeavesSomethingAssignable) {
  matrix a = random_matrix<float>(9, 5);
  const matrix b = std::move(a);
  a = b + 1;  // NOLINT: use after move is what this is about
  expect_matches(a, expected(b + 1));
  matrix c = std::move(a);
  a = c;  // NOLINT
  expect_same<float>(from_matrix_cl(a), from_matrix_cl(c));
}

TEST(Move, OfAnOperandDoesNotDisturbTheExpression) {
  matrix a = random_matrix<float>(9, 5);
  const auto e = a * 2;
  const expected_values wanted = expected(e);
  const matrix b = std::move(a);
  expect_matches(matrix(e), wanted);
}

template <class T>
class UserBuffer : public ::testing::Test {};
using types = ::testing::Types<float, long, bool>;  // four, eight and one byte an element
TYPED_TEST_SUITE(UserBuffer, types);

TYPED_TEST(UserBuffer, IsReadAndWrittenWithinItsBounds) {
  using T = TypeParam;
  for (const auto [rows, cols] : few_sizes())
    for (const matrix_cl_view view : {matrix_cl_view::Entire, matrix_cl_view::Lower}) {
      const auto a = random_guarded<T>(rows, cols, view), b = random_guarded<T>(rows, cols);
      auto r = random_guarded<T>(rows, cols);
      const expected_values wanted = expected(cast<T>(a.matrix + b.matrix));
      r.matrix = a.matrix + b.matrix;
      expect_matches(r.matrix, wanted);
      EXPECT_TRUE(r.intact()) << rows << " x " << cols;
      EXPECT_ALL_MATCH_REFERENCE(a.matrix + T(1), sum(a.matrix), rowwise_sum(a.matrix),
                                 colwise_max(a.matrix));
      EXPECT_TRUE(a.intact() && b.intact());
    }
}

TYPED_TEST(UserBuffer, TakesReductionsWithinItsBounds) {
  using T = TypeParam;
  for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {71, 33}, {4097, 3}, {3, 4097}, {64, 16}}) {
    const auto a = random_matrix<T>(rows, cols);
    auto by_row = random_guarded<T>(rows, 1), by_column = random_guarded<T>(1, cols),
         all = random_guarded<T>(1, 1);
    const expected_values rows_wanted = expected(cast<T>(rowwise_sum(a))),
                          cols_wanted = expected(cast<T>(colwise_sum(a)));
    const expected_values all_wanted = expected(cast<T>(sum(a)));
    results(by_row.matrix, by_column.matrix, all.matrix) =
        expressions(rowwise_sum(a), colwise_sum(a), sum(a));
    expect_matches(by_row.matrix, rows_wanted);
    expect_matches(by_column.matrix, cols_wanted);
    expect_matches(all.matrix, all_wanted);
    EXPECT_TRUE(by_row.intact() && by_column.intact() && all.intact()) << rows << " x " << cols;
  }
}

TEST(UserBuffer, IsSharedWithItsOwner) {
  cl::Buffer buffer(opencl_context.context(), CL_MEM_READ_WRITE, 12 * sizeof(float));
  matrix a(buffer, 4, 3);
  const matrix b(buffer, 3, 4);
  a = rep_matrix(3.0f, 4, 3);
  opencl_context.queue().finish();
  std::vector<float> values(12);
  opencl_context.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof(float) * 12, values.data());
  EXPECT_EQ(values, std::vector<float>(12, 3.0f));
  expect_same<float>(from_matrix_cl(b), host<float>::Constant(3, 4, 3.0f));
}

template <std::size_t... Ks>
void add_all(const std::vector<matrix>& m, std::index_sequence<Ks...>) {
  expect_matches_reference((m[Ks] + ...));
  expect_matches_reference((elt_multiply(m[Ks], m[sizeof...(Ks) - 1 - Ks]) + ...));
}

TEST(Expression, MayHaveManyOperands) {
  std::vector<matrix> m;
  for (int k = 0; k < 70; ++k) m.push_back(random_matrix<float>(9, 5, matrix_cl_view::Entire, -1, 1));
  add_all(m, std::make_index_sequence<70>{});
}

TEST(Expression, MayHaveManyScalars) {
  const auto a = random_matrix<float>(9, 5);
  const auto longer = [&](const auto& e, float x) { return (e + x) * (1 + x) - x / 3; };
  const auto e = longer(longer(longer(longer(longer(longer(a, 0.1f), 0.2f), 0.3f), 0.4f), 0.6f), 0.7f);
  expect_matches_reference(longer(longer(longer(longer(e, 0.8f), 0.9f), 1.1f), 1.2f));
}

}  // namespace
}  // namespace fusecl
