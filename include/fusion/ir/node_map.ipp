#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/base/per_thread.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

FUSECL_INLINE void sort(list_of<node_id>& ids) {
  for (std::size_t gap = ids.size(); gap > 1;) {  // Shell's sort
    gap = gap < 5 ? 1 : 5 * gap / 11;
    for (std::size_t k = gap; k < ids.size(); ++k) {
      const node_id id = ids[k];
      std::size_t to = k;
      for (; to >= gap && ids[to - gap] > id; to -= gap) ids[to] = ids[to - gap];
      ids[to] = id;
    }
  }
}

FUSECL_INLINE node_set::node_set(list_of<node_id> ids) : ids_(std::move(ids)) {
  constexpr std::size_t far = 16;  // times as many nodes between the first and the last
  if (ids_.empty()) return;
  node_id first = ids_[0], last = ids_[0];
  for (node_id id : ids_) {
    first = std::min(first, id);
    last = std::max(last, id);
  }
  const auto range = static_cast<std::size_t>(last - first) + 1;
  if (range <= far * ids_.size()) {
    marks_.assign(range, 0);
    for (node_id id : ids_) marks_[static_cast<std::size_t>(id - first)] = 1;
    ids_.clear();
    for (std::size_t k = 0; k < range; ++k)
      if (marks_[k]) ids_.push_back(first + static_cast<node_id>(k));
    return;
  }
  sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

FUSECL_INLINE bool node_set::operator[](node_id id) const {
  if (marks_.empty()) return std::binary_search(ids_.begin(), ids_.end(), id);
  return id >= ids_.front() && id <= ids_.back() && marks_[static_cast<std::size_t>(id - ids_.front())];
}

/// Marks of nodes that are kept from one walk to the next; all zero between walks.
struct walk_marks {
  list_of<char> all;
};

FUSECL_INLINE node_set reachable(const graph& g, std::span<const node_id> ids, node_test stop) {
  static constinit thread_local walk_marks* own = nullptr;
  list_of<char>& kept_marks = per_thread<walk_marks>::get(own).all;
  list_of<char> marks = std::exchange(kept_marks, {});
  if (marks.size() < static_cast<std::size_t>(g.size())) marks.resize(static_cast<std::size_t>(g.size()), 0);
  list_of<node_id> found;
  const auto visit = [&](node_id id) {
    char& mark = marks[static_cast<std::size_t>(id)];
    if (!mark) found.push_back(id);
    mark = 1;
  };
  for (node_id id : ids) visit(id);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const node_id id = found[next];
    if (stop(id)) continue;
    for (int k = 0; k < arity(g[id]); ++k) visit(g[id].operands[k]);
  }
  for (node_id id : found) marks[static_cast<std::size_t>(id)] = 0;
  kept_marks = std::move(marks);
  return node_set(std::move(found));
}

FUSECL_INLINE node_set reachable(const graph& g, std::span<const node_id> ids) {
  const auto nowhere = [](node_id) { return false; };
  return reachable(g, ids, nowhere);
}

FUSECL_INLINE node_set used_in_place(const graph& g, const node_set& within, std::span<const node_id> ids,
                                     node_test maps) {
  list_of<node_id> used(ids.begin(), ids.end());
  for (node_id id : within)
    for (int k = 0; k < arity(g[id]); ++k)
      if (!maps(id) || reads_in_place(g[id], k)) used.push_back(g[id].operands[k]);
  return node_set(std::move(used));
}

}  // namespace fusecl::ir
