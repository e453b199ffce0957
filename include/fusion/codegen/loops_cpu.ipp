#pragma once
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

/// Columns in turn, each in whole vectors and a scalar tail.
FUSECL_INLINE void step_emitter::walk_tiles_cpu() {
  add_size(argument_kind::rows, "rows");
  add_size(argument_kind::cols, "cols");
  add_size(argument_kind::row_tiles, "row_tiles");
  add_size(argument_kind::row_tile, "row_tile");
  add_size(argument_kind::col_tile, "col_tile");
  const bool by_column = s_.reduces && s_.axis == axis::column;
  const bool tail = v_.ragged && v_.width > 1;
  const std::string width = std::to_string(v_.width);
  out_.line(tile_numbers);
  out_.line(
      "const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);");
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  const int several = v_.accumulators;
  const auto start = [&] {
    declare_accumulators("_v", v_.width, several);
    if (tail) declare_accumulators("_s", 1);
  };
  if (s_.reduces && !by_column) start();
  out_.open("for (long j = tile_j * col_tile; j < j_end; ++j)");
  if (by_column) start();
  if (several > 1) visit_in_turn(values, "tile_i * row_tile", "i_end", v_.width);
  out_.line(std::string("long i = ") + (several > 1 ? "first;" : "tile_i * row_tile;"));
  out_.open("for (; i + " + width + " <= i_end; i += " + width + ")");
  visit(values, v_.width, "_v", several > 1 ? "[0]" : "");
  out_.close();
  if (tail) {
    out_.open("for (; i < i_end; ++i)");
    visit(values, 1, "_s", "");
    out_.close();
  }
  if (by_column) {
    fold(tail);
    finish_results("tile_i", "j", 1);
  }
  out_.close();
  if (s_.reduces && !by_column) {
    fold(tail);
    finish_results("get_group_id(0)", "0", 1);
  }
}

/// A tile of rows is accumulated in private memory while the columns pass by.
FUSECL_INLINE void step_emitter::walk_rows_cpu() {
  add_size(argument_kind::rows, "rows");
  add_size(argument_kind::cols, "cols");
  add_size(argument_kind::row_tiles, "row_tiles");
  add_size(argument_kind::col_tile, "col_tile");
  const int tile = static_cast<int>(schedule::cpu_row_tile);
  const bool tail = v_.ragged && v_.width > 1;
  const std::string width = std::to_string(v_.width);
  const std::string tile_text = std::to_string(tile);
  out_.line(tile_numbers);
  out_.line("const long i_begin = tile_i * " + tile_text + ", i_end = min(i_begin + " + tile_text +
            ", rows);");
  out_.line("const long j_end = min((tile_j + 1) * col_tile, cols);");
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  std::string clear;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string name = "r" + std::to_string(k);
    out_.line(vector_type(n.type, v_.width) + " " + name + "_v[" + std::to_string(tile / v_.width) + "];");
    if (tail) out_.line(vector_type(n.type, 1) + " " + name + "_s[" + width + "];");
    clear += name + "_v[k] = " + neutral_text(n) + "; ";
  }
  out_.line("for (int k = 0; k < " + std::to_string(tile / v_.width) + "; ++k) { " + clear + "}");
  if (tail)
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("for (int k = 0; k < " + width + "; ++k) r" + std::to_string(k) +
                "_s[k] = " + neutral_text(g_[s_.reductions[k]]) + ";");
  // light expressions take several columns at a time: an accumulator is loaded and stored once for all
  const int several = v_.accumulators;
  const auto columns = [&](int lanes, const std::string& suffix) {
    if (several == 1) {
      visit(values, lanes, suffix, "[k]");
      return;
    }
    out_.raw("#pragma unroll\n");
    out_.open("for (int c = 0; c < " + std::to_string(several) + "; ++c)");
    out_.line("const long j = first + c;");
    out_.line("if (j >= j_end) break;");
    visit(values, lanes, suffix, "[k]");
    out_.close();
  };
  if (several == 1)
    out_.open("for (long j = tile_j * col_tile; j < j_end; ++j)");
  else
    out_.open("for (long first = tile_j * col_tile; first < j_end; first += " + std::to_string(several) +
              ")");
  out_.line("long i = i_begin;");
  out_.open("for (int k = 0; i + " + width + " <= i_end; ++k, i += " + width + ")");
  columns(v_.width, "_v");
  out_.close();
  if (tail) {
    out_.open("for (int k = 0; i < i_end; ++k, ++i)");
    columns(1, "_s");
    out_.close();
  }
  out_.close();
  const auto take = [&](const std::string& suffix, int lanes) {
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      const std::string name = "r" + std::to_string(k);
      out_.line("const " + vector_type(g_[s_.reductions[k]].type, lanes) + " " + name + " = " + name +
                suffix + "[k];");
    }
    finish_results("tile_j", "i", lanes);
  };
  out_.line("long i = i_begin;");
  out_.open("for (int k = 0; i + " + width + " <= i_end; ++k, i += " + width + ")");
  take("_v", v_.width);
  out_.close();
  if (tail) {
    out_.open("for (int k = 0; i < i_end; ++k, ++i)");
    take("_s", 1);
    out_.close();
  }
}

}  // namespace fusecl::codegen::detail
