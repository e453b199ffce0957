#pragma once
// What the files of operation records share: the macros that declare a tag and define its record, and lists
// of device functions.

#include <fusion/base/config.hpp>
#include <fusion/ir/operation.hpp>

/// Declares the tag of an operation in namespace op; its record is defined in an `.ipp`.
#define FUSECL_OPERATION_TAG(NAME, RULE)                        \
  struct NAME {                                                 \
    static constexpr ir::type_rule types = ir::type_rule::RULE; \
    static const ir::operation& record();                       \
  };
#define FUSECL_FLOATING_TAG(NAME) FUSECL_OPERATION_TAG(NAME, floating)

/// Defines the record of an element-wise op::NAME; the other fields follow as designated initialisers.
#define FUSECL_OPERATION_RECORD(NAME, ARITY, ...)                         \
  FUSECL_INLINE const ir::operation& NAME::record() {                     \
    static constexpr ir::operation row{.name = #NAME,                     \
                                       .kind = ir::op_class::elementwise, \
                                       .arity = ARITY,                    \
                                       .types = NAME::types,              \
                                       __VA_ARGS__};                      \
    return row;                                                           \
  }

namespace fusecl::device {

/// Null-terminated list of the device functions named: `.uses = uses<digamma>`.
template <const ir::device_function&... Functions>
inline constexpr const ir::device_function* uses[] = {&Functions..., nullptr};

}  // namespace fusecl::device

namespace fusecl::op::detail {

/// Unsigned arithmetic wraps instead of being undefined; the caller narrows to the result type.
template <class F>
constexpr std::int64_t wrapping(const std::int64_t* x, F f) {
  return static_cast<std::int64_t>(f(static_cast<std::uint64_t>(x[0]), static_cast<std::uint64_t>(x[1])));
}

}  // namespace fusecl::op::detail
