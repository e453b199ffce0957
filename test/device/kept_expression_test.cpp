// Expressions that are kept and evaluated after their operands were assigned, moved, made smaller or gone:
// they read what the operands hold then.

#include <optional>
#include <thread>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/guarded.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

bool has_all(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

/// What the matrix holds, by which `e` was built.
template <class E>
void expect_reads(const E& e, const matrix& named) {
  expect_matches(matrix(e), expected(named * 2.0f + 1.0f));
}

TEST(KeptExpression, ReadsWhatIsThereHoweverItWasAssigned) {
  for (const auto [rows, cols] : std::vector<size_pair>{{1, 1}, {9, 5}, {71, 33}}) {
    auto a = random_matrix<float>(rows, cols);
    const auto other = random_matrix<float>(rows, cols);
    const auto e = a * 2.0f + 1.0f;
    expect_reads(e, a);
    a = other + 1.0f;
    expect_reads(e, a);
    a = other;
    expect_reads(e, a);
    a = random_matrix<float>(rows, cols);  // moved
    expect_reads(e, a);
    a = a / sum(a);  // in place or in fresh memory
    expect_reads(e, a);
    a = transpose(transpose(a) + 1.0f);
    expect_reads(e, a);
    row(a, 1) = rep_matrix(3.0f, 1, cols);
    expect_reads(e, a);
    matrix b;
    results(a, b) = expressions(other - 1.0f, a);
    expect_reads(e, a);
    a.setConstant(4.0f);
    expect_reads(e, a);
    auto users = random_guarded<float>(rows, cols);
    a = std::move(users.matrix);
    expect_reads(e, a);
    a += 1.0f;
    expect_reads(e, a);
  }
}

TEST(KeptExpression, TakesTheSizesThatItsOperandsHave) {
  in_both_forms([] {
    matrix a = random_matrix<float>(9, 5);
    const auto e = a * 2.0f + 1.0f;
    for (const auto [rows, cols] : few_sizes()) {
      a = random_matrix<float>(rows, cols);
      EXPECT_EQ(e.rows(), rows);
      EXPECT_EQ(e.cols(), cols);
      EXPECT_EQ(e.size(), rows * cols);
      expect_reads(e, a);
    }
  });
}

TEST(KeptExpression, ChecksSizesAgain) {
  matrix a = random_matrix<float>(4, 3), b = random_matrix<float>(4, 3), r = random_matrix<float>(2, 2);
  const auto e = exp(a) - b;
  const auto total = sum(elt_multiply(a, b));
  const host<float> before = from_matrix_cl(r);
  for (int k = 0; k < 2; ++k) {  // with a plan that is new, and with one that is known
    a = random_matrix<float>(5, 3);
    EXPECT_TRUE(has_all(message_of<std::invalid_argument>([&] { r = e; }),
                        {"evaluation of", "rows of x0 (5), which is 5 x 3,",
                         "rows of x1 (4), which is 4 x 3,", "must match in size"}));
    EXPECT_TRUE(
        has_all(message_of<std::invalid_argument>([&] { static_cast<float>(total); }), {"(5)", "(4)"}));
    EXPECT_THROW(results(r, a) = expressions(e, a + 1.0f), std::invalid_argument);
    EXPECT_THROW(explain(e), std::invalid_argument);
    EXPECT_THROW(e.get_kernel_source_for_evaluating_into(r), std::invalid_argument);
    expect_same<float>(from_matrix_cl(r), before);
    b = random_matrix<float>(5, 3);
    expect_matches(matrix(e), expected(exp(a) - b));
    b = random_matrix<float>(4, 3);
  }
}

TEST(KeptExpression, ChecksSizesBesideASingleElementAgain) {
  const auto a = random_matrix<float>(4, 3), v = random_matrix<float>(4, 1);
  matrix b = random_matrix<float>(1, 1);
  const auto element = row(rowwise_sum(a), 2);
  const auto total = element + b;
  const auto chosen = select(b > 0.0f, element, b);
  matrix r = total;
  EXPECT_EQ(r(0, 0), from_matrix_cl(element)(0, 0) + b(0, 0));
  r = chosen;
  b = v;
  EXPECT_THROW(r = total, std::invalid_argument);
  EXPECT_THROW(r = chosen, std::invalid_argument);
  EXPECT_THROW(static_cast<float>(sum(total)), std::invalid_argument);
}

TEST(KeptExpression, ChecksWhatHasToBeAVectorAgain) {
  matrix a = random_matrix<float>(4, 3), v = random_matrix<float>(4, 1), w = random_matrix<float>(3, 1);
  const auto broadcasted = a + rowwise_broadcast(v);
  const auto repeated = rep_matrix(v, 3) + a;
  const auto scanned = cumulative_sum(v);
  const auto turned = reverse(v);
  const auto product = a * w;
  const auto all = [&] {
    matrix r;
    EXPECT_THROW(r = broadcasted, std::invalid_argument);
    EXPECT_THROW(r = repeated, std::invalid_argument);
    EXPECT_THROW(r = scanned, std::invalid_argument);
    EXPECT_THROW(r = turned, std::invalid_argument);
  };
  v = random_matrix<float>(4, 2);
  all();
  v = random_matrix<float>(4, 1);
  a = random_matrix<float>(4, 3);
  EXPECT_ALL_MATCH_REFERENCE(broadcasted, repeated);
  EXPECT_ALL_MATCH_REFERENCE(scanned, turned);
  expect_matches_reference(product);
  w = random_matrix<float>(4, 1);
  EXPECT_THROW(matrix(a * w), std::invalid_argument);
  EXPECT_THROW(matrix{product}, std::invalid_argument);
  a = random_matrix<float>(1, 4);
  w = random_matrix<float>(4, 6);  // another kind of product now
  EXPECT_EQ(product.cols(), 6);
  expect_matches_reference(product);
}

TEST(KeptExpression, OfAPartNeedsAMatrixThatHasIt) {
  matrix a = random_matrix<float>(9, 8);
  const auto part = block(a, 3, 2, 4, 5);
  const auto e = part + 1.0f;
  a = random_matrix<float>(6, 6);
  expect_matches(matrix(e), expected(block(a, 3, 2, 4, 5) + 1.0f));
  part = rep_matrix(2.0f, 4, 5);
  expect_matches(matrix(e), expected(rep_matrix(3.0f, 4, 5)));
  a = random_matrix<float>(5, 6);
  EXPECT_TRUE(has_all(message_of<std::out_of_range>([&] { matrix{e}; }), {"block", "4 rows", "5"}));
  EXPECT_THROW(part = rep_matrix(2.0f, 4, 5), std::out_of_range);
  const auto end = tail(random_matrix<float>(7, 1), 3);
  expect_matches_reference(end * 2.0f);
}

TEST(KeptExpression, SeesTheViewThatTheMatrixHas) {
  auto a = random_matrix<float>(7, 7);
  const auto e = a * 2.0f + 1.0f;
  const auto t = transpose(a);
  for (const matrix_cl_view view : all_views) {
    a = random_matrix<float>(7, 7);
    a.view(view);
    expect_reads(e, a);
    EXPECT_EQ(t.view(), transpose(view));
    expect_matches(matrix(t), expected(transpose(a)));
  }
}

TEST(KeptExpression, OfAVectorThatBecomesAMatrix) {
  matrix a = random_matrix<float>(5, 1);
  const auto t = transpose(a) * 2.0f;
  const auto s = rowwise_sum(transpose(a));
  for (const auto [rows, cols] : std::vector<size_pair>{{5, 1}, {1, 5}, {3, 4}, {1, 1}, {0, 2}, {71, 33}}) {
    a = random_matrix<float>(rows, cols);
    expect_matches(matrix(t), expected(transpose(a) * 2.0f));
    expect_matches(matrix(s), expected(rowwise_sum(transpose(a))));
  }
}

TEST(KeptExpression, CountsElementsAnew) {
  matrix a = random_matrix<float>(9, 5);
  const auto m = a - mean(a);
  const auto d = rowwise_mean(a);
  a = random_matrix<float>(4, 3);
  expect_matches(matrix(m), expected(a - mean(a)));
  expect_matches(matrix(d), expected(rowwise_mean(a)));
  a = matrix();
  EXPECT_THROW(matrix{m}, std::invalid_argument);
}

/// As long as that operands are held by pointer.
template <class A>
auto long_sum(const A& a) {
  const auto ten = [](const auto& e) { return e * 0.5f + 1.0f - e * 0.25f - 0.5f + e * 0.125f; };
  return ten(ten(ten(a)));
}

TEST(KeptExpression, MayHoldItsOperandsByPointer) {
  matrix a = random_matrix<float>(9, 5);
  const auto handle = shared(a + 1.0f);
  const auto twice = elt_multiply(handle, handle) - handle;
  const auto longer = long_sum(a);
  for (const auto [rows, cols] : std::vector<size_pair>{{9, 5}, {4, 3}, {3, 4}, {1, 7}}) {
    a = random_matrix<float>(rows, cols);
    EXPECT_EQ(twice.rows(), rows);
    EXPECT_EQ(longer.cols(), cols);
    expect_matches(matrix(twice), expected(elt_multiply(a + 1.0f, a + 1.0f) - (a + 1.0f)));
    expect_matches(matrix(longer), expected(long_sum(a)));
    EXPECT_EQ((twice + longer).rows(), rows);
  }
}

TEST(KeptExpression, OutlivesTheMatrixWithWhatItHeldLast) {
  const host<float> first = random_host<float>(9, 5), last = random_host<float>(4, 3);
  const auto make = [&] {
    matrix a(first);
    auto e = a * 2.0f + 1.0f;
    a = matrix(last);
    return e;
  };
  const auto e = make();
  for (int k = 0; k < 5; ++k) matrix overwrites = rep_matrix(7.0f, 4, 3);
  expect_reads(e, matrix(last));
  const auto of_temporary = matrix(first) * 2.0f + 1.0f;
  expect_reads(of_temporary, matrix(first));
}

TEST(KeptExpression, OfAMovedMatrixGoesWithTheContentsUntilTheNameIsAssigned) {
  auto a = random_matrix<float>(9, 5);
  const auto e = a * 2.0f + 1.0f;
  const host<float> values = from_matrix_cl(a);
  matrix b = std::move(a);
  EXPECT_EQ(a.rows(), 0);  // NOLINT: use after move is what this is about
  expect_reads(e, matrix(values));
  const auto f = b * 2.0f + 1.0f;
  matrix c;
  c = std::move(b);
  expect_reads(e, matrix(values));
  expect_reads(f, matrix(values));
  c += 1.0f;
  expect_reads(e, c);
  a = random_matrix<float>(4, 3);
  expect_reads(e, a);
  expect_reads(f, c);
  a = std::move(c);  // back
  expect_reads(e, a);
  expect_reads(f, a);
  matrix& same = c;
  c = std::move(same);
  EXPECT_EQ(c.size(), 0);
  b = std::move(c);  // nothing
  EXPECT_EQ(f.size(), 0);
  a = matrix();
  EXPECT_EQ(e.size(), 0);
}

TEST(KeptExpression, FollowsItsNameThroughASwap) {
  auto a = random_matrix<float>(9, 5), b = random_matrix<float>(4, 3);
  const auto of_a = a * 2.0f + 1.0f, of_b = b * 2.0f + 1.0f;
  const host<float> in_a = from_matrix_cl(a), in_b = from_matrix_cl(b);
  for (int k = 0; k < 3; ++k) {
    std::swap(a, b);
    expect_same<float>(from_matrix_cl(a), k % 2 ? in_a : in_b);
    expect_reads(of_a, a);
    expect_reads(of_b, b);
  }
}

TEST(KeptExpression, SurvivesAVectorThatGrows) {
  std::vector<matrix> all;
  all.push_back(random_matrix<float>(9, 5));
  const auto e = all[0] * 2.0f + 1.0f;
  for (int k = 0; k < 20; ++k) all.push_back(random_matrix<float>(2, 2));
  expect_reads(e, all[0]);
  all[0] = random_matrix<float>(3, 3);
  expect_reads(e, all[0]);
}

TEST(KeptExpression, LeavesNothingToWhatIsMadeOfAMovedMatrix) {
  matrix a(host<float>::Ones(2, 2)), b;
  {
    const auto e = a * 2.0f;
    b = std::move(a);
    EXPECT_EQ(static_cast<float>(sum(e)), 8);
  }
  const matrix c(std::move(a));  // NOLINT(bugprone-use-after-move): it is 0 x 0
  EXPECT_EQ(c.rows(), 0);
  EXPECT_EQ(static_cast<float>(sum(c)), 0);
  EXPECT_EQ((c + 0.0f).rows(), 0);
  b = constant(7.0f, 1, 1);
  EXPECT_EQ(static_cast<float>(sum(c)), 0);
}

TEST(KeptExpression, GoesWithTheContentsFromMatrixToMatrix) {
  auto a = random_matrix<float>(9, 5);
  const host<float> values = from_matrix_cl(a);
  const auto of_a = a * 2.0f + 1.0f;
  matrix b = std::move(a);
  const auto of_b = b * 2.0f + 1.0f;
  matrix d = std::move(b);
  b = random_matrix<float>(4, 3);
  expect_reads(of_a, matrix(values));
  expect_reads(of_b, b);
  auto f = random_matrix<float>(2, 7);
  const auto of_f = f * 2.0f + 1.0f;
  matrix g = std::move(f);
  g = std::move(d);  // over what f held
  expect_reads(of_a, g);
  expect_reads(of_f, g);
  matrix h = std::move(g);
  h += 1.0f;
  expect_reads(of_a, h);
  expect_reads(of_f, h);
  f = random_matrix<float>(1, 2);
  expect_reads(of_f, f);
  expect_reads(of_a, h);
}

TEST(KeptExpression, ReadsAMatrixWithoutContentsAsItIs) {
  for (const bool older : {false, true}) {
    auto a = random_matrix<float>(9, 5);
    const host<float> values = from_matrix_cl(a);
    std::optional<decltype(a * 2.0f + 1.0f)> before;
    if (older) before.emplace(a * 2.0f + 1.0f);
    matrix b = std::move(a);
    const auto after = a * 2.0f + 1.0f;  // NOLINT(bugprone-use-after-move): of an empty matrix
    EXPECT_EQ(after.rows(), 0);
    EXPECT_EQ(after.cols(), 0);
    EXPECT_EQ(matrix(after).size(), 0);
    matrix c = std::move(a);  // nothing that an expression could go with
    c = random_matrix<float>(3, 3);
    EXPECT_EQ(after.rows(), 0);
    if (older) expect_reads(*before, matrix(values));
    a = random_matrix<float>(4, 3);
    expect_reads(after, a);
    if (older) expect_reads(*before, a);
    const matrix d = std::move(a);  // with contents
    expect_reads(after, d);
    if (older) expect_reads(*before, d);
    EXPECT_EQ((a + 0.0f).rows(), 0);
  }
}

TEST(KeptExpression, FollowsManyMovesInNoTimeAndMemory) {
  const int moves = 100000;
  auto a = random_matrix<float>(3, 2), b = random_matrix<float>(2, 2), c = random_matrix<float>(1, 2);
  const auto of_a = a * 2.0f + 1.0f, of_b = b * 2.0f + 1.0f;
  for (int k = 0; k < moves; ++k) {
    std::swap(a, b);
    std::swap(b, c);
  }
  expect_reads(of_a, a);
  expect_reads(of_b, b);
  std::vector<matrix> all(moves);
  all[0] = random_matrix<float>(3, 2);
  const host<float> values = from_matrix_cl(all[0]);
  const auto first = all[0] * 2.0f + 1.0f;
  std::vector<decltype(all[0] * 2.0f)> each;
  for (std::size_t k = 1; k < all.size(); ++k) {
    all[k] = std::move(all[k - 1]);
    if (k % 2) each.push_back(all[k] * 2.0f);
  }
  for (std::size_t k = 0; k + 1 < all.size(); ++k) all[k].setConstant(1, 1, 7.0f * (k == 5));
  EXPECT_EQ(static_cast<float>(sum(first)), 3.0f - 2.0f);
  EXPECT_EQ(static_cast<float>(sum(each[2])), 14.0f);
  expect_matches(matrix(each.back()), expected(matrix(values) * 2.0f));
}

TEST(KeptExpression, OutlivesAChainOfManyMoves) {
  const int moves = 100000;
  const host<float> values = random_host<float>(3, 2);
  std::vector<decltype(matrix() * 2.0f)> each;
  {
    auto all = std::make_unique<matrix[]>(moves);
    all[0] = matrix(values);
    each.push_back(all[0] * 2.0f);
    for (int k = 1; k < moves; ++k) {
      all[k] = std::move(all[k - 1]);
      each.push_back(all[k] * 2.0f);
    }
  }
  for (const std::size_t k : {std::size_t{0}, each.size() / 2, each.size() - 1})
    expect_matches(matrix(each[k]), expected(matrix(values) * 2.0f));
  each.erase(each.begin() + 1, each.end());
  expect_matches(matrix(each[0]), expected(matrix(values) * 2.0f));
}

TEST(KeptExpression, OfAMovedMatrixIsNotChangedByItsName) {
  auto a = random_matrix<float>(4, 4);
  const auto e = a * 2.0f + 1.0f;
  auto part = block(a, 1, 1, 2, 2);
  const auto column = col(a, 1);
  matrix b = std::move(a);
  a.view(matrix_cl_view::Lower);  // NOLINT(bugprone-use-after-move): what this is about
  a.reshape(0, 0);
  expect_reads(e, b);
  expect_matches(matrix(part), expected(block(b, 1, 1, 2, 2)));
  const host<float> before = from_matrix_cl(b);
  EXPECT_THROW(part = rep_matrix(2.0f, 2, 2), std::out_of_range);
  EXPECT_THROW(part = 2.0f, std::out_of_range);
  EXPECT_THROW(part += 2.0f, std::out_of_range);
  EXPECT_THROW(column *= 2.0f, std::out_of_range);
  matrix r;
  EXPECT_THROW(results(part, r) = expressions(part + 1.0f, part - 1.0f), std::out_of_range);
  EXPECT_THROW(block(a, 1, 1, 2, 2), std::out_of_range);
  expect_same<float>(from_matrix_cl(b), before);
  a.reshape(0, 3);  // something of its own
  EXPECT_EQ(e.rows(), 0);
  EXPECT_EQ(e.cols(), 3);
  a = random_matrix<float>(4, 4);
  part = rep_matrix(2.0f, 2, 2);
  expect_matches(matrix(part), expected(rep_matrix(2.0f, 2, 2)));
  expect_reads(e, a);
  expect_same<float>(from_matrix_cl(b), before);
}

TEST(KeptExpression, HasTheShapeThatItsMatrixIsGiven) {
  const host<float> h = random_host<float>(2, 3);
  matrix a(h);
  const auto twice = shared(a * 2.0f);
  const auto e = twice + 1.0f;
  EXPECT_EQ(e.rows(), 2);
  a.reshape(3, 2);
  EXPECT_EQ(e.rows(), 3);
  const host<float> wanted = (h.reshaped(3, 2).array() * 2 + 1).matrix();
  EXPECT_EQ(from_matrix_cl(matrix(e)), wanted);
}

TEST(KeptExpression, OfAssembledMatricesTakesTheSizesThatOperandsHave) {
  matrix v = random_matrix<float>(3, 1), m = random_matrix<float>(3, 3), s = random_matrix<float>(1, 1);
  const auto on_diagonal = diag_matrix(v);
  const auto with_vector = add_diag(m, v);
  const auto with_scalar = add_diag(m, 1.5f);
  const auto with_sum = add_diag(m * 2.0f, sum(s));
  const auto rows_below = append_row(m, m * 2.0f);
  const auto columns = append_col(m, rowwise_broadcast(v) + m);
  const auto before = diag_pre_multiply(v, m);
  const auto lower = symmetrize_from_lower_tri(m);
  const auto all = [&] {
    EXPECT_ALL_MATCH_REFERENCE(on_diagonal, on_diagonal + 1.0f, with_vector, with_scalar, with_sum, before,
                               lower);
    expect_matches_reference(rows_below);
    expect_matches_reference(columns);
    EXPECT_EQ(from_matrix_cl(matrix(on_diagonal)), host<float>(v.to_host().reshaped().asDiagonal()));
    host<float> wanted = from_matrix_cl(m);
    wanted.diagonal() += v.to_host().reshaped();
    EXPECT_EQ(from_matrix_cl(matrix(with_vector)), wanted);
    wanted = from_matrix_cl(m);
    wanted.diagonal().array() += 1.5f;
    EXPECT_EQ(from_matrix_cl(matrix(with_scalar)), wanted);
  };
  for (const std::int64_t n : {3, 5, 1, 71}) {
    v = random_matrix<float>(n, 1);
    m = random_matrix<float>(n, n);
    EXPECT_EQ(on_diagonal.rows(), n);
    EXPECT_EQ(with_scalar.cols(), n);
    all();
  }
  m = random_matrix<float>(4, 6);
  v = random_matrix<float>(1, 4);  // a row now
  EXPECT_ALL_MATCH_REFERENCE(with_vector, with_scalar, with_sum);
  EXPECT_EQ(from_matrix_cl(matrix(on_diagonal)), host<float>(v.to_host().reshaped().asDiagonal()));
  EXPECT_THROW(matrix{lower}, std::invalid_argument);
  v = random_matrix<float>(6, 1);
  EXPECT_TRUE(has_all(message_of<std::invalid_argument>([&] { matrix{with_vector}; }),
                      {"add_diag", "(6 x 1)", "4 elements", "(4 x 6)"}));
  v = random_matrix<float>(4, 2);
  EXPECT_TRUE(has_all(message_of<std::invalid_argument>([&] { matrix{on_diagonal}; }), {"diag_matrix", "2"}));
  EXPECT_THROW(matrix{before}, std::invalid_argument);
}

TEST(KeptExpression, LaysVectorsAlongEachOtherAsTheyAreThen) {
  matrix a = random_matrix<float>(5, 1), b = random_matrix<float>(5, 1);
  const auto dot = dot_product(a, b);
  const auto apart = squared_distance(a + 1.0f, b * 2.0f);
  for (const auto [rows, cols] : std::vector<size_pair>{{5, 1}, {1, 5}, {1, 7}, {7, 1}, {1, 1}})
    for (const bool turned : {false, true}) {
      a = random_matrix<float>(rows, cols);
      b = random_matrix<float>(turned ? cols : rows, turned ? rows : cols);
      const Eigen::VectorXf x = a.to_host().reshaped(), y = b.to_host().reshaped();
      EXPECT_NEAR(static_cast<float>(dot), x.dot(y), 1e-4f);
      EXPECT_NEAR(static_cast<float>(apart), (x.array() + 1 - y.array() * 2).square().sum(), 1e-3f);
    }
  b = random_matrix<float>(3, 1);
  EXPECT_THROW(static_cast<float>(dot), std::invalid_argument);
}

TEST(KeptExpression, MayBeAssignedToItsOwnOperand) {
  auto a = random_matrix<float>(9, 5);
  const auto e = a * 2.0f + 1.0f;
  for (int k = 0; k < 3; ++k) {
    const expected_values wanted = expected(a * 2.0f + 1.0f);
    a = e;
    expect_matches(a, wanted);
  }
  const auto halves = transpose(a) / sum(a);
  for (int k = 0; k < 3; ++k) {
    const expected_values wanted = expected(transpose(a) / sum(a));
    a = halves;
    expect_matches(a, wanted);
  }
}

TEST(KeptExpression, IsEvaluatedByManyThreadsWhileItsMatrixGoes) {
  const host<float> values = random_host<float>(71, 33);
  auto named = std::make_unique<matrix>(values);
  const auto e = shared(*named * 2.0f) + 1.0f;
  const expected_values wanted = expected(e);
  std::vector<host<float>> got(4);
  std::vector<std::thread> threads;
  for (host<float>& each : got)
    threads.emplace_back([&each, e] {
      for (int k = 0; k < 20; ++k) each = from_matrix_cl(matrix(e));
    });
  named.reset();
  for (std::thread& each : threads) each.join();
  for (const host<float>& each : got) expect_matches(matrix(each), wanted);
}

TEST(ConstMembers, OfAMatrixMayBeCalledByManyThreads) {
  for (int round = 0; round < 50; ++round) {
    matrix a(3, 3);
    const matrix b = std::move(a);
    const matrix& moved_from = a;  // NOLINT
    std::vector<const runtime::storage*> seen(4);
    std::vector<std::thread> threads;
    for (const runtime::storage*& each : seen)
      threads.emplace_back([&] { each = moved_from.storage().get(); });
    for (std::thread& each : threads) each.join();
    for (const runtime::storage* each : seen) EXPECT_EQ(each, seen[0]);
  }
}

TEST(Buffer, HandedOutServesNoOtherMatrix) {
  const host<float> values = random_host<float>(33, 5);
  cl::Buffer kept;
  {
    const matrix a(values);
    kept = a.buffer();
  }
  std::vector<matrix> others;
  for (int k = 0; k < 20; ++k) others.push_back(rep_matrix(7.0f, 33, 5));
  for (const matrix& each : others) EXPECT_NE(each.storage()->mem(), kept());
  expect_same<float>(from_matrix_cl(matrix(kept, 33, 5)), values);
}

TEST(Buffer, OfAMatrixMakesAnotherOneOverTheSameMemory) {
  auto a = random_matrix<float>(9, 9);
  matrix b(a.buffer(), 9, 9, matrix_cl_view::Lower);
  EXPECT_EQ(a.storage(), b.storage());
  a = a + rowwise_broadcast(rowwise_sum(b));  // not in place: b is read
  EXPECT_NE(a.storage(), b.storage());
  EXPECT_THROW(matrix(b.buffer(), 10, 9), std::invalid_argument);
  const host<float> before = from_matrix_cl(a);
  matrix corner(a.buffer(), 3, 1);  // the first three elements
  corner = corner + 1.0f;
  host<float> wanted = before;
  wanted.topLeftCorner(3, 1).array() += 1;
  expect_same<float>(from_matrix_cl(a), wanted);
}

TEST(Buffer, OfNothingCanBeUsed) {
  const matrix none, wide(0, 5);
  EXPECT_EQ(none.buffer()(), nullptr);
  EXPECT_NE(wide.buffer()(), nullptr);
  EXPECT_EQ(matrix(wide.buffer(), 5, 0).rows(), 5);
  EXPECT_EQ(matrix(cl::Buffer(), 0, 3).cols(), 3);
  EXPECT_EQ(message_of<std::invalid_argument>([] { matrix(cl::Buffer(), 2, 3); }),
            "matrix_cl: the buffer is null, and the matrix has 2 x 3 elements");
  EXPECT_EQ(message_of<std::invalid_argument>([] { runtime::adopt_storage(cl::Buffer()); }),
            "adopt_storage: the buffer is null");
  EXPECT_THROW(matrix(wide.buffer(), 1, 1), std::invalid_argument);
  const kernel_cl<in_buffer, out_buffer> first("first",
                                               "kernel void first(global const float* a, global float* b) {\n"
                                               "  if (a == 0) b[0] = 1;\n}\n");
  matrix one(1, 1);
  one.setZero();
  first(cl::NDRange(1), none, one);
  EXPECT_EQ(one(0, 0), 0.0f);
}

TEST(Element, IsReadOneByOne) {
  for (const matrix_cl_view view : all_views) {
    const auto a = random_matrix<float>(3, 4, view);
    const host<float> values = from_matrix_cl(a);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) EXPECT_EQ(a(i, j), values(i, j));
  }
  const matrix_cl<bool> flags(host<bool>{{true, false}});
  EXPECT_TRUE(flags(0, 0));
  EXPECT_FALSE(flags(0, 1));
  const auto a = random_matrix<float>(3, 4);
  for (const auto [i, j] : std::vector<size_pair>{{3, 0}, {0, 4}, {-1, 0}, {0, -1}})
    EXPECT_TRUE(has_all(message_of<std::out_of_range>([&, i = i, j = j] { a(i, j); }),
                        {std::to_string(i).c_str(), std::to_string(j).c_str(), "3 x 4"}));
  EXPECT_THROW(matrix()(0, 0), std::out_of_range);
}

TEST(Constants, AreMadeAsWithEigen) {
  EXPECT_EQ(from_matrix_cl(matrix(matrix::Zero(3, 2))), host<float>::Zero(3, 2));
  EXPECT_EQ(from_matrix_cl(matrix(matrix::Ones(3, 2))), host<float>::Ones(3, 2));
  EXPECT_EQ(from_matrix_cl(matrix(matrix::Constant(3, 2, 2.5f))), host<float>::Constant(3, 2, 2.5f));
  EXPECT_EQ(from_matrix_cl(matrix(matrix::Identity(3, 2))), host<float>::Identity(3, 2));
  EXPECT_EQ(from_matrix_cl(matrix_cl<int>(matrix_cl<int>::Identity(2, 2))), host<int>::Identity(2, 2));
  const auto a = random_matrix<float>(3, 3);
  EXPECT_ALL_MATCH_REFERENCE(a + matrix::Identity(3, 3), a - matrix::Ones(3, 3));
  EXPECT_EQ(message_of<std::domain_error>([] { matrix::Zero(-1, 2); }),
            "Zero: rows of the result (-1) must not be negative");
  EXPECT_EQ(message_of<std::domain_error>([] { matrix::Identity(2, -1); }),
            "Identity: columns of the result (-1) must not be negative");
  auto m = random_matrix<float>(5, 4, matrix_cl_view::Lower);
  EXPECT_EQ(from_matrix_cl(m.setZero()), host<float>::Zero(5, 4));
  EXPECT_EQ(m.view(), matrix_cl_view::Entire);
  EXPECT_EQ(from_matrix_cl(m.setConstant(1.5f)), host<float>::Constant(5, 4, 1.5f));
  EXPECT_EQ(from_matrix_cl(m.setZero(2, 3)), host<float>::Zero(2, 3));
  EXPECT_EQ(from_matrix_cl(m.setConstant(1, 2, 3.0f)), host<float>::Constant(1, 2, 3.0f));
  matrix none;
  EXPECT_EQ(none.setZero().size(), 0);
}

TEST(Constants, AnIdentityOfASizeIsOfDoubles) {
  static_assert(std::is_same_v<value_type_of<decltype(identity(3))>, double>);
  if (!test::device_has_double()) GTEST_SKIP() << "identity(n) needs double";
  for (const std::int64_t n : {0, 1, 3}) EXPECT_EQ(from_matrix_cl(identity(n)), host<double>::Identity(n, n));
  EXPECT_EQ(message_of<std::domain_error>([] { identity(-1); }),
            "identity_matrix: the size (-1) must not be negative");
}

}  // namespace
}  // namespace fusecl
