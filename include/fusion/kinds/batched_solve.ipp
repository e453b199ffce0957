#pragma once
// Systems with many small triangles, and the inverses of these. On a GPU a work-item has one row of some
// right sides in registers; whose turn it is divides, tells the others, and they subtract. A group has one
// matrix, or several small ones. On a CPU a group, one work-item, goes through right sides in vectors.

#include <string>

#include <fusion/kinds/batched_factor_emitter.hpp>

namespace fusecl::kinds {
namespace batched_solve_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Right sides that are solved at once, at most; on a GPU those of systems are loaded at once, too.
inline constexpr std::int64_t most_sides = 32, most_loaded_sides = 16;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  if (!s.opaque) return false;
  const ir::node& n = p.graph[s.reductions[0]];
  return n.is(op::batched_solve::record()) || n.is(op::batched_inverse::record());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const factor_sizes sizes = factors_of(r.p, r.s, r.extents);
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const std::int64_t lanes = r.on_cpu() ? lanes_of(r, type) : 1;
  const bool loads = !r.on_cpu() && r.p.graph[r.s.reductions[0]].is(op::batched_solve::record());
  std::int64_t rows = power_of_two(sizes.rows, 4, ops::most_batched_rows),
               sides = power_of_two(sizes.own_cols, std::max<std::int64_t>(4, lanes),
                                    loads ? most_loaded_sides : most_sides);
  const auto bytes = [&] { return rows * sides * static_cast<std::int64_t>(size_of(type)); };
  while (r.on_cpu() && sides > lanes && bytes() > r.device.bytes_for_tiles()) sides /= 2;
  geometry g = geometry_of_factors(r, sizes);
  const std::int64_t tiles = divide_up(sizes.own_cols, sides);
  g.sizes.push_back({"own_cols", sizes.own_cols});
  g.sizes.push_back({"tiles", std::max<std::int64_t>(1, tiles)});
  g.kernel.width = static_cast<std::uint8_t>(lanes);
  g.kernel.choices[0] = static_cast<std::uint16_t>(rows);
  g.kernel.choices[1] = static_cast<std::uint16_t>(sides);
  if (r.on_cpu()) {
    share_turns(g, r, sizes.count * tiles);
    return g;
  }
  const std::int64_t together = std::max<std::int64_t>(1, least_batched_group / rows);
  g.kernel.choices[2] = keeps_arrays(r.device);
  g.local = rows * together;
  g.groups = divide_up(sizes.count * tiles, together);
  return g;
}

class emitter final : public batched_emitter {
 public:
  using batched_emitter::batched_emitter;

 private:
  int size() const { return v_.choices[0]; }
  int sides() const { return v_.choices[1]; }
  bool unrolls() const { return v_.choices[2] != 0; }
  bool inverts() const { return g_[self_].is(op::batched_inverse::record()); }
  bool turned() const { return !inverts() && ops::solves_transposed(g_[self_]); }

  void add_own_sizes() override {
    for (const char* name : {"count", "own_cols", "tiles"}) add_size(name);
    if (cpu_) add_size("share");
  }

  void place_tile() {
    out_.line("const long block = number / tiles, first_side = (number - block * tiles) * {};", {sides()});
    out_.line("const long first_col = block * rows;");
  }

  /// Text of the element of the triangle of the system in this row and column, which are names; writes what
  /// it needs.
  std::string coefficient(const char* row, const char* col) {
    out_.line("const long own_row = {}, own_col = first_col + {};",
              {turned() ? col : row, turned() ? row : col});
    return element(0, "own_row", "own_col");
  }

  /// Text of the right side in row `row` and column number `side`.
  std::string side(const char* row) {
    if (inverts()) return codegen::fill("{} == side", {row});
    out_.line("const long own_row = {}, own_col = block * own_cols + side;", {row});
    return element(1, "own_row", "own_col");
  }

  void walk() override {
    if (cpu_)
      walk_on_cpu();
    else
      walk_on_gpu();
  }

  void each_side() { loop("c", sides(), unrolls()); }

  void walk_on_gpu() {
    const int together = static_cast<int>(shape_.local) / size();
    out_.line("local {} solutions[2][{}];", {type(), together * sides()});
    out_.line("const uint lane = get_local_id(0), slot = lane / {}, own = lane % {};", {size(), size()});
    out_.line("const long number = (long)get_group_id(0) * {} + slot;", {together});
    place_tile();
    out_.line("const bool exists = block < count && own < rows;");
    codegen::value_emitter values = start_epilogue();
    out_.line("{} x[{}], scale = 1;", {type(), sides()});
    each_side();
    out_.line("const long side = first_side + c;");
    out_.line("x[c] = 0;");
    out_.open("if (exists && side < own_cols)");
    const std::string text = side("own");
    out_.line("x[c] = {};", {text});
    out_.close();
    out_.close();
    out_.open("if (exists)");
    const std::string diagonal = coefficient("own", "own");
    out_.line("scale = 1 / ({});", {diagonal});
    out_.close();
    // an inverse has zeros above its first side
    out_.line("const uint start = {};", {inverts() && together == 1 ? "(uint)min(first_side, rows)" : "0"});
    out_.line("{} next = 0;", {type()});
    fetch("start");
    out_.open("for (uint turn = start; turn < rows; ++turn)");
    out_.line("const uint k = {};", {turned() ? "(uint)rows - 1 - turn" : "turn"});
    out_.line("local {}* solved = solutions[turn % 2] + slot * {};", {type(), sides()});
    out_.open("if (own == k)");
    each_side();
    out_.line("x[c] *= scale;");
    out_.line("solved[c] = x[c];");
    out_.close();
    out_.close();
    out_.line("const {} factor = -next;", {type()});
    out_.line("const uint following = turn + 1;");
    fetch("following");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open(turned() ? "if (own < k)" : "if (own > k)");
    each_side();
    out_.line("x[c] = fma(factor, solved[c], x[c]);");
    out_.close();
    out_.close();
    out_.close();
    each_side();
    out_.line("const long side = first_side + c;");
    out_.open("if (exists && side < own_cols)");
    out_.line("const long i = own, j = block * own_cols + side;");
    out_.line("const {} r0 = {};", {type(), inverts() ? "i < side ? 0 : x[c]" : "x[c]"});
    finish_elements(values, "r0", 1);
    out_.close();
    out_.close();
  }

  /// Loads what the row has in the column of a turn, where it is still to be subtracted.
  void fetch(const char* turn) {
    out_.open("if (exists && {} < rows && {})",
              {turn, codegen::fill(turned() ? "own + {} + 1 < rows" : "own > {}", {turn})});
    out_.line("const uint column = {};",
              {turned() ? codegen::fill("(uint)rows - 1 - {}", {turn}) : std::string(turn)});
    const std::string text = coefficient("own", "column");
    out_.line("next = {};", {text});
    out_.close();
  }

  void walk_on_cpu() {
    const int lanes = v_.width, vectors = sides() / lanes;
    const std::string vector = codegen::vector_type(type_, lanes);
    const auto place = [&](const char* row, int v) {
      return codegen::fill("x + {} * {} + {}", {row, sides(), v * lanes});
    };
    const auto loaded = [&](const std::string& at) { return codegen::vector_at(lanes, at); };
    const auto store = [&](const std::string& value, const std::string& at) {
      out_.line("{};", {codegen::store_vector(lanes, value, at)});
    };
    out_.line("local {} x[{}] __attribute__((aligned(64)));", {type(), size() * sides()});
    codegen::value_emitter values = start_epilogue();
    out_.line("const long first_number = get_group_id(0) * share;");
    out_.line("const long end_number = min(first_number + share, count * tiles);");
    out_.open("for (long number = first_number; number < end_number; ++number)");
    place_tile();
    out_.line("const int wide = (int)min({}L, own_cols - first_side);", {sides()});
    out_.line("for (int at = 0; at < rows * {}; ++at) x[at] = 0;", {sides()});
    out_.open("for (int c = 0; c < wide; ++c)");
    out_.open("for (int r = 0; r < rows; ++r)");
    out_.line("const long side = first_side + c;");
    const std::string text = side("r");
    out_.line("x[r * {} + c] = {};", {sides(), text});
    out_.close();
    out_.close();
    out_.open("for (int turn = {}; turn < rows; ++turn)", {inverts() ? "(int)first_side" : "0"});
    out_.line("const int k = {};", {turned() ? "(int)rows - 1 - turn" : "turn"});
    out_.line("{} scale;", {type()});
    out_.open();
    const std::string diagonal = coefficient("k", "k");
    out_.line("scale = 1 / ({});", {diagonal});
    out_.close();
    for (int v = 0; v < vectors; ++v) {
      out_.line("const {} y{} = {} * ({})(scale);", {vector, v, loaded(place("k", v)), vector});
      store(codegen::fill("y{}", {v}), place("k", v));
    }
    out_.open(turned() ? "for (int r = 0; r < k; ++r)" : "for (int r = k + 1; r < rows; ++r)");
    const std::string factor = coefficient("r", "k");
    out_.line("const {} factor = ({})(-({}));", {vector, vector, factor});
    for (int v = 0; v < vectors; ++v)
      store(codegen::fill("fma(factor, y{}, {})", {v, loaded(place("r", v))}), place("r", v));
    out_.close();
    out_.close();
    out_.open("for (int c = 0; c < wide; ++c)");
    out_.line("const long j = block * own_cols + first_side + c;");
    out_.open("for (long i = 0; i < rows; ++i)");
    out_.line("const {} r0 = {}x[i * {} + c];",
              {type(), inverts() ? "i < first_side + c ? 0 : " : "", sides()});
    finish_elements(values, "r0", 1);
    out_.close();
    out_.close();
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

FUSECL_INLINE double flops(const plan& p, const step& s, std::span<const std::int64_t> extents) {
  const factor_sizes sizes = factors_of(p, s, extents);
  const auto n = static_cast<double>(sizes.rows);
  const bool inverts = p.graph[s.reductions[0]].is(op::batched_inverse::record());
  return (inverts ? n * n * n / 3 : n * n * static_cast<double>(sizes.own_cols)) *
         static_cast<double>(sizes.count);
}

}  // namespace batched_solve_walk

inline constexpr step_kind batched_solve{
    kind_order::batched_solve, "batched_solve",           "systems with many triangles, a row to a work-item",
    batched_solve_walk::takes, batched_solve_walk::shape, batched_solve_walk::emit,
    batched_solve_walk::flops};

}  // namespace fusecl::kinds
