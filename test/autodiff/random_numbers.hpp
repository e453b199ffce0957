#pragma once
// What random graphs draw from.

#include <limits>
#include <random>

#include <fusion/ir/interpret.hpp>

namespace fusecl::test {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : random_(seed) {}

 protected:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }
  /// A float, so that both types see the same number.
  double real(double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random_));
  }
  template <class List>
  auto any_in(const List& list) {
    return list[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(std::size(list)) - 1))];
  }
  /// Puts NaN and infinities where the view leaves elements out.
  void hide_outside(matrix_cl_view view, ir::host_matrix& m) {
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    for (std::int64_t j = 0; j < m.cols; ++j)
      for (std::int64_t i = 0; i < m.rows; ++i)
        if (is_outside(view, i, j))
          m.values[static_cast<std::size_t>(i + j * m.rows)] = one_in(2) ? infinity : infinity - infinity;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace fusecl::test
