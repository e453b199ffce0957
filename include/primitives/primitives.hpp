#pragma once
// Likelihoods, covariances and constraining transforms: the header for users. They are expressions of
// <fusion/autodiff.hpp>, which it includes.

#include <fusion/autodiff.hpp>
#include <primitives/constraints.hpp>
#include <primitives/covariances/gp.hpp>
#include <primitives/host_functions.hpp>
#include <primitives/host_matrices.hpp>
#include <primitives/likelihoods/bernoulli_logit_glm.hpp>
#include <primitives/likelihoods/binomial_logit_glm.hpp>
#include <primitives/likelihoods/categorical_logit_glm.hpp>
#include <primitives/likelihoods/class_densities.hpp>
#include <primitives/likelihoods/densities.hpp>
#include <primitives/likelihoods/multi_normal.hpp>
#include <primitives/likelihoods/multinomial_logit_glm.hpp>
#include <primitives/likelihoods/neg_binomial_2_log_glm.hpp>
#include <primitives/likelihoods/normal_id_glm.hpp>
#include <primitives/likelihoods/of_host_lists.hpp>
#include <primitives/likelihoods/ordered_logistic_glm.hpp>
#include <primitives/likelihoods/poisson_log_glm.hpp>
#include <primitives/likelihoods/simplex_densities.hpp>
#include <primitives/log_mix.hpp>
