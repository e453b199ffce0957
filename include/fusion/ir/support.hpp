#pragma once
// What the operations of one class bring to the rooms above: the passes, plans and kinds of steps that only
// graphs with such operations need, and the texts of their values. A graph collects what its nodes bring, so
// that a program has the code of what it uses and no more (docs/decisions/0018). Nothing here says what these
// are: the rooms that they are of do.

#include <cstdint>
#include <string>

#include <fusion/base/list_of.hpp>

namespace fusecl {
namespace passes {
struct pass;
}
namespace schedule {
struct plan;
enum class row_tiles : unsigned char;
}  // namespace schedule
namespace kinds {
struct step_kind;
}
namespace codegen {
class value_emitter;
class writer;
struct value_text;
}  // namespace codegen

namespace detail {
struct carried;
}

namespace ir {

class graph;
struct node;
struct root_place;
struct host_bindings;
struct host_matrix;

struct support {
  /// Null-terminated; each says itself where in the order of all of them it comes.
  const passes::pass* const* passes = nullptr;
  const kinds::step_kind* const* kinds = nullptr;
  /// Accumulates reductions beside others (passes/pass.hpp).
  graph (*together)(const graph& g) = nullptr;
  /// For plans of a GPU, joins nodes to ones that kernels compute at once; a graph without nodes where there
  /// are none.
  graph (*joined)(const graph& g) = nullptr;
  /// Whether kernels of opaque operations also reduce what follows from their results.
  bool reduces_results = false;
  /// Cuts the graph of a plan into steps (schedule/plan.hpp).
  void (*cut)(schedule::plan& p, schedule::row_tiles tiles) = nullptr;
  /// Text of a value of the class, where it is not that of an element-wise operation.
  codegen::value_text (*text)(codegen::value_emitter& values, codegen::writer& out,
                              std::int32_t id) = nullptr;
  /// Writes the text of a value to a place in a larger matrix.
  void (*store)(codegen::value_emitter& values, codegen::writer& out, const root_place& place,
                const std::string& name, std::int32_t id, const std::string& text) = nullptr;
  /// Where an access reads, for a reader.
  std::string (*places)(const node& n) = nullptr;
  /// How an opaque operation reads operand `k`, for a reader, as "transpose_each"; null for as it is.
  const char* (*reads_as)(const node& n, int k) = nullptr;
  /// Values of a node on the host, from those of all before it (ir/interpret.hpp), and their errors
  /// (ops/error_bounds.hpp).
  host_matrix (*interpret)(const graph& g, const host_bindings& bindings, const node& n,
                           const list_of<host_matrix>& values) = nullptr;
  list_of<long double> (*errors)(const detail::carried& before, std::int32_t id) = nullptr;
};

/// By class; kinds/supports.ipp has them. Element-wise operations bring nothing.
struct supports {
  static const support reductions, scans, accesses, indices, products, factorizations, batched_products,
      batched_factors, user_leaves;
};

}  // namespace ir
}  // namespace fusecl
