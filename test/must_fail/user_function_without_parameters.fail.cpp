// The class does not name the parameters.
// expect: F is a class with static constexpr members name, a std::string_view, parameters
#include <fusion/fusion.hpp>

struct twice {
  static constexpr std::string_view name = "twice";
  static constexpr std::string_view body = "return 2 * x;";
};

void misuse(fusecl::matrix_cl<double>& a) { a = fusecl::user_function<twice>(a); }
