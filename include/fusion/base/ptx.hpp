#pragma once
// Instructions of NVIDIA's devices that OpenCL C has no name for, for `asm` statements (PTX ISA).

namespace fusecl::ptx {

/// A warp adds a 16 x 4 matrix of double times a 4 x 8 one ("Warp Level Matrix Instructions: mma", m16n8k4 of
/// f64). A work-item has elements %0 to %3 of the sums, %4 and %5 of the first factor and %6 of the second.
inline constexpr char multiply_unit[] =
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};";

}  // namespace fusecl::ptx
