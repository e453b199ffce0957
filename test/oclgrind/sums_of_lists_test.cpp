// Sums over lists, which work-items of a GPU share.

#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(SumsOfLists, OfWhatGoesToEachPlace) {
  for (const int count : {1, 3, 20})
    for (const int n : {4 * count, 300}) {
      std::vector<int> places(static_cast<std::size_t>(n));
      for (int k = 0; k < n; ++k) places[static_cast<std::size_t>(k)] = (k * 7 + k * k / 3) % count;
      const matrix_cl<int> g(places);
      const matrix_cl<float> v = constant(0.5f, count, 1), m = constant(0.25f, count, 2),
                             w = cast<float>((row_index(n, 2) + col_index(n, 2)) % 5);
      const auto e = sum(elt_multiply(col(w, 1), v[g])) + sum(elt_multiply(w, take_rows(m, g)));
      const auto found = value_and_gradient(e, wrt(v, m)).gradient;
      const host<float> weights = w.to_host();
      host<float> by_v = host<float>::Zero(count, 1), by_m = host<float>::Zero(count, 2);
      for (int k = 0; k < n; ++k) {
        const int place = places[static_cast<std::size_t>(k)];
        by_v(place) += weights(k, 0);
        by_m.row(place) += weights.row(k);
      }
      EXPECT_EQ(std::get<0>(found).to_host(), by_v) << count << " " << n;
      EXPECT_EQ(std::get<1>(found).to_host(), by_m) << count << " " << n;
    }
}

}  // namespace
}  // namespace fusecl
