// Which pivot of a Cholesky factor is told where several are not positive, of all sizes up to one past a
// tile's, one matrix and batches, in both forms of kernels.

#include <limits>
#include <string>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Rows whose pivots are not positive, and what they are.
struct bad_rows {
  std::vector<int> rows;
  double value;
};

std::vector<bad_rows> cases(int n) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<int> all;
  for (int k = 0; k < n; ++k) all.push_back(k);
  std::vector<bad_rows> list = {
      {{0}, -2},      {{n / 2}, -3},          {{n - 1}, -4}, {{0, n - 1}, -5}, {{n / 2, n - 1}, nan},
      {{n - 1}, nan}, {{0, n / 2, n - 1}, 0}, {all, -6}};
  if (n > 2) list.push_back({{n - 2, n - 1}, -std::numeric_limits<double>::infinity()});
  return list;
}

/// 4 times the identity, so that the pivots are what the diagonal says, with these rows.
template <class T>
host<T> with(int n, const bad_rows& bad) {
  host<T> s = host<T>::Identity(n, n) * T(4);
  for (const int k : bad.rows) s(k, k) = static_cast<T>(bad.value);
  return s;
}

std::string told(const bad_rows& bad) {
  const std::string value = std::isnan(bad.value)   ? "nan"
                            : std::isinf(bad.value) ? "-inf"
                            : bad.value == 0        ? "0"
                                                    : std::to_string(static_cast<int>(bad.value));
  return "pivot " + std::to_string(bad.rows[0] + 1) + " is " + value + ", but must be positive!";
}

/// What is finite of the factor: columns before the bad one.
template <class T>
void expect_columns(const host<T>& l, int first_col, int n, int bad) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i)
      ASSERT_EQ(std::isnan(l(i, first_col + j)), j >= bad) << i << " " << j << " of " << n;
}

template <class T>
void one_matrix(int n) {
  for (const bad_rows& bad : cases(n)) {
    const matrix_cl<T> a(with<T>(n, bad));
    matrix_cl<T> l(n, n);
    ASSERT_EQ(message_of<std::domain_error>([&] {
                l = cholesky_decompose(a);  // nobody waits here, unless statements are validated
                from_matrix_cl(l);
              }),
              "cholesky_decompose: A is not positive definite: " + told(bad) +
                  " A is the operand of that call, whose outcome is known when the host next waits")
        << n;
    expect_columns<T>(from_matrix_cl(l), 0, n, bad.rows[0]);
  }
}

template <class T>
void batches(int n) {
  constexpr int count = 5;
  for (const bad_rows& bad : cases(n))
    for (const int first : {0, 2, count - 1}) {
      host<T> all = host<T>(n, n * count);
      for (int b = 0; b < count; ++b)
        all.middleCols(b * n, n) = b == first  ? with<T>(n, bad)
                                   : b > first ? with<T>(n, {{0}, -9})
                                               : with<T>(n, {{}, 0});
      const matrix_cl<T> a(all);
      matrix_cl<T> l(n, n * count);
      const std::string message = message_of<std::domain_error>([&] {
        l = batched_cholesky_decompose(a);
        from_matrix_cl(l);
      });
      ASSERT_EQ(message, "batched_cholesky_decompose: matrix number " + std::to_string(first) +
                             ", counted from 0, is not positive definite: " + told(bad))
          << n;
      const host<T> factors = from_matrix_cl(l);
      expect_columns<T>(factors, first * n, n, bad.rows[0]);
      if (first > 0) expect_columns<T>(factors, (first - 1) * n, n, n);
    }
}

TEST(BadPivots, OfOneMatrixTheFirstIsTold) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (int n = 1; n <= 33; ++n) one_matrix<double>(n);
  });
}

TEST(BadPivots, OfOneMatrixOfFloatsAndOfSeveralTilesTheFirstIsTold) {
  in_both_forms([] {
    for (const int n : {1, 2, 16, 17, 33, 65}) one_matrix<float>(n);
  });
}

TEST(BadPivots, OfABatchTheFirstOfTheFirstMatrixIsTold) {
  in_both_forms([] {
    for (int n = 2; n <= 33; n += n < 6 || n > 30 ? 1 : 5) batches<float>(n);
  });
}

}  // namespace
}  // namespace fusecl
