#pragma once
// Products of matrices of double on the tensor cores of NVIDIA's GPUs: a group computes a tile, of which
// every warp keeps a part in registers; slices of the operands come to a ring in local memory by asynchronous
// copies.

#include <cmath>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/product_emitter.hpp>

namespace fusecl::kinds {
namespace tensor_product_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Terms of a slice; a warp multiplies half of them at a time.
inline constexpr int depth = 8;
// Rows of tiles that groups go through together, so that the caches hold what they share.
inline constexpr int panel = 8;
// Rows and columns that a warp multiplies with one instruction.
inline constexpr int unit_rows = 16, unit_cols = 8;

/// A group's tile.
struct tile {
  int rows, cols;
  int warp_rows, warp_cols;  ///< warps down and across it
  int slices;                ///< in its ring
  /// n terms of r tiles take a multiprocessor n (fixed + r each) ns: measured on an H200.
  double fixed, each;
};
inline constexpr tile tiles[] = {{128, 128, 2, 4, 3, 5, 73.5},
                                 {128, 64, 4, 2, 4, 9, 37.5},
                                 {64, 64, 2, 2, 4, 8, 18.8},
                                 {64, 32, 2, 2, 4, 12, 10.7}};

/// Whether the elements of operand `k` are read as they are, so that copies need an address alone.
inline bool is_plain(const plan& p, const step& s, int k) {
  const ir::graph& g = p.graph;
  ir::node_id id = g[s.reductions[0]].operands[k];
  for (; ir::maps_places(g[id]); id = g[id].operands[0])
    if (g[id].map.is_guarded() || g[id].view != matrix_cl_view::Entire) return false;
  return g[id].view == matrix_cl_view::Entire;
}

/// Whether two elements of operand `k` that follow each other in memory can be copied at once: it is a matrix
/// or its transpose, with columns of an even length.
inline bool is_paired(const launch_request& r, int k) {
  const ir::graph& g = r.p.graph;
  ir::node_id id = g[r.s.reductions[0]].operands[k];
  for (; ir::maps_places(g[id]); id = g[id].operands[0])
    if (!g[id].map.is_identity() && !g[id].map.is_transpose()) return false;
  return r.size(g.resolve(g[id].rows)) % 2 == 0;
}

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && is_product(p, s) &&
         type_of_product(p, s) == scalar_type::float64 && is_plain(p, s, 0) && is_plain(p, s, 1);
}

// What a second launch (us) and reading parts (bytes/us) take.
inline constexpr double finish_time = 6, finish_rate = 3e6;

struct choice {
  const tile* t;
  std::int64_t tiles;
  std::int64_t parts;  ///< shares of the terms
  double time;         ///< us
};

/// The tile and the parts that take the least time.
FUSECL_INLINE choice best_choice(const launch_request& r, std::int64_t terms) {
  const std::int64_t rows = r.rows(), cols = r.cols(), most = most_parts(rows, cols, 8, terms);
  const product_parts needed = parts_of_product(r.p, r.s);
  choice best{tiles, 0, 1, HUGE_VAL};
  for (const tile& t : tiles) {
    const auto tiles_by = [&](int high) {
      return tiles_of_product(needed, rows, cols, t.rows, t.cols, high);
    };
    const std::int64_t count = tiles_by(1);  // without those that end at once
    for (std::int64_t parts = 1; parts <= most; parts += 1 + parts / 8) {
      const auto rounds = static_cast<double>(divide_up(count * parts, r.device.compute_units));
      double time = 1e-3 * static_cast<double>(divide_up(terms, parts)) * (t.fixed + t.each * rounds);
      if (parts > 1) time += finish_time + static_cast<double>(8 * parts * rows * cols) / finish_rate;
      if (time < best.time) best = {&t, tiles_by(panel), parts, time};
    }
  }
  return best;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  g.groups = -1;
  if (!r.device.tensor_cores) return g;
  const std::int64_t rows = r.rows(), cols = r.cols(), terms = inner_size(r);
  const choice best = best_choice(r, terms);
  const tile& t = *best.t;
  g.local = 32 * t.warp_rows * t.warp_cols;
  const std::int64_t ring = 8 * depth * t.slices * (t.rows + t.cols);
  if (g.local > r.device.largest_group || ring > r.device.local_bytes) return g;
  const std::int64_t row_tiles = divide_up(rows, t.rows);
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(best.t - tiles);
  for (int k = 0; k < 2; ++k) g.kernel.choices[1 + k] = is_paired(r, k) ? 2 : 1;
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"inner", terms},
             {"row_tiles", std::max<std::int64_t>(1, row_tiles), true}};
  share_terms(g, best.tiles, rows * cols, terms, best.parts, depth);
  if (parts_of_product(r.p, r.s).symmetric) g.sizes.push_back({"tiles", best.tiles, true});
  return g;
}

/// How an operand lies in the ring. Its lines are `length` rows of the first operand, or columns of the
/// second. Where terms follow each other in memory, a line has its terms side by side, else a term its lines.
/// Places are mixed by exclusive or, so that neither copies nor reads of a warp meet in a bank.
struct operand {
  const char* name;   ///< "a" or "b"
  const char* first;  ///< line of the tile: "first_row"
  const char* limit;  ///< number of lines: "rows"
  int length;
  bool terms_together;
  int pair;     ///< elements of a copy
  int threads;  ///< of the group
  int across() const { return (terms_together ? depth : length) / pair; }
  int passes() const { return depth * length / (pair * threads); }
  int step() const { return threads / across(); }
};

class emitter final : public product_emitter {
 public:
  explicit emitter(const codegen::emit_request& r) : product_emitter(r), tile_(tiles[v_.choices[0]]) {
    for (int k = 0; k < 2; ++k)
      copied_[k] = {k == 0 ? "a" : "b",
                    k == 0 ? "first_row" : "first_col",
                    k == 0 ? "rows" : "cols",
                    k == 0 ? tile_.rows : tile_.cols,
                    lies_along_rows(k) == (k == 0),
                    v_.choices[1 + k],
                    static_cast<int>(shape_.local)};
  }

 private:
  const char* terms() const { return has_own_terms() ? "terms" : "inner"; }
  int units_down() const { return tile_.rows / tile_.warp_rows / unit_rows; }
  int units_across() const { return tile_.cols / tile_.warp_cols / unit_cols; }

  void walk() override {
    define_instructions();
    for (const operand& o : copied_)
      out_.line("local double {}_ring[{}] __attribute__((aligned(128)));",
                {o.name, tile_.slices * depth * o.length});
    out_.line(
        "const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;");
    place_of_tile();
    terms_of_tile(tile_.rows, tile_.cols);
    codegen::value_emitter values = start_epilogue();
    out_.line("const uint warp_row = warp % {} * {}, warp_col = warp / {} * {};",
              {tile_.warp_rows, tile_.rows / tile_.warp_rows, tile_.warp_rows, tile_.cols / tile_.warp_cols});
    for (int k = 0; k < 2; ++k) prepare_copies(k);
    for (int k = 0; k < 2; ++k) prepare_reads(k);
    out_.line("double sums[{}][{}][4], a[2][{}][2], b[2][{}];",
              {units_down(), units_across(), units_down(), units_across()});
    each_unit();
    out_.line("for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;");
    close_units();
    if (stores_interior_apart())
      out_.line("const bool interior = first_row + {} <= rows && first_col + {} <= cols;",
                {tile_.rows, tile_.cols});
    if (has_own_terms()) out_.line("const long terms = end - begin;");
    out_.line("const int slices = (int)(({} + {}) / {}), whole = (int)({} / {});",
              {terms(), depth - 1, depth, terms(), depth});
    for (int k = 0; k < ahead(); ++k) {
      copy_if_there(text::fill("{}", {k}), text::fill("{}", {k}));
      out_.line("end_of_slice();");
    }
    wait();
    read_half(0, "0");
    out_.line("uint from = 0, to = {};", {ahead()});
    out_.line("int slice = 0;");
    out_.raw("#pragma unroll 1\n");
    out_.open("for (; slice + {} < whole; ++slice)", {ahead()});
    go_on([&] { copy_slice("to", false); });
    out_.close();
    out_.raw("#pragma unroll 1\n");
    out_.open("for (; slice < slices; ++slice)");
    go_on([&] { copy_if_there("to", text::fill("slice + {}", {ahead()})); });
    out_.close();
    store_tile(values);
  }

  /// PTX ISA, "Data Movement: cp.async" and "Warp Level Matrix Instructions: mma" (m16n8k4 of f64).
  void define_instructions() {
    const auto define = [&](const std::string& declaration, const std::string& instruction) {
      helpers_ += "static inline __attribute__((always_inline)) void " + declaration + " {\n  asm volatile(" +
                  instruction + ");\n}\n";
    };
    for (int pair = 1; pair <= 2; ++pair)
      if (copied_[0].pair == pair || copied_[1].pair == pair)
        define(
            text::fill("copy_{}(uint to, global const double* from, int bytes)", {pair}),
            text::fill(
                "\"cp.async.{}.shared.global [%0], [%1], {}, %2;\" :: \"r\"(to), \"l\"(from), \"r\"(bytes)",
                {pair == 1 ? "ca" : "cg", 8 * pair}));
    define("end_of_slice()", "\"cp.async.commit_group;\"");
    define("wait_for_slices()", text::fill("\"cp.async.wait_group {};\"", {tile_.slices - 2}));
    define("multiply_unit(double* c, double a0, double a1, double b)",
           "\"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};\"\n"
           "               : \"+d\"(c[0]), \"+d\"(c[1]), \"+d\"(c[2]), \"+d\"(c[3])\n"
           "               : \"d\"(a0), \"d\"(a1), \"d\"(b)");
    helpers_ += "\n";
  }

  void place_of_tile() {
    if (parts_.symmetric) {
      number_of_group("tiles");
      return place_in_half(tile_.rows, tile_.cols, panel);
    }
    out_.line("const uint col_tiles = (uint)((cols + {}) / {});", {tile_.cols - 1, tile_.cols});
    number_of_group("row_tiles * col_tiles");
    out_.line("const uint panel = group / ({} * col_tiles), place = group - panel * {} * col_tiles;",
              {panel, panel});
    out_.line("const uint high = min({}u, row_tiles - panel * {});", {panel, panel});
    out_.line("const long first_row = (long)(panel * {} + place % high) * {};", {panel, tile_.rows});
    out_.line("const long first_col = (long)(place / high) * {};", {tile_.cols});
  }

  /// Address of an element of operand `k`, whose line and term are texts.
  void set_address(int k, const std::string& to, const std::string& line, const std::string& term) {
    out_.open("");
    out_.line("const long line = {}, term = {};", {line, term});
    out_.line("{} {};", {to, k == 0 ? address(k, "line", "term") : address(k, "term", "line")});
    out_.close();
  }

  /// Where a work-item's copies of a slice come from and go to.
  void prepare_copies(int k) {
    const operand& o = copied_[k];
    const char* n = o.name;
    out_.line("const uint {}_{} = lane % {} * {}, {}_{} = lane / {};",
              {n, o.terms_together ? "term" : "line", o.across(), o.pair, n,
               o.terms_together ? "line" : "term", o.across()});
    for (int pass = 0; pass < o.passes(); ++pass) {
      const std::string moved =
          text::fill("({}_{} + {})", {n, o.terms_together ? "line" : "term", pass * o.step()});
      const std::string place =
          o.terms_together ? text::fill("{} * {} + ({}_term ^ ({} / 2 % 2 * 4))", {moved, depth, n, moved})
                           : text::fill("{} * {} + ({}_line ^ ({} % 4 * 4))", {moved, o.length, n, moved});
      out_.line("const uint {}_to{} = (uint)(ulong)({}_ring + ({}));", {n, pass, n, place});
      if (pass == 0 || o.terms_together)
        out_.line("const int {}_bytes{} = {} + {}_line + {} < {} ? {} : 0;",
                  {n, pass, o.first, n, o.terms_together ? pass * o.step() : 0, o.limit, 8 * o.pair});
    }
    const std::string line = text::fill("{} + {}_line", {o.first, n}),
                      term = text::fill(has_own_terms() ? "begin + {}_term" : "{}_term", {n});
    const std::string step = text::fill(" + {}", {o.step()}), slice = text::fill(" + {}", {depth});
    out_.line("global const double *{}_from, *{}_pass, *{}_slice;", {n, n, n});
    set_address(k, text::fill("{}_from =", {n}), line, term);
    if (o.terms_together)
      set_address(k, text::fill("{}_pass =", {n}), line + step, term);
    else
      set_address(k, text::fill("{}_pass =", {n}), line, term + step);
    set_address(k, text::fill("{}_slice =", {n}), line, term + slice);
    out_.line("const long {}_by_pass = {}_pass - {}_from, {}_by_slice = {}_slice - {}_from;",
              {n, n, n, n, n, n});
  }

  /// Slices that are on their way while one is multiplied.
  int ahead() const { return tile_.slices - 1; }

  /// Multiplies a slice while another one is copied. What is next is read before the running half is
  /// multiplied, so that the barrier costs nothing.
  template <class Copy>
  void go_on(Copy copy) {
    read_half(1, "from");
    copy();
    out_.line("end_of_slice();");
    multiply(0);
    wait();
    out_.line("to = from;");
    out_.line("from = from + 1 == {} ? 0 : from + 1;", {tile_.slices});
    read_half(0, "from");
    multiply(1);
  }

  /// Copies the next slice to place `slot` of the ring, with zeros for what is outside of the operands;
  /// `left`: terms may be outside, too, and are those that many.
  void copy_slice(const std::string& slot, bool left) {
    for (const operand& o : copied_)
      for (int pass = 0; pass < o.passes(); ++pass) {
        std::string bytes = text::fill("{}_bytes{}", {o.name, o.terms_together ? pass : 0});
        if (left)
          bytes = text::fill("{}_term + {} < left ? {} : 0",
                             {o.name, o.terms_together ? 0 : pass * o.step(), bytes});
        out_.line("copy_{}({}, {}, {});", {o.pair, destination(o, pass, slot), source(o, pass), bytes});
      }
    for (const operand& o : copied_) out_.line("{}_from += {}_by_slice;", {o.name, o.name});
  }

  /// The same of slice `number`, which may be the last or beyond it.
  void copy_if_there(const std::string& slot, const std::string& number) {
    out_.open("if ({} < slices)", {number});
    out_.line("const long left = {} - {} * (long)({});", {terms(), depth, number});
    copy_slice(slot, true);
    out_.close();
  }
  std::string destination(const operand& o, int pass, const std::string& slot) const {
    return text::fill("{}_to{} + {} * {}", {o.name, pass, slot, 8 * depth * o.length});
  }
  std::string source(const operand& o, int pass) const {
    return text::fill("{}_from + {} * {}_by_pass", {o.name, pass, o.name});
  }

  void wait() {
    out_.line("wait_for_slices();");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }

  /// Where a work-item reads in a slice. Lines 8 apart, and terms 4 apart, need an address of their own where
  /// the exclusive or reaches so far.
  void prepare_reads(int k) {
    const operand& o = copied_[k];
    const char* line = k == 0 ? "warp_row" : "warp_col";
    for (int other = 0; other < 2; ++other)
      if (o.terms_together)
        out_.line(
            "local const double* const {}_read{} = {}_ring + ({} + down) * {} + ((across + {}) ^ (down / 2 % "
            "2 * 4));",
            {o.name, other, o.name, line, depth, 4 * other});
      else
        out_.line(
            "local const double* const {}_read{} = {}_ring + across * {} + {} + ((down + {}) ^ (across * "
            "4));",
            {o.name, other, o.name, o.length, line, 8 * other});
  }

  /// Text of what a work-item reads of lines `8 * eighth` on, in half `half` of the slice in `slot`.
  std::string read(const operand& o, int half, const std::string& slot, const std::string& eighth,
                   int odd) const {
    if (o.terms_together)
      return text::fill("{}_read{}[{} * {} + {} * {}]",
                        {o.name, half, slot, depth * o.length, eighth, 8 * depth});
    return text::fill("{}_read{}[{} * {} + {} + {} * 8]",
                      {o.name, odd, slot, depth * o.length, 4 * half * o.length, eighth});
  }

  void read_half(int half, const std::string& slot) {
    each("u", units_down());
    const operand& a = copied_[0];
    for (int odd = 0; odd < 2; ++odd) {
      const std::string eighth = a.terms_together ? text::fill("(2 * u + {})", {odd}) : "(2 * u)";
      out_.line("a[{}][u][{}] = {};", {half, odd, read(a, half, slot, eighth, odd)});
    }
    out_.close();
    const operand& b = copied_[1];
    for (int v = 0; v < units_across(); ++v)
      out_.line("b[{}][{}] = {};",
                {half, v, read(b, half, slot, text::fill("{}", {b.terms_together ? v : v / 2 * 2}), v % 2)});
  }

  /// A loop over what registers hold.
  void each(const char* name, int count) {
    out_.raw("#pragma unroll\n");
    out_.open("for (uint {} = 0; {} < {}; ++{})", {name, name, count, name});
  }
  void each_unit() {
    each("v", units_across());
    each("u", units_down());
  }
  void close_units() {
    out_.close();
    out_.close();
  }

  void multiply(int half) {
    each_unit();
    out_.line("multiply_unit(sums[u][v], a[{}][u][0], a[{}][u][1], b[{}][v]);", {half, half, half});
    close_units();
  }

  void store_tile(const codegen::value_emitter& values) {
    if (!stores_interior_apart()) return store_units(values, true);
    out_.open("if (interior)");
    note_loads(values);
    store_units(values, false);
    out_.close();
    out_.open("else");
    store_units(values, true);
    out_.close();
  }

  /// Whether what tiles within the result need besides is loaded ahead.
  bool stores_interior_apart() const { return !v_.partial && !parts_.symmetric; }

  /// Element by element; those outside of the result are left out at an edge. In the interior what else they
  /// need is loaded ahead.
  void store_units(codegen::value_emitter values, bool edge) {
    each("v", units_across());
    if (!edge) load_ahead();
    const char *row = parts_.symmetric ? "own_row" : "i", *col = parts_.symmetric ? "own_col" : "j";
    each_element(row, col);
    if (edge)
      store_sum_at(values, "sums[u][v][q]", row, col);
    else
      store_sum(values, "sums[u][v][q]", reading_ahead());
    close_units();
    out_.close();
  }

  /// Those of the units below each other.
  void each_element(const char* row = "i", const char* col = "j") {
    each("u", units_down());
    each("q", 4);
    out_.line("const long {} = first_row + warp_row + {} * u + q / 2 * 8 + down;", {row, unit_rows});
    out_.line("const long {} = first_col + warp_col + {} * v + across * 2 + q % 2;", {col, unit_cols});
  }

  // What else the elements of a unit need is loaded for all of them before the first is computed: functions
  // such as exp have branches, which compilers do not move loads across (H200, exp(A B + C): 1.09 of the
  // product alone without this).

  /// Notes what is loaded by places of the result; writes nothing.
  void note_loads(codegen::value_emitter values) {
    const codegen::writer before = std::exchange(out_, out_.apart());
    finish_elements(values, "r0", 1, reading_ahead());
    out_ = before;
  }

  void load_ahead() {
    if (ahead_.empty()) return;
    for (std::size_t k = 0; k < ahead_.size(); ++k)
      out_.line("{} ahead{}[{}];", {opencl_name(ahead_[k].type), k, 4 * units_down()});
    each_element();
    at_element([&] {
      for (std::size_t k = 0; k < ahead_.size(); ++k)
        out_.line("ahead{}[4 * u + q] = {};", {k, ahead_[k].text});
    });
    close_units();
  }

  codegen::access reading_ahead() {
    codegen::access how = access_to_domain(1);
    how.self = this;
    how.load = element_ahead;
    return how;
  }
  static std::string element_ahead(const void* self, const std::string& name, scalar_type type, bool rows,
                                   bool cols) {
    const auto& own = *static_cast<const emitter*>(self);
    const std::string text = load_tiled(static_cast<const step_emitter*>(&own), name, type, rows, cols);
    if (type == scalar_type::boolean || !(rows || cols)) return text;
    std::size_t k = 0;
    while (k < own.ahead_.size() && own.ahead_[k].text != text) ++k;
    if (k == own.ahead_.size()) own.ahead_.push_back({text, type});
    return text::fill("ahead{}[4 * u + q]", {k});
  }

  struct load {
    std::string text;
    scalar_type type;
  };
  mutable list_of<load> ahead_;

  const tile& tile_;
  operand copied_[2];
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace tensor_product_walk

inline constexpr step_kind product_on_tensor_cores{
    kind_order::product_on_tensor_cores,
    "tensor_product",
    "a product of matrices on tensor cores, by tiles from slices copied ahead to local memory",
    tensor_product_walk::takes,
    tensor_product_walk::shape,
    tensor_product_walk::emit,
    flops_of_product};

}  // namespace fusecl::kinds
