#pragma once
// The elements of one array after those of another.

#include <vector>

namespace fusecl {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  for (const T& each : more) to.push_back(each);
}

}  // namespace fusecl
