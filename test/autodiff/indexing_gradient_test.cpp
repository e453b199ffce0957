// Gradients through elements at indices: against differences and forward accumulation, the same in every run,
// on the tape, in Hessian products, within likelihoods that read the design matrix once.

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/prepare.hpp>
#include <fusion/autodiff/var.hpp>

namespace fusecl {
namespace {

using namespace test;

matrix_cl<int> places(std::int64_t rows, std::int64_t cols, int size, int step = 7) {
  std::vector<int> numbers(static_cast<std::size_t>(rows * cols));
  for (std::size_t k = 0; k < numbers.size(); ++k)
    numbers[k] =
        static_cast<int>((k * static_cast<std::size_t>(step) + k * k / 3) % static_cast<std::size_t>(size));
  return matrix_cl<int>(numbers, rows, cols);
}

template <class T>
class IndexingGradient : public ::testing::Test {
 public:
  static constexpr double tolerance = std::is_same_v<T, double> ? 1e-7 : 5e-4;
};
using floating_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(IndexingGradient, floating_types);

TYPED_TEST(IndexingGradient, IsThatOfTheElementsRead) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    for (const matrix_cl_view view : {matrix_cl_view::Entire, matrix_cl_view::Lower})
      for (const std::int64_t n : {0, 17}) {
        if (n == 0 && view == matrix_cl_view::Lower) continue;
        const auto m = random_matrix<T>(5, 3, view, -1, 1),
                   v = random_matrix<T>(5, 1, matrix_cl_view::Entire, -1, 1);
        const auto i = places(n, 1, 5), j = places(n, 1, 3, 4), equal = places(n, 1, 1);
        const auto check = [&](const auto& f) {
          const auto checked = check_gradient(f, m, v);
          EXPECT_TRUE(checked.passed(IndexingGradient<T>::tolerance)) << n << "\n" << checked;
        };
        check([&](const auto& a, const auto& b) {
          return sum(elt_multiply(exp(indexing(a, i, j)), b[i])) + sum(square(exp(b)[equal]));
        });
        check([&](const auto& a, const auto& b) {
          return sum(square(take_rows(transpose(a), j) * b)) + sum(exp(indexing(square(a), i, 2)));
        });
        if (n == 0) continue;
        check([&](const auto& a, const auto& b) {
          return sum(square(indexing(elt_multiply(a, rowwise_broadcast(b)), i, j) + b[i])) + sum(b[i - 0]);
        });
        check([&](const auto& a, const auto& b) {
          return sum(exp(indexing(block(a, 2, 1, 4, 3), i % 4, j))) + prod(b[places(3, 1, 5)]);
        });
      }
  });
}

TYPED_TEST(IndexingGradient, OfOneElementOfEveryRow) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  const auto p = random_matrix<T>(33, 4, matrix_cl_view::Entire, -1, 1);
  const auto q = random_matrix<T>(4, 33, matrix_cl_view::Entire, -1, 1);
  const auto y = places(33, 1, 4), z = places(1, 33, 4);
  const auto f = [&](const auto& a, const auto& b) {
    return sum(indexing(a, row_index(), y) - rowwise_log_sum_exp(a)) +
           sum(square(indexing(b, z, col_index())));
  };
  const auto checked = check_gradient(f, p, q);
  EXPECT_TRUE(checked.passed(IndexingGradient<T>::tolerance)) << checked;
}

TEST(IndexingGradients, AreTheSameInEveryRunHoweverUneven) {
  const std::int64_t n = 70001;
  std::vector<int> uneven(static_cast<std::size_t>(n), 3);  // nearly all in one place: several levels of sums
  for (std::size_t k = 0; k < uneven.size(); k += 100) uneven[k] = static_cast<int>(k / 100 % 50);
  const matrix_cl<int> g(uneven);
  const auto v = random_matrix<float>(50, 1), w = random_matrix<float>(n, 1);
  const auto host = w.to_host();
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(50), size = expected;
  for (Eigen::Index k = 0; k < n; ++k) {
    expected(uneven[static_cast<std::size_t>(k)]) += static_cast<double>(host(k));
    size(uneven[static_cast<std::size_t>(k)]) += std::fabs(static_cast<double>(host(k)));
  }
  in_both_forms([&] {
    const auto once = value_and_gradient(sum(elt_multiply(w, v[g])), wrt(v));
    const auto again = value_and_gradient(sum(elt_multiply(w, v[g])), wrt(v));
    const auto found = std::get<0>(once.gradient).to_host();
    EXPECT_EQ(found, std::get<0>(again.gradient).to_host());
    for (int t = 0; t < 50; ++t)
      EXPECT_NEAR(static_cast<double>(found(t)), expected(t), 1e-6 * size(t) + 1e-6) << t;
  });
}

// Integers, whose sums are exact in any order.
TYPED_TEST(IndexingGradient, OfLongListsIsTheSumThatWorkItemsShare) {
  using T = TypeParam;
  FUSECL_SKIP_WITHOUT_DOUBLE_IF(any_double<T>);
  in_both_forms([] {
    const bool on_gpu = std::string(std::getenv("FUSECL_SCHEDULE")) == "gpu";
    for (const int count : {1, 40})
      for (const int n : {4 * count, 9 * count + 1, 300 * count + 7}) {
        const auto v = cast<T>(row_index(count, 1) % 5) - T(2), m = cast<T>(row_index(count, 3)) * T(0);
        const matrix_cl<T> at = v, rows = m, columns = transpose(m);
        const matrix_cl<int> g = places(n, 1, count), h = places(n, 1, count, 3);
        const matrix_cl<T> w = cast<T>((row_index(n, 3) * 7 + col_index(n, 3)) % 11) - T(5);
        const auto f =
            sum(elt_multiply(col(w, 1), at[g] + at[h])) + sum(elt_multiply(w, take_rows(rows, g))) +
            sum(elt_multiply(transpose(w), take_cols(columns, transpose(h)))) - T(2) * sum(square(at));
        const auto found = value_and_gradient(f, wrt(at, rows, columns)).gradient;
        const std::string source = gradient_kernel_source(f, wrt(at, rows, columns));
        EXPECT_EQ(source.find("shared_sum_of_segment") != std::string::npos, on_gpu) << count << " " << n;
        const auto host_at = at.to_host(), host_w = w.to_host();
        const auto host_g = g.to_host(), host_h = h.to_host();
        Eigen::MatrixXd by_at = -4 * host_at.template cast<double>(),
                        by_rows = Eigen::MatrixXd::Zero(count, 3), by_columns = by_rows;
        for (int k = 0; k < n; ++k) {
          const Eigen::RowVectorXd own = host_w.row(k).template cast<double>();
          by_at(host_g(k)) += own(0);
          by_at(host_h(k)) += own(0);
          by_rows.row(host_g(k)) += own;
          by_columns.row(host_h(k)) += own;
        }
        EXPECT_EQ(std::get<0>(found).to_host().template cast<double>(), by_at) << count << " " << n;
        EXPECT_EQ(std::get<1>(found).to_host().template cast<double>(), by_rows) << count << " " << n;
        EXPECT_EQ(std::get<2>(found).to_host().template cast<double>(), by_columns.transpose())
            << count << " " << n;
      }
  });
}

TEST(IndexingGradients, OfManyElementsToFewPlacesAreSumsOfParts) {
  const std::int64_t n = (1 << 22) + 3, count = 777;
  ASSERT_LT(ops::part_length(n, count), n);
  EXPECT_EQ(ops::part_length(n / 4, count), n / 4);
  EXPECT_EQ(ops::part_length(n, n), n);
  const matrix_cl<int> i = places(n, 1, count);
  const matrix_cl<float> x = random_matrix<float>(count, 1), w = random_matrix<float>(n, 1);
  matrix_cl<float> gradient;
  value_and_gradient_into(sum(elt_multiply(w, x[i])), wrt(x), gradient);
  const Eigen::VectorXi to = from_matrix_cl<Eigen::VectorXi>(i);
  const Eigen::VectorXd weights = from_matrix_cl<Eigen::VectorXf>(w).cast<double>();
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(count), sizes = wanted;
  for (std::int64_t k = 0; k < n; ++k) {
    wanted(to(k)) += weights(k);
    sizes(to(k)) += std::abs(weights(k));
  }
  const Eigen::VectorXd found = from_matrix_cl<Eigen::VectorXf>(gradient).cast<double>();
  EXPECT_LT(((found - wanted).array() / (sizes.array() + 1)).abs().maxCoeff(), 1e-6);
}

TEST(IndexingGradients, OfPartsAddEachElementOnce) {
  for (const std::int64_t part : {1, 2, 3, 5, 7, 40})
    for (const std::int64_t piece : {2, 3, 32}) {
      const std::int64_t count = 6;
      std::vector<std::int64_t> to;
      for (std::int64_t k = 0; k < 37; ++k) to.push_back(k * k % 5 + (k == 11));
      const ops::place_lists lists = ops::lists_of(to, count, piece, part);
      EXPECT_EQ(lists.parts.empty(), part == 40);
      ASSERT_LE(lists.ends.size(), static_cast<std::size_t>(ops::most_levels));
      std::vector<std::vector<std::int64_t>> sums;  // which elements each sum of a level has
      for (const std::int32_t each : lists.order) sums.push_back({each});
      for (std::size_t level = 0; level < lists.ends.size(); ++level) {
        std::vector<std::vector<std::int64_t>> next;
        std::int32_t k = 0;
        for (const std::int32_t end : lists.ends[level]) {
          auto& sum = next.emplace_back();
          EXPECT_LE(end - k, std::max<std::int64_t>(piece, 37 / piece));
          for (; k < end; ++k) {
            const bool by_parts = level == 1 && !lists.parts.empty();
            const auto& add =
                sums[static_cast<std::size_t>(by_parts ? lists.parts[static_cast<std::size_t>(k)] : k)];
            sum.insert(sum.end(), add.begin(), add.end());
          }
        }
        EXPECT_EQ(static_cast<std::size_t>(k), sums.size());
        sums = next;
      }
      ASSERT_EQ(sums.size(), static_cast<std::size_t>(count));
      std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(count));
      for (std::size_t k = 0; k < to.size(); ++k)
        wanted[static_cast<std::size_t>(to[k])].push_back(static_cast<std::int64_t>(k));
      EXPECT_EQ(sums, wanted) << "parts of " << part << ", pieces of " << piece;
    }
}

TEST(IndexingGradients, OfAHierarchicalModelReadTheDesignOnce) {
  FUSECL_NEEDS_DOUBLE;
  const std::int64_t n = 3001;
  const std::size_t groups = 100;
  const auto x = random_matrix<double>(n, 6), y = random_matrix<double>(n, 1, matrix_cl_view::Entire, 0, 1);
  const auto beta = random_matrix<double>(6, 1), alpha = random_matrix<double>(100, 1);
  std::vector<int> group_of(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < group_of.size(); ++k) group_of[k] = static_cast<int>(k * 7 % groups);
  const matrix_cl<int> group(group_of);
  const auto density = [&](const auto& b, const auto& a) {
    const auto eta = shared(x * b + a[group]);
    return sum(elt_multiply(y, eta) - log1p_exp(eta)) - 0.5 * dot_self(a);
  };
  const auto e = density(beta, alpha);
  const schedule_as_before restored;
  for (const bool cpu : {true, false}) {
    if (!cpu && !gpu_form_is_sound()) continue;
    set_schedule(cpu ? "cpu" : "gpu");
    matrix_cl<double> by_beta, by_alpha;
    value_and_gradient_into(e, wrt(beta, alpha), by_beta, by_alpha);
    const auto first = by_alpha.to_host();
    const counters before = runtime_counters();
    value_and_gradient_into(e, wrt(beta, alpha), by_beta, by_alpha);
    const counters used = runtime_counters() - before;
    // the pass over the design, which a second kernel finishes unless the last of few groups does, the sums
    // of the groups of elements, their prior
    EXPECT_LE(used.launches, cpu && opencl_context.capabilities().cpu ? 3u : 4u);
    EXPECT_EQ(used.host_waits, 1u);
    EXPECT_EQ(used.buffers_created, 0u);
    EXPECT_EQ(by_alpha.to_host(), first);
  }
  const auto checked = check_gradient(density, beta, alpha);
  EXPECT_TRUE(checked.passed(1e-7)) << checked;
}

TEST(IndexingGradients, OfPlacesWithoutASizeAreRefused) {
  const auto x = random_matrix<float>(2, 3), y = random_matrix<float>(2, 1);
  EXPECT_THROW(value_and_gradient(sum(elt_multiply(y, indexing(x, row_index(), 1))), wrt(x)),
               std::invalid_argument);
  const auto checked = check_gradient(
      [&](const auto& a) { return sum(elt_multiply(y, indexing(a, row_index(), constant(1, 2, 1)))); }, x);
  EXPECT_TRUE(checked.passed(1e-3)) << checked;
}

TEST(IndexingGradients, OfDataNeedNoLists) {
  const auto x = random_matrix<float>(60, 3), b = random_matrix<float>(3, 1);
  const auto batch = places(20, 1, 60);
  const auto e = sum(square(take_rows(x, batch) * b));
  EXPECT_EQ(gradient_kernel_source(e, wrt(b)).find("segment_sum"), std::string::npos);
  const auto checked = check_gradient([&](const auto& c) { return sum(square(take_rows(x, batch) * c)); }, b);
  EXPECT_TRUE(checked.passed(1e-3)) << checked;
}

TEST(IndexingGradients, ElementsOfVariablesAreVariables) {
  FUSECL_NEEDS_DOUBLE;
  var_value<matrix_cl<double>> x(matrix_cl<double>(Eigen::MatrixXd{{1, 2, 3}, {4, 5, 6}})),
      v(matrix_cl<double>(Eigen::VectorXd{{1, 2, 3}}));
  var y = x(0, 1) * x(1, 2) + v(2);
  y.grad();
  EXPECT_EQ(y.val(), 15);
  EXPECT_EQ(x.adj().to_host(), (Eigen::MatrixXd{{0, 6, 0}, {0, 0, 2}}));
  EXPECT_EQ(v.adj().to_host(), (Eigen::VectorXd{{0, 0, 1}}));
  EXPECT_THROW(x(2, 0), std::out_of_range);
  EXPECT_THROW(v(-1), std::out_of_range);
  EXPECT_THROW(x(0), std::invalid_argument);
  recover_memory();
}

TEST(IndexingGradients, OnTheTapeAreThoseOfOneStatement) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(7, 1);
  auto g = places(40, 1, 7);
  const auto expected = value_and_gradient(sum(exp(a[g]) + square(a[g])), wrt(a));
  var_value<matrix_cl<double>> x(a);
  var_value<matrix_cl<double>> z = x[g];
  var lp = sum(exp(z) + square(z));
  g = matrix_cl<int>(std::vector<int>{0});  // the tape keeps the places that there were
  lp.grad();
  EXPECT_DOUBLE_EQ(lp.val(), expected.value);
  EXPECT_TRUE(x.adj().to_host().isApprox(std::get<0>(expected.gradient).to_host(), 1e-13));
  recover_memory();
}

TEST(IndexingGradients, OfIndicesWrittenThroughTheirBufferAreRefused) {
  FUSECL_NEEDS_DOUBLE;
  for (const bool written : {false, true}) {
    for (const bool known_before : {false, true}) {
      matrix_cl<int> g(std::vector<int>{2, 0, 2, 1});
      if (known_before) (void)g.buffer();
      var_value<matrix_cl<double>> x(matrix_cl<double>(std::vector<double>{1, 2, 3}));
      var_value<matrix_cl<double>> z = square(x[g]);
      var lp = sum(z);
      const int others[] = {0, 99, 1, 1};
      const cl::Buffer memory = g.buffer();
      g.wait_for_read_write_events();
      if (written) opencl_context.queue().enqueueWriteBuffer(memory, CL_TRUE, 0, sizeof others, others);
      if (written) {
        EXPECT_THROW(lp.grad(), std::logic_error);
      } else {
        lp.grad();
        EXPECT_EQ(x.adj().to_host(), Eigen::Vector3d(2, 4, 12));
      }
      recover_memory();
    }
  }
}

TEST(IndexingGradients, LeaveTheMemoryOfTheirIndices) {
  const auto a = random_matrix<float>(50, 4);
  const auto use = [&] {
    const auto rows = places(30, 1, 50), cols = places(30, 1, 4, 3);
    auto x = a;
    value_and_gradient(sum(square(indexing(x, rows, cols))) + sum(exp(indexing(x, rows, cols))), wrt(x));
    var_value<matrix_cl<float>> y(x);
    var_value<matrix_cl<float>> z = indexing(y, cols, rowwise_broadcast(cols));
    var(sum(square(z))).grad();
    indexing(x, rows, cols) += 1.0f;
    indexing(x, rows, cols) = 2.0f;
    recover_memory();
  };
  use();  // also gives back what tests before have left
  const pool_counts before = pool_statistics();
  for (int k = 0; k < 3; ++k) use();
  EXPECT_EQ(pool_statistics().blocks_in_use, before.blocks_in_use);
}

TEST(IndexingGradients, OfSingleElementsNeedNoLists) {
  FUSECL_NEEDS_DOUBLE;
  auto lower = random_matrix<double>(4, 4);
  lower.view(matrix_cl_view::Lower);
  for (const auto& m : {random_matrix<double>(3, 4), lower}) {
    const auto density = [](const auto& a) {
      return sum(exp(a) * indexing(a, 1, 2)) + square(indexing(a, 2, 1)) + indexing(exp(a), 0, 0);
    };
    const auto e = density(m);
    EXPECT_EQ(gradient_kernel_source(e, wrt(m)).find("segment_sum"), std::string::npos);
    const auto checked = check_gradient(density, m);
    EXPECT_TRUE(checked.passed(1e-8)) << checked;
  }
  const auto v = random_matrix<double>(1, 5), u = random_matrix<double>(1, 5);
  const matrix_cl<int> g(std::vector<int>{4, 1});
  const auto checked = check_gradient([&](const auto& x) { return sum(x * x[2]) * exp(x[g[0]]); }, v);
  EXPECT_TRUE(checked.passed(1e-8)) << checked;
  const auto product = hessian_times_vector(exp(v[3]) * v[1], wrt(v), u).product;
  const auto of_v = v.to_host(), of_u = u.to_host();
  Eigen::RowVectorXd expected = Eigen::RowVectorXd::Zero(5);
  expected(1) = std::exp(of_v(3)) * of_u(3);
  expected(3) = std::exp(of_v(3)) * (of_v(1) * of_u(3) + of_u(1));
  EXPECT_LT((std::get<0>(product).to_host() - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(IndexingGradients, OfSingleElementsAreNumbersOnTheTape) {
  FUSECL_NEEDS_DOUBLE;
  var_value<matrix_cl<double>> x(matrix_cl<double>(std::vector<double>{2, 3, 5}));
  var y = x[1] * x[2];
  y.grad();
  EXPECT_EQ(y.val(), 15);
  EXPECT_EQ(x.adj().to_host(), Eigen::Vector3d(0, 5, 3));
  recover_memory();
}

// What turns out to have a single element while derivatives are made stands beside matrices of other sizes.
TEST(IndexingGradients, OfOneElementBesideAReductionOfOneRow) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(5, 1), b = random_matrix<double>(1, 5),
             u = random_matrix<double>(5, 1), v = random_matrix<double>(1, 5);
  const matrix_cl<int> third(std::vector<int>{2});
  const Eigen::RowVectorXd of_b = b.to_host();
  Eigen::Index largest = 0;
  const double x = a.to_host()(2), y = of_b.maxCoeff(&largest);
  const auto product =
      hessian_times_vector(sum(elt_multiply(a[third], rowwise_max(b))), wrt(a, b), u, v).product;
  Eigen::VectorXd by_a = Eigen::VectorXd::Zero(5);
  Eigen::RowVectorXd by_b = Eigen::RowVectorXd::Zero(5);
  by_a(2) = v.to_host()(largest);
  by_b(largest) = u.to_host()(2);
  EXPECT_LT((std::get<0>(product).to_host() - by_a).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((std::get<1>(product).to_host() - by_b).cwiseAbs().maxCoeff(), 1e-15);

  var_value<matrix_cl<double>> p(a), q(b);
  var_value<matrix_cl<double>> both = elt_multiply(p[third], rowwise_max(q));
  var total = sum(square(both));
  total.grad();
  by_a(2) = 2 * x * y * y;
  by_b(largest) = 2 * x * x * y;
  EXPECT_LT((p.adj().to_host() - by_a).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((q.adj().to_host() - by_b).cwiseAbs().maxCoeff(), 1e-12);
  recover_memory();
}

TEST(IndexingGradients, AreDifferentiatedAgain) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(5, 1), u = random_matrix<double>(5, 1);
  const auto g = places(23, 1, 5);
  const auto product = hessian_times_vector(sum(exp(a[g])), wrt(a), u).product;
  const auto of_a = a.to_host(), of_u = u.to_host();
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(5);
  for (int k = 0; k < 23; ++k) expected(g(k)) += std::exp(of_a(g(k))) * of_u(g(k));
  EXPECT_LT((std::get<0>(product).to_host() - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(IndexingGradient, NeedsIndicesThatHaveASize) {
  const auto m = random_matrix<float>(3, 4), data = random_matrix<float>(4, 3);
  const auto free = indexing(m, col_index(), row_index());
  EXPECT_THROW(value_and_gradient(sum(elt_multiply(free, data)), wrt(m)), std::invalid_argument);
  const auto of_data = value_and_gradient(sum(elt_multiply(free, data)), wrt(data));
  EXPECT_EQ(std::get<0>(of_data.gradient).to_host(), m.to_host().transpose());
  const auto sized = indexing(m, col_index(4, 3), row_index());
  const auto of_m = value_and_gradient(sum(elt_multiply(sized, data)), wrt(m));
  EXPECT_EQ(std::get<0>(of_m.gradient).to_host(), data.to_host().transpose());
}

// Lists of where the elements of computed indices go are made once, also where no matrix is among these.
TEST(IndexingGradient, OfComputedIndicesAsksTheDeviceOnce) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> v(Eigen::VectorXd::LinSpaced(5, 1, 5)), w(Eigen::VectorXd::LinSpaced(6, 1, 6));
  const auto gradient = [](const matrix_cl<double>& of) {
    return std::get<0>(value_and_gradient(sum(square(of[row_index(9, 1) % 5])), wrt(of)).gradient).to_host();
  };
  Eigen::VectorXd wanted = 4 * v.to_host();
  wanted(4) = 2 * 5;
  for (int turn = 0; turn < 3; ++turn) {
    const counters before = runtime_counters();
    EXPECT_EQ(gradient(v), wanted);
    const counters used = runtime_counters() - before;
    if (turn < 2) continue;
    EXPECT_EQ(used.launches, 2u);
    EXPECT_EQ(used.host_waits, 2u);  // for the value and for what is compared
  }
  Eigen::VectorXd longer(6);
  longer << wanted, 0;
  EXPECT_EQ(gradient(w), longer);
}

// Where a statement is only prepared, its indices are not computed, and nothing is known of them afterwards.
TEST(IndexingGradient, OfPreparedStatementsLooksAtIndicesAfterwards) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> v(Eigen::VectorXd::LinSpaced(5, 1, 5));
  const auto taken = [&](int divisor) { return sum(v[row_index(11, 1) % divisor]); };
  const auto gradient = [&](int divisor) { return value_and_gradient(taken(divisor), wrt(v)).value; };
  for (const int divisor : {6, 4}) prepare([&] { gradient(divisor); });
  EXPECT_THROW(gradient(6), std::out_of_range);
  EXPECT_EQ(gradient(4), 3 * 1 + 3 * 2 + 3 * 3 + 2 * 4);
}

}  // namespace
}  // namespace fusecl
