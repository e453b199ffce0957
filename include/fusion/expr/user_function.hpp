#pragma once
// Element-wise functions that users write in OpenCL C. A function is described by a class:
//
//   struct huber {
//     static constexpr std::string_view name = "huber";
//     static constexpr std::array<std::string_view, 2> parameters = {"r", "delta"};
//     static constexpr std::string_view body = R"(
//       const real a = fabs(r);
//       return a <= delta ? 0.5 * r * r : delta * (a - 0.5 * delta);)";
//     static auto derivatives(const auto& r, const auto& delta) {
//       return std::tuple(fmax(-delta, fmin(r, delta)), fmax(fabs(r) - delta, 0.0));
//     }
//     static long double host(long double r, long double delta);
//   };
//   loss = sum(user_function<huber>(y - mu, 1.5));
//
// `body` is that of a function of numbers of type `real`, which is double or float as the operands are; in
// decimal literals no suffix is needed. `derivatives` gives one expression (or number) per parameter, for a
// single parameter also without a tuple, in terms of the parameters and, if it takes one argument more, of
// the result. It may be left out; then asking for a derivative does not compile. `host` is the reference that
// the interpreter computes with: `reference` and `check_gradient` need it, nothing else does.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/operators.hpp>

namespace fusecl {
namespace detail {

/// An operand of a formula, which is a node and has no value. Counts as a scalar, so that `r * delta` stands
/// for the product of elements.
template <scalar_type Type>
struct formula_operand : expression<formula_operand<Type>> {
  static constexpr scalar_type type = Type;
  static constexpr bool is_scalar = true;
  ir::node_id id;

  explicit formula_operand(ir::node_id node) : id(node) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const {
    if (!b.is_formula())
      throw std::logic_error("derivatives of a user function: an operand has no value here; use select");
  }
  ir::node_id lower(lowering&) const { return id; }
};

/// Throws std::logic_error where a formula uses matrices, variables or index matrices.
void check_formula(const binder& bound);

/// The nodes of an expression of formula operands, as a value of `type`.
template <operand E>
ir::node_id lower_formula(ir::graph& g, const E& formula, scalar_type type) {
  const auto e = as_operation_cl(formula);
  binder bound(true);
  e.gather(bound);
  check_formula(bound);
  lowering low(g, bound, type);
  return g.cast(type, e.lower(low));
}

/// That of entry `k` of a tuple of such expressions.
template <class... Each>
ir::node_id lower_entry(ir::graph& g, const std::tuple<Each...>& formulas, int k, scalar_type type) {
  ir::node_id chosen = ir::no_node;
  int number = 0;
  std::apply(
      [&](const auto&... each) {
        ((number++ == k ? void(chosen = lower_formula(g, each, type)) : void()), ...);
      },
      formulas);
  return chosen;
}

/// What `call` gives for the floating-point type, which it has as a template argument.
template <class Call>
ir::node_id in_floating(scalar_type type, const Call& call) {
  return type == scalar_type::float32 ? call.template operator()<scalar_type::float32>()
                                      : call.template operator()<scalar_type::float64>();
}

constexpr bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

template <class F>
constexpr bool are_identifiers() {
  for (std::string_view p : F::parameters)
    if (!is_identifier(p)) return false;
  return is_identifier(F::name);
}

/// The record of a user's function with the texts it points to.
class user_record {
 public:
  /// `is_whole`: a function of whole numbers, whose functions of the library are of double.
  user_record(std::string_view name, const std::string_view* parameters, int count, std::string_view body,
              bool is_whole = false);
  user_record(const user_record&) = delete;

  ir::operation operation;

 private:
  std::string name_, text_, call_;
  ir::device_function function_;
  list_of<const ir::device_function*> library_;  // what the body calls of it, and null
  const ir::device_function* uses_[2];
};

/// f(x[0], x[1], ...) for as many parameters as F has.
template <class F, class Call, class T>
auto with_operands(const Call& call, const T* x) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) { return call(x[K]...); }
  (std::make_index_sequence<F::parameters.size()>{});
}

template <class F, std::size_t... K>
constexpr bool has_host(std::index_sequence<K...>) {
  return requires(long double x) { F::host(((void)K, x)...); };
}
using any_formula_operand = formula_operand<scalar_type::float64>;
template <class F, std::size_t... K>
constexpr bool takes_result(std::index_sequence<K...>) {
  return requires(any_formula_operand x) { F::derivatives(((void)K, x)..., x); };
}
template <class F, std::size_t... K>
constexpr bool takes_parameters(std::index_sequence<K...>) {
  return requires(any_formula_operand x) { F::derivatives(((void)K, x)...); };
}

template <class F>
inline constexpr bool derivatives_take_result =
    takes_result<F>(std::make_index_sequence<F::parameters.size()>{});
/// Whether they can be called at all.
template <class F>
inline constexpr bool derivatives_fit = derivatives_take_result<F> ||
                                        takes_parameters<F>(std::make_index_sequence<F::parameters.size()>{});

struct named_derivatives {
  static constexpr int derivatives = 0;
};
template <class F>
struct twice_derivatives : F, named_derivatives {};
/// Whether F has a function `derivatives`, asked without its type: that may be deduced from F's own
/// derivatives.
template <class F>
constexpr bool has_function_derivatives() {
  if constexpr (std::is_final_v<F>)
    return derivatives_fit<F>;
  else
    return !requires { &twice_derivatives<F>::derivatives; };  // ambiguous
}

/// The derivative by a single parameter needs no tuple.
template <class... Each>
const std::tuple<Each...>& in_tuple(const std::tuple<Each...>& derivatives) {
  return derivatives;
}
template <operand E>
std::tuple<E> in_tuple(const E& derivative) {
  return {derivative};
}

/// Tag of the operation that F describes.
template <class F>
struct user_operation {
  static constexpr ir::type_rule types = ir::type_rule::floating;
  static constexpr std::size_t arity = F::parameters.size();
  static_assert(arity >= 1 && arity <= 26, "a user function has one to 26 parameters");
  static_assert(are_identifiers<F>(), "a user function's name and parameters have to be identifiers of C");
  static constexpr bool has_derivatives = has_function_derivatives<F>();

  static const ir::operation& record() {
    static const made instance;
    return instance.operation;
  }

 private:
  struct made : user_record {
    made() : user_record(F::name, F::parameters.data(), static_cast<int>(arity), F::body) {
      if constexpr (has_host<F>(std::make_index_sequence<arity>{}))
        operation.host = [](const long double* x) {
          return with_operands<F>([](auto... y) -> long double { return F::host(y...); }, x);
        };
      if constexpr (has_derivatives) operation.partial = partial;
    }
  };

  static ir::node_id partial(ir::graph& g, const ir::node_id* operands, ir::node_id result, int k) {
    return in_floating(g[result].type,
                       [&]<scalar_type Type>() { return partial_in<Type>(g, operands, result, k); });
  }
  template <scalar_type Type>
  static ir::node_id partial_in(ir::graph& g, const ir::node_id* operands, ir::node_id result, int k) {
    static_assert(derivatives_fit<F>,
                  "`derivatives` of a user function takes its parameters and, if it needs it, the result");
    const auto all = in_tuple(with_operands<F>(
        [&](auto... id) {
          if constexpr (derivatives_take_result<F>)
            return F::derivatives(formula_operand<Type>(id)..., formula_operand<Type>(result));
          else
            return F::derivatives(formula_operand<Type>(id)...);
        },
        operands));
    static_assert(std::tuple_size_v<decltype(all)> == arity,
                  "derivatives of a user function gives a std::tuple with one entry per parameter");
    return lower_entry(g, all, k, Type);
  }
};

/// Type of the highest rank.
constexpr scalar_type highest(std::initializer_list<scalar_type> types) {
  scalar_type result = scalar_type::boolean;
  for (scalar_type t : types) result = result < t ? t : result;
  return result;
}

/// A function of more parameters than the operations of the library have.
template <class Op, class... As>
struct function_of_many : expression<function_of_many<Op, As...>>,
                          number_conversion<function_of_many<Op, As...>, floating(highest({As::type...})),
                                            (As::is_scalar && ...)> {
  using expression<function_of_many<Op, As...>>::operator=;
  using operand_types = detail::types<As...>;
  using operation = Op;
  static constexpr scalar_type type = floating(highest({As::type...}));
  static constexpr bool is_scalar = (As::is_scalar && ...);
  std::tuple<As...> operands;

  function_of_many(const char* function, As... given) : operands(std::move(given)...) {
    std::int64_t rows = free_size, cols = free_size;
    each([&]<class A>(const A& a) {
      if constexpr (!A::is_scalar) {
        check_same_shape(function, "one operand", rows, cols, "another", a.rows(), a.cols());
        rows = std::max(rows, a.rows());
        cols = std::max(cols, a.cols());
      }
    });
  }
  std::int64_t rows() const {
    return common([](const auto& a) { return a.rows(); });
  }
  std::int64_t cols() const {
    return common([](const auto& a) { return a.cols(); });
  }
  void gather(binder& bound) const {
    each([&](const auto& a) { a.gather(bound); });
  }
  ir::node_id lower(lowering& low) const {
    list_of<ir::node_id> ids;
    each([&](const auto& a) { ids.push_back(a.lower(low)); });
    const std::uint32_t matrices =
        std::apply([&](const auto&... a) { return matrices_among(low, ids.data(), a...); }, operands);
    return low.apply(Op::record(), ids.data(), matrices);
  }

 private:
  template <class Call>
  void each(const Call& call) const {
    std::apply([&](const auto&... a) { (call(a), ...); }, operands);
  }
  /// The size that operands other than scalars share, or that of one element.
  template <class Size>
  std::int64_t common(const Size& size) const {
    std::int64_t shared = free_size;
    each([&]<class A>(const A& a) {
      if (is_scalar || !A::is_scalar) shared = std::max(shared, size(a));
    });
    return shared;
  }
};
template <class Op, class... As>
inline constexpr bool is_reduced<function_of_many<Op, As...>> = any_reduced<As...>;

}  // namespace detail

namespace detail {

/// What is described as the head of this file says.
template <class F>
concept function_description = requires {
  std::string_view(F::name);
  std::string_view(F::body);
  F::parameters.size();
  std::string_view(*F::parameters.data());
};

}  // namespace detail

/// The function that F describes, element by element: operands of equal size or scalars, at least one an
/// expression. Integers become double. Errors in `body` come as a build error with the numbered kernel when
/// the statement is evaluated.
template <class F, operand... Operands>
requires(detail::function_description<F> &&
         (expression_like<Operands> || ...)) auto user_function(Operands&&... operands) {
  constexpr std::size_t count = sizeof...(Operands);
  static_assert(count == F::parameters.size(),
                "user_function: the function has another number of parameters");
  using Op = detail::user_operation<F>;
  if constexpr (count == 1)
    return detail::make_unary<Op>(std::forward<Operands>(operands)...);
  else if constexpr (count == 2)
    return detail::make_binary<Op>(F::name.data(), std::forward<Operands>(operands)...);
  else if constexpr (count == 3)
    return detail::make_ternary<Op>(F::name.data(), std::forward<Operands>(operands)...);
  else
    return detail::function_of_many<Op, node_of<Operands>...>(
        F::name.data(), as_operation_cl(std::forward<Operands>(operands))...);
}

/// Refused: what describes no function.
template <class F, operand... Operands>
requires(!detail::function_description<F> && (expression_like<Operands> || ...)) detail::refused
    user_function(Operands&&...) {
  static_assert(sizeof(F) == 0,
                "user_function<F>: F is a class with static constexpr members name, a std::string_view, "
                "parameters, a std::array of these, and body, a std::string_view");
  return {};
}

/// Refused: numbers alone.
template <class F, class... Numbers>
requires(sizeof...(Numbers) > 0 && (std::is_arithmetic_v<Numbers> && ...)) detail::refused
    user_function(Numbers...) {
  static_assert(
      sizeof...(Numbers) == 0,
      "a user_function is one of the device, of at least one expression: write matrix_cl<double>(x) "
      "for a number");
  return {};
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/user_function.ipp>
#endif
