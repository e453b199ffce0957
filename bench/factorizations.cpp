// Cholesky factors, triangular systems and inverses, and the gradient of a normal density with a covariance,
// against Eigen with one thread. The counter "launches" is that of the statement.

#include <Eigen/Cholesky>

#include <fusion/autodiff/value_and_gradient.hpp>

#include "measure.hpp"

namespace fusecl::bench {
namespace {

using host = Eigen::MatrixXd;
using matrix = matrix_cl<double>;

struct sizes_of_case {
  const char* name;
  std::int64_t n;
};

/// What all works have: a covariance, its factor, right-hand sides and one of them.
template <class M>
struct operands {
  const M &s, &l, &b, &y;
};

struct factor {
  static constexpr const char* name = "cholesky";
  static void run(matrix& r, const operands<matrix>& x) { r = cholesky_decompose(x.s); }
  static void with_eigen(host& r, const operands<host>& x) { r = x.s.llt().matrixL(); }
};

struct system_of_many_sides {
  static constexpr const char* name = "system";
  static void run(matrix& r, const operands<matrix>& x) { r = mdivide_left_tri_low(x.l, x.b); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(x.b);
  }
};

struct system_of_one_side {
  static constexpr const char* name = "system_of_one_side";
  static void run(matrix& r, const operands<matrix>& x) { r = mdivide_left_tri_low(x.l, x.y); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(x.y);
  }
};

struct inverse {
  static constexpr const char* name = "inverse";
  static void run(matrix& r, const operands<matrix>& x) { r = tri_inverse<matrix_cl_view::Lower>(x.l); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(host::Identity(x.l.rows(), x.l.rows()));
  }
};

/// Of -log|S| / 2 - y' inverse(S) y / 2 by the lower triangle of S.
struct gradient_of_a_density {
  static constexpr const char* name = "gradient";
  static void run(matrix& r, const operands<matrix>& x) {
    const auto l = shared(cholesky_decompose(x.s));
    const auto density = -0.5 * dot_self(mdivide_left_tri_low(l, x.y)) - sum(log(diagonal(l)));
    r = std::get<0>(value_and_gradient(density, wrt(x.s)).gradient);
  }
  static void with_eigen(host& r, const operands<host>& x) {
    const Eigen::LLT<host> llt(x.s);
    const host alpha = llt.solve(x.y);
    r = llt.solve(host::Identity(x.s.rows(), x.s.rows()));
    r = (alpha * alpha.transpose() - r).eval().triangularView<Eigen::Lower>();
    r.diagonal() /= 2;
  }
};

template <class Work>
void run_case(benchmark::State& state, std::int64_t n) {
  const host own = host::Random(n, n) / std::sqrt(static_cast<double>(n)),
             s = own * own.transpose() + host::Identity(n, n), l = s.llt().matrixL(), b = host::Random(n, n),
             y = b.col(0);
  const matrix s_cl(s), l_cl(l), b_cl(b), y_cl(y);
  matrix result;
  host wanted;
  const operands<matrix> on_device{s_cl, l_cl, b_cl, y_cl};
  const operands<host> on_host{s, l, b, y};
  comparison all;
  all.add(Work::name, runs_on::device, [&] { Work::run(result, on_device); });
  all.add("eigen", runs_on::host, [&] { Work::with_eigen(wanted, on_host); });
  all.measure();
  const counters before = runtime_counters();
  Work::run(result, on_device);
  const counters used = runtime_counters() - before;
  Work::with_eigen(wanted, on_host);
  if (!from_matrix_cl(result).isApprox(wanted, 1e-10)) state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["launches"] = static_cast<double>(used.launches);
}

template <class Work>
void add_work(const sizes_of_case& s) {
  add_case(std::string("factorizations/") + Work::name + "/" + s.name,
           [n = s.n](benchmark::State& state) { run_case<Work>(state, n); });
}

}  // namespace

void register_cases() {
  if (!opencl_context.capabilities().fp64) return;
  static constexpr sizes_of_case small[] = {{"70", 70}};
  static constexpr sizes_of_case cpu[] = {{"16", 16},   {"64", 64},     {"256", 256},
                                          {"512", 512}, {"1024", 1024}, {"2048", 2048}};
  static constexpr sizes_of_case gpu[] = {{"16", 16},     {"64", 64},     {"256", 256},
                                          {"1024", 1024}, {"2048", 2048}, {"4096", 4096}};
  add_sizes(
      [](const auto& all) {
        for (const sizes_of_case& s : all) {
          add_work<factor>(s);
          add_work<system_of_many_sides>(s);
          add_work<system_of_one_side>(s);
          add_work<inverse>(s);
          add_work<gradient_of_a_density>(s);
        }
      },
      small, gpu, cpu);
}

}  // namespace fusecl::bench
