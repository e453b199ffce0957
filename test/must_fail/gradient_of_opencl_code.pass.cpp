// The twin of gradient_of_opencl_code.fail.cpp.
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>

constexpr char twice[] = "double y = 2 * x;";

fusecl::var use(const fusecl::var_value<fusecl::matrix_cl<double>>& x) {
  return sum(stop_gradient(fusecl::opencl_code<twice>(std::make_tuple("x"), x).output<double>("y")) + x);
}
