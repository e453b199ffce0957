// JSON by hand: there are only numbers in it.

#include "timings.hpp"

#include <algorithm>
#include <sstream>

#include "write_text.hpp"

namespace sampling {

void write_timings(const std::string& path, const settings& chosen, const run_result& run) {
  double warmup = 0, sampling = 0;
  std::int64_t leapfrogs = 0;
  for (const chain_result& chain : run.chains) {
    warmup = std::max(warmup, chain.warmup_seconds);
    sampling = std::max(sampling, chain.sampling_seconds);
    for (const statistics& draw : chain.draws) leapfrogs += draw.leapfrogs;
  }
  std::ostringstream out;
  out.precision(9);
  out << "{\"chains\": " << chosen.chains << ", \"warmup\": " << chosen.warmup
      << ", \"draws\": " << chosen.draws << ", \"warmup_seconds\": " << warmup
      << ", \"sampling_seconds\": " << sampling << ", \"evaluations\": " << run.evaluations.evaluations
      << ", \"positions\": " << run.evaluations.positions << ", \"leapfrogs\": " << leapfrogs << "}\n";
  write_text(path, out.str());
}

}  // namespace sampling
