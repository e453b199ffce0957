// Products, Cholesky factors, inverses and systems of many small matrices, against moving their bytes once at
// the speed of a copy, a loop of Eigen and that over all cores. Counters give the rates of the subject.

#include <Eigen/Cholesky>

#include "ceilings.hpp"
#include "eigen_split.hpp"
#include "measure.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
using host = Eigen::MatrixXd;

struct batch_of_case {
  std::int64_t n, count;
};

/// What all works have: two batches, one of symmetric matrices, and one of their factors.
template <class M>
struct operands {
  const M &a, &b, &s, &l;
  std::int64_t count;
};

// A work each: the statement, the same by Eigen for matrices side by side from column `j` on, the batches
// that it reads or writes, and the flops of a matrix in terms of n^3.

struct products {
  static constexpr const char* name = "product";
  static constexpr double batches = 3, flops = 2;
  static void run(matrix& r, const operands<matrix>& x) { r = batched_multiply(x.a, x.b, x.count); }
  static void with_eigen(host& r, const operands<host>& x, std::int64_t j, std::int64_t n) {
    r.middleCols(j, n).noalias() = x.a.middleCols(j, n).lazyProduct(x.b.middleCols(j, n));
  }
};

struct products_with_transposes {
  static constexpr const char* name = "product_nt";
  static constexpr double batches = 3, flops = 2;
  static void run(matrix& r, const operands<matrix>& x) {
    r = batched_multiply(x.a, transpose_each(x.b), x.count);
  }
  static void with_eigen(host& r, const operands<host>& x, std::int64_t j, std::int64_t n) {
    r.middleCols(j, n).noalias() = x.a.middleCols(j, n).lazyProduct(x.b.middleCols(j, n).transpose());
  }
};

struct factors {
  static constexpr const char* name = "cholesky";
  static constexpr double batches = 2, flops = 1.0 / 3;
  static void run(matrix& r, const operands<matrix>& x) { r = batched_cholesky_decompose(x.s); }
  static void with_eigen(host& r, const operands<host>& x, std::int64_t j, std::int64_t n) {
    r.middleCols(j, n) = x.s.middleCols(j, n).llt().matrixL();
  }
};

struct inverses {
  static constexpr const char* name = "inverse";
  static constexpr double batches = 2, flops = 1.0 / 3;
  static void run(matrix& r, const operands<matrix>& x) { r = batched_tri_inverse(x.l); }
  static void with_eigen(host& r, const operands<host>& x, std::int64_t j, std::int64_t n) {
    r.middleCols(j, n) = x.l.middleCols(j, n).triangularView<Eigen::Lower>().solve(host::Identity(n, n));
  }
};

struct systems {
  static constexpr const char* name = "system";
  static constexpr double batches = 3, flops = 1;
  static void run(matrix& r, const operands<matrix>& x) { r = batched_mdivide_left_tri_low(x.l, x.b); }
  static void with_eigen(host& r, const operands<host>& x, std::int64_t j, std::int64_t n) {
    r.middleCols(j, n) = x.l.middleCols(j, n).triangularView<Eigen::Lower>().solve(x.b.middleCols(j, n));
  }
};

template <class Work>
void run_case(benchmark::State& state, const batch_of_case& c) {
  const std::int64_t n = c.n, cols = n * c.count;
  const host a = host::Random(n, cols), b = host::Random(n, cols);
  host s(n, cols), l(n, cols);
  for (std::int64_t j = 0; j < cols; j += n) {
    const host own = a.middleCols(j, n) / std::sqrt(static_cast<double>(n));
    s.middleCols(j, n) = own * own.transpose() + host::Identity(n, n);
    l.middleCols(j, n) = s.middleCols(j, n).llt().matrixL();
  }
  const matrix a_cl(a), b_cl(b), s_cl(s), l_cl(l);
  matrix result(n, cols);
  host wanted(n, cols);
  const operands<host> on_host{a, b, s, l, c.count};
  const auto with_eigen = [&](std::int64_t begin, std::int64_t matrices) {
    for (std::int64_t k = begin; k < begin + matrices; ++k) Work::with_eigen(wanted, on_host, k * n, n);
  };
  const double bytes = Work::batches * 8 * static_cast<double>(n * cols),
               flops = Work::flops * static_cast<double>(n * n * n * c.count);
  comparison all;
  all.add(Work::name, runs_on::device, [&] { Work::run(result, {a_cl, b_cl, s_cl, l_cl, c.count}); });
  all.add("floor", runs_on::device, copy_ceiling(bytes));
  all.add("eigen", runs_on::host, [&] { with_eigen(0, c.count); });
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(c.count, [&](std::int64_t begin, std::int64_t length, std::int64_t) { with_eigen(begin, length); });
  });
  all.measure();
  with_eigen(0, c.count);
  if (!from_matrix_cl(result).isApprox(wanted, 1e-10)) state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = 1e-9 * bytes / all.seconds();
  state.counters["Gflop/s"] = 1e-9 * flops / all.seconds();
}

template <class Work>
void add_work(const batch_of_case& c) {
  add_case(
      std::string("batches/") + Work::name + "/" + std::to_string(c.count) + "_of_" + std::to_string(c.n),
      [c](benchmark::State& state) { run_case<Work>(state, c); });
}

}  // namespace

void register_cases() {
  if (!opencl_context.capabilities().fp64) return;
  static constexpr batch_of_case small[] = {{7, 30}};
  static constexpr batch_of_case cpu[] = {{4, 20000}, {8, 10000}, {16, 4000}, {32, 1000}, {64, 300}};
  static constexpr batch_of_case gpu[] = {{4, 200000}, {8, 100000}, {16, 40000},
                                          {32, 10000}, {33, 10000}, {64, 10000}};
  add_sizes(
      [](const auto& all) {
        for (const batch_of_case& c : all) {
          add_work<products>(c);
          add_work<products_with_transposes>(c);
          add_work<factors>(c);
          add_work<inverses>(c);
          add_work<systems>(c);
        }
      },
      small, gpu, cpu);
}

}  // namespace fusecl::bench
