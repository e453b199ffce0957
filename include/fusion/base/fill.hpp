#pragma once
// Patterns with places that pieces fill: one call for a text, whatever it is made of.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/base/scalar_type.hpp>

namespace fusecl::text {

/// What fills a place of a pattern: characters that live as long as the call, a whole number, or the name of
/// a vector type, in a list of pieces simply `{type, lanes}`.
class piece {
 public:
  piece(const char* text) : piece(std::string_view(text)) {}
  piece(std::string_view text) : text_(text.data()), number_(static_cast<std::int64_t>(text.size())) {}
  piece(const std::string& text) : piece(std::string_view(text)) {}
  piece(scalar_type type, int lanes) : text_(&type_mark), number_(lanes * 256 + static_cast<int>(type)) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) piece(Number number)
      : text_(&number_mark), number_(static_cast<std::int64_t>(number)) {}

  void append_to(std::string& out) const;

 private:
  // two words, as every call of a pattern builds some: what is no text points to one of these
  static constexpr char number_mark = 'n', type_mark = 't';

  const char* text_;
  std::int64_t number_;  ///< length of a text
};

using pieces = std::initializer_list<piece>;

/// Whether a character may be in a name, of C or in a formula.
constexpr bool in_word(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether `text` has `word` as a whole word of letters, digits and underscores.
constexpr bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

/// `pattern` with each "{}" replaced by the next piece.
std::string fill(std::string_view pattern, pieces with);
/// Appends it.
void append(std::string& out, std::string_view pattern, pieces with);

}  // namespace fusecl::text

#ifndef FUSECL_SPLIT
#include <fusion/base/fill.ipp>
#endif
