#pragma once
// What the classes of operations bring. All but element-wise ones bring the walk in tiles of rows: steps over
// the same rows and different columns come of any of them.

#include <fusion/codegen/accesses.ipp>
#include <fusion/codegen/values.hpp>
#include <fusion/ir/interpret.hpp>
#include <fusion/kinds/batched_cholesky.ipp>
#include <fusion/kinds/batched_product.ipp>
#include <fusion/kinds/batched_product_on_cpu.ipp>
#include <fusion/kinds/batched_solve.ipp>
#include <fusion/kinds/cholesky.ipp>
#include <fusion/kinds/cholesky_panels.ipp>
#include <fusion/kinds/column_sums.ipp>
#include <fusion/kinds/few_long_rows.ipp>
#include <fusion/kinds/linear_sums.ipp>
#include <fusion/kinds/listed_sums.ipp>
#include <fusion/kinds/product.ipp>
#include <fusion/kinds/product_of_floats.ipp>
#include <fusion/kinds/product_on_cpu.ipp>
#include <fusion/kinds/product_on_tensor_cores.ipp>
#include <fusion/kinds/reduce.ipp>
#include <fusion/kinds/row_tile.ipp>
#include <fusion/kinds/rows.ipp>
#include <fusion/kinds/scan.ipp>
#include <fusion/kinds/scattered.ipp>
#include <fusion/kinds/short_columns.ipp>
#include <fusion/kinds/transposed.ipp>
#include <fusion/kinds/triangular_blocks.ipp>
#include <fusion/kinds/triangular_chain.ipp>
#include <fusion/kinds/triangular_inverse.ipp>
#include <fusion/kinds/triangular_solve.ipp>
#include <fusion/kinds/user_leaf.ipp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/ops/interpret_batches.hpp>
#include <fusion/ops/interpret_factorization.hpp>
#include <fusion/ops/user_leaf.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/schedule/stages.ipp>

namespace fusecl::kinds {

inline constexpr const passes::pass* passes_of_reductions[] = {&passes::counting, nullptr};
inline constexpr const passes::pass* passes_of_accesses[] = {&passes::sinking, nullptr};
inline constexpr const passes::pass* passes_of_indices[] = {&passes::dropping_lists, &passes::sinking,
                                                            nullptr};
inline constexpr const step_kind* kinds_of_reductions[] = {
    &row_tile, &linear_sums, &reduce, &few_long_rows, &rows, &short_columns, &column_sums, nullptr};
inline constexpr const step_kind* kinds_of_scans[] = {&row_tile, &scan, nullptr};
inline constexpr const step_kind* kinds_of_accesses[] = {&row_tile, &transposed, &scattered, nullptr};
inline constexpr const step_kind* kinds_of_indices[] = {&row_tile, &transposed, &listed_sums, &scattered,
                                                        nullptr};

inline constexpr const step_kind* kinds_of_products[] = {
    &row_tile, &product_on_tensor_cores, &product_of_floats, &product, &product_on_cpu, nullptr};
inline constexpr const step_kind* kinds_of_batched_products[] = {&row_tile, &batched_product,
                                                                 &batched_product_on_cpu, nullptr};
inline constexpr const step_kind* kinds_of_batched_factors[] = {&row_tile, &batched_cholesky, &batched_solve,
                                                                nullptr};
inline constexpr const step_kind* kinds_of_user_leaves[] = {&row_tile, &user_leaf, nullptr};
inline constexpr const step_kind* kinds_of_factorizations[] = {
    &row_tile,          &cholesky_panels,  &cholesky,           &triangular_chain,
    &triangular_blocks, &triangular_solve, &triangular_inverse, nullptr};

}  // namespace fusecl::kinds

namespace fusecl::ir {

#ifdef FUSECL_SPLIT
#define FUSECL_SUPPORT const support
#else
#define FUSECL_SUPPORT inline const support
#endif
FUSECL_SUPPORT supports::reductions{.passes = kinds::passes_of_reductions,
                                    .kinds = kinds::kinds_of_reductions,
                                    .together = passes::accumulate_together,
                                    .cut = schedule::cut_in_stages,
                                    .interpret = interpret_reduction,
                                    .errors = fusecl::detail::errors_of_reduction};
FUSECL_SUPPORT supports::scans{.kinds = kinds::kinds_of_scans,
                               .cut = schedule::cut_in_stages,
                               .interpret = interpret_scan,
                               .errors = fusecl::detail::errors_of_scan};
FUSECL_SUPPORT supports::indices{.passes = kinds::passes_of_indices,
                                 .kinds = kinds::kinds_of_indices,
                                 .cut = schedule::cut_in_stages,
                                 .text = codegen::text_of_indexed,
                                 .interpret = interpret_indexed,
                                 .errors = fusecl::detail::errors_of_indexed};
FUSECL_SUPPORT supports::accesses{.passes = kinds::passes_of_accesses,
                                  .kinds = kinds::kinds_of_accesses,
                                  .cut = schedule::cut_in_stages,
                                  .text = codegen::text_of_access,
                                  .store = codegen::store_part,
                                  .places = places_of_access,
                                  .interpret = interpret_access,
                                  .errors = fusecl::detail::errors_of_access};
FUSECL_SUPPORT supports::products{.kinds = kinds::kinds_of_products,
                                  .reduces_results = true,
                                  .cut = schedule::cut_in_stages,
                                  .interpret = interpret_product,
                                  .errors = fusecl::detail::errors_of_product};
FUSECL_SUPPORT supports::factorizations{.kinds = kinds::kinds_of_factorizations,
                                        .joined = passes::join_factors,
                                        .cut = schedule::cut_in_stages,
                                        .reads_as = ops::triangle_read,
                                        .interpret = ops::interpret_factorization,
                                        .errors = fusecl::detail::errors_of_factorization};
FUSECL_SUPPORT supports::batched_products{.kinds = kinds::kinds_of_batched_products,
                                          .cut = schedule::cut_in_stages,
                                          .reads_as = ops::transposed_in_product,
                                          .interpret = ops::interpret_batched_product,
                                          .errors = fusecl::detail::errors_of_batched_product};
FUSECL_SUPPORT supports::batched_factors{.kinds = kinds::kinds_of_batched_factors,
                                         .cut = schedule::cut_in_stages,
                                         .reads_as = ops::transposed_in_system,
                                         .interpret = ops::interpret_batched_factor,
                                         .errors = fusecl::detail::errors_of_batched_factor};
FUSECL_SUPPORT supports::user_leaves{.kinds = kinds::kinds_of_user_leaves,
                                     .cut = schedule::cut_in_stages,
                                     .interpret = ops::interpret_user_leaf,
                                     .errors = fusecl::detail::errors_of_user_leaf};
#undef FUSECL_SUPPORT

}  // namespace fusecl::ir
