// fusecl_tune measures on the selected device from which sizes on functions of host matrices are worth the
// way to the device and back, and writes them to the user's file. A result is compared with Eigen's before
// its time counts.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <primitives/primitives.hpp>

namespace fusecl::tune {
namespace {

using matrix = Eigen::MatrixXd;
using clock = std::chrono::steady_clock;

/// A function of host matrices that has an option: what it does for n rows, and the size that is compared.
struct candidate {
  const char* what;
  std::int64_t tuning_options::*option;
  std::function<std::function<matrix()>(int n)> prepared;
  std::function<std::int64_t(std::int64_t n)> size;
};

matrix positive_definite(int n) {
  const matrix a = matrix::Random(n, n);
  return a * a.transpose() + n * matrix::Identity(n, n);
}
matrix triangle(int n) {
  matrix a = matrix::Random(n, n);
  a.diagonal().setConstant(n);
  return a;
}

const candidate candidates[] = {
    {"product", &tuning_options::multiply_dim_prod_worth_transfer,
     [](int n) -> std::function<matrix()> {
       return [a = matrix(matrix::Random(n, n)), b = matrix(matrix::Random(n, n))] { return multiply(a, b); };
     },
     [](std::int64_t n) { return n * n * n; }},
    {"system", &tuning_options::mdivide_dim_prod_worth_transfer,
     [](int n) -> std::function<matrix()> {
       return [a = triangle(n), b = matrix(matrix::Random(n, n))] { return mdivide_left_tri_low(a, b); };
     },
     [](std::int64_t n) { return n * n * n; }},
    {"Cholesky factor", &tuning_options::cholesky_size_worth_transfer,
     [](int n) -> std::function<matrix()> {
       return [a = positive_definite(n)] { return cholesky_decompose(a); };
     },
     [](std::int64_t n) { return n; }},
    {"triangular inverse", &tuning_options::tri_inverse_size_worth_transfer,
     [](int n) -> std::function<matrix()> {
       return [a = triangle(n)] { return tri_inverse<matrix_cl_view::Lower>(a); };
     },
     [](std::int64_t n) { return n; }},
};

/// Overwrites one line of a terminal; prints nothing elsewhere.
void show_progress(std::size_t done, std::size_t all, const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / all;
  std::cerr << "\r[" << std::string(filled, '#') << std::string(width - filled, '.') << "] " << what
            << std::string(20, ' ') << (done == all ? "\n" : "") << std::flush;
}

/// Median seconds of a call, of at least three.
double seconds_of(const std::function<matrix()>& call) {
  std::vector<double> times;
  for (double spent = 0; times.size() < 3 || (spent < 0.05 && times.size() < 50); spent += times.back()) {
    const auto start = clock::now();
    call();
    times.push_back(std::chrono::duration<double>(clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// The least of the sizes from which on the device is the faster one, or `never`.
std::int64_t measure(const candidate& c, const std::vector<int>& sizes,
                     const std::function<void(int n)>& report) {
  std::int64_t least = tuning_options::never;
  for (const int n : sizes) {
    report(n);
    const std::function<matrix()> call = c.prepared(n);
    std::int64_t& option = opencl_context.tuning_opts().*c.option;
    option = tuning_options::never;
    const matrix wanted = call();
    const double host = seconds_of(call);
    option = 0;
    const matrix found = call();  // builds kernels
    if (!((found - wanted).norm() <= 1e-10 * (1 + wanted.norm())))
      throw error(std::string("the device's ") + c.what + " of " + std::to_string(n) +
                  " rows is not Eigen's: nothing is written");
    const bool wins = seconds_of(call) < host;
    if (!wins)
      least = tuning_options::never;
    else if (least == tuning_options::never)
      least = c.size(n);
    if (host > 2) break;  // larger ones take too long
  }
  return least;
}

int run(int largest, std::string file) {
  if (!opencl_context.capabilities().fp64)
    throw error("the device has no double: host matrices of double stay on the host there");
  if (file.empty()) file = runtime::tuning_file();
  if (file.empty()) throw error("FUSECL_TUNING is off, or there is no home for configurations: give --file");
  setenv("FUSECL_TUNING", "off", 1);  // the file need not be there, and what it says plays no part
  std::vector<int> sizes;
  for (int n = 16; n <= largest; n *= 2)
    for (const int each : {n, n + n / 2})
      if (each <= largest) sizes.push_back(each);
  tuning_options found;
  std::size_t done = 0;
  const std::size_t all = std::size(candidates) * sizes.size();
  for (std::size_t k = 0; k < std::size(candidates); ++k) {
    const candidate& c = candidates[k];
    found.*c.option = measure(c, sizes, [&](int n) {
      show_progress(done++, all, std::string(c.what) + ", " + std::to_string(n) + " rows");
    });
    done = (k + 1) * sizes.size();
  }
  show_progress(all, all, "");
  runtime::write_tuning(file, opencl_context.capabilities(), found);
  std::cout << opencl_context.capabilities().name << "\n";
  for (const runtime::tuning_name& each : runtime::tuning_names) {
    const std::int64_t value = found.*each.option;
    std::cout << "  " << each.name << ": "
              << (value == tuning_options::never ? "never" : std::to_string(value)) << "\n";
  }
  std::cout << "written to " << file << "; FUSECL_TUNING=off ignores it\n";
  return 0;
}

}  // namespace
}  // namespace fusecl::tune

int main(int argc, char** argv) {
  CLI::App app("Measures from which sizes on functions of host matrices are worth the way to the device.");
  int largest = 2048;
  std::string file;
  app.add_option("--largest", largest, "rows of the largest matrices")->check(CLI::Range(16, 16384));
  app.add_option("--file", file, "file to write to instead of the user's");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {  // --help is one, too
    return app.exit(e) == 0 ? 0 : 1;
  }
  try {
    return fusecl::tune::run(largest, file);
  } catch (const std::exception& e) {
    std::cerr << "fusecl_tune: " << e.what() << "\n";
    return 1;
  }
}
