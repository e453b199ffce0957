#pragma once
// What may stand among results(...): matrices, parts of them, numbers of the host, checks, and what is
// dropped.

#include <cstring>
#include <string>
#include <utility>

#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/expr/assignable.hpp>

namespace fusecl::detail {

/// Stands for a result or an expression that is dropped at compile time.
struct dropped {};

template <class Target, class E>
inline constexpr bool is_live =
    !std::is_same_v<std::remove_cvref_t<E>, dropped> && !std::is_same_v<std::remove_cvref_t<Target>, dropped>;

/// What a list of results keeps of one: a reference to a matrix, or a copy of what says which part of one.
template <class Target>
struct target_holder {
  explicit target_holder(Target& t) : target(&t) {}
  Target& get() const { return *target; }
  Target* target;
};
template <element T, class Node>
struct target_holder<assignable<T, Node>> {
  explicit target_holder(const assignable<T, Node>& t) : target(t) {}
  const assignable<T, Node>& get() const { return target; }
  assignable<T, Node> target;
};
template <class Target>
inline constexpr bool is_part = false;
template <element T, class Node>
inline constexpr bool is_part<assignable<T, Node>> = true;

/// Whether a result is the memory of a number on the device (eval/scalar_cl.hpp).
template <class Target>
inline constexpr bool is_device_number = false;
/// What a result writes to: the memory of such a number, else the result itself.
template <class Target>
auto& written_target(Target& target) {
  if constexpr (requires { target.as_result(); })
    return target.as_result();
  else
    return target;
}
template <class Target>
using written_target_t = std::remove_reference_t<decltype(written_target(std::declval<Target&>()))>;

/// Whether a result is a number of the host: it is read when the statement has run.
template <class Target, class E>
inline constexpr bool is_number_result = is_live<Target, E>&& std::is_arithmetic_v<Target>;
/// Does not compile unless `E` can be assigned to such a number.
template <class E>
constexpr void check_number_result() {
  static_assert(E::is_scalar || may_be_number<E>,
                "results(...): what is assigned to a number is a scalar expression, as sum(e)");
  static_assert(!node_on_tape<E>,
                "a number would lose the derivative of this expression: keep it as a variable, var y = e, or "
                "take its value alone, value_of(e)");
}
/// The host number that is a result; null of other ones.
template <class Target, class E>
const void* number_of(const target_holder<Target>& target, const E&) {
  if constexpr (is_number_result<Target, E>)
    return &target.get();
  else
    return nullptr;
}
/// Gives a number what lies at place `next` of those of its statement, and counts it; 1 while statements are
/// only prepared.
template <class Target, class E>
void take_number(const target_holder<Target>& target, const E&, const unsigned char* bytes,
                 std::size_t& next) {
  if constexpr (is_number_result<Target, E>) {
    number_type<Target> value(1);
    if (!preparing) std::memcpy(&value, bytes + next++ * ir::number_stride, sizeof value);
    target.get() = static_cast<Target>(value);
  }
}

/// The matrix that a result is, or is a part of; null of other ones.
template <class Target, class E>
const matrix_base* written_matrix(const Target& target, const E&) {
  if constexpr (!is_live<Target, E>)
    return nullptr;
  else if constexpr (is_part<Target>)
    return target.writable_elements().matrix;
  else if constexpr (std::is_base_of_v<matrix_base, Target>)
    return &target;
  else
    return nullptr;
}

/// Whether a result is a check (eval/check_cl.hpp), and the evaluation of a statement with checks.
template <class Target>
inline constexpr bool is_check = false;
template <class Targets, class Es, std::size_t... Ks>
void assign_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...>);
/// Builds what that needs.
template <class Targets, class Es, std::size_t... Ks>
void prepare_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...>);
template <class Targets, class Es, std::size_t... Ks>
std::string kernel_source_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...>);

/// Throws std::invalid_argument unless all results that are no reductions have the same size; notes which
/// these are, and gives the size to those that have none of their own.
void check_common_size(result_slot* results, const bool* reduced, std::size_t count);
/// Throws std::invalid_argument where two results are the same whole matrix, or one is a part of another. Of
/// matrices over one buffer, evaluation tells.
void check_distinct_targets(const result_slot* results, std::size_t count);
/// The same of matrices, of which some are written in `parts`, and of host numbers; null stands for what has
/// no equal.
void check_distinct_targets(const void* const* numbers, const matrix_base* const* matrices, const bool* parts,
                            std::size_t count);
/// Throws std::invalid_argument where result `first`, a whole matrix, stays in memory of which another one
/// has some, of which a part is result `second`.
void check_not_in_place_of(const matrix_base& whole, std::size_t first, std::int64_t rows, std::int64_t cols,
                           const matrix_base& of_part, std::size_t second);
/// Throws std::invalid_argument where two results, of which one is a whole matrix, are of matrices over one
/// buffer and keep their sizes. Null: a result that is none.
void check_not_in_one_buffer(const matrix_base* const* matrices, const bool* parts, const std::int64_t* rows,
                             const std::int64_t* cols, std::size_t count);
/// Size of what a result takes, whatever that is where it is dropped.
template <class E>
std::int64_t rows_of_result(const E& e) {
  if constexpr (node<E>)
    return result_rows(e);
  else
    return 0;
}
template <class E>
std::int64_t cols_of_result(const E& e) {
  if constexpr (node<E>)
    return result_cols(e);
  else
    return 0;
}

/// How a result is handed to its list: what says which part of a matrix it is may be const.
template <class Target>
using target_argument = std::conditional_t<is_part<Target>, const Target&, Target&>;

/// What can be the result of a statement.
template <class Target>
inline constexpr bool is_result = is_part<std::remove_cvref_t<Target>> ||
                                  (!std::is_const_v<std::remove_reference_t<Target>> && !node<Target>) ||
                                  std::is_same_v<std::remove_cvref_t<Target>, dropped>;
/// A check that has its condition already is no result.
template <class Target>
inline constexpr bool is_finished_check = false;

}  // namespace fusecl::detail

namespace fusecl {

/// Keeps `e` in its list, of expressions or of results, if Keep, else drops it together with its result or
/// expression, at compile time.
template <bool Keep, operand E>
decltype(auto) calc_if(E&& e) {
  if constexpr (!Keep)
    return detail::dropped{};
  else if constexpr (detail::is_part<std::remove_cvref_t<E>>)
    return std::remove_cvref_t<E>(std::forward<E>(e));
  else if constexpr (std::is_lvalue_reference_v<E> && detail::is_result<E>)
    return std::forward<E>(e);
  else
    return as_operation_cl(std::forward<E>(e));
}

}  // namespace fusecl
