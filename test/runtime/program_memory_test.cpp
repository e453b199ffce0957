// What stays in memory of programs that no kernel uses any more.

#include "scratch.hpp"

namespace fusecl {
namespace {

TEST(ProgramMemory, IsGivenBackWhereKernelsAreGone) {
  const test::scoped_variable cache_off("FUSECL_CACHE", "0");
  const auto text = [](int k) {
    return "kernel void add(global int* a) { a[get_global_id(0)] += " + std::to_string(k) + "; }\n";
  };
  test::device_array<int> array({0});
  const kernel_cl<in_out_buffer> kept("add", text(-1));
  kept(cl::NDRange(1), array);
  const std::size_t before = runtime::programs_in_memory();
  const int kernels = static_cast<int>(runtime::most_unused_programs) * 3 / 2;
  for (int k = 0; k < kernels; ++k) {
    kernel_cl<in_out_buffer>("add", text(k))(cl::NDRange(1), array);
  }
  EXPECT_LT(runtime::programs_in_memory(), before + runtime::most_unused_programs);
  EXPECT_EQ(array.read()[0], kernels * (kernels - 1) / 2 - 1);
  const auto built = runtime_counters().programs_built;
  kernel_cl<in_out_buffer>("add", text(-1))(cl::NDRange(1), array);  // known: a kernel holds it
  EXPECT_EQ(runtime_counters().programs_built, built);
}

}  // namespace
}  // namespace fusecl
