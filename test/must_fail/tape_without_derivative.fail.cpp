// A variable of the tape reaches a user function that does not say its derivative.
// expect: this user function has no derivatives: give its class a static function
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>

struct clipped {
  static constexpr std::string_view name = "clipped";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 0 ? x : 0.0;";
};

fusecl::var use(const fusecl::var_value<fusecl::matrix_cl<double>>& a) {
  return sum(fusecl::user_function<clipped>(a));
}
