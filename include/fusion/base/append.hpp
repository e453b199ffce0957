#pragma once
// The elements of one array after those of another.

#include <fusion/base/list_of.hpp>

namespace fusecl {

template <class T>
void append(list_of<T>& to, const list_of<T>& more) {
  for (const T& each : more) to.push_back(each);
}

}  // namespace fusecl
