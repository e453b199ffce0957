// Every field of every operation record, checked against the others in one loop over the registry.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>

#include <fusion/codegen/values.hpp>
#include <fusion/expr/reductions.hpp>
#include <fusion/ir/interpret.hpp>
#include <fusion/ops/registry.hpp>

namespace fusecl {
namespace {

using ir::operation, ir::type_rule, ir::zero_rule;

/// Calls `check` for every record, with its name in the message of whatever fails.
template <class Check>
void for_each_record(Check check) {
  for (const operation* op : ops::registry()) {
    SCOPED_TRACE(std::string(op->name));
    check(*op);
  }
}
template <class Check>
void for_each_elementwise(Check check) {
  for_each_record([&](const operation& op) {
    if (op.kind == ir::op_class::elementwise) check(op);
  });
}

/// `count` values of the domain of operand `k`, its ends included.
list_of<long double> samples(const operation& op, int k, int count) {
  list_of<long double> values;
  const auto [low, high] = op.domain[k];
  for (int n = 0; n < count; ++n)
    values.push_back(low + (high - low) * static_cast<long double>(n) / (count - 1));
  return values;
}

/// Calls `check` with operands from all over the domain.
template <class Check>
void for_each_operands(const operation& op, Check check) {
  constexpr int counts[] = {0, 200, 23, 9};
  const int count = counts[op.arity];
  for (long double a : samples(op, 0, count))
    for (long double b : op.arity > 1 ? samples(op, 1, count) : list_of<long double>{0})
      for (long double c : op.arity > 2 ? samples(op, 2, count) : list_of<long double>{0}) {
        const long double x[] = {a, b, c};
        check(x);
      }
}

TEST(Registry, HasEveryTagUnderItsName) {
  std::size_t count = 0;
#define FUSECL_CHECK_TAG(NAME)                          \
  EXPECT_EQ(op::NAME::record().name, #NAME);            \
  EXPECT_EQ(op::NAME::record().types, op::NAME::types); \
  ++count;
  FUSECL_ALL_OPERATIONS(FUSECL_CHECK_TAG)
#undef FUSECL_CHECK_TAG
  EXPECT_EQ(ops::registry().size(), count);
}

TEST(Registry, NamesAreUniqueIdentifiers) {
  std::set<std::string_view> names;
  for_each_record([&](const operation& op) {
    EXPECT_TRUE(names.insert(op.name).second);
    EXPECT_TRUE(!op.name.empty() && std::isalpha(static_cast<unsigned char>(op.name[0])));
    for (char c : op.name) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  });
}

TEST(Registry, EveryFunctionIsUsableUnderItsName) {
  const test::placeholder<double> a(0), b(1), c(2);
  const test::placeholder<int> n(3);
#define FUSECL_CHECK_CALL(NAME, ...)                            \
  {                                                             \
    const ir::graph g = test::lowered(NAME(__VA_ARGS__)).graph; \
    EXPECT_TRUE(g[g.roots[0]].is(op::NAME::record())) << #NAME; \
  }
#define FUSECL_CHECK_UNARY(NAME) FUSECL_CHECK_CALL(NAME, a)
#define FUSECL_CHECK_BINARY(NAME) FUSECL_CHECK_CALL(NAME, a, b)
#define FUSECL_CHECK_SCALED(NAME) FUSECL_CHECK_CALL(NAME, a, n)
#define FUSECL_CHECK_TERNARY(NAME) FUSECL_CHECK_CALL(NAME, a, b, c)
  FUSECL_UNARY_FLOATING(FUSECL_CHECK_UNARY)
  FUSECL_UNARY_ARITHMETIC(FUSECL_CHECK_UNARY)
  FUSECL_UNARY_CLASSIFY(FUSECL_CHECK_UNARY)
  FUSECL_BINARY_FLOATING(FUSECL_CHECK_BINARY)
  FUSECL_BINARY_SCALED(FUSECL_CHECK_SCALED)
  FUSECL_TERNARY_FLOATING(FUSECL_CHECK_TERNARY)
}

TEST(Registry, OperatorsMakeTheirOperations) {
  const test::placeholder<double> a(0), b(1);
  const test::placeholder<int> i(2), k(3);
  const auto makes = [](const ir::graph& g, const operation& op) { return g[g.roots[0]].is(op); };
  EXPECT_TRUE(makes(test::lowered(a + b).graph, op::add::record()));
  EXPECT_TRUE(makes(test::lowered(a - b).graph, op::subtract::record()));
  EXPECT_TRUE(makes(test::lowered(a * 3.0).graph, op::multiply::record()));
  EXPECT_TRUE(makes(test::lowered(elt_multiply(a, b)).graph, op::multiply::record()));
  EXPECT_TRUE(makes(test::lowered(elt_divide(a, b)).graph, op::divide::record()));
  EXPECT_TRUE(makes(test::lowered(elt_divide(i, k)).graph, op::integer_divide::record()));
  EXPECT_TRUE(makes(test::lowered(i % k).graph, op::modulo::record()));
  EXPECT_TRUE(makes(test::lowered(a < b).graph, op::less::record()));
  EXPECT_TRUE(makes(test::lowered(a <= b).graph, op::less_or_equal::record()));
  EXPECT_TRUE(makes(test::lowered(a > b).graph, op::greater::record()));
  EXPECT_TRUE(makes(test::lowered(a >= b).graph, op::greater_or_equal::record()));
  EXPECT_TRUE(makes(test::lowered(a == b).graph, op::equal::record()));
  EXPECT_TRUE(makes(test::lowered(a != b).graph, op::not_equal::record()));
  EXPECT_TRUE(makes(test::lowered(a < b && a > b).graph, op::logical_and::record()));
  EXPECT_TRUE(makes(test::lowered(a < b || a > b).graph, op::logical_or::record()));
  EXPECT_TRUE(makes(test::lowered(!(a < b)).graph, op::logical_not::record()));
  EXPECT_TRUE(makes(test::lowered(-a).graph, op::negate::record()));
  EXPECT_TRUE(makes(test::lowered(select(a < b, a, b)).graph, op::select::record()));
  EXPECT_TRUE(makes(test::lowered(rowwise_sum(a)).graph, op::sum::record()));
  EXPECT_TRUE(makes(test::lowered(colwise_max(a)).graph, op::max::record()));
  EXPECT_TRUE(makes(test::lowered(prod(a)).graph, op::prod::record()));
  EXPECT_TRUE(makes(test::lowered(min_2d(a)).graph, op::min::record()));
}

template <class Op, scalar_type A, scalar_type B>
void expect_equal_type_rules() {
  ir::graph g;
  const ir::node_id operands[] = {g.scalar(Op::types == type_rule::selection ? scalar_type::boolean : A, 0),
                                  g.scalar(Op::types == type_rule::selection ? A : B, 1), g.scalar(B, 2)};
  const scalar_type in_graph = g[g.apply(Op::record(), operands)].type;
  const scalar_type in_tree = Op::types == type_rule::selection
                                  ? detail::result_type(Op::types, scalar_type::boolean, A, B)
                              : Op::record().arity == 1 ? detail::result_type(Op::types, A)
                                                        : detail::result_type(Op::types, A, B);
  EXPECT_EQ(in_graph, in_tree) << Op::record().name << " of " << cpp_name(A) << " and " << cpp_name(B);
}
template <scalar_type A, scalar_type B>
void expect_equal_type_rules_of_all() {
  expect_equal_type_rules<op::add, A, B>();
  expect_equal_type_rules<op::exp, A, B>();
  expect_equal_type_rules<op::pow, A, B>();
  expect_equal_type_rules<op::less, A, B>();
  expect_equal_type_rules<op::logical_and, A, B>();
  expect_equal_type_rules<op::isnan, A, B>();
  expect_equal_type_rules<op::select, A, B>();
  expect_equal_type_rules<op::ldexp, A, B>();
}

TEST(Registry, TheGraphAndTheTypedTreeAgreeOnTypes) {
  []<std::size_t... K>(std::index_sequence<K...>) {
    (expect_equal_type_rules_of_all<static_cast<scalar_type>(K / 6), static_cast<scalar_type>(K % 6)>(), ...);
  }
  (std::make_index_sequence<36>{});
}

TEST(Registry, TheTextUsesEveryOperand) {
  for_each_record([](const operation& op) {
    const int operands = ir::is_collective(op.kind) ? 2 : op.arity;
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(op.opencl.find("$" + std::to_string(k)) != std::string_view::npos, k < operands)
          << "operand " << k;
  });
}

/// Precedence of a C expression, by its weakest operator outside of parentheses.
int precedence_of(std::string_view text) {
  int depth = 0, weakest = 16;
  for (std::size_t p = 0; p < text.size(); ++p) {
    const char c = text[p], next = p + 1 < text.size() ? text[p + 1] : '\0';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > 0) continue;
    const bool leading = p == 0;
    int here = 16;
    if (c == '?') here = 3;
    if (c == '|' && next == '|') here = 4;
    if (c == '&' && next == '&') here = 5;
    if ((c == '=' || c == '!') && next == '=') here = 9;
    if (c == '<' || c == '>') here = 10;
    if (c == '+' || c == '-') here = leading ? 14 : 12;
    if (c == '*' || c == '/' || c == '%') here = 13;
    if (c == '!' && next != '=') here = 14;
    weakest = std::min(weakest, here);
  }
  return weakest;
}

TEST(Registry, ThePrecedenceIsThatOfTheText) {
  for_each_record(
      [](const operation& op) { EXPECT_EQ(op.precedence, precedence_of(op.opencl)) << op.opencl; });
}

/// Names of the device functions that a text calls or defines: what stands before "$S(".
std::set<std::string> suffixed_names(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t at = text.find("$S("); at != std::string_view::npos; at = text.find("$S(", at + 1)) {
    std::size_t start = at;
    while (start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) || text[start - 1] == '_'))
      --start;
    names.insert(std::string(text.substr(start, at - start)));
  }
  return names;
}
std::set<std::string> names_of(const ir::device_function* const* uses) {
  std::set<std::string> names;
  for (; uses != nullptr && *uses != nullptr; ++uses) names.insert(std::string((*uses)->name));
  return names;
}
/// A function defines itself, calls exactly what it says it uses, and so do those.
void expect_consistent(const ir::device_function& f) {
  SCOPED_TRACE(std::string(f.name));
  for (std::string_view text : {f.text, f.text_float.empty() ? f.text : f.text_float}) {
    std::set<std::string> names = suffixed_names(text);
    EXPECT_EQ(names.erase(std::string(f.name)), 1u) << "is not defined";
    for (const std::string& name : names_of(f.uses)) names.erase(name);
    EXPECT_TRUE(names.empty()) << *names.begin() << " is called and not listed";
  }
  if (!f.text_ptx.empty()) {
    std::set<std::string> own = suffixed_names(f.text_ptx);
    EXPECT_EQ(own.erase(std::string(f.name)), 1u) << "is not defined by PTX";
    EXPECT_EQ(own, names_of(f.uses_ptx));
  }
  const std::set<std::string> called = suffixed_names(std::string(f.text) + std::string(f.text_float));
  for (const std::string& name : names_of(f.uses))
    EXPECT_TRUE(called.contains(name)) << name << " is listed and not called";
  for (auto uses : {f.uses, f.uses_ptx})
    for (; uses != nullptr && *uses != nullptr; ++uses) expect_consistent(**uses);
}

TEST(Registry, DeviceFunctionsAreThoseTheTextCalls) {
  for_each_record([](const operation& op) {
    EXPECT_EQ(suffixed_names(op.opencl), names_of(op.uses));
    if (op.by_ptx) {
      EXPECT_EQ(op.arity, 1);
      EXPECT_FALSE(op.by_ptx->text_ptx.empty());
      expect_consistent(*op.by_ptx);
    }
    if (op.by_same) {
      EXPECT_EQ(op.arity, 2);
      expect_consistent(*op.by_same->prepare);
      expect_consistent(*op.by_same->apply);
    }
    for (auto uses = op.uses; uses != nullptr && *uses != nullptr; ++uses) expect_consistent(**uses);
  });
}

TEST(Registry, TextsInstantiateForEveryTypeAndWidth) {
  for_each_record([](const operation& op) {
    for (scalar_type type : {scalar_type::float64, scalar_type::float32})
      for (int lanes : {1, 4, 16}) {
        codegen::function_library library;
        library.require(op.uses, type, lanes);
        EXPECT_EQ(library.text().find('$'), std::string::npos) << library.text();
        EXPECT_EQ(std::count(library.text().begin(), library.text().end(), '{'),
                  std::count(library.text().begin(), library.text().end(), '}'));
      }
  });
}

TEST(Registry, TheHostFunctionIsFiniteOnTheDomain) {
  for_each_elementwise([](const operation& op) {
    for (int k = 0; k < op.arity; ++k) EXPECT_LT(op.domain[k].low, op.domain[k].high);
    for_each_operands(op, [&](const long double* x) {
      const bool by_zero =
          (op.name.ends_with("divide") || op.name == "fmod" || op.name == "modulo") && x[1] == 0;
      EXPECT_TRUE(by_zero || std::isfinite(op.host(x))) << x[0] << " " << x[1];
    });
  });
}

/// The reference for whole-numbered operands, where integers follow a rule of their own.
long double host(const operation& op, const long double* x) {
  const bool integers_only = &op == &op::integer_divide::record() || &op == &op::modulo::record();
  return integers_only ? ir::interpret_element(op, scalar_type::int64, scalar_type::int64, x) : op.host(x);
}

TEST(Registry, TheZeroRuleIsThatOfTheHostFunction) {
  for_each_elementwise([](const operation& op) {
    const long double zeros[3] = {};
    if (op.at_zero != zero_rule::numerator) {
      EXPECT_EQ(host(op, zeros) == 0, op.at_zero != zero_rule::never);
    }
    for_each_operands(op, [&](const long double* x) {
      long double y[] = {x[0], x[1], x[2]};
      if (op.at_zero == zero_rule::any)
        for (int k = 0; k < op.arity; ++k) {
          std::copy(x, x + 3, y);
          y[k] = 0;
          EXPECT_EQ(host(op, y), 0);
        }
      if (op.at_zero == zero_rule::numerator && x[1] != 0) {
        y[0] = 0;
        EXPECT_EQ(host(op, y), 0);
      }
      if (op.at_zero == zero_rule::branches) {
        y[1] = y[2] = 0;
        EXPECT_EQ(host(op, y), 0);
      }
    });
  });
}

TEST(Registry, AProductIsZeroForOneZeroOperandAndASumIsNot) {
  for_each_elementwise([](const operation& op) {
    if (op.arity != 2 || op.at_zero != zero_rule::all) return;
    bool always_zero = true;
    for (long double v : {3.0L, -3.0L}) {
      const long double left[] = {0, v}, right[] = {v, 0};
      always_zero = always_zero && host(op, left) == 0 && host(op, right) == 0;
    }
    EXPECT_FALSE(always_zero) << "could be zero_rule::any";
  });
}

TEST(Registry, TheCommutativeFlagIsThatOfTheHostFunction) {
  for_each_elementwise([](const operation& op) {
    if (op.arity != 2) {
      EXPECT_FALSE(op.commutative);
      return;
    }
    bool symmetric = true;
    for_each_operands(op, [&](const long double* x) {
      const long double swapped[] = {x[1], x[0]};
      const long double a = op.host(x), b = op.host(swapped);
      // a reference of several steps may round differently
      symmetric = symmetric && (a == b || std::fabs(a - b) <= 1e-17L * std::fabs(a));
    });
    EXPECT_EQ(symmetric, op.commutative);
  });
}

TEST(Registry, IntegersHaveAReferenceWhereResultsAreNotAlwaysFloating) {
  for_each_record([](const operation& op) {
    const bool floating =
        op.types == type_rule::floating || op.types == type_rule::classify || op.types == type_rule::scaled;
    EXPECT_NE(op.host, nullptr);
    EXPECT_EQ(op.host_integer == nullptr, floating);
  });
}

TEST(Registry, TheIntegerReferenceAgreesWithTheOtherOnSmallIntegers) {
  for_each_record([](const operation& op) {
    if (op.host_integer == nullptr) return;
    for (std::int64_t a = -5; a <= 5; ++a)
      for (std::int64_t b = -5; b <= 5; ++b)
        for (std::int64_t c = -1; c <= 1; ++c) {
          const std::int64_t integers[] = {a, b, c};
          const long double numbers[] = {static_cast<long double>(a), static_cast<long double>(b),
                                         static_cast<long double>(c)};
          EXPECT_EQ(static_cast<long double>(op.host_integer(integers)),
                    ir::rounded(scalar_type::int64, op.host(numbers)))
              << a << " " << b << " " << c;
        }
  });
}

TEST(Registry, NeutralElementsAreNeutral) {
  for_each_record([](const operation& op) {
    if (!ir::is_collective(op.kind)) return;
    for (long double v : {-3.5L, 0.0L, 1e300L}) {
      const long double left[] = {op.host(nullptr), v}, right[] = {v, op.host(nullptr)};
      EXPECT_EQ(op.host(left), v);
      EXPECT_EQ(op.host(right), v);
    }
  });
}

TEST(Registry, ReductionsAreCommutativeAndAssociative) {
  for_each_record([](const operation& op) {
    if (op.kind != ir::op_class::reduction) return;
    EXPECT_TRUE(op.commutative);
    const auto of = [&](long double a, long double b) {
      const long double pair[] = {a, b};
      return op.host(pair);
    };
    for (long double a : {-3.0L, 2.0L, 7.0L})
      for (long double b : {-1.0L, 4.0L}) {
        EXPECT_EQ(of(a, b), of(b, a));
        EXPECT_EQ(of(of(a, b), 5), of(a, of(b, 5)));
      }
  });
}

TEST(Registry, AccuracyAndCostArePlausible) {
  for_each_record([](const operation& op) {
    EXPECT_GE(op.ulp, 0.5f);
    EXPECT_LE(op.ulp, 64.0f);
    EXPECT_GT(op.cost, 0.0f);
    EXPECT_LE(op.cost, 1000.0f);
    EXPECT_TRUE(op.accuracy_note.empty() || op.accuracy_note.back() == '.') << "a note is a sentence";
  });
}

}  // namespace
}  // namespace fusecl
