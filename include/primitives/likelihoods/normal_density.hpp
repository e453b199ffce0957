#pragma once
// The density of normal vectors by their covariance, whose derivatives have a closed form: one inverse of the
// Cholesky factor serves value and derivatives, where the rules of factor and system take three more systems.

#include <fusion/expr/factorizations.hpp>
#include <fusion/ir/graph.hpp>
#include <primitives/likelihoods/argument.hpp>

namespace fusecl {
namespace op {

/// Operand 0, whose derivatives are known: log density of the columns of operand 2 by the covariance that is
/// operand 1; operands 3 and 4 are the inverse of its factor and the product of that with the columns.
struct normal_density {
  static const ir::operation& record();
};

}  // namespace op

namespace detail {

/// The log density, but for a constant, of the columns of `distances` by the covariance with the lower
/// triangle of `covariance`, which has more than one row. `single`: there is one column.
ir::node_id lower_normal_density(ir::graph& g, ir::node_id distances, ir::node_id covariance, bool single);

/// That as a scalar expression.
struct normal_density_term : expression<normal_density_term>,
                             converts_to_number<normal_density_term, double> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = true;
  argument distances, covariance;

  normal_density_term(argument d, argument c) : distances(std::move(d)), covariance(std::move(c)) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const {
    distances.gather(b);
    covariance.gather(b);
    b.choice(distances.cols() == 1);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id d = distances.lower(low), c = covariance.lower(low);
    return lower_normal_density(low.graph(), d, c, low.next_word() != 0);
  }
};

}  // namespace detail
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/normal_density.ipp>
#endif
