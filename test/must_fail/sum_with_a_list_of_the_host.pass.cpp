// The same on the device.
#include <fusion/fusion.hpp>

using namespace fusecl;

auto use(const matrix_cl<double>& v, const std::vector<double>& s) {
  return matrix_cl<double>(v + to_matrix_cl(s));
}
