#pragma once
// How far draws can be trusted: Vehtari, Gelman, Simpson, Carpenter and Buerkner, Rank-Normalization,
// Folding, and Localization: An Improved R-hat, 2021; as ArviZ and posterior compute it.

#include <Eigen/Core>

namespace sampling {

/// Diagnostics of one quantity; NaN where there are fewer than four draws a chain, or one is not finite.
struct diagnosis {
  double r_hat;     ///< the larger one of split chains, rank-normalised and folded; NaN of equal draws
  double bulk_ess;  ///< effective number of draws for the centre
  double tail_ess;  ///< and the smaller one of those for the 5 % and 95 % quantiles
  double mcse;      ///< Monte Carlo standard error of the mean
};

/// Of `draws`, a column a chain.
diagnosis diagnose(const Eigen::MatrixXd& draws);

/// The quantile of the elements at `probability`, between neighbours linearly.
double quantile(const Eigen::MatrixXd& draws, double probability);

}  // namespace sampling
