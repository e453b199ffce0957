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
  prepared_plan(schedule::plan p, const schedule::device_shape& device);

  const schedule::plan& plan() const { return plan_; }
  const schedule::device_shape& device() const { return device_; }
  int width(std::size_t step) const { return widths_[step]; }
  /// The kernels for a geometry, built at most once for all threads.
  compiled_step& compiled(std::size_t step, const schedule::geometry& shape);

 private:
  schedule::plan plan_;
  schedule::device_shape device_;
  std::vector<int> widths_;
  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<compiled_step>>> steps_;
};

/// Sizes of the column extents of a row tile.
std::vector<std::int64_t> tile_columns(const schedule::plan& p, const binder& bound, const schedule::step& s);
/// Geometry of a step for the sizes of `bound`; `groups` is negative where the step does not fit them.
schedule::geometry geometry_of(const prepared_plan& prepared, const binder& bound, std::size_t step,
                               bool padded, bool distinct);

/// The plans of a statement, of which the sizes choose: the first one that fits them.
struct prepared_statement {
  std::vector<std::unique_ptr<prepared_plan>> alternatives;
  /// `padded`: every buffer may be touched up to the next whole vector.
  prepared_plan& choose(const binder& bound, bool padded) const;
};

/// What schedules need to know of the selected device; FUSECL_SCHEDULE=cpu|gpu overrides its kind.
schedule::device_shape selected_device_shape();

/// The graph of a statement, with its results converted to the targets' types.
ir::graph lower_statement(const statement& s, const binder& bound);

/// The plans of a statement for its operands' pattern; made at most once for all threads.
prepared_statement& plan_for(const statement& s, const binder& bound);

/// Throws std::invalid_argument unless every result has a size and all sizes agree.
void check_results(const statement& s);

/// Whether whole vectors may be read past the end of every operand.
inline bool are_padded(const binder& bound) {
  for (const matrix_operand& m : bound.matrices())
    if (!m.padded) return false;
  return true;
}

/// Run-time size of an extent symbol.
std::int64_t size_of_extent(const schedule::plan& p, const binder& bound, ir::extent e);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/prepared.ipp>
#endif
