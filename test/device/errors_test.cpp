// Bad input: the documented exception with a message that names function, operands and values; nothing
// enqueued, targets unchanged, everything usable afterwards.

#include <limits>
#include <vector>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>
#include <unistd.h>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

/// Runs `statement`; expects an Error whose message holds all of `parts`, no launch, and a working device
/// after.
template <class Error, class F>
void expect_refused(F statement, std::initializer_list<const char*> parts,
                    std::source_location where = std::source_location::current()) {
  const counters before = runtime_counters();
  try {
    statement();
    ADD_FAILURE() << where.line() << ": no exception";
  } catch (const Error& e) {
    for (const char* part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << where.line() << ": \"" << part << "\" is missing in: " << e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << where.line() << ": another exception: " << e.what();
  }
  EXPECT_EQ((runtime_counters() - before).launches, 0u) << where.line();
  EXPECT_EQ(static_cast<float>(sum(constant(1.0f, 3, 3))), 9.0f) << where.line();
}

class Refused : public ::testing::Test {
 protected:
  void SetUp() override { before = from_matrix_cl(target); }
  void TearDown() override { expect_same<float>(from_matrix_cl(target), before); }
  matrix a = random_matrix<float>(3, 4), b = random_matrix<float>(3, 5), c = random_matrix<float>(2, 4);
  matrix target = random_matrix<float>(3, 4);
  host<float> before;
};

TEST_F(Refused, AreOperandsOfDifferentSizes) {
  expect_refused<std::invalid_argument>([&] { target = a + b; }, {"operator+", "columns", "a (4)", "b (5)"});
  expect_refused<std::invalid_argument>([&] { target = a - c; }, {"operator-", "rows", "a (3)", "b (2)"});
  expect_refused<std::invalid_argument>([&] { target = elt_multiply(a, b); }, {"elt_multiply", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target = elt_divide(a, b); }, {"elt_divide", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target = fmax(a, b); }, {"fmax", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target = fma(a, 2, b); }, {"fma", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target = select(a > 0, a, b); },
                                        {"select: ", " of c (4)", " of y (5)"});
  expect_refused<std::invalid_argument>([&] { target = select(b > 0, 1.0f, c); },
                                        {"select", "rows", "3", "2"});
  expect_refused<std::invalid_argument>([&] { target = a < b; }, {"operator<", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target = dot_product(a, b); }, {"dot_product", "4", "5"});
}

TEST_F(Refused, AreCompoundAssignmentsOfAnotherSize) {
  expect_refused<std::invalid_argument>([&] { target += b; }, {"operator+", "4", "5"});
  expect_refused<std::invalid_argument>([&] { target -= b + 1; }, {"operator-", "4", "5"});
}

TEST_F(Refused, AreSizesOfWhichTheMessageTellsAllFour) {
  expect_refused<std::invalid_argument>([&] { target = a + b; }, {"a is 3 x 4, b is 3 x 5"});
  expect_refused<std::invalid_argument>([&] { target = fma(a, 2, c); }, {"a is 3 x 4, c is 2 x 4"});
  expect_refused<std::invalid_argument>([&] { target = a + rep_matrix(1.0f, 3, 5); },
                                        {"a is 3 x 4, b is 3 x 5"});
  expect_refused<std::invalid_argument>([&] { target = b + rowwise_broadcast(random_matrix<float>(2, 1)); },
                                        {"a is 3 x 5, b is 2 x any"});
  expect_refused<std::invalid_argument>([&] { target = a + rowwise_broadcast(b); },
                                        {"rowwise_broadcast: a is 3 x 5, but must be a column"});
  expect_refused<std::invalid_argument>([&] { target = a + rowwise_broadcast(random_matrix<float>(1, 3)); },
                                        {"a is 1 x 3, but must be a column; transpose(a) is a column"});
  expect_refused<std::invalid_argument>([&] { target = a + colwise_broadcast(random_matrix<float>(4, 1)); },
                                        {"a is 4 x 1, but must be a row; transpose(a) is a row"});
  expect_refused<std::invalid_argument>([&] { block(target, 1, 1, 2, 2) = a; },
                                        {"the part assigned to is 2 x 2, the expression is 3 x 4"});
  expect_refused<std::invalid_argument>([&] { results(target, matrix(a)) = expressions(a, b); },
                                        {"one expression is 3 x 4, another is 3 x 5"});
  expect_refused<std::invalid_argument>([&] { (void)from_matrix_cl<Eigen::Vector3f>(a); },
                                        {"the matrix is 3 x 4, the Eigen type is 3 x 1"});
  expect_refused<std::invalid_argument>([&] { (void)from_matrix_cl<std::vector<float>>(a); },
                                        {"the matrix is 3 x 4, a std::vector is any x 1"});
  expect_refused<std::invalid_argument>([&] { (void)from_matrix_cl<float>(a); },
                                        {"the matrix is 3 x 4, a scalar is 1 x 1"});
  expect_refused<std::invalid_argument>([&] { target = a * b; }, {"a (3 x 4) and b (3 x 5)"});
}

TEST_F(Refused, AreCompoundAssignmentsUnderTheirOwnName) {
  matrix t = target;
  expect_refused<std::invalid_argument>([&] { t += b; }, {"operator+=:"});
  expect_refused<std::invalid_argument>([&] { t -= b; }, {"operator-=:"});
  expect_refused<std::invalid_argument>([&] { col(t, 1) += b; }, {"operator+=:"});
  expect_refused<std::invalid_argument>([&] { col(t, 1) -= rowwise_sum(c); }, {"operator-=:"});
}

TEST_F(Refused, AreVectorsWithAHintHowTheyAreRepeated) {
  expect_refused<std::invalid_argument>([&] { target = a - colwise_sum(a); },
                                        {"; colwise_broadcast(b) repeats"});
  expect_refused<std::invalid_argument>([&] { target = rowwise_sum(a) + a; },
                                        {"; rowwise_broadcast(a) repeats"});
  expect_refused<std::invalid_argument>([&] { target = a + transpose(colwise_sum(a)); },
                                        {"; colwise_broadcast(transpose(b)) repeats"});
  expect_refused<std::invalid_argument>([&] { target = a > transpose(rowwise_sum(a)); },
                                        {"; rowwise_broadcast(transpose(b)) repeats"});
}

TEST_F(Refused, ArePairsOfOtherNumbersOfElements) {
  const matrix v = random_matrix<float>(3, 1), w = random_matrix<float>(4, 1);
  expect_refused<std::invalid_argument>(
      [&] { dot_product(v, w); },
      {"dot_product: the first operand is 3 x 1 and the second 4 x 1; both must have the same number of el"});
  expect_refused<std::invalid_argument>(
      [&] { squared_distance(v, transpose(w)); },
      {"squared_distance: the first operand is 3 x 1 and the second 1 x 4; both must have the same number"});
  expect_refused<std::invalid_argument>(
      [&] { distance(a, w); }, {"distance: the first operand is 3 x 4 and the second 4 x 1; both must have"});
  EXPECT_NO_THROW(dot_product(v, transpose(v)));
  EXPECT_NO_THROW(dot_product(v, constant(1.0f)));
}

TEST_F(Refused, ArePartsOfAnotherSizeWithWhatRepeatsTheExpression) {
  matrix t = target;
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { col(t, 1) = block(a, 1, 1, 3, 2); }),
      "assignment: the part assigned to is 3 x 1, the expression is 3 x 2: they must have the same size");
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { block(t, 1, 1, 3, 2) = col(a, 1); }),
      "assignment: the part assigned to is 3 x 2, the expression is 3 x 1: they must have the same size; "
      "rowwise_broadcast(the expression) repeats it as every column");
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { row(t, 1) = transpose(row(a, 1)); }),
      "assignment: the part assigned to is 1 x 4, the expression is 4 x 1: they must have the same size; "
      "transpose(the expression) lies the same way");
  EXPECT_EQ(message_of<std::invalid_argument>([&] {
              results(t, matrix(a)) = expressions(a, col(a, 1));
            }).find("broadcast"),
            std::string::npos);
  expect_same<float>(from_matrix_cl(t), before);
}

TEST_F(Refused, AreFactorsWithoutASizeOfTheirOwn) {
  const matrix square(host<float>::Constant(3, 3, 1)), column(host<float>::Constant(3, 1, 2)),
      row(host<float>::Constant(1, 3, 2));
  const auto said = [](const auto& product) { return message_of<std::invalid_argument>(product); };
  const std::string advice = " are not known: where it repeats a vector v, rep_matrix(v, n) does so n times";
  EXPECT_EQ(said([&] { square* rowwise_broadcast(column); }), "operator*: columns of b" + advice);
  EXPECT_EQ(said([&] { rowwise_broadcast(column) * square; }), "operator*: columns of a" + advice);
  EXPECT_EQ(said([&] { square* colwise_broadcast(row); }), "operator*: rows of b" + advice);
  EXPECT_EQ(said([&] { colwise_broadcast(row) * square; }), "operator*: rows of a" + advice);
  EXPECT_EQ(said([&] { square* row_index(); }), "operator*: rows of b are not known");
  EXPECT_EQ(said([&] { mdivide_left_tri_low(square, rowwise_broadcast(column)); }),
            "mdivide_left_tri_low: columns of b are not known");
  EXPECT_EQ(from_matrix_cl(square * rep_matrix(column, 2)), host<float>::Constant(3, 2, 6));
}

TEST_F(Refused, AreOperandsOfOneElementWithWhatIsANumber) {
  const matrix one(host<float>::Constant(1, 1, 2)), column(host<float>::Constant(3, 1, 2));
  expect_refused<std::invalid_argument>([&] { elt_divide(a, one); },
                                        {"elt_divide: rows of a (3) and rows of b (1) must match in size",
                                         "; b has one element: sum(b) is a number"});
  expect_refused<std::invalid_argument>([&] { a* one; }, {"; b has one element: sum(b) is a number"});
  expect_refused<std::invalid_argument>([&] { one + a; }, {"; a has one element: sum(a) is a number"});
  matrix target_of_one = one, target_column = column;
  // what is assigned to is not repeated
  EXPECT_EQ(message_of<std::invalid_argument>([&] { target_of_one += a; }),
            "operator+=: rows of a (1) and rows of b (3) must match in size: a is 1 x 1, b is 3 x 4");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { target_column += a; }),
            "operator+=: columns of a (1) and columns of b (4) must match in size: a is 3 x 1, b is 3 x 4");
  EXPECT_NE(
      message_of<std::invalid_argument>([&] { append_row(matrix(), a); }).find("given no size is 0 x 0"),
      std::string::npos);
  EXPECT_EQ(from_matrix_cl(elt_divide(a, sum(one))), host<float>(from_matrix_cl(a) / 2));
}

TEST_F(Refused, IsAMeanOfWhatHasNoSize) {
  matrix other = target;
  expect_refused<std::invalid_argument>(
      [&] { results(target, other) = expressions(a, mean(constant(2.0f))); },
      {"mean: a has no size of its own", "constant(x, rows, cols)"});
  expect_refused<std::invalid_argument>([&] { rowwise_sd(constant(2.0f)); },
                                        {"rowwise_sd: a has no size of its own"});
}

TEST_F(Refused, AreBroadcastsOfMoreThanOne) {
  expect_refused<std::invalid_argument>([&] { target = a + rowwise_broadcast(a); },
                                        {"rowwise_broadcast: a is 3 x 4, but must be a column"});
  expect_refused<std::invalid_argument>([&] { target = a + colwise_broadcast(a); },
                                        {"colwise_broadcast: a is 3 x 4, but must be a row"});
  expect_refused<std::invalid_argument>([&] { target = broadcast<true, true>(a); }, {"broadcast", "3"});
  expect_refused<std::invalid_argument>([&] { target = a + rowwise_optional_broadcast(b); }, {"4", "5"});
}

TEST_F(Refused, IsWhatHasNoSize) {
  expect_refused<std::invalid_argument>([&] { target = constant(1.0f); }, {"rows", "size"});
  expect_refused<std::invalid_argument>([&] { target = rowwise_broadcast(rowwise_sum(a)); },
                                        {"columns", "size"});
  expect_refused<std::invalid_argument>([&] { target = row_index() + 1; }, {"rows", "size"});
  expect_refused<std::invalid_argument>([&] { target = sum(constant(1.0f)); }, {"sum", "rows"});
}

TEST_F(Refused, AreNegativeSizes) {
  expect_refused<std::invalid_argument>([&] { target = matrix(-1, 4); }, {"matrix_cl", "-1", "4"});
  expect_refused<std::domain_error>([&] { target = rep_matrix(1.0f, 3, -4); }, {"rep_matrix", "-4"});
  expect_refused<std::domain_error>([&] { target = rep_vector(1.0f, -3); }, {"-3"});
  expect_refused<std::invalid_argument>([&] { target = constant(1.0f, -3, 4); }, {"constant", "-3"});
  expect_refused<std::invalid_argument>([&] { target = row_index(-3, 4); }, {"row_index", "-3"});
}

TEST_F(Refused, AreResultsOfDifferentSizes) {
  matrix other = target;
  expect_refused<std::invalid_argument>([&] { results(target, other) = expressions(a, b); },
                                        {"columns", "4", "5"});
  expect_refused<std::invalid_argument>([&] { results(target, other) = expressions(a + 1, c); },
                                        {"rows", "3", "2"});
  expect_refused<std::invalid_argument>([&] { results(target, other) = expressions(a / sum(a), b); },
                                        {"4", "5"});
  expect_refused<std::invalid_argument>([&] { results(target, other) += expressions(a, b); }, {"4", "5"});
  matrix number(3.0f);
  expect_refused<std::invalid_argument>([&] { results(number, other) += expressions(3.0f, a); },
                                        {"(1 x 1)", "(3 x 4)", "constant(x)"});
  expect_same<float>(from_matrix_cl(other), before);
}

TEST_F(Refused, IsAMatrixTheDeviceHasNoMemoryFor) {
  const std::int64_t rows = std::int64_t{1} << 31;
  expect_refused<out_of_device_memory>([&] { target = constant(1.0f, rows, 1024); }, {"bytes"});
  expect_refused<out_of_device_memory>([&] { target = matrix(rep_matrix(1.0f, rows, 1024)); }, {"bytes"});
  matrix second = target;
  expect_refused<out_of_device_memory>(
      [&] {
        results(second, target) = expressions(rep_matrix(2.0f, rows, 1024), rep_matrix(1.0f, rows, 1024));
      },
      {"bytes"});
  expect_same<float>(from_matrix_cl(second), before);
}

TEST_F(Refused, AreSizesThatOverflow) {
  const std::int64_t rows = std::int64_t{1} << 40;
  expect_refused<out_of_device_memory>([&] { target = constant(1.0f, rows, rows); }, {"bytes"});
  expect_refused<out_of_device_memory>([&] { matrix(rows, rows).buffer(); }, {"bytes"});
  expect_refused<std::length_error>([&] { (void)matrix(rows, rows).size(); },
                                    {"1099511627776 x 1099511627776"});
  const std::int64_t half = std::int64_t{1} << 32, bytes_wrap = std::int64_t{1} << 62;
  expect_refused<std::length_error>([&] { matrix(std::vector<float>(), half, half); }, {"4294967296"});
  const float one = 1;
  expect_refused<out_of_device_memory>([&] { matrix(&one, bytes_wrap, 1); }, {"bytes"});
  expect_refused<std::invalid_argument>([&] { tail(constant(1.0f, half, half), 1); }, {"tail"});
  expect_refused<std::length_error>([&] { (void)constant(1.0f, rows, rows).size(); }, {"too many elements"});
  const std::int64_t most = std::int64_t{1} << 31;
  EXPECT_EQ(row_index(most, 1).rows(), most);
  EXPECT_EQ(col_index(most + 1, 1).rows(), most + 1);
  expect_refused<std::length_error>([&] { row_index(most + 1, 1); }, {"row_index", "2147483649 rows"});
  expect_refused<std::length_error>([&] { col_index(1, most + 1); }, {"col_index", "2147483649 columns"});
  expect_refused<std::length_error>(
      [&] { (void)static_cast<float>(sum(row_index() + constant(1, most + 1, 1))); },
      {"row_index", "2147483649"});
}

TEST_F(Refused, AreMatricesThatAreTooLongTogether) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  expect_refused<std::length_error>([&] { append_row(constant(1.0f, most, 0), constant(1.0f, most, 0)); },
                                    {"append_row", "9223372036854775807 rows"});
  expect_refused<std::length_error>([&] { append_col(constant(1.0f, 0, most), constant(1.0f, 0, 1)); },
                                    {"append_col", "9223372036854775807 columns and 1"});
  matrix grows(1, 0);
  const auto kept = append_row(constant(1.0f, most - 1, 0), grows);
  EXPECT_EQ(kept.rows(), most);
  grows = matrix(2, 0);
  expect_refused<std::length_error>([&] { matrix{kept}; }, {"append_row"});
}

TEST_F(Refused, IsAKernelThatDoesNotBuild) {
  const kernel_cl<out_buffer> broken("broken",
                                     "kernel void broken(global float* y) { y[0] = undeclared; }\n");
  expect_refused<build_error>([&] { broken(cl::NDRange(1), target); }, {"broken", "undeclared", "1"});
}

TEST_F(Refused, IsAMatrixOfOtherElementsThanAKernelHas) {
  const kernel_cl<in_buffer, out_buffer> dbl(
      "dbl", "kernel void dbl(global const int* a, global float4* b) { b[0] = 2 * a[0]; }\n",
      {{"RUN", getpid()}});  // built, not loaded: then a kernel may not know its types
  expect_refused<std::invalid_argument>([&] { dbl(cl::NDRange(3), a, target); },
                                        {"kernel dbl", "argument 0", "matrix of float", "int*"});
  expect_refused<std::invalid_argument>(
      [&] { dbl(cl::NDRange(3), matrix_cl<unsigned>(3, 4), matrix_cl<int>(3, 4)); },
      {"kernel dbl", "argument 1", "matrix of int", "float4*"});
}

TEST_F(Refused, AreSizesThatAreNegativeOrCannotBeCounted) {
  const matrix own(2, 2);
  const std::int64_t many = std::int64_t{1} << 32;
  expect_refused<std::invalid_argument>([&] { matrix(own.buffer(), -1, -1); }, {"matrix_cl", "-1"});
  expect_refused<std::length_error>([&] { static_cast<float>(sum(constant(1.0f, many, many))); },
                                    {"sum: a (4294967296 x 4294967296)"});
  expect_refused<std::invalid_argument>([&] { target = sum(rowwise_broadcast(random_matrix<float>(4, 1))); },
                                        {"columns of what sum reduces are not determined"});
}

TEST_F(Refused, AreShapesOfOtherNumbersOfElements) {
  expect_refused<std::invalid_argument>([&] { target.reshape(3000, 1000); },
                                        {"reshape: a (3 x 4)", "(3000 x 1000)"});
  expect_refused<std::invalid_argument>([&] { target.reshape(2, 5); }, {"(3 x 4)", "(2 x 5)"});
  expect_refused<std::invalid_argument>([&] { target.reshape(-3, -4); }, {"(3 x 4)", "(-3 x -4)"});
  const std::int64_t many = std::int64_t{1} << 62;
  expect_refused<std::invalid_argument>([&] { matrix().reshape(many, 4); }, {"(0 x 0)", "x 4)"});
  target.reshape(2, 6);
  target.reshape(3, 4);
}

TEST_F(Refused, IsAMatrixThatIsTwoResults) {
  expect_refused<std::invalid_argument>([&] { results(target, target) = expressions(a * 2.0f, a); },
                                        {"results 1 and 2 are the same matrix"});
  expect_refused<std::invalid_argument>(
      [&] { results(target, target) = expressions(a * 2.0f, rowwise_sum(a)); }, {"same matrix"});
}

TEST_F(Refused, IsAMatrixBesideAPartOfItAsResults) {
  // also where the part is there before the statement, and not after
  const auto corner = [&] { return block(target, 2, 3, 2, 2); };
  const auto small = block(a, 1, 1, 2, 2);
  expect_refused<std::invalid_argument>([&] { results(target, corner()) = expressions(small * 2.0f, small); },
                                        {"result 2 is a part of result 1"});
  expect_refused<std::invalid_argument>(
      [&] { results(corner(), b, target) = expressions(small, small, small * 2.0f); },
      {"result 1 is a part of result 3"});
  expect_refused<std::invalid_argument>([&] { results(target, row(target, 1)) += expressions(a, row(a, 1)); },
                                        {"result 2 is a part of result 1"});
  expect_refused<std::invalid_argument>(
      [&] { results(check_cl("f", "a", a, "any"), target, corner()) = expressions(a == a, small, small); },
      {"result 3 is a part of result 2"});
  matrix other = target;
  results(other, block(other, 1, 1, 3, 4)) = expressions(a, calc_if<false>(b));
  expect_same<float>(from_matrix_cl(other), from_matrix_cl(a));
}

TEST_F(Refused, IsDoubleWithoutFp64) {
  if (device_has_double()) GTEST_SKIP() << opencl_context.capabilities().name << " has double";
  const std::string name = opencl_context.capabilities().name;
  expect_refused<unsupported_type_error>([&] { target = a + 1.0; },
                                         {"double", name.c_str(), "2.0f", "log densities"});
  expect_refused<unsupported_type_error>([&] { target = exp(random_matrix<int>(3, 4)); },
                                         {"double", name.c_str()});
  expect_refused<unsupported_type_error>([&] { target = matrix_cl<double>(3, 4) + a; },
                                         {"double", name.c_str()});
}

TEST_F(Refused, AreSchedulesThatThereAreNot) {
  const schedule_as_before restored;
  for (const char* form : {"cpu", "CPU", "gpu", "Gpu", ""}) {
    set_schedule(form);
    EXPECT_EQ(static_cast<float>(sum(constant(1.0f, 3, 3))), 9.0f) << form;
  }
  set_schedule("fpga");
  EXPECT_THROW(target = a + 2.0f, error);
}

}  // namespace
}  // namespace fusecl
