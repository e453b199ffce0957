// Replaces operator new.

#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace fusecl::test {

thread_local int allocations_left = -1;
thread_local std::size_t failing_bytes = 0;

namespace {

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) {
    allocations_left = -1;
    throw std::bad_alloc();
  }
  if (bytes != 0 && bytes == failing_bytes) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace
}  // namespace fusecl::test

void* operator new(std::size_t bytes) { return fusecl::test::allocate(bytes); }
void* operator new[](std::size_t bytes) { return fusecl::test::allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
