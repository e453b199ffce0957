// The partial derivatives in the records: every operation, over its domain, against extrapolated differences
// of its long double reference and against formulas written independently.

#include <numbers>

#include <autodiff/numeric.hpp>

#include <fusion/ops/host_functions.hpp>

namespace fusecl {
namespace {

using namespace test;
using ir::operation, ir::type_rule;

/// Operations that give a floating-point function of floating-point operands.
std::vector<const operation*> differentiable() {
  std::vector<const operation*> list;
  for (const operation* op : ops::registry()) {
    const bool values = op->types == type_rule::arithmetic || op->types == type_rule::floating ||
                        op->types == type_rule::scaled;
    const bool integers_only = op == &op::modulo::record() || op == &op::integer_divide::record();
    if (op->kind == ir::op_class::elementwise && values && !integers_only) list.push_back(op);
  }
  return list;
}

bool is_integer_operand(const operation& op, int k) { return op.types == type_rule::scaled && k == 1; }

/// The derivative from the record for these operands; operands that are the same number are one variable if
/// `repeated`.
long double from_record(const operation& op, int k, const long double* x, scalar_type type,
                        bool repeated = false) {
  bound_graph b;
  ir::node_id operands[3] = {};
  for (int j = 0; j < op.arity; ++j)
    operands[j] = repeated && j > 0 ? operands[0]
                                    : b.scalar(x[j], is_integer_operand(op, j) ? scalar_type::int32 : type);
  b.g.roots = {b.g.apply(op, operands)};
  const ir::graph d = passes::differentiate(b.g, {{false, k}});
  ir::verify(d);
  const long double plain = value_of(d, b.values, 1);
  const long double passed = value_of(passes::run_pipeline(d), b.values, 1);
  const long double unit = type == scalar_type::float64 ? 1e-12L : 1e-5L;
  EXPECT_TRUE(plain == passed || std::fabs(plain - passed) <= unit * (1 + std::fabs(plain)))
      << op.name << " d" << k << " at " << static_cast<double>(x[0]) << ", " << static_cast<double>(x[1]);
  return plain;
}

/// Step that stays inside of the domain.
long double step_at(const ir::sample_interval& domain, long double x) {
  const long double room = std::min(x - domain.low, domain.high - x);
  return std::min({0x1p-7L * room, 0x1p-10L});
}

TEST(Partials, EveryOperationHasThem) {
  for (const operation* op : differentiable())
    for (int k = 0; k < op->arity; ++k) {
      EXPECT_FALSE(op->partials[k].empty()) << op->name << " operand " << k;
    }
}

TEST(Partials, AgreeWithDifferencesOverTheDomain) {
  std::mt19937_64 random(20240607);
  for (const operation* op : differentiable()) {
    for (int k = 0; k < op->arity; ++k) {
      if (op->partials[k].empty() || is_integer_operand(*op, k)) continue;
      int compared = 0;
      for (int trial = 0; trial < 200; ++trial) {
        long double x[3] = {};
        for (int j = 0; j < op->arity; ++j) {
          std::uniform_real_distribution<double> anywhere(op->domain[j].low, op->domain[j].high);
          x[j] = static_cast<float>(anywhere(random));  // float, so that both types see the same point
          if (is_integer_operand(*op, j)) x[j] = std::floor(x[j]);
        }
        const long double h = step_at(op->domain[k], x[k]);
        if (!(h > 0)) continue;
        const auto f = [&](long double moved) {
          long double y[3] = {x[0], x[1], x[2]};
          y[k] = moved;
          return op->host(y);
        };
        const estimate wanted = derivative_of(f, x[k], h);
        const long double size = 1 + std::fabs(wanted.value);
        if (!(wanted.error < 1e-7L * size)) continue;  // next to a kink or an edge
        ++compared;
        const long double got = from_record(*op, k, x, scalar_type::float64);
        EXPECT_NEAR(static_cast<double>(got), static_cast<double>(wanted.value),
                    static_cast<double>(1e-9L * size + wanted.error))
            << op->name << " d" << k << " at " << static_cast<double>(x[0]) << ", "
            << static_cast<double>(x[1]);
        const long double narrow = from_record(*op, k, x, scalar_type::float32);
        EXPECT_NEAR(static_cast<double>(narrow), static_cast<double>(got), static_cast<double>(2e-4L * size))
            << op->name << " d" << k << " in float at " << static_cast<double>(x[0]) << ", "
            << static_cast<double>(x[1]);
      }
      EXPECT_GE(compared, 120) << op->name << " d" << k;
    }
  }
}

TEST(Partials, RepeatedOperandsGetTheSumOfBoth) {
  std::mt19937_64 random(7);
  for (const operation* op : differentiable()) {
    if (op->arity != 2 || op->types == type_rule::scaled) continue;
    const ir::sample_interval both{std::max(op->domain[0].low, op->domain[1].low),
                                   std::min(op->domain[0].high, op->domain[1].high)};
    if (!(both.low < both.high)) continue;  // f(x, x) is outside of the domain
    for (int trial = 0; trial < 50; ++trial) {
      const long double x =
          static_cast<float>(std::uniform_real_distribution<double>(both.low, both.high)(random));
      const long double h = step_at(both, x);
      const auto f = [&](long double moved) {
        const long double y[3] = {moved, moved};
        return op->host(y);
      };
      const estimate wanted = derivative_of(f, x, h);
      const long double size = 1 + std::fabs(wanted.value);
      if (!(h > 0) || !(wanted.error < 1e-7L * size)) continue;
      const long double y[3] = {x, x};
      EXPECT_NEAR(static_cast<double>(from_record(*op, 0, y, scalar_type::float64, true)),
                  static_cast<double>(wanted.value), static_cast<double>(1e-8L * size + wanted.error))
          << op->name << "(x, x) at " << static_cast<double>(x);
    }
  }
}

/// A derivative written independently of the records.
struct closed_form {
  const operation& op;
  int k;
  long double (*derivative)(long double x, long double y);
};

TEST(Partials, AgreeWithClosedForms) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  using L = long double;
  static const closed_form table[] = {
      {op::sqrt::record(), 0, [](L x, L) { return std::pow(x, -0.5L) / 2; }},
      {op::cbrt::record(), 0, [](L x, L) { return std::pow(std::fabs(x), -2.0L / 3) / 3; }},
      {op::rsqrt::record(), 0, [](L x, L) { return -std::pow(x, -1.5L) / 2; }},
      {op::inv::record(), 0, [](L x, L) { return -1 / (x * x); }},
      {op::inv_square::record(), 0, [](L x, L) { return -2 / (x * x * x); }},
      {op::exp2::record(), 0, [](L x, L) { return std::log(2.0L) * std::pow(2.0L, x); }},
      {op::expm1::record(), 0, [](L x, L) { return std::exp(x); }},
      {op::log2::record(), 0, [](L x, L) { return 1 / (x * std::log(2.0L)); }},
      {op::log10::record(), 0, [](L x, L) { return 1 / (x * std::log(10.0L)); }},
      {op::tan::record(), 0, [](L x, L) { return 1 / (std::cos(x) * std::cos(x)); }},
      {op::tanh::record(), 0, [](L x, L) { return 1 - std::tanh(x) * std::tanh(x); }},
      {op::asin::record(), 0, [](L x, L) { return 1 / std::sqrt(1 - x * x); }},
      {op::acos::record(), 0, [](L x, L) { return -1 / std::sqrt(1 - x * x); }},
      {op::asinh::record(), 0, [](L x, L) { return 1 / std::sqrt(x * x + 1); }},
      {op::acosh::record(), 0, [](L x, L) { return 1 / std::sqrt(x * x - 1); }},
      {op::atanh::record(), 0, [](L x, L) { return 1 / (1 - x * x); }},
      {op::hypot::record(), 0, [](L x, L y) { return x / std::sqrt(x * x + y * y); }},
      {op::hypot::record(), 1, [](L x, L y) { return y / std::sqrt(x * x + y * y); }},
      {op::atan2::record(), 0, [](L x, L y) { return y / (x * x + y * y); }},
      {op::atan2::record(), 1, [](L x, L y) { return -x / (x * x + y * y); }},
      {op::pow::record(), 0, [](L x, L y) { return y / x * std::exp(y * std::log(x)); }},
      {op::pow::record(), 1, [](L x, L y) { return std::log(x) * std::exp(y * std::log(x)); }},
      {op::erf::record(), 0, [](L x, L) { return 2 / std::sqrt(pi) * std::exp(-x * x); }},
      {op::erfc::record(), 0, [](L x, L) { return -2 / std::sqrt(pi) * std::exp(-x * x); }},
      {op::Phi::record(), 0, [](L x, L) { return std::exp(-x * x / 2) / std::sqrt(2 * pi); }},
      {op::log1p_exp::record(), 0, [](L x, L) { return std::exp(x) / (1 + std::exp(x)); }},
      {op::log1m_exp::record(), 0, [](L x, L) { return -std::exp(x) / (1 - std::exp(x)); }},
      {op::inv_logit::record(), 0, [](L x, L) { return 1 / std::pow(2 * std::cosh(x / 2), 2.0L); }},
      {op::log_inv_logit::record(), 0, [](L x, L) { return 1 / (1 + std::exp(x)); }},
      {op::inv_cloglog::record(), 0, [](L x, L) { return std::exp(x) * std::exp(-std::exp(x)); }},
      {op::logit::record(), 0, [](L x, L) { return 1 / x + 1 / (1 - x); }},
      {op::log_sum_exp::record(), 0, [](L x, L y) { return std::exp(x) / (std::exp(x) + std::exp(y)); }},
      {op::log_diff_exp::record(), 0, [](L x, L y) { return std::exp(x) / (std::exp(x) - std::exp(y)); }},
      {op::log_diff_exp::record(), 1, [](L x, L y) { return -std::exp(y) / (std::exp(x) - std::exp(y)); }},
      {op::multiply_log::record(), 1, [](L x, L y) { return x / y; }},
      {op::beta::record(), 0,
       [](L x, L y) { return host_math::beta(x, y) * (host_math::digamma(x) - host_math::digamma(x + y)); }},
      {op::divide::record(), 1, [](L x, L y) { return -x / (y * y); }},
  };
  std::mt19937_64 random(11);
  for (const closed_form& row : table)
    for (int trial = 0; trial < 100; ++trial) {
      long double x[3] = {};
      for (int j = 0; j < row.op.arity; ++j)
        x[j] = std::uniform_real_distribution<double>(row.op.domain[j].low, row.op.domain[j].high)(random);
      const long double wanted = row.derivative(x[0], x[1]);
      EXPECT_NEAR(static_cast<double>(from_record(row.op, row.k, x, scalar_type::float64)),
                  static_cast<double>(wanted), static_cast<double>(1e-11L * (1e-3L + std::fabs(wanted))))
          << row.op.name << " d" << row.k << " at " << static_cast<double>(x[0]) << ", "
          << static_cast<double>(x[1]);
    }
}

TEST(Partials, KinksFollowTheConvention) {
  const auto at = [](const operation& op, int k, long double x, long double y = 0) {
    const long double operands[3] = {x, y};
    return static_cast<double>(from_record(op, k, operands, scalar_type::float64));
  };
  // zero where left and right derivative have opposite signs, half each where two operands tie
  EXPECT_EQ(at(op::fabs::record(), 0, 0), 0);
  EXPECT_EQ(at(op::abs::record(), 0, 0), 0);
  EXPECT_EQ(at(op::fabs::record(), 0, -3), -1);
  for (int k : {0, 1}) {
    EXPECT_EQ(at(op::fmax::record(), k, 2, 2), 0.5);
    EXPECT_EQ(at(op::fmin::record(), k, 2, 2), 0.5);
    EXPECT_EQ(at(op::fmax::record(), k, 1, 2), k);
    EXPECT_EQ(at(op::fmin::record(), k, 1, 2), 1 - k);
    EXPECT_EQ(at(op::fdim::record(), k, 2, 2), 0);
  }
  for (const operation* op : {&op::floor::record(), &op::ceil::record(), &op::round::record(),
                              &op::trunc::record(), &op::sign::record()})
    EXPECT_EQ(at(*op, 0, 2), 0) << op->name;
  // edges
  EXPECT_EQ(at(op::sqrt::record(), 0, 0), INFINITY);
  EXPECT_EQ(at(op::log::record(), 0, 0), INFINITY);
  EXPECT_EQ(at(op::pow::record(), 0, 0, 2), 0);
  EXPECT_EQ(at(op::pow::record(), 0, 0, 1), 1);
  EXPECT_EQ(at(op::pow::record(), 0, 3, 0), 0);
  EXPECT_EQ(at(op::pow::record(), 0, 0, 0), 0);
  EXPECT_EQ(at(op::pow::record(), 1, 0, 2), 0);
  EXPECT_EQ(at(op::multiply_log::record(), 0, 0, 1), 0);
  EXPECT_EQ(at(op::multiply_log::record(), 0, 0, 0), -INFINITY);
  EXPECT_EQ(at(op::multiply_log::record(), 1, 0, 0), 0);
  EXPECT_EQ(at(op::multiply_log::record(), 1, 2, 0), INFINITY);
  EXPECT_EQ(at(op::square::record(), 0, 0), 0);
}

TEST(Partials, FarFromZeroNothingOverflows) {
  const auto at = [](const operation& op, int k, long double x, long double y = 0) {
    const long double operands[3] = {x, y};
    return static_cast<double>(from_record(op, k, operands, scalar_type::float64));
  };
  EXPECT_EQ(at(op::tanh::record(), 0, 800), 0);
  EXPECT_EQ(at(op::log1p_exp::record(), 0, 800), 1);
  EXPECT_EQ(at(op::log1p_exp::record(), 0, -800), 0);
  EXPECT_EQ(at(op::inv_logit::record(), 0, 800), 0);
  EXPECT_EQ(at(op::inv_logit::record(), 0, -800), 0);
  EXPECT_EQ(at(op::log_sum_exp::record(), 0, 800, -800), 1);
  EXPECT_EQ(at(op::log_sum_exp::record(), 1, 800, -800), 0);
  EXPECT_EQ(at(op::inv_cloglog::record(), 0, 800), 0);
  EXPECT_DOUBLE_EQ(at(op::hypot::record(), 0, 3e200, 4e200), 0.6);
  EXPECT_DOUBLE_EQ(at(op::atan2::record(), 0, 3e200, 4e200), 1.6e-201);
  EXPECT_DOUBLE_EQ(at(op::atan2::record(), 1, 3e-200, 4e-200), -1.2e199);
  EXPECT_DOUBLE_EQ(at(op::asinh::record(), 0, 1e200), 1e-200);
  EXPECT_EQ(at(op::log1m_exp::record(), 0, -800), 0);
}

}  // namespace
}  // namespace fusecl
