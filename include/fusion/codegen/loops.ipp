#pragma once
// The walks of a step: how its loops are written for each pattern and device form.

#include <fusion/codegen/emit.ipp>

namespace fusecl::codegen::detail {

inline std::string lane_numbers(scalar_type type, int lanes) {
  std::string text = "(" + vector_type(type, lanes) + ")(0";
  for (int k = 1; k < lanes; ++k) text += ", " + std::to_string(k);
  return text + ")";
}

inline std::string group_of(const std::string& tile) { return "(long)get_group_id(0) " + tile; }
/// Row and column number of a group's tile. Groups are counted in 32 bits: their division is cheap.
inline const char* const tile_numbers =
    "const uint group = get_group_id(0);\n"
    "  const long tile_i = group % row_tiles, tile_j = group / row_tiles;";

inline void step_emitter::declare_accumulators(const std::string& suffix, int lanes) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    out_.line(vector_type(n.type, lanes) + " r" + std::to_string(k) + suffix + " = " + neutral_text(n) + ";");
  }
}

/// Values of one element (or vector of elements): stores, then accumulations into r<k><suffix>.
inline void step_emitter::body(value_emitter& values, int lanes, const std::string& suffix,
                               const std::string& accumulator_index) {
  lanes_ = lanes;
  const bool linear = s_.walk == pattern::linear;
  access how;
  how.lanes = lanes;
  how.self = this;
  how.load = linear ? load_linear : load_tiled;
  how.col = "(int)j";
  how.row = lanes == 1 ? "(int)i"
            : cpu_     ? "((int)i + " + lane_numbers(scalar_type::int32, lanes) + ")"
                       : "((int)i * " + std::to_string(lanes) + " + " + lane_numbers(scalar_type::int32, lanes) + ")";
  values.begin(how);
  std::vector<std::string> stored, added;
  for (const schedule::store& result : s_.stores) stored.push_back(values.stored(out_, result.value));
  for (node_id id : s_.reductions) added.push_back(values.value(out_, g_[id].operands[0]));
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::string name = buffer_name(s_.stores[k].to);
    const node& n = g_[s_.stores[k].value];
    const bool single = g_.resolve(n.rows) == ir::one && g_.resolve(n.cols) == ir::one;
    const std::string at = single ? "0" : linear ? "i" : g_.resolve(n.cols) == ir::one ? "i"
                                                     : g_.resolve(n.rows) == ir::one   ? "j"
                                                                                       : "e";
    if (cpu_ && !linear && lanes > 1)
      out_.line("vstore" + std::to_string(lanes) + "(" + stored[k] + ", 0, " + name + " + " + at + ");");
    else
      out_.line(name + "[" + at + "] = " + stored[k] + ";");
  }
  for (std::size_t k = 0; k < added.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string r = "r" + std::to_string(k) + suffix + accumulator_index;
    std::string value = added[k];
    if (linear && v_.ragged && lanes > 1) {
      const std::string inside = size_of(n.type) == 8 ? "inside" : "convert_int" + std::to_string(lanes) + "(inside)";
      const std::string neutral = "(" + vector_type(n.type, lanes) + ")(" + neutral_text(n) + ")";
      value = inside + " ? " + value + " : " + neutral;
    }
    out_.line(r + " = " + combined(n, r, value, lanes) + ";");
  }
}

/// Turns vector accumulators (and those of a scalar tail) into single elements named r0, r1, ...
inline void step_emitter::fold(bool with_tail) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string name = "r" + std::to_string(k);
    std::string current = name + "_v";
    for (int lanes = v_.width / 2; lanes >= 1; lanes /= 2) {
      const std::string next = lanes == 1 ? name : name + "_" + std::to_string(lanes);
      std::string text = combined(n, current + ".lo", current + ".hi", lanes);
      if (lanes == 1 && with_tail) text = combined(n, text, name + "_s", 1);
      out_.line((lanes == 1 ? "" : "const ") + vector_type(n.type, lanes) + " " + next + " = " + text + ";");
      current = next;
    }
    if (v_.width == 1) out_.line(vector_type(n.type, 1) + " " + name + " = " + name + "_v;");
  }
}

/// Combines the accumulators of `count` work-items, `apart` from each other, whose number among them is `self`.
/// The kernel argument `first_stride` starts them.
inline void step_emitter::tree(const std::string& count, const std::string& apart, const std::string& self,
                               int lanes) {
  const std::string partner = apart == "1" ? "stride" : "stride * " + apart;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string id = std::to_string(k);
    out_.line("shared" + id + "[lane] = r" + id + ";");
  }
  out_.open("for (uint stride = first_stride; stride > 0; stride /= 2)");
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.open("if (" + self + " < stride && " + self + " + stride < " + count + ")");
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string at = "shared" + std::to_string(k);
    out_.line(at + "[lane] = " +
              combined(g_[s_.reductions[k]], at + "[lane]", at + "[lane + " + partner + "]", lanes) + ";");
  }
  out_.close();
  out_.close();
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("r" + std::to_string(k) + " = shared" + std::to_string(k) + "[lane];");
}

/// Writes the results of the reductions: as part `part` of the partial results, or through the epilogue.
inline void step_emitter::finish_results(const std::string& part, const std::string& index, int lanes) {
  if (!v_.partial) {
    run_epilogue(index, lanes);
    return;
  }
  const std::string stride = s_.axis == axis::row ? "rows" : s_.axis == axis::column ? "cols" : "";
  const std::string at = stride.empty() ? part : index + " + " + part + " * " + stride;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string id = std::to_string(k);
    if (cpu_ && lanes > 1)
      out_.line("vstore" + std::to_string(lanes) + "(r" + id + ", 0, p" + id + " + " + at + ");");
    else
      out_.line("p" + id + "[" + at + "] = r" + id + ";");
  }
}

/// Values over the shape of the reductions' results, from registers r0, r1, ... and memory.
inline void step_emitter::run_epilogue(const std::string& index, int lanes) {
  value_emitter values = emitter(after_, true);
  lanes_ = lanes;
  result_index_ = index;
  values.uniforms(out_);
  access how;
  how.lanes = lanes;
  how.self = this;
  how.load = load_result;
  const std::string number = "(int)" + index;
  how.row = s_.axis == axis::row ? (lanes == 1 ? number
                                    : cpu_ ? "(" + number + " + " + lane_numbers(scalar_type::int32, lanes) + ")"
                                           : "(" + number + " * " + std::to_string(lanes) + " + " +
                                                 lane_numbers(scalar_type::int32, lanes) + ")")
                                 : "0";
  how.col = s_.axis == axis::column ? number : "0";
  values.begin(how);
  std::vector<std::string> stored;
  for (const schedule::store& result : s_.epilogue) stored.push_back(values.stored(out_, result.value));
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::string name = buffer_name(s_.epilogue[k].to);
    const std::string at = s_.axis == axis::all ? "0" : index;
    if (cpu_ && lanes > 1)
      out_.line("vstore" + std::to_string(lanes) + "(" + stored[k] + ", 0, " + name + " + " + at + ");");
    else
      out_.line(name + "[" + at + "] = " + stored[k] + ";");
  }
}

/// Local memory in which a group combines its accumulators.
inline void step_emitter::declare_shared(int lanes) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("local " + vector_type(g_[s_.reductions[k]].type, lanes) + " shared" + std::to_string(k) + "[" +
              std::to_string(shape_.local) + "];");
}

inline void step_emitter::walk_linear() {
  add_size(argument_kind::count, "count");
  if (cpu_ || s_.reduces) add_size(argument_kind::chunk, "chunk");
  if (v_.ragged) add_size(argument_kind::elements, "elements");
  value_emitter values = emitter(domain_, false);
  const std::string local = std::to_string(shape_.local);
  if (!s_.reduces && !cpu_) {
    out_.line("const long i = get_global_id(0);");
    out_.line("if (i >= count) return;");
    values.uniforms(out_);
    body(values, v_.width, "", "");
    return;
  }
  out_.line("const long begin = " + group_of("* chunk") + ";");
  out_.line("const long end = min(begin + chunk, count);");
  values.uniforms(out_);
  declare_accumulators("_v", v_.width);
  if (s_.reduces && !cpu_) {
    declare_shared(1);
    out_.line("const uint lane = get_local_id(0);");
    if (s_.stores.empty()) out_.raw("#pragma unroll 4\n");
    out_.open("for (long i = begin + lane; i < end; i += " + local + ")");
  } else {
    out_.open("for (long i = begin; i < end; ++i)");
  }
  if (v_.ragged) {
    const std::string mask = vector_type(scalar_type::int64, v_.width);
    out_.line("const " + mask + " inside = (" + mask + ")(i * " + std::to_string(v_.width) + ") + " +
              lane_numbers(scalar_type::int64, v_.width) + " < elements;");
  }
  body(values, v_.width, "_v", "");
  out_.close();
  if (!s_.reduces) return;
  fold(false);
  if (!cpu_) {
    add_size(argument_kind::half, "first_stride");
    tree(local, "1", "lane", 1);
    out_.open("if (lane == 0)");
  }
  finish_results("get_group_id(0)", "0", 1);
  if (!cpu_) out_.close();
}

/// Place of a work-item in its group: `lanes` side by side along the rows, `rounds` of them below each other.
inline std::string step_emitter::lane_numbers_in_group() const {
  return "const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = " +
         std::to_string(shape_.local) + " / lanes;";
}

inline void step_emitter::walk_tiles_gpu() {
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
  out_.raw("#pragma unroll\n");
  out_.open("for (long k = 0; k < " + columns + "; ++k)");
  out_.line("const long j = j_begin + k * rounds;");
  out_.line("if (j >= cols) break;");
  out_.line("const long e = i + j * rows;");
  body(values, v_.width, "", "");
  out_.close();
}

inline void step_emitter::reduce_tiles_gpu() {
  const bool by_column = s_.axis == axis::column;
  const bool by_row = s_.axis == axis::row;
  add_size(by_column ? argument_kind::row_tile : argument_kind::col_tile, by_column ? "row_tile" : "col_tile");
  add_size(argument_kind::half, "first_stride");
  declare_shared(by_row ? v_.width : 1);
  out_.line(lane_numbers_in_group());
  out_.line(tile_numbers);
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  declare_accumulators(by_row ? "" : "_v", v_.width);
  const bool unroll = s_.stores.empty();
  if (by_column) {
    out_.line("const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, rows);");
    out_.open("if (down < rounds && j < cols)");
    if (unroll) out_.raw("#pragma unroll 4\n");
    out_.open("for (long i = tile_i * row_tile + across; i < i_end; i += lanes)");
  } else {
    out_.line("const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);");
    out_.open("if (down < rounds && i < rows)");
    if (unroll) out_.raw("#pragma unroll 4\n");
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
      tree("lanes", "1", "across", 1);
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

/// Columns in turn, each in whole vectors and a scalar tail.
inline void step_emitter::walk_tiles_cpu() {
  add_size(argument_kind::rows, "rows");
  add_size(argument_kind::cols, "cols");
  add_size(argument_kind::row_tiles, "row_tiles");
  add_size(argument_kind::row_tile, "row_tile");
  add_size(argument_kind::col_tile, "col_tile");
  const bool by_column = s_.reduces && s_.axis == axis::column;
  const bool tail = v_.ragged && v_.width > 1;
  const std::string width = std::to_string(v_.width);
  out_.line(tile_numbers);
  out_.line("const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);");
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  const auto start = [&] {
    declare_accumulators("_v", v_.width);
    if (tail) declare_accumulators("_s", 1);
  };
  if (s_.reduces && !by_column) start();
  out_.open("for (long j = tile_j * col_tile; j < j_end; ++j)");
  if (by_column) start();
  out_.line("long i = tile_i * row_tile;");
  out_.open("for (; i + " + width + " <= i_end; i += " + width + ")");
  out_.line("const long e = i + j * rows;");
  body(values, v_.width, "_v", "");
  out_.close();
  if (tail) {
    out_.open("for (; i < i_end; ++i)");
    out_.line("const long e = i + j * rows;");
    body(values, 1, "_s", "");
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
inline void step_emitter::walk_rows_cpu() {
  add_size(argument_kind::rows, "rows");
  add_size(argument_kind::cols, "cols");
  add_size(argument_kind::row_tiles, "row_tiles");
  add_size(argument_kind::col_tile, "col_tile");
  const int tile = static_cast<int>(schedule::cpu_row_tile);
  const bool tail = v_.ragged && v_.width > 1;
  const std::string width = std::to_string(v_.width);
  const std::string tile_text = std::to_string(tile);
  out_.line(tile_numbers);
  out_.line("const long i_begin = tile_i * " + tile_text + ", i_end = min(i_begin + " + tile_text + ", rows);");
  out_.line("const long j_end = min((tile_j + 1) * col_tile, cols);");
  value_emitter values = emitter(domain_, false);
  values.uniforms(out_);
  std::string clear;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string name = "r" + std::to_string(k);
    out_.line(vector_type(n.type, v_.width) + " " + name + "_v[" + std::to_string(tile / v_.width) + "];");
    if (tail) out_.line(vector_type(n.type, 1) + " " + name + "_s[" + width + "];");
    clear += name + "_v[k] = " + neutral_text(n) + "; ";
    if (tail) clear += "";
  }
  out_.line("for (int k = 0; k < " + std::to_string(tile / v_.width) + "; ++k) { " + clear + "}");
  if (tail)
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("for (int k = 0; k < " + width + "; ++k) r" + std::to_string(k) +
                "_s[k] = " + neutral_text(g_[s_.reductions[k]]) + ";");
  out_.open("for (long j = tile_j * col_tile; j < j_end; ++j)");
  out_.line("long i = i_begin;");
  out_.open("for (int k = 0; i + " + width + " <= i_end; ++k, i += " + width + ")");
  out_.line("const long e = i + j * rows;");
  body(values, v_.width, "_v", "[k]");
  out_.close();
  if (tail) {
    out_.open("for (int k = 0; i < i_end; ++k, ++i)");
    out_.line("const long e = i + j * rows;");
    body(values, 1, "_s", "[k]");
    out_.close();
  }
  out_.close();
  const auto take = [&](const std::string& suffix, int lanes) {
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      const std::string name = "r" + std::to_string(k);
      out_.line("const " + vector_type(g_[s_.reductions[k]].type, lanes) + " " + name + " = " + name + suffix +
                "[k];");
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

inline void step_emitter::finish_kernel() {
  for (const schedule::store& result : s_.epilogue) declare(result, 1);
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    add_argument({argument_kind::partial, static_cast<std::int64_t>(k)},
                 "global const " + vector_type(g_[s_.reductions[k]].type, 1) + "* p" + std::to_string(k));
  const schedule::variant whole = v_;
  v_ = {};
  add_buffers(after_, true, 1);
  add_size(argument_kind::results, "results");
  add_size(argument_kind::parts, "parts");
  if (cpu_) {
    const std::string tile = std::to_string(schedule::cpu_finish_tile);
    out_.line("const long begin = " + group_of("* " + tile) + ", end = min(begin + " + tile + ", results);");
    out_.open("for (long i = begin; i < end; ++i)");
    declare_accumulators("", 1);
    out_.open("for (long part = 0; part < parts; ++part)");
  } else {
    declare_shared(1);
    add_size(argument_kind::finish_lanes, "lanes");
    add_size(argument_kind::finish_half, "first_stride");
    out_.line(lane_numbers_in_group());
    out_.line("const long i = " + group_of("* lanes + across;"));
    declare_accumulators("", 1);
    out_.open("if (i < results && down < rounds)");
    out_.raw("#pragma unroll 4\n");
    out_.open("for (long part = down; part < parts; part += rounds)");
  }
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string r = "r" + std::to_string(k);
    out_.line(r + " = " +
              combined(g_[s_.reductions[k]], r, "p" + std::to_string(k) + "[i + part * results]", 1) + ";");
  }
  out_.close();
  if (!cpu_) {
    out_.close();
    tree("rounds", "lanes", "down", 1);
    out_.open("if (down == 0 && i < results)");
  }
  run_epilogue("i", 1);
  out_.close();
  v_ = whole;
}

}  // namespace fusecl::codegen::detail
