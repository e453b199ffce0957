#pragma once
// The elements of one list after those of another, which is not the same.

#include <fusion/base/list_of.hpp>

namespace fusecl {

template <class T>
void append(list_of<T>& to, const list_of<T>& more) {
  to.add(more.begin(), more.end());
}

}  // namespace fusecl
