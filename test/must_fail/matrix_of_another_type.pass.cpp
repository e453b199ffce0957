// A conversion that is spelled out, at construction and at assignment.
#include <fusion/fusion.hpp>

void use(const fusecl::matrix_cl<double>& a) {
  fusecl::matrix_cl<float> f = fusecl::cast<float>(a);
  f = fusecl::cast<float>(a + 1);
}
