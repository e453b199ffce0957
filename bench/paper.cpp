// The single pieces behind the figures of the paper (Cesnovar et al., GPU-based Parallel Computation Support
// for Stan), for bench/paper_figures.py: the Cholesky decomposition, its gradient and both, on the paper's
// Toeplitz matrices, log density and gradient of its two examples, and what their parts cost.

#include <chrono>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>

#include <primitives/primitives.hpp>

#include "../examples/sample_logistic/posterior.hpp"
#include "ceilings.hpp"

namespace fusecl::bench {
namespace {

using host = Eigen::MatrixXd;
using matrix = matrix_cl<double>;

/// n - |i - j|, on the diagonal n^2.
host toeplitz(std::int64_t n) {
  const auto size = static_cast<double>(n);
  return host::NullaryExpr(n, n, [size](Eigen::Index i, Eigen::Index j) {
    return i == j ? size * size : size - std::fabs(static_cast<double>(i - j));
  });
}

/// The adjoint of a covariance by that of its factor, of which the lower triangle counts:
/// transpose(inverse(L)) P inverse(L), P the lower triangle of transpose(L) A with half its diagonal, and of
/// that the sum with its transpose, but for the diagonal once (I. Murray, Differentiation of the Cholesky
/// decomposition, 2016).
host gradient_on_host(const host& l, const host& adjoint) {
  host p = l.transpose().triangularView<Eigen::Upper>() * adjoint;
  p.diagonal() /= 2;
  p.triangularView<Eigen::StrictlyUpper>().setZero();
  const auto factor = l.triangularView<Eigen::Lower>();
  factor.transpose().solveInPlace(p);
  factor.solveInPlace<Eigen::OnTheRight>(p);
  host sum = p + p.transpose();
  sum.diagonal() = p.diagonal();
  return sum.triangularView<Eigen::Lower>();
}

/// Whether the largest difference is below 1e-9 of the largest element.
bool near(const host& found, const host& wanted) {
  return ((found - wanted).array().abs() <= 1e-9 * (1e-300 + wanted.cwiseAbs().maxCoeff())).all();  // no NaN
}

/// Eigen beside the device: in turns with it where a run is short, timed once where it is long, and left out
/// where it would take minutes.
class on_host {
 public:
  on_host(double flops, std::function<void()> run)
      : in_turns_(flops <= 5e9), runs_(flops <= 4e11), run_(std::move(run)) {}

  /// Whether there are results to compare, after report().
  bool runs() const { return runs_; }
  void join(comparison& all) const {
    if (in_turns_) all.add("eigen", runs_on::host, run_);
  }
  void report(benchmark::State& state, const comparison& all) const {
    all.report(state);
    if (!runs_) return;
    const auto start = std::chrono::steady_clock::now();
    run_();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (in_turns_) return;
    state.counters["eigen_us"] = seconds * 1e6;
    state.counters["eigen_x"] = seconds / all.seconds();
  }

 private:
  bool in_turns_, runs_;
  std::function<void()> run_;
};

double cube(std::int64_t n) { return std::pow(static_cast<double>(n), 3); }

enum class part { factor, gradient, both };

void run_cholesky(benchmark::State& state, part measured, std::int64_t n) {
  const host s = toeplitz(n), adjoint = host::Random(n, n).triangularView<Eigen::Lower>();
  const matrix s_cl(s), adjoint_cl(adjoint);
  matrix factor, by_s;
  host l, by_hand;
  const auto decompose = [&] { l = s.llt().matrixL(); };
  const auto differentiate = [&] { by_hand = gradient_on_host(l, adjoint); };

  comparison all;
  const nested_rev_autodiff nested;
  std::optional<var_value<matrix>> variable, result;
  double flops = cube(n) / 3;
  std::function<void()> with_eigen = decompose;
  switch (measured) {
    case part::factor:
      all.add("cholesky", runs_on::device, [&] { factor = cholesky_decompose(s_cl); });
      break;
    case part::gradient:
      variable.emplace(s_cl);
      result.emplace(cholesky_decompose(*variable));
      l = from_matrix_cl(result->val());
      all.add("gradient", runs_on::device, [&] {
        set_zero_all_adjoints_nested();
        result->adj() = adjoint_cl;
        grad();
      });
      flops = 3 * cube(n);
      with_eigen = differentiate;
      break;
    case part::both:
      all.add("both", runs_on::device, [&] {
        const auto weighted = sum(elt_multiply(adjoint_cl, cholesky_decompose(s_cl)));
        by_s = std::get<0>(value_and_gradient(weighted, wrt(s_cl)).gradient);
      });
      flops = 3.4 * cube(n);
      with_eigen = [&] {
        decompose();
        differentiate();
      };
  }
  const on_host eigen(flops, with_eigen);
  eigen.join(all);
  all.measure();
  eigen.report(state, all);
  if (!eigen.runs()) return;
  if (measured == part::gradient) by_s = variable->adj();
  const bool agree = measured == part::factor
                         ? near(from_matrix_cl(factor), l)
                         : near(host(from_matrix_cl(by_s).triangularView<Eigen::Lower>()), by_hand);
  if (!agree) state.SkipWithError("the result differs from Eigen's");
}

/// The paper's logistic regression at the positions of so many chains, as examples/sample_logistic evaluates
/// it: from positions on the host to values and gradients on the host.
template <int Chains>
void run_logistic(benchmark::State& state, std::int64_t n, std::int64_t k) {
  const host uniform = Eigen::Map<const host>(random_values(0, n * k), n, k);
  const host host_x = ((uniform.array() - 0.55) / 0.26).matrix();  // mean 0, standard deviation 1
  const Eigen::VectorXd host_y =
      (3 * host_x.col(0).array() - 2 * host_x.col(1).array() + 1 > 0).cast<double>();
  const host at = host::Random(k + 1, Chains) / std::sqrt(static_cast<double>(k));
  const matrix x(host_x), y(host_y);
  sampling::device_columns columns(Chains);
  const auto density = [&](int j) {
    return example::logistic_log_density(y, x, columns.positions(), j, 0.0);
  };

  comparison all;
  Eigen::VectorXd values(Chains);
  host gradients(k + 1, Chains);
  all.add("fused", runs_on::device, [&] { columns.evaluate(at, values, gradients, density); });
  all.add("value", runs_on::device, [&] {
    constexpr int together = std::min(Chains, sampling::device_columns::most);
    for (int first = 0; first < Chains; first += together) {  // as many statements as above
      const double sum = [&]<int... J>(std::integer_sequence<int, J...>) {
        return static_cast<double>((... + density(J + 1)));
      }
      (std::make_integer_sequence<int, together>());
      benchmark::DoNotOptimize(sum);
    }
  });
  // X is read for the predictor, and again for the gradient.
  const matrix b(host(at.bottomRows(k))), a(host(at.topRows(1)));
  matrix by_b;
  all.add("two_passes", runs_on::device, [&] {
    const matrix eta = x * b + colwise_broadcast(a);
    matrix terms, residual;
    results(terms, residual) =
        expressions(colwise_sum(elt_multiply(rowwise_broadcast(y), eta) - log1p_exp(eta)),
                    rowwise_broadcast(y) - inv_logit(eta));
    by_b = transpose(x) * residual;
    const matrix by_a = colwise_sum(residual);
    const double found = from_matrix_cl(terms)(0, 0) + from_matrix_cl(by_a)(0, 0);
    benchmark::DoNotOptimize(found);
  });
  all.add("floor", runs_on::device, copy_ceiling(8.0 * static_cast<double>(n * k + n)));
  host eta;
  Eigen::VectorXd host_values(Chains);
  host host_gradients(k + 1, Chains);
  const auto with_eigen = [&] {
    eta.noalias() = host_x * at.bottomRows(k);
    eta.rowwise() += at.row(0);
    for (Eigen::Index c = 0; c < Chains; ++c) {
      auto own = eta.col(c).array();
      host_values[c] = (host_y.array() * own - own.max(0.0) - (-own.abs()).exp().log1p()).sum();
      own = host_y.array() - (1 + (-own).exp()).inverse();
    }
    host_gradients.row(0) = eta.colwise().sum();
    host_gradients.bottomRows(k).noalias() = host_x.transpose() * eta;
  };
  all.add("eigen", runs_on::host, with_eigen);
  all.measure();
  with_eigen();
  const bool agree = near(values, host_values) && near(gradients, host_gradients) &&
                     near(from_matrix_cl(by_b), host_gradients.bottomRows(k));
  if (!agree) state.SkipWithError("the results differ from Eigen's");
  all.report(state);
}

/// Log density of the paper's Gaussian process, value and three derivatives; the host's as
/// bench_factorizations.
void run_process(benchmark::State& state, std::int64_t n) {
  const Eigen::VectorXd host_x = Eigen::Map<const Eigen::VectorXd>(random_values(0, n), n) * 20;
  const Eigen::VectorXd host_y = (2 * host_x.array()).sin();
  const matrix x(host_x), y(host_y);
  const double rho = 1.5, alpha = 1.2, sigma = 0.3;
  comparison all;
  const double constant = static_cast<double>(n) * std::log(2 * std::acos(-1.0)) / 2;
  double value = 0, up_to_a_constant = 0, value_by_hand = 0;
  Eigen::Vector3d gradient, by_hand;
  all.add("fused", runs_on::device, [&] {
    const nested_rev_autodiff nested;
    const var r = rho, a = alpha, s = sigma;
    var density = multi_normal_lpdf<true>(y, 0.0, add_diag(gp_exp_quad_cov(x, a, r), s * s));
    density.grad();
    up_to_a_constant = density.val();
    gradient = {r.adj(), a.adj(), s.adj()};
  });
  all.add("value", runs_on::device, [&] {
    value = multi_normal_lpdf(y, 0.0, add_diag(gp_exp_quad_cov(x, alpha, rho), sigma * sigma));
  });
  const auto with_eigen = [&] {
    host k(n, n), squares(n, n);
    for (std::int64_t j = 0; j < n; ++j) {
      squares.col(j) = (host_x.array() - host_x[j]).square();
      k.col(j) = alpha * alpha * (squares.col(j).array() * (-0.5 / (rho * rho))).exp();
    }
    host s = k;
    s.diagonal().array() += sigma * sigma;
    const Eigen::LLT<host> llt(s);
    const Eigen::VectorXd solved = llt.solve(host_y);
    value_by_hand = -llt.matrixLLT().diagonal().array().log().sum() - host_y.dot(solved) / 2 - constant;
    s = (solved * solved.transpose() - llt.solve(host::Identity(n, n))) / 2;
    k.array() *= s.array();
    by_hand = {k.cwiseProduct(squares).sum() / (rho * rho * rho), 2 / alpha * k.sum(), 2 * sigma * s.trace()};
  };
  const on_host eigen(2.7 * cube(n), with_eigen);
  eigen.join(all);
  all.measure();
  eigen.report(state, all);
  // comparisons that NaN fails
  const auto agree = [&](double a, double b) { return std::fabs(a - b) <= 1e-9 * constant; };
  if (eigen.runs() && !((gradient - by_hand).norm() <= 1e-8 * by_hand.norm()))
    state.SkipWithError("the gradient differs from Eigen's");
  if (eigen.runs() && !agree(value, value_by_hand)) state.SkipWithError("the value differs from Eigen's");
  if (!agree(value, up_to_a_constant - constant)) state.SkipWithError("the two values differ");
}

void add_cholesky(std::int64_t n) {
  const std::string size = std::to_string(n);
  const auto add = [&](const char* name, part measured) {
    add_case(std::string("paper/") + name + "/" + size,
             [=](benchmark::State& state) { run_cholesky(state, measured, n); });
  };
  add("cholesky", part::factor);
  add("cholesky_gradient", part::gradient);
  add("cholesky_and_gradient", part::both);
}

}  // namespace

void register_cases() {
  if (!opencl_context.capabilities().fp64) return;
  // sizes are chosen by --benchmark_filter: those of the paper, and small ones
  for (const std::int64_t n : {64, 128, 256, 512, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000})
    add_cholesky(n);
  const auto add_logistic = [](std::int64_t n, std::int64_t k) {
    const std::string name = "paper/logistic/" + std::to_string(n) + "x" + std::to_string(k) + "/";
    add_case(name + "1", [=](benchmark::State& state) { run_logistic<1>(state, n, k); });
    add_case(name + "4", [=](benchmark::State& state) { run_logistic<4>(state, n, k); });
    add_case(name + "16", [=](benchmark::State& state) { run_logistic<16>(state, n, k); });
  };
  for (const std::int64_t n : {1000, 10'000, 100'000, 1'000'000}) add_logistic(n, 10);
  for (const std::int64_t k : {100, 500, 1000}) add_logistic(10'000, k);
  add_logistic(1'000'000, 100);
  for (const std::int64_t n : {64, 128, 256, 512, 1000, 1024, 2048, 4000, 4096, 8192})
    add_case("paper/gaussian_process/" + std::to_string(n),
             [=](benchmark::State& state) { run_process(state, n); });
}

}  // namespace fusecl::bench
