#pragma once
// An argument of a density, of one type whatever the user gave: so each density is compiled once, and not for
// every mixture of types.

#include <fusion/autodiff/parameter.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/expr/assembled.hpp>

namespace fusecl::detail {

/// Whether vectors that are rows are turned to columns.
enum class argument_form : bool { column, as_it_is };

/// A number, a vector, a matrix or an expression of these, data or variable, as doubles. Numbers have a free
/// size.
class argument : public expression<argument> {
 public:
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;

  template <operand X>
  argument(const char* name, const X& x, argument_form form = argument_form::column)
      : name_(name), is_variable_(reaches_tape<node_of<const X&>>::value) {
    static_assert(
        !has_parameter<node_of<const X&>>,
        "a density is evaluated where it is called, and value_and_gradient would take a parameter in it for "
        "data: give a var, on the tape, or write the density's formula; p.value() is the number alone");
    a_ = hold(x, form);
  }

  std::int64_t rows() const { return a_->size.rows(*a_); }
  std::int64_t cols() const { return a_->size.cols(*a_); }
  void gather(binder& b) const {
    if (b.first_visit(a_.get())) a_->gather(b);
  }
  ir::node_id lower(lowering& low) const { return low.shared(*a_); }

  /// The same argument with its elements in another arrangement.
  template <node E>
  argument arranged(E e) const {
    argument other = *this;
    other.a_ = keep(std::move(e));
    return other;
  }

  const char* name() const { return name_; }
  /// Its size as the user wrote it: "1 x 4" of a row.
  std::string size_text() const {
    return is_turned_ ? shape_text(cols(), rows()) : shape_text(rows(), cols());
  }
  /// Whether derivatives are wanted.
  bool is_variable() const { return is_variable_; }
  bool is_number() const { return rows() < 0; }

 private:
  /// An expression of numbers only: of the size that its user has.
  template <class E>
  struct number : E {
    std::int64_t rows() const { return free_size; }
    std::int64_t cols() const { return free_size; }
  };
  template <class X>
  held_pointer hold(const X& x, argument_form form) {
    if constexpr (scalar_value<X> && !expression_like<X>)
      return keep(scalar_leaf<double>(static_cast<double>(x)));
    else
      return hold_expression(as_double(as_operation_cl(x)), form);
  }
  template <class E>
  static auto as_double(E e) {
    if constexpr (E::type == scalar_type::float64)
      return e;
    else
      return converted<scalar_type::float64, E>(std::move(e));
  }
  template <class E>
  held_pointer hold_expression(E e, argument_form form) {
    if constexpr (E::is_scalar)
      return keep(number<E>{std::move(e)});
    else if ((is_turned_ = form == argument_form::column && e.rows() == 1 && e.cols() != 1))
      return keep(as_column<E>("a density", std::move(e)));
    else
      return keep(std::move(e));
  }
  template <class E>
  static held_pointer keep(E e) {
    return std::make_shared<const held<E>>(std::move(e));
  }

  held_pointer a_;
  const char* name_;
  bool is_variable_;
  bool is_turned_ = false;
};

}  // namespace fusecl::detail
