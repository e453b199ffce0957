#pragma once
// Adding to the adjoints of several variables in one statement: adjoint_results(x, y) += expressions(a, b).

#include <fusion/autodiff/var.hpp>
#include <fusion/eval/results.hpp>

namespace fusecl {
namespace detail {

/// What adjoint_results does with a target: matrices on the tape are added to, numbers get the sum.
template <class Target>
inline constexpr bool is_number_variable = std::is_same_v<Target, var>;
template <class Target>
inline constexpr bool is_matrix_variable = false;
template <element T>
inline constexpr bool is_matrix_variable<var_value<matrix_cl<T>>> = true;

}  // namespace detail

/// The left side of a statement that adds to adjoints. Made by `adjoint_results`.
template <class... Targets>
class adjoint_result_list {
 public:
  explicit adjoint_result_list(const Targets&... targets) : targets_{&targets...} {}

  /// Adds every expression to the adjoint of its variable, to that of a number the sum of its elements. What
  /// is no variable is passed over with its expression, and so is calc_if<false>. Throws
  /// std::invalid_argument where the sizes of matrices differ, std::logic_error for a variable of another
  /// thread; adjoints are as before then. Waits where one of the variables is a number.
  template <class... Es>
  void operator+=(const expression_list<Es...>& right) const {
    static_assert(sizeof...(Es) == sizeof...(Targets),
                  "adjoint_results(...) += expressions(...): one expression per result");
    if constexpr (sizeof...(Es) == sizeof...(Targets)) add(right, std::index_sequence_for<Es...>{});
  }

 private:
  template <class... Es, std::size_t... Ks>
  void add(const expression_list<Es...>& right, std::index_sequence<Ks...>) const {
    using boost::hana::at_c;
    (check<Es>(*at_c<Ks>(targets_)), ...);
    [[maybe_unused]] auto totals = boost::hana::make_basic_tuple(total_for<Targets>()...);
    results(target(*at_c<Ks>(targets_), at_c<Ks>(totals))...) =
        expressions(added(*at_c<Ks>(targets_), at_c<Ks>(right.list))...);
    detail::number_reader reader;
    [[maybe_unused]] double values[sizeof...(Ks) + 1] = {};
    (request<Es>(*at_c<Ks>(targets_), at_c<Ks>(totals), reader, values[Ks]), ...);
    reader.complete();
    (finish<Es>(*at_c<Ks>(targets_), values[Ks]), ...);
  }

  template <class E, class Target>
  static void check(const Target& variable) {
    constexpr bool is_variable = detail::is_matrix_variable<Target> || detail::is_number_variable<Target>;
    if constexpr (is_variable && !std::is_same_v<E, detail::dropped>) detail::check_owner(variable.entry());
  }
  /// Where the sum for a number goes.
  template <class Target>
  static auto total_for() {
    if constexpr (detail::is_number_variable<Target>)
      return matrix_cl<double>();
    else
      return detail::dropped{};
  }
  template <class Target, class Total>
  static auto& target(const Target& variable, Total& total) {
    if constexpr (detail::is_matrix_variable<Target>)
      return variable.adj();
    else
      return total;
  }
  template <class Target, class E>
  static auto added(const Target& variable, const E& e) {
    constexpr bool wanted = !std::is_same_v<E, detail::dropped>;
    if constexpr (wanted && detail::is_matrix_variable<Target>)
      return std::as_const(variable.adj()) + e;
    else if constexpr (wanted && detail::is_number_variable<Target>)
      return sum_of(e);
    else
      return detail::dropped{};
  }
  template <node E>
  static auto sum_of(const E& e) {
    if constexpr (E::is_scalar)
      return e;
    else
      return sum(e);
  }
  template <class E, class Target, class Total>
  static void request(const Target&, const Total& total, detail::number_reader& reader, double& to) {
    if constexpr (detail::is_number_variable<Target> && !std::is_same_v<E, detail::dropped>)
      reader.request({total.storage(), 0, scalar_type::float64, &to});
  }
  template <class E, class Target>
  static void finish(const Target& variable, double value) {
    if constexpr (detail::is_number_variable<Target> && !std::is_same_v<E, detail::dropped>)
      variable.entry()->add(value);
  }

  boost::hana::basic_tuple<const Targets*...> targets_;
};

/// Variables whose adjoints are to be added to together; others may be among them.
template <class... Targets>
auto adjoint_results(const Targets&... targets) {
  return adjoint_result_list<Targets...>(targets...);
}

}  // namespace fusecl
