// A kernel does not write to a const matrix.
// expect: this matrix is const: give one that is not, or make the parameter an in_buffer
#include <fusion/fusion.hpp>

void misuse(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer>& k,
            const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  k(cl::NDRange(1), a, b);
}
