#pragma once
// Element-wise functions of variables that are numbers, computed on the host with their derivatives.

#include <initializer_list>

#include <fusion/autodiff/record.hpp>

namespace fusecl::detail {

/// An operand of such a function: a variable, or a number that is none.
struct number_operand {
  scalar_entry* variable;  ///< null for a number
  double value;
};

/// A new variable: an element-wise operation of one to three numbers. Derivatives are those of the
/// operation's record, as on the device; they are computed when they are asked for.
scalar_entry* record_function(const ir::operation& f, std::initializer_list<number_operand> x);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/function_of_numbers.ipp>
#endif
