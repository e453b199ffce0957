#pragma once
// Factors, triangular systems, inverses, determinants and quadratic forms in random graphs. Their matrices
// are far from singular by construction: A A' plus a multiple of I, and triangles with a dominant diagonal,
// of which the other triangle is at times NaN.

#include <autodiff/random_leaves.hpp>

#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/matrix_product.hpp>

namespace fusecl::test {

class random_factors : public random_leaves {
 protected:
  random_factors(std::uint64_t seed, const graph_limits& limits) : random_leaves(seed, limits) {
    if (!limits_.factors) return;
    for (const bool of_rows : {false, true})
      for (const ops::triangle part : {ops::triangle::lower, ops::triangle::upper})
        stored_[of_rows][static_cast<std::size_t>(part)] = stored(of_rows, part);
  }

  void factor_step() {
    // one row or column is an element-wise matter, as in the language
    const bool of_rows = one_in(2);
    const std::int64_t n = of_rows ? rows_ : cols_;
    if (n == 1) return;
    const ir::extent size = of_rows ? rows_symbol_ : cols_symbol_;
    switch (pick(0, 6)) {
      case 0:
        return add_square(ops::cholesky(result.g, positive_definite(of_rows)), of_rows);
      case 1: {
        const ops::triangle part = some_triangle();
        return add_square(ops::triangular_inverse(result.g, part, triangular(of_rows, part)), of_rows);
      }
      case 2: {  // systems with the matrix on the left or on the right
        const ops::triangle part = some_triangle();
        return add_system(of_rows, [&](ir::node_id sides) {
          return ops::triangular_solve(result.g, part, triangular(of_rows, part), sides);
        });
      }
      case 3: {
        const ir::node_id factor = ops::cholesky(result.g, positive_definite(of_rows));
        return add_system(of_rows, [&](ir::node_id sides) {
          return ops::triangular_solve(result.g, ops::triangle::upper, result.transposed(factor),
                                       ops::triangular_solve(result.g, ops::triangle::lower, factor, sides));
        });
      }
      case 4: {  // the logarithm of a determinant
        const bool symmetric = one_in(2);
        const ir::node_id factor = symmetric ? ops::cholesky(result.g, positive_definite(of_rows))
                                             : triangular(of_rows, some_triangle());
        const ir::node_id diagonal = result.access(ir::access_map::diagonal(), factor, size, ir::one);
        const ir::node_id positive = symmetric ? diagonal : result.g.apply(op::fabs::record(), diagonal);
        return add(
            result.g.reduce(op::sum::record(), ir::axis::all, result.g.apply(op::log::record(), positive)),
            single);
      }
      case 5: {  // B' A B of the shape of A, or its trace
        const ir::node_id sides = square(of_rows),
                          form = product(result.transposed(sides), product(computed(of_rows), sides));
        if (one_in(2)) return add_square(form, of_rows);
        const ir::node_id diagonal = result.access(ir::access_map::diagonal(), form, size, ir::one);
        return add(result.g.reduce(op::sum::record(), ir::axis::all, diagonal), single);
      }
      default: {  // a factor whose operand follows from another one
        const ir::node_id factor = ops::cholesky(result.g, positive_definite(of_rows)),
                          inverse = ops::triangular_inverse(result.g, ops::triangle::lower, factor),
                          again = product(result.transposed(inverse), inverse);
        return add_square(one_in(2) ? again : ops::cholesky(result.g, dominant(again, of_rows)), of_rows);
      }
    }
  }

 private:
  ops::triangle some_triangle() { return one_in(2) ? ops::triangle::lower : ops::triangle::upper; }

  ir::node_id product(ir::node_id a, ir::node_id b) { return ops::matrix_product(result.g, a, b); }

  /// A value with elements in (-1, 1) of rows_ x cols_, at times one that is repeated.
  ir::node_id bounded() {
    const value v = any_of(whole);
    const ir::node_id small = squashed(v.id);
    return v.form == whole ? small : result.g.broadcast(small, rows_symbol_, cols_symbol_);
  }

  /// One that is square, with elements of order one.
  ir::node_id square(bool of_rows) {
    const ir::node_id a = bounded(), b = one_in(2) ? a : bounded();
    if (rows_ == cols_ && rows_symbol_ == cols_symbol_ && one_in(2)) return a;
    const ir::node_id all = of_rows ? product(a, result.transposed(b)) : product(result.transposed(a), b);
    return scaled(all, 2.0 / static_cast<double>(1 + (of_rows ? cols_ : rows_)));
  }
  ir::node_id scaled(ir::node_id id, double factor) { return make<op::multiply>(id, number_for(id, factor)); }

  /// `a` and a number beside it on the diagonal.
  ir::node_id with_diagonal(ir::node_id a, double more) {
    const ir::node n = result.g[a];
    const ir::node_id on_diagonal =
        make<op::equal>(result.g.row_index(n.rows, n.cols), result.g.col_index(n.rows, n.cols));
    return ops::choose(result.g, on_diagonal, make<op::add>(a, number_for(a, more)), a);
  }

  /// `a`, whose elements are of order one and symmetric, made positive definite.
  ir::node_id dominant(ir::node_id a, bool of_rows) {
    return with_diagonal(a, static_cast<double>(1 + (of_rows ? rows_ : cols_)));
  }

  /// A A' or A' A and a multiple of I, or a matrix in memory.
  ir::node_id positive_definite(bool of_rows) { return one_in(3) ? stored_[of_rows][0] : computed(of_rows); }
  ir::node_id computed(bool of_rows) {
    const ir::node_id a = bounded();
    const ir::node_id all = of_rows ? product(a, result.transposed(a)) : product(result.transposed(a), a);
    return dominant(all, of_rows);
  }

  /// A matrix with elements of one n-th beside a diagonal of order one.
  ir::node_id triangular(bool of_rows, ops::triangle part) {
    if (one_in(3)) return stored_[of_rows][static_cast<std::size_t>(part)];
    const auto n = static_cast<double>(of_rows ? rows_ : cols_);
    return with_diagonal(scaled(square(of_rows), 1 / n), one_in(2) ? 2 : -2);
  }

  /// A variable of its own, positive definite by its lower triangle: its diagonal is 0.5 to 2, and rows of
  /// others add up to less. Outside of `part` it has, at times, NaN and infinities.
  ir::node_id stored(bool of_rows, ops::triangle part) {
    const std::int64_t n = of_rows ? rows_ : cols_;
    const ir::node_id id = matrix(n, n, some_type(), matrix_cl_view::Entire);
    ir::host_matrix& m = result.values.matrices.back();
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        long double& x = m.values[static_cast<std::size_t>(i + j * n)];
        x = ir::rounded(result.g[id].type,
                        i == j ? 1.25L + 0.375L * x : x / (4 * static_cast<long double>(n)));
      }
    if (one_in(2))
      hide_outside(part == ops::triangle::lower ? matrix_cl_view::Lower : matrix_cl_view::Upper, m);
    ir::extent& size = of_rows ? rows_symbol_ : cols_symbol_;
    unify_with(size, result.g[id].rows);
    unify_with(size, result.g[id].cols);
    return id;
  }

  /// Adds what solves a system for right-hand sides in columns, or in rows.
  template <class Solve>
  void add_system(bool of_rows, Solve solve) {
    const value v = of_rows ? one_of(whole, column) : one_of(whole, row);
    const ir::node_id sides = v.form == single ? result.g.broadcast(v.id, rows_symbol_, cols_symbol_) : v.id;
    const shape form = v.form == single ? whole : v.form;
    if (of_rows) return add(solve(sides), form);
    add(result.transposed(solve(result.transposed(sides))), form);
  }
  value one_of(shape a, shape b) { return any_of(one_in(2) ? a : b); }

  /// Adds a matrix that is square: its product with a value, a sum of its rows, columns or elements.
  void add_square(ir::node_id id, bool of_rows) {
    const ir::graph& g = result.g;
    if (rows_ == cols_ && one_in(2)) return add(id, whole);
    switch (pick(0, 3)) {
      case 0:
        return add(result.g.reduce(op::sum::record(), ir::axis::all, squashed(id)), single);
      case 1:
        return of_rows ? add(result.g.reduce(op::sum::record(), ir::axis::row, squashed(id)), column)
                       : add(result.g.reduce(op::sum::record(), ir::axis::column, squashed(id)), row);
      case 2: {
        const ir::node_id diagonal = result.access(ir::access_map::diagonal(), id, g[id].rows, ir::one);
        return of_rows ? add(diagonal, column) : add(result.transposed(diagonal), row);
      }
      default: {
        const ir::node_id turned = one_in(2) ? result.transposed(id) : id;
        return add(of_rows ? product(turned, bounded()) : product(bounded(), turned), whole);
      }
    }
  }

  ir::node_id stored_[2][2] = {};  ///< by rows or columns, and by triangle
};

}  // namespace fusecl::test
