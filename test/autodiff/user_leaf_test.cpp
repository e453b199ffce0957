// Kernels of users as operations: values, what is computed before and after them, derivatives, sizes, forms.

#include <utility>

#include <examples/batched_inverse/inverse_3x3.hpp>
#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/gradients.hpp>
#include <support/messages.hpp>
#include <support/spent_by.hpp>

#include <fusion/autodiff.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

matrix_cl<double> well_conditioned(int count) {
  host<double> a = 0.3 * random_host<double>(3, 3 * count, -1, 1);
  for (int k = 0; k < 3 * count; ++k) a(k % 3, k) += 2;
  return matrix_cl<double>(a);
}

/// Columns divided by their norms, each by a group that adds in local memory.
struct unit_columns {
  static constexpr std::string_view name = "unit_columns";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;
  static constexpr int work_items = 16;
  static std::int64_t tasks(leaf_size result, leaf_size) { return result.cols; }
  static constexpr std::string_view body = R"(
    local real parts[16];
    real sum = 0.0;
    for (long i = lane; i < a_rows; i += 16) sum += a(i, task) * a(i, task);
    parts[lane] = sum;
    for (int other = 8; other > 0; other /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < other) parts[lane] += parts[lane + other];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i = lane; i < rows; i += 16) result(i, task, a(i, task) / sqrt(parts[0]));)";
  static void host(const leaf_values& result, const leaf_values& a) {
    for (std::int64_t j = 0; j < a.cols; ++j) {
      long double sum = 0;
      for (std::int64_t i = 0; i < a.rows; ++i) sum += a(i, j) * a(i, j);
      for (std::int64_t i = 0; i < a.rows; ++i) result(i, j) = a(i, j) / std::sqrt(sum);
    }
  }
};

/// Rows in reverse order, twice: its adjoint is made of itself within other operations.
struct turned_rows {
  static constexpr std::string_view name = "turned_rows";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(leaf_size result, leaf_size) { return result.cols; }
  static constexpr std::string_view body =
      "for (long i = 0; i < rows; ++i) result(i, task, -2.0 * a(rows - 1 - i, task));";
  static auto pullback(const auto&, const auto&, const auto& adjoint) {
    return -user_leaf<turned_rows>(-adjoint);
  }
  static auto pushforward(const auto&, const auto&, const auto& change) {
    return -user_leaf<turned_rows>(-change);
  }
  static void host(const leaf_values& result, const leaf_values& a) {
    for (std::int64_t j = 0; j < a.cols; ++j)
      for (std::int64_t i = 0; i < a.rows; ++i) result(i, j) = -2 * a(a.rows - 1 - i, j);
  }
};

/// a(i, j) + factor i b(j), of which each element of the result needs three operands of different sizes.
struct outer_sum {
  static constexpr std::string_view name = "outer_sum";
  static constexpr std::array<std::string_view, 3> parameters = {"a", "b", "factor"};
  static leaf_size size(leaf_size a, leaf_size b, leaf_size) { return {a.rows, b.rows}; }
  static std::int64_t tasks(leaf_size result, leaf_size, leaf_size, leaf_size) {
    return result.rows * result.cols;
  }
  static constexpr std::string_view body = R"(
    const long x0 = task % rows, share = task / rows;  // names that arguments of kernels have, too
    const struct { long y0; } s0 = {b_rows - share};
    result(x0, share, a(x0, 0) + factor(0, 0) * s0.y0 * b(share, 0));)";
  static void host(const leaf_values& result, const leaf_values& a, const leaf_values& b,
                   const leaf_values& f) {
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t i = 0; i < result.rows; ++i)
        result(i, j) = a(i, 0) + f(0, 0) * (b.rows - j) * b(j, 0);
  }
};

TEST(UserLeaf, IsWhatItsKernelComputes) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int count : {0, 1, 2, 63, 64, 65, 1000}) {
      SCOPED_TRACE(count);
      const auto a = well_conditioned(count),
                 b = random_matrix<double>(3, 3 * count, matrix_cl_view::Entire, -0.1, 0.1);
      expect_matches_reference(user_leaf<inverse_3x3>(a));
      expect_matches_reference(exp(user_leaf<inverse_3x3>(a + 0.5 * b)) - 2 * b);
      const host<double> x = from_matrix_cl(a), y = from_matrix_cl(eval(user_leaf<inverse_3x3>(a)));
      for (int k = 0; k < count; ++k)
        EXPECT_LT((x.middleCols(3 * k, 3) * y.middleCols(3 * k, 3) - host<double>::Identity(3, 3)).norm(),
                  1e-13);
    }
  });
}

TEST(UserLeaf, TakesOperandsOfEveryKind) {
  in_both_forms([] {
    for (const auto& [rows, cols] : {std::pair(1, 1), {1, 7}, {16, 1}, {17, 33}, {1000, 5}, {0, 4}, {4, 0}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      const auto a = random_matrix<float>(rows, cols, matrix_cl_view::Entire, 0.5, 2);
      expect_matches_reference(user_leaf<unit_columns>(a));
      expect_matches_reference(user_leaf<unit_columns>(transpose(a)));
      expect_matches_reference(sum(square(user_leaf<unit_columns>(2 * a) - a)));
      expect_matches_reference(rowwise_sum(user_leaf<unit_columns>(exp(a))));
      expect_matches_reference(transpose(user_leaf<unit_columns>(a)) + transpose(a));
    }
    const auto a = random_matrix<float>(9, 1), b = random_matrix<float>(4, 1);
    expect_matches_reference(user_leaf<outer_sum>(a, b, 1.5f));
    expect_matches_reference(user_leaf<outer_sum>(block_zero_based(a, 2, 0, 5, 1), b, 0.0f));
    const auto square_one = random_matrix<float>(6, 6, matrix_cl_view::Lower, 1, 2);
    expect_matches_reference(user_leaf<unit_columns>(square_one));
    expect_matches_reference(user_leaf<outer_sum>(diagonal(square_one), col(square_one, 1), 3));
  });
}

TEST(UserLeaf, OfIntegersIsDouble) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<int>(9, 4), b = random_matrix<int>(3, 1);
  static_assert(decltype(user_leaf<unit_columns>(a))::type == scalar_type::float64);
  in_both_forms([&] {
    expect_matches_reference(user_leaf<outer_sum>(col(a, 2), b, 2));
    parameter<double> f = 0.25;
    expect_matches_reference(user_leaf<outer_sum>(col(a, 2), b, f) + f);
  });
}

TEST(UserLeaf, MayAssignToItsOperands) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    auto a = random_matrix<double>(40, 40, matrix_cl_view::Entire, 1, 2);
    const host<double> before = from_matrix_cl(a);
    const host<double> unit = before.array().rowwise() / before.colwise().norm().array();
    a = user_leaf<unit_columns>(a) + a;
    EXPECT_LT((from_matrix_cl(a) - unit - before).norm(), 1e-13);
    a = matrix_cl<double>(before);
    a = user_leaf<unit_columns>(transpose(a));
    const host<double> turned = before.transpose();
    EXPECT_LT(
        (from_matrix_cl(a) - host<double>(turned.array().rowwise() / turned.colwise().norm().array())).norm(),
        1e-13);
    a = matrix_cl<double>(before);
    matrix_cl<double> b, total;
    results(b, block_zero_based(a, 0, 1, 40, 3), total) = expressions(
        user_leaf<unit_columns>(a), block_zero_based(user_leaf<unit_columns>(a), 0, 0, 40, 3), sum(a));
    EXPECT_LT((from_matrix_cl(b) - unit).norm(), 1e-13);
    EXPECT_LT((from_matrix_cl(a).middleCols(1, 3) - unit.leftCols(3)).norm(), 1e-13);
    EXPECT_EQ(from_matrix_cl(a).col(0), before.col(0));
  });
}

TEST(UserLeaf, IsOneLaunchWithWhatIsBeforeAndAfter) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = well_conditioned(100), b = random_matrix<double>(3, 300);
  in_both_forms([&] {
    matrix_cl<double> c;
    const counters spent = spent_by([&] { c = exp(user_leaf<inverse_3x3>(a + 0.1 * b)) - 2 * b; });
    EXPECT_EQ(spent.launches, 1u);
    EXPECT_EQ(spent.buffers_created, 0u);
    EXPECT_EQ(spent.host_waits, 0u);
  });
}

TEST(UserLeaf, HasTheDerivativesThatItsClassGives) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const int count : {1, 5}) {
      SCOPED_TRACE(count);
      const auto a = well_conditioned(count), w = random_matrix<double>(3, 3 * count);
      const auto density = [&](const auto& x) {
        return sum(elt_multiply(w, exp(user_leaf<inverse_3x3>(x + 0.1 * square(x))))) +
               sum(user_leaf<inverse_3x3>(x));
      };
      EXPECT_GRADIENT(density, a);
      EXPECT_GRADIENT(
          [&](const auto& x, const auto& y) {
            return sum(sin(user_leaf<product_3x3<true, false>>(x, y))) +
                   sum(user_leaf<product_3x3<false, true>>(x, 2 * x)) +
                   sum(elt_multiply(w, user_leaf<product_3x3<true, true>>(w, y)));
          },
          a, w);
      var_value<matrix_cl<double>> v{a};
      var value = density(v);
      value.grad();
      const auto wanted = value_and_gradient(density(a), wrt(a));
      EXPECT_NEAR(value.val(), wanted.value, 1e-12 * std::abs(wanted.value));
      EXPECT_LT((from_matrix_cl(v.adj()) - from_matrix_cl(std::get<0>(wanted.gradient))).norm(), 1e-12);
    }
  });
}

/// A product of the Hessian with a direction against differences of gradients.
TEST(UserLeaf, HasSecondDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = well_conditioned(4);
  const host<double> d = random_host<double>(3, 12, -1, 1), x = from_matrix_cl(a);
  const auto gradient_at = [&](const host<double>& at) -> host<double> {
    const matrix_cl<double> here(at);
    return from_matrix_cl(
        std::get<0>(value_and_gradient(sum(square(user_leaf<inverse_3x3>(here))), wrt(here)).gradient));
  };
  const host<double> wanted = (gradient_at(x + 1e-5 * d) - gradient_at(x - 1e-5 * d)) / 2e-5;
  in_both_forms([&] {
    const auto found =
        hessian_times_vector(sum(square(user_leaf<inverse_3x3>(a))), wrt(a), matrix_cl<double>(d));
    EXPECT_LT((from_matrix_cl(std::get<0>(found.product)) - wanted).norm(), 1e-8 * wanted.norm());
  });
}

TEST(UserLeaf, MayBeItsOwnDerivativeWithinOthers) {
  in_both_forms([] {
    const host<double> values = random_host<double>(5, 3, -1, 1), weights = random_host<double>(5, 3, -1, 1);
    const matrix_cl<double> a(values), w(weights);
    const host<double> wanted = -2 * weights.colwise().reverse();
    const auto first = value_and_gradient(sum(elt_multiply(user_leaf<turned_rows>(a), w)), wrt(a));
    EXPECT_LE((std::get<0>(first.gradient).to_host() - wanted).cwiseAbs().maxCoeff(), 1e-15);
    expect_matches_reference(exp(user_leaf<turned_rows>(a)));
    // the square of the values, four times
    const auto second = hessian_times_vector(sum(square(user_leaf<turned_rows>(a))), wrt(a), w);
    EXPECT_LE((std::get<0>(second.product).to_host() - 8 * weights).cwiseAbs().maxCoeff(), 1e-14);
  });
}

TEST(UserLeaf, RefusesWhatItsClassRefuses) {
  FUSECL_NEEDS_DOUBLE;
  matrix_cl<double> a(3, 6), b(3, 7), c(host<double>::Ones(2, 2));
  expect_message<std::invalid_argument>([&] { user_leaf<inverse_3x3>(b); }, "inverse_3x3: a (3 x 7)");
  auto kept = user_leaf<inverse_3x3>(a);
  a = matrix_cl<double>(host<double>::Ones(2, 2));
  expect_message<std::invalid_argument>([&] { c = kept; }, "inverse_3x3: a (2 x 2)");
  EXPECT_EQ(from_matrix_cl(c), host<double>::Ones(2, 2));
  expect_message<std::invalid_argument>([&] { c = kept + 1; }, "inverse_3x3: a (2 x 2)");
}

/// Exchanges columns 0 and 1, 2 and 3, ... A class without anything that need not be there.
struct turned_pairs {
  static constexpr std::string_view name = "turned_pairs";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static leaf_size size(leaf_size a) { return a; }
  static std::int64_t tasks(leaf_size, leaf_size a) { return a.cols / 2; }
  static constexpr std::string_view body = R"(
    for (long i = 0; i < rows; ++i) {
      result(i, 2 * task, a(i, 2 * task + 1));
      result(i, 2 * task + 1, a(i, 2 * task));
    })";
};

TEST(UserLeaf, NeedsNoReferenceNorDerivative) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const host<double> x = random_host<double>(5, 4, -1, 1);
    const matrix_cl<double> a(x);
    const matrix_cl<double> b = 2 * user_leaf<turned_pairs>(a + 1);
    host<double> wanted = 2 * (x.array() + 1);
    wanted.col(0).swap(wanted.col(1));
    wanted.col(2).swap(wanted.col(3));
    EXPECT_EQ(from_matrix_cl(b), wanted);
    const auto [value, gradient] =
        value_and_gradient(sum(elt_multiply(a, stop_gradient(user_leaf<turned_pairs>(a)))), wrt(a));
    EXPECT_EQ(from_matrix_cl(std::get<0>(gradient)), from_matrix_cl(b) / 2 - host<double>::Ones(5, 4));
    expect_message<std::logic_error>([&] { (void)reference(user_leaf<turned_pairs>(a)); },
                                     "turned_pairs: the leaf has no function `host`");
  });
}

struct without_pushforward : turned_pairs {
  static auto pullback(const auto&, const auto&, const auto& adjoint) { return 2.0 * adjoint; }
};
struct without_size_in_formulas : turned_pairs {
  static auto pullback(const auto&, const auto&, const auto& adjoint) {
    return user_leaf<turned_pairs>(adjoint);
  }
};

TEST(UserLeaf, SaysWhatDerivativesNeed) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(3, 4);
  const auto once = value_and_gradient(sum(user_leaf<without_pushforward>(a)), wrt(a));
  EXPECT_EQ(from_matrix_cl(std::get<0>(once.gradient)), host<double>::Constant(3, 4, 2));
  expect_message<std::logic_error>(
      [&] { (void)hessian_times_vector(sum(square(user_leaf<without_pushforward>(a))), wrt(a), a); },
      "turned_pairs: the leaf has no static function `pushforward`");
  expect_message<std::logic_error>(
      [&] { (void)value_and_gradient(sum(square(user_leaf<without_size_in_formulas>(a))), wrt(a)); },
      "turned_pairs: a leaf that derivatives use says by `sized_as`");
}

/// Names that the kernel, its arguments and functions of OpenCL have, for operands and in the body; literals
/// of every form.
struct with_names {
  static constexpr std::string_view name = "with_names";
  static constexpr std::array<std::string_view, 4> parameters = {"x0", "min", "share", "row"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(leaf_size result, leaf_size, leaf_size, leaf_size, leaf_size) {
    return result.cols;
  }
  static constexpr leaf_macro macros[] = {{"i", 3}, {"e", 5}, {"y0", -7}};
  static constexpr std::string_view body = R"(
    struct { real s0; } state;
    for (long k = 0; k < x0_rows; ++k) {
      const int rows = i, cols = e;
      state.s0 = x0(k, task) * rows + min(0, 0) * cols + .5 * share(0, 0) + 1.5F * y0 * row(k, task);
      result(k, task, state.s0);
    })";
  static void host(const leaf_values& result, const leaf_values& x, const leaf_values& low,
                   const leaf_values& part, const leaf_values& row) {
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t k = 0; k < result.rows; ++k)
        result(k, j) = x(k, j) * 3 + low(0, 0) * 5 + 0.5L * part(0, 0) - 10.5L * row(k, j);
  }
};

TEST(UserLeaf, MayHaveAnyNames) {
  in_both_forms([] {
    for (const auto& [rows, cols] : {std::pair(1, 1), {3, 3}, {40, 9}}) {
      const auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(rows, cols);
      expect_matches_reference(user_leaf<with_names>(a, 0.25f, 3.0f, b));
      expect_matches_reference(exp(user_leaf<with_names>(0.1f * a, 0.5f, 3.0f, b)) - fmin(a, b));
    }
  });
}

struct with_stored_operands : unit_columns {
  static constexpr bool stores_operands = true;
};

TEST(UserLeaf, StoresOperandsWhereItsClassSaysSo) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(40, 5, matrix_cl_view::Entire, 0.5, 2);
  in_both_forms([&] {
    expect_matches_reference(user_leaf<with_stored_operands>(exp(a) + 1));
    expect_matches_reference(user_leaf<with_stored_operands>(transpose(a)));
    matrix_cl<double> b;
    EXPECT_EQ(spent_by([&] { b = user_leaf<with_stored_operands>(exp(a)); }).launches, 2u);
    EXPECT_EQ(spent_by([&] { b = user_leaf<with_stored_operands>(a); }).launches, 1u);
  });
}

/// Rows of `a` by their numbers, of which the host is told wrongly on purpose.
struct rows_by_number {
  static constexpr std::string_view name = "rows_by_number";
  static constexpr std::array<std::string_view, 2> parameters = {"a", "p"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(leaf_size result, leaf_size, leaf_size) { return result.cols; }
  static constexpr std::string_view body =
      "for (long k = 0; k < rows; ++k) result(k, task, a((long)p(k, 0), task));";
  static void host(const leaf_values& result, const leaf_values& a, const leaf_values& p) {
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t k = 0; k < result.rows; ++k)
        result(k, j) = a(static_cast<std::int64_t>(p(k, 0)) - 1, j);
  }
};

TEST(UserLeaf, IsComparedWithItsReferenceWhereOperandsAreNumbersOfRows) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> a(random_host<double>(4, 3, -1, 1));
  const matrix_cl<int> p(Eigen::VectorXi{{1, 3, 2, 1}});
  const host<double> told = reference(user_leaf<rows_by_number>(a, p));
  EXPECT_EQ(told(1, 2), from_matrix_cl(a)(2, 2));
  const auto statement = user_leaf<rows_by_number>(a, p);
  const bool before = std::exchange(fusecl::detail::validates, true);
  matrix_cl<double> b;
  expect_message<std::logic_error>([&] { b = statement; }, "FUSECL_VALIDATE");
  fusecl::detail::validates = before;
}

struct does_not_build : turned_pairs {
  static constexpr std::string_view body = "result(0, task, no_such_name);";
};
struct too_many_work_items : turned_pairs {
  static constexpr int work_items = 1 << 20;
};
struct fewer_than_no_tasks : turned_pairs {
  static std::int64_t tasks(leaf_size, leaf_size) { return -3; }
};

TEST(UserLeaf, LeavesTargetsAsTheyWereWhereItCannotRun) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(3, 4);
  matrix_cl<double> target(host<double>::Ones(2, 2));
  expect_message<build_error>([&] { target = user_leaf<does_not_build>(a); }, "no_such_name");
  expect_message<error>([&] { target = user_leaf<too_many_work_items>(a); },
                        "turned_pairs: its groups have 1048576 work-items, more than the ");
  expect_message<std::invalid_argument>([&] { target = user_leaf<fewer_than_no_tasks>(a); },
                                        "turned_pairs: `tasks` gave -3 for a result of 3 x 4");
  EXPECT_EQ(from_matrix_cl(target), host<double>::Ones(2, 2));
}

/// Two plans of one type: operands whose sizes were found equal may differ the next time.
TEST(UserLeaf, TakesOperandsOfOtherSizesTheNextTime) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    auto a = random_matrix<double>(4, 1), b = random_matrix<double>(4, 1);
    const auto kept = user_leaf<outer_sum>(a, b, 2.0) + 1;
    for (const auto& [rows, cols] : {std::pair(4, 4), {1, 4}, {4, 1}, {1, 1}, {300, 7}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      a = random_matrix<double>(rows, 1);
      b = random_matrix<double>(cols, 1);
      expect_matches_reference(kept);
    }
  });
}

TEST(UserLeaf, CanBeBuiltAhead) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    const auto a = well_conditioned(7);
    const auto density = sum(square(user_leaf<inverse_3x3>(a)));
    prepare([&] { (void)value_and_gradient(density, wrt(a)); });
    const counters before = runtime_counters();
    (void)value_and_gradient(density, wrt(a));
    EXPECT_EQ((runtime_counters() - before).programs_built, 0u);
  });
}

}  // namespace
}  // namespace fusecl
