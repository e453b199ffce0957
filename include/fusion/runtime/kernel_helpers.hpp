#pragma once
// Texts to stand before the source of a kernel_cl, and macros that every kernel_cl may use, by the names and
// with the meanings that they have in Stan Math's OpenCL backend.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fusion/base/view.hpp>

namespace fusecl {
namespace runtime {

/// A macro that a kernel_cl has where its source uses it and neither defines it nor was given it.
struct kernel_macro {
  std::string_view name;
  int value;
};
inline constexpr kernel_macro known_kernel_macros[] = {
    {"DIAGONAL", static_cast<int>(matrix_cl_view::Diagonal)},
    {"LOWER", static_cast<int>(matrix_cl_view::Lower)},
    {"UPPER", static_cast<int>(matrix_cl_view::Upper)},
    {"ENTIRE", static_cast<int>(matrix_cl_view::Entire)},
    {"THREAD_BLOCK_SIZE", 32},
    {"WORK_PER_THREAD", 8},
};

/// Adds those of these macros that a source uses to the ones it was given.
void add_known_macros(std::vector<std::pair<std::string, std::string>>& definitions, std::string_view source);

}  // namespace runtime

/// OpenCL C with `either`, `both` and `contains_nonzero` of views, which kernels have as int, and
/// `is_not_entire`.
inline constexpr char view_kernel_helpers[] = R"(
#ifndef FUSECL_VIEW_HELPERS
#define FUSECL_VIEW_HELPERS
static inline int either(int first, int second) { return first | second; }
static inline int both(int first, int second) { return first & second; }
static inline bool contains_nonzero(int view, int part) { return (view & part) != 0; }
static inline bool is_not_entire(int view) { return view != 3; }
#endif
)";

namespace opencl_kernels {
using fusecl::view_kernel_helpers;

/// OpenCL C with macros for elements of matrices by row and column: `A(i, j)`, `B(i, j)` and `C(i, j)` of
/// matrices A, B and C with `rows` rows, `A_batch(i, j, k)` of one of several such matrices with `cols`
/// columns behind each other, `AT(i, j)` and `BT(i, j)` of A and B with `cols` rows, `src(i, j)` and `dst(i,
/// j)` of src and dst with `src_rows` and `dst_rows` rows. What they are called with are names in the kernel.
inline constexpr char indexing_helpers[] = R"(
#ifndef FUSECL_INDEXING_HELPERS
#define FUSECL_INDEXING_HELPERS
#define FUSECL_ELEMENT(MATRIX, HEIGHT, I, J) MATRIX[(I) + (J) * (HEIGHT)]
#ifndef A
#define A(i, j) FUSECL_ELEMENT(A, rows, i, j)
#endif
#ifndef B
#define B(i, j) FUSECL_ELEMENT(B, rows, i, j)
#endif
#ifndef C
#define C(i, j) FUSECL_ELEMENT(C, rows, i, j)
#endif
#ifndef AT
#define AT(i, j) FUSECL_ELEMENT(A, cols, i, j)
#endif
#ifndef BT
#define BT(i, j) FUSECL_ELEMENT(B, cols, i, j)
#endif
#ifndef A_batch
#define A_batch(i, j, k) FUSECL_ELEMENT(A, rows, i, (j) + (k) * cols)
#endif
#ifndef src
#define src(i, j) FUSECL_ELEMENT(src, src_rows, i, j)
#endif
#ifndef dst
#define dst(i, j) FUSECL_ELEMENT(dst, dst_rows, i, j)
#endif
#endif
)";

/// OpenCL C with `THREAD_BLOCK_SIZE_COL`: columns of a block for each of its work-items.
inline constexpr char thread_block_helpers[] = R"(
#ifndef THREAD_BLOCK_SIZE_COL
#define THREAD_BLOCK_SIZE_COL (THREAD_BLOCK_SIZE / WORK_PER_THREAD)
#endif
)";

/// The name of old versions for indexing_helpers and thread_block_helpers.
inline const std::string helpers = std::string(indexing_helpers) + thread_block_helpers;

}  // namespace opencl_kernels

/// Lists of events after one another, or of anything else.
template <class T, class... More>
std::vector<T> vec_concat(std::vector<T> all, const std::vector<T>& next, const More&... more) {
  all.insert(all.end(), next.begin(), next.end());
  if constexpr (sizeof...(More) == 0)
    return all;
  else
    return vec_concat(std::move(all), more...);
}
template <class T>
std::vector<T> vec_concat(std::vector<T> all) {
  return all;
}

}  // namespace fusecl
