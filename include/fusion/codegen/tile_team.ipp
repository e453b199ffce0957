#pragma once
// Row tiles of a GPU whose columns are those of several groups, a team, which exchange what they reduce along
// the rows through memory, as work-items of a group do through local memory.
//
// A group takes its number from a counter when it starts, so that the groups of a team start one after the
// other, and a team waits for nobody else. Each half of an element is left beside the number of the exchange,
// its tag, in 64 bits, which a device reads and writes as one: who finds the tag has the half, without a
// fence. A tile is added up along its rows while the one before is completed, and the one after it is copied
// to local memory: what the others have left is asked for before these copies, behind which it would wait,
// and has had the time of a tile to get there. An element has four places in turn: who leaves one for tile t
// has what all have left for tile t - 2, and nobody leaves that before it has read what is left for tile t
// - 4.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Tags after which all places are set to zero, and tags begin anew.
inline constexpr const char* last_tag = "0xC0000000u";

FUSECL_INLINE std::string tile_emitter::load_copied(const void*, const std::string& name, scalar_type,
                                                    bool rows, bool cols) {
  return fill(rows && cols ? "{}_copies[stage][c][lane]" : rows ? "{}[i]" : cols ? "{}[j]" : "{}[0]", {name});
}

/// The columns that are completed are in registers; what rows have besides is read where it is.
FUSECL_INLINE std::string tile_emitter::load_kept(const void*, const std::string& name, scalar_type,
                                                  bool rows, bool cols) {
  return fill(rows && cols ? "{}_r[c]" : rows ? "{}[i]" : cols ? "{}[j]" : "{}[0]", {name});
}

/// An element of the row that a work-item completes, which it has asked for before.
FUSECL_INLINE std::string tile_emitter::load_of_completed(const void*, const std::string& name, scalar_type,
                                                          bool rows, bool) {
  return fill(rows ? "{}_own" : "{}[0]", {name});
}

/// Takes the number of the group, and begins where tags of the launch before have ended.
FUSECL_INLINE void tile_emitter::begin_team() {
  const int team = v_.tile.team;
  add_size("tags");
  out_.line("local uint taken[2];");
  out_.open("if (lane == 0)");
  out_.line("taken[0] = atomic_inc(exchanged);");
  out_.line("taken[1] = exchanged[2];");
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("const uint team = taken[0] / {}, member = taken[0] % {}, teams = get_num_groups(0) / {};",
            {team, team, team});
  out_.line("volatile global ulong2* const elements = (volatile global ulong2*)(exchanged + {});",
            {schedule::head_of_exchanged});
}

/// The group that ends last puts the counters back, and tells the next launch which tags were used.
FUSECL_INLINE void tile_emitter::end_team() {
  out_.open("if (lane == 0 && atomic_inc(exchanged + 1) + 1 == get_num_groups(0))");
  out_.line("exchanged[0] = exchanged[1] = 0;");
  out_.line("exchanged[2] = taken[1] + (uint)tags;");
  out_.open("if (exchanged[2] > {})", {last_tag});
  out_.line("for (uint at = 0; at < {}; ++at) elements[at] = (ulong2)(0);", {schedule::most_exchanged});
  out_.line("exchanged[2] = 0;");
  out_.close();
  out_.close();
}

/// What is done for each column `j` of a work-item, in the register `c`; it is the column `at` of its group.
template <class Body>
void tile_emitter::each_column(ir::extent cols, const Body& body) {
  const int count = columns_of(cols);
  open_columns(count);
  out_.line("const uint j = {};", {column_at("slot", "c")});
  // only the last register may lie beyond the columns
  out_.open("if (c + 1 < {} || j < {})", {count, columns_name(cols)});
  after_what_it_mentions({"at"}, fill("const uint at = slot + c * {};", {v_.tile.slots}), body);
  out_.close();
  out_.close();
}

FUSECL_INLINE void tile_emitter::declare_team() {
  for (const tile_operand& o : operands_) {
    const std::string type = vector_type(o.type, v_.width);
    if (o.cols == ir::one) continue;
    const int bytes = static_cast<int>(size_of(o.type)) * v_.width;
    if (shuffles_ && helpers_.find(fill("copy_{}(", {type})) == std::string::npos)
      define_copy(fill("copy_{}", {type}), type, bytes);
    out_.line("local {} {}_copies[2][{}][{}];", {type, o.name, columns_of(o.cols), shape_.local});
    out_.line("{} {}_r[{}];", {type, o.name, columns_of(o.cols)});
    out_.raw("#pragma unroll\n");
    out_.line("for (int c = 0; c < {}; ++c) {}_r[c] = 0;", {columns_of(o.cols), o.name});
  }
  if (shuffles_) define_instruction("wait_for_copies()", "\"cp.async.wait_all;\" ::: \"memory\"");
  for (node_id id : joined_.along) {
    out_.line("local {} e{}[{}][{}];", {{g_[id].type, v_.width}, id, slot_groups(), v_.tile.lanes});
    out_.line("local {} m{}[{}][{}];", {{g_[id].type, 1}, id, int{v_.tile.team}, rows_of_tile()});
  }
  for (std::size_t k = 0; k < joined_.given.size(); ++k)
    out_.line("local {} d{}[{}];", {{g_[joined_.given[k]].type, v_.width}, k, v_.tile.lanes});
}

/// Copies the columns of the rows `row` to a stage of local memory, where each work-item has what it reads
/// itself.
FUSECL_INLINE void tile_emitter::copy_rows(const char* stage, const char* row) {
  for (ir::extent cols : extents_)
    each_column(cols, [&] {
      for (const tile_operand& o : operands_) {
        if (o.cols != cols) continue;
        const std::string type = vector_type(o.type, v_.width);
        if (shuffles_)
          out_.line("copy_{}((uint)(ulong)&{}_copies[{}][c][lane], {} + ({} + j * rows), {});",
                    {type, o.name, stage, o.name, row, static_cast<int>(size_of(o.type)) * v_.width});
        else
          out_.line("{}_copies[{}][c][lane] = {}[{} + j * rows];", {o.name, stage, o.name, row});
      }
    });
}

/// Where a group leaves what it has of the k-th reduction along a row.
FUSECL_INLINE std::string tile_emitter::element_of_team(const char* tag, const char* member, std::size_t k,
                                                        const char* row) const {
  return fill("elements[((({} & 3) * teams + team) * {} + {}) * {} + {} + {}]",
              {tag, int{v_.tile.team}, member, rows_of_tile() * std::ssize(joined_.along),
               static_cast<std::int64_t>(k) * rows_of_tile(), row});
}

/// Asks for what all groups have left of the tile that is to be completed, one row of one group a work-item.
FUSECL_INLINE void tile_emitter::ask_team() {
  const int rows = rows_of_tile();
  out_.line("const uint other = lane / {}, other_row = lane % {};", {rows, rows});
  out_.line("const bool asks = completes && lane < {};", {rows * v_.tile.team});
  for (std::size_t k = 0; k < joined_.along.size(); ++k) {
    out_.line("ulong2 left{} = (ulong2)(0);", {k});
    out_.line("if (asks) left{} = {};", {k, element_of_team("tag", "other", k, "other_row")});
  }
}

FUSECL_INLINE void tile_emitter::wait_for_team() {
  out_.open("if (asks)");
  for (std::size_t k = 0; k < joined_.along.size(); ++k) {
    const node_id id = joined_.along[k];
    out_.line("while ((uint)(left{}.x >> 32) != tag || (uint)(left{}.y >> 32) != tag) left{} = {};",
              {k, k, k, element_of_team("tag", "other", k, "other_row")});
    const std::string type = vector_type(g_[id].type, 1);
    out_.line(
        "m{}[other][other_row] = {};",
        {id, size_of(g_[id].type) == 8 ? fill("as_{}((left{}.x & UINT_MAX) | left{}.y << 32)", {type, k, k})
                                       : fill("as_{}((uint)left{}.x)", {type, k})});
  }
  out_.close();
}

/// Loads what the completion of a row needs of it.
FUSECL_INLINE void tile_emitter::load_own_row() {
  const int rows = rows_of_tile(), warps = std::max(1, static_cast<int>(shape_.local) / 32);
  out_.line("// work-items of one warp after the other complete a row each");
  out_.line("const uint own_row = lane % 32;");
  out_.line("const bool own = completes && lane / 32 == turn % {} && own_row < {};", {warps, rows});
  out_.line("const long own_i = min((tile - teams) * {} + own_row, rows * {} - 1);", {rows, v_.width});
  for (const tile_operand& o : operands_)
    if (o.cols == ir::one) {
      out_.line("{} {}_own = 0;", {{o.type, 1}, o.name});
      out_.line("if (own) {}_own = ((global const {}*){})[own_i];", {o.name, {o.type, 1}, o.name});
    }
}

/// One pass over the columns of a group.
FUSECL_INLINE void tile_emitter::go_over_columns(value_emitter& rows, const access& how, const phase& p) {
  for (node_id id : repeated(p, true)) rows.pin(out_, id);
  each_column(p.cols, [&] {
    value_emitter values = rows;
    access each = how;
    each.col = "(int)j";
    values.enter(each);
    store_and_add(p, values_of(values, p));
  });
}

/// Adds up the columns of a group along the rows of the tile that is in local memory.
FUSECL_INLINE void tile_emitter::add_part_of_rows(const value_emitter& around) {
  value_emitter rows = around;
  access how = tile_access(v_.width, "0");
  how.load = load_copied;
  rows.begin(how);
  for (const phase& p : s_.phases) {
    if (p.along.empty()) continue;
    phase own = p;
    own.across.clear();
    own.stores.clear();
    for (node_id id : p.along)
      out_.line("{} w{} = {};", {{g_[id].type, v_.width}, id, neutral(g_[id], v_.width)});
    go_over_columns(rows, how, own);
  }
  for (node_id id : joined_.along) leave_part(id, fill("e{}", {id}));
}

/// Leaves what the group has of each row to the others.
FUSECL_INLINE void tile_emitter::leave_to_team() {
  const int rows = rows_of_tile();
  out_.open("if (begins && lane < {})", {rows});
  out_.line("const uint own_tag = tag + 1;");
  out_.line("const ulong high = (ulong)own_tag << 32;");
  for (std::size_t k = 0; k < joined_.along.size(); ++k) {
    const node_id id = joined_.along[k];
    const std::string parts = fill("((local const {}*)e{})", {{g_[id].type, 1}, id});
    out_.open();
    add_parts(id, 1, slot_groups(), parts + "[lane]", fill("{}[w * {} + lane]", {parts, rows}));
    out_.line("const ulong bits = {}(r{});", {size_of(g_[id].type) == 8 ? "as_ulong" : "as_uint", id});
    out_.line("{} = (ulong2)(high | (uint)bits, high | bits >> 32);",
              {element_of_team("own_tag", "member", k, "lane")});
    out_.close();
  }
  out_.close();
}

/// One work-item completes a row: its functions, and what is stored and reduced of rows alone, by one of the
/// groups.
FUSECL_INLINE void tile_emitter::complete_rows_of_team(const value_emitter& around) {
  out_.open("if (own && (tile - teams) * {} + own_row < rows * {})", {rows_of_tile(), v_.width});
  value_emitter values = around;
  values.begin(access_to_own_row(load_of_completed));
  for (node_id id : joined_.along) {
    add_parts(id, 1, v_.tile.team, fill("m{}[0][own_row]", {id}), fill("m{}[w][own_row]", {id}));
    values.know(id, fill("r{}", {id}), false);
  }
  for (std::size_t k = 0; k < joined_.given.size(); ++k) {
    const node_id id = joined_.given[k];
    values.pin(out_, id);
    out_.line("((local {}*)d{})[own_row] = {};", {{g_[id].type, 1}, k, values.value(out_, id)});
  }
  out_.open("if (member == turn % {})", {int{v_.tile.team}});
  for (const phase& p : s_.phases) {
    if (p.cols != ir::one || (p.across.empty() && p.stores.empty())) continue;
    store_and_add_own(values, p);
  }
  out_.close();
  out_.close();
}

/// What follows of the columns of the tile whose rows are complete, which is in registers.
FUSECL_INLINE void tile_emitter::add_columns_of_team(const value_emitter& around) {
  value_emitter rows = around;
  access how = tile_access(v_.width, "0");
  how.load = load_kept;
  rows.begin(how);
  for (std::size_t k = 0; k < joined_.given.size(); ++k)
    rows.know(joined_.given[k], fill("d{}[row_lane]", {k}), false);
  for (const phase& p : s_.phases) {
    if (p.cols == ir::one || (p.across.empty() && p.stores.empty())) continue;
    phase own = p;
    own.along.clear();
    go_over_columns(rows, how, own);
  }
}

FUSECL_INLINE void tile_emitter::walk_team() {
  const int lanes = v_.tile.lanes;
  add_size("rows");
  add_size("tiles");
  add_extent_arguments();
  find_alone();
  out_.line("const uint lane = get_local_id(0), row_lane = lane % {}, slot = lane / {};", {lanes, lanes});
  begin_team();
  value_emitter values = domain_emitter();
  values.uniforms(out_);
  declare_team();
  out_.line("uint stage = 0, tag = taken[1];");
  out_.line("const long first = min((long)team * {} + row_lane, rows - 1);", {lanes});
  copy_rows("stage", "first");
  share_columns(values);
  declare_sums();
  fill_tables(values);
  add_alone(values);
  // turn r adds up tile r of the team and completes tile r - 1
  out_.line("long tile = team;");
  out_.open("for (uint turn = 0; tile - teams < tiles; ++turn, ++tag, tile += teams)");
  out_.line("const bool begins = tile < tiles, completes = turn > 0;");
  ask_team();
  load_own_row();
  if (shuffles_) out_.line("wait_for_copies();");
  out_.open("if (tile + teams < tiles)");
  out_.line("const long next = min((tile + teams) * {} + row_lane, rows - 1);", {lanes});
  copy_rows("stage ^ 1", "next");
  out_.close();
  out_.open("if (begins)");
  after_what_it_mentions({"i"}, fill("const long i = min(tile * {} + row_lane, rows - 1);", {lanes}),
                         [&] { add_part_of_rows(values); });
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  leave_to_team();
  wait_for_team();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  complete_rows_of_team(values);
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.open("if (completes && (tile - teams) * {} + row_lane < rows)", {lanes});
  after_what_it_mentions({"i"}, fill("const long i = (tile - teams) * {} + row_lane;", {lanes}),
                         [&] { add_columns_of_team(values); });
  out_.close();
  for (const tile_operand& o : operands_)
    if (o.cols != ir::one) {
      out_.raw("#pragma unroll\n");
      out_.line("for (int c = 0; c < {}; ++c) {}_r[c] = {}_copies[stage][c][lane];",
                {columns_of(o.cols), o.name, o.name});
    }
  out_.line("stage ^= 1;");
  out_.close();
  end_team();
  finish_sums();
}

}  // namespace fusecl::codegen::detail
