#pragma once
// Element-wise steps on a GPU that tell rows and columns apart: every work-item takes the next vector of the
// domain. Its row and column take a division, which costs less than the uneven groups of a grid of tiles
// (H200: 0.98 to 0.99 of copy bandwidth against 0.96), and the columns need not divide into whole vectors.

#include <algorithm>
#include <utility>

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace numbered_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::plan, schedule::round_up, schedule::step;

// Rows of a column vector, in vectors, that the caches of a GPU keep while a block of them is walked, and
// from which on blocks are worth their arithmetic (H200, 1e6 x 100: 0.96 of copy bandwidth against 0.93; 2e6
// x 50: 0.95 against 0.71).
inline constexpr std::int64_t block_rows = 131072;
inline constexpr std::int64_t tall_rows = 3 * block_rows;
// Rows from which on single elements in blocks beat vectors that cross columns.
inline constexpr std::int64_t tall_ragged_rows = 12 * block_rows;

// Vectors' worth of elements that a work-item takes where elements come from or go to other places: several
// loads in flight, which no vector loads as their addresses are not aligned.
inline constexpr std::int64_t vectors_in_flight = 2;
// Columns that it takes where a vector that is scattered over memory, such as a diagonal, is read again for
// every column (H200, 1e4 x 1e4: 0.96 of copy bandwidth against 0.51).
inline constexpr std::int64_t columns_in_flight = 8;
// Bytes that memory moves as a whole. Where columns start within them, work-items that are neighbours begin
// at such a boundary in every column (H200, diagonal repeated over 9999 x 10001: 0.96 of copy bandwidth
// against 0.90).
inline constexpr std::int64_t sector_bytes = 32;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::gpu && !s.is_tile() && !s.reduces;
}

/// Elements of a result that memory moves as a whole, or 1 where all columns start with such a run.
inline std::int64_t sector_elements(const launch_request& r) {
  std::size_t smallest = sector_bytes;
  for (const schedule::store& result : r.s.stores)
    smallest = std::min(smallest, size_of(r.p.graph[result.value].type));
  const std::int64_t elements = sector_bytes / static_cast<std::int64_t>(smallest);
  return r.rows() % elements == 0 ? 1 : elements;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols();
  const bool whole = rows % r.width == 0;
  const bool may_cross = r.s.cols != ir::one && !(r.s.reuses_rows && rows >= tall_ragged_rows);
  std::int64_t width = r.padded && rows >= r.width && (whole || (may_cross && !r.s.maps)) ? r.width : 1;
  g.kernel.blocks = r.s.reuses_rows && rows % width == 0 && cols > 1 && rows / width >= tall_rows;
  const bool in_rounds = r.s.maps && !g.kernel.blocks;
  if (in_rounds) width = 1;
  const bool in_columns = in_rounds && r.s.reuses_rows && r.s.transposes && cols > 1;
  const std::int64_t align = in_columns ? sector_elements(r) : 1;
  const std::int64_t places = align > 1 ? round_up(rows + align - 1, align) : rows;
  const std::int64_t rounds = in_columns ? columns_in_flight : in_rounds ? vectors_in_flight * r.width : 1;
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.crossing = rows % width != 0;
  g.kernel.choices[0] = static_cast<std::uint16_t>(rounds);
  g.kernel.choices[1] = in_columns;
  g.kernel.choices[2] = static_cast<std::uint16_t>(align);
  g.kernel.large = rows * cols >= std::int64_t{1} << 31;
  g.local = r.device.group;
  const std::int64_t count =
      in_columns ? places * align * divide_up(cols, rounds * align) : divide_up(rows * cols, width);
  g.groups = divide_up(count, in_columns ? g.local : g.local * rounds);
  g.sizes = {{"rows", g.kernel.crossing ? rows : rows / width},
             {"count", count},
             {"cols", cols},
             {"row_tile", g.kernel.blocks ? block_rows : 0},
             {"places", places},
             {"rows_on", rows > 0 ? g.local % rows : 0, true},
             {"cols_on", rows > 0 ? g.local / rows : 0, true}};
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    add_size("rows");
    add_size("count");
    if (v_.choices[0] > 1) return walk_in_rounds();
    const codegen::writer before = std::exchange(out_, codegen::writer(1));
    codegen::value_emitter values = domain_emitter();
    start(values);
    body(values, v_.width, "", "");
    const codegen::writer loop = std::exchange(out_, before);
    const std::string outside = s_.part == matrix_cl_view::Entire ? "" : test_of_outside();
    number_vectors(outside + loop.text());
    if (!outside.empty()) out_.line("if ({}) return;", {outside});
    out_.raw(loop.text());
  }

  /// A test that vectors pass whose elements are all outside of the step's part.
  std::string test_of_outside() const {
    const std::string row = v_.crossing || v_.width == 1 ? "i" : codegen::fill("i * {}", {v_.width});
    const std::string above =
        v_.width == 1 ? codegen::fill("{} < j", {row}) : codegen::fill("{} + {} < j", {row, v_.width - 1});
    // what crosses into the next column begins above its diagonal
    const std::string below = v_.crossing
                                  ? codegen::fill("{} > j && {} + {} <= {}", {row, row, v_.width, rows()})
                                  : codegen::fill("{} > j", {row});
    if (s_.part == matrix_cl_view::Lower) return above;
    if (s_.part == matrix_cl_view::Upper) return below;
    return codegen::fill("{} || {}", {above, v_.crossing ? codegen::fill("({})", {below}) : below});
  }

  /// Several elements, with one division for all of them: `e`, a group's length apart, or those of
  /// neighbouring columns. All are loaded before the first is stored, without conditions, so that loads
  /// overlap (H200, copy of a block: 0.99 of copy bandwidth against 0.88); past the end they are of some
  /// element that is not stored.
  void walk_in_rounds() {
    add_size("cols");
    if (!in_columns()) {
      add_size("rows_on");
      add_size("cols_on");
    }
    codegen::value_emitter values = domain_emitter(), places = values;
    start(values);
    values.begin(access_to_domain(1));
    places.begin(access_to_domain(1));
    number_rounds();
    const std::string inside =
        s_.part == matrix_cl_view::Entire ? "" : codegen::fill("!({})", {test_of_outside()});
    std::vector<std::string> loaded;
    for (const schedule::store& result : s_.stores) {
      loaded.push_back(codegen::fill("y{}_k[k]", {loaded.size()}));
      out_.line("{} y{}_k[{}];", {{g_[result.value].type, 1}, loaded.size() - 1, rounds()});
    }
    in_each_round([&] {
      if (!inside.empty()) out_.open("if ({})", {inside});
      const std::vector<std::string> stored = texts_of(values, s_.stores);
      for (std::size_t k = 0; k < stored.size(); ++k) out_.line("{} = {};", {loaded[k], stored[k]});
      if (!inside.empty()) out_.close();
    });
    if (!in_columns()) out_.line("i = first - first / {} * {}, j = first / {};", {rows(), rows(), rows()});
    in_each_round([&] {
      const std::string too = inside.empty() ? "" : codegen::fill(" && {}", {inside});
      if (in_columns())
        out_.open("if ({}first + {} < {}{})",
                  {align() > 1 ? "within && " : "", column_of_round(), cols(), too});
      else
        out_.open("if (first + k * {} < count{})", {shape_.local, too});
      store_in_domain(places, s_.stores, loaded, 1);
      out_.close();
    });
  }

  int rounds() const { return v_.choices[0]; }
  bool in_columns() const { return v_.choices[1] != 0; }
  int align() const { return v_.choices[2]; }
  /// Which column a round takes, from the first one on: those that start alike.
  std::string column_of_round() const { return align() > 1 ? codegen::fill("k * {}", {align()}) : "k"; }
  const char* index() const { return v_.large ? "long" : "uint"; }
  const char* rows() const { return v_.large ? "rows" : "(uint)rows"; }
  const char* cols() const { return v_.large ? "cols" : "(uint)cols"; }

  /// The first element, or the row and the first column, of a work-item.
  void number_rounds() {
    if (in_columns()) {
      out_.line("const {} n = get_global_id(0);", {index()});
      out_.line("if (n >= count) return;");
      if (align() > 1) return number_aligned();
      out_.line("const {} first = n / {} * {}, i = n % {};", {index(), rows(), rounds(), rows()});
      return;
    }
    out_.line("const {} first = ({})get_group_id(0) * {} + get_local_id(0);",
              {index(), index(), rounds() * shape_.local});
    out_.line("{} j = first / {}, i = first - j * {};", {index(), rows(), rows()});
  }

  /// Every `align`-th column starts alike: a work-item takes such columns, from a row on that is as far from
  /// the start of a sector as its neighbours say.
  void number_aligned() {
    add_size("places");
    const char* places = v_.large ? "places" : "(uint)places";
    const int apart = align();
    out_.line("const {} set = n / {}, place = n % {};", {index(), places, places});
    out_.line("const {} first = set / {} * {} + set % {};", {index(), apart, rounds() * apart, apart});
    out_.line("const {} before = first * {} % {};", {index(), rows(), apart});
    out_.line("const bool within = place >= before && place - before < {};", {rows()});
    out_.line("const {} i = within ? place - before : 0;", {index()});
  }

  template <class Lines>
  void in_each_round(Lines lines) {
    out_.raw("#pragma unroll\n");
    out_.open("for (uint k = 0; k < {}; ++k)", {rounds()});
    const codegen::writer before = std::exchange(out_, out_.apart());
    lines();
    const codegen::writer round = std::exchange(out_, before);
    if (in_columns())
      out_.line("const {} j = min(first + {}, {} - 1);", {index(), column_of_round(), cols()});
    if (codegen::mentions(round.text(), "e")) {
      if (in_columns())
        out_.line("const {} e = i + j * {};", {index(), rows()});
      else
        out_.line("const {} e = min(first + k * {}, {} - 1);",
                  {index(), shape_.local, v_.large ? "count" : "(uint)count"});
    }
    out_.raw(round.text());
    if (!in_columns()) {
      out_.line("i += rows_on, j += cols_on;");
      out_.line("if (i >= {}) i -= {}, ++j;", {rows(), rows()});
      out_.line("j = min(j, {} - 1);", {cols()});
    }
    out_.close();
  }

  /// Vector `e` of the domain, in column `j` from row `i` on: a vector number, or an element's where vectors
  /// cross columns; its further elements are then in rows i1, i2, ... of columns j1, j2, ... Declares those
  /// of these that `used` mentions.
  void number_vectors(const std::string& used) {
    const char* index = v_.large ? "const long" : "const uint";
    const char* rows = v_.large ? "rows" : "(uint)rows";
    const char* own = v_.blocks ? "n" : "e";
    out_.line("{} {} = get_global_id(0);", {index, own});
    out_.line("if ({} >= count) return;", {own});
    if (v_.blocks) {
      add_size("cols");
      add_size("row_tile");
      const char* tile = v_.large ? "row_tile" : "(uint)row_tile";
      out_.line("// blocks of rows in turn, so that caches keep what is read again for every column");
      out_.line("{} size = row_tile * cols, block = n / size, inside = n - block * size;", {index});
      out_.line("{} first = block * {}, height = min({}, {} - first);", {index, tile, tile, rows});
      out_.line("{} j = inside / height, i = first + (inside - j * height), e = i + j * {};", {index, rows});
      return;
    }
    const std::string at = v_.crossing ? codegen::fill("e * {}", {v_.width}) : "e";
    if (v_.crossing || codegen::mentions(used, "i"))
      out_.line("{} j = {} / {}, i = {} - j * {};", {index, at, rows, at, rows});
    else
      out_.line("{} j = {} / {};", {index, at, rows});
    for (int k = 1; v_.crossing && k < v_.width; ++k) {
      if (codegen::mentions(used, codegen::fill("i{}", {k})))
        out_.line("{} i{} = i + {} < {} ? i + {} : i + {} - {};", {index, k, k, rows, k, k, rows});
      if (codegen::mentions(used, codegen::fill("j{}", {k})))
        out_.line("{} j{} = j + (i + {} >= {});", {index, k, k, rows});
    }
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace numbered_walk

inline constexpr step_kind numbered{"numbered", "vectors of the domain by number", numbered_walk::takes,
                                    numbered_walk::shape, numbered_walk::emit};

}  // namespace fusecl::kinds
