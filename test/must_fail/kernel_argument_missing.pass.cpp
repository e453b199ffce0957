// The same with its number of elements.
#include <fusion/fusion.hpp>

void use(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer, long>& k,
         const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  k(cl::NDRange(64), cl::NDRange(64), a, b, 64);
}
