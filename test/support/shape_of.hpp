#pragma once
// A device that need not be here, and the geometry that a statement of one step gets on such a device.

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::test {

/// What is known of an H200.
inline const schedule::device_shape h200{.form = schedule::device_form::gpu,
                                         .compute_units = 132,
                                         .last_group = true,
                                         .shuffles = true,
                                         .tensor_cores = true,
                                         .async_copies = true,
                                         .shown_bytes = 226 * 1024,
                                         .local_bytes = 49152,
                                         .largest_group = 1024};

/// Geometry of the only step of a statement; `distinct`: no result is where an operand is.
inline schedule::geometry shape_of(const lowered_statement& s, const schedule::device_shape& device,
                                   schedule::row_tiles tiles = schedule::row_tiles::no,
                                   bool distinct = true) {
  const list_of<std::int64_t> extents = s.extents();
  const schedule::plan p =
      schedule::make_plan(passes::run_pipeline(s.graph), device.form, extents.data(), extents.size(), tiles);
  EXPECT_EQ(p.steps.size(), 1u);
  return kinds::shape(
      {p, p.steps[0], device, extents, schedule::widest(p, p.steps[0], device), true, distinct});
}

}  // namespace fusecl::test
