#pragma once
#include <mutex>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/codegen/values.hpp>
#include <fusion/eval/device_functions.hpp>

namespace fusecl::opencl_kernels {
namespace internal {

/// Appends what a function calls and the function itself, each once in a kernel.
inline void append_function(std::string& source, const ir::device_function& f) {
  if (f.uses)
    for (const ir::device_function* const* used = f.uses; *used; ++used) append_function(source, **used);
  text::append(source, "#ifndef FUSECL_{}\n#define FUSECL_{}\n", {f.name, f.name});
  text::append(source, "#ifdef cl_khr_fp64\n{}#endif\n{}#endif\n",
               {codegen::definition(f, scalar_type::float64), codegen::definition(f, scalar_type::float32)});
}

/// The function of the type `by` under its own name, with a set `whole` of parameters of whole numbers, a bit
/// for each: literals without a point would fit that of double as well as that of float.
inline std::string named(std::string_view name, int arity, scalar_type by, unsigned whole) {
  constexpr std::string_view letters[] = {"a", "b", "c"};
  std::string parameters, given;
  for (int k = 0; k < arity; ++k) {
    const char* const comma = k ? ", " : "";
    const scalar_type type = whole >> k & 1 ? scalar_type::int32 : by;
    text::append(parameters, "{}{} {}", {comma, {type, 1}, letters[k]});
    text::append(given, "{}{}", {comma, letters[k]});
  }
  return text::fill(
      "static inline __attribute__((always_inline, overloadable)) {} {}({}) {\n  return "
      "library_{}_{}({});\n}\n",
      {{by, 1}, name, parameters, name, {by, 1}, given});
}

}  // namespace internal

FUSECL_INLINE device_function_text::operator std::string_view() const {
  struct made {
    std::string_view name;
    std::string text;
  };
  // never destroyed: kernels may be made in constructors and destructors of static objects
  static auto& mutex = *new std::mutex;
  static auto& texts = *new list_of<const made*>;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const made* each : texts)
    if (each->name == name_) return each->text;
  auto* const fresh =
      new made{name_, "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"};
  const ir::device_function& f = *ops::library_function(name_);
  internal::append_function(fresh->text, f);
  const unsigned all = (1u << f.scalar_parameters) - 1;
  std::string of_double, of_float;
  for (unsigned whole = 0; whole < all; ++whole) {
    of_double += internal::named(name_, f.scalar_parameters, scalar_type::float64, whole);
    of_float += internal::named(name_, f.scalar_parameters, scalar_type::float32, whole);
  }
  text::append(
      fresh->text,
      "#ifndef FUSECL_NAMED_{}\n#define FUSECL_NAMED_{}\n{}#ifdef cl_khr_fp64\n{}{}#else\n{}#endif\n#endif\n",
      {name_, name_, of_float, of_double,
       internal::named(name_, f.scalar_parameters, scalar_type::float64, all),
       internal::named(name_, f.scalar_parameters, scalar_type::float32, all)});
  texts.push_back(fresh);
  return fresh->text;
}

}  // namespace fusecl::opencl_kernels
