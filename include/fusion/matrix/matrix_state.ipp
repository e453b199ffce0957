#pragma once
#include <fusion/expr/kept_size.hpp>
#include <fusion/matrix/matrix_state.hpp>

namespace fusecl::detail {

FUSECL_INLINE void follower_group::destroy() {
  if (joined != nullptr) joined->release();
  if (target != nullptr) target->release();
  delete this;
}

FUSECL_INLINE void follower_group::set_target(matrix_state* state) {
  if (state != nullptr) state->retain();
  if (matrix_state* before = std::exchange(target, state)) before->release();
}

FUSECL_HOT_INLINE void matrix_state::destroy() {
  if (follows != nullptr) follows->release();
  delete this;
}

FUSECL_HOT_INLINE void state_ref::drop(matrix_state* target) noexcept { target->release(); }

FUSECL_INLINE void matrix_state::drop_group_of_nobody() {
  if (group->references.load(std::memory_order_acquire) == 1) std::exchange(group, nullptr)->release();
}

FUSECL_HOT_INLINE void matrix_state::hold(runtime::storage_ref memory, std::int64_t new_rows,
                                          std::int64_t new_cols, matrix_cl_view new_view) {
  const bool other_size = rows != new_rows || cols != new_cols || follows != nullptr;
  storage = std::move(memory);
  rows = new_rows;
  cols = new_cols;
  view = new_view;
  if (!other_size) return;
  if (follows != nullptr) std::exchange(follows, nullptr)->release();
  if (is_shared()) size_changes.fetch_add(1, std::memory_order_release);
}

FUSECL_INLINE void matrix_state::adopt(follower_group* others) {
  if (others == nullptr) return;
  if (group != nullptr) {
    follower_group *higher = group, *lower = others;
    if (higher->rank < lower->rank) std::swap(higher, lower);
    higher->rank += higher->rank == lower->rank;
    higher->retain();
    lower->joined = higher;
    lower->set_target(nullptr);
    lower->release();
    others = higher;
  }
  group = others;
  group->set_target(this);
}

FUSECL_INLINE void matrix_state::go_to(matrix_state& to, runtime::storage_ref nothing) {
  hold(std::move(nothing), 0, 0, matrix_cl_view::Entire);
  to.group->retain();
  follows = to.group;
  ++moves;
  size_changes.fetch_add(1, std::memory_order_release);
}

}  // namespace fusecl::detail
