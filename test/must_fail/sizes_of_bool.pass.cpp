// Elements of a matrix of bool in a list.
#include <fusion/fusion.hpp>

auto use() { return fusecl::matrix_cl<bool>(std::vector<bool>{true, false}); }
