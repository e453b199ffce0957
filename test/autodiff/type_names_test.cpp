// Names for types that code for Stan Math uses.

#include <support/compare.hpp>

#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/type_names.hpp>

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

}  // namespace
}  // namespace fusecl
