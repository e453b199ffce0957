#pragma once
// What tests of derivatives expect of them.

#include <gtest/gtest.h>

#include <fusion/autodiff/check_gradient.hpp>

/// Derivatives of a function agree with differences and with forward accumulation to 1e-6.
#define EXPECT_GRADIENT(...)                          \
  do {                                                \
    const auto checked = check_gradient(__VA_ARGS__); \
    EXPECT_TRUE(checked.passed(1e-6)) << checked;     \
  } while (false)
