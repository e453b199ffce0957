#pragma once
// Row tiles on a GPU: the tile is in registers. Work-item (row_lane, slot) has one vector of rows and every
// `slots`-th column; what it reduces along its rows is exchanged with the other slots once a level.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Groups of work-items that bring one value each to an exchange: warps, or slots.
FUSECL_INLINE int tile_emitter::slot_groups() const {
  return shuffles_rows() ? v_.tile.lanes * v_.tile.slots / 32 : v_.tile.slots;
}

FUSECL_INLINE std::string tile_emitter::load_register(const void*, const std::string& name, scalar_type,
                                                      bool rows, bool cols) {
  return fill(rows && cols ? "{}_r[c]" : rows ? "{}_row" : cols ? "{}[j]" : "{}[0]", {name});
}

/// A loop over the registers that hold the columns of a work-item.
FUSECL_INLINE void tile_emitter::open_columns(int count, const char* unrolling) {
  out_.raw(unrolling);
  out_.open("for (int c = 0; c < {}; ++c)", {count});
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
    out_.line("const uint j = slot + c * {};", {v_.tile.slots});
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
  constexpr std::int64_t most_bytes = 16384;
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
    for (node_id id : shared) out_.line("local {} b{}[{}];", {{g_[id].type, 1}, id, room});
    out_.open("for (uint j = lane; j < {}; j += {})", {columns_name(cols), shape_.local});
    value_emitter own = values;
    access how = tile_access(1, "(int)j");
    how.row = "0";
    own.begin(how);
    for (node_id id : shared) out_.line("b{}[j] = {};", {id, own.value(out_, id)});
    out_.close();
    for (node_id id : shared) values.know(id, fill("b{}[j]", {id}), true);
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
  out_.line("const uint j = slot + c * {};", {v_.tile.slots});
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

/// Completes reductions along the rows: all slots of a row get the same value.
FUSECL_INLINE void tile_emitter::exchange(value_emitter& rows, const phase& p) {
  const int groups = slot_groups();
  for (node_id id : p.along) {
    const node& n = g_[id];
    if (p.cols == ir::one) {
      out_.line("const {} r{} = {};", {{n.type, v_.width}, id, rows.value(out_, n.operands[0])});
      continue;
    }
    if (v_.tile.slots > 1 && shuffles_rows()) exchange_in_warp(n, fill("w{}", {id}));
    if (groups > 1 && shuffles_rows())
      out_.line("if ((lane & 31) < {}) e{}[side][lane / 32][row_lane] = w{};", {v_.tile.lanes, id, id});
    else if (groups > 1)
      out_.line("e{}[side][slot][row_lane] = w{};", {id, id});
  }
  if (groups > 1 && p.cols != ir::one && !p.along.empty()) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (node_id id : p.along) {
    const node& n = g_[id];
    const std::string all = fill("r{}", {id});
    if (p.cols != ir::one && groups > 1) {
      out_.line("{} {} = e{}[side][0][row_lane];", {{n.type, v_.width}, all, id});
      out_.raw("#pragma unroll\n");
      out_.line("for (int w = 1; w < {}; ++w) {} = {};",
                {groups, all, combined(n, all, fill("e{}[side][w][row_lane]", {id}), v_.width)});
    } else if (p.cols != ir::one) {
      out_.line("const {} {} = w{};", {{n.type, v_.width}, all, id});
    }
    rows.know(id, all, false);
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

FUSECL_INLINE void tile_emitter::store_and_add(const phase& p, const phase_values& v) {
  for (std::size_t k = 0; k < v.stored.size(); ++k)
    out_.line(p.cols == ir::one ? "{}[i] = {};" : "{}[i + j * rows] = {};",
              {buffer_name(p.stores[k].to), v.stored[k]});
  for (std::size_t k = 0; k < v.along.size(); ++k)
    add_to(fill("w{}", {p.along[k]}), g_[p.along[k]], v.along[k], v_.width);
  for (std::size_t k = 0; k < v.across.size(); ++k) {
    const node& n = g_[p.across[k]];
    const std::size_t number = number_of_reduction(p.across[k]);
    std::string value = v.across[k];
    if (v_.width > 1) {
      out_.line("const {} f{} = {};", {{n.type, v_.width}, number, value});
      value = folded(n, fill("f{}", {number}), v_.width);
    }
    add_to(fill(is_column_sum(p.across[k]) ? "a{}[c]" : "a{}", {number}), n, value, 1);
  }
}

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
    out_.line("const uint j = slot + c * {};", {slots});
    out_.line("if (row_lane == 0 && j < {}) p{}[j + get_group_id(0) * {}] = {};", {cols, k, cols, sum});
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
    out_.line("const uint j = t % {} + ({} + t / {}) * {};", {slots, first, slots, slots});
    out_.line("{} v = {}[t * {}];", {{n.type, 1}, place, values});
    out_.line("for (uint w = 1; w < {}; ++w) v = {};",
              {values, combined(n, "v", fill("{}[t * {} + w]", {place, values}), 1)});
    out_.line("if (j < {}) p{}[j + get_group_id(0) * {}] = v;", {cols, k, cols});
    out_.close();
  }
}

/// Adds what all work-items have summed and leaves it as this group's part.
FUSECL_INLINE void tile_emitter::leave_full_sum(std::size_t k) {
  const node& n = g_[s_.reductions[k]];
  const std::string sum = fill("a{}", {k}), place = fill("((local {}*)together)", {{n.type, 1}});
  const int local = static_cast<int>(shape_.local), apart = combine_in_warp(n, sum, local);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("{}[lane] = {};", {place, sum});
  for (int stride = local / 2; stride >= apart; stride /= 2) add_at_stride("lane", place, n, stride, stride);
  out_.line("if (lane == 0) p{}[get_group_id(0)] = {}[0];", {k, place});
}

/// A round of a tree: the first `count` work-items, by their number `self`, add what lies `stride` further
/// on.
FUSECL_INLINE void tile_emitter::add_at_stride(const char* self, const std::string& place, const node& n,
                                               int count, int stride) {
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  const std::string own = fill("{}[lane]", {place});
  out_.line("if ({} < {}) {} = {};",
            {self, count, own, combined(n, own, fill("{}[lane + {}]", {place, stride}), 1)});
}

FUSECL_INLINE void tile_emitter::leave_sums() {
  if (s_.reductions.empty()) return;
  out_.line("// sums over the rows of all tiles of this group");
  out_.line("local long together[{}];", {together_elements});
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (is_column_sum(s_.reductions[k]))
      leave_column_sums(k);
    else
      leave_full_sum(k);
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
    const int count = columns_of(cols_of(id));
    out_.line("{} a{}[{}];", {{g_[id].type, 1}, k, count});
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = 0; c < {}; ++c) a{}[c] = {};", {count, k, start});
  }
}

FUSECL_INLINE void tile_emitter::walk_gpu() {
  const int lanes = v_.tile.lanes, groups = slot_groups();
  add_size("rows");
  add_size("tiles");
  add_extent_arguments();
  bool exchanges = false;
  for (const phase& p : s_.phases)
    for (node_id id : p.along)
      if (groups > 1 && p.cols != ir::one) {
        exchanges = true;
        out_.line("local {} e{}[2][{}][{}];", {{g_[id].type, v_.width}, id, groups, lanes});
      }
  out_.line("const uint lane = get_local_id(0), row_lane = lane % {}, slot = lane / {};", {lanes, lanes});
  value_emitter values = domain_emitter();
  values.uniforms(out_);
  share_columns(values);
  declare_sums();
  const bool own_turn =
      v_.tile.slots > 1 && std::any_of(s_.phases.begin(), s_.phases.end(), [](const phase& p) {
        return p.cols == ir::one && !(p.across.empty() && p.stores.empty());
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
  out_.line("const long i = min(tile * {} + row_lane, rows - 1);", {lanes});
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
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols == ir::one) go_down(values, p);
    for (const phase& p : s_.phases)
      if (p.level == level) exchange(values, p);
  }
  refill_rows();
  if (own_turn) out_.line("turn = turn + 1 == {} ? 0 : turn + 1;", {groups});
  if (exchanges) out_.line("side ^= 1;");
  out_.close();
  leave_sums();
}

}  // namespace fusecl::codegen::detail
