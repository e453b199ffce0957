// The identity of a statement: two statements of one C++ type that have one key have one graph, whatever they
// differ in.

#include <array>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>

#include <fusion/autodiff/derivation.hpp>
#include <fusion/autodiff/parameter.hpp>
#include <fusion/eval/validate.hpp>
#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

/// A matrix of which everything is chosen at run time.
struct any_matrix : expression<any_matrix> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = false;
  matrix_operand operand;

  explicit any_matrix(const matrix_operand& m) : operand(m) {}
  std::int64_t rows() const { return operand.rows; }
  std::int64_t cols() const { return operand.cols; }
  void gather(binder& b) const { b.matrix(operand); }
  ir::node_id lower(lowering& low) const { return low.matrix(); }
};

/// A number with an identity that is chosen at run time.
struct any_parameter : expression<any_parameter> {
  static constexpr scalar_type type = scalar_type::float64;
  static constexpr bool is_scalar = true;
  void* identity;
  bool on_tape;

  any_parameter(void* id, bool tape) : identity(id), on_tape(tape) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar_variable(as_number(1.0), identity, on_tape); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
};

constexpr int matrices = 3, numbers = 2, parameters = 2;
char memory[16];

/// What two statements of the type below can differ in, as small numbers.
enum fact {
  slot_of = 0,
  view_of = slot_of + matrices,
  padding_of = view_of + matrices,
  density_of = padding_of + matrices,
  entry_of = density_of + matrices,
  type_of = entry_of + matrices,
  rows,
  cols,
  single_row,
  number_at,
  parameter_at = number_at + numbers,
  tape_of = parameter_at + parameters,
  sharing = tape_of + parameters,
  copies,
  rule,
  variables,
  further_uses,
  with_adjoint,
  given_type,
  result_type = given_type + 4,
  fact_count
};

struct facts {
  std::array<unsigned, fact_count> values{};
  unsigned operator[](int k) const { return values[static_cast<std::size_t>(k)]; }
  unsigned at(int first, int k) const { return values[static_cast<std::size_t>(first + k)]; }
};

matrix_operand operand_of(const facts& f, int k) {
  const unsigned which = f.at(slot_of, k) % matrices;
  matrix_operand m{memory + which, f[rows] % 2 ? 5 : 1, f[cols] % 2 ? 4 : 1};
  m.view = static_cast<matrix_cl_view>(f.at(view_of, k) % 4);
  m.padded = f.at(padding_of, k) % 2;
  m.dense = f.at(density_of, k) % 2;
  m.variable = f.at(entry_of, k) % 2 ? memory : nullptr;
  return m;
}

struct identified {
  std::vector<std::uint32_t> key;
  ir::graph graph;
};

/// The operand that the last use is of.
std::size_t last_operand(const list_of<passes::variable>& used) {
  return static_cast<std::size_t>(used.back().number);
}

template <class E>
identified statement_of(const facts& f, const E& e) {
  binder bound;
  e.gather(bound);
  const void* expressions[] = {&e};
  matrix_cl<double> target;
  detail::result_slot slot{&target, scalar_type::float64, 5, 4, "the result"};
  const detail::statement value{nullptr, expressions, detail::lower_nth<E>, &slot, 1};
  if (f[rule] % 4 == 0)
    return {{bound.key().begin(), bound.key().end()}, detail::lower_statement(value, bound)};
  const detail::derivation_rule* rules[] = {&detail::gradient_rule(), &detail::reverse_rule(),
                                            &detail::hessian_product_rule()};
  const unsigned chosen = f[rule] % 4 - 1;
  detail::derived_statement derived(value, bound, *rules[chosen]);
  const auto operands = static_cast<unsigned>(bound.matrices().size());
  list_of<passes::variable> used;
  for (unsigned k = 0; k < operands; ++k) {
    if ((f[variables] >> k & 1) == 0) continue;
    const auto& m = bound.matrices()[k];
    const bool fits = !used.empty() && m.rows == bound.matrices()[last_operand(used)].rows &&
                      m.cols == bound.matrices()[last_operand(used)].cols;
    used.push_back({true, k, fits && (f[further_uses] >> k & 1)});
  }
  for (unsigned k = 0; k < bound.scalars().size(); ++k)
    if (bound.scalars()[k].on_tape) used.push_back({false, k});
  for (const passes::variable& v : used) derived.differentiate_by(v);
  const auto given = [&](unsigned k) {
    const auto type =
        f.at(given_type, static_cast<int>(k % 4)) % 2 ? scalar_type::float32 : scalar_type::float64;
    return matrix_operand{memory + 8 + k, f[rows] % 2 ? 5 : 1, f[cols] % 2 ? 4 : 1, type};
  };
  if (chosen != 1) derived.add_result(slot);
  if (chosen == 1) derived.give(detail::root_name::seed, 0, given(7));
  if (chosen == 1 && f[with_adjoint] & 4) derived.give(detail::root_name::kept, 0, given(6));
  const auto type = f[result_type] % 2 ? scalar_type::float32 : scalar_type::float64;
  const detail::result_slot partial{&target, type, 5, 4, "a derivative"};
  unsigned count = 0;
  for (const passes::variable& v : used) {
    if (v.again) continue;
    if (chosen == 1 && v.matrix && f[with_adjoint] >> count & 1)
      derived.give(detail::root_name::adjoint, count, given(count));
    if (chosen == 2) derived.give(detail::root_name::direction, count, given(count));
    derived.add_result(partial);
    ++count;
  }
  for (unsigned k = 0; chosen == 2 && k < count; ++k) derived.add_result(partial);
  const detail::statement& whole = derived.complete();
  return {{bound.key().begin(), bound.key().end()}, detail::lower_statement(whole, bound)};
}

identified made_of(const facts& f) {
  const any_matrix a(operand_of(f, 0)), b(operand_of(f, 1)), c(operand_of(f, 2));
  constexpr double values[] = {0, 1, -1, 2, 0.5, -0.0, 3, 0.3};
  const double s = values[f.at(number_at, 0) % 8], t = values[f.at(number_at, 1) % 8];
  const auto scalar = [&](int k) {
    const unsigned which = f.at(parameter_at, k) % parameters;
    return any_parameter(memory + 4 + which, f.at(tape_of, static_cast<int>(which)) % 2);
  };
  const auto d = optional_broadcast<true, true>(
      any_matrix({memory + 3, f[single_row] % 2 ? a.rows() : 1, f[single_row] % 2 ? a.cols() : 1}));
  const auto x = shared(exp(a)), y = shared(exp(a));
  const auto& z = f[sharing] % 2 ? x : y;
  const scalar_leaf<double> first(s), second = f[copies] % 2 ? first : scalar_leaf<double>(t);
  return statement_of(
      f, elt_multiply(b * first * scalar(0), a + second) - (c + d) * scalar(1) + elt_multiply(x, z));
}

TEST(Identity, StatementsThatShareAKeyShareAGraph) {
  const char* given = std::getenv("FUSECL_TEST_PAIRS");
  const int pairs = given != nullptr ? std::atoi(given) : 4000;
  const char* seed = std::getenv("FUSECL_TEST_SEED");
  std::mt19937_64 random(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20240607);
  int shared_keys = 0, different = 0;
  for (int k = 0; k < pairs; ++k) {
    facts f;
    for (unsigned& value : f.values) value = static_cast<unsigned>(random() % 8);
    facts g = f;
    const std::size_t changed = random() % fact_count;
    g.values[changed] = static_cast<unsigned>(random() % 8);
    const identified one = made_of(f), other = made_of(g);
    const std::string difference = detail::graph_difference(one.graph, other.graph);
    different += !difference.empty();
    if (one.key != other.key) continue;
    ++shared_keys;
    ASSERT_EQ(difference, "") << "pair " << k << ", fact " << changed << " is " << f.values[changed]
                              << " and " << g.values[changed];
  }
  EXPECT_GT(shared_keys, pairs / 10);
  EXPECT_GT(different, pairs / 10);
}

std::uint32_t word_of(const matrix_operand& m) {
  binder bound;
  bound.matrix(m);
  return bound.key()[0];
}

TEST(Identity, AMatrixsWordHoldsEverythingAboutIt) {
  const matrix_operand plain{memory, 5, 4};
  const auto with = [&](auto change) {
    matrix_operand m = plain;
    change(m);
    return word_of(m);
  };
  EXPECT_EQ(word_of(plain), with([](matrix_operand& m) { m.rows = 7, m.cols = 9, m.storage = memory + 1; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.rows = 1; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.cols = 1; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.type = scalar_type::float32; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.view = matrix_cl_view::Lower; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.padded = false; }));
  EXPECT_NE(word_of(plain), with([](matrix_operand& m) { m.dense = false; }));
}

TEST(Identity, AScalarsWordTellsWhatItIs) {
  const auto word = [](bool on_tape) {
    binder bound;
    bound.scalar_variable(2.0, memory, on_tape);
    return bound.key()[0];
  };
  binder folded, ordinary, of_float;
  folded.scalar(2.0, 1);
  folded.scalar(2.0, 1);
  ordinary.scalar(3.0, 1);
  ordinary.scalar(3.0, 1);
  of_float.scalar(3.0f, 1);
  EXPECT_EQ(folded.key()[1], ordinary.key()[1]);  // that its value is in the key says the first use
  const std::array words = {word(false),       word(true),        folded.key()[0],
                            ordinary.key()[0], ordinary.key()[1], of_float.key()[0]};
  for (std::size_t k = 0; k < words.size(); ++k)
    for (std::size_t other = 0; other < k; ++other) EXPECT_NE(words[k], words[other]);
}

}  // namespace
}  // namespace fusecl
