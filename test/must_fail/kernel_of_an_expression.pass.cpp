// The twin of kernel_of_an_expression.fail.cpp.
#include <fusion/fusion.hpp>

auto use(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer>& k,
         const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  const fusecl::matrix_cl<double> twice = a * 2.0;
  return k(cl::NDRange(8), twice, b);
}
