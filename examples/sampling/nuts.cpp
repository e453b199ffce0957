// Segments of a trajectory are joined in pairs, so that checks for turning back cost two products for each
// state, and only the ends of as many segments as the trajectory is deep are in memory.

#include "nuts.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sampling {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_energy_error = 1000;

double log_sum_exp(double a, double b) {
  const double larger = std::fmax(a, b);
  return larger == -infinity ? -infinity : larger + std::log1p(std::exp(-std::fabs(a - b)));
}

/// Whether the two ends still move apart: the generalised criterion of Betancourt 2017, appendix A.4.2.
bool apart(const Eigen::VectorXd& velocity_1, const Eigen::VectorXd& velocity_2,
           const Eigen::VectorXd& momentum_sum) {
  return velocity_1.dot(momentum_sum) > 0 && velocity_2.dot(momentum_sum) > 0;
}

}  // namespace

nuts::nuts(density_function density, state start, int max_depth, random_source& random)
    : density_(std::move(density)),
      current_(std::move(start)),
      max_depth_(max_depth),
      random_(&random),
      inverse_metric_(Eigen::VectorXd::Ones(current_.position.size())) {}

Eigen::VectorXd nuts::velocity(const Eigen::VectorXd& momentum) const {
  return inverse_metric_.cwiseProduct(momentum);
}

double nuts::energy(const phase_point& point) const {
  const double kinetic = 0.5 * point.momentum.dot(velocity(point.momentum));
  const double total = kinetic - point.at.log_density;
  return std::isfinite(total) ? total : infinity;
}

nuts::phase_point nuts::with_new_momentum() {
  return {current_,
          random_->normals(current_.position.size()).cwiseQuotient(inverse_metric_.cwiseSqrt()).eval()};
}

void nuts::leapfrog(phase_point& point, double step) const {
  point.momentum += 0.5 * step * point.at.gradient;
  point.at.position += step * velocity(point.momentum);
  point.at.log_density = density_(point.at.position, point.at.gradient);
  point.momentum += 0.5 * step * point.at.gradient;
}

bool nuts::turns(const segment& before, const segment& after) {
  // The last two checks see a turn that lies across the seam, as Stan's do since 2.21.
  const bool goes_on =
      apart(before.first.velocity, after.last.velocity, before.momentum_sum + after.momentum_sum) &&
      apart(before.first.velocity, after.first.velocity, before.momentum_sum + after.first.momentum) &&
      apart(before.last.velocity, after.last.velocity, after.momentum_sum + before.last.momentum);
  return !goes_on;
}

nuts::segment nuts::integrate(phase_point& end, int depth, double step, double start_energy,
                              transition& report) {
  if (depth == 0) {
    leapfrog(end, step);
    ++report.leapfrogs;
    const double here = energy(end), gain = start_energy - here;
    report.divergent = report.divergent || -gain > largest_energy_error;
    report.accept_stat += gain > 0 ? 1 : std::exp(gain);
    const edge only{end.momentum, velocity(end.momentum)};
    return {only, only, end.momentum, gain, {end.at, here}, !report.divergent};
  }
  segment before = integrate(end, depth - 1, step, start_energy, report);
  if (!before.usable) return before;
  segment after = integrate(end, depth - 1, step, start_energy, report);
  if (!after.usable) return after;

  const double log_weight = log_sum_exp(before.log_weight, after.log_weight);
  const bool usable = !turns(before, after);
  const bool second = random_->uniform() < std::exp(after.log_weight - log_weight);
  return {std::move(before.first),
          std::move(after.last),
          before.momentum_sum + after.momentum_sum,
          log_weight,
          std::move(second ? after.chosen : before.chosen),
          usable};
}

transition nuts::move() {
  const phase_point start = with_new_momentum();
  const double start_energy = energy(start);
  const edge only{start.momentum, velocity(start.momentum)};
  segment whole{only, only, start.momentum, 0, {start.at, start_energy}, true};
  phase_point first = start, last = start;  // the ends, in the same order as the segment's edges
  double step = step_size_;                 // its sign is the direction from first to last

  transition report;
  while (report.depth < max_depth_) {
    if (random_->uniform() > 0.5) {
      std::swap(first, last);
      std::swap(whole.first, whole.last);
      step = -step;
    }
    segment added = integrate(last, report.depth, step, start_energy, report);
    if (!added.usable) break;
    ++report.depth;
    // Not in proportion to the weights, but biased towards the new half, which leaves them invariant too.
    if (std::log(random_->uniform()) < added.log_weight - whole.log_weight)
      whole.chosen = std::move(added.chosen);
    const bool turned = turns(whole, added);
    whole.log_weight = log_sum_exp(whole.log_weight, added.log_weight);
    whole.momentum_sum += added.momentum_sum;
    whole.last = std::move(added.last);
    if (turned) break;
  }
  report.accept_stat /= report.leapfrogs;
  report.energy = whole.chosen.energy;
  current_ = std::move(whole.chosen.at);
  return report;
}

void nuts::find_step_size() {
  const auto accepts = [&] {
    phase_point point = with_new_momentum();
    const double before = energy(point);
    leapfrog(point, step_size_);
    return before - energy(point) > std::log(0.8);
  };
  const bool grow = accepts();
  do {
    step_size_ = grow ? 2 * step_size_ : 0.5 * step_size_;
    if (step_size_ > 1e7)
      throw std::runtime_error("the log density does not fall off: is the posterior improper?");
    if (step_size_ == 0)
      throw std::runtime_error(
          "no step size is small enough: is the log density continuous, its gradient right?");
  } while (accepts() == grow);
}

}  // namespace sampling
