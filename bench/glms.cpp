// Regressions by name, value and gradient: on the tape, and the same as a text-book expression with
// value_and_gradient, against reading X once at the speed of a copy. Host wall time with the value and the
// derivatives by numbers on the host; the variables are made anew as a sampler does.

#include <cmath>

#include <primitives/primitives.hpp>

#include "ceilings.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
using variable = var_value<matrix>;

// A regression each: its call with variables, whose derivatives by numbers it adds up, and its expression.

struct bernoulli {
  static constexpr const char* name = "bernoulli";
  static double on_tape(const matrix& y, const matrix& x, const variable& beta) {
    var alpha = 0.25;
    var density = bernoulli_logit_glm_lpmf(y, x, alpha, beta);
    density.grad();
    return density.val() + alpha.adj();
  }
  template <class Eta>
  static auto density(const matrix& y, const Eta& eta) {
    return sum(elt_multiply(y, eta) - log1p_exp(eta));
  }
};

struct poisson {
  static constexpr const char* name = "poisson";
  static double on_tape(const matrix& y, const matrix& x, const variable& beta) {
    var alpha = 0.25;
    var density = poisson_log_glm_lpmf<true>(y, x, alpha, beta);
    density.grad();
    return density.val() + alpha.adj();
  }
  template <class Eta>
  static auto density(const matrix& y, const Eta& eta) {
    return sum(elt_multiply(y, eta) - exp(eta));
  }
};

struct normal {
  static constexpr const char* name = "normal";
  static double on_tape(const matrix& y, const matrix& x, const variable& beta) {
    var alpha = 0.25, sigma = 1.0;
    var density = normal_id_glm_lpdf<true>(y, x, alpha, beta, sigma);
    density.grad();
    return density.val() + alpha.adj() + sigma.adj();
  }
  template <class Eta>
  static auto density(const matrix& y, const Eta& eta) {
    return -0.5 * sum(square(y - eta));
  }
};

struct neg_binomial {
  static constexpr const char* name = "neg_binomial";
  static double on_tape(const matrix& y, const matrix& x, const variable& beta) {
    var alpha = 0.25, phi = 2.5;
    var density = neg_binomial_2_log_glm_lpmf(y, x, alpha, beta, phi);
    density.grad();
    return density.val() + alpha.adj() + phi.adj();
  }
  template <class Eta>
  static auto density(const matrix& y, const Eta& eta) {
    return sum(elt_multiply(y, eta) - elt_multiply(y + 2.5, log1p_exp(eta - std::log(2.5))));
  }
};

template <class Model>
void run_case(benchmark::State& state, const design_shape& s) {
  const matrix x = random_matrix(0, s.n, s.k),
               y = select(random_matrix(1, s.n) > 0.55, constant(1.0), constant(0.0));
  const matrix b = (random_matrix(2, s.k) - 0.5) * (2.0 / static_cast<double>(s.k));
  const double floor_bytes = 8.0 * static_cast<double>(s.n * s.k + s.n);
  parameter<double> alpha(0.25);
  matrix by_b(s.k, 1), by_alpha(1, 1);
  double on_tape = 0, value = 0;

  comparison all;
  const auto function = [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const variable beta(b);
    on_tape = Model::on_tape(y, x, beta);
  };
  const auto expression = [&] {
    const auto eta = shared(x * b + alpha);
    value = value_and_gradient_into(Model::density(y, eta), wrt(b, alpha), by_b, by_alpha);
  };
  all.add("function", runs_on::device, function);
  all.add("expression", runs_on::device, expression);
  all.add("floor", runs_on::device, copy_ceiling(floor_bytes));
  all.add("value_alone", runs_on::device, [&] {
    const auto eta = shared(x * b + 0.25);
    value = Model::density(y, eta);
  });
  all.add("variable_alone", runs_on::device, [&] {
    const nested_rev_autodiff forgotten_afterwards;
    const variable beta(b);
  });
  all.measure();
  const counters before = runtime_counters();
  function();
  const counters used = runtime_counters() - before;
  expression();
  if (!std::isfinite(on_tape) || !std::isfinite(value)) state.SkipWithError("the density is not finite");
  all.report(state);
  state.counters["GB/s"] = floor_bytes / all.seconds() * 1e-9;
  state.counters["launches"] = static_cast<double>(used.launches);
  state.counters["waits"] = static_cast<double>(used.host_waits);
  state.counters["reads"] = static_cast<double>(used.host_reads);
  state.counters["buffers"] = static_cast<double>(used.buffers_created);
}

template <class Model>
void add_model(const design_shape& s) {
  add_case(std::string("glms/") + Model::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Model>(state, s); });
}

/// Regressions of classes on the tape: categorical with ten, ordered with five cuts.
template <class Density>
void run_classes(benchmark::State& state, const design_shape& s, int classes, Density density) {
  const matrix x = random_matrix(0, s.n, s.k);
  const matrix_cl<int> y = cast<int>(random_matrix(1, s.n) * static_cast<double>(classes)) + 1;
  const double floor_bytes = 8.0 * static_cast<double>(s.n * s.k) + 4.0 * static_cast<double>(s.n);
  double value = 0;
  comparison all;
  const auto function = [&] {
    const nested_rev_autodiff forgotten_afterwards;
    value = density(y, x);
  };
  all.add("function", runs_on::device, function);
  all.add("floor", runs_on::device, copy_ceiling(floor_bytes));
  all.measure();
  const counters before = runtime_counters();
  function();
  const counters used = runtime_counters() - before;
  if (!std::isfinite(value)) state.SkipWithError("the density is not finite");
  all.report(state);
  state.counters["launches"] = static_cast<double>(used.launches);
  state.counters["waits"] = static_cast<double>(used.host_waits);
}

void add_classes(const design_shape& s) {
  constexpr int classes = 10;
  add_case(std::string("glms/categorical/") + s.name, [s](benchmark::State& state) {
    const matrix b = (random_matrix(2, s.k, classes) - 0.5) * (2.0 / static_cast<double>(s.k)),
                 a = random_matrix(3, 1, classes);
    run_classes(state, s, classes, [&](const matrix_cl<int>& y, const matrix& x) {
      const variable alpha(a), beta(b);
      var density = categorical_logit_glm_lpmf(y, x, alpha, beta);
      density.grad();
      return density.val();
    });
  });
  add_case(std::string("glms/ordered/") + s.name, [s](benchmark::State& state) {
    const matrix b = (random_matrix(2, s.k) - 0.5) * (2.0 / static_cast<double>(s.k)),
                 c(std::vector<double>{-2, -1, 0, 1, 2});
    run_classes(state, s, 6, [&](const matrix_cl<int>& y, const matrix& x) {
      const variable beta(b), cuts(c);
      var density = ordered_logistic_glm_lpmf(y, x, beta, cuts);
      density.grad();
      return density.val();
    });
  });
}

}  // namespace

void register_cases() {
  add_designs([](const design_shape& s) {
    add_model<bernoulli>(s);
    add_model<poisson>(s);
    add_model<normal>(s);
    add_model<neg_binomial>(s);
    add_classes(s);
  });
}

}  // namespace fusecl::bench
