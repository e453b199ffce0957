#pragma once
// Derivatives: gradients of expressions, products with Hessians, the tape and its variables. The header for
// users; what it differentiates is in <fusion/fusion.hpp>, which it includes. With them come checks, powers
// and packed copies of matrices, without which <fusion/fusion.hpp> takes less time to compile.

#include <fusion/autodiff/accumulator.hpp>
#include <fusion/autodiff/adjoint_results.hpp>
#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/eigen_var.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/autodiff/prepare.hpp>
#include <fusion/autodiff/type_names.hpp>
#include <fusion/autodiff/type_requirements.hpp>
#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/eval/check_matrix.hpp>
#include <fusion/eval/matrix_power.hpp>
#include <fusion/eval/packed_copy.hpp>
#include <fusion/fusion.hpp>
