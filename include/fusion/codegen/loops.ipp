#pragma once
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE std::string lane_numbers(scalar_type type, int lanes) {
  std::string text = "(" + vector_type(type, lanes) + ")(0";
  for (int k = 1; k < lanes; ++k) text += ", " + std::to_string(k);
  return text + ")";
}

FUSECL_INLINE std::string group_of(const std::string& tile) { return "(long)get_group_id(0) " + tile; }

FUSECL_INLINE void step_emitter::declare_accumulators(const std::string& suffix, int lanes, int count) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string name = "r" + std::to_string(k) + suffix;
    const std::string start = " = " + neutral_text(n) + ";";
    if (count == 1) {
      out_.line(vector_type(n.type, lanes) + " " + name + start);
      continue;
    }
    const std::string number = std::to_string(count);
    out_.line(vector_type(n.type, lanes) + " " + name + "[" + number + "];");
    out_.line("for (int k = 0; k < " + number + "; ++k) " + name + "[k]" + start);
  }
}

/// The vectors of [begin, end) that fill all accumulators; those left start at `first`.
FUSECL_INLINE void step_emitter::visit_in_turn(value_emitter& values, const std::string& begin,
                                               const std::string& end, int apart) {
  const std::string count = std::to_string(v_.accumulators), all = std::to_string(v_.accumulators * apart);
  out_.line("long first = " + begin + ";");
  out_.open("for (; first + " + all + " <= " + end + "; first += " + all + ")");
  out_.raw("#pragma unroll\n");
  out_.open("for (int k = 0; k < " + count + "; ++k)");
  out_.line("const long i = first + " + (apart == 1 ? "" : std::to_string(apart) + " * ") + "k;");
  visit(values, v_.width, "_v", "[k]");
  out_.close();
  out_.close();
}

/// One element or vector within the loops over `i`.
FUSECL_INLINE void step_emitter::visit(value_emitter& values, int lanes, const std::string& suffix,
                                       const std::string& accumulator_index) {
  if (s_.walk == pattern::linear && v_.ragged) {
    const std::string mask = vector_type(scalar_type::int64, v_.width);
    out_.line("const " + mask + " inside = (" + mask + ")(i * " + std::to_string(v_.width) + ") + " +
              lane_numbers(scalar_type::int64, v_.width) + " < elements;");
  }
  const writer before = std::exchange(out_, out_.apart());
  body(values, lanes, suffix, accumulator_index);
  const writer loop = std::exchange(out_, before);
  if (s_.walk != pattern::linear && mentions(loop.text(), "e")) out_.line("const long e = i + j * rows;");
  out_.raw(loop.text());
}

/// Loads of several rounds overlap where no stores come between them. Measured on an H200: with stores, one
/// round at a time of many groups reaches 0.99 of copy bandwidth, four rounds at a time 0.85.
FUSECL_INLINE std::string step_emitter::unrolling() const {
  if (s_.stores.empty()) return "#pragma unroll 4\n";
  if (s_.walk == schedule::pattern::linear) return "#pragma unroll 1\n";
  return v_.distinct ? "#pragma unroll 4\n" : "";
}

/// Numbers of the rows or columns that the lanes of a crossing vector are in: "(int2)((int)i, (int)i1)".
inline std::string number_of_each_lane(const std::string& name, int lanes) {
  std::string text = "(int" + std::to_string(lanes) + ")((int)" + name;
  for (int k = 1; k < lanes; ++k) text += ", (int)" + name + std::to_string(k);
  return text + ")";
}

/// Number of the row (or of each lane's row) that `i` stands for: an element's on a CPU, else a vector's.
FUSECL_INLINE std::string step_emitter::row_number(int lanes) const {
  if (lanes == 1) return "(int)i";
  if (v_.crossing) return number_of_each_lane("i", lanes);
  const std::string first = cpu_ ? "(int)i" : "(int)i * " + std::to_string(lanes);
  return "(" + first + " + " + lane_numbers(scalar_type::int32, lanes) + ")";
}

/// Values of one element (or vector of elements): stores, then accumulations into r<k><suffix>.
FUSECL_INLINE void step_emitter::body(value_emitter& values, int lanes, const std::string& suffix,
                                      const std::string& accumulator_index) {
  lanes_ = lanes;
  const bool linear = s_.walk == pattern::linear;
  access how;
  how.lanes = lanes;
  how.self = this;
  how.linear = linear;
  how.load = linear ? load_linear : load_tiled;
  how.crossing = v_.crossing;
  how.row = row_number(lanes);
  how.col = v_.crossing ? number_of_each_lane("j", lanes) : "(int)j";
  how.in_order = linear;
  set_lanes(how);
  values.begin(how);
  std::vector<std::string> stored, added;
  for (const schedule::store& result : s_.stores) stored.push_back(values.stored(out_, result.value));
  for (node_id id : s_.reductions) added.push_back(values.value(out_, g_[id].operands[0]));
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::string name = buffer_name(s_.stores[k].to);
    const node& n = g_[s_.stores[k].value];
    const bool single = g_.resolve(n.rows) == ir::one && g_.resolve(n.cols) == ir::one;
    const std::string at = single                          ? "0"
                           : linear                        ? "i"
                           : g_.resolve(n.cols) == ir::one ? "i"
                           : g_.resolve(n.rows) == ir::one ? "j"
                                                           : "e";
    if (s_.stores[k].place.is_part)
      values.store_part(out_, s_.stores[k].place, name, s_.stores[k].value, stored[k]);
    else if (cpu_ && !linear && lanes > 1)
      out_.line("vstore" + std::to_string(lanes) + "(" + stored[k] + ", 0, " + name + " + " + at + ");");
    else if (v_.streaming && !single)
      out_.line("__builtin_nontemporal_store(" + stored[k] + ", " + name + " + " + at + ");");
    else
      out_.line(name + "[" + at + "] = " + stored[k] + ";");
  }
  for (std::size_t k = 0; k < added.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string r = "r" + std::to_string(k) + suffix + accumulator_index;
    std::string value = added[k];
    if (linear && v_.ragged && lanes > 1) {
      const std::string inside =
          size_of(n.type) == 8 ? "inside" : "convert_int" + std::to_string(lanes) + "(inside)";
      const std::string neutral = "(" + vector_type(n.type, lanes) + ")(" + neutral_text(n) + ")";
      value = inside + " ? " + value + " : " + neutral;
    }
    out_.line(r + " = " + combined(n, r, value, lanes) + ";");
  }
}

/// Turns vector accumulators (and those of a scalar tail) into single elements named r0, r1, ...
FUSECL_INLINE void step_emitter::fold(bool with_tail) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string name = "r" + std::to_string(k);
    std::string current = name + "_v";
    const int count = v_.accumulators;
    for (int apart = 1; apart < count; apart *= 2)
      for (int first = 0; first + apart < count; first += 2 * apart) {
        const std::string to = current + "[" + std::to_string(first) + "]";
        out_.line(to + " = " +
                  combined(n, to, current + "[" + std::to_string(first + apart) + "]", v_.width) + ";");
      }
    if (count > 1) current += "[0]";
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

/// Combines the accumulators of `count` work-items, `apart` from each other, whose number among them is
/// `self`; `member` is a condition that those satisfy who take part. The kernel argument `first_stride`
/// starts them.
FUSECL_INLINE void step_emitter::tree(const std::string& count, const std::string& apart,
                                      const std::string& self, int lanes, const std::string& member) {
  const std::string partner = apart == "1" ? "stride" : "stride * " + apart;
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string id = std::to_string(k);
    out_.line("shared" + id + "[lane] = r" + id + ";");
  }
  out_.open("for (uint stride = first_stride; stride > 0; stride /= 2)");
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.open("if (" + (member.empty() ? "" : member + " && ") + self + " < stride && " + self +
            " + stride < " + count + ")");
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
FUSECL_INLINE void step_emitter::finish_results(const std::string& part, const std::string& index,
                                                int lanes) {
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
  if (v_.last) finish_last_group();
}

/// Adds the partial results in their order, whichever group comes last.
FUSECL_INLINE void step_emitter::finish_last_group() {
  out_.line("// the group that arrives last adds what all have left");
  out_.line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  out_.open("if (atomic_inc(arrivals) + 1 == get_num_groups(0))");
  out_.line("*arrivals = 0;");
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("r" + std::to_string(k) + " = " + neutral_text(g_[s_.reductions[k]]) + ";");
  out_.open("for (uint part = 0; part < get_num_groups(0); ++part)");
  add_parts("part");
  out_.close();
  run_epilogue("0", 1);
  out_.close();
}

/// Combines r0, r1, ... with the partial results at `index`.
FUSECL_INLINE void step_emitter::add_parts(const std::string& index) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const std::string id = std::to_string(k), r = "r" + id;
    out_.line(r + " = " + combined(g_[s_.reductions[k]], r, "p" + id + "[" + index + "]", 1) + ";");
  }
}

/// Values over the shape of the reductions' results, from registers r0, r1, ... and memory.
FUSECL_INLINE void step_emitter::run_epilogue(const std::string& index, int lanes) {
  // in a scope of its own where it would repeat names of the scope around the loops
  const bool apart = cpu_ && names_around_ && !v_.last;
  if (apart) out_.open("");
  value_emitter values = emitter(after_, true);
  lanes_ = lanes;
  result_index_ = index;
  values.uniforms(out_);
  access how;
  how.lanes = lanes;
  how.self = this;
  how.load = load_result;
  const std::string number = "(int)" + index;
  how.row = s_.axis == axis::row
                ? (lanes == 1 ? number
                   : cpu_     ? "(" + number + " + " + lane_numbers(scalar_type::int32, lanes) + ")"
                              : "(" + number + " * " + std::to_string(lanes) + " + " +
                                lane_numbers(scalar_type::int32, lanes) + ")")
                : "0";
  how.col = s_.axis == axis::column ? number : "0";
  how.in_order = true;
  how.lane_rows.assign(static_cast<std::size_t>(lanes), "0");
  how.lane_cols.assign(static_cast<std::size_t>(lanes), s_.axis == axis::column ? "(long)" + index : "0");
  for (int k = 0; k < lanes && s_.axis == axis::row; ++k)
    how.lane_rows[static_cast<std::size_t>(k)] =
        lanes == 1 ? "(long)" + index
                   : "((long)" + index + (cpu_ ? "" : " * " + std::to_string(lanes)) + " + " +
                         std::to_string(k) + ")";
  values.begin(how);
  std::vector<std::string> stored;
  for (const schedule::store& result : s_.epilogue) stored.push_back(values.stored(out_, result.value));
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::string name = buffer_name(s_.epilogue[k].to);
    const std::string at = s_.axis == axis::all ? "0" : index;
    if (s_.epilogue[k].place.is_part)
      values.store_part(out_, s_.epilogue[k].place, name, s_.epilogue[k].value, stored[k]);
    else if (cpu_ && lanes > 1)
      out_.line("vstore" + std::to_string(lanes) + "(" + stored[k] + ", 0, " + name + " + " + at + ");");
    else
      out_.line(name + "[" + at + "] = " + stored[k] + ";");
  }
  if (apart) out_.close();
}

/// Local memory in which a group combines its accumulators.
FUSECL_INLINE void step_emitter::declare_shared(int lanes) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("local " + vector_type(g_[s_.reductions[k]].type, lanes) + " shared" + std::to_string(k) + "[" +
              std::to_string(shape_.local) + "];");
}

FUSECL_INLINE void step_emitter::walk_linear() {
  add_size(argument_kind::count, "count");
  if (cpu_ || s_.reduces) add_size(argument_kind::chunk, "chunk");
  if (v_.ragged) add_size(argument_kind::elements, "elements");
  value_emitter values = emitter(domain_, false);
  const std::string local = std::to_string(shape_.local);
  if (!s_.reduces && !cpu_) {
    out_.line("const long i = get_global_id(0);");
    out_.line("if (i >= count) return;");
    values.uniforms(out_);
    names_around_ = values.has_declared();
    body(values, v_.width, "", "");
    return;
  }
  out_.line("const long begin = " + group_of("* chunk") + ";");
  out_.line("const long end = min(begin + chunk, count);");
  values.uniforms(out_);
  names_around_ = values.has_declared();
  const int several = v_.accumulators;
  declare_accumulators("_v", v_.width, several);
  if (s_.reduces && !cpu_) {
    declare_shared(1);
    out_.line("const uint lane = get_local_id(0);");
    out_.raw(unrolling());
    out_.open("for (long i = begin + lane; i < end; i += " + local + ")");
  } else {
    if (several > 1) visit_in_turn(values, "begin", "end", 1);
    out_.open(std::string("for (long i = ") + (several > 1 ? "first" : "begin") + "; i < end; ++i)");
  }
  visit(values, v_.width, "_v", several > 1 ? "[0]" : "");
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

FUSECL_INLINE void step_emitter::finish_kernel() {
  for (const schedule::store& result : s_.epilogue) declare(result, 1);
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    add_argument({argument_kind::partial, static_cast<std::int64_t>(k)},
                 "global const " + vector_type(g_[s_.reductions[k]].type, 1) + "* p" + std::to_string(k));
  const schedule::variant whole = v_;
  v_ = {};
  names_around_ = false;
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
  add_parts("i + part * results");
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
