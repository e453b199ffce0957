#pragma once
// A plan with its compiled kernels. Shared by all threads; each thread keeps what it used last.

#include <memory>
#include <mutex>
#include <vector>

#include <fusion/codegen/emit.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/runtime/kernel.hpp>

namespace fusecl::detail {

/// The kernels of one variant of a step.
struct compiled_step {
  schedule::variant variant;
  codegen::program_text text;
  std::unique_ptr<runtime::kernel> main;
  std::unique_ptr<runtime::kernel> finish;  ///< null where the variant needs none
};

class prepared_plan {
 public:
  /// `written`: the graph of the statement before the passes.
  prepared_plan(schedule::plan p, const schedule::device_shape& device, ir::graph written);

  const schedule::plan& plan() const { return plan_; }
  const ir::graph& written() const { return written_; }
  const schedule::device_shape& device() const { return device_; }
  int width(std::size_t step) const { return widths_[step]; }
  /// The kernels for a geometry, built at most once for all threads.
  compiled_step& compiled(std::size_t step, const schedule::geometry& shape);

 private:
  schedule::plan plan_;
  ir::graph written_;
  schedule::device_shape device_;
  std::vector<int> widths_;
  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<compiled_step>>> steps_;
};

/// What schedules need to know of the selected device; FUSECL_SCHEDULE=cpu|gpu overrides its kind.
schedule::device_shape selected_device_shape();

/// The plan of a statement for its operands' pattern; made at most once for all threads.
prepared_plan& plan_for(const statement& s, const binder& bound);

/// Run-time size of an extent symbol.
std::int64_t size_of_extent(const schedule::plan& p, const binder& bound, ir::extent e);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/prepared.ipp>
#endif
