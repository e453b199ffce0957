// The class names its parameter.
#include <fusion/fusion.hpp>

struct twice {
  static constexpr std::string_view name = "twice";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return 2 * x;";
};

void use(fusecl::matrix_cl<double>& a) { a = fusecl::user_function<twice>(a); }
