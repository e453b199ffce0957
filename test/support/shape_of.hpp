#pragma once
// The geometry that a statement of one step gets on a device that need not be here.

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::test {

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
