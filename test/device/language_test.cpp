// What expressions mean, against Eigen and by hand: the other tests compare with the interpreter, which
// shares the way from C++ to the graph with the device. Values are small integers, so that every result is
// exact.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

class Language : public ::testing::Test {
 protected:
  void SetUp() override {
    for (host<float>* values : {&a, &b, &c}) *values = random_host<int>(7, 5, 1, 9).cast<float>();
    row = random_host<int>(1, 5, 1, 9).cast<float>();
    column = random_host<int>(7, 1, 1, 9).cast<float>();
    A = matrix(a), B = matrix(b), C = matrix(c), R = matrix(row), V = matrix(column);
  }
  template <class E, class Wanted>
  void is(const E& e, const Wanted& wanted, std::source_location where = std::source_location::current()) {
    using T = value_type_of<const E&>;
    expect_same<T>(from_matrix_cl(matrix_cl<T>(as_operation_cl(e))), wanted.matrix().template cast<T>(),
                   where);
  }
  host<float> a, b, c, row, column;
  matrix A, B, C, R, V;
};

TEST_F(Language, Arithmetic) {
  is(A + B - C, a + b - c);
  is(A - (B - C), a - (b - c));
  is(-A, -a);
  is(elt_multiply(A, B - C), a.array() * (b - c).array());
  is(round(elt_divide(elt_multiply(A, B), B)), a);  // float quotients may be 2.5 ulp off
  is(2.0f * A - B * 3.0f, 2.0f * a - 3.0f * b);
  is(10.0f - A, 10.0f - a.array());
  is(A / 2.0f, a / 2.0f);
  is(round(16.0f / elt_divide(A, A)), host<float>::Constant(7, 5, 16.0f));
}

TEST_F(Language, ComparisonsAndLogic) {
  is(A < B, a.array() < b.array());
  is(A >= B, a.array() >= b.array());
  is(A == B, a.array() == b.array());
  is(A > 5.0f && B > 5.0f, a.array() > 5.0f && b.array() > 5.0f);
  is(!(A > 5.0f) || 5.0f < B, !(a.array() > 5.0f) || b.array() > 5.0f);
  is(select(A > B, A, C), (a.array() > b.array()).select(a, c));
  is(select(A > 5.0f, 1.0f, B), (a.array() > 5.0f).select(host<float>::Ones(7, 5), b));
}

TEST_F(Language, Broadcasts) {
  is(A + rowwise_broadcast(V), a.colwise() + Eigen::VectorXf(column));
  is(A - colwise_broadcast(R), a.rowwise() - Eigen::RowVectorXf(row));
  is(rowwise_broadcast(V) + colwise_broadcast(R), column.replicate(1, 5) + row.replicate(7, 1));
  is(rep_matrix(3.0f, 2, 4), host<float>::Constant(2, 4, 3.0f));
  is(A + 10 * row_index() + col_index(),
     a +
         10 *
             host<float>(host<float>::NullaryExpr(7, 5, [](auto i, auto) { return static_cast<float>(i); })) +
         host<float>(host<float>::NullaryExpr(7, 5, [](auto, auto j) { return static_cast<float>(j); })));
}

TEST_F(Language, Reductions) {
  is(rowwise_sum(A), a.rowwise().sum());
  is(colwise_sum(A), a.colwise().sum());
  is(rowwise_max(A - B), (a - b).rowwise().maxCoeff());
  is(colwise_min(A - B), (a - b).colwise().minCoeff());
  is(A - rowwise_broadcast(rowwise_sum(B)) + colwise_broadcast(colwise_max(C)),
     (a.colwise() - b.rowwise().sum()).rowwise() + c.colwise().maxCoeff());
  EXPECT_EQ(static_cast<float>(sum(elt_multiply(A, B))), a.cwiseProduct(b).sum());
  EXPECT_EQ(static_cast<float>(dot_product(A, B)), a.cwiseProduct(b).sum());
  EXPECT_EQ(static_cast<float>(max_2d(A) - min_2d(B)), a.maxCoeff() - b.minCoeff());
  is(A * sum(B) + max_2d(C), a.array() * b.sum() + c.maxCoeff());
}

TEST_F(Language, Statements) {
  matrix x, y, z;
  results(x, y, z) = expressions(A - B, rowwise_sum(B), sum(C));
  is(x, a - b);
  is(y, b.rowwise().sum());
  EXPECT_EQ(from_matrix_cl<float>(z), c.sum());
  results(A, B) = expressions(B, A);
  is(A, b);
  is(B, a);
  C -= A;
  is(C, c - b);
}

TEST_F(Language, Types) {
  const matrix_cl<int> i(host<int>(a.cast<int>()));
  const matrix_cl<bool> f(host<bool>(a.array() > 5.0f));
  is(i / 2, a.cast<int>() / 2);
  is(i % 3, a.cast<int>().unaryExpr([](int x) { return x % 3; }));
  is(f + f, (a.array() > 5.0f).cast<int>() * 2);
  is(i * 0.5f, a * 0.5f);
  is(cast<int>(A / 2.0f), (a / 2.0f).array().floor());
  static_assert(std::is_same_v<value_type_of<decltype(f + f)>, int>);
  static_assert(std::is_same_v<value_type_of<decltype(i + 1L)>, long>);
  static_assert(std::is_same_v<value_type_of<decltype(i * 0.5f)>, float>);
  static_assert(std::is_same_v<value_type_of<decltype(i * 0.5)>, double>);
  static_assert(std::is_same_v<value_type_of<decltype(A < B)>, bool>);
  static_assert(std::is_same_v<value_type_of<decltype(sum(f))>, int>);
}

TEST_F(Language, Views) {
  A.view(matrix_cl_view::Lower);
  B.view(matrix_cl_view::Upper);
  const host<float> low = a.triangularView<Eigen::Lower>(), up = b.triangularView<Eigen::Upper>();
  is(A + B, low + up);
  is(elt_multiply(A, B), low.cwiseProduct(up));
  is(A + 1.0f, low.array() + 1.0f);
  is(rowwise_sum(A), low.rowwise().sum());
  EXPECT_EQ(static_cast<float>(sum(B)), up.sum());
}

}  // namespace
}  // namespace fusecl
