// The 95 % intervals are those of the normal approximation at the mode.

#include "report.hpp"

#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "../sampling/write_text.hpp"

namespace example {
namespace {

/// As a CSV file holds it: in quotation marks, doubled inside, where it has a comma or one of them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

void print_estimates(const std::vector<std::string>& names, const fit& fitted) {
  std::printf("\n%-26s %12s %12s %26s\n", "coefficient", "estimate", "std. error", "95 % interval");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double estimate = fitted.mode[static_cast<Eigen::Index>(k)];
    const double error = fitted.standard_errors[static_cast<Eigen::Index>(k)];
    std::printf("%-26s %12.7f %12.7f %12.4f .. %10.4f\n", names[k].c_str(), estimate, error,
                estimate - 1.96 * error, estimate + 1.96 * error);
  }
}

void write_estimates(const std::string& path, const std::vector<std::string>& names, const fit& fitted) {
  std::ostringstream out;
  out.precision(15);
  out << "coefficient,estimate,standard_error\n";
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    out << field(names[k]) << ',' << fitted.mode[at] << ',' << fitted.standard_errors[at] << '\n';
  }
  sampling::write_text(path, out.str());
}

void print_check(const fusecl::gradient_check& check) {
  if (!check.passed()) throw std::runtime_error("the gradient is wrong: " + to_string(check));
  std::printf("gradient  %d derivatives compared with differences, largest error %.1e\n",
              static_cast<int>(check.entries), check.worst[0].error());
}

fusecl::counters cost_of(const std::function<void()>& evaluate) {
  evaluate();
  const fusecl::counters before = fusecl::runtime_counters();
  evaluate();
  return fusecl::runtime_counters() - before;
}

void print_costs(const fusecl::counters& value, const fusecl::counters& with_gradient) {
  std::printf("\nkernels launched for the log density: %d; host waits: %d\n",
              static_cast<int>(value.launches), static_cast<int>(value.host_waits));
  std::printf("kernels launched for it and its gradient: %d; host waits: %d\n",
              static_cast<int>(with_gradient.launches), static_cast<int>(with_gradient.host_waits));
  std::printf("\nThese kernels were generated for log density and gradient:\n\n");
}

}  // namespace example
