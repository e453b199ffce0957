#pragma once
#include <fusion/expr/user_function.hpp>
#include <fusion/ops/library_functions.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_formula(const binder& bound) {
  bool foreign = bound.matrices().size() > 0 || bound.extents().size() > 0;
  for (std::size_t k = 0; k < bound.scalars().size(); ++k) foreign |= bound.scalars()[k].identity != nullptr;
  if (foreign)
    throw std::logic_error(
        "derivatives of a user function or a leaf: only its parameters, its result and numbers may occur");
}

FUSECL_INLINE user_record::user_record(std::string_view name, const std::string_view* parameters, int count,
                                       std::string_view body, bool is_whole)
    : name_(name) {
  // a prefix keeps the name apart from those of OpenCL C and of this library
  const std::string prefixed = "user_" + name_;
  text_ = "$T " + prefixed + "$S(";
  call_ = prefixed + "$S(";
  for (int k = 0; k < count; ++k) {
    text_ += std::string(k ? ", " : "") + "const $T " + std::string(parameters[k]);
    call_ += std::string(k ? ", " : "") + "$" + std::to_string(k);
  }
  const ops::library_calls calls =
      ops::calls_of_library(body, {parameters, static_cast<std::size_t>(count)}, is_whole ? "_double" : "$S");
  const std::size_t start = calls.code.find_first_not_of('\n');
  // a path without `return` would give whatever a register holds
  text_ += ") {\n#pragma clang diagnostic error \"-Wreturn-type\"\n  typedef $T real;\n" +
           calls.code.substr(start == calls.code.npos ? calls.code.size() : start) + "\n}\n";
  call_ += ")";
  library_ = calls.functions;
  library_.push_back(nullptr);
  function_ = {.name = std::string_view(text_).substr(3, prefixed.size()),
               .text = text_,
               .uses = library_.data(),
               .scalar_parameters = count};
  uses_[0] = &function_;
  uses_[1] = nullptr;
  operation = {.name = name_,
               .kind = ir::op_class::elementwise,
               .arity = static_cast<std::uint8_t>(count),
               .types = ir::type_rule::floating,
               .opencl = call_,
               .precedence = 16,
               .uses = uses_,
               .cost = 10};
}

}  // namespace fusecl::detail
