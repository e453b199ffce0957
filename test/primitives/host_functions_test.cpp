// Functions of matrices of the host alone: what they give is what they give of the same matrices on the
// device, with the same derivatives, as programs that were written for both compare them.

#include <cmath>
#include <tuple>
#include <vector>

#include <Eigen/Dense>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

namespace {

using namespace fusecl;

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

class HostFunctions : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
};

// An argument on the device: a copy of a matrix; anything else as it is.
template <class A>
decltype(auto) on_device(const A& a) {
  if constexpr (detail::is_container_of_host<A>)
    return to_matrix_cl(a);
  else
    return (a);
}

template <class Number>
requires std::is_arithmetic_v<Number>
double values_of(Number x) { return static_cast<double>(x); }
template <class M>
MatrixXd values_of(const Eigen::MatrixBase<M>& m) {
  if constexpr (std::is_same_v<typename M::Scalar, var>)
    return value_of(m.derived());
  else
    return m.template cast<double>();
}
template <class T>
VectorXd values_of(const std::vector<T>& list) {
  VectorXd all(static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) all(static_cast<Eigen::Index>(k)) = values_of(list[k]);
  return all;
}

MatrixXd as_matrix(double x) { return MatrixXd::Constant(1, 1, x); }
MatrixXd as_matrix(const MatrixXd& m) { return m; }

// What the device gave, as the host's has it.
template <class Result>
MatrixXd device_values(const Result& result) {
  if constexpr (std::is_arithmetic_v<Result>)
    return as_matrix(static_cast<double>(result));
  else if constexpr (std::is_same_v<Result, var>)
    return as_matrix(result.val());
  else if constexpr (requires { result.eval().val(); })
    return as_matrix(MatrixXd::Zero(0, 0));
  else
    return matrix_cl<double>(result).to_host();
}

// Everything in one number with weights of its own, so that exchanged elements show.
template <class M>
var weighted(const Eigen::MatrixBase<M>& m) {
  var total = 0;
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      total += var(m(i, j)) * (1.0 + 0.5 * double(i) - 0.3 * double(j));
  return total;
}
var weighted(const var& x) { return x; }
// A matrix of numbers beside a var makes an expression of the device.
template <node E>
var weighted(const E& e) {
  if constexpr (E::is_scalar)
    return e;
  else
    return weighted(from_matrix_cl(to_matrix_cl(e)));
}
template <element T>
var weighted(const var_value<matrix_cl<T>>& m) {
  return weighted(from_matrix_cl(m));
}

template <class A>
auto as_variable(const A& a) {
  if constexpr (std::is_arithmetic_v<A>)
    return var(a);
  else
    return to_var(a);
}
template <class A>
VectorXd adjoints_of(const A& a) {
  if constexpr (std::is_same_v<A, var>)
    return VectorXd::Constant(1, a.adj());
  else
    return Eigen::Map<const Eigen::Matrix<var, Eigen::Dynamic, 1>>(a.data(), a.size())
        .unaryExpr([](const var& x) { return x.adj(); });
}

void expect_near(const MatrixXd& a, const MatrixXd& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Eigen::Index k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a.data()[k], b.data()[k], tolerance * (1 + std::abs(b.data()[k]))) << "element " << k;
}

// Data on the host and on the device.
template <class F, class... A>
void compare_values(const F& f, const A&... a) {
  const auto host = f(a...);
  static_assert(std::is_arithmetic_v<decltype(host)> ||
                detail::is_matrix_of_host<std::remove_cvref_t<decltype(host)>>);
  expect_near(as_matrix(values_of(host)), device_values(f(on_device(a)...)));
}

// Each argument as data and as a variable, in every mixture in which one is a variable.
template <class F, class... A>
void compare(const F& f, const A&... a) {
  compare_values(f, a...);
  constexpr unsigned mixtures = 1u << sizeof...(A);
  const auto mixture = [&]<unsigned Mask, std::size_t... Ks>(std::integral_constant<unsigned, Mask>,
                                                             std::index_sequence<Ks...>) {
    SCOPED_TRACE(Mask);
    const auto arguments = [&] {
      return std::tuple([&] {
        if constexpr ((Mask >> Ks & 1u) != 0)
          return as_variable(a);
        else
          return a;
      }()...);
    };
    auto for_host = arguments(), for_device = arguments();
    const var host = weighted(f(std::get<Ks>(for_host)...));
    host.grad();
    const var device = weighted(f(on_device(std::get<Ks>(for_device))...));
    device.grad();
    EXPECT_NEAR(host.val(), device.val(), 1e-12 * (1 + std::abs(device.val())));
    const auto compare_adjoints = [](const auto& x, const auto& y) {
      if constexpr (detail::is_host_of_var<std::remove_cvref_t<decltype(x)>> ||
                    std::is_same_v<std::remove_cvref_t<decltype(x)>, var>) {
        expect_near(adjoints_of(x), adjoints_of(y));
        EXPECT_GT(adjoints_of(x).norm(), 0);
      }
    };
    (compare_adjoints(std::get<Ks>(for_host), std::get<Ks>(for_device)), ...);
    recover_memory();
  };
  [&]<std::size_t... Ms>(std::index_sequence<Ms...>) {
    (mixture(std::integral_constant<unsigned, Ms + 1>(), std::index_sequence_for<A...>()), ...);
  }
  (std::make_index_sequence<mixtures - 1>());
}

MatrixXd square_matrix() {
  MatrixXd m(3, 3);
  m << 0.7, -0.2, 0.3, 0.4, 0.9, -0.6, 0.1, 0.5, 0.8;
  return m;
}
MatrixXd definite_matrix() {
  return square_matrix() * square_matrix().transpose() + MatrixXd::Identity(3, 3);
}
MatrixXd lower_matrix() { return definite_matrix().triangularView<Eigen::Lower>(); }
VectorXd vector() { return VectorXd::LinSpaced(3, -0.4, 0.9); }

#define COMPARE(CALL, ...)                                                                 \
  {                                                                                        \
    SCOPED_TRACE(#CALL);                                                                   \
    compare([](const auto&... each) { return CALL(each...); } __VA_OPT__(, ) __VA_ARGS__); \
  }
#define COMPARE_VALUES(CALL, ...)                                                   \
  {                                                                                 \
    SCOPED_TRACE(#CALL);                                                            \
    compare_values([](const auto&... each) { return CALL(each...); }, __VA_ARGS__); \
  }

TEST_F(HostFunctions, OfElements) {
  const MatrixXd m = square_matrix();
  COMPARE(exp, m)
  COMPARE(tanh, m)
  COMPARE(square, vector())
  COMPARE(lgamma, MatrixXd(m.cwiseAbs()))
  COMPARE(inv_logit, RowVectorXd(vector().transpose()))
  COMPARE(abs, m)
  COMPARE(minus, m)
  COMPARE(fmax, m, MatrixXd(m.transpose() * 0.5))
  COMPARE(pow, MatrixXd(m.cwiseAbs()), 1.5)
  COMPARE(hypot, 0.5, m)
  COMPARE(atan2, 0.5, m)
  COMPARE(log_sum_exp, m, m)
  COMPARE(fma, m, m, 0.25)
  COMPARE(add, m, m)
  COMPARE(add, 2.0, vector())
  COMPARE(subtract, m, 1.5)
  COMPARE(divide, m, 3.0)
  COMPARE(elt_multiply, m, m)
  COMPARE(elt_divide, m, MatrixXd(m.transpose()))
  COMPARE(log_mix, 0.3, m, MatrixXd(m.transpose() * 2))
  COMPARE_VALUES(floor, m)
  COMPARE_VALUES(isnan, m)
}

TEST_F(HostFunctions, OfWholeMatrices) {
  const MatrixXd m = square_matrix();
  COMPARE(prod, m)
  COMPARE(mean, m)
  COMPARE(variance, m)
  COMPARE(sd, vector())
  COMPARE(norm, m)
  COMPARE(norm1, m)
  COMPARE(norm2, vector())
  COMPARE(max, m)
  COMPARE(min, m)
  COMPARE(trace, m)
  COMPARE(dot_self, vector())
  COMPARE(dot_product, vector(), VectorXd(2 * vector()))
  COMPARE(distance, vector(), VectorXd(2 * vector()))
  COMPARE(squared_distance, vector(), VectorXd(2 * vector()))
  COMPARE(log_sum_exp, m)
  COMPARE(softmax, vector())
  COMPARE(log_softmax, vector())
  COMPARE(cumulative_sum, vector())
  COMPARE(rowwise_sum, m)
  COMPARE(colwise_mean, m)
  COMPARE(rows_dot_product, m, MatrixXd(m.transpose()))
  COMPARE(columns_dot_self, m)
  COMPARE(rowwise_log_sum_exp, m)
  COMPARE(colwise_softmax, m)
  COMPARE_VALUES(any, Eigen::MatrixXi(m.cast<int>()))
  COMPARE_VALUES(count, m)
}

TEST_F(HostFunctions, OfStructure) {
  const MatrixXd m = square_matrix();
  const VectorXd v = vector();
  COMPARE(transpose, m)
  COMPARE(reverse, v)
  COMPARE(diagonal, m)
  COMPARE(diag_matrix, v)
  COMPARE(to_vector, m)
  COMPARE(to_row_vector, m)
  COMPARE(append_row, m, m)
  COMPARE(append_col, m, v)
  COMPARE(append_array, v, v)
  COMPARE(symmetrize_from_lower_tri, m)
  COMPARE(sort_asc, v)
  COMPARE(sort_desc, v)
  compare([](const auto& x) { return block(x, 1, 2, 2, 2); }, m);
  compare([](const auto& x) { return block_zero_based(x, 1, 1, 2, 1); }, m);
  compare([](const auto& x) { return row(x, 2); }, m);
  compare([](const auto& x) { return col(x, 3); }, m);
  compare([](const auto& x) { return sub_row(x, 2, 1, 2); }, m);
  compare([](const auto& x) { return sub_col(x, 2, 1, 2); }, m);
  compare([](const auto& x) { return head(x, 2); }, v);
  compare([](const auto& x) { return tail(x, 2); }, v);
  compare([](const auto& x) { return segment(x, 2, 2); }, v);
  compare([](const auto& x) { return rep_matrix(x, 4); }, v);
  compare([](const auto& x) { return to_matrix(x, 1, 9); }, m);
}

TEST_F(HostFunctions, OfLinearAlgebra) {
  const MatrixXd m = square_matrix(), a = definite_matrix(), l = lower_matrix();
  const VectorXd v = vector();
  COMPARE(multiply, m, m)
  COMPARE(multiply, m, v)
  COMPARE(multiply, m, 2.0)
  COMPARE(multiply, 2.0, v)
  COMPARE(tcrossprod, m)
  COMPARE(crossprod, m)
  COMPARE(multiply_transpose, m)
  COMPARE(quad_form, a, m)
  COMPARE(quad_form_sym, a, m)
  COMPARE(trace_quad_form, a, m)
  COMPARE(diag_pre_multiply, v, m)
  COMPARE(diag_post_multiply, m, v)
  COMPARE(add_diag, m, 0.5)
  COMPARE(add_diag, m, v)
  COMPARE(cholesky_decompose, a)
  COMPARE(log_determinant_spd, a)
  COMPARE(inverse_spd, a)
  COMPARE(mdivide_left_spd, a, m)
  COMPARE(mdivide_left_tri_low, l, v)
  COMPARE(mdivide_left_tri_low, l)
  COMPARE(mdivide_right_tri_low, m, l)
  COMPARE(chol2inv, l)
  compare([](const auto& x) { return matrix_power(x, 3); }, m);
  compare([](const auto& x) { return tri_inverse<matrix_cl_view::Upper>(x); }, MatrixXd(l.transpose()));
  compare([](const auto& x, const auto& y) { return mdivide_left_tri<matrix_cl_view::Lower>(x, y); }, l, m);
}

TEST_F(HostFunctions, OfPoints) {
  const std::vector<VectorXd> points{vector(), 2 * vector(), VectorXd::Constant(3, 0.4)};
  compare([&](const auto& sigma, const auto& length) { return gp_exp_quad_cov(points, sigma, length); }, 1.2,
          0.7);
  compare_values([](const auto& x) { return gp_dot_prod_cov(x, 0.5); }, points);
  // one vector is one point of three dimensions
  const std::vector<VectorXd> one{vector()};
  expect_near(gp_exp_quad_cov(one, 1.2, 0.7), MatrixXd::Constant(1, 1, 1.44));
  expect_near(gp_dot_prod_cov(one, 0.5), MatrixXd::Constant(1, 1, 0.25 + vector().squaredNorm()));
  expect_near(gp_dot_prod_cov(one, one, 0.5), MatrixXd::Constant(1, 1, 0.25 + vector().squaredNorm()));
  expect_near(gp_exp_quad_cov(one, 1.2, std::vector<double>{1, 2, 3}), MatrixXd::Constant(1, 1, 1.44));
  std::vector<vector_v> of_var{to_var(vector())};
  sum(gp_dot_prod_cov(of_var, 0.5)).grad();
  expect_near(adjoints_of(of_var[0]), 2 * vector());
  recover_memory();
}

// The transforms, and what they add to a log density.
TEST_F(HostFunctions, OfTransforms) {
  const VectorXd x = vector(), low = VectorXd::Constant(3, -1.5);
  COMPARE(lb_constrain, x, low)
  COMPARE(ub_constrain, x, 2.0)
  COMPARE(lub_constrain, x, low, 2.0)
  COMPARE(offset_multiplier_constrain, x, 0.3, 1.7)
  COMPARE(unit_vector_constrain, x)
  const auto with_increment = [](const auto& transform, const auto&... arguments) {
    SCOPED_TRACE(sizeof...(arguments));
    var of_host = 0.25, of_device = 0.25;
    const vector_v on_host = transform(arguments..., of_host);
    const VectorXd on_device =
        from_matrix_cl(to_matrix_cl(transform(to_matrix_cl(arguments)..., of_device)).val());
    expect_near(value_of(on_host), on_device);
    EXPECT_NEAR(of_host.val(), of_device.val(), 1e-12);
    EXPECT_NE(of_host.val(), 0.25);
    recover_memory();
  };
  const auto v = [&] { return vector_v(to_var(x)); };
  with_increment([](const auto& y, const auto& b, var& lp) { return lb_constrain(y, b, lp); }, v(), low);
  with_increment([](const auto& y, const auto& b, var& lp) { return ub_constrain(y, b, lp); }, v(),
                 VectorXd(-low));
  with_increment(
      [](const auto& y, const auto& a, const auto& b, var& lp) { return lub_constrain(y, a, b, lp); }, v(),
      low, VectorXd(-low));
  with_increment([](const auto& y, const auto& a, const auto& b,
                    var& lp) { return offset_multiplier_constrain(y, a, b, lp); },
                 v(), low, VectorXd(-low));
  with_increment([](const auto& y, var& lp) { return unit_vector_constrain(y, lp); }, v());
  double lp = 0;
  EXPECT_EQ(VectorXd(lb_constrain(x, 0.0, lp)), VectorXd(x.array().exp()));
  EXPECT_NEAR(lp, x.sum(), 1e-14);
}

// Vectors stay vectors, rows rows and lists lists.
std::vector<double> list_of_two() { return {0.5, -1.0}; }

TEST_F(HostFunctions, FormsOfResults) {
  const VectorXd v = vector();
  const RowVectorXd r = v.transpose();
  const MatrixXd m = square_matrix();
  static_assert(std::is_same_v<decltype(exp(v)), VectorXd>);
  static_assert(std::is_same_v<decltype(exp(r)), RowVectorXd>);
  static_assert(std::is_same_v<decltype(exp(m)), MatrixXd>);
  static_assert(std::is_same_v<decltype(exp(Eigen::Matrix2d())), MatrixXd>);
  static_assert(std::is_same_v<decltype(exp(m.col(0))), VectorXd>);
  static_assert(std::is_same_v<decltype(add(v, 1)), VectorXd>);
  static_assert(std::is_same_v<decltype(exp(to_var(v))), vector_v>);
  static_assert(std::is_same_v<decltype(row(m, 1)), const RowVectorXd>);  // nothing is assigned to it
  static_assert(std::is_same_v<decltype(transpose(v)), const RowVectorXd>);
  static_assert(std::is_same_v<decltype(transpose(r)), const VectorXd>);
  static_assert(std::is_same_v<decltype(multiply(m, v)), VectorXd>);
  static_assert(std::is_same_v<decltype(multiply(r, m)), RowVectorXd>);
  static_assert(std::is_same_v<decltype(multiply(v, r)), MatrixXd>);
  static_assert(std::is_same_v<decltype(multiply(r, v)), double>);
  static_assert(std::is_same_v<decltype(multiply(to_var(r), v)), var>);
  static_assert(std::is_same_v<decltype(multiply(m, to_var(v))), vector_v>);
  static_assert(std::is_same_v<decltype(multiply(2.0, v)), VectorXd>);
  static_assert(std::is_same_v<decltype(mdivide_left_tri_low(m, v)), VectorXd>);
  static_assert(std::is_same_v<decltype(mdivide_left_tri_low(m)), MatrixXd>);
  static_assert(std::is_same_v<decltype(mdivide_left_tri<matrix_cl_view::Lower>(m, v)), VectorXd>);
  static_assert(std::is_same_v<decltype(mdivide_left_tri<matrix_cl_view::Lower>(m, to_var(v))), vector_v>);
  static_assert(std::is_same_v<decltype(mdivide_right_tri_low(r, m)), RowVectorXd>);
  static_assert(std::is_same_v<decltype(append_row(v, 1.0)), VectorXd>);
  static_assert(std::is_same_v<decltype(append_row(r, r)), MatrixXd>);
  static_assert(std::is_same_v<decltype(append_col(r, r)), RowVectorXd>);
  static_assert(std::is_same_v<decltype(append_array(list_of_two(), list_of_two())), std::vector<double>>);
  static_assert(std::is_same_v<decltype(to_array_1d(m)), std::vector<double>>);
  static_assert(std::is_same_v<decltype(mean(m)), double>);
  static_assert(std::is_same_v<decltype(mean(to_var(m))), var>);
  static_assert(std::is_same_v<decltype(any(Eigen::MatrixXi())), bool>);
  static_assert(std::is_same_v<decltype(exp(std::vector<double>())), std::vector<double>>);
  static_assert(std::is_same_v<decltype(isnan(v)), Eigen::Matrix<bool, Eigen::Dynamic, 1>>);
  static_assert(std::is_same_v<decltype(abs(Eigen::VectorXi())), Eigen::VectorXi>);
  static_assert(std::is_same_v<decltype(lb_constrain(v, 0.0)), VectorXd>);
  const std::vector<double> list = list_of_two();
  EXPECT_EQ(append_array(list, list), (std::vector<double>{0.5, -1.0, 0.5, -1.0}));
  EXPECT_EQ(to_array_1d(r), (std::vector<double>{r[0], r[1], r[2]}));
  EXPECT_EQ(to_array_2d(m.topRows(2)),
            (std::vector<std::vector<double>>{to_array_1d(m.row(0)), to_array_1d(m.row(1))}));
  EXPECT_TRUE(to_array_2d(MatrixXd(0, 3)).empty());
  EXPECT_NEAR(multiply(r, v), v.squaredNorm(), 1e-15);
  EXPECT_NEAR(multiply(to_var(r), v).val(), v.squaredNorm(), 1e-15);
  EXPECT_EQ(rank(v, 2), 1);
  EXPECT_EQ(num_elements(m), 9);
  EXPECT_EQ(dims(v), (std::vector<int>{3, 1}));
  EXPECT_NEAR(exp(list)[1], std::exp(-1.0), 1e-15);
  EXPECT_NEAR(fmax(list, 0.0)[1], 0.0, 0);
  std::vector<var> variables = to_var(list);
  sum(square(variables)).grad();
  EXPECT_EQ(variables[1].adj(), -2.0);
  recover_memory();
  EXPECT_EQ(exp(MatrixXd(0, 2)).cols(), 2);
  EXPECT_EQ(exp(VectorXd(0)).size(), 0);
  EXPECT_EQ(exp(std::vector<double>()).size(), 0u);
}

namespace users {
template <class M>
double norm1(const Eigen::MatrixBase<M>&) {
  return -1;
}
template <class T>
double mean(const std::vector<T>&) {
  return -2;
}
double own() {
  using namespace fusecl;
  return norm1(VectorXd(vector())) + norm1(vector_v(to_var(vector()))) + mean(list_of_two());
}
}  // namespace users

// What a program has of the same name is preferred.
TEST_F(HostFunctions, MatricesOfLists) {
  using ints = std::vector<std::vector<int>>;
  const MatrixXd m = test::random_host<double>(3, 2);
  EXPECT_EQ(to_matrix(to_array_2d(m)), m);
  static_assert(std::is_same_v<decltype(to_matrix(ints())), MatrixXd>);
  static_assert(std::is_same_v<decltype(to_matrix(std::vector<std::vector<float>>())), Eigen::MatrixXf>);
  EXPECT_EQ(to_matrix(ints{{1, 2, 3}, {4, 5, 6}}), (MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(to_matrix(std::vector<RowVectorXd>{m.row(2), m.row(0)}), m({2, 0}, Eigen::all));
  EXPECT_EQ(to_matrix(ints()).size(), 0);
  EXPECT_EQ(to_matrix(ints{{}, {}}).rows(), 2);
  EXPECT_THROW(to_matrix(ints{{1, 2}, {3}}), std::invalid_argument);
  const matrix_v variables = to_var(m);
  const matrix_v same = to_matrix(to_array_2d(variables));
  var total = same(2, 1) * 3.0;
  total.grad();
  EXPECT_EQ(variables(2, 1).adj(), 3);
  recover_memory();
}

TEST_F(HostFunctions, AUsersOwnFunctions) {
  EXPECT_EQ(users::own(), -4);
  recover_memory();
}

// Eigen's arrays are Eigen's, and errors those of the device.
TEST_F(HostFunctions, WhatStaysAndErrors) {
  const Eigen::ArrayXd a = vector().array();
  static_assert(!detail::on_the_host<Eigen::ArrayXd>);
  EXPECT_NEAR(Eigen::ArrayXd(exp(a))(0), std::exp(a(0)), 1e-15);
  EXPECT_THROW(add(MatrixXd(2, 2), MatrixXd(3, 2)), std::invalid_argument);
  EXPECT_THROW(block(MatrixXd(2, 2), 3, 1, 1, 1), std::out_of_range);
  EXPECT_THROW(lub_constrain(VectorXd(vector()), 1.0, 0.0), std::domain_error);
  EXPECT_THROW(log_determinant_spd(MatrixXd(-MatrixXd::Identity(2, 2))), std::domain_error);
}

// A constant is a matrix of the host that is on the device already.
TEST_F(HostFunctions, ChoosesAndConverts) {
  Eigen::MatrixXd a(2, 3);
  a << 1, -2, 3, -4, 5, -6;
  const Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> positive = (a.array() > 0).matrix();
  const Eigen::MatrixXd chosen = select(positive, a, 0.0), both = select(positive, a, -a);
  EXPECT_EQ(chosen, a.cwiseMax(0));
  EXPECT_EQ(both, a.cwiseAbs());
  const Eigen::MatrixXi whole = cast<int>(a * 1.5);
  EXPECT_EQ(whole, (a * 1.5).cast<int>());
  const std::vector<double> v{1.5, -2.5};
  static_assert(std::is_same_v<decltype(cast<int>(v)), std::vector<int>>);
  EXPECT_EQ(cast<int>(v), (std::vector<int>{1, -2}));
  Eigen::MatrixXi rows(2, 2), cols(2, 2);
  rows << 0, 1, 1, 0;
  cols << 2, 1, 0, 0;
  const Eigen::MatrixXd taken = indexing(a, rows, cols);
  EXPECT_EQ(taken, (Eigen::MatrixXd(2, 2) << 3, 5, -4, 1).finished());
  EXPECT_THROW(indexing(a, rows, (cols.array() + 1).matrix().eval()), std::out_of_range);

  Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> x = a.cast<var>();
  const Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> y = select(positive, x, 1.0);
  var(sum(y)).grad();
  for (int k = 0; k < a.size(); ++k) EXPECT_EQ(x(k).adj(), positive(k) ? 1 : 0);
  recover_memory();
}

TEST_F(HostFunctions, ChecksOfVariablesAndLists) {
  Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> x(2, 2);
  x << 1.0, 2.0, 2.5, 0.0;
  EXPECT_NO_THROW(check_nan("f", "x", x));
  EXPECT_THROW(check_symmetric("f", "x", x), std::domain_error);
  EXPECT_THROW(check_diagonal_zeros("f", "x", x), std::domain_error);
  x(1, 0) = 2.0;
  EXPECT_NO_THROW(check_symmetric("f", "x", x));
  x(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_nan("f", "x", x), std::domain_error);
  EXPECT_NO_THROW(check_nan("f", "v", std::vector<double>{1, 2}));
  EXPECT_THROW(check_nan("f", "v", std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}),
               std::domain_error);
  recover_memory();
}

TEST_F(HostFunctions, BesideConstants) {
  const constant_matrix x(square_matrix());
  vector_v b = to_var(vector());
  const matrix_v eta = multiply(x, b);
  sum(eta).grad();
  expect_near(adjoints_of(b), square_matrix().colwise().sum().transpose());
  recover_memory();
}

// As Stan Math's: a number has no adjoint, which may be added to all the same.
TEST_F(HostFunctions, AdjointsOfNumbers) {
  double lp = 4;
  adjoint_of(lp) += 9;
  EXPECT_EQ(lp, 4);
  var x = 2;
  adjoint_of(x) += 9;
  EXPECT_EQ(x.adj(), 9);
  recover_memory();
}

}  // namespace
