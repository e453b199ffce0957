#pragma once
// Indented lines of OpenCL C, and the small pieces of text every emitter needs.

#include <string>
#include <string_view>

#include <fusion/base/fill.hpp>

namespace fusecl::codegen {

using text::piece, text::pieces, text::fill;

class writer {
 public:
  explicit writer(std::size_t depth = 0) : depth_(depth) {}

  void line(std::string_view pattern, pieces with = {});
  /// A line that ends with "{"; what follows is indented until `close`.
  void open(std::string_view pattern = "", pieces with = {});
  void close(std::string_view after = "");
  /// Opens a loop of the number `name` from `from` to `count` - 1, after the line `unrolling`.
  void open_loop(const char* name, const char* from, int count, const char* unrolling);
  /// An empty one for lines that go here later, by `raw`.
  writer apart() const { return writer(depth_); }
  void raw(const std::string& text) { out_ += text; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::size_t depth_ = 0;
};

/// Whether `text` has `name` as a whole word.
inline bool mentions(std::string_view text, std::string_view name) { return text::has_word(text, name); }
/// The last letter of a vector's component: "a" for the tenth one, named v.sa.
constexpr std::string_view lane_letter(int lane) {
  return std::string_view("0123456789abcdef").substr(static_cast<std::size_t>(lane), 1);
}
/// Appends to a list.
void append_item(std::string& list, std::string_view separator, const std::string& item);
/// "double8", or "double" for one lane.
std::string vector_type(scalar_type type, int lanes);
/// The signed integer type as wide as `type`: "long8" for double.
std::string integer_type(scalar_type type, int lanes);
/// A constant of the given type.
std::string literal(scalar_type type, double value);
/// Decimal literals of `text` with the suffix f, for texts of float functions.
std::string with_float_literals(std::string_view text);
/// Replaces $T, $I, $U, $S and leaves $0 $1 $2.
std::string instantiate(std::string_view text, scalar_type type, int lanes);

/// Text of the `lanes` elements from the address `at` on.
inline std::string vector_at(int lanes, const std::string& at) {
  return lanes > 1 ? fill("vload{}(0, {})", {lanes, at}) : fill("*({})", {at});
}
/// Text, without a semicolon, that stores `value` there.
inline std::string store_vector(int lanes, const std::string& value, const std::string& at) {
  return lanes > 1 ? fill("vstore{}({}, 0, {})", {lanes, value, at}) : fill("*({}) = {}", {at, value});
}

}  // namespace fusecl::codegen

#ifndef FUSECL_SPLIT
#include <fusion/codegen/writer.ipp>
#endif
