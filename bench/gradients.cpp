// Value and gradient of log densities in one statement: against copying as many bytes as operands and
// adjoints have, the value alone, a pair of kernels by hand, Eigen, and the tape. Products of the Hessian;
// what a small gradient costs the host with and without a tape.

#include <cmath>
#include <memory>

#include <unsupported/Eigen/SpecialFunctions>

#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;

/// The Poisson log density of counts y at log rates A + b, with or without its constant.
template <bool Constant, class Y, class A, class B>
auto density(const Y& y, const A& a, const B& b) {
  const auto eta = a + b;
  if constexpr (Constant)
    return sum(elt_multiply(y, eta) - exp(eta) - lgamma(y + 1));
  else
    return sum(elt_multiply(y, eta) - exp(eta));
}

/// Both sums of a part go to `parts`, and one work-item or group adds them up.
constexpr char source_by_hand[] = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#if GPU
void add_group(local double* both, const double value, const double by_b) {
  const uint l = get_local_id(0);
  both[l] = value, both[256 + l] = by_b;
  for (uint half_way = 128; half_way > 0; half_way /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < half_way) both[l] += both[l + half_way], both[256 + l] += both[256 + l + half_way];
  }
}
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gradient(global const double* y, global const double* a, global double* g, global double* parts,
              const double b, const long count, const long chunk) {
  double value = 0, by_b = 0;
  for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
    const double eta = a[i] + b, rate = exp(eta), d = y[i] - rate;
    value += y[i] * eta - rate - (CONSTANT ? lgamma(y[i] + 1) : 0.0);
    by_b += d;
    g[i] = d;
  }
  local double both[512];
  add_group(both, value, by_b);
  if (get_local_id(0) == 0) parts[2 * get_group_id(0)] = both[0], parts[2 * get_group_id(0) + 1] = both[256];
}
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void add_up(global const double* parts, global double* result, const long count) {
  double value = 0, by_b = 0;
  for (long k = get_local_id(0); k < count; k += 256) value += parts[2 * k], by_b += parts[2 * k + 1];
  local double both[512];
  add_group(both, value, by_b);
  if (get_local_id(0) == 0) result[0] = both[0], result[1] = both[256];
}
#else
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gradient(global const double* y, global const double* a, global double* g, global double* parts,
              const double b, const long count, const long chunk) {
  const long begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
  double8 value = 0, by_b = 0;
  for (long i = begin; i + 8 <= end; i += 8) {
    const double8 y_i = vload8(0, y + i), eta = vload8(0, a + i) + b, rate = exp(eta), d = y_i - rate;
    value += y_i * eta - rate;
    if (CONSTANT) value -= lgamma(y_i + 1);
    by_b += d;
    vstore8(d, 0, g + i);
  }
  const double4 v = value.lo + value.hi, w = by_b.lo + by_b.hi;
  parts[2 * get_group_id(0)] = v.x + v.y + v.z + v.w;
  parts[2 * get_group_id(0) + 1] = w.x + w.y + w.z + w.w;
}
kernel void add_up(global const double* parts, global double* result, const long count) {
  double value = 0, by_b = 0;
  for (long k = 0; k < count; ++k) value += parts[2 * k], by_b += parts[2 * k + 1];
  result[0] = value, result[1] = by_b;
}
#endif
)";

/// The kernels one would write, with the wait for the two numbers. Whole vectors only: sizes are multiples
/// of 8.
class by_hand {
 public:
  by_hand(std::int64_t n, bool constant)
      : n_(n),
        gpu_(opencl_context.capabilities().gpu),
        groups_(opencl_context.capabilities().compute_units * (gpu_ ? 8 : 4)),
        chunk_((n / groups_ / 8 + 1) * 8),
        gradient_("gradient", source_by_hand, {{"GPU", gpu_}, {"CONSTANT", constant}}),
        add_up_("add_up", source_by_hand, {{"GPU", gpu_}, {"CONSTANT", constant}}),
        parts_(2, groups_),
        result_(2, 1) {}

  double operator()(const matrix& y, const matrix& a, double b, matrix& g) {
    const std::size_t local = gpu_ ? 256 : 1;
    gradient_(cl::NDRange(static_cast<std::size_t>(groups_) * local), cl::NDRange(local), y, a, g, parts_, b,
              n_, chunk_);
    add_up_(cl::NDRange(local), cl::NDRange(local), parts_, result_, groups_);
    return from_matrix_cl(result_)(0, 0);
  }

 private:
  const std::int64_t n_;
  const bool gpu_;
  const std::int64_t groups_, chunk_;
  const kernel_cl<in_buffer, in_buffer, out_buffer, out_buffer, double, long, long> gradient_;
  const kernel_cl<in_buffer, out_buffer, long> add_up_;
  matrix parts_, result_;
};

/// Eigen over the same arrays.
template <bool Constant>
double with_eigen(const_array_map y, const_array_map a, double b, array_map g, double& by_b) {
  g = (a + b).exp();
  double value = (y * (a + b) - g).sum();
  if constexpr (Constant) value -= (y + 1).lgamma().sum();
  g = y - g;
  by_b = g.sum();
  return value;
}

template <bool Constant>
void value_and_gradient_case(benchmark::State& state, std::int64_t n) {
  const matrix y = random_matrix(0, n), a = random_matrix(1, n);
  parameter<double> b(0.25);
  matrix da(n, 1), db(1, 1), own(n, 1);
  double value = 0, hand_value = 0, alone = 0, eigen_value = 0, by_b = 0;
  const double ideal = 24.0 * static_cast<double>(n);  // both operands and the adjoint once

  comparison all;
  all.add("fused", runs_on::device,
          [&] { value = value_and_gradient_into(density<Constant>(y, a, b), wrt(a, b), da, db); });
  all.add("copy", runs_on::device, copy_ceiling(ideal));
  all.add("value_alone", runs_on::device, [&] { alone = density<Constant>(y, a, b); });
  by_hand kernels(n, Constant);
  all.add("by_hand", runs_on::device, [&] { hand_value = kernels(y, a, b.value(), own); });
  const var_value<matrix> x(a);
  const var c = 0.25;
  const std::size_t recorded = fusecl::detail::this_thread_tape().size();
  double taped = 0;
  all.add("tape", runs_on::device, [&] {
    set_zero_all_adjoints();
    const var lp = density<Constant>(y, x, c);
    lp.grad();
    taped = lp.val();
    fusecl::detail::this_thread_tape().recover(recorded);
  });
  Eigen::ArrayXd host(n);
  const const_array_map host_y(random_values(0, n), n), host_a(random_values(1, n), n);
  all.add("eigen", runs_on::host,
          [&] { eigen_value = with_eigen<Constant>(host_y, host_a, 0.25, array_map(host.data(), n), by_b); });
  std::vector<double> parts(static_cast<std::size_t>(split_threads()) * 16);
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(n, [&](std::int64_t begin, std::int64_t length, std::int64_t thread) {
      double own_b = 0;
      parts[static_cast<std::size_t>(thread) * 16] = with_eigen<Constant>(
          const_array_map(host_y.data() + begin, length), const_array_map(host_a.data() + begin, length),
          0.25, array_map(host.data() + begin, length), own_b);
    });
  });
  all.measure();

  const counters before = runtime_counters();
  value = value_and_gradient_into(density<Constant>(y, a, b), wrt(a, b), da, db);
  const counters used = runtime_counters() - before;
  eigen_value = with_eigen<Constant>(host_y, host_a, 0.25, array_map(host.data(), n), by_b);
  const auto near = [](double found, double wanted) {
    return std::fabs(found - wanted) <= 1e-9 * (1 + std::fabs(wanted));
  };
  const double error = (from_matrix_cl(da).array() - host).abs().maxCoeff();
  const bool agree = near(value, eigen_value) && near(alone, eigen_value) && near(hand_value, eigen_value) &&
                     near(taped, eigen_value) && near(from_matrix_cl(db)(0, 0), by_b);
  if (!agree || !(error < 1e-12)) state.SkipWithError("the results differ from Eigen's");
  all.report(state);
  state.counters["GB/s"] = ideal / all.seconds() * 1e-9;
  state.counters["launches"] = static_cast<double>(used.launches);
  recover_memory();
}

void hessian_case(benchmark::State& state, std::int64_t n) {
  const matrix y = random_matrix(0, n), a = random_matrix(1, n), u = random_matrix(2, n), w(0.5);
  parameter<double> b(0.25);
  const double ideal = 40.0 * static_cast<double>(n);  // three operands, gradient and product
  double norm = 0;
  comparison all;
  all.add("fused", runs_on::device,
          [&] { norm = hessian_times_vector(density<false>(y, a, b), wrt(a, b), u, w).value; });
  all.add("copy", runs_on::device, copy_ceiling(ideal));
  matrix da(n, 1), db(1, 1);
  all.add("gradient", runs_on::device,
          [&] { norm = value_and_gradient_into(density<false>(y, a, b), wrt(a, b), da, db); });
  all.measure();
  const auto r = hessian_times_vector(density<false>(y, a, b), wrt(a, b), u, w);
  const const_array_map host_a(random_values(1, n), n), host_u(random_values(2, n), n);
  const Eigen::ArrayXd wanted = -(host_a + 0.25).exp() * (host_u + 0.5);
  if (!((from_matrix_cl(std::get<0>(r.product)).array() - wanted).abs().maxCoeff() < 1e-12))
    state.SkipWithError("the product differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = ideal / all.seconds() * 1e-9;
}

/// 8 x 8: what counts is the host and the wait for one number.
void small_case(benchmark::State& state) {
  const matrix y = random_matrix(0, 8, 8), a = random_matrix(1, 8, 8);
  parameter<double> b(0.25);
  matrix da(8, 8), db(1, 1), total(1, 1);
  double value = 0;
  comparison all;
  all.add("fused", runs_on::host,
          [&] { value = value_and_gradient_into(density<false>(y, a, b), wrt(a, b), da, db); });
  all.add("value_alone", runs_on::host, [&] { value = density<false>(y, a, b); });
  const var_value<matrix> x(a);
  const var c = 0.25;
  const std::size_t recorded = fusecl::detail::this_thread_tape().size();
  const auto taped = [&](auto record) {
    set_zero_all_adjoints();
    const var lp = record();
    lp.grad();
    value = lp.val();
    fusecl::detail::this_thread_tape().recover(recorded);
  };
  all.add("tape_one_statement", runs_on::host, [&] { taped([&] { return var(density<false>(y, x, c)); }); });
  all.add("tape_two_statements", runs_on::host, [&] {
    taped([&] {
      const var_value<matrix> eta = x + c;
      return var(sum(elt_multiply(y, eta) - exp(eta)));
    });
  });
  by_hand kernels(64, false);
  all.add("by_hand", runs_on::host, [&] { value = kernels(y, a, 0.25, da); });
  all.measure();
  all.report(state);
  benchmark::DoNotOptimize(value);
  recover_memory();
}

}  // namespace

void register_cases() {
  for (std::int64_t n : sizes(8 * 9)) {
    if (n < 10000) continue;
    add_case("gradients/poisson/" + size_text(n),
             [n](benchmark::State& state) { value_and_gradient_case<false>(state, n); });
    add_case("gradients/poisson_with_lgamma/" + size_text(n),
             [n](benchmark::State& state) { value_and_gradient_case<true>(state, n); });
    add_case("gradients/hessian_times_vector/" + size_text(n),
             [n](benchmark::State& state) { hessian_case(state, n); });
  }
  add_case("gradients/small", small_case);
}

}  // namespace fusecl::bench
