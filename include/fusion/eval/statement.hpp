#pragma once
// What a statement is: the expressions it evaluates, what it is given besides, what it derives from both, and
// where its results go. Its type and the key, which holds every fact that its graph depends on, decide which
// plan it has.

#include <atomic>

#include <fusion/base/list_of.hpp>
#include <fusion/expr/assignable.hpp>
#include <fusion/expr/expression.hpp>
#include <fusion/passes/variable.hpp>

namespace fusecl {
class matrix_base;

namespace detail {

/// One per type of statement: indexes the caches of plans.
struct statement_type {
  std::atomic<int> number{-1};
};

/// `Tags` tells statements with the same expressions and different targets apart.
template <class... Tags>
inline statement_type type_of_statement;

/// A number that a statement has computed on the host, if it has.
struct number_on_host {
  scalar_type type = scalar_type::float64;
  bool is_known = false;
  long double value = 0;  ///< as an element of its type
};

/// One result of a statement.
struct result_slot {
  matrix_base* target;
  scalar_type type;   ///< element type of the target
  std::int64_t rows;  ///< of the expression
  std::int64_t cols;
  const char* name;                     ///< in messages
  const element_place* part = nullptr;  ///< where in the target it goes; null where it becomes the target
  const ir::support* brings = nullptr;  ///< of a part
  bool common = false;       ///< has the size of all others of which this holds, whatever their values are
  bool free = false;         ///< of a part: the expression has no size of its own and takes that of the part
  std::int32_t number = -1;  ///< which one of several that share the target (`shared_numbers`)
  bool awaited = false;      ///< the host reads the target next, and all that share it
  number_on_host* on_host = nullptr;  ///< of a number that need not go to the target: where it may go instead

  /// Whether the target has memory for it already: a part of a matrix, or one of several numbers.
  bool has_place() const { return part || number >= 0; }
};

/// Beside the coefficients of a part in its word: its sizes follow, for an expression that has none.
inline constexpr std::uint32_t free_part = 1u << 8;

/// What a root of a lowered statement stands for.
enum class root_name : std::uint8_t {
  value,      ///< of an expression
  seed,       ///< adjoint of the value
  adjoint,    ///< what was added so far to the adjoint of a variable
  direction,  ///< along which a variable moves
  kept        ///< the value again, which an earlier statement has left in memory
};

/// A matrix that a statement is given besides the operands of its expressions.
struct given_root {
  root_name name;
  std::uint32_t of;  ///< number of the variable that an adjoint or a direction belongs to
};

struct derivation;

/// A way to derive a statement from the values of expressions. `number` tells the rules apart in keys.
struct derivation_rule {
  std::uint32_t number;
  /// From a graph whose roots are the values and then `given` to one with a root per result.
  ir::graph (*apply)(ir::graph g, const derivation& d);
};

/// What a statement derives from the values of its expressions.
struct derivation {
  const derivation_rule* rule = nullptr;
  std::size_t values = 1;                    ///< number of expressions
  list_of<passes::variable> variables = {};  ///< every use; their numbers count each once
  list_of<given_root> given = {};

  /// The root of this name in the lowered graph, or no_node where it is not given.
  ir::node_id root(const ir::graph& g, root_name name, std::size_t of = 0) const {
    for (std::size_t k = 0; k < given.size(); ++k)
      if (given[k].name == name && given[k].of == of) return g.roots[values + k];
    return ir::no_node;
  }
};

/// A statement as the compiled part sees it.
struct statement {
  statement_type* type;
  const void* const* expressions;
  ir::node_id (*lower)(const void* const* expressions, std::size_t k, lowering& low);
  result_slot* results;
  std::size_t result_count;
  /// Null where the values of the expressions are the results.
  const derivation* derived = nullptr;
};

/// A statement that is derived from one with a single expression, in the making.
class derived_statement : public derivation {
 public:
  /// `bound`: the operands of the expression.
  derived_statement(const statement& original, binder& bound, const derivation_rule& by)
      : derivation{&by}, whole_(original), bound_(bound) {}
  derived_statement(const derived_statement&) = delete;

  void differentiate_by(const passes::variable& v) { variables.push_back(v); }
  void give(root_name name, std::size_t of, const matrix_operand& m) {
    bound_.matrix(m);
    given.push_back({name, static_cast<std::uint32_t>(of)});
  }
  void add_result(const result_slot& r) { results_.push_back(r); }

  /// Writes what was given into the key. Nothing may be added afterwards.
  const statement& complete();

 private:
  statement whole_;
  binder& bound_;
  list_of<result_slot> results_;
};

template <class E>
ir::node_id lower_one(const void* e, lowering& low) {
  return static_cast<const E*>(e)->lower(low);
}

template <class... Es>
ir::node_id lower_nth(const void* const* expressions, std::size_t k, lowering& low) {
  if constexpr (sizeof...(Es) == 1) {
    return (static_cast<const Es*>(expressions[k])->lower(low), ...);
  } else {
    using lower_function = ir::node_id (*)(const void*, lowering&);
    static constexpr lower_function table[] = {lower_one<Es>...};
    return table[k](expressions[k], low);
  }
}

/// The graph of a statement, with its results converted to the targets' types. `folds` false leaves host
/// numbers with special values arguments.
ir::graph lower_statement(const statement& s, const binder& bound, bool folds = true);

/// Throws std::invalid_argument unless every result has a size.
void check_results(const statement& s);

/// Throws std::invalid_argument where operands, which may have other sizes than when the statement's
/// expressions were built, do not fit its graph any more; std::length_error where an index does not fit its
/// type.
void check_operand_sizes(const ir::graph& g, const binder& bound);

}  // namespace detail
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/statement.ipp>
#endif
