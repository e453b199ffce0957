#pragma once
// Several results in one statement: results(r1, r2, ...) = expressions(e1, e2, ...).

#include <string>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <fusion/expr/structure.hpp>
#include <fusion/expr/user_function.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
namespace detail {

/// Stands for a result or an expression that is dropped at compile time.
struct dropped {};

template <class Target, class E>
inline constexpr bool is_live =
    !std::is_same_v<std::remove_cvref_t<E>, dropped> && !std::is_same_v<std::remove_cvref_t<Target>, dropped>;

/// Throws std::invalid_argument unless all results that are no reductions have the same size.
void check_common_size(const result_slot* results, const bool* reduced, std::size_t count);
/// The kernels of a statement as text.
std::string kernel_source_of(const statement& s, const binder& bound);

}  // namespace detail

/// The right side of a statement with several results. Made by `expressions`.
template <class... Es>
struct expression_list {
  boost::hana::basic_tuple<Es...> list;
};

/// Expressions to be evaluated together, as far as possible in one kernel.
template <class... Es>
auto expressions(Es&&... es) {
  const auto as_node = []<class E>(E&& e) {
    if constexpr (std::is_same_v<std::remove_cvref_t<E>, detail::dropped>)
      return detail::dropped{};
    else
      return as_operation_cl(std::forward<E>(e));
  };
  using list = expression_list<std::decay_t<decltype(as_node(std::declval<Es>()))>...>;
  return list{boost::hana::make_basic_tuple(as_node(std::forward<Es>(es))...)};
}

/// Keeps `e` in its list if Keep, else drops it together with its result, at compile time.
template <bool Keep, operand E>
auto calc_if(E&& e) {
  if constexpr (Keep)
    return as_operation_cl(std::forward<E>(e));
  else
    return detail::dropped{};
}

/// The left side of a statement with several results. Made by `results`.
template <class... Targets>
class result_list {
 public:
  explicit result_list(Targets&... targets) : targets_{&targets...} {}

  /// Evaluates every expression into its result. All expressions that are no reductions have the same size,
  /// else std::invalid_argument; nothing is enqueued and no result changed then.
  template <class... Es>
  void operator=(const expression_list<Es...>& right) const {
    static_assert(sizeof...(Es) == sizeof...(Targets),
                  "results(...) = expressions(...): one expression per result");
    if constexpr (sizeof...(Es) == sizeof...(Targets) && sizeof...(Es) > 0)
      run(right, std::index_sequence_for<Es...>{}, evaluation::run);
  }
  /// Adds every expression to its result.
  template <class... Es>
  void operator+=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) { return target + e; });
  }
  template <class... Es>
  void operator-=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) { return target - e; });
  }
  /// Multiplies every result by its expression, element by element.
  template <class... Es>
  void operator*=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) { return elt_multiply(target, e); });
  }
  /// Divides every result by its expression, element by element.
  template <class... Es>
  void operator/=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) { return elt_divide(target, e); });
  }
  /// The OpenCL C text of the kernels, without evaluating.
  template <class... Es>
  auto get_kernel_source_for_evaluating(const expression_list<Es...>& right) const {
    return run(right, std::index_sequence_for<Es...>{}, detail::kernel_source_of);
  }
  /// Builds what the assignment of these expressions needs, without running.
  template <class... Es>
  void prepare(const expression_list<Es...>& right) const {
    static_assert(sizeof...(Es) == sizeof...(Targets), "prepare(results(...), expressions(...))");
    run(right, std::index_sequence_for<Es...>{}, evaluation::prepare);
  }

 private:
  template <class... Es, class Operation>
  void combine(const expression_list<Es...>& right, Operation operation) const {
    static_assert(sizeof...(Es) == sizeof...(Targets),
                  "results(...) op= expressions(...): one expression per result");
    const auto combined = [&]<class Target, class E>(const Target& target, const E& e) {
      if constexpr (detail::is_live<Target, E>)
        return operation(target, e);
      else
        return detail::dropped{};
    };
    using boost::hana::at_c;
    if constexpr (sizeof...(Es) == sizeof...(Targets)) [&]<std::size_t... Ks>(std::index_sequence<Ks...>) {
        *this = expressions(combined(*at_c<Ks>(targets_), at_c<Ks>(right.list))...);
      }
    (std::index_sequence_for<Es...>{});
  }

  /// Does `action` with the statement and its operands.
  template <class Result, class... Es, std::size_t... Ks>
  Result run(const expression_list<Es...>& right, std::index_sequence<Ks...>,
             Result (*action)(const detail::statement&, const binder&)) const {
    constexpr std::size_t live = (std::size_t{0} + ... + detail::is_live<Targets, Es>);
    if constexpr (live == 0) {
      return Result();
    } else {
      detail::result_slot slots[live];
      const void* nodes[live];
      bool reduced[live];
      std::size_t count = 0;
      binder bound;
      using boost::hana::at_c;
      (collect(*at_c<Ks>(targets_), at_c<Ks>(right.list), slots, nodes, reduced, count, bound), ...);
      detail::check_common_size(slots, reduced, live);
      const detail::statement s{&detail::type_of_statement<result_list, Es...>, nodes, live_lowering(right),
                                slots, live};
      return action(s, bound);
    }
  }

  template <class Target, class E>
  static void collect(Target& target, const E& e, detail::result_slot* slots, const void** nodes,
                      bool* reduced, std::size_t& count, binder& bound) {
    if constexpr (detail::is_live<Target, E>) {
      slots[count] = {&target, Target::leaf_type, detail::result_rows(e), detail::result_cols(e),
                      "an expression"};
      nodes[count] = &e;
      reduced[count] = detail::is_reduced<E>;
      ++count;
      e.gather(bound);
    }
  }

  using lower_function = ir::node_id (*)(const void*, lowering&);
  template <class... Es>
  static auto live_lowering(const expression_list<Es...>&) {
    return +[](const void* const* nodes, std::size_t k, lowering& low) {
      constexpr std::size_t live = (std::size_t{0} + ... + detail::is_live<Targets, Es>);
      lower_function table[live];
      std::size_t count = 0;
      (add_lowering<Targets, Es>(table, count), ...);
      return table[k](nodes[k], low);
    };
  }
  template <class Target, class E>
  static void add_lowering(lower_function* table, std::size_t& count) {
    if constexpr (detail::is_live<Target, E>) table[count++] = detail::lower_one<E>;
  }

  boost::hana::basic_tuple<Targets*...> targets_;
};

/// Results to be assigned together: matrices, or calc_if<false> in the place of one not wanted.
template <class... Targets>
auto results(Targets&&... targets) {
  return result_list<std::remove_reference_t<Targets>...>(targets...);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/results.ipp>
#endif
