#pragma once
// FUSECL_VALIDATE=1: every evaluation is checked. The statement is lowered anew and its graph compared with
// the one its plan was made for, and every result is compared with what the host interpreter computes.

#include <string>

#include <fusion/base/environment.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/prepared.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl::detail {

/// Whether evaluations are checked, or would be if FUSECL_VALIDATE were not a word that the first one
/// refuses.
inline bool validates = read_switch("FUSECL_VALIDATE") > environment_switch::off;

/// Set while this thread evaluates what a check needs, which is not checked itself.
inline constinit thread_local bool is_validating = false;

/// The first node in which two graphs differ, or what else does; empty for equal graphs.
std::string graph_difference(const ir::graph& known, const ir::graph& anew);

/// What an evaluation should give, from its operands as they are before it runs.
class expected_results {
 public:
  /// Throws error where FUSECL_VALIDATE is neither on nor off, std::logic_error naming the first differing
  /// node where the plan was made for another graph. Waits for the operands. Runtime counters do not see it.
  expected_results(const statement& s, const binder& bound, const prepared_plan& prepared);

  /// Throws std::logic_error naming the first result and element that is not what it should be, and the first
  /// part of the statement that the device computes wrong alone. A result that the interpreter cannot compute
  /// (a user function or a leaf without host function, more than 2^27 values on the way) is not compared.
  void compare(const statement& s) const;

 private:
  long double units_lost() const;
  struct side {
    list_of<ir::host_matrix> values;
    list_of<list_of<long double>> errors;
  };
  static side interpreted(const ir::graph& g, const ir::host_bindings& operands);
  /// Evaluates the nodes of the statement one by one; says which is wrong.
  std::string first_wrong_part() const;

  const prepared_plan& prepared_;
  const binder& bound_;
  bool comparable_ = true;
  ir::host_bindings operands_;
  ir::graph after_;                  // the graph as the passes leave it
  side written_, passed_;            // of the graph as lowered, and as the passes leave it
  list_of<ir::host_matrix> before_;  // memory of the matrices of which parts are written
};

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/validate.ipp>
#endif
