#pragma once
// Steps with reductions of what is contiguous and of the domain's shape: one index for all operands.

#include <algorithm>
#include <string>
#include <utility>

#include <fusion/base/list_of.hpp>
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
  return s.linear && !s.is_tile() && !s.scans && s.reduces && !s.opaque;
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
      visit_apart(values);
    } else {
      if (several > 1) visit_in_turn(values, "begin", "end", 1);
      visit_whole(values, several > 1 ? "first" : "begin", "end", 1);
    }
    fold(false);
    if (!cpu_) {
      add_size("first_stride");
      tree(codegen::fill("{}", {shape_.local}), "1", "lane", 1);
      out_.open("if (lane == 0)");
    }
    finish_results("get_group_id(0)", "0", 1);
    if (cpu_) return;
    out_.close();
    if (v_.last) finish_last_group();
  }

  /// The elements of a work-item of a GPU.
  void visit_apart(codegen::value_emitter& values) {
    const codegen::writer before = std::exchange(out_, out_.apart());
    out_.raw(unrolling());
    out_.open("for (long i = begin + lane; i < end; i += {})", {shape_.local});
    const codegen::writer head = std::exchange(out_, out_.apart());
    visit(values, v_.width, "_v", "");
    const codegen::writer body = std::exchange(out_, head);
    fetch_next();
    out_.raw(body.text());
    out_.close();
    const codegen::writer loop = std::exchange(out_, before);
    declare_fetched();
    out_.raw(loop.text());
  }

  // Functions such as log take so many registers and so much time that the work-items of a GPU's unit are too
  // few to hide what they wait for. There each loads the operands of its next element before it computes one
  // (H200, normal_lpdf with its derivatives: 0.93 of copy bandwidth, 0.78 without).

  bool fetches_ahead() const { return !cpu_ && s_.is_heavy() && !s_.stores.empty(); }

  codegen::access access_to_domain(int lanes) override {
    codegen::access how = step_emitter::access_to_domain(lanes);
    if (fetches_ahead()) how.load = load_fetched;
    return how;
  }
  static std::string load_fetched(const void* self, const std::string& name, scalar_type type, bool rows,
                                  bool cols) {
    if (!rows && !cols) return name + "[0]";
    list_of<fetched>& all = static_cast<const emitter*>(static_cast<const step_emitter*>(self))->fetched_;
    if (std::none_of(all.begin(), all.end(), [&](const fetched& f) { return f.name == name; }))
      all.push_back({name, type});
    return name + "_now";
  }

  void declare_fetched() {
    for (const fetched& f : fetched_) {
      const std::string type = codegen::vector_type(f.type, declared_lanes(f.name));
      out_.line("{} {}_next = begin + lane < end ? {}[begin + lane] : ({})0;", {type, f.name, f.name, type});
    }
  }
  void fetch_next() {
    if (fetched_.empty()) return;
    for (const fetched& f : fetched_)
      out_.line("const {} {}_now = {}_next;",
                {codegen::vector_type(f.type, declared_lanes(f.name)), f.name, f.name});
    out_.open("if (i + {} < end)", {shape_.local});
    for (const fetched& f : fetched_) out_.line("{}_next = {}[i + {}];", {f.name, f.name, shape_.local});
    out_.close();
  }

  struct fetched {
    std::string name;
    scalar_type type;
  };
  mutable list_of<fetched> fetched_;
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace linear_sums_walk

inline constexpr step_kind linear_sums{
    kind_order::linear_sums, linear.name,           linear.walk, linear_sums_walk::takes,
    linear_sums_walk::shape, linear_sums_walk::emit};

}  // namespace fusecl::kinds
