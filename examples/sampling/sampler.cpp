// The order of what happens in an iteration of warm-up is Stan's: step size first, then metric, and after a
// new metric a new search for the step size.

#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "adaptation.hpp"
#include "counted.hpp"

namespace sampling {
namespace {

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

/// Throws std::invalid_argument where some elements of the position change nothing, as where a model has more
/// names than its log density reads elements: a chain would move along them for ever. Only elements without
/// a derivative are looked at, from another place.
void require_use_of_all(const density_function& density, const state& start) {
  const Eigen::Index elements = start.position.size();
  const auto is_unused = [](double derivative) { return derivative == 0; };
  const Eigen::Index flat = std::count_if(start.gradient.begin(), start.gradient.end(), is_unused);
  if (flat == 0 || flat == elements) return;
  Eigen::VectorXd elsewhere = start.position, gradient(elements);
  for (Eigen::Index k = 0; k < elements; ++k)
    if (is_unused(start.gradient[k])) elsewhere[k] += elsewhere[k] > 0 ? -8 : 8;
  if (density(elsewhere, gradient) != start.log_density || gradient != start.gradient) return;
  const Eigen::Index used = elements - flat;
  throw std::invalid_argument("a position has " + counted(elements, "element") +
                              ", but the log density depends on " + std::to_string(used) +
                              " of them only: are there more names than it reads elements?");
}

/// Throws std::invalid_argument where the gradient is not that of the log density, as where a part of the log
/// density is a number by the time derivatives are taken: chains would creep along with tiny steps and no
/// word. In one direction they are compared with differences, of which one must fit: large distances bend,
/// small ones round.
void require_gradient(const density_function& density, const state& start) {
  const Eigen::Index elements = start.position.size();
  random_source random(0, 0);
  Eigen::VectorXd direction(elements), gradient(elements);
  for (double& element : direction) element = (random.uniform() < 0.5 ? -1 : 1) * (0.5 + random.uniform());
  const double expected = start.gradient.dot(direction);
  const double scale = start.gradient.cwiseProduct(direction).lpNorm<1>();
  double found = 0;
  for (const double distance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const double above = density(start.position + distance * direction, gradient);
    const double below = density(start.position - distance * direction, gradient);
    if (!std::isfinite(above) || !std::isfinite(below)) return;  // at the border of where it is finite
    found = (above - below) / (2 * distance);
    const double rounding = 1e-11 * (std::fabs(above) + std::fabs(below)) / distance;
    if (std::fabs(found - expected) <= 1e-3 * scale + rounding) return;
  }
  throw std::invalid_argument(
      "the gradient is not that of the log density: in one direction it says " + text_of(expected) +
      ", differences of the log density say " + text_of(found) +
      "; is a part of the log density a number, as functions such as normal_lpdf return?");
}

state find_start(const density_function& density, Eigen::Index dimension, double radius,
                 random_source& random) {
  constexpr int most_tries = 100;
  state start;
  start.position.resize(dimension);
  start.gradient.resize(dimension);
  for (int tries = 0; tries < most_tries; ++tries) {
    for (double& element : start.position) element = radius * (2 * random.uniform() - 1);
    start.log_density = density(start.position, start.gradient);
    if (std::isfinite(start.log_density) && start.gradient.allFinite()) {
      require_use_of_all(density, start);
      require_gradient(density, start);
      return start;
    }
  }
  throw std::runtime_error("no start: the log density or its gradient was not finite at " +
                           std::to_string(most_tries) + " positions");
}

void require(bool holds, const std::string& name, const std::string& what) {
  if (!holds) throw std::invalid_argument("sampling: " + name + " must be " + what);
}

}  // namespace

void check(const settings& chosen) {
  require(chosen.chains >= 1, "chains", "at least 1, but is " + std::to_string(chosen.chains));
  require(chosen.warmup >= 0, "warmup", "at least 0, but is " + std::to_string(chosen.warmup));
  require(chosen.draws >= 1, "draws", "at least 1, but is " + std::to_string(chosen.draws));
  require(chosen.thin >= 1, "thin", "at least 1, but is " + std::to_string(chosen.thin));
  require(chosen.delta > 0 && chosen.delta < 1, "delta",
          "between 0 and 1, but is " + std::to_string(chosen.delta));
  require(chosen.depth >= 1 && chosen.depth <= 20, "depth",
          "from 1 to 20, but is " + std::to_string(chosen.depth));
  require(chosen.radius >= 0 && std::isfinite(chosen.radius), "radius",
          "at least 0, but is " + std::to_string(chosen.radius));
}

void run_chain(const density_function& density, Eigen::Index dimension, const settings& chosen, int chain,
               observer& told, const std::function<bool()>& stop) {
  check(chosen);
  random_source random(chosen.seed, static_cast<std::uint32_t>(chain) + 1);
  nuts sampler(density, find_start(density, dimension, chosen.radius, random), chosen.depth, random);
  told.started();

  dual_averaging step_size(chosen.delta);
  variance_windows windows(dimension, chosen.warmup);
  const auto restart = [&] {
    sampler.find_step_size();
    step_size.restart(sampler.step_size());
  };
  restart();

  for (int iteration = 0; iteration < chosen.warmup + chosen.draws && !stop(); ++iteration) {
    if (iteration == chosen.warmup) {
      if (chosen.warmup > 0) sampler.set_step_size(step_size.averaged());
      told.adapted(sampler.step_size(), sampler.inverse_metric());
    }
    const bool warmup = iteration < chosen.warmup;
    const double used = sampler.step_size();
    const transition how = sampler.move();
    told.drawn({iteration, warmup, used, how, sampler.current()});
    if (!warmup) continue;
    sampler.set_step_size(step_size.learn(how.accept_stat));
    if (windows.learn(sampler.current().position)) {
      sampler.set_inverse_metric(windows.variances());
      restart();
    }
  }
}

}  // namespace sampling
