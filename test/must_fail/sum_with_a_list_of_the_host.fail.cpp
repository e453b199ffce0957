// Operands of operators are on the device.
// expect: a list of the host is no operand: copy it by to_matrix_cl
#include <fusion/fusion.hpp>

using namespace fusecl;

auto misuse(const matrix_cl<double>& v, const std::vector<double>& s) { return matrix_cl<double>(v + s); }
