#pragma once
// A tile of a product of matrices on NVIDIA's GPUs: every warp of a group keeps a part of it in registers;
// slices of the operands come to a ring in local memory by asynchronous copies. How a slice is multiplied,
// and where the ring has what that reads, is for those who derive from this.

#include <string>
#include <utility>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/opaque_emitter.hpp>

namespace fusecl::kinds {
namespace copied_tile {

/// A group's tile.
struct tile {
  int rows, cols;
  int warp_rows, warp_cols;  ///< warps down and across it
  int depth;                 ///< terms of a slice
  int slices;                ///< in its ring
  /// n terms of r tiles take a multiprocessor n (fixed + r each) ns: measured on an H200.
  double fixed, each;
};

/// Work-items of a group.
inline constexpr int threads(const tile& t) { return 32 * t.warp_rows * t.warp_cols; }

/// An operand in the ring. Its lines are `length` rows of the first operand, or columns of the second. Where
/// its terms follow each other in memory, neighbouring work-items copy those of a line, else lines of a term.
struct operand {
  const char* name;   ///< "a" or "b"
  const char* first;  ///< line of the tile: "first_row"
  const char* limit;  ///< number of lines: "rows"
  int length;
  bool terms_together;          ///< in memory
  int pair;                     ///< elements of a copy
  int threads;                  ///< of the group
  int depth = 8;                ///< terms of a slice
  int padding = 0;              ///< elements that a term takes in the ring besides its lines
  bool has_all_lines = false;   ///< tiles do not reach beyond its last line
  bool ends_at_line = false;    ///< it has no terms after that with the number of their line,
  bool begins_at_line = false;  ///< or none before it
  int across() const { return (terms_together ? depth : length) / pair; }
  int passes() const { return depth * length / (pair * threads); }
  int step() const { return threads / across(); }
  int stride() const { return length + padding; }
  int slice() const { return depth * stride(); }  ///< elements that a slice takes in the ring
};

/// Writes the text of a tile. Names that the text must have before: what the operands' lines and limits are
/// called, those of `place_in_warp`, `begin` and `end` where the terms are a range, and the rings.
template <class Base>
class emitter : public Base {
 public:
  emitter(const codegen::emit_request& r, const tile& t) : Base(r), tile_(t) {}

 protected:
  using Base::helpers_;
  using Base::out_;
  using Base::type;

  /// Writes a statement that ends with the address of an element of operand `k`, whose line and term are
  /// texts.
  virtual void set_address(int k, const std::string& to, const std::string& line,
                           const std::string& term) = 0;
  /// Whether terms are from `begin` to before `end`, rather than the first `inner`.
  virtual bool adds_range() const = 0;

  // Of those who multiply:

  /// Text of the places of a work-item in its group and warp: the names "lane", "warp", "down", "across".
  std::string place_in_group() const {
    return "lane = get_local_id(0), warp = lane / 32, " + place_in_warp();
  }
  /// That of "down" and "across".
  virtual std::string place_in_warp() const = 0;
  /// Adds helpers that multiply.
  virtual void define_multiplication() {}
  /// Changes how an operand lies in the ring.
  virtual void place_operand(operand&) const {}
  /// Place in the ring of the element with these texts of line and term.
  virtual std::string place_in_ring(const operand& o, const std::string& line,
                                    const std::string& term) const = 0;
  /// Whether the places of a work-item's copies are as far apart as those of lines or terms.
  virtual bool is_linear() const = 0;
  /// Declares where a work-item reads in a slice.
  virtual void prepare_reads() = 0;
  /// What comes before the first slice.
  virtual void begin() {}
  /// Multiplies slice `from` of the ring while `copy_next(whole)` is on its way, and goes on to the next.
  virtual void go_on(bool whole) = 0;

  // A work-item's sums are `sums[u][v][q]`, of four elements each, which are the places below.
  virtual int units_down() const = 0;
  virtual int units_across() const = 0;
  virtual std::string row_in_tile() const = 0;
  virtual std::string col_in_tile() const = 0;

  /// The rows, or columns, that a work-item's elements of a unit are in.
  struct unit_lines {
    int count;
    const char* number;  ///< that of element `q`
    int apart_in_unit;   ///< elements that are the first of theirs
    const char* self;    ///< name of the work-items of a warp that share one,
    int sharing, apart;  ///< how many they are, and how far from each other
  };
  virtual unit_lines lines_of_unit(bool rows) const = 0;

  /// Copies the slice that is `ahead()` after the running one to place `to` of the ring, if there is one,
  /// which is certain where it is a whole one.
  void copy_next(bool whole) {
    if (whole)
      copy_slice("to", false);
    else
      copy_if_there("to", text::fill("slice + {}", {ahead()}));
    out_.line("end_of_slice();");
  }
  void wait() {
    out_.line("wait_for_slices();");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
  void next_slice() {
    out_.line("to = from;");
    out_.line("from = from + 1 == {} ? 0 : from + 1;", {tile_.slices});
  }
  /// A loop over what registers hold.
  void each(const char* name, int count) { this->loop(name, count, true); }
  void each_unit() {
    each("v", units_across());
    each("u", units_down());
  }
  void close_units() {
    out_.close();
    out_.close();
  }

  const char* terms() const { return adds_range() ? "terms" : "inner"; }
  int element_bytes() const { return static_cast<int>(size_of(this->type_)); }

  void declare_rings() {
    for (const operand& o : copied_)
      out_.line("local {} {}_ring[{}] __attribute__((aligned(128)));",
                {type(), o.name, tile_.slices * o.slice()});
  }

  /// The sums of a work-item, which are zero, and its places in the ring.
  void declare_sums() {
    out_.line("const uint warp_row = warp % {} * {}, warp_col = warp / {} * {};",
              {tile_.warp_rows, tile_.rows / tile_.warp_rows, tile_.warp_rows, tile_.cols / tile_.warp_cols});
    for (int k = 0; k < 2; ++k) prepare_copies(k);
    prepare_reads();
    out_.line("{} sums[{}][{}][4];", {type(), units_down(), units_across()});
    each_unit();
    out_.line("for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;");
    close_units();
  }

  /// What comes when whole slices are all on their way and the last are still to be multiplied.
  virtual void before_last_slices() {}
  /// Adds all terms to the sums.
  void add_terms() {
    start_terms();
    add_started_terms();
  }
  /// Sets the first copies going.
  void start_terms() {
    if (adds_range()) out_.line("const long terms = end - begin;");
    count_slices();
    for (int k = 0; k < ahead(); ++k) {
      copy_if_there(text::fill("{}", {k}), text::fill("{}", {k}));
      out_.line("end_of_slice();");
    }
  }
  void add_started_terms() {
    begin();
    out_.line("uint from = 0, to = {};", {ahead()});
    out_.line("int slice = 0;");
    if (begins_anywhere()) go_through("slice + {} < first_whole && slice < slices", false);
    go_through("slice + {} < whole", true);
    before_last_slices();
    go_through("slice < slices", false);
  }

  void define_instructions() {
    const auto copies = [](const operand& o, int pair) {
      return o.pair == pair || (pair == 1 && has_view(o));
    };
    for (int pair = 1; pair <= 4; pair *= 2)
      if (copies(copied_[0], pair) || copies(copied_[1], pair))
        this->define_copy(text::fill("copy_{}", {pair}), type(), pair * element_bytes());
    this->define_instruction("end_of_slice()", "\"cp.async.commit_group;\"");
    this->define_instruction("wait_for_slices()",
                             text::fill("\"cp.async.wait_group {};\"", {tile_.slices - 2}));
    define_multiplication();
    helpers_ += "\n";
  }

  /// A loop over the elements of the units below each other.
  void each_element(const char* row = "i", const char* col = "j") {
    each("u", units_down());
    each("q", 4);
    place_of_element(row, col);
  }
  void place_of_element(const char* row, const char* col) {
    out_.line("const long {} = first_row + warp_row + {};", {row, row_in_tile()});
    out_.line("const long {} = first_col + warp_col + {};", {col, col_in_tile()});
  }

  const tile& tile_;
  operand copied_[2];

 private:
  bool begins_anywhere() const { return copied_[0].begins_at_line || copied_[1].begins_at_line; }

  /// Numbers of slices, and which of them are copied as a whole: their terms are there, and no operand has
  /// zeros among them that are not in memory.
  void count_slices() {
    const int depth = tile_.depth;
    const bool cut = copied_[0].ends_at_line || copied_[1].ends_at_line;
    out_.line("const int slices = (int)(({} + {}) / {});", {terms(), depth - 1, depth});
    out_.line("{}int whole = (int)({} / {});", {cut ? "" : "const ", terms(), depth});
    for (const operand& o : copied_)
      if (o.ends_at_line) out_.line("whole = min(whole, (int)(max({} - begin, 0L) / {}));", {o.first, depth});
    if (!begins_anywhere()) return;
    out_.line("int first_whole = 0;");
    for (const operand& o : copied_)
      if (o.begins_at_line)
        out_.line("first_whole = max(first_whole, (int)(({} + {} - begin) / {}));",
                  {o.first, o.length + depth - 1, depth});
  }

  /// Multiplies slices while the condition holds of `slice` and of the one that is copied meanwhile.
  void go_through(const char* condition, bool whole) {
    out_.raw("#pragma unroll 1\n");
    out_.open("for (; " + text::fill(condition, {ahead()}) + "; ++slice)");
    go_on(whole);
    out_.close();
  }

  /// Where a work-item's copies of a slice come from and go to.
  void prepare_copies(int k) {
    const operand& o = copied_[k];
    const char* n = o.name;
    out_.line("const uint {}_{} = lane % {} * {}, {}_{} = lane / {};",
              {n, o.terms_together ? "term" : "line", o.across(), o.pair, n,
               o.terms_together ? "line" : "term", o.across()});
    const auto own = [&](const char* what) { return text::fill("{}_{}", {n, what}); };
    for (int pass = 0; pass < o.passes(); ++pass) {
      const std::string moved =
          text::fill("({}_{} + {})", {n, o.terms_together ? "line" : "term", pass * o.step()});
      if (pass == 0 || !is_linear())
        out_.line(
            "const uint {}_to{} = (uint)(ulong)({}_ring + ({}));",
            {n, pass, n,
             o.terms_together ? place_in_ring(o, moved, own("term")) : place_in_ring(o, own("line"), moved)});
      if (!o.has_all_lines && !counts_passes(o) && (pass == 0 || o.terms_together))
        out_.line(
            "const int {}_bytes{} = {} + {}_line + {} < {} ? {} : 0;",
            {n, pass, o.first, n, o.terms_together ? pass * o.step() : 0, o.limit, o.pair * element_bytes()});
    }
    if (!o.has_all_lines && counts_passes(o))
      out_.line("const int {}_passes = (int)clamp(({} - {} - {}_line + {}) / {}, 0L, {}L);",
                {n, o.limit, o.first, n, o.step() - 1, o.step(), o.passes()});
    const std::string line = text::fill("{} + {}_line", {o.first, n}),
                      term = text::fill(adds_range() ? "begin + {}_term" : "{}_term", {n});
    const std::string step = text::fill(" + {}", {o.step()}), slice = text::fill(" + {}", {o.depth});
    out_.line("global const {} *{}_from, *{}_pass, *{}_slice;", {type(), n, n, n});
    set_address(k, text::fill("{}_from =", {n}), line, term);
    if (o.terms_together)
      set_address(k, text::fill("{}_pass =", {n}), line + step, term);
    else
      set_address(k, text::fill("{}_pass =", {n}), line, term + step);
    set_address(k, text::fill("{}_slice =", {n}), line, term + slice);
    out_.line("const long {}_by_pass = {}_pass - {}_from, {}_by_slice = {}_slice - {}_from;",
              {n, n, n, n, n, n});
  }
  /// Whether the lines that are there are counted, where each copy has one of its own, rather than the bytes
  /// of each copy kept in a register.
  static bool counts_passes(const operand& o) { return o.terms_together && o.passes() > 4; }

  /// Slices that are on their way while one is multiplied.
  int ahead() const { return tile_.slices - 1; }

  /// Copies the next slice to place `slot` of the ring, with zeros for what is outside of the operands;
  /// `left`: terms may be outside, too, and are those that many.
  void copy_slice(const std::string& slot, bool left) {
    for (const operand& o : copied_)
      for (int pass = 0; pass < o.passes(); ++pass) {
        // where a view ends, each element is in it or not
        const int together = left && has_view(o) ? 1 : o.pair, bytes = together * element_bytes();
        for (int k = 0; k < o.pair; k += together) {
          std::string there = bytes_there(o, pass, bytes);
          if (left)
            there = text::fill("{}_term + {} < left{} ? {} : 0",
                               {o.name, number(o, pass, true, k), within_view(o, pass, k), there});
          out_.line("copy_{}({}{}, {}{}, {});",
                    {together, destination(o, pass, slot), further(k * element_bytes()), source(o, pass),
                     further(k), there});
        }
      }
    for (const operand& o : copied_) out_.line("{}_from += {}_by_slice;", {o.name, o.name});
  }

  /// How many of `bytes` a copy has whose terms are there.
  std::string bytes_there(const operand& o, int pass, int bytes) const {
    if (o.has_all_lines) return text::fill("{}", {bytes});
    if (counts_passes(o)) return text::fill("({} < {}_passes ? {} : 0)", {pass, o.name, bytes});
    const std::string of_pair = text::fill("{}_bytes{}", {o.name, o.terms_together ? pass : 0});
    return bytes < o.pair * element_bytes() ? text::fill("({} ? {} : 0)", {of_pair, bytes}) : of_pair;
  }
  static std::string further(int k) { return k == 0 ? std::string() : text::fill(" + {}", {k}); }
  static bool has_view(const operand& o) { return o.ends_at_line || o.begins_at_line; }
  /// Which term, or line, element `k` of a copy has after the work-item's first.
  static int number(const operand& o, int pass, bool term, int k) {
    return term == o.terms_together ? k : pass * o.step();
  }

  /// The condition besides that element `k` of a copy is in the view of its operand.
  static std::string within_view(const operand& o, int pass, int k) {
    if (!has_view(o)) return {};
    const char* test = !o.begins_at_line ? "<=" : o.ends_at_line ? "==" : ">=";
    return text::fill(" && end - left + {}_term + {} {} {} + {}_line + {}",
                      {o.name, number(o, pass, true, k), test, o.first, o.name, number(o, pass, false, k)});
  }

  /// The same of slice `number`, which may be the last or beyond it.
  void copy_if_there(const std::string& slot, const std::string& number) {
    out_.open("if ({} < slices)", {number});
    out_.line("const long left = {} - {} * (long)({});", {terms(), tile_.depth, number});
    copy_slice(slot, true);
    out_.close();
  }
  std::string destination(const operand& o, int pass, const std::string& slot) const {
    const int bytes = element_bytes();
    if (!is_linear()) return text::fill("{}_to{} + {} * {}", {o.name, pass, slot, bytes * o.slice()});
    return text::fill(
        "{}_to0 + {} * {} + {}",
        {o.name, slot, bytes * o.slice(), bytes * pass * o.step() * (o.terms_together ? 1 : o.stride())});
  }
  std::string source(const operand& o, int pass) const {
    return text::fill("{}_from + {} * {}_by_pass", {o.name, pass, o.name});
  }
};

}  // namespace copied_tile
}  // namespace fusecl::kinds
