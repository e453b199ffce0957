// A kernel takes a matrix, which an expression has to be stored in first.
// expect: a kernel takes a matrix_cl for this parameter
#include <fusion/fusion.hpp>

auto misuse(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer>& k,
            const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  return k(cl::NDRange(8), a * 2.0, b);
}
