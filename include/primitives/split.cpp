// Compiles every body of primitives once. FuseCL::split builds it; without CMake, compile it with
// -DFUSECL_SPLIT and link it to a program that was compiled with -DFUSECL_SPLIT.
// Written by tools/write_split.py.

#ifndef FUSECL_SPLIT
#error "split.cpp is compiled with -DFUSECL_SPLIT, and so is all that links to it"
#endif

#include <primitives/primitives.hpp>

// What the bodies include.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include <Eigen/Cholesky>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/number_text.hpp>
#include <fusion/eval/check_matrix.hpp>
#include <fusion/expr/product.hpp>
#include <fusion/ir/interpret.hpp>
#include <fusion/kinds/pivots.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/kept_failures.hpp>
#include <fusion/runtime/tensor_cores.hpp>
#include <primitives/covariances/hyper_parameters.hpp>
#include <primitives/covariances/kernels.hpp>
#include <primitives/covariances/points.hpp>
#include <primitives/host_matrices.hpp>
#include <primitives/likelihoods/class_densities.hpp>
#include <primitives/likelihoods/classes.hpp>
#include <primitives/likelihoods/columns.hpp>
#include <primitives/likelihoods/density.hpp>
#include <primitives/likelihoods/multi_normal.hpp>
#include <primitives/likelihoods/multinomial_logit_glm.hpp>
#include <primitives/likelihoods/normal_density.hpp>
#include <primitives/likelihoods/regression.hpp>

// Bodies, after all headers. They belong to the part of a program that they are linked into: parts share
// what is marked FUSECL_SHARED, and nothing by which code knows itself.
#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#pragma GCC diagnostic ignored "-Wattributes"  // a type that a header declares and a body completes
#endif
#include <primitives/covariances/hyper_parameters.ipp>
#include <primitives/covariances/kernels.ipp>
#include <primitives/covariances/points.ipp>
#include <primitives/host_matrices.ipp>
#include <primitives/likelihoods/class_densities.ipp>
#include <primitives/likelihoods/classes.ipp>
#include <primitives/likelihoods/columns.ipp>
#include <primitives/likelihoods/density.ipp>
#include <primitives/likelihoods/multi_normal.ipp>
#include <primitives/likelihoods/multinomial_logit_glm.ipp>
#include <primitives/likelihoods/normal_density.ipp>
#include <primitives/likelihoods/regression.ipp>
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
