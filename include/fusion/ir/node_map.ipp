#pragma once
#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

FUSECL_INLINE node_set::node_set(std::vector<node_id> ids) : ids_(std::move(ids)) {
  constexpr std::size_t far = 16;  // times as many nodes between the first and the last
  if (ids_.empty()) return;
  const auto [lowest, highest] = std::minmax_element(ids_.begin(), ids_.end());
  const node_id first = *lowest;
  const auto range = static_cast<std::size_t>(*highest - first) + 1;
  if (range <= far * ids_.size()) {
    marks_.assign(range, 0);
    for (node_id id : ids_) marks_[static_cast<std::size_t>(id - first)] = 1;
    ids_.clear();
    for (std::size_t k = 0; k < range; ++k)
      if (marks_[k]) ids_.push_back(first + static_cast<node_id>(k));
    return;
  }
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

}  // namespace fusecl::ir
