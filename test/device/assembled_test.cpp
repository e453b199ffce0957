// Matrices put together from others: appended rows and columns, diagonals among zeros, vectors as columns,
// and repeated elements, in both forms of kernels.

#include <limits>
#include <stdexcept>

#include <support/both_forms.hpp>
#include <support/compare.hpp>
#include <support/messages.hpp>

#include <fusion/autodiff/check_gradient.hpp>

namespace fusecl {
namespace {

using namespace test;
using matrix = matrix_cl<float>;

const std::vector<size_pair> sizes = {{0, 3}, {1, 1}, {71, 33}};

host<float> below(const host<float>& a, const host<float>& b) {
  host<float> all(a.rows() + b.rows(), a.cols());
  all.topRows(a.rows()) = a;
  all.bottomRows(b.rows()) = b;
  return all;
}
host<float> beside(const host<float>& a, const host<float>& b) {
  return below(a.transpose(), b.transpose()).transpose();
}

TEST(Assembled, RowsBelowRows) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(rows + 2, cols),
                 c = random_matrix<float>(2 * rows + 2, cols);
      EXPECT_ALL_MATCH_REFERENCE(append_row(a, b), append_row(exp(b * 0.1f), -a) + c,
                                 append_row(append_row(a, row(b, 1)), append_row(row(b, 2), a)));
      expect_same(from_matrix_cl(append_row(a, b)), below(a.to_host(), b.to_host()));
    }
  });
}

TEST(Assembled, ColumnsBesideColumns) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto a = random_matrix<float>(rows, cols), b = random_matrix<float>(rows, cols + 5);
      EXPECT_ALL_MATCH_REFERENCE(append_col(a, b), append_col(b * 2.0f, a),
                                 append_col(a + a, transpose(transpose(b))));
      expect_same(from_matrix_cl(append_col(a, b)), beside(a.to_host(), b.to_host()));
    }
  });
}

TEST(Assembled, StandInLargerExpressions) {
  in_both_forms([] {
    for (const std::int64_t n : {1, 35}) {
      const auto a = random_matrix<float>(n, 4), b = random_matrix<float>(3, 4),
                 v = random_matrix<float>(n + 3, 1);
      expect_matches_reference(append_row(a, b) + rowwise_broadcast(v));
      expect_matches_reference(sum(append_row(a, b)));
      expect_matches_reference(rowwise_sum(append_row(a, b)) - v);
      expect_matches_reference(transpose(append_row(a, colwise_sum(b))));
      expect_matches_reference(block(append_row(a, b), n, 2, 3, 2));
      expect_matches_reference(append_row(rowwise_sum(a), rowwise_max(b)));
    }
  });
}

TEST(Assembled, PartsKeepWhatTheyHold) {
  in_both_forms([] {
    const float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();
    const host<float> x = (host<float>(2, 2) << nan, -0.0f, infinity, 1).finished();
    const matrix a(x), lower = random_matrix<float>(3, 3, matrix_cl_view::Lower);
    expect_same(from_matrix_cl(append_row(a, a)), below(x, x));
    EXPECT_TRUE(std::signbit(from_matrix_cl(append_col(a, a))(0, 3)));
    expect_same(from_matrix_cl(append_col(lower, transpose(lower))),
                beside(lower.to_host(), lower.to_host().transpose()));
    const matrix_cl<bool> yes = a > 0.0f;
    EXPECT_EQ(from_matrix_cl(append_row(yes, yes)), below(x, x).unaryExpr([](float e) { return e > 0; }));
    static_assert(std::is_same_v<value_type_of<decltype(append_row(yes, a))>, float>);
  });
}

TEST(Assembled, AFreeSizeIsThatOfTheOther) {
  const auto m = random_matrix<float>(3, 3);
  const matrix one(2.5f);
  expect_same(from_matrix_cl(append_row(m, rowwise_broadcast(one))),
              below(m.to_host(), host<float>::Constant(1, 3, 2.5f)));
  expect_same(from_matrix_cl(append_row(rowwise_broadcast(one), m)),
              below(host<float>::Constant(1, 3, 2.5f), m.to_host()));
  expect_same(from_matrix_cl(append_col(colwise_broadcast(one), m)),
              beside(host<float>::Constant(3, 1, 2.5f), m.to_host()));
  EXPECT_THROW(append_row(m, colwise_broadcast(one)), std::invalid_argument);
  EXPECT_THROW(append_col(rowwise_broadcast(one), m), std::invalid_argument);
  EXPECT_THROW(append_row(rowwise_broadcast(one), rowwise_broadcast(one)).eval(), std::invalid_argument);
}

TEST(Assembled, ScalarsAreAppendedToVectors) {
  in_both_forms([] {
    for (const std::int64_t n : {0, 1, 70}) {
      const auto v = random_matrix<float>(n, 1), w = random_matrix<float>(1, n);
      const host<float> one = host<float>::Constant(1, 1, 2.5f);
      expect_same(from_matrix_cl(append_row(v, 2.5f)), below(v.to_host(), one));
      expect_same(from_matrix_cl(append_row(2.5f, v)), below(one, v.to_host()));
      expect_same(from_matrix_cl(append_col(w, 2.5f)), beside(w.to_host(), one));
      expect_same(from_matrix_cl(append_col(2.5f, w)), beside(one, w.to_host()));
      expect_same(from_matrix_cl(append_array(v, 2.5f)), below(v.to_host(), one));
      EXPECT_ALL_MATCH_REFERENCE(append_row(v, sum(v)), append_row(1.0f, v * 2.0f), append_row(v, 3));
      expect_matches_reference(append_col(max_2d(w) * 2.0f, w + 1.0f));
    }
  });
  const auto m = random_matrix<float>(2, 3);
  static_assert(std::is_same_v<value_type_of<decltype(append_row(m, 1.0))>, double>);
  EXPECT_THROW(append_row(m, 1.0f), std::invalid_argument);
  EXPECT_THROW(append_col(1.0f, m), std::invalid_argument);
}

TEST(Assembled, ScalarsAreAppendedToScalars) {
  in_both_forms([] {
    const auto v = random_matrix<float>(70, 1), w = random_matrix<float>(70, 2);
    expect_matches_reference(append_row(sum(v), sum(w)));
    expect_matches_reference(append_row(2.5f, append_row(sum(v), 3)));
    expect_matches_reference(append_col(sum(v), max_2d(w)) * 2.0f);
    EXPECT_EQ(append_row(sum(v), sum(w)).rows(), 2);
  });
}

TEST(Assembled, HostMatricesAreAppended) {
  in_both_forms([] {
    const auto m = random_matrix<float>(5, 3);
    const host<float> x = m.to_host();
    expect_same(from_matrix_cl(append_row(m, x.row(1))), below(x, x.row(1)));
    expect_same(from_matrix_cl(append_row(x.topRows(2), m * 1.0f)), below(x.topRows(2), x));
    expect_same(from_matrix_cl(append_col(m, x.array() + 1)), beside(x, (x.array() + 1).matrix()));
    expect_same(from_matrix_cl(append_col(x.col(0), m)), beside(x.col(0), x));
    EXPECT_THROW(append_row(m, x.col(0)), std::invalid_argument);
  });
}

TEST(Assembled, SizesThatDoNotFitAreNamed) {
  const auto a = random_matrix<float>(2, 3), b = random_matrix<float>(4, 5);
  try {
    append_row(a, b);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "append_row: columns of a (2 x 3) and b (4 x 5) must match in size");
  }
  EXPECT_THROW(append_col(a, b), std::invalid_argument);
  EXPECT_THROW(add_diag(a, random_matrix<float>(3, 1)), std::invalid_argument);
  EXPECT_THROW(add_diag(a, random_matrix<float>(2, 2)), std::invalid_argument);
  EXPECT_THROW(diag_matrix(a), std::invalid_argument);
  EXPECT_THROW(as_column_vector_or_scalar(a), std::invalid_argument);
  EXPECT_THROW(identity_matrix(-1), std::domain_error);
}

TEST(Assembled, DiagonalsAmongZeros) {
  in_both_forms([] {
    for (const std::int64_t n : {0, 1, 35}) {
      const auto v = random_matrix<float>(n, 1), w = random_matrix<float>(1, n),
                 m = random_matrix<float>(n, n);
      EXPECT_ALL_MATCH_REFERENCE(diag_matrix(v), diag_matrix(w + 1.0f), diag_matrix(v) + m, add_diag(m, v),
                                 add_diag(m, w), add_diag(m * 2.0f, 1.5f), transpose(diag_matrix(w)) - m);
      EXPECT_EQ(from_matrix_cl(diag_matrix(w)), host<float>(w.to_host().row(0).asDiagonal()));
      expect_matches_reference(sum(diag_matrix(v)));
      expect_matches_reference(identity_matrix<matrix>(n) + m);
      const matrix identity_of_n = identity_matrix<float>(n);
      EXPECT_EQ(from_matrix_cl(identity_of_n), host<float>::Identity(n, n));
    }
  });
  EXPECT_EQ(diag_matrix(random_matrix<float>(3, 1)).view(), matrix_cl_view::Diagonal);
  EXPECT_EQ(identity_matrix<matrix_cl<float>>(3).view(), matrix_cl_view::Diagonal);
  EXPECT_EQ(add_diag(random_matrix<float>(3, 3, matrix_cl_view::Lower), 1.0f).view(), matrix_cl_view::Lower);
}

TEST(Assembled, DiagonalsOfWhatIsNotSquare) {
  in_both_forms([] {
    for (const auto [rows, cols] : sizes) {
      const auto m = random_matrix<float>(rows, cols + 3),
                 v = random_matrix<float>(std::min(rows, cols + 3), 1);
      EXPECT_ALL_MATCH_REFERENCE(add_diag(m, v), add_diag(m, -2.0f), add_diag(m, reverse(v)));
      host<float> wanted = m.to_host();
      wanted.diagonal() += v.to_host();
      expect_same(from_matrix_cl(add_diag(m, v)), wanted);
    }
  });
}

TEST(Assembled, VectorsAsColumns) {
  in_both_forms([] {
    for (const std::int64_t n : {1, 17, 4097}) {
      const auto v = random_matrix<float>(n, 1), r = random_matrix<float>(1, n);
      EXPECT_ALL_MATCH_REFERENCE(as_column_vector_or_scalar(v), as_column_vector_or_scalar(r) + v,
                                 as_column_vector_or_scalar(as_column_vector_or_scalar(r * 2.0f)));
    }
  });
  auto r = random_matrix<float>(1, 5);
  const host<float> before = r.to_host();
  as_column_vector_or_scalar(r) += 1.0f;
  EXPECT_EQ(r.to_host(), before + host<float>::Constant(1, 5, 1));
  const auto v = random_matrix<float>(5, 1);
  as_column_vector_or_scalar(r) = v;
  EXPECT_EQ(r.to_host(), v.to_host().transpose());
  EXPECT_THROW(as_column_vector_or_scalar(r) = random_matrix<float>(1, 5), std::invalid_argument);
  EXPECT_EQ(as_column_vector_or_scalar(matrix(1, 0)).rows(), 0);
  EXPECT_EQ(as_column_vector_or_scalar(matrix(1, 0)).cols(), 1);
  EXPECT_EQ(as_column_vector_or_scalar(2.5), 2.5);
  EXPECT_EQ(static_cast<float>(as_column_vector_or_scalar(sum(v))), static_cast<float>(sum(v)));
}

TEST(Assembled, OneElementRepeated) {
  const matrix a(2, 2), one(2.5f), none(1, 0);
  EXPECT_THROW(rep_matrix(a, 5, 5), std::invalid_argument);
  EXPECT_THROW(rep_matrix(a, 5, -1), std::domain_error);
  EXPECT_THROW(rep_matrix(one, -1, 2), std::domain_error);
  EXPECT_THROW(rep_matrix(none, 5, 2), std::invalid_argument);
  EXPECT_THROW(rep_matrix(2.0f, 3, -1), std::domain_error);
  EXPECT_THROW(rep_matrix(one, -1), std::domain_error);
  EXPECT_THROW(rep_vector(one, -1), std::domain_error);
  EXPECT_THROW(rep_vector(none, 5), std::invalid_argument);
  EXPECT_THROW(rep_row_vector(a, 5), std::invalid_argument);
  EXPECT_THROW(rep_row_vector(a, -1), std::domain_error);
  for (const auto [rows, cols] : std::vector<size_pair>{{0, 2}, {1, 1}, {5, 4}}) {
    const host<float> wanted = host<float>::Constant(rows, cols, 2.5f);
    EXPECT_EQ(from_matrix_cl(rep_matrix(one, rows, cols)), wanted);
    EXPECT_EQ(from_matrix_cl(rep_matrix<matrix>(2.5, rows, cols)), wanted);
    EXPECT_EQ(from_matrix_cl(rep_matrix(max_2d(one), rows, cols)), wanted);
  }
  EXPECT_EQ(from_matrix_cl(rep_vector(one, 3)), host<float>::Constant(3, 1, 2.5f));
  EXPECT_EQ(from_matrix_cl(rep_row_vector<matrix>(2.5, 3)), host<float>::Constant(1, 3, 2.5f));
  EXPECT_EQ(from_matrix_cl(rep_vector<matrix_cl<int>>(2.5, 3)), host<int>::Constant(3, 1, 2));
}

TEST(Assembled, ScaledRowsAndColumns) {
  in_both_forms([] {
    for (const auto [n, k] : sizes) {
      const auto m = random_matrix<float>(n, k), v = random_matrix<float>(n, 1),
                 w = random_matrix<float>(1, k);
      EXPECT_ALL_MATCH_REFERENCE(diag_pre_multiply(v, m), diag_pre_multiply(transpose(v), m),
                                 diag_post_multiply(m, w), diag_post_multiply(m + m, transpose(w)));
      expect_matches(matrix(diag_pre_multiply(v, m)), expected(elt_multiply(rowwise_broadcast(v), m)));
    }
  });
  EXPECT_THROW(diag_pre_multiply(matrix(2, 2), matrix(2, 2)), std::invalid_argument);
  expect_message<std::invalid_argument>([] { diag_pre_multiply(matrix(3, 1), matrix(2, 3)); },
                                        "diag_pre_multiply: the vector has 3 elements, the matrix 2 rows");
  expect_message<std::invalid_argument>(
      [] { diag_post_multiply(matrix(3, 2), matrix(3, 1)); },
      "diag_post_multiply: the vector has 3 elements, the matrix 2 columns");
}

TEST(Assembled, SymmetricFromATriangle) {
  in_both_forms([] {
    for (const std::int64_t n : {0, 1, 35}) {
      const auto m = random_matrix<float>(n, n);
      EXPECT_ALL_MATCH_REFERENCE(symmetrize_from_lower_tri(m), symmetrize_from_upper_tri(m * 2.0f));
      const host<float> h = m.to_host(), wanted = h.selfadjointView<Eigen::Lower>();
      EXPECT_EQ(from_matrix_cl(symmetrize_from_lower_tri(m)), wanted);
      const auto lower = random_matrix<float>(n, n, matrix_cl_view::Lower);
      EXPECT_EQ(from_matrix_cl(symmetrize_from_lower_tri(lower)),
                host<float>(lower.to_host().selfadjointView<Eigen::Lower>()));
      EXPECT_EQ(from_matrix_cl(symmetrize_from_upper_tri(m)), host<float>(h.selfadjointView<Eigen::Upper>()));
      expect_matches(matrix(trace(m)), expected(sum(diagonal(m))));
    }
  });
  EXPECT_THROW(symmetrize_from_lower_tri(matrix(2, 3)), std::invalid_argument);
}

TEST(Assembled, ArraysAreColumns) {
  const auto a = random_matrix<float>(3, 1), b = random_matrix<float>(2, 1);
  EXPECT_EQ(from_matrix_cl(append_array(a, b)), below(a.to_host(), b.to_host()));
  EXPECT_EQ(from_matrix_cl(rep_array<matrix>(2.5, 3)), host<float>::Constant(3, 1, 2.5f));
  EXPECT_EQ(from_matrix_cl(to_array_1d(transpose(a))), a.to_host());
  EXPECT_EQ(&to_array_2d(a), &a);
}

TEST(Assembled, SizesByName) {
  const auto a = random_matrix<float>(5, 4);
  EXPECT_EQ(rows(a), 5);
  EXPECT_EQ(cols(transpose(a)), 5);
  EXPECT_EQ(size(a + a), 20);
  EXPECT_EQ(num_elements(a), 20);
  const std::vector<int> both = dims(a * 2.0f), none = dims(matrix(0, 5));
  EXPECT_EQ(both, (std::vector<int>{5, 4}));
  EXPECT_EQ(none, (std::vector<int>{0, 5}));
  EXPECT_THROW(dims(constant(1.0f, std::int64_t{1} << 31, 2)), std::length_error);
}

/// Equal matrices are one, also with a number along their diagonal: their factor is computed once.
TEST(Assembled, MatricesWithANumberAlongTheDiagonalAreOneWhereEqual) {
  FUSECL_NEEDS_DOUBLE;
  const auto half = random_matrix<double>(20, 20), v = random_matrix<double>(20, 1);
  const matrix_cl<double> s = tcrossprod(half);
  const double h = 0.7;
  const auto kernels = [&](const auto& factor) {
    return explain(dot_self(mdivide_left_tri_low(factor, v)) + sum(log(diagonal(factor)))).kernels.size();
  };
  const auto once = kernels(shared(cholesky_decompose(add_diag(s, h))));
  EXPECT_EQ(kernels(cholesky_decompose(add_diag(s, h))), once);
  const auto identity = identity_matrix(20);
  EXPECT_EQ(kernels(cholesky_decompose(s + h * identity)),
            kernels(shared(cholesky_decompose(s + h * identity))));
  const auto wide = random_matrix<double>(3, 5), tall = random_matrix<double>(5, 3),
             one = random_matrix<double>(1, 1);
  in_both_forms([&] {
    EXPECT_ALL_MATCH_REFERENCE(add_diag(wide, h), wide + add_diag(transpose(tall), h));
    EXPECT_ALL_MATCH_REFERENCE(add_diag(tall, h), add_diag(transpose(wide), h) + tall);
    expect_matches_reference(add_diag(one, h));
    for (const auto* m : {&wide, &tall, &one}) {
      const auto checked = check_gradient(
          [&](const auto& a, const auto& p) { return sum(square(add_diag(a, p)) + exp(add_diag(a, p))); }, *m,
          parameter<double>(h));
      EXPECT_TRUE(checked.passed(1e-7)) << checked;
    }
  });
}

}  // namespace
}  // namespace fusecl
