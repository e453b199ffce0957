// What kernels for Stan Math use: views, macros and texts that it has for them, numbers on the device.

#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/fusion.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using test::device_array;
using matrix = matrix_cl<float>;

const kernel_cl<out_buffer, int, matrix_cl_view> store_views(
    "store_views",
    "kernel void store_views(global int* a, int first, int second) { a[0] = 10 * first + second; }");

TEST(KernelHelpers, ViewsAreNumbers) {
  device_array<int> array(1);
  store_views(cl::NDRange(1), array, matrix_cl_view::Lower, matrix_cl_view::Entire);
  EXPECT_EQ(array.read(), std::vector<int>{13});
  const matrix m(2, 2, matrix_cl_view::Upper);
  store_views(cl::NDRange(1), array, 4, m.view());
  EXPECT_EQ(array.read(), std::vector<int>{42});
}

TEST(KernelHelpers, AViewIsNamedWhereTheKernelHasAnotherType) {
  const kernel_cl<out_buffer, matrix_cl_view> store(
      "store", "kernel void store(global int* a, float x) { a[0] = x; }");
  device_array<int> array(1);
  EXPECT_EQ(
      test::message_of<std::invalid_argument>([&] { store(cl::NDRange(1), array, matrix_cl_view::Lower); }),
      "kernel store: argument 1 (counted from 0) is matrix_cl_view in kernel_cl<...>, the kernel's "
      "parameter is float");
}

constexpr const char triangle_text[] = R"(
kernel void triangle(global float* C, global const float* A, int rows, int cols, int view) {
  const int i = get_global_id(0), j = get_global_id(1);
  C(i, j) = 0;
  if (i == j || (contains_nonzero(view, LOWER) && j < i) || (contains_nonzero(view, UPPER) && j > i))
    C(i, j) = A(i, j);
})";

TEST(KernelHelpers, TextsHaveElementsAndViews) {
  const opencl_kernels::kernel_cl<out_buffer, in_buffer, int, int, matrix_cl_view> triangle(
      "triangle", {opencl_kernels::indexing_helpers, opencl_kernels::view_kernel_helpers, triangle_text});
  for (const matrix_cl_view view : test::all_views) {
    const matrix a = test::random_matrix<float>(5, 4, view);
    matrix c(5, 4);
    triangle(cl::NDRange(5, 4), c, a, 5, 4, a.view());
    EXPECT_EQ(c.to_host(), a.to_host());
  }
}

TEST(KernelHelpers, TextsHaveOtherElements) {
  const std::string text = R"(
    kernel void turned(global float* B, global const float* A, global float* dst, global const float* src,
                       int rows, int cols, int src_rows, int dst_rows) {
      const int i = get_global_id(0), j = get_global_id(1);
      BT(j, i) = AT(j, i);
      dst(i, j) = src(j, i);
    }
    kernel void second_of_batch(global float* C, global const float* A, int rows, int cols) {
      const int i = get_global_id(0), j = get_global_id(1);
      C(i, j) = A_batch(i, j, 1);
    })";
  const kernel_cl<out_buffer, in_buffer, out_buffer, in_buffer, int, int, int, int> turned(
      "turned", {opencl_kernels::helpers, fusecl::view_kernel_helpers, text});
  const kernel_cl<out_buffer, in_buffer, int, int> second_of_batch("second_of_batch",
                                                                   {opencl_kernels::indexing_helpers, text});
  const matrix a = test::random_matrix<float>(3, 2);
  matrix b(3, 2), d(2, 3), second(3, 1);
  turned(cl::NDRange(2, 3), b, a, d, a, 2, 3, 3, 2);
  EXPECT_EQ(b.to_host(), a.to_host());
  EXPECT_EQ(d.to_host(), a.to_host().transpose());
  second_of_batch(cl::NDRange(3, 1), second, a, 3, 1);
  EXPECT_EQ(second.to_host(), a.to_host().col(1));
}

TEST(KernelHelpers, FunctionsOfViews) {
  const char* const text = R"(
    kernel void functions(global int* a) {
      for (int v = 0; v < 4; ++v)
        for (int w = 0; w < 4; ++w)
          a[4 * v + w] = either(v, w) + 10 * both(v, w) + 100 * contains_nonzero(v, w) + 1000 * is_not_entire(v);
    })";
  const kernel_cl<out_buffer> functions("functions", {view_kernel_helpers, view_kernel_helpers, text});
  device_array<int> array(16);
  functions(cl::NDRange(1), array);
  const std::vector<int> found = array.read();
  for (const matrix_cl_view v : test::all_views)
    for (const matrix_cl_view w : test::all_views)
      EXPECT_EQ(found[static_cast<std::size_t>(4 * static_cast<int>(v) + static_cast<int>(w))],
                static_cast<int>(either(v, w)) + 10 * static_cast<int>(both(v, w)) +
                    100 * contains_nonzero(v, w) + 1000 * (v != matrix_cl_view::Entire));
}

/// What kernels see of two macros.
std::vector<int> seen_of_macros(const std::string& before,
                                std::initializer_list<std::pair<std::string_view, long>> macros) {
  const kernel_cl<out_buffer> store(
      "store",
      {before,
       "kernel void store(global int* a) { a[0] = LOWER + 10 * UPPER + 100 * ENTIRE; a[1] = "
       "DIAGONAL; a[2] = THREAD_BLOCK_SIZE; a[3] = WORK_PER_THREAD; }"},
      macros);
  device_array<int> array(4);
  store(cl::NDRange(1), array);
  return array.read();
}

TEST(KernelHelpers, MacrosOfViewsAndBlocks) {
  EXPECT_EQ(seen_of_macros("", {}), (std::vector<int>{321, 0, 32, 8}));
  EXPECT_EQ(seen_of_macros("", {{"WORK_PER_THREAD", 2}, {"LOWER", 5}}), (std::vector<int>{325, 0, 32, 2}));
  EXPECT_EQ(seen_of_macros("#define THREAD_BLOCK_SIZE 7\n#  define\tUPPER 4\n#define LOWER_ 3", {}),
            (std::vector<int>{341, 0, 7, 8}));
}

TEST(KernelHelpers, OnlyMacrosThatASourceUsesAreOptions) {
  const kernel_cl<out_buffer> store(
      "store",
      "kernel void store(global int* a) { const int LOWER_ = 1, IN_UPPER = 2; a[0] = LOWER_ + IN_UPPER; }",
      {{"OWN", 3}});
  EXPECT_EQ(store.kernel().request().options, "-cl-kernel-arg-info -D OWN=3");
  EXPECT_EQ(store.get_option("THREAD_BLOCK_SIZE"), 32);
  EXPECT_EQ(store.get_option("OWN"), 3);
  EXPECT_THROW(store.get_option("LOCAL"), std::out_of_range);
  const kernel_cl<out_buffer> block("block",
                                    {opencl_kernels::thread_block_helpers,
                                     "kernel void block(global int* a) { a[0] = THREAD_BLOCK_SIZE_COL; }"});
  device_array<int> array(1);
  block(cl::NDRange(1), array);
  EXPECT_EQ(array.read(), std::vector<int>{4});
}

TEST(KernelHelpers, NumbersOnTheDeviceAreBuffers) {
  const kernel_cl<out_buffer, in_buffer, in_out_buffer> add(
      "add",
      "kernel void add(global float* c, global const float* a, global float* s) { const int i = "
      "get_global_id(0); "
      "c[i] = a[i] + s[0]; barrier(CLK_GLOBAL_MEM_FENCE); if (i == 0) s[0] += 1; }",
      {}, kernel_sizes("(n, 1), (n, 1), (1, 1)"));
  const matrix a = test::random_matrix<float>(4, 1);
  matrix c(4, 1);
  scalar_cl<float> s(2.5f);
  const scalar_cl<float> before = s;
  add(cl::NDRange(4), cl::NDRange(4), c, a, s);
  EXPECT_EQ(c.to_host(), (a.to_host().array() + 2.5f).matrix());
  EXPECT_EQ(to_host(s), 3.5f);
  EXPECT_EQ(to_host(before), 2.5f);
  const kernel_cl<in_buffer, out_buffer> copy(
      "copy", "kernel void copy(global const float* from, global float* to) { to[0] = from[0]; }");
  copy(cl::NDRange(1), before, s);
  EXPECT_EQ(to_host(s), 2.5f);
  const scalar_cl<int> whole(1);
  EXPECT_EQ(test::message_of<std::invalid_argument>([&] { copy(cl::NDRange(1), whole, s); }),
            "kernel copy: argument 0 (counted from 0) is a matrix of int, the kernel's parameter is float*");
}

TEST(KernelHelpers, ListsAfterOneAnother) {
  const std::vector<int> a = {1, 2}, b = {3};
  EXPECT_EQ(vec_concat(a), a);
  EXPECT_EQ(vec_concat(a, b, std::vector<int>{4, 5}), (std::vector<int>{1, 2, 3, 4, 5}));
  const matrix m = test::random_matrix<float>(3, 3), n = m + 1.0f;
  const std::vector<cl::Event> all = vec_concat(m.read_write_events(), n.write_events());
  EXPECT_EQ(all.size(), m.read_write_events().size() + n.write_events().size());
}

}  // namespace
}  // namespace fusecl
