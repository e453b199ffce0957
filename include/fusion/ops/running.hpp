#pragma once
// Reductions that are accumulated beside others over the same elements, in one pass: what would follow from a
// complete reduction follows from the running one. They are made by passes, not by users.
//  - running_exp_sum: sum of exp(x - max(x)), beside max. Milakov, Gimelshein (2018), "Online normalizer
//    calculation for softmax".
//  - running_total, running_squares: sums of x - p and (x - p)^2, beside their number and the pivot p, which
//    is one of the elements: the squared deviations from the mean lose no more digits than any sum of as many
//    elements. Chan, Golub, LeVeque (1983), "Algorithms for computing the sample variance".

#include <fusion/base/config.hpp>
#include <fusion/ir/operation.hpp>

namespace fusecl::op {

struct running_exp_sum {
  static const ir::operation& record();
};
struct running_count {
  static const ir::operation& record();
};
struct running_pivot {
  static const ir::operation& record();
};
struct running_total {
  static const ir::operation& record();
};
struct running_squares {
  static const ir::operation& record();
};

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/running.ipp>
#endif
