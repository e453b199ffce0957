// The twin of matrix_of_char.fail.cpp; what a matrix is made of says its element type.
#include <fusion/fusion.hpp>

void use(const Eigen::Matrix<char, -1, -1>& host, const std::vector<double>& values, const double* data) {
  fusecl::matrix_cl<int> a(host.cast<int>());
  fusecl::matrix_cl b(values), c(data, 3, 4), d(2.0), e(values, 1, 2), f(b);
  fusecl::matrix_cl g = a;
  static_assert(std::is_same_v<decltype(b), fusecl::matrix_cl<double>>);
  static_assert(std::is_same_v<decltype(c), decltype(b)> && std::is_same_v<decltype(d), decltype(b)>);
  static_assert(std::is_same_v<decltype(e), decltype(b)> && std::is_same_v<decltype(f), decltype(b)>);
  static_assert(std::is_same_v<decltype(g), fusecl::matrix_cl<int>>);
}
