// Regressions as text books write them, value and gradient in one statement: against reading X once at the
// speed of a copy, the same evaluated operation by operation, Eigen, and Eigen over all cores. Host wall time
// with the value read back.

#include <cmath>

#include <fusion/autodiff/value_and_gradient.hpp>

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
constexpr double nu = 4, sigma_at = 1.3, alpha_at = 0.25;

/// X b, the one place where the product is spelled; b is 1 x k.
template <class X, class B>
auto product(const X& x, const B& b) {
  return rowwise_sum(elt_multiply(x, colwise_broadcast(b)));
}

/// What Eigen finds for some rows: the log density and its derivatives by alpha and sigma.
struct sums {
  double value = 0, by_alpha = 0, by_sigma = 0;
  void operator+=(const sums& other) {
    value += other.value, by_alpha += other.by_alpha, by_sigma += other.by_sigma;
  }
};

// A model each: log density, and derivative by eta, of the outcomes y at the linear predictor eta; with Eigen
// (`d` holds eta before and the derivative after) and by one statement an operation.

struct logistic {
  static constexpr const char* name = "logistic";
  static constexpr bool binary_outcome = true;
  template <class Eta, class Sigma>
  static auto density(const matrix& y, const Eta& eta, const Sigma&) {
    return sum(elt_multiply(y, eta) - log1p_exp(eta));
  }
  template <class Y, class D>
  static sums with_eigen(const Y& y, D&& d) {
    sums s;
    s.value = (y * d - (d.max(0.0) + (-d.abs()).exp().log1p())).sum();
    d = y - 1 / (1 + (-d).exp());
    s.by_alpha = d.sum();
    return s;
  }
  static double by_operation(const matrix& y, const matrix& eta, matrix& d) {
    matrix product_of_both = elt_multiply(y, eta), partition = log1p_exp(eta);
    const matrix terms = product_of_both - partition;
    const matrix mean = inv_logit(eta);
    d = y - mean;
    return sum(terms);
  }
};

struct poisson {
  static constexpr const char* name = "poisson";
  static constexpr bool binary_outcome = true;
  template <class Eta, class Sigma>
  static auto density(const matrix& y, const Eta& eta, const Sigma&) {
    return sum(elt_multiply(y, eta) - exp(eta));
  }
  template <class Y, class D>
  static sums with_eigen(const Y& y, D&& d) {
    sums s;
    const Eigen::ArrayXd rate = d.exp();
    s.value = (y * d - rate).sum();
    d = y - rate;
    s.by_alpha = d.sum();
    return s;
  }
  static double by_operation(const matrix& y, const matrix& eta, matrix& d) {
    const matrix product_of_both = elt_multiply(y, eta), rate = exp(eta);
    const matrix terms = product_of_both - rate;
    d = y - rate;
    return sum(terms);
  }
};

struct student_t {
  static constexpr const char* name = "student_t";
  static constexpr bool binary_outcome = false;
  template <class Eta, class Sigma>
  static auto density(const matrix& y, const Eta& eta, const Sigma& sigma) {
    const auto z = (y - eta) / sigma;
    return -0.5 * (nu + 1) * sum(log1p(square(z) / nu)) - static_cast<double>(y.rows()) * log(sigma);
  }
  template <class Y, class D>
  static sums with_eigen(const Y& y, D&& d) {
    sums s;
    const auto n = static_cast<double>(y.size());
    d = (y - d) / sigma_at;
    s.value = -0.5 * (nu + 1) * (d.square() / nu).log1p().sum() - n * std::log(sigma_at);
    s.by_sigma = (((nu + 1) * d.square() / (nu + d.square())).sum() - n) / sigma_at;
    d = (nu + 1) * d / (nu + d.square()) / sigma_at;
    s.by_alpha = d.sum();
    return s;
  }
  static double by_operation(const matrix& y, const matrix& eta, matrix& d) {
    const matrix residual = y - eta;
    const matrix z = residual / sigma_at;
    const matrix squares = square(z);
    const matrix terms = log1p(squares / nu);
    const matrix weight = (nu + 1) / (nu + squares);
    const matrix weighted = elt_multiply(weight, z);
    d = weighted / sigma_at;
    const double by_sigma = sum(elt_multiply(weight, squares));
    benchmark::DoNotOptimize(by_sigma);
    return -0.5 * (nu + 1) * static_cast<double>(sum(terms)) -
           static_cast<double>(y.rows()) * std::log(sigma_at);
  }
};

template <class Model>
void run_case(benchmark::State& state, const design_shape& s) {
  const const_matrix_map host_x(random_values(0, s.n * s.k), s.n, s.k);
  Eigen::ArrayXd host_y = const_array_map(random_values(1, s.n), s.n);
  if (Model::binary_outcome) host_y = (host_y > 0.55).cast<double>();
  // of order 1 / k and of either sign, so that the predictor is of order one
  const Eigen::VectorXd host_b =
      (const_array_map(random_values(2, s.k), s.k) - 0.5).matrix() * (2.0 / static_cast<double>(s.k));
  const matrix x = random_matrix(0, s.n, s.k), y(host_y);
  matrix b(host_b.transpose()), by_b(1, s.k), by_alpha(1, 1), by_sigma(1, 1);
  parameter<double> alpha(alpha_at), sigma(sigma_at);
  double value = 0;
  const double floor_bytes = 8.0 * static_cast<double>(s.n * s.k + s.n);

  comparison all;
  const auto fused = [&] {
    const auto eta = product(x, b) + alpha;
    const auto density = Model::density(y, eta, sigma);
    if constexpr (Model::binary_outcome)
      value = value_and_gradient_into(density, wrt(b, alpha), by_b, by_alpha);
    else
      value = value_and_gradient_into(density, wrt(b, alpha, sigma), by_b, by_alpha, by_sigma);
  };
  all.add("fused", runs_on::device, fused);
  all.add("floor", runs_on::device, copy_ceiling(floor_bytes));
  matrix d(s.n, 1), d_b(1, s.k), d_alpha(1, 1);
  all.add("by_operation", runs_on::device, [&] {
    const matrix terms = elt_multiply(x, colwise_broadcast(b));
    const matrix linear = rowwise_sum(terms);
    const matrix eta = linear + alpha_at;
    const double found = Model::by_operation(y, eta, d);
    benchmark::DoNotOptimize(found);
    const matrix weighted = elt_multiply(x, rowwise_broadcast(d));
    d_b = colwise_sum(weighted);
    d_alpha = sum(d);
  });
  Eigen::ArrayXd host_d(s.n);
  Eigen::VectorXd host_by_b(s.k);
  sums host;
  const auto with_eigen = [&] {
    host_d = (host_x * host_b).array() + alpha_at;
    host = Model::with_eigen(host_y, host_d);
    host_by_b.noalias() = host_x.transpose() * host_d.matrix();
  };
  all.add("eigen", runs_on::host, with_eigen);
  Eigen::MatrixXd parts(s.k, split_threads());
  std::vector<sums> found(static_cast<std::size_t>(split_threads()));
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    parts.setZero();
    split(s.n, [&](std::int64_t begin, std::int64_t length, std::int64_t thread) {
      if (length == 0) return;
      const auto rows = host_x.middleRows(begin, length);
      auto part = host_d.segment(begin, length);
      part = (rows * host_b).array() + alpha_at;
      found[static_cast<std::size_t>(thread)] = Model::with_eigen(host_y.segment(begin, length), part);
      parts.col(thread).noalias() = rows.transpose() * part.matrix();
    });
    host_by_b = parts.rowwise().sum();
  });
  all.measure();

  const counters before = runtime_counters();
  fused();
  const counters used = runtime_counters() - before;
  with_eigen();
  const auto near = [](double a, double wanted) {
    return std::fabs(a - wanted) <= 1e-9 * (1 + std::fabs(wanted));
  };
  const double scale = 1 + host_by_b.cwiseAbs().maxCoeff();
  bool agree = near(value, host.value) && near(from_matrix_cl(by_alpha)(0, 0), host.by_alpha) &&
               (from_matrix_cl(by_b).transpose() - host_by_b).cwiseAbs().maxCoeff() < 1e-9 * scale &&
               (from_matrix_cl(d_b).transpose() - host_by_b).cwiseAbs().maxCoeff() < 1e-9 * scale;
  if (!Model::binary_outcome) agree = agree && near(from_matrix_cl(by_sigma)(0, 0), host.by_sigma);
  if (!agree) state.SkipWithError("the results differ from Eigen's");
  all.report(state);
  state.counters["GB/s"] = floor_bytes / all.seconds() * 1e-9;
  state.counters["launches"] = static_cast<double>(used.launches);
}

template <class Model>
void add_model(const design_shape& s) {
  add_case(std::string("regressions/") + Model::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Model>(state, s); });
}

}  // namespace

void register_cases() {
  add_designs([](const design_shape& s) {
    add_model<logistic>(s);
    add_model<poisson>(s);
    add_model<student_t>(s);
  });
}

}  // namespace fusecl::bench
