#pragma once
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/kernel_sizes.hpp>

namespace fusecl {

/// Reads the text from its beginning to its end.
class kernel_sizes::reader {
 public:
  reader(kernel_sizes& into, std::string_view text) : into_(into), text_(text) {}

  void read() {
    do into_.entries_.push_back(next_entry());
    while (accept(','));
    peek();
    if (at_ != text_.size()) fail("expected \",\"");
  }

 private:
  entry next_entry() {
    if (!accept('(')) return {false, next_term(), {}};
    entry matrix{true, next_term(), {}};
    require(',');
    matrix.cols = next_term();
    require(')');
    return matrix;
  }
  term next_term() {
    term product;
    if (peek() == '_' && (at_ + 1 == text_.size() || !text::in_word(text_[at_ + 1]))) {
      ++at_;
      return product;
    }
    do product.push_back(next_factor());
    while (accept('*'));
    return product;
  }
  factor next_factor() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text::in_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool is_name = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
    if (!is_name) return {false, number(word)};
    const std::size_t place = into_.names_.index_of(word);
    if (place == into_.names_.size()) into_.names_.emplace_back(word);
    return {true, static_cast<std::int64_t>(place)};
  }
  std::int64_t number(std::string_view word) const {
    std::int64_t value = 0;
    for (const char c : word) {
      if (std::isdigit(static_cast<unsigned char>(c)) == 0 || word.size() > 18)
        fail("expected a name or a number");
      value = 10 * value + (c - '0');
    }
    if (word.empty()) fail("expected a name or a number");
    return value;
  }
  /// The next character that is no white space; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    const bool is_there = peek() == wanted;
    if (is_there) ++at_;
    return is_there;
  }
  void require(char wanted) {
    if (!accept(wanted)) fail(std::string("expected \"") + wanted + '"');
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(
        text::fill("kernel_sizes \"{}\": {} after \"{}\"", {text_, what, text_.substr(0, at_)}));
  }

  kernel_sizes& into_;
  std::string_view text_;
  std::size_t at_ = 0;
};

FUSECL_INLINE kernel_sizes::kernel_sizes(std::string_view text) : text_(text) {
  reader(*this, text_).read();
  for (std::size_t name = 0; name < names_.size(); ++name) {
    const factor alone{true, static_cast<std::int64_t>(name)};
    const auto says = [&](const term& t) { return t.size() == 1 && t[0] == alone; };
    if (std::none_of(entries_.begin(), entries_.end(),
                     [&](const entry& each) { return says(each.rows) || says(each.cols); }))
      throw std::invalid_argument(
          text::fill("kernel_sizes \"{}\": {} stands in products alone: no argument says what it is",
                     {text_, names_[name]}));
  }
}

struct kernel_sizes::meanings {
  explicit meanings(std::size_t names) : value(names), argument(names, unknown) {}
  static constexpr std::size_t unknown = ~std::size_t{0};
  list_of<std::int64_t> value;
  list_of<std::size_t> argument;
};

FUSECL_INLINE void kernel_sizes::bind(const term& t, std::int64_t value, std::size_t argument,
                                      meanings& known) const {
  if (t.size() != 1 || !t[0].is_name) return;
  const auto name = static_cast<std::size_t>(t[0].number);
  if (known.argument[name] != meanings::unknown) return;
  known.value[name] = value;
  known.argument[name] = argument;
}

FUSECL_INLINE bool kernel_sizes::agrees(const term& t, std::int64_t value, const meanings& known,
                                        std::string& wanted) const {
  if (t.empty()) {
    wanted = "any";
    return true;
  }
  std::int64_t product = 1;
  bool fits = true, zero = false;
  for (const factor& each : t) {
    const std::int64_t number =
        each.is_name ? known.value[static_cast<std::size_t>(each.number)] : each.number;
    fits = !__builtin_mul_overflow(product, number, &product) && fits;
    zero = zero || number == 0;
  }
  if (zero) {  // also where what is before it is beyond every number
    product = 0;
    fits = true;
  }
  wanted = fits ? std::to_string(product) : "more than 2^63";
  return fits && product == value;
}

FUSECL_INLINE void kernel_sizes::check_form(const std::string& kernel,
                                            const runtime::kernel_argument* arguments,
                                            std::size_t count) const {
  if (entries_.size() != count)
    throw std::invalid_argument(
        text::fill("kernel {}: kernel_sizes \"{}\" has {} entries, the kernel has {} parameters",
                   {kernel, text_, entries_.size(), count}));
  for (std::size_t k = 0; k < count; ++k) {
    const entry& wanted = entries_[k];
    const bool matrix = arguments[k].sizes != nullptr;
    const bool whole = arguments[k].bytes != nullptr && !arguments[k].floating;
    if (wanted.is_matrix ? matrix : whole || wanted.rows.empty()) continue;
    throw std::invalid_argument(text::fill(
        "kernel {}: entry {} (counted from 0) of kernel_sizes \"{}\" is for {}, the parameter is {}",
        {kernel, k, text_, wanted.is_matrix ? "a matrix" : "a whole number", arguments[k].given_as}));
  }
}

FUSECL_INLINE void kernel_sizes::check(const std::string& kernel, const runtime::kernel_argument* arguments,
                                       std::size_t count) const {
  if (empty()) return;
  check_form(kernel, arguments, count);
  struct size {
    std::int64_t rows = 0, cols = 0;
  };
  const auto size_of = [&](std::size_t k) {
    size s;
    if (entries_[k].is_matrix)
      arguments[k].sizes(arguments[k].matrix, s.rows, s.cols);
    else
      s.rows = arguments[k].whole;
    return s;
  };
  meanings known(names_.size());
  const auto refuse = [&](std::size_t k, const size& given, const std::string& wanted,
                          const std::string& because) {
    const std::string is = entries_[k].is_matrix
                               ? std::to_string(given.rows) + " x " + std::to_string(given.cols)
                               : arguments[k].text_of_whole();
    throw std::invalid_argument(
        text::fill("kernel {}: argument {} (counted from 0) is {}, but has to be {} by \"{}\"{}",
                   {kernel, k, is, wanted, text_, because}));
  };
  for (std::size_t k = 0; k < count; ++k) {
    const size given = size_of(k);
    if (!entries_[k].rows.empty() && given.rows < 0)
      refuse(k, given, arguments[k].is_unsigned ? "less than 2^63" : "at least 0", "");
    bind(entries_[k].rows, given.rows, k, known);
    bind(entries_[k].cols, given.cols, k, known);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const size given = size_of(k);
    std::string wanted, cols;
    const bool right = agrees(entries_[k].rows, given.rows, known, wanted);
    if (agrees(entries_[k].cols, given.cols, known, cols) && right) continue;
    if (entries_[k].is_matrix) wanted += " x " + cols;
    std::string because;
    for (std::size_t name = 0; name < names_.size(); ++name)
      text::append(because, "{}{} is {} by argument {}",
                   {name == 0 ? ": " : ", ", names_[name], known.value[name], known.argument[name]});
    refuse(k, given, wanted, because);
  }
}

}  // namespace fusecl
