// Accuracy of the host references, in extended precision, and completeness of the table.

#include <cfloat>
#include <cmath>

#include <accuracy/reference.hpp>

#include <fusion/ops/formula.hpp>

namespace fusecl::test {
namespace {

/// Special values as double has them: the range of long double is wider.
bool equal_special_values(const reference_row& row, long double got) {
  const auto narrow = static_cast<double>(got);
  return std::isnan(row.value) ? std::isnan(narrow) : narrow == static_cast<double>(row.value);
}

/// Error relative to the scale of the row.
long double relative_error(const reference_row& row, long double got) {
  const bool ordinary = std::isfinite(row.value) && row.value != 0;
  if (!ordinary) return equal_special_values(row, got) ? 0 : std::numeric_limits<long double>::infinity();
  return std::fabs(got - row.value) / std::fabs(row.scale);
}

class HostReference : public ::testing::TestWithParam<std::string> {};

TEST_P(HostReference, IsMuchMoreAccurateThanDouble) {
  if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double is no wider than double on this machine";
  const ir::operation* op = ops::find_operation(GetParam());
  ASSERT_NE(op, nullptr) << "the table has a function that the library does not have";
  // A few roundings of 64-bit significands; 1.3e-18 is the worst measured. The cubic of Phi_approx amplifies
  // the rounding of its argument up to 20-fold in the tail. Either is below 1/8 unit in the last place of a
  // double.
  const long double allowed = GetParam() == "Phi_approx" ? 2.8e-17L : 1.4e-18L;
  for (const reference_row& row : reference_rows(GetParam())) {
    const long double got = op->host(row.operands);
    EXPECT_LE(relative_error(row, got), allowed)
        << call_text(*op, row) << " is " << got << ", expected " << row.value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostReference, ::testing::ValuesIn(referenced_functions()),
                         [](const auto& test) { return test.param; });

TEST(ReferenceTable, HasEveryFunctionOfTheLibrary) {
#define FUSECL_CHECK_ROWS(NAME) EXPECT_GE(reference_rows(#NAME).size(), 8u) << #NAME;
  FUSECL_UNARY_FLOATING(FUSECL_CHECK_ROWS)
  FUSECL_UNARY_ARITHMETIC(FUSECL_CHECK_ROWS)
  FUSECL_UNARY_CLASSIFY(FUSECL_CHECK_ROWS)
  FUSECL_BINARY_FLOATING(FUSECL_CHECK_ROWS)
  FUSECL_BINARY_SCALED(FUSECL_CHECK_ROWS)
  FUSECL_TERNARY_FLOATING(FUSECL_CHECK_ROWS)
#undef FUSECL_CHECK_ROWS
}

}  // namespace
}  // namespace fusecl::test
