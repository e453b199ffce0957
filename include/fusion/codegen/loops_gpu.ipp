#pragma once
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

/// Place of a work-item in its group: `lanes` side by side along the rows, `rounds` of them below each other.
FUSECL_INLINE std::string step_emitter::lane_numbers_in_group() const {
  return "const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = " +
         std::to_string(shape_.local) + " / lanes;";
}

FUSECL_INLINE void step_emitter::walk_tiles_gpu() {
  add_size(argument_kind::rows, "rows");
  add_size(argument_kind::cols, "cols");
  add_size(argument_kind::row_tiles, "row_tiles");
  add_size(argument_kind::lanes, "lanes");
  if (s_.reduces) {
    reduce_tiles_gpu();
    return;
  }
  const std::string columns = std::to_string(schedule::gpu_columns);
  out_.line(tile_numbers);
  out_.line(lane_numbers_in_group());
  out_.line("const long i = tile_i * lanes + across, j_begin = tile_j * " + columns + " * rounds + down;");
  out_.line("if (i >= rows || down >= rounds) return;");
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  names_around_ = values.has_declared();
  out_.raw("#pragma unroll\n");
  out_.open("for (long k = 0; k < " + columns + "; ++k)");
  out_.line("const long j = j_begin + k * rounds;");
  out_.line("if (j >= cols) break;");
  out_.line("const long e = i + j * rows;");
  body(values, v_.width, "", "");
  out_.close();
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
  out_.line("const long e = i + j * rows;");
  body(values, v_.width, by_row ? "" : "_v", "");
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
