#pragma once
// The sizes that the arguments of a hand-written kernel have to have.

#include <cstdint>
#include <string>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/kernel_argument.hpp>

namespace fusecl {

/// What sizes a kernel's arguments have to have, an entry for each parameter in their order:
/// "(n, m), (n, 1), (n, m), n". For a matrix these are its rows and columns in parentheses, for a whole
/// number its value: a name, which stands for the same number wherever it is; a number; products of these
/// ("n*m"); or "_" for any. Floating-point numbers and local memory have "_". White space between them says
/// nothing.
class kernel_sizes {
 public:
  kernel_sizes() = default;  ///< any sizes
  /// Throws std::invalid_argument where the text is not as above, or a name stands in products alone, so that
  /// no argument says what it is.
  explicit kernel_sizes(std::string_view text);

  /// Whether any sizes are right.
  bool empty() const { return entries_.empty(); }
  /// Throws std::invalid_argument unless there is an entry for each argument and of its kind, and for the
  /// first argument of another size: names the kernel, the argument, both sizes, and the arguments that say
  /// what names stand for.
  void check(const std::string& kernel, const runtime::kernel_argument* arguments, std::size_t count) const;

 private:
  /// A number, or the number of a name.
  struct factor {
    bool is_name;
    std::int64_t number;
    bool operator==(const factor&) const = default;
  };
  using term = list_of<factor>;  // the product of them; empty for any
  struct entry {
    bool is_matrix;
    term rows, cols;  // of a number: its value is `rows`
  };
  /// What names stand for, and by which argument.
  struct meanings;
  class reader;

  void check_form(const std::string& kernel, const runtime::kernel_argument* arguments,
                  std::size_t count) const;
  void bind(const term& t, std::int64_t value, std::size_t argument, meanings& known) const;
  bool agrees(const term& t, std::int64_t value, const meanings& known, std::string& wanted) const;

  std::string text_;
  list_of<std::string> names_;
  list_of<entry> entries_;
};

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel_sizes.ipp>
#endif
