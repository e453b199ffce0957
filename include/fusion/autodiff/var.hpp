#pragma once
// Variables on the tape: `var` is a number, `var_value<matrix_cl<T>>` a matrix on the device. Both may be
// used in expressions; an expression with variables is assigned to a variable, which records it.

#include <vector>

#include <fusion/autodiff/function_of_numbers.hpp>
#include <fusion/autodiff/record_checked.hpp>
#include <fusion/autodiff/record_moved.hpp>
#include <fusion/autodiff/tape.hpp>
#include <fusion/autodiff/variable_element.hpp>
#include <fusion/expr/statistics.hpp>

namespace fusecl {

template <class T>
class var_value;
/// A number on the tape.
using var = var_value<double>;

/// A number with an adjoint. Its value may still be on the device; reading it waits then.
template <>
class var_value<double> {
 public:
  using value_type = double;
  static constexpr bool is_variable = true;  ///< to operands and functions of the host

  /// A new variable.
  template <class Number>
  requires std::is_arithmetic_v<Number> var_value(Number value)  // NOLINT: a number is a variable
      : entry_(detail::record_number(static_cast<double>(value))) {}
  var_value() : var_value(0.0) {}
  /// The value of a scalar expression. The same kernel computes it and its derivatives with respect to all
  /// variables in it. So with a product that has one element, and with what is made of such products and
  /// scalars element by element.
  template <node E>
  requires(E::is_scalar || detail::may_be_number<E>) var_value(const E& e)  // NOLINT: as for numbers
      : entry_(detail::record_scalar(detail::floating_operand(detail::single_element(e)))) {}
  /// The same with checks: where one fails std::domain_error is thrown and nothing recorded. Waits once for
  /// the value and all checks.
  template <node E>
  requires(E::is_scalar || detail::may_be_number<E>)
      var_value(const checked_expression<E>& e)  // NOLINT: as for numbers
      : entry_(detail::record_checked(detail::single_element(e.expression()), e.checks())) {}
  explicit var_value(detail::scalar_entry* entry) : entry_(entry) {}

  /// As all that uses a variable: throws std::logic_error where the tape has forgotten it.
  double val() const { return entry_.get()->value(); }
  /// The adjoint. What statements on the device added to it is fetched here; this waits then.
  double adj() const { return entry_.get()->adjoint(); }
  double& adj() { return entry_.get()->adjoint(); }
  /// The same as val() and adj(), as functions of matrices of `var` call them.
  double val_op() const { return val(); }
  double& adj_op() { return adj(); }
  const var_value& eval() const { return *this; }
  /// Goes through the tape backwards: afterwards `adj()` of every result of a statement is the derivative of
  /// this with respect to it, and that of every variable is the derivative added to what it was before; this
  /// one's own is 1. Throws std::logic_error for a variable of another thread's tape or older than the nested
  /// tape that is open.
  void grad() const { detail::run_reverse(entry_); }
  /// The same, and `g` gets the adjoints of x.
  void grad(const std::vector<var_value>& x, std::vector<double>& g) const {
    grad();
    g.clear();
    for (const var_value& each : x) g.push_back(each.adj());
  }

  detail::scalar_variable_leaf leaf() const { return detail::scalar_variable_leaf(entry_); }
  detail::scalar_entry* entry() const { return entry_.get(); }

  var_value& operator+=(const var_value& other) { return *this = *this + other; }
  var_value& operator-=(const var_value& other) { return *this = *this - other; }
  var_value& operator*=(const var_value& other) { return *this = *this * other; }
  var_value& operator/=(const var_value& other) { return *this = *this / other; }
  /// Adds or subtracts 1: the result is a new variable, under the name of the old one.
  var_value& operator++() { return *this += 1.0; }
  var_value& operator--() { return *this -= 1.0; }
  var_value operator++(int) {
    const var_value before = *this;
    ++*this;
    return before;
  }
  var_value operator--(int) {
    const var_value before = *this;
    --*this;
    return before;
  }

  // Operands by value: these are preferred to the operators of expressions, which would launch a kernel.
  friend var_value operator+(var_value a, var_value b) {
    detail::scalar_entry *x = a.own("operator+"), *y = b.own("operator+");
    return var_value(detail::record_partials(x->value() + y->value(), x, 1, y, 1));
  }
  friend var_value operator-(var_value a, var_value b) {
    detail::scalar_entry *x = a.own("operator-"), *y = b.own("operator-");
    return var_value(detail::record_partials(x->value() - y->value(), x, 1, y, -1));
  }
  friend var_value operator*(var_value a, var_value b) {
    detail::scalar_entry *x = a.own("operator*"), *y = b.own("operator*");
    const double u = x->value(), v = y->value();
    return var_value(detail::record_partials(u * v, x, v, y, u));
  }
  friend var_value operator/(var_value a, var_value b) {
    detail::scalar_entry *x = a.own("operator/"), *y = b.own("operator/");
    const double u = x->value(), v = y->value();
    return var_value(detail::record_partials(u / v, x, 1 / v, y, -(u / v) / v));
  }
  friend var_value operator-(var_value a) {
    detail::scalar_entry* x = a.own("operator-");
    return var_value(detail::record_partials(-x->value(), x, -1, nullptr, 0));
  }

#define FUSECL_VAR_AND_NUMBER(SYMBOL)                       \
  template <class Number>                                   \
  requires std::is_arithmetic_v<Number>                     \
  friend var_value operator SYMBOL(var_value a, Number b) { \
    return a SYMBOL var_value(static_cast<double>(b));      \
  }                                                         \
  template <class Number>                                   \
  requires std::is_arithmetic_v<Number>                     \
  friend var_value operator SYMBOL(Number a, var_value b) { \
    return var_value(static_cast<double>(a)) SYMBOL b;      \
  }
  FUSECL_VAR_AND_NUMBER(+)
  FUSECL_VAR_AND_NUMBER(-)
  FUSECL_VAR_AND_NUMBER(*)
  FUSECL_VAR_AND_NUMBER(/)
#undef FUSECL_VAR_AND_NUMBER
  friend var_value operator+(var_value a) { return a; }

  // What functions of variables and numbers are made of (expr/functions.hpp).
  static var_value of_function(const ir::operation& f, std::initializer_list<detail::number_operand> x) {
    return var_value(detail::record_function(f, x));
  }
  static detail::number_operand as_operand(const char* function, const var_value& x) {
    detail::scalar_entry* entry = x.own(function);
    return {entry, entry->value()};
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  static detail::number_operand as_operand(const char*, Number x) {
    return {nullptr, static_cast<double>(x)};
  }

  // Comparisons are of values and give bool.
#define FUSECL_COMPARE_VARS(SYMBOL)                                                                    \
  friend bool operator SYMBOL(var_value a, var_value b) { return a.val() SYMBOL b.val(); }             \
  template <class Number>                                                                              \
  requires std::is_arithmetic_v<Number>                                                                \
  friend bool operator SYMBOL(var_value a, Number b) { return a.val() SYMBOL static_cast<double>(b); } \
  template <class Number>                                                                              \
  requires std::is_arithmetic_v<Number>                                                                \
  friend bool operator SYMBOL(Number a, var_value b) { return static_cast<double>(a) SYMBOL b.val(); }
  FUSECL_COMPARE_VARS(<)
  FUSECL_COMPARE_VARS(<=)
  FUSECL_COMPARE_VARS(>)
  FUSECL_COMPARE_VARS(>=)
  FUSECL_COMPARE_VARS(==)
  FUSECL_COMPARE_VARS(!=)
#undef FUSECL_COMPARE_VARS

  friend std::ostream& operator<<(std::ostream& out, const var_value& a) { return out << a.val(); }

 private:
  detail::scalar_entry* own(const char* function) const { return entry_.own(function); }

  detail::entry_handle<detail::scalar_entry> entry_;
};

/// A matrix on the device with an adjoint, which takes memory when something is first added to it.
template <element T>
class var_value<matrix_cl<T>> {
 public:
  using value_type = matrix_cl<T>;

  /// 0 x 0, to be assigned to.
  var_value() : var_value(matrix_cl<T>()) {}
  /// A new variable. One from a matrix that goes on copies nothing until that is assigned to.
  var_value(const matrix_cl<T>& value)  // NOLINT: a matrix is a variable
      : entry_(detail::record_variable(value)) {}
  var_value(matrix_cl<T>&& value)  // NOLINT: a matrix is a variable
      : entry_(detail::this_thread_tape().record<detail::matrix_entry<T>>(std::move(value))) {}
  template <class Derived>
  explicit var_value(const Eigen::EigenBase<Derived>& host) : var_value(matrix_cl<T>(host)) {}
  /// A column.
  explicit var_value(const std::vector<T>& host) : var_value(matrix_cl<T>(host)) {}
  /// The value of an expression, recorded if it contains variables.
  template <node E>
  var_value(const E& e) : entry_(detail::record_matrix<T>(e)) {}  // NOLINT: an expression is a matrix

  std::int64_t rows() const { return val().rows(); }
  std::int64_t cols() const { return val().cols(); }
  std::int64_t size() const { return val().size(); }
  matrix_cl_view view() const { return val().view(); }
  /// As all that uses a variable: throws std::logic_error where the tape has forgotten it.
  const matrix_cl<T>& val() const { return entry_.get()->value; }
  /// The adjoint; zeros where nothing was added yet. The reference shows it as long as the tape remembers the
  /// variable.
  matrix_cl<T>& adj() const { return entry_.get()->full_adjoint(); }
  /// The same as val() and adj(), by other names of Stan Math.
  const matrix_cl<T>& val_op() const { return val(); }
  matrix_cl<T>& adj_op() const { return adj(); }
  const var_value& eval() const { return *this; }
  /// The elements that an expression of integers numbers, as of a matrix_cl.
  template <class I>
  auto operator[](I&& index) const {
    using index_type = std::remove_cvref_t<I>;
    if constexpr (std::is_integral_v<index_type> && !std::is_same_v<index_type, bool>)
      return detail::element_of_vector(leaf(), index);
    else
      return detail::elements_of_vector(leaf(), std::forward<I>(index));
  }
  /// The element in row `i` and column `j`, and element `i` of a row or a column, counted from 0: an
  /// expression of the variable, which a `var` may keep. Throw as those of a matrix_cl.
  auto operator()(std::int64_t i, std::int64_t j) const {
    detail::check_place(i, j, rows(), cols());
    return detail::variable_element<T>("operator()", leaf(), i, j);
  }
  auto operator()(std::int64_t i) const {
    const auto [row, col] = detail::place_in_vector(i, rows(), cols());
    return (*this)(row, col);
  }
  /// An expression of the variable: the part that begins in row `i` and column `j`, counted from 0, and its
  /// transpose. Throws as block_zero_based.
  auto block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) const {
    return block_zero_based(leaf(), i, j, rows, cols);
  }
  auto transpose() const { return ::fusecl::transpose(leaf()); }

  // The result is a new variable, under the name of the old one.
  template <operand E>
  var_value& operator+=(const E& e) {
    return *this = var_value(detail::make_binary<op::add>("operator+=", *this, e));
  }
  template <operand E>
  var_value& operator-=(const E& e) {
    return *this = var_value(detail::make_binary<op::subtract>("operator-=", *this, e));
  }
  /// Scales.
  template <operand E>
  var_value& operator*=(const E& e) {
    return *this = var_value(detail::scaled_or_product("operator*=", *this, e));
  }
  template <operand E>
  var_value& operator/=(const E& e) {
    return *this = var_value(detail::divided("operator/=", *this, e));
  }
  friend std::ostream& operator<<(std::ostream& out, const var_value& v) { return out << v.val(); }

  detail::variable_leaf<T> leaf() const { return detail::variable_leaf<T>(entry_); }
  explicit var_value(detail::matrix_entry<T>* entry) : entry_(entry) {}
  detail::matrix_entry<T>* entry() const { return entry_.get(); }

 private:
  detail::entry_handle<detail::matrix_entry<T>> entry_;
};
template <element T>
var_value(const matrix_cl<T>&) -> var_value<matrix_cl<T>>;
template <element T>
var_value(matrix_cl<T>&&) -> var_value<matrix_cl<T>>;
template <class Number>
requires std::is_arithmetic_v<Number> var_value(Number)
->var_value<double>;

/// The same as `lp.grad()`.
inline void grad(const var& lp) { lp.grad(); }
/// The same, and `g` gets the adjoints of x.
template <element T, class Host>
void grad(const var& lp, const var_value<matrix_cl<T>>& x, Eigen::PlainObjectBase<Host>& g) {
  lp.grad();
  g.derived() = from_matrix_cl<Host>(x.adj());
}
/// Goes through the innermost tape backwards from its end with the adjoints that results have been given
/// by hand, as in `r.adj() = weights; grad();`. They keep them: clear with `set_zero_all_adjoints`.
inline void grad() { detail::run_reverse_from_adjoints(); }

/// The value without its derivative; a number or a matrix that is no variable is its own. Of an expression
/// with variables: one without, to be evaluated or used further.
inline double value_of(const var& x) { return x.val(); }
template <class X>
requires std::is_arithmetic_v<X> X value_of(X x) { return x; }
inline std::vector<double> value_of(const std::vector<var>& x) {
  std::vector<double> values;
  for (const var& each : x) values.push_back(each.val());
  return values;
}
template <class X>
requires std::is_arithmetic_v<X>
const std::vector<X>& value_of(const std::vector<X>& x) { return x; }
template <class X>
requires std::is_arithmetic_v<X> std::vector<X> value_of(std::vector<X>&& x) { return std::move(x); }
template <element T>
const matrix_cl<T>& value_of(const var_value<matrix_cl<T>>& x) {
  return x.val();
}
template <element T>
const matrix_cl<T>& value_of(const matrix_cl<T>& x) {
  return x;
}
template <node E>
auto value_of(const E& e) {
  return stop_gradient(e);
}

/// The result of an expression with variables, recorded: a `var` of a scalar expression, else a matrix
/// variable.
template <detail::node_on_tape E>
auto evaluated(const E& e) {
  if constexpr (E::is_scalar)
    return var(e);
  else
    return var_value<matrix_cl<value_type_of<E>>>(e);
}

inline var evaluated(const var& x) { return x; }

/// What else is a number on the host as soon as it is asked for is a variable that keeps its derivative.
inline var to_host(const var& x) { return x; }
template <detail::node_on_tape E>
requires(E::is_scalar) var to_host(const E& e) { return e; }

/// A matrix variable of an expression with variables.
template <detail::node_on_tape E>
auto to_matrix_cl(const E& e) {
  return var_value<matrix_cl<value_type_of<E>>>(e);
}
/// A number as a matrix of one element.
inline auto to_matrix_cl(const var& x) { return var_value<matrix_cl<double>>(x.leaf()); }
/// The elements of an expression with variables, as variables: autodiff/eigen_var.hpp has these.
template <class Host = void, detail::node_on_tape E>
auto from_matrix_cl(const E& e) {
  return from_matrix_cl<Host>(to_matrix_cl(e));
}

/// The same; numbers and matrices that are no variables are their own values.
template <class X>
decltype(auto) value_of_rec(const X& x) {
  if constexpr (std::is_arithmetic_v<X>)
    return X(x);
  else if constexpr (is_matrix_cl<X>::value)
    return static_cast<const X&>(x);
  else
    return value_of(x);
}

/// The elements of a variable, a vector, in order; equal elements keep theirs. NaN comes last.
template <element T>
var_value<matrix_cl<T>> sort_asc(const var_value<matrix_cl<T>>& x) {
  return var_value<matrix_cl<T>>(detail::record_sorted("sort_asc", *x.entry(), false));
}
template <element T>
var_value<matrix_cl<T>> sort_desc(const var_value<matrix_cl<T>>& x) {
  return var_value<matrix_cl<T>>(detail::record_sorted("sort_desc", *x.entry(), true));
}
/// The elements of a matrix variable, column by column, as a rows x cols variable.
template <element T>
var_value<matrix_cl<T>> to_matrix(const var_value<matrix_cl<T>>& x, std::int64_t rows, std::int64_t cols) {
  return var_value<matrix_cl<T>>(detail::record_reshaped(*x.entry(), rows, cols));
}

}  // namespace fusecl
