// An Eigen matrix is copied; elements in braces are a vector, numbers are sizes.
#include <fusion/fusion.hpp>

void use() {
  const fusecl::matrix_cl<double> a(Eigen::MatrixXd{{1, 2}, {3, 4}}), v(std::vector<double>{1, 2, 3}),
      w({1, 2, 3}), sized{3, 4}, none{};
}
