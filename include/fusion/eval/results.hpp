#pragma once
// Several results in one statement: results(r1, r2, ...) = expressions(e1, e2, ...).

#include <string>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <fusion/eval/elements.hpp>
#include <fusion/eval/result_targets.hpp>
#include <fusion/expr/structure.hpp>
#include <fusion/expr/user_function.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
namespace detail {

/// The kernels of a statement as text without comments.
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

/// The left side of a statement with several results. Made by `results`.
template <class... Targets>
class result_list {
 public:
  explicit result_list(detail::target_argument<Targets>... targets)
      : targets_{detail::target_holder<Targets>(targets)...} {}

  /// Evaluates every expression into its result. All expressions that are no reductions have the same size,
  /// that of a part of a matrix among the results; what has no size of its own, as constant(x), takes it from
  /// them, also within a reduction (not from a part of what the statement reads, nor beside a check). No
  /// whole matrix or number is the target of two, nor a matrix and a part of it, else std::invalid_argument;
  /// nothing is enqueued and no result changed then. Operands are read as they were before the statement;
  /// parts are written in order. A result may be a number of the host, of which the expression is a scalar
  /// one: this waits once for all of them; or a scalar_cl, of which the expression has one element.
  template <class... Es>
  void operator=(const expression_list<Es...>& right) const {
    static_assert(sizeof...(Es) == sizeof...(Targets),
                  "results(...) = expressions(...): one expression per result");
    if constexpr (sizeof...(Es) == sizeof...(Targets) && sizeof...(Es) > 0) {
      if constexpr ((detail::is_check<Targets> || ...))
        detail::assign_checked(targets_, right.list, std::index_sequence_for<Es...>{});
      else if constexpr ((detail::is_part<Targets> || ...))
        assign_parts(right, right, std::index_sequence_for<Es...>{});
      else
        run(right, std::index_sequence_for<Es...>{}, evaluation::run);
    }
  }
  /// Adds every expression to its result. Conditions of checks stay what they are.
  template <class... Es>
  void operator+=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) {
      return detail::make_binary<op::add>("operator+=", target, e);
    });
  }
  template <class... Es>
  void operator-=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) {
      return detail::make_binary<op::subtract>("operator-=", target, e);
    });
  }
  /// Multiplies every result by its expression, element by element.
  template <class... Es>
  void operator*=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) {
      return detail::make_binary<op::multiply>("operator*=", target, e);
    });
  }
  /// Divides every result by its expression, element by element.
  template <class... Es>
  void operator/=(const expression_list<Es...>& right) const {
    combine(right, [](const auto& target, const auto& e) {
      return detail::make_binary<detail::division<decltype(target), decltype(e)>>("operator/=", target, e);
    });
  }
  /// The OpenCL C text of the kernels, without evaluating.
  template <class... Es>
  std::string get_kernel_source_for_evaluating(const expression_list<Es...>& right) const {
    if constexpr ((detail::is_check<Targets> || ...))
      return detail::kernel_source_checked(targets_, right.list, std::index_sequence_for<Es...>{});
    else
      return run(right, std::index_sequence_for<Es...>{}, detail::kernel_source_of);
  }
  /// Builds what the assignment of these expressions needs, without running.
  template <class... Es>
  void prepare(const expression_list<Es...>& right) const {
    static_assert(sizeof...(Es) == sizeof...(Targets), "prepare(results(...), expressions(...))");
    constexpr std::index_sequence_for<Es...> all;
    if constexpr ((detail::is_check<Targets> || ...))
      detail::prepare_checked(targets_, right.list, all);
    else if constexpr ((detail::is_part<Targets> || ...))
      prepare_parts(right, all);
    else
      run(right, all, evaluation::prepare);
  }

 private:
  template <class... Es, class Operation>
  void combine(const expression_list<Es...>& right, Operation operation) const {
    static_assert(sizeof...(Es) == sizeof...(Targets),
                  "results(...) op= expressions(...): one expression per result");
    const auto combined = [&]<class Target, class E>(const Target& target, const E& e) {
      if constexpr (detail::is_check<Target>)
        return e;
      else if constexpr (detail::is_live<Target, E>)
        return operation(target, e);
      else
        return detail::dropped{};
    };
    using boost::hana::at_c;
    if constexpr (sizeof...(Es) == sizeof...(Targets)) [&]<std::size_t... Ks>(std::index_sequence<Ks...>) {
        const auto list = expressions(combined(at_c<Ks>(targets_).get(), at_c<Ks>(right.list))...);
        if constexpr ((detail::is_part<Targets> || ...) && !(detail::is_check<Targets> || ...))
          assign_parts(list, right, std::index_sequence_for<Es...>{});
        else
          *this = list;
      }
    (std::index_sequence_for<Es...>{});
  }

  /// Does `action` with the statement and its operands.
  template <class Result, class... Es, std::size_t... Ks>
  Result run(const expression_list<Es...>& right, std::index_sequence<Ks...>,
             Result (*action)(const detail::statement&, const binder&)) const {
    constexpr std::size_t live = (std::size_t{0} + ... + detail::is_live<Targets, Es>);
    constexpr std::size_t numbers = (std::size_t{0} + ... + detail::is_number_result<Targets, Es>);
    if constexpr (live == 0) {
      return Result();
    } else {
      detail::result_slot slots[live];
      const void* nodes[live];
      bool reduced[live];
      std::size_t count = 0, number = 0;
      binder bound;
      detail::shared_numbers on_device;
      if constexpr (numbers > 0) on_device.take(numbers);
      using boost::hana::at_c;
      (collect(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), slots, nodes, reduced, count, bound, on_device,
               number),
       ...);
      detail::check_common_size(slots, reduced, live);
      detail::element_place parts[live];
      if constexpr ((detail::is_part<Targets> || ...)) {
        count = 0;
        (place_part(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), slots, parts, count), ...);
        detail::gather_places(bound, slots, live);
      }
      detail::check_distinct_targets(slots, live);
      if constexpr (numbers > 1) {
        const void* const places[] = {detail::number_of(at_c<Ks>(targets_), at_c<Ks>(right.list))...};
        const matrix_base* const no_matrices[sizeof...(Ks)] = {};
        const bool no_parts[sizeof...(Ks)] = {};
        detail::check_distinct_targets(places, no_matrices, no_parts, sizeof...(Ks));
      }
      bool writes = false;
      if constexpr (std::is_void_v<Result>) writes = action == evaluation::run;
      const detail::view_unless_written kept[] = {
          detail::view_unless_written(writes ? part_matrix(at_c<Ks>(targets_).get()) : nullptr)...};
      if (writes) (prepare_target(at_c<Ks>(targets_).get(), at_c<Ks>(right.list)), ...);
      const detail::statement s{&detail::type_of_statement<result_list, Es...>, nodes, live_lowering(right),
                                slots, live};
      if constexpr (numbers > 0 && std::is_void_v<Result>) {
        action(s, bound);
        if (!writes) return;
        unsigned char found[(numbers - 1) * ir::number_stride + sizeof(double)] = {};
        if (!detail::preparing) on_device.read(found);
        number = 0;
        (detail::take_number(at_c<Ks>(targets_), at_c<Ks>(right.list), found, number), ...);
      } else {
        return action(s, bound);
      }
    }
  }

  /// Parts of matrices that nothing else in the statement touches are written where they are, others from
  /// temporaries after the rest. `others` are the operands besides the results themselves.
  template <class... Es, class... Others, std::size_t... Ks>
  void assign_parts(const expression_list<Es...>& right, const expression_list<Others...>& others,
                    std::index_sequence<Ks...> all) const {
    using boost::hana::at_c;
    if (!parts_are_touched(right, others, all)) {
      run(right, all, evaluation::run);
      return;
    }
    auto stand_ins = boost::hana::make_basic_tuple(stand_in(at_c<Ks>(targets_).get())...);
    results_of(get_stand_in(at_c<Ks>(targets_).get(), at_c<Ks>(stand_ins))...) = right;
    (write(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), at_c<Ks>(stand_ins)), ...);
  }
  /// Builds what that needs.
  template <class... Es, std::size_t... Ks>
  void prepare_parts(const expression_list<Es...>& right, std::index_sequence<Ks...> all) const {
    using boost::hana::at_c;
    if (!parts_are_touched(right, right, all)) {
      run(right, all, evaluation::prepare);
      const detail::preparing_here here;
      (prepare_target(at_c<Ks>(targets_).get(), at_c<Ks>(right.list)), ...);
      return;
    }
    auto stand_ins = boost::hana::make_basic_tuple(stand_in(at_c<Ks>(targets_).get())...);
    results_of(get_stand_in(at_c<Ks>(targets_).get(), at_c<Ks>(stand_ins))...).prepare(right);
    (take_shape(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), at_c<Ks>(stand_ins)), ...);
    const detail::preparing_here here;
    (write(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), at_c<Ks>(stand_ins)), ...);
  }
  /// Checks the parts. Whether something else in the statement touches the matrix of one.
  template <class... Es, class... Others, std::size_t... Ks>
  bool parts_are_touched(const expression_list<Es...>& right, const expression_list<Others...>& others,
                         std::index_sequence<Ks...>) const {
    using boost::hana::at_c;
    binder bound;
    (check_part(at_c<Ks>(targets_).get(), at_c<Ks>(right.list), at_c<Ks>(others.list), bound), ...);
    bool shares = false;
    const matrix_base* matrices[] = {
        detail::written_matrix(at_c<Ks>(targets_).get(), at_c<Ks>(right.list))...};
    constexpr bool parts[] = {detail::is_part<Targets>...};
    const void* const no_numbers[sizeof...(Ks)] = {};
    detail::check_distinct_targets(no_numbers, matrices, parts, sizeof...(Ks));
    const std::int64_t rows[] = {detail::rows_of_result(at_c<Ks>(right.list))...},
                       cols[] = {detail::cols_of_result(at_c<Ks>(right.list))...};
    for (std::size_t k = 0; k < sizeof...(Ks); ++k) {
      if (!parts[k] || !matrices[k]) continue;
      shares = shares || detail::reads(bound, *matrices[k]);
      for (std::size_t other = 0; other < sizeof...(Ks); ++other)
        if (!parts[other] && matrices[other])
          detail::check_not_in_place_of(*matrices[other], other, rows[other], cols[other], *matrices[k], k);
      for (std::size_t other = 0; other < sizeof...(Ks); ++other)
        shares =
            shares || (other != k && matrices[other] && detail::share_memory(*matrices[other], *matrices[k]));
    }
    return shares;
  }
  template <class... Others>
  static result_list<Others...> results_of(Others&... others) {
    return result_list<Others...>(others...);
  }

  template <class Target, class E, class Other>
  static void check_part(const Target& target, const E& e, const Other& other, binder& bound) {
    if constexpr (detail::is_live<Target, E>) {
      other.gather(bound);
      if constexpr (detail::is_part<Target>)
        detail::check_part(target, detail::result_rows(e), detail::result_cols(e));
    }
  }
  /// The matrix of which the target is a part, or null.
  template <class Target>
  static matrix_base* part_matrix(const Target& target) {
    if constexpr (detail::is_part<Target>)
      return target.writable_elements().matrix;
    else
      return nullptr;
  }
  template <class Target, class E>
  static void prepare_target(const Target& target, const E& e) {
    if constexpr (detail::is_part<Target> && detail::is_live<Target, E>) detail::prepare_part(target, e);
  }
  /// The matrix that is evaluated into in the place of a part.
  template <class Target>
  static auto stand_in(const Target&) {
    if constexpr (detail::is_part<Target>)
      return matrix_cl<typename Target::value_type>();
    else
      return detail::dropped{};
  }
  template <class Target, class StandIn>
  static auto& get_stand_in(Target& target, StandIn& other) {
    if constexpr (detail::is_part<std::remove_const_t<Target>>)
      return other;
    else
      return target;
  }
  /// Size and view that the stand-in has when it is evaluated.
  template <class Target, class E, class StandIn>
  static void take_shape(const Target& target, const E& e, StandIn& value) {
    if constexpr (detail::is_part<Target> && detail::is_live<Target, E>) {
      value = StandIn(target.rows(), target.cols());
      value.view(result_view(e));
    }
  }
  template <class Target, class E, class StandIn>
  static void write(const Target& target, const E&, const StandIn& value) {
    if constexpr (detail::is_part<Target> && detail::is_live<Target, E>)
      assign_elements(target, value.leaf());
  }
  template <class Target, class E>
  static void place_part(const Target& target, const E&, detail::result_slot* slots,
                         detail::element_place* parts, std::size_t& count) {
    if constexpr (detail::is_live<Target, E>) {
      if constexpr (detail::is_part<Target>) {
        parts[count] = target.writable_elements().place;
        slots[count].part = &parts[count];
        slots[count].target = target.writable_elements().matrix;
      }
      ++count;
    }
  }

  template <class Target, class E>
  static void collect(Target& target, const E& e, detail::result_slot* slots, const void** nodes,
                      bool* reduced, std::size_t& count, binder& bound, detail::shared_numbers& numbers,
                      std::size_t& number) {
    if constexpr (detail::is_number_result<Target, E>) {
      detail::check_number_result<E>();
      if constexpr (!E::is_scalar) detail::check_single_element(e.rows(), e.cols());
      slots[count] = numbers.slot(number++, scalar_type_v<number_type<Target>>, "a number");
      nodes[count] = &e;
      reduced[count++] = true;
      e.gather(bound);
    } else if constexpr (detail::is_live<Target, E>) {
      slots[count] = {const_cast<matrix_base*>(detail::written_matrix(target, e)), Target::leaf_type,
                      detail::result_rows(e), detail::result_cols(e), "an expression"};
      if constexpr (detail::is_part<std::remove_const_t<Target>>) {
        slots[count].free = slots[count].rows < 0 || slots[count].cols < 0;
        if (slots[count].rows < 0) slots[count].rows = target.rows();
        if (slots[count].cols < 0) slots[count].cols = target.cols();
      }
      if constexpr (detail::is_device_number<Target>)
        detail::check_repeated("results = expressions: a scalar_cl", slots[count].rows, slots[count].cols, 1,
                               1);
      nodes[count] = &e;
      reduced[count] = detail::is_reduced<E> || detail::is_device_number<Target>;
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

  boost::hana::basic_tuple<detail::target_holder<Targets>...> targets_;
};

/// Results to be assigned together: matrices, or calc_if<false> in the place of one not wanted.
template <class... Targets>
[[nodiscard]] auto results(Targets&&... targets) {
  constexpr bool open = !(detail::is_finished_check<std::remove_cvref_t<Targets>> || ...),
                 on_device = !(host_matrix<Targets> || ...);
  static_assert(open,
                "results(...): a check takes its condition from expressions(...), results(check_cl(function, "
                "name, value, must_be)) = expressions(condition); one that has its condition belongs into "
                "checked(e, ...)");
  static_assert(on_device,
                "results(...) writes matrices of the device: a matrix of Eigen takes one expression, m = e, "
                "or from_matrix_cl(result)");
  static_assert(
      !on_device || (detail::is_result<Targets> && ...),
      "results(...) takes matrices that are not const, parts of them, or calc_if<false>(...); what is "
      "computed belongs into expressions(...)");
  if constexpr (open && on_device && (detail::is_result<Targets> && ...))
    return result_list<
        std::conditional_t<detail::is_part<std::remove_cvref_t<Targets>>, std::remove_cvref_t<Targets>,
                           detail::written_target_t<Targets>>...>(detail::written_target(targets)...);
  else
    return detail::refused();
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/results.ipp>
#endif
