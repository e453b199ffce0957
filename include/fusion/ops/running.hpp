#pragma once
// Reductions that are accumulated beside others over the same elements, in one pass: what would follow from a
// complete reduction follows from the running one. They are made by passes, not by users.
//  - running_exp_sum: sum of exp(x - max(x)), beside max. Milakov, Gimelshein (2018), "Online normalizer
//    calculation for softmax".
//  - running_squares: sum of (x - mean(x))^2, beside running_mean and running_count. Chan, Golub, LeVeque
//    (1983), "Algorithms for computing the sample variance".

#include <fusion/base/config.hpp>
#include <fusion/ir/operation.hpp>

namespace fusecl::op {

struct running_exp_sum {
  static const ir::operation& record();
};
struct running_count {
  static const ir::operation& record();
};
struct running_mean {
  static const ir::operation& record();
};
struct running_squares {
  static const ir::operation& record();
};

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/running.ipp>
#endif
