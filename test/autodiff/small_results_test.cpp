// Derivatives by a few numbers: they follow from the sums that a pass over rows leaves, and are written where
// these are finished. Sums of a few elements, such as those of priors, are taken there.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

matrix_cl<double> between(std::int64_t rows, std::int64_t cols) {
  return random_matrix<double>(rows, cols, matrix_cl_view::Entire, -1, 1);
}

/// What a warm value with its gradient by `v` launches.
template <class E, class V>
std::uint64_t launches_of(const E& e, const V& v) {
  matrix_cl<double> by_v;
  counters used;
  for (int round = 0; round < 2; ++round) {
    const counters before = runtime_counters();
    value_and_gradient_into(e, wrt(v), by_v);
    used = runtime_counters() - before;
  }
  EXPECT_EQ(used.host_waits, 1u);
  EXPECT_EQ(used.buffers_created, 0u);
  return used.launches;
}

struct models {
  matrix_cl<double> x = between(1001, 6);

  /// A column of the weights for each of two classes.
  auto by_columns() const {
    return [this](const auto& w) { return sum(log1p_exp(x * col(w, 1)) + exp(0.1 * (x * col(w, 2)))); };
  }
  auto by_rows() const {
    return [this](const auto& w) {
      return sum(log1p_exp(x * transpose(row(w, 1))) + exp(0.1 * (x * transpose(row(w, 3)))));
    };
  }
  /// Two elements of a vector.
  auto by_elements(std::int64_t last) const {
    return [this, last](const auto& c) {
      const auto eta = shared(rowwise_sum(x));
      return sum(log1p_exp(eta - colwise_broadcast(block_zero_based(c, 0, 0, 1, 1))) +
                 exp(0.1 * (eta - c[static_cast<int>(last)])));
    };
  }
  /// A part of the column: its places are not those of the sums.
  auto by_parts() const {
    return [this](const auto& w) {
      return sum(log1p_exp(x * sub_col(w, 2, 1, 6)) + exp(0.1 * (x * sub_col(w, 1, 2, 6))));
    };
  }
};

TEST(SmallResults, AreFinishedWithTheirSums) {
  FUSECL_NEEDS_DOUBLE;
  const models m;
  const auto expect = [&](const auto& f, const matrix_cl<double>& at, std::uint64_t more) {
    in_both_forms([&] {
      const auto checked = check_gradient(f, at);
      EXPECT_TRUE(checked.passed(1e-7)) << checked;
      EXPECT_LE(launches_of(f(at), at), 2u + more);
      EXPECT_GE(launches_of(f(at), at), 1u + more);
    });
  };
  expect(m.by_columns(), between(6, 2), 0);
  expect(m.by_columns(), between(6, 5), 0);
  expect(m.by_rows(), between(3, 6), 0);
  expect(m.by_elements(3), between(4, 1), 0);
  expect(m.by_elements(3), between(1, 4), 0);
  expect(m.by_parts(), between(7, 2), 1);
}

TEST(SmallResults, ThatFollowFromKeptNumbers) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = between(1001, 6), y = between(1001, 1), at = between(3, 1);
  const auto f = [&](const auto& theta) {  // what its derivative takes of exp(theta[1]) is kept
    return sum(-0.5 * square((y - rowwise_sum(exp(x)) - theta[0]) / exp(theta[1]))) - 1001 * theta[1];
  };
  const auto g = [&](const auto& w) { return sum(log1p_exp(x * (exp(col(w, 1)) / 3.0 + col(w, 2)))); };
  in_both_forms([&] {
    const auto of_numbers = check_gradient(f, at), of_rows = check_gradient(g, between(6, 2));
    EXPECT_TRUE(of_numbers.passed(1e-7)) << of_numbers;
    EXPECT_TRUE(of_rows.passed(1e-7)) << of_rows;
    EXPECT_LE(launches_of(f(at), at), 2u);
  });
}

TEST(SmallResults, ThatAreLargeHaveALaunchOfTheirOwn) {
  FUSECL_NEEDS_DOUBLE;
  const models m;
  in_both_forms([&] {
    const auto few = between(6, 256), many = between(6, 257);
    EXPECT_EQ(launches_of(m.by_columns()(few), few) + 1, launches_of(m.by_columns()(many), many));
    const auto short_one = between(256, 1), long_one = between(257, 1);
    EXPECT_EQ(launches_of(m.by_elements(255)(short_one), short_one) + 1,
              launches_of(m.by_elements(256)(long_one), long_one));
    for (const auto* each : {&few, &many}) {
      const auto found =
          std::get<0>(value_and_gradient(m.by_columns()(*each), wrt(*each)).gradient).to_host();
      const auto two = matrix_cl<double>(Eigen::MatrixXd(each->to_host().leftCols(2)));
      const auto expected = std::get<0>(value_and_gradient(m.by_columns()(two), wrt(two)).gradient).to_host();
      EXPECT_TRUE(found.leftCols(2).isApprox(expected, 1e-12));
      EXPECT_EQ(found.rightCols(found.cols() - 2).cwiseAbs().maxCoeff(), 0);
    }
  });
}

TEST(SmallResults, MayGoToTheirVariable) {
  FUSECL_NEEDS_DOUBLE;
  const models m;
  in_both_forms([&] {
    auto w = between(6, 3);
    const auto expected = std::get<0>(value_and_gradient(m.by_columns()(w), wrt(w)).gradient).to_host();
    matrix_cl<double> same = w;
    value_and_gradient_into(m.by_columns()(same), wrt(same), same);
    EXPECT_EQ(same.to_host(), expected);
    EXPECT_NE(w.to_host(), expected);
  });
}

TEST(SmallResults, OfFewAndManyRows) {
  FUSECL_NEEDS_DOUBLE;
  in_both_forms([] {
    for (const std::int64_t rows : {0, 1, 5000}) {
      models m;
      m.x = between(rows, 6);
      const auto checked = check_gradient(m.by_columns(), between(6, 3));
      EXPECT_TRUE(checked.passed(1e-7)) << rows << " rows\n" << checked;
    }
    models none;
    none.x = between(40, 0);
    const auto w = between(0, 2);
    const auto found = value_and_gradient(none.by_columns()(w), wrt(w));
    EXPECT_NEAR(found.value, 40 * (std::log(2.0) + 1), 1e-12);
    EXPECT_EQ(std::get<0>(found.gradient).rows(), 0);
    EXPECT_EQ(std::get<0>(found.gradient).cols(), 2);
  });
}

TEST(SmallResults, FollowFromWhatElseThereIs) {
  FUSECL_NEEDS_DOUBLE;
  const models m;
  in_both_forms([&] {
    const auto f = [&](const auto& w, const auto& c) {
      const auto first = m.x * col(w, 1) - c[0], second = m.x * col(w, 2) - c[1];
      return sum(log1p_exp(first) - elt_multiply(first, exp(-square(second)))) - 0.5 * dot_self(w) -
             sum(exp(c)) + 0.25 * dot_self(c);
    };
    const auto checked = check_gradient(f, between(6, 2), between(3, 1));
    EXPECT_TRUE(checked.passed(1e-7)) << checked;
  });
}

TEST(SmallResults, OfSecondDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  const models m;
  const auto w = between(6, 3), u = between(6, 3);
  const double h = 1e-5;
  const matrix_cl<double> ahead = w + h * u, behind = w - h * u;
  const auto gradient_at = [&](const matrix_cl<double>& at) {
    return std::get<0>(value_and_gradient(m.by_columns()(at), wrt(at)).gradient).to_host();
  };
  in_both_forms([&] {
    const auto product = std::get<0>(hessian_times_vector(m.by_columns()(w), wrt(w), u).product).to_host();
    const Eigen::MatrixXd expected = (gradient_at(ahead) - gradient_at(behind)) / (2 * h);
    EXPECT_LT((product - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
  });
}

TEST(SmallSums, AreTakenWhereTheyAreNeeded) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = between(501, 6), y = between(501, 1);
  const auto with_prior = [&](const auto& beta, const auto& alpha) {
    const auto eta = shared(x * beta);
    return sum(elt_multiply(y, eta) - log1p_exp(eta)) - 0.5 * dot_self(beta) -
           sum(exp(alpha) + square(alpha));
  };
  in_both_forms([&] {
    const auto beta = between(6, 1);
    for (const std::int64_t count : {0, 1, 300}) {
      const auto checked = check_gradient(with_prior, beta, between(count, 1));
      EXPECT_TRUE(checked.passed(1e-7)) << count << "\n" << checked;
    }
    const auto few = between(1024, 1), many = between(1025, 1);
    const auto launched = launches_of(with_prior(beta, few), beta);
    EXPECT_LE(launched, 2u);
    EXPECT_GT(launches_of(with_prior(beta, many), beta), launched);
  });
}

TEST(SmallSums, ThatRowsNeedComeBefore) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = between(501, 6);
  const auto f = [&](const auto& beta) {
    const auto length = shared(dot_self(beta));
    const auto eta = shared(x * beta / sqrt(length));
    return sum(log1p_exp(eta)) - 0.5 * square(length);
  };
  const auto g = [&](const auto& beta) {  // the derivatives by all elements need the sum, too
    return sum(log1p_exp(x * beta)) * exp(-0.1 * dot_self(beta));
  };
  in_both_forms([&] {
    for (int round = 0; round < 2; ++round) {
      const auto of_f = check_gradient(f, between(6, 1)), of_g = check_gradient(g, between(6, 1));
      EXPECT_TRUE(of_f.passed(1e-7)) << of_f;
      EXPECT_TRUE(of_g.passed(1e-7)) << of_g;
    }
  });
}

/// Sums that follow from one another, as a log_sum_exp from the largest element: one of them joins the pass.
TEST(SmallSums, ThatFollowFromOneAnotherAreCompleteInTheirOrder) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = between(7, 3), beta = between(3, 1), d = between(5, 2);
  const Eigen::ArrayXd eta = (x.to_host() * beta.to_host()).array();
  const double prior = std::log(d.to_host().array().exp().sum());
  const Eigen::VectorXd by_beta = x.to_host().transpose() * (1 / (1 + (-eta).exp())).matrix();
  in_both_forms([&] {
    const auto r = value_and_gradient(sum(log1p_exp(x * beta)) + log_sum_exp(d), wrt(beta));
    EXPECT_NEAR(r.value, eta.exp().log1p().sum() + prior, 1e-12);
    EXPECT_LT((std::get<0>(r.gradient).to_host() - by_beta).cwiseAbs().maxCoeff(), 1e-12);
    double total = 0;
    matrix_cl<double> softmax;
    results(total, softmax) =
        expressions(sum(rowwise_softmax(x)) + log_sum_exp(d) * max(d), rowwise_softmax(x));
    EXPECT_NEAR(total, 7 + prior * d.to_host().maxCoeff(), 1e-12);
  });
}

TEST(WholeColumns, AreWhatTheyWereWhenTheMatrixGrows) {
  auto m = random_matrix<float>(4, 3);
  const auto second = 2.0f * col(m, 2);
  const auto third = 2.0f * row(m, 3);
  EXPECT_EQ(matrix_cl<float>(second).to_host(), 2.0f * m.to_host().col(1));
  EXPECT_EQ(matrix_cl<float>(third).to_host(), 2.0f * m.to_host().row(2));
  m = random_matrix<float>(6, 5);
  EXPECT_EQ(matrix_cl<float>(second).to_host(), 2.0f * m.to_host().col(1).head(4));
  EXPECT_EQ(matrix_cl<float>(third).to_host(), 2.0f * m.to_host().row(2).head(3));
  m = random_matrix<float>(4, 2);
  EXPECT_EQ(matrix_cl<float>(second).to_host(), 2.0f * m.to_host().col(1));
  EXPECT_THROW(matrix_cl<float>(third).to_host(), std::out_of_range);
}

}  // namespace
}  // namespace fusecl
