#pragma once
// What a walk over a typed expression collects: the operands of the kernel and a key that sees how operands
// and shared sub-expressions repeat. The key and the expression's type together determine the graph.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fusion/base/list_of.hpp>
#include <fusion/base/scalar_type.hpp>
#include <fusion/base/small_buffer.hpp>
#include <fusion/base/view.hpp>

namespace fusecl {

/// A matrix on the device as a kernel argument.
struct matrix_operand {
  void* storage = nullptr;  ///< identity of the device memory; null when not yet known
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  scalar_type type = scalar_type::float64;
  matrix_cl_view view = matrix_cl_view::Entire;
  bool padded = true;             ///< whole vectors may be read past the end
  void* variable = nullptr;       ///< entry of the tape that this is the value of; null for data
  std::int32_t first_extent = 0;  ///< symbol of its rows; that of its cols follows
  bool dense = true;  ///< its columns follow each other: the leading dimension is the number of rows
  /// Of memory that variables of tapes share with the matrix they were made from: which of them this is, null
  /// for the matrix.
  const void* owner = nullptr;
  std::int32_t uses_in_whole = 0;  ///< of a variable: how many uses are of more than a block of it

  friend bool same_memory(const matrix_operand& a, const matrix_operand& b) {
    return a.storage == b.storage && a.rows == b.rows && a.cols == b.cols && a.view == b.view &&
           a.type == b.type && a.variable == b.variable && a.dense == b.dense && a.owner == b.owner;
  }
};

/// A matrix's word in the key: everything about it that a graph may depend on, and from `operand_slot_bit` on
/// its slot.
inline constexpr unsigned operand_slot_bit = 9;
constexpr std::uint32_t operand_word(const matrix_operand& m, std::size_t slot) {
  return (m.padded ? 1u : 0u) | static_cast<std::uint32_t>(m.view) << 1 |
         static_cast<std::uint32_t>(m.type) << 3 | (m.rows == 1 ? 1u << 6 : 0u) |
         (m.cols == 1 ? 1u << 7 : 0u) | (m.dense ? 1u << 8 : 0u) |
         static_cast<std::uint32_t>(slot << operand_slot_bit);
}

/// A scalar as a kernel argument: its bytes, in the type the kernel takes.
struct scalar_operand {
  scalar_type type;
  std::uint64_t bits;
  void* identity = nullptr;  ///< of a variable: equal ones are one argument
  bool on_tape = false;      ///< the identity is an entry of the tape
  bool folded = false;       ///< its value is in the key: the graph may hold it as a constant
  std::uint32_t word = 0;    ///< place in the key of a host number
  std::uint64_t origin = 0;  ///< of a host number: one with an equal one is a copy of it
};

/// The value of a scalar operand.
template <class Number = double>
Number number_in(const scalar_operand& s) {
  return visit_type(s.type, [&]<class T>(T value) {
    std::memcpy(&value, &s.bits, sizeof value);
    return static_cast<Number>(value);
  });
}

/// Scalars with these values become constants of the graph, so that passes can use them.
inline constexpr double special_scalars[] = {0, 1, -1, 2, 0.5};

/// What a scalar is to its statement.
enum class scalar_use : std::uint8_t {
  folded,     ///< a host number with a special value: its number says which
  argument,   ///< a host number like any other
  parameter,  ///< a variable that is on no tape; its number is that of the argument
  on_tape,    ///< a variable of a tape
  repeated    ///< a copy of a host number that was met before; likewise
};

/// A scalar's word in the key.
struct scalar_word {
  scalar_use use;
  scalar_type type;
  std::uint32_t number;

  constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(use) | static_cast<std::uint32_t>(type) << 3 | number << 6;
  }
  static constexpr scalar_word of(std::uint32_t word) {
    return {static_cast<scalar_use>(word & 7), static_cast<scalar_type>(word >> 3 & 7), word >> 6};
  }
};

/// What derivatives are taken by: matrices by their memory and parameters by their identity, or the variables
/// of a tape.
struct derivative_scope {
  const void* const* variables = nullptr;
  std::size_t count = 0;
  bool on_tape = false;

  bool empty() const { return count == 0 && !on_tape; }
  bool has(const void* identity) const {
    for (std::size_t k = 0; k < count; ++k)
      if (variables[k] == identity) return true;
    return false;
  }
  bool has(const matrix_operand& m) const { return (on_tape && m.variable != nullptr) || has(m.storage); }
  bool has(const scalar_operand& s) const {
    return (on_tape && s.on_tape) || (s.identity != nullptr && has(s.identity));
  }
};

/// A block of a variable of a tape that a statement reads.
struct part_of_variable {
  std::int32_t slot;
  std::int32_t
      extents;  ///< symbol of its first row; those of its first column, its rows and its columns follow
};

/// What is asked before a statement runs; throws where the answer is no.
struct operand_check {
  void (*run)(const void* what, std::int64_t rows, std::int64_t cols);
  const void* what;
  std::int32_t sizes =
      -1;  ///< first of the two symbols of its rows and columns, where only the graph knows them
};

/// What was made for the contents of operands, of use to a statement on the tape as long as these are what
/// they were. A user who has the buffer of one may write to it unseen.
struct contents_witness {
  virtual ~contents_witness() = default;
  /// Notes the contents as they are.
  virtual void note() const = 0;
  /// Throws std::logic_error where they have changed since.
  virtual void check() const = 0;
};

/// What a walk has collected, kept for later in one piece.
class binder_record;

class binder {
 public:
  /// Collects for a statement or, if `for_formula`, for a formula whose operands have no values.
  [[gnu::noinline]] explicit binder(bool for_formula = false) : is_formula_(for_formula) {}
  /// The same operands for another statement, which `word` tells apart.
  binder(const binder& other, std::uint32_t word) : is_formula_(other.is_formula_) {
    words_.assign(other.words_);
    matrices_.assign(other.matrices_);
    scalars_.assign(other.scalars_);
    lowest_origin_ = other.lowest_origin_;
    highest_origin_ = other.highest_origin_;
    extents_.assign(other.extents_);
    choice(word);
  }
  /// What was recorded, as it was then.
  explicit binder(const binder_record& recorded);
  bool is_formula() const { return is_formula_; }

  /// One use of a matrix; equal uses share a slot.
  void matrix(const matrix_operand& operand) {
    std::size_t slot = find(operand);
    if (slot == matrices_.size()) {
      matrices_.push_back(operand);
      matrices_[slot].first_extent = static_cast<std::int32_t>(extents_.size());
      extents_.push_back(operand.rows);
      extents_.push_back(operand.cols);
    }
    has_triangles_ = has_triangles_ || operand.view != matrix_cl_view::Entire;
    words_.push_back(operand_word(operand, slot));
  }

  /// One use of a variable of a tape.
  void variable(const matrix_operand& operand) {
    matrix(operand);
    ++matrices_[words_[words_.size() - 1] >> operand_slot_bit].uses_in_whole;
  }
  /// The use of a variable that wrote word `use` was of a block, whose place and sizes were stated last.
  void block_of_variable(std::size_t use) {
    const std::uint32_t slot = words_[use] >> operand_slot_bit;
    --matrices_[slot].uses_in_whole;
    parts_.push_back({static_cast<std::int32_t>(slot), static_cast<std::int32_t>(extents_.size()) - 4});
  }
  const list_of<part_of_variable>& parts_of_variables() const { return parts_; }

  /// Reads a slot from other memory of the same size.
  void replace_storage(std::size_t slot, void* storage) { matrices_[slot].storage = storage; }

  /// One use of a host scalar; uses of one `origin` are one argument, but for 0, which has no copies.
  template <element T>
  void scalar(T value, std::uint64_t origin = 0) {
    scalar(scalar_type_v<T>, static_cast<std::uint64_t>(std::bit_cast<sized<T>>(value)),
           static_cast<double>(value), origin);
  }

  /// One use of a scalar variable, which stays an argument whatever its value.
  template <element T>
  void scalar_variable(T value, void* identity, bool on_tape) {
    std::uint32_t number = 0;
    while (number < scalars_.size() && scalars_[number].identity != identity) ++number;
    if (number == scalars_.size())
      scalars_.push_back(
          {scalar_type_v<T>, static_cast<std::uint64_t>(std::bit_cast<sized<T>>(value)), identity, on_tape});
    const scalar_use use = on_tape ? scalar_use::on_tape : scalar_use::parameter;
    words_.push_back(scalar_word{use, scalar_type_v<T>, number}.packed());
  }

  /// Sizes that an expression states itself; negative where free. Gives two extent symbols.
  void extents(std::int64_t rows, std::int64_t cols) {
    words_.push_back((rows < 0 ? 1u : 0u) | (cols < 0 ? 2u : 0u));
    extents_.push_back(rows);
    extents_.push_back(cols);
  }

  /// A choice made at run time that changes the graph.
  void choice(std::uint32_t word) { words_.push_back(word); }
  /// Tells apart by its address, within this process, what a graph cannot be made from; lowering, which knows
  /// it already, skips it.
  void identity(const void* of) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(of));
    choice(static_cast<std::uint32_t>(address));
    choice(static_cast<std::uint32_t>(address >> 32));
  }

  /// Says, before the walk, what derivatives the statement is to have.
  void differentiate_by(const derivative_scope& scope) { scope_ = scope; }
  const derivative_scope& derivatives() const { return scope_; }
  /// For a walk over a part of the statement by itself, which is to have the same derivatives.
  binder for_part() const { return binder(scope_); }
  /// Whether something that was walked depends on what derivatives are taken by.
  bool has_derivatives() const {
    for (const matrix_operand& m : matrices_)
      if (scope_.has(m)) return true;
    for (const scalar_operand& s : scalars_)
      if (scope_.has(s)) return true;
    return false;
  }
  /// Asks something whenever the statement runs, before anything of it is enqueued.
  void check(const operand_check& c) { checks_.push_back(c); }
  const list_of<operand_check>& checks() const { return checks_; }
  /// Owns memory of operands until the statement is enqueued.
  void keep(std::shared_ptr<const void> memory) { kept_.push_back(std::move(memory)); }
  /// The same of what was made for the contents of operands.
  void keep_witness(std::shared_ptr<const contents_witness> w) { witnesses_.push_back(std::move(w)); }

  /// Whether an operand so far is not stored in full.
  bool has_triangles() const { return has_triangles_; }

  /// Whether this is the first visit of a shared sub-expression in this walk.
  bool first_visit(const void* node) {
    for (std::size_t k = 0; k < visited_.size(); ++k)
      if (visited_[k] == node) {
        words_.push_back(static_cast<std::uint32_t>(k + 1));
        return false;
      }
    visited_.push_back(node);
    words_.push_back(0);
    return true;
  }

  using word_buffer = small_buffer<std::uint32_t, 48>;
  const word_buffer& key() const { return words_; }
  const small_buffer<matrix_operand, 16>& matrices() const { return matrices_; }
  const small_buffer<scalar_operand, 16>& scalars() const { return scalars_; }
  const small_buffer<std::int64_t, 40>& extents() const { return extents_; }

 private:
  explicit binder(const derivative_scope& scope) : is_formula_(false), scope_(scope) {}

  template <class T>
  using sized = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                   std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;

  [[gnu::noinline]] void scalar(scalar_type type, std::uint64_t bits, double value, std::uint64_t origin) {
    // origins mostly rise or fall along a walk, which then looks for none
    if (origin > lowest_origin_ && origin <= highest_origin_)
      for (std::size_t k = scalars_.size(); k-- > 0;)
        if (scalars_[k].origin == origin && scalars_[k].bits == bits && scalars_[k].type == type) {
          words_.push_back(scalar_word{scalar_use::repeated, type, static_cast<std::uint32_t>(k)}.packed());
          return;
        }
    lowest_origin_ = std::min(lowest_origin_, origin - 1);  // of none it is the largest number
    highest_origin_ = std::max(highest_origin_, origin);
    scalar_word word{scalar_use::argument, type, 0};
    for (std::uint32_t k = 0; k < std::size(special_scalars); ++k)
      if (is_same_number(value, special_scalars[k])) {
        word = {scalar_use::folded, type, k};
        break;
      }
    scalars_.push_back({type, bits, nullptr, false, word.use == scalar_use::folded,
                        static_cast<std::uint32_t>(words_.size()), origin});
    words_.push_back(word.packed());
  }

  std::size_t find(const matrix_operand& operand) {
    const std::size_t count = matrices_.size();
    for (std::size_t k = count; k-- > 0;)
      if (same_memory(matrices_[k], operand)) return k;
    return count;
  }

  friend class binder_record;

  bool is_formula_;
  bool has_triangles_ = false;
  std::uint64_t lowest_origin_ = ~std::uint64_t{0}, highest_origin_ = 0;  // of host numbers so far
  word_buffer words_;
  small_buffer<matrix_operand, 16> matrices_;
  small_buffer<scalar_operand, 16> scalars_;
  small_buffer<std::int64_t, 40> extents_;
  small_buffer<const void*, 16> visited_;
  derivative_scope scope_;
  list_of<part_of_variable> parts_;
  list_of<operand_check> checks_;
  list_of<std::shared_ptr<const void>> kept_;
  list_of<std::shared_ptr<const contents_witness>> witnesses_;
};

class binder_record {
 public:
  explicit binder_record(const binder& b)
      : counts_{b.words_.size(), b.matrices_.size(), b.scalars_.size(), b.extents_.size()},
        parts_(b.parts_),
        witnesses_(b.witnesses_) {
    for (const auto& w : witnesses_) w->note();
    const std::size_t bytes[] = {counts_[0] * sizeof(std::uint32_t), counts_[1] * sizeof(matrix_operand),
                                 counts_[2] * sizeof(scalar_operand), counts_[3] * sizeof(std::int64_t)};
    bytes_.resize(bytes[0] + bytes[1] + bytes[2] + bytes[3]);
    const void* const from[] = {b.words_.data(), b.matrices_.data(), b.scalars_.data(), b.extents_.data()};
    std::byte* to = bytes_.data();
    for (int k = 0; k < 4; to += bytes[k++]) std::memcpy(to, from[k], bytes[k]);
  }

  /// Throws std::logic_error where contents for which something was made have changed.
  void check_contents() const {
    for (const auto& w : witnesses_) w->check();
  }

 private:
  friend class binder;

  std::size_t counts_[4];  // of words, matrices, scalars and extents, which follow each other
  list_of<std::byte> bytes_;
  list_of<part_of_variable> parts_;
  list_of<std::shared_ptr<const contents_witness>> witnesses_;
};

inline binder::binder(const binder_record& recorded) : is_formula_(false), parts_(recorded.parts_) {
  const std::byte* from = recorded.bytes_.data();
  const auto take = [&]<class T, std::size_t N>(small_buffer<T, N>& to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k, from += sizeof(T)) {
      T value;
      std::memcpy(static_cast<void*>(&value), from, sizeof(T));
      to.push_back(value);
    }
  };
  take(words_, recorded.counts_[0]);
  take(matrices_, recorded.counts_[1]);
  take(scalars_, recorded.counts_[2]);
  take(extents_, recorded.counts_[3]);
  for (const matrix_operand& m : matrices_)
    has_triangles_ = has_triangles_ || m.view != matrix_cl_view::Entire;
  lowest_origin_ = 0;
  highest_origin_ = ~std::uint64_t{0};
}

}  // namespace fusecl
