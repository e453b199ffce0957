#pragma once
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fusion/codegen/values.hpp>

namespace fusecl::codegen {
namespace detail {

/// The vector form of a function whose text is for scalars.
inline std::string called_lane_by_lane(const ir::device_function& f, scalar_type type, int lanes) {
  const std::string vector = vector_type(type, lanes);
  const auto list = [&](const std::string& before, const std::string& after) {
    std::string text;
    for (int k = 0; k < f.scalar_parameters; ++k)
      text += (k ? ", " : "") + before + static_cast<char>('a' + k) + after;
    return text;
  };
  std::string calls;
  for (int lane = 0; lane < lanes; ++lane)
    calls += (lane ? ", " : "") + std::string(f.name) + "_" + vector_type(type, 1) + "(" +
             list("", std::string(".s") + "0123456789abcdef"[lane]) + ")";
  return vector + " " + std::string(f.name) + "_" + vector + "(" + list("const " + vector + " ", "") +
         ") {\n  return (" + vector + ")(" + calls + ");\n}\n";
}

}  // namespace detail

FUSECL_INLINE void function_library::require(const ir::device_function* const* functions, scalar_type type,
                                             int lanes) {
  if (!functions) return;
  for (; *functions; ++functions) add(**functions, type, lanes);
}

FUSECL_INLINE void function_library::add(const ir::device_function& f, scalar_type type, int lanes) {
  const bool own_float = type == scalar_type::float32 && !f.text_float.empty();
  const std::string_view source = own_float ? f.text_float : f.text;
  const auto [known, is_new] =
      present_.insert({std::string(f.name) + " " + vector_type(type, lanes), source});
  if (!is_new) {
    if (known->second != source)
      throw std::invalid_argument("two different functions of one kernel are called " + std::string(f.name));
    return;
  }
  require(f.uses, type, lanes);
  std::string text;
  if (f.scalar_parameters > 0 && lanes > 1) {
    add(f, type, 1);
    text = detail::called_lane_by_lane(f, type, lanes);
  } else {
    text = instantiate(source, type, lanes);
  }
  std::size_t start = 0;  // a leading comment stays in front of the qualifiers
  while (text.compare(start, 2, "//") == 0) start = text.find('\n', start) + 1;
  text.insert(start, "static inline __attribute__((always_inline)) ");
  text_ += text + (text.back() == '\n' ? "\n" : "\n\n");
}

FUSECL_INLINE value_emitter::value_emitter(const ir::graph& g, function_library& library,
                                           const std::vector<ir::node_id>& wanted, int mask_bytes,
                                           std::vector<std::string> buffers)
    : known(static_cast<std::size_t>(g.size())),
      g_(g),
      library_(library),
      mask_bytes_(mask_bytes),
      buffers_(std::move(buffers)),
      needed_(static_cast<std::size_t>(g.size()), 0),
      uniform_(static_cast<std::size_t>(g.size()), 0),
      uses_(static_cast<std::size_t>(g.size()), 0),
      done_(static_cast<std::size_t>(g.size())),
      uniform_values_(static_cast<std::size_t>(g.size())) {
  for (ir::node_id id : wanted) {
    needed_[static_cast<std::size_t>(id)] = 1;
    ++uses_[static_cast<std::size_t>(id)];
  }
  for (ir::node_id id = 0; id < g.size(); ++id)
    uniform_[static_cast<std::size_t>(id)] =
        g.resolve(g[id].rows) == ir::one && g.resolve(g[id].cols) == ir::one;
  for (ir::node_id id = g.size(); id-- > 0;) {
    const bool given =
        g[id].op->kind == ir::op_class::reduction || !buffers_[static_cast<std::size_t>(id)].empty();
    if (!needed_[static_cast<std::size_t>(id)] || given) continue;
    for (int k = 0; k < ir::arity(g[id]); ++k) {
      const auto operand = static_cast<std::size_t>(g[id].operands[k]);
      needed_[operand] = 1;
      ++uses_[operand];
    }
  }
}

FUSECL_INLINE std::string value_emitter::mask_type(int lanes) const {
  return vector_type(mask_bytes_ == 8 ? scalar_type::int64 : scalar_type::int32, lanes);
}

/// Text of `v` as a vector of `lanes`; operators take a single element as it is, calls and selections do not.
FUSECL_INLINE std::string value_emitter::widened(const value_text& v, scalar_type type, int lanes) const {
  if (lanes == 1 || !v.uniform) return v.text;
  if (type == scalar_type::boolean) return "(" + mask_type(lanes) + ")(-(" + v.text + "))";
  return "(" + vector_type(type, lanes) + ")(" + v.text + ")";
}

/// A mask as wide as an element of `bytes`, which a selection needs.
FUSECL_INLINE std::string value_emitter::fitted_mask(const value_text& v, std::size_t bytes,
                                                     int lanes) const {
  const std::string wide = widened(v, scalar_type::boolean, lanes);
  if (lanes == 1 || static_cast<int>(bytes) == mask_bytes_) return wide;
  return "convert_" + std::string(bytes == 8 ? "long" : "int") + std::to_string(lanes) + "(" + wide + ")";
}

FUSECL_INLINE void value_emitter::uniforms(writer& out) {
  preamble_ = true;
  how_ = {};
  for (ir::node_id id = 0; id < g_.size(); ++id) {
    if (!needed_[static_cast<std::size_t>(id)] || !is_uniform(id) ||
        !known[static_cast<std::size_t>(id)].text.empty())
      continue;
    value_text v = emit(out, id);
    v.uniform = true;
    uniform_values_[static_cast<std::size_t>(id)] = v;
  }
  preamble_ = false;
}

FUSECL_INLINE void value_emitter::begin(const access& how) {
  how_ = how;
  places_.clear();
  for (value_text& v : done_) v = {};
}

FUSECL_INLINE value_text value_emitter::load(const std::string& name, const ir::node& n, ir::extent rows,
                                             ir::extent cols) {
  const bool many_rows = rows != ir::one, many_cols = cols != ir::one;
  value_text v;
  v.uniform = preamble_ || !(many_rows || ((how_.linear || how_.crossing) && many_cols));
  v.text = preamble_ ? name + "[0]" : how_.load(how_.self, name, n.type, many_rows, many_cols);
  return v;
}

FUSECL_INLINE value_text value_emitter::name_it(writer& out, ir::node_id id, const value_text& v,
                                                const std::string& name) {
  const scalar_type type = g_[id].type;
  const int lanes = v.uniform ? 1 : how_.lanes;
  const std::string declared = type != scalar_type::boolean ? vector_type(type, lanes)
                               : lanes == 1                 ? "int"
                                                            : mask_type(lanes);
  declared_ = true;
  out.line("const " + declared + " " + name + " = " + v.text + ";");
  return {name, 16, v.uniform};
}

FUSECL_INLINE value_text value_emitter::emit_leaf(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const int lanes = preamble_ ? 1 : how_.lanes;
  if (n.is(ir::leaf_operations::constant)) {
    const std::string text =
        n.type == scalar_type::boolean ? (n.value != 0 ? "1" : "0") : literal(n.type, n.value);
    return {text, n.value < 0 ? 14 : 16, true};
  }
  if (n.is(ir::leaf_operations::scalar)) {
    const std::string name = "s" + std::to_string(n.index);
    return n.type == scalar_type::boolean ? value_text{"(" + name + " != 0)", 16, true}
                                          : value_text{name, 16, true};
  }
  if (n.is(ir::leaf_operations::row_index)) return {preamble_ ? "0" : how_.row, 16, preamble_};
  if (n.is(ir::leaf_operations::col_index))
    return {preamble_ ? "0" : how_.col, 16, preamble_ || !how_.crossing};

  const bool matrix = n.is(ir::leaf_operations::matrix);
  const std::string name = matrix ? "x" + std::to_string(n.index) : buffers_[static_cast<std::size_t>(id)];
  value_text v = load(name, n, g_.resolve(n.rows), g_.resolve(n.cols));
  const int wide = v.uniform ? 1 : lanes;
  if (n.type == scalar_type::boolean)
    v.text = wide == 1 ? v.text + " != 0" : "convert_" + mask_type(wide) + "(" + v.text + ") != 0";
  if (matrix && n.view != matrix_cl_view::Entire && !preamble_) {
    const std::string_view relation = n.view == matrix_cl_view::Lower   ? " >= "
                                      : n.view == matrix_cl_view::Upper ? " <= "
                                                                        : " == ";
    const std::string inside = how_.row + std::string(relation) + how_.col;
    const std::string zero = n.type == scalar_type::boolean ? "0" : literal(n.type, 0);
    if (how_.lanes == 1) {
      v.text = "(" + inside + ") ? (" + v.text + ") : " + zero;
    } else {
      const std::size_t bytes =
          n.type == scalar_type::boolean ? static_cast<std::size_t>(mask_bytes_) : size_of(n.type);
      const std::string mask =
          bytes == 8 ? "convert_long" + std::to_string(how_.lanes) + "(" + inside + ")" : "(" + inside + ")";
      const std::string type =
          n.type == scalar_type::boolean ? mask_type(how_.lanes) : vector_type(n.type, how_.lanes);
      v.text = mask + " ? " + widened({v.text, 16, v.uniform}, n.type, how_.lanes) + " : (" + type + ")(0)";
    }
    v.uniform = false;
  }
  return name_it(out, id, v, name + (preamble_ ? "_0" : v.uniform ? "_j" : "_i"));
}

FUSECL_INLINE value_text value_emitter::emit_cast(writer& out, const ir::node& n) {
  const ir::node& from = g_[n.operands[0]];
  const value_text v = emit(out, n.operands[0]);
  const int lanes = v.uniform ? 1 : how_.lanes;
  if (n.type == scalar_type::boolean) {
    const std::string test = (v.precedence > 9 ? v.text : "(" + v.text + ")") + " != 0";
    if (lanes == 1 || static_cast<int>(size_of(from.type)) == mask_bytes_) return {test, 9, v.uniform};
    return {"convert_" + mask_type(lanes) + "(" + test + ")", 16, v.uniform};
  }
  if (lanes == 1) return {"(" + vector_type(n.type, 1) + ")(" + v.text + ")", 16, v.uniform};
  const std::string operand = from.type == scalar_type::boolean ? "-(" + v.text + ")" : v.text;
  return {"convert_" + vector_type(n.type, lanes) + "(" + operand + ")", 16, false};
}

FUSECL_INLINE std::string size_name(ir::extent e) { return e == ir::one ? "1" : "n" + std::to_string(e); }

/// A name for one coordinate of an element that is read; equal ones are computed once.
FUSECL_INLINE std::string value_emitter::coordinate(writer& out, const ir::offset& start, int by_i, int by_j,
                                                    const std::string& i, const std::string& j) {
  std::string text;
  const auto add = [&](bool minus, const std::string& term) {
    if (term == "0") return;
    text += text.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    text += term;
  };
  if (start.size != ir::no_extent) add(start.sign < 0, size_name(g_.resolve(start.size)));
  if (start.plus != 0) add(start.plus < 0, std::to_string(start.plus < 0 ? -start.plus : start.plus));
  if (by_i != 0) add(by_i < 0, i);
  if (by_j != 0) add(by_j < 0, j);
  if (text.empty()) return "0";
  if (text.find(' ') == std::string::npos || text == i || text == j) return text;
  std::string& name = places_[text];
  if (name.empty()) {
    name = "at" + std::to_string(named_++);
    declared_ = true;
    out.line("const long " + name + " = " + text + ";");
  }
  return name;
}

/// One element of what accesses read from.
FUSECL_INLINE std::string value_emitter::element_of(writer& out, ir::node_id from, const std::string& row,
                                                    const std::string& col) {
  const ir::node& n = g_[from];
  if (n.is(ir::leaf_operations::row_index)) return "(int)" + row;
  if (n.is(ir::leaf_operations::col_index)) return "(int)" + col;
  const std::string& buffer = buffers_[static_cast<std::size_t>(from)];
  const bool matrix = n.is(ir::leaf_operations::matrix);
  if (!matrix && buffer.empty()) return emit(out, from).text;
  const std::string name = matrix ? "x" + std::to_string(n.index) : buffer;
  const ir::extent rows = g_.resolve(n.rows), cols = g_.resolve(n.cols);
  std::string at = "0";
  if (rows != ir::one && cols != ir::one)
    at = (row == "0" ? "" : row + " + ") + (col == "0" ? "0" : col + " * " + size_name(rows));
  else if (rows != ir::one || cols != ir::one)
    at = rows != ir::one ? row : col;
  const std::string pointer = elements ? elements(self, name, n.type) : name;
  return pointer + "[" + at + "]" + (n.type == scalar_type::boolean ? " != 0" : "");
}

/// Elements from other places: every lane's coordinates go through the maps, from the result to what is in
/// memory. Whole vectors are loaded where the lanes' elements are neighbours.
FUSECL_INLINE value_text value_emitter::emit_access(writer& out, ir::node_id id) {
  const ir::node& n = g_[id];
  const ir::node_id base = ir::accessed(g_, id);
  const ir::node& from = g_[base];
  const value_text& in_register = known[static_cast<std::size_t>(base)];
  if (!in_register.text.empty() && how_.in_order && ir::is_turned_vector(g_, n)) return in_register;
  const std::string& buffer = buffers_[static_cast<std::size_t>(base)];
  const bool matrix = from.is(ir::leaf_operations::matrix), in_memory = matrix || !buffer.empty();
  const std::string name = matrix ? "x" + std::to_string(from.index) : buffer;
  const int lanes = preamble_ ? 1 : how_.lanes;
  const std::string own = (in_memory ? name + "_at" : "v") + std::to_string(named_++);
  if (!preamble_ && how_.in_order && in_memory && ir::is_turned_vector(g_, n)) {
    value_text v = load(name, n, g_.resolve(n.rows), g_.resolve(n.cols));
    const int wide = v.uniform ? 1 : lanes;
    if (n.type == scalar_type::boolean)
      v.text = wide == 1 ? v.text + " != 0" : "convert_" + mask_type(wide) + "(" + v.text + ") != 0";
    return name_it(out, id, v, own);
  }
  const bool many_rows = g_.resolve(n.rows) != ir::one && !preamble_;
  const bool many_cols = g_.resolve(n.cols) != ir::one && !preamble_;
  const std::string zero = n.type == scalar_type::boolean ? "0" : literal(n.type, 0);
  const bool same_for_all = !(many_rows || (how_.crossing && many_cols));
  std::vector<std::string> each;
  bool conditional = false;
  int row_by_i = 1, col_by_i = 0;  // of all maps together
  for (int lane = 0; lane < (same_for_all ? 1 : lanes); ++lane) {
    std::string row = many_rows ? how_.lane_rows[static_cast<std::size_t>(lane)] : "0";
    std::string col = many_cols ? how_.lane_cols[static_cast<std::size_t>(lane)] : "0";
    std::string condition;
    const auto require = [&](const std::string& text) {
      condition += (condition.empty() ? "" : " && ") + text;
    };
    const auto guard = [&](ir::extent limit, const std::string& at) {
      if (limit != ir::no_extent) require(at + " >= 0 && " + at + " < " + size_name(g_.resolve(limit)));
    };
    row_by_i = 1, col_by_i = 0;
    for (ir::node_id k = id; k != base; k = g_[k].operands[0]) {
      const ir::access_map& m = g_[k].map;
      const std::string next_row = coordinate(out, m.row0, m.row_by_i, m.row_by_j, row, col);
      const std::string next_col = coordinate(out, m.col0, m.col_by_i, m.col_by_j, row, col);
      guard(m.row_limit, next_row);
      guard(m.col_limit, next_col);
      row = next_row;
      col = next_col;
      const int before = row_by_i;
      row_by_i = m.row_by_i * before + m.row_by_j * col_by_i;
      col_by_i = m.col_by_i * before + m.col_by_j * col_by_i;
    }
    if (matrix && from.view != matrix_cl_view::Entire && row != col)
      require(row +
              (from.view == matrix_cl_view::Lower   ? " >= "
               : from.view == matrix_cl_view::Upper ? " <= "
                                                    : " == ") +
              col);
    const std::string element = element_of(out, base, row, col);
    conditional = !condition.empty();
    each.push_back(conditional ? "(" + condition + ") ? " + element + " : " + zero : element);
    const ir::extent from_rows = g_.resolve(from.rows), from_cols = g_.resolve(from.cols);
    const bool neighbours = from_rows == ir::one   ? col_by_i == 1
                            : from_cols == ir::one ? row_by_i == 1
                                                   : row_by_i == 1 && col_by_i == 0;
    const bool whole =
        in_memory && !conditional && neighbours && !how_.crossing && lanes > 1 && !same_for_all;
    if (whole && n.type != scalar_type::boolean) {
      const std::string at = element.substr(element.rfind('[') + 1);
      const std::string pointer = element.substr(0, element.rfind('['));
      const std::string text =
          "vload" + std::to_string(lanes) + "(0, " + pointer + " + " + at.substr(0, at.size() - 1) + ")";
      return name_it(out, id, {text, 16, false}, own);
    }
  }
  if (each.size() == 1) return name_it(out, id, {each[0], 3, same_for_all || lanes == 1}, own);
  std::string text;
  for (const std::string& element : each)
    text += (text.empty() ? "" : ", ") + (n.type == scalar_type::boolean ? "-(" + element + ")" : element);
  const std::string type = n.type == scalar_type::boolean ? mask_type(lanes) : vector_type(n.type, lanes);
  return name_it(out, id, {"(" + type + ")(" + text + ")", 16, false}, own);
}

FUSECL_INLINE value_text value_emitter::emit_operation(writer& out, const ir::node& n) {
  const ir::operation& op = *n.op;
  const bool selects = op.types == ir::type_rule::selection;
  const scalar_type type = g_[n.operands[selects ? 1 : 0]].type;
  std::vector<value_text> operands(op.arity);
  bool uniform = true;
  for (int k = 0; k < op.arity; ++k) {
    operands[static_cast<std::size_t>(k)] = emit(out, n.operands[k]);
    uniform = uniform && operands[static_cast<std::size_t>(k)].uniform;
  }
  const int lanes = uniform ? 1 : how_.lanes;
  library_.require(op.uses, type, lanes);
  const std::string text = instantiate(op.opencl, type, lanes);
  for (int k = 0; k < op.arity; ++k) {  // an operand that the text repeats gets a name
    const std::string mark = "$" + std::to_string(k);
    const std::size_t first = text.find(mark);
    const bool repeated = first != std::string::npos && text.find(mark, first + 1) != std::string::npos;
    value_text& operand = operands[static_cast<std::size_t>(k)];
    if (repeated && operand.text.find_first_of(" (") != std::string::npos)
      operand = name_it(out, n.operands[k], operand, (preamble_ ? "u" : "v") + std::to_string(named_++));
  }
  const bool takes_single = op.precedence >= 9 && op.precedence < 16 && type != scalar_type::boolean;

  std::string result;
  for (std::size_t p = 0; p < text.size(); ++p) {
    const bool operand_here =
        text[p] == '$' && p + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[p + 1]));
    if (!operand_here) {
      result += text[p];
      continue;
    }
    std::size_t end = p + 1;  // of the operand's number
    int k = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
      k = 10 * k + (text[end++] - '0');
    const char before = p == 0 ? '\0' : text[p - 1];
    const char after = end < text.size() ? text[end] : '\0';
    const scalar_type operand_type = g_[n.operands[k]].type;
    const value_text& operand = operands[static_cast<std::size_t>(k)];
    std::string piece;
    int precedence = operand.precedence;
    if (selects && k == 0) {
      const std::size_t bytes =
          type == scalar_type::boolean ? static_cast<std::size_t>(mask_bytes_) : size_of(type);
      // a condition that is the same for all lanes stays a single value
      piece = operand.uniform ? operand.text : fitted_mask(operand, bytes, lanes);
      if (piece != operand.text) precedence = 16;
    } else {
      const bool splat = lanes > 1 && operand.uniform && !takes_single;
      piece = splat ? widened(operand, operand_type, lanes) : operand.text;
      if (splat) precedence = 16;
    }
    const bool argument = op.precedence == 16 && (before == '(' || before == ' ' || before == ',') &&
                          (after == ')' || after == ',');
    const int least = op.precedence == 16
                          ? 16
                          : op.precedence + 1 - (k == 0 && op.arity == 2 && op.precedence > 10 ? 1 : 0);
    result += argument || precedence >= least ? piece : "(" + piece + ")";
    p = end - 1;
  }
  const bool makes_mask = op.types == ir::type_rule::comparison || op.types == ir::type_rule::classify;
  if (makes_mask && lanes > 1 && static_cast<int>(size_of(type)) != mask_bytes_)
    return {"convert_" + mask_type(lanes) + "(" + result + ")", 16, false};
  return {result, op.precedence, uniform};
}

FUSECL_INLINE value_text value_emitter::emit(writer& out, ir::node_id id) {
  const auto at = static_cast<std::size_t>(id);
  if (!known[at].text.empty()) return known[at];
  if (is_uniform(id) && !uniform_values_[at].text.empty()) return uniform_values_[at];
  if (!preamble_ && !done_[at].text.empty()) return done_[at];
  const ir::node& n = g_[id];
  value_text v;
  if (n.op->kind == ir::op_class::leaf || n.op->kind == ir::op_class::reduction || !buffers_[at].empty())
    v = emit_leaf(out, id);
  else if (n.op->kind == ir::op_class::access)
    return done_[at] = emit_access(out, id);
  else if (n.op->kind == ir::op_class::cast)
    v = emit_cast(out, n);
  else if (n.op->kind == ir::op_class::broadcast)
    v = emit(out, n.operands[0]);
  else
    v = emit_operation(out, n);
  constexpr std::size_t longest_inline = 60;
  const bool trivial = v.precedence == 16 && v.text.size() <= 8 && v.text.find('(') == std::string::npos;
  if (n.op->kind != ir::op_class::leaf && !trivial && (uses_[at] > 1 || v.text.size() > longest_inline))
    v = name_it(out, id, v, (preamble_ ? "u" : "v") + std::to_string(named_++));
  if (!preamble_) done_[at] = v;
  return v;
}

FUSECL_INLINE void value_emitter::pin(writer& out, ir::node_id id) {
  const auto at = static_cast<std::size_t>(id);
  if (is_uniform(id) || !known[at].text.empty()) return;
  const value_text v = emit(out, id);
  const bool is_name = v.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
  done_[at] = is_name ? v : name_it(out, id, v, "v" + std::to_string(named_++));
}

FUSECL_INLINE std::string value_emitter::value(writer& out, ir::node_id id) {
  return widened(emit(out, id), g_[id].type, how_.lanes);
}

FUSECL_INLINE std::string value_emitter::stored(writer& out, ir::node_id id) {
  const std::string text = value(out, id);
  if (g_[id].type != scalar_type::boolean) return text;
  if (how_.lanes == 1) return "(uchar)(" + text + ")";
  return "convert_" + vector_type(scalar_type::boolean, how_.lanes) + "(-(" + text + "))";
}

FUSECL_INLINE void value_emitter::store_part(writer& out, const ir::root_place& place,
                                             const std::string& name, ir::node_id id,
                                             const std::string& text) {
  const ir::node& n = g_[id];
  const ir::access_map& m = place.map;
  const bool many_rows = g_.resolve(n.rows) != ir::one, many_cols = g_.resolve(n.cols) != ir::one;
  const auto element = [&](int lane) {
    const std::string i = many_rows ? how_.lane_rows[static_cast<std::size_t>(lane)] : "0";
    const std::string j = many_cols ? how_.lane_cols[static_cast<std::size_t>(lane)] : "0";
    const std::string row = coordinate(out, m.row0, m.row_by_i, m.row_by_j, i, j);
    const std::string col = coordinate(out, m.col0, m.col_by_i, m.col_by_j, i, j);
    return row + " + " + col + " * " + size_name(g_.resolve(place.rows));
  };
  if (how_.lanes == 1) return out.line(name + "[" + element(0) + "] = " + text + ";");
  const std::string lanes = std::to_string(how_.lanes);
  if (m.row_by_i == 1 && m.col_by_i == 0 && !how_.crossing)
    return out.line("vstore" + lanes + "(" + text + ", 0, " + name + " + " + element(0) + ");");
  const std::string whole = "v" + std::to_string(named_++);
  declared_ = true;
  out.line("const " + vector_type(n.type, how_.lanes) + " " + whole + " = " + text + ";");
  for (int lane = 0; lane < how_.lanes; ++lane)
    out.line(name + "[" + element(lane) + "] = " + whole + ".s" + "0123456789abcdef"[lane] + ";");
}

}  // namespace fusecl::codegen
