// The twin of gradient_without_derivative.fail.cpp: the function sees data only.
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

struct clipped {
  static constexpr std::string_view name = "clipped";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 0 ? x : 0.0;";
};

auto use(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b) {
  const auto data = stop_gradient(fusecl::user_function<clipped>(b));
  return value_and_gradient(sum(elt_multiply(data, a)), fusecl::wrt(a));
}
