// The function is found by its namespace, or where its name is brought into a scope within.
#include <functional>

#include <fusion/fusion.hpp>

using namespace std;
using namespace fusecl;

auto use(const matrix_cl<double>& a) {
  using fusecl::minus;
  return fusecl::minus(a) + minus(a) - a;
}
