// Fused element-wise statements against the same work by hand in OpenCL, one operation at a time, in Eigen
// and in Eigen over all cores; and the share of copy bandwidth that they reach.

#include <cmath>
#include <memory>

#include <unsupported/Eigen/SpecialFunctions>

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

// Names that Eigen lacks, so that one generic lambda serves both libraries.
template <class A, class B>
auto times(const Eigen::ArrayBase<A>& a, const Eigen::ArrayBase<B>& b) {
  return a.derived() * b.derived();
}
template <expression_like A, expression_like B>
auto times(const A& a, const B& b) {
  return elt_multiply(a, b);
}
template <class A>
auto log1p_exp(const Eigen::ArrayBase<A>& a) {
  return a.derived().max(0.0) + (-a.derived().abs()).exp().log1p();
}

using matrix = matrix_cl<double>;
using kernel_by_hand = kernel_cl<in_buffer, in_buffer, in_buffer, in_buffer, out_buffer, long>;

/// A kernel as one would write it by hand: one element (or vector) per work-item. `text` uses A, B, C and D.
std::shared_ptr<kernel_by_hand> by_hand(const std::string& text, int width) {
  const std::string type = "double" + (width > 1 ? std::to_string(width) : "");
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "#define T " +
      type +
      "\n"
      "kernel void by_hand(global const T* a, global const T* b, global const T* c, global const T* d,\n"
      "                    global T* r, const long count) {\n"
      "  const long i = get_global_id(0);\n"
      "  if (i >= count) return;\n"
      "  const T A = a[i], B = b[i], C = c[i], D = d[i];\n"
      "  r[i] = " +
      text +
      ";\n"
      "}\n";
  return std::make_shared<kernel_by_hand>("by_hand", source);
}

void add_by_hand(comparison& all, const std::string& text, std::int64_t n, int width, matrix& a, matrix& b,
                 matrix& c, matrix& d, matrix& result) {
  const auto kernel = by_hand(text, width);
  const auto count = n / width;
  const std::size_t global = static_cast<std::size_t>(count + 255) / 256 * 256;
  all.add(width == 1 ? "by_hand" : "by_hand_" + std::to_string(width), runs_on::device,
          [=, &a, &b, &c, &d, &result] {
            (*kernel)(cl::NDRange(global), cl::NDRange(256), a, b, c, d, result, count);
          });
}

/// `fused` is generic over both libraries; `steps` does one operation per statement.
template <class Fused, class Steps>
void run_case(benchmark::State& state, std::int64_t n, int inputs, const std::string& text, Fused fused,
              Steps steps) {
  matrix in[4];
  const double* host[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t which = k < static_cast<std::size_t>(inputs) ? k : 0;
    host[k] = random_values(which, n);
    if (which == k) in[k] = random_matrix(k, n);
  }
  const auto input = [&](std::size_t k) -> matrix& {
    return in[k < static_cast<std::size_t>(inputs) ? k : 0];
  };
  matrix &a = input(0), &b = input(1), &c = input(2), &d = input(3), result(n, 1), step(n, 1), other(n, 1);
  const double bytes = 8.0 * static_cast<double>(n) * (inputs + 1);
  const bool gpu = opencl_context.capabilities().gpu;

  comparison all;
  all.add("fused", runs_on::device, [&] { result = fused(a, b, c, d); });
  all.add("copy", runs_on::device, copy_ceiling(bytes));
  add_by_hand(all, text, n, 1, a, b, c, d, result);
  add_by_hand(all, text, n, gpu ? 2 : 8, a, b, c, d, result);
  all.add("op_by_op", runs_on::device, [&] { steps(step, other, a, b, c, d); });
  Eigen::ArrayXd host_result(n);
  const auto part = [&](std::int64_t begin, std::int64_t length, std::int64_t) {
    const auto map = [&](std::size_t k) { return const_array_map(host[k] + begin, length); };
    array_map(host_result.data() + begin, length) = fused(map(0), map(1), map(2), map(3));
  };
  all.add("eigen", runs_on::host, [&] { part(0, n, 0); });
  all.add("eigen_openmp", runs_on::host_threads, [&] { split(n, part); });
  all.measure();

  result = fused(a, b, c, d);
  part(0, n, 0);
  const double error =
      ((from_matrix_cl(result).array() - host_result).abs() / (1 + host_result.abs())).maxCoeff();
  if (!(error < 1e-12)) state.SkipWithError("the fused result differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
}

// a + b, times c, plus b, times c, ... N operations.
template <int N, class A, class B, class C>
auto chain(const A& a, const B& b, const C& c) {
  if constexpr (N == 0)
    return a;
  else if constexpr (N == 1)
    return a + b;
  else if constexpr (N % 2 == 0)
    return times(chain<N - 1>(a, b, c), c);
  else
    return chain<N - 1>(a, b, c) + b;
}

template <int N>
void add_chain(std::int64_t n) {
  std::string text = "A";
  for (int k = 1; k <= N; ++k) text = "(" + text + (k % 2 ? " + B)" : " * C)");
  add_case("elementwise/chain_" + std::to_string(N) + "/" + size_text(n), [=](benchmark::State& state) {
    run_case(
        state, n, N == 1 ? 2 : 3, text,
        [](const auto& a, const auto& b, const auto& c, const auto&) { return chain<N>(a, b, c); },
        [](matrix& t, matrix&, matrix& a, matrix& b, matrix& c, matrix&) {
          t = a + b;
          for (int k = 2; k <= N; ++k) {
            if (k % 2)
              t = t + b;
            else
              t = elt_multiply(t, c);
          }
        });
  });
}

constexpr char log1p_exp_text[] = "(fmax(C, 0.0) + log1p(exp(-fabs(C))))";

void add_named(std::int64_t n) {
  add_case("elementwise/a+b-3c/" + size_text(n), [=](benchmark::State& state) {
    run_case(
        state, n, 3, "A + B - 3.0 * C",
        [](const auto& a, const auto& b, const auto& c, const auto&) { return a + b - 3.0 * c; },
        [](matrix& t, matrix& u, matrix& a, matrix& b, matrix& c, matrix&) {
          t = a + b;
          u = 3.0 * c;
          t = t - u;
        });
  });
  add_case("elementwise/exp(a)*b+log1p_exp(c)-d/" + size_text(n), [=](benchmark::State& state) {
    run_case(
        state, n, 4, std::string("exp(A) * B + ") + log1p_exp_text + " - D",
        [](const auto& a, const auto& b, const auto& c, const auto& d) {
          return times(exp(a), b) + log1p_exp(c) - d;
        },
        [](matrix& t, matrix& u, matrix& a, matrix& b, matrix& c, matrix& d) {
          t = exp(a);
          t = elt_multiply(t, b);
          u = fusecl::log1p_exp(c);
          t = t + u;
          t = t - d;
        });
  });
}

/// One function of one operand: on a CPU device these are bound by arithmetic.
#define FUNCTION_CASE(NAME)                                                         \
  add_case("function/" #NAME "(a)/" + size_text(n), [=](benchmark::State& state) {  \
    run_case(                                                                       \
        state, n, 1, #NAME "(A)", [](const auto& a, auto&&...) { return NAME(a); }, \
        [](matrix& t, matrix&, matrix& a, auto&&...) { t = NAME(a); });             \
  })
void add_functions(std::int64_t n) {
  FUNCTION_CASE(exp);
  FUNCTION_CASE(log);
  FUNCTION_CASE(log1p);
  FUNCTION_CASE(tanh);
  FUNCTION_CASE(lgamma);
}
#undef FUNCTION_CASE

void add_broadcast(std::int64_t n) {
  add_case("elementwise/broadcasts/" + size_text(n), [=](benchmark::State& state) {
    const std::int64_t cols = n >= 100000 ? 100 : 10, rows = n / cols;
    const matrix m = random_matrix(0, rows, cols), row = random_matrix(1, 1, cols),
                 column = random_matrix(2, rows, 1);
    matrix result(rows, cols);
    const double bytes = 16.0 * static_cast<double>(n);
    comparison all;
    all.add("fused", runs_on::device,
            [&] { result = elt_multiply(m, colwise_broadcast(row)) + rowwise_broadcast(column); });
    all.add("copy", runs_on::device, copy_ceiling(bytes));
    Eigen::ArrayXXd host_result(rows, cols);
    const auto part = [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      const Eigen::Map<const Eigen::ArrayXXd> x(random_values(0, n) + begin * rows, rows, length);
      const Eigen::Map<const Eigen::Array<double, 1, Eigen::Dynamic>> r(random_values(1, cols) + begin,
                                                                        length);
      const const_array_map c(random_values(2, rows), rows);
      host_result.middleCols(begin, length) = (x.rowwise() * r).colwise() + c;
    };
    all.add("eigen", runs_on::host, [&] { part(0, cols, 0); });
    all.add("eigen_openmp", runs_on::host_threads, [&] { split(cols, part); });
    all.measure();
    if (!(from_matrix_cl(result).array() - host_result).isZero(1e-12))
      state.SkipWithError("the fused result differs from Eigen's");
    all.report(state);
    state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
  });
}

}  // namespace

void register_cases() {
  for (std::int64_t n : sizes(8 * (4 + 3) + 2 * 20)) {
    add_named(n);
    add_broadcast(n);
    add_chain<1>(n);
    add_chain<2>(n);
    add_chain<4>(n);
    add_chain<8>(n);
    add_chain<16>(n);
    if (n == 1000000) add_functions(n);
  }
}

}  // namespace fusecl::bench
