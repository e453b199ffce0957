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

TEST(ProgramMemory, OfABinaryThatIsStoredIsGivenBack) {
  if (!test::keeps_programs()) GTEST_SKIP() << "no programs are kept on disk for this driver";
  const test::scratch_directory folder;
  const test::scoped_variable where("FUSECL_CACHE_DIR", folder.path), on("FUSECL_CACHE", "1");
  test::select_same_device();
  const char* source =
      "kernel void up(global int* a) { a[get_global_id(0)] += 5; }\n"
      "kernel void down(global int* a) { a[get_global_id(0)] -= 3; }\n";
  test::device_array<int> array({0});
  const std::size_t before = runtime::awaited_binaries();
  const kernel_cl<in_out_buffer> up("up", source);
  up(cl::NDRange(1), array);
  EXPECT_EQ(folder.files().size(), 1u);
  const kernel_cl<in_out_buffer> down("down", source);
  down(cl::NDRange(1), array);
  EXPECT_EQ(array.read()[0], 2);
  EXPECT_EQ(runtime::awaited_binaries(), before);
  test::select_same_device();
  const auto built = runtime_counters().programs_built;
  test::device_array<int> again({0});
  const kernel_cl<in_out_buffer> up_again("up", source), down_again("down", source);
  up_again(cl::NDRange(1), again);
  down_again(cl::NDRange(1), again);
  EXPECT_EQ(again.read()[0], 2);
  EXPECT_EQ(runtime_counters().programs_built, built);
}

}  // namespace
}  // namespace fusecl
