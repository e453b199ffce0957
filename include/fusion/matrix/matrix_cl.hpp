#pragma once
// The matrix on the device: construction, copies between host and device, assignment of expressions.

#include <iosfwd>
#include <vector>

#include <Eigen/Core>

#include <fusion/expr/assignable.hpp>
#include <fusion/expr/reductions.hpp>
#include <fusion/expr/statistics.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {

/// Evaluates `e` into `target`; assignments are statements of a higher room (eval/evaluate.hpp).
template <class Target, node E>
void evaluate(Target& target, const E& e);

namespace detail {

/// Sets what the view leaves out to zero.
template <class Host>
void zero_outside(matrix_cl_view view, Host& host) {
  if (!contains_nonzero(view, matrix_cl_view::Lower))
    host.template triangularView<Eigen::StrictlyLower>().setZero();
  if (!contains_nonzero(view, matrix_cl_view::Upper))
    host.template triangularView<Eigen::StrictlyUpper>().setZero();
}

}  // namespace detail

/// A column-major matrix of T on the selected device. Copies are deep; evaluation is asynchronous and only
/// reading a result on the host waits.
template <element T>
class matrix_cl : public matrix_base {
 public:
  using type = T;
  using Scalar = T;
  using value_type = T;
  static constexpr scalar_type leaf_type = scalar_type_v<T>;
  static constexpr int RowsAtCompileTime = -1;
  static constexpr int ColsAtCompileTime = -1;

  /// 0 x 0.
  matrix_cl() : matrix_base(0, 0, matrix_cl_view::Entire, sizeof(T)) {}
  /// Contents undefined. Throws std::invalid_argument for a negative size.
  matrix_cl(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_base(rows, cols, view, sizeof(T)) {}
  /// rows x cols elements at `data`, column by column.
  matrix_cl(const T* data, std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(rows, cols, view) {
    write(data, sizeof(T));
  }
  /// 1 x 1.
  explicit matrix_cl(const T& value, matrix_cl_view view = matrix_cl_view::Entire) : matrix_cl(1, 1, view) {
    write(&value, sizeof(T));
  }
  /// A user's buffer of at least rows * cols elements, shared with him.
  matrix_cl(const cl::Buffer& buffer, std::int64_t rows, std::int64_t cols,
            matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_base(buffer, rows, cols, view, sizeof(T)) {}
  /// A column vector, or a rows x cols matrix stored column by column.
  explicit matrix_cl(const std::vector<T>& values, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(values, static_cast<std::int64_t>(values.size()), 1, view) {}
  matrix_cl(const std::vector<T>& values, std::int64_t rows, std::int64_t cols,
            matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(rows, cols, view) {
    detail::check_same_size("matrix_cl", "elements", "the vector", static_cast<std::int64_t>(values.size()),
                            "the matrix", rows * cols);
    if constexpr (std::is_same_v<T, bool>) {
      const Eigen::Matrix<bool, Eigen::Dynamic, 1> bytes = to_bytes(values);
      write(bytes.data(), 1);
    } else {
      write(values.data(), sizeof(T));
    }
  }
  /// An Eigen matrix, vector, array, map, block or expression, with elements converted to T.
  template <class Derived>
  explicit matrix_cl(const Eigen::EigenBase<Derived>& host, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(host.rows(), host.cols(), view) {
    constexpr bool direct = std::is_same_v<typename Derived::Scalar, T> && !Derived::IsRowMajor &&
                            std::is_base_of_v<Eigen::PlainObjectBase<Derived>, Derived>;
    if constexpr (direct) {
      write(host.derived().data(), sizeof(T));
    } else {
      const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> plain =
          host.derived().matrix().template cast<T>();
      write(plain.data(), sizeof(T));
    }
  }
  matrix_cl(const matrix_cl& other) : matrix_base() { copy_from(other, sizeof(T)); }
  matrix_cl(matrix_cl&&) noexcept = default;
  matrix_cl& operator=(const matrix_cl& other) {
    copy_from(other, sizeof(T));
    return *this;
  }
  matrix_cl& operator=(matrix_cl&&) noexcept = default;

  /// Evaluates an expression, converted to T element by element.
  template <node E>
  matrix_cl(const E& e) : matrix_cl() {  // NOLINT: an expression is a matrix
    evaluate(*this, e);
  }
  template <node E>
  matrix_cl& operator=(const E& e) {
    evaluate(*this, e);
    return *this;
  }
  /// Refused: copies from the host are spelled out.
  template <class Derived>
  matrix_cl& operator=(const Eigen::EigenBase<Derived>&) {
    static_assert(sizeof(Derived) == 0, "a host matrix is copied to the device by to_matrix_cl(x)");
    return *this;
  }
  template <operand E>
  matrix_cl& operator+=(E&& e) {
    return *this = *this + std::forward<E>(e);
  }
  template <operand E>
  matrix_cl& operator-=(E&& e) {
    return *this = *this - std::forward<E>(e);
  }
  /// Scales in place. By what is no scalar it is the matrix product, which may have another size.
  template <operand E>
  matrix_cl& operator*=(E&& e) {
    return *this = *this * std::forward<E>(e);
  }
  template <operand E>
  matrix_cl& operator/=(E&& e) {
    return *this = *this / std::forward<E>(e);
  }

  matrix_leaf<T> leaf() const& { return {storage(), rows(), cols(), view()}; }
  matrix_leaf<T> leaf() && { return leaf(); }

  /// For block, row, transpose and the like, which may be assigned to.
  detail::matrix_place<T> writable_elements() & { return {this, {}}; }

  const matrix_cl& eval() const { return *this; }
  /// Sets a strict triangle to zero (eval/reshape.hpp).
  template <matrix_cl_view View>
  void zeros_strict_tri();

  /// All elements, column by column, with those outside the view zero. Waits for the device.
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> to_host() const {
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> host(rows(), cols());
    read(host.data(), sizeof(T));
    detail::zero_outside(view(), host);
    return host;
  }

 private:
  static Eigen::Matrix<bool, Eigen::Dynamic, 1> to_bytes(const std::vector<T>& values) {
    Eigen::Matrix<bool, Eigen::Dynamic, 1> bytes(static_cast<Eigen::Index>(values.size()));
    for (std::size_t k = 0; k < values.size(); ++k) bytes[static_cast<Eigen::Index>(k)] = values[k];
    return bytes;
  }
};

/// The result of an expression.
template <node E>
matrix_cl<value_type_of<E>> evaluated(const E& e) {
  if (e.rows() < 0 || e.cols() < 0) {
    constexpr bool number = std::is_same_v<E, scalar_leaf<value_type_of<E>>>;
    if (number || !E::is_scalar) throw std::invalid_argument("eval: the expression has no size of its own");
  }
  return matrix_cl<value_type_of<E>>(e);
}

namespace detail {

template <class T>
concept eigen_like = std::is_base_of_v<Eigen::EigenBase<std::remove_cvref_t<T>>, std::remove_cvref_t<T>>;

/// Something of the host and something of the device that is no number.
template <class A, class B>
concept host_and_device = eigen_like<A> && expression_like<B> && !node_of<B>::is_scalar;

}  // namespace detail

/// Refused: copies from the host are spelled out.
#define FUSECL_HOST_OPERAND(SYMBOL)                                                                         \
  template <class A, class B>                                                                               \
  requires(detail::host_and_device<A, B> || detail::host_and_device<B, A>) void operator SYMBOL(const A&,   \
                                                                                                const B&) { \
    static_assert(sizeof(A) == 0, "a host matrix is copied to the device by to_matrix_cl(x)");              \
  }
FUSECL_HOST_OPERAND(+)
FUSECL_HOST_OPERAND(-)
FUSECL_HOST_OPERAND(*)
#undef FUSECL_HOST_OPERAND

/// Prints the elements as Eigen does; waits for the device.
template <element T>
std::ostream& operator<<(std::ostream& out, const matrix_cl<T>& m) {
  return out << m.to_host();
}
template <node E>
requires(!std::is_arithmetic_v<E>) std::ostream& operator<<(std::ostream& out, const E& e) {
  return out << matrix_cl<value_type_of<E>>(e);
}

/// Whether a type is a matrix_cl, whatever its qualifiers.
template <class T>
struct is_matrix_cl : std::false_type {};
template <class T>
struct is_matrix_cl<matrix_cl<T>> : std::true_type {};
template <class T>
requires(!std::is_same_v<T, std::remove_cvref_t<T>>) struct is_matrix_cl<T>
    : is_matrix_cl<std::remove_cvref_t<T>> {
};

}  // namespace fusecl
