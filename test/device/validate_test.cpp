// FUSECL_VALIDATE: what it finds in a library that is wrong, and that it finds nothing in one that is right.

#include <cstdlib>
#include <limits>
#include <thread>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>
#include <support/scoped_variable.hpp>

#include <fusion/eval/validate.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Checks evaluations while it lives.
struct validating {
  bool before = fusecl::detail::validates;
  validating() { fusecl::detail::validates = true; }
  ~validating() { fusecl::detail::validates = before; }
};

/// An operation that depends on what its key does not hold.
template <class A>
struct unfaithful : expression<unfaithful<A>> {
  using operand_types = fusecl::detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  bool other;

  unfaithful(A operand, bool is_other) : a(std::move(operand)), other(is_other) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const {
    return low.graph().apply(other ? op::cos::record() : op::sin::record(), a.lower(low));
  }
};

TEST(Validate, AKeyThatMissesAFactIsFound) {
  const validating here;
  const auto a = random_matrix<float>(7, 3);
  matrix_cl<float> r = unfaithful(a.leaf(), false);
  const std::string message = message_of<std::logic_error>([&] { r = unfaithful(a.leaf(), true); });
  EXPECT_NE(message.find("node %1 is float cos(x0), in the plan it is float sin(x0)"), std::string::npos)
      << message;
}

/// Its text and its reference disagree for large numbers.
struct two_faced {
  static constexpr std::string_view name = "two_faced";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 100 ? 0 : 2 * x;";
  static long double host(long double x) { return 2 * x; }
};

TEST(Validate, AWrongValueIsFound) {
  const validating here;
  host<float> values = random_host<float>(7, 3);
  matrix_cl<float> a(values), r = user_function<two_faced>(a) + 1.0f;
  values(4, 2) = 150;
  a = matrix_cl<float>(values);
  const std::string message = message_of<std::logic_error>([&] { r = user_function<two_faced>(a) + 1.0f; });
  EXPECT_NE(message.find("element (4, 2) of result 0, two_faced(x0) + 1, is 1 on the device and 301"),
            std::string::npos)
      << message;
  EXPECT_NE(
      message.find("the first part that is wrong alone is two_faced(x0): element (4, 2) is 0, should be 300"),
      std::string::npos)
      << message;
}

TEST(Validate, AWrongPartIsFoundWhereOperandsAreOverwritten) {
  const validating here;
  auto a = random_matrix<float>(7, 3, matrix_cl_view::Entire, 200, 300);
  const std::string message =
      message_of<std::logic_error>([&] { a = exp(a / 1000.0f) + sqrt(user_function<two_faced>(fabs(a))); });
  EXPECT_NE(message.find("the first part that is wrong alone is two_faced(fabs(x0))"), std::string::npos)
      << message;
  const auto b = random_matrix<float>(7, 3, matrix_cl_view::Entire, 200, 300);
  EXPECT_NE(message_of<std::logic_error>([&] { a = user_function<two_faced>(b); }),
            "");  // which is checked again
}

TEST(Validate, ThreadsAreCheckedWhileAnotherLooksForTheWrongPart) {
  const validating here;
  const auto a = random_matrix<float>(7, 3, matrix_cl_view::Entire, 200, 300);
  const auto message = [&] {
    matrix_cl<float> r;
    return message_of<std::logic_error>(
        [&] { r = exp(a / 1000.0f) + sqrt(user_function<two_faced>(fabs(a) + 1.0f)); });
  };
  const std::string wanted = message();
  EXPECT_NE(wanted.find("the first part that is wrong alone is"), std::string::npos) << wanted;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) EXPECT_EQ(message(), wanted);
    });
  for (std::thread& each : threads) each.join();
}

/// Adds one to integers beyond what a double holds, which its reference takes for two.
template <class A>
struct off_by_one : expression<off_by_one<A>> {
  using operand_types = fusecl::detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;

  explicit off_by_one(A operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const { a.gather(b); }
  ir::node_id lower(lowering& low) const {
    static constexpr ir::operation record{
        .name = "off_by_one",
        .kind = ir::op_class::elementwise,
        .arity = 1,
        .types = ir::type_rule::arithmetic,
        .opencl = "$0 + 1",
        .precedence = 12,
        .host = [](const long double* x) { return x[0] + 2; },
        .host_integer = [](const std::int64_t* x) -> std::int64_t { return x[0] + 2; },
        .ulp = 0.5f};
    return low.graph().apply(record, a.lower(low));
  }
};

TEST(Validate, IntegersBeyondADoubleAreComparedExactly) {
  const validating here;
  const long large = (1L << 60) + 1;
  const matrix_cl<long> a(std::vector<long>{large, -large, large + 2});
  matrix_cl<long> r;
  long total = 0, largest = 0, least = 0;
  EXPECT_NO_THROW(results(total, largest, least, r) = expressions(sum(a), max_2d(a), min_2d(a), a + 1));
  EXPECT_EQ(total, large + 2);
  EXPECT_EQ(largest, large + 2);
  EXPECT_EQ(least, -large);
  EXPECT_EQ(r(0, 0), large + 1);
  matrix_cl<long> sums(rep_matrix<matrix_cl<long>>(1L, 2, 1));
  const matrix_cl<int> places(std::vector<int>{1, 1, 1});
  EXPECT_NO_THROW(sums[places] += a * 0 + 4 * large);  // which wraps, as on the device
  EXPECT_EQ(sums(1, 0), static_cast<long>(12 * static_cast<unsigned long>(large) + 1));
  std::string message = message_of<std::logic_error>([&] { r = off_by_one(a.leaf()); });
  EXPECT_NE(message.find("is 1152921504606846978 on the device and 1152921504606846979"), std::string::npos)
      << message;
  message = message_of<std::logic_error>(
      [&] { results(total, largest) = expressions(max_2d(a), max_2d(off_by_one(a.leaf()))); });
  EXPECT_NE(message.find("is 1152921504606846980 on the device and 1152921504606846981"), std::string::npos)
      << message;
}

/// Without a reference there is nothing to compare with.
struct faceless {
  static constexpr std::string_view name = "faceless";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return 2 * x;";
};

TEST(Validate, AWordThatIsNeitherOnNorOffIsRefused) {
  const scoped_variable word("FUSECL_VALIDATE", "full");
  const validating here;  // what the library starts with, given such a word
  EXPECT_EQ(message_of<error>([] { const matrix_cl<float> r = random_matrix<float>(7, 3) + 1.0f; }),
            "FUSECL_VALIDATE is \"full\", expected 0 or off, 1 or on");
}

TEST(Validate, RightStatementsPass) {
  const validating here;
  auto a = random_matrix<float>(71, 33), b = random_matrix<float>(71, 33, matrix_cl_view::Lower);
  matrix_cl<float> r, s;
  const counters before = runtime_counters();
  a = exp(a) / sum(exp(a));
  results(r, s) = expressions(a + b, rowwise_sum(elt_multiply(a, b)));
  r = user_function<faceless>(a);
  r = log(r - r);
  r = matrix_cl<float>(0, 4) + 1.0f;
  EXPECT_EQ((runtime_counters() - before).bytes_to_host, 0u);  // checking is not counted
}

TEST(Validate, WhatTheHostCannotHoldPasses) {
  const validating here;
  constexpr std::int64_t many = std::int64_t{1} << 20;
  const float total = sum(constant(1.0f, many, many));
  EXPECT_EQ(total, 0x1p40f);
}

TEST(Validate, ATurnedResultIsComparedElementByElement) {
  const validating here;
  host<float> values = random_host<float>(5, 3);
  values(3, 1) = std::numeric_limits<float>::infinity();
  const matrix_cl<float> a(values);
  matrix_cl<float> r;
  EXPECT_NO_THROW(r = colwise_sum(transpose(a)));
}

TEST(Validate, PartsAreCompared) {
  const validating here;
  host<float> values = random_host<float>(7, 3);
  matrix_cl<float> a(values), r = random_matrix<float>(9, 9);
  EXPECT_NO_THROW(block(r, 2, 3, 7, 3) = user_function<two_faced>(a) + 2.0f);
  EXPECT_NO_THROW(segment(diagonal(r), 2, 3) = transpose(colwise_sum(a)));
  EXPECT_NO_THROW(sub_row(r, 2, 1, 7) = transpose(a * constant(1.0f, 3, 1)));
  EXPECT_NO_THROW(col(r, 3) -= col(r, 4));
  values(4, 2) = 150;
  a = matrix_cl<float>(values);
  const std::string message =
      message_of<std::logic_error>([&] { block(r, 2, 3, 7, 3) = user_function<two_faced>(a) + 2.0f; });
  EXPECT_NE(message.find("element (4, 2) of result 0, two_faced(x0) + 2, is 2 on the device and 302"),
            std::string::npos)
      << message;
}

TEST(Validate, WhatACastDoesNotDefineMayBeAnything) {
  const validating here;
  constexpr float infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  const matrix_cl<float> a(std::vector<float>{nan, infinity, -infinity, 1e20f, -1e20f, 3e9f, -2.5f, 7.9f});
  const auto expect_defined = [](const auto& found, long at_6) {
    EXPECT_EQ(found(6, 0), at_6);
    EXPECT_EQ(found(7, 0), 7);
  };
  expect_defined(from_matrix_cl(matrix_cl<int>(cast<int>(a))), -2);
  expect_defined(from_matrix_cl(matrix_cl<long>(cast<long>(a))), -2);
  matrix_cl<int> further;
  EXPECT_NO_THROW(further = cast<int>(a) * 2 + select(cast<int>(a) > 3, 1, 0));
  EXPECT_EQ(further(7, 0), 15);
  long total = 0;
  EXPECT_NO_THROW(total = sum(cast<long>(cast<int>(a))));
  static_cast<void>(total);
  const matrix_cl<bool> is_true = cast<bool>(a);  // which is defined
  EXPECT_EQ(from_matrix_cl(is_true).cast<int>().sum(), 8);
  matrix_cl<unsigned> u;
  EXPECT_NO_THROW(u = cast<unsigned>(a));
  EXPECT_EQ(u(5, 0), 3000000000u);
}

/// What is not finite may be anywhere in the inverse of its own matrix of a batch, and is nowhere else.
TEST(Validate, WhatIsNotFiniteInABatchIsNoFault) {
  const validating here;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  in_both_forms([&] {
    for (const int n : {2, 3, 17, 33})
      for (const float special : {0.0f, -0.0f, nan, std::numeric_limits<float>::infinity()})
        for (const auto& [i, j] : {std::pair(0, 0), std::pair(n / 2, n / 2), std::pair(n - 1, n - 1),
                                   std::pair(n - 1, 0), std::pair(n / 2, 0)}) {
          host<float> l = from_matrix_cl(random_matrix<float>(n, 3 * n, matrix_cl_view::Entire, 1, 2));
          l(i, n + j) = special;
          const matrix_cl<float> a(l);
          SCOPED_TRACE(std::to_string(n) + ": " + std::to_string(special) + " at " + std::to_string(i) +
                       ", " + std::to_string(j));
          matrix_cl<float> inverse;
          EXPECT_EQ(message_of<std::logic_error>([&] { inverse = batched_tri_inverse(a); }), "");
          const host<float> h = from_matrix_cl(inverse);
          EXPECT_TRUE(h.leftCols(n).allFinite() && h.rightCols(n).allFinite());
          for (int q = 1; q < n; ++q)
            for (int r = 0; r < q; ++r) EXPECT_EQ(h(r, n + q), 0) << r << " " << q;
          EXPECT_TRUE(i != j || special != 0 || !std::isfinite(h(i, n + i)));
        }
  });
}

/// Sums of bool at indices count, for the interpreter as on the device.
TEST(Validate, OfConditionsThatAreCountedAtIndices) {
  const validating here;
  matrix_cl<float> sums(std::vector<float>{1, 2.5f, -3});
  matrix_cl<int> counts(std::vector<int>{0, 0, 0});
  const matrix_cl<bool> chosen(std::vector<bool>{true, false, true, true});
  const matrix_cl<int> g(std::vector<int>{0, 2, 0, 0});
  sums[g] += chosen;
  counts[g] += chosen;
  counts[g] -= cast<float>(g) < 1.0f;
  EXPECT_EQ(from_matrix_cl<std::vector<float>>(sums), (std::vector<float>{4, 2.5f, -3}));
  EXPECT_EQ(from_matrix_cl<std::vector<int>>(counts), (std::vector<int>{0, 0, 0}));
}

}  // namespace
}  // namespace fusecl
