#pragma once
// What a walk over a typed expression collects: the operands of the kernel and a key that sees how operands
// and shared sub-expressions repeat. The key and the expression's type together determine the graph.

#include <bit>
#include <cstdint>

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

  friend bool same_memory(const matrix_operand& a, const matrix_operand& b) {
    return a.storage == b.storage && a.rows == b.rows && a.cols == b.cols && a.view == b.view &&
           a.type == b.type && a.variable == b.variable;
  }
};

/// A scalar as a kernel argument: its bytes, in the type the kernel takes.
struct scalar_operand {
  scalar_type type;
  std::uint64_t bits;
  void* identity = nullptr;  ///< of a variable: equal ones are one argument
  bool on_tape = false;      ///< the identity is an entry of the tape
};

/// The value of a scalar operand.
inline double number_in(const scalar_operand& s) {
  switch (s.type) {
    case scalar_type::float64:
      return std::bit_cast<double>(s.bits);
    case scalar_type::float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)));
    case scalar_type::int32:
      return static_cast<double>(static_cast<std::int32_t>(s.bits));
    case scalar_type::int64:
      return static_cast<double>(static_cast<std::int64_t>(s.bits));
    default:
      return static_cast<double>(s.bits);
  }
}

/// Scalars with these values become constants of the graph, so that passes can use them.
inline constexpr double special_scalars[] = {0, 1, -1, 2, 0.5};
inline constexpr std::uint32_t ordinary_scalar = 15;
/// A scalar variable's word is its number plus this.
inline constexpr std::uint32_t first_scalar_variable = 16;

class binder {
 public:
  /// Collects for a statement or, if `for_formula`, for a formula whose operands have no values.
  explicit binder(bool for_formula = false) : is_formula_(for_formula) {}
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
    words_.push_back(static_cast<std::uint32_t>(slot << 4 | static_cast<std::uint32_t>(operand.view) << 2 |
                                                (operand.padded ? 1u : 0u)));
  }

  /// One use of a host scalar.
  template <scalar_value T>
  void scalar(T value) {
    for (std::uint64_t k = 0; k < std::size(special_scalars); ++k)
      if (static_cast<double>(value) == special_scalars[k] &&
          !(value == T{} && std::bit_cast<sized<T>>(value) != 0)) {
        words_.push_back(static_cast<std::uint32_t>(k));
        return;
      }
    words_.push_back(ordinary_scalar);
    scalars_.push_back({scalar_type_v<T>, static_cast<std::uint64_t>(std::bit_cast<sized<T>>(value))});
  }

  /// One use of a scalar variable, which stays an argument whatever its value.
  template <scalar_value T>
  void scalar_variable(T value, void* identity, bool on_tape) {
    std::uint32_t number = 0;
    while (number < scalars_.size() && scalars_[number].identity != identity) ++number;
    if (number == scalars_.size())
      scalars_.push_back(
          {scalar_type_v<T>, static_cast<std::uint64_t>(std::bit_cast<sized<T>>(value)), identity, on_tape});
    words_.push_back(first_scalar_variable + number);
  }

  /// Sizes that an expression states itself; negative where free. Gives two extent symbols.
  void extents(std::int64_t rows, std::int64_t cols) {
    words_.push_back((rows < 0 ? 1u : 0u) | (cols < 0 ? 2u : 0u));
    extents_.push_back(rows);
    extents_.push_back(cols);
  }

  /// A choice made at run time that changes the graph.
  void choice(std::uint32_t word) { words_.push_back(word); }

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
  template <class T>
  using sized = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                   std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;

  std::size_t find(const matrix_operand& operand) {
    const std::size_t count = matrices_.size();
    for (std::size_t k = count; k-- > 0;)
      if (same_memory(matrices_[k], operand)) return k;
    return count;
  }

  bool is_formula_;
  bool has_triangles_ = false;
  word_buffer words_;
  small_buffer<matrix_operand, 16> matrices_;
  small_buffer<scalar_operand, 16> scalars_;
  small_buffer<std::int64_t, 40> extents_;
  small_buffer<const void*, 16> visited_;
};

}  // namespace fusecl
