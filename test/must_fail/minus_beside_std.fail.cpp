// std::minus is a class template: beside it, no function of that name is found.
// expect: reference to .*minus.* is ambiguous
#include <functional>

#include <fusion/fusion.hpp>

using namespace std;
using namespace fusecl;

auto misuse(const matrix_cl<double>& a) { return minus(a); }
