#pragma once
// Likelihoods: the header for users. They are expressions of <fusion/autodiff.hpp>, which it includes.

#include <fusion/autodiff.hpp>
#include <primitives/likelihoods/densities.hpp>
