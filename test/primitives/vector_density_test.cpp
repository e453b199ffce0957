// Densities of vectors and classes against vector_densities.csv, which tools/density_table.py writes, in
// every mixture of data and variables; what they cost, their limits, and what they refuse.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <support/messages.hpp>
#include <support/numbers_in.hpp>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace fusecl::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1e-12;

/// The arguments of a line, column-major.
using host_matrix = Eigen::MatrixXd;

struct reference {
  list_of<host_matrix> arguments;
  std::vector<double> numbers;  ///< value and scale, then those of the derivatives
};

std::multimap<std::string, reference> read_references() {
  std::multimap<std::string, reference> all;
  std::ifstream file(FUSECL_TEST_DIR "/primitives/vector_densities.csv");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    reference row{{}, numbers_in(line.substr(second + 1))};
    std::istringstream arguments(line.substr(first + 1, second - first - 1));
    for (std::string text; std::getline(arguments, text, ';');) {
      const std::vector<double> given = numbers_in(text);
      row.arguments.emplace_back(Eigen::Map<const host_matrix>(
          given.data() + 2, static_cast<Eigen::Index>(given[0]), static_cast<Eigen::Index>(given[1])));
    }
    all.emplace(line.substr(0, first), row);
  }
  return all;
}

matrix_cl<int> whole(const host_matrix& m, bool as_vector) {
  const Eigen::MatrixXi numbers = m.cast<int>();
  return as_vector ? matrix_cl<int>(Eigen::MatrixXi(numbers.transpose())) : matrix_cl<int>(numbers);
}

void expect_close(double got, const double* want, const std::string& what) {
  EXPECT_LE(std::fabs(got - want[0]), tolerance * want[1])
      << what << " is " << got << ", should be " << want[0] << ", relative error "
      << std::fabs(got - want[0]) / want[1];
}

/// Compares the value, and the derivatives by those of the arguments that are variables.
template <class Density>
void compare(const reference& row, std::size_t counts, unsigned variables, const Density& density,
             const std::string& what) {
  std::vector<var_value<matrix_cl<double>>> made;
  const auto on_device = [](const host_matrix& m) { return matrix_cl<double>(m); };
  for (std::size_t k = counts; k < row.arguments.size(); ++k) made.emplace_back(on_device(row.arguments[k]));
  const var value = density(made);
  value.grad();
  expect_close(value.val(), row.numbers.data(), what);
  const double* want = row.numbers.data() + 2;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto adjoint = from_matrix_cl<host_matrix>(made[k].adj());
    for (Eigen::Index e = 0; e < adjoint.size(); ++e, want += 2)
      if (variables >> k & 1)
        expect_close(adjoint(e), want,
                     what + " derivative " + std::to_string(k + 1) + ", " + std::to_string(e));
  }
  recover_memory();
}

/// Calls `test` with every line of a function.
template <class Test>
void for_each_row(const std::string& name, const Test& test) {
  static const std::multimap<std::string, reference> all = read_references();
  int number = 0;
  const auto [first, last] = all.equal_range(name);
  for (auto row = first; row != last; ++row) test(row->second, name + " " + std::to_string(number++));
  EXPECT_GT(number, 5) << name;
}

/// A function of one vector of counts, or classes as a number or vector, and one of variables.
template <class Density>
void check_counts_and_vector(const std::string& name, bool classes, const Density& density) {
  for_each_row(name, [&](const reference& row, const std::string& what) {
    compare(
        row, 1, 1u,
        [&](auto& v) {
          if (classes && row.arguments[0].size() == 1)
            return density(static_cast<int>(row.arguments[0](0, 0)), v[0]);
          return density(whole(row.arguments[0], classes), v[0]);
        },
        what);
    expect_close(density(whole(row.arguments[0], classes), matrix_cl<double>(row.arguments[1])),
                 row.numbers.data(), what + " of data");
  });
}

TEST(VectorDensity, CategoricalHasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  check_counts_and_vector("categorical_lpmf", true,
                          [](const auto& n, const auto& theta) { return categorical_lpmf(n, theta); });
}

TEST(VectorDensity, CategoricalLogitHasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  check_counts_and_vector("categorical_logit_lpmf", true,
                          [](const auto& n, const auto& beta) { return categorical_logit_lpmf(n, beta); });
}

TEST(VectorDensity, MultinomialHasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  check_counts_and_vector("multinomial_lpmf", false,
                          [](const auto& n, const auto& theta) { return multinomial_lpmf(n, theta); });
}

TEST(VectorDensity, OrderedLogisticHasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  for_each_row("ordered_logistic_lpmf", [&](const reference& row, const std::string& what) {
    const bool one_class = row.arguments[0].size() == 1, one_lambda = row.arguments[1].size() == 1;
    const matrix_cl<int> y = whole(row.arguments[0], true);
    const int class_of_all = static_cast<int>(row.arguments[0](0));
    const double lambda_of_all = row.arguments[1](0);
    const matrix_cl<double> cuts(row.arguments[2]);
    const auto density = [&](const auto& lambda, const auto& points) {
      return one_class ? ordered_logistic_lpmf(class_of_all, lambda, points)
                       : ordered_logistic_lpmf(y, lambda, points);
    };
    if (!one_lambda) {
      compare(
          row, 1, 3u, [&](auto& v) { return density(v[0], v[1]); }, what);
      if (cuts.cols() != 1) return;
      compare(
          row, 1, 1u, [&](auto& v) { return density(v[0], cuts); }, what + " data cuts");
      return;
    }
    compare(
        row, 1, 2u, [&](auto& v) { return density(lambda_of_all, v[1]); }, what + " number");
    var lambda = lambda_of_all;
    density(lambda, cuts).grad();
    expect_close(lambda.adj(), row.numbers.data() + 2, what + " variable number");
    recover_memory();
  });
}

TEST(VectorDensity, DirichletHasValueAndDerivatives) {
  FUSECL_NEEDS_DOUBLE;
  for_each_row("dirichlet_lpdf", [&](const reference& row, const std::string& what) {
    const matrix_cl<double> theta(row.arguments[0]), alpha(row.arguments[1]);
    compare(
        row, 0, 3u, [&](auto& v) { return dirichlet_lpdf(v[0], v[1]); }, what);
    expect_close(dirichlet_lpdf(theta, alpha), row.numbers.data(), what + " of data");
    if (theta.cols() != alpha.cols()) return;
    compare(
        row, 0, 1u, [&](auto& v) { return dirichlet_lpdf(v[0], alpha); }, what + " data alpha");
    compare(
        row, 0, 2u, [&](auto& v) { return dirichlet_lpdf(theta, v[1]); }, what + " data theta");
  });
}

/// Calls that differ in data only differ by a constant, up to which they are the same.
TEST(VectorDensity, UpToAConstantKeepsWhatVaries) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> p(std::vector<double>{0.25, 0.5, 0.25}), q(std::vector<double>{0.5, 0.125, 0.375}),
      a(std::vector<double>{1.5, 2, 3});
  const matrix_cl<int> n(std::vector<int>{2, 0, 3});
  const auto differ = [](const auto& all, const auto& kept, const auto& x, const auto& y) {
    using variable = var_value<matrix_cl<double>>;
    const double whole_step = all(variable(x)).val() - all(variable(y)).val();
    EXPECT_NEAR(kept(variable(x)).val() - kept(variable(y)).val(), whole_step, 1e-13);
    EXPECT_NE(whole_step, 0);
  };
  differ([&](const auto& v) { return dirichlet_lpdf(v, a); },
         [&](const auto& v) { return dirichlet_lpdf<true>(v, a); }, p, q);
  differ([&](const auto& v) { return dirichlet_lpdf(p, v); },
         [&](const auto& v) { return dirichlet_lpdf<true>(p, v); }, a, q);
  differ([&](const auto& v) { return multinomial_lpmf(n, v); },
         [&](const auto& v) { return multinomial_lpmf<true>(n, v); }, p, q);
  EXPECT_EQ((dirichlet_lpdf<true>(p, a)), 0);
  EXPECT_EQ((multinomial_lpmf<true>(n, p)), 0);
  EXPECT_EQ((categorical_lpmf<true>(1, p)), 0);
  EXPECT_EQ((categorical_logit_lpmf<true>(1, p)), 0);
  EXPECT_EQ((ordered_logistic_lpmf<true>(1, 0.5, a)), 0);
  recover_memory();
}

TEST(VectorDensity, HasTheseLimits) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> sure(std::vector<double>{0, 1}), none(0, 1), no_outcomes(3, 0);
  EXPECT_EQ(categorical_lpmf(1, sure), -infinity);
  EXPECT_EQ(categorical_lpmf(2, sure), 0);
  EXPECT_EQ(categorical_lpmf(matrix_cl<int>(std::vector<int>{2, 2}), sure), 0);
  EXPECT_EQ(categorical_logit_lpmf(1, matrix_cl<double>(std::vector<double>{1000, -1000})), 0);
  EXPECT_EQ(categorical_logit_lpmf(2, matrix_cl<double>(std::vector<double>{1000, -1000})), -2000);
  EXPECT_EQ(categorical_lpmf(matrix_cl<int>(0, 1), sure), 0);
  EXPECT_EQ(multinomial_lpmf(matrix_cl<int>(std::vector<int>{0, 7}), sure), 0);
  EXPECT_EQ(multinomial_lpmf(matrix_cl<int>(std::vector<int>{1, 7}), sure), -infinity);
  EXPECT_EQ(multinomial_lpmf(matrix_cl<int>(std::vector<int>{0, 0}), sure), 0);
  EXPECT_EQ(dirichlet_lpdf(sure, 1.0), 0);
  EXPECT_EQ(dirichlet_lpdf(sure, 2.0), -infinity);
  EXPECT_EQ(dirichlet_lpdf(sure, 0.5), infinity);
  EXPECT_EQ(dirichlet_lpdf(no_outcomes, 1.0), 0);
  EXPECT_EQ(ordered_logistic_lpmf(1, 0.5, none), 0);
  EXPECT_EQ(ordered_logistic_lpmf(matrix_cl<int>(0, 1), matrix_cl<double>(0, 1), sure), 0);
  EXPECT_NEAR(ordered_logistic_lpmf(2, 0.5, 0.5), -std::log(2.0), 1e-16);
}

TEST(VectorDensity, NumbersAndRowsAreVectors) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> p(std::vector<double>{0.25, 0.5, 0.25}),
      row(std::vector<double>{0.25, 0.5, 0.25}, 1, 3);
  const matrix_cl<int> n(std::vector<int>{1, 3, 1}), n_row(std::vector<int>{1, 3, 1}, 1, 3);
  EXPECT_DOUBLE_EQ(categorical_lpmf(n_row, row), categorical_lpmf(n, p));
  EXPECT_DOUBLE_EQ(multinomial_lpmf(n_row, row), multinomial_lpmf(n, p));
  EXPECT_DOUBLE_EQ(dirichlet_lpdf(row, 2.0),
                   dirichlet_lpdf(p, matrix_cl<double>(std::vector<double>{2, 2, 2})));
  var alpha = 2;
  dirichlet_lpdf(p, alpha).grad();  // n psi(n alpha) - n psi(alpha) + sum(log(p)), psi(6) - psi(2) = 77/60
  EXPECT_NEAR(alpha.adj(), 3 * 77.0 / 60 + 5 * std::log(0.5), 1e-14);
  var eta = 0.25;
  const matrix_cl<double> cuts(std::vector<double>{-1, 0.5});
  const var one_for_all = ordered_logistic_lpmf(n, eta, cuts);
  double sum = 0;
  for (const int y : {1, 3, 1}) sum += ordered_logistic_lpmf(y, 0.25, cuts);
  EXPECT_NEAR(one_for_all.val(), sum, 1e-14);
  recover_memory();
}

/// Launches (in the forms for CPUs) and waits of a second call with its gradient.
template <class Density>
void expect_cost(const char* what, std::uint64_t launches, const Density& density) {
  const auto call = [&] {
    density().grad();
    recover_memory();
  };
  call();
  const counters before = runtime_counters();
  call();
  const counters used = runtime_counters() - before;
  if (!std::getenv("FUSECL_SCHEDULE")) {
    EXPECT_LE(used.launches, launches) << what;
  }
  EXPECT_LE(used.host_waits, 1u) << what;
}

TEST(VectorDensity, AWarmCallWaitsOnce) {
  FUSECL_NEEDS_DOUBLE;
  const std::vector<double> numbers{0.25, 0.5, 0.25};
  const matrix_cl<double> p(numbers), cuts(std::vector<double>{-1, 0.5});
  const matrix_cl<int> n(std::vector<int>{1, 3, 1, 2}), n_of_three(std::vector<int>{1, 3, 1});
  const matrix_cl<double> four = rep_matrix(p, 4);
  using variable = var_value<matrix_cl<double>>;
  expect_cost("categorical", 5, [&] { return categorical_lpmf(n, variable(p)); });
  expect_cost("categorical in columns", 3, [&] { return categorical_lpmf(n, variable(four)); });
  expect_cost("categorical_logit", 8, [&] { return categorical_logit_lpmf(n, variable(p)); });
  expect_cost("categorical_logit in columns", 8, [&] { return categorical_logit_lpmf(n, variable(four)); });
  expect_cost("ordered_logistic", 5, [&] { return ordered_logistic_lpmf(n, 0.5, variable(cuts)); });
  expect_cost("multinomial", 4, [&] { return multinomial_lpmf(n_of_three, variable(p)); });
  expect_cost("dirichlet", 8, [&] { return dirichlet_lpdf(four, variable(p)); });
}

TEST(VectorDensity, SaysWhatIsWrong) {
  FUSECL_NEEDS_DOUBLE;
  using std::domain_error, std::invalid_argument;
  const auto reals = [](std::vector<double> v) { return matrix_cl<double>(v); };
  const auto wholes = [](std::vector<int> v) { return matrix_cl<int>(v); };
  const matrix_cl<double> p = reals({0.25, 0.5, 0.25});
  EXPECT_EQ(message_of<domain_error>([&] {
              categorical_lpmf(wholes({1, 4, 2}), p);
            }),
            "categorical_lpmf: element of outcome array[2] is 4, but must be in the interval [1, number of "
            "categories]!");
  EXPECT_EQ(message_of<domain_error>([&] { categorical_lpmf(0, p); }),
            "categorical_lpmf: element of outcome array is 0, but must be in the interval [1, number of "
            "categories]!");
  EXPECT_EQ(message_of<domain_error>([&] {
              categorical_lpmf(1, reals({0.25, 0.5, 0.5}));
            }),
            "categorical_lpmf: sum of Probabilities parameter[1] is 1.25, but must be 1!");
  EXPECT_EQ(message_of<domain_error>([&] {
              categorical_lpmf(1, reals({0.5, -0.5, 1}));
            }),
            "categorical_lpmf: Probabilities parameter[2] is -0.5, but must be nonnegative!");
  EXPECT_EQ(message_of<domain_error>([&] {
              categorical_logit_lpmf(1, reals({0, 1, infinity}));
            }),
            "categorical_logit_lpmf: log odds parameter[3] is inf, but must be finite!");
  EXPECT_EQ(message_of<domain_error>([&] {
              multinomial_lpmf(wholes({1, -2, 3}), p);
            }),
            "multinomial_lpmf: Number of trials variable[2] is -2, but must be nonnegative!");
  EXPECT_EQ(message_of<domain_error>([&] {
              dirichlet_lpdf(p, reals({1, 0, 1}));
            }),
            "dirichlet_lpdf: prior sample sizes[2] is 0, but must be positive!");
  EXPECT_EQ(message_of<domain_error>([&] {
              ordered_logistic_lpmf(1, 0.5, reals({0, 1, 1}));
            }),
            "ordered_logistic_lpmf: Cut-points[3] is 1, but must be greater than the one before it!");
  EXPECT_EQ(message_of<domain_error>([&] {
              ordered_logistic_lpmf(5, 0.5, reals({0, 1, 2}));
            }),
            "ordered_logistic_lpmf: Random variable is 5, but must be in the interval [1, number of "
            "categories]!");
  EXPECT_EQ(message_of<domain_error>([&] {
              ordered_logistic_lpmf(1, infinity, reals({0, 1, 2}));
            }),
            "ordered_logistic_lpmf: Location parameter is inf, but must be finite!");
  EXPECT_NE(message_of<invalid_argument>([&] {
              dirichlet_lpdf(p, reals({1, 2}));
            }).find("(3 x 1) and prior sample sizes (2 x 1)"),
            std::string::npos);
  EXPECT_NE(
      message_of<invalid_argument>([&] { categorical_lpmf(1, matrix_cl<double>(0, 1)); }).find("size 0"),
      std::string::npos);
  EXPECT_NE(message_of<invalid_argument>([&] {
              categorical_lpmf(wholes({1, 2, 3}), matrix_cl<double>(3, 2));
            }).find("(3 x 2)"),
            std::string::npos);
  EXPECT_FALSE(message_of<invalid_argument>([&] { multinomial_lpmf(wholes({1, 2}), p); }).empty());
  EXPECT_FALSE(message_of<invalid_argument>([&] { multinomial_lpmf(3, 0.5); }).empty());
  // the context is of use afterwards
  EXPECT_NEAR(categorical_lpmf(2, p), std::log(0.5), 1e-16);
}

}  // namespace
}  // namespace fusecl::test
