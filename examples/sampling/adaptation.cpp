// Constants are those of Stan's defaults.

#include "adaptation.hpp"

#include <algorithm>
#include <cmath>

namespace sampling {

void dual_averaging::restart(double step_size) {
  centre_ = std::log(10 * step_size);
  error_ = 0;
  log_average_ = 0;
  count_ = 0;
}

double dual_averaging::learn(double accept_stat) {
  constexpr double gamma = 0.05, t0 = 10, kappa = 0.75;
  ++count_;
  const double weight = 1 / (count_ + t0);
  error_ += weight * (delta_ - std::min(1.0, accept_stat) - error_);
  const double log_step = centre_ - error_ * std::sqrt(count_) / gamma;
  log_average_ += std::pow(count_, -kappa) * (log_step - log_average_);
  return std::exp(log_step);
}

double dual_averaging::averaged() const { return std::exp(log_average_); }

variance_windows::variance_windows(Eigen::Index dimension, int warmup)
    : warmup_(warmup),
      mean_(Eigen::VectorXd::Zero(dimension)),
      squares_(Eigen::VectorXd::Zero(dimension)),
      variances_(Eigen::VectorXd::Ones(dimension)) {
  constexpr int fewest = 20;  // no variance is worth estimating from less
  if (warmup < fewest) {
    first_ = warmup;
    last_ = length_ = 0;
  } else if (first_ + length_ + last_ > warmup) {
    first_ = warmup * 15 / 100;
    last_ = warmup / 10;
    length_ = warmup - first_ - last_;
  }
  end_ = first_ + length_ - 1;
}

void variance_windows::plan_next_window() {
  const int final_end = warmup_ - last_ - 1;
  if (end_ == final_end) return;
  length_ *= 2;
  end_ = iteration_ + length_;
  // a window that would leave no room for another one takes all there is
  if (end_ != final_end && end_ + 2 * length_ >= warmup_ - last_) end_ = final_end;
}

bool variance_windows::learn(const Eigen::VectorXd& position) {
  const bool inside = iteration_ >= first_ && iteration_ < warmup_ - last_;
  if (inside) {  // Welford's update
    ++count_;
    const Eigen::VectorXd difference = position - mean_;
    mean_ += difference / count_;
    squares_ += difference.cwiseProduct(position - mean_);
  }
  const bool ends = inside && iteration_ == end_;
  if (ends) {
    const double share = count_ / (count_ + 5);
    if (count_ > 1)
      variances_ = squares_ / (count_ - 1);  // of one position none is known: as before, as Stan
    variances_ = share * variances_.array() + 1e-3 * (1 - share);
    count_ = 0;
    mean_.setZero();
    squares_.setZero();
    plan_next_window();
  }
  ++iteration_;
  return ends;
}

}  // namespace sampling
