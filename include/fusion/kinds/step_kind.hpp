#pragma once
// A kind of step: one way to walk the domain of a step. It says which steps it takes, which geometry they get
// for given sizes and what the text of their kernels is. Each kind is one file here.

#include <fusion/codegen/emit.hpp>
#include <fusion/schedule/geometry.hpp>

namespace fusecl::kinds {

/// The order in which kinds are asked.
enum class kind_order : std::uint8_t {
  product_on_tensor_cores,
  product_of_floats,
  product,
  product_on_cpu,
  batched_product,
  batched_product_on_cpu,
  batched_cholesky,
  batched_solve,
  cholesky_panels,
  cholesky,
  triangular_chain,
  triangular_blocks,
  triangular_solve,
  triangular_inverse,
  user_leaf,
  row_tile,
  scan,
  linear,
  linear_sums,
  transposed,
  listed_sums,
  scattered,
  numbered,
  reduce,
  few_long_rows,
  rows,
  few_rows,
  columns,
  short_columns,
  column_sums
};
inline constexpr std::size_t kind_orders = std::size_t(kind_order::column_sums) + 1;

/// Groups of a geometry that does not fit the sizes: the next kind is asked; or no kind is, as the statement
/// needs another plan for them.
inline constexpr std::int64_t does_not_fit = -1, needs_another_plan = -2;

struct step_kind {
  kind_order order;
  const char* name;  ///< in names of kernels
  const char* walk;  ///< what it does, for `explain`
  /// Whether it can walk the step on devices of the plan's form.
  bool (*takes)(const schedule::plan& p, const schedule::step& s);
  /// Geometry for the sizes; `groups` is one of the two above where they do not fit.
  schedule::geometry (*shape)(const schedule::launch_request& r);
  /// Text for a variant that `shape` gave.
  codegen::program_text (*emit)(const codegen::emit_request& r);
  /// Flops of a kernel of its own, besides those that elements of the result take; null for none.
  double (*flops)(const schedule::plan& p, const schedule::step& s,
                  std::span<const std::int64_t> extents) = nullptr;
};

}  // namespace fusecl::kinds
