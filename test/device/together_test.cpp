// Sums that follow from a reduction of the same elements: accumulated beside it in one pass, also where
// elements are infinite or NaN, and many reductions of one statement.

#include <cmath>
#include <regex>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Elements of a row, a column or everything, of which one may be special.
host<double> with(double special, size_pair size) {
  host<double> h = random_host<double>(size.rows, size.cols);
  if (special != 0) h(size.rows / 2, size.cols / 2) = special;
  return h;
}

/// One element, less than a vector, ragged, longer than a tile in either direction.
const std::vector<size_pair> some_sizes = {{1, 1}, {1, 7}, {7, 1}, {17, 33}, {64, 64}, {3, 4097}, {4097, 3}};

class Together : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
};

TEST_F(Together, PowersAndSquaresAreThoseOfTwoPasses) {
  in_both_forms([] {
    for (const size_pair size : some_sizes) {
      const matrix_cl<double> a(with(0, size));
      expect_matches_reference(rowwise_log_sum_exp(a));
      expect_matches_reference(rowwise_variance(a));
      expect_matches_reference(colwise_log_sum_exp(a));
      expect_matches_reference(colwise_variance(a));
      expect_matches_reference(log_sum_exp(a));
      expect_matches_reference(variance(a));
      // about something else than the mean, and less something else than the largest
      const auto third = rowwise_sum(a) / 3.0;
      expect_matches_reference(rowwise_sum(square(a - rowwise_broadcast(third))));
      const auto top = rowwise_max(a) + 0.5;
      expect_matches_reference(rowwise_sum(exp(a - rowwise_broadcast(top))));
    }
  });
}

/// What two passes give in long double: log_sum_exp, and the variance.
std::pair<double, double> two_passes(const host<double>& h) {
  const double top = h.maxCoeff<Eigen::PropagateNaN>(), shift = std::isfinite(top) ? top : 0;
  long double powers = 0, total = 0, squares = 0;
  for (double x : h.reshaped()) {
    powers += std::exp(static_cast<long double>(x - shift));
    total += x;
  }
  const long double mean = total / static_cast<long double>(h.size());
  for (double x : h.reshaped()) squares += (x - mean) * (x - mean);
  const auto less = static_cast<long double>(std::max<Eigen::Index>(h.size() - 1, 1));
  return {shift + static_cast<double>(std::log(powers)), static_cast<double>(squares / less)};
}

void expect_near_or_same(double found, double wanted, const char* what) {
  if (std::isfinite(wanted))
    EXPECT_NEAR(found, wanted, 1e-11 * (1 + std::fabs(wanted))) << what;
  else
    EXPECT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
        << what << ": " << found << " for " << wanted;
}

TEST_F(Together, InfinitiesAndNaNGiveWhatTwoPassesGive) {
  in_both_forms([] {
    for (const double special : {infinity, -infinity, std::nan("")})
      for (const size_pair size : some_sizes) {
        SCOPED_TRACE(std::to_string(special) + " in " + std::to_string(size.rows) + " x " +
                     std::to_string(size.cols));
        const host<double> h = with(special, size);
        const matrix_cl<double> a(h);
        const host<double> by_row = from_matrix_cl(matrix_cl<double>(rowwise_log_sum_exp(a)));
        const host<double> spread = from_matrix_cl(matrix_cl<double>(colwise_variance(a)));
        for (Eigen::Index i = 0; i < h.rows(); ++i)
          expect_near_or_same(by_row(i), two_passes(h.row(i)).first, "row");
        for (Eigen::Index j = 0; j < h.cols(); ++j)
          expect_near_or_same(spread(j), two_passes(h.col(j)).second, "column");
        expect_near_or_same(log_sum_exp(a), two_passes(h).first, "log_sum_exp");
        expect_near_or_same(variance(a), two_passes(h).second, "variance");
      }
    const matrix_cl<double> nothing_possible(host<double>(host<double>::Constant(9, 9, -infinity)));
    EXPECT_EQ(static_cast<double>(log_sum_exp(nothing_possible)), -infinity);
  });
}

TEST_F(Together, SquaresAboutANumberAreInfiniteWhereAnElementIs) {
  in_both_forms([] {
    for (const size_pair size : some_sizes)
      for (const std::int64_t place : {std::int64_t{0}, size.rows * size.cols - 1}) {
        host<double> h = random_host<double>(size.rows, size.cols);
        h.data()[place] = infinity;
        const matrix_cl<double> a(h);
        const host<double> by_row = from_matrix_cl(
            matrix_cl<double>(rowwise_sum(square(a - rowwise_broadcast(tanh(rowwise_sum(a)))))));
        for (Eigen::Index i = 0; i < h.rows(); ++i)
          EXPECT_EQ(std::isfinite(by_row(i)), i != place % size.rows) << by_row(i);
        EXPECT_EQ(by_row(place % size.rows), infinity);
        EXPECT_EQ(static_cast<double>(sum(square(a - tanh(sum(a))))), infinity);
      }
  });
}

TEST_F(Together, SquaresThatOverflowAreInfinite) {
  in_both_forms([] {
    for (const size_pair size : some_sizes) {
      if (size.rows * size.cols < 2) continue;
      host<double> h = host<double>::Zero(size.rows, size.cols);
      h(0) = 1.7e308;
      h.data()[h.size() - 1] = -1.7e308;
      EXPECT_EQ(static_cast<double>(variance(matrix_cl<double>(h))), infinity)
          << size.rows << " " << size.cols;
    }
  });
}

TEST_F(Together, NoElementsAddUpToZero) {
  in_both_forms([] {
    for (const size_pair size : std::vector<size_pair>{{5, 0}, {0, 5}, {0, 0}}) {
      const matrix_cl<double> a(size.rows, size.cols);
      const host<double> zeros = host<double>::Zero(size.rows, 1), flat = host<double>::Zero(1, size.cols);
      expect_same<double>(
          from_matrix_cl(matrix_cl<double>(rowwise_sum(exp(a - rowwise_broadcast(rowwise_max(a)))))), zeros);
      expect_same<double>(
          from_matrix_cl(matrix_cl<double>(colwise_sum(exp(a - colwise_broadcast(colwise_max(a)))))), flat);
      expect_same<double>(
          from_matrix_cl(matrix_cl<double>(rowwise_sum(square(a - rowwise_broadcast(log(rowwise_sum(a))))))),
          zeros);
      EXPECT_EQ(static_cast<double>(sum(exp(a - max_2d(a)))), 0);
      EXPECT_EQ(static_cast<double>(sum(square(a - log(sum(a))))), 0);
      EXPECT_EQ(static_cast<double>(log_sum_exp(a)), -infinity);
    }
  });
}

TEST_F(Together, AFarMeanCostsWhatItsRoundingCosts) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  in_both_forms([] {
    for (const double far : {1e8, -1e12}) {
      const host<double> h = (random_host<double>(300, 7).array() + far).matrix();
      const double wanted = two_passes(h).second, off = 16 * unit * far;
      EXPECT_NEAR(variance(matrix_cl<double>(h)), wanted, 1e-12 * wanted + off * off) << far;
      // an element far from all others: what a sum of as many elements loses
      host<double> outlier = random_host<double>(1, 4097);
      outlier(0) = far;
      const double spread = two_passes(outlier).second;
      EXPECT_NEAR(variance(matrix_cl<double>(outlier)), spread, 64 * 4097 * unit * spread) << far;
    }
  });
}

TEST_F(Together, OnePassIsEnough) {
  const matrix_cl<double> a(with(0, {711, 333}));
  matrix_cl<double> r;
  const auto launches = [&](auto statement) {
    statement();
    const counters before = runtime_counters();
    statement();
    return (runtime_counters() - before).launches;
  };
  EXPECT_LE(launches([&] { r = rowwise_log_sum_exp(a); }), 2u);
  EXPECT_LE(launches([&] { r = colwise_variance(a); }), 2u);
  EXPECT_LE(launches([&] { r = sum(exp(a - max_2d(a))); }), 2u);
  EXPECT_LE(launches([&] { r = sd(a); }), 2u);
}

/// Sums of `a` after each of N functions, side by side.
template <class A, std::size_t... Ks>
auto many_row_sums(const A& a, std::index_sequence<Ks...>) {
  return expressions(rowwise_sum(a * (1.5 + Ks))...);
}
template <class A, std::size_t... Ks>
auto many_sums(const A& a, std::index_sequence<Ks...>) {
  return expressions(sum(a * (1.5 + Ks))...);
}
template <std::size_t... Ks>
auto many_results(std::vector<matrix_cl<double>>& r, std::index_sequence<Ks...>) {
  return results(r[Ks]...);
}

TEST_F(Together, ManyReductionsTakeTurnsInLocalMemory) {
  in_both_forms([] {
    const host<double> h = with(0, {711, 333});
    const matrix_cl<double> a(h);
    constexpr std::size_t rows = 18, all = 30;
    std::vector<matrix_cl<double>> r(all);
    many_results(r, std::make_index_sequence<rows>()) = many_row_sums(a, std::make_index_sequence<rows>());
    for (std::size_t k = 0; k < rows; ++k) {
      const host<double> wanted = h.rowwise().sum() * (1.5 + static_cast<double>(k));
      EXPECT_TRUE(from_matrix_cl(r[k]).isApprox(wanted, 1e-12)) << k;
    }
    many_results(r, std::make_index_sequence<all>()) = many_sums(a, std::make_index_sequence<all>());
    for (std::size_t k = 0; k < all; ++k)
      EXPECT_NEAR(from_matrix_cl(r[k])(0), h.sum() * (1.5 + static_cast<double>(k)),
                  1e-13 * h.cwiseAbs().sum() * 32)
          << k;
    // some of them beside others
    matrix_cl<double> s, t, u, v, w, x;
    results(s, t, u, v, w, x) =
        expressions(rowwise_log_sum_exp(a), rowwise_variance(a), rowwise_sd(a * 2.0),
                    rowwise_log_sum_exp(a * 0.5), rowwise_variance(a * 3.0), rowwise_prod(a));
    expect_matches_reference(rowwise_sd(a * 2.0) + rowwise_variance(a * 3.0));
    for (Eigen::Index i = 0; i < h.rows(); ++i) {
      const double variance = two_passes(h.row(i)).second, largest = h.row(i).cwiseAbs().maxCoeff();
      EXPECT_NEAR(from_matrix_cl(t)(i), variance, 1e-12 * largest * largest);
      EXPECT_NEAR(from_matrix_cl(w)(i), 9 * variance, 1e-11 * largest * largest);
      EXPECT_NEAR(from_matrix_cl(v)(i), two_passes(h.row(i) * 0.5).first, 1e-12 * (10 + largest));
    }
  });
}

/// Bytes of local memory that the kernel with most of it declares.
std::size_t local_bytes(const std::string& source) {
  static const std::regex declaration(
      R"(local (int|uint|float|long|double)(\d*) \w+((?:\[\d+\])+);|kernel __)");
  static const std::regex extent(R"(\d+)");
  std::size_t most = 0, own = 0;
  for (std::sregex_iterator m(source.begin(), source.end(), declaration), end; m != end; ++m) {
    if ((*m)[1].str().empty()) own = 0;  // the next kernel
    if ((*m)[1].str().empty()) continue;
    std::size_t bytes = (*m)[1] == "long" || (*m)[1] == "double" ? 8 : 4;
    const std::string extents = (*m)[3];
    for (std::sregex_iterator e(extents.begin(), extents.end(), extent); e != end; ++e)
      bytes *= std::stoul(e->str());
    own += bytes * ((*m)[2].str().empty() ? 1 : std::stoul((*m)[2]));
    most = std::max(most, own);
  }
  return most;
}

TEST(TogetherOfFloats, ReductionsFitTheLeastLocalMemoryThereIs) {
  const schedule_as_before restored;
  set_schedule("gpu");
  const host<float> h = random_host<float>(8, 9000);
  const matrix_cl<float> a(h);
  matrix_cl<float> r, s, t;
  const auto list = expressions(rowwise_variance(a), rowwise_log_sum_exp(a), rowwise_sd(a * 0.5f));
  const std::size_t bytes = local_bytes(results(r, s, t).get_kernel_source_for_evaluating(list));
  EXPECT_GE(bytes, 2048u);   // where work-items exchange values without local memory
  EXPECT_LE(bytes, 24580u);  // with the number that says whether a group is the last
  EXPECT_LE(local_bytes(rowwise_variance(a).get_kernel_source_for_evaluating_into(r)), 24580u);
  if (!gpu_form_is_sound()) GTEST_SKIP() << "the driver compiles this form wrong at random";
  results(r, s, t) = list;
  for (Eigen::Index i = 0; i < h.rows(); ++i) {
    const auto [powers, spread] = two_passes(h.row(i).cast<double>());
    EXPECT_NEAR(from_matrix_cl(r)(i), spread, 1e-3);
    EXPECT_NEAR(from_matrix_cl(s)(i), powers, 1e-4);
    EXPECT_NEAR(from_matrix_cl(t)(i), std::sqrt(spread) / 2, 1e-4);
  }
}

TEST_F(Together, ResultsOfOneSizeAreOneLaunch) {
  const matrix_cl<double> a(with(0, {71, 33})), b(with(0, {71, 33}));
  matrix_cl<double> r, s;
  const auto both = [&] { results(r, s) = expressions(exp(a), exp(b)); };
  both();
  const counters before = runtime_counters();
  both();
  EXPECT_EQ((runtime_counters() - before).launches, 1u);
  expect_matches_reference(exp(b));
  EXPECT_TRUE(from_matrix_cl(s).isApprox(from_matrix_cl(b).array().exp().matrix()));
}

}  // namespace
}  // namespace fusecl
