// The twin of long_sum_without_derivative.fail.cpp: the sum is of data, which have another type.
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/fusion.hpp>

struct clipped {
  static constexpr std::string_view name = "clipped";
  static constexpr std::array<std::string_view, 1> parameters = {"x"};
  static constexpr std::string_view body = "return x > 0 ? x : 0.0;";
};

template <int Terms, class E, class A>
auto long_sum(const E& e, const A& a) {
  if constexpr (Terms == 0)
    return e;
  else
    return long_sum<Terms - 1>(e + a, a);
}

auto use(const fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<float>& b) {
  const auto data = fusecl::user_function<clipped>(long_sum<80>(b, b));
  return value_and_gradient(sum(elt_multiply(data, a)), fusecl::wrt(a));
}
