#pragma once
#include <fusion/base/fill.hpp>

namespace fusecl::text {

FUSECL_INLINE void append(std::string& out, std::string_view pattern, pieces with) {
  const piece* next = with.begin();
  while (next != with.end()) {
    const std::size_t place = pattern.find("{}");
    out += pattern.substr(0, place);
    if (place == std::string_view::npos) return;
    (next++)->append_to(out);
    pattern.remove_prefix(place + 2);
  }
  out += pattern;
}

FUSECL_INLINE std::string fill(std::string_view pattern, pieces with) {
  std::string out;
  append(out, pattern, with);
  return out;
}

FUSECL_INLINE void piece::append_to(std::string& out) const {
  std::int64_t number = number_;
  if (text_ == &type_mark) {
    out += opencl_name(static_cast<scalar_type>(number_ & 255));
    number = number_ >> 8;
    if (number == 1) return;
  }
  if (text_ == &type_mark || text_ == &number_mark)
    out += std::to_string(number);
  else
    out.append(text_, static_cast<std::size_t>(number_));
}

}  // namespace fusecl::text
