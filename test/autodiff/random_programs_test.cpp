// Random programs on the tape: chains of statements, each of which takes values that others left, against
// differences of the same program on matrices. FUSECL_FUZZ_PROGRAMS says how many.

#include <autodiff/fuzz.hpp>
#include <autodiff/numeric.hpp>
#include <autodiff/random_numbers.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;

constexpr int size = 5;  // all values are square, so that any step fits
constexpr int kinds = 43;

/// A new value of two of the same size, about as large as they are.
template <class M, class S>
M step(int kind, const M& a, const M& b) {
  static const matrix_cl<int> rows(Eigen::Matrix<int, size, 1>(4, 0, 2, 2, 1)),
      first(Eigen::Matrix<int, size, 1>::Zero().eval());
  switch (kind) {
    case 0:
      return tanh(a + b);
    case 1:
      return exp(-square(a)) - b * 0.5;
    case 2:
      return elt_multiply(a, inv_logit(b));
    case 3:
      return elt_divide(a, 1.0 + square(b));
    case 4:
      return select(a > b, a, b * 0.5);
    case 5:
      return fmax(a, b) + fmin(a, 0.25);
    case 6:
      return transpose(a) + b;
    case 7:
      return a * b * 0.2;
    case 8:
      return 0.2 * transpose(a) * b;
    case 9:
      return crossprod(a) * 0.2;
    case 10:
      return a * 0.5 + rep_matrix(rowwise_sum(b), size) * 0.1;
    case 11:
      return a - rep_matrix(colwise_max(exp(b) * 1.1), size);
    case 12:
      return rep_matrix(rowwise_min(a * 0.7 + elt_multiply(b, b)), size) - b;
    case 13:
      return rowwise_softmax(a * 2.0) + b * 0.1;
    case 14:
      return colwise_log_softmax(a) * 0.2;
    case 15:
      return softmax(a) * 5.0;
    case 16:
      return rowwise_cumulative_sum(a) * 0.3;
    case 17:
      return colwise_cumulative_sum(elt_multiply(a, b)) * 0.3;
    case 18:
      return a * max(tanh(b));
    case 19:
      return a / (1.0 + square(mean(b)));
    case 20: {
      const S s = sum(square(a)) * 0.1;
      return b * s / (1.0 + s);
    }
    case 21: {
      const S largest = max(a + 0.3 * b);
      return exp(a - largest);
    }
    case 22:
      return indexing(a, rowwise_broadcast(rows), col_index(size, size)) - b * 0.1;
    case 23:
      return append_row(block(a, 1, 1, 2, size), block(b, 3, 1, 3, size));
    case 24:
      return append_col(col(a, 2), block(b, 1, 2, size, size - 1));
    case 25: {
      const auto square_matrix = identity_matrix<double>(size) + a * transpose(a) * 0.2;
      return cholesky_decompose(square_matrix) * 0.5;
    }
    case 26: {
      const M lower = cholesky_decompose(identity_matrix<double>(size) + crossprod(a) * 0.2);
      return mdivide_left_tri_low(lower, b);
    }
    case 27: {
      const M lower = cholesky_decompose(identity_matrix<double>(size) + crossprod(b) * 0.2);
      return tri_inverse(lower) + a * 0.1;
    }
    case 28:
      return diag_pre_multiply(tanh(diagonal(a)), b);
    case 29:
      return diag_post_multiply(a, row(b, 3));
    case 30:
      return a * log_sum_exp(b) * 0.2;
    case 31:
      return rep_matrix(rowwise_log_sum_exp(a), size) - b;
    case 32:
      return log1p_exp(a) - log1p_exp(b);
    case 33:
      return rep_matrix(a * col(b, 1), size) * 0.2;
    case 34:
      return (a - rep_matrix(colwise_mean(a), size)) * 0.5;
    case 35:
      return elt_divide(a - rep_matrix(colwise_mean(a), size), 1.0 + rep_matrix(colwise_sd(a), size));
    case 36:
      return lgamma(2.0 + square(a)) * 0.1 + b * 0.3;
    case 37:
      return a * dot_product(row(a, 2), row(b, 4)) * 0.2;
    case 38: {
      M c = a;
      c += b * 0.5;
      return tanh(c);
    }
    case 39:
      return indexing(a, rowwise_broadcast(first), col_index(size, size)) * 0.5;
    case 40:
      return a * norm(b) * 0.1;
    case 41:
      return rep_matrix(colwise_sum(square(a * b - a)), size) * 0.05;
    default:
      return rep_matrix(colwise_max(rowwise_cumulative_sum(a + b)), size) * 0.3;
  }
}

/// Steps over values of which the first are given; what they make is added up.
class random_program : private random_numbers {
 public:
  static constexpr int given = 3;

  explicit random_program(std::uint64_t seed) : random_numbers(seed) {
    const auto length = pick(2, 7);
    for (std::int64_t k = 0; k < length; ++k) {
      const auto newest = static_cast<int>(given + k - 1);
      const auto some = [&] { return one_in(2) ? newest : static_cast<int>(pick(0, newest)); };
      steps_.push_back({static_cast<int>(pick(0, kinds - 1)), some(), some(), real(-1, 1)});
    }
    for (int k = 0; k < given; ++k) {
      inputs_.push_back(numbers());
      directions_.push_back(numbers());
    }
  }

  std::string text() const {
    std::string all;
    for (const step_taken& s : steps_)
      all += std::to_string(s.kind) + "(" + std::to_string(s.a) + ", " + std::to_string(s.b) + ") ";
    return all;
  }

  /// The derivative in the direction, as the tape has it.
  long double on_tape() const {
    const nested_rev_autodiff forgotten_afterwards;
    std::vector<matrix_var> values;
    for (const Eigen::MatrixXd& x : inputs_) values.emplace_back(matrix(x));
    run<matrix_var, var>(values).grad();
    long double total = 0;
    for (int k = 0; k < given; ++k)
      total += from_matrix_cl(matrix(values[static_cast<std::size_t>(k)].adj()))
                   .cwiseProduct(directions_[k])
                   .sum();
    return total;
  }
  estimate difference() const {
    return derivative_of(
        [&](long double t) -> long double {
          std::vector<matrix> values;
          for (int k = 0; k < given; ++k)
            values.emplace_back(Eigen::MatrixXd(inputs_[k] + static_cast<double>(t) * directions_[k]));
          return run<matrix, double>(values);
        },
        0, 0x1p-9L);
  }

 private:
  struct step_taken {
    int kind, a, b;
    double weight;
  };
  Eigen::MatrixXd numbers() {
    Eigen::MatrixXd m(size, size);
    for (double& x : m.reshaped()) x = real(-1, 1);
    return m;
  }
  template <class M, class S>
  S run(std::vector<M>& values) const {
    S total = 0.0;
    for (const step_taken& s : steps_) {
      values.push_back(
          step<M, S>(s.kind, values[static_cast<std::size_t>(s.a)], values[static_cast<std::size_t>(s.b)]));
      const S part = sum(tanh(values.back()));
      total += s.weight * part;
    }
    return total;
  }

  std::vector<step_taken> steps_;
  std::vector<Eigen::MatrixXd> inputs_, directions_;
};

TEST(RandomPrograms, HaveTheDerivativesOfTheirDifferences) {
  FUSECL_NEEDS_DOUBLE;
  std::uint64_t programs = 0, compared = 0, skipped = 0;
  const std::uint64_t count = number_from_environment("FUSECL_FUZZ_PROGRAMS", 12);
  for_seeds(count, [&](std::uint64_t seed) {
    const random_program program(seed);
    ++programs;
    const long double got = program.on_tape();
    const estimate wanted = program.difference();
    if (!(wanted.error <= 1e-7L * (1 + std::fabs(wanted.value)))) {
      ++skipped;
      return true;
    }
    ++compared;
    if (!(std::fabs(got - wanted.value) <= 1e-5L * (1 + std::fabs(wanted.value))))
      ADD_FAILURE() << "seed " << seed << ": " << static_cast<double>(got) << ", difference "
                    << static_cast<double>(wanted.value) << " +- " << static_cast<double>(wanted.error)
                    << "\nsteps " << program.text();
    return true;
  });
  std::cout << "[ programs ] " << programs << " of " << count << " from seed " << base_seed() << ", "
            << compared << " compared with differences, " << skipped << " next to kinks\n";
  EXPECT_GT(compared, skipped);
  if (programs >= 100) {
    EXPECT_GE(compared, 20 * skipped);
  }
}

}  // namespace
}  // namespace fusecl
