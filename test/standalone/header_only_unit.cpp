// With split_unit.cpp: files of both forms, which must not link.
#include <fusion/base/config.hpp>

int main() { return 0; }
