#pragma once
// Contenders for the same work, timed side by side. All take turns within one case, so a ratio compares times
// measured next to each other and a slow moment of the machine hits every side. The cases are Google
// Benchmark's; a case's time is that of its first contender and the others appear as counters.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <fusion/fusion.hpp>

namespace fusecl::bench {

/// Seconds a case may take, its set-up aside; `--seconds=` on the command line.
inline double case_seconds = 0.6;

/// Small sizes and little time, to see that everything works; `--quick` on the command line.
inline bool quick = false;

/// Runs what is on the host once, for the comparison of results, untimed; `--device-only` on the command
/// line.
inline bool device_only = false;

/// What a case does in a process of its own, started as `PROGRAM --child=TEXT`; null if there are none.
inline int (*child_entry)(std::string_view text) = nullptr;

/// Every bench program registers its cases here, after a device was selected.
void register_cases();

enum class runs_on {
  device,        ///< a number of runs, then a wait for the device, all of it timed
  device_async,  ///< a number of runs timed without the wait that follows: the host's share
  host,
  host_threads  ///< through OpenMP
};

class comparison {
 public:
  /// The first one added is the subject of the case.
  void add(std::string name, runs_on where, std::function<void()> run);
  /// Lets all take turns until the time is used up.
  void measure(double seconds = case_seconds);
  /// Sets the case's time and, for every other contender NAME, the counters NAME_us (median) and NAME_x
  /// (median of its time over the subject's in the same round: above 1 the subject is the faster one).
  void report(benchmark::State& state) const;
  /// Median seconds of one run.
  double seconds(std::size_t contender = 0) const;

 private:
  struct contender {
    std::string name;
    runs_on where;
    std::function<void()> run;
    int warming = 1;
    int batch = 1;
    double spent = 0;
    std::vector<double> seconds;  // per round; negative where it sat out
  };
  static double time(contender& c);
  bool sits_out(const contender& c, double seconds) const;

  std::vector<contender> contenders_;
};

double median(std::vector<double> values);

/// Waits for the device.
void finish();

/// The size of a matrix, and what a case calls it.
struct shape {
  const char* name;
  std::int64_t rows, cols;
  std::int64_t size() const { return rows * cols; }
};

/// Calls `add` with the sizes for this run: those of `--quick`, or those for the selected kind of device.
template <class Add, class Quick, class Gpu, class Cpu>
void add_sizes(Add add, const Quick& small, const Gpu& gpu, const Cpu& cpu) {
  if (quick)
    add(small);
  else if (opencl_context.capabilities().gpu)
    add(gpu);
  else
    add(cpu);
}

/// Rows and columns of the design of a regression, and what a case calls them.
struct design_shape {
  const char* name;
  std::int64_t n, k;
};

/// Calls `add` with each design for this run.
template <class Add>
void add_designs(Add add) {
  static constexpr design_shape gpu[] = {{"1e6x100", 1000000, 100}, {"1e5x1000", 100000, 1000},
                                         {"1e5x10", 100000, 10},    {"1e7x10", 10000000, 10},
                                         {"1e4x5000", 10000, 5000}, {"1000x5", 1000, 5}};
  static constexpr design_shape cpu[] = {
      {"1e5x100", 100000, 100}, {"1e6x10", 1000000, 10}, {"2e4x1000", 20000, 1000}};
  static constexpr design_shape small[] = {{"1000x5", 1000, 5}};
  const auto add_each = [&](const auto& designs) {
    for (const design_shape& s : designs) add(s);
  };
  add_sizes(add_each, small, gpu, cpu);
}

/// Whether a case has ended with an error; the program then fails.
inline bool any_failed = false;

/// Registers one case that runs once per repetition and does its own timing.
template <class Case>
void add_case(const std::string& name, Case body) {
  const auto checked = [body = std::move(body)](benchmark::State& state) {
    body(state);
    any_failed = any_failed || state.error_occurred();
  };
  benchmark::RegisterBenchmark(name.c_str(), checked)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

/// Sizes from 1e3 up, in powers of ten, as far as `bytes_per_element` fit: to 1e8 on a GPU, 1e7 on a CPU, 1e4
/// where quick.
std::vector<std::int64_t> sizes(double bytes_per_element);

/// "1e6" for powers of ten.
std::string size_text(std::int64_t n);

/// Values in [0.1, 1), the same in every run; `which` tells arrays apart. Good until more values of the same
/// array are asked for.
const double* random_values(std::size_t which, std::int64_t n);

/// n x 1 on the device with these values.
matrix_cl<double> random_matrix(std::size_t which, std::int64_t rows, std::int64_t cols = 1);

}  // namespace fusecl::bench
