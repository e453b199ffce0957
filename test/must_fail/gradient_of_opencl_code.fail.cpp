// What code computes has no derivatives.
// expect: what opencl_code makes has no derivatives
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>

constexpr char twice[] = "double y = 2 * x;";

fusecl::var misuse(const fusecl::var_value<fusecl::matrix_cl<double>>& x) {
  return sum(fusecl::opencl_code<twice>(std::make_tuple("x"), x).output<double>("y"));
}
