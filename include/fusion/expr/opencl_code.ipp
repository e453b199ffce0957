#pragma once
#include <mutex>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/expr/opencl_code.hpp>

namespace fusecl::detail {

FUSECL_INLINE const ir::operation& opencl_code_record(const char* code, const char* const* inputs,
                                                      const scalar_type* types, std::size_t count,
                                                      const char* output, scalar_type type,
                                                      scalar_type common) {
  struct made_of {
    scalar_type common;
    text::content_hash body;
    const user_record* record;
  };
  std::string body = "  {\n";
  for (std::size_t k = 0; k < count; ++k) {
    const text::piece own(types[k], 1);
    body += text::fill("    {} {} = ({})opencl_code_input{};\n", {own, inputs[k], own, k});
  }
  body += text::fill("    {}\n    return ({})({}){};\n  }", {code, {common, 1}, {type, 1}, output});
  // never destroyed: statements in destructors of static objects may use records
  static auto& mutex = *new std::mutex;
  static auto& records = *new list_of<made_of>;
  const std::lock_guard<std::mutex> lock(mutex);
  const text::content_hash hash = text::hash_content(body);
  for (const made_of& each : records)
    if (each.common == common && each.body == hash) return each.record->operation;
  list_of<std::string> names;
  for (std::size_t k = 0; k < std::max<std::size_t>(count, 1); ++k)
    names.push_back(text::fill("opencl_code_input{}", {k}));
  const list_of<std::string_view> parameters(names.begin(), names.end());
  auto* const record = new user_record("opencl_code_" + text::hex(hash), parameters.data(),
                                       static_cast<int>(parameters.size()), body, !is_floating(common));
  record->operation.types = ir::type_rule::arithmetic;
  records.push_back({common, hash, record});
  return record->operation;
}

}  // namespace fusecl::detail
