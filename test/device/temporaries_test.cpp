// Memory between the steps of one evaluation: what was read for the last time serves later steps.

#include <gtest/gtest.h>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/operands.hpp>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr std::int64_t rows = 300, cols = 200;

/// Matrices' worth of memory that `run` had in use at most beyond what there was before; vectors and parts of
/// reductions are small beside them.
template <class Run>
std::uint64_t peak_matrices(Run run) {
  run();  // builds the kernels
  trim();
  reset_pool_peak();
  const std::uint64_t before = pool_statistics().bytes_in_use;
  run();
  return (pool_statistics().peak_bytes_in_use - before) /
         runtime::block_capacity(rows * cols * sizeof(float));
}

/// Scans are complete only after their walk: each one is a temporary of the next.
template <class E>
auto scanned(const E& e) {
  return rowwise_cumulative_sum(tanh(e));
}

TEST(Temporaries, OfAChainTakeTheMemoryOfTwo) {
  const auto a = random_matrix<float>(rows, cols);
  matrix_cl<float> r(rows, cols);
  EXPECT_EQ(peak_matrices([&] { r = scanned(scanned(a)); }), 1u);
  EXPECT_EQ(peak_matrices([&] { r = scanned(scanned(scanned(scanned(a)))); }), 2u);
}

TEST(Temporaries, ThatALaterStepReadsAreKept) {
  const auto a = random_matrix<float>(7, 33);
  const auto first = shared(scanned(a));
  expect_matches_reference(scanned(scanned(scanned(first))) + first);
}

TEST(Temporaries, OfOtherSizesAndTypesKeepTheirValues) {
  const auto a = random_matrix<float>(61, 47);
  const auto centred = shared(a - rowwise_broadcast(rowwise_sum(a) / 47.0f));
  const auto scaled = shared(elt_divide(centred, colwise_broadcast(colwise_max(fabs(centred)))));
  const auto ranks = shared(rowwise_cumulative_sum(cast<int>(scaled > 0.0f)));
  expect_matches_reference(colwise_cumulative_sum(elt_multiply(scaled, cast<float>(ranks))) - sum(ranks));
}

/// Values that are compared with the largest of them have a step of their own, which stores them where they
/// are results and comes before all that is computed from them.
TEST(Temporaries, ThatAreComparedWithTheirLargestAreResultsAsWell) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(19, 23);
  const auto v = shared(exp(rowwise_max(a)));
  const auto is_largest = shared(v == max(v));
  EXPECT_ALL_MATCH_REFERENCE(v, cast<int>(is_largest), v * 2.0);
  const auto repeated = rowwise_broadcast(tanh(log1p(sqrt(v))));  // worth to be kept by itself
  EXPECT_ALL_MATCH_REFERENCE(a + repeated, cast<int>(is_largest), v);
}

/// A kernel of its own may go on with them.
TEST(Temporaries, ThatAreComparedWithTheirLargestComeBeforeKernelsThatReadThem) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(19, 19),
             l = random_matrix<double>(19, 19, matrix_cl_view::Lower, 1, 2);
  const auto v = shared(exp(a));
  const auto is_largest = cast<int>(v == colwise_broadcast(colwise_max(v)));
  const auto inverse = tri_inverse(l);
  EXPECT_ALL_MATCH_REFERENCE(elt_multiply(inverse, v), is_largest);
  EXPECT_ALL_MATCH_REFERENCE(elt_multiply(inverse, colwise_broadcast(transpose(diagonal(v)))), is_largest);
}

/// What a reduction is finished with is read in other places, too: turned, reversed, and in the rows of a
/// small matrix, where what it is computed from besides is elsewhere.
TEST(Temporaries, ThatAreComparedAreReadInOtherPlaces) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(500, 6), x = random_matrix<double>(1, 6),
             tall = random_matrix<double>(6, 3), wide = random_matrix<double>(3, 6);
  const auto k = shared(exp(0.01 * colwise_sum(a) + x));
  const auto is_largest = cast<int>(k == max(k));
  in_both_forms([&] {
    EXPECT_ALL_MATCH_REFERENCE(is_largest, colwise_broadcast(k) + wide, k + reverse(k));
    EXPECT_ALL_MATCH_REFERENCE(is_largest, rowwise_broadcast(transpose(k)) + tall, rowwise_sum(a));
    EXPECT_ALL_MATCH_REFERENCE(is_largest, colwise_broadcast(k) + wide, rowwise_sum(a));
    EXPECT_ALL_MATCH_REFERENCE(is_largest, colwise_broadcast(reverse(k)) + wide, rowwise_sum(a));
  });
}

}  // namespace
}  // namespace fusecl
