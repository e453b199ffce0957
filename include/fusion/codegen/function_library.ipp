#pragma once
#include <stdexcept>

#include <fusion/codegen/function_library.hpp>

namespace fusecl::codegen {
namespace detail {

/// The vector form of a function whose text is for scalars.
FUSECL_INLINE std::string called_lane_by_lane(const ir::device_function& f, scalar_type type, int lanes) {
  std::string parameters, calls;
  for (int k = 0; k < f.scalar_parameters; ++k)
    append_item(parameters, ", ",
                fill("const {} {}", {{type, lanes}, std::string(1, static_cast<char>('a' + k))}));
  for (int lane = 0; lane < lanes; ++lane) {
    std::string arguments;
    for (int k = 0; k < f.scalar_parameters; ++k)
      append_item(arguments, ", ",
                  fill("{}.s{}", {std::string(1, static_cast<char>('a' + k)), lane_letter(lane)}));
    append_item(calls, ", ", fill("{}_{}({})", {f.name, {type, 1}, arguments}));
  }
  return fill("{} {}_{}({}) {\n  return ({})({});\n}\n",
              {{type, lanes}, f.name, {type, lanes}, parameters, {type, lanes}, calls});
}

inline std::string_view text_for(const ir::device_function& f, scalar_type type) {
  const std::string_view own = type == scalar_type::float32 ? f.text_float
                               : is_floating(type)          ? std::string_view()
                                                            : f.text_integer;
  return own.empty() ? f.text : own;
}

}  // namespace detail

FUSECL_INLINE std::string definition(const ir::device_function& f, scalar_type type, int lanes) {
  std::string text = f.scalar_parameters > 0 && lanes > 1
                         ? detail::called_lane_by_lane(f, type, lanes)
                         : instantiate(detail::text_for(f, type), type, lanes);
  std::size_t start = 0;  // a leading comment stays in front of the qualifiers
  while (text.compare(start, 2, "//") == 0) start = text.find('\n', start) + 1;
  text.insert(start, "static inline __attribute__((always_inline)) ");
  text += text.back() == '\n' ? "\n" : "\n\n";
  return text;
}

FUSECL_INLINE void function_library::require(const ir::device_function* const* functions, scalar_type type,
                                             int lanes) {
  if (!functions) return;
  for (; *functions; ++functions) add(**functions, type, lanes);
}

FUSECL_INLINE void function_library::add(const ir::device_function& f, scalar_type type, int lanes) {
  if (f.is_floating && !is_floating(type)) type = scalar_type::float64;
  const std::string_view source = detail::text_for(f, type);
  const std::string name = fill("{} {}", {f.name, {type, lanes}});
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k] != name) continue;
    if (sources_[k] != source)
      throw std::invalid_argument(fill("two different functions of one kernel are called {}", {f.name}));
    return;
  }
  names_.push_back(name);
  sources_.push_back(source);
  if (f.scalar_parameters > 0 && lanes > 1)
    add(f, type, 1);
  else
    require(f.uses, type, lanes);
  text_ += definition(f, type, lanes);
}

}  // namespace fusecl::codegen
