#pragma once
// Small formulas over the registry's operations, as derivatives are written in the records:
// "$1 * pow($0, $1 - 1)". $0 $1 $2 are operands, $y the result; operators + - * / < > == ?: as in C, the
// other operations by name; numbers have the result's type.

#include <string_view>

#include <fusion/ir/graph.hpp>

namespace fusecl::ops {

/// The record with this name, or null.
const ir::operation* find_operation(std::string_view name);

/// Builds the nodes of `formula` for an operation with these operands and this result. Throws
/// std::logic_error naming the formula where it does not follow the grammar.
ir::node_id build_formula(ir::graph& g, std::string_view formula, const ir::node_id* operands,
                          ir::node_id result);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/formula.ipp>
#endif
