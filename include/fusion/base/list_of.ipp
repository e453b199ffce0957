#pragma once
#include <cstdint>
#include <cstring>

#include <fusion/base/list_of.hpp>

namespace fusecl::detail {

FUSECL_INLINE void enlarge(memory_of_list& list, std::size_t count, std::size_t bytes_of_element) {
  if (count > PTRDIFF_MAX / bytes_of_element) throw std::bad_array_new_length();
  void* const larger = ::operator new(count* bytes_of_element);
  if (list.size > 0) std::memcpy(larger, list.elements, list.size * bytes_of_element);
  ::operator delete(list.elements);
  list.elements = larger;
  list.capacity = count;
}

FUSECL_INLINE void add_zeros(memory_of_list& list, std::size_t count, std::size_t bytes_of_element) {
  if (count > list.size)
    std::memset(static_cast<char*>(list.elements) + list.size * bytes_of_element, 0,
                (count - list.size) * bytes_of_element);
  list.size = count;
}

FUSECL_INLINE void add(memory_of_list& list, const void* from, std::size_t count,
                       std::size_t bytes_of_element) {
  if (count == 0) return;
  if (list.size + count > list.capacity)
    enlarge(list, capacity_for(list, list.size + count), bytes_of_element);
  std::memcpy(static_cast<char*>(list.elements) + list.size * bytes_of_element, from,
              count * bytes_of_element);
  list.size += count;
}

}  // namespace fusecl::detail
