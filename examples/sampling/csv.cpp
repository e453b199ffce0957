// Numbers have as many digits as it takes to read the same ones back.

#include "csv.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <unistd.h>

namespace sampling {
namespace {

std::string text_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string line(int depth, const std::string& name, const std::string& value = "") {
  return "#" + std::string(static_cast<std::size_t>(2 * depth + 1), ' ') + name +
         (value.empty() ? "" : " = ") + value + "\n";
}

}  // namespace

csv_file::csv_file(const std::string& path, const std::string& model, const settings& chosen, int chain,
                   const std::vector<std::string>& names)
    : path_(path), file_(std::fopen(path.c_str(), "w"), std::fclose) {
  if (!file_) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  std::string text;
  text += line(0, "model", model);
  text += line(0, "method", "sample (Default)");
  text += line(1, "sample");
  text += line(2, "num_samples", std::to_string(chosen.draws));
  text += line(2, "num_warmup", std::to_string(chosen.warmup));
  text += line(2, "save_warmup", "0 (Default)");
  text += line(2, "thin", std::to_string(chosen.thin));
  text += line(2, "adapt");
  text += line(3, "engaged", chosen.warmup > 0 ? "1 (Default)" : "0");
  text += line(3, "gamma", "0.05 (Default)");
  text += line(3, "delta", text_of(chosen.delta));
  text += line(3, "kappa", "0.75 (Default)");
  text += line(3, "t0", "10 (Default)");
  text += line(3, "init_buffer", "75 (Default)");
  text += line(3, "term_buffer", "50 (Default)");
  text += line(3, "window", "25 (Default)");
  text += line(2, "algorithm", "hmc (Default)");
  text += line(3, "hmc");
  text += line(4, "engine", "nuts (Default)");
  text += line(5, "nuts");
  text += line(6, "max_depth", std::to_string(chosen.depth));
  text += line(4, "metric", "diag_e (Default)");
  text += line(0, "id", std::to_string(chain + 1));
  text += line(0, "init", text_of(chosen.radius));
  text += line(0, "random");
  text += line(1, "seed", std::to_string(chosen.seed));
  text += line(0, "output");
  text += line(1, "file", path);
  text += "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
  for (const std::string& name : names) text += "," + name;
  write(text + "\n");
}

void csv_file::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
    const int reason = errno;
    // half a line would be read as another number; what is no file on a disk cannot be cut off
    [[maybe_unused]] const int cut_off = ftruncate(fileno(file_.get()), static_cast<off_t>(size_));
    throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(reason));
  }
  size_ += text.size();
}

void csv_file::write_adaptation(double step_size, const Eigen::VectorXd& inverse_metric) {
  std::string text = "# Adaptation terminated\n# Step size = " + text_of(step_size) +
                     "\n# Diagonal elements of inverse mass matrix:\n#";
  for (Eigen::Index i = 0; i < inverse_metric.size(); ++i)
    text += (i > 0 ? ", " : " ") + text_of(inverse_metric[i]);
  write(text + "\n");
}

void csv_file::write_draw(const statistics& how, const std::vector<double>& values) {
  std::string text = text_of(how.log_density) + "," + text_of(how.accept_stat) + "," +
                     text_of(how.step_size) + "," + std::to_string(how.depth) + "," +
                     std::to_string(how.leapfrogs) + "," + (how.divergent ? "1," : "0,") +
                     text_of(how.energy);
  for (const double value : values) text += "," + text_of(value);
  write(text + "\n");
}

void csv_file::write_times(const chain_result& result) {
  write("# \n#  Elapsed Time: " + text_of(result.warmup_seconds) + " seconds (Warm-up)\n#                " +
        text_of(result.sampling_seconds) + " seconds (Sampling)\n#                " +
        text_of(result.warmup_seconds + result.sampling_seconds) + " seconds (Total)\n# \n");
}

}  // namespace sampling
