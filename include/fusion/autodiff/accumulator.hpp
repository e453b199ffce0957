#pragma once
// Adds up the terms of a density, numbers and matrices alike.

#include <type_traits>

#include <fusion/autodiff/var.hpp>

namespace fusecl {

/// A sum of terms of type T, double or var: numbers, scalar expressions, and the elements of matrices on the
/// device and the host and of vectors of terms. Each matrix is summed by itself when it is added.
template <class T>
class accumulator {
 public:
  template <class Term>
  void add(const Term& term) {
    if constexpr (std::is_arithmetic_v<Term> || std::is_same_v<Term, var>)
      total_ += term;
    else if constexpr (std::is_base_of_v<Eigen::EigenBase<Term>, Term>)
      for (Eigen::Index col = 0; col < term.cols(); ++col)
        for (Eigen::Index row = 0; row < term.rows(); ++row) total_ += term(row, col);
    else if constexpr (operand<Term>)
      add_operand(term);
    else
      for (const auto& each : term) add(each);
  }
  T sum() const { return total_; }

 private:
  template <class Term>
  void add_operand(const Term& term) {
    if constexpr (node_of<const Term&>::is_scalar)
      total_ += T(term);
    else
      total_ += T(fusecl::sum(term));
  }

  T total_ = 0.0;
};

/// The adjoint of a variable, to be changed in place: what `x.adj()` is.
inline double& adjoint_of(var x) { return x.adj(); }
template <element T>
matrix_cl<T>& adjoint_of(const var_value<matrix_cl<T>>& x) {
  return x.adj();
}
/// What stands for the adjoint of a number of the host, which has none: takes what is added and forgets it.
struct no_adjoint {
  template <class X>
  const no_adjoint& operator+=(const X&) const {
    return *this;
  }
  template <class X>
  const no_adjoint& operator-=(const X&) const {
    return *this;
  }
};
template <class Number>
requires std::is_arithmetic_v<Number> no_adjoint adjoint_of(const Number&) { return {}; }

}  // namespace fusecl
