// Each parameter of a kernel_cl needs an argument, also where a group's size is given.
// expect: an argument is missing: one is given for each parameter of the kernel_cl
#include <fusion/fusion.hpp>

void misuse(const fusecl::kernel_cl<fusecl::in_buffer, fusecl::out_buffer, long>& k,
            const fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  k(cl::NDRange(64), cl::NDRange(64), a, b);
}
