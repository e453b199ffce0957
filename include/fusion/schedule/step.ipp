#pragma once
#include <algorithm>

#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

FUSECL_INLINE plan::plan() = default;
FUSECL_INLINE plan::plan(const plan&) = default;
FUSECL_INLINE plan::plan(plan&&) noexcept = default;
FUSECL_INLINE plan& plan::operator=(const plan&) = default;
FUSECL_INLINE plan& plan::operator=(plan&&) noexcept = default;
FUSECL_INLINE plan::~plan() = default;

FUSECL_INLINE step::step() = default;
FUSECL_INLINE step::step(const step&) = default;
FUSECL_INLINE step::step(step&&) noexcept = default;
FUSECL_INLINE step& step::operator=(const step&) = default;
FUSECL_INLINE step& step::operator=(step&&) noexcept = default;
FUSECL_INLINE step::~step() = default;

FUSECL_INLINE void step::note_made() {
  completed.clear();
  for (const phase& p : phases) completed.insert(completed.end(), p.along.begin(), p.along.end());
  made = completed;
  made.insert(made.end(), reductions.begin(), reductions.end());
  const auto keep = [&](const std::vector<store>& list) {
    for (const store& result : list)
      if (result.to.kind == buffer_kind::temporary) made.push_back(result.value);
  };
  keep(epilogue);
  for (const phase& p : phases) keep(p.stores);
  std::sort(completed.begin(), completed.end());
  std::sort(made.begin(), made.end());
}

FUSECL_INLINE std::vector<ir::node_id> phase::values(const ir::graph& g) const {
  std::vector<ir::node_id> ids;
  for (const store& result : stores) ids.push_back(result.value);
  for (const auto* list : {&along, &across})
    for (ir::node_id id : *list) ids.push_back(g[id].operands[0]);
  return ids;
}

FUSECL_INLINE std::vector<ir::node_id> step::domain_values(const ir::graph& g) const {
  std::vector<ir::node_id> ids;
  const auto add = [&](const std::vector<store>& list) {
    for (const store& result : list) ids.push_back(result.value);
  };
  add(stores);
  for (const phase& p : phases) {
    add(p.stores);
    for (ir::node_id id : p.along) ids.push_back(g[id].operands[0]);
  }
  for (ir::node_id id : reductions) ids.push_back(g[id].operands[0]);
  return ids;
}

FUSECL_INLINE std::vector<matrix_cl_view> step::domain_parts(const ir::graph& g, bool exact) const {
  std::vector<matrix_cl_view> parts;
  for (const store& result : stores)  // what a target holds outside of its view is never read
    parts.push_back(result.place.is_part ? matrix_cl_view::Entire : g[result.value].view);
  parts.resize(domain_values(g).size() - reductions.size(), matrix_cl_view::Entire);
  parts.resize(parts.size() + reductions.size(), exact ? part : matrix_cl_view::Entire);
  return parts;
}

FUSECL_INLINE std::vector<ir::node_id> step::walked_values(const ir::graph& g) const {
  std::vector<ir::node_id> ids = domain_values(g);
  if (scans)
    for (const store& result : epilogue) ids.push_back(result.value);
  return ids;
}

FUSECL_INLINE std::string to_string(const plan& p, std::span<const std::string_view> kinds) {
  std::string out;
  const auto extent_text = [](ir::extent e) {
    return e == ir::one ? std::string("1") : "n" + std::to_string(e);
  };
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const step& s = p.steps[k];
    out += "step " + std::to_string(k) + ": ";
    if (k < kinds.size()) out += std::string(kinds[k]) + " ";
    out += "over " + extent_text(s.rows) + " x " + extent_text(s.cols);
    if (s.part != matrix_cl_view::Entire) out += ", " + std::string(view_name(s.part)) + " part only";
    if (!s.reason.empty()) out += ", apart because " + s.reason;
    out += "\n";
    for (const store& result : s.stores) out += "  stores %" + std::to_string(result.value) + "\n";
    for (const phase& each : s.phases) {
      out += "  phase " + std::to_string(each.level) + " over " + extent_text(each.cols) + " columns:";
      for (ir::node_id id : each.along) out += " completes %" + std::to_string(id);
      for (ir::node_id id : each.across) out += " adds to %" + std::to_string(id);
      for (const store& result : each.stores) out += " stores %" + std::to_string(result.value);
      out += "\n";
    }
    for (ir::node_id id : s.kept) out += "  keeps %" + std::to_string(id) + "\n";
    for (ir::node_id id : s.reductions)
      out += (s.scans ? "  scans %" : "  reduces %") + std::to_string(id) + "\n";
    for (const store& result : s.epilogue) out += "  finishes %" + std::to_string(result.value) + "\n";
  }
  return out;
}

}  // namespace fusecl::schedule
