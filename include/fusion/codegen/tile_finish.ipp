#pragma once
// What follows when all tiles have left their parts: the sections of a row tile, each added and finished.

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Sums r<k> of a section.
FUSECL_INLINE void tile_emitter::begin_section(const schedule::section& own) {
  for (node_id id : own.reductions)
    out_.line("{} r{} = {};", {{g_[id].type, 1}, number_of_reduction(id), neutral_text(g_[id])});
}

/// Combines the parts at `index` into them.
FUSECL_INLINE void tile_emitter::add_section(const schedule::section& own, const std::string& index) {
  for (node_id id : own.reductions) {
    const std::size_t k = number_of_reduction(id);
    add_to(fill("r{}", {k}), g_[id], fill("p{}[{}]", {k, index}), 1);
  }
}

/// What computes values at the result `i` of a section from its sums.
FUSECL_INLINE value_emitter tile_emitter::begin_results(const schedule::section& own,
                                                        const list_of<node_id>& ids) {
  value_emitter values = emitter_of(ids, true);
  know_sums(values, own);
  lanes_ = 1;
  result_index_ = "i";
  values.uniforms(out_);
  access how;
  how.self = this;
  how.load = load_result;
  how.row = how.col = "0";
  how.in_order = true;
  if (own.axis == axis::column) {
    how.col = "(int)i";
    how.lane_cols[0] = "(long)i";
  }
  values.begin(how);
  return values;
}

/// Stores what follows from the sums of a section, for its result `i`.
FUSECL_INLINE void tile_emitter::finish_section(const schedule::section& own) {
  list_of<node_id> ids;
  for (const schedule::store& r : own.epilogue) ids.push_back(r.value);
  value_emitter values = begin_results(own, ids);
  const list_of<std::string> stored = texts_of(values, own.epilogue);
  for (std::size_t k = 0; k < stored.size(); ++k)
    out_.line("{}[{}] = {};",
              {buffer_name(own.epilogue[k].to), own.axis == axis::all ? "0" : "i", stored[k]});
}

FUSECL_INLINE std::string tile_emitter::load_small(const void* self, const std::string& name,
                                                   scalar_type type, bool rows, bool cols) {
  const auto& own = *static_cast<const tile_emitter*>(static_cast<const step_emitter*>(self));
  const std::string place = rows && cols ? own.small_place_ : rows ? "at_row" : cols ? "at_col" : "0";
  const bool in_vectors = own.declared_lanes(name) > 1;  // for the tiles of the same kernel
  return in_vectors ? fill("((global const {}*){})[{}]", {{type, 1}, name, place})
                    : fill("{}[{}]", {name, place});
}

/// Where values of the element (at_row, at_col) of a small matrix with so many rows are.
FUSECL_INLINE access tile_emitter::access_to_small(const std::string& rows) {
  small_place_ = fill("at_row + at_col * {}", {rows});
  access how;
  how.self = static_cast<const step_emitter*>(this);
  how.load = load_small;
  how.row = "(int)at_row";
  how.col = "(int)at_col";
  how.lane_rows[0] = "at_row";
  how.lane_cols[0] = "at_col";
  return how;
}

/// Tells where the sums of a section are, and those that it needs.
FUSECL_INLINE void tile_emitter::know_sums(value_emitter& values, const schedule::section& own) {
  know_results(values);
  for (const schedule::small_sums& each : own.needed)
    for (node_id id : each.reductions) values.know(id, fill("q{}", {id}), true);
}

/// Adds up what a section needs besides its own sums: of `apart` work-items the one with the number `first`
/// takes every `apart`-th element.
FUSECL_INLINE void tile_emitter::add_needed(const schedule::section& own, const char* first, int apart) {
  for (const schedule::small_sums& each : own.needed) {
    add_extents({each.rows, each.cols});
    const std::string rows = size_name(g_.resolve(each.rows)), cols = size_name(g_.resolve(each.cols));
    list_of<node_id> ids;
    for (node_id id : each.reductions) {
      ids.push_back(g_[id].operands[0]);
      out_.line("{} q{} = {};", {{g_[id].type, 1}, id, neutral_text(g_[id])});
    }
    out_.open();
    value_emitter values = emitter_of(ids, true);
    lanes_ = 1;
    values.uniforms(out_);
    out_.open("for (long each = {}; each < {} * {}; each += {})", {first, rows, cols, apart});
    out_.line("const long at_row = each % {}, at_col = each / {};", {rows, rows});
    values.begin(access_to_small(rows));
    list_of<std::string> added;
    for (node_id id : ids) added.push_back(values.value(out_, id));
    for (std::size_t k = 0; k < added.size(); ++k)
      add_to(fill("q{}", {each.reductions[k]}), g_[each.reductions[k]], added[k], 1);
    out_.close();
    out_.close();
  }
}

/// Small matrices that follow from the sums of a section, whose result `i` they are at. Of `apart` work-items
/// that know these the one with the number `first` takes every `apart`-th element.
FUSECL_INLINE void tile_emitter::finish_small_results(const schedule::section& own, const char* first,
                                                      int apart) {
  if (own.small.empty()) return;
  // what is kept of the sums is computed here: what else it is computed from is elsewhere in a small matrix
  list_of<node_id> kept;
  const ir::node_set reductions(own.reductions);
  ir::node_numbers known;
  for (const schedule::store& r : own.epilogue)
    if (r.to.kind == schedule::buffer_kind::temporary && !reductions[r.value] && known.insert(r.value))
      kept.push_back(r.value);
  out_.open();
  if (!kept.empty()) {
    value_emitter values = begin_results(own, kept);
    for (node_id id : kept) {
      const std::string text = values.value(out_, id);
      out_.line("const {} k{} = {};", {{g_[id].type, 1}, id, text});
    }
  }
  for (const schedule::small_results& each : own.small) finish_small_results(own, each, kept, first, apart);
  out_.close();
}

FUSECL_INLINE void tile_emitter::finish_small_results(const schedule::section& own,
                                                      const schedule::small_results& small,
                                                      const list_of<node_id>& kept, const char* first,
                                                      int apart) {
  using line = schedule::small_results::line;
  add_extents({small.rows, small.cols});
  const std::string rows = codegen::size_name(g_.resolve(small.rows)),
                    cols = codegen::size_name(g_.resolve(small.cols));
  list_of<node_id> ids;
  for (const schedule::store& r : small.stores) ids.push_back(r.value);
  out_.open();
  value_emitter values = emitter_of(ids, true);
  know_sums(values, own);
  for (node_id id : kept) values.know(id, fill("k{}", {id}), true);
  lanes_ = 1;
  values.uniforms(out_);
  const std::string last = small.by == line::none  ? fill("{} * {}", {rows, cols})
                           : small.by == line::row ? cols
                                                   : rows;
  out_.open("for (long each = {}; each < {}; each += {})", {first, last, apart});
  const char* row = small.by == line::row ? "i" : "each";
  const char* col = small.by == line::column ? "i" : "each";
  if (small.by == line::none)
    out_.line("const long at_row = each % {}, at_col = each / {};", {rows, rows});
  else
    out_.line("const long at_row = {}, at_col = {};", {row, col});
  values.begin(access_to_small(rows));
  const list_of<std::string> stored = texts_of(values, small.stores);
  for (std::size_t k = 0; k < stored.size(); ++k)
    out_.line("{}[{}] = {};", {buffer_name(small.stores[k].to), small_place_, stored[k]});
  out_.close();
  out_.close();
}

/// Results, parts and operands of the finishing kernel.
FUSECL_INLINE void tile_emitter::begin_finish() {
  for (const schedule::store& r : s_.epilogue) declare(r, 1);
  declare_parts(false, 1);
  add_buffers(after_, true, 1);
  add_size("parts");
  out_.line("const long group = get_group_id(0);");
}

/// How many results the section `e` has, and up to which group its results go.
FUSECL_INLINE void tile_emitter::add_section_sizes(std::size_t e) {
  add_size(fill("results{}", {e}));
  add_size(fill("groups{}", {e}));
}

/// Combines each of the values over the work-items of the group and gives everyone what is at `place` then.
FUSECL_INLINE void tile_emitter::combine_over_group(const list_of<tree_value>& values,
                                                    const tree_shape& shape, const std::string& place) {
  for (const list_of<tree_value>& some : trees(values, static_cast<int>(shape_.local))) {
    open_trees(some, shape.self, shape.apart, shape.count / 2, 1);
    if (place != "lane") out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    for (std::size_t k = 0; k < some.size(); ++k) out_.line("{} = tree{}[{}];", {some[k].variable, k, place});
    out_.close();
  }
}

/// How many parts a section has of its results, of so many groups: a team has one of each column.
FUSECL_INLINE std::string tile_emitter::parts_of(const schedule::section& own, const char* groups) const {
  return own.axis == axis::all || v_.tile.team == 1 ? groups : fill("{} / {}", {groups, v_.tile.team});
}

/// A group finishes some results of one section; the last one of the main kernel those of all.
FUSECL_INLINE void tile_emitter::finish_gpu(bool last_group) {
  const int local = static_cast<int>(shape_.local);
  if (!last_group) {
    begin_finish();
    out_.line("const uint lane = get_local_id(0);");
    out_.line("local long together[{}];", {trees_at_once(local) * local});
  }
  for (std::size_t e = 0; e < s_.sections.size(); ++e) {
    const schedule::section& own = s_.sections[e];
    const int across = own.axis == axis::all ? 1 : int{v_.tile.finished}, rounds = local / across;
    add_section_sizes(e);
    const std::string before = e ? fill("groups{}", {e - 1}) : "0";
    // every group passes all barriers; those of other sections have nothing to add
    if (last_group)
      out_.open("for (long group = {}; group < groups{}; ++group)", {before, e});
    else
      out_.open();
    out_.line("const uint down = lane / {};", {across});
    out_.line("const long i = (group - {}) * {} + lane % {};", {before, across, across});
    if (last_group)
      out_.line("const bool taken = i < results{};", {e});
    else
      out_.line("const bool taken = group >= {} && group < groups{} && i < results{};", {before, e, e});
    begin_section(own);
    out_.open("if (taken)");
    out_.raw(last_group ? "#pragma unroll 8\n" : "#pragma unroll 4\n");
    out_.open("for (long part = down; part < {}; part += {})",
              {parts_of(own, last_group ? "get_num_groups(0)" : "parts"), rounds});
    add_section(own, fill("i + part * results{}", {e}));
    out_.close();
    out_.close();
    list_of<tree_value> sums, needed;
    for (node_id id : own.reductions) sums.push_back({id, fill("r{}", {number_of_reduction(id)})});
    // what is small is shared out among all that added to it
    const std::string place = own.small.empty() ? "lane" : fill("lane % {}", {across});
    if (rounds > 1) combine_over_group(sums, {"down", across, rounds}, place);
    add_needed(own, "lane", local);
    for (const schedule::small_sums& each : own.needed)
      for (node_id id : each.reductions) needed.push_back({id, fill("q{}", {id})});
    combine_over_group(needed, {"lane", 1, local}, "0");
    out_.open("if (taken && down == 0)");
    finish_section(own);
    out_.close();
    if (!own.small.empty()) {
      out_.open("if (taken)");
      finish_small_results(own, "down", rounds);
      out_.close();
    }
    out_.close();
  }
}

/// One work-item goes through the results of a section: all of them, or a tile of them.
FUSECL_INLINE void tile_emitter::finish_cpu(bool last_group) {
  if (!last_group) begin_finish();
  const std::int64_t tile = schedule::cpu_finish_tile;
  for (std::size_t e = 0; e < s_.sections.size(); ++e) {
    const schedule::section& own = s_.sections[e];
    std::string results = own.axis == axis::all ? "1" : columns_name(own.cols);
    if (last_group) {
      out_.open("for (long i = 0; i < {}; ++i)", {results});
    } else {
      results = fill("results{}", {e});
      add_section_sizes(e);
      out_.open("{}if (group < groups{})", {e ? "else " : "", e});
      const std::string first = e ? fill("(group - groups{})", {e - 1}) : "group";
      out_.line("const long begin = {} * {}, end = min(begin + {}, {});", {first, tile, tile, results});
      out_.open("for (long i = begin; i < end; ++i)");
    }
    begin_section(own);
    out_.open("for (long part = 0; part < {}; ++part)", {last_group ? "get_num_groups(0)" : "parts"});
    add_section(own, fill("i + part * {}", {results}));
    out_.close();
    add_needed(own, "0", 1);
    finish_section(own);
    finish_small_results(own, "0", 1);
    out_.close();
    if (!last_group) out_.close();
  }
}

}  // namespace fusecl::codegen::detail
