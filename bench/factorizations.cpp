// Cholesky factors, triangular systems and inverses, the gradient of a normal density with a covariance, and
// products with a vector, against Eigen with one thread. The counter "launches" is that of the statement,
// "error" the largest element of what the result leaves, relative to the largest of what it is compared with.

#include <cmath>
#include <limits>

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

/// Largest element of `difference` over that of `scale`, computed on the device.
template <class Difference>
double relative(const Difference& difference, const matrix& scale) {
  const double most = max(fabs(difference)), whole = max(fabs(scale));
  return most / whole;
}

struct factor {
  static constexpr const char* name = "cholesky";
  static void run(matrix& r, const operands<matrix>& x) { r = cholesky_decompose(x.s); }
  static void with_eigen(host& r, const operands<host>& x) { r = x.s.llt().matrixL(); }
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix back = r * transpose(r);
    return relative(back - x.s, x.s);
  }
};

struct system_of_many_sides {
  static constexpr const char* name = "system";
  static void run(matrix& r, const operands<matrix>& x) { r = mdivide_left_tri_low(x.l, x.b); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(x.b);
  }
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix back = x.l * r;
    return relative(back - x.b, x.b);
  }
};

struct system_of_one_side {
  static constexpr const char* name = "system_of_one_side";
  static void run(matrix& r, const operands<matrix>& x) { r = mdivide_left_tri_low(x.l, x.y); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(x.y);
  }
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix back = x.l * r;
    return relative(back - x.y, x.y);
  }
};

struct inverse {
  static constexpr const char* name = "inverse";
  static void run(matrix& r, const operands<matrix>& x) { r = tri_inverse<matrix_cl_view::Lower>(x.l); }
  static void with_eigen(host& r, const operands<host>& x) {
    r = x.l.triangularView<Eigen::Lower>().solve(host::Identity(x.l.rows(), x.l.rows()));
  }
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix back = x.l * r;
    return relative(add_diag(back, -1.0), r);
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
  /// With the other triangle added, the gradient times S is inverse(S) y y' less the identity.
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix whole = r + transpose(r), back = whole * x.s;
    const matrix half = mdivide_left_tri_low(x.l, x.y),
                 alpha = transpose(mdivide_right_tri_low(transpose(half), x.l));
    const matrix wanted = alpha * transpose(x.y);
    return relative(add_diag(back - wanted, 1.0), whole);
  }
};

/// The adjoint of S where that of its factor is B: the factor forward and reverse.
struct forward_and_reverse {
  static constexpr const char* name = "forward_and_reverse";
  static void run(matrix& r, const operands<matrix>& x) {
    r = std::get<0>(value_and_gradient(sum(elt_multiply(x.b, cholesky_decompose(x.s))), wrt(x.s)).gradient);
  }
  static void with_eigen(host& r, const operands<host>& x) {
    const host l = x.s.llt().matrixL();
    const host b = x.b.triangularView<Eigen::Lower>();
    host p = (l.transpose() * b).triangularView<Eigen::Lower>();
    p.diagonal() /= 2;
    const auto upper = l.transpose().triangularView<Eigen::Upper>();
    const host half = upper.solve(p), turned = upper.solve(half.transpose());  // inverse(L)' P inverse(L)
    r = (turned + turned.transpose()).eval().triangularView<Eigen::Lower>();
    r.diagonal() /= 2;
  }
  /// With the other triangle added, L' times it times L is L' B with its lower triangle on both sides.
  static double error(const matrix& r, const operands<matrix>& x) {
    const matrix whole = r + transpose(r), left = transpose(x.l) * whole, back = left * x.l;
    const matrix lower = select(row_index() >= col_index(), x.b, constant(0.0)),
                 product = transpose(x.l) * lower;
    return relative(back - select(row_index() >= col_index(), product, transpose(product)), product);
  }
};

/// Products that read a matrix once, as systems of one side do.
struct matrix_vector {
  static constexpr const char* name = "matrix_vector";
  static void run(matrix& r, const operands<matrix>& x) { r = x.b * x.y; }
  static void with_eigen(host& r, const operands<host>& x) { r = x.b * x.y; }
  static double error(const matrix& r, const operands<matrix>& x) {
    return relative(r - rowwise_sum(elt_multiply(x.b, colwise_broadcast(transpose(x.y)))), r);
  }
};

struct vector_matrix {
  static constexpr const char* name = "vector_matrix";
  static void run(matrix& r, const operands<matrix>& x) { r = transpose(x.b) * x.y; }
  static void with_eigen(host& r, const operands<host>& x) { r = x.b.transpose() * x.y; }
  static double error(const matrix& r, const operands<matrix>& x) {
    return relative(r - transpose(colwise_sum(elt_multiply(x.b, rowwise_broadcast(x.y)))), r);
  }
};

template <class Work>
void run_case(benchmark::State& state, std::int64_t n) {
  const matrix own = (random_matrix(0, n, n) - 0.55) * (3.8 / std::sqrt(static_cast<double>(n)));
  const matrix s = add_diag(own * transpose(own), 1.0);
  const matrix l = cholesky_decompose(s), b = random_matrix(1, n, n) - 0.55, y = col(b, 1);
  const operands<matrix> on_device{s, l, b, y};
  matrix result;
  host wanted, s_host, l_host, b_host, y_host;
  const operands<host> on_host{s_host, l_host, b_host, y_host};
  comparison all;
  all.add(Work::name, runs_on::device, [&] { Work::run(result, on_device); });
  if (!device_only) {
    s_host = from_matrix_cl(s);
    l_host = from_matrix_cl(l);
    b_host = from_matrix_cl(b);
    y_host = from_matrix_cl(y);
    all.add("eigen", runs_on::host, [&] { Work::with_eigen(wanted, on_host); });
  }
  all.measure();
  const counters before = runtime_counters();
  Work::run(result, on_device);
  const counters used = runtime_counters() - before;
  const double error = Work::error(result, on_device);
  if (!(error < 50 * std::numeric_limits<double>::epsilon() * static_cast<double>(n)))
    state.SkipWithError("what solves it leaves an error");
  if (!device_only && !from_matrix_cl(result).isApprox(wanted, 1e-10))
    state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["launches"] = static_cast<double>(used.launches);
  state.counters["error"] = error;
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
  static constexpr sizes_of_case gpu[] = {{"16", 16},     {"64", 64},     {"256", 256},   {"512", 512},
                                          {"1000", 1000}, {"1024", 1024}, {"2000", 2000}, {"2048", 2048},
                                          {"4096", 4096}, {"8192", 8192}};
  add_sizes(
      [](const auto& all) {
        for (const sizes_of_case& s : all) {
          add_work<factor>(s);
          add_work<system_of_many_sides>(s);
          add_work<system_of_one_side>(s);
          add_work<inverse>(s);
          add_work<gradient_of_a_density>(s);
          add_work<forward_and_reverse>(s);
          add_work<matrix_vector>(s);
          add_work<vector_matrix>(s);
        }
        if (opencl_context.capabilities().gpu && device_only) add_work<factor>({"16384", 16384});
      },
      small, gpu, cpu);
}

}  // namespace fusecl::bench
