// Threads that evaluate while another one selects.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <support/at_once.hpp>
#include <support/compare.hpp>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr std::string_view overtaken =
    "another thread made a selection while a statement of this one was in work";
constexpr std::string_view of_before = "was made on a device selected before";

/// Whether the message says that something was selected meanwhile, and which came first.
bool tells_of_a_selection(std::string_view message) {
  if (message.find(overtaken) != message.npos) return true;
  if (message.find(of_before) == message.npos) return false;
  const auto number_after = [&](std::string_view word) {
    return std::stoull(std::string(message.substr(message.find(word) + word.size(), 20)));
  };
  return number_after("(selection ") < number_after("now ");
}

TEST(ThreadsThatSelect, LeaveOthersTheirValueOrAClearError) {
  const host<float> values = random_host<float>(37, 29);
  const kernel_cl<in_buffer, out_buffer, int> twice(
      "twice",
      "kernel void twice(global const float* a, global float* b, "
      "int n) { b[get_global_id(0)] = 2 * a[get_global_id(0)]; }");
  std::atomic<bool> selecting = true;
  std::atomic<int> evaluated = 0;
  const auto evaluate = [&](bool by_hand) {
    const matrix_cl<float> a(values);
    matrix_cl<float> b(37, 29);
    if (by_hand)
      twice(cl::NDRange(static_cast<std::size_t>(values.size())), a, b, 0);
    else
      b = a + a;
    const host<float> found = matrix_cl<float>(b + colwise_broadcast(colwise_sum(a - a))).to_host();
    EXPECT_EQ(found, values + values);
  };
  evaluate(true);  // from now on the kernels are on disk
  evaluate(false);
  at_once([&](int t) {
    if (t == 0) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      for (int k = 0; k < 300 && std::chrono::steady_clock::now() < end; ++k) {
        runtime::select_anew();
        const int before = evaluated;
        if (k % 8 != 7) std::this_thread::sleep_for(std::chrono::milliseconds(k % 10));
        while (k % 8 == 7 && evaluated == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      selecting = false;
      return;
    }
    for (int k = 0; selecting; ++k) {
      try {
        evaluate(k % 2 == 0);
        ++evaluated;
      } catch (const error& e) {
        EXPECT_TRUE(tells_of_a_selection(e.what())) << e.what();
      }
    }
  });
  EXPECT_GT(evaluated, 0);
}

}  // namespace
}  // namespace fusecl
