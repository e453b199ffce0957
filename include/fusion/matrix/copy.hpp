#pragma once
// Copies between host and device: to_matrix_cl and from_matrix_cl, and printing.

#include <iosfwd>

#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

/// Eigen's matrices of double by their names in Stan Math.
using matrix_d = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using vector_d = Eigen::Matrix<double, Eigen::Dynamic, 1>;
using row_vector_d = Eigen::Matrix<double, 1, Eigen::Dynamic>;

namespace detail {

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

/// A std::vector of Eigen objects.
template <class T>
inline constexpr bool is_list_of_vectors = false;
template <eigen_like V>
inline constexpr bool is_list_of_vectors<std::vector<V>> = true;

/// Throws std::invalid_argument where a rows x cols matrix, called `name`, does not fit a host object of type
/// `Host`, called `host_name`.
template <class Host>
void check_fits(const char* function, const char* name, std::int64_t rows, std::int64_t cols,
                const char* host_name) {
  if constexpr (is_vector<Host>::value) {
    if (rows != 1 && cols != 1 && rows != 0 && cols != 0)
      shape_mismatch(function, name, rows, cols, host_name, free_size, 1);
  } else if constexpr (std::is_arithmetic_v<Host>) {
    check_same_shape(function, name, rows, cols, host_name, 1, 1);
  } else {  // a size that is not fixed is free
    check_same_shape(function, name, rows, cols, host_name, Host::RowsAtCompileTime, Host::ColsAtCompileTime);
    if constexpr (Host::MaxSizeAtCompileTime != Eigen::Dynamic && Host::SizeAtCompileTime == Eigen::Dynamic)
      check_room(function, name, rows, cols, host_name, Host::MaxRowsAtCompileTime,
                 Host::MaxColsAtCompileTime);
  }
}

/// The same for a column of `rows` elements, which goes to a vector however that lies.
template <class Vector>
void check_column_fits(std::int64_t rows) {
  constexpr bool is_row = Vector::RowsAtCompileTime == 1 && Vector::ColsAtCompileTime != 1;
  check_fits<Vector>("from_matrix_cl", "a column of the matrix", is_row ? 1 : rows, is_row ? rows : 1,
                     "the Eigen type");
}

/// Vectors of equal size as the columns of a matrix, matrices column by column. Throws std::invalid_argument
/// where their sizes differ.
template <eigen_like V>
auto as_columns(const std::vector<V>& vectors) {
  const Eigen::Index rows = vectors.empty() ? 0 : vectors[0].size();
  Eigen::Matrix<typename V::Scalar, Eigen::Dynamic, Eigen::Dynamic> all(
      rows, static_cast<Eigen::Index>(vectors.size()));
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const V& each = vectors[k];
    check_same_size("to_matrix_cl", "elements", "the first vector", rows, "another", each.size());
    Eigen::Index at = 0;
    for (Eigen::Index j = 0; j < each.cols(); ++j)
      for (Eigen::Index i = 0; i < each.rows(); ++i)
        all(at++, static_cast<Eigen::Index>(k)) = each.coeff(i, j);
  }
  return all;
}

}  // namespace detail

/// A matrix on the device from an Eigen object, with its element type.
template <detail::eigen_like M>
auto to_matrix_cl(const M& host) {
  return matrix_cl<typename M::Scalar>(host);
}
/// A column vector on the device.
template <element T>
matrix_cl<T> to_matrix_cl(const std::vector<T>& host) {
  return matrix_cl<T>(host);
}
/// A matrix on the device whose columns are Eigen vectors of equal size, or the elements of matrices, column
/// by column. Throws std::invalid_argument where their sizes differ.
template <detail::eigen_like V>
requires element<typename V::Scalar> matrix_cl<typename V::Scalar> to_matrix_cl(
    const std::vector<V>& columns) {
  return matrix_cl<typename V::Scalar>(detail::as_columns(columns));
}
/// A 1 x 1 matrix on the device.
template <element T>
matrix_cl<T> to_matrix_cl(const T& value) {
  return matrix_cl<T>(value);
}
/// A matrix on the device is passed on; an expression is evaluated.
template <element T>
const matrix_cl<T>& to_matrix_cl(const matrix_cl<T>& m) {
  return m;
}
template <node E>
auto to_matrix_cl(const E& e) {
  return matrix_cl<value_type_of<E>>(e);
}

/// A copy on the device.
template <element T>
matrix_cl<T> copy_cl(const matrix_cl<T>& m) {
  return m;
}

/// Copies a matrix to the host and waits. `Host` is an Eigen type, std::vector<T> (of a row or column
/// vector), a std::vector of Eigen vectors (its columns) or a scalar type (of a 1 x 1 matrix); elements
/// outside the view are zero. Throws std::invalid_argument where the sizes do not fit. Without a type it is
/// Eigen::Matrix<T, -1, -1>.
template <class Host = void, element T>
auto from_matrix_cl(const matrix_cl<T>& m) {
  using Plain = std::remove_cvref_t<Host>;
  if constexpr (std::is_void_v<Host>) {
    return m.to_host();
  } else if constexpr (detail::is_list_of_vectors<Plain>) {
    detail::check_column_fits<typename Plain::value_type>(m.rows());
    const auto host = m.to_host();
    Plain columns;
    for (Eigen::Index j = 0; j < host.cols(); ++j)
      columns.push_back(host.col(j).template cast<typename Plain::value_type::Scalar>());
    return columns;
  } else if constexpr (detail::is_vector<Plain>::value) {
    detail::check_fits<Plain>("from_matrix_cl", "the matrix", m.rows(), m.cols(), "a std::vector");
    const auto host = m.to_host();
    return Plain(host.data(), host.data() + host.size());
  } else if constexpr (std::is_arithmetic_v<Plain>) {
    detail::check_fits<Plain>("from_matrix_cl", "the matrix", m.rows(), m.cols(), "a scalar");
    return static_cast<Plain>(m.to_host()(0, 0));
  } else {
    using Scalar = typename Plain::Scalar;
    detail::check_fits<Plain>("from_matrix_cl", "the matrix", m.rows(), m.cols(), "the Eigen type");
    using Own = typename Plain::PlainObject;  // of a class derived from a matrix of Eigen: that matrix
    if constexpr (std::is_base_of_v<Eigen::ArrayBase<Own>, Own>)
      return Plain(Own(m.to_host().array().template cast<Scalar>()));
    else
      return Plain(Own(m.to_host().template cast<Scalar>()));
  }
}
/// The same as an Eigen::Matrix<T, Rows, Cols>.
template <int Rows, int Cols, element T>
Eigen::Matrix<T, Rows, Cols> from_matrix_cl(const matrix_cl<T>& m) {
  return from_matrix_cl<Eigen::Matrix<T, Rows, Cols>>(m);
}
/// Evaluates an expression and copies the result.
template <class Host = void, node E>
auto from_matrix_cl(const E& e) {
  return from_matrix_cl<Host>(matrix_cl<value_type_of<E>>(e));
}

/// Prints the elements as Eigen does; waits for the device.
template <element T>
std::ostream& operator<<(std::ostream& out, const matrix_cl<T>& m) {
  return out << m.to_host();
}
template <node E>
requires(!std::is_arithmetic_v<E>) std::ostream& operator<<(std::ostream& out, const E& e) {
  return out << matrix_cl<value_type_of<E>>(e);
}

}  // namespace fusecl
