#pragma once
#include <fusion/autodiff/prepare.hpp>

namespace fusecl::detail {

FUSECL_INLINE preparing_tape::preparing_tape() : before_(preparing) {
  tape& own = this_thread_tape();
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!own[k]) continue;  // it is being made
    if (std::function<void()> restore = own[k]->kept_adjoint())
      kept_.push_back({own[k]->mark(), std::move(restore)});
  }
  nested_ = own.open_nested();
  preparing = true;
}

FUSECL_INLINE preparing_tape::~preparing_tape() {
  preparing = before_;
  tape& own = this_thread_tape();
  own.close_nested(nested_);
  for (const kept_adjoint& each : kept_)
    if (own.remembers(each.of)) each.restore();
}

}  // namespace fusecl::detail
