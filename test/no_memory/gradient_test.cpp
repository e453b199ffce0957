// Gradients where the host has no memory left for one of them.

#include <support/delayed_queue.hpp>
#include <support/operands.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

#include "allocations.hpp"

namespace fusecl {
namespace {

using namespace test;

/// The first gradient is on its way to the user's memory when there is none for the second: that memory stays
/// as it was.
TEST(GradientWithoutMemory, IsNotWrittenAfterTheException) {
  constexpr std::size_t elements = 1237;
  const auto a = random_matrix<float>(7, 3), b = random_matrix<float>(elements, 1);
  const auto e = [&] { return sum(exp(a)) + sum(square(b)); };
  Eigen::MatrixXf by_a;
  std::vector<float> by_b;
  value_and_gradient_into(e(), wrt(a, b), by_a, by_b);  // built, and over
  EXPECT_EQ(by_b.size(), elements);
  by_a.setConstant(-1);
  std::vector<float> without_memory;
  {
    const delayed_queue late;
    failing_bytes = elements * sizeof(float);
    EXPECT_THROW(value_and_gradient_into(e(), wrt(a, b), by_a, without_memory), std::bad_alloc);
    failing_bytes = 0;
    EXPECT_TRUE(late.has_begun());
  }
  EXPECT_EQ(b.to_host().size(), static_cast<Eigen::Index>(elements));  // a later copy brings no other
  EXPECT_TRUE((by_a.array() == -1.0f).all());
  EXPECT_EQ(without_memory.size(), 0u);
}

}  // namespace
}  // namespace fusecl
