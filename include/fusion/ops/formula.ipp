#pragma once
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/formula.hpp>
#include <fusion/ops/registry.hpp>

namespace fusecl::ops {
namespace detail {

/// Recursive descent over one formula; each function parses one level of precedence.
class formula_parser {
 public:
  formula_parser(ir::graph& g, std::string_view text, const ir::node_id* operands, ir::node_id result)
      : g_(g), text_(text), operands_(operands), result_(result) {}

  ir::node_id parse() {
    const ir::node_id value = selection();
    skip_blanks();
    if (at_ != text_.size()) fail("has something after its end");
    return value;
  }

 private:
  ir::node_id selection() {
    const ir::node_id condition = comparison();
    if (!take("?")) return condition;
    const ir::node_id yes = selection();
    if (!take(":")) fail("lacks a ':'");
    const ir::node_id operands[] = {condition, yes, selection()};
    return g_.apply(op::select::record(), operands);
  }

  ir::node_id comparison() {
    const ir::node_id left = sum();
    if (take("==")) return g_.apply(op::equal::record(), left, sum());
    if (take("!=")) return g_.apply(op::not_equal::record(), left, sum());
    if (take("<=")) return g_.apply(op::less_or_equal::record(), left, sum());
    if (take(">=")) return g_.apply(op::greater_or_equal::record(), left, sum());
    if (take("<")) return g_.apply(op::less::record(), left, sum());
    if (take(">")) return g_.apply(op::greater::record(), left, sum());
    return left;
  }

  ir::node_id sum() {
    ir::node_id left = product();
    for (;;) {
      if (take("+"))
        left = g_.apply(op::add::record(), left, product());
      else if (take("-"))
        left = g_.apply(op::subtract::record(), left, product());
      else
        return left;
    }
  }

  ir::node_id product() {
    ir::node_id left = unary();
    for (;;) {
      if (take("*"))
        left = g_.apply(op::multiply::record(), left, unary());
      else if (take("/"))
        left = g_.apply(op::divide::record(), left, unary());
      else
        return left;
    }
  }

  ir::node_id unary() {
    if (!take("-")) return primary();
    const ir::node_id operand = unary();
    const ir::node n = g_[operand];
    return n.is(ir::leaf_operations::constant) ? g_.constant(n.type, -n.value)
                                               : g_.apply(op::negate::record(), operand);
  }

  ir::node_id primary() {
    if (take("(")) {
      const ir::node_id value = selection();
      if (!take(")")) fail("lacks a ')'");
      return value;
    }
    if (take("$y")) return result_;
    if (take("$")) return operands_[text_[at_++] - '0'];
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    return std::isdigit(static_cast<unsigned char>(first)) ? number() : call();
  }

  ir::node_id number() {
    double value = 0;
    const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value).ptr;
    at_ = static_cast<std::size_t>(end - text_.data());
    return g_.constant(g_[result_].type, value);
  }

  ir::node_id call() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text::in_word(text_[at_])) ++at_;
    const ir::operation* op = find_operation(text_.substr(start, at_ - start));
    if (!op) fail("names an unknown operation");
    list_of<ir::node_id> operands;
    if (!take("(")) fail("lacks a '('");
    for (int k = 0; k < op->arity; ++k) {
      if (k > 0 && !take(",")) fail("has too few operands for an operation");
      operands.push_back(selection());
    }
    if (!take(")")) fail("lacks a ')'");
    return g_.apply(*op, operands.data());
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[noreturn]] void fail(const char* what) const {
    throw std::logic_error("formula \"" + std::string(text_) + "\" " + what + " at position " +
                           std::to_string(at_));
  }

  ir::graph& g_;
  std::string_view text_;
  const ir::node_id* operands_;
  ir::node_id result_;
  std::size_t at_ = 0;
};

}  // namespace detail

FUSECL_INLINE const ir::operation* find_operation(std::string_view name) {
  for (const ir::operation* record : registry())
    if (record->name == name) return record;
  return nullptr;
}

FUSECL_INLINE ir::node_id build_formula(ir::graph& g, std::string_view formula, const ir::node_id* operands,
                                        ir::node_id result) {
  return detail::formula_parser(g, formula, operands, result).parse();
}

}  // namespace fusecl::ops
