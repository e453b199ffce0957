#pragma once
// Whether the tensor cores of an NVIDIA GPU multiply matrices of double, and faster than its work-items do:
// some have none for double, slow ones or other instructions. It is tried.

#include <optional>
#include <vector>

#include <fusion/runtime/device.hpp>

namespace fusecl::runtime {

/// What multiplies and adds.
enum class multiplies_by { tensor_cores, work_items };

/// Seconds that some multiplications and additions take on so many units of a device; nothing where it has
/// not the instructions (PTX ISA, "Warp Level Matrix Instructions: mma", m16n8k4 of f64), or the sums are
/// others than they should be. No failure leaves a trace.
std::optional<double> time_multiplication(cl_context context, cl_device_id device, multiplies_by what,
                                          unsigned compute_units);
/// Whether these are the sums of the first work-items, one after the other, to the last bit.
bool are_multiplied(const std::vector<double>& sums);

/// Whether the selected device was seen to multiply matrices of double faster by tensor cores. Is tried once
/// for each NVIDIA device of a process that may have the instructions, those of compute capability 9.0 and
/// later.
bool has_fast_tensor_cores();

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/tensor_cores.ipp>
#endif
