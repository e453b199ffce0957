// Derivatives through names of Stan Math's OpenCL backend: every function is called with matrices on the
// device and with Eigen matrices of var, and values and adjoints are compared.

#include <algorithm>
#include <numeric>
#include <thread>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/accumulator.hpp>
#include <fusion/autodiff/adjoint_results.hpp>
#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/type_names.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<double>;
using matrix_var = var_value<matrix>;
using host_var = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;

class PortingNames : public ::testing::Test {
 protected:
  void SetUp() override { FUSECL_NEEDS_DOUBLE; }
  void TearDown() override { recover_memory(); }
};

host_var as_variables(const host<double>& values) {
  return values.unaryExpr([](double x) { return var(x); });
}
host<double> adjoints(const host_var& variables) {
  return variables.unaryExpr([](const var& x) { return x.adj(); });
}

/// Calls `on_device` with variables and data, `on_host` with matrices of var, and compares results and, for a
/// weighted sum of these, adjoints.
template <class Device, class Host>
void compare_one(const Device& on_device, const Host& on_host, const host<double>& a) {
  const matrix_var x(a);
  const host_var y = as_variables(a);
  const matrix_var result = on_device(x);
  const host_var wanted = on_host(y);
  ASSERT_EQ(result.rows(), wanted.rows());
  ASSERT_EQ(result.cols(), wanted.cols());
  const matrix weights = random_matrix<double>(result.rows(), result.cols());
  const host<double> w = weights.to_host();
  var lp = sum(elt_multiply(result, weights)), other = 0;
  for (Eigen::Index k = 0; k < wanted.size(); ++k) {
    EXPECT_NEAR(result.val().to_host().data()[k], wanted.data()[k].val(), 1e-12);
    other += wanted.data()[k] * w.data()[k];
  }
  lp.grad();
  const host<double> gradient = x.adj().to_host();
  other.grad();
  EXPECT_TRUE(gradient.isApprox(adjoints(y), 1e-10)) << gradient << "\n\n" << adjoints(y);
  recover_memory();
}

/// The same for two operands of which one is data.
template <class Device, class Host>
void compare_two(const Device& on_device, const Host& on_host, const host<double>& a, const host<double>& b) {
  compare_one([&](const auto& x) { return on_device(x, matrix(b)); },
              [&](const host_var& x) { return on_host(x, as_variables(b)); }, a);
  compare_one([&](const auto& x) { return on_device(matrix(a), x); },
              [&](const host_var& x) { return on_host(as_variables(a), x); }, b);
  if (a.rows() == b.rows() && a.cols() == b.cols())
    compare_one(
        [&](const auto& x) { return on_device(x, exp(x)); },
        [&](const host_var& x) { return on_host(x, x.unaryExpr([](const var& e) { return var(exp(e)); })); },
        a);
}

TEST_F(PortingNames, AppendedRowsAndColumns) {
  const auto rows_of_host = [](const host_var& a, const host_var& b) {
    host_var all(a.rows() + b.rows(), a.cols());
    all << a, b;
    return all;
  };
  const auto cols_of_host = [](const host_var& a, const host_var& b) {
    host_var all(a.rows(), a.cols() + b.cols());
    all << a, b;
    return all;
  };
  for (const auto [n, m] : std::vector<size_pair>{{7, 4}}) {
    compare_two([](const auto& a, const auto& b) { return append_row(a, b); }, rows_of_host,
                random_host<double>(n, m), random_host<double>(n + 1, m));
    compare_two([](const auto& a, const auto& b) { return append_col(a, b); }, cols_of_host,
                random_host<double>(n, m, -1, 1), random_host<double>(n, m, -1, 1));
  }
}

TEST_F(PortingNames, Diagonals) {
  const auto diagonal_of_host = [](const host_var& v) {
    host_var all = as_variables(host<double>::Zero(v.size(), v.size()));
    for (Eigen::Index i = 0; i < v.size(); ++i) all(i, i) = v.data()[i];
    return all;
  };
  const auto added_on_host = [](const host_var& m, const host_var& v) {
    host_var all = m;
    for (Eigen::Index i = 0; i < v.size(); ++i) all(i, i) += v.data()[i];
    return all;
  };
  compare_one([](const auto& v) { return diag_matrix(v); }, diagonal_of_host, random_host<double>(5, 1));
  compare_one([](const auto& v) { return diag_matrix(exp(v)) - diag_matrix(v); },
              [&](const host_var& v) {
                return diagonal_of_host(v.unaryExpr([](const var& e) { return var(exp(e) - e); }));
              },
              random_host<double>(1, 4));
  for (const auto [n, m] : std::vector<size_pair>{{3, 5}, {5, 3}})
    compare_two([](const auto& a, const auto& b) { return add_diag(a, b); }, added_on_host,
                random_host<double>(n, m), random_host<double>(1, std::min(n, m)));
  const matrix_var x(random_host<double>(4, 3));
  const var c = 0.5;
  const var lp = sum(add_diag(x, c));
  lp.grad();
  EXPECT_EQ(c.adj(), 3);
  EXPECT_EQ(x.adj().to_host(), host<double>::Ones(4, 3));
}

TEST_F(PortingNames, VectorsAsColumnsAndRepeatedElements) {
  for (const auto [n, m] : std::vector<size_pair>{{1, 1}, {5, 1}, {1, 6}}) {
    compare_one([](const auto& v) { return as_column_vector_or_scalar(v * 2.0); },
                [](const host_var& v) {
                  const host_var twice = v * 2.0;
                  return host_var(twice.rows() == 1 ? host_var(twice.transpose()) : twice);
                },
                random_host<double>(n, m));
  }
  compare_one([](const auto& x) { return rep_matrix(x, 3, 4); },
              [](const host_var& x) { return host_var(host_var::Constant(3, 4, x(0, 0))); },
              random_host<double>(1, 1));
  const var c = 6.7;
  const matrix_var repeated = rep_matrix<matrix_var>(c, 7, 3), column = rep_vector<matrix_var>(c, 4),
                   row = rep_row_vector<matrix_var>(c, 5);
  EXPECT_EQ(repeated.val().to_host(), host<double>::Constant(7, 3, 6.7));
  const var lp = sum(repeated) + sum(column) + sum(row) * 2.0;
  lp.grad();
  EXPECT_EQ(c.adj(), 21 + 4 + 10);
}

TEST_F(PortingNames, OtherShapes) {
  const auto on_host = [](int rows, int cols) {
    return [=](const host_var& x) { return host_var(Eigen::Map<const host_var>(x.data(), rows, cols)); };
  };
  const host<double> a = random_host<double>(6, 4);
  compare_one([](const auto& x) { return to_matrix(x, 3, 8); }, on_host(3, 8), a);
  compare_one([](const auto& x) { return to_vector(x); }, on_host(24, 1), a);
  compare_one([](const auto& x) { return to_row_vector(x); }, on_host(1, 24), a);
  compare_one([](const auto& x) { return to_matrix(x, 3, 8, true); }, on_host(3, 8), a);
  compare_one([](const auto& x) { return to_matrix(x, 8, 3, false); },
              [&](const host_var& x) { return host_var(on_host(3, 8)(host_var(x.transpose())).transpose()); },
              a);
  compare_one([](const auto& x) { return sort_asc(to_vector(transpose(x) * 2.0)); },
              [&](const host_var& x) {
                host_var all = on_host(24, 1)(host_var(x.transpose() * 2.0));
                std::sort(all.data(), all.data() + 24,
                          [](const var& i, const var& j) { return i.val() < j.val(); });
                return all;
              },
              a);
  compare_one([](const auto& x) { return to_vector(x) + to_vector(x); },
              [&](const host_var& x) { return host_var(on_host(24, 1)(x) * 2.0); }, a);
  EXPECT_THROW(to_matrix(matrix_var(a), 4, 5), std::invalid_argument);
}

TEST_F(PortingNames, OtherShapesOfTriangles) {
  matrix lower = random_matrix<double>(3, 3, matrix_cl_view::Lower);
  const matrix_var x(lower);
  const matrix_var v = to_vector(x);
  var lp = sum(elt_multiply(v, matrix(Eigen::VectorXd(Eigen::VectorXd::LinSpaced(9, 1, 9)))));
  lp.grad();
  EXPECT_EQ(x.adj().to_host(), (host<double>(3, 3) << 1, 0, 0, 2, 5, 0, 3, 6, 9).finished());
}

TEST_F(PortingNames, SortedVectors) {
  for (const std::int64_t n : {0, 1, 2, 33, 200, 3001}) {
    const auto order_of = [n](const host_var& v, bool descending) {
      std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), Eigen::Index{0});
      std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
        return descending ? v.data()[i] > v.data()[j] : v.data()[i] < v.data()[j];
      });
      host_var sorted(v.rows(), v.cols());
      for (std::size_t k = 0; k < order.size(); ++k) sorted.data()[k] = v.data()[order[k]];
      return sorted;
    };
    const host<double> values = random_host<int>(n, 1, -40, 40).template cast<double>();  // some are equal
    in_both_forms([&] {
      compare_one([](const auto& v) { return sort_asc(v); },
                  [&](const host_var& v) { return order_of(v, false); }, values);
      compare_one([](const auto& v) { return sort_desc(v); },
                  [&](const host_var& v) { return order_of(v, true); }, host<double>(values.transpose()));
    });
  }
  EXPECT_THROW(sort_asc(matrix_var(random_host<double>(2, 2))), std::invalid_argument);
}

TEST_F(PortingNames, GradientsIntoMatricesOfTheHost) {
  const Eigen::VectorXd a = random_host<double>(6, 1);
  const matrix_var on_device{matrix(a)};
  const matrix_var first(on_device.block(0, 0, 3, 1)), turned(on_device.transpose());
  ASSERT_EQ(turned.cols(), 6);
  Eigen::VectorXd wanted = 2 * a, found(1);
  wanted.head(3).array() += 3;
  var of_device = 3 * sum(+first) + dot_product(turned, on_device);
  grad(of_device, on_device, found);
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 1e-14);
  const Eigen::Matrix<var, Eigen::Dynamic, 1> on_host = as_variables(a);
  const var of_host = 3 * sum(to_matrix_cl(on_host.head(3))) + dot_self(to_matrix_cl(on_host));
  grad(of_host, on_host, found);
  EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 1e-14);
  const std::vector<var> numbers = {2, 5};
  std::vector<double> of_numbers(7);
  (numbers[0] * numbers[1] + numbers[1]).grad(numbers, of_numbers);
  EXPECT_EQ(of_numbers, (std::vector<double>{5, 3}));
  EXPECT_THROW(on_device.block(4, 0, 3, 1), std::invalid_argument);
}

TEST_F(PortingNames, WithoutATape) {
  const auto a = random_matrix<double>(3, 4, matrix_cl_view::Entire, 0.5, 2),
             b = random_matrix<double>(2, 4, matrix_cl_view::Entire, 0.5, 2),
             v = random_matrix<double>(1, 3, matrix_cl_view::Entire, 0.5, 2);
  const auto appended_rows = [](const auto& x, const auto& y) { return sum(square(append_row(x, log(y)))); };
  const auto added = [](const auto& x, const auto& y) {
    return sum(log(add_diag(append_col(x, x), y) + 3.0));
  };
  const auto spread = [](const auto& x) { return sum(square(diag_matrix(x) + rep_matrix(0.3, 3, 3))); };
  in_both_forms([&] { EXPECT_TRUE(check_gradient(appended_rows, a, b).passed(1e-7)); });
  EXPECT_TRUE(check_gradient(added, a, v).passed(1e-7));
  EXPECT_TRUE(check_gradient(spread, v).passed(1e-7));
}

TEST_F(PortingNames, AdjointsOfSeveralVariables) {
  const matrix a((host<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished()), other(random_matrix<double>(6, 1));
  const host<double> h = a.to_host();
  const matrix_var b(matrix(random_matrix<double>(3, 2))), e(matrix(random_matrix<double>(2, 3)));
  b.adj() = a * 0.5;
  var c = 0;
  c.adj() = 2;
  const double d = 5;
  adjoint_results(b, c, d, a) += expressions(a + 1, a - 1, a + 2, a - 2);
  EXPECT_EQ(b.adj().to_host(), 1.5 * h + host<double>::Ones(3, 2));
  EXPECT_EQ(c.adj(), 2 + 21 - 6);
  EXPECT_EQ(d, 5);
  EXPECT_EQ(a.to_host(), h);
  adjoint_results(c, b) += expressions(calc_if<false>(a), calc_if<true>(2.0 * a));
  EXPECT_EQ(c.adj(), 17);
  EXPECT_EQ(b.adj().to_host(), 3.5 * h + host<double>::Ones(3, 2));
  EXPECT_THROW((adjoint_results(b, c) += expressions(other, a)), std::invalid_argument);
  EXPECT_THROW((adjoint_results(b, e) += expressions(a, e.val())), std::invalid_argument);
  std::thread([&] {
    EXPECT_THROW((adjoint_results(b) += expressions(a)), std::logic_error);
    EXPECT_THROW((adjoint_results(c) += expressions(a)), std::logic_error);
  }).join();
  EXPECT_EQ(b.adj().to_host(), 3.5 * h + host<double>::Ones(3, 2));
  adjoint_results() += expressions();
}

TEST_F(PortingNames, ArenaMatricesAreShared) {
  arena_matrix_cl<double> a(3, 2);
  const arena_matrix_cl<double> b(a);
  arena_matrix_cl<double> c;
  c = a;
  EXPECT_EQ(a.buffer()(), b.buffer()());
  EXPECT_EQ(a.buffer()(), c.buffer()());
  const matrix& as_matrix = a;
  EXPECT_EQ(a.buffer()(), as_matrix.buffer()());
  a = rep_matrix(2.0, 3, 2);
  EXPECT_EQ(from_matrix_cl(b + b), host<double>::Constant(3, 2, 4));
  const matrix copy(b);
  block(a, 1, 1, 1, 1) = 7.0;
  EXPECT_EQ(copy.to_host(), host<double>::Constant(3, 2, 2));
  EXPECT_EQ(from_matrix_cl(c)(0, 0), 7);
  const arena_matrix_cl<double> of_expression = b * 2.0;
  EXPECT_EQ(from_matrix_cl(of_expression)(0, 0), 14);
  EXPECT_TRUE(is_matrix_cl<arena_matrix_cl<double>>::value);
  EXPECT_EQ(of_expression.eval().size(), 6);
}

TEST_F(PortingNames, ValuesOfAnything) {
  const matrix m = random_matrix<double>(2, 2);
  const matrix_var v(m);
  const var c = 2.5;
  EXPECT_EQ(value_of_rec(c), 2.5);
  EXPECT_EQ(value_of_rec(2), 2);
  EXPECT_EQ(value_of_rec(m).to_host(), m.to_host());
  EXPECT_EQ(value_of_rec(v).to_host(), m.to_host());
}

TEST_F(PortingNames, ListsOfVectorsOfVariables) {
  const Eigen::Matrix<var, Eigen::Dynamic, 1> first = as_variables(random_host<double>(3, 1)),
                                              second = as_variables(random_host<double>(3, 1));
  const matrix_var m = to_matrix_cl(std::vector{first, second});
  const var lp = sum(elt_multiply(m, cast<double>(row_index() + 10 * col_index())));
  lp.grad();
  EXPECT_EQ(first(2).adj(), 2);
  EXPECT_EQ(second(1).adj(), 11);
}

TEST_F(PortingNames, HostTypes) {
  vector_d values(3);
  values << 1, 2, 3;
  const vector_v x = to_var(values);
  const row_vector_v y = x.transpose();
  const matrix_var on_device = to_matrix_cl(x);
  const var lp = sum(on_device) + y(1) * 2.0;
  lp.grad();
  EXPECT_EQ(x(1).adj(), 3);
  const matrix_v back = from_matrix_cl(on_device);
  EXPECT_EQ(back(2, 0).val(), 3);
  const matrix_d adjoint = from_matrix_cl(on_device.adj());
  const row_vector_d across = from_matrix_cl(transpose(on_device.val()));
  EXPECT_EQ(adjoint, matrix_d::Ones(3, 1));
  EXPECT_EQ(across, values.transpose());
}

TEST_F(PortingNames, ListsOfMatricesOfVariables) {
  const host<double> values = random_host<double>(2, 3);
  const auto a = as_variables(values), b = as_variables(random_host<double>(2, 3));
  const matrix_var m = to_matrix_cl(std::vector{a, b});
  ASSERT_EQ(m.rows(), 6);
  EXPECT_EQ(host<double>(m.val().to_host().col(0)), values.reshaped());
  const var lp = sum(elt_multiply(m, cast<double>(row_index() + 10 * col_index())));
  lp.grad();
  EXPECT_EQ(a(1, 2).adj(), 5);
  EXPECT_EQ(b(0, 1).adj(), 12);
  using column = Eigen::Matrix<var, Eigen::Dynamic, 1>;
  const auto columns = from_matrix_cl<std::vector<column>>(m);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1](3).val(), b(1, 1).val());
}

TEST_F(PortingNames, WhatIsKeptForTheWayBack) {
  const matrix m = random_matrix<double>(3, 2);
  const auto kept = to_arena(m), of_expression = to_arena(m + 1.0);
  static_assert(std::is_same_v<decltype(of_expression), const arena_matrix_cl<double>>);
  EXPECT_EQ(kept.to_host(), m.to_host());
  EXPECT_EQ(of_expression.to_host(), host<double>(m.to_host().array() + 1));
  const auto again = to_arena(kept);
  EXPECT_EQ(again.buffer()(), kept.buffer()());
  const matrix_var v(m);
  const auto same = to_arena(v);
  EXPECT_EQ(same.entry(), v.entry());
  EXPECT_EQ(to_arena(2.5), 2.5);
  EXPECT_EQ(to_arena(v * 2.0).val().to_host(), 2 * m.to_host());
}

TEST_F(PortingNames, VariablesOfNumbers) {
  const host<double> values = random_host<double>(3, 2);
  const auto on_host = to_var(values);
  const matrix_var on_device = to_var(matrix(values));
  const std::vector<var> list = to_var(std::vector<double>{1, 2, 3});
  const var lp = sum(elt_multiply(to_matrix_cl(on_host), on_device)) + to_var(2.0) * list[2];
  lp.grad();
  EXPECT_EQ(on_host(2, 1).adj(), values(2, 1));
  EXPECT_EQ(on_device.adj().to_host(), values);
  EXPECT_EQ(list[2].adj(), 2);
  EXPECT_EQ(eval(on_device).entry(), on_device.entry());
  const var total = eval(sum(on_device));
  EXPECT_NEAR(total.val(), values.sum(), 1e-12);
  EXPECT_EQ(eval(on_device + on_device).val().to_host(), 2 * values);
}

TEST_F(PortingNames, AccumulatorsAddWhatTheyAreGiven) {
  accumulator<double> numbers;
  numbers.add(1.5);
  numbers.add(std::vector<double>{1, 2});
  numbers.add(Eigen::MatrixXd::Ones(2, 3));
  numbers.add(matrix(Eigen::MatrixXd::Ones(3, 3)));
  numbers.add(std::vector<matrix>{matrix(Eigen::MatrixXd::Ones(1, 2)), matrix(Eigen::MatrixXd::Ones(2, 1))});
  EXPECT_DOUBLE_EQ(numbers.sum(), 23.5);

  accumulator<var> variables;
  const matrix_var x(Eigen::MatrixXd(Eigen::MatrixXd::Constant(2, 2, 3.0)));
  var y = 2;
  variables.add(x);
  variables.add(y * 4);
  variables.add(std::vector<matrix_var>{x, x});
  variables.add(2.0 * x);
  variables.add(7);
  var total = variables.sum();
  EXPECT_DOUBLE_EQ(total.val(), 12 * 5 + 8 + 7);
  total.grad();
  EXPECT_DOUBLE_EQ(y.adj(), 4);
  EXPECT_TRUE(x.adj().to_host().isApprox(Eigen::MatrixXd::Constant(2, 2, 5.0)));
}

TEST_F(PortingNames, FormsOfCopiesAndHandles) {
  const matrix m(Eigen::MatrixXd(Eigen::MatrixXd::Constant(3, 1, 2.5)));
  arena_matrix_cl<double> kept = m, moved = matrix(m);
  EXPECT_EQ(kept.to_host(), m.to_host());
  EXPECT_EQ(moved.to_host(), m.to_host());
  const Eigen::VectorXd column = from_matrix_cl<-1, 1>(m);
  EXPECT_EQ(column, Eigen::VectorXd::Constant(3, 2.5));
  EXPECT_THROW((from_matrix_cl<1, -1>(m)), std::invalid_argument);
  EXPECT_EQ(value_of(std::vector<var>{1.5, 2.0}), (std::vector<double>{1.5, 2}));
  double total = 0;
  for (const double each : value_of(std::vector<double>{1, 2, 3})) total += each;
  EXPECT_EQ(total, 6);
  cl::CommandQueue& queue = opencl_context.queue();
  EXPECT_EQ(queue(), runtime::this_thread_queue().handle());
  cl_command_queue other = nullptr;
  std::thread([&] { other = opencl_context.queue()(); }).join();
  EXPECT_NE(queue(), other);
}

TEST_F(PortingNames, OfTypes) {
  const matrix m(Eigen::MatrixXd(Eigen::MatrixXd::Ones(2, 2)));
  const matrix_var x(m.to_host());
  const auto data = m + 1.0;
  const auto on_tape = elt_multiply(x, m);
  using data_type = decltype(data);
  using recorded = decltype(on_tape);
  static_assert(std::is_same_v<scalar_type_t<const matrix&>, double>);
  static_assert(std::is_same_v<scalar_type_t<matrix_var>, var>);
  static_assert(std::is_same_v<scalar_type_t<std::vector<host_var>>, var>);
  static_assert(std::is_same_v<scalar_type_t<recorded>, var>);
  static_assert(std::is_same_v<value_type_t<const matrix&>, double>);
  static_assert(std::is_same_v<value_type_t<std::vector<std::vector<int>>>, std::vector<int>>);
  static_assert(std::is_same_v<value_type_t<Eigen::VectorXd>, double>);
  static_assert(std::is_same_v<value_type_t<recorded>, var>);
  static_assert(std::is_same_v<scalar_type_t<scalar_cl<double>>, double>);
  static_assert(std::is_same_v<return_type_t<int, data_type, Eigen::VectorXd>, double>);
  static_assert(std::is_same_v<return_type_t<matrix, recorded>, var>);
  static_assert(std::is_same_v<return_type_t<float, var>, var>);
  const auto has_variables = [](const auto& first, const auto&... rest) {
    using result = return_type_t<decltype(first), decltype(rest)...>;
    if constexpr (!is_constant<result>::value) return true;
    return false;
  };
  EXPECT_TRUE(has_variables(1.0, var(2.0), 3));
  EXPECT_FALSE(has_variables(1.0f, 2));
  static_assert(std::is_same_v<common_scalar_t<matrix, matrix_cl<int>, float>, double>);
  static_assert(std::is_same_v<as_operation_cl_t<const matrix&>, decltype(as_operation_cl(m))>);
  EXPECT_EQ(index_apply<4>([](auto... each) { return (0 + ... + each.value); }), 6u);
  static_assert(std::is_same_v<plain_type_t<data_type>, matrix>);
  static_assert(std::is_same_v<plain_type_t<recorded>, matrix_var>);
  static_assert(std::is_same_v<conditional_var_value_t<double, data_type>, matrix>);
  static_assert(std::is_same_v<conditional_var_value_t<var, data_type>, matrix_var>);
  static_assert(std::is_same_v<arena_t<matrix>, arena_matrix_cl<double>>);
  static_assert(std::is_same_v<arena_t<const var&>, var>);
  static_assert(std::is_same_v<ref_type_t<const matrix&>, const matrix&>);
  static_assert(is_var<const matrix_var&>::value && !is_var<recorded>::value && !is_var<matrix>::value);
  static_assert(is_autodiff_v<const var&> && is_autodiff_v<matrix_var> && !is_autodiff_v<scalar_cl<double>>);
  static_assert(is_scalar_cl<scalar_cl<double>>::value && is_scalar_cl<const scalar_cl<int>&>::value);
  static_assert(!is_scalar_cl<double>::value && !is_scalar_cl<var>::value && !is_scalar_cl<matrix>::value);
  static_assert(is_prim_scalar_cl<const scalar_cl<double>&>::value && !is_prim_scalar_cl<double>::value);
  static_assert(!is_rev_scalar_cl<scalar_cl<double>>::value && !is_rev_scalar_cl<var>::value);
  static_assert(!is_stan_scalar<scalar_cl<double>>::value);
  static_assert(is_stan_scalar<const var&>::value && is_stan_scalar<int>::value);
  static_assert(!is_stan_scalar<matrix>::value && !is_stan_scalar<matrix_var>::value);
  static_assert(is_constant_all<int, matrix, data_type>::value && !is_constant_all<int, recorded>::value);
  EXPECT_EQ(to_ref(data).to_host(), Eigen::MatrixXd::Constant(2, 2, 2));
  EXPECT_EQ(&to_ref(m), &m);
  matrix_var kept = to_ref(on_tape);
  var(sum(kept)).grad();
  EXPECT_EQ(x.adj().to_host(), Eigen::MatrixXd::Ones(2, 2));
}

TEST_F(PortingNames, OfVectorsOfOneNumber) {
  using Eigen::VectorXd;
  EXPECT_EQ(from_matrix_cl<VectorXd>(ones_vector<matrix>(7)), VectorXd::Ones(7));
  EXPECT_EQ(from_matrix_cl<Eigen::RowVectorXd>(ones_row_vector<matrix>(3)), Eigen::RowVectorXd::Ones(3));
  EXPECT_EQ(from_matrix_cl<VectorXd>(ones_array<matrix>(1)), VectorXd::Ones(1));
  EXPECT_EQ(from_matrix_cl<Eigen::VectorXi>(ones_int_array<matrix_cl<int>>(4)), Eigen::VectorXi::Ones(4));
  EXPECT_EQ(from_matrix_cl<VectorXd>(zeros_vector<matrix_var>(2)), VectorXd::Zero(2));
  EXPECT_EQ(from_matrix_cl<Eigen::RowVectorXd>(zeros_row_vector<matrix>(5)), Eigen::RowVectorXd::Zero(5));
  EXPECT_EQ(from_matrix_cl<VectorXd>(zeros_array<matrix>(0)).size(), 0);
  EXPECT_EQ(from_matrix_cl<Eigen::VectorXi>(zeros_int_array<matrix_cl<int>>(4)), Eigen::VectorXi::Zero(4));
  EXPECT_EQ(from_matrix_cl<VectorXd>(uniform_simplex<matrix>(4)), VectorXd::Constant(4, 0.25));
  EXPECT_THROW(uniform_simplex<matrix>(0), std::domain_error);
  EXPECT_THROW(ones_vector<matrix>(-1), std::domain_error);
  const matrix added = matrix(VectorXd(VectorXd::Constant(3, 2.0))) + ones_vector<matrix>(3);
  EXPECT_EQ(from_matrix_cl<VectorXd>(added), VectorXd::Constant(3, 3.0));
}

TEST_F(PortingNames, AdjointsMayBeChangedInPlace) {
  var x = 2;
  adjoint_of(x) += 9;
  EXPECT_EQ(x.adj(), 9);
  const matrix_var m(Eigen::MatrixXd(Eigen::MatrixXd::Ones(2, 2)));
  adjoint_of(m) += 1.0;
  EXPECT_TRUE(m.adj().to_host().isApprox(Eigen::MatrixXd::Ones(2, 2)));
}

TEST_F(PortingNames, NumbersOfTheDeviceAndOfTheTapeAreAskedForOnTheHost) {
  FUSECL_NEEDS_DOUBLE;
  const matrix_cl<double> m(host<double>(host<double>::Constant(3, 2, 2)));
  const var_value<matrix_cl<double>> x(m);
  const var v = 3.0;
  static_assert(std::is_same_v<decltype(opencl::to_host(2.5)), double>);
  EXPECT_EQ(opencl::to_host(2.5), 2.5);
  EXPECT_EQ(opencl::to_host(sum(m)), 12);
  var total = opencl::to_host(sum(x)) * opencl::to_host(v);
  EXPECT_EQ(total.val(), 36);
  total.grad();
  EXPECT_EQ(x.adj().to_host(), host<double>::Constant(3, 2, 3));
  EXPECT_EQ(v.adj(), 12);
  const std::vector<var> listed = rep_array(v, 3);
  EXPECT_EQ((listed[0] + listed[2]).val(), 6);
  EXPECT_EQ(rep_array(6.7, 2), (std::vector<double>{6.7, 6.7}));
  EXPECT_EQ(rep_array(1, 2, 3), (std::vector<std::vector<int>>(2, {1, 1, 1})));
  EXPECT_THROW(rep_array(1.5, -1), std::domain_error);
  const opencl::ScalarCl<double> s(sum(m));
  EXPECT_EQ(opencl::to_host(value_of(s)) + to_arena(s), 24);
  EXPECT_EQ(s.matrix().to_host(), host<double>::Constant(1, 1, 12));
  EXPECT_NE(s.buffer()(), nullptr);
  recover_memory();
}

}  // namespace
}  // namespace fusecl
