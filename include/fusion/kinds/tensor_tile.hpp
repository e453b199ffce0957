#pragma once
// A tile of a product of matrices of double on the tensor cores of NVIDIA's GPUs: every warp of a group keeps
// a part of it in registers; slices of the operands come to a ring in local memory by asynchronous copies.

#include <string>
#include <utility>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/opaque_emitter.hpp>

namespace fusecl::kinds {
namespace tensor_product_walk {

// Terms of a slice; a warp multiplies half of them at a time.
inline constexpr int depth = 8;
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

/// Work-items of a group.
inline constexpr int threads(const tile& t) { return 32 * t.warp_rows * t.warp_cols; }

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

/// Writes the text of a tile. Names that the text must have before: what the operands' lines and limits are
/// called, `lane`, `warp`, `down` and `across`, `begin` and `end` where there are own terms, and the rings.
template <class Base>
class tile_emitter : public Base {
 public:
  tile_emitter(const codegen::emit_request& r, const tile& t) : Base(r), tile_(t) {}

 protected:
  using Base::helpers_;
  using Base::out_;

  /// Writes a statement that ends with the address of an element of operand `k`, whose line and term are
  /// texts.
  virtual void set_address(int k, const std::string& to, const std::string& line,
                           const std::string& term) = 0;
  /// Whether terms are from `begin` to before `end`, rather than the first `inner`.
  virtual bool adds_range() const = 0;

  const char* terms() const { return adds_range() ? "terms" : "inner"; }
  int units_down() const { return tile_.rows / tile_.warp_rows / unit_rows; }
  int units_across() const { return tile_.cols / tile_.warp_cols / unit_cols; }

  /// The sums of a work-item, which are zero, and its places in the ring.
  void declare_sums() {
    out_.line("const uint warp_row = warp % {} * {}, warp_col = warp / {} * {};",
              {tile_.warp_rows, tile_.rows / tile_.warp_rows, tile_.warp_rows, tile_.cols / tile_.warp_cols});
    for (int k = 0; k < 2; ++k) prepare_copies(k);
    for (int k = 0; k < 2; ++k) prepare_reads(k);
    out_.line("double sums[{}][{}][4], a[2][{}][2], b[2][{}];",
              {units_down(), units_across(), units_down(), units_across()});
    each_unit();
    out_.line("for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;");
    close_units();
  }

  /// Adds all terms to the sums.
  void add_terms() {
    if (adds_range()) out_.line("const long terms = end - begin;");
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
                      term = text::fill(adds_range() ? "begin + {}_term" : "{}_term", {n});
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

  /// Those of the units below each other.
  void each_element(const char* row = "i", const char* col = "j") {
    each("u", units_down());
    each("q", 4);
    place_of_element(row, col);
  }
  void place_of_element(const char* row, const char* col) {
    out_.line("const long {} = first_row + warp_row + {} * u + q / 2 * 8 + down;", {row, unit_rows});
    out_.line("const long {} = first_col + warp_col + {} * v + across * 2 + q % 2;", {col, unit_cols});
  }

  const tile& tile_;
  operand copied_[2];
};

}  // namespace tensor_product_walk
}  // namespace fusecl::kinds
