// Names for types that code for Stan Math uses.

#include <support/compare.hpp>

#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/type_requirements.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;
using data_type = decltype(std::declval<const matrix&>() + 1.0);
using recorded = decltype(std::declval<const matrix_var&>() + 1.0);

class TypeNames : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

/// What a function for matrices and for variables makes of either.
template <class T>
auto value_in(const T& x) {
  if constexpr (is_var<T>::value) {
    value_type_t<T> v = x.val();
    return v;
  } else {
    return x;
  }
}

TEST_F(TypeNames, TheValueOfAVariableIsWhatIsOnTheTape) {
  static_assert(std::is_same_v<value_type_t<matrix_var>, matrix>);
  static_assert(std::is_same_v<value_type_t<const var_value<matrix_cl<float>>&>, matrix_cl<float>>);
  static_assert(std::is_same_v<value_type_t<var>, double>);
  static_assert(std::is_same_v<value_type_t<const var&>, double>);
  static_assert(std::is_same_v<value_type_t<matrix_v>, var>);
  static_assert(std::is_same_v<value_type_t<std::vector<matrix_var>>, matrix_var>);
  static_assert(std::is_same_v<scalar_type_t<std::vector<matrix_var>>, var>);
  static_assert(std::is_same_v<common_scalar_t<matrix, matrix_var>, var>);
  static_assert(std::is_same_v<common_scalar_t<std::vector<std::vector<int>>, float>, float>);
  const matrix m = random_matrix<double>(2, 3);
  EXPECT_EQ(value_in(matrix_var(m)).to_host(), value_in(m).to_host());
  EXPECT_EQ(value_in(var(2.5)), 2.5);
}

TEST_F(TypeNames, ReferencesToWhatIsAValueAlready) {
  static_assert(std::is_same_v<ref_type_t<matrix>, const matrix&>);
  static_assert(std::is_same_v<ref_type_t<matrix&>, const matrix&>);
  static_assert(std::is_same_v<ref_type_t<const matrix&>, const matrix&>);
  static_assert(std::is_same_v<ref_type_t<matrix&&>, matrix>);
  static_assert(std::is_same_v<ref_type_t<matrix_var>, const matrix_var&>);
  static_assert(std::is_same_v<ref_type_t<matrix_var&&>, matrix_var>);
  static_assert(std::is_same_v<ref_type_t<arena_matrix_cl<double>>, const arena_matrix_cl<double>&>);
  static_assert(std::is_same_v<ref_type_t<const Eigen::MatrixXd&>, const Eigen::MatrixXd&>);
  static_assert(std::is_same_v<ref_type_t<Eigen::VectorXd>, const Eigen::VectorXd&>);
  static_assert(std::is_same_v<ref_type_t<double>, const double&>);
  static_assert(std::is_same_v<ref_type_t<data_type>, matrix>);
  static_assert(std::is_same_v<ref_type_t<const data_type&>, matrix>);
  static_assert(std::is_same_v<ref_type_t<recorded>, matrix_var>);
  const matrix m = random_matrix<double>(2, 3);
  ref_type_t<matrix> same = m;
  EXPECT_EQ(&same, &m);
  matrix other(m.to_host());
  ref_type_t<matrix&&> moved = std::move(other);
  EXPECT_EQ(moved.to_host(), m.to_host());
}

TEST_F(TypeNames, KindsOfExpressions) {
  using total = decltype(sum(std::declval<const matrix&>()));
  using recorded_total = decltype(sum(std::declval<const matrix_var&>()));
  using part = decltype(block(std::declval<matrix&>(), 1, 1, 1, 1));
  static_assert(is_kernel_expression_and_not_scalar<const matrix&>::value);
  static_assert(is_kernel_expression_and_not_scalar<arena_matrix_cl<double>>::value);
  static_assert(is_kernel_expression_and_not_scalar<data_type>::value);
  static_assert(is_kernel_expression_and_not_scalar<part>::value);
  static_assert(!is_kernel_expression_and_not_scalar<total>::value);
  static_assert(!is_kernel_expression_and_not_scalar<recorded>::value);
  static_assert(!is_kernel_expression_and_not_scalar<Eigen::MatrixXd>::value);
  static_assert(is_kernel_expression<const int&>::value && is_kernel_expression<total>::value);
  static_assert(is_kernel_expression<scalar_cl<double>>::value && is_kernel_expression<data_type&>::value);
  static_assert(!is_kernel_expression<var>::value && !is_kernel_expression<matrix_var>::value);
  static_assert(!is_kernel_expression<std::string>::value && !is_kernel_expression<matrix_v>::value);
  static_assert(is_rev_kernel_expression<var>::value && is_rev_kernel_expression<const matrix_var&>::value);
  static_assert(is_rev_kernel_expression<recorded>::value && !is_rev_kernel_expression<data_type>::value);
  static_assert(is_prim_or_rev_kernel_expression<double>::value);
  static_assert(is_prim_or_rev_kernel_expression<recorded_total>::value);
  static_assert(!is_prim_or_rev_kernel_expression<Eigen::VectorXd>::value);
  static_assert(is_nonscalar_prim_or_rev_kernel_expression<matrix>::value);
  static_assert(is_nonscalar_prim_or_rev_kernel_expression<const matrix_var&>::value);
  static_assert(is_nonscalar_prim_or_rev_kernel_expression<recorded>::value);
  static_assert(!is_nonscalar_prim_or_rev_kernel_expression<var>::value);
  static_assert(!is_nonscalar_prim_or_rev_kernel_expression<recorded_total>::value);
  static_assert(is_arena_matrix_cl<const arena_matrix_cl<double>&>::value &&
                !is_arena_matrix_cl<matrix>::value);
  static_assert(is_eigen<const Eigen::MatrixXd&>::value && !is_eigen<matrix>::value);
  static_assert(is_var_v<const var&> && !is_var_v<double> && is_stan_scalar_v<int> &&
                !is_stan_scalar_v<matrix>);
  static_assert(is_constant_v<const double&> && !is_constant_v<var> && is_constant_all_v<int, matrix>);
  static_assert(!is_constant_all_v<int, matrix_var> && is_constant_all_v<>);
}

template <class T, require_matrix_cl_t<T>* = nullptr>
std::string chosen(const T&) {
  return "matrix";
}
template <class T, require_not_matrix_cl_t<T>* = nullptr, require_kernel_expression_t<T>* = nullptr>
std::string chosen(const T&) {
  return "expression";
}
template <class T, require_var_t<T>* = nullptr, require_stan_scalar_t<T>* = nullptr>
std::string chosen(const T&) {
  return "variable";
}
template <class T,
          require_t<std::bool_constant<is_rev_kernel_expression<T>::value && !is_var_v<T>>>* = nullptr>
std::string chosen(const T&) {
  return "recorded";
}
template <class A, class B, require_all_kernel_expressions_and_none_scalar_t<A, B>* = nullptr>
std::string chosen(const A&, const B&) {
  return "data";
}
template <class A, class B, require_all_nonscalar_prim_or_rev_kernel_expression_t<A, B>* = nullptr,
          require_any_not_kernel_expression_t<A, B>* = nullptr>
std::string chosen(const A&, const B&) {
  return "some recorded";
}
template <class A, class B, require_any_eigen_t<A, B>* = nullptr>
std::string chosen(const A&, const B&) {
  return "on the host";
}
template <class A, class B, require_all_kernel_expressions_t<A, B>* = nullptr,
          require_any_arithmetic_t<A, B>* = nullptr>
std::string chosen(const A&, const B&) {
  return "by a number";
}

TEST_F(TypeNames, FunctionsAreChosenByRequirements) {
  const matrix m = random_matrix<double>(2, 2);
  const matrix_var x(m);
  EXPECT_EQ(chosen(m), "matrix");
  EXPECT_EQ(chosen(m + 1.0), "expression");
  EXPECT_EQ(chosen(3), "expression");
  EXPECT_EQ(chosen(var(3.0)), "variable");
  EXPECT_EQ(chosen(x * 2.0), "recorded");
  EXPECT_EQ(chosen(m, m + 1.0), "data");
  EXPECT_EQ(chosen(m, x), "some recorded");
  EXPECT_EQ(chosen(x + 1.0, x), "some recorded");
  EXPECT_EQ(chosen(Eigen::MatrixXd(m.to_host()), m), "on the host");
  EXPECT_EQ(chosen(m, 2.0), "by a number");
}

TEST_F(TypeNames, TypesOfOtherNumbers) {
  using array_v = Eigen::Array<var, Eigen::Dynamic, 2>;
  static_assert(std::is_same_v<promote_scalar_t<var, const matrix&>, matrix_var>);
  static_assert(std::is_same_v<promote_scalar_t<var, matrix_cl<float>>, var_value<matrix_cl<float>>>);
  static_assert(std::is_same_v<promote_scalar_t<var, matrix_cl<int>>, matrix_var>);
  static_assert(std::is_same_v<promote_scalar_t<var, matrix_var>, matrix_var>);
  static_assert(std::is_same_v<promote_scalar_t<var, data_type>, matrix_var>);
  static_assert(std::is_same_v<promote_scalar_t<double, matrix_var>, matrix>);
  static_assert(std::is_same_v<promote_scalar_t<double, matrix_cl<int>>, matrix>);
  static_assert(std::is_same_v<promote_scalar_t<double, var>, double>);
  static_assert(std::is_same_v<promote_scalar_t<const var&, int>, var>);
  static_assert(
      std::is_same_v<promote_scalar_t<var, std::vector<std::vector<int>>>, std::vector<std::vector<var>>>);
  static_assert(std::is_same_v<promote_scalar_t<double, row_vector_v>, row_vector_d>);
  static_assert(std::is_same_v<promote_scalar_t<var, Eigen::Array<double, Eigen::Dynamic, 2>>, array_v>);
  static_assert(std::is_same_v<promote_scalar_t<var, Eigen::Block<Eigen::MatrixXd>>, matrix_v>);
  static_assert(std::is_same_v<return_var_matrix_t<matrix, matrix_var>, matrix_var>);
  static_assert(std::is_same_v<return_var_matrix_t<data_type, matrix>, matrix_var>);
  static_assert(std::is_same_v<return_var_matrix_t<recorded>, matrix_var>);
  static_assert(std::is_same_v<return_var_matrix_t<vector_d, double>, vector_v>);
}

TEST_F(TypeNames, AssumedTypes) {
  matrix m = random_matrix<double>(2, 2);
  EXPECT_EQ(&forward_as<matrix>(m), &m);
  static_assert(std::is_same_v<decltype(forward_as<matrix>(m)), matrix&>);
  static_assert(std::is_same_v<decltype(forward_as<double>(m)), double>);
  EXPECT_EQ(forward_as<double>(value_of(var(2.5))), 2.5);
  EXPECT_THROW(forward_as<double>(m), std::runtime_error);
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(3);
  EXPECT_EQ(&forward_as<Eigen::MatrixXd>(v), &v);
  EXPECT_THROW(forward_as<Eigen::RowVectorXd>(v), std::runtime_error);
  EXPECT_THROW(forward_as<Eigen::VectorXf>(v), std::runtime_error);
}

}  // namespace
}  // namespace fusecl
