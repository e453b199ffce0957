// The first evaluation of an expression in a process: with nothing cached, and with its kernels on disk; and
// how long the host alone takes to differentiate a log density and to write its kernel, which the first
// evaluation contains. Every sample is a process of its own.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fusion/autodiff/value_and_gradient.hpp>

#include "measure.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
using clock = std::chrono::steady_clock;

template <class Y, class A, class B>
auto poisson(const Y& y, const A& a, const B& b) {
  const auto eta = a + b;
  return sum(elt_multiply(y, eta) - exp(eta) - lgamma(y + 1));
}

constexpr char poisson_gradient[] = "gradient_of_poisson", poisson_text[] = "text_of_gradient_of_poisson";

/// Prints seconds of the first evaluation and number of kernels built or loaded; the device is selected
/// before.
int first_evaluation(std::string_view what) {
  const matrix a = random_matrix(0, 100, 10), b = random_matrix(1, 100, 10), c = random_matrix(2, 100, 10);
  matrix result(100, 10), total(1, 1);
  parameter<double> number(0.25);
  finish();
  const counters before = runtime_counters();
  const auto start = clock::now();
  if (what == "a+b-3c")
    result = a + b - 3.0 * c;
  else if (what == "exp(a)*b+log1p_exp(c)-d")
    result = elt_multiply(exp(a), b) + log1p_exp(c) - a;
  else if (what == poisson_gradient)
    value_and_gradient_into(poisson(a, b, number), wrt(b, number), result, total);
  else if (what == poisson_text)
    benchmark::DoNotOptimize(gradient_kernel_source(poisson(a, b, number), wrt(b, number)));
  else
    result = sum(elt_multiply(a, b));
  finish();
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  const counters did = runtime_counters() - before;
  std::printf("%.9f %d\n", seconds, static_cast<int>(did.programs_built + did.programs_loaded));
  return 0;
}

[[maybe_unused]] const bool entry = (child_entry = first_evaluation, true);

struct sample {
  double seconds = -1;
  int programs = 0;
};

sample in_child(const std::string& program, const std::string& what) {
  const std::string command = "'" + program + "' '--child=" + what + "'";
  sample s;
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) return s;
  if (std::fscanf(out, "%lf %d", &s.seconds, &s.programs) != 2) s.seconds = -1;
  pclose(out);
  return s;
}

void run_case(benchmark::State& state, const std::string& what) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("fusecl_bench_" + std::to_string(clock::now().time_since_epoch().count()));
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  setenv("FUSECL_CACHE_DIR", (folder / "fusecl").c_str(), 1);
  setenv("POCL_CACHE_DIR", (folder / "pocl").c_str(), 1);  // drivers' own caches would hide a cold start
  setenv("CUDA_CACHE_PATH", (folder / "cuda").c_str(), 1);
  std::vector<double> cold, warm;
  int programs = 1;
  for (int k = 0; k < 5; ++k) {
    fs::remove_all(folder);
    fs::create_directories(folder / "pocl");
    cold.push_back(in_child(program, what).seconds);
    const sample second = in_child(program, what);
    warm.push_back(second.seconds);
    programs = std::max(programs, second.programs);
  }
  fs::remove_all(folder);
  for (auto _ : state) state.SetIterationTime(median(warm));
  if (std::min(std::ranges::min(cold), std::ranges::min(warm)) < 0)
    state.SkipWithError("a child process failed");
  state.counters["cold_us"] = median(cold) * 1e6;
  state.counters["programs"] = programs;
}

}  // namespace

void register_cases() {
  for (const char* what : {"a+b-3c", "exp(a)*b+log1p_exp(c)-d", "sum(a*b)", poisson_gradient, poisson_text})
    add_case(std::string("first_evaluation/") + what,
             [what = std::string(what)](benchmark::State& state) { run_case(state, what); });
}

}  // namespace fusecl::bench
