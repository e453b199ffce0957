#pragma once
// What the compiler knows about one operation: a record, written once in ops/ and read by every room.
// Text conventions: "$0 $1 $2 ..." are the operands; "$T" the element type of the operands, as wide as the
// kernel computes ("double", "float16"); "$I" and "$U" the signed and unsigned integer types of the same
// shape ("long", "uint16");
// "$S" the suffix of a device function's name for that type ("_double", "_float16").

#include <cstdint>
#include <string_view>

#include <fusion/base/scalar_type.hpp>
#include <fusion/base/view.hpp>
#include <fusion/ir/support.hpp>

namespace fusecl::ir {

class graph;
struct node;
using node_id = std::int32_t;
inline constexpr node_id no_node = -1;

/// What a node of the graph is, for the passes and schedules.
enum class op_class : std::uint8_t {
  leaf,         ///< matrix, scalar argument, constant or index: no operands
  elementwise,  ///< one result element from the operands' elements at the same place
  cast,         ///< elementwise change of type
  broadcast,    ///< one element, row or column repeated
  access,       ///< elements from other places of one operand: a map or further operands say from where
  reduction,    ///< many elements become one: per row, per column or in full
  scan,         ///< every element becomes the reduction of those up to it in its row or column
  opaque        ///< a kernel of its own computes it from operands in memory, such as a product of matrices
};

/// Whether results are complete only after a walk over all operands.
constexpr bool is_collective(op_class kind) { return kind >= op_class::reduction; }

/// How the type of the result, and the type the operands are converted to, follow from the operands' types.
enum class type_rule : std::uint8_t {
  arithmetic,  ///< both are the C++ promotion of all operands
  floating,    ///< both are the operands' promotion made floating (integers become double)
  comparison,  ///< operands are promoted, the result is bool
  logical,     ///< operands become bool, the result is bool
  classify,    ///< operands become floating, the result is bool
  selection,   ///< operand 0 becomes bool, the others are promoted (bool stays bool); result is their type
  scaled       ///< operand 0 becomes floating and gives the result type, operand 1 becomes int (ldexp)
};

/// What says from where an access has its elements.
enum class place_rule : std::uint8_t {
  map,       ///< the access map of the node
  indices,   ///< operands 1 and 2, the row and the column in operand 0
  segments,  ///< operand 1 lists elements of operand 0, operand 2 where the list ends for each element: sums
  runs,      ///< the same of a list that is in order, without operand 1
  targets    ///< operands 1 and 2 are row and column in the result, to which each element is added
};

/// When the result is a structural zero, given which operands are.
enum class zero_rule : std::uint8_t {
  never,
  all,        ///< f(0) = 0, f(0, 0) = 0, ...
  any,        ///< one zero operand is enough (products)
  numerator,  ///< operand 0 is zero and operand 1 is not (quotients)
  branches    ///< operands 1 and 2 are zero (select)
};

/// An OpenCL C function that the text of an operation calls. Decimal literals in `text` are written without
/// suffix and become float literals where $T is a float type. The text must be valid for scalars and for
/// vectors: choose with `mask ? a : b` on whole values; `if (any(mask))` leaves out what no element needs.
struct device_function {
  std::string_view name;                         ///< without the type suffix
  std::string_view text;                         ///< for double, and for float unless text_float is set
  std::string_view text_float = {};              ///< float has its own coefficients
  const device_function* const* uses = nullptr;  ///< null-terminated list of functions it calls
  /// Number of parameters of a function whose text holds for scalars only: for vectors it is called lane by
  /// lane. Zero for texts that hold for both.
  int scalar_parameters = 0;
  std::string_view text_integer = {};  ///< integers have a text of their own
  /// For double where texts may have PTX: holds for scalars only.
  std::string_view text_ptx = {};
  const device_function* const* uses_ptx = nullptr;  ///< what that calls
  bool is_floating = false;                          ///< integers take the function for double
};

/// What computes doubles of an operation of two operands of which the second is the same for all elements.
struct same_operand_rule {
  const device_function* prepare;  ///< makes a double2 of that operand, once
  const device_function* apply;    ///< of the first operand and what was prepared
};

struct operation;

/// How a reduction is accumulated that needs others over the same elements beside it. Its texts are in terms
/// of $0, its own value, and $1 $2 $3, those of the others as they were before.
struct running_rule {
  static constexpr int most = 3;
  const operation& (*beside[most])();
  std::string_view add;    ///< the value with a further element $4
  std::string_view merge;  ///< the value with that of other elements: $4, and $5 $6 $7 of those beside it
  // Where the first element has decided what the others are taken from (empty: as above):
  std::string_view next = {};  ///< the value with a further element $4; $0 for what the first one decides
  std::string_view join = {};  ///< the value with that of other elements, for which the same one has decided
};

/// Interval from which tests and the fuzzer draw an operand.
struct sample_interval {
  double low;
  double high;
};

/// What the lists of a sum at places name: elements, or rows or columns whose elements are summed one by one.
enum class listed_lines : std::uint8_t { elements, rows, cols };

/// Operands of which a record has fields of its own; operations of more are made by users.
inline constexpr int described_operands = 3;

/// The record of one operation.
struct operation {
  std::string_view name;  ///< as the user writes it
  op_class kind;
  std::uint8_t arity;
  type_rule types;
  std::string_view opencl;  ///< text of the result, in terms of $0 $1 $2 ...
  std::uint8_t precedence;  ///< of the text as a C expression: 16 primary/call, 14 unary, 13 * / %, 12 + -,
                            ///< 10 < >, 9 == !=, 5 &&, 4 ||, 3 ?:
  const device_function* const* uses = nullptr;  ///< null-terminated
  /// Those by which several work-items of a group compute one element together; null where none do.
  const device_function* const* shared_uses = nullptr;
  /// Reference on the host in extended precision; operands are exact values of the operand type.
  long double (*host)(const long double* operands) = nullptr;
  /// Reference for integer results (wrap-around is the caller's); null where results are always floating.
  std::int64_t (*host_integer)(const std::int64_t* operands) = nullptr;
  zero_rule at_zero = zero_rule::never;
  sample_interval domain[described_operands] = {{-10, 10}, {-10, 10}, {-10, 10}};
  float ulp = 4;  ///< accuracy in units in the last place of the result, over the domain
  std::string_view accuracy_note = {};  ///< where the accuracy does not hold, for the documentation
  float cost = 1;                       ///< flops
  bool commutative = false;
  /// Partial derivative with respect to each operand as a formula (ops/formula.hpp) of operands $0 $1 $2 and
  /// result $y; "0" where it is zero wherever it exists, empty where none is known.
  std::string_view partials[described_operands] = {};
  /// Builds the partial derivative with respect to operand `k`: the formulas, where there are any, say for
  /// readers what it is.
  node_id (*partial)(graph& g, const node_id* operands, node_id result, int k) = nullptr;
  /// What the adjoint of operand `k` gets from `adjoint`, that of the node `self`, or no_node for nothing;
  /// a single element may stand for a whole matrix of equal ones. For operations whose derivative is no
  /// element-wise factor.
  node_id (*pullback)(graph& g, node_id self, node_id adjoint, int k) = nullptr;
  /// Set for reductions that are accumulated beside others (ops/running.hpp).
  const running_rule* running = nullptr;
  /// The tangent of the node `self` given those of its operands, where no_node stands for zero.
  node_id (*pushforward)(graph& g, node_id self, const node_id* tangents) = nullptr;

  /// Of an opaque operation, where what it computes is zero; null for nowhere.
  matrix_cl_view (*view)(const graph& g, const node& n) = nullptr;

  /// Of an access.
  place_rule places = place_rule::map;
  /// Whether the value is written to memory before what uses it begins.
  bool is_stored = false;
  /// Whether the host interpreter can compute it, if it is no element-wise operation.
  bool has_reference = true;
  /// Whether only differentiation reads it: the value is that of operand 0, which takes its place then.
  bool is_mark = false;

  /// Of one operand, the function that computes doubles instead of `opencl` in sums, where texts may have
  /// PTX.
  const device_function* by_ptx = nullptr;
  /// Of two operands, the same where the second one is the same for all elements.
  const same_operand_rule* by_same = nullptr;

  /// What graphs with the operation need besides what element-wise ones do; null for nothing.
  const support* brings = nullptr;

  /// The formula of a partial derivative, empty where there is none.
  std::string_view partial_formula(int k) const {
    return k < described_operands ? partials[k] : std::string_view();
  }
};

}  // namespace fusecl::ir
