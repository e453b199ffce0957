#pragma once
// The operands of a statement on the host, as the interpreter takes them.

#include <fusion/expr/binder.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl::detail {

/// Elements of a type as a buffer holds them, as the interpreter has values, which is exact.
list_of<long double> values_of(scalar_type type, const list_of<unsigned char>& bytes);

/// Copies the operands of a statement to the host (this waits) for the interpreter.
ir::host_bindings read_operands(const binder& bound);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/read_operands.ipp>
#endif
