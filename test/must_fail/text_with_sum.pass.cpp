// Text is printed before or after; sums of text are as they were.
#include <iostream>
#include <string>

#include <fusion/fusion.hpp>

void use(const fusecl::matrix_cl<double>& a) { std::cout << "x" + std::string(" is ") << a + 1.0 << '\n'; }
