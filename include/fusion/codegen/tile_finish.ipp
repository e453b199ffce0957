#pragma once
// What follows when all tiles have left their parts: the sections of a row tile, each added and finished.

#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

/// Combines the parts at `index` into r<k>.
FUSECL_INLINE void tile_emitter::add_section(const schedule::section& own, const std::string& index) {
  for (node_id id : own.reductions) {
    const std::string k = std::to_string(number_of_reduction(id)), r = "r" + k;
    out_.line(r + " = " + combined(g_[id], r, "p" + k + "[" + index + "]", 1) + ";");
  }
}

/// Stores what follows from the sums r<k> of a section.
FUSECL_INLINE void tile_emitter::finish_section(const schedule::section& own, const std::string& index) {
  std::vector<node_id> ids;
  for (const schedule::store& r : own.epilogue) ids.push_back(r.value);
  value_emitter values = emitter_of(ids, true);
  lanes_ = 1;
  result_index_ = index;
  values.uniforms(out_);
  access how;
  how.self = this;
  how.load = load_result;
  how.row = "0";
  how.col = own.axis == axis::column ? "(int)" + index : "0";
  how.in_order = true;
  how.lane_rows = {"0"};
  how.lane_cols = {own.axis == axis::column ? "(long)" + index : "0"};
  values.begin(how);
  std::vector<std::string> stored;
  for (node_id id : ids) stored.push_back(values.stored(out_, id));
  for (std::size_t k = 0; k < stored.size(); ++k)
    out_.line(buffer_name(own.epilogue[k].to) + "[" + (own.axis == axis::all ? "0" : index) +
              "] = " + stored[k] + ";");
}

FUSECL_INLINE void tile_emitter::finish_gpu() {
  for (const schedule::store& r : s_.epilogue) declare(r, 1);
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    add_argument({argument_kind::partial, static_cast<std::int64_t>(k)},
                 "global const " + vector_type(g_[s_.reductions[k]].type, 1) + "* p" + std::to_string(k));
  add_buffers(after_, true, 1);
  add_argument({argument_kind::finish_size, 0}, "const long parts");
  const int local = static_cast<int>(shape_.local);
  out_.line("const long group = get_group_id(0);");
  out_.line("const uint lane = get_local_id(0);");
  out_.line("local long together[" + std::to_string(local) + "];");
  for (std::size_t e = 0; e < s_.sections.size(); ++e) {
    const schedule::section& own = s_.sections[e];
    const bool all = own.axis == axis::all;
    const int across = all ? 1 : std::min(32, local), rounds = local / across;
    const std::string number = std::to_string(e), wide = std::to_string(across);
    const auto size = [&](const std::string& name, std::size_t at) {
      add_argument({argument_kind::finish_size, static_cast<std::int64_t>(at)},
                   "const long " + name + number);
    };
    size("results", 1 + 2 * e);
    size("groups", 2 + 2 * e);
    // every group passes all barriers; those of other sections have nothing to add
    out_.open("");
    const std::string before = e ? "groups" + std::to_string(e - 1) : "0";
    out_.line("const uint down = lane / " + wide + ";");
    out_.line("const long i = (group - " + before + ") * " + wide + " + lane % " + wide + ";");
    out_.line("const bool taken = group >= " + before + " && group < groups" + number + " && i < results" +
              number + ";");
    for (node_id id : own.reductions)
      out_.line(vector_type(g_[id].type, 1) + " r" + std::to_string(number_of_reduction(id)) + " = " +
                neutral_text(g_[id]) + ";");
    out_.open("if (taken)");
    out_.raw("#pragma unroll 4\n");
    out_.open("for (long part = down; part < parts; part += " + std::to_string(rounds) + ")");
    add_section(own, "i + part * results" + number);
    out_.close();
    out_.close();
    for (node_id id : own.reductions) {
      const node& n = g_[id];
      const std::string r = "r" + std::to_string(number_of_reduction(id)), type = vector_type(n.type, 1);
      const std::string place = "((local " + type + "*)together)";
      if (rounds > 1) {
        out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
        out_.line(place + "[lane] = " + r + ";");
        for (int stride = rounds / 2; stride > 0; stride /= 2) {
          out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
          out_.line(
              "if (down < " + std::to_string(stride) + ") " + place + "[lane] = " +
              combined(n, place + "[lane]", place + "[lane + " + std::to_string(stride * across) + "]", 1) +
              ";");
        }
        out_.line(r + " = " + place + "[lane];");
      }
    }
    out_.open("if (taken && down == 0)");
    finish_section(own, "i");
    out_.close();
    out_.close();
  }
}

/// One work-item goes through the results of a section: all of them, or a tile of them.
FUSECL_INLINE void tile_emitter::finish_cpu(bool last_group) {
  if (!last_group) {
    for (const schedule::store& r : s_.epilogue) declare(r, 1);
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      add_argument({argument_kind::partial, static_cast<std::int64_t>(k)},
                   "global const " + vector_type(g_[s_.reductions[k]].type, 1) + "* p" + std::to_string(k));
    add_buffers(after_, true, 1);
    add_argument({argument_kind::finish_size, 0}, "const long parts");
    out_.line("const long group = get_group_id(0);");
  }
  const std::string tile = std::to_string(schedule::cpu_finish_tile);
  for (std::size_t e = 0; e < s_.sections.size(); ++e) {
    const schedule::section& own = s_.sections[e];
    const std::string number = std::to_string(e);
    std::string results = own.axis == axis::all ? "1" : columns_name(own.cols);
    if (last_group) {
      out_.open("for (long i = 0; i < " + results + "; ++i)");
    } else {
      results = "results" + number;
      add_argument({argument_kind::finish_size, static_cast<std::int64_t>(1 + 2 * e)},
                   "const long " + results);
      add_argument({argument_kind::finish_size, static_cast<std::int64_t>(2 + 2 * e)},
                   "const long groups" + number);
      out_.open(std::string(e ? "else " : "") + "if (group < groups" + number + ")");
      const std::string first = e ? "(group - groups" + std::to_string(e - 1) + ")" : "group";
      out_.line("const long begin = " + first + " * " + tile + ", end = min(begin + " + tile + ", " +
                results + ");");
      out_.open("for (long i = begin; i < end; ++i)");
    }
    for (node_id id : own.reductions)
      out_.line(vector_type(g_[id].type, 1) + " r" + std::to_string(number_of_reduction(id)) + " = " +
                neutral_text(g_[id]) + ";");
    out_.open(std::string("for (long part = 0; part < ") + (last_group ? "get_num_groups(0)" : "parts") +
              "; ++part)");
    add_section(own, "i + part * " + results);
    out_.close();
    finish_section(own, "i");
    out_.close();
    if (!last_group) out_.close();
  }
}

}  // namespace fusecl::codegen::detail
