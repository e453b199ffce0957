// Blocks of triangles that start off the diagonal: the view that they and their results have, and that what
// lies outside of their matrix's view is zero wherever they are used.

#include <limits>

#include <support/both_forms.hpp>
#include <support/compare.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

namespace fusecl::test {
namespace {

using view = matrix_cl_view;

constexpr view all_parts[] = {view::Diagonal, view::Lower, view::Upper, view::Entire};

struct place {
  int row, col;
};
constexpr place starts[] = {{0, 0}, {0, 2}, {3, 1}, {1, 5}, {5, 0}};

/// View of a block that starts there.
view wanted_view(view of, place start, int rows = 3, int cols = 4) {
  if (start.row == start.col) return of;
  if (start.row + rows <= start.col)  // wholly above the diagonal
    return of == view::Lower || of == view::Diagonal ? view::Diagonal : view::Entire;
  if (start.col + cols <= start.row)
    return of == view::Upper || of == view::Diagonal ? view::Diagonal : view::Entire;
  if (start.row < start.col) return of == view::Lower || of == view::Diagonal ? view::Lower : view::Entire;
  return of == view::Upper || of == view::Diagonal ? view::Upper : view::Entire;
}

/// The elements within the view, zeros elsewhere.
host<float> within(view part, host<float> m) {
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      if (is_outside(part, i, j)) m(i, j) = 0;
  return m;
}

/// A matrix with NaN outside of its view, and what it is.
struct part_of_matrix {
  host<float> values;
  matrix_cl<float> device;

  part_of_matrix(view part, int rows, int cols) {
    host<float> poisoned = random_host<float>(rows, cols, 1, 2);
    values = within(part, poisoned);
    poison_unread(poisoned, part);
    device = matrix_cl<float>(poisoned, part);
  }
};

/// Does it with every view and start of blocks.
template <class F>
void for_each_block(F f) {
  for (const view part : all_parts)
    for (const place start : starts) {
      SCOPED_TRACE(std::string(view_name(part)) + " from " + std::to_string(start.row) + ", " +
                   std::to_string(start.col));
      f(part, start);
    }
}

TEST(BlockViews, AreTheNarrowestThatTheStartTells) {
  for_each_block([](view part, place start) {
    const part_of_matrix a(part, 9, 9);
    for (const auto [rows, cols] : std::vector<size_pair>{{3, 3}, {2, 4}, {1, 4}, {3, 1}, {1, 1}, {0, 2}}) {
      const auto part_of_a = block_zero_based(a.device, start.row, start.col, rows, cols);
      const matrix_cl<float> result = part_of_a, turned = transpose(part_of_a), twice = part_of_a * 2.0f;
      const host<float> wanted = a.values.block(start.row, start.col, rows, cols);
      const auto wanted_part = wanted_view(part, start, static_cast<int>(rows), static_cast<int>(cols));
      EXPECT_EQ(result.view(), wanted_part);
      EXPECT_EQ(turned.view(), transpose(wanted_part));
      EXPECT_EQ(twice.view(), wanted_part);
      expect_same<float>(from_matrix_cl(result), wanted);
      expect_same<float>(from_matrix_cl(turned), wanted.transpose());
      expect_same<float>(from_matrix_cl(twice), 2 * wanted);
    }
  });
}

TEST(BlockViews, OfBlocksAndTransposesFollowFromBothStarts) {
  for_each_block([](view part, place start) {
    const part_of_matrix a(part, 12, 12);
    for (const place inner : {place{0, 0}, place{0, 1}, place{1, 0}}) {
      const matrix_cl<float> twice = block_zero_based(block_zero_based(a.device, start.row, start.col, 6, 6),
                                                      inner.row, inner.col, 4, 3);
      const matrix_cl<float> of_turned =
          block_zero_based(transpose(a.device), start.row + inner.row, start.col + inner.col, 4, 3);
      expect_same<float>(from_matrix_cl(twice),
                         a.values.block(start.row + inner.row, start.col + inner.col, 4, 3));
      expect_same<float>(from_matrix_cl(of_turned),
                         a.values.transpose().block(start.row + inner.row, start.col + inner.col, 4, 3));
      const view by_first = wanted_view(part, start, 6, 6), by_both = wanted_view(by_first, inner, 4, 3);
      EXPECT_TRUE(is_within(by_both, twice.view()));
      EXPECT_EQ(of_turned.view(),
                wanted_view(transpose(part), {start.row + inner.row, start.col + inner.col}, 4, 3));
    }
  });
}

TEST(BlockViews, ZerosStayWhereverABlockIsUsed) {
  const auto compare = [](view part, place start) {
    const part_of_matrix a(part, 70, 70);
    const int rows = 33, cols = 37;
    const host<float> wanted = a.values.block(start.row, start.col, rows, cols);
    host<float> other = random_host<float>(70, 70, 1, 2);
    const auto own = block_zero_based(a.device, start.row, start.col, rows, cols);
    host<float> beside = other.block(start.row, start.col, rows, cols), product = wanted.cwiseProduct(beside);
    poison_unread(other, part);
    poison_unread(beside, wanted_view(part, start, rows, cols));
    const matrix_cl<float> whole(other), others(beside), right(random_host<float>(cols, 5, 1, 2));
    // a product is zero outside of its view, a block of it where that was
    expect_same<float>(from_matrix_cl(elt_multiply(own, others)), product);
    expect_same<float>(
        from_matrix_cl(block_zero_based(elt_multiply(a.device, whole), start.row, start.col, rows, cols)),
        product);
    const host<float> sums = from_matrix_cl(colwise_sum(own)), across = from_matrix_cl(rowwise_sum(own)),
                      times = from_matrix_cl(own * right);
    EXPECT_LE((sums - wanted.colwise().sum()).cwiseAbs().maxCoeff(), 1e-4f);
    EXPECT_LE((across - wanted.rowwise().sum()).cwiseAbs().maxCoeff(), 1e-4f);
    EXPECT_LE((times - wanted * right.to_host()).cwiseAbs().maxCoeff(), 1e-3f);
    expect_same<float>(from_matrix_cl(rowwise_min(own)), wanted.rowwise().minCoeff());
  };
  for_each_block(compare);
  in_both_forms([&] { compare(view::Lower, {0, 2}); });
}

TEST(BlockViews, WrittenToPartsAndInSeveralResults) {
  for_each_block([](view part, place start) {
    const part_of_matrix a(part, 9, 9), to(view::Lower, 9, 9);
    const auto own = block_zero_based(a.device, start.row, start.col, 3, 4);
    const host<float> wanted = a.values.block(start.row, start.col, 3, 4);
    matrix_cl<float> target = to.device, first, second;
    block_zero_based(target, 1, 3, 3, 4) = own;
    host<float> all = to.values;
    all.block(1, 3, 3, 4) = wanted;
    expect_same<float>(from_matrix_cl(target), all);
    results(first, second) = expressions(own, own + 1.0f);
    expect_same<float>(from_matrix_cl(first), wanted);
    expect_same<float>(from_matrix_cl(second), wanted.array() + 1.0f);
    EXPECT_EQ(first.view(), wanted_view(part, start));
    EXPECT_EQ(second.view(), view::Entire);
  });
}

TEST(BlockViews, GradientsPassThroughThem) {
  for_each_block([](view part, place start) {
    const part_of_matrix a(part, 9, 9), b(view::Entire, 3, 4);
    const host<float> wanted = a.values.block(start.row, start.col, 3, 4);
    matrix_cl<float> by_a, by_b;
    value_and_gradient_into(
        sum(elt_multiply(block_zero_based(a.device, start.row, start.col, 3, 4), b.device)),
        wrt(a.device, b.device), by_a, by_b);
    host<float> all = host<float>::Zero(9, 9);
    all.block(start.row, start.col, 3, 4) = b.values;
    expect_same<float>(from_matrix_cl(by_a), within(part, all));
    expect_same<float>(from_matrix_cl(by_b), wanted);
  });
}

}  // namespace
}  // namespace fusecl::test
