#pragma once
#include <algorithm>
#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE reducing_emitter::reducing_emitter(const emit_request& r)
    : step_emitter(r), sums_(schedule::sums_of(s_)), results_(s_.opaque ? s_.after_sums : s_.epilogue) {
  if (!s_.opaque) result_values_ = after_;
  for (const schedule::store& result : s_.after_sums) result_values_.push_back(result.value);
  finish_title_ = "adds the partial results of the groups";
  for (std::size_t k = 0; k < sums_.size(); ++k) numbers_[sums_[k]] = k;
  order_reductions();
}

FUSECL_INLINE void reducing_emitter::declare_all() {
  const int lanes = s_.linear || !cpu_ ? v_.width : 1;
  for (const schedule::store& result : s_.stores)
    declare(result,
            pointer_lanes(g_.resolve(g_[result.value].rows), g_.resolve(g_[result.value].cols), lanes));
  const int result_lanes = s_.axis == axis::row && !cpu_ ? v_.width : 1;
  if (finishes_here())
    for (const schedule::store& result : results_) declare(result, result_lanes);
  if (v_.partial) declare_parts(true, result_lanes);
  add_buffers(domain_, false, lanes);
  if (finishes_here()) add_buffers(result_values_, true, lanes);
}

FUSECL_INLINE void reducing_emitter::add_up(value_emitter& values, list_of<std::string>& added) {
  for (node_id id : sums_) added.push_back(values.value(out_, g_[id].operands[0]));
}

FUSECL_INLINE void reducing_emitter::accumulate(const list_of<std::string>& added, const char* suffix,
                                                const char* index, int lanes) {
  const std::string into = fill("r{}{}{}", {"{}", suffix, index});
  for (std::size_t k : in_turn_) add_element(k, into, added[k], lanes);
}

/// Tells where the results of reductions are.
FUSECL_INLINE void reducing_emitter::know_results(value_emitter& values) const {
  for (std::size_t k = 0; k < sums_.size(); ++k)
    values.know(sums_[k], fill("r{}", {k}), values.is_uniform(sums_[k]));
}

/// Text of the neutral element of a reduction.
FUSECL_INLINE std::string neutral_text(const node& n) {
  const long double start = n.op->host(nullptr);
  const double value = static_cast<double>(start);
  if (is_floating(n.type) || is_finite(value)) return literal(n.type, value);
  const bool highest = value > 0;
  if (n.type == scalar_type::uint32) return highest ? "UINT_MAX" : "0";
  const std::string name = n.type == scalar_type::int64 ? "LONG" : "INT";
  return name + (highest ? "_MAX" : "_MIN");
}

/// Those accumulated beside others come before them: they need the others as they were.
FUSECL_INLINE void reducing_emitter::order_reductions() {
  for (int beside = ir::running_rule::most; beside >= 0; --beside)
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const ir::running_rule* rule = g_[sums_[k]].op->running;
      int needs = 0;
      while (rule && needs < ir::running_rule::most && rule->beside[needs]) ++needs;
      if (needs == beside) in_turn_.push_back(k);
    }
  for (std::size_t k : in_turn_) reductions_of_[g_[sums_[k]].operands[0]].push_back(k);
}

FUSECL_INLINE bool reducing_emitter::has_running() const { return schedule::any_running(g_, sums_); }

FUSECL_INLINE bool reducing_emitter::decides_at_first() const {
  return has_running() && std::all_of(sums_.begin(), sums_.end(), [&](node_id id) {
           return !g_[id].op->running || !g_[id].op->running->next.empty();
         });
}

/// A text of the rule by which reduction `k` is accumulated beside others; `other` is an element, or where
/// the accumulators of other elements are.
FUSECL_INLINE std::string reducing_emitter::running(std::size_t k, std::string_view text, accumulators own,
                                                    accumulators other, int lanes) {
  const node& n = g_[sums_[k]];
  constexpr std::size_t most = ir::running_rule::most;
  std::size_t numbers[most + 1] = {k, k, k, k};
  for (std::size_t r : *reductions_of_.find(n.operands[0]))
    for (std::size_t b = 0; b < most; ++b)
      if (n.op->running->beside[b] && g_[sums_[r]].is(n.op->running->beside[b]())) numbers[b + 1] = r;
  library_.require(n.op->uses, n.type, lanes);
  std::string filled;
  const std::string pattern = instantiate(text, n.type, lanes);
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    if (pattern[p] != '$') {
      filled += pattern[p];
      continue;
    }
    const auto place = static_cast<std::size_t>(pattern[++p] - '0');
    filled += at(place <= most ? own : other, numbers[place % (most + 1)]);
  }
  return filled;
}

/// Combines the accumulators of all reductions with others.
FUSECL_INLINE void reducing_emitter::merge(accumulators into, accumulators from, int lanes) {
  merge(in_turn_, into, from, lanes);
}

FUSECL_INLINE void reducing_emitter::merge(const list_of<std::size_t>& which, accumulators into,
                                           accumulators from, int lanes) {
  for (std::size_t k : which) {
    const node& n = g_[sums_[k]];
    const std::string own = at(into, k);
    if (!n.op->running) {
      out_.line("{} = {};", {own, combined(n, own, at(from, k), lanes)});
      continue;
    }
    const std::string_view rule = decided_ ? n.op->running->join : n.op->running->merge;
    if (rule != own_value) out_.line("{} = {};", {own, running(k, rule, into, from, lanes)});
  }
}

/// Adds an element to the accumulator of a reduction, unless it hangs over the end.
FUSECL_INLINE void reducing_emitter::add_element(std::size_t k, accumulators into, const std::string& element,
                                                 int lanes) {
  const node& n = g_[sums_[k]];
  const std::string own = at(into, k);
  if (!n.op->running) return out_.line("{} = {};", {own, combined(n, own, inside(element, n, lanes), lanes)});
  const std::string_view rule = decided_ ? n.op->running->next : n.op->running->add;
  if (rule == own_value) return;
  const std::string value = running(k, rule, into, element, lanes);
  const std::string mask = inside(n.type, lanes);
  out_.line("{} = {};", {own, mask.empty() ? value : fill("{} ? {} : {}", {mask, value, own})});
}

/// Declares what the groups leave of each reduction, for the kernel that writes it or the one that reads it.
FUSECL_INLINE void reducing_emitter::declare_parts(bool written, int lanes) {
  if (shape_.bytes_together > 0) {
    declare_parts_together(written, lanes);
  } else {
    for (std::size_t k = 0; k < sums_.size(); ++k)
      add_argument({argument_kind::partial, static_cast<std::int64_t>(k), written},
                   fill("global {}{}* p{}", {written ? "" : "const ", {g_[sums_[k]].type, lanes}, k}));
  }
  if (written && v_.last) add_argument({argument_kind::arrivals, 0, true}, "volatile global uint* arrivals");
}

/// The same of parts that are in one buffer.
FUSECL_INLINE void reducing_emitter::declare_parts_together(bool written, int lanes) {
  const char* constant = written ? "" : "const ";
  add_argument({argument_kind::partial, 0, written}, fill("global {}char* all_parts", {constant}));
  std::string before = "all_parts";
  const auto declare_section = [&](std::size_t e, const list_of<node_id>& own) {
    const std::string apart = fill("apart{}", {e});
    add_size(apart);
    for (std::size_t r = 0; r < own.size(); ++r) {
      const std::string pointer = fill("global {}{}*", {constant, {g_[own[r]].type, lanes}});
      const std::string place = r == 0 ? before : fill("({} + {} * {})", {before, r, apart});
      out_.line("{} const p{} = ({}){};", {pointer, *numbers_.find(own[r]), pointer, place});
    }
    before = fill("({} + {} * {})", {before, own.size(), apart});
  };
  if (s_.sections.empty()) declare_section(0, sums_);
  for (std::size_t e = 0; e < s_.sections.size(); ++e) declare_section(e, s_.sections[e].reductions);
}

/// Text that combines two partial results of reduction `n`.
FUSECL_INLINE std::string reducing_emitter::combined(const node& n, const std::string& a,
                                                     const std::string& b, int lanes) {
  library_.require(n.op->uses, n.type, lanes);
  std::string text = instantiate(n.op->opencl, n.type, lanes);
  const bool call = n.op->precedence == 16;
  // sums and products of signed numbers wrap, as in element-wise arithmetic
  const bool wraps = !call && lanes == 1 && (n.type == scalar_type::int32 || n.type == scalar_type::int64);
  const char* made = !wraps ? "" : n.type == scalar_type::int32 ? "(uint)" : "(ulong)";
  const auto replace = [&](const char* mark, const std::string& by) {
    const bool simple = by.find_first_of(" ?") == std::string::npos;
    text.replace(text.find(mark), 2, call || simple ? made + by : fill("{}({})", {made, by}));
  };
  replace("$0", a);
  replace("$1", b);
  return wraps ? fill("({})({})", {opencl_name(n.type), text}) : text;
}

FUSECL_INLINE std::string reducing_emitter::load_result(const void* self, const std::string& name,
                                                        scalar_type type, bool rows, bool cols) {
  const auto& emitter = *static_cast<const reducing_emitter*>(self);
  const std::string& at = emitter.result_index_;
  if (!rows && !cols) return name + "[0]";
  if (emitter.cpu_ && emitter.lanes_ > 1) return fill("vload{}(0, {} + {})", {emitter.lanes_, name, at});
  return emitter.declared_lanes(name) == emitter.lanes_
             ? fill("{}[{}]", {name, at})
             : fill("((global const {}*){})[{}]", {vector_type(type, emitter.lanes_), name, at});
}

}  // namespace fusecl::codegen::detail
