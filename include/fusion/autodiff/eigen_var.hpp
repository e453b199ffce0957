#pragma once
// Eigen matrices of var on the host: copies to the device and back that derivatives pass through.

#include <fusion/autodiff/var.hpp>
#include <fusion/matrix/copy.hpp>
#include <fusion/matrix/eigen.hpp>

namespace Eigen {

template <>
struct NumTraits<fusecl::var> : NumTraits<double> {
  using Real = fusecl::var;
  using NonInteger = fusecl::var;
  using Nested = fusecl::var;
  using Literal = fusecl::var;
  enum { RequireInitialization = 1, ReadCost = 4, AddCost = 20, MulCost = 20 };
};
template <class Operation>
struct ScalarBinaryOpTraits<fusecl::var, double, Operation> {
  using ReturnType = fusecl::var;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, fusecl::var, Operation> {
  using ReturnType = fusecl::var;
};

}  // namespace Eigen

namespace fusecl {

/// Eigen's matrices of var by their names in Stan Math.
using matrix_v = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;
using vector_v = Eigen::Matrix<var, Eigen::Dynamic, 1>;
using row_vector_v = Eigen::Matrix<var, 1, Eigen::Dynamic>;

namespace detail {

using host_numbers = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

/// A matrix made of numbers: hands its adjoint on to them.
class matrix_of_numbers : public matrix_entry<double> {
 public:
  matrix_of_numbers(const host_numbers& values, std::vector<scalar_entry*> numbers)
      : matrix_entry<double>(matrix_cl<double>(values)), numbers_(std::move(numbers)) {}
  void start_gradient() override { restart_adjoint(); }
  void reverse() override;

 private:
  std::vector<scalar_entry*> numbers_;
};

/// A number that is an element of a matrix.
class element_entry : public scalar_entry {
 public:
  using scalar_entry::scalar_entry;
  void start_gradient() override { set_adjoint(0); }
};

/// The numbers of a matrix, which are recorded after this: hands their adjoints on to the matrix.
class numbers_of_matrix : public tape_entry {
 public:
  explicit numbers_of_matrix(matrix_entry_base& matrix) : matrix_(matrix) {}
  void reverse() override;

  std::vector<scalar_entry*> numbers;

 private:
  matrix_entry_base& matrix_;
};

/// An Eigen type of var.
template <class Host>
inline constexpr bool is_host_of_var = false;
template <class Host>
requires std::is_same_v<typename Host::Scalar, var>
inline constexpr bool is_host_of_var<Host> = true;

std::vector<scalar_entry*> record_elements(matrix_entry_base& matrix, const host_numbers& values);

}  // namespace detail

/// A matrix variable on the device from an Eigen matrix of var; its derivatives reach the elements.
template <detail::eigen_like M>
requires std::is_same_v<typename M::Scalar, var> var_value<matrix_cl<double>> to_matrix_cl(const M& host) {
  const Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> plain = host;
  detail::host_numbers values(plain.rows(), plain.cols());
  std::vector<detail::scalar_entry*> numbers;
  for (Eigen::Index k = 0; k < plain.size(); ++k) {
    values.data()[k] = plain.data()[k].val();
    numbers.push_back(plain.data()[k].entry());
    detail::check_owner(numbers.back());
  }
  return var_value<matrix_cl<double>>(
      detail::this_thread_tape().record<detail::matrix_of_numbers>(values, std::move(numbers)));
}

/// A column of var.
inline var_value<matrix_cl<double>> to_matrix_cl(const std::vector<var>& host) {
  return to_matrix_cl(Eigen::Matrix<var, Eigen::Dynamic, 1>(detail::as_host_column(host)));
}
/// A matrix whose columns are Eigen vectors of var of equal size, or the elements of matrices.
template <detail::eigen_like V>
requires std::is_same_v<typename V::Scalar, var> var_value<matrix_cl<double>> to_matrix_cl(
    const std::vector<V>& columns) {
  return to_matrix_cl(detail::as_columns(columns));
}
/// The values of an Eigen matrix of var, in one of double of its shape; of what holds numbers, the numbers.
template <detail::eigen_like M>
auto value_of(const M& host) {
  if constexpr (detail::is_host_of_var<M>)  // without a copy, whose elements would be recorded
    return host.unaryExpr([](const var& x) { return x.val(); }).eval();
  else
    return typename M::PlainObject(host);
}
/// As `lp.grad()`, and `g` gets the adjoints of x.
template <detail::eigen_like X, class Host>
requires std::is_same_v<typename X::Scalar, var>
void grad(const var& lp, const X& x, Eigen::PlainObjectBase<Host>& g) {
  lp.grad();
  g.derived() = x.unaryExpr([](const var& each) { return each.adj(); });
}
/// The sum of variables of the host, on the host.
template <detail::eigen_like X>
requires std::is_same_v<typename X::Scalar, var> var sum(const X& x) { return x.sum(); }
template <std::same_as<var> Element>
var sum(const std::vector<Element>& x) {
  var total = 0;
  for (const var& each : x) total += each;
  return total;
}
/// New variables from numbers, a variable for each: of what is on the host on the host, of what is on the
/// device there.
inline var to_var(double value) { return value; }
inline std::vector<var> to_var(const std::vector<double>& values) { return {values.begin(), values.end()}; }
template <detail::eigen_like M>
requires std::is_same_v<typename M::Scalar, double>
auto to_var(const M& values) {
  using Own = typename M::PlainObject;
  const Own& plain = values;  // evaluated where it is an expression
  Eigen::Matrix<var, Own::RowsAtCompileTime, Own::ColsAtCompileTime> variables(plain.rows(), plain.cols());
  for (Eigen::Index j = 0; j < plain.cols(); ++j)
    for (Eigen::Index i = 0; i < plain.rows(); ++i) variables(i, j) = plain(i, j);
  return variables;
}
template <element T>
var_value<matrix_cl<T>> to_var(const matrix_cl<T>& values) {
  return values;
}
/// A matrix variable is passed on.
template <element T>
const var_value<matrix_cl<T>>& to_matrix_cl(const var_value<matrix_cl<T>>& m) {
  return m;
}

/// The elements of a matrix variable as numbers on the tape. Waits for the device. `Host` is an Eigen type of
/// var, Eigen::Matrix<var, -1, -1> if it is not given, std::vector<var> (of a row or column vector), a
/// std::vector of Eigen vectors of var (its columns) or var (of a 1 x 1 matrix). Throws std::invalid_argument
/// where the sizes do not fit.
template <class Host = void, element T>
auto from_matrix_cl(const var_value<matrix_cl<T>>& m) {
  if constexpr (std::is_same_v<Host, std::vector<var>>) {
    detail::check_fits<Host>("from_matrix_cl", "the matrix", m.rows(), m.cols(), "a std::vector");
    const auto host = from_matrix_cl(m);
    return Host(host.data(), host.data() + host.size());
  } else if constexpr (detail::is_list_of_vectors<Host>) {
    detail::check_column_fits<typename Host::value_type>(m.rows());
    const auto host = from_matrix_cl(m);
    Host columns;
    for (Eigen::Index j = 0; j < host.cols(); ++j) columns.push_back(host.col(j));
    return columns;
  } else if constexpr (std::is_same_v<Host, var>) {
    detail::check_same_shape("from_matrix_cl", "the matrix", m.rows(), m.cols(), "a number", 1, 1);
    return from_matrix_cl(m)(0, 0);
  } else if constexpr (!std::is_void_v<Host>) {
    constexpr bool holds_variables = detail::is_host_of_var<Host>;
    static_assert(
        holds_variables,
        "from_matrix_cl of variables gives variables: Eigen::Matrix<var, -1, -1>, std::vector<var> or "
        "var; take the values alone by from_matrix_cl(value_of(x))");
    if constexpr (holds_variables) {
      detail::check_fits<Host>("from_matrix_cl", "the matrix", m.rows(), m.cols(), "the Eigen type");
      return Host(from_matrix_cl(m));
    } else {
      return Host();
    }
  } else {
    const detail::host_numbers values = m.val().to_host().template cast<double>();
    const std::vector<detail::scalar_entry*> numbers = detail::record_elements(*m.entry(), values);
    using Vars = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;
    return Vars(Vars::NullaryExpr(values.rows(), values.cols(), [&](Eigen::Index i, Eigen::Index j) {
      return var(numbers[static_cast<std::size_t>(i + j * values.rows())]);
    }));
  }
}

/// Value and gradient at `x` of a function of an Eigen vector of var, on a tape of its own: Stan Math's
/// functional. `value` and `by_x` are as they were where it throws.
template <class Function>
void gradient(const Function& f, const Eigen::VectorXd& x, double& value, Eigen::VectorXd& by_x) {
  const nested_rev_autodiff nested;
  const vector_v variables = to_var(x);
  const var y = f(variables);
  y.grad();
  by_x = variables.unaryExpr([](const var& each) { return each.adj(); });
  value = y.val();
}
/// The same of a function of a matrix on the device.
template <class Function>
void gradient(const Function& f, const matrix_cl<double>& x, double& value, matrix_cl<double>& by_x) {
  const nested_rev_autodiff nested;
  const var_value<matrix_cl<double>> variable(x);
  const var y = f(variable);
  y.grad();
  const double found = y.val();
  by_x = variable.adj();
  value = found;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/eigen_var.ipp>
#endif
