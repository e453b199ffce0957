// Targets that are operands of their own statement: element-wise results are written in place, all others
// give what the operands held before the statement.

#include <thread>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/guarded.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

const std::vector<size_pair> sizes = {{1, 1}, {3, 1}, {1, 3}, {71, 33}, {4097, 3}, {2, 4097}, {33, 33}};

TEST(Aliasing, ElementWiseIsInPlace) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_matrix<float>(rows, cols);
    const auto b = random_matrix<float>(rows, cols);
    const auto memory = a.storage();
    const expected_values wanted = expected(elt_multiply(a, a) + b - a);
    a = elt_multiply(a, a) + b - a;
    expect_matches(a, wanted);
    EXPECT_EQ(a.storage(), memory);
  }
}

TEST(Aliasing, ReductionsOfTheTargetSeeItAsItWas) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_matrix<float>(rows, cols, matrix_cl_view::Entire, 1, 2);
    const expected_values centered = expected(a - rowwise_broadcast(rowwise_sum(a)));
    a = a - rowwise_broadcast(rowwise_sum(a));
    expect_matches(a, centered);
    const expected_values scaled = expected(a - colwise_broadcast(colwise_max(a)));
    a = a - colwise_broadcast(colwise_max(a));
    expect_matches(a, scaled);
    const expected_values shifted = expected(a + max_2d(a));
    a = a + max_2d(a);
    expect_matches(a, shifted);
  }
}

TEST(Aliasing, WhatFollowsAReductionReadsItsOperandsAsTheyWere) {
  for (std::int64_t rows : {1, 3, 71, 4097}) {
    auto v = random_matrix<float>(rows, 1), w = random_matrix<float>(1, rows);
    matrix r, s;
    const expected_values column = expected(rowwise_sum(v * 5.0f) + v), row = expected(colwise_max(w) - w),
                          tripled = expected(v * 3.0f), negated = expected(-w);
    results(v, r) = expressions(v * 3.0f, rowwise_sum(v * 5.0f) + v);
    results(w, s) = expressions(-w, colwise_max(w) - w);
    expect_matches(v, tripled);
    expect_matches(r, column);
    expect_matches(w, negated);
    expect_matches(s, row);
  }
}

/// Two matrices over one buffer of the user's.
struct twins {
  cl::Buffer buffer;
  matrix one, other;
  twins(const host<float>& values)
      : buffer(opencl_context.context(), CL_MEM_READ_WRITE, static_cast<std::size_t>(values.size()) * 4) {
    opencl_context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, static_cast<std::size_t>(values.size()) * 4,
                                              values.data());
    one = matrix(buffer, values.rows(), values.cols());
    other = matrix(buffer, values.rows(), values.cols());
  }
};

TEST(Aliasing, MatricesOverOneBufferAreKnownAsSuch) {
  for (const auto [rows, cols] : sizes) {
    twins t(random_host<float>(rows, cols));
    EXPECT_EQ(t.one.storage(), t.other.storage());
    const expected_values wanted = expected(t.other - rowwise_broadcast(rowwise_sum(t.other)));
    t.one = t.other - rowwise_broadcast(rowwise_sum(t.other));
    expect_matches(t.one, wanted);
    matrix r;
    const expected_values first = expected(t.other + 1.0f),
                          second = expected(elt_multiply(t.other, colwise_broadcast(colwise_max(t.other))));
    results(t.one, r) =
        expressions(t.other + 1.0f, elt_multiply(t.other, colwise_broadcast(colwise_max(t.other))));
    expect_matches(t.one, first);
    expect_matches(r, second);
  }
}

TEST(Aliasing, ResultsOverOneBufferAreRefusedAndPartsOfThemInTheirOrder) {
  const host<float> values = random_host<float>(71, 33);
  twins t(values);
  const matrix a(random_host<float>(71, 33));
  const expected_values wanted = expected(a * 2.0f);
  EXPECT_EQ(message_of<std::invalid_argument>([&] { results(t.one, t.other) = expressions(a, a * 2.0f); }),
            "results = expressions: results 1 and 2 are matrices over one buffer");
  expect_same<float>(from_matrix_cl(t.one), values);  // as it was
  EXPECT_EQ(message_of<std::invalid_argument>([&] {
              results(block_zero_based(t.one, 1, 1, 2, 2), t.other) =
                  expressions(constant(1.0f, 2, 2), constant(2.0f, 71, 33));
            }),
            "results = expressions: results 1 and 2 are matrices over one buffer");
  expect_same<float>(from_matrix_cl(t.one), values);
  results(block_zero_based(t.one, 0, 0, 71, 1), block_zero_based(t.other, 0, 0, 71, 1)) =
      expressions(constant(1.0f, 71, 1), constant(2.0f, 71, 1));
  EXPECT_EQ(t.other(70, 0), 2.0f);
  matrix resized(t.buffer, 33, 71);
  results(t.one, resized) = expressions(a, a * 2.0f);  // takes memory of its own for its new size
  expect_matches(resized, wanted);
  expect_same<float>(from_matrix_cl(t.one), from_matrix_cl(a));
}

TEST(Aliasing, ResultsInPartsOfOneBufferThatDoNotOverlapAreRight) {
  constexpr std::size_t kilobytes = 64 * 1024;
  cl::Buffer whole(opencl_context.context(), CL_MEM_READ_WRITE, 2 * kilobytes);
  const auto part = [&](std::size_t from, std::size_t bytes) {
    const cl_buffer_region region{from, bytes};
    return whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  };
  matrix first(part(0, kilobytes), 71, 33), second(part(kilobytes, kilobytes), 71, 33),
      across(part(kilobytes / 2, kilobytes), 71, 100);
  const matrix a(random_host<float>(71, 33));
  const expected_values once = expected(a + 1.0f), thrice = expected(a * 3.0f);
  results(first, second) = expressions(a + 1.0f, a * 3.0f);
  expect_matches(first, once);
  expect_matches(second, thrice);
  EXPECT_THROW(results(second, across) = expressions(a, rep_matrix(col(a, 1), 100)), std::invalid_argument);
  expect_matches(second, thrice);
}

TEST(Aliasing, MatricesOverOneBufferAreOrderedAcrossThreads) {
  twins t(host<float>::Zero(711, 333));
  for (int round = 0; round < 20; ++round) {
    t.one = t.one + 1.0f;
    std::thread([&] {
      matrix mine(t.buffer, 711, 333);
      mine = mine * 2.0f;
    }).join();
    t.other = t.other - static_cast<float>(round + 1);
  }
  float wanted = 0;
  for (int round = 0; round < 20; ++round) wanted = (wanted + 1) * 2 - static_cast<float>(round + 1);
  expect_same(t.one.to_host(), host<float>(host<float>::Constant(711, 333, wanted)));
}

/// A matrix over a buffer of the user's, zeros at first, and one over a part of it that starts later.
struct whole_and_part {
  static constexpr std::int64_t count = 4096;
  const std::int64_t first =
      static_cast<std::int64_t>(opencl_context.device().getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>()) / 32;
  cl::Buffer buffer, part_buffer;
  matrix whole, part;

  explicit whole_and_part(bool part_first) : buffer(opencl_context.context(), CL_MEM_READ_WRITE, count * 4) {
    cl_buffer_region region{static_cast<std::size_t>(first) * 4, 1024 * 4};
    part_buffer = buffer.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    if (part_first) part = matrix(part_buffer, 1024, 1);
    whole = matrix(buffer, count, 1);
    if (!part_first) part = matrix(part_buffer, 1024, 1);
    whole = constant(0.0f, count, 1);
  }
};

TEST(Aliasing, PartsOfABufferAreKnownAsSuch) {
  for (const bool part_first : {false, true}) {
    whole_and_part m(part_first);
    EXPECT_EQ(m.whole.buffer()(), m.buffer());
    EXPECT_EQ(m.part.buffer()(), m.part_buffer());
    m.whole = cast<float>(row_index(m.count, 1));
    const expected_values halves = expected(block(m.whole, 1, 1, 1024, 1) * 1.0f + 0.5f);
    m.part = block(m.whole, 1, 1, 1024, 1) * 1.0f + 0.5f;
    expect_matches(m.part, halves);
    whole_and_part other(part_first);
    other.whole = cast<float>(row_index(m.count, 1));
    const expected_values shifted = expected(other.part + 1.0f);
    block(other.whole, 1, 1, 1024, 1) = other.part + 1.0f;
    expect_matches(matrix(block(other.whole, 1, 1, 1024, 1)), shifted);
    const matrix before = other.part;
    block(other.whole, 1 + 2 * other.first, 1, 1024, 1) = other.part;
    expect_same<float>(from_matrix_cl(matrix(block(other.whole, 1 + 2 * other.first, 1, 1024, 1))),
                       from_matrix_cl(before));
  }
}

TEST(Aliasing, CopiesBetweenAMatrixAndAPartOfItMayOverlap) {
  whole_and_part m(true);
  m.whole = cast<float>(row_index(m.count, 1));
  matrix start(m.buffer, 1024, 1);  // overlaps the part from its element `first` on
  const host<float> wanted = from_matrix_cl(start);
  m.part = start;
  expect_same<float>(from_matrix_cl(m.part), wanted);
}

TEST(Aliasing, PartsOfABufferAreOrderedAcrossThreads) {
  whole_and_part m(false);
  const auto part_of_whole = block(m.whole, m.first + 1, 1, 1024, 1);
  for (int round = 0; round < 20; ++round) {
    m.whole = m.whole + 1.0f;
    std::thread([&] {
      const counters before = runtime_counters();
      matrix mine(m.part_buffer, 1024, 1);
      mine = mine * 2.0f;
      EXPECT_GT((runtime_counters() - before).cross_queue_waits, 0u);
    }).join();
    part_of_whole -= static_cast<float>(round + 1);
  }
  float wanted = 0;
  for (int round = 0; round < 20; ++round) wanted = (wanted + 1) * 2 - static_cast<float>(round + 1);
  expect_same<float>(from_matrix_cl(matrix(part_of_whole)), host<float>::Constant(1024, 1, wanted));
}

TEST(Aliasing, ABufferMayBeAdoptedAgainAndByMatricesOfOtherSizes) {
  twins t(random_host<float>(8, 9));
  const expected_values wanted = expected(t.one);
  for (int k = 0; k < 3; ++k) {
    t.other = matrix();
    t.one = matrix();
    t.one = matrix(t.buffer, 8, 9);
    t.other = matrix(t.buffer, 6, 4);
    expect_matches(t.one, wanted);
    EXPECT_EQ(t.one.storage(), t.other.storage());
  }
  const auto fresh = random_matrix<float>(6, 4);
  t.other = fresh;  // fits: goes to the user's buffer, where the first 24 elements are
  EXPECT_EQ(t.one.storage(), t.other.storage());
  EXPECT_EQ(t.one.to_host().reshaped().head(24), fresh.to_host().reshaped());
}

TEST(Aliasing, EigenObjectsGoToTheUsersBuffer) {
  twins t(random_host<float>(8, 9));
  const host<float> numbers = random_host<float>(8, 9);
  t.one = numbers;
  EXPECT_EQ(t.one.buffer()(), t.buffer());
  EXPECT_EQ(t.other.to_host(), numbers);
  t.one.view(matrix_cl_view::Lower);
  t.one = 2 * numbers.cast<double>();
  EXPECT_EQ(t.one.buffer()(), t.buffer());
  EXPECT_EQ(t.one.to_host(), 2 * numbers);
  EXPECT_EQ(t.other.to_host(), 2 * numbers);
  t.one = numbers.topRows(3).eval();  // another size
  EXPECT_NE(t.one.buffer()(), t.buffer());
  EXPECT_EQ(t.one.to_host(), numbers.topRows(3));
  EXPECT_EQ(t.other.to_host(), 2 * numbers);
}

TEST(Aliasing, AReductionMayReplaceItsOperand) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_matrix<float>(rows, cols);
    auto b = a, c = a;
    const expected_values by_row = expected(rowwise_sum(a)), by_column = expected(colwise_sum(b)),
                          all = expected(sum(c));
    a = rowwise_sum(a);
    b = colwise_sum(b);
    c = sum(c);
    expect_matches(a, by_row);
    expect_matches(b, by_column);
    expect_matches(c, all);
  }
}

TEST(Aliasing, ABroadcastMayReplaceItsOperand) {
  for (const auto [rows, cols] : sizes) {
    auto column = random_matrix<float>(rows, 1), row = random_matrix<float>(1, cols);
    const auto a = random_matrix<float>(rows, cols);
    const expected_values wide = expected(a + rowwise_broadcast(column)),
                          tall = expected(a - colwise_broadcast(row));
    column = a + rowwise_broadcast(column);
    row = a - colwise_broadcast(row);
    expect_matches(column, wide);
    expect_matches(row, tall);
  }
}

TEST(Aliasing, SquareTargetsMayBeTheirOwnBroadcast) {
  auto a = random_matrix<float>(1, 1);
  const expected_values wanted = expected(a + rowwise_broadcast(a) + colwise_broadcast(a));
  a = a + rowwise_broadcast(a) + colwise_broadcast(a);
  expect_matches(a, wanted);
}

TEST(Aliasing, ResultsMaySwap) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(rows, cols);
    const expected_values was_a = expected(a + 0.0f), was_b = expected(b + 0.0f);
    results(a, b) = expressions(b, a);
    expect_matches(a, was_b);
    expect_matches(b, was_a);
    const expected_values sum_ab = expected(a + b), difference = expected(a - b);
    results(a, b) = expressions(a + b, a - b);
    expect_matches(a, sum_ab);
    expect_matches(b, difference);
  }
}

TEST(Aliasing, ResultsMayRotate) {
  auto a = random_matrix<float>(71, 33), b = random_matrix<float>(71, 33), c = random_matrix<float>(71, 33);
  const host<float> was_a = from_matrix_cl(a), was_b = from_matrix_cl(b), was_c = from_matrix_cl(c);
  results(a, b, c) = expressions(b, c, a);
  expect_same<float>(from_matrix_cl(a), was_b);
  expect_same<float>(from_matrix_cl(b), was_c);
  expect_same<float>(from_matrix_cl(c), was_a);
}

TEST(Aliasing, ResultsAndReductionsOfATargetMix) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_matrix<float>(rows, cols, matrix_cl_view::Entire, 1, 2);
    matrix s;
    const expected_values normed = expected(a / sum(a)), total = expected(sum(a));
    results(a, s) = expressions(a / sum(a), sum(a));
    expect_matches(a, normed);
    expect_matches(s, total);
    auto t = random_matrix<float>(rows, 1);
    const expected_values moved = expected(a + rowwise_broadcast(t)), by_row = expected(rowwise_sum(a) + t);
    results(a, t) = expressions(a + rowwise_broadcast(t), rowwise_sum(a) + t);
    expect_matches(a, moved);
    expect_matches(t, by_row);
    auto u = random_matrix<float>(1, cols);
    const expected_values scaled = expected(a * 2 + colwise_broadcast(u)),
                          by_column = expected(colwise_max(a) - u);
    results(u, a) = expressions(colwise_max(a) - u, a * 2 + colwise_broadcast(u));
    expect_matches(a, scaled);
    expect_matches(u, by_column);
  }
}

TEST(Aliasing, TwoAxesOfATargetMix) {
  auto a = random_matrix<float>(71, 33);
  matrix r, c;
  const expected_values next = expected(a + 1), rows = expected(rowwise_sum(a)),
                        cols = expected(colwise_sum(a));
  results(a, r, c) = expressions(a + 1, rowwise_sum(a), colwise_sum(a));
  expect_matches(a, next);
  expect_matches(r, rows);
  expect_matches(c, cols);
}

TEST(Aliasing, ATargetMayChangeItsSize) {
  auto a = random_matrix<float>(9, 5), b = random_matrix<float>(3, 3);
  const expected_values wanted = expected(a * 2);
  b = a * 2;
  expect_matches(b, wanted);
  const expected_values small = expected(rowwise_sum(a) + 1);
  a = rowwise_sum(a) + 1;
  expect_matches(a, small);
}

TEST(Aliasing, ViewsOfATargetAreThoseBeforeTheStatement) {
  for (const matrix_cl_view view : all_views) {
    auto a = random_matrix<float>(33, 33, view);
    const expected_values doubled = expected(a * 2), shifted = expected(a * 2 + 1);
    a = a * 2;
    expect_matches(a, doubled);
    a = a + 1;
    expect_matches(a, shifted);
  }
}

TEST(Aliasing, OneMemoryUnderTwoViews) {
  host<float> values = random_host<float>(33, 33);
  matrix_cl<float> a(values);
  const auto all = a.leaf();
  a.view(matrix_cl_view::Lower);
  const auto low = a.leaf();
  const expected_values wanted = expected(all - low * 2);
  a = all - low * 2;
  expect_matches(a, wanted);
}

TEST(Aliasing, ConversionsOfTheTargetsOwnValues) {
  auto a = random_matrix<int>(71, 33);
  const expected_values wanted = expected(cast<int>(a * 0.5f));
  a = a * 0.5f;
  expect_matches(a, wanted);
  auto b = random_matrix<bool>(71, 33);
  const expected_values flag = expected(cast<bool>(b + b));
  b = b + b;
  expect_matches(b, flag);
}

TEST(Aliasing, SelfAssignmentKeepsValues) {
  auto a = random_matrix<float>(9, 5);
  const host<float> before = from_matrix_cl(a);
  auto& same = a;
  a = same;
  expect_same<float>(from_matrix_cl(a), before);
  a = a.leaf();
  expect_same<float>(from_matrix_cl(a), before);
}

TEST(Aliasing, APlanFitsTheMemoryThatATargetWillHave) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    std::vector<matrix_cl<double>> x;
    for (int k = 0; k < 8; ++k) x.push_back(random_matrix<double>(64, 64));
    const auto s = shared(x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7]);
    const auto e = s - rowwise_broadcast(rowwise_sum(s));
    const matrix_cl<double> users(10, 10);
    matrix_cl<double> target(users.buffer(), 10, 10);  // not padded; of another size than the result
    target = e;
    expect_matches(target, expected(e));
  });
}

/// Tiles of so many columns are read twice, unless their elements, or results of their rows, replace
/// operands.
TEST(Aliasing, APlanFitsResultsInTheMemoryOfOperands) {
  FUSECL_NEEDS_DOUBLE;
  const int n = 301, k = 400;
  const auto x = random_matrix<double>(n, k, matrix_cl_view::Entire, -0.1, 0.1),
             b = random_matrix<double>(k, 1), d = random_matrix<double>(k, 1),
             v = random_matrix<double>(n, 1);
  in_both_forms([&] {
    for (const bool in_place : {false, true, false}) {
      auto w = v, y = x;
      matrix_cl<double> fresh, elements, c, e;
      auto &of_rows = in_place ? w : fresh, &whole = in_place ? y : elements;
      const auto s = shared(y * b), t = shared(y * d);
      const expected_values rows = expected(elt_multiply(w, exp(0.1 * s)) + t),
                            first = expected(transpose(y) * elt_multiply(sin(s), t)),
                            second = expected(transpose(y) * elt_multiply(w, cos(t) - s)),
                            all = expected(y + rowwise_broadcast(elt_multiply(sin(s), t)));
      results(of_rows, c, e) =
          expressions(elt_multiply(w, exp(0.1 * s)) + t, transpose(y) * elt_multiply(sin(s), t),
                      transpose(y) * elt_multiply(w, cos(t) - s));
      expect_matches(of_rows, rows);
      expect_matches(c, first);
      expect_matches(e, second);
      results(whole, c) =
          expressions(y + rowwise_broadcast(elt_multiply(sin(s), t)), transpose(y) * elt_multiply(sin(s), t));
      expect_matches(whole, all);
      expect_matches(c, first);
    }
  });
}

TEST(Aliasing, UserBuffersAreWrittenInPlace) {
  for (const auto [rows, cols] : sizes) {
    auto a = random_guarded<float>(rows, cols);
    const expected_values wanted = expected(a.matrix * 2 - 1);
    const cl_mem memory = a.matrix.buffer()();
    a.matrix = a.matrix * 2 - 1;
    expect_matches(a.matrix, wanted);
    EXPECT_EQ(a.matrix.buffer()(), memory);
    EXPECT_TRUE(a.intact());
  }
}

}  // namespace
}  // namespace fusecl
