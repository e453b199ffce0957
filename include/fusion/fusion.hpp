#pragma once
// FuseCL: matrix expressions in C++ that become fused OpenCL kernels. The header for users.

#include <fusion/base/config.hpp>
#include <fusion/base/error.hpp>
#include <fusion/eval/check_cl.hpp>
#include <fusion/eval/checked.hpp>
#include <fusion/eval/explain.hpp>
#include <fusion/eval/indexed_elements.hpp>
#include <fusion/eval/once.hpp>
#include <fusion/eval/prepare.hpp>
#include <fusion/eval/reference.hpp>
#include <fusion/eval/reshape.hpp>
#include <fusion/eval/results.hpp>
#include <fusion/eval/scalar.hpp>
#include <fusion/eval/sort.hpp>
#include <fusion/expr/assembled.hpp>
#include <fusion/expr/holder.hpp>
#include <fusion/expr/indexing.hpp>
#include <fusion/expr/opencl_code.hpp>
#include <fusion/expr/scan.hpp>
#include <fusion/expr/user_function.hpp>
#include <fusion/matrix/copy.hpp>
#include <fusion/matrix/matrix_cl.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/kernel_cl.hpp>
#include <fusion/runtime/profiling.hpp>
