// Likelihoods that users write, value and gradient: a density of the library with a regression as its mean
// against the same from a text book, zeros in excess, intercepts of groups against one intercept, and lgamma
// against that of the driver. Host wall time with the value and the derivatives by numbers on the host.

#include <cmath>

#include <primitives/primitives.hpp>

#include "ceilings.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
using variable = var_value<matrix>;

/// A design, coefficients of order 1 / k and outcomes.
struct data {
  matrix x, b, y;
  double floor_bytes;

  explicit data(const design_shape& s)
      : x(random_matrix(0, s.n, s.k)),
        b((random_matrix(2, s.k) - 0.5) * (2.0 / static_cast<double>(s.k))),
        y(random_matrix(1, s.n)),
        floor_bytes(8.0 * static_cast<double>(s.n * s.k + s.n)) {}
};

void report(benchmark::State& state, const comparison& all, double floor_bytes, double value) {
  if (!std::isfinite(value)) state.SkipWithError("the density is not finite");
  all.report(state);
  state.counters["GB/s"] = floor_bytes / all.seconds() * 1e-9;
}

/// student_t_lpdf with 4 degrees of freedom, on the tape, and as an expression.
void run_student_t(benchmark::State& state, const design_shape& s) {
  const data d(s);
  parameter<double> alpha(0.25), sigma(1.5);
  matrix by_b(s.k, 1), by_alpha(1, 1), by_sigma(1, 1);
  double value = 0, on_tape = 0;
  comparison all;
  all.add("expression", runs_on::device, [&] {
    const auto z = shared((d.y - (d.x * d.b + alpha)) / sigma);
    const auto density = -2.5 * sum(log1p(square(z) / 4.0)) - static_cast<double>(s.n) * log(sigma);
    value = value_and_gradient_into(density, wrt(d.b, alpha, sigma), by_b, by_alpha, by_sigma);
  });
  all.add("function", runs_on::device, [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const variable beta(d.b);
    var a = 0.25, scale = 1.5;
    var density = student_t_lpdf<true>(d.y, 4.0, d.x * beta + a, scale);
    density.grad();
    on_tape = density.val() + a.adj() + scale.adj();
  });
  all.add("floor", runs_on::device, copy_ceiling(d.floor_bytes));
  all.measure();
  report(state, all, d.floor_bytes, value + on_tape);
}

/// Counts that are zero more often than those of a Poisson distribution, by the logit of that, against the
/// library's Poisson regression.
void run_zeros_in_excess(benchmark::State& state, const design_shape& s) {
  data d(s);
  d.y = select(d.y > 0.5, floor(6.0 * d.y), constant(0.0));
  parameter<double> alpha(0.25), logit_zero(-1.0);
  matrix by_b(s.k, 1), by_alpha(1, 1), by_logit(1, 1);
  double value = 0, on_tape = 0;
  comparison all;
  all.add("expression", runs_on::device, [&] {
    const auto eta = shared(d.x * d.b + alpha);
    const auto counted = shared(log1m_inv_logit(logit_zero) + elt_multiply(d.y, eta) - exp(eta));
    const auto density =
        sum(select(d.y == 0.0, log_sum_exp(rep_matrix(log_inv_logit(logit_zero), s.n, 1), counted), counted));
    value = value_and_gradient_into(density, wrt(d.b, alpha, logit_zero), by_b, by_alpha, by_logit);
  });
  all.add("poisson", runs_on::device, [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const variable beta(d.b);
    var a = 0.25;
    var density = poisson_log_glm_lpmf<true>(d.y, d.x, a, beta);
    density.grad();
    on_tape = density.val() + a.adj();
  });
  all.add("floor", runs_on::device, copy_ceiling(d.floor_bytes));
  all.measure();
  report(state, all, d.floor_bytes, value + on_tape);
}

/// Logistic regression with an intercept for each of 10,000 groups (as many as observations, if those are
/// fewer), against one with a single intercept.
void run_groups(benchmark::State& state, const design_shape& s) {
  data d(s);
  d.y = select(d.y > 0.55, constant(1.0), constant(0.0));
  const std::int64_t groups = std::min<std::int64_t>(10000, s.n);
  const matrix_cl<int> group =
      cast<int>(floor((random_matrix(3, s.n) - 0.1) / 0.9 * static_cast<double>(groups) * 0.999999));
  const matrix intercepts = random_matrix(4, groups) - 0.5;
  parameter<double> alpha(0.25);
  matrix by_b(s.k, 1), by_alpha(1, 1), by_intercepts(groups, 1);
  double value = 0, plain_value = 0;
  const auto density_of = [&](const auto& eta) { return sum(elt_multiply(d.y, eta) - log1p_exp(eta)); };
  comparison all;
  all.add("grouped", runs_on::device, [&] {
    const auto eta = shared(d.x * d.b + intercepts[group]);
    value = value_and_gradient_into(density_of(eta), wrt(d.b, intercepts), by_b, by_intercepts);
  });
  all.add("plain", runs_on::device, [&] {
    const auto eta = shared(d.x * d.b + alpha);
    plain_value = value_and_gradient_into(density_of(eta), wrt(d.b, alpha), by_b, by_alpha);
  });
  all.add("floor", runs_on::device, copy_ceiling(d.floor_bytes));
  all.measure();
  report(state, all, d.floor_bytes, value + plain_value);
}

/// A function of 1e8 elements and the same by the driver's lgamma.
void run_lgamma(benchmark::State& state, std::int64_t n, bool chain) {
  const matrix a = 0.2 + 12.0 * random_matrix(0, n), b = random_matrix(1, n);
  matrix y(n, 1);
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
      "void driver_lgamma(global const double2* a, global const double2* b, global double2* y, const long n) "
      "{\n"
      "  const long i = get_global_id(0);\n"
      "  if (i < n) y[i] = " +
      std::string(chain ? "lgamma(a[i]) - a[i] * log(b[i])" : "lgamma(a[i])") + ";\n}\n";
  kernel_cl<in_buffer, in_buffer, out_buffer, long> by_driver("driver_lgamma", source);
  comparison all;
  all.add("fused", runs_on::device, [&] {
    if (chain)
      y = lgamma(a) - elt_multiply(a, log(b));
    else
      y = lgamma(a);
  });
  const std::int64_t pairs = n / 2;
  all.add("driver", runs_on::device, [&] {
    by_driver(cl::NDRange(static_cast<std::size_t>((pairs + 255) / 256 * 256)), cl::NDRange(256), a, b, y,
              pairs);
  });
  all.measure();
  all.report(state);
}

}  // namespace

void register_cases() {
  static constexpr design_shape gpu[] = {{"1e6x100", 1000000, 100},
                                         {"1e5x1000", 100000, 1000},
                                         {"1e5x10", 100000, 10},
                                         {"1e7x10", 10000000, 10}};
  static constexpr design_shape cpu[] = {{"1e5x100", 100000, 100}, {"1e6x10", 1000000, 10}};
  static constexpr design_shape small[] = {{"1000x5", 1000, 5}};
  const auto add = [](const auto& shapes) {
    for (const design_shape& s : shapes) {
      const auto add_model = [&](const char* name, void (*run)(benchmark::State&, const design_shape&)) {
        add_case(std::string("likelihoods/") + name + "/" + s.name,
                 [run, s](benchmark::State& state) { run(state, s); });
      };
      add_model("student_t", run_student_t);
      add_model("zeros_in_excess", run_zeros_in_excess);
      add_model("groups", run_groups);
    }
  };
  add_sizes(add, small, gpu, cpu);
  const std::int64_t n = quick ? 1024 : opencl_context.capabilities().gpu ? 100000000 : 1048576;
  for (const bool chain : {false, true})
    add_case(std::string("likelihoods/lgamma") + (chain ? "_in_a_chain/" : "/") + size_text(n),
             [n, chain](benchmark::State& state) { run_lgamma(state, n, chain); });
}

}  // namespace fusecl::bench
