// Sections and equations are those of Vehtari et al. 2021.

#include "diagnostics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <boost/math/special_functions/erf.hpp>
#include <unsupported/Eigen/FFT>

namespace sampling {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// First and second half of each chain; the middle one of an odd number of draws is left out.
Eigen::MatrixXd split(const Eigen::MatrixXd& draws) {
  const Eigen::Index half = draws.rows() / 2;
  Eigen::MatrixXd result(half, 2 * draws.cols());
  result << draws.topRows(half), draws.bottomRows(half);
  return result;
}

/// Normal scores of the ranks (equation 14); equal draws share their mean rank.
Eigen::MatrixXd rank_normalised(const Eigen::MatrixXd& draws) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(draws.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return draws.data()[a] < draws.data()[b]; });
  Eigen::MatrixXd result(draws.rows(), draws.cols());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && draws.data()[order[last]] == draws.data()[order[first]]) ++last;
    const double rank = 0.5 * static_cast<double>(first + 1 + last);
    const double probability = (rank - 0.375) / (static_cast<double>(order.size()) + 0.25);
    const double score = -std::sqrt(2.0) * boost::math::erfc_inv(2 * probability);
    for (std::size_t k = first; k < last; ++k) result.data()[order[k]] = score;
  }
  return result;
}

/// The mean of the two middle ones, halved last as numpy does: where it rounds decides which distances tie.
double median(const Eigen::MatrixXd& draws) {
  std::vector<double> sorted(draws.data(), draws.data() + draws.size());
  std::sort(sorted.begin(), sorted.end());
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

/// Distances from the median, which show chains that differ in scale.
Eigen::MatrixXd folded(const Eigen::MatrixXd& draws) { return (draws.array() - median(draws)).abs(); }

double variance(const Eigen::Ref<const Eigen::VectorXd>& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
}

/// Equation 4.
double r_hat(const Eigen::MatrixXd& chains) {
  const auto draws = static_cast<double>(chains.rows());
  double within = 0;
  for (Eigen::Index j = 0; j < chains.cols(); ++j)
    within += variance(chains.col(j)) / static_cast<double>(chains.cols());
  const double between = variance(chains.colwise().mean().transpose());
  if (within == 0 && between == 0) return not_a_number;  // without the sign that a quotient may have
  return std::sqrt((draws - 1) / draws + between / within);
}

/// Sums over the columns of products of elements `lag` apart, for all lags: by Fourier transforms, as chains
/// that hardly mix have correlations at all of them.
Eigen::VectorXd lagged_products(const Eigen::MatrixXd& columns) {
  const auto size = static_cast<Eigen::Index>(std::bit_ceil(2 * static_cast<std::size_t>(columns.rows())));
  Eigen::FFT<double> transform;
  Eigen::VectorXcd power = Eigen::VectorXcd::Zero(size), spectrum;
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(size);
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    padded.head(columns.rows()) = columns.col(j);
    transform.fwd(spectrum, padded);
    power += spectrum.cwiseAbs2();
  }
  transform.inv(padded, power);
  return padded.head(columns.rows());
}

/// Effective number of draws (section 3.2), the sum of autocorrelations cut off by Geyer's initial monotone
/// sequence. Constant draws count in full.
double effective(const Eigen::MatrixXd& chains) {
  const Eigen::Index draws = chains.rows();
  const auto size = static_cast<double>(chains.size()), n = static_cast<double>(draws);
  if (chains.maxCoeff() - chains.minCoeff() < 1e-15) return size;
  const Eigen::RowVectorXd means = chains.colwise().mean();
  const Eigen::VectorXd covariances = lagged_products(chains.rowwise() - means) / size;
  const double within = covariances[0] * n / (n - 1);
  const double total = covariances[0] + variance(means.transpose());
  const auto correlation = [&](Eigen::Index lag) { return 1 - (within - covariances[lag]) / total; };

  std::vector<double> rho{1, correlation(1)};  // in pairs, whose sums are positive in theory
  double even = rho[0], odd = rho[1];
  Eigen::Index t = 1;
  for (; t < draws - 3 && even + odd > 0; t += 2) {
    even = correlation(t + 1);
    odd = correlation(t + 2);
    const bool positive = even + odd >= 0;
    rho.push_back(positive ? even : 0);
    rho.push_back(positive ? odd : 0);
  }
  // one more counts once; where no pair was looked at that is the first, as in ArviZ
  const auto once = static_cast<std::size_t>(t - 1);
  if (even > 0) rho[once] = even;
  for (std::size_t k = 1; k + 3 <= once; k += 2)
    if (rho[k + 1] + rho[k + 2] > rho[k - 1] + rho[k]) rho[k + 1] = rho[k + 2] = (rho[k - 1] + rho[k]) / 2;
  double tau = rho[once] - 1;
  for (std::size_t k = 0; k < once; ++k) tau += 2 * rho[k];
  return size / std::max(tau, 1 / std::log10(size));
}

double effective_below(const Eigen::MatrixXd& draws, double probability) {
  return effective(split((draws.array() <= quantile(draws, probability)).cast<double>()));
}

}  // namespace

double quantile(const Eigen::MatrixXd& draws, double probability) {
  if (draws.size() == 0 || !draws.allFinite()) return not_a_number;
  std::vector<double> sorted(draws.data(), draws.data() + draws.size());
  std::sort(sorted.begin(), sorted.end());
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

diagnosis diagnose(const Eigen::MatrixXd& draws) {
  if (draws.rows() < 4 || draws.cols() == 0 || !draws.allFinite())
    return {not_a_number, not_a_number, not_a_number, not_a_number};
  const Eigen::MatrixXd halves = split(draws), scores = rank_normalised(halves);
  const double deviation = std::sqrt(variance(draws.reshaped()));
  return {std::max(r_hat(scores), r_hat(rank_normalised(folded(halves)))), effective(scores),
          std::min(effective_below(draws, 0.05), effective_below(draws, 0.95)),
          deviation / std::sqrt(effective(halves))};
}

}  // namespace sampling
