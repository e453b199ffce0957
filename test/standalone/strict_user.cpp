// What a user's file brings to life of the headers, compiled with strict warnings as errors: every family of
// templates once, in both build forms.

#include <cmath>
#include <sstream>
#include <type_traits>

#include <Eigen/Dense>

#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/prepare.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>
#include <primitives/primitives.hpp>

namespace {

using namespace fusecl;

struct huber {
  static constexpr std::string_view name = "huber";
  static constexpr std::array<std::string_view, 2> parameters = {"r", "delta"};
  static constexpr std::string_view body = "return fabs(r) <= delta ? 0.5 * r * r : delta * fabs(r);";
  static auto derivatives(const auto& r, const auto& delta) {
    return std::tuple(fmax(-delta, fmin(r, delta)), fmax(fabs(r) - delta, 0.0));
  }
  static long double host(long double r, long double delta) { return std::fabs(r) * delta; }
};

template <class T>
T language(matrix_cl<T>& a, const matrix_cl<T>& b, const Eigen::Matrix<T, -1, -1>& h) {
  matrix_cl<T> r = exp(a) * 2 + elt_divide(b, a) - pow(a, b) + fma(a, 2, b) + select(a > b, a, 1);
  r += a + h;
  r -= rowwise_broadcast(rowwise_sum(b)) + colwise_broadcast(colwise_max(a)) + rep_matrix(sum(a), 3, 3);
  block(r, 1, 1, 2, 2) = transpose(block(b, 1, 1, 2, 2));
  col(r, 1) += h.col(0);
  diagonal(r) *= short{2};
  r = rowwise_softmax(r) + rowwise_cumulative_sum(a) + log_sum_exp(b) + variance(a) + sd(b) + distance(a, b);
  r = r * col(a, 1) * row(b, 1) + cast<T>(a > b) + user_function<huber>(a, T(2));
  matrix_cl<T> s;
  results(r, s) = expressions(a + b, rowwise_sum(a));
  results(calc_if<false>(s), r) += expressions(a, b);
  scalar_cl<T> total_of_a = sum(a), doubled(2);
  doubled *= total_of_a + 1;
  results(total_of_a, s) = expressions(sum(a) + doubled, a * doubled);
  a = std::vector{1, 2};
  r = rep_matrix<matrix_cl<T>>(T(1), 2, 3) + rep_matrix<matrix_cl<T>>(sum(a), 2, 3);
  const auto again = shared(sqrt(fabs(a)));
  r = again + again + constant(1, 3, 3) + row_index() + col_index();
  std::ostringstream out;
  out << r << a + b << r.view() << explain(r + a);
  const Eigen::Matrix<T, -1, -1> back = r + a;
  prepare(r, a + b);
  double total = std::max(sum(r), 1) + static_cast<double>(back(0, 0));
  total += count(a > 0) + max(b);
  return static_cast<T>(std::sqrt(sum(a)) + mean(r)) + static_cast<T>(total) +
         from_matrix_cl<std::vector<T>>(rowwise_sum(r))[0] + from_matrix_cl<T>(sum(a));
}

template <class T>
double handles(const matrix_cl<T>& a, const Eigen::Matrix<T, Eigen::Dynamic, 1>& host) {
  arena_matrix_cl<T> first(a);
  arena_matrix_cl<T> second;
  second = first;
  second = host;
  block(first, 1, 1, 1, 1) = host.head(1);
  results(first) = expressions(second + host.tail(3));
  return std::sqrt(count(first > T(0))) + std::pow(count(second > T(0)), 2);
}

template <class T>
double derivatives(const matrix_cl<T>& a, const matrix_cl<T>& b) {
  parameter<T> p(T(2));
  const parameter whole = 2;
  static_assert(std::is_same_v<decltype(whole), const parameter<double>>);
  const auto gradient = value_and_gradient(sum(exp(p * a) + user_function<huber>(b, T(1))), wrt(a, b, p));
  matrix_cl<T> da;
  const auto value = value_and_gradient_into(sum(elt_multiply(a, b)), wrt(a), da);
  const auto second = hessian_times_vector(sum(exp(a)), wrt(a), b);
  const auto checked = check_gradient([](const auto& x) { return sum(square(x)); }, a);
  var_value<matrix_cl<T>> v(a);
  var s = 0.5;
  var lp = sum(s * exp(v)) + mean(v);
  lp.grad();
  recover_memory();
  return static_cast<double>(gradient.value + value + second.value + T(whole.value())) +
         (checked.passed(1e-3) ? 1 : 0);
}

}  // namespace

int main() {
  const Eigen::MatrixXf f = Eigen::MatrixXf::Ones(3, 3);
  const Eigen::MatrixXd d = Eigen::MatrixXd::Ones(3, 3);
  matrix_cl<float> a(f), b(f);
  matrix_cl<double> x(d), y(d);
  const matrix_cl<int> i(Eigen::MatrixXi(Eigen::MatrixXi::Ones(3, 3)));
  const int whole = sum(i % 3 + max_2d(i)) + static_cast<int>(dot_self(i));
  return static_cast<double>(language(a, b, f)) + language(x, y, d) + derivatives(a, b) + derivatives(x, y) +
                     handles(x, Eigen::VectorXd(d.col(0))) >
                 whole
             ? 0
             : 1;
}
