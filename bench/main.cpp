// The main program of every bench: selects the device, records where the numbers come from, runs the cases.
// Also the bodies of measure.hpp. `--devices` lists what OCL_POSITION counts; `--seconds=S` is the time for a
// case, `--quick` takes small sizes and little time, `--device-only` leaves out what runs on the host. The
// exit code is 1 where a case ends with an error.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include "measure.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace fusecl::bench {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

constexpr int least_rounds = 7, most_rounds = 60, most_runs = 500;

}  // namespace

void finish() { runtime::this_thread_queue().finish(); }

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void comparison::add(std::string name, runs_on where, std::function<void()> run) {
  const auto on_host = [](runs_on place) { return place == runs_on::host || place == runs_on::host_threads; };
  // a case that is itself timed by the host, such as a read, is compared with what is timed so
  if (device_only && on_host(where) && !contenders_.empty() && !on_host(contenders_.front().where)) {
    if (where == runs_on::host) run();  // results are compared with its own
    return;
  }
  contenders_.push_back({std::move(name), where, std::move(run), 1, 1, 0, {}});
}

double comparison::time(contender& c) {
  // The one before worked on other buffers: untimed runs bring these back to the caches, which takes several.
  for (int k = 0; k < c.warming; ++k) c.run();
  finish();
  const auto start = clock::now();
  for (int k = 0; k < c.batch; ++k) c.run();
  if (c.where == runs_on::device) finish();
  const double elapsed = since(start);
  if (c.where == runs_on::device_async) finish();
  // Threads of OpenMP spin for up to 20 ms after their work; the next contender shall have the cores to
  // itself.
  if (c.where == runs_on::host_threads) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  c.spent += elapsed;
  return elapsed / c.batch;
}

bool comparison::sits_out(const contender& c, double seconds) const {
  const bool enough = c.seconds.size() >= 3 || c.spent > seconds;
  return enough && c.spent > 2 * seconds / static_cast<double>(contenders_.size());
}

void comparison::measure(double seconds) {
  // Threads that slept, or shared the cores with another contender's, take tens of milliseconds to spread
  // over the cores again.
  const bool gpu = opencl_context.capabilities().gpu;
  const double warming_seconds = quick ? 1e-3 : gpu ? 4e-3 : 40e-3;
  const double batch_seconds = quick ? 1e-3 : gpu ? 4e-3 : 10e-3;
  for (contender& c : contenders_) {
    const double once = time(c);
    c.warming = std::clamp(static_cast<int>(warming_seconds / once), 1, most_runs);
    c.batch = std::clamp(static_cast<int>(batch_seconds / once), 1, most_runs);
    if (c.where == runs_on::device_async) c.batch = 200;
    if (c.batch > 1) time(c);
    c.spent = 0;
  }
  double spent = 0;
  for (int round = 0; round < most_rounds && (round < least_rounds || spent < seconds); ++round) {
    spent = 0;
    for (contender& c : contenders_) {
      const bool subject = &c == &contenders_.front();
      c.seconds.push_back(!subject && sits_out(c, seconds) ? -1 : time(c));
      spent += c.spent;
    }
  }
}

double comparison::seconds(std::size_t contender) const {
  std::vector<double> taken;
  for (double s : contenders_[contender].seconds)
    if (s >= 0) taken.push_back(s);
  return median(std::move(taken));
}

void comparison::report(benchmark::State& state) const {
  for (auto _ : state) state.SetIterationTime(seconds());
  state.counters["rounds"] = static_cast<double>(contenders_.front().seconds.size());
  for (std::size_t k = 1; k < contenders_.size(); ++k) {
    const contender& c = contenders_[k];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < c.seconds.size(); ++round)
      if (c.seconds[round] >= 0) ratios.push_back(c.seconds[round] / contenders_.front().seconds[round]);
    state.counters[c.name + "_us"] = seconds(k) * 1e6;
    state.counters[c.name + "_x"] = median(std::move(ratios));
  }
}

std::vector<std::int64_t> sizes(double bytes_per_element) {
  const capabilities& device = opencl_context.capabilities();
  const double memory = 0.7 * static_cast<double>(device.global_bytes);
  const double largest = quick ? 1e4 : device.gpu ? 1e8 : 1e7;
  std::vector<std::int64_t> result;
  for (std::int64_t n = 1000; n <= static_cast<std::int64_t>(largest); n *= 10)
    if (static_cast<double>(n) * bytes_per_element <= memory &&
        static_cast<std::uint64_t>(n) * 16 <= device.max_allocation)
      result.push_back(n);
  return result;
}

std::string size_text(std::int64_t n) {
  int zeros = 0;
  std::int64_t head = n;
  for (; head >= 10 && head % 10 == 0; head /= 10) ++zeros;
  return zeros < 3 ? std::to_string(n) : std::to_string(head) + "e" + std::to_string(zeros);
}

const double* random_values(std::size_t which, std::int64_t n) {
  static std::map<std::size_t, std::vector<double>> arrays;
  std::vector<double>& values = arrays[which];
  std::uint64_t state = 88172645463325252ull + which + values.size();
  values.reserve(static_cast<std::size_t>(n));
  while (values.size() < static_cast<std::size_t>(n)) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // xorshift64, Marsaglia 2003
    values.push_back(0.1 + 0.9 * static_cast<double>(state >> 11) * 0x1p-53);
  }
  return values.data();
}

matrix_cl<double> random_matrix(std::size_t which, std::int64_t rows, std::int64_t cols) {
  return matrix_cl<double>(random_values(which, rows * cols), rows, cols);
}

}  // namespace fusecl::bench

int main(int count, char** arguments) {
  using namespace fusecl;
  constexpr std::string_view child = "--child=", seconds = "--seconds=";
  try {
    std::vector<char*> rest;
    for (int k = 0; k < count; ++k) {
      const std::string_view argument(arguments[k]);
      if (argument.starts_with(child) && bench::child_entry)
        return bench::child_entry(argument.substr(child.size()));
      if (argument == "--devices") return std::printf("%s", describe(list_devices()).c_str()) < 0;
      if (argument == "--device-only")
        bench::device_only = true;
      else if (argument == "--quick")
        bench::quick = true, bench::case_seconds = 0.01;
      else if (argument.starts_with(seconds))
        bench::case_seconds = std::strtod(arguments[k] + seconds.size(), nullptr);
      else
        rest.push_back(arguments[k]);
    }
    const capabilities& device = opencl_context.capabilities();
    benchmark::AddCustomContext("device", device.name);
    benchmark::AddCustomContext("device_kind", device.gpu ? "GPU" : device.cpu ? "CPU" : "accelerator");
    benchmark::AddCustomContext("compute_units", std::to_string(device.compute_units));
    benchmark::AddCustomContext("platform", device.platform + ", " + device.platform_version);
    benchmark::AddCustomContext("driver", device.driver);
    benchmark::AddCustomContext("fusecl", FUSECL_VERSION);
#ifdef _OPENMP
    benchmark::AddCustomContext("openmp_threads", std::to_string(omp_get_max_threads()));
#endif
    int left = static_cast<int>(rest.size());
    benchmark::Initialize(&left, rest.data());
    if (benchmark::ReportUnrecognizedArguments(left, rest.data())) return 1;
    bench::register_cases();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return bench::any_failed ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
}
