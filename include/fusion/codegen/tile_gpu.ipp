#pragma once
// Row tiles on a GPU: the tile is in registers. Work-item (row_lane, slot) has one vector of rows and every
// `slots`-th column; what it reduces along its rows is exchanged with the other slots once a level.

#include <algorithm>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE std::string tile_emitter::load_register(const void*, const std::string& name, scalar_type,
                                                      bool rows, bool cols) {
  return fill(rows && cols ? "{}_r[c]" : rows ? "{}_row" : cols ? "{}[j]" : "{}[0]", {name});
}

/// A loop over the registers that hold the columns of a work-item.
FUSECL_INLINE void tile_emitter::open_columns(int count, const char* unrolling) {
  out_.raw(unrolling);
  out_.open("for (int c = 0; c < {}; ++c)", {count});
}

/// Text of the column that a register of a slot has; those of a team's groups alternate.
FUSECL_INLINE std::string tile_emitter::column_at(const std::string& slot,
                                                  const std::string& register_number) const {
  const int slots = v_.tile.slots;
  const std::string before = is_team() ? fill("member * {} + ", {slots}) : std::string();
  return fill("{}{} + {} * {}", {before, slot, register_number, slots * v_.tile.team});
}

/// Registers of the operands: "double2 x0_r[13], x1_row;".
FUSECL_INLINE void tile_emitter::declare_tile(const char* suffix) {
  for (const tile_operand& o : operands_)
    if (o.cols == ir::one)
      out_.line("{} {}{}_row;", {{o.type, v_.width}, o.name, suffix});
    else
      out_.line("{} {}{}_r[{}];", {{o.type, v_.width}, o.name, suffix, columns_of(o.cols)});
}

/// Column `j` of the rows `row` of an operand, which is not read outside of its view.
FUSECL_INLINE std::string tile_emitter::element_of_tile(const tile_operand& o, const char* row) const {
  const std::string element = fill("{}[{} + j * rows]", {o.name, row});
  if (o.view == matrix_cl_view::Entire) return element;
  const bool lower = contains_nonzero(o.view, matrix_cl_view::Lower),
             upper = contains_nonzero(o.view, matrix_cl_view::Upper);
  const std::string last = fill("{} * {} + {} >= j", {row, v_.width, v_.width - 1}),
                    first = fill("{} * {} <= j", {row, v_.width});
  return fill(
      "({}{}{}) ? {} : ({})(0)",
      {upper ? "" : last, upper || lower ? "" : " && ", lower ? "" : first, element, {o.type, v_.width}});
}

/// Loads the rows `row` of all operands.
FUSECL_INLINE void tile_emitter::load_tile(const char* suffix, const char* row) {
  for (const tile_operand& o : operands_)
    if (o.cols == ir::one) out_.line("{}{}_row = {}[{}];", {o.name, suffix, o.name, row});
  for (ir::extent cols : extents_) {
    const auto reads = [&](const tile_operand& o) { return o.cols == cols; };
    if (std::none_of(operands_.begin(), operands_.end(), reads)) continue;
    const int count = columns_of(cols);
    open_columns(count);
    out_.line("const uint j = {};", {column_at("slot", "c")});
    out_.open("if (c + 1 < {} || j < {})", {count, columns_name(cols)});
    for (const tile_operand& o : operands_)
      if (reads(o)) out_.line("{}{}_r[c] = {};", {o.name, suffix, element_of_tile(o, row)});
    out_.close();
    out_.close();
  }
}

/// Whether no later phase goes over the columns of `p` again.
FUSECL_INLINE bool tile_emitter::is_last_over_columns(const phase& p) const {
  return std::none_of(s_.phases.begin(), s_.phases.end(), [&](const phase& other) {
    return other.cols == p.cols && (other.level > p.level || (other.level == p.level && &other > &p));
  });
}

/// Registers whose column is done with take that of the following tile, so that its loads overlap the rest of
/// this one without further registers.
FUSECL_INLINE void tile_emitter::refill_columns(const phase& p) {
  if (v_.tile.fetch != tile_fetch::in_place || !is_last_over_columns(p)) return;
  for (const tile_operand& o : operands_)
    if (o.cols == p.cols) out_.line("{}_r[c] = {};", {o.name, element_of_tile(o, "next")});
}

FUSECL_INLINE void tile_emitter::refill_rows() {
  if (v_.tile.fetch != tile_fetch::in_place) return;
  for (const tile_operand& o : operands_)
    if (o.cols == ir::one) out_.line("{}_row = {}[next];", {o.name, o.name});
}

/// What was loaded ahead becomes the present tile.
FUSECL_INLINE void tile_emitter::take_loaded() {
  for (const tile_operand& o : operands_) {
    if (o.cols == ir::one) {
      out_.line("{}_row = {}_next_row;", {o.name, o.name});
      continue;
    }
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = 0; c < {}; ++c) {}_r[c] = {}_next_r[c];", {columns_of(o.cols), o.name, o.name});
  }
}

/// Values of the columns that every tile needs are computed once and kept in local memory.
FUSECL_INLINE void tile_emitter::share_columns(value_emitter& values) {
  const std::int64_t most_bytes = schedule::shared_column_bytes - table_bytes();
  std::int64_t bytes = 0;
  bool any = false;
  for (ir::extent cols : extents_) {
    list_of<node_id> shared;
    for (const phase& p : s_.phases)
      if (p.cols == cols)
        for (node_id id : repeated(p, false))
          if (g_[id].type != scalar_type::boolean &&
              std::find(shared.begin(), shared.end(), id) == shared.end())
            shared.push_back(id);
    const std::int64_t room = std::int64_t{columns_of(cols)} * v_.tile.slots;
    erase_if(shared, [&](node_id id) {
      const std::int64_t own = room * static_cast<std::int64_t>(size_of(g_[id].type));
      if (bytes + own > most_bytes) return true;
      bytes += own;
      return false;
    });
    if (shared.empty()) continue;
    any = true;
    // values that every work-item needs of one column are side by side, so that it loads pairs of them
    const bool together = v_.tile.has_rows_apart() &&
                          std::all_of(shared.begin(), shared.end(),
                                      [&](node_id id) { return g_[id].type == g_[shared[0]].type; });
    const std::int64_t apart = together ? schedule::round_up(std::ssize(shared), 2) : 1;
    const auto name = [&](std::size_t k) {
      return together ? fill("b{}[j * {} + {}]", {shared[0], apart, k})
                      : fill(is_team() ? "b{}[at]" : "b{}[j]", {shared[k]});
    };
    for (std::size_t k = 0; k < (together ? 1 : shared.size()); ++k)
      out_.line(together ? "local {} b{}[{}] __attribute__((aligned(16)));" : "local {} b{}[{}];",
                {{g_[shared[k]].type, 1}, shared[k], room * apart});
    if (is_team()) {
      out_.open("for (uint at = lane; at < {}; at += {})", {room, shape_.local});
      const int slots = v_.tile.slots;
      const std::string column = column_at(fill("at % {}", {slots}), fill("at / {}", {slots}));
      out_.line("const uint j = min({}, (uint){} - 1);", {column, columns_name(cols)});
    } else {
      out_.open("for (uint j = lane; j < {}; j += {})", {columns_name(cols), shape_.local});
    }
    value_emitter own = values;
    access how = tile_access(1, "(int)j");
    how.row = "0";
    own.begin(how);
    for (std::size_t k = 0; k < shared.size(); ++k)
      out_.line("{} = {};", {name(k), own.value(out_, shared[k])});
    out_.close();
    for (std::size_t k = 0; k < shared.size(); ++k) values.know(shared[k], name(k), true);
  }
  if (any) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
}

/// A function that gives each work-item of a warp the value of another one.
FUSECL_INLINE void tile_emitter::define_exchange(const node& n, int lanes) {
  const std::string type = vector_type(n.type, lanes);
  if (helpers_.find(fill("from_lane_{}(", {type})) != std::string::npos) return;
  const int words = static_cast<int>(size_of(n.type)) * lanes / 4;
  const std::string bits = vector_type(scalar_type::uint32, words);
  helpers_ += fill(
      "// the value of the work-item of the warp whose number differs in the bits of `distance`\n"
      "static inline __attribute__((always_inline)) {} from_lane_{}({} value, uint distance) {\n"
      "  {} words = as_{}(value);\n"
      "  uint word;\n",
      {type, type, type, bits, bits});
  for (int k = 0; k < words; ++k) {
    const std::string part = words == 1 ? "words" : fill("words.s{}", {lane_letter(k)});
    helpers_ += fill(
        "  asm volatile(\"shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;\" : \"=r\"(word) : \"r\"({}), "
        "\"r\"(distance));\n"
        "  {} = word;\n",
        {part, part});
  }
  helpers_ += fill("  return as_{}(words);\n}\n\n", {type});
}

/// The value of `name` in the work-item of the warp at this distance.
FUSECL_INLINE std::string tile_emitter::exchanged(const node& n, int lanes, const std::string& name,
                                                  int distance) {
  return fill("from_lane_{}({}, {})", {{n.type, lanes}, name, distance});
}

/// One pass over the columns of the tile.
FUSECL_INLINE void tile_emitter::go_through(value_emitter& rows, const phase& p) {
  for (node_id id : repeated(p, true)) rows.pin(out_, id);
  list_of<node_id> keeps;
  const ir::node_set within = computed_in(p);
  for (node_id id : s_.kept)
    if (within[id] && !is_kept(id)) keeps.push_back(id);
  const int count = columns_of(p.cols);
  for (node_id id : keeps) out_.line("{} k{}[{}];", {{g_[id].type, v_.width}, id, count});
  for (node_id id : p.along)
    out_.line("{} w{} = {};", {{g_[id].type, v_.width}, id, neutral(g_[id], v_.width)});
  out_.open("if (inside)");
  open_columns(count, unrolled(count));
  out_.line("const uint j = {};", {column_at("slot", "c")});
  out_.open("if (c + 1 < {} || j < {})", {count, columns_name(p.cols)});
  value_emitter values = rows;
  values.enter(tile_access(v_.width, "(int)j"));
  for (node_id id : keeps) {
    const std::string name = fill("k{}[c]", {id});
    out_.line("{} = {};", {name, values.value(out_, id)});
    values.know(id, name, false);
  }
  store_and_add(p, values_of(values, p));
  refill_columns(p);
  out_.close();
  out_.close();
  out_.close();
  for (node_id id : keeps) {
    kept_so_far_.push_back(id);
    rows.know(id, fill("k{}[c]", {id}), false);
  }
}

/// Combines `own` with those of all slots of the row within the warp.
FUSECL_INLINE void tile_emitter::exchange_in_warp(const node& n, const std::string& own) {
  define_exchange(n, v_.width);
  for (int distance = v_.tile.lanes; distance < 32; distance *= 2)
    add_to(own, n, exchanged(n, v_.width, own, distance), v_.width);
}

/// Leaves what this work-item has of a reduction along the rows to those that add all of a row.
FUSECL_INLINE void tile_emitter::leave_part(node_id id, const std::string& parts) {
  const int groups = slot_groups();
  if (v_.tile.slots > 1 && shuffles_rows()) exchange_in_warp(g_[id], fill("w{}", {id}));
  if (groups > 1 && shuffles_rows())
    out_.line("if ((lane & 31) < {}) {}[lane / 32][row_lane] = w{};", {v_.tile.lanes, parts, id});
  else if (groups > 1)
    out_.line("{}[slot][row_lane] = w{};", {parts, id});
}

/// Adds `count` parts of a reduction along the rows: the first one, and that of the number w.
FUSECL_INLINE void tile_emitter::add_parts(node_id id, int lanes, int count, const std::string& first,
                                           const std::string& each) {
  const std::string all = fill("r{}", {id});
  out_.line("{} {} = {};", {{g_[id].type, lanes}, all, first});
  if (count == 1) return;
  out_.raw("#pragma unroll\n");
  out_.line("for (int w = 1; w < {}; ++w) {} = {};", {count, all, combined(g_[id], all, each, lanes)});
}

/// Adds those that the slots, or warps, of a work-item's rows have left.
FUSECL_INLINE void tile_emitter::add_parts(node_id id, const std::string& parts) {
  add_parts(id, v_.width, slot_groups(), parts + "[0][row_lane]", parts + "[w][row_lane]");
}

/// Completes reductions along the rows: all slots of a row get the same value.
FUSECL_INLINE void tile_emitter::exchange(value_emitter& rows, const phase& p) {
  const int groups = slot_groups();
  for (node_id id : p.along)
    if (p.cols == ir::one)
      out_.line("const {} r{} = {};", {{g_[id].type, v_.width}, id, rows.value(out_, g_[id].operands[0])});
    else
      leave_part(id, fill("e{}[side]", {id}));
  if (groups > 1 && p.cols != ir::one && !p.along.empty()) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (node_id id : p.along) {
    if (p.cols != ir::one && groups > 1)
      add_parts(id, fill("e{}[side]", {id}));
    else if (p.cols != ir::one)
      out_.line("const {} r{} = w{};", {{g_[id].type, v_.width}, id, id});
    rows.know(id, fill("r{}", {id}), false);
  }
}

/// What concerns rows alone is done by one slot, another one for every tile.
FUSECL_INLINE void tile_emitter::go_down(value_emitter& rows, const phase& p) {
  if (p.across.empty() && p.stores.empty()) return;
  out_.open(v_.tile.slots > 1 ? "if (inside && mine)" : "if (inside)");
  value_emitter values = rows;
  store_and_add(p, values_of(values, p));
  out_.close();
}

FUSECL_INLINE void tile_emitter::store_and_add(const phase& p, const phase_values& v, const char* sums) {
  for (std::size_t k = 0; k < v.stored.size(); ++k)
    out_.line(p.cols == ir::one ? "{}[i] = {};" : "{}[i + j * rows] = {};",
              {buffer_name(p.stores[k].to), v.stored[k]});
  for (std::size_t k = 0; k < v.along.size(); ++k)
    add_to(fill("w{}", {p.along[k]}), g_[p.along[k]], v.along[k], v_.width);
  for (std::size_t k = 0; k < v.across.size(); ++k)
    if (!v.across[k].empty()) add_across(p.across[k], v.across[k], sums);
}

/// Adds a value to what this work-item has of a reduction across the tiles.
FUSECL_INLINE void tile_emitter::add_across(node_id reduction, std::string value, const char* sum) {
  const node& n = g_[reduction];
  const std::size_t number = number_of_reduction(reduction);
  if (v_.width > 1) {
    out_.line("const {} f{} = {};", {{n.type, v_.width}, number, value});
    value = folded(n, fill("f{}", {number}), v_.width);
  }
  add_to(fill(is_column_sum(reduction) ? "{}{}[c]" : "{}{}", {sum, number}), n, value, 1);
}

FUSECL_INLINE void tile_emitter::walk_gpu() {
  const int lanes = v_.tile.lanes, groups = slot_groups();
  add_size("rows");
  add_size("tiles");
  add_extent_arguments();
  const bool chains = !chains_.empty();
  bool exchanges = false;
  find_alone();
  find_likeness();
  declare_chains();
  for (const phase& p : s_.phases)
    for (node_id id : p.along)
      if (groups > 1 && p.cols != ir::one && !chains) {
        exchanges = true;
        out_.line("local {} e{}[2][{}][{}];", {{g_[id].type, v_.width}, id, groups, lanes});
      }
  out_.line("const uint lane = get_local_id(0), row_lane = lane % {}, slot = lane / {};", {lanes, lanes});
  value_emitter values = domain_emitter();
  values.uniforms(out_);
  share_columns(values);
  declare_sums();
  begin_chains(values);
  fill_tables(values);
  if (v_.tile.slots > 1) add_alone(values);
  // what concerns rows alone, unless chains have it
  const auto goes_down = [&](const phase& p) { return !chains || (p.level == 0 && !v_.tile.shares_rows); };
  const bool own_turn =
      v_.tile.slots > 1 && std::any_of(s_.phases.begin(), s_.phases.end(), [&](const phase& p) {
        return p.cols == ir::one && !(p.across.empty() && p.stores.empty()) && goes_down(p);
      });
  if (own_turn) out_.line("uint turn = 0;");
  if (exchanges) out_.line("uint side = 0;");
  const bool at_start = v_.tile.fetch == tile_fetch::at_start, ahead = v_.tile.fetch == tile_fetch::ahead;
  if (!at_start) {
    declare_tile(ahead ? "_next" : "");
    out_.line("const long first = min((long)get_group_id(0) * {} + row_lane, rows - 1);", {lanes});
    load_tile(ahead ? "_next" : "", "first");
  }
  out_.open("for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0))");
  const writer before = std::exchange(out_, out_.apart());
  out_.line("const bool inside = tile * {} + row_lane < rows;", {lanes});
  if (!at_start) {
    out_.line("const long following = min(tile + (long)get_num_groups(0), tiles - 1);");
    out_.line("const long next = min(following * {} + row_lane, rows - 1);", {lanes});
  }
  if (own_turn && shuffles_rows())
    out_.line("const bool mine = lane / 32 == turn && (lane & 31) < {};", {lanes});
  else if (own_turn)
    out_.line("const bool mine = slot == turn;");
  if (at_start || ahead) declare_tile("");
  if (ahead) take_loaded();
  if (at_start) load_tile("", "i");
  values.begin(tile_access(v_.width, "0"));
  const int last = last_level();
  for (int level = 0; level <= last; ++level) {
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols != ir::one) go_through(values, p);
    if (level == 0 && ahead) load_tile("_next", "next");
    if (level == 0 && v_.tile.slots == 1) add_from_tables(values);
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols == ir::one && goes_down(p)) go_down(values, p);
    for (const phase& p : s_.phases)
      if (p.level == level && !chains) exchange(values, p);
    if (level == 0 && chains) exchange_chains(values);
  }
  refill_rows();
  if (own_turn) out_.line("turn = turn + 1 == {} ? 0 : turn + 1;", {groups});
  if (exchanges) out_.line("side ^= 1;");
  const writer body = std::exchange(out_, before);
  if (mentions(body.text(), "i")) out_.line("const long i = min(tile * {} + row_lane, rows - 1);", {lanes});
  out_.raw(body.text());
  out_.close();
  leave_chain_sums();
  finish_sums();
}

}  // namespace fusecl::codegen::detail
