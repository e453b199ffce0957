// The same on the device.
#include <fusion/fusion.hpp>

struct half {
  static constexpr std::string_view name = "half";
  static constexpr std::array<std::string_view, 1> parameters{"x"};
  static constexpr std::string_view body = "return 0.5 * x;";
};
auto use() { return fusecl::user_function<half>(fusecl::matrix_cl<double>(1.5)); }
