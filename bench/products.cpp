// Products of matrices in all layouts, with what follows from them and of float, against Eigen as it comes
// and Eigen over all cores. Counters give the rate of the subject in Gflop/s.

#include "eigen_split.hpp"
#include "measure.hpp"

namespace fusecl::bench {
namespace {

struct product_shape {
  const char* name;
  std::int64_t n, k, m;
};

template <class T>
using host = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// A work each: the statement, and the same by Eigen for the columns [first, first + count). `at` and `bt` are
// the transposes of `a` and `b`, `lower` the lower triangle of `a`.

template <class M>
struct operands {
  const M &a, &b, &at, &bt, &c, &lower;
};

struct plain {
  static constexpr const char* name = "nn";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = x.a * x.b;
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count).noalias() = x.a * x.b.middleCols(j, count);
  }
};

struct of_a_transpose {
  static constexpr const char* name = "tn";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = transpose(x.at) * x.b;
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count).noalias() = x.at.transpose() * x.b.middleCols(j, count);
  }
};

struct with_a_transpose {
  static constexpr const char* name = "nt";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = x.a * transpose(x.bt);
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count).noalias() = x.a * x.bt.middleRows(j, count).transpose();
  }
};

struct of_transposes {
  static constexpr const char* name = "tt";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = transpose(x.at) * transpose(x.bt);
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count).noalias() = x.at.transpose() * x.bt.middleRows(j, count).transpose();
  }
};

/// To be compared with the plain product of the same size.
struct finished {
  static constexpr const char* name = "exp_of_sum";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = exp(x.a * x.b + x.c);
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    auto own = y.middleCols(j, count);
    own.noalias() = x.a * x.b.middleCols(j, count);
    own = (own + x.c.middleCols(j, count)).array().exp();
  }
};

/// A matrix times its transpose: half of the work.
struct with_own_transpose {
  static constexpr const char* name = "own_transpose";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = x.a * transpose(x.a);
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count).noalias() = x.a * x.a.middleRows(j, count).transpose();
  }
};

/// A lower triangular matrix times a dense one: half of the work.
struct of_a_triangle {
  static constexpr const char* name = "triangle";
  template <class T>
  static void run(matrix_cl<T>& y, const operands<matrix_cl<T>>& x) {
    y = x.lower * x.b;
  }
  template <class T>
  static void with_eigen(host<T>& y, const operands<host<T>>& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.lower.template triangularView<Eigen::Lower>() * x.b.middleCols(j, count);
  }
};

template <class T>
host<T> numbers(std::int64_t rows, std::int64_t cols) {
  const auto size = static_cast<double>(std::max<std::int64_t>(rows, cols));
  return host<T>::Random(rows, cols) / static_cast<T>(std::sqrt(size));
}

/// Numbers of the same size, made on the device: a hash of the place by a sine.
template <class T>
matrix_cl<T> device_numbers(std::int64_t rows, std::int64_t cols, double seed) {
  const auto size = static_cast<double>(std::max<std::int64_t>(rows, cols));
  const auto hash = 43758.5453 * sin(12.9898 * cast<double>(row_index(rows, cols)) +
                                     78.233 * cast<double>(col_index(rows, cols)) + seed);
  const matrix_cl<double> made = (2.0 * (hash - floor(hash)) - 1.0) / std::sqrt(size);
  return matrix_cl<T>(cast<T>(made));
}

template <class T>
T error_bound(const product_shape& s) {
  return 64 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<T>(s.k));
}

void report_rate(benchmark::State& state, const comparison& all, const product_shape& s) {
  const double flops = 2e-9 * static_cast<double>(s.n) * static_cast<double>(s.k) * static_cast<double>(s.m);
  all.report(state);
  state.counters["Gflop/s"] = flops / all.seconds();
}

template <class Work, class T>
void run_beside_eigen(benchmark::State& state, const product_shape& s) {
  const host<T> a = numbers<T>(s.n, s.k), b = numbers<T>(s.k, s.m), at = a.transpose(), bt = b.transpose(),
                c = numbers<T>(s.n, s.m);
  const matrix_cl<T> a_cl(a), b_cl(b), at_cl(at), bt_cl(bt), c_cl(c), lower_cl(a, matrix_cl_view::Lower);
  matrix_cl<T> result(s.n, s.m);
  host<T> wanted(s.n, s.m);
  const operands<host<T>> on_host{a, b, at, bt, c, a};
  comparison all;
  all.add("product", runs_on::device, [&] {
    Work::template run<T>(result, {a_cl, b_cl, at_cl, bt_cl, c_cl, lower_cl});
  });
  all.add("eigen", runs_on::host, [&] { Work::template with_eigen<T>(wanted, on_host, 0, s.m); });
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(s.m, [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      if (length > 0) Work::template with_eigen<T>(wanted, on_host, begin, length);
    });
  });
  all.measure();
  Work::template with_eigen<T>(wanted, on_host, 0, s.m);
  if (!((from_matrix_cl(result) - wanted).array().abs() <= error_bound<T>(s)).all())  // nor NaN
    state.SkipWithError("the result differs from Eigen's");
  report_rate(state, all, s);
}

/// Of matrices that are too large for the host: some columns are compared with the product by a vector of
/// that column, which has another kernel.
template <class Work, class T>
void run_alone(benchmark::State& state, const product_shape& s) {
  const matrix_cl<T> a = device_numbers<T>(s.n, s.k, 0.1), b = device_numbers<T>(s.k, s.m, 0.2),
                     c = device_numbers<T>(s.n, s.m, 0.3), at(transpose(a)), bt(transpose(b));
  matrix_cl<T> lower = a, result(s.n, s.m), wanted;
  lower.view(matrix_cl_view::Lower);
  comparison all;
  all.add("product", runs_on::device, [&] { Work::template run<T>(result, {a, b, at, bt, c, lower}); });
  all.measure();
  for (std::int64_t j : {std::int64_t{0}, s.m / 2, s.m - 1}) {
    const matrix_cl<T> b_j(block_zero_based(b, 0, j, s.k, 1)), bt_j(transpose(b_j)),
        c_j(block_zero_based(c, 0, j, s.n, 1));
    if constexpr (std::is_same_v<Work, with_own_transpose>)
      wanted = a * transpose(block_zero_based(a, j, 0, 1, s.k));
    else
      Work::template run<T>(wanted, {a, b_j, at, bt_j, c_j, lower});
    const T error = max_2d(fabs(block_zero_based(result, 0, j, s.n, 1) - wanted));
    if (!(error <= error_bound<T>(s))) state.SkipWithError("a column differs from that of the product by it");
  }
  report_rate(state, all, s);
}

template <class Work, class T>
void run_case(benchmark::State& state, const product_shape& s) {
  if (s.n * s.k * s.m >= std::int64_t{1} << 33) return run_alone<Work, T>(state, s);
  run_beside_eigen<Work, T>(state, s);
}

/// sum(square(A B - C)), of which no matrix is left in memory.
void run_sum_of_squares(benchmark::State& state, const product_shape& s) {
  const matrix_cl<double> a = device_numbers<double>(s.n, s.k, 0.1),
                          b = device_numbers<double>(s.k, s.m, 0.2),
                          c = device_numbers<double>(s.n, s.m, 0.3);
  matrix_cl<double> sum;
  comparison all;
  all.add("product", runs_on::device, [&] { sum = fusecl::sum(square(a * b - c)); });
  all.measure();
  const matrix_cl<double> stored(a * b);
  const double wanted = fusecl::sum(square(stored - c));
  if (!(std::abs(sum(0, 0) - wanted) <= 1e-11 * wanted)) state.SkipWithError("the sum is another one");
  report_rate(state, all, s);
}

template <class Work, class T>
void add_work(const product_shape& s) {
  add_case(std::string("products/") + (std::is_same_v<T, float> ? "float_" : "") + Work::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Work, T>(state, s); });
}

}  // namespace

void register_cases() {
  static constexpr product_shape gpu[] = {
      {"512", 512, 512, 512},     {"1000", 1000, 1000, 1000}, {"1024", 1024, 1024, 1024},
      {"1536", 1536, 1536, 1536}, {"2048", 2048, 2048, 2048}, {"3000", 3000, 3000, 3000},
      {"4096", 4096, 4096, 4096}, {"5001", 5001, 5001, 5001}, {"8192", 8192, 8192, 8192}};
  static constexpr product_shape cpu[] = {{"512", 512, 512, 512},
                                          {"1000", 1000, 1000, 1000},
                                          {"1024", 1024, 1024, 1024},
                                          {"2048", 2048, 2048, 2048}};
  static constexpr product_shape small[] = {{"65x33x65", 65, 33, 65}};
  static constexpr product_shape plain_gpu[] = {{"16384", 16384, 16384, 16384},
                                                {"100x1e6x100", 100, 1000000, 100}};
  // tall matrices times few columns, and their transposes
  static constexpr product_shape thin_cpu[] = {{"2e5x2x2", 200000, 2, 2},     {"2e5x4x8", 200000, 4, 8},
                                               {"2e5x16x16", 200000, 16, 16}, {"2x2e5x2", 2, 200000, 2},
                                               {"8x2e5x3", 8, 200000, 3},     {"20x2e5x5", 20, 200000, 5}};
  const bool doubles = opencl_context.capabilities().fp64;
  const auto add = [&](const auto& shapes) {
    for (const product_shape& s : shapes) {
      if (doubles) {
        add_work<plain, double>(s);
        add_work<of_a_transpose, double>(s);
        add_work<with_a_transpose, double>(s);
        add_work<of_transposes, double>(s);
        add_work<finished, double>(s);
        add_case(std::string("products/sum_of_squares/") + s.name,
                 [s](benchmark::State& state) { run_sum_of_squares(state, s); });
        add_work<with_own_transpose, double>(s);
        add_work<of_a_triangle, double>(s);
      }
      add_work<plain, float>(s);
      add_work<of_a_transpose, float>(s);
    }
  };
  add_sizes(add, small, gpu, cpu);
  if (!doubles || quick) return;
  if (opencl_context.capabilities().gpu) {
    for (const product_shape& s : plain_gpu) add_work<plain, double>(s);
    return;
  }
  for (const product_shape& s : thin_cpu) {
    add_work<plain, double>(s);
    add_work<of_a_transpose, double>(s);
  }
}

}  // namespace fusecl::bench
