// A vector of the host is copied, a matrix printed.
#include <iostream>

#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a) {
  a = Eigen::Vector3d(1, 2, 3);
  std::cout << a << '\n';
}
