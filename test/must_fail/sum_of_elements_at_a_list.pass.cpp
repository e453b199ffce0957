// The twin of sum_of_elements_at_a_list.fail.cpp.
#include <vector>

#include <fusion/autodiff.hpp>

double use(const fusecl::matrix_cl<double>& v, const std::vector<int>& places) {
  return sum(v[fusecl::to_matrix_cl(places)]);
}
