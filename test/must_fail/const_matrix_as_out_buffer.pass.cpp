// A const matrix is read, another one is written to, also a handle that nobody else has.
#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

void use(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer>& k,
         const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  k(cl::NDRange(1), a, b);
  k(cl::NDRange(1), cl::NDRange(1), a, fusecl::arena_matrix_cl<double>(b));
}
