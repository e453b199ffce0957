// Compiles every body of fusion once. FuseCL::split builds it; without CMake, compile it with
// -DFUSECL_SPLIT and link it to a program that was compiled with -DFUSECL_SPLIT.
// Written by tools/write_split.py.

#ifndef FUSECL_SPLIT
#error "split.cpp is compiled with -DFUSECL_SPLIT, and so is all that links to it"
#endif

#include <fusion/fusion.hpp>

// Bodies, after all headers.
#include <fusion/autodiff/check_gradient.ipp>
#include <fusion/autodiff/derivation.ipp>
#include <fusion/autodiff/eigen_var.ipp>
#include <fusion/autodiff/hessian.ipp>
#include <fusion/autodiff/prepare.ipp>
#include <fusion/autodiff/record.ipp>
#include <fusion/autodiff/tape.ipp>
#include <fusion/autodiff/value_and_gradient.ipp>
#include <fusion/codegen/loops.ipp>
#include <fusion/codegen/step_emitter.ipp>
#include <fusion/codegen/tile_cpu.ipp>
#include <fusion/codegen/tile_emitter.ipp>
#include <fusion/codegen/tile_finish.ipp>
#include <fusion/codegen/tile_gpu.ipp>
#include <fusion/codegen/values.ipp>
#include <fusion/codegen/writer.ipp>
#include <fusion/eval/elements.ipp>
#include <fusion/eval/error_bounds.ipp>
#include <fusion/eval/evaluate.ipp>
#include <fusion/eval/explain.ipp>
#include <fusion/eval/prepared.ipp>
#include <fusion/eval/read_operands.ipp>
#include <fusion/eval/reference.ipp>
#include <fusion/eval/results.ipp>
#include <fusion/eval/statement.ipp>
#include <fusion/eval/validate.ipp>
#include <fusion/expr/expression.ipp>
#include <fusion/expr/lowering.ipp>
#include <fusion/expr/product.ipp>
#include <fusion/expr/structure.ipp>
#include <fusion/expr/user_function.ipp>
#include <fusion/ir/graph.ipp>
#include <fusion/ir/interpret.ipp>
#include <fusion/ir/node_map.ipp>
#include <fusion/ir/print.ipp>
#include <fusion/ir/views.ipp>
#include <fusion/kinds/columns.ipp>
#include <fusion/kinds/few_rows.ipp>
#include <fusion/kinds/kinds.ipp>
#include <fusion/kinds/linear.ipp>
#include <fusion/kinds/numbered.ipp>
#include <fusion/kinds/reduce.ipp>
#include <fusion/kinds/row_tile.ipp>
#include <fusion/kinds/rows.ipp>
#include <fusion/kinds/scan.ipp>
#include <fusion/kinds/scan_cpu.ipp>
#include <fusion/kinds/scan_gpu.ipp>
#include <fusion/kinds/transposed.ipp>
#include <fusion/matrix/matrix_base.ipp>
#include <fusion/ops/arithmetic.ipp>
#include <fusion/ops/derivatives.ipp>
#include <fusion/ops/elementary.ipp>
#include <fusion/ops/formula.ipp>
#include <fusion/ops/host_functions.ipp>
#include <fusion/ops/reduce.ipp>
#include <fusion/ops/registry.ipp>
#include <fusion/ops/running.ipp>
#include <fusion/ops/scan.ipp>
#include <fusion/ops/special.ipp>
#include <fusion/ops/structure.ipp>
#include <fusion/passes/accumulate_together.ipp>
#include <fusion/passes/differentiate.ipp>
#include <fusion/passes/forward_differentiate.ipp>
#include <fusion/passes/merge_and_prune.ipp>
#include <fusion/passes/pipeline.ipp>
#include <fusion/passes/simplify.ipp>
#include <fusion/passes/sink_structure.ipp>
#include <fusion/runtime/cl.ipp>
#include <fusion/runtime/context.ipp>
#include <fusion/runtime/device.ipp>
#include <fusion/runtime/disk_cache.ipp>
#include <fusion/runtime/kernel.ipp>
#include <fusion/runtime/kernel_cl.ipp>
#include <fusion/runtime/launch_gate.ipp>
#include <fusion/runtime/pool.ipp>
#include <fusion/runtime/profiling.ipp>
#include <fusion/runtime/program_cache.ipp>
#include <fusion/runtime/queue.ipp>
#include <fusion/runtime/storage.ipp>
#include <fusion/schedule/geometry.ipp>
#include <fusion/schedule/merge_rows.ipp>
#include <fusion/schedule/plan.ipp>
#include <fusion/schedule/tile_load.ipp>
