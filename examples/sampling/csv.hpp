#pragma once
// The draws of a chain as CmdStan writes them, which ArviZ and other tools read.

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "runner.hpp"

namespace sampling {

/// A file of one chain. Every draw is handed to the system at once, so that an end of any kind loses nothing;
/// a draw for which the disk has no room is left out as a whole.
class csv_file {
 public:
  /// Creates `path` and writes the settings and the names of the columns. Throws std::runtime_error, as all
  /// functions do, with the path and the system's reason.
  csv_file(const std::string& path, const std::string& model, const settings& chosen, int chain,
           const std::vector<std::string>& names);

  void write_adaptation(double step_size, const Eigen::VectorXd& inverse_metric);
  void write_draw(const statistics& how, const std::vector<double>& values);
  /// The times, at the end.
  void write_times(const chain_result& result);

 private:
  void write(const std::string& text);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::size_t size_ = 0;  ///< of what was written
};

}  // namespace sampling
