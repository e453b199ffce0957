#pragma once
// Reductions along rows on a CPU: a tile of rows is accumulated in private memory while the columns pass by.

#include <algorithm>

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace rows_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::leave_parts, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == device_form::cpu && !s.is_tile() && !s.scans && s.reduces && s.axis == ir::axis::row;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  cpu_vectors(g, r);
  const std::int64_t rows = r.rows(), cols = r.cols(), wanted = cpu_turns(r.device);
  const std::int64_t row_tiles = std::max<std::int64_t>(1, divide_up(rows, cpu_row_tile));
  const std::int64_t parts = std::clamp<std::int64_t>(
      wanted / row_tiles, 1, std::max<std::int64_t>(rows * cols / (2 * cpu_part), 1));
  const std::int64_t col_tile = std::max<std::int64_t>(1, divide_up(cols, parts));
  const std::int64_t col_tiles = std::max<std::int64_t>(1, divide_up(cols, col_tile));
  g.groups = row_tiles * col_tiles;
  g.sizes = {{"rows", rows}, {"cols", cols}, {"row_tiles", row_tiles, true}, {"col_tile", col_tile}};
  leave_parts(g, r, col_tiles, 1);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  bool tail() const { return v_.ragged && v_.width > 1; }

  void walk() override {
    for (const char* name : {"rows", "cols", "row_tiles", "col_tile"}) add_size(name);
    out_.line(codegen::detail::tile_numbers);
    out_.line("const long i_begin = tile_i * {}, i_end = min(i_begin + {}, rows);",
              {cpu_row_tile, cpu_row_tile});
    const bool late = s_.is_above_diagonal(), early = s_.is_below_diagonal();
    const char* j_begin = late ? "max(tile_j * col_tile, i_begin)" : "tile_j * col_tile";
    out_.line("const long j_end = min((tile_j + 1) * col_tile, {});", {early ? "min(i_end, cols)" : "cols"});
    codegen::value_emitter values = domain_emitter();
    start(values);
    declare_sums("");
    clear_sums("", codegen::fill("{}", {cpu_row_tile / v_.width}), codegen::fill("{}", {v_.width}));
    // light expressions take several columns at a time: an accumulator is loaded and stored once for all
    const int several = v_.accumulators;
    const bool few = has_running();  // reducing_emitter::visit_whole
    if (few) {
      out_.line("const int whole = (int)((i_end - i_begin) / {}), rest = (int)((i_end - i_begin) % {});",
                {v_.width, v_.width});
      declare_sums("_few");
      out_.open("for (long first = {}; first < j_end; first += {})", {j_begin, few_vectors});
      out_.line("const long until = min(first + {}, j_end);", {few_vectors});
      clear_sums("_few", "whole", "rest");
      out_.open("for (long j = first; j < until; ++j)");
    } else if (several == 1) {
      out_.open("for (long j = {}; j < j_end; ++j)", {j_begin});
    } else {
      out_.open("for (long first = {}; first < j_end; first += {})", {j_begin, several});
    }
    over_rows_of_part(several == 1 ? "j" : "first", several, early, late);
    take_columns(values, v_.width, few ? "_v_few" : "_v");
    out_.close();
    if (tail()) {
      if (s_.part != matrix_cl_view::Entire)
        out_.line("i = i_begin + (i_end - i_begin) / {} * {};", {v_.width, v_.width});
      over_rows(true);
      take_columns(values, 1, few ? "_s_few" : "_s");
      out_.close();
    }
    out_.close();
    if (few) {
      merge_few();
      out_.close();
    }
    out_.line("long i = i_begin;");
    over_rows(false);
    finish_rows("_v", v_.width);
    out_.close();
    if (tail()) {
      over_rows(true);
      finish_rows("_s", 1);
      out_.close();
    }
  }

  void declare_sums(const char* more) {
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      const scalar_type type = g_[s_.reductions[k]].type;
      out_.line("{} r{}_v{}[{}];", {codegen::vector_type(type, v_.width), k, more, cpu_row_tile / v_.width});
      if (tail()) out_.line("{} r{}_s{}[{}];", {codegen::vector_type(type, 1), k, more, v_.width});
    }
  }

  /// Those of `whole` vectors and `rest` rows of the tail.
  void clear_sums(const char* more, const std::string& whole, const std::string& rest) {
    std::string clear;
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      clear +=
          codegen::fill("r{}_v{}[k] = {}; ", {k, more, codegen::detail::neutral_text(g_[s_.reductions[k]])});
    out_.line("for (int k = 0; k < {}; ++k) { {}}", {whole, clear});
    if (tail())
      for (std::size_t k = 0; k < s_.reductions.size(); ++k)
        out_.line("for (int k = 0; k < {}; ++k) r{}_s{}[k] = {};",
                  {rest, k, more, codegen::detail::neutral_text(g_[s_.reductions[k]])});
  }

  void merge_few() {
    out_.open("for (int k = 0; k < whole; ++k)");
    merge("r{}_v[k]", "r{}_v_few[k]", v_.width);
    out_.close();
    if (!tail()) return;
    out_.open("for (int k = 0; k < rest; ++k)");
    merge("r{}_s[k]", "r{}_s_few[k]", 1);
    out_.close();
  }

  void over_rows(bool rest) {
    if (rest)
      out_.open("for (int k = 0; i < i_end; ++k, ++i)");
    else
      out_.open("for (int k = 0; i + {} <= i_end; ++k, i += {})", {v_.width, v_.width});
  }

  /// The vectors of rows that are not outside of the part in all of `several` columns from `first` on.
  void over_rows_of_part(const char* first, int several, bool early, bool late) {
    if (s_.part == matrix_cl_view::Entire) {
      out_.line("long i = i_begin;");
      return over_rows(false);
    }
    if (early) out_.line("const int k_first = (int)(max({} - i_begin, 0L) / {});", {first, v_.width});
    if (late) out_.line("const long i_last = min(i_end, {} + {});", {first, several + v_.width - 1});
    out_.line(early ? "long i = i_begin + k_first * {};" : "long i = i_begin;", {v_.width});
    out_.open("for (int k = {}; i + {} <= {}; ++k, i += {})",
              {early ? "k_first" : "0", v_.width, late ? "i_last" : "i_end", v_.width});
  }

  void take_columns(codegen::value_emitter& values, int lanes, const char* suffix) {
    if (v_.accumulators == 1) {
      visit(values, lanes, suffix, "[k]");
      return;
    }
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < {}; ++c)", {v_.accumulators});
    out_.line("const long j = first + c;");
    out_.line("if (j >= j_end) break;");
    visit(values, lanes, suffix, "[k]");
    out_.close();
  }

  void finish_rows(const char* suffix, int lanes) {
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      const ir::node& n = g_[s_.reductions[k]];
      out_.line("{}{} r{} = r{}{}[k];",
                {misses_zeros(n) ? "" : "const ", codegen::vector_type(n.type, lanes), k, k, suffix});
    }
    finish_results("tile_j", "i", lanes);
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace rows_walk

inline constexpr step_kind rows{
    kind_order::rows, "rows",           "tiles of rows that accumulate while the columns pass",
    rows_walk::takes, rows_walk::shape, rows_walk::emit};

}  // namespace fusecl::kinds
