#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/codegen/function_library.hpp>

namespace fusecl::codegen {
namespace detail {

/// The vector form of a function of so many parameters whose text is for scalars.
FUSECL_INLINE std::string called_lane_by_lane(const ir::device_function& f, int count, scalar_type type,
                                              int lanes) {
  std::string parameters, calls;
  for (int k = 0; k < count; ++k)
    append_item(parameters, ", ",
                fill("const {} {}", {{type, lanes}, std::string(1, static_cast<char>('a' + k))}));
  for (int lane = 0; lane < lanes; ++lane) {
    std::string arguments;
    for (int k = 0; k < count; ++k)
      append_item(arguments, ", ",
                  fill("{}.s{}", {std::string(1, static_cast<char>('a' + k)), lane_letter(lane)}));
    append_item(calls, ", ", fill("{}_{}({})", {f.name, {type, 1}, arguments}));
  }
  return fill("{} {}_{}({}) {\n  return ({})({});\n}\n",
              {{type, lanes}, f.name, {type, lanes}, parameters, {type, lanes}, calls});
}

/// Whether a function's text is that with PTX.
inline bool has_text_ptx(const ir::device_function& f, scalar_type type, bool ptx) {
  return ptx && type == scalar_type::float64 && !f.text_ptx.empty();
}

inline std::string_view text_for(const ir::device_function& f, scalar_type type, bool ptx) {
  if (has_text_ptx(f, type, ptx)) return f.text_ptx;
  const std::string_view own = type == scalar_type::float32 ? f.text_float
                               : is_floating(type)          ? std::string_view()
                                                            : f.text_integer;
  return own.empty() ? f.text : own;
}

/// Number of parameters of a function whose text holds for scalars only, else 0.
inline int scalar_parameters(const ir::device_function& f, scalar_type type, bool ptx) {
  if (!has_text_ptx(f, type, ptx)) return f.scalar_parameters;
  const std::size_t start = f.text.find("$S(");  // after a comment
  const std::string_view head = f.text.substr(start, f.text.find(')', start) - start);
  return static_cast<int>(std::count(head.begin(), head.end(), ',')) + 1;
}

}  // namespace detail

FUSECL_INLINE std::string definition(const ir::device_function& f, scalar_type type, int lanes, bool ptx) {
  const int parameters = lanes > 1 ? detail::scalar_parameters(f, type, ptx) : 0;
  std::string text = parameters > 0 ? detail::called_lane_by_lane(f, parameters, type, lanes)
                                    : instantiate(detail::text_for(f, type, ptx), type, lanes);
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
  const std::string_view source = detail::text_for(f, type, ptx_);
  const std::string name = fill("{} {}", {f.name, {type, lanes}});
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (names_[k] != name) continue;
    if (sources_[k] != source)
      throw std::invalid_argument(fill("two different functions of one kernel are called {}", {f.name}));
    return;
  }
  names_.push_back(name);
  sources_.push_back(source);
  if (lanes > 1 && detail::scalar_parameters(f, type, ptx_) > 0)
    add(f, type, 1);
  else
    require(detail::has_text_ptx(f, type, ptx_) ? f.uses_ptx : f.uses, type, lanes);
  text_ += definition(f, type, lanes, ptx_);
}

}  // namespace fusecl::codegen
