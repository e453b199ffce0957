#pragma once
// Hand-written kernels whose text is for any element type.

#include <mutex>
#include <string>
#include <string_view>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/scalar_type.hpp>

namespace fusecl::detail {

/// `Kernels`, made of their source, for elements of this type: TYPE in the text, and VARIANT a number. One
/// each for the whole program, never destroyed: statements in destructors of static objects may need it.
template <class Kernels>
const Kernels& typed_kernels(scalar_type type, int variant, std::string_view source) {
  struct made_for {
    scalar_type type;
    int variant;
    const Kernels* kernels;
  };
  static auto& mutex = *new std::mutex;
  static auto& made = *new list_of<made_for>;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const made_for& each : made)
    if (each.type == type && each.variant == variant) return *each.kernels;
  const bool is_bool = type == scalar_type::boolean;  // stored as bytes
  const text::piece name = is_bool ? text::piece("uchar") : text::piece(type, 1);
  const auto* const kernels = new Kernels(
      text::fill("{}#define TYPE {}\n#define VARIANT {}\n{}",
                 {type == scalar_type::float64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", name,
                  variant, source}));
  made.push_back({type, variant, kernels});
  return *kernels;
}

}  // namespace fusecl::detail
