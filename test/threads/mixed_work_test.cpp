// Threads that do different things at once, each in its turn: statements, parts, indices, checks, numbers,
// gradients, the tape, factors, densities, kernels of a program's own, selections that find nothing, and what
// tells of all this.

#include <functional>

#include <support/at_once.hpp>
#include <support/compare.hpp>

#include <primitives/primitives.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;
using host_matrix = host<float>;

const kernel_cl<in_buffer, out_buffer, int> shifted("shifted", R"(
kernel void shifted(global const float* a, global float* b, int by) {
  b[get_global_id(0)] = a[get_global_id(0)] + by;
})");

/// What all threads read.
struct shared_operands {
  matrix a = random_matrix<float>(131, 7, matrix_cl_view::Entire, 1, 2);
  matrix lower = random_matrix<float>(7, 7, matrix_cl_view::Lower, 1, 2);
  matrix_cl<int> rows = random_matrix<int>(53, 1, matrix_cl_view::Entire, 0, 130);
};

using job = std::function<host_matrix(const shared_operands&)>;

host_matrix single(float value) { return host_matrix::Constant(1, 1, value); }

host_matrix statements(const shared_operands& with) {
  matrix r, s;
  results(r, s) = expressions(exp(with.a) * 0.5f + 1.0f, rowwise_sum(with.a));
  r -= rowwise_broadcast(s) * mean(r);
  return matrix(r * with.lower).to_host();
}

host_matrix parts(const shared_operands& with) {
  matrix r = with.a;
  block(r, 2, 3, 4, 2) = block(r, 9, 1, 4, 2) * 2.0f;
  row(r, 5) += 3.0f;
  col(r, 1) = cumulative_sum(col(with.a, 2));
  return append_row(r, with.lower);
}

host_matrix indices(const shared_operands& with) {
  matrix r(rep_matrix(0.0f, 131, 7));
  take_rows(r, with.rows) += take_rows(with.a, with.rows);
  return sort_asc(matrix(col(r, 1)) + once(sqrt(col(with.a, 2)))).to_host();
}

host_matrix checks(const shared_operands& with) {
  matrix r;
  try {
    results(check_cl("mixed work", "a", with.a, "below 1"), r) = expressions(with.a < 1.0f, with.a);
  } catch (const std::domain_error& e) {
    return single(static_cast<float>(std::string(e.what()).size()));
  }
  return single(0);
}

host_matrix numbers(const shared_operands& with) {
  float largest = 0, total = 0;
  int count_below = 0;
  results(largest, total, count_below) = expressions(max_2d(with.a), sum(with.a), count(with.a < 1.5f));
  host_matrix found(3, 1);
  found << largest, total, static_cast<float>(count_below);
  return found;
}

host_matrix gradient(const shared_operands& with) {
  const auto [value, by] =
      value_and_gradient(sum(log(square(with.a * with.lower) + 1.0f)), wrt(with.a, with.lower));
  host_matrix found = std::get<0>(by).to_host();
  found.bottomRows(7) += std::get<1>(by).to_host();
  found(0, 0) += static_cast<float>(value);
  return found;
}

host_matrix tape(const shared_operands& with) {
  const var_value<matrix> x{with.a};
  const var_value<matrix> y = tanh(x) + rowwise_broadcast(rowwise_sum(x));
  var total = sum(elt_multiply(y, with.a)) * 0.5;
  total.grad();
  const host_matrix found = x.adj().to_host();
  recover_memory();
  return found;
}

host_matrix factors(const shared_operands& with) {
  const matrix symmetric = with.lower * transpose(with.lower);
  const matrix factor = cholesky_decompose(symmetric);
  const matrix inverse = mdivide_left_tri_low(factor, with.lower);
  return matrix(inverse + matrix_power(with.lower, 3) + factor * transpose(factor)).to_host();
}

host_matrix densities(const shared_operands& with) {
  using matrix_var = var_value<matrix_cl<double>>;
  const matrix_var x{matrix_cl<double>(cast<double>(block(with.a, 1, 1, 33, 1)))};
  const var length = 0.75;
  const var lp = multi_normal_lpdf(x, 0.5, add_diag(gp_exp_quad_cov(x, 1.5, length), 0.25)) +
                 normal_lpdf(x, 0.25, length);
  lp.grad();
  host_matrix found = matrix(cast<float>(x.adj())).to_host();
  found(0, 0) += static_cast<float>(lp.val() + length.adj());
  recover_memory();
  return found;
}

host_matrix own_kernel(const shared_operands& with) {
  matrix r(131, 7);
  shifted(cl::NDRange(131 * 7), with.a, r, 3);
  return matrix(r * 2.0f).to_host();
}

host_matrix refusals(const shared_operands& with) {
  int refused = 0;
  try {
    select_device("no device has this name");
  } catch (const no_device_error&) {
    ++refused;
  }
  try {
    const matrix r = with.a + with.lower;
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  return single(static_cast<float>(refused));
}

host_matrix reports(const shared_operands& with) {
  prepare([&] { const matrix r = cbrt(with.a); });
  const auto e = cbrt(with.a) + 1.0f;
  const float steps = explain(e).kernels.empty() ? 0.0f : 1.0f;
  const bool in_use = pool_statistics().bytes_in_use > 0;
  return single(steps + (in_use ? 1.0f : 0.0f) + static_cast<float>(list_devices().empty() ? 0 : 1));
}

TEST(MixedWork, OfEightThreadsGivesBitwiseWhatOneFinds) {
  FUSECL_NEEDS_DOUBLE;
  const job jobs[] = {statements, parts,   indices,   checks,     numbers,  gradient,
                      tape,       factors, densities, own_kernel, refusals, reports};
  constexpr int job_count = std::size(jobs);
  const char* repeated = std::getenv("FUSECL_TEST_ROUNDS");
  const int rounds = repeated ? std::atoi(repeated) : 3;
  const shared_operands with;
  std::vector<std::vector<host_matrix>> found(thread_count, std::vector<host_matrix>(job_count));
  for (const bool differently : {false, true}) {
    at_once([&](int t) {
      for (int k = 0; k < rounds * job_count; ++k) {
        const auto turn = static_cast<std::size_t>((k + (differently ? 3 * t : 0)) % job_count);
        found[static_cast<std::size_t>(t)][turn] = jobs[turn](with);
      }
    });
    for (std::size_t k = 0; k < job_count; ++k) {
      const host_matrix alone = jobs[k](with);
      ASSERT_GT(alone.size(), 0);
      for (const auto& each : found) EXPECT_EQ(each[k], alone) << "job " << k;
    }
  }
  EXPECT_EQ(refusals(with)(0, 0), 2);
  EXPECT_EQ(reports(with)(0, 0), 3);
}

}  // namespace
}  // namespace fusecl
