// Gradients through transposes, blocks, rows, columns, segments, diagonals and reversed vectors: against
// differences and forward accumulation, on the tape, and in Hessian products.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class StructureGradient : public ::testing::Test {
 public:
  static constexpr double tolerance = std::is_same_v<T, double> ? 1e-7 : 5e-4;
};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(StructureGradient, floating_types);

TYPED_TEST(StructureGradient, IsThatOfTheElementsRead) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const matrix_cl_view view : {matrix_cl_view::Entire, matrix_cl_view::Lower})
      for (const std::int64_t n : {1, 7}) {
        const auto x = random_matrix<T>(n + 2, n + 2, view, -1, 1);
        const auto y = random_matrix<T>(n, n, matrix_cl_view::Entire, -1, 1);
        parameter<T> p(T(0.75));
        const auto check = [&](const auto& f) {
          const auto checked = check_gradient(f, x, y, p);
          EXPECT_TRUE(checked.passed(StructureGradient<T>::tolerance)) << n << "\n" << checked;
        };
        check([](const auto& a, const auto& b, const auto& s) {
          return sum(exp(transpose(a) * s)) + sum(square(transpose(square(b)) + s));
        });
        check([n](const auto& a, const auto& b, const auto& s) {
          return sum(elt_multiply(exp(block_zero_based(a, 1, 2, n, n)), b)) * s +
                 sum(square(block_zero_based(transpose(exp(a)), 0, 1, n, n) - s * b));
        });
        check([n](const auto& a, const auto& b, const auto& s) {
          return sum(exp(elt_multiply(diagonal(block(a, 2, 2, n, n)), reverse(col(b, n))))) +
                 sum(square(row(exp(b), 1) + s * transpose(segment(col(a, 1), 2, n))));
        });
        check([n](const auto& a, const auto& b, const auto& s) {
          return sum(square(rowwise_sum(transpose(a)) - s)) +
                 sum(elt_multiply(reverse(rowwise_sum(b)), head(col(a, n), n))) + prod(tail(row(b, n), 1));
        });
        check([](const auto& a, const auto& b, const auto& s) {
          return sum(exp(b - rowwise_broadcast(diagonal(b)))) + sum(colwise_max(transpose(a)) * s) +
                 sum(square(rep_matrix(diagonal(b), 3) * s)) + mean(diagonal(square(a)));
        });
      }
  });
}

/// A part of one element is a number to what it combines with, in derivatives as well, which read it beside
/// parts of other matrices.
TYPED_TEST(StructureGradient, OfPartsOfOneElementBesideOtherParts) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const auto w = random_matrix<T>(4, 3, matrix_cl_view::Entire, 1, 2);
    const auto single = random_matrix<T>(1, 1, matrix_cl_view::Entire, 1, 2);
    const auto x = random_matrix<T>(5, 6, matrix_cl_view::Entire, -1, 1);
    const matrix_cl<int> place(std::vector<int>{3});
    const auto check_each = [&](const auto& f) {
      const auto check = [&](const char* name, const auto& weight) {
        const auto checked =
            check_gradient([&](const auto& a, const auto& b) { return f(weight(a), b); }, w, x);
        EXPECT_TRUE(checked.passed(StructureGradient<T>::tolerance)) << name << "\n" << checked;
      };
      check("tail", [](const auto& a) { return tail(col(a, 2), 1); });
      check("block", [](const auto& a) { return block(a, 3, 2, 1, 1); });
      check("turned", [](const auto& a) { return transpose(block(a, 2, 3, 1, 1)); });
      check("diagonal", [](const auto& a) { return diagonal(row(a, 3)); });
      check("reversed", [](const auto& a) { return reverse(head(row(a, 2), 1)); });
      check("whole", [&](const auto& a) { return single * sum(a); });
      check("of one", [&](const auto& a) { return diagonal(single) * sum(a); });
    };
    check_each([](const auto& q, const auto& b) {
      return sum(elt_multiply(q, colwise_sum(exp(col(b, 2))))) +
             sum(elt_multiply(q, rowwise_sum(exp(row(b, 3))))) + sum(q * row(b, 2)) +
             sum(q * sum(exp(block(b, 2, 2, 3, 4)))) + sum(square(q - colwise_prod(col(b, 5))));
    });
    check_each([&](const auto& q, const auto& b) {
      return sum(elt_multiply(q, segment(row(b, 2), 2, 5) * col(b, 3))) +
             sum(elt_multiply(q, take_rows(col(b, 4), place))) +
             sum(elt_multiply(q, take_rows(exp(col(b, 1)), place))) +
             sum(select(q > T(0), elt_multiply(q, colwise_sum(square(col(b, 2)))), T(0)));
    });
  });
}

TYPED_TEST(StructureGradient, OfAppendedScalars) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const std::int64_t n : {1, 9}) {
      const auto x = random_matrix<T>(n, 1, matrix_cl_view::Entire, -1, 1);
      const auto w = random_matrix<T>(n + 2, 1, matrix_cl_view::Entire, -1, 1);
      parameter<T> p(T(0.75));
      const auto checked = check_gradient(
          [](const auto& a, const auto& b, const auto& s) {
            return sum(elt_multiply(exp(append_row(append_row(s * s, a), s)), b)) +
                   sum(square(append_col(transpose(a), sum(a) * s)));
          },
          x, w, p);
      EXPECT_TRUE(checked.passed(StructureGradient<T>::tolerance)) << n << "\n" << checked;
    }
  });
}

TEST(StructureGradients, MessagesNameTheOperatorThatWasWritten) {
  var_value<matrix_cl<float>> x(random_matrix<float>(7, 5));
  const auto wide = random_matrix<float>(2, 9);
  const auto expect_named = [](const std::string& name, const auto& f) {
    try {
      f();
      ADD_FAILURE() << name;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).find(name + ": "), 0u) << e.what();
    }
  };
  expect_named("operator+=", [&] { x += wide; });
  expect_named("operator-=", [&] { x -= wide; });
  expect_named("operator*=", [&] { x *= wide; });
  recover_memory();
}

TEST(StructureGradients, AppendedVariablesOfTheTape) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> data(host<double>((host<double>(3, 1) << 1, 2, 3).finished()));
  var_value<matrix_cl<double>> v(data);
  var s = 4.0;
  var lp = sum(square(append_row(append_row(s, v), host<double>::Constant(2, 1, 5.0))));
  EXPECT_EQ(lp.val(), 16 + 14 + 50);
  lp.grad();
  EXPECT_EQ(s.adj(), 8);
  EXPECT_EQ(from_matrix_cl(v.adj()), from_matrix_cl(data) * 2);
  recover_memory();
}

TEST(StructureGradients, GoThroughTheTape) {
  FUSECL_NEEDS_DOUBLE;
  const auto data = random_matrix<double>(6, 5);
  const host<double> h = data.to_host();
  var_value<matrix_cl<double>> x(data);
  var scale = 0.5;
  var_value<matrix_cl<double>> y = transpose(x) * scale;
  var_value<matrix_cl<double>> z =
      block_zero_based(y, 1, 2, 3, 4) + transpose(block_zero_based(x, 2, 1, 4, 3));
  var lp = sum(square(z)) + sum(diagonal(x));
  lp.grad();
  host<double> adjoint = host<double>::Zero(6, 5);
  double of_scale = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      const double value = 1.5 * h(j + 2, i + 1);
      adjoint(j + 2, i + 1) += 2 * value * 1.5;
      of_scale += 2 * value * h(j + 2, i + 1);
    }
  for (int i = 0; i < 5; ++i) adjoint(i, i) += 1;
  EXPECT_LT((x.adj().to_host() - adjoint).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(scale.adj(), of_scale, 1e-10 * std::abs(of_scale));
  recover_memory();
}

TEST(StructureGradients, ABlockThatIsAssignedLeavesTheTapeItsValues) {
  FUSECL_NEEDS_DOUBLE;
  auto weights = random_matrix<double>(6, 5);
  const host<double> before = weights.to_host();
  var_value<matrix_cl<double>> x(random_matrix<double>(6, 5));
  var_value<matrix_cl<double>> y = elt_multiply(x, weights);
  block_zero_based(weights, 1, 1, 3, 2) = 0.0;
  var lp = sum(y);
  lp.grad();
  EXPECT_EQ(x.adj().to_host(), before);
  host<double> after = before;
  after.block(1, 1, 3, 2).setZero();
  EXPECT_EQ(weights.to_host(), after);
  recover_memory();
}

TEST(StructureGradients, HaveSecondDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(5, 5, matrix_cl_view::Entire, -1, 1);
  const matrix_cl<double> direction = random_matrix<double>(5, 5);
  const auto f = [](const auto& a) {
    return sum(exp(diagonal(a))) + sum(elt_multiply(transpose(a), square(a)));
  };
  const auto second = hessian_times_vector(f(x), wrt(x), direction);
  const auto gradient_at = [&](double step) {
    const matrix_cl<double> moved = x + direction * step;
    return std::get<0>(value_and_gradient(f(moved), wrt(moved)).gradient).to_host();
  };
  const host<double> difference = (gradient_at(1e-4) - gradient_at(-1e-4)) / 2e-4;
  EXPECT_LT((std::get<0>(second.product).to_host() - difference).cwiseAbs().maxCoeff(), 1e-5);
}

/// The largest of what is computed from a part is found again where the adjoint of the part is made.
TEST(StructureGradients, OfTheLargestOfAPartBelongToOneElement) {
  const auto x = random_matrix<float>(19, 19, matrix_cl_view::Entire, -2, 2);
  const auto y = random_matrix<float>(19, 1, matrix_cl_view::Entire, -2, 2);
  const auto bounded = [](const auto& a) { return elt_multiply(a, rsqrt(1.0f + square(a))); };
  for (const int column : {0, 3, 5, 8, 11, 16, 18}) {
    const auto part = shared(multiply_log(bounded(col(x, column + 1)) * 2.436338f - 0.0398355f,
                                          bounded(y) * 1.2606807f + 1.5021026f));
    const auto result = value_and_gradient(max_2d(part) * 0.5f + sum(bounded(part)), wrt(x));
    const auto smooth = value_and_gradient(sum(bounded(part)), wrt(x));
    const host<float> of_largest =
        std::get<0>(result.gradient).to_host() - std::get<0>(smooth.gradient).to_host();
    EXPECT_EQ((of_largest.array().abs() > 1e-4f).count(), 1) << "column " << column;
  }
}

/// A row vector among sums of rows: vectors of its elements are what vectors of sums are.
TEST(StructureGradients, OfARowThatMeetsSumsOfRows) {
  in_both_forms([] {
    const auto x = random_matrix<float>(7, 3, matrix_cl_view::Entire, -1, 1);
    const auto r = random_matrix<float>(1, 7, matrix_cl_view::Entire, -1, 1);
    const auto checked = check_gradient(
        [](const auto& a, const auto& b) { return sum(exp(transpose(b) + rowwise_sum(a))); }, x, r);
    EXPECT_TRUE(checked.passed(1e-2)) << checked;
    const auto gradient = value_and_gradient(sum(exp(transpose(r) + rowwise_sum(x))), wrt(r));
    const host<float> wanted =
        (r.to_host().transpose() + x.to_host().rowwise().sum()).array().exp().matrix().transpose();
    EXPECT_LT((std::get<0>(gradient.gradient).to_host() - wanted).cwiseAbs().maxCoeff(), 1e-5f);
  });
}

/// The halves of a vector, one through tanh, added, and of the result the same again.
template <int Levels, class E>
auto folded(const E& e, std::int64_t elements) {
  if constexpr (Levels == 0) {
    return e;
  } else {
    const auto whole = shared(folded<Levels - 1>(e, 2 * elements));
    return tanh(head(whole, elements)) + tail(whole, elements);
  }
}
/// That and its derivatives on the host.
double folded_on_host(const Eigen::VectorXd& x, Eigen::VectorXd& adjoint) {
  const Eigen::Index half = x.size() / 2;
  if (half == 0) {
    adjoint = Eigen::VectorXd::Ones(1);
    return x[0];
  }
  const Eigen::VectorXd first = x.head(half).array().tanh();
  Eigen::VectorXd of_sum;
  const double value = folded_on_host(first + x.tail(half), of_sum);
  adjoint.resize(x.size());
  adjoint << of_sum.cwiseProduct((1 - first.array().square()).matrix()), of_sum;
  return value;
}

/// Each level reads the one before at two places, and its derivative that of the next: kernels grow with the
/// levels, and do not double with each.
TEST(StructureGradients, OfPartsOfPartsGrowWithTheirNumber) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(256, 1, matrix_cl_view::Entire, -1, 1);
  Eigen::VectorXd wanted;
  const double value = folded_on_host(from_matrix_cl<Eigen::VectorXd>(x), wanted);
  const auto e = sum(folded<8>(as_operation_cl(x), 1));
  std::size_t letters = 0;
  for (const auto& kernel : explain(e, wrt(x)).kernels) letters += kernel.source.size();
  EXPECT_LT(letters, 100000u);
  in_both_forms([&] {
    const auto result = value_and_gradient(e, wrt(x));
    EXPECT_NEAR(result.value, value, 1e-12);
    const Eigen::VectorXd got = from_matrix_cl<Eigen::VectorXd>(std::get<0>(result.gradient));
    EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(), 1e-12);
  });
}

template <int Pieces>
auto appended(const std::vector<matrix_cl<double>>& pieces) {
  if constexpr (Pieces == 1)
    return as_operation_cl(pieces[0]);
  else
    return append_row(pieces[Pieces - 1], tanh(appended<Pieces - 1>(pieces)));
}

TEST(StructureGradients, OfManyAppendedVectors) {
  FUSECL_NEEDS_DOUBLE;
  constexpr int count = 16;
  std::vector<matrix_cl<double>> pieces;
  Eigen::VectorXd wanted;
  for (int k = 0; k < count; ++k) {
    pieces.push_back(random_matrix<double>(2 + k % 3, 1, matrix_cl_view::Entire, -1, 1));
    const Eigen::VectorXd piece = from_matrix_cl<Eigen::VectorXd>(pieces[k]), before = wanted.array().tanh();
    wanted.resize(piece.size() + before.size());
    wanted << piece, before;
  }
  const auto e = appended<count>(pieces);
  std::size_t letters = 0;
  for (const auto& kernel : explain(e).kernels) letters += kernel.source.size();
  EXPECT_LT(letters, 100000u);
  const Eigen::VectorXd got = from_matrix_cl<Eigen::VectorXd>(matrix_cl<double>(e));
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(), 1e-14);
  const auto result = value_and_gradient(sum(appended<8>(pieces)), wrt(pieces[0]));
  Eigen::VectorXd x = from_matrix_cl<Eigen::VectorXd>(pieces[0]), by_x = Eigen::VectorXd::Ones(2);
  for (int k = 1; k < 8; ++k) {
    x = x.array().tanh();
    by_x.array() *= 1 - x.array().square();
  }
  const Eigen::VectorXd gradient = from_matrix_cl<Eigen::VectorXd>(std::get<0>(result.gradient));
  EXPECT_LT((gradient - by_x).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(StructureGradients, OfADiagonalIsDiagonal) {
  FUSECL_NEEDS_DOUBLE;
  const auto x = random_matrix<double>(5, 7);
  const auto result = value_and_gradient(sum(square(diagonal(x))), wrt(x));
  EXPECT_EQ(std::get<0>(result.gradient).view(), matrix_cl_view::Diagonal);
}

}  // namespace
}  // namespace fusecl
