#pragma once
#include <ostream>

#include <fusion/base/view.hpp>

namespace fusecl {

FUSECL_INLINE std::ostream& operator<<(std::ostream& out, matrix_cl_view view) {
  return out << view_name(view);
}

}  // namespace fusecl
