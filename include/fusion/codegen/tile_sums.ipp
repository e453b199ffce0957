#pragma once
// What GPU tiles reduce across their rows: accumulators of every work-item, which its group combines after
// the last tile and leaves as its part.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Exchanges among `count` neighbours of a warp, which all end with the combination of their values in
/// `name`. Returns how many neighbours share a value then.
FUSECL_INLINE int tile_emitter::combine_in_warp(const node& n, const std::string& name, int count) {
  if (!shuffles_) return 1;
  define_exchange(n, 1);
  int apart = 1;
  for (; apart < std::min(count, 32); apart *= 2) add_to(name, n, exchanged(n, 1, name, apart), 1);
  return apart;
}

/// Adds the columns' sums of the work-items that share a column, as many columns at a time as local memory
/// has room for, and leaves them as this group's part.
FUSECL_INLINE void tile_emitter::leave_column_sums(std::size_t k) {
  const node& n = g_[s_.reductions[k]];
  const ir::extent extent = cols_of(s_.reductions[k]);
  const std::string sum = fill("a{}[c]", {k}), cols = columns_name(extent);
  const int count = columns_of(extent), slots = v_.tile.slots;
  int apart = 1;
  if (shuffles_) {
    open_columns(count);
    apart = combine_in_warp(n, sum, v_.tile.lanes);
    out_.close();
  }
  const int values = v_.tile.lanes / apart;  // of a column, one by each group of `apart` work-items
  if (values == 1) {
    open_columns(count);
    out_.line("const uint j = {};", {column_at("slot", "c")});
    out_.line("if (row_lane == 0 && j < {}) p{}[j + {} * {}] = {};", {cols, k, own_team(), cols, sum});
    out_.close();
    return;
  }
  const std::string place = fill("((local {}*)together)", {{n.type, 1}});
  const int chunk = std::max(1, together_elements / (values * slots));
  for (int first = 0; first < count; first += chunk) {
    const int here = std::min(chunk, count - first);
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = {}; c < {}; ++c)", {first, first + here});
    out_.line("  {}{}[((c - {}) * {} + slot) * {} + row_lane / {}] = {};",
              {apart > 1 ? fill("if (row_lane % {} == 0) ", {apart}) : "", place, first, slots, values, apart,
               sum});
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open("for (uint t = lane; t < {}; t += {})", {here * slots, shape_.local});
    out_.line("const uint j = {};",
              {column_at(fill("t % {}", {slots}), fill("({} + t / {})", {first, slots}))});
    out_.line("{} v = {}[t * {}];", {{n.type, 1}, place, values});
    out_.line("for (uint w = 1; w < {}; ++w) v = {};",
              {values, combined(n, "v", fill("{}[t * {} + w]", {place, values}), 1)});
    out_.line("if (j < {}) p{}[j + {} * {}] = v;", {cols, k, own_team(), cols});
    out_.close();
  }
}

// Trees over the work-items of a group, of several reductions at a time: rounds of them take as long as the
// barriers between.

/// As many at a time as local memory has room for.
FUSECL_INLINE int tile_emitter::trees_at_once(int local) { return std::max(1, together_elements / local); }
FUSECL_INLINE list_of<list_of<tile_emitter::tree_value>> tile_emitter::trees(
    const list_of<tree_value>& values, int local) {
  list_of<list_of<tree_value>> all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % static_cast<std::size_t>(trees_at_once(local)) == 0) all.emplace_back();
    all.back().push_back(values[k]);
  }
  return all;
}

/// Opens a scope in which tree<k>[lane] is the k-th value of the work-item, combined with those of others:
/// `apart` work-items have numbers `self` that follow each other, and those whose numbers are `stride` apart
/// are combined, half of that, and so on until `least`.
FUSECL_INLINE void tile_emitter::open_trees(const list_of<tree_value>& values, const char* self, int apart,
                                            int stride, int least) {
  out_.open();
  const auto name = [](std::size_t k) { return fill("tree{}[lane]", {k}); };
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string type = vector_type(g_[values[k].reduction].type, 1);
    out_.line("local {}* const tree{} = (local {}*)(together + {});",
              {type, k, type, static_cast<std::int64_t>(k) * shape_.local});
  }
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (std::size_t k = 0; k < values.size(); ++k) out_.line("{} = {};", {name(k), values[k].variable});
  out_.open("for (uint stride = {}; stride >= {}; stride /= 2)", {stride, least});
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.open("if ({} < stride)", {self});
  const std::string far = apart == 1 ? std::string() : fill(" * {}", {apart});
  for (std::size_t k = 0; k < values.size(); ++k)
    out_.line("{} = {};", {name(k), combined(g_[values[k].reduction], name(k),
                                             fill("tree{}[lane + stride{}]", {k, far}), 1)});
  out_.close();
  out_.close();
}

/// Adds what all work-items have summed and leaves it as this group's parts.
FUSECL_INLINE void tile_emitter::leave_full_sums(const list_of<std::size_t>& sums) {
  const int local = static_cast<int>(shape_.local);
  list_of<tree_value> values;
  for (std::size_t k : sums) values.push_back({s_.reductions[k], fill("a{}", {k})});
  std::size_t left = 0;
  for (const list_of<tree_value>& some : trees(values, local)) {
    int apart = 1;
    for (const tree_value& v : some) apart = combine_in_warp(g_[v.reduction], v.variable, local);
    open_trees(some, "lane", 1, local / 2, apart);
    out_.open("if (lane == 0)");
    for (std::size_t k = 0; k < some.size(); ++k)
      out_.line("p{}[{}] = tree{}[0];", {sums[left++], own_group(), k});
    out_.close();
    out_.close();
  }
}

FUSECL_INLINE void tile_emitter::leave_sums() {
  if (s_.reductions.empty()) return;
  out_.line("// sums over the rows of all tiles of this group");
  if (multiplies())
    out_.line("local long* const together = (local long*)x_tile;");
  else
    out_.line("local long together[{}];", {together_elements});
  list_of<std::size_t> full;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (!is_column_sum(s_.reductions[k]))
      full.push_back(k);
    else if (!multiplies())
      leave_column_sums(k);
  leave_full_sums(full);
}

/// Leaves what this group has summed; the last group finishes it where groups see what others wrote.
FUSECL_INLINE void tile_emitter::finish_sums() {
  leave_sums();
  if (!v_.last) return;
  open_last_group("the group that arrives last adds what all have left");
  finish_gpu(true);
  out_.close();
}

/// Accumulators of what is reduced across the rows.
FUSECL_INLINE void tile_emitter::declare_sums() {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node_id id = s_.reductions[k];
    const std::string start = neutral_text(g_[id]);
    if (!is_column_sum(id)) {
      out_.line("{} a{} = {};", {{g_[id].type, 1}, k, start});
      continue;
    }
    if (multiplies()) continue;  // fragments of a product
    const int count = columns_of(cols_of(id));
    out_.line("{} a{}[{}];", {{g_[id].type, 1}, k, count});
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = 0; c < {}; ++c) a{}[c] = {};", {count, k, start});
  }
}

}  // namespace fusecl::codegen::detail
