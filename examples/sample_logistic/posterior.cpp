// The one statement for all chains; its kernel goes through tiles of rows, so that x is read once.

#include "posterior.hpp"

namespace example {

logistic_posterior::logistic_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& outcomes,
                                       double prior_scale)
    : x_(design), y_(outcomes), prior_precision_(prior_scale > 0 ? 1 / (prior_scale * prior_scale) : 0) {
  check_cl("logistic_posterior", "outcomes", y_, "0 or 1") = y_ == 0.0 || y_ == 1.0;
}

std::vector<std::string> logistic_posterior::names() const {
  std::vector<std::string> result{"alpha"};
  sampling::append_numbered(result, "beta", x_.cols());
  return result;
}

}  // namespace example

template class sampling::device_model<example::logistic_posterior>;
