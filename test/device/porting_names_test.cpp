// Names of Stan Math's OpenCL backend, used as its own tests use them: code in expressions, expressions that
// hold their operands, other shapes, triangles, copies of lists of vectors.

#include <string>
#include <system_error>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<float>;

constexpr char sum_and_difference[] = "float s = x + y; float d = x - y;";
constexpr char number[] = "int res = 123450;";
constexpr char mixed[] = R"(
  float real = i % 3 + 0.25f * x;  // inputs have types of their own
  int whole = i / 2;
  bool both = b && i > 0;)";

TEST(PortingNames, CodeWithSeveralOutputs) {
  in_both_forms([] {
    const auto a = random_matrix<float>(71, 3), b = random_matrix<float>(71, 3);
    const auto code = opencl_code<sum_and_difference>(std::make_tuple("x", "y"), a, b);
    matrix s, d;
    results(s, d) = expressions(code.output<float>("s"), code.output<float>("d"));
    EXPECT_EQ(s.to_host(), a.to_host() + b.to_host());
    EXPECT_EQ(d.to_host(), a.to_host() - b.to_host());
    const matrix other =
        opencl_code<sum_and_difference>(std::make_tuple("y", "x"), a, b).output<float>("d") * 2.0f;
    EXPECT_EQ(other.to_host(), 2 * (b.to_host() - a.to_host()));
    const float total =
        sum(opencl_code<sum_and_difference>(std::make_tuple("x", "y"), a, 0.5f).output<float>("d"));
    EXPECT_NEAR(total, a.to_host().sum() - 71 * 3 * 0.5f, 1e-3 * 71 * 3);
  });
}

TEST(PortingNames, CodeHasInputsOfManyTypes) {
  const host<int> i = random_host<int>(9, 2, -20, 20);
  const host<float> x = random_host<float>(9, 2);
  const matrix_cl<bool> b(random_host<bool>(9, 2));
  const auto code = opencl_code<mixed>(std::make_tuple("i", "x", "b"), matrix_cl<int>(i), matrix(x), b);
  EXPECT_EQ(from_matrix_cl(code.output<int>("whole")), i.unaryExpr([](int e) { return e / 2; }));
  EXPECT_EQ(from_matrix_cl(code.output<bool>("both")),
            host<bool>(from_matrix_cl(b).array() && i.array() > 0));
  const host<float> wanted = i.unaryExpr([](int e) { return e % 3; }).cast<float>() + 0.25f * x;
  EXPECT_LT((from_matrix_cl(code.output<float>("real")) - wanted).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(PortingNames, CodeWithoutInputsIsANumber) {
  const matrix_cl<int> m(Eigen::VectorXi::LinSpaced(6, 1, 6).eval());
  const auto res = opencl_code<number>(std::make_tuple()).output<int>("res");
  const int whole = res;
  const double wide = res;
  EXPECT_EQ(whole + wide, 2 * from_matrix_cl<int>(matrix_cl<int>(res)));
  const matrix_cl<int> result = m + res;
  EXPECT_EQ(result.to_host(), (m.to_host().array() + 123450).matrix());
}

TEST(PortingNames, CodeThatIsWrongSaysSo) {
  const auto a = random_matrix<float>(3, 2);
  const auto code = opencl_code<sum_and_difference>(std::make_tuple("x", "y"), a, a);
  try {
    code.output<float>("missing").eval();
    FAIL();
  } catch (const build_error& e) {
    EXPECT_NE(std::string(e.what()).find("missing"), std::string::npos) << e.what();
  }
  EXPECT_THROW((opencl_code<sum_and_difference>(std::make_tuple("x", "y"), a, random_matrix<float>(2, 3))),
               std::invalid_argument);
}

template <class T>
auto twice_of(T&& a) {
  auto* on_heap = new std::remove_reference_t<T>(std::forward<T>(a));
  return holder_cl(*on_heap + *on_heap, on_heap);
}
template <class T>
auto made_twice_of(T&& a) {
  return make_holder_cl([](const auto& x) { return x + x; }, std::forward<T>(a));
}

TEST(PortingNames, HoldersKeepTheirOperands) {
  auto m = random_matrix<float>(3, 3);
  const host<float> wanted = 2 * m.to_host();
  EXPECT_EQ(from_matrix_cl(twice_of(m)), wanted);
  EXPECT_EQ(from_matrix_cl(made_twice_of(m)), wanted);
  const auto kept = made_twice_of(matrix(m.to_host())), of_moved = twice_of(std::move(m));
  EXPECT_EQ(from_matrix_cl(kept), wanted);
  EXPECT_EQ(from_matrix_cl(of_moved - kept), host<float>::Zero(3, 3));
  EXPECT_EQ(kept.rows(), 3);
}

TEST(PortingNames, OtherShapesOfTheSameElements) {
  const auto a = random_matrix<float>(6, 4);
  const host<float> h = a.to_host();
  const auto shaped = [](const host<float>& x, int rows, int cols) {
    return host<float>(Eigen::Map<const host<float>>(x.data(), rows, cols));
  };
  EXPECT_EQ(to_matrix(a, 3, 8).to_host(), shaped(h, 3, 8));
  EXPECT_EQ(from_matrix_cl(to_matrix(transpose(a), 8, 3)), shaped(h.transpose(), 8, 3));
  EXPECT_EQ(from_matrix_cl(to_matrix(a, 8, 3, true)), shaped(h, 8, 3));
  EXPECT_EQ(from_matrix_cl(to_matrix(a, 8, 3, false)), host<float>(shaped(h.transpose(), 3, 8).transpose()));
  EXPECT_EQ(from_matrix_cl(to_vector(a)), shaped(h, 24, 1));
  EXPECT_EQ(from_matrix_cl(to_row_vector(a * 2.0f)), 2 * shaped(h, 1, 24));
  EXPECT_EQ(&to_matrix(a), &a);
  EXPECT_EQ(from_matrix_cl(a), h);
  EXPECT_EQ(to_matrix(matrix(0, 3), 5, 0).rows(), 5);
  for (const auto [rows, cols] : std::vector<size_pair>{{4, 2}, {-6, -4}, {0, 24}})
    EXPECT_THROW(to_matrix(a, rows, cols), std::invalid_argument);
  EXPECT_THROW(to_matrix(constant(1.0f), 2, 2), std::invalid_argument);
}

TEST(PortingNames, WhatAViewLeavesOutIsZeroInOtherShapes) {
  for (const matrix_cl_view view : all_views) {
    const auto a = random_matrix<float>(5, 5, view);
    host<float> wanted = a.to_host();
    wanted.resize(25, 1);
    EXPECT_EQ(from_matrix_cl(to_vector(a)), wanted);
    EXPECT_EQ(from_matrix_cl(to_vector(a + a)), 2 * wanted);
  }
}

TEST(PortingNames, Ranks) {
  const float infinity = std::numeric_limits<float>::infinity();
  const matrix x(Eigen::VectorXf{{0.2f, -0.8f, 0, -0.1f, infinity, -infinity, -1.5f}});
  EXPECT_EQ(rank(x, 3), 4);
  EXPECT_EQ(rank(transpose(x), 5), 6);
  EXPECT_EQ(rank(x * 2.0f, 6), 0);
  EXPECT_THROW(rank(x, 0), std::out_of_range);
  EXPECT_THROW(rank(x, 8), std::out_of_range);
  EXPECT_THROW(rank(matrix(2, 2), 1), std::invalid_argument);
}

TEST(PortingNames, DividedColumns) {
  const host<float> h = random_host<float>(7, 3), divisors = random_host<float>(7, 1, 1, 3);
  const matrix by(divisors), across(host<float>(divisors.transpose()));
  const auto expect_quotients = [&](const matrix& m) {
    expect_matches(m, expected(elt_divide(matrix(h), rowwise_broadcast(by))));
  };
  matrix a(h), b(h), c(host<float>(divisors.transpose())), none(0, 3);
  divide_columns(a, by);
  expect_quotients(a);
  divide_columns(b, across);
  expect_quotients(b);
  divide_columns(c, by);
  EXPECT_EQ(c.to_host(), host<float>::Ones(1, 7));
  divide_columns(c, 2.0f);
  EXPECT_EQ(c.to_host(), host<float>::Constant(1, 7, 0.5f));
  divide_columns(none, by);
  for (const auto [rows, cols] : std::vector<size_pair>{{3, 1}, {7, 3}, {6, 1}, {21, 1}})
    EXPECT_THROW(divide_columns(a, random_matrix<float>(rows, cols)), std::invalid_argument);
}

TEST(PortingNames, StrictTriangles) {
  const host<float> h = random_host<float>(5, 4);
  matrix lower(h), upper(h), filled(h);
  lower.zeros_strict_tri<matrix_cl_view::Upper>();
  upper.zeros_strict_tri<matrix_cl_view::Lower>();
  EXPECT_EQ(lower.view(), matrix_cl_view::Lower);
  EXPECT_EQ(lower.to_host(), host<float>(h.triangularView<Eigen::Lower>()));
  EXPECT_EQ(upper.to_host(), host<float>(h.triangularView<Eigen::Upper>()));
  lower.view(matrix_cl_view::Entire);  // the zeros are in memory
  EXPECT_EQ(lower.to_host(), host<float>(h.triangularView<Eigen::Lower>()));
  EXPECT_THROW(filled.zeros_strict_tri<matrix_cl_view::Entire>(), std::invalid_argument);
  EXPECT_THROW(filled.zeros_strict_tri<matrix_cl_view::Diagonal>(), std::invalid_argument);
  const auto fill = [&](matrix& m, matrix_cl_view part) {
    opencl_kernels::fill_strict_tri(cl::NDRange(5, 4), m, 3, 5, 4, part);
  };
  fill(filled, matrix_cl_view::Diagonal);
  EXPECT_EQ(filled.to_host(), h);
  fill(filled, matrix_cl_view::Lower);
  fill(upper, matrix_cl_view::Lower);
  host<float> wanted = h;
  wanted.triangularView<Eigen::StrictlyLower>().setConstant(3);
  EXPECT_EQ(filled.to_host(), wanted);
  EXPECT_EQ(upper.to_host(), wanted);
  fill(filled, matrix_cl_view::Entire);
  EXPECT_EQ(filled.to_host(), host<float>::Constant(5, 4, 3));
  EXPECT_THROW(opencl_kernels::fill_strict_tri(cl::NDRange(4, 5), filled, 3, 4, 5, matrix_cl_view::Upper),
               std::invalid_argument);
}

TEST(PortingNames, ListsOfVectorsAreColumns) {
  const std::vector<Eigen::VectorXf> columns = {Eigen::Vector3f(1, 2, 3), Eigen::Vector3f(4, 5, 6)};
  const matrix m = to_matrix_cl(columns);
  EXPECT_EQ(m.to_host(), (host<float>(3, 2) << 1, 4, 2, 5, 3, 6).finished());
  EXPECT_EQ(from_matrix_cl<std::vector<Eigen::VectorXf>>(m), columns);
  EXPECT_EQ(from_matrix_cl<std::vector<Eigen::VectorXf>>(m + m)[1], 2 * columns[1]);
  const matrix_cl<int> of_rows = to_matrix_cl(std::vector<Eigen::RowVector2i>{{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(of_rows.cols(), 3);
  EXPECT_EQ(to_matrix_cl(std::vector<Eigen::VectorXf>{}).size(), 0);
  EXPECT_THROW(to_matrix_cl(std::vector<Eigen::VectorXf>{Eigen::Vector2f(1, 2), Eigen::Vector3f(1, 2, 3)}),
               std::invalid_argument);
}

TEST(PortingNames, ErrorsOfOpenCLAreSystemErrors) {
  try {
    check_opencl_error("test_func", cl::Error(CL_OUT_OF_RESOURCES, "clFinish"));
    FAIL();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), CL_OUT_OF_RESOURCES);
    for (const char* part : {"test_func", "clFinish", "CL_OUT_OF_RESOURCES"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
  check_opencl_error("test_func", cl::Error(CL_SUCCESS, "clFinish"));
}

TEST(PortingNames, MatricesAreTold) {
  EXPECT_TRUE(is_matrix_cl<matrix>::value);
  EXPECT_TRUE(is_matrix_cl<const matrix&>::value);
  EXPECT_FALSE(is_matrix_cl<double>::value);
  EXPECT_FALSE(is_matrix_cl<decltype(matrix() + matrix())>::value);
}

TEST(PortingNames, AFreeSizeIsThatOfTheOtherResults) {
  const auto m = random_matrix<float>(3, 4);
  matrix a, b;
  results(a, b) = expressions(constant(1.0f), m);
  EXPECT_EQ(a.to_host(), host<float>::Ones(3, 4));
  results(a, b) = expressions(m + 1.0f, colwise_sum(constant(1.0f)));
  EXPECT_EQ(b.to_host(), host<float>::Constant(1, 4, 3));
  results(a, b) = expressions(m, exp(sum(cast<float>(row_index()) * 0.1f)));
  EXPECT_NEAR(from_matrix_cl<float>(b), std::exp(1.2f), 1e-4);
  results(a, b) = expressions(rowwise_sum(m), sum(constant(1.0f)));
  EXPECT_EQ(from_matrix_cl<float>(b), 12);
  results(a, b) = expressions(row(m, 2), constant(2.0f));
  EXPECT_EQ(b.to_host(), host<float>::Constant(1, 4, 2));
  results(col(a, 1), b) = expressions(constant(7.0f), constant(2.0f));
  EXPECT_EQ(b.to_host(), host<float>::Constant(1, 1, 2));
  a = matrix(host<float>(host<float>::Zero(3, 4)));
  block(a, 1, 2, 2, 2) = constant(1.0f);
  results(block(a, 3, 1, 1, 2), b) = expressions(constant(3.0f), constant(2.0f));
  EXPECT_EQ(a.to_host(), (host<float>(3, 4) << 0, 1, 1, 0, 0, 1, 1, 0, 3, 3, 0, 0).finished());
  EXPECT_EQ(b.to_host(), host<float>::Constant(1, 2, 2));
  block(a, 1, 1, 1, 4) = constant(1.0f) * sum(a);
  block(a, 1, 1, 3, 4) += cast<float>(row_index());
  EXPECT_EQ(a.to_host(), (host<float>(3, 4) << 10, 10, 10, 10, 1, 2, 2, 1, 5, 5, 2, 2).finished());
  const auto refused = [&](const auto& statement) {
    try {
      statement();
      ADD_FAILURE() << "no exception";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("not determined"), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find("-1"), std::string::npos) << e.what();
    }
  };
  refused([&] { a = sum(constant(1.0f)); });
  refused([&] { results(a, b) = expressions(sum(constant(1.0f)), constant(2.0f)); });
  refused([&] {
    results(a, b) = expressions(colwise_sum(row_index()), sum(m));
    b = rowwise_sum(col_index());
  });
  refused([&] { const matrix c = constant(1.0f); });
  refused([&] {
    const float c = prod(constant(1.0f));
    EXPECT_EQ(c, 0);
  });
  EXPECT_THROW((results(a, b) = expressions(constant(1.0f) + m, transpose(m))), std::invalid_argument);
  matrix c;
  EXPECT_THROW((results(a, b, c) = expressions(constant(1.0f), m, transpose(m))), std::invalid_argument);
}

constexpr const char difference_of_text[] = STRINGIFY(double d = max(x, y) - min(x, y););

TEST(PortingNames, CodeMayBeWrittenWithoutQuotes) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(5, 3), b = random_matrix<double>(5, 3);
  const matrix_cl<double> d =
      opencl_code<difference_of_text>(std::make_tuple("x", "y"), a, b).output<double>("d");
  EXPECT_EQ(from_matrix_cl(d), (from_matrix_cl(a) - from_matrix_cl(b)).cwiseAbs());
}

TEST(PortingNames, HostRowsAreColumnsToo) {
  Eigen::RowVectorXd row(3);
  row << 1, 2, 3;
  const auto column = as_column_vector_or_scalar(row);
  EXPECT_EQ(column.rows(), 3);
  EXPECT_EQ(column.cols(), 1);
  EXPECT_EQ(column(2), 3);
  EXPECT_EQ(as_column_vector_or_scalar(Eigen::VectorXd(column)), column);
  EXPECT_EQ(as_column_vector_or_scalar(2.5), 2.5);
  EXPECT_EQ(positive_infinity(), -negative_infinity());
  EXPECT_NE(not_a_number(), not_a_number());
}

}  // namespace
}  // namespace fusecl
