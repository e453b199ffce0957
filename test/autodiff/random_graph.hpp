#pragma once
// Random differentiable graphs: operations of the registry on matrices, vectors and scalars of double and
// float, with repeats, broadcasts, views (of NaN too), selections, integers, indices, reductions, accesses;
// sizes 0 and 1 too. Values stay where functions are smooth; what does not is recognised by error bounds.

#include <autodiff/random_factors.hpp>

#include <fusion/ops/matrix_product.hpp>

namespace fusecl::test {

/// Makes graphs with a scalar first root from a seed. Several share operands and shape, so that one statement
/// can compute them all with few kernels.
class random_graphs : public random_factors {
 public:
  explicit random_graphs(std::uint64_t seed, const graph_limits& limits = {}) : random_factors(seed, limits) {
    const std::size_t leaves = values_.size(), integers = integers_.size();
    for (std::size_t k = 0; k < limits.graphs; ++k) {
      const auto steps = pick(2, limits_.steps);
      for (std::int64_t s = 0; s < steps; ++s) step();
      first_roots_.push_back(result.g.roots.size());
      finish(leaves);
      values_.resize(leaves);
      integers_.resize(integers);
    }
    first_roots_.push_back(result.g.roots.size());
    result.g = passes::merge_and_prune(result.g);
  }

  std::size_t size() const { return limits_.graphs; }
  /// Graph `k` alone.
  bound_graph only(std::size_t k) const {
    bound_graph one = result;
    one.g.roots = roots(k);
    one.g = passes::merge_and_prune(one.g);
    return one;
  }
  list_of<ir::node_id> roots(std::size_t k) const {
    const auto begin = result.g.roots.begin();
    return {begin + static_cast<std::ptrdiff_t>(first_roots_[k]),
            begin + static_cast<std::ptrdiff_t>(first_roots_[k + 1])};
  }

 private:
  /// Elements at places that integers say.
  void indexing_step() {
    if (places_.empty()) return;
    const places& p =
        places_[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(places_.size()) - 1))];
    const value v = any_of(p.from);
    if (v.form != p.from) return;
    const ir::node to = result.g[p.i];
    add(ops::indexed(result.g, v.id, p.i, p.j, to.rows, to.cols, p.lists()), p.to);
  }

  static shape combined(std::initializer_list<shape> forms) {
    shape form = single;
    for (shape f : forms)
      if (f != single) form = f;
    return form;
  }
  void add_combined(ir::node_id id, std::initializer_list<shape> forms) { add(id, combined(forms)); }
  void step() {
    if (limits_.factors && one_in(3)) return factor_step();
    if (limits_.products && one_in(4)) return product_step();
    switch (pick(0, 17)) {
      case 0:
      case 1:
        return reduce();
      case 2: {
        const value v = anything();
        if (v.form != whole) add(result.g.broadcast(v.id, rows_symbol_, cols_symbol_), whole);
        return;
      }
      case 3: {  // a selection
        const shape form = anything().form;
        const value a = any_of(form), b = any_of(form), c = condition(form, 2);
        const ir::node_id operands[] = {c.id, a.id, b.id};
        return add_combined(result.g.apply(op::select::record(), operands), {a.form, b.form, c.form});
      }
      case 4: {  // a branch whose function is undefined where the other branch is taken
        const value v = anything();
        static const ir::operation* const guarded[] = {&op::log::record(), &op::sqrt::record(),
                                                       &op::lgamma::record(), &op::rsqrt::record()};
        const ir::node_id operands[] = {make<op::greater>(v.id, number_for(v.id, 0.125)),
                                        result.g.apply(*any_in(guarded), v.id),
                                        number_for(v.id, real(-1, 1))};
        return add(result.g.apply(op::select::record(), operands), v.form);
      }
      case 5: {
        const value v = anything();
        if (limits_.floats) add(result.g.cast(some_type(), v.id), v.form);
        return;
      }
      case 6:
        return integer_step();
      case 7:
      case 8:
        return structural_step();
      case 9:
        return indexing_step();
      default:
        return function();
    }
  }

  void reduce() {
    const value v = anything();
    if (v.form == single) return;
    const bool of_rows = v.form == row || (v.form == whole && one_in(2));
    if (one_in(4)) return add(result.cumulated(v.id, of_rows, one_in(2)), v.form);
    const bool all = v.form != whole || one_in(3);
    const ir::axis axis = all ? ir::axis::all : one_in(2) ? ir::axis::row : ir::axis::column;
    static const ir::operation* const kinds[] = {&op::sum::record(), &op::prod::record(), &op::max::record(),
                                                 &op::min::record()};
    // no largest of no elements, which nothing after it is made for
    const ir::operation* kind = kinds[pick(0, rows_ * cols_ == 0 ? 1 : 3)];
    const bool overflows = kind == &op::prod::record() && rows_ * cols_ > 16;
    const ir::node_id r = result.g.reduce(*kind, axis, overflows ? into({-1.6, 1.6}, v.id) : v.id);
    add(r, axis == ir::axis::row ? column : axis == ir::axis::column ? row : single);
  }

  /// A condition of this shape or a single one.
  value condition(shape form, int depth) {
    static const ir::operation* const comparisons[] = {
        &op::less::record(),    &op::less_or_equal::record(),
        &op::greater::record(), &op::greater_or_equal::record(),
        &op::equal::record(),   &op::not_equal::record()};
    static const ir::operation* const classes[] = {&op::isnan::record(), &op::isinf::record(),
                                                   &op::isfinite::record()};
    const value v = any_of(form);
    switch (pick(0, depth > 0 ? 6 : 3)) {
      case 0:
        if (form == whole && !integers_.empty())
          return {result.g.apply(*any_in(comparisons), any_in(integers_),
                                 result.g.constant(scalar_type::int32, static_cast<double>(pick(-1, 2)))),
                  whole};
        [[fallthrough]];
      case 1: {
        const value w = any_of(form);
        return {result.g.apply(*any_in(comparisons), v.id, w.id), combined({v.form, w.form})};
      }
      case 4:
        return {result.g.apply(op::logical_not::record(), v.id), v.form};
      case 5:
        return {result.g.apply(*any_in(classes), v.id), v.form};
      case 6: {
        const value a = condition(form, depth - 1), b = condition(form, depth - 1);
        const ir::node_id id =
            one_in(2) ? make<op::logical_and>(a.id, b.id) : make<op::logical_or>(a.id, b.id);
        return {id, combined({a.form, b.form})};
      }
      default:
        return {result.g.apply(op::less::record(), v.id, number_for(v.id, real(-1, 1))), v.form};
    }
  }

  /// Integers, which have no derivative, beside and inside of what has one.
  void integer_step() {
    if (integers_.empty()) return;
    const ir::node_id i = any_in(integers_), j = any_in(integers_);
    static const ir::operation* const kinds[] = {&op::add::record(), &op::subtract::record(),
                                                 &op::multiply::record(), &op::modulo::record(),
                                                 &op::integer_divide::record()};
    switch (pick(0, 3)) {
      case 0:
        integers_.push_back(result.g.apply(*any_in(kinds), i, j));
        return;
      case 1: {
        const value v = any_of(whole);
        const ir::node_id small = make<op::modulo>(i, result.g.constant(scalar_type::int32, 3));
        return add(make<op::ldexp>(v.id, small), whole);
      }
      case 2: {
        const value v = any_of(whole);
        return add(make<op::multiply>(v.id, i), whole);
      }
      default:
        return add(result.g.cast(some_type(), i), whole);
    }
  }

  /// Some part of a value, at times of no elements.
  ir::node_id block(const value& v) {
    const std::int64_t rows = v.form == row ? 1 : rows_, cols = v.form == column ? 1 : cols_;
    const std::int64_t row0 = pick(0, rows), col0 = pick(0, cols);
    const std::int64_t own_rows = pick(0, rows - row0), own_cols = pick(0, cols - col0);
    const ir::extent offset = result.sizes(row0, col0), size = result.sizes(own_rows, own_cols);
    const auto start = ir::diagonal_of_block(row0, col0, own_rows, own_cols);
    return result.access(ir::access_map::block(offset, offset + 1, start), v.id, size, size + 1);
  }

  /// Elements of a value from other places, and what comes back from there.
  void structural_step() {
    const value v = anything();
    if (v.form == single) return;
    const ir::node n = result.g[v.id];
    switch (pick(0, 6)) {
      case 0: {
        const ir::node_id turned = result.transposed(v.id);
        if (rows_ == cols_ && one_in(2))
          return add(turned, v.form == whole ? whole : v.form == row ? column : row);
        return add(result.transposed(squashed(turned)), v.form);
      }
      case 1: {
        const bool of_rows = v.form == column || (v.form == whole && one_in(2));
        const auto map =
            of_rows ? ir::access_map::reversed_rows(n.rows) : ir::access_map::reversed_cols(n.cols);
        return add(result.access(map, v.id, n.rows, n.cols), v.form);
      }
      case 2: {
        if (v.form != whole || rows_ * cols_ == 0) return;
        const bool takes_row = one_in(2);
        const ir::extent offset =
            takes_row ? result.sizes(pick(0, rows_ - 1), 0) : result.sizes(0, pick(0, cols_ - 1));
        const auto map = ir::access_map::block(offset, offset + 1, ir::diagonal_from::anywhere);
        return add(result.access(map, v.id, takes_row ? ir::one : n.rows, takes_row ? n.cols : ir::one),
                   takes_row ? row : column);
      }
      case 3: {
        if (v.form != whole) return;
        if (rows_ <= cols_)
          return add(result.access(ir::access_map::diagonal(), v.id, n.rows, ir::one), column);
        return add(result.transposed(result.access(ir::access_map::diagonal(), v.id, n.cols, ir::one)), row);
      }
      case 4:
        return add(result.g.reduce(op::sum::record(), ir::axis::all, squashed(block(v))), single);
      case 5: {  // an element, which is a number to what it combines with
        if (rows_ * cols_ == 0) return;
        const std::int64_t i = v.form == row ? 0 : pick(0, rows_ - 1),
                           j = v.form == column ? 0 : pick(0, cols_ - 1);
        const ir::extent offset = result.sizes(i, j);
        const auto map = ir::access_map::block(offset, offset + 1, ir::diagonal_of_block(i, j, 1, 1));
        return add(result.access(map, v.id, ir::one, ir::one), single);
      }
      default: {
        const ir::node_id part = block(v), moved = squashed(part);
        const ir::access_map back = ops::inverse(result.g, result.g[part], n);
        return add(result.access(back, moved, n.rows, n.cols), v.form);
      }
    }
  }

  /// A product of two values, or of three where their shapes do not fit otherwise; the same one twice at
  /// times.
  void product_step() {
    const auto operand = [&] {
      const value v = any_of(whole);
      return v.form == whole ? squashed(v.id)
                             : result.g.broadcast(squashed(v.id), rows_symbol_, cols_symbol_);
    };
    const ir::node_id a = operand(), b = one_in(4) ? a : operand(), c = operand();
    const auto product = [&](ir::node_id x, ir::node_id y) { return ops::matrix_product(result.g, x, y); };
    const auto scaled = [&](ir::node_id id) {
      return make<op::multiply>(id, number_for(id, 2.0 / static_cast<double>(1 + rows_ + cols_)));
    };
    if (rows_ == cols_ && one_in(2)) {
      const ir::node_id left = one_in(2) ? result.transposed(a) : a,
                        right = one_in(2) ? result.transposed(b) : b;
      return add(scaled(product(left, right)), whole);
    }
    if (one_in(2)) return add(product(scaled(product(a, result.transposed(b))), c), whole);
    add(product(a, scaled(product(result.transposed(b), c))), whole);
  }

  static bool is_smooth(const ir::operation& op) {
    const bool values = op.types == ir::type_rule::floating || op.types == ir::type_rule::arithmetic;
    bool known = op.kind == ir::op_class::elementwise && values && &op != &op::modulo::record() &&
                 &op != &op::integer_divide::record();
    for (int k = 0; known && k < op.arity; ++k) known = !op.partials[k].empty();
    return known;
  }

  void function() {
    static const std::vector<const ir::operation*> smooth = [] {
      std::vector<const ir::operation*> list;
      for (const ir::operation* op : ops::registry())
        if (is_smooth(*op)) list.push_back(op);
      return list;
    }();
    const ir::operation* chosen = any_in(smooth);
    while (chosen->cost > 45 && !one_in(limits_.costly)) chosen = any_in(smooth);
    const ir::operation& op = *chosen;
    const shape form = anything().form;
    ir::node_id operands[3];
    shape forms[] = {single, single, single};
    const bool free = &op == &op::add::record() || &op == &op::subtract::record() ||
                      &op == &op::multiply::record() || &op == &op::negate::record();
    ir::sample_interval common = op.domain[0];
    for (int k = 1; k < op.arity; ++k)
      common = {std::max(common.low, op.domain[k].low), std::min(common.high, op.domain[k].high)};
    const bool repeat = one_in(5) && common.low < common.high;
    for (int k = 0; k < op.arity; ++k) {
      const value v = any_of(form);
      forms[k] = repeat && k > 0 ? forms[0] : v.form;
      operands[k] = repeat && k > 0 ? operands[0] : free ? v.id : into(repeat ? common : op.domain[k], v.id);
    }
    add_combined(result.g.apply(op, operands), {forms[0], forms[1], forms[2]});
  }

  /// Roots: a scalar that depends on the newest values, squashed so that sizes stay comparable, and at times
  /// some of the values themselves.
  void finish(std::size_t leaves) {
    ir::node_id root = number(0.25, some_type());
    for (std::size_t k = values_.size(); k-- > 0 && k + 3 >= values_.size();) {
      const ir::node_id id = values_[k].id;
      const ir::node_id tamed = squashed(make<op::multiply>(number_for(id, 0.5), id));
      const ir::node_id part =
          values_[k].form == single ? tamed : result.g.reduce(op::sum::record(), ir::axis::all, tamed);
      root = make<op::add>(root, make<op::multiply>(number_for(part, real(0.5, 1.5)), part));
    }
    result.g.roots.push_back(root);
    for (std::size_t k = leaves; k < values_.size() && k < leaves + 2; ++k)
      if (one_in(3)) result.g.roots.push_back(values_[k].id);
  }

  std::vector<std::size_t> first_roots_;
};

}  // namespace fusecl::test
