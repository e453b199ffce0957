// One line a quantity, in the order of the files' columns.

#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "counted.hpp"
#include "diagnostics.hpp"

namespace sampling {
namespace {

template <class... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

/// Of one quantity, a column a chain.
Eigen::MatrixXd draws_of(const run_result& result, Eigen::Index count, std::size_t quantity) {
  Eigen::MatrixXd draws(count, static_cast<Eigen::Index>(result.chains.size()));
  for (Eigen::Index j = 0; j < draws.cols(); ++j) {
    const chain_result& chain = result.chains[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < count; ++i)
      draws(i, j) = quantity == 0 ? chain.draws[static_cast<std::size_t>(i)].log_density
                                  : chain.values(static_cast<Eigen::Index>(quantity) - 1, i);
  }
  return draws;
}

}  // namespace

std::string summary(const run_result& result, const std::vector<std::string>& names, std::size_t most_rows,
                    const std::map<std::string, std::string>& meanings) {
  Eigen::Index count = std::numeric_limits<Eigen::Index>::max(), most = 0;
  int divergent = 0, too_deep = 0;
  for (const chain_result& chain : result.chains) {
    count = std::min(count, chain.values.cols());
    most = std::max(most, chain.values.cols());
    divergent += chain.divergent;
    too_deep += chain.too_deep;
  }
  if (count == 0) return "no draws\n";

  std::size_t width = 4;
  for (const std::string& name : names) width = std::max(width, name.size());
  const int name_width = static_cast<int>(width);
  std::string text = formatted("%-*s %10s %9s %10s %10s %10s %10s %8s %8s %7s\n", name_width, "", "mean",
                               "MCSE", "sd", "5 %", "50 %", "95 %", "bulk ESS", "tail ESS", "R-hat");
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double worst_r_hat = unknown, least_ess = unknown;
  int not_finite = 0, not_moved = 0;
  for (std::size_t k = 0; k <= names.size(); ++k) {
    const Eigen::MatrixXd draws = draws_of(result, count, k);
    const diagnosis found = diagnose(draws);
    const bool finite = draws.allFinite();
    not_finite += !finite;
    not_moved += finite && count > 1 && draws.maxCoeff() == draws.minCoeff();
    worst_r_hat = std::fmax(worst_r_hat, found.r_hat);
    least_ess = std::fmin(least_ess, std::fmin(found.bulk_ess, found.tail_ess));
    if (k > most_rows) continue;
    const double mean = draws.mean();
    const double sd =
        draws.size() < 2
            ? unknown
            : std::sqrt((draws.array() - mean).square().sum() / static_cast<double>(draws.size() - 1));
    text +=
        formatted("%-*s %10.5g %9.2g %10.4g %10.5g %10.5g %10.5g %8.0f %8.0f %7.4f", name_width,
                  k == 0 ? "lp__" : names[k - 1].c_str(), mean, found.mcse, sd, quantile(draws, 0.05),
                  quantile(draws, 0.5), quantile(draws, 0.95), found.bulk_ess, found.tail_ess, found.r_hat);
    const auto meaning = k == 0 ? meanings.end() : meanings.find(names[k - 1]);
    text += meaning == meanings.end() ? "\n" : "  " + meaning->second + "\n";
  }
  if (names.size() > most_rows)
    text += formatted("... and %zu more, which the files have\n", names.size() - most_rows);
  const auto chains = static_cast<std::int64_t>(result.chains.size());
  text += (most > count ? "the first " : "") + counted(count, "draw") + " of " +
          (chains > 1 ? "each of " : "") + counted(chains, "chain");
  text += formatted("%s; largest R-hat %.4f, smallest effective number of draws %.0f\n",
                    most > count ? " (some have more)" : "", worst_r_hat, least_ess);
  if (not_finite > 0)
    text += counted(not_finite, "quantity has", "quantities have") +
            " draws that are not finite, of which nothing can be said\n";
  if (not_moved > 0)
    text += counted(not_moved, "quantity has", "quantities have") +
            " the same value in all draws: a chain that does not move needs a longer warm-up\n";
  text += divergent == 0
              ? std::string("no divergent draws\n")
              : counted(divergent, "divergent draw") +
                    ": the posterior has places that the sampler cannot reach; try a larger --delta or other "
                    "parameters\n";
  if (too_deep > 0)
    text += counted(too_deep, "draw was", "draws were") +
            " cut off at the largest --depth, which makes draws correlated\n";
  if (worst_r_hat > 1.01)
    text += formatted("%s not agree yet (R-hat above 1.01): draw more\n",
                      chains > 1 ? "the chains do" : "the halves of the chain do");
  if (std::isnan(worst_r_hat) && not_finite == 0 && not_moved == 0)
    text += "so few draws say nothing of whether the chains agree: draw more\n";
  if (least_ess < 100 * static_cast<double>(chains))
    text += "fewer than 100 effective draws a chain: what is said here is uncertain, draw more\n";
  return text;
}

}  // namespace sampling
