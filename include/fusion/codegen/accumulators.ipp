#pragma once
// Accumulators of reductions in loops, and how those of one work-item or of a group become one.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>

namespace fusecl::codegen::detail {

/// Place of a work-item in its group: `lanes` side by side along the rows, `rounds` of them below each other.
FUSECL_INLINE std::string reducing_emitter::lane_numbers_in_group() const {
  return fill(
      "const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = {} / lanes;",
      {shape_.local});
}

FUSECL_INLINE void reducing_emitter::declare_accumulators(const char* suffix, int lanes, int count) {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const node& n = g_[sums_[k]];
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
FUSECL_INLINE void reducing_emitter::visit_in_turn(value_emitter& values, const char* begin, const char* end,
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

/// The vectors from `begin` on that do not pass `end`, `apart` from each other. Where reductions are
/// accumulated beside others, each few of them have accumulators of their own: one far from the rest costs
/// digits there only.
FUSECL_INLINE void reducing_emitter::visit_whole(value_emitter& values, const char* begin, const char* end,
                                                 int apart) {
  const bool few = has_running();
  const char* index = v_.accumulators > 1 ? "[0]" : "";
  if (apart == 1 && !few) {
    out_.open("for (long i = {}; i < {}; ++i)", {begin, end});
    visit(values, v_.width, "_v", index);
    return out_.close();
  }
  out_.line("long i = {};", {begin});
  if (few) {
    out_.open("while (i + {} <= {})", {apart, end});
    out_.line("const long until = min(i + {}, {});", {few_vectors * apart, end});
    declare_accumulators("_few", v_.width);
  }
  out_.open("for (; i + {} <= {}; i += {})", {apart, few ? "until" : end, apart});
  visit(values, v_.width, few ? "_few" : "_v", few ? "" : index);
  out_.close();
  if (!few) return;
  merge(fill("r{}_v{}", {"{}", index}), "r{}_few", v_.width);
  out_.close();
}

/// The same on a CPU where the first element decides what others are taken from (ops/running.hpp): that of a
/// few elements decides for all of them. Lanes keep the same pivots and counts, so that adding an element and
/// joining lanes are sums; with pivots of their own the lanes of a column of 48 took 7 divisions
/// after each other, which was most of its time.
FUSECL_INLINE void reducing_emitter::visit_with_one_pivot(value_emitter& values, const char* begin,
                                                          const char* end, int apart) {
  out_.line("long i = {};", {begin});
  out_.open("while (i + {} <= {})", {apart, end});
  out_.line("const bool first = i == {};", {begin});
  out_.line("const long until = min(i + {}, {});", {few_elements, end});
  declare_accumulators("_few", v_.width);
  declare_pivots(values);
  decided_ = true;
  out_.open("for (; i + {} <= until; i += {})", {apart, apart});
  visit(values, v_.width, "_few", "");
  out_.close();
  decided_ = false;
  out_.open("if (first)");
  for (std::size_t k = 0; k < sums_.size(); ++k) out_.line("r{}_v = r{}_few;", {k, k});
  out_.close();
  out_.open("else");
  merge("r{}_v", "r{}_few", v_.width);
  out_.close();
  out_.close();
}

/// Lets the element at hand decide for all lanes of the next few.
FUSECL_INLINE void reducing_emitter::declare_pivots(value_emitter& values) {
  out_.open();
  declare_accumulators("_one", 1);
  visit(values, 1, "_one", "");
  for (std::size_t k = 0; k < sums_.size(); ++k)
    if (g_[sums_[k]].op->running && g_[sums_[k]].op->running->next == own_value)
      out_.line("r{}_few = r{}_one;", {k, k});
  out_.close();
}

/// Loads of several rounds overlap where no stores come between them. Measured on an H200: with stores, one
/// round at a time of many groups reaches 0.99 of copy bandwidth, four rounds at a time 0.85. Exponentials
/// beside a maximum need registers: two rounds of them take 286 us for 1e8 elements, four 369.
FUSECL_INLINE const char* reducing_emitter::unrolling() const {
  if (!s_.may_be_unrolled(4)) return "#pragma unroll 1\n";
  if (has_running() && s_.is_heavy()) return "#pragma unroll 2\n";
  if (s_.stores.empty()) return "#pragma unroll 4\n";
  if (s_.linear) return "#pragma unroll 1\n";
  return v_.distinct ? "#pragma unroll 4\n" : "";
}

FUSECL_INLINE void reducing_emitter::visit(value_emitter& values, int lanes, const char* suffix,
                                           const char* accumulator_index) {
  number_inside();
  step_emitter::visit(values, lanes, suffix, accumulator_index);
}

/// Where a vector may hang over the end: which of its elements do not.
FUSECL_INLINE void reducing_emitter::number_inside() {
  if (!s_.linear || !v_.ragged) return;
  const std::string mask = vector_type(scalar_type::int64, v_.width);
  out_.line("const {} inside = ({})(i * {}) + {} < elements;",
            {mask, mask, v_.width, lane_numbers(scalar_type::int64, v_.width)});
}

/// The condition for that as wide as elements of `type`, empty where none is needed.
FUSECL_INLINE std::string reducing_emitter::inside(scalar_type type, int lanes) const {
  if (!s_.linear || !v_.ragged || lanes == 1) return "";
  return size_of(type) == 8 ? "inside" : fill("convert_int{}(inside)", {lanes});
}

/// `value` with what hangs over the end replaced by what adds nothing to `n`.
FUSECL_INLINE std::string reducing_emitter::inside(const std::string& value, const node& n, int lanes) const {
  const std::string mask = inside(n.type, lanes);
  if (mask.empty()) return value;
  return fill("{} ? {} : ({})({})", {mask, value, {n.type, lanes}, neutral_text(n)});
}

/// Turns vector accumulators (and those of a scalar tail) into single elements named r0, r1, ...
FUSECL_INLINE void reducing_emitter::fold(bool with_tail) {
  const int count = v_.accumulators;
  for (int apart = 1; apart < count; apart *= 2)
    for (int first = 0; first + apart < count; first += 2 * apart)
      merge(fill("r{}_v[{}]", {"{}", first}), fill("r{}_v[{}]", {"{}", first + apart}), v_.width);
  if (has_running()) return fold_running(with_tail);
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const node& n = g_[sums_[k]];
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

/// The same for reductions that are accumulated beside others: lane by lane, or by halves where all lanes
/// have the same pivots.
FUSECL_INLINE void reducing_emitter::fold_running(bool with_tail) {
  if (decided_) {
    std::string part = "r{}_v";
    for (int lanes = v_.width / 2; lanes >= 1; lanes /= 2) {
      merge(part + ".lo", part + ".hi", lanes);
      part += ".lo";
    }
    for (std::size_t k = 0; k < sums_.size(); ++k)
      out_.line("{} r{} = r{}_v.s0;", {{g_[sums_[k]].type, 1}, k, k});
    return;
  }
  const std::string vector = v_.accumulators > 1 ? "r{}_v[0]" : "r{}_v";
  const auto lane = [&](int k) { return v_.width == 1 ? vector : fill("{}.s{}", {vector, lane_letter(k)}); };
  for (std::size_t k = 0; k < sums_.size(); ++k)
    out_.line("{} r{} = {};", {{g_[sums_[k]].type, 1}, k, at(lane(0), k)});
  for (int k = 1; k < v_.width; ++k) merge("r{}", lane(k), 1);
  if (with_tail) merge("r{}", "r{}_s", 1);
}

/// Combines the accumulators of `count` work-items, `apart` from each other, whose number among them is
/// `self`; `member` is a condition that those satisfy who take part. The kernel argument `first_stride`
/// starts them.
FUSECL_INLINE void reducing_emitter::tree(std::string_view count, std::string_view apart, const char* self,
                                          int lanes, const char* member) {
  const std::string partner = apart == "1" ? "stride" : fill("stride * {}", {apart});
  const list_of<list_of<std::size_t>> batches = batches_of_tree(lanes);
  for (const list_of<std::size_t>& batch : batches) {
    if (batches.size() > 1) {
      out_.open();
      out_.line("// as many at a time as local memory has room for");
      for (std::size_t slot = 0; slot < batch.size(); ++slot) {
        const scalar_type type = g_[sums_[batch[slot]]].type;
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

FUSECL_INLINE list_of<std::size_t> reducing_emitter::natural_order(list_of<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Bytes of the widest of the reductions' types.
FUSECL_INLINE std::size_t reducing_emitter::widest_sum() const {
  std::size_t widest = 4;
  for (node_id id : sums_) widest = std::max(widest, size_of(g_[id].type));
  return widest;
}

/// Whether reduction `k` is accumulated beside `other`.
FUSECL_INLINE bool reducing_emitter::is_beside(std::size_t k, std::size_t other) const {
  const node &n = g_[sums_[k]], &o = g_[sums_[other]];
  if (!n.op->running || n.operands[0] != o.operands[0]) return false;
  const auto& beside = n.op->running->beside;
  return std::any_of(std::begin(beside), std::end(beside), [&](auto op) { return op && o.is(op()); });
}

/// The reductions in the order of `in_turn_`, cut where local memory has no room for more of them. Those that
/// are accumulated beside others stay with these; they come before them in that order.
FUSECL_INLINE list_of<list_of<std::size_t>> reducing_emitter::batches_of_tree(int lanes) const {
  constexpr std::size_t most_bytes = 24576;  // of local memory: every device has a third more
  const std::size_t room = most_bytes / (static_cast<std::size_t>(shape_.local * lanes) * widest_sum());
  if (in_turn_.size() <= std::max<std::size_t>(room, 1)) return {in_turn_};
  list_of<list_of<std::size_t>> batches(1);
  list_of<char> taken(sums_.size(), 0);
  for (std::size_t first : in_turn_) {
    if (taken[first]) continue;
    list_of<std::size_t> together;
    for (std::size_t k : *reductions_of_.find(g_[sums_[first]].operands[0]))
      if (!taken[k] && (k == first || is_beside(first, k) || is_beside(k, first))) together.push_back(k);
    for (std::size_t k : together) taken[k] = 1;
    if (!batches.back().empty() && batches.back().size() + together.size() > room) batches.emplace_back();
    append(batches.back(), together);
  }
  return batches;
}

/// Local memory in which a group combines its accumulators.
FUSECL_INLINE void reducing_emitter::declare_shared(int lanes) {
  if (!room_.empty()) {
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const piece type = {g_[sums_[k]].type, lanes};
      out_.line("local {}* const shared{} = (local {}*)((local char*){} + {});",
                {type, k, type, room_, k * static_cast<std::size_t>(8 * lanes * shape_.local)});
    }
    return out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
  const list_of<list_of<std::size_t>> batches = batches_of_tree(lanes);
  if (batches.size() == 1) {
    for (std::size_t k = 0; k < sums_.size(); ++k)
      out_.line("local {} shared{}[{}];", {{g_[sums_[k]].type, lanes}, k, shape_.local});
    return;
  }
  std::size_t most = 0;
  for (const list_of<std::size_t>& batch : batches) most = std::max(most, batch.size());
  const scalar_type type = widest_sum() == 8 ? scalar_type::int64 : scalar_type::int32;
  out_.line("local {} pool[{}];", {{type, lanes}, most * static_cast<std::size_t>(shape_.local)});
}

}  // namespace fusecl::codegen::detail
