#pragma once
// Operations of users whose kernels are written by hand: what is no function of single elements, such as the
// inverses of many small matrices. What a statement computes before such an operation and after it is part of
// its kernel. An operation is described by a class:
//
//   struct turned_pairs {  // exchanges columns 0 and 1, 2 and 3, ...
//     static constexpr std::string_view name = "turned_pairs";
//     static constexpr std::array<std::string_view, 1> parameters = {"a"};
//     static leaf_size size(leaf_size a) { return a; }
//     static std::int64_t tasks(leaf_size, leaf_size a) { return a.cols / 2; }
//     static constexpr std::string_view body = R"(
//       for (long i = 0; i < rows; ++i) {
//         result(i, 2 * task, a(i, 2 * task + 1));
//         result(i, 2 * task + 1, a(i, 2 * task));
//       })";
//   };
//   D = exp(user_leaf<turned_pairs>(A + B)) - C;  // one kernel
//
// docs/user_leaves.md says what may stand in the class besides: derivatives, a reference on the host, groups
// of work-items.

#include <array>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fusion/base/fill.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/expr/user_function.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/user_leaf.hpp>

namespace fusecl {
namespace detail {

/// A matrix of a formula, which is a node and has no elements.
template <scalar_type Type>
struct formula_matrix : expression<formula_matrix<Type>> {
  static constexpr scalar_type type = Type;
  static constexpr bool is_scalar = false;
  ir::node_id id;

  explicit formula_matrix(ir::node_id node) : id(node) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { formula_operand<Type>(id).gather(b); }
  ir::node_id lower(lowering&) const { return id; }
};
using any_formula_matrix = formula_matrix<scalar_type::float64>;

template <std::size_t, class T>
using each_of = T;

enum class leaf_function : std::uint8_t { size, tasks, host, pullback, pushforward };
/// Whether F has that function, with as many parameters.
template <class F, leaf_function Which, std::size_t... K>
constexpr bool takes(std::index_sequence<K...>) {
  if constexpr (Which == leaf_function::size) return requires(const each_of<K, leaf_size>&... x) {
      F::size(x...);
    };
  else if constexpr (Which == leaf_function::tasks)
    return requires(const each_of<K, leaf_size>&... x) { static_cast<std::int64_t>(F::tasks(x...)); };
  else if constexpr (Which == leaf_function::host)
    return requires(const each_of<K, leaf_values>&... x) { F::host(x...); };
  else if constexpr (Which == leaf_function::pullback)
    return requires(const each_of<K, any_formula_matrix>&... x) { F::pullback(x...); };
  else
    return requires(const each_of<K, any_formula_matrix>&... x) { F::pushforward(x...); };
}
template <class F, leaf_function Which, std::size_t Count>
constexpr bool has_leaf_function() {
  return takes<F, Which>(std::make_index_sequence<Count>{});
}

// Whether F has a member of that name, whatever its type, which may be deduced from a leaf of F itself: with
// another one of that name it is ambiguous.
#define FUSECL_LEAF_MEMBER(NAME)                   \
  struct leaf_with_##NAME {                        \
    static constexpr int NAME = 0;                 \
  };                                               \
  template <class F>                               \
  struct leaf_and_##NAME : F, leaf_with_##NAME {}; \
  template <class F>                               \
  concept names_##NAME = !requires {               \
    &leaf_and_##NAME<F>::NAME;                     \
  };
FUSECL_LEAF_MEMBER(size)
FUSECL_LEAF_MEMBER(host)
FUSECL_LEAF_MEMBER(pullback)
FUSECL_LEAF_MEMBER(pushforward)
#undef FUSECL_LEAF_MEMBER
/// Whether F has a function `pullback`.
template <class F, std::size_t Count>
constexpr bool is_differentiable_leaf() {
  if constexpr (std::is_final_v<F>)
    return has_leaf_function<F, leaf_function::pullback, Count>();
  else
    return names_pullback<F>;
}
/// Whether F has it with that number of parameters or not at all: with others, or private, it is a mistake.
template <class F, leaf_function Which, std::size_t Count>
constexpr bool has_it_right() {
  if constexpr (has_leaf_function<F, Which, Count>() || std::is_final_v<F>)
    return true;
  else if constexpr (Which == leaf_function::size)
    return !names_size<F>;
  else if constexpr (Which == leaf_function::host)
    return !names_host<F>;
  else if constexpr (Which == leaf_function::pullback)
    return !names_pullback<F>;
  else
    return !names_pushforward<F>;
}

/// Whether the parameters of F have different names that the kernel leaves to them.
template <class F>
constexpr bool has_good_parameters() {
  for (std::size_t k = 0; k < F::parameters.size(); ++k) {
    if (F::parameters[k] == "result" || F::parameters[k].starts_with("leaf_")) return false;
    for (std::size_t other = 0; other < k; ++other)
      if (F::parameters[other] == F::parameters[k]) return false;
  }
  return true;
}

/// Throws std::logic_error: a leaf lacks what a derivative needs.
[[noreturn]] void lacks_derivative(std::string_view leaf, const char* what);
/// The derivative `made` of an operand or of a result, which is the node `of`; states that both are of one
/// size.
ir::node_id sized_derivative(ir::graph& g, ir::node_id made, ir::node_id of);

/// Tag of the operation that F describes.
template <class F>
struct leaf_operation {
  static constexpr std::size_t arity = F::parameters.size();
  using numbers = std::make_index_sequence<arity>;
  static_assert(arity >= 1 && arity <= 16, "a leaf has one to 16 operands");
  static_assert(are_identifiers<F>(), "a leaf's name and parameters have to be identifiers of C");
  static constexpr bool has_derivatives = is_differentiable_leaf<F, arity + 2>();
  static constexpr bool has_pushforward = has_leaf_function<F, leaf_function::pushforward, 2 * arity + 1>();
  static constexpr bool has_size = has_leaf_function<F, leaf_function::size, arity>();
  static constexpr bool has_host = has_leaf_function<F, leaf_function::host, arity + 1>();
  static constexpr bool is_sized_as_operand = requires { F::sized_as; };
  static constexpr std::size_t sized_as = [] {
    if constexpr (is_sized_as_operand)
      return static_cast<std::size_t>(F::sized_as);
    else
      return std::size_t{0};
  }();
  static_assert(
      is_sized_as_operand || has_size,
      "a leaf has a static function `size` of the sizes of its operands, or `sized_as`, the number of the "
      "operand whose size its result has");
  static_assert(!is_sized_as_operand || sized_as < arity,
                "`sized_as` of a leaf is the number of an operand, from 0");
  static_assert(
      has_good_parameters<F>(),
      "the parameters of a leaf have different names, none of them `result` or beginning with `leaf_`");
  static_assert(!text::has_word(F::body, "return"),
                "the body of a leaf must not return: other tasks may follow");

  static const ops::user_leaf_operation& record() {
    static const ops::user_leaf_operation instance = made();
    return instance;
  }

  /// Size of the result; throws what F does where it refuses the operands.
  static leaf_size size(const std::array<leaf_size, arity>& operands) {
    return with_numbers([&]<std::size_t... K>(std::index_sequence<K...>) {
      if constexpr (has_size) {
        const leaf_size result = F::size(operands[K]...);
        if constexpr (is_sized_as_operand)
          if (!(result == operands[sized_as]))
            throw std::logic_error(std::string(F::name) + ": `size` and `sized_as` do not agree");
        return result;
      } else {
        return operands[sized_as];
      }
    });
  }

 private:
  template <class Call>
  static auto with_numbers(const Call& call) {
    return call(numbers{});
  }

  static ops::user_leaf_operation made() {
    static_assert(has_it_right<F, leaf_function::size, arity>(),
                  "`size` of a leaf takes the size of each operand");
    static_assert(has_it_right<F, leaf_function::host, arity + 1>(),
                  "`host` of a leaf takes the values of the result and of each operand");
    static_assert(has_it_right<F, leaf_function::pullback, arity + 2>(),
                  "`pullback` of a leaf takes each operand, the result and its adjoint");
    static_assert(has_it_right<F, leaf_function::pushforward, 2 * arity + 1>(),
                  "`pushforward` of a leaf takes each operand, the result and what each operand changes by");
    static_assert(
        has_leaf_function<F, leaf_function::tasks, arity + 1>(),
        "a leaf has a static function `tasks` of the sizes of the result and of each operand, which "
        "gives how many there are");
    ops::user_leaf_operation r;
    r.name = F::name;
    r.kind = ir::op_class::opaque;
    r.arity = static_cast<std::uint8_t>(arity);
    r.types = ir::type_rule::floating;
    r.precedence = 16;
    r.pullback = pull_back;
    r.pushforward = push_forward;
    r.brings = &ir::supports::user_leaves;
    r.parameters = F::parameters.data();
    r.body = F::body;
    if constexpr (requires { F::stores_operands; }) r.stores_operands = F::stores_operands;
    if constexpr (requires { F::macros; }) {
      r.macros = std::data(F::macros);
      r.macro_count = std::size(F::macros);
    }
    if constexpr (requires { F::work_items; }) {
      static_assert(F::work_items >= 1, "a task of a leaf has at least one work-item");
      r.work_items = F::work_items;
    }
    if constexpr (has_leaf_function<F, leaf_function::tasks, arity + 1>())
      r.tasks = [](leaf_size result, const leaf_size* operands) {
        return with_numbers([&]<std::size_t... K>(std::index_sequence<K...>) {
          return static_cast<std::int64_t>(F::tasks(result, operands[K]...));
        });
      };
    r.has_reference = has_host;
    if constexpr (has_host)
      r.evaluate = [](ir::host_matrix& result, ir::host_matrix* operands) {
        with_numbers([&]<std::size_t... K>(std::index_sequence<K...>) {
          F::host(leaf_values(result), leaf_values(operands[K])...);
          return 0;
        });
      };
    if constexpr (requires { F::task_flops; }) r.task_flops = static_cast<double>(F::task_flops);
    return r;
  }

  static ir::node_id pull_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
    if constexpr (has_derivatives) {
      const ir::node n = g[self];
      adjoint = ops::filled(g, adjoint, n);
      return in_floating(n.type, [&]<scalar_type Type>() { return pull_back_in<Type>(g, self, adjoint, k); });
    } else {
      lacks_derivative(F::name, "pullback");
    }
  }
  template <scalar_type Type>
  static ir::node_id pull_back_in(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
    using matrix = formula_matrix<Type>;
    const ir::node n = g[self];
    const auto all = in_tuple(with_numbers([&]<std::size_t... K>(std::index_sequence<K...>) {
      return F::pullback(matrix(n.operands[K])..., matrix(self), matrix(adjoint));
    }));
    static_assert(std::tuple_size_v<decltype(all)> == arity,
                  "pullback of a leaf gives a std::tuple with one expression per operand");
    return sized_derivative(g, lower_entry(g, all, k, Type), n.operands[k]);
  }

  static ir::node_id push_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
    const ir::node n = g[self];
    bool moves = false;
    for (int k = 0; k < ir::arity(n); ++k) moves = moves || tangents[k] != ir::no_node;
    if (!moves) return ir::no_node;
    if constexpr (has_pushforward)
      return in_floating(n.type,
                         [&]<scalar_type Type>() { return push_forward_in<Type>(g, self, tangents); });
    else
      lacks_derivative(F::name, "pushforward");
  }
  template <scalar_type Type>
  static ir::node_id push_forward_in(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
    using matrix = formula_matrix<Type>;
    const ir::node n = g[self];
    ir::node_id moved[arity];
    for (std::size_t k = 0; k < arity; ++k) {
      const ir::node_id tangent = tangents[k] == ir::no_node ? g.constant(n.type, 0) : tangents[k];
      moved[k] = ops::filled(g, tangent, g[n.operands[k]]);
    }
    const ir::node_id made = with_numbers([&]<std::size_t... K>(std::index_sequence<K...>) {
      return lower_formula(g, F::pushforward(matrix(n.operands[K])..., matrix(self), matrix(moved[K])...),
                           Type);
    });
    return sized_derivative(g, made, self);
  }
};

/// The node of a leaf whose result has the size of the operand `sized_as`, if that is not negative.
ir::node_id lower_leaf(lowering& low, const ops::user_leaf_operation& record, list_of<ir::node_id> operands,
                       int sized_as);

}  // namespace detail

/// The result of the kernel that F describes.
template <class F, class... As>
struct leaf_result : expression<leaf_result<F, As...>> {
  using expression<leaf_result<F, As...>>::operator=;
  using operand_types = detail::types<As...>;
  using operation = detail::leaf_operation<F>;
  static constexpr scalar_type type = floating(detail::highest({As::type...}));
  static constexpr bool is_scalar = false;
  std::tuple<As...> operands;

  explicit leaf_result(As... given) : operands(std::move(given)...) { size(); }
  std::int64_t rows() const { return size().rows; }
  std::int64_t cols() const { return size().cols; }
  void gather(binder& bound) const {
    if (bound.is_formula()) return std::apply([&](const auto&... a) { (a.gather(bound), ...); }, operands);
    for (const leaf_size& s : sizes()) detail::check_known_size(F::name.data(), s.rows, s.cols);
    const leaf_size own = size();  // the operands may have other sizes now
    std::apply([&](const auto&... a) { (a.gather(bound), ...); }, operands);
    bound.choice(detail::single_sizes_of(own.rows, own.cols));
    bound.extents(own.rows, own.cols);
  }
  ir::node_id lower(lowering& low) const {
    list_of<ir::node_id> ids;
    std::apply([&](const auto&... a) { (ids.push_back(a.lower(low)), ...); }, operands);
    int sized_as = -1;
    if constexpr (operation::is_sized_as_operand) sized_as = static_cast<int>(operation::sized_as);
    return detail::lower_leaf(low, operation::record(), std::move(ids), sized_as);
  }

 private:
  template <class A>
  static leaf_size size_of(const A& a) {
    if constexpr (A::is_scalar)
      return {1, 1};
    else
      return {a.rows(), a.cols()};
  }
  std::array<leaf_size, sizeof...(As)> sizes() const {
    return std::apply([](const auto&... a) { return std::array<leaf_size, sizeof...(As)>{size_of(a)...}; },
                      operands);
  }
  /// That of the result; free where an operand has none, as in `pullback` and `pushforward`.
  leaf_size size() const {
    const auto all = sizes();
    for (const leaf_size& s : all)
      if (s.rows < 0 || s.cols < 0) return {free_size, free_size};
    const leaf_size result = operation::size(all);
    detail::check_stated_size(F::name.data(), result.rows, result.cols, false);
    return result;
  }
};

namespace detail {
template <class F, class... As>
inline constexpr bool is_reduced<leaf_result<F, As...>> = true;
}  // namespace detail

/// The result of the kernel that F describes, for operands that are matrices or scalars, at least one of them
/// an expression. Integers become double. Throws what `size` of F does where it refuses the sizes of the
/// operands. Errors in `body` come as a build error with the numbered kernel when the statement is evaluated.
template <class F, operand... Operands>
requires(expression_like<Operands> || ...) auto user_leaf(Operands&&... operands) {
  static_assert(sizeof...(Operands) == F::parameters.size(),
                "user_leaf: the leaf has another number of operands");
  return leaf_result<F, node_of<Operands>...>(as_operation_cl(std::forward<Operands>(operands))...);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/user_leaf.ipp>
#endif
