#pragma once

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
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
  for (const phase& p : phases) append(completed, p.along);
  made = completed;
  append(made, reductions);
  append(made, needed);
  append(made, sums);
  const auto keep = [&](const list_of<store>& list) {
    for (const store& result : list)
      if (result.to.kind == buffer_kind::temporary) made.push_back(result.value);
  };
  keep(stores);
  keep(epilogue);
  keep(after_sums);
  for (const phase& p : phases) keep(p.stores);
  ir::sort(completed);
  ir::sort(made);
}

FUSECL_INLINE list_of<ir::node_id> phase::values(const ir::graph& g) const {
  list_of<ir::node_id> ids;
  for (const store& result : stores) ids.push_back(result.value);
  for (const auto* list : {&along, &across})
    for (ir::node_id id : *list) ids.push_back(g[id].operands[0]);
  return ids;
}

FUSECL_INLINE list_of<ir::node_id> step::domain_values(const ir::graph& g) const {
  list_of<ir::node_id> ids;
  const auto add = [&](const list_of<store>& list) {
    for (const store& result : list) ids.push_back(result.value);
  };
  add(stores);
  for (const phase& p : phases) {
    add(p.stores);
    for (ir::node_id id : p.along) ids.push_back(g[id].operands[0]);
  }
  for (ir::node_id id : reductions)
    for (int k = 0; k < (opaque ? ir::arity(g[id]) : 1); ++k) ids.push_back(g[id].operands[k]);
  return ids;
}

FUSECL_INLINE list_of<matrix_cl_view> step::domain_parts(const ir::graph& g, bool exact) const {
  list_of<matrix_cl_view> parts;
  for (const store& result : stores)  // what a target holds outside of its view is never read
    parts.push_back(is_read_in_full(result) ? matrix_cl_view::Entire : g[result.value].view);
  parts.resize(domain_values(g).size() - reductions.size(), matrix_cl_view::Entire);
  parts.resize(parts.size() + reductions.size(), exact ? part : matrix_cl_view::Entire);
  return parts;
}

FUSECL_INLINE list_of<ir::node_id> step::walked_values(const ir::graph& g) const {
  list_of<ir::node_id> ids = domain_values(g);
  if (scans)
    for (const store& result : epilogue) ids.push_back(result.value);
  return ids;
}

FUSECL_INLINE std::string to_string(const plan& p, std::span<const std::string_view> kinds) {
  std::string out;
  const auto extent_text = [](ir::extent e) { return e == ir::one ? "1" : text::fill("n{}", {e}); };
  const auto list = [&](const char* pattern, const list_of<ir::node_id>& ids) {
    for (ir::node_id id : ids) text::append(out, pattern, {id});
  };
  const auto list_stores = [&](const char* pattern, const list_of<store>& stores) {
    for (const store& result : stores) text::append(out, pattern, {result.value});
  };
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const step& s = p.steps[k];
    const std::string_view kind = k < kinds.size() ? kinds[k] : "";
    text::append(out, "step {}: {}{}over {} x {}",
                 {k, kind, kind.empty() ? "" : " ", extent_text(s.rows), extent_text(s.cols)});
    if (s.part != matrix_cl_view::Entire) text::append(out, ", {} part only", {view_name(s.part)});
    if (!s.reason.empty()) text::append(out, ", apart because {}", {s.reason});
    out += "\n";
    list_stores("  stores %{}\n", s.stores);
    for (const phase& each : s.phases) {
      text::append(out, "  phase {} over {} columns:", {each.level, extent_text(each.cols)});
      list(" completes %{}", each.along);
      list(" adds to %{}", each.across);
      list_stores(" stores %{}", each.stores);
      out += "\n";
    }
    list("  keeps %{}\n", s.kept);
    list(s.scans ? "  scans %{}\n" : s.opaque ? "  computes %{}\n" : "  reduces %{}\n", s.reductions);
    list("  finishes with %{}\n", s.needed);
    list_stores("  finishes %{}\n", s.epilogue);
    list("  reduces %{}\n", s.sums);
    list_stores("  finishes %{}\n", s.after_sums);
  }
  return out;
}

}  // namespace fusecl::schedule
