// Sorted vectors: every type, both directions, lengths around runs and groups, NaN, equal elements.

#include <algorithm>
#include <cmath>
#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

template <class T>
class Sort : public ::testing::Test {};
using types = ::testing::Types<double, float, int, bool, unsigned, std::int64_t>;
TYPED_TEST_SUITE(Sort, types);

TYPED_TEST(Sort, AscendingAndDescending) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF((any_double<T>));
  in_both_forms([] {
    for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 64, 65, 1000, 4097, 70001}) {
      const auto x = random_matrix<T>(n, 1, matrix_cl_view::Entire, -50, 50);
      host<T> wanted = x.to_host();
      std::sort(wanted.data(), wanted.data() + n);
      EXPECT_EQ(from_matrix_cl(sort_asc(x)), wanted) << n;
      EXPECT_EQ(from_matrix_cl(sort_desc(transpose(x))), host<T>(wanted.reverse().transpose())) << n;
    }
  });
}

TEST(SortOf, NaNComesLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const matrix_cl<float> x(Eigen::RowVectorXf{{1, nan, -infinity, 3, nan, infinity, 0}});
  const auto rising = sort_asc(x).to_host(), falling = sort_desc(x).to_host();
  EXPECT_EQ(host<float>(rising.leftCols(5)), (host<float>(1, 5) << -infinity, 0, 1, 3, infinity).finished());
  EXPECT_EQ(host<float>(falling.leftCols(5)), (host<float>(1, 5) << infinity, 3, 1, 0, -infinity).finished());
  for (const auto& sorted : {rising, falling}) EXPECT_TRUE(std::isnan(sorted(5)) && std::isnan(sorted(6)));
}

TEST(SortOf, ExpressionsAndViews) {
  const auto x = random_matrix<float>(1, 9), lower = random_matrix<float>(1, 9, matrix_cl_view::Lower);
  host<float> wanted = -x.to_host(), first = lower.to_host();
  std::sort(wanted.data(), wanted.data() + 9);
  std::sort(first.data(), first.data() + 9);
  EXPECT_EQ(from_matrix_cl(sort_asc(-x)), wanted);
  EXPECT_EQ(from_matrix_cl(sort_asc(lower)), first);
  EXPECT_THROW(sort_asc(random_matrix<float>(2, 2)), std::invalid_argument);
  EXPECT_THROW(sort_desc(random_matrix<float>(2, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace fusecl
