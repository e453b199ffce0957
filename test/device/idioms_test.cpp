// What users write without thinking about it: scalar expressions as numbers, numbers of every type in
// expressions, matrices of the host as operands and as results. Values are small integers, so that every
// result is exact.

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

class Idioms : public ::testing::Test {
 protected:
  void SetUp() override {
    a = random_host<int>(7, 5, 1, 9).cast<float>();
    b = random_host<int>(7, 5, 1, 9).cast<float>();
    A = matrix(a), B = matrix(b);
  }
  template <class E, class Wanted>
  void is(const E& e, const Wanted& wanted, std::source_location where = std::source_location::current()) {
    expect_same<float>(from_matrix_cl(matrix_cl<value_type_of<const E&>>(as_operation_cl(e))),
                       wanted.matrix().template cast<float>(), where);
  }
  host<float> a, b;
  matrix A, B;
};

/// A number of type T beside a matrix of floats, on either side.
template <class T>
void expect_number(const matrix& A, const host<float>& a) {
  const T three = static_cast<T>(3);
  static_assert(std::is_same_v<value_type_of<decltype(A + three)>, decltype(1.0f + 1)>);
  expect_same<float>(from_matrix_cl(A + three), (a.array() + 3).matrix());
  expect_same<float>(from_matrix_cl(three - A), (3 - a.array()).matrix());
  expect_same<float>(from_matrix_cl(fmax(A, three)), a.cwiseMax(3.0f));
  expect_same<float>(from_matrix_cl(select(A > three, three, A)), a.cwiseMin(3.0f));
  EXPECT_EQ(static_cast<float>(sum(A) * three), a.sum() * 3);
  expect_same<float>(from_matrix_cl(rep_matrix(three, 2, 3) + 0.0f), host<float>::Constant(2, 3, 3));
  expect_same<float>(from_matrix_cl(constant(three, 2, 3) + 0.0f), host<float>::Constant(2, 3, 3));
  matrix C = A;
  C *= three;
  expect_same<float>(from_matrix_cl(C), a * 3);
  block(C, 1, 1, 7, 5) = three;
  expect_same<float>(from_matrix_cl(C), host<float>::Constant(7, 5, 3));
}

TEST_F(Idioms, ListsOfOtherTypesAreConverted) {
  const std::vector<int> whole = {1, -2, 3, 4, 5, 6};
  is(matrix(whole), host<float>(Eigen::Map<const Eigen::VectorXi>(whole.data(), 6).cast<float>()));
  is(matrix(whole, 2, 3), host<float>(Eigen::Map<const Eigen::MatrixXi>(whole.data(), 2, 3).cast<float>()));
  EXPECT_EQ(from_matrix_cl<std::vector<int>>(matrix_cl<int>(std::vector<bool>{true, false})),
            (std::vector<int>{1, 0}));
  EXPECT_EQ(from_matrix_cl<std::vector<std::int64_t>>(matrix_cl<std::int64_t>(std::vector<float>{2.75f, -1})),
            (std::vector<std::int64_t>{2, -1}));
  EXPECT_EQ(from_matrix_cl<std::vector<int>>(matrix_cl<int>(std::vector<std::size_t>{1, 7})),
            (std::vector<int>{1, 7}));
  is(matrix(std::vector<short>{4, 5, 6, 7}, 2, 2), host<float>{{4, 6}, {5, 7}});
  EXPECT_THROW(matrix(whole, 2, 2), std::invalid_argument);
}

TEST_F(Idioms, NumbersAreSelected) {
  static_assert(std::is_same_v<decltype(select(true, 1.0f, 2)), float>);
  static_assert(select(true, 1.5, 2) == 1.5 && select(0, 1.5, 2) == 2);
  static_assert(select(std::nan(""), 1, 2) == 1);
}

enum small_number { three_of_them = 3 };

TEST_F(Idioms, NumbersOfEveryTypeAreOperands) {
  expect_number<short>(A, a);
  expect_number<unsigned short>(A, a);
  expect_number<char>(A, a);
  expect_number<signed char>(A, a);
  expect_number<unsigned char>(A, a);
  expect_number<int>(A, a);
  expect_number<unsigned>(A, a);
  expect_number<long>(A, a);
  expect_number<long long>(A, a);
  expect_number<unsigned long>(A, a);
  expect_number<unsigned long long>(A, a);
  expect_number<float>(A, a);
  expect_number<small_number>(A, a);
  is(A + true, a.array() + 1);
}

TEST_F(Idioms, WhatConvertsToANumberIsOne) {
  const std::vector<bool> flags = {true, false};
  is(A * flags[0] + B * flags[1], a);
  is(A * std::integral_constant<int, 3>(), a * 3);
  float three = 3;
  is(A * std::ref(three), a * 3);
}

TEST_F(Idioms, NumbersAreOfTheTypesOfCpp) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<int> I(host<int>(a.cast<int>()));
  static_assert(std::is_same_v<value_type_of<decltype(I + short{1})>, int>);
  static_assert(std::is_same_v<value_type_of<decltype(I + 'a')>, int>);
  static_assert(std::is_same_v<value_type_of<decltype(I + 1ull)>, long>);
  static_assert(std::is_same_v<value_type_of<decltype(A * 0.5L)>, double>);
  const std::vector<double> v(35);
  EXPECT_EQ(static_cast<double>(sum(A) / v.size()), static_cast<double>(a.sum() / 35.0f));
  EXPECT_EQ(static_cast<double>(sum(A * 0.5L)), a.sum() / 2);
}

TEST_F(Idioms, AnUnsignedNumberBeyondLongIsRefused) {
  const std::size_t huge = std::size_t{1} << 63;
  EXPECT_NO_THROW((void)(A + (huge - 1)));
  try {
    (void)(A + huge);
    ADD_FAILURE() << "no exception";
  } catch (const std::out_of_range& e) {
    EXPECT_NE(std::string(e.what()).find("9223372036854775808"), std::string::npos) << e.what();
  }
}

TEST_F(Idioms, AScalarExpressionIsANumber) {
  const float total = a.sum();
  EXPECT_EQ(std::sqrt(sum(A)), std::sqrt(total));
  static_assert(std::is_same_v<decltype(std::sqrt(sum(A))), float>);
  EXPECT_EQ(std::abs(-sum(A)), total);
  EXPECT_EQ(std::pow(sum(A), 2), std::pow(static_cast<double>(total), 2));
  EXPECT_TRUE(std::isfinite(sum(A)));
  EXPECT_EQ(std::to_string(sum(A)), std::to_string(total));
  EXPECT_EQ(+sum(A), total);
  if (sum(A) > 1e6f) ADD_FAILURE();
  const int whole = sum(A);
  const double wide = sum(A);
  const long product = sum(A) * 2.0f;
  EXPECT_EQ(whole, static_cast<int>(total));
  EXPECT_EQ(wide, total);
  EXPECT_EQ(product, static_cast<long>(2 * total));
  const std::vector<double> several = {sum(A), max_2d(B)};
  EXPECT_EQ(several[1], b.maxCoeff());
  const float either = whole > 0 ? sum(A) : 0.0f;
  EXPECT_EQ(either, total);
}

TEST_F(Idioms, AScalarExpressionIsComparedWithANumber) {
  const float total = a.sum(), other = b.sum();
  EXPECT_EQ(std::max(sum(A), 1.0f), total);
  EXPECT_EQ(std::max(1e6f, sum(A)), 1e6f);
  EXPECT_EQ(std::min(sum(A), 1), 1.0f);
  static_assert(std::is_same_v<decltype(std::max(sum(A), 1.0)), double>);
  static_assert(std::is_same_v<decltype(std::min(3, sum(A))), float>);
  EXPECT_EQ(std::max(sum(A), -sum(B)), total);
  EXPECT_EQ(static_cast<float>(std::max(sum(A), sum(B))), std::max(total, other));
  EXPECT_EQ(std::max<float>(sum(A), 1), total);
  EXPECT_EQ(std::max(3, 4), 4);
  EXPECT_EQ(std::min(2.5, 4.0), 2.5);
}

TEST_F(Idioms, NumbersTakeScalarExpressions) {
  float s = 1;
  s += sum(A);
  EXPECT_EQ(s, 1 + a.sum());
  s -= max_2d(A);
  EXPECT_EQ(s, 1 + a.sum() - a.maxCoeff());
  s *= min_2d(B);
  EXPECT_EQ(s, (1 + a.sum() - a.maxCoeff()) * b.minCoeff());
  s = 36;
  s /= sum(matrix(host<float>::Constant(2, 2, 3)));
  EXPECT_EQ(s, 3);
  long n = 1;
  n += count(A > 0.0f);
  EXPECT_EQ(n, 36);
}

TEST_F(Idioms, AProductOfVectorsIsANumber) {
  const host<float> x = a.col(0), y = b.col(0);
  const matrix X(x), Y(y);
  const float wanted = (x.transpose() * y)(0);
  EXPECT_EQ(static_cast<float>(transpose(X) * Y), wanted);
  const double wide = transpose(X) * Y;
  EXPECT_EQ(wide, wanted);
  const float root = std::sqrt(static_cast<float>(transpose(X) * X));
  EXPECT_EQ(root, std::sqrt(x.squaredNorm()));
  const matrix_cl<int> I(host<int>(x.cast<int>()));
  const double of_integers = transpose(I) * I;
  EXPECT_EQ(of_integers, x.squaredNorm());
  try {
    const float none = A * matrix(5, 1);
    ADD_FAILURE() << none;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("7 x 1"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find("broadcast"), std::string::npos) << e.what();
  }
}

TEST_F(Idioms, IntegerScalarExpressionsAreIntegersToTheStandardLibrary) {
  const matrix_cl<int> I(a.cast<int>());
  const int total = a.cast<int>().sum();
  const auto lvalue = sum(I);
  EXPECT_EQ(std::sqrt(sum(I)), std::sqrt(total));
  EXPECT_EQ(std::sqrt(lvalue), std::sqrt(total));
  EXPECT_EQ(std::sqrt(count(A > 0)), std::sqrt(35));
  EXPECT_EQ(std::exp(any(A < 0)), 1);
  EXPECT_EQ(std::log(sum(I) + 1), std::log(total + 1));
  EXPECT_EQ(std::floor(-sum(I)), -total);
  EXPECT_EQ(std::abs(-sum(I)), total);
  EXPECT_EQ(std::lround(sum(I)), total);
  EXPECT_EQ(std::fabs(-lvalue), total);
  EXPECT_TRUE(std::isfinite(sum(I)));
  EXPECT_FALSE(std::isnan(count(A > 0)));
  EXPECT_EQ(std::pow(sum(I), 2), std::pow(total, 2));
  EXPECT_EQ(std::pow(2.0f, count(A > 8)), std::pow(2.0f, (a.array() > 8).count()));
  EXPECT_EQ(std::fmax(sum(I), 1.5), total);
  EXPECT_EQ(std::hypot(sum(I), count(A > 0)), std::hypot(total, 35));
  EXPECT_EQ(std::pow(sum(A), min(I)), std::pow(a.sum(), a.cast<int>().minCoeff()));
  EXPECT_EQ(std::fma(sum(I), 2, 0.5), std::fma(total, 2, 0.5));
  EXPECT_EQ(std::fma(0.5, lvalue, sum(I)), std::fma(0.5, total, total));
  EXPECT_EQ(std::hypot(sum(I), 2.0, count(A > 0)), std::hypot(total, 2.0, 35));
  EXPECT_EQ(std::ldexp(sum(I), 3), std::ldexp(total, 3));
  EXPECT_EQ(std::ldexp(1.5, count(A > 0)), std::ldexp(1.5, 35));
  static_assert(std::is_same_v<decltype(std::fma(sum(I), 2.0f, 1.0f)), decltype(std::fma(1, 2.0f, 1.0f))>);
  static_assert(std::is_same_v<decltype(std::ldexp(1.5f, sum(I))), float>);
  static_assert(std::is_same_v<decltype(std::sqrt(sum(I))), double>);
  static_assert(std::is_same_v<decltype(std::pow(sum(I), 2)), double>);
  static_assert(std::is_same_v<decltype(std::pow(sum(I), 2.0f)), decltype(std::pow(1, 2.0f))>);
  static_assert(std::is_same_v<decltype(std::abs(sum(I))), int>);
  static_assert(std::is_same_v<decltype(std::abs(count(A > 0))), long>);
  using std::sqrt, std::abs, std::pow, std::fma,
      std::ldexp;  // beside these the functions of expressions stay what is called
  static_assert(node<decltype(sqrt(sum(I)))> && node<decltype(sqrt(lvalue))>);
  static_assert(node<decltype(abs(sum(I)))> && node<decltype(abs(lvalue))>);
  static_assert(node<decltype(pow(sum(I), 2))> && node<decltype(pow(lvalue, lvalue))>);
  static_assert(node<decltype(fma(sum(I), 2, 1.5))> && node<decltype(ldexp(sum(I), 3))>);
  static_assert(std::is_same_v<decltype(sqrt(2.0f)), float>);
}

TEST_F(Idioms, EigenObjectsAreOperands) {
  using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const row_major r = b;
  const Eigen::ArrayXXf array = b.array();
  const Eigen::MatrixXi whole = b.cast<int>();
  in_both_forms([&] {
    is(A + b, a + b);
    is(b - A, b - a);
    is(A - r, a - b);
    is(elt_multiply(A, array), a.cwiseProduct(b));
    is(fmax(b, A), a.cwiseMax(b));
    is(select(A > b, A, b), a.cwiseMax(b));
    is(A + (b + b), a + b + b);
    is(block(A, 2, 2, 3, 2) + b.block(1, 1, 3, 2), a.block(1, 1, 3, 2) + b.block(1, 1, 3, 2));
    is(A + Eigen::Map<const Eigen::MatrixXf>(b.data(), 7, 5), a + b);
    is(A + whole, a + b);
    is(A * b.row(0).transpose(), a * b.row(0).transpose());
    is(rowwise_dot_product(A, b), a.cwiseProduct(b).rowwise().sum());
    is(A + b + sum(A), (a + b).array() + a.sum());
    EXPECT_EQ(static_cast<float>(dot_product(b, A)), a.cwiseProduct(b).sum());
    EXPECT_EQ(static_cast<float>(sum(A + b)), (a + b).sum());
  });
  static_assert(std::is_same_v<value_type_of<decltype(A + Eigen::MatrixXd())>, double>);
  static_assert(std::is_same_v<value_type_of<decltype(A + whole)>, float>);
}

/// A class of a user that is an Eigen vector.
struct named_vector : Eigen::VectorXf {
  using Eigen::VectorXf::VectorXf;
};

TEST_F(Idioms, ClassesDerivedFromEigenObjectsAreOperands) {
  const Eigen::VectorXf v = a.col(1), w = b.col(2);
  const named_vector named(w);
  const matrix V(v);
  in_both_forms([&] {
    is(head(V, 4) + w.head(4), v.head(4) + w.head(4));
    is(w.tail<4>() - tail(V, 4), w.tail(4) - v.tail(4));
    is(fmax(segment(V, 2, 3), w.segment(1, 3)), v.segment(1, 3).cwiseMax(w.segment(1, 3)));
    is(row(A, 1) + b.row(2).head(5), a.row(0) + b.row(2));
    is(V + named, v + w);
    EXPECT_EQ(static_cast<float>(dot_product(V, w.head<7>())), v.dot(w));
    EXPECT_EQ(static_cast<float>(dot_product(named, V)), v.dot(w));
  });
  matrix C = V;
  C += w.tail(7);
  is(C, v + w);
  block(C, 1, 1, 2, 1) = w.head(2);
  is(head(C, 2), w.head(2));
  C = w.head(3);
  is(C, w.head(3));
  is(to_matrix_cl(w.segment(1, 4)), w.segment(1, 4));
  is(to_matrix_cl(named), w);
  is(to_matrix_cl(std::vector<named_vector>(1, named)), w);
}

TEST_F(Idioms, EigenObjectsStandWhereverAMatrixMay) {
  const Eigen::VectorXf v = a.col(1);
  const Eigen::RowVectorXf w = a.row(1);
  const host<float> square = a.topRows(5), scaled = w.asDiagonal() * square;
  const host<float> added = square + host<float>(w.asDiagonal());
  const matrix V(v), W(w), S(square);
  in_both_forms([&] {
    is(diag_pre_multiply(w.transpose(), S), scaled);
    is(diag_pre_multiply(W, square), scaled);
    is(diag_post_multiply(S, w), square * w.asDiagonal());
    is(diag_post_multiply(square, W), square * w.asDiagonal());
    is(S * w.asDiagonal(), square * w.asDiagonal());
    is(w.asDiagonal() * (S + 0.0f), scaled);
    is(exp(0.0f * S) * (2.0f * w).asDiagonal(), host<float>::Ones(5, 5) * (2.0f * w).asDiagonal());
    is(add_diag(S, w), added);
    is(add_diag(square, W), added);
    is(add_diag(square, sum(A)), square + host<float>(host<float>::Identity(5, 5) * a.sum()));
    is(columns_dot_product(A, b), a.cwiseProduct(b).colwise().sum());
    is(rows_dot_product(b, A), a.cwiseProduct(b).rowwise().sum());
    is(rows_dot_self(A), a.cwiseAbs2().rowwise().sum());
    is(columns_dot_self(A), a.cwiseAbs2().colwise().sum());
    EXPECT_EQ(static_cast<float>(squared_distance(A, b)), (a - b).squaredNorm());
    EXPECT_EQ(static_cast<float>(squared_distance(v, V + 1)), 7);
    EXPECT_EQ(static_cast<float>(dot_product(v.transpose(), V)), v.squaredNorm());
    is(elt_divide(A, a.array()), host<float>::Ones(7, 5));
    is(fma(A, b, b.row(0).replicate(7, 1)), a.cwiseProduct(b) + b.row(0).replicate(7, 1));
    is(select(A > 5.0f, b, 1.0f), (a.array() > 5).select(b, 1.0f));
  });
  matrix C = A;
  divide_columns(C, v);
  const host<float> divided = a.array().colwise() / v.array();
  EXPECT_LT((C.to_host() - divided).norm(), 1e-5f);
}

TEST_F(Idioms, ElementsOfMatricesAndOfExpressions) {
  const matrix v(host<float>(a.col(2))), w(host<float>(a.row(3)));
  EXPECT_EQ(v(4), a(4, 2));
  EXPECT_EQ(w(1), a(3, 1));
  in_both_forms([&] {
    EXPECT_EQ((A + B)(6, 4), a(6, 4) + b(6, 4));
    EXPECT_EQ(transpose(A)(4, 6), a(6, 4));
    EXPECT_EQ(block(A, 2, 2, 3, 2)(0, 1), a(1, 2));
    EXPECT_EQ(row(A, 3)(1), a(2, 1));
    EXPECT_EQ((v * 2)(5), a(5, 2) * 2);
    EXPECT_EQ(rowwise_sum(A)(6), a.row(6).sum());
    EXPECT_EQ(cumulative_sum(v)(6), a.col(2).sum());
    EXPECT_EQ((A * transpose(w))(2), a.row(2).dot(a.row(3)));
    EXPECT_EQ((A + b)(0, 0), a(0, 0) + b(0, 0));
    EXPECT_EQ(append_row(A, B)(8, 3), b(1, 3));
    EXPECT_EQ(matrix_cl<float>::Identity(3, 3)(1, 1), 1);
  });
  static_assert(std::is_same_v<decltype((A > B)(0, 0)), bool>);
  const counters before = runtime_counters();
  (exp(A) + B)(1, 1);
  EXPECT_EQ((runtime_counters() - before).launches, 1u);
  matrix lower = A;
  lower.view(matrix_cl_view::Lower);
  EXPECT_EQ((lower * 2)(0, 1), 0);
  EXPECT_EQ((lower * 2)(1, 0), a(1, 0) * 2);
}

template <class Error, class F>
void expect_message(const std::string& wanted, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no exception; wanted: " << wanted;
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), wanted);
  }
}

TEST_F(Idioms, ElementsThatAreNotThereAreNamed) {
  const std::string none =
      "operator(): element (7, 0), counted from 0, is not within the 7 x 5 of the matrix";
  expect_message<std::out_of_range>(none, [&] { A(7, 0); });
  expect_message<std::out_of_range>(none, [&] { (A + B)(7, 0); });
  const std::string two = "operator(): one index is for vectors, not for a (7 x 5), which takes (i, j)";
  expect_message<std::invalid_argument>(two, [&] { A(3); });
  expect_message<std::invalid_argument>(two, [&] { (A + B)(3); });
  EXPECT_THROW(row(A, 1)(5), std::out_of_range);
  EXPECT_THROW(row(A, 1)(-1), std::out_of_range);
  EXPECT_THROW(constant(1.0f)(0, 0), std::invalid_argument);
}

TEST_F(Idioms, MessagesNameTheOperatorThatWasWritten) {
  const matrix wide(2, 9);
  const auto expect_named = [&](const std::string& name, const auto& f) {
    const std::string text = message_of<std::invalid_argument>(f);
    EXPECT_EQ(text.find(name + ": "), 0u) << text;
    for (const char* part : {"a ", "b ", "7 x 5", "2 x 9"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect_named("operator+=", [&] { A += wide; });
  expect_named("operator-=", [&] { A -= wide; });
  expect_named("operator*=", [&] { A *= wide; });
  expect_named("operator*", [&] { A = A * wide; });
  expect_named("operator+=", [&] { block(A, 1, 1, 7, 5) += wide; });
  expect_named("operator-=", [&] { block(A, 1, 1, 7, 5) -= wide; });
  expect_named("operator*=", [&] { block(A, 1, 1, 7, 5) *= wide; });
  expect_named("operator+=", [&] { results(A) += expressions(wide); });
  expect_named("operator*=", [&] { results(A) *= expressions(wide); });
  expect_named("operator/=", [&] { results(A) /= expressions(wide); });
  is(A, a);
}

TEST_F(Idioms, EigenObjectsAreCopiedWhenTheExpressionIsBuilt) {
  host<float> changed = b;
  const auto e = A + changed;
  changed.setZero();
  is(e, a + b);
  const auto of_a_temporary = A + host<float>(2 * b);
  is(of_a_temporary, a + 2 * b);
}

TEST_F(Idioms, EigenObjectsAreAssignedAndAdded) {
  matrix C = A;
  C += b;
  is(C, a + b);
  C -= b.array();
  is(C, a);
  C = b;
  is(C, b);
  C = b.transpose();
  is(C, b.transpose());
  C = A;
  col(C, 2) = b.col(3);
  host<float> wanted = a;
  wanted.col(1) = b.col(3);
  is(C, wanted);
  block(C, 1, 1, 2, 2) += b.topLeftCorner(2, 2);
  wanted.topLeftCorner(2, 2) += b.topLeftCorner(2, 2);
  is(C, wanted);
  matrix D;
  results(C, D) = expressions(A + b, b);
  is(C, a + b);
  is(D, b);
}

TEST_F(Idioms, WhatIsAddedToAnEigenObjectIsCopiedByName) {
  Eigen::MatrixXf e = a;
  e += from_matrix_cl(B);
  e.col(0) = from_matrix_cl(rowwise_sum(A));
  Eigen::MatrixXf wanted = a + b;
  wanted.col(0) = a.rowwise().sum();
  EXPECT_TRUE(e.isApprox(wanted, 1e-5f)) << e;
}

TEST_F(Idioms, AScalarExpressionIsANumberToEigen) {
  const Eigen::MatrixXf scaled = b * sum(A), divided = b / max(A), other = sum(A) * b;
  EXPECT_EQ(scaled, b * a.sum());
  EXPECT_EQ(other, scaled);
  EXPECT_EQ(divided, b / a.maxCoeff());
  EXPECT_EQ((b * sum(A)).trace(), (b * a.sum()).trace());
  EXPECT_EQ(Eigen::ArrayXXf(b.array() + sum(A)).matrix(), (b.array() + a.sum()).matrix());
  is(A + b * sum(A), a + b * a.sum());
}

TEST_F(Idioms, EigenObjectsOfOtherSizesAreRefused) {
  matrix C = A;
  EXPECT_THROW(C = A + b.transpose(), std::invalid_argument);
  EXPECT_THROW(C += Eigen::MatrixXf(b.col(0)), std::invalid_argument);
  is(C, a);
  const matrix none(0, 3);
  EXPECT_EQ(from_matrix_cl(none + Eigen::MatrixXf(0, 3)).cols(), 3);
}

TEST_F(Idioms, ExpressionsBecomeEigenObjects) {
  const counters before = runtime_counters();
  const Eigen::MatrixXf sums = A + B;
  EXPECT_EQ((runtime_counters() - before).launches, 1u);
  EXPECT_EQ(sums, a + b);
  const Eigen::MatrixXf whole = A;
  EXPECT_EQ(whole, a);
  const Eigen::MatrixXf built(A + B);
  EXPECT_EQ(built, a + b);
  const Eigen::MatrixXf copied(A);
  EXPECT_EQ(copied, a);
  const Eigen::VectorXf v = rowwise_sum(A);
  EXPECT_EQ(v, a.rowwise().sum());
  const Eigen::VectorXf u(A * matrix(b.row(0).transpose()));
  EXPECT_EQ(u, a * b.row(0).transpose());
  const Eigen::ArrayXXf array = A - B;
  EXPECT_EQ(array.matrix(), a - b);
  const Eigen::Matrix<float, 7, 5, Eigen::RowMajor> fixed = A;
  EXPECT_EQ(fixed, a);
  Eigen::MatrixXf target;
  target = A + b;
  EXPECT_EQ(target, a + b);
  target = transpose(A);
  EXPECT_EQ(target, a.transpose());
  target = block(A, 2, 2, 3, 2);
  EXPECT_EQ(target, a.block(1, 1, 3, 2));
  const Eigen::MatrixXi integers = cast<int>(A);
  EXPECT_EQ(integers, a.cast<int>());
  EXPECT_THROW((Eigen::Matrix3f(A + B)), std::invalid_argument);
}

/// As Eigen's page on inheriting from Matrix writes it.
struct measurements : Eigen::VectorXf {
  measurements() = default;
  template <class Derived>
  measurements(const Eigen::MatrixBase<Derived>& other) : Eigen::VectorXf(other) {}  // NOLINT
  template <class Derived>
  measurements& operator=(const Eigen::MatrixBase<Derived>& other) {
    Eigen::VectorXf::operator=(other);
    return *this;
  }
};

TEST_F(Idioms, ExpressionsBecomeClassesDerivedFromEigenObjects) {
  const measurements sums = rowwise_sum(A);
  EXPECT_EQ(sums, a.rowwise().sum());
  const matrix first = col(A, 1);
  measurements whole = first;
  EXPECT_EQ(whole, a.col(0));
  whole = col(B, 2);
  EXPECT_EQ(whole, b.col(1));
  EXPECT_EQ(from_matrix_cl<measurements>(first), a.col(0));
  const measurements built(col(A, 3));
  EXPECT_EQ(built, a.col(2));
  EXPECT_THROW(whole = A + B, std::invalid_argument);
  EXPECT_EQ(whole, b.col(1));
}

TEST_F(Idioms, CountsAndExtremes) {
  in_both_forms([&] {
    EXPECT_EQ(static_cast<long>(count(A > 5.0f)), (a.array() > 5).count());
    EXPECT_EQ(static_cast<long>(count(matrix(0, 3))), 0);
    EXPECT_EQ(static_cast<float>(max(A)), a.maxCoeff());
    EXPECT_EQ(static_cast<float>(min(A - B)), (a - b).minCoeff());
    EXPECT_TRUE(any(A > 0.0f));
    EXPECT_FALSE(all(A > 5.0f) && all(A <= 5.0f));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(max(matrix(host<float>::Constant(2, 2, nan)))));
    EXPECT_EQ(static_cast<long>(count(matrix(host<float>::Constant(2, 2, nan)))), 4);
  });
  static_assert(std::is_same_v<value_type_of<decltype(count(A))>, long>);
}

TEST_F(Idioms, ViewsAndPartsArePrinted) {
  std::ostringstream out;
  A.view(matrix_cl_view::Lower);
  out << A.view() << '\n' << matrix_cl_view::Entire;
  EXPECT_EQ(out.str(), "Lower\nEntire");
  std::ostringstream part, wanted;
  part << block(B, 1, 1, 2, 2) << transpose(B);
  wanted << b.topLeftCorner(2, 2) << b.transpose();
  EXPECT_EQ(part.str(), wanted.str());
}

TEST_F(Idioms, NamesDoNotCollideWithThoseOfStd) {
  using namespace std;
  using namespace fusecl;
  is(fusecl::minus(A), -a);
  is(-A, -a);
  EXPECT_EQ(static_cast<float>(max(A)), a.maxCoeff());
  EXPECT_EQ(static_cast<long>(count(A > 0.0f)), 35);
  EXPECT_EQ(sqrt(sum(A) * 1.0f + 0.0f) > 0.0f, true);
}

}  // namespace
}  // namespace fusecl
