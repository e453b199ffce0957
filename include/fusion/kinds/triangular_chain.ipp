#pragma once
// Triangular systems with few right-hand sides on a GPU in one launch. A group has a block of rows and one
// right-hand side: it inverts its block on the diagonal, subtracts what the blocks before contribute as soon
// as their groups hand these rows of the solution on, and hands on its own. Groups take their turn as they
// start, so that one waits only for such as have started, whatever the device's order. What is handed on
// tells by itself that it is there: a number that no solution has stands for it until then, and the group
// that arrives last puts it back.

#include <algorithm>
#include <string>

#include <fusion/kinds/opaque_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::kinds {
namespace triangular_chain_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Rows of a block, and of the one for matrices of few rows: fewer blocks hand on less often, and take longer
// to invert before the first of them can.
inline constexpr std::int64_t block_rows = 64, small_block = 32, rows_of_small_blocks = 64;
// Work-items of a group, which share the columns of a row.
inline constexpr std::int64_t work_items = 256;
// Rows up to which groups are chained, of one side and of several: a GPU with a hundred units has room for
// all groups then. Those that start late have all blocks before theirs to go through. On a CPU, in the form
// for tests, there are fewer, so that these meet the rounds, too.
inline constexpr std::int64_t most_rows = 8192, most_rows_of_sides = 2048, most_rows_on_cpu = 1024;
// Each side reads the whole triangle.
inline constexpr std::int64_t most_sides = 4;
// Rows of the tiles whose inverses a work-item computes a column of in registers.
inline constexpr int inverted_rows = 16;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  if (p.form != schedule::device_form::gpu || !s.opaque || (s.rows == ir::one && s.cols == ir::one))
    return false;
  return p.graph[s.reductions[0]].is(op::triangular_solve::record());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const std::int64_t n = r.rows(), sides = r.cols(),
                     element = static_cast<std::int64_t>(size_of(r.p.graph[r.s.reductions[0]].type));
  geometry g;
  g.kernel.distinct = r.distinct;
  schedule::let_last_group_finish(g.kernel, r.device, true);
  for (g.local = work_items; g.local > r.device.largest_group;) g.local /= 2;
  const auto bytes = [&](std::int64_t size) {
    return (size * (size + 1) + g.local / size * (size + 1) + 2 * size) * element + 64;
  };
  std::int64_t size = n <= rows_of_small_blocks || g.local < 4 * block_rows ? small_block : block_rows;
  if (bytes(size) > r.device.local_bytes) size = small_block;
  const std::int64_t tiles = divide_up(n, size), most = !r.device.shuffles ? most_rows_on_cpu
                                                        : sides > 1        ? most_rows_of_sides
                                                                           : most_rows;
  g.kernel.choices[0] = static_cast<std::uint16_t>(size);
  g.kernel.choices[1] = keeps_arrays(r.device);
  g.hands_on = true;
  g.sizes = {{"rows", n}, {"cols", sides}, {"tiles", tiles, true}};
  const bool fits = g.kernel.last && n <= most && sides <= most_sides && g.local >= 2 * small_block &&
                    bytes(size) <= r.device.local_bytes && tiles * size * sides <= schedule::most_handed_on;
  g.groups = fits ? tiles * sides : does_not_fit;
  return g;
}

class emitter final : public opaque_emitter {
 public:
  using opaque_emitter::opaque_emitter;

 private:
  int size() const { return v_.choices[0]; }
  int slots() const { return static_cast<int>(shape_.local) / size(); }
  int terms() const { return size() / slots(); }
  /// From one column of the block to the next: no two work-items meet in a bank.
  int leading() const { return size() + 1; }
  bool is_mirrored() const { return ops::is_upper(g_[self_]); }
  const char* word() const { return size_of(type_) == 8 ? "ulong" : "uint"; }

  void declare_all() override {
    for (const schedule::store& result : s_.epilogue) declare(result, 1);
    add_argument({codegen::argument_kind::handed_on, 0, true}, "volatile global uint* handed_on");
    add_argument({codegen::argument_kind::arrivals, 0, true}, "volatile global uint* arrivals");
    add_buffers(domain_, false, 1);
    add_buffers(after_, true, 1);
    for (int k = 0; k < 2; ++k) add_extents({g_[g_[self_].operands[k]].rows});
    for (const char* name : {"rows", "cols", "tiles"}) add_size(name);
  }

  void barrier() { out_.line("barrier(CLK_LOCAL_MEM_FENCE);"); }
  /// Whether loops over what registers hold are written out, without which a GPU has none for them.
  bool unrolls() const { return v_.choices[1] != 0; }
  void each(int count) {
    out_.open_loop("k", "0", count, unrolls() ? "#pragma unroll\n" : "#pragma unroll 1\n");
  }
  void each_term() { each(terms()); }
  /// Text of the column within a block of term `k` of a work-item.
  std::string column() const { return codegen::fill("(slot + k * {})", {slots()}); }

  /// Text of the element of operand `k` at `row` and `col`, counted from the last row where it is mirrored.
  std::string given(int k) {
    if (!is_mirrored()) return element(k, "row", "col");
    out_.line("const long own_row = rows - 1 - row, own_col = {};", {k == 0 ? "rows - 1 - col" : "col"});
    return element(k, "own_row", "own_col");
  }

  void walk() override {
    take_turn();
    codegen::value_emitter values = start_epilogue();
    bring_block_on_diagonal();
    invert_block();
    subtract_blocks_before();
    multiply_by_inverse();
    hand_on(values);
    put_back();
  }

  void take_turn() {
    out_.line("local {} block[{}], sums_of_slots[{}], known[{}];",
              {type(), size() * leading(), slots() * leading(), 2 * size()});
    out_.line("local uint own_turn[1];");
    // which work-items lie side by side is a matter of how the triangle does
    const bool turned = lies_along_rows(0);
    out_.line(turned ? "const uint lane = get_local_id(0), r = lane / {}, slot = lane % {};"
                     : "const uint lane = get_local_id(0), r = lane % {}, slot = lane / {};",
              {turned ? slots() : size(), turned ? slots() : size()});
    out_.line("if (lane == 0) own_turn[0] = atomic_inc(handed_on) + 1;");
    barrier();
    out_.line("const uint own_block = own_turn[0] / (uint)cols;");
    out_.line("const long j = own_turn[0] % (uint)cols, first = (long)own_block * {};", {size()});
    out_.line("volatile global {}* const words = (volatile global {}*)(handed_on + {}) + j * tiles * {};",
              {word(), word(), schedule::head_of_handed_on, size()});
  }

  /// Elements of the block of columns from `from` on, a share of a row for each work-item.
  void bring_next(const char* from) {
    each_term();
    out_.line("const long row = min(first + r, rows - 1), col = {} + {};", {from, column()});
    const std::string text = given(0);
    out_.line("next[k] = {};", {text});
    out_.close();
  }

  void bring_block_on_diagonal() {
    out_.line("{} next[{}], left = 0;", {type(), terms()});
    each_term();
    out_.line("const long row = first + r, col = first + {};", {column()});
    out_.line("next[k] = row == col ? 1 : 0;");
    out_.open("if (row < rows && col <= row)");
    const std::string text = given(0);
    out_.line("next[k] = {};", {text});
    out_.close();
    out_.close();
    out_.open("if (lane < {} && first + lane < rows)", {size()});
    out_.line("const long row = first + lane, col = j;");
    const std::string side = given(1);
    out_.line("left = {};", {side});
    out_.close();
    each_term();
    out_.line("block[r + {} * {}] = next[k];", {column(), leading()});
    out_.close();
    out_.open("if (own_block > 0)");
    bring_next("0");
    out_.close();
    barrier();
  }

  /// Inverts tiles on the diagonal of the block by substitution, a column each, and makes of two neighbouring
  /// inverses that of both, -inverse(L22) (L21 inverse(L11)); what is halfway lies above the diagonal.
  void invert_block() {
    out_.line("// the inverse of the block on the diagonal takes its place");
    out_.line("if (lane < {}) known[lane] = 1 / block[lane * {}];", {size(), leading() + 1});
    barrier();
    out_.line("const uint tile = lane / {} * {}, q = lane % {};",
              {inverted_rows, inverted_rows, inverted_rows});
    out_.line("{} column[{}];", {type(), inverted_rows});
    out_.open("if (lane < {})", {size()});
    out_.line("local const {}* const own = block + tile * {};", {type(), leading() + 1});
    each(inverted_rows);
    out_.line("column[k] = k == q ? 1 : 0;");
    out_.close();
    each(inverted_rows);
    out_.open("if (k >= q)");
    out_.line("column[k] *= known[tile + k];");
    if (unrolls()) out_.raw("#pragma unroll\n");
    out_.open("for (uint s = {}; s < {}; ++s)", {unrolls() ? "0" : "k + 1", inverted_rows});
    out_.line("{}column[s] = fma(-own[s + k * {}], column[k], column[s]);",
              {unrolls() ? "if (s > k) " : "", leading()});
    out_.close();
    out_.close();
    out_.close();
    out_.close();
    barrier();
    out_.open("if (lane < {})", {size()});
    each(inverted_rows);
    out_.line("if (k >= q) block[tile * {} + k + q * {}] = column[k];", {leading() + 1, leading()});
    out_.close();
    out_.close();
    barrier();
    for (int side = inverted_rows; side < size(); side *= 2) join_inverses(side);
    out_.line("{} inverse[{}];", {type(), terms()});
    each_term();
    out_.line("inverse[k] = block[r + {} * {}];", {column(), leading()});
    out_.close();
  }

  void join_inverses(int side) {
    const int elements = size() * side / 2, local = static_cast<int>(shape_.local),
              own = std::max(1, elements / local), of_pair = side * side / own, apart = side / own;
    out_.open();
    out_.line("const uint pair = lane / {}, place = lane % {};", {of_pair, of_pair});
    out_.line("local {}* const first_of_pair = block + pair * {};", {type(), 2 * side * (leading() + 1)});
    out_.line("local {}* const below = first_of_pair + {}, *const beside = first_of_pair + {};",
              {type(), side, side * leading()});
    out_.line("const uint s = place % {}, q = place / {};", {apart, apart});
    out_.line("const uint t = place % {}, p = place / {};", {side, side});
    const auto product = [&](const char* begin, const char* end, const std::string& shared,
                             const std::string& other, const std::string& to) {
      out_.open("if (lane < {})", {elements / own});
      out_.line("{} sums[{}];", {type(), own});
      each(own);
      out_.line("sums[k] = 0;");
      out_.close();
      if (unrolls()) out_.raw("#pragma unroll 4\n");
      out_.open("for (uint term = {}; term < {}; ++term)", {begin, end});
      out_.line("const {} shared = {};", {type(), shared});
      each(own);
      out_.line("sums[k] = fma({}, shared, sums[k]);", {other});
      out_.close();
      out_.close();
      each(own);
      out_.line("{} = sums[k];", {to});
      out_.close();
      out_.close();
      barrier();
    };
    product("q", codegen::fill("{}", {side}).c_str(),
            codegen::fill("first_of_pair[term + q * {}]", {leading()}),
            codegen::fill("below[s + k * {} + term * {}]", {apart, leading()}),
            codegen::fill("beside[s + k * {} + q * {}]", {apart, leading()}));
    product("0", "t + 1", codegen::fill("-beside[{} + t + term * {}]", {side, leading()}),
            codegen::fill("beside[term + (p + k * {}) * {}]", {apart, leading()}),
            codegen::fill("below[t + (p + k * {}) * {}]", {apart, leading()}));
    out_.close();
  }

  void subtract_blocks_before() {
    out_.line("{} sums[2] = {0, 0};", {type()});
    out_.raw("#pragma unroll 1\n");
    out_.open("for (uint before = 0; before < own_block; ++before)");
    out_.line("{} own[{}];", {type(), terms()});
    each_term();
    out_.line("own[k] = next[k];");
    out_.close();
    out_.open("if (before + 1 < own_block)");
    out_.line("const long following = (long)(before + 1) * {};", {size()});
    bring_next("following");
    out_.close();
    out_.line("local {}* const solution = known + before % 2 * {};", {type(), size()});
    out_.open("if (lane < {})", {size()});
    out_.line("{} word = words[before * {} + lane];", {word(), size()});
    out_.line("while (word == ({})-1) word = words[before * {} + lane];", {word(), size()});
    out_.line("solution[lane] = as_{}(word);", {type()});
    out_.close();
    barrier();
    each_term();
    out_.line("sums[k % 2] = fma(own[k], solution[{}], sums[k % 2]);", {column()});
    out_.close();
    out_.close();
  }

  /// Text of what the slots of row `lane` have together.
  std::string all_slots() const {
    std::string text;
    for (int k = 0; k < slots(); ++k)
      text += codegen::fill("{}sums_of_slots[lane + {}]", {k > 0 ? " + " : "", k * leading()});
    return text;
  }

  void multiply_by_inverse() {
    out_.line("sums_of_slots[r + slot * {}] = sums[0] + sums[1];", {leading()});
    barrier();
    out_.line("if (lane < {}) known[lane] = left - ({});", {size(), all_slots()});
    barrier();
    out_.line("sums[0] = sums[1] = 0;");
    each_term();
    out_.line("if ({} <= r) sums[k % 2] = fma(inverse[k], known[{}], sums[k % 2]);", {column(), column()});
    out_.close();
    out_.line("sums_of_slots[r + slot * {}] = sums[0] + sums[1];", {leading()});
    barrier();
  }

  void hand_on(codegen::value_emitter& values) {
    const char* nan = size_of(type_) == 8 ? "0x7ff8000000000000UL" : "0x7fc00000U";
    out_.open("if (lane < {})", {size()});
    out_.line("const {} r0 = {};", {type(), all_slots()});
    out_.line("const {} word = as_{}(r0);", {word(), word()});
    out_.line("words[own_block * {} + lane] = word == ({})-1 ? {} : word;", {size(), word(), nan});
    out_.line("const long row = first + lane;");
    out_.open("if (row < rows)");
    out_.line("const long i = {};", {is_mirrored() ? "rows - 1 - row" : "row"});
    finish_elements(values, "r0", 1);
    out_.close();
    out_.close();
  }

  void put_back() {
    open_last_group("the group that arrives last puts back what was handed on");
    out_.line("volatile global {}* const all = (volatile global {}*)(handed_on + {});",
              {word(), word(), schedule::head_of_handed_on});
    out_.open("for (uint at = lane; at < get_num_groups(0) * {}; at += {})", {size(), shape_.local});
    out_.line("all[at] = ({})-1;", {word()});
    out_.close();
    out_.line("if (lane == 0) handed_on[0] = UINT_MAX;");
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace triangular_chain_walk

inline constexpr step_kind triangular_chain{kind_order::triangular_chain,
                                            "triangular_chain",
                                            "a triangular system, blocks of rows that wait for those before",
                                            triangular_chain_walk::takes,
                                            triangular_chain_walk::shape,
                                            triangular_chain_walk::emit};

}  // namespace fusecl::kinds
