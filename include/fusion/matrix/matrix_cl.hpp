#pragma once
// The matrix on the device: construction, copies between host and device, assignment of expressions.

#include <concepts>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/assignable.hpp>
#include <fusion/expr/reductions.hpp>
#include <fusion/expr/statistics.hpp>
#include <fusion/matrix/eigen.hpp>
#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {

/// Evaluates `e` into `target`; assignments are statements of a higher room (eval/evaluate.hpp).
template <class Target, node E>
void evaluate(Target& target, const E& e);

namespace detail {

/// Vectors as columns (copy.hpp).
template <eigen_like V>
auto as_columns(const std::vector<V>& vectors);

/// The body of zeros_strict_tri (eval/reshape.hpp).
template <element T>
void zero_strict_triangle(matrix_cl<T>& m, matrix_cl_view part);

/// Writes zeros to what the view of `m` leaves out, in memory that no tape reads again (eval/elements.hpp).
template <element T>
void fill_outside_view(matrix_cl<T>& m);

/// Sets what the view leaves out to zero.
template <class Host>
void zero_outside(matrix_cl_view view, Host& host) {
  if (!contains_nonzero(view, matrix_cl_view::Lower))
    host.template triangularView<Eigen::StrictlyLower>().setZero();
  if (!contains_nonzero(view, matrix_cl_view::Upper))
    host.template triangularView<Eigen::StrictlyUpper>().setZero();
}

}  // namespace detail

template <element T>
class arena_matrix_cl;

/// A column-major matrix of T on the selected device. Copies are deep; evaluation is asynchronous and only
/// reading a result on the host waits.
template <element T>
class matrix_cl<T> : public matrix_base {
 public:
  using type = T;
  using Scalar = T;
  using value_type = T;
  static constexpr scalar_type leaf_type = scalar_type_v<T>;
  static constexpr int RowsAtCompileTime = -1;
  static constexpr int ColsAtCompileTime = -1;

  /// 0 x 0.
  matrix_cl() = default;
  /// Contents undefined. Throws std::invalid_argument for a negative size.
  matrix_cl(std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_base(rows, cols, view, sizeof(T)) {}
  /// rows x cols elements at `data`, column by column. Throws std::invalid_argument where there are some and
  /// `data` is null.
  matrix_cl(const T* data, std::int64_t rows, std::int64_t cols, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(rows, cols, view) {
    write(data, sizeof(T));
  }
  /// 1 x 1 with this value, also of a whole number: matrix_cl<double> v(3) holds 3. A vector of three
  /// elements is matrix_cl<double> v(3, 1).
  explicit matrix_cl(const T& value, matrix_cl_view view = matrix_cl_view::Entire) : matrix_cl(1, 1, view) {
    write(&value, sizeof(T));
  }
  /// A user's buffer of at least rows * cols elements, shared with him; it may be null where there are none.
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
                            "the matrix", size());
    if constexpr (std::is_same_v<T, bool>) {
      write(list_of<bool>(values.begin(), values.end()).data(), 1);
    } else {
      write(values.data(), sizeof(T));
    }
  }
  /// A column of numbers in braces, of which a point tells that they are no sizes.
  template <std::floating_point Number>
  explicit matrix_cl(std::initializer_list<Number> column)
      : matrix_cl(std::vector<T>(column.begin(), column.end())) {}
  /// The same of elements of another type, which are converted.
  template <class Other, std::integral... Sizes>
  requires(std::is_arithmetic_v<Other> && !std::is_same_v<Other, T> &&
           (sizeof...(Sizes) == 0 ||
            sizeof...(Sizes) == 2)) explicit matrix_cl(const std::vector<Other>& values, Sizes... sizes)
      : matrix_cl(std::vector<T>(values.begin(), values.end()), sizes...) {}
  /// A matrix, vector, array, map, block or expression of Eigen, dense or not, with elements converted to T.
  template <class Derived>
  explicit matrix_cl(const Eigen::EigenBase<Derived>& host, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(host.rows(), host.cols(), view) {
    write_elements(host.derived());
  }
  /// Eigen vectors of equal size as columns, or the elements of matrices, column by column, as to_matrix_cl
  /// makes it. Throws std::invalid_argument where their sizes differ.
  template <detail::eigen_like V>
  explicit matrix_cl(const std::vector<V>& columns, matrix_cl_view view = matrix_cl_view::Entire)
      : matrix_cl(detail::as_columns(columns), view) {}
  /// The value of a matrix or an expression within a view, with zeros outside; where it has a view of its
  /// own, within both.
  template <node E>
  matrix_cl(const E& e, matrix_cl_view view) : matrix_cl(e) {
    this->view(both(this->view(), view));
  }
  matrix_cl(const matrix_cl& other, matrix_cl_view view) : matrix_cl(other) {
    this->view(both(this->view(), view));
  }
  matrix_cl(const matrix_cl& other) : matrix_base() { copy_from(other, sizeof(T)); }
  matrix_cl(matrix_cl&&) noexcept = default;
  matrix_cl& operator=(const matrix_cl& other) {
    copy_from(other, sizeof(T));
    return *this;
  }
  matrix_cl& operator=(matrix_cl&&) noexcept = default;
  /// A copy: other handles to what a temporary one names keep it (autodiff/arena_matrix_cl.hpp).
  template <std::same_as<arena_matrix_cl<T>> Handle>
  matrix_cl(Handle&& other) : matrix_cl(std::as_const(other)) {}  // NOLINT: as from a matrix
  template <std::same_as<arena_matrix_cl<T>> Handle>
  matrix_cl& operator=(Handle&& other) {
    return *this = std::as_const(other);
  }

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
  /// A copy of an Eigen object, as by construction from it; in the memory that is there where a result of
  /// this size may be written to it.
  template <class Derived>
  matrix_cl& operator=(const Eigen::EigenBase<Derived>& host) {
    if (!can_keep_memory(host.rows(), host.cols())) return *this = matrix_cl(host);
    write_elements(host.derived());
    view(matrix_cl_view::Entire);
    return *this;
  }
  /// The elements of a vector as a column, and vectors and matrices of Eigen in one, as by construction from
  /// them.
  template <class Element, class Allocator>
  requires(element<Element> || detail::eigen_like<Element>) matrix_cl& operator=(
      const std::vector<Element, Allocator>& values) {
    if constexpr (element<Element> && !std::is_same_v<Element, bool>)
      return *this = detail::as_host_column(values);
    else
      return *this = matrix_cl(values);
  }
  template <std::floating_point Number>
  matrix_cl& operator=(std::initializer_list<Number> column) {
    return *this = std::vector<Number>(column);
  }
  /// Refused: elements of one type become another by cast<T>(x).
  template <element Other>
  requires(!std::is_same_v<Other, T>) matrix_cl(const matrix_cl<Other>&) : matrix_cl() {  // NOLINT
    static_assert(sizeof(Other) == 0,
                  "a matrix_cl of another element type is not converted by itself: write cast<T>(a), as in "
                  "matrix_cl<float> f = cast<float>(d)");
  }
  /// Refused: sizes are whole numbers.
  template <class Rows, class Cols>
  requires(std::is_arithmetic_v<Rows>&& std::is_arithmetic_v<Cols> &&
           (!is_whole_number<Rows> || !is_whole_number<Cols>))
      matrix_cl(Rows, Cols, matrix_cl_view = matrix_cl_view::Entire)
      : matrix_cl() {
    static_assert(!sizeof(Rows), "the sizes of a matrix_cl are whole numbers; a column is v{1.0, 2.0}");
  }
  /// Refused: rows in braces.
  template <class Number, std::size_t... Cols>
  requires(sizeof...(Cols) > 1 && std::is_arithmetic_v<Number>)
      matrix_cl([[maybe_unused]] const Number (&... rows)[Cols])
      : matrix_cl() {
    static_assert(
        sizeof(Number) == 0,
        "a matrix_cl is not made of rows in braces: write matrix_cl<double> a(Eigen::MatrixXd{{1, 2}, "
        "{3, 4}})");
  }
  /// Refused: elements are not streamed into a matrix.
  template <class X>
  detail::refused operator<<(const X&) {
    static_assert(sizeof(X) == 0,
                  "a matrix_cl takes no elements by <<: fill an Eigen matrix or a std::vector and write "
                  "a = eigen_matrix or matrix_cl<double> a(vector)");
    return {};
  }
  /// Refused: a number has no size.
  template <class Number>
  requires std::is_arithmetic_v<Number> detail::refused operator=(Number) {
    static_assert(sizeof(Number) == 0,
                  "a number is no matrix: for all elements of this size write a.setConstant(x), for another "
                  "size a = constant(x, rows, cols)");
    return {};
  }
  /// Refused: what is const is only read.
  template <class E>
  requires(node<E> || std::is_same_v<E, matrix_cl>) detail::refused operator=(const E&) const {
    static_assert(sizeof(E) == 0,
                  "this matrix is const and cannot be assigned to; a variable gets another value by "
                  "x = matrix, not by x.val() = matrix");
    return {};
  }
  template <operand E>
  matrix_cl& operator+=(E&& e) {
    return *this = detail::make_binary<op::add>("operator+=", *this, std::forward<E>(e));
  }
  template <operand E>
  matrix_cl& operator-=(E&& e) {
    return *this = detail::make_binary<op::subtract>("operator-=", *this, std::forward<E>(e));
  }
  /// The elements of a vector, or in braces, as a column.
  matrix_cl& operator+=(const std::vector<T>& column) { return *this += matrix_cl(column); }
  matrix_cl& operator-=(const std::vector<T>& column) { return *this -= matrix_cl(column); }
  /// Scales in place. By what is no scalar it is the matrix product, which may have another size.
  template <operand E>
  matrix_cl& operator*=(E&& e) {
    return *this = detail::scaled_or_product("operator*=", *this, std::forward<E>(e));
  }
  template <operand E>
  matrix_cl& operator/=(E&& e) {
    return *this = detail::divided("operator/=", *this, std::forward<E>(e));
  }

  matrix_leaf<T> leaf() const { return matrix_leaf<T>(*this); }

  /// For block, row, transpose and the like, which may be assigned to.
  detail::matrix_place<T> writable_elements() & { return {this, &state(), {}}; }

  const matrix_cl& eval() const { return *this; }
  /// Another shape for the same elements, column by column, of which there are as many as before, in the
  /// memory that is there. What a view leaves out is written as zeros first; the view is Entire then. Throws
  /// std::invalid_argument where these are not as many.
  void reshape(std::int64_t rows, std::int64_t cols) {
    detail::check_reshape("reshape", this->rows(), this->cols(), rows, cols);
    if (view() != matrix_cl_view::Entire) detail::fill_outside_view(*this);
    take_shape(rows, cols);
  }
  /// Sets the elements strictly below (Lower) or above (Upper) the diagonal to zero; the view no longer holds
  /// them. Throws std::invalid_argument for another view.
  template <matrix_cl_view View>
  void zeros_strict_tri() {
    detail::zero_strict_triangle(*this, View);
  }

  /// A rows x cols matrix of zeros, of ones or of one value, or with ones on the diagonal and zeros besides,
  /// as an expression. Throws std::domain_error for a negative size.
  static auto Zero(std::int64_t rows, std::int64_t cols) {
    return detail::repeated_element("Zero", T(0), rows, cols);
  }
  static auto Ones(std::int64_t rows, std::int64_t cols) {
    return detail::repeated_element("Ones", T(1), rows, cols);
  }
  static auto Constant(std::int64_t rows, std::int64_t cols, const T& value) {
    return detail::repeated_element("Constant", value, rows, cols);
  }
  static auto Identity(std::int64_t rows, std::int64_t cols) {
    detail::check_repeated("Identity", 1, 1, rows, cols);
    return cast<T>(row_index(rows, cols) == col_index(rows, cols));
  }

  /// Makes all elements zero; with sizes, of a matrix that then has these. The view becomes Entire.
  matrix_cl& setZero() { return setZero(rows(), cols()); }
  matrix_cl& setZero(std::int64_t rows, std::int64_t cols) {
    return *this = detail::repeated_element("setZero", T(0), rows, cols);
  }
  /// The same with any value.
  matrix_cl& setConstant(const T& value) { return setConstant(rows(), cols(), value); }
  matrix_cl& setConstant(std::int64_t rows, std::int64_t cols, const T& value) {
    return *this = detail::repeated_element("setConstant", value, rows, cols);
  }

  /// The element in row `i` and column `j`, counted from 0, read from the device: waits for it at every call.
  /// Throws std::out_of_range where there is none.
  T operator()(std::int64_t i, std::int64_t j) const {
    T value{};
    return read_element(i, j, &value, sizeof(T)) ? value : T(0);
  }
  /// Element `i` of a row or of a column, likewise. Throws std::invalid_argument where this is neither.
  T operator()(std::int64_t i) const {
    const auto [row, col] = detail::place_in_vector(i, rows(), cols());
    return (*this)(row, col);
  }

  /// Refused, as of an expression.
  template <class... None>
  explicit operator bool() const {
    return detail::refuse_condition<None...>();
  }
  /// Refused: there are many elements.
  template <class Number, class... None>
  requires(std::is_same_v<Number, detail::refused_number<scalar_type_v<T>>>) operator Number() const {
    return detail::refuse_number<Number, None...>();
  }

  /// The elements that an expression of integers numbers from 0, of its size: an expression. Throws
  /// std::invalid_argument unless this is a row or a column.
  template <class I>
  auto operator[](I&& index) const& {
    return detail::elements_of_vector(*this, std::forward<I>(index));
  }
  /// The same, to which can be assigned.
  template <class I>
  auto operator[](I&& index) & {
    return detail::elements_of_vector(*this, std::forward<I>(index));
  }

  /// A copy as a matrix or an array of Eigen, as from_matrix_cl<Host> makes it. Waits for the device.
  template <detail::plain_host_matrix Host>
  operator Host() const {
    return from_matrix_cl<Host>(*this);
  }

  /// All elements, column by column, with those outside the view zero. Waits for the device.
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> to_host() const {
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> host(rows(), cols());
    read(host.data(), sizeof(T));
    detail::zero_outside(view(), host);
    return host;
  }

 protected:
  /// Another handle to the matrix that `other` is.
  matrix_cl(matrix_base::same_matrix same, const matrix_cl& other) : matrix_base(same, other) {}

 private:
  /// Copies the elements, of which there are as many as here, converted to T.
  template <class Derived>
  void write_elements(const Derived& host) {
    using scalar = typename Derived::Scalar;  // void of a permutation
    using host_element = std::conditional_t<std::is_void_v<scalar>, T, scalar>;
    using dense = Eigen::Matrix<host_element, Eigen::Dynamic, Eigen::Dynamic>;
    constexpr bool is_dense = std::is_base_of_v<Eigen::DenseBase<Derived>, Derived>;
    constexpr bool is_plain = std::is_base_of_v<Eigen::PlainObjectBase<Derived>, Derived>;
    if constexpr (!is_dense) {  // a diagonal, triangular, sparse or permutation matrix
      write_elements(dense(host));
    } else if constexpr (std::is_same_v<host_element, T> && is_plain &&
                         !static_cast<bool>(Derived::IsRowMajor)) {
      write(host.data(), sizeof(T));
    } else {
      const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> plain = host.matrix().template cast<T>();
      write(plain.data(), sizeof(T));
    }
  }
};

// What a matrix_cl is made of says its element type.
template <element T>
matrix_cl(const T*, std::int64_t, std::int64_t, matrix_cl_view = matrix_cl_view::Entire) -> matrix_cl<T>;
template <element T>
matrix_cl(const T&, matrix_cl_view = matrix_cl_view::Entire) -> matrix_cl<T>;
template <element T>
matrix_cl(const std::vector<T>&, matrix_cl_view = matrix_cl_view::Entire) -> matrix_cl<T>;
template <element T>
matrix_cl(const std::vector<T>&, std::int64_t, std::int64_t, matrix_cl_view = matrix_cl_view::Entire)
    -> matrix_cl<T>;
template <element T>
matrix_cl(const arena_matrix_cl<T>&) -> matrix_cl<T>;
template <element T>
matrix_cl(const matrix_cl<T>&, matrix_cl_view) -> matrix_cl<T>;
template <node E>
matrix_cl(const E&, matrix_cl_view = matrix_cl_view::Entire) -> matrix_cl<value_type_of<E>>;
template <class Derived>
requires element<typename Derived::Scalar> matrix_cl(const Eigen::EigenBase<Derived>&,
                                                     matrix_cl_view = matrix_cl_view::Entire)
->matrix_cl<typename Derived::Scalar>;
template <detail::eigen_like V>
requires element<typename V::Scalar> matrix_cl(const std::vector<V>&, matrix_cl_view = matrix_cl_view::Entire)
->matrix_cl<typename V::Scalar>;

/// The result of an expression.
template <node E>
matrix_cl<value_type_of<E>> evaluated(const E& e) {
  if (e.rows() < 0 || e.cols() < 0) {
    constexpr bool number = std::is_same_v<E, scalar_leaf<value_type_of<E>>>;
    if (number || !E::is_scalar) throw std::invalid_argument("eval: the expression has no size of its own");
  }
  return matrix_cl<value_type_of<E>>(e);
}

}  // namespace fusecl
