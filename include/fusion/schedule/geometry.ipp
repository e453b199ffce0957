#pragma once
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/geometry.hpp>

namespace fusecl::schedule {

FUSECL_INLINE std::size_t geometry::number_of(std::string_view name) const {
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k].name == name) return k;
  throw std::logic_error(text::fill("a kernel takes the size {}, which its geometry lacks", {name}));
}

FUSECL_INLINE std::int64_t first_stride(std::int64_t count) {
  std::int64_t stride = 1;
  while (2 * stride < count) stride *= 2;
  return count > 1 ? stride : 0;
}

FUSECL_INLINE void take_parts(geometry& g, const launch_request& r, std::size_t e, std::size_t reductions,
                              std::int64_t each) {
  if (g.kernel.partial) g.part_elements.resize(g.part_elements.size() + reductions, each);
  const std::size_t sums = sums_of(r.s).size();
  if (sums < 2) return;
  constexpr std::int64_t vector_bytes = 128;
  std::size_t element = 1;
  for (std::size_t k = 0; k < sums; ++k) element = std::max(element, size_of(type_of_part(r.p, r.s, k)));
  const std::int64_t apart = round_up(each * static_cast<std::int64_t>(element), vector_bytes);
  g.sizes.push_back({"apart" + std::to_string(e), apart});
  if (g.kernel.partial) g.bytes_together += apart * static_cast<std::int64_t>(reductions);
}

FUSECL_INLINE void let_last_group_finish(variant& kernel, const device_shape& device, bool wanted) {
  kernel.last = wanted && device.last_group;
}

FUSECL_INLINE std::int64_t result_count(const launch_request& r) {
  return r.s.axis == ir::axis::row ? r.rows() : r.s.axis == ir::axis::column ? r.cols() : 1;
}

FUSECL_INLINE void leave_parts(geometry& g, const launch_request& r, std::int64_t parts, std::int64_t tree) {
  const std::int64_t results = result_count(r);
  g.kernel.partial = parts > 1;
  let_last_group_finish(g.kernel, r.device, g.kernel.partial && r.s.axis == ir::axis::all);
  take_parts(g, r, 0, sums_of(r.s).size(), results * parts);
  // many parts of few results: the parts are spread over the work-items instead of the results
  const std::int64_t most = std::min<std::int64_t>(parts <= 64 ? 32 : results <= 512 ? 1 : 8, r.device.group);
  const std::int64_t lanes = r.on_cpu() ? 1 : std::clamp<std::int64_t>(results, 1, most);
  g.finish_groups = divide_up(results, r.on_cpu() ? cpu_finish_tile : lanes);
  g.sizes.push_back({"results", results});
  g.sizes.push_back({"parts", parts});
  g.sizes.push_back({"first_stride", first_stride(tree), true});
  g.sizes.push_back({"finish_lanes", lanes, true});
  g.sizes.push_back({"finish_stride", first_stride(g.local / lanes), true});
  if (results == 0) g.groups = 0;
}

FUSECL_INLINE int widest(const plan& p, const step& s, const device_shape& device) {
  list_of<ir::node_id> values = s.walked_values(p.graph);
  append(values, s.reductions);
  std::size_t largest = 4;
  for (ir::node_id id : ir::reachable(p.graph, values, [&](ir::node_id id) { return p.loads(s, id); }))
    largest = std::max(largest, size_of(p.graph[id].type));
  // a loop that computes much, or that also stores and computes some, does well with narrow accesses
  // (docs/decisions/0004), which leave it registers; one that computes little has more bytes on the way with
  // wide ones
  constexpr double narrow_flops = 110;
  const bool narrow =
      s.linear && s.reduces && (s.flops >= narrow_flops || (!s.stores.empty() && s.is_heavy()));
  const int bytes =
      device.form == device_form::cpu ? device.vector_bytes : device.access_bytes / (narrow ? 2 : 1);
  return std::max(1, bytes / static_cast<int>(largest));
}

}  // namespace fusecl::schedule
