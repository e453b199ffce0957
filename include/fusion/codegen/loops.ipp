#pragma once
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE std::string lane_numbers(scalar_type type, int lanes) {
  std::string text = fill("({})(0", {vector_type(type, lanes)});
  for (int k = 1; k < lanes; ++k) text += fill(", {}", {k});
  return text + ")";
}

FUSECL_INLINE std::string group_of(const char* tile) { return fill("(long)get_group_id(0) {}", {tile}); }

/// Place of a work-item in its group: `lanes` side by side along the rows, `rounds` of them below each other.
FUSECL_INLINE std::string step_emitter::lane_numbers_in_group() const {
  return fill(
      "const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = {} / lanes;",
      {shape_.local});
}

FUSECL_INLINE void step_emitter::declare_accumulators(const char* suffix, int lanes, int count) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    const std::string type = vector_type(n.type, lanes), neutral = neutral_text(n);
    if (count == 1) {
      out_.line("{} r{}{} = {};", {type, k, suffix, neutral});
      continue;
    }
    out_.line("{} r{}{}[{}];", {type, k, suffix, count});
    out_.line("for (int k = 0; k < {}; ++k) r{}{}[k] = {};", {count, k, suffix, neutral});
  }
}

/// The vectors of [begin, end) that fill all accumulators; those left start at `first`.
FUSECL_INLINE void step_emitter::visit_in_turn(value_emitter& values, const char* begin, const char* end,
                                               int apart) {
  const int all = v_.accumulators * apart;
  out_.line("long first = {};", {begin});
  out_.open("for (; first + {} <= {}; first += {})", {all, end, all});
  out_.raw("#pragma unroll\n");
  out_.open("for (int k = 0; k < {}; ++k)", {v_.accumulators});
  if (apart == 1)
    out_.line("const long i = first + k;");
  else
    out_.line("const long i = first + {} * k;", {apart});
  visit(values, v_.width, "_v", "[k]");
  out_.close();
  out_.close();
}

/// One element or vector within the loops over `i`.
FUSECL_INLINE void step_emitter::visit(value_emitter& values, int lanes, const char* suffix,
                                       const char* accumulator_index) {
  number_inside();
  at_element([&] { body(values, lanes, suffix, accumulator_index); });
}

/// Where a vector may hang over the end: which of its elements do not.
FUSECL_INLINE void step_emitter::number_inside() {
  if (!s_.linear || !v_.ragged) return;
  const std::string mask = vector_type(scalar_type::int64, v_.width);
  out_.line("const {} inside = ({})(i * {}) + {} < elements;",
            {mask, mask, v_.width, lane_numbers(scalar_type::int64, v_.width)});
}

/// The condition for that as wide as elements of `type`, empty where none is needed.
FUSECL_INLINE std::string step_emitter::inside(scalar_type type, int lanes) const {
  if (!s_.linear || !v_.ragged || lanes == 1) return "";
  return size_of(type) == 8 ? "inside" : fill("convert_int{}(inside)", {lanes});
}

/// `value` with what hangs over the end replaced by what adds nothing to `n`.
FUSECL_INLINE std::string step_emitter::inside(const std::string& value, const node& n, int lanes) const {
  const std::string mask = inside(n.type, lanes);
  if (mask.empty()) return value;
  return fill("{} ? {} : ({})({})", {mask, value, {n.type, lanes}, neutral_text(n)});
}

/// Loads of several rounds overlap where no stores come between them. Measured on an H200: with stores, one
/// round at a time of many groups reaches 0.99 of copy bandwidth, four rounds at a time 0.85. Exponentials
/// beside a maximum need registers: two rounds of them take 286 us for 1e8 elements, four 369.
FUSECL_INLINE const char* step_emitter::unrolling() const {
  if (has_running() && s_.is_heavy()) return "#pragma unroll 2\n";
  if (s_.stores.empty()) return "#pragma unroll 4\n";
  if (s_.linear) return "#pragma unroll 1\n";
  return v_.distinct ? "#pragma unroll 4\n" : "";
}

/// Numbers of the rows or columns that the lanes of a crossing vector are in: "(int2)((int)i, (int)i1)".
inline std::string number_of_each_lane(const char* name, int lanes) {
  std::string text = fill("(int{})((int){}", {lanes, name});
  for (int k = 1; k < lanes; ++k) text += fill(", (int){}{}", {name, k});
  return text + ")";
}

/// Number of the row (or of each lane's row) that `i` stands for: an element's on a CPU, else a vector's.
FUSECL_INLINE std::string step_emitter::row_number(int lanes) const {
  if (lanes == 1) return "(int)i";
  if (v_.crossing) return number_of_each_lane("i", lanes);
  const std::string numbers = lane_numbers(scalar_type::int32, lanes);
  return cpu_ ? fill("((int)i + {})", {numbers}) : fill("((int)i * {} + {})", {lanes, numbers});
}

/// How values over the domain read memory.
FUSECL_INLINE access step_emitter::access_to_domain(int lanes) {
  lanes_ = lanes;
  const bool linear = s_.linear;
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
  return how;
}

/// Values of one element (or vector of elements): stores, then accumulations into r<k><suffix>.
FUSECL_INLINE void step_emitter::body(value_emitter& values, int lanes, const char* suffix,
                                      const char* accumulator_index) {
  values.begin(access_to_domain(lanes));
  const std::vector<std::string> stored = texts_of(values, s_.stores);
  std::vector<std::string> added;
  for (node_id id : s_.reductions) added.push_back(values.value(out_, g_[id].operands[0]));
  store_in_domain(values, s_.stores, stored, lanes);
  const std::string into = fill("r{}{}{}", {"{}", suffix, accumulator_index});
  for (std::size_t k : in_turn_) add_element(k, into, added[k], lanes);
}

/// Texts of what is stored: all of them come before the first store, which may be to what they are read from.
FUSECL_INLINE std::vector<std::string> step_emitter::texts_of(value_emitter& values,
                                                              const std::vector<schedule::store>& stores) {
  std::vector<std::string> texts;
  for (const schedule::store& result : stores) texts.push_back(values.stored(out_, result.value));
  return texts;
}

/// Writes values of the element that is visited.
FUSECL_INLINE void step_emitter::store_in_domain(value_emitter& values,
                                                 const std::vector<schedule::store>& stores,
                                                 const std::vector<std::string>& stored, int lanes) {
  const bool linear = s_.linear;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const node& n = g_[stores[k].value];
    const bool one_row = g_.resolve(n.rows) == ir::one, one_col = g_.resolve(n.cols) == ir::one;
    const bool single = one_row && one_col;
    const char* at = single ? "0" : linear || one_col ? "i" : one_row ? "j" : "e";
    store(values, stores[k], at, stored[k], cpu_ && !linear ? lanes : 1, v_.streaming && !single);
  }
}

/// Writes a value to the place `at` of a result; `lanes` elements where the pointer is to single ones.
FUSECL_INLINE void step_emitter::store(value_emitter& values, const schedule::store& to,
                                       const std::string& at, const std::string& value, int lanes,
                                       bool streaming) {
  const std::string name = buffer_name(to.to);
  if (to.place.is_part)
    to.place.brings->store(values, out_, to.place, name, to.value, value);
  else if (lanes > 1)
    out_.line("vstore{}({}, 0, {} + {});", {lanes, value, name, at});
  else if (streaming)
    out_.line("__builtin_nontemporal_store({}, {} + {});", {value, name, at});
  else
    out_.line("{}[{}] = {};", {name, at, value});
}

/// Turns vector accumulators (and those of a scalar tail) into single elements named r0, r1, ...
FUSECL_INLINE void step_emitter::fold(bool with_tail) {
  const int count = v_.accumulators;
  for (int apart = 1; apart < count; apart *= 2)
    for (int first = 0; first + apart < count; first += 2 * apart)
      merge(fill("r{}_v[{}]", {"{}", first}), fill("r{}_v[{}]", {"{}", first + apart}), v_.width);
  if (has_running()) return fold_running(with_tail);
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    std::string current = fill(count > 1 ? "r{}_v[0]" : "r{}_v", {k});
    for (int lanes = v_.width / 2; lanes >= 1; lanes /= 2) {
      const std::string next = lanes == 1 ? fill("r{}", {k}) : fill("r{}_{}", {k, lanes});
      std::string text = combined(n, current + ".lo", current + ".hi", lanes);
      if (lanes == 1 && with_tail) text = combined(n, text, fill("r{}_s", {k}), 1);
      out_.line("{}{} {} = {};", {lanes == 1 ? "" : "const ", vector_type(n.type, lanes), next, text});
      current = next;
    }
    if (v_.width == 1) out_.line("{} r{} = r{}_v;", {vector_type(n.type, 1), k, k});
  }
}

/// The same lane by lane, for reductions that are accumulated beside others.
FUSECL_INLINE void step_emitter::fold_running(bool with_tail) {
  const std::string vector = v_.accumulators > 1 ? "r{}_v[0]" : "r{}_v";
  const auto lane = [&](int k) { return v_.width == 1 ? vector : fill("{}.s{}", {vector, lane_letter(k)}); };
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("{} r{} = {};", {{g_[s_.reductions[k]].type, 1}, k, at(lane(0), k)});
  for (int k = 1; k < v_.width; ++k) merge("r{}", lane(k), 1);
  if (with_tail) merge("r{}", "r{}_s", 1);
}

/// Combines the accumulators of `count` work-items, `apart` from each other, whose number among them is
/// `self`; `member` is a condition that those satisfy who take part. The kernel argument `first_stride`
/// starts them.
FUSECL_INLINE void step_emitter::tree(std::string_view count, std::string_view apart, const char* self,
                                      int lanes, const char* member) {
  const std::string partner = apart == "1" ? "stride" : fill("stride * {}", {apart});
  const std::vector<std::vector<std::size_t>> batches = batches_of_tree(lanes);
  for (const std::vector<std::size_t>& batch : batches) {
    if (batches.size() > 1) {
      out_.open();
      out_.line("// as many at a time as local memory has room for");
      for (std::size_t slot = 0; slot < batch.size(); ++slot) {
        const scalar_type type = g_[s_.reductions[batch[slot]]].type;
        out_.line("local {}* shared{} = (local {}*)(pool + {});",
                  {{type, lanes}, batch[slot], {type, lanes}, slot * static_cast<std::size_t>(shape_.local)});
      }
    }
    for (std::size_t k : natural_order(batch)) out_.line("shared{}[lane] = r{};", {k, k});
    out_.open("for (uint stride = first_stride; stride > 0; stride /= 2)");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open("if ({}{} < stride && {} + stride < {})",
              {*member ? fill("{} && ", {member}) : "", self, self, count});
    merge(batch, "shared{}[lane]", fill("shared{}[lane + {}]", {"{}", partner}), lanes);
    out_.close();
    out_.close();
    for (std::size_t k : natural_order(batch)) out_.line("r{} = shared{}[lane];", {k, k});
    if (batches.size() > 1) {
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
      out_.close();
    }
  }
}

FUSECL_INLINE std::vector<std::size_t> step_emitter::natural_order(std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// A sum of nothing is zero already.
FUSECL_INLINE bool step_emitter::misses_zeros(const node& n) const {
  return s_.part != matrix_cl_view::Entire && n.op->host(nullptr) != 0;
}

/// A test whether elements of the result (or results) `index` are outside of the part.
FUSECL_INLINE std::string step_emitter::test_of_missed_zeros(const char* index, int lanes) const {
  const bool lower = s_.part == matrix_cl_view::Lower, upper = s_.part == matrix_cl_view::Upper;
  const std::string rows = cpu_ || v_.width == 1 ? "rows" : fill("rows * {}", {v_.width});
  if (s_.axis == axis::row) {
    const std::string row = row_number(lanes);
    if (lower) return fill("{} + 1 < (int)cols", {row});
    if (upper) return fill("{} > (cols > 0 ? 0 : INT_MAX)", {row});
    return fill("{} >= (cols > 1 ? 0 : cols > 0 ? 1 : INT_MAX)", {row});
  }
  if (s_.axis == axis::column) {
    if (lower) return fill("rows > 0 && {} > 0", {index});
    if (upper) return fill("{} + 1 < {}", {index, rows});
    return fill("rows > 0 && ({} > 0 || {} > 1)", {index, rows});
  }
  if (lower) return "rows > 0 && cols > 1";
  if (upper) return fill("{} > 1 && cols > 0", {rows});
  return fill("rows > 0 && cols > 0 && {} + cols > 2", {rows});
}

/// Extremes and products are the same however many zeros there are: one stands for all that were passed over.
FUSECL_INLINE void step_emitter::add_missed_zeros(const char* index, int lanes) {
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    const node& n = g_[s_.reductions[k]];
    if (!misses_zeros(n)) continue;
    const std::string own = fill("r{}", {k});
    const std::string zero = fill("({})(0)", {{n.type, lanes}}), test = test_of_missed_zeros(index, lanes);
    const bool wide = lanes > 1 && size_of(n.type) == 8;
    out_.line(wide ? "{} = convert_long{}({}) ? {} : {};" : "{}{} = ({}) ? {} : {};",
              {own, wide ? fill("{}", {lanes}) : "", test, combined(n, own, zero, lanes), own});
  }
}

/// Writes the results of the reductions: as part `part` of the partial results, or through the epilogue.
FUSECL_INLINE void step_emitter::finish_results(const char* part, const char* index, int lanes) {
  add_missed_zeros(index, lanes);
  if (!v_.partial) {
    run_epilogue(index, lanes);
    return;
  }
  const char* stride = s_.axis == axis::row ? "rows" : "cols";
  const std::string at = s_.axis == axis::all ? part : fill("{} + {} * {}", {index, part, stride});
  for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
    if (cpu_ && lanes > 1)
      out_.line("vstore{}(r{}, 0, p{} + {});", {lanes, k, k, at});
    else
      out_.line("p{}[{}] = r{};", {k, at, k});
  }
  if (v_.last) finish_last_group();
}

FUSECL_INLINE void step_emitter::open_last_group() {
  out_.line("// the group that arrives last adds what all have left");
  out_.line("mem_fence(CLK_GLOBAL_MEM_FENCE);");
  out_.open("if (atomic_inc(arrivals) + 1 == get_num_groups(0))");
  out_.line("*arrivals = 0;");
}

/// Adds the partial results in their order, whichever group comes last.
FUSECL_INLINE void step_emitter::finish_last_group() {
  open_last_group();
  for (std::size_t k = 0; k < s_.reductions.size(); ++k)
    out_.line("r{} = {};", {k, neutral_text(g_[s_.reductions[k]])});
  out_.open("for (uint part = 0; part < get_num_groups(0); ++part)");
  add_parts("part");
  out_.close();
  run_epilogue("0", 1);
  out_.close();
}

/// Combines r0, r1, ... with the partial results at `index`.
FUSECL_INLINE void step_emitter::add_parts(const char* index) {
  merge("r{}", fill("p{}[{}]", {"{}", index}), 1);
}

/// Values over the shape of the reductions' results, from registers r0, r1, ... and memory.
FUSECL_INLINE void step_emitter::run_epilogue(const char* index, int lanes) {
  // in a scope of its own where it would repeat names of the scope around the loops
  const bool apart = cpu_ && names_around_ && !v_.last;
  if (apart) out_.open();
  value_emitter values = emitter_of(after_, true);
  lanes_ = lanes;
  result_index_ = index;
  values.uniforms(out_);
  values.begin(access_to_results(index, lanes));
  const std::vector<std::string> stored = texts_of(values, s_.epilogue);
  for (std::size_t k = 0; k < stored.size(); ++k)
    store(values, s_.epilogue[k], s_.axis == axis::all ? "0" : index, stored[k], cpu_ ? lanes : 1, false);
  if (apart) out_.close();
}

/// How values over the shape of the reductions' results read memory.
FUSECL_INLINE access step_emitter::access_to_results(const char* index, int lanes) {
  access how;
  how.lanes = lanes;
  how.self = this;
  how.load = load_result;
  how.in_order = true;
  how.row = s_.axis == axis::row ? fill("(int){}", {index}) : "0";
  how.col = s_.axis == axis::column ? fill("(int){}", {index}) : "0";
  how.lane_rows.assign(static_cast<std::size_t>(lanes), "0");
  how.lane_cols.assign(static_cast<std::size_t>(lanes),
                       s_.axis == axis::column ? fill("(long){}", {index}) : "0");
  if (s_.axis != axis::row) return how;
  const std::string first = cpu_ || lanes == 1 ? index : fill("{} * {}", {index, lanes});
  if (lanes > 1) how.row = fill("((int){} + {})", {first, lane_numbers(scalar_type::int32, lanes)});
  for (int k = 0; k < lanes; ++k)
    how.lane_rows[static_cast<std::size_t>(k)] =
        lanes == 1 ? fill("(long){}", {index}) : fill("((long){} + {})", {first, k});
  return how;
}

/// Bytes of the widest of the reductions' types.
FUSECL_INLINE std::size_t step_emitter::widest_sum() const {
  std::size_t widest = 4;
  for (node_id id : s_.reductions) widest = std::max(widest, size_of(g_[id].type));
  return widest;
}

/// Whether reduction `k` is accumulated beside `other`.
FUSECL_INLINE bool step_emitter::is_beside(std::size_t k, std::size_t other) const {
  const node &n = g_[s_.reductions[k]], &o = g_[s_.reductions[other]];
  if (!n.op->running || n.operands[0] != o.operands[0]) return false;
  const auto& beside = n.op->running->beside;
  return std::any_of(std::begin(beside), std::end(beside), [&](auto op) { return op && o.is(op()); });
}

/// The reductions in the order of `in_turn_`, cut where local memory has no room for more of them. Those that
/// are accumulated beside others stay with these; they come before them in that order.
FUSECL_INLINE std::vector<std::vector<std::size_t>> step_emitter::batches_of_tree(int lanes) const {
  constexpr std::size_t most_bytes = 24576;  // of local memory: every device has a third more
  const std::size_t room = most_bytes / (static_cast<std::size_t>(shape_.local * lanes) * widest_sum());
  if (in_turn_.size() <= std::max<std::size_t>(room, 1)) return {in_turn_};
  std::vector<std::vector<std::size_t>> batches(1);
  std::vector<char> taken(s_.reductions.size(), 0);
  const bool running = has_running();
  for (std::size_t first : in_turn_) {
    if (taken[first]) continue;
    std::vector<std::size_t> together;
    if (running) {
      for (std::size_t k : in_turn_)
        if (!taken[k] && (k == first || is_beside(first, k) || is_beside(k, first))) together.push_back(k);
    } else {
      together.push_back(first);
    }
    for (std::size_t k : together) taken[k] = 1;
    if (!batches.back().empty() && batches.back().size() + together.size() > room) batches.emplace_back();
    batches.back().insert(batches.back().end(), together.begin(), together.end());
  }
  return batches;
}

/// Local memory in which a group combines its accumulators.
FUSECL_INLINE void step_emitter::declare_shared(int lanes) {
  const std::vector<std::vector<std::size_t>> batches = batches_of_tree(lanes);
  if (batches.size() == 1) {
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("local {} shared{}[{}];", {{g_[s_.reductions[k]].type, lanes}, k, shape_.local});
    return;
  }
  std::size_t most = 0;
  for (const std::vector<std::size_t>& batch : batches) most = std::max(most, batch.size());
  const scalar_type type = widest_sum() == 8 ? scalar_type::int64 : scalar_type::int32;
  out_.line("local {} pool[{}];", {{type, lanes}, most * static_cast<std::size_t>(shape_.local)});
}

FUSECL_INLINE void step_emitter::finish() {
  for (const schedule::store& result : s_.epilogue) declare(result, 1);
  declare_parts(false, 1);
  const schedule::variant whole = v_;
  v_ = {};
  names_around_ = false;
  add_buffers(after_, true, 1);
  add_size("results");
  add_size("parts");
  if (cpu_) {
    out_.line("const long begin = (long)get_group_id(0) * {}, end = min(begin + {}, results);",
              {schedule::cpu_finish_tile, schedule::cpu_finish_tile});
    out_.open("for (long i = begin; i < end; ++i)");
    declare_accumulators("", 1);
    out_.open("for (long part = 0; part < parts; ++part)");
  } else {
    declare_shared(1);
    add_size("finish_lanes", "lanes");
    add_size("finish_stride", "first_stride");
    out_.line(lane_numbers_in_group());
    out_.line("const long i = {};", {group_of("* lanes + across")});
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
