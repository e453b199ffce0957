#pragma once
// Indented lines of OpenCL C, and the small pieces of text every emitter needs.

#include <cstdint>
#include <string>
#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/base/scalar_type.hpp>

namespace fusecl::codegen {

class writer {
 public:
  explicit writer(std::size_t depth = 0) : depth_(depth) {}

  void line(const std::string& text) {
    if (!text.empty()) out_.append(2 * depth_, ' ');
    out_ += text + "\n";
  }
  /// A line that ends with "{"; what follows is indented until `close`.
  void open(const std::string& text) {
    line(text.empty() ? "{" : text + " {");
    ++depth_;
  }
  void close(const std::string& after = "") {
    --depth_;
    line("}" + after);
  }
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
