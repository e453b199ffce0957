#pragma once
// Row tiles on a CPU: a work-item takes some tiles in turn and goes through each once a phase, several
// columns at a time. Values of rows are in arrays w<node>_v (whole vectors of rows) and w<node>_s (the rest).

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Marks the two arrays of a value, and its accumulators: of vectors, and of what fills none.
FUSECL_INLINE const char* row_suffix(bool rest) { return rest ? "_s" : "_v"; }

/// Values of the vectors of rows, or of those that fill none: both read the rows' arrays.
FUSECL_INLINE value_emitter tile_emitter::row_values(const value_emitter& around, bool rest) {
  value_emitter values = around;
  values.begin(tile_access(lanes_, "(int)j"));
  for (node_id id : known_rows_) values.know(id, fill("w{}{}[v]", {id, row_suffix(rest)}), false);
  return values;
}

FUSECL_INLINE void tile_emitter::declare_rows(node_id id) {
  const scalar_type type = g_[id].type;
  out_.line("{} w{}_v[{}];", {{type, v_.width}, id, v_.tile.lanes / v_.width});
  if (row_loops() == 2) out_.line("{} w{}_s[{}];", {{type, 1}, id, v_.width});
}

/// A loop over the vectors of the tile's rows, or over the rest of them.
FUSECL_INLINE void tile_emitter::open_rows(bool rest) {
  lanes_ = rest ? 1 : v_.width;
  out_.open("for (int v = 0; v < {}; ++v)", {rest ? "rest" : "whole"});
  out_.line(rest ? "const long i = begin + whole * {} + v;" : "const long i = begin + v * {};", {v_.width});
}

/// A loop over the columns that a pass takes at a time.
FUSECL_INLINE void tile_emitter::open_some_columns(const std::string& cols) {
  out_.open("for (int c = 0; c < {}; ++c)", {cpu_columns});
  out_.line("const long j = first + c;");
  if (!v_.tile.whole_passes) out_.line("if (j >= {}) break;", {cols});
}

/// Accumulators of a sum in vectors, and of what fills none.
FUSECL_INLINE void tile_emitter::declare_sum(node_id id, bool of_columns) {
  const node& n = g_[id];
  const std::size_t number = number_of_reduction(id);
  for (int rest = 0; rest < row_loops(); ++rest) {
    const int lanes = rest ? 1 : v_.width;
    const std::string name = fill("f{}{}", {number, row_suffix(rest)}), start = neutral(n, lanes);
    if (of_columns) {
      out_.line("{} {}[{}];", {{n.type, lanes}, name, cpu_columns});
      out_.line("for (int c = 0; c < {}; ++c) {}[c] = {};", {cpu_columns, name, start});
    } else {
      out_.line("{} {} = {};", {{n.type, lanes}, name, start});
    }
  }
}

/// One element: the accumulators of a sum, folded.
FUSECL_INLINE std::string tile_emitter::sum_of(node_id id, const char* index) {
  const node& n = g_[id];
  const std::size_t number = number_of_reduction(id);
  std::string current = fill("f{}_v{}", {number, index});
  for (int lanes = v_.width / 2; lanes >= 1; lanes /= 2) {
    const std::string both = combined(n, current + ".lo", current + ".hi", lanes);
    current = fill("f{}_{}", {number, lanes});
    out_.line("const {} {} = {};", {{n.type, lanes}, current, both});
  }
  return row_loops() == 2 ? combined(n, current, fill("f{}_s{}", {number, index}), 1) : current;
}

/// Values of rows, and sums and results over the rows alone.
FUSECL_INLINE void tile_emitter::go_down_cpu(const value_emitter& around, const list_of<node_id>& pinned,
                                             const phase* p) {
  const bool works = p && !(p->across.empty() && p->stores.empty());
  if (pinned.empty() && !works) return;
  for (node_id id : pinned) declare_rows(id);
  if (works) {
    out_.open();
    for (node_id id : p->across) declare_sum(id, false);
  }
  for (int rest = 0; rest < row_loops(); ++rest) {
    open_rows(rest);
    value_emitter values = row_values(around, rest);
    values.enter(tile_access(lanes_, "0"));
    list_of<std::string> kept;
    for (node_id id : pinned)  // a reduction of one column is its operand
      kept.push_back(
          values.value(out_, g_[id].op->kind == ir::op_class::reduction ? g_[id].operands[0] : id));
    phase_values own;
    if (works) own = values_of(values, *p);
    for (std::size_t k = 0; k < kept.size(); ++k)
      out_.line("w{}{}[v] = {};", {pinned[k], row_suffix(rest), kept[k]});
    if (works) store_and_add_cpu(*p, own, rest);
    out_.close();
  }
  if (works) {
    add_sums(*p);
    out_.close();
  }
  append(known_rows_, pinned);
}

/// Adds a pass's full sums to those of the group.
FUSECL_INLINE void tile_emitter::add_sums(const phase& p) {
  for (node_id id : p.across)
    if (!is_column_sum(id)) add_to(fill("a{}", {number_of_reduction(id)}), g_[id], sum_of(id, ""), 1);
}

/// One element or vector of rows, in column `j` where there are columns.
FUSECL_INLINE void tile_emitter::store_and_add_cpu(const phase& p, const phase_values& v, bool rest) {
  const char* at = p.cols == ir::one ? "i" : "e";
  for (std::size_t k = 0; k < v.stored.size(); ++k) {
    const std::string name = buffer_name(p.stores[k].to);
    if (lanes_ > 1)
      out_.line("vstore{}({}, 0, {} + {});", {lanes_, v.stored[k], name, at});
    else
      out_.line("{}[{}] = {};", {name, at, v.stored[k]});
  }
  for (std::size_t k = 0; k < v.along.size(); ++k)
    add_to(fill("w{}{}[v]", {p.along[k], row_suffix(rest)}), g_[p.along[k]], v.along[k], lanes_);
  for (std::size_t k = 0; k < v.across.size(); ++k) {
    const node_id id = p.across[k];
    const char* sum = is_column_sum(id) ? "f{}{}[c]" : "f{}{}";
    add_to(fill(sum, {number_of_reduction(id), row_suffix(rest)}), g_[id], v.across[k], lanes_);
  }
}

/// Brings what the pass reads some columns later to the caches, of operands that no pass before has read.
FUSECL_INLINE void tile_emitter::bring_columns(const list_of<std::string>& operands) {
  for (const std::string& name : operands)
    out_.line("__builtin_prefetch((const void*)(ulong)({} + e + {} * rows), 0, 2);", {name, 2 * cpu_columns});
}

/// One pass over the columns of the tile.
FUSECL_INLINE void tile_emitter::go_through_cpu(const value_emitter& around, const phase& p) {
  const std::string cols = columns_name(p.cols);
  for (node_id id : p.along) {
    declare_rows(id);
    out_.line("for (int v = 0; v < whole; ++v) w{}_v[v] = {};", {id, neutral(g_[id], v_.width)});
    if (row_loops() == 2)
      out_.line("for (int v = 0; v < rest; ++v) w{}_s[v] = {};", {id, neutral_text(g_[id])});
  }
  out_.open();
  for (node_id id : p.across)
    if (!is_column_sum(id)) declare_sum(id, false);
  out_.open("for (long first = 0; first < {}; first += {})", {cols, cpu_columns});
  for (node_id id : p.across)
    if (is_column_sum(id)) declare_sum(id, true);
  list_of<std::string> fresh;
  for (const tile_operand& o : operands_)
    if (o.cols == p.cols && std::find(brought_.begin(), brought_.end(), o.name) == brought_.end())
      fresh.push_back(o.name);
  append(brought_, fresh);
  value_emitter base = around;
  stage_columns(base, p);
  for (int rest = 0; rest < row_loops(); ++rest) {
    open_rows(rest);
    out_.raw("#pragma unroll\n");
    open_some_columns(cols);
    out_.line("const long e = i + j * rows;");
    if (rest == 0 && v_.tile.brings) bring_columns(fresh);
    value_emitter values = row_values(base, rest);
    store_and_add_cpu(p, values_of(values, p), rest);
    out_.close();
    out_.close();
  }
  for (node_id id : p.across) {
    if (!is_column_sum(id)) continue;
    const std::string part = fill("p{}[j + get_group_id(0) * {}]", {number_of_reduction(id), cols});
    open_some_columns(cols);
    const std::string sum = sum_of(id, "[c]");
    out_.line("{} = tile == begin_tile ? {} : {};",
              {part, sum, combined(g_[id], part, fill("({})", {sum}), 1)});
    out_.close();
  }
  out_.close();
  add_sums(p);
  out_.close();
  append(known_rows_, p.along);
}

/// Values of the columns that cost something are computed once for all rows of the tile.
FUSECL_INLINE void tile_emitter::stage_columns(value_emitter& base, const phase& p) {
  list_of<node_id> staged = repeated(p, false);
  erase_if(staged, [&](node_id id) { return !is_worth_keeping(id); });
  if (staged.empty()) return;
  for (node_id id : staged) out_.line("{} b{}[{}];", {{g_[id].type, 1}, id, cpu_columns});
  open_some_columns(columns_name(p.cols));
  lanes_ = 1;
  value_emitter own = base;
  access how = tile_access(1, "(int)j");
  how.row = "0";
  own.begin(how);
  for (node_id id : staged) out_.line("b{}[c] = {};", {id, own.value(out_, id)});
  out_.close();
  for (node_id id : staged) base.know(id, fill("b{}[c]", {id}), true);
}

FUSECL_INLINE void tile_emitter::walk_cpu() {
  add_size("rows");
  add_size("tiles");
  add_size("each");
  add_extent_arguments();
  out_.line("const long begin_tile = {}, end_tile = min(begin_tile + each, tiles);", {group_of("* each")});
  value_emitter values = domain_emitter();
  values.uniforms(out_);
  names_around_ = values.has_declared();
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    if (!is_column_sum(s_.reductions[k])) out_.line("{} a{} = {};", {{n.type, 1}, k, neutral_text(n)});
  }
  out_.open("for (long tile = begin_tile; tile < end_tile; ++tile)");
  out_.line("const long begin = tile * {}, end = min(begin + {}, rows);", {v_.tile.lanes, v_.tile.lanes});
  out_.line("const int whole = (int)((end - begin) / {});", {v_.width});
  if (row_loops() == 2) out_.line("const int rest = (int)(end - begin) - whole * {};", {v_.width});
  const int last = last_level();
  for (int level = 0; level <= last; ++level) {
    list_of<node_id> pinned;
    const phase* rows = nullptr;
    for (const phase& p : s_.phases) {
      if (p.level != level) continue;
      if (p.cols == ir::one) {
        rows = &p;
        append(pinned, p.along);
        continue;
      }
      for (node_id id : repeated(p, true)) {
        const bool known = std::find(known_rows_.begin(), known_rows_.end(), id) != known_rows_.end() ||
                           std::find(pinned.begin(), pinned.end(), id) != pinned.end();
        if (!known && is_worth_keeping(id)) pinned.push_back(id);
      }
    }
    go_down_cpu(values, pinned, rows);
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols != ir::one) go_through_cpu(values, p);
  }
  out_.close();
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (!is_column_sum(s_.reductions[k])) out_.line("p{}[get_group_id(0)] = a{};", {k, k});
  if (!v_.last) return;
  open_last_group("the group that arrives last adds what all have left");
  finish_cpu(true);
  out_.close();
}

}  // namespace fusecl::codegen::detail
