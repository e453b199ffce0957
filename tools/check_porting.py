#!/usr/bin/env python3
"""Checks docs/coming_from_stan_math.md against the headers.

STAN_MATH lists the public names of Stan Math's OpenCL backend. Each is declared in include/fusion, or is in the first
column of the table of absent names, where `*_lpdf` stands for all that end so; none is both, and that table has no
other names. What the table of differences says of names is said of names that exist.
"""
import collections
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/coming_from_stan_math.md"

STAN_MATH = set("""
    multinomial_logit_glm_lpmf arena_t is_constant_all is_var is_stan_scalar include_summand
    is_autodiff_v is_scalar_cl is_prim_scalar_cl is_rev_scalar_cl
    partials_return_t ref_type_t to_ref_if require_t size_zero size_mvt operands_and_partials make_callback_vari
    check_row_index check_size_match linspaced_vector linspaced_row_vector fvar
    accumulator adjoint_of check_consistent_sizes deserializer_cl make_deserializer_data make_partials_propagator max_size
    partials_propagator pinned_matrix static_select type_str
    Phi Phi_approx acos acosh add add_diag adjoint_results append_array append_col append_row arena_matrix_cl
    as_column_vector_or_scalar as_operation_cl asin asinh atan atanh beta block block_zero_based both broadcast calc_if
    cast cbrt ceil check_cl check_diagonal_zeros check_invalid_matrix_view check_mat_size_one check_matching_dims
    check_nan check_opencl_error check_square check_symmetric check_triangular check_vector cholesky_decompose col
    col_index cols columns_dot_product columns_dot_self colwise_broadcast colwise_max colwise_min
    colwise_optional_broadcast colwise_prod colwise_sum constant contains_nonzero copy_cl copysign cos cosh crossprod
    cumulative_sum diag_matrix diag_post_multiply diag_pre_multiply diagonal digamma dims distance divide
    divide_columns dot_product dot_self eigenvalues_sym eigenvectors_sym either elt_divide elt_multiply erf erfc eval
    exp exp2 expm1 expressions fabs fdim fill_strict_tri floor fma fmax fmin fmod from_eigen_uplo_type from_matrix_cl
    get_kernel_source_for_evaluating get_kernel_source_for_evaluating_into gp_dot_prod_cov gp_exp_quad_cov
    gp_exponential_cov gp_matern32_cov gp_matern52_cov grad head holder_cl hypot identity identity_matrix indexing inv
    inv_Phi inv_cloglog inv_logit inv_sqrt inv_square invert is_matrix_cl isfinite isinf isnan kernel_cl lb_constrain
    lbeta ldexp lgamma lmultiply log log10 log1m log1m_exp log1m_inv_logit log1p log1p_exp log2 log_diff_exp
    log_inv_logit log_inv_logit_diff log_mix log_softmax log_sum_exp logit lub_constrain make_holder_cl matrix_cl
    matrix_cl_view matrix_power matrix_vector_multiply max_2d mdivide_left_tri_low mdivide_right_tri_low mean min_2d
    minus multi_normal_cholesky_lpdf multiply multiply_log multiply_lower_tri_self_transpose multiply_transpose
    nested_rev_autodiff norm1 norm2 normal_id_glm_lpdf bernoulli_logit_glm_lpmf bernoulli_cdf bernoulli_lcdf
    bernoulli_lccdf num_elements offset_multiplier_constrain opencl_code opencl_context optional_broadcast packed_copy
    pow prod prod_2d qr_Q qr_R qr_thin_Q qr_thin_R rank recover_memory recover_memory_nested rep_array
    rep_matrix rep_row_vector rep_vector results reverse round row row_index rows rows_dot_product rows_dot_self
    rowwise_broadcast rowwise_max rowwise_min rowwise_optional_broadcast rowwise_prod rowwise_sum rsqrt sd segment select
    set_zero_all_adjoints set_zero_all_adjoints_nested sign sin sinh size softmax sort_asc sort_desc sqrt square
    squared_distance start_nested sub_col sub_row subtract sum sum_2d symmetrize_from_lower_tri
    symmetrize_from_upper_tri tail tan tanh tcrossprod tgamma to_arena to_array_1d to_array_2d to_matrix to_matrix_cl
    to_row_vector to_vector trace transpose tri_inverse trigamma trunc ub_constrain unit_vector_constrain value_of
    value_of_rec var var_value variance zeros_strict_tri erfcx append_event is_kernel_expression to_ref_for_opencl
    adj_op val_op vari_value vi_ zeros add_read_event add_write_event add_read_write_event clear_read_events
    clear_write_events clear_read_write_events read_events write_events read_write_events wait_for_read_events
    wait_for_write_events wait_for_read_write_events reverse_pass_callback
    make_callback_var in_buffer out_buffer in_out_buffer indexing_rev symmetric_eigensolver ScalarCl
    matrix_d vector_d row_vector_d matrix_v vector_v row_vector_v return_type_t scalar_type_t value_type_t plain_type_t
    conditional_var_value_t to_ref is_constant
    ones_vector ones_row_vector ones_array ones_int_array zeros_vector zeros_row_vector zeros_array zeros_int_array
    uniform_simplex mdivide_left_tri check_pos_definite
    promote_scalar_t return_var_matrix_t forward_as is_var_v is_stan_scalar_v is_constant_v is_constant_all_v
    is_arena_matrix_cl is_eigen require_not_t require_all_t require_any_t require_all_not_t require_any_not_t
    require_matrix_cl_t require_all_matrix_cl_t require_var_t require_stan_scalar_t require_arithmetic_t require_eigen_t
    require_all_kernel_expressions_t require_all_kernel_expressions_and_none_scalar_t
    require_any_nonscalar_prim_or_rev_kernel_expression_t require_all_prim_or_rev_kernel_expression_t
    TriangularViewCL PartialViewCL lower_triangular_inverse deep_copy
    view_kernel_helpers indexing_helpers thread_block_helpers vec_concat
    qr_decomposition_cl ref_type_for_opencl_t is_kernel_expression_and_not_scalar is_kernel_expression_lhs
    is_without_output is_rev_kernel_expression is_prim_or_rev_kernel_expression
    is_nonscalar_prim_or_rev_kernel_expression sub_block triangular_transpose copy_triangular diagonal_multiply
    base_opts double_d digamma_diff elewise_multiplication elewise_division register_kernel_cache
    normal_lpdf std_normal_lpdf student_t_lpdf cauchy_lpdf logistic_lpdf lognormal_lpdf gamma_lpdf inv_gamma_lpdf
    chi_square_lpdf inv_chi_square_lpdf scaled_inv_chi_square_lpdf beta_lpdf beta_proportion_lpdf exponential_lpdf
    weibull_lpdf frechet_lpdf gumbel_lpdf rayleigh_lpdf pareto_lpdf pareto_type_2_lpdf double_exponential_lpdf
    skew_double_exponential_lpdf exp_mod_normal_lpdf skew_normal_lpdf uniform_lpdf multi_normal_cholesky_lpdf
    bernoulli_lpmf bernoulli_logit_lpmf binomial_lpmf poisson_lpmf poisson_log_lpmf neg_binomial_lpmf
    neg_binomial_2_lpmf neg_binomial_2_log_lpmf bernoulli_cdf bernoulli_lcdf bernoulli_lccdf cauchy_cdf cauchy_lcdf
    cauchy_lccdf double_exponential_cdf double_exponential_lcdf double_exponential_lccdf exp_mod_normal_cdf
    exp_mod_normal_lcdf exp_mod_normal_lccdf exponential_cdf exponential_lcdf exponential_lccdf frechet_cdf
    frechet_lcdf frechet_lccdf gumbel_cdf gumbel_lcdf gumbel_lccdf logistic_cdf logistic_lcdf logistic_lccdf
    lognormal_cdf lognormal_lcdf lognormal_lccdf normal_cdf normal_lcdf normal_lccdf pareto_cdf pareto_lcdf
    pareto_lccdf pareto_type_2_cdf pareto_type_2_lcdf pareto_type_2_lccdf rayleigh_cdf rayleigh_lcdf rayleigh_lccdf
    skew_double_exponential_cdf skew_double_exponential_lcdf skew_double_exponential_lccdf std_normal_cdf
    std_normal_lcdf std_normal_lccdf uniform_cdf uniform_lcdf uniform_lccdf weibull_cdf weibull_lcdf weibull_lccdf
""".split()) - {"append_event"}


def without_details(text):
    """The text of a header without comments and without what is in `namespace detail`."""
    text = re.sub(r"//[^\n]*", "", text)
    result, at = "", 0
    for found in re.finditer(r"namespace detail \{", text):
        if found.start() < at:
            continue
        result += text[at:found.start()]
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return result + text[at:]


class Declarations:
    """Which names headers declare."""

    def __init__(self, headers):
        self.lines = headers.splitlines()
        self.places = collections.defaultdict(list)
        for at, line in enumerate(self.lines):
            for word in set(re.findall(r"\w+", line)):
                self.places[word].append(at)

    def around(self, word):
        """The lines that have a word, each after the one before it."""
        return "\n".join("\n".join(self.lines[max(at - 1, 0):at + 1]) for at in self.places[word])

    def has(self, name):
        """Whether a header declares the name, by itself or through a list of names that a macro goes through."""
        bases = [name, re.sub(r"^(row|col)wise_", "", name), re.sub(r"_2d$", "", name),
                 re.sub(r"_(cdf|lcdf|lccdf)$", "", name), re.sub(r"^require_((all|any)_)?(not_)?|_t$", "", name)]
        listed = any(re.search(rf"\bX\({base}[,)]", self.around(base)) for base in bases)
        pattern = rf"(^|[\w>&*)]\s+|[&*]|\.){name}\(|\b(class|struct|concept|using|enum class) {name}\b|auto \w+ {name}\b|\bconst {name}|constexpr (bool|char) {name}\b|type {name};|\b{name}[;{{]"
        return listed or re.search(pattern, self.around(name), re.MULTILINE) is not None


def table_under(text, heading):
    """First columns of the rows of the table under a heading."""
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [row.split("|")[1] for row in section.splitlines() if row.startswith("|")][2:]


def names_in(cells):
    return {name for cell in cells for name in re.findall(r"`([\w*]+)`", cell)}


def findings():
    headers = Declarations("\n".join(without_details(path.read_text()) for path in sorted((ROOT / "include").rglob("*.hpp"))
                                     if path.parent.name != "device_functions"))
    page = (ROOT / PAGE).read_text()
    absent = names_in(table_under(page, "Absent"))
    for name in sorted(STAN_MATH):
        here, listed = headers.has(name), any(fnmatch.fnmatch(name, pattern) for pattern in absent)
        if here and listed:
            yield f"{PAGE} lists {name} as absent, which include/ declares"
        if not here and not listed:
            yield f"{PAGE} does not list {name} as absent, which include/ does not declare"
    for pattern in sorted(absent):
        if not fnmatch.filter(STAN_MATH, pattern):
            yield f"{PAGE} lists {pattern} as absent, which is no name in tools/check_porting.py"
    for name in sorted(names_in(table_under(page, "Different"))):
        if name in STAN_MATH and not headers.has(name):
            yield f"{PAGE} says how {name} differs, which include/ does not declare"


def main():
    found = list(findings())
    for finding in found:
        print(finding)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
