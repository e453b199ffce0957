#pragma once
#include <utility>

#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

/// Place of a work-item in its group: `lanes` side by side along the rows, `rounds` of them below each other.
FUSECL_INLINE std::string step_emitter::lane_numbers_in_group() const {
  return "const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = " +
         std::to_string(shape_.local) + " / lanes;";
}

FUSECL_INLINE void step_emitter::walk_tiles_gpu() {
  add_size(argument_kind::rows, "rows");
  if (s_.reduces) {
    add_size(argument_kind::cols, "cols");
    add_size(argument_kind::row_tiles, "row_tiles");
    add_size(argument_kind::lanes, "lanes");
    reduce_tiles_gpu();
    return;
  }
  add_size(argument_kind::count, "count");
  const writer before = std::exchange(out_, writer(1));
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  body(values, v_.width, "", "");
  const writer loop = std::exchange(out_, before);
  number_vectors_gpu(loop.text());
  out_.raw(loop.text());
}

/// Vector `e` of the domain, in column `j` from row `i` on: a vector number, or an element's where vectors
/// cross columns; its further elements are then in rows i1, i2, ... of columns j1, j2, ... Declares those of
/// these that `used` mentions.
FUSECL_INLINE void step_emitter::number_vectors_gpu(const std::string& used) {
  const std::string index = v_.large ? "const long " : "const uint ", cast = v_.large ? "" : "(uint)";
  const std::string rows = cast + "rows", own = v_.blocks ? "n" : "e";
  out_.line(index + own + " = get_global_id(0);");
  out_.line("if (" + own + " >= count) return;");
  if (v_.blocks) {
    add_size(argument_kind::cols, "cols");
    add_size(argument_kind::row_tile, "row_tile");
    out_.line("// blocks of rows in turn, so that caches keep what is read again for every column");
    out_.line(index + "size = row_tile * cols, block = n / size, inside = n - block * size;");
    out_.line(index + "first = block * " + cast + "row_tile, height = min(" + cast + "row_tile, " + rows +
              " - first);");
    out_.line(index + "j = inside / height, i = first + (inside - j * height), e = i + j * " + rows + ";");
    return;
  }
  const std::string at = v_.crossing ? "e * " + std::to_string(v_.width) : "e";
  const bool row = v_.crossing || mentions(used, "i");
  out_.line(index + "j = " + at + " / " + rows + (row ? ", i = " + at + " - j * " + rows : "") + ";");
  for (int k = 1; v_.crossing && k < v_.width; ++k) {
    const std::string id = std::to_string(k), below = "i + " + id;
    if (mentions(used, "i" + id))
      out_.line(index + "i" + id + " = " + below + " < " + rows + " ? " + below + " : " + below + " - " +
                rows + ";");
    if (mentions(used, "j" + id)) out_.line(index + "j" + id + " = j + (" + below + " >= " + rows + ");");
  }
}

FUSECL_INLINE void step_emitter::reduce_tiles_gpu() {
  const bool by_column = s_.axis == axis::column;
  const bool by_row = s_.axis == axis::row;
  add_size(by_column ? argument_kind::row_tile : argument_kind::col_tile,
           by_column ? "row_tile" : "col_tile");
  add_size(argument_kind::half, "first_stride");
  declare_shared(by_row ? v_.width : 1);
  out_.line(lane_numbers_in_group());
  out_.line(tile_numbers);
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  declare_accumulators(by_row ? "" : "_v", v_.width);
  if (by_column) {
    out_.line("const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, rows);");
    out_.open("if (down < rounds && j < cols)");
    out_.raw(unrolling());
    out_.open("for (long i = tile_i * row_tile + across; i < i_end; i += lanes)");
  } else {
    out_.line("const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);");
    out_.open("if (down < rounds && i < rows)");
    out_.raw(unrolling());
    out_.open("for (long j = tile_j * col_tile + down; j < j_end; j += rounds)");
  }
  visit(values, v_.width, by_row ? "" : "_v", "");
  out_.close();
  out_.close();
  if (by_row) {
    tree("rounds", "lanes", "down", v_.width);
    out_.open("if (down == 0 && i < rows)");
    finish_results("tile_j", "i", v_.width);
  } else {
    fold(false);
    if (by_column) {
      tree("lanes", "1", "across", 1, "down < rounds");  // the last lanes may fill no round
      out_.open("if (across == 0 && down < rounds && j < cols)");
      finish_results("tile_i", "j", 1);
    } else {
      tree(std::to_string(shape_.local), "1", "lane", 1);
      out_.open("if (lane == 0)");
      finish_results("get_group_id(0)", "0", 1);
    }
  }
  out_.close();
}

}  // namespace fusecl::codegen::detail
