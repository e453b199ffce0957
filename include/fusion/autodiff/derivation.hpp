#pragma once
// How statements that compute derivatives follow from the statement of a value: rules by which
// `derived_statement` turns named roots into results.

#include <fusion/eval/statement.hpp>

namespace fusecl::detail {

/// From {value} to {value, one derivative per variable}. Further values follow as they are.
const derivation_rule& gradient_rule();
/// From {value, seed, adjoints so far} to one adjoint per variable: the derivative of the value along the
/// seed is added to the adjoint so far, where there is one.
const derivation_rule& reverse_rule();
/// From {value, one direction per variable} to {value, derivatives, products of the Hessian with the
/// direction}.
const derivation_rule& hessian_product_rule();

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/derivation.ipp>
#endif
