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
// the transposes of `a` and `b`.

template <class M>
struct operands {
  const M &a, &b, &at, &bt, &c;
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

template <class T>
host<T> numbers(std::int64_t rows, std::int64_t cols) {
  const auto size = static_cast<double>(std::max<std::int64_t>(rows, cols));
  return host<T>::Random(rows, cols) / static_cast<T>(std::sqrt(size));
}

template <class Work, class T>
void run_case(benchmark::State& state, const product_shape& s) {
  const host<T> a = numbers<T>(s.n, s.k), b = numbers<T>(s.k, s.m), at = a.transpose(), bt = b.transpose(),
                c = numbers<T>(s.n, s.m);
  const matrix_cl<T> a_cl(a), b_cl(b), at_cl(at), bt_cl(bt), c_cl(c);
  matrix_cl<T> result(s.n, s.m);
  host<T> wanted(s.n, s.m);
  const operands<host<T>> on_host{a, b, at, bt, c};
  comparison all;
  all.add("product", runs_on::device, [&] {
    Work::template run<T>(result, {a_cl, b_cl, at_cl, bt_cl, c_cl});
  });
  all.add("eigen", runs_on::host, [&] { Work::template with_eigen<T>(wanted, on_host, 0, s.m); });
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(s.m, [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      if (length > 0) Work::template with_eigen<T>(wanted, on_host, begin, length);
    });
  });
  all.measure();
  Work::template with_eigen<T>(wanted, on_host, 0, s.m);
  const T bound = 64 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<T>(s.k));
  if ((from_matrix_cl(result) - wanted).cwiseAbs().maxCoeff() > bound)
    state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  const double flops = 2e-9 * static_cast<double>(s.n) * static_cast<double>(s.k) * static_cast<double>(s.m);
  state.counters["Gflop/s"] = flops / all.seconds();
}

template <class Work, class T>
void add_work(const product_shape& s) {
  add_case(std::string("products/") + (std::is_same_v<T, float> ? "float_" : "") + Work::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Work, T>(state, s); });
}

}  // namespace

void register_cases() {
  static constexpr product_shape gpu[] = {{"512", 512, 512, 512},     {"1000", 1000, 1000, 1000},
                                          {"1024", 1024, 1024, 1024}, {"2048", 2048, 2048, 2048},
                                          {"4096", 4096, 4096, 4096}, {"8192", 8192, 8192, 8192}};
  static constexpr product_shape cpu[] = {{"512", 512, 512, 512},
                                          {"1000", 1000, 1000, 1000},
                                          {"1024", 1024, 1024, 1024},
                                          {"2048", 2048, 2048, 2048}};
  static constexpr product_shape small[] = {{"65x33x71", 65, 33, 71}};
  const bool doubles = opencl_context.capabilities().fp64;
  const auto add = [&](const auto& shapes) {
    for (const product_shape& s : shapes) {
      if (doubles) {
        add_work<plain, double>(s);
        add_work<of_a_transpose, double>(s);
        add_work<with_a_transpose, double>(s);
        add_work<of_transposes, double>(s);
        add_work<finished, double>(s);
      }
      add_work<plain, float>(s);
    }
  };
  add_sizes(add, small, gpu, cpu);
}

}  // namespace fusecl::bench
