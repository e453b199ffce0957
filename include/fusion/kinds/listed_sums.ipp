#pragma once
// Sums of lists of elements on a GPU, whose work-items share the lists: each adds every so-manieth element of
// one, so that neighbours read the list side by side and a long list takes as long as a few of its elements.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/numbered.ipp>

namespace fusecl::kinds {

/// The sums of lists that elements of the step's results are computed from.
FUSECL_INLINE list_of<ir::node_id> sums_of_lists(const schedule::plan& p, const schedule::step& s) {
  list_of<ir::node_id> results, sums;
  for (const schedule::store& result : s.stores) results.push_back(result.value);
  for (const ir::node_id id : ir::reachable(p.graph, results, [&](ir::node_id at) { return p.loads(s, at); }))
    if (p.graph[id].op->shared_uses) sums.push_back(id);
  return sums;
}

namespace listed_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Work-items that share a list: fewest that pay, and most (H200, first sums of 1e5, 1e6 and 1e7 elements to
// 1e4 places: 7, 16 and 89 us, by a work-item for each list 11, 17 and 117).
inline constexpr std::int64_t fewest_lanes = 4, most_lanes = 32;
// Work-items that a compute unit has at once: more for a list do not make it shorter.
inline constexpr std::int64_t resident = 2048;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return numbered_walk::takes(p, s) && s.maps && s.part == matrix_cl_view::Entire;
}

/// Elements of a list on average.
FUSECL_INLINE std::int64_t average_length(const launch_request& r, const ir::node& sum) {
  const auto elements = [&](ir::node_id id) {
    return r.size(r.p.graph[id].rows) * r.size(r.p.graph[id].cols);
  };
  const bool listed = sum.op->places == ir::place_rule::segments;
  const ir::node& added = r.p.graph[sum.operands[0]];
  const std::int64_t in_all = listed                                        ? elements(sum.operands[1])
                              : ir::lines_of(sum) == ir::listed_lines::rows ? r.size(added.rows)
                              : ir::lines_of(sum) == ir::listed_lines::cols ? r.size(added.cols)
                                                                            : elements(sum.operands[0]);
  return in_all / std::max<std::int64_t>(elements(sum.operands[listed ? 2 : 1]), 1);
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  g.groups = does_not_fit;
  std::int64_t average = 0;
  for (const ir::node_id id : sums_of_lists(r.p, r.s))
    average = std::max(average, average_length(r, r.p.graph[id]));
  const std::int64_t rows = r.rows(), count = rows * r.cols();
  std::int64_t lanes = most_lanes;
  while (lanes > average || (lanes > fewest_lanes && count * lanes > resident * r.device.compute_units))
    lanes /= 2;
  if (lanes < fewest_lanes) return g;
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(lanes);
  g.kernel.large = count * lanes >= std::int64_t{1} << 31;
  g.local = r.device.group;
  g.groups = divide_up(count * lanes, g.local);
  g.sizes = {{"rows", rows}, {"count", count}};
  return g;
}

class emitter final : public numbered_walk::emitter {
 public:
  using numbered_walk::emitter::emitter;

 private:
  void walk() override {
    const int lanes = v_.choices[0];
    for (const char* name : {"rows", "count"}) add_size(name);
    codegen::value_emitter values = domain_emitter();
    values.list_lanes = lanes;
    out_.line("local long list_parts[{}];", {shape_.local});
    out_.line("const {} n = get_global_id(0) / {};", {index(), lanes});
    out_.line("const uint list_lane = get_local_id(0) % {};", {lanes});
    start(values);
    out_.line("const {} e = min(n, {} - 1), j = e / {}, i = e - j * {};",
              {index(), v_.large ? "count" : "(uint)count", rows(), rows()});
    values.begin(access_to_domain(1));
    for (const ir::node_id id : sums_of_lists(plan_, s_)) values.pin(out_, id);
    const list_of<std::string> stored = texts_of(values, s_.stores);
    out_.open("if (list_lane == 0 && n < count)");
    store_in_domain(values, s_.stores, stored, 1);
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace listed_walk

inline constexpr step_kind listed_sums{
    kind_order::listed_sums, "listed_sums",      "sums of lists that work-items share",
    listed_walk::takes,      listed_walk::shape, listed_walk::emit};

}  // namespace fusecl::kinds
