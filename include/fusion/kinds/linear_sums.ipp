#pragma once
// Steps with reductions of what is contiguous and of the domain's shape: one index for all operands.

#include <algorithm>

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/linear.ipp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace linear_sums_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::leave_parts,
    schedule::plan, schedule::round_up, schedule::step;

/// Vectors a group walks.
FUSECL_INLINE std::int64_t chunk_of(const launch_request& r, std::int64_t count, std::int64_t width) {
  const std::int64_t units = r.device.compute_units;
  const bool stores = !r.s.stores.empty();  // hide less latency per work-item: many groups in flight instead
  const std::int64_t shortest = r.on_cpu() ? cpu_part / width : r.device.group * (stores ? 4 : 8);
  const std::int64_t most = r.on_cpu() ? cpu_groups(count * width, units) : (stores ? 64 : 8) * units;
  const std::int64_t groups = std::clamp<std::int64_t>(divide_up(count, shortest), 1, most);
  return round_up(divide_up(count, groups), r.on_cpu() ? 1 : r.device.group);
}

FUSECL_INLINE bool takes(const plan&, const step& s) {
  return s.linear && !s.is_tile() && !s.scans && s.reduces;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g = linear_walk::shape(r);
  const std::int64_t elements = r.rows() * r.cols(), width = g.kernel.width, count = g.size("count");
  g.kernel.ragged = elements % width != 0;
  if (r.on_cpu()) g.kernel.accumulators = cpu_accumulators(r.s, width);
  const std::int64_t chunk = chunk_of(r, count, width);
  g.groups = std::max<std::int64_t>(divide_up(count, std::max<std::int64_t>(chunk, 1)), 1);
  g.sizes = {{"count", count}, {"chunk", chunk}, {"elements", elements}};
  leave_parts(g, r, g.groups, g.local);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  void walk() override {
    using codegen::detail::group_of;
    add_size("count");
    add_size("chunk");
    if (v_.ragged) add_size("elements");
    codegen::value_emitter values = domain_emitter();
    out_.line("const long begin = {};", {group_of("* chunk")});
    out_.line("const long end = min(begin + chunk, count);");
    start(values);
    const int several = v_.accumulators;
    declare_accumulators("_v", v_.width, several);
    if (!cpu_) {
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

}  // namespace linear_sums_walk

inline constexpr step_kind linear_sums{
    kind_order::linear_sums, linear.name,           linear.walk, linear_sums_walk::takes,
    linear_sums_walk::shape, linear_sums_walk::emit};

}  // namespace fusecl::kinds
