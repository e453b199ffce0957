#pragma once
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::ir {
namespace detail {

/// Shortest decimal text that reads back as `value`.
FUSECL_INLINE std::string number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

FUSECL_INLINE std::string extent_name(extent e) { return e == one ? "1" : text::fill("n{}", {e}); }

/// Operation name with what its payload adds: "rowwise_sum", "matrix x0".
FUSECL_INLINE std::string label(const node& n) {
  if (n.is(leaf_operations::matrix)) return text::fill("x{}", {n.index});
  if (n.is(leaf_operations::scalar)) return text::fill("s{}", {n.index});
  if (n.is(leaf_operations::constant)) return number(n.value);
  if (n.is(leaf_operations::size)) return extent_name(static_cast<extent>(n.index));
  if (n.is(leaf_operations::cast)) return text::fill("cast<{}>", {cpp_name(n.type)});
  const std::string name(n.op->name);
  if (maps_places(n))
    return n.map.is_transpose() ? "transpose" : text::fill("{}{}", {name, n.op->brings->places(n)});
  if (!is_collective(n) || n.op->kind == op_class::opaque) return name;
  const bool scans = n.op->kind == op_class::scan;
  const char* along = n.axis() == axis::row               ? "rowwise_"
                      : scans || n.axis() == axis::column ? "colwise_"
                                                          : "";
  return text::fill("{}{}{}", {along, name, scans && n.from_end() ? "_from_end" : ""});
}

/// How a node reads its operand `k`, or null.
FUSECL_INLINE const char* reads_as(const node& n, int k) {
  return n.op->brings && n.op->brings->reads_as ? n.op->brings->reads_as(n, k) : nullptr;
}

/// What lies deeper than `limit` nodes is not spelled.
FUSECL_INLINE void append_formula(const graph& g, node_id id, int outer, std::string& out, std::size_t limit,
                                  std::size_t depth = 0) {
  if (out.size() > limit) return;
  if (depth++ > limit) {
    out += "...";
    return;
  }
  const node& n = g[id];
  if (maps_places(n) && !n.map.is_transpose()) {
    append_formula(g, n.operands[0], 16, out, limit, depth);
    out += n.op->brings->places(n);
    return;
  }
  const std::string_view text = n.op->opencl;
  const bool calls = text.find("$S") != std::string_view::npos;
  const bool symbolic = n.op->kind == op_class::elementwise && n.op->precedence < 16 && !calls;
  if (!symbolic) {
    const bool leaf = arity(n) == 0 && !n.is(leaf_operations::row_index) && !n.is(leaf_operations::col_index);
    out += label(n);
    if (leaf) return;
    out += '(';
    for (int k = 0; k < arity(n); ++k) {
      if (k) out += ", ";
      const char* as = reads_as(n, k);
      if (as) text::append(out, "{}(", {as});
      append_formula(g, n.operands[k], 0, out, limit, depth);
      if (as) out += ')';
    }
    out += ')';
    return;
  }
  const bool parenthesize = n.op->precedence < outer;
  if (parenthesize) out += '(';
  for (std::size_t p = 0; p < text.size(); ++p) {
    if (text[p] == '$' && p + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[p + 1]))) {
      const int k = text[++p] - '0';  // texts that are no calls have at most three operands
      append_formula(g, n.operands[k], n.op->precedence + (k > 0 || n.op->arity == 1), out, limit, depth);
    } else {
      out += text[p];
    }
  }
  if (parenthesize) out += ')';
}

template <class Fail>
void verify_map(const node& n, Fail&& fail) {
  const access_map& m = n.map;
  for (int x : {m.row_by_i, m.row_by_j, m.col_by_i, m.col_by_j})
    if (x < -1 || x > 1) fail("reads with a stride beyond one");
  for (const offset& o : {m.row0, m.col0})
    if (o.size == no_extent ? o.sign != 1 : o.sign != 1 && o.sign != -1) fail("has an offset without a sign");
}

}  // namespace detail

FUSECL_INLINE std::string formula(const graph& g, node_id id, std::size_t limit) {
  std::string out;
  detail::append_formula(g, id, 0, out, limit);
  if (out.size() > limit) {
    out.resize(limit);
    out += " ...";
  }
  return out;
}

FUSECL_INLINE std::string to_string(const graph& g) {
  std::string out;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    out += "%" + std::to_string(id) + " = " + detail::label(n);
    for (int k = 0; k < arity(n); ++k) {
      const char* as = detail::reads_as(n, k);
      out += text::fill(as ? "{} {}(%{})" : "{} {}%{}", {k ? "," : "", as ? as : "", n.operands[k]});
    }
    out += " : " + std::string(cpp_name(n.type));
    if (!n.is_scalar())
      out +=
          "[" + detail::extent_name(g.resolve(n.rows)) + " x " + detail::extent_name(g.resolve(n.cols)) + "]";
    if (n.view != matrix_cl_view::Entire) out += " " + std::string(view_name(n.view));
    out += "\n";
  }
  for (std::size_t k = 0; k < g.roots.size(); ++k)
    out += "result " + std::to_string(k) + " = %" + std::to_string(g.roots[k]) + "\n";
  return out;
}

FUSECL_INLINE std::string to_dot(const graph& g) {
  std::string out = "digraph expression {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    const std::string name = "n" + std::to_string(id);
    const std::string_view shape = arity(n) == 0      ? ", style=rounded"
                                   : is_collective(n) ? ", shape=trapezium"
                                                      : "";
    out += "  " + name + " [label=\"" + detail::label(n) + "\\n" + std::string(cpp_name(n.type)) + "\"" +
           std::string(shape) + "];\n";
    for (int k = 0; k < arity(n); ++k) out += "  n" + std::to_string(n.operands[k]) + " -> " + name + ";\n";
  }
  for (std::size_t k = 0; k < g.roots.size(); ++k)
    out += "  result" + std::to_string(k) + " [shape=ellipse];\n  n" + std::to_string(g.roots[k]) +
           " -> result" + std::to_string(k) + ";\n";
  return out + "}\n";
}

FUSECL_INLINE void verify(const graph& g) {
  const auto fail = [](node_id id, const char* rule) {
    throw std::logic_error(text::fill("graph: node %{} {}", {id, rule}));
  };
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (!n.op) fail(id, "has no operation");
    if (n.operands.size() != arity(n)) fail(id, "has the wrong number of operands");
    if (n.op->kind == op_class::access) detail::verify_map(n, [&](const char* rule) { fail(id, rule); });
    for (int k = 0; k < arity(n); ++k) {
      const node_id operand = n.operands[k];
      if (operand < 0 || operand >= id) fail(id, "uses a node that does not precede it");
      const node& from = g[operand];
      if (n.op->kind != op_class::elementwise) continue;
      if (from.rows != one && g.resolve(from.rows) != g.resolve(n.rows))
        fail(id, "has rows unlike an operand");
      if (from.cols != one && g.resolve(from.cols) != g.resolve(n.cols))
        fail(id, "has cols unlike an operand");
      const bool condition = n.op->types == type_rule::selection && k == 0;
      if (condition && from.type != scalar_type::boolean) fail(id, "selects by a node that is not bool");
      if (n.op->types == type_rule::arithmetic && from.type != n.type) fail(id, "mixes types");
    }
  }
  for (node_id root : g.roots)
    if (root < 0 || root >= g.size()) fail(root, "is named as a result and does not exist");
}

}  // namespace fusecl::ir
