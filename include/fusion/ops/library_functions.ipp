#pragma once
#include <algorithm>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/library_functions.hpp>
#include <fusion/ops/special.hpp>

namespace fusecl::ops {
namespace detail {

/// A function that has what an operation is in a kernel.
class named_function {
 public:
  explicit named_function(const ir::operation& of) : named_function(of.name, of.arity, of.opencl, of.uses) {}
  named_function(std::string_view name, int arity, std::string_view opencl,
                 const ir::device_function* const* uses)
      : name_(name), full_name_(text::fill("library_{}", {name})) {
    constexpr std::string_view letters[] = {"a", "b", "c"};
    std::string parameters, value(opencl);
    for (int k = 0; k < arity; ++k) {
      parameters += text::fill("{}$T {}", {k ? ", " : "", letters[k]});
      const std::string place = text::fill("${}", {k});
      for (std::size_t at = value.find(place); at != value.npos; at = value.find(place))
        value.replace(at, place.size(), letters[k]);
    }
    text_ = text::fill("$T {}$S({}) {\n  return {};\n}\n", {full_name_, parameters, value});
    function_ = {
        .name = full_name_, .text = text_, .uses = uses, .scalar_parameters = arity, .is_floating = true};
  }
  named_function(const named_function&) = delete;

  std::string_view name() const { return name_; }
  const ir::device_function& function() const { return function_; }

 private:
  std::string_view name_;
  std::string full_name_, text_;
  ir::device_function function_ = {};
};

/// Never destroyed: statements in destructors of static objects may use them.
inline std::span<const named_function> named_functions() {
#define FUSECL_ONE(NAME) +1
#define FUSECL_NAMED(NAME) named_function(op::NAME::record()),
  struct table {
    named_function each[FUSECL_LIBRARY_FUNCTIONS(FUSECL_ONE)];
  };
  static const table& all = *new const table{
      {FUSECL_LIBRARY_OPERATIONS(FUSECL_NAMED)
       // Stirling's formula without the correction that lgamma_stirling_diff is
       named_function("lgamma_stirling", 1, "0.9189385332046727 + ($0 - 0.5) * log($0) - $0", nullptr)}};
#undef FUSECL_NAMED
#undef FUSECL_ONE
  return all.each;
}

/// Where a text calls what has the name, from `start` on; npos where it does not.
inline std::size_t next_call(std::string_view code, std::string_view name, std::size_t start) {
  for (std::size_t at = code.find(name, start); at != code.npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size(), next = code.find_first_not_of(" \t\n", end);
    const bool is_word =
        (at == 0 || !text::in_word(code[at - 1])) && (end == code.size() || !text::in_word(code[end]));
    if (is_word && next != code.npos && code[next] == '(') return at;
  }
  return code.npos;
}

}  // namespace detail

FUSECL_INLINE const ir::device_function* library_function(std::string_view name) {
  for (const detail::named_function& each : detail::named_functions())
    if (each.name() == name) return &each.function();
  return nullptr;
}

FUSECL_INLINE library_calls calls_of_library(std::string_view code,
                                             std::span<const std::string_view> declared,
                                             std::string_view suffix) {
  library_calls result{std::string(code), {}};
  for (const detail::named_function& each : detail::named_functions()) {
    if (std::find(declared.begin(), declared.end(), each.name()) != declared.end()) continue;
    const std::string full = text::fill("{}{}", {each.function().name, suffix});
    bool found = false;
    for (std::size_t at = 0; (at = detail::next_call(result.code, each.name(), at)) != std::string::npos;
         at += full.size(), found = true)
      result.code.replace(at, each.name().size(), full);
    if (found) result.functions.push_back(&each.function());
  }
  return result;
}

}  // namespace fusecl::ops
