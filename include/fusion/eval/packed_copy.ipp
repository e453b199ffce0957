#pragma once
#include <stdexcept>

#include <fusion/eval/packed_copy.hpp>
#include <fusion/eval/typed_kernels.hpp>
#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl::detail {

/// A work-item an element of the square; VARIANT is 1 for the lower triangle and 0 for the upper one.
inline constexpr std::string_view packing_source = R"(
#if VARIANT
#define INSIDE(i, j) (i >= j)
#define PLACE(i, j, rows) (j * rows - j * (j + 1) / 2 + i)
#else
#define INSIDE(i, j) (i <= j)
#define PLACE(i, j, rows) (j * (j + 1) / 2 + i)
#endif
kernel void pack(global const TYPE* from, global TYPE* packed, long rows) {
  const long i = get_global_id(0), j = get_global_id(1);
  if (i < rows && j < rows && INSIDE(i, j)) packed[PLACE(i, j, rows)] = from[j * rows + i];
}
kernel void unpack(global const TYPE* packed, global TYPE* to, long rows) {
  const long i = get_global_id(0), j = get_global_id(1);
  if (i < rows && j < rows) to[j * rows + i] = INSIDE(i, j) ? packed[PLACE(i, j, rows)] : 0;
}
)";

struct packing_kernels {
  explicit packing_kernels(const std::string& source) : pack("pack", source), unpack("unpack", source) {}

  const kernel_cl<in_buffer, out_buffer, long> pack, unpack;
};

/// Runs over the square in groups of 64 rows of a column.
FUSECL_INLINE void run_packing(const kernel_cl<in_buffer, out_buffer, long>& kernel, const matrix_base& from,
                               matrix_base& to, std::int64_t rows) {
  constexpr std::size_t group = 64;
  const auto all = static_cast<std::size_t>(rows);
  kernel(cl::NDRange((all + group - 1) / group * group, all), cl::NDRange(group, 1), from, to, rows);
}

FUSECL_INLINE void pack(const matrix_base& from, matrix_base& packed, scalar_type type) {
  const bool lower = from.view() == matrix_cl_view::Lower;
  run_packing(typed_kernels<packing_kernels>(type, lower, packing_source).pack, from, packed, from.rows());
}

FUSECL_INLINE void unpack(const matrix_base& packed, matrix_base& to, scalar_type type) {
  const bool lower = to.view() == matrix_cl_view::Lower;
  run_packing(typed_kernels<packing_kernels>(type, lower, packing_source).unpack, packed, to, to.rows());
}

FUSECL_INLINE std::int64_t packed_size(std::int64_t rows, std::int64_t given) {
  std::int64_t next = 0, twice = 0;
  if (rows < 0 || __builtin_add_overflow(rows, 1, &next) || __builtin_mul_overflow(rows, next, &twice))
    throw std::invalid_argument(text::fill("packed_copy: a matrix cannot have {} rows", {rows}));
  if (given >= 0 && given != twice / 2)
    throw std::invalid_argument(text::fill(
        "packed_copy: a triangle of {} rows has {} elements, and elements has {}", {rows, twice / 2, given}));
  return twice / 2;
}

}  // namespace fusecl::detail
