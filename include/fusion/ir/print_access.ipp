#pragma once
#include <fusion/ir/print.ipp>

namespace fusecl::ir {
namespace detail {

/// One coordinate of an access: "n4 + i", "n0 - 1 - j".
FUSECL_INLINE std::string place_text(const offset& o, int by_i, int by_j, extent limit) {
  std::string text;
  const auto add = [&](bool minus, const std::string& term) {
    text += text.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    text += term;
  };
  if (o.size != no_extent) add(o.sign < 0, extent_name(o.size));
  if (o.plus != 0) add(o.plus < 0, std::to_string(o.plus < 0 ? -o.plus : o.plus));
  if (by_i != 0) add(by_i < 0, "i");
  if (by_j != 0) add(by_j < 0, "j");
  if (text.empty()) text = "0";
  return limit == no_extent ? text : text + " < " + extent_name(limit);
}

}  // namespace detail

FUSECL_INLINE std::string places_of_access(const node& n) {
  const access_map& m = n.map;
  return "[" + detail::place_text(m.row0, m.row_by_i, m.row_by_j, m.row_limit) + ", " +
         detail::place_text(m.col0, m.col_by_i, m.col_by_j, m.col_limit) + "]";
}

}  // namespace fusecl::ir
