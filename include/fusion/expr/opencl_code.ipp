#pragma once
#include <map>
#include <memory>
#include <mutex>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/expr/opencl_code.hpp>

namespace fusecl::detail {

FUSECL_INLINE const ir::operation& opencl_code_record(const char* code, const char* const* inputs,
                                                      const scalar_type* types, std::size_t count,
                                                      const char* output, scalar_type type,
                                                      scalar_type common) {
  std::string body = "  {\n";
  for (std::size_t k = 0; k < count; ++k) {
    const text::piece own(types[k], 1);
    body += text::fill("    {} {} = ({})opencl_code_input{};\n", {own, inputs[k], own, k});
  }
  body += text::fill("    {}\n    return ({})({}){};\n  }", {code, {common, 1}, {type, 1}, output});
  // never destroyed: statements in destructors of static objects may use records
  static auto& mutex = *new std::mutex;
  static auto& records = *new std::map<std::pair<scalar_type, std::string>, std::unique_ptr<user_record>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<user_record>& known = records[{common, body}];
  if (!known) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::max<std::size_t>(count, 1); ++k)
      names.push_back(text::fill("opencl_code_input{}", {k}));
    const std::vector<std::string_view> parameters(names.begin(), names.end());
    known = std::make_unique<user_record>("opencl_code_" + text::hex(text::hash_content(body)),
                                          parameters.data(), static_cast<int>(parameters.size()), body);
    known->operation.types = ir::type_rule::arithmetic;
  }
  return known->operation;
}

}  // namespace fusecl::detail
