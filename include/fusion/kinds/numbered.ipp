#pragma once
// Element-wise steps on a GPU that tell rows and columns apart: every work-item takes the next vector of the
// domain. Its row and column take a division, which costs less than the uneven groups of a grid of tiles
// (H200: 0.98 to 0.99 of copy bandwidth against 0.96), and the columns need not divide into whole vectors.

#include <utility>

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace numbered_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::plan, schedule::step;

// Rows of a column vector, in vectors, that the caches of a GPU keep while a block of them is walked, and
// from which on blocks are worth their arithmetic (H200, 1e6 x 100: 0.96 of copy bandwidth against 0.93; 2e6
// x 50: 0.95 against 0.71).
inline constexpr std::int64_t block_rows = 131072;
inline constexpr std::int64_t tall_rows = 3 * block_rows;
// Rows from which on single elements in blocks beat vectors that cross columns.
inline constexpr std::int64_t tall_ragged_rows = 12 * block_rows;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::gpu && !s.is_tile() && !s.reduces;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols();
  const bool whole = rows % r.width == 0;
  const bool may_cross = r.s.cols != ir::one && !(r.s.reuses_rows && rows >= tall_ragged_rows);
  const std::int64_t width = r.padded && rows >= r.width && (whole || (may_cross && !r.s.maps)) ? r.width : 1;
  g.kernel.blocks = r.s.reuses_rows && rows % width == 0 && cols > 1 && rows / width >= tall_rows;
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.crossing = rows % width != 0;
  g.kernel.large = rows * cols >= std::int64_t{1} << 31;
  g.local = r.device.group;
  const std::int64_t count = divide_up(rows * cols, width);
  g.groups = divide_up(count, g.local);
  g.sizes = {{"rows", g.kernel.crossing ? rows : rows / width},
             {"count", count},
             {"cols", cols},
             {"row_tile", g.kernel.blocks ? block_rows : 0}};
  return g;
}

class emitter : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 protected:
  const char* index() const { return v_.large ? "long" : "uint"; }
  const char* rows() const { return v_.large ? "rows" : "(uint)rows"; }

  void walk() override {
    add_size("rows");
    add_size("count");
    const codegen::writer before = std::exchange(out_, codegen::writer(1));
    codegen::value_emitter values = domain_emitter();
    start(values);
    body(values, v_.width, "", "");
    const codegen::writer loop = std::exchange(out_, before);
    const std::string outside = s_.part == matrix_cl_view::Entire ? "" : test_of_outside();
    number_vectors(codegen::fill("{}{}", {outside, loop.text()}));
    if (!outside.empty()) out_.line("if ({}) return;", {outside});
    out_.raw(loop.text());
  }

  /// A test that vectors pass whose elements are all outside of the step's part.
  FUSECL_INLINE std::string test_of_outside() const {
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

 private:
  /// Vector `e` of the domain, in column `j` from row `i` on: a vector number, or an element's where vectors
  /// cross columns; its further elements are then in rows i1, i2, ... of columns j1, j2, ... Declares those
  /// of these that `used` mentions.
  void number_vectors(const std::string& used) {
    const char* own = v_.blocks ? "n" : "e";
    out_.line("const {} {} = get_global_id(0);", {index(), own});
    out_.line("if ({} >= count) return;", {own});
    if (v_.blocks) {
      add_size("cols");
      add_size("row_tile");
      const char* tile = v_.large ? "row_tile" : "(uint)row_tile";
      out_.line("// blocks of rows in turn, so that caches keep what is read again for every column");
      out_.line("const {} size = row_tile * cols, block = n / size, inside = n - block * size;", {index()});
      out_.line("const {} first = block * {}, height = min({}, {} - first);", {index(), tile, tile, rows()});
      out_.line("const {} j = inside / height, i = first + (inside - j * height), e = i + j * {};",
                {index(), rows()});
      return;
    }
    const std::string at = v_.crossing ? codegen::fill("e * {}", {v_.width}) : "e";
    if (v_.crossing || codegen::mentions(used, "i"))
      out_.line("const {} j = {} / {}, i = {} - j * {};", {index(), at, rows(), at, rows()});
    else
      out_.line("const {} j = {} / {};", {index(), at, rows()});
    for (int k = 1; v_.crossing && k < v_.width; ++k) {
      if (codegen::mentions(used, codegen::fill("i{}", {k})))
        out_.line("const {} i{} = i + {} < {} ? i + {} : i + {} - {};",
                  {index(), k, k, rows(), k, k, rows()});
      if (codegen::mentions(used, codegen::fill("j{}", {k})))
        out_.line("const {} j{} = j + (i + {} >= {});", {index(), k, k, rows()});
    }
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace numbered_walk

inline constexpr step_kind numbered{
    kind_order::numbered, "numbered",           "vectors of the domain by number",
    numbered_walk::takes, numbered_walk::shape, numbered_walk::emit};

}  // namespace fusecl::kinds
