// The text of a user_function is compiled for the device.
// expect: of at least one expression: write matrix_cl<double>\(x\)
#include <fusion/fusion.hpp>

struct half {
  static constexpr std::string_view name = "half";
  static constexpr std::array<std::string_view, 1> parameters{"x"};
  static constexpr std::string_view body = "return 0.5 * x;";
};
auto misuse() { return fusecl::user_function<half>(1.5); }
