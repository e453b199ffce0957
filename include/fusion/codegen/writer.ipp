#pragma once
#include <cctype>
#include <charconv>
#include <cmath>

#include <fusion/base/fill.hpp>
#include <fusion/codegen/writer.hpp>

namespace fusecl::codegen {
FUSECL_INLINE void writer::line(std::string_view pattern, pieces with) {
  if (!pattern.empty()) out_.append(2 * depth_, ' ');
  text::append(out_, pattern, with);
  out_ += '\n';
}

FUSECL_INLINE void writer::open(std::string_view pattern, pieces with) {
  out_.append(2 * depth_, ' ');
  text::append(out_, pattern, with);
  out_ += pattern.empty() ? "{\n" : " {\n";
  ++depth_;
}

FUSECL_INLINE void writer::close(std::string_view after) {
  --depth_;
  line("}{}", {after});
}

FUSECL_INLINE void writer::open_loop(const char* name, const char* from, int count, const char* unrolling) {
  raw(unrolling);
  open("for (uint {} = {}; {} < {}; ++{})", {name, from, name, count, name});
}

FUSECL_INLINE void append_item(std::string& list, std::string_view separator, const std::string& item) {
  if (!list.empty()) list += separator;
  list += item;
}

FUSECL_INLINE std::string vector_type(scalar_type type, int lanes) { return fill("{}", {{type, lanes}}); }

FUSECL_INLINE std::string integer_type(scalar_type type, int lanes) {
  return vector_type(size_of(type) == 8 ? scalar_type::int64 : scalar_type::int32, lanes);
}

FUSECL_INLINE std::string literal(scalar_type type, double value) {
  if (is_floating(type) && is_nan(value)) return fill("({})(NAN)", {opencl_name(type)});
  if (is_floating(type) && is_infinite(value))
    return fill("({})({}INFINITY)", {opencl_name(type), value < 0 ? "-" : ""});
  char digits[40];
  char* const end = digits + sizeof digits;
  if (!is_floating(type) && is_finite(value)) {
    std::string whole(digits, std::to_chars(digits, end, static_cast<std::int64_t>(value)).ptr);
    if (type == scalar_type::int64) whole += 'L';  // functions of OpenCL take operands of one type
    return whole;
  }
  std::string text(digits, std::to_chars(digits, end, value).ptr);
  if (is_floating(type) && text.find_first_of(".e") == std::string::npos) text += ".0";
  if (type == scalar_type::float32) text += 'f';
  return text;
}

FUSECL_INLINE std::string with_float_literals(std::string_view text) {
  const auto is_digit = [&](std::size_t k) {
    return k < text.size() && std::isdigit(static_cast<unsigned char>(text[k]));
  };
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const bool in_name = k > 0 && (text::in_word(text[k - 1]) || text[k - 1] == '$');
    const bool point_first = text[k] == '.' && is_digit(k + 1);  // .5
    if ((!is_digit(k) && !point_first) || in_name) {
      out += text[k++];
      continue;
    }
    std::size_t end = k;
    bool real = false;
    const bool hexadecimal =
        text[k] == '0' && k + 1 < text.size() && (text[k + 1] == 'x' || text[k + 1] == 'X');
    if (hexadecimal) {
      end += 2;
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end]))) ++end;
    } else {
      while (is_digit(end)) ++end;
      if (end < text.size() && text[end] == '.') {
        real = true;
        ++end;
        while (is_digit(end)) ++end;
      }
      if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        real = true;
        ++end;
        if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
        while (is_digit(end)) ++end;
      }
    }
    out += text.substr(k, end - k);
    if (real && (end >= text.size() || (text[end] != 'f' && text[end] != 'F'))) out += 'f';
    // a suffix such as u or l belongs to the literal
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) out += text[end++];
    k = end;
  }
  return out;
}

FUSECL_INLINE std::string instantiate(std::string_view text, scalar_type type, int lanes) {
  const std::string typed = type == scalar_type::float32 ? with_float_literals(text) : std::string(text);
  const std::string vector = vector_type(type, lanes);
  std::string out;
  for (std::size_t k = 0; k < typed.size(); ++k) {
    const char next = k + 1 < typed.size() ? typed[k + 1] : '\0';
    if (typed[k] != '$' || std::string_view("TIUS").find(next) == std::string_view::npos) {
      out += typed[k];
      continue;
    }
    out += next == 'T'   ? vector
           : next == 'S' ? fill("_{}", {vector})
           : next == 'I' ? integer_type(type, lanes)
                         : fill("u{}", {integer_type(type, lanes)});
    ++k;
  }
  return out;
}

}  // namespace fusecl::codegen
