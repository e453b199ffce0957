#pragma once
// Indented lines of OpenCL C, and the small pieces of text every emitter needs.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/base/scalar_type.hpp>

namespace fusecl::codegen {

/// What fills a place of a pattern: characters that live as long as the call, or a whole number.
class piece {
 public:
  piece(const char* text) : text_(text) {}
  piece(std::string_view text) : text_(text) {}
  piece(const std::string& text) : text_(text) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) piece(Number number)
      : number_(static_cast<std::int64_t>(number)), is_number_(true) {}

  void append_to(std::string& out) const;

 private:
  std::string_view text_;
  std::int64_t number_ = 0;
  bool is_number_ = false;
};

using pieces = std::initializer_list<piece>;

/// `pattern` with each "{}" replaced by the next piece.
std::string fill(std::string_view pattern, pieces with);

class writer {
 public:
  explicit writer(std::size_t depth = 0) : depth_(depth) {}

  void line(std::string_view pattern, pieces with = {});
  /// A line that ends with "{"; what follows is indented until `close`.
  void open(std::string_view pattern = "", pieces with = {});
  void close(std::string_view after = "");
  /// An empty one for lines that go here later, by `raw`.
  writer apart() const { return writer(depth_); }
  void raw(const std::string& text) { out_ += text; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::size_t depth_ = 0;
};

/// Whether `text` has `name` as a whole word.
bool mentions(const std::string& text, const std::string& name);
/// "double8", or "double" for one lane.
std::string vector_type(scalar_type type, int lanes);
/// The signed integer type as wide as `type`: "long8" for double.
std::string integer_type(scalar_type type, int lanes);
/// A constant of the given type.
std::string literal(scalar_type type, double value);
/// Decimal literals of `text` with the suffix f, for texts of float functions.
std::string with_float_literals(std::string_view text);
/// Replaces $T, $I, $S and leaves $0 $1 $2.
std::string instantiate(std::string_view text, scalar_type type, int lanes);

}  // namespace fusecl::codegen

#ifndef FUSECL_SPLIT
#include <fusion/codegen/writer.ipp>
#endif
