// The twin of tape_without_derivative.fail.cpp.
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>

struct clipped {
  static constexpr std::string_view name = "clipped";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 0 ? x : 0.0;";
  static auto derivatives(const auto& x) { return std::tuple(select(x > 0, 1.0, 0.0)); }
};

fusecl::var use(const fusecl::var_value<fusecl::matrix_cl<double>>& a) {
  return sum(fusecl::user_function<clipped>(a));
}
