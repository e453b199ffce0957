// Moves of matrices where the host has no memory left.

#include <support/compare.hpp>

#include "allocations.hpp"

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<float>;

/// Calls `act` with the first, the second, ... of its allocations failing until all succeed.
template <class Act>
int fail_each_allocation(Act act) {
  for (int k = 0; k < 100; ++k) {
    allocations_left = k;
    const bool failed = act();
    allocations_left = -1;
    if (!failed) return k;
  }
  return 100;
}

template <class E>
void expect_values(const E& e, const host<float>& values) {
  EXPECT_EQ(from_matrix_cl(matrix(e)), values);
}

TEST(MoveWithoutMemory, AssignsWhatIsNamed) {
  const host<float> values = random_host<float>(3, 2), others = random_host<float>(2, 2);
  int failures = 0;
  for (const bool named_target : {false, true})
    for (const bool followed : {false, true})
      failures += fail_each_allocation([&] {
        const int allowed = std::exchange(allocations_left, -1);
        matrix first(values), b(others);
        auto e = first * 1.0f;
        matrix a = followed ? std::move(first) : matrix(values);
        if (!followed) e = a * 1.0f;
        auto f = b * 1.0f;
        if (!named_target) f = a * 1.0f;
        allocations_left = allowed;
        b = std::move(a);
        const bool failed = allocations_left < 0;
        allocations_left = -1;
        EXPECT_EQ(a.size(), 0);  // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(from_matrix_cl(b), values);
        expect_values(e, values);
        expect_values(f, values);
        a = matrix(others);
        EXPECT_EQ(from_matrix_cl(a), others);
        EXPECT_EQ(from_matrix_cl(b), values);
        return failed;
      });
  EXPECT_GE(failures, 4);
}

TEST(MoveWithoutMemory, MakesAMatrix) {
  const host<float> values = random_host<float>(3, 2);
  const int failures = fail_each_allocation([&] {
    const int allowed = std::exchange(allocations_left, -1);
    matrix a(values);
    const auto e = a * 1.0f;
    allocations_left = allowed;
    matrix b = std::move(a);
    const bool failed = allocations_left < 0;
    allocations_left = -1;
    EXPECT_EQ(a.size(), 0);  // NOLINT(bugprone-use-after-move)
    b += 1.0f;
    const host<float> wanted = (values.array() + 1).matrix();
    EXPECT_EQ(from_matrix_cl(b), wanted);
    expect_values(e, wanted);
    return failed;
  });
  EXPECT_GE(failures, 1);
}

TEST(MoveWithoutMemory, OfNothing) {
  const host<float> values = random_host<float>(3, 2);
  fail_each_allocation([&] {
    const int allowed = std::exchange(allocations_left, -1);
    matrix a, b(values);
    const auto e = b * 1.0f;
    allocations_left = allowed;
    b = std::move(a);
    const bool failed = allocations_left < 0;
    allocations_left = -1;
    EXPECT_EQ(b.size(), 0);
    EXPECT_EQ(matrix(e).size(), 0);
    b = matrix(values);
    expect_values(e, values);
    return failed;
  });
}

}  // namespace
}  // namespace fusecl
