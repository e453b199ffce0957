// Names and conversions that programs written for Stan Math's OpenCL backend use.

#include <stdexcept>
#include <utility>

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(Porting, NamedOperatorsAreTheOperators) {
  const auto a = random_matrix<float>(71, 33), b = random_matrix<float>(71, 33);
  EXPECT_EQ(from_matrix_cl(add(a, b)), from_matrix_cl(a + b));
  EXPECT_EQ(from_matrix_cl(add(a, a)), from_matrix_cl(a * 2.0f));
  EXPECT_EQ(from_matrix_cl(subtract(a, 1.0f)), from_matrix_cl(a - 1.0f));
  EXPECT_EQ(from_matrix_cl(multiply(3.0f, a)), from_matrix_cl(3.0f * a));
  EXPECT_EQ(from_matrix_cl(divide(a, 3.0f)), from_matrix_cl(a / 3.0f));
  EXPECT_EQ(from_matrix_cl(minus(a)), from_matrix_cl(-a));
  EXPECT_THROW(add(a, random_matrix<float>(33, 71)), std::invalid_argument);
}

TEST(Porting, ExpressionsHaveASizeAndAnEvaluation) {
  const auto a = random_matrix<float>(7, 5);
  const auto e = a + a;
  EXPECT_EQ(e.size(), 35);
  const matrix_cl<float> evaluated = e.eval();
  EXPECT_EQ(from_matrix_cl(evaluated), from_matrix_cl(a * 2.0f));
  EXPECT_EQ(from_matrix_cl(a.eval()), from_matrix_cl(a));
  EXPECT_EQ(from_matrix_cl(sum(cast<int>(row_index(2, 3))).eval())(0, 0), 3);
  EXPECT_EQ(from_matrix_cl(row_index(2, 3).eval())(1, 2), 1);
  EXPECT_LT(row_index().size(), 0);
  EXPECT_THROW(row_index().eval(), std::invalid_argument);
  EXPECT_THROW((broadcast<true, false>(random_matrix<float>(1, 3)).eval()), std::invalid_argument);
  EXPECT_THROW(as_operation_cl(3).eval(), std::invalid_argument);
}

TEST(Porting, SeveralResultsTakeEveryAssignment) {
  const auto a = random_matrix<float>(7, 5, matrix_cl_view::Entire, 1, 2),
             b = random_matrix<float>(7, 5, matrix_cl_view::Entire, 1, 2);
  matrix_cl<float> x = a, y = b;
  results(x, y) += expressions(b, a);
  EXPECT_EQ(from_matrix_cl(x), from_matrix_cl(a + b));
  results(x, y) -= expressions(b, a);
  EXPECT_EQ(from_matrix_cl(y), from_matrix_cl(b + a - a));
  x = a, y = b;
  results(x, y) *= expressions(b, 2.0f);
  EXPECT_EQ(from_matrix_cl(x), from_matrix_cl(elt_multiply(a, b)));
  EXPECT_EQ(from_matrix_cl(y), from_matrix_cl(b * 2.0f));
  x = a;
  results(x) /= expressions(b);
  EXPECT_EQ(from_matrix_cl(x), from_matrix_cl(elt_divide(a, b)));
}

TEST(Porting, ANumberIsACondition) {
  const matrix_cl<int> i(Eigen::MatrixXi{{0, 2}, {-1, 0}});
  const auto a = random_matrix<float>(2, 2), b = random_matrix<float>(2, 2);
  EXPECT_EQ(from_matrix_cl(select(i, a, b)), from_matrix_cl(select(i != 0, a, b)));
  EXPECT_THROW(select(matrix_cl<int>(3, 2), a, b), std::invalid_argument);
}

TEST(Porting, AMovedFromMatrixIsEmpty) {
  auto a = random_matrix<float>(4, 3);
  const Eigen::MatrixXf values = a.to_host();
  matrix_cl<float> b = std::move(a);
  EXPECT_EQ(b.to_host(), values);
  EXPECT_EQ(a.rows(), 0);
  EXPECT_EQ(a.cols(), 0);
  EXPECT_EQ(a.buffer()(), nullptr);
  EXPECT_NE(b.buffer()(), nullptr);
  const matrix_cl<float> c(a);
  EXPECT_EQ(c.size(), 0);
  EXPECT_EQ(from_matrix_cl(a).size(), 0);
  const matrix_cl<float> d = a + a;
  EXPECT_EQ(d.size(), 0);
  a = b;
  EXPECT_EQ(a.to_host(), values);
  a = std::move(b);
  EXPECT_EQ(a.to_host(), values);
}

TEST(Porting, ConstantsCopiesAndWaiting) {
  const matrix_cl<float> m = rep_matrix<matrix_cl<float>>(6.7, 7, 3);
  EXPECT_TRUE((m.to_host().array() == 6.7f).all());
  const auto copy = copy_cl(m);
  EXPECT_NE(copy.storage(), m.storage());
  copy.wait_for_read_write_events();
  EXPECT_EQ(from_matrix_cl(copy), m.to_host());
  EXPECT_EQ(from_eigen_uplo_type(Eigen::Lower), matrix_cl_view::Lower);
  EXPECT_EQ(from_eigen_uplo_type(Eigen::Upper), matrix_cl_view::Upper);
  EXPECT_EQ(from_eigen_uplo_type(0), matrix_cl_view::Entire);
  const opencl_kernels::kernel_cl<opencl_kernels::in_buffer, opencl_kernels::out_buffer> twice(
      "twice",
      "kernel void twice(global const float* a, global float* b) {\n"
      "  const int i = get_global_id(0);\n  b[i] = 2 * a[i];\n}\n");
  matrix_cl<float> doubled(7, 3);
  twice(cl::NDRange(21), m, doubled);
  EXPECT_EQ(from_matrix_cl(doubled), from_matrix_cl(m * 2.0f));
}

TEST(Porting, WhatIsNotRepeatedKeepsItsView) {
  for (const matrix_cl_view view : {matrix_cl_view::Diagonal, matrix_cl_view::Lower, matrix_cl_view::Upper}) {
    const auto m = random_matrix<float>(4, 4, view);
    const matrix_cl<float> same = broadcast<false, false>(m), optional = optional_broadcast<true, true>(m);
    EXPECT_EQ(same.view(), view);
    EXPECT_EQ(optional.view(), view);
    EXPECT_EQ(from_matrix_cl(same), m.to_host());
    EXPECT_EQ(from_matrix_cl(optional), m.to_host());
  }
}

TEST(Porting, StatisticsOfNothingAndOfOne) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> nothing(0, 3), one(2.5);
  EXPECT_THROW(mean(nothing), std::invalid_argument);
  EXPECT_THROW(variance(nothing), std::invalid_argument);
  EXPECT_EQ(static_cast<double>(variance(one)), 0);
  EXPECT_EQ(static_cast<double>(sd(one)), 0);
}

}  // namespace
}  // namespace fusecl
