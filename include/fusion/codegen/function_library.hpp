#pragma once
// Texts of the device functions that a program calls, for the types of its values.

#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/writer.hpp>
#include <fusion/ir/operation.hpp>

namespace fusecl::codegen {

/// Text of a device function for numbers of a type, without what it calls. `ptx`: it may have PTX.
std::string definition(const ir::device_function& f, scalar_type type, int lanes = 1, bool ptx = false);

/// Device functions a program needs, each instantiated once per type, in an order that satisfies their uses.
class function_library {
 public:
  /// `ptx`: whether the texts may have that of NVIDIA's devices; `sums`: whether sums are what is computed,
  /// over all elements or along rows of which each work-item has its own.
  explicit function_library(bool ptx = false, bool sums = false) : ptx_(ptx), sums_(sums) {}

  /// What computes doubles of an operation instead of its own text; null for nothing.
  const ir::device_function* instead_of(const ir::operation& op, scalar_type type) const {
    return replaces(type) ? op.by_ptx : nullptr;
  }
  /// The same for an operation whose second operand is the same for all elements.
  const ir::same_operand_rule* instead_of_same(const ir::operation& op, scalar_type type) const {
    return replaces(type) ? op.by_same : nullptr;
  }
  /// Makes the functions available for `type` with `lanes`. Throws std::invalid_argument where two different
  /// functions have the same name.
  void require(const ir::device_function* const* functions, scalar_type type, int lanes);
  const std::string& text() const { return text_; }

 private:
  bool replaces(scalar_type type) const { return ptx_ && sums_ && type == scalar_type::float64; }
  void add(const ir::device_function& f, scalar_type type, int lanes);

  bool ptx_, sums_;
  list_of<std::string> names_;  ///< of the functions that are there, with their types
  list_of<std::string_view> sources_;
  std::string text_;
};

}  // namespace fusecl::codegen

#ifndef FUSECL_SPLIT
#include <fusion/codegen/function_library.ipp>
#endif
