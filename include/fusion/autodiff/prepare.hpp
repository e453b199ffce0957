#pragma once
// Building ahead what statements on the tape need.

#include <concepts>
#include <utility>

#include <fusion/autodiff/var.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/prepare.hpp>

namespace fusecl {
namespace detail {

/// A nested tape on which statements build what they need and do not run. At its end adjoints of older
/// variables are what they were.
class preparing_tape {
 public:
  preparing_tape();
  ~preparing_tape();
  preparing_tape(const preparing_tape&) = delete;

 private:
  struct kept_adjoint {
    entry_mark of;
    std::function<void()> restore;
  };

  bool before_;
  list_of<kept_adjoint> kept_;
  std::uint64_t nested_;
};

}  // namespace detail

/// Runs `f` on a nested tape without the device: its statements, gradients and hand-written kernels build
/// what they need and do not run. Numbers that come from the device are 1 meanwhile, contents of matrices
/// that are assigned undefined; variables that `f` records or assigns are forgotten. Operands should have the
/// sizes they will have.
template <std::invocable F>
void prepare(F&& f) {
  const detail::preparing_tape tape;
  std::forward<F>(f)();
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/prepare.ipp>
#endif
