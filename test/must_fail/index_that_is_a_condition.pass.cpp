// A condition chooses.
#include <fusion/fusion.hpp>

using namespace fusecl;

auto use(const matrix_cl<double>& v) { return matrix_cl<double>(select(v > 0.0, v, 0.0)); }
