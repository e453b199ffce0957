// The other half of header_only_unit.cpp.
#define FUSECL_SPLIT
#include <fusion/base/config.hpp>
