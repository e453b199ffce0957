// A list of the host is no index, also where what it would give is summed.
// expect: an index is an expression or a number of type int or long
#include <vector>

#include <fusion/autodiff.hpp>

double misuse(const fusecl::matrix_cl<double>& v, const std::vector<int>& places) {
  return fusecl::sum(v[places]);
}
