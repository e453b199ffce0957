// The rows of docs/names.md: what Eigen writes on the host and FuseCL on the device is the same. A check of
// the documents compares the rows with these lines.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

/// A number of the host as a matrix.
template <class T>
host<T> as_host(const T& value) requires std::is_arithmetic_v<T> {
  return host<T>::Constant(1, 1, value);
}
template <class E>
auto as_host(const E& e) requires(!std::is_arithmetic_v<E>) {
  return host<typename E::Scalar>(e.matrix());
}

template <class Wanted, class E>
void expect_equal(const char* row, const Wanted& wanted, const E& e) {
  const auto expected = as_host(wanted).template cast<float>().eval();
  const auto found =
      from_matrix_cl(matrix_cl<value_type_of<const E&>>(as_operation_cl(e))).template cast<float>().eval();
  ASSERT_EQ(found.rows(), expected.rows()) << row;
  ASSERT_EQ(found.cols(), expected.cols()) << row;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-5f * expected.cwiseAbs().maxCoeff()) << row;
}
#define AGREE(EIGEN, FUSECL) expect_equal(#EIGEN, EIGEN, FUSECL)

class Names : public ::testing::Test {
 protected:
  Eigen::MatrixXf a = random_host<int>(5, 5, 1, 9).cast<float>(),
                  b = random_host<int>(5, 5, 1, 9).cast<float>();
  Eigen::VectorXf v = random_host<int>(5, 1, 1, 9).cast<float>();
  matrix_cl<float> A{a}, B{b}, V{v};
};

TEST_F(Names, OfElementWiseOperations) {
  AGREE(a + b, A + B);
  AGREE(a - b, A - B);
  AGREE(-a, -A);
  AGREE(2 * a, 2 * A);
  AGREE(a / 2, A / 2);
  AGREE(a * v, A * V);
  AGREE(a.array() + 1, A + 1);
  AGREE(a.cwiseProduct(b), elt_multiply(A, B));
  AGREE(a.cwiseProduct(b).cwiseProduct(b), elt_multiply(elt_multiply(A, B), B));
  AGREE(a.cwiseQuotient(b), elt_divide(A, B));
  AGREE(a.cwiseMax(b), fmax(A, B));
  AGREE(a.cwiseMin(b), fmin(A, B));
  AGREE(a.cwiseAbs(), fabs(A));
  AGREE(a.cwiseAbs2(), square(A));
  AGREE(a.cwiseSqrt(), sqrt(A));
  AGREE(a.cwiseInverse(), inv(A));
  AGREE(a.array().exp(), exp(A));
  AGREE(a.array().pow(2), pow(A, 2));
  AGREE(a.array() < b.array(), A < B);
  AGREE((a.array() < b.array()).select(a, b), select(A < B, A, B));
  AGREE(a.cast<int>(), cast<int>(A));
}

TEST_F(Names, OfReductions) {
  AGREE(a.sum(), sum(A));
  AGREE(v.prod(), prod(V));
  AGREE(a.maxCoeff(), max(A));
  AGREE(a.minCoeff(), min(A));
  AGREE(a.mean(), mean(A));
  AGREE(a.norm(), norm(A));
  AGREE(a.squaredNorm(), dot_self(A));
  AGREE(v.dot(a.col(0)), dot_product(V, col(A, 1)));
  AGREE((a.array() > 5).all(), all(A > 5));
  AGREE((a.array() > 5).any(), any(A > 5));
  AGREE((a.array() > 5).count(), count(A > 5));
  AGREE(a.rowwise().sum(), rowwise_sum(A));
  AGREE(a.colwise().sum(), colwise_sum(A));
  AGREE(a.rowwise().maxCoeff(), rowwise_max(A));
  AGREE(a.colwise().mean(), colwise_mean(A));
  AGREE(a.colwise().squaredNorm(), colwise_dot_self(A));
}

TEST_F(Names, OfShapes) {
  AGREE(a.colwise() + v, A + rowwise_broadcast(V));
  AGREE(a.rowwise() - v.transpose(), A - colwise_broadcast(transpose(V)));
  AGREE(a.transpose(), transpose(A));
  AGREE(a.block(1, 2, 3, 2), block_zero_based(A, 1, 2, 3, 2));
  AGREE(a.row(1), row(A, 2));
  AGREE(a.col(1), col(A, 2));
  AGREE(v.head(2), head(V, 2));
  AGREE(v.tail(2), tail(V, 2));
  AGREE(v.segment(1, 3), segment(V, 2, 3));
  AGREE(v.reverse(), reverse(V));
  AGREE(a.diagonal(), diagonal(A));
  AGREE(v.asDiagonal() * a, diag_pre_multiply(V, A));
  AGREE(a * v.asDiagonal(), diag_post_multiply(A, V));
  AGREE(v.replicate(1, 4), rep_matrix(V, 4));
  AGREE(Eigen::MatrixXf::Constant(2, 3, 0.5f), rep_matrix(0.5f, 2, 3));
}

}  // namespace
}  // namespace fusecl
