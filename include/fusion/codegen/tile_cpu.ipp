#pragma once
// Row tiles on a CPU: a work-item takes some tiles in turn and goes through each once a phase, several
// columns at a time. Values of rows are in arrays w<node>_v (whole vectors of rows) and w<node>_s (the rest).

#include <algorithm>

#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Columns that a pass takes at a time: an array of rows is loaded and stored once for all of them.
inline constexpr int cpu_columns = 4;

FUSECL_INLINE access tile_emitter::cpu_access(int lanes) const {
  access how;
  how.lanes = lanes;
  how.self = static_cast<const step_emitter*>(this);
  how.load = load_tiled;
  how.row = row_number(lanes);
  how.col = "(int)j";
  set_lanes(how);
  return how;
}

/// Tells `values` where the rows' values are: `rest` for those that fill no vector.
FUSECL_INLINE void tile_emitter::know_rows(value_emitter& values, bool rest) const {
  for (node_id id : known_rows_)
    values.known[static_cast<std::size_t>(id)] = {"w" + std::to_string(id) + (rest ? "_s[v]" : "_v[v]"), 16,
                                                  false};
}

FUSECL_INLINE void tile_emitter::declare_rows(node_id id) {
  const std::string name = "w" + std::to_string(id);
  out_.line(vector_type(g_[id].type, v_.width) + " " + name + "_v[" +
            std::to_string(v_.tile.lanes / v_.width) + "];");
  if (tail()) out_.line(vector_type(g_[id].type, 1) + " " + name + "_s[" + std::to_string(v_.width) + "];");
}

/// A loop over the vectors of the tile's rows, then over the rest of them.
template <class Body>
void tile_emitter::for_rows(Body body) {
  out_.open("for (int v = 0; v < whole; ++v)");
  out_.line("const long i = begin + v * " + std::to_string(v_.width) + ";");
  body(static_cast<int>(v_.width), false);
  out_.close();
  if (!tail()) return;
  out_.open("for (int v = 0; v < rest; ++v)");
  out_.line("const long i = begin + whole * " + std::to_string(v_.width) + " + v;");
  body(1, true);
  out_.close();
}

/// Accumulators of a sum in vectors, and of what fills none.
FUSECL_INLINE void tile_emitter::declare_sum(node_id id, const std::string& count) {
  const node& n = g_[id];
  const std::string name = "f" + std::to_string(number_of_reduction(id));
  const auto declare_one = [&](const std::string& suffix, int lanes) {
    out_.line(vector_type(n.type, lanes) + " " + name + suffix +
              (count.empty() ? " = " + neutral(n, lanes) : count) + ";");
    if (!count.empty())
      out_.line("for (int c = 0; c < " + std::to_string(cpu_columns) + "; ++c) " + name + suffix +
                "[c] = " + neutral(n, lanes) + ";");
  };
  declare_one("_v", v_.width);
  if (tail()) declare_one("_s", 1);
}

/// One element: the accumulators of a sum, folded.
FUSECL_INLINE std::string tile_emitter::sum_of(node_id id, const std::string& index) {
  const node& n = g_[id];
  const std::string name = "f" + std::to_string(number_of_reduction(id));
  std::string current = name + "_v" + index;
  for (int lanes = v_.width / 2; lanes >= 1; lanes /= 2) {
    const std::string next = name + "_" + std::to_string(lanes);
    out_.line("const " + vector_type(n.type, lanes) + " " + next + " = " +
              combined(n, current + ".lo", current + ".hi", lanes) + ";");
    current = next;
  }
  return tail() ? combined(n, current, name + "_s" + index, 1) : current;
}

/// Values of rows, and sums and results over the rows alone.
FUSECL_INLINE void tile_emitter::go_down_cpu(const value_emitter& around, const std::vector<node_id>& pinned,
                                             const phase* p) {
  const bool works = p && !(p->across.empty() && p->stores.empty());
  if (pinned.empty() && !works) return;
  for (node_id id : pinned) declare_rows(id);
  if (works) {
    out_.open("");
    for (node_id id : p->across) declare_sum(id, "");
  }
  for_rows([&](int lanes, bool rest) {
    const std::string suffix = rest ? "_s" : "_v";
    lanes_ = lanes;
    value_emitter values = around;
    values.begin(cpu_access(lanes));
    know_rows(values, rest);
    std::vector<std::string> kept, stored, across;
    for (node_id id : pinned)  // a reduction of one column is its operand
      kept.push_back(
          values.value(out_, g_[id].op->kind == ir::op_class::reduction ? g_[id].operands[0] : id));
    if (works) {
      for (const schedule::store& r : p->stores) stored.push_back(values.stored(out_, r.value));
      for (node_id id : p->across) across.push_back(values.value(out_, g_[id].operands[0]));
    }
    for (std::size_t k = 0; k < kept.size(); ++k)
      out_.line("w" + std::to_string(pinned[k]) + suffix + "[v] = " + kept[k] + ";");
    for (std::size_t k = 0; k < stored.size(); ++k) store_cpu(p->stores[k], "i", stored[k], lanes);
    for (std::size_t k = 0; k < across.size(); ++k) {
      const std::string name = "f" + std::to_string(number_of_reduction(p->across[k])) + suffix;
      out_.line(name + " = " + combined(g_[p->across[k]], name, across[k], lanes) + ";");
    }
  });
  if (works) {
    add_sums(*p);
    out_.close();
  }
  known_rows_.insert(known_rows_.end(), pinned.begin(), pinned.end());
}

/// Adds a pass's full sums to those of the group.
FUSECL_INLINE void tile_emitter::add_sums(const phase& p) {
  for (node_id id : p.across) {
    if (g_[id].axis() == axis::column && p.cols != ir::one) continue;
    const std::string sum = "a" + std::to_string(number_of_reduction(id));
    out_.line(sum + " = " + combined(g_[id], sum, sum_of(id, ""), 1) + ";");
  }
}

FUSECL_INLINE void tile_emitter::store_cpu(const schedule::store& r, const std::string& at,
                                           const std::string& value, int lanes) {
  const std::string name = buffer_name(r.to);
  out_.line(lanes > 1 ? "vstore" + std::to_string(lanes) + "(" + value + ", 0, " + name + " + " + at + ");"
                      : name + "[" + at + "] = " + value + ";");
}

/// One pass over the columns of the tile.
FUSECL_INLINE void tile_emitter::go_through_cpu(const value_emitter& around, const phase& p) {
  const std::string several = std::to_string(cpu_columns), cols = columns_name(p.cols);
  for (node_id id : p.along) {
    declare_rows(id);
    const std::string name = "w" + std::to_string(id);
    out_.line("for (int v = 0; v < whole; ++v) " + name + "_v[v] = " + neutral(g_[id], v_.width) + ";");
    if (tail()) out_.line("for (int v = 0; v < rest; ++v) " + name + "_s[v] = " + neutral_text(g_[id]) + ";");
  }
  out_.open("");
  for (node_id id : p.across)
    if (g_[id].axis() != axis::column) declare_sum(id, "");
  out_.open("for (long first = 0; first < " + cols + "; first += " + several + ")");
  for (node_id id : p.across)
    if (g_[id].axis() == axis::column) declare_sum(id, "[" + several + "]");
  value_emitter base = around;
  stage_columns(base, p);
  for_rows([&](int lanes, bool rest) {
    lanes_ = lanes;
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < " + several + "; ++c)");
    out_.line("const long j = first + c;");
    out_.line("if (j >= " + cols + ") break;");
    out_.line("const long e = i + j * rows;");
    value_emitter values = base;
    values.begin(cpu_access(lanes));
    know_rows(values, rest);
    cell(values, p, lanes, rest);
    out_.close();
  });
  for (node_id id : p.across) {
    if (g_[id].axis() != axis::column) continue;
    const std::string part =
        "p" + std::to_string(number_of_reduction(id)) + "[j + get_group_id(0) * " + cols + "]";
    out_.open("for (int c = 0; c < " + several + "; ++c)");
    out_.line("const long j = first + c;");
    out_.line("if (j >= " + cols + ") break;");
    const std::string sum = sum_of(id, "[c]");
    out_.line(part + " = tile == begin_tile ? " + sum + " : " + combined(g_[id], part, "(" + sum + ")", 1) +
              ";");
    out_.close();
  }
  out_.close();
  add_sums(p);
  out_.close();
  known_rows_.insert(known_rows_.end(), p.along.begin(), p.along.end());
}

/// Values of the columns that cost something are computed once for all rows of the tile.
FUSECL_INLINE void tile_emitter::stage_columns(value_emitter& base, const phase& p) {
  std::vector<node_id> staged;
  for (node_id id : repeated(p, false))
    if (g_[id].op->kind == ir::op_class::elementwise && g_[id].type != scalar_type::boolean)
      staged.push_back(id);
  if (staged.empty()) return;
  const std::string several = std::to_string(cpu_columns);
  for (node_id id : staged)
    out_.line(vector_type(g_[id].type, 1) + " b" + std::to_string(id) + "[" + several + "];");
  out_.open("for (int c = 0; c < " + several + "; ++c)");
  out_.line("const long j = first + c;");
  out_.line("if (j >= " + columns_name(p.cols) + ") break;");
  lanes_ = 1;
  value_emitter own = base;
  access how = cpu_access(1);
  how.row = "0";
  own.begin(how);
  for (node_id id : staged) out_.line("b" + std::to_string(id) + "[c] = " + own.value(out_, id) + ";");
  out_.close();
  for (node_id id : staged)
    base.known[static_cast<std::size_t>(id)] = {"b" + std::to_string(id) + "[c]", 16, true};
}

/// Values of one element or vector of rows in column `j`.
FUSECL_INLINE void tile_emitter::cell(value_emitter& values, const phase& p, int lanes, bool rest) {
  const std::string suffix = rest ? "_s" : "_v";
  std::vector<std::string> stored, along, across;
  for (const schedule::store& r : p.stores) stored.push_back(values.stored(out_, r.value));
  for (node_id id : p.along) along.push_back(values.value(out_, g_[id].operands[0]));
  for (node_id id : p.across) across.push_back(values.value(out_, g_[id].operands[0]));
  for (std::size_t k = 0; k < stored.size(); ++k) store_cpu(p.stores[k], "e", stored[k], lanes);
  for (std::size_t k = 0; k < along.size(); ++k) {
    const std::string name = "w" + std::to_string(p.along[k]) + suffix + "[v]";
    out_.line(name + " = " + combined(g_[p.along[k]], name, along[k], lanes) + ";");
  }
  for (std::size_t k = 0; k < across.size(); ++k) {
    const node& n = g_[p.across[k]];
    const std::string name = "f" + std::to_string(number_of_reduction(p.across[k])) + suffix +
                             (n.axis() == axis::column ? "[c]" : "");
    out_.line(name + " = " + combined(n, name, across[k], lanes) + ";");
  }
}

FUSECL_INLINE void tile_emitter::walk_cpu() {
  const std::string height = std::to_string(v_.tile.lanes), width = std::to_string(v_.width);
  add_size_argument(0, "rows");
  add_size_argument(1, "tiles");
  add_size_argument(2, "each");
  for (std::size_t e = 0; e < extents_.size(); ++e) add_size_argument(3 + e, "cols" + std::to_string(e));
  out_.line("const long begin_tile = " + group_of("* each") + ", end_tile = min(begin_tile + each, tiles);");
  value_emitter values = emitter_of(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  const auto is_column_sum = [&](node_id id) {
    return g_[id].axis() == axis::column && cols_of(id) != ir::one;
  };
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (!is_column_sum(s_.reductions[k]))
      out_.line(vector_type(g_[s_.reductions[k]].type, 1) + " a" + std::to_string(k) + " = " +
                neutral_text(g_[s_.reductions[k]]) + ";");
  out_.open("for (long tile = begin_tile; tile < end_tile; ++tile)");
  out_.line("const long begin = tile * " + height + ", end = min(begin + " + height + ", rows);");
  out_.line("const int whole = (int)((end - begin) / " + width + ");");
  if (tail()) out_.line("const int rest = (int)(end - begin) - whole * " + width + ";");
  const int last = last_level();
  for (int level = 0; level <= last; ++level) {
    std::vector<node_id> pinned;
    const phase* rows = nullptr;
    for (const phase& p : s_.phases) {
      if (p.level != level) continue;
      if (p.cols == ir::one) {
        rows = &p;
        pinned.insert(pinned.end(), p.along.begin(), p.along.end());
        continue;
      }
      for (node_id id : repeated(p, true)) {
        const bool known = std::find(known_rows_.begin(), known_rows_.end(), id) != known_rows_.end() ||
                           std::find(pinned.begin(), pinned.end(), id) != pinned.end();
        const bool costs =
            g_[id].op->kind == ir::op_class::elementwise && g_[id].type != scalar_type::boolean;
        if (!known && costs) pinned.push_back(id);
      }
    }
    go_down_cpu(values, pinned, rows);
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols != ir::one) go_through_cpu(values, p);
  }
  out_.close();
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (!is_column_sum(s_.reductions[k]))
      out_.line("p" + std::to_string(k) + "[get_group_id(0)] = a" + std::to_string(k) + ";");
  if (!v_.last) return;
  out_.line("// the group that arrives last adds what all have left");
  out_.line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  out_.open("if (atomic_inc(arrivals) + 1 == get_num_groups(0))");
  out_.line("*arrivals = 0;");
  finish_cpu(true);
  out_.close();
}

}  // namespace fusecl::codegen::detail
