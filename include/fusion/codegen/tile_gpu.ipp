#pragma once
// Row tiles on a GPU: the tile is in registers. Work-item (row_lane, slot) has one vector of rows and every
// `slots`-th column; what it reduces along its rows is exchanged with the other slots once a level.

#include <algorithm>

#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Groups of work-items that bring one value each to an exchange: warps, or slots.
FUSECL_INLINE int tile_emitter::slot_groups() const {
  return shuffles_rows() ? v_.tile.lanes * v_.tile.slots / 32 : v_.tile.slots;
}

FUSECL_INLINE std::string tile_emitter::load_register(const void*, const std::string& name, scalar_type,
                                                      bool rows, bool cols) {
  return rows && cols ? name + "_r[c]" : rows ? name + "_row" : cols ? name + "[j]" : name + "[0]";
}

/// Registers of the operands: "double2 x0_r[13], x1_row;".
FUSECL_INLINE void tile_emitter::declare_tile(const std::string& suffix) {
  for (const tile_operand& o : operands_) {
    const std::string type = vector_type(o.type, v_.width);
    if (o.cols == ir::one)
      out_.line(type + " " + o.name + suffix + "_row;");
    else
      out_.line(type + " " + o.name + suffix + "_r[" + std::to_string(columns_of(o.cols)) + "];");
  }
}

/// Loads the rows `i` of all operands.
FUSECL_INLINE void tile_emitter::load_tile(const std::string& suffix) {
  for (const tile_operand& o : operands_)
    if (o.cols == ir::one) out_.line(o.name + suffix + "_row = " + o.name + "[i];");
  for (ir::extent cols : extents_) {
    const auto reads = [&](const tile_operand& o) { return o.cols == cols; };
    if (std::none_of(operands_.begin(), operands_.end(), reads)) continue;
    const std::string count = std::to_string(columns_of(cols));
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < " + count + "; ++c)");
    out_.line("const uint j = slot + c * " + std::to_string(v_.tile.slots) + ";");
    out_.open("if (c + 1 < " + count + " || j < " + columns_name(cols) + ")");
    for (const tile_operand& o : operands_)
      if (reads(o)) out_.line(o.name + suffix + "_r[c] = " + o.name + "[i + j * rows];");
    out_.close();
    out_.close();
  }
}

/// Values of the columns that every tile needs are computed once and kept in local memory.
FUSECL_INLINE void tile_emitter::share_columns(value_emitter& values) {
  constexpr std::int64_t most_bytes = 16384;
  std::int64_t bytes = 0;
  bool any = false;
  for (ir::extent cols : extents_) {
    std::vector<node_id> shared;
    for (const phase& p : s_.phases)
      if (p.cols == cols)
        for (node_id id : repeated(p, false))
          if (g_[id].type != scalar_type::boolean &&
              std::find(shared.begin(), shared.end(), id) == shared.end())
            shared.push_back(id);
    const std::int64_t room = std::int64_t{columns_of(cols)} * v_.tile.slots;
    std::erase_if(shared, [&](node_id id) {
      const std::int64_t own = room * static_cast<std::int64_t>(size_of(g_[id].type));
      if (bytes + own > most_bytes) return true;
      bytes += own;
      return false;
    });
    if (shared.empty()) continue;
    any = true;
    for (node_id id : shared)
      out_.line("local " + vector_type(g_[id].type, 1) + " b" + std::to_string(id) + "[" +
                std::to_string(room) + "];");
    out_.open("for (uint j = lane; j < " + columns_name(cols) + "; j += " + std::to_string(shape_.local) +
              ")");
    value_emitter own = values;
    access how;
    how.self = this;
    how.load = load_register;
    how.row = "0";
    how.col = "(int)j";
    set_lanes(how);
    own.begin(how);
    for (node_id id : shared) out_.line("b" + std::to_string(id) + "[j] = " + own.value(out_, id) + ";");
    out_.close();
    for (node_id id : shared)
      values.known[static_cast<std::size_t>(id)] = {"b" + std::to_string(id) + "[j]", 16, true};
  }
  if (any) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
}

/// A function that gives each work-item of a warp the value of another one.
FUSECL_INLINE void tile_emitter::define_exchange(const node& n, int lanes) {
  const std::string type = vector_type(n.type, lanes), name = "from_lane_" + type;
  if (helpers_.find(name + "(") != std::string::npos) return;
  const int words = static_cast<int>(size_of(n.type)) * lanes / 4;
  const std::string bits = words == 1 ? "uint" : "uint" + std::to_string(words);
  helpers_ +=
      "// the value of the work-item of the warp whose number differs in the bits of `distance`\n"
      "static inline __attribute__((always_inline)) " +
      type + " " + name + "(" + type + " value, uint distance) {\n  " + bits + " words = as_" + bits +
      "(value);\n  uint word;\n";
  for (int k = 0; k < words; ++k) {
    const std::string part = words == 1 ? "words" : std::string("words.s") + "0123456789abcdef"[k];
    helpers_ += "  asm volatile(\"shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;\" : \"=r\"(word) : \"r\"(" +
                part + "), \"r\"(distance));\n  " + part + " = word;\n";
  }
  helpers_ += "  return as_" + type + "(words);\n}\n\n";
}

/// One pass over the columns of the tile.
FUSECL_INLINE void tile_emitter::go_through(value_emitter& rows, const phase& p) {
  for (node_id id : repeated(p, true)) rows.pin(out_, id);
  std::vector<node_id> keeps;
  const ir::node_map<char> within =
      ir::reachable(g_, p.values(g_), [&](node_id id) { return is_given(id, false) || is_kept(id); });
  for (node_id id : s_.kept)
    if (within[id] && !is_kept(id)) keeps.push_back(id);
  const std::string count = std::to_string(columns_of(p.cols));
  for (node_id id : keeps)
    out_.line(vector_type(g_[id].type, v_.width) + " k" + std::to_string(id) + "[" + count + "];");
  for (node_id id : p.along)
    out_.line(vector_type(g_[id].type, v_.width) + " w" + std::to_string(id) + " = " +
              neutral(g_[id], v_.width) + ";");
  out_.open("if (inside)");
  out_.raw("#pragma unroll\n");
  out_.open("for (int c = 0; c < " + count + "; ++c)");
  out_.line("const uint j = slot + c * " + std::to_string(v_.tile.slots) + ";");
  out_.open("if (c + 1 < " + count + " || j < " + columns_name(p.cols) + ")");
  value_emitter values = rows;
  access how;
  how.lanes = v_.width;
  how.self = this;
  how.load = load_register;
  how.row = row_number(v_.width);
  how.col = "(int)j";
  set_lanes(how);
  values.enter(how);
  for (node_id id : keeps) {
    const std::string name = "k" + std::to_string(id) + "[c]";
    out_.line(name + " = " + values.value(out_, id) + ";");
    values.known[static_cast<std::size_t>(id)] = {name, 16, false};
  }
  std::vector<std::string> stored, along, across;
  for (const schedule::store& r : p.stores) stored.push_back(values.stored(out_, r.value));
  for (node_id id : p.along) along.push_back(values.value(out_, g_[id].operands[0]));
  for (node_id id : p.across) across.push_back(values.value(out_, g_[id].operands[0]));
  for (std::size_t k = 0; k < stored.size(); ++k)
    out_.line(buffer_name(p.stores[k].to) + "[i + j * rows] = " + stored[k] + ";");
  for (std::size_t k = 0; k < along.size(); ++k) {
    const std::string name = "w" + std::to_string(p.along[k]);
    out_.line(name + " = " + combined(g_[p.along[k]], name, along[k], v_.width) + ";");
  }
  for (std::size_t k = 0; k < across.size(); ++k) {
    const node& n = g_[p.across[k]];
    const std::string number = std::to_string(number_of_reduction(p.across[k]));
    const std::string sum = "a" + number + (n.axis() == axis::column ? "[c]" : "");
    std::string value = across[k];
    if (v_.width > 1) {
      out_.line("const " + vector_type(n.type, v_.width) + " f" + number + " = " + value + ";");
      value = folded(n, "f" + number, v_.width);
    }
    out_.line(sum + " = " + combined(n, sum, value, 1) + ";");
  }
  out_.close();
  out_.close();
  out_.close();
  for (node_id id : keeps) {
    kept_so_far_.push_back(id);
    rows.known[static_cast<std::size_t>(id)] = {"k" + std::to_string(id) + "[c]", 16, false};
  }
}

/// Completes reductions along the rows: all slots of a row get the same value.
FUSECL_INLINE void tile_emitter::exchange(value_emitter& rows, const phase& p) {
  const int groups = slot_groups();
  for (node_id id : p.along) {
    const node& n = g_[id];
    const std::string number = std::to_string(id), own = "w" + number, all = "r" + number;
    if (p.cols == ir::one) {
      out_.line("const " + vector_type(n.type, v_.width) + " " + all + " = " +
                rows.value(out_, n.operands[0]) + ";");
    } else if (v_.tile.slots > 1) {
      if (shuffles_rows()) {
        define_exchange(n, v_.width);
        for (int distance = v_.tile.lanes; distance < 32; distance *= 2)
          out_.line(own + " = " +
                    combined(n, own,
                             "from_lane_" + vector_type(n.type, v_.width) + "(" + own + ", " +
                                 std::to_string(distance) + ")",
                             v_.width) +
                    ";");
      }
      if (groups > 1)
        out_.line((shuffles_rows() ? "if ((lane & 31) < " + std::to_string(v_.tile.lanes) + ") " : "") + "e" +
                  number + "[side][" + (shuffles_rows() ? "lane / 32" : "slot") + "][row_lane] = " + own +
                  ";");
    }
  }
  if (groups > 1 && p.cols != ir::one && !p.along.empty()) out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  for (node_id id : p.along) {
    const node& n = g_[id];
    const std::string number = std::to_string(id), all = "r" + number;
    if (p.cols != ir::one) {
      if (groups > 1) {
        const std::string from = "e" + number + "[side][w][row_lane]";
        out_.line(vector_type(n.type, v_.width) + " " + all + " = e" + number + "[side][0][row_lane];");
        out_.raw("#pragma unroll\n");
        out_.line("for (int w = 1; w < " + std::to_string(groups) + "; ++w) " + all + " = " +
                  combined(n, all, from, v_.width) + ";");
      } else {
        out_.line("const " + vector_type(n.type, v_.width) + " " + all + " = w" + number + ";");
      }
    }
    rows.known[static_cast<std::size_t>(id)] = {all, 16, false};
  }
}

/// What concerns rows alone is done by one slot, another one for every tile.
FUSECL_INLINE void tile_emitter::go_down(value_emitter& rows, const phase& p) {
  if (p.across.empty() && p.stores.empty()) return;
  out_.open(v_.tile.slots > 1 ? "if (inside && mine)" : "if (inside)");
  value_emitter values = rows;
  std::vector<std::string> stored, across;
  for (const schedule::store& r : p.stores) stored.push_back(values.stored(out_, r.value));
  for (node_id id : p.across) across.push_back(values.value(out_, g_[id].operands[0]));
  for (std::size_t k = 0; k < stored.size(); ++k)
    out_.line(buffer_name(p.stores[k].to) + "[i] = " + stored[k] + ";");
  for (std::size_t k = 0; k < across.size(); ++k) {
    const node& n = g_[p.across[k]];
    const std::string number = std::to_string(number_of_reduction(p.across[k])), sum = "a" + number;
    std::string value = across[k];
    if (v_.width > 1) {
      out_.line("const " + vector_type(n.type, v_.width) + " f" + number + " = " + value + ";");
      value = folded(n, "f" + number, v_.width);
    }
    out_.line(sum + " = " + combined(n, sum, value, 1) + ";");
  }
  out_.close();
}

/// Exchanges among `count` neighbours of a warp, which all end with the combination of their values in
/// `name`. Returns how many neighbours share a value then.
FUSECL_INLINE int tile_emitter::combine_in_warp(const node& n, const std::string& name, int count) {
  if (!shuffles_) return 1;
  define_exchange(n, 1);
  int apart = 1;
  for (; apart < std::min(count, 32); apart *= 2)
    out_.line(
        name + " = " +
        combined(n, name,
                 "from_lane_" + vector_type(n.type, 1) + "(" + name + ", " + std::to_string(apart) + ")", 1) +
        ";");
  return apart;
}

/// Adds the columns' sums of the work-items that share a column, as many columns at a time as local memory
/// has room for, and leaves them as this group's part.
FUSECL_INLINE void tile_emitter::leave_column_sums(std::size_t k) {
  const node& n = g_[s_.reductions[k]];
  const ir::extent cols = cols_of(s_.reductions[k]);
  const std::string number = std::to_string(k), type = vector_type(n.type, 1), sum = "a" + number + "[c]";
  const int count = columns_of(cols), slots = v_.tile.slots;
  const std::string part = "p" + number + "[j + get_group_id(0) * " + columns_name(cols) + "] = ";
  int apart = 1;
  if (shuffles_) {
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < " + std::to_string(count) + "; ++c)");
    apart = combine_in_warp(n, sum, v_.tile.lanes);
    out_.close();
  }
  const int values = v_.tile.lanes / apart;  // of a column, one by each group of `apart` work-items
  if (values == 1) {
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < " + std::to_string(count) + "; ++c)");
    out_.line("const uint j = slot + c * " + std::to_string(slots) + ";");
    out_.line("if (row_lane == 0 && j < " + columns_name(cols) + ") " + part + sum + ";");
    out_.close();
    return;
  }
  const std::string place = "((local " + type + "*)together)";
  const int chunk = std::max(1, together_elements / (values * slots));
  for (int first = 0; first < count; first += chunk) {
    const int here = std::min(chunk, count - first);
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = " + std::to_string(first) + "; c < " + std::to_string(first + here) + "; ++c)");
    out_.line("  " + std::string(apart > 1 ? "if (row_lane % " + std::to_string(apart) + " == 0) " : "") +
              place + "[((c - " + std::to_string(first) + ") * " + std::to_string(slots) + " + slot) * " +
              std::to_string(values) + " + row_lane / " + std::to_string(apart) + "] = " + sum + ";");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open("for (uint t = lane; t < " + std::to_string(here * slots) +
              "; t += " + std::to_string(shape_.local) + ")");
    out_.line("const uint j = t % " + std::to_string(slots) + " + (" + std::to_string(first) + " + t / " +
              std::to_string(slots) + ") * " + std::to_string(slots) + ";");
    out_.line(type + " v = " + place + "[t * " + std::to_string(values) + "];");
    out_.line("for (uint w = 1; w < " + std::to_string(values) +
              "; ++w) v = " + combined(n, "v", place + "[t * " + std::to_string(values) + " + w]", 1) + ";");
    out_.line("if (j < " + columns_name(cols) + ") " + part + "v;");
    out_.close();
  }
}

/// Adds what all work-items have summed and leaves it as this group's part.
FUSECL_INLINE void tile_emitter::leave_full_sum(std::size_t k) {
  const node& n = g_[s_.reductions[k]];
  const std::string number = std::to_string(k), sum = "a" + number;
  const std::string place = "((local " + vector_type(n.type, 1) + "*)together)";
  const int local = static_cast<int>(shape_.local), apart = combine_in_warp(n, sum, local);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line(place + "[lane] = " + sum + ";");
  for (int stride = local / 2; stride >= apart; stride /= 2) {
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.line("if (lane < " + std::to_string(stride) + ") " + place + "[lane] = " +
              combined(n, place + "[lane]", place + "[lane + " + std::to_string(stride) + "]", 1) + ";");
  }
  out_.line("if (lane == 0) p" + number + "[get_group_id(0)] = " + place + "[0];");
}

FUSECL_INLINE void tile_emitter::leave_sums() {
  if (s_.reductions.empty()) return;
  out_.line("// sums over the rows of all tiles of this group");
  out_.line("local long together[" + std::to_string(together_elements) + "];");
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    if (g_[s_.reductions[k]].axis() == axis::column && cols_of(s_.reductions[k]) != ir::one)
      leave_column_sums(k);
    else
      leave_full_sum(k);
}

FUSECL_INLINE void tile_emitter::walk_gpu() {
  const std::string lanes = std::to_string(v_.tile.lanes);
  add_size_argument(0, "rows");
  add_size_argument(1, "tiles");
  for (std::size_t e = 0; e < extents_.size(); ++e) add_size_argument(2 + e, "cols" + std::to_string(e));
  const int groups = slot_groups();
  bool exchanges = false;
  for (const phase& p : s_.phases)
    for (node_id id : p.along) {
      exchanges = exchanges || (groups > 1 && p.cols != ir::one);
      if (groups > 1 && p.cols != ir::one)
        out_.line("local " + vector_type(g_[id].type, v_.width) + " e" + std::to_string(id) + "[2][" +
                  std::to_string(groups) + "][" + lanes + "];");
    }
  out_.line("const uint lane = get_local_id(0), row_lane = lane % " + lanes + ", slot = lane / " + lanes +
            ";");
  value_emitter values = emitter_of(domain_, false);
  values.uniforms(out_);
  share_columns(values);
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string type = vector_type(n.type, 1), name = "a" + std::to_string(k);
    if (n.axis() != axis::column || cols_of(s_.reductions[k]) == ir::one) {
      out_.line(type + " " + name + " = " + neutral_text(n) + ";");
      continue;
    }
    const std::string count = std::to_string(columns_of(cols_of(s_.reductions[k])));
    out_.line(type + " " + name + "[" + count + "];");
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = 0; c < " + count + "; ++c) " + name + "[c] = " + neutral_text(n) + ";");
  }
  const bool own_turn =
      v_.tile.slots > 1 && std::any_of(s_.phases.begin(), s_.phases.end(), [](const phase& p) {
        return p.cols == ir::one && !(p.across.empty() && p.stores.empty());
      });
  if (own_turn) out_.line("uint turn = 0;");
  if (exchanges) out_.line("uint side = 0;");
  const std::string row = " * " + lanes + " + row_lane";
  if (v_.tile.prefetch) {
    declare_tile("_next");
    out_.open("");
    out_.line("const long i = min((long)get_group_id(0)" + row + ", rows - 1);");
    load_tile("_next");
    out_.close();
  }
  out_.open("for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0))");
  out_.line("const long i = min(tile" + row + ", rows - 1);");
  out_.line("const bool inside = tile" + row + " < rows;");
  if (own_turn)
    out_.line(
        "const bool mine = " +
        (shuffles_rows() ? "lane / 32 == turn && (lane & 31) < " + lanes : std::string("slot == turn")) +
        ";");
  declare_tile("");
  if (v_.tile.prefetch) {
    for (const tile_operand& o : operands_) {
      if (o.cols == ir::one) {
        out_.line(o.name + "_row = " + o.name + "_next_row;");
        continue;
      }
      out_.raw("#pragma unroll\n");
      out_.line("for (int c = 0; c < " + std::to_string(columns_of(o.cols)) + "; ++c) " + o.name +
                "_r[c] = " + o.name + "_next_r[c];");
    }
  } else {
    load_tile("");
  }
  access how;
  how.lanes = v_.width;
  how.self = this;
  how.load = load_register;
  how.row = row_number(v_.width);
  how.col = "0";
  set_lanes(how);
  values.begin(how);
  const int last = last_level();
  for (int level = 0; level <= last; ++level) {
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols != ir::one) go_through(values, p);
    if (level == 0 && v_.tile.prefetch) {
      out_.open("");
      out_.line("const long following = min(tile + (long)get_num_groups(0), tiles - 1);");
      out_.line("const long i = min(following" + row + ", rows - 1);");
      load_tile("_next");
      out_.close();
    }
    for (const phase& p : s_.phases)
      if (p.level == level && p.cols == ir::one) go_down(values, p);
    for (const phase& p : s_.phases)
      if (p.level == level) exchange(values, p);
  }
  if (own_turn) out_.line("turn = turn + 1 == " + std::to_string(groups) + " ? 0 : turn + 1;");
  if (exchanges) out_.line("side ^= 1;");
  out_.close();
  leave_sums();
}

}  // namespace fusecl::codegen::detail
