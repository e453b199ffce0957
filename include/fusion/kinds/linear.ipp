#pragma once
// Steps whose operands are contiguous and of the domain's shape: one index for all of them.

#include <algorithm>

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace linear_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::leave_parts,
    schedule::plan, schedule::round_up, schedule::step;

// Vectors a work-item of a CPU walks at a time: many enough to hide the cost of a group, few enough that
// they stay in the first-level cache.
inline constexpr std::int64_t cpu_chunk = 8192;
// Elements of a result that the caches of a CPU do not hold until it is read again.
inline constexpr std::int64_t streaming_elements = 4'000'000;

/// Vectors a group walks.
inline std::int64_t chunk_of(const launch_request& r, std::int64_t count, std::int64_t width) {
  const std::int64_t units = r.device.compute_units;
  if (!r.s.reduces) {
    if (!r.on_cpu()) return r.device.group;
    return std::clamp(divide_up(count, 4 * units), 256 / width + 1, cpu_chunk / width);
  }
  const bool stores = !r.s.stores.empty();  // hide less latency per work-item: many groups in flight instead
  const std::int64_t shortest = r.on_cpu() ? cpu_part / width : r.device.group * (stores ? 4 : 8);
  const std::int64_t most = r.on_cpu() ? cpu_groups(count * width, units) : (stores ? 64 : 8) * units;
  const std::int64_t groups = std::clamp<std::int64_t>(divide_up(count, shortest), 1, most);
  return round_up(divide_up(count, groups), r.on_cpu() ? 1 : r.device.group);
}

FUSECL_INLINE bool takes(const plan&, const step& s) { return s.linear && !s.is_tile() && !s.scans; }

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t elements = r.rows() * r.cols();
  const std::int64_t width = r.padded && elements > 1 ? r.width : 1, count = divide_up(elements, width);
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.ragged = r.s.reduces && elements % width != 0;
  g.kernel.streaming = r.on_cpu() && r.device.streams && width > 1 && elements >= streaming_elements;
  if (r.on_cpu()) g.kernel.accumulators = cpu_accumulators(r.s, g.kernel.width);
  g.local = r.on_cpu() ? 1 : r.device.group;
  const std::int64_t chunk = chunk_of(r, count, width);
  g.groups = divide_up(count, std::max<std::int64_t>(chunk, 1));
  g.sizes = {{"count", count}, {"chunk", chunk}, {"elements", elements}};
  if (!r.s.reduces) return g;
  g.groups = std::max<std::int64_t>(g.groups, 1);
  leave_parts(g, r, g.groups, g.local);
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    using codegen::detail::group_of;
    add_size("count");
    if (cpu_ || s_.reduces) add_size("chunk");
    if (v_.ragged) add_size("elements");
    codegen::value_emitter values = domain_emitter();
    if (!s_.reduces && !cpu_) {
      out_.line("const long i = get_global_id(0);");
      out_.line("if (i >= count) return;");
      start(values);
      body(values, v_.width, "", "");
      return;
    }
    out_.line("const long begin = {};", {group_of("* chunk")});
    out_.line("const long end = min(begin + chunk, count);");
    start(values);
    const int several = v_.accumulators;
    declare_accumulators("_v", v_.width, several);
    if (s_.reduces && !cpu_) {
      declare_shared(1);
      out_.line("const uint lane = get_local_id(0);");
      out_.raw(unrolling());
      out_.open("for (long i = begin + lane; i < end; i += {})", {shape_.local});
    } else {
      if (several > 1) visit_in_turn(values, "begin", "end", 1);
      out_.open("for (long i = {}; i < end; ++i)", {several > 1 ? "first" : "begin"});
    }
    visit(values, v_.width, "_v", several > 1 ? "[0]" : "");
    out_.close();
    if (!s_.reduces) return;
    fold(false);
    if (!cpu_) {
      add_size("first_stride");
      tree(codegen::fill("{}", {shape_.local}), "1", "lane", 1);
      out_.open("if (lane == 0)");
    }
    finish_results("get_group_id(0)", "0", 1);
    if (!cpu_) out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace linear_walk

inline constexpr step_kind linear{kind_order::linear, "linear", "one index over all elements", linear_walk::takes,
                                  linear_walk::shape, linear_walk::emit};

}  // namespace fusecl::kinds
