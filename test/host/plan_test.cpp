// How statements are cut into steps, and which results may be written in place. Rules that hold for every
// plan are checked for every statement here.

#include <algorithm>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/sound_plan.hpp>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;
using schedule::buffer, schedule::buffer_kind, schedule::step, schedule::store;

/// Every result is written once, every reduction is computed once, along the axis of its step, and whatever a
/// step reads of another was stored by an earlier one.
void expect_sound(const schedule::plan& p) {
  std::vector<int> results(p.graph.roots.size(), 0);
  std::vector<int> computed(static_cast<std::size_t>(p.graph.size()), 0);
  for (const step& s : p.steps) {
    EXPECT_EQ(s.reduces, !s.reductions.empty());
    for (ir::node_id id : s.reductions) {
      ++computed[static_cast<std::size_t>(id)];
      if (!s.opaque) {
        EXPECT_EQ(p.graph[id].axis(), s.axis);
      }
    }
    for (const auto* list : {&s.stores, &s.epilogue})
      for (const store& r : *list) {
        if (r.to.kind == buffer_kind::target) ++results[static_cast<std::size_t>(r.to.number)];
        if (r.to.kind == buffer_kind::temporary) {
          EXPECT_EQ(p.temporary_of(r.value), r.to.number);
        }
      }
  }
  EXPECT_EQ(what_is_unsound(p), "");
  EXPECT_EQ(results, std::vector<int>(results.size(), 1));
  for (ir::node_id id = 0; id < p.graph.size(); ++id)
    EXPECT_EQ(computed[static_cast<std::size_t>(id)], ir::is_collective(p.graph[id])) << "%" << id;
}

template <class... Es>
schedule::plan planned(const Es&... es) {
  const lowered_statement s = lowered(es...);
  const list_of<std::int64_t> extents = s.extents();
  schedule::plan p = schedule::make_plan(passes::run_pipeline(s.graph), schedule::device_form::gpu,
                                         extents.data(), extents.size());
  expect_sound(p);
  return p;
}

const placeholder<double> A(0), B(1), C(2), row(3, 1, 5), column(4, 5, 1), wide(5, 5, 9);

TEST(Plan, ElementWiseWorkIsOneStep) {
  const auto p = planned(exp(A) * 2.0 + elt_divide(B, C));
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_TRUE(p.steps[0].linear);
  EXPECT_FALSE(p.steps[0].reduces);
  EXPECT_TRUE(p.temporaries.empty());
  EXPECT_TRUE(p.steps[0].reason.empty());
}

TEST(Plan, SeveralResultsAndAReductionOfOneSizeAreOneStep) {
  const auto p = planned(A + B, A - B, exp(elt_multiply(A, C)), sum(A + C));
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].stores.size(), 3u);
  EXPECT_EQ(p.steps[0].reductions.size(), 1u);
  EXPECT_EQ(p.steps[0].epilogue.size(), 1u);
}

TEST(Plan, EqualReductionsAreOne) {
  EXPECT_EQ(planned(sum(A) + 1.0, sum(A) * 2.0).steps[0].reductions.size(), 1u);
}

TEST(Plan, WhatAKernelOfItsOwnReadsIsStoredBeforeItAlsoOfOneElement) {
  const placeholder<double> s(5, 1, 1), y(6, 1, 1);
  planned(sum(square(mdivide_left_tri_low(cholesky_decompose(exp(s)), y))));
}

TEST(Plan, ResultsOfOtherSizesAreStepsOfTheirOwn) {
  const auto p = planned(A + B, wide * 2.0);
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_NE(p.steps[1].reason.find("domain"), std::string::npos);
}

TEST(Plan, ReductionsAlongOneAxisShareAStep) {
  const auto p = planned(rowwise_sum(A), rowwise_max(A + B));
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].axis, ir::axis::row);
  EXPECT_EQ(p.steps[0].reductions.size(), 2u);
}

TEST(Plan, ReductionsAlongDifferentAxesAreApart) {
  const auto p = planned(rowwise_sum(A), colwise_sum(A), sum(A));
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.steps[0].axis, ir::axis::row);
  EXPECT_EQ(p.steps[1].axis, ir::axis::column);
  EXPECT_TRUE(p.steps[2].linear);
}

TEST(Plan, WhatFollowsFromReductionsAloneIsTheirEpilogue) {
  const auto p = planned(sqrt(rowwise_sum(square(A))) + 1.0);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].epilogue.size(), 1u);
  EXPECT_TRUE(p.temporaries.empty());
}

TEST(Plan, AnEpilogueMayReadOperandsOfItsShape) {
  const auto p = planned(rowwise_sum(A) - column);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].epilogue.size(), 1u);
}

TEST(Plan, AnEpilogueMayReadReductionsOfEarlierSteps) {
  const auto p = planned(rowwise_max(A - sum(B)) + rowwise_sum(A));
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.temporaries.size(), 2u);
  EXPECT_EQ(p.steps[2].epilogue.size(), 1u);
}

/// Two kernels may round a value differently, and then none of the elements would be the largest.
TEST(Plan, WhatIsComparedWithItsOwnMaximumIsComputedOnce) {
  const auto x = shared(exp(A) + elt_multiply(B, C));
  const auto y = shared(x * 2.0);
  const auto is_largest = [](const auto& values) {
    return cast<double>(values == colwise_broadcast(colwise_max(values)));
  };
  const auto p = planned(is_largest(x), y, rowwise_sum(is_largest(y)), x + cast<double>(y >= min_2d(y)));
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(p.steps[k].stores.size(), k + 1);  // the second is a result as well
    EXPECT_EQ(p.steps[k].stores[0].to.kind, buffer_kind::temporary);
    EXPECT_FALSE(p.steps[k].reduces);
  }
  EXPECT_EQ(p.steps[1].stores[1].to.kind, buffer_kind::target);
  EXPECT_TRUE(p.loads(p.steps[1], p.steps[0].stores[0].value));
  // what is in memory is loaded again
  EXPECT_EQ(planned(cast<double>(A == colwise_broadcast(colwise_max(A)))).temporaries.size(), 1u);
}

TEST(Plan, AKernelOfItsOwnMayGoOnWithWhatIsComparedWithItsMaximum) {
  const auto x = shared(exp(A));
  const auto is_largest = cast<double>(x == colwise_broadcast(colwise_max(x)));
  const auto p = planned(elt_multiply(cholesky_decompose(B), x), is_largest);
  ASSERT_GT(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].stores.size(), 1u);
  EXPECT_TRUE(p.steps[1].opaque);
  EXPECT_TRUE(p.loads(p.steps[1], p.steps[0].stores[0].value));
}

TEST(Plan, OtherElementsOfWhatAStepFinishesAreReadByALaterOne) {
  const auto k = shared(exp(colwise_sum(A)));
  const auto is_largest = cast<double>(k == max(k));
  const auto p = planned(is_largest, colwise_broadcast(k) + B, k + reverse(k));
  ASSERT_GT(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].epilogue.size(), 1u);
  EXPECT_EQ(p.steps[0].epilogue[0].to.kind, buffer_kind::temporary);
}

TEST(Plan, ElementsThatNeedAReductionComeInALaterStep) {
  const auto p = planned(A - rowwise_broadcast(rowwise_max(A)));
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.temporaries.size(), 1u);
  EXPECT_FALSE(p.steps[1].linear);
  EXPECT_NE(p.steps[1].reason.find("reduction"), std::string::npos);
}

TEST(Plan, WhatFollowsFromAReductionIsKeptWhereItWouldBeRepeated) {
  const placeholder<double> x(20, 6, 4), b(21, 1, 4), y(22, 6, 1);
  const auto eta = rowwise_sum(elt_multiply(x, colwise_broadcast(b)));
  const schedule::plan p = planned(colwise_sum(elt_multiply(x, rowwise_broadcast(y - inv_logit(eta)))));
  ASSERT_EQ(p.steps.size(), 2u);
  ASSERT_EQ(p.temporaries.size(), 1u);  // the residuals, and not the row sums
  EXPECT_TRUE(p.graph[p.temporaries[0].value].is(op::subtract::record()));
  EXPECT_TRUE(p.loads(p.steps[1], p.temporaries[0].value));
  EXPECT_FALSE(p.loads(p.steps[0], p.temporaries[0].value));
  // what is cheap is computed again
  const schedule::plan cheap = planned(colwise_sum(elt_multiply(x, rowwise_broadcast(y - eta))));
  ASSERT_EQ(cheap.temporaries.size(), 1u);
  EXPECT_TRUE(cheap.graph[cheap.temporaries[0].value].is(op::sum::record()));
}

TEST(Plan, ASoftmaxIsThreeSteps) {
  const auto e = shared(exp(A - rowwise_broadcast(rowwise_max(A))));
  const auto p = planned(elt_divide(e, rowwise_broadcast(rowwise_sum(e))));
  EXPECT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.temporaries.size(), 2u);
}

TEST(Plan, AVarianceIsTwoSteps) {
  const auto p = planned(variance(A));
  EXPECT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.temporaries.size(), 1u);
}

TEST(Plan, AScalarThatNeedsTwoReductionsOfOneDomainIsOneStep) {
  const auto p = planned(sum(A) / sum(exp(B) + A));
  EXPECT_EQ(p.steps.size(), 1u);
}

TEST(Plan, AScalarThatNeedsReductionsOfTwoDomainsIsAStepOfItsOwn) {
  const auto p = planned(sum(A) / sum(wide));
  EXPECT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.temporaries.size(), 2u);
}

TEST(Plan, AReductionOfAReductionIsALaterStep) {
  const auto p = planned(sum(rowwise_max(A)));
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.temporaries.size(), 1u);
}

TEST(Plan, AResultThatIsAlsoNeededLaterIsStoredTwice) {
  const auto p = planned(rowwise_sum(A), A - rowwise_broadcast(rowwise_sum(A)));
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.steps[0].epilogue.size(), 2u);
}

TEST(Plan, WhateverTellsRowsFromColumnsIsTiled) {
  EXPECT_FALSE(planned(A + colwise_broadcast(row)).steps[0].linear);
  EXPECT_FALSE(planned(A + rowwise_broadcast(column)).steps[0].linear);
  EXPECT_FALSE(planned(A + cast<double>(row_index())).steps[0].linear);
  EXPECT_FALSE(planned(placeholder<double>(6, 5, 5, matrix_cl_view::Lower) + A).steps[0].linear);
  EXPECT_FALSE(planned(sum(A + colwise_broadcast(row))).steps[0].linear);
}

TEST(Plan, NumbersAndScalarExpressionsDoNotMakeTiles) {
  EXPECT_TRUE(planned(A + constant(3.0, 5, 5)).steps[0].linear);
  EXPECT_TRUE(planned(A + sum(B)).steps[1].linear);
}

TEST(Plan, OnlyAColumnVectorReadForEveryColumnIsReused) {
  EXPECT_TRUE(planned(A + rowwise_broadcast(column)).steps[0].reuses_rows);
  EXPECT_FALSE(planned(A + colwise_broadcast(row)).steps[0].reuses_rows);
  EXPECT_FALSE(planned(column * 2.0).steps[0].reuses_rows);
}

TEST(Plan, TwoResultsOfOneValueAreBothStored) {
  const auto p = planned(A + B, A + B);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].stores.size(), 2u);
}

TEST(Plan, KnownExtentsNameASizeThatIsNotFree) {
  const auto p = planned(constant(2.0) + A);
  const lowered_statement s = lowered(constant(2.0) + A);
  const list_of<std::int64_t> extents = s.extents();
  for (ir::extent known : p.known_extent) EXPECT_EQ(extents[static_cast<std::size_t>(known)], 5);
}

TEST(Plan, WhatFollowsFromAScanElementByElementIsOneStep) {
  for (const auto& p : {planned(exp(rowwise_cumulative_sum(A * 2.0)) - B),
                        planned(cumulative_sum(column) - column, cumulative_sum(column * 2.0))}) {
    ASSERT_EQ(p.steps.size(), 1u);
    EXPECT_TRUE(p.steps[0].scans);
    EXPECT_TRUE(p.temporaries.empty());
  }
}

TEST(Plan, AnElementWiseResultIsStoredWithAScanOfItsShape) {
  const auto p = planned(A + B, colwise_cumulative_sum(A));
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_TRUE(p.steps[0].stores.empty());
  EXPECT_EQ(p.steps[0].epilogue.size(), 2u);
}

TEST(Plan, ScansOfTwoDirectionsAreTwoSteps) {
  const auto p = planned(rowwise_cumulative_sum(A) + colwise_cumulative_sum(A));
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.temporaries.size(), 2u);
}

TEST(Plan, AScanOfAScanAndAnAccessOfOneReadATemporary) {
  EXPECT_EQ(planned(rowwise_cumulative_sum(rowwise_cumulative_sum(A))).steps.size(), 2u);
  const auto p = planned(reverse(cumulative_sum(column)) + column);
  EXPECT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.temporaries.size(), 1u);
}

TEST(Plan, AVectorIsScannedWithOneIndex) {
  EXPECT_TRUE(planned(cumulative_sum(column)).steps[0].linear);
  EXPECT_TRUE(planned(cumulative_sum(row)).steps[0].linear);
  EXPECT_FALSE(planned(colwise_cumulative_sum(A)).steps[0].linear);
}

TEST(Plan, AScanOfSingleElementsIsNone) {
  EXPECT_FALSE(planned(colwise_cumulative_sum(row)).steps[0].reduces);
  EXPECT_FALSE(planned(rowwise_cumulative_sum(column)).steps[0].reduces);
}

TEST(InPlace, AScanMayOverwriteWhatItReadsInPlaceOnly) {
  EXPECT_EQ(planned(rowwise_cumulative_sum(A) + B).safe_in_place[0], (list_of<char>{1, 1}));
  EXPECT_EQ(planned(cumulative_sum(reverse(column))).safe_in_place[0], (list_of<char>{0}));
}

TEST(InPlace, ElementWiseResultsMayOverwriteTheirOperands) {
  const auto p = planned(A + B);
  EXPECT_EQ(p.safe_in_place[0], (list_of<char>{1, 1}));
}

TEST(InPlace, ABroadcastOperandMayNotBeOverwritten) {
  const auto p = planned(A + colwise_broadcast(row));
  EXPECT_EQ(p.safe_in_place[0], (list_of<char>{1, 0}));
}

TEST(InPlace, AReductionMayNotOverwriteWhatItReads) {
  EXPECT_EQ(planned(rowwise_sum(A)).safe_in_place[0], (list_of<char>{0}));
  EXPECT_EQ(planned(sum(A)).safe_in_place[0], (list_of<char>{0}));
}

TEST(InPlace, WhatALaterStepReadsMayNotBeOverwrittenBefore) {
  const auto p = planned(A + 1.0, B - rowwise_broadcast(rowwise_max(A)), wide + 1.0,
                         wide - colwise_broadcast(colwise_max(wide)));
  EXPECT_EQ(p.safe_in_place[0][0], 1);  // A is read for the last time where the first result is written
  EXPECT_EQ(p.safe_in_place[0][1], 0);  // B is read in a later step
  EXPECT_EQ(p.safe_in_place[1][1], 1);
  EXPECT_EQ(p.safe_in_place[2][2], 0);
  EXPECT_EQ(p.safe_in_place[3][2], 1);
}

TEST(InPlace, AnOperandReadOnlyBeforeMayBeOverwritten) {
  const auto p = planned(B - rowwise_broadcast(rowwise_max(A)));
  EXPECT_EQ(p.safe_in_place[0], (list_of<char>{1, 1}));
}

TEST(Plan, ItsTextNamesEveryStep) {
  const std::string_view kinds[] = {"reduce", "numbered"};
  const std::string text = to_string(planned(A - rowwise_broadcast(rowwise_max(A))), kinds);
  for (const char* part : {"step 0: reduce over", "  reduces %", "  finishes %", "step 1: numbered over",
                           "apart because", "  stores %"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace fusecl
