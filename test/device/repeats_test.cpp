// Operands, sub-expressions and scalars that repeat: computed once, and never confused with expressions of
// the same type that differ only in what repeats, whichever is evaluated first.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The kernels that evaluate an expression into a fresh matrix.
template <class E>
std::string kernels(const E& e) {
  return e.get_kernel_source_for_evaluating_into(matrix_cl<value_type_of<const E&>>());
}

/// Multiplications in the kernels beyond those that any kernel of this shape has for its addresses.
template <class E>
long multiplications(const E& e, const matrix& plain) {
  return static_cast<long>(count(kernels(e), " * ")) - static_cast<long>(count(kernels(-plain), " * "));
}

/// Every way in which three operands can repeat.
const int partitions[][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 2}, {2, 1, 0}, {1, 1, 0}};

template <class F>
void check_partitions(F f, bool backwards) {
  const matrix m[] = {random_matrix<float>(9, 5), random_matrix<float>(9, 5), random_matrix<float>(9, 5)};
  constexpr int n = std::size(partitions);
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < n; ++k) {
      const int* p = partitions[backwards ? n - 1 - k : k];
      f(m[p[0]], m[p[1]], m[p[2]]);
    }
}

/// Both sides of a comparison with Eigen: an expression of either kind, evaluated.
template <class E>
auto evaluated(const E& e) {
  if constexpr (expression_like<E>)
    return matrix(e);
  else
    return host<float>(e);
}

/// Against Eigen and not the interpreter, whose graph comes from the same key. Small integers: exact.
template <class F>
void check_partitions_by_hand(F f, bool backwards) {
  host<float> h[3];
  matrix m[3];
  for (int k = 0; k < 3; ++k) m[k] = matrix(h[k] = random_host<int>(9, 5).cast<float>());
  constexpr int n = std::size(partitions);
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < n; ++k) {
      const int* p = partitions[backwards ? n - 1 - k : k];
      const matrix actual = f(m[p[0]], m[p[1]], m[p[2]]);
      expect_same<float>(from_matrix_cl(actual), f(h[p[0]], h[p[1]], h[p[2]]));
    }
}
TEST(Repeats, OfOperandsInEitherOrder) {
  const auto f = [](const auto& x, const auto& y, const auto& z) { return x + 2.0f * y - 3.0f * z; };
  const auto g = [](const auto& x, const auto& y, const auto& z) { return x - 2.0f * y + 3.0f * z; };
  check_partitions_by_hand([&](const auto& x, const auto& y, const auto& z) { return evaluated(f(x, y, z)); },
                           false);
  check_partitions_by_hand([&](const auto& x, const auto& y, const auto& z) { return evaluated(g(x, y, z)); },
                           true);
}

TEST(Repeats, OfFusedOperandsInEitherOrder) {
  check_partitions([](auto& x, auto& y, auto& z) { expect_matches_reference(elt_multiply(x, y) + z); },
                   false);
  check_partitions([](auto& x, auto& y, auto& z) { expect_matches_reference(elt_multiply(x, y) - z); }, true);
}

TEST(Repeats, OfReducedOperandsInEitherOrder) {
  check_partitions([](auto& x, auto& y, auto& z) { expect_matches_reference(x - sum(y) + max_2d(z)); },
                   false);
  check_partitions([](auto& x, auto& y, auto& z) { expect_matches_reference(x + sum(y) - max_2d(z)); }, true);
}

TEST(Repeats, AcrossResultsInEitherOrder) {
  check_partitions(
      [](auto& x, auto& y, auto& z) { EXPECT_ALL_MATCH_REFERENCE(x + 1, y + 2, rowwise_sum(z)); }, false);
  check_partitions(
      [](auto& x, auto& y, auto& z) { EXPECT_ALL_MATCH_REFERENCE(x + 1, y + 2, colwise_sum(z)); }, true);
}

template <class F>
void check_shared(F f, bool backwards) {
  const auto a = random_matrix<float>(9, 5), b = random_matrix<float>(9, 5);
  const auto s = shared(exp(a)), t = shared(exp(a)), u = shared(exp(b));
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < 4; ++k) switch (backwards ? 3 - k : k) {
        case 0:
          f(s, s);
          break;
        case 1:
          f(s, t);
          break;
        case 2:
          f(s, u);
          break;
        case 3:
          f(u, s);
          break;
      }
}

TEST(Repeats, OfSharedExpressionsInEitherOrder) {
  check_shared([](const auto& x, const auto& y) { expect_matches_reference(x * 3 + y); }, false);
  check_shared([](const auto& x, const auto& y) { expect_matches_reference(x * 3 - y); }, true);
}

TEST(Repeats, OfOneMemoryUnderDifferentViewsAreDifferentOperands) {
  matrix a(random_host<float>(9, 9));
  const auto whole = a.leaf();
  a.view(matrix_cl_view::Lower);
  const auto lower = a.leaf();
  a.view(matrix_cl_view::Upper);
  const auto upper = a.leaf();
  expect_matches_reference(whole * 2 + lower);
  expect_matches_reference(lower * 2 + whole);
  expect_matches_reference(lower * 2 + upper);
  expect_matches_reference(lower * 2 + lower);
}

TEST(Repeats, OfScalarsAreDistinctArguments) {
  const auto a = random_matrix<float>(9, 5);
  const float values[] = {0, 1, 3, 4, -0.0f, 2, 0.1f};
  for (const float x : values)
    for (const float y : values) expect_matches_reference((a + x) * y + x);
}

TEST(Repeats, OfSizesDoNotMatter) {
  for (const auto [rows, cols] : all_sizes()) {
    const auto a = random_matrix<float>(rows, cols);
    expect_matches_reference(a * 5 + sum(a) + rowwise_broadcast(rowwise_max(a)));
  }
}

TEST(Repeats, AreComputedOnce) {
  const auto a = random_matrix<float>(64, 9), b = random_matrix<float>(64, 9);
  const auto e = exp(a);
  EXPECT_EQ(count(kernels(exp(b)), "exp("), count(kernels(e + elt_multiply(e, e) - b), "exp("));
  const auto text = kernels(exp(a) + elt_multiply(exp(a), exp(a)));
  EXPECT_EQ(count(kernels(exp(b)), "exp("), count(text, "exp(")) << text;
  EXPECT_EQ(multiplications(elt_multiply(a, b) + elt_multiply(b, a), a), 1);
}

template <int Levels, class E>
auto squared(const E& e) {
  if constexpr (Levels == 0)
    return e;
  else
    return squared<Levels - 1>(elt_multiply(e, e));
}

template <int Levels, class E>
auto squared_shared(const E& e) {
  if constexpr (Levels == 0)
    return e;
  else
    return squared_shared<Levels - 1>(shared(elt_multiply(e, e)));
}

TEST(Repeats, TwelveSquaringsAreTwelveMultiplications) {
  const matrix a(host<float>(random_host<float>(8, 9, 0.999, 1.001)));
  const auto e = squared<12>(a.leaf());
  EXPECT_EQ(multiplications(e, a), 12) << kernels(e);
  expect_matches_reference(e);
  EXPECT_EQ(multiplications(squared_shared<12>(a.leaf()), a), 12);
  expect_matches_reference(squared_shared<12>(a.leaf()));
}

TEST(Shared, CostsWhatItsDistinctNodesCost) {
  const auto a = random_matrix<float>(8, 9);
  binder twelve, sixteen;
  squared_shared<12>(a.leaf()).gather(twelve);
  squared_shared<16>(a.leaf()).gather(sixteen);
  EXPECT_EQ(sixteen.key().size() - twelve.key().size(), 4 * 2u);  // two visits a level
}

TEST(Shared, OutlivesWhatItWasMadeFrom) {
  const auto make = [](const matrix& a) {
    const auto s = shared(a + 1);
    return elt_multiply(s, s);
  };
  const auto a = random_matrix<float>(9, 5);
  expect_matches_reference(make(a));
}

TEST(Shared, MayHoldReductionsAndScalars) {
  const auto a = random_matrix<float>(71, 33);
  const auto total = shared(sum(a));
  expect_matches_reference(a / total + total);
  const auto rows = shared(rowwise_max(a));
  expect_matches_reference(exp(a - rowwise_broadcast(rows)) + rowwise_broadcast(rows));
}

}  // namespace
}  // namespace fusecl
