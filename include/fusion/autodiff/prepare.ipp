#pragma once
#include <fusion/autodiff/prepare.hpp>

namespace fusecl::detail {

FUSECL_INLINE preparing_tape::preparing_tape() : before_(preparing) {
  tape& own = this_thread_tape();
  for (std::size_t k = 0; k < own.size(); ++k)
    if (std::function<void()> restore = own[k].kept_adjoint()) kept_.push_back(std::move(restore));
  start_nested();
  preparing = true;
}

FUSECL_INLINE preparing_tape::~preparing_tape() {
  preparing = before_;
  recover_memory_nested();
  for (const std::function<void()>& restore : kept_) restore();
}

}  // namespace fusecl::detail
