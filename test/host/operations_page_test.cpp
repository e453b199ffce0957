// docs/operations.md is made from the operation records. FUSECL_UPDATE_DOCS=1 rewrites it; otherwise it has
// to be current.

#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>

#include <gtest/gtest.h>

#include <fusion/expr/statistics.hpp>
#include <fusion/ops/registry.hpp>
#include <primitives/likelihoods/densities.hpp>

namespace fusecl {
namespace {

using ir::operation, ir::type_rule;

constexpr const char* page = FUSECL_TEST_DIR "/../docs/operations.md";

constexpr std::string_view introduction = R"(# Operations

Made from the operation records in `include/fusion/ops` by test/host/operations_page_test.cpp; run it with
`FUSECL_UPDATE_DOCS=1` after changing a record.

[Operators](#operators) · [Elementary functions](#elementary-functions) · [Special functions](#special-functions) ·
[Reductions](#reductions) · [Scans](#scans) · [Statistics](#statistics) · [Products](#products) ·
[Factors, systems and inverses](#factors-systems-and-inverses) ·
[Batches of small matrices](#batches-of-small-matrices) ·
[Covariances of Gaussian processes](#covariances-of-gaussian-processes) · [Structure](#structure) ·
[Elements at indices](#elements-at-indices) · [Views](#views) · [Repeating and constants](#repeating-and-constants) ·
[Types, sharing, derivatives](#types-sharing-derivatives) · [Statements](#statements) · [Likelihoods](#likelihoods) ·
[Constraining transforms](#constraining-transforms) · [Mixtures and probabilities](#mixtures-and-probabilities) ·
[Looking inside and counting](#looking-inside-and-counting) ·
[Names of views](#names-of-views) · [Errors](#errors)

Operands are expressions of equal size; where an operation has two or three, some may be scalars. Meaning, argument
order and limits of the functions are those of the C++ standard library and of Stan Math. Element-wise functions of
numbers of the host give a number, computed there: `inv_logit(0.3)`, `fusecl::lbeta(2, 3)`; with a `var` among them, a `var`. Constants have Stan
Math's names: `INFTY` (`positive_infinity()`), `NEGATIVE_INFTY` (`negative_infinity()`), `NOT_A_NUMBER` (`not_a_number()`), `EPSILON` (`machine_precision()`), `pi()`, `TWO_PI`, `LOG_ZERO`, `LOG_TWO`, `LOG_HALF`, `LOG_TEN`, `LOG_PI`, `LOG_TWO_PI`,
`LOG_SQRT_PI`, `HALF_LOG_TWO_PI`, `NEG_LOG_SQRT_TWO_PI`, `SQRT_TWO`, `INV_SQRT_TWO`, `SQRT_PI`, `INV_SQRT_PI`, `SQRT_TWO_PI`,
`INV_SQRT_TWO_PI`, `TWO_OVER_SQRT_PI`.

Sizes count where there are no elements, too, as for Eigen and Stan Math: 0 x 0, which `matrix_cl<T>()` is, 0 x 1 and 1 x 0
are three sizes, and an operation of two of them throws `std::invalid_argument` as that of any others. Only functions of
all elements of two vectors (`dot_product`, `squared_distance`, `distance`, densities) take a column and a row, empty ones as others.

**Types.** What the operands become, and the type of the result:

| rule | operands | result |
| --- | --- | --- |
| arithmetic | promoted as in C++ | their type |
| floating | integers to `double`, beside `float` to that, then promoted as in C++ | their type |
| comparison | promoted as in C++ | `bool` |
| logical | `bool` | `bool` |
| classify | made floating | `bool` |
| selection | the condition `bool`, the others promoted | type of the others |
| scaled | the first floating, the second `int` | type of the first |

**Accuracy** is the largest error in units in the last place (ulp) of the result, for `float` and `double` alike and
up to the ends of the range; 0.5 is a correctly rounded or exact result. The accuracy test holds every function to
it, with values from a computation to 22 digits. Infinities, NaN and zeros are exact. Devices may divide `float`
numbers with 2.5 ulp, and may flush `float` results below 1.2e-38 to zero. In sums, NVIDIA's GPUs divide by one `double`
for all elements within 1.5 ulp where results or operands are below 1e-290, and what is within 3 ulp of the largest
number may become infinite.

**Derivatives** are the partial derivatives in the order of the operands, with `f` for the result. They are made of
operations of these tables; 0 stands for functions whose derivative is 0 or does not exist.
)";

/// What has no record of its own: all of it is one operation with an access map.
constexpr std::string_view structure = R"(
## Products

`A * B`, where neither is a scalar, is the matrix product: n x m of n x k and k x m. Sizes that do not fit throw
`std::invalid_argument` with both sizes before anything runs; `elt_multiply` is the element-wise product. `A *= M` is
`A = A * M`, and `A` may be among the operands of what is assigned to it.

With a vector, a column on the right or a row on the left, it is a sum of products like any
other: `sum(elt_multiply(y, X * b) - log1p_exp(X * b))` and its gradient read X once; a column times a row is
element-wise. A product with one element is a number where one is wanted, and so is what element-wise operations make of such
products and of scalars: `double q = transpose(v) * v`, `s += 0.5 * (transpose(v) * v)`, `if (transpose(v) * v > 1.0)`, and with
a variable `var q = transpose(x) * x`. Another size throws `std::invalid_argument`. A
`float` of a product of `double`, and whole numbers, take a `static_cast`.

Other products have a kernel of their own. It reads matrices, their blocks, transposes and the like where they are;
other operands are computed to memory before (`explain` shows them as `stored`). What follows element by element is
computed where the product is, without a temporary: `exp(A * B + C)` and `alpha * (A * B) + beta * C` are one launch. So are
reductions of everything, beside other results or alone: `sum(square(A * B - C))` stores no product. Nor do reductions of
rows or of columns, `rowwise_sum(square(A * B - C))` or `colwise_max(A * B)`, where nothing else than results is made of the product: one
launch, or a second one that adds what tiles have left. Reductions along two directions, of a matrix times its own
transpose along one, or of a product that other launches read, and transposes of a product read it from memory, and so do all
reductions where groups share its terms; `explain` says which way was taken. Of a matrix and its own transpose, read of the same operand, half is
computed and stored at both places; a triangular view of an operand saves its zero blocks, and two triangles make one. Where
zeros that a view leaves out meet NaN or an infinity in the other operand, the result may be NaN or not: they are multiplied
next to the diagonal only. A diagonal matrix (`diag_matrix(v) * A`, `A * identity_matrix(n)`) is no product but
`diag_pre_multiply` or `diag_post_multiply`. All products have derivatives of any order, which are products again, and take a sum
instead where all elements weigh the same, as in `sum(A * B)`.

| operation | notes |
| --- | --- |
| `crossprod(a)` | `transpose(a) * a` |
| `tcrossprod(a)`, `multiply_transpose(a)` | `a * transpose(a)` |

`matrix_power(a, n)` (of `<fusion/autodiff.hpp>`) is a product of n factors a, evaluated at once by repeated squaring: a matrix, or of variables a variable.

## Factors, systems and inverses

Of square matrices, of which one triangle is read; what is in the other one, NaN or anything, does not matter.
Names, argument order and triangles are those of Stan Math, integers become `double`.

| operation | notes |
| --- | --- |
| `cholesky_decompose(a)` | the lower triangular L with `L * transpose(L)` = a, from the lower triangle of a; symmetry is not checked |
| `mdivide_left_tri_low(a, b)`, `mdivide_right_tri_low(b, a)` | x of `a * x` = b and of `x * a` = b, by the lower triangle of a; b has one column (row) or many |
| `mdivide_left_tri<view>(a, b)` | x of `a * x` = b by the triangle that `view` names, `Lower` or `Upper` |
| `mdivide_left_tri_low(a)` | the inverse of the lower triangle |
| `tri_inverse(a)`, `tri_inverse<view>(a)` | the inverse of the triangle that the view of a is, or that `view` names |
| `mdivide_left_spd(a, b)`, `mdivide_right_spd(b, a)` | x of `a * x` = b and of `x * a` = b, a symmetric and positive definite, through its factor |
| `inverse_spd(a)`, `chol2inv(l)` | the inverse of such a matrix, and of `l * transpose(l)` |
| `log_determinant_spd(a)` | of such a matrix, a scalar expression |
| `log_determinant(a)` | the logarithm of the determinant's absolute value, a scalar expression, of a matrix with a triangular view |
| `quad_form(a, b)`, `quad_form_sym(a, b)` | `transpose(b) * a * b`, and its mean with its transpose |
| `trace_quad_form(a, b)` | the trace of that, a scalar expression |

All are lazy, take expressions, blocks and transposes, and have derivatives of any order; that by a triangle that is not
read is 0, and by a symmetric matrix each element below the diagonal stands for both. Kernels go through tiles in several
launches (`explain` lists them), and what follows element by element is computed as results are stored. `shared(...)` keeps
a factor for several uses: `const auto l = shared(cholesky_decompose(S))`, then
`-0.5 * dot_self(mdivide_left_tri_low(l, y - mu)) - sum(log(diagonal(l)))`.

A matrix that is not square, or sizes that do not fit, throw `std::invalid_argument` before anything runs, and so does
`tri_inverse(a)` of one without a triangular view. Where a pivot is not positive, also NaN, `cholesky_decompose` and what uses it
throw `std::domain_error` with number and value of the first one, as soon as the host waits for numbers on the same thread:
in the statement itself where its result is a number, else in a later one that reads, once. A `var` is no number here: it is told
by `val()` or `adj()`, so a `try` holds one of these, too: another try with more on the diagonal is
`try { L = cholesky_decompose(S); L(0, 0); } catch (const std::domain_error&) { L = cholesky_decompose(add_diag(S, 1e-6)); }`,
and a thread reads before it gives a factor to another one, as failures are those of a thread. What
forgets variables does not forget this: after a proposal that is given up before its numbers were read, read one. Nobody waits for it
before, so targets on the device are written, and vectors and matrices of the host for the gradients of `value_and_gradient_into`,
unless its expression is `checked(...)`: columns of a factor before that pivot are right, all others NaN. A 0 on the diagonal of a
triangle makes infinities and NaN, as division does. Of no rows results are empty and a logarithm is 0.

## Batches of small matrices

Many matrices of one size stand side by side in one: a batch of `count` matrices r x c is r x (c count), which is how they
follow each other in memory, and `block_zero_based(a, 0, k * c, r, c)` is matrix k.

| operation | notes |
| --- | --- |
| `batched_multiply(a, b, count)` | matrix k is the product of the matrices k of a and b |
| `transpose_each(a)`, `transpose_each(a, count)` | each matrix of a transposed; `batched_multiply` and `batched_mdivide_left_tri_low` read it where it is, elsewhere it is an indexing of `a`, and without `count` the matrices are square |
| `batched_cholesky_decompose(a)` | of square matrices the lower triangular factors, from lower triangles, with zeros above |
| `batched_tri_inverse(l)` | the inverses of their lower triangles |
| `batched_mdivide_left_tri_low(l, b)` | matrix k is x of `l * x` = b, by the lower triangle of the matrix k of l; of the transposed ones with `transpose_each(l)` |
| `batch_identity<T>(n, count)` | n x n identities; `double` without a type |

Operands are matrices or expressions, which are computed as they are read, and what follows element by element is computed as
results are stored: one launch each, and one of a single group after factors. All have derivatives of any order. Factors,
inverses and systems are of matrices of at most 128 rows, which say how many there are; products are of any size.

Sizes that do not fit throw `std::invalid_argument`. Where a matrix is not positive definite, its own factor has NaN from that
pivot on, and `std::domain_error` with the numbers of the first such matrix, counted from 0, and its pivot comes when the host
next waits, as of `cholesky_decompose`. What is not finite stays in its matrix.

## Covariances of Gaussian processes

In `<primitives/primitives.hpp>`. With Stan Math's names and argument order, as expressions: `add_diag(gp_exp_quad_cov(x, s, l), v)`
is one kernel, and where a Cholesky factor reads it only its lower triangle is computed. Points are the columns of a
matrix, or the elements of a column, which are points of one dimension; beside other points, or length scales, of as many
dimensions a column is one point. With `x1` and `x2` in the place of `x` it is the covariance of those with these. d is
the Euclidean distance.

| function | elements |
| --- | --- |
| `gp_exp_quad_cov(x, sigma, l)` | `sigma^2 * exp(-d^2 / (2 * l^2))` |
| `gp_exponential_cov(x, sigma, l)` | `sigma^2 * exp(-d / l)`; at equal points, where it has a kink, its derivative by them is 0 |
| `gp_matern32_cov(x, sigma, l)` | `sigma^2 * (1 + sqrt(3) * d / l) * exp(-sqrt(3) * d / l)` |
| `gp_matern52_cov(x, sigma, l)` | `sigma^2 * (1 + sqrt(5) * d / l + 5 * d^2 / (3 * l^2)) * exp(-sqrt(5) * d / l)` |
| `gp_periodic_cov(x, sigma, l, period)` | `sigma^2 * exp(-2 * sin(pi * d / period)^2 / l^2)`; of several dimensions second derivatives by points are 0 where these are equal |
| `gp_dot_prod_cov(x, sigma)` | `sigma^2` plus the inner product of the points |

`sigma`, `l` and `period` are numbers, data or variables, or scalar expressions; of the first four functions `l` may be a vector
with a length scale for each dimension, of the device, of Eigen or a `std::vector`. All have derivatives of any order by all of them and by the points. Numbers that
are not positive (`sigma` of inner products: negative), NaN or, but for one `l` of `gp_exp_quad_cov` and all numbers of
`gp_periodic_cov`, infinite, throw `std::domain_error`: numbers and variables when the expression is made, parameters when it
is evaluated. Scalar expressions, vectors on the device and the points are not looked at: what is NaN there gives NaN, as do length
scales whose squares underflow (from 1e-150 on, of float 1e-18) and distances whose squares overflow.
Dimensions that differ throw `std::invalid_argument`.

Up to 16 dimensions squares of distances are sums of squares: exactly 0 for equal points, and nothing cancels. Beyond,
they come from a product of the points less their mean, which costs some digits of distances that are small beside the
spread of the points; points of one matrix that are equal have distance 0 all the same.

## Structure

Elements from other places, of any expression, read in place: nothing is copied, and a block that moves is one
kernel, its offsets and sizes are arguments. These functions count rows, columns and elements from 1, as in Stan
Math; `block_zero_based` and the elements `x(i, j)` and `v(i)` count from 0. The derivative goes to the elements that were read. Outside of an operand's view is zero.

| expression | elements | assignable |
| --- | --- | --- |
| `transpose(x)` | (j, i); that of a vector costs nothing | yes |
| `block(x, i, j, rows, cols)`, `block_zero_based(...)` | from (i, j) on | yes |
| `row(x, i)`, `col(x, j)` | one row, one column | yes |
| `sub_row(x, i, j, cols)`, `sub_col(x, i, j, rows)` | part of a row or column from (i, j) on | yes |
| `head(v, n)`, `tail(v, n)`, `segment(v, i, n)` | n elements of a vector | yes |
| `diagonal(x)` | (i, i), as a column | yes |
| `reverse(v)` | of a vector, the last first | no |
| `rep_matrix(v, n)` | a column vector in n columns, a row vector in n rows; one element is a row where its expression is (`row(x, i)`, `colwise_sum(x)`), else a column | no |
| `rep_matrix(s, rows, cols)`, `rep_vector(s, rows)`, `rep_row_vector(s, cols)` | a scalar or a 1 x 1 matrix everywhere; `rep_matrix<matrix_cl<T>>(...)` of elements of type T | no |
| `ones_vector<matrix_cl<T>>(n)`, `ones_row_vector`, `ones_array`, `ones_int_array`, `zeros_vector`, `zeros_row_vector`, `zeros_array`, `zeros_int_array` | ones or zeros, likewise with the type spelled out; arrays are columns | no |
| `uniform_simplex<matrix_cl<T>>(n)` | a column of n elements 1 / n | no |
| `trace(x)` | the sum of the diagonal, a scalar expression; as in Stan Math and Eigen `x` need not be square, and that of nothing is 0 | no |
| `append_row(x, y)`, `append_col(x, y)` | those of `x`, below or right of them those of `y`; a scalar is one element | no |
| `x(i, j)`, `v(i)` | one element of a matrix or an expression as a number, counted from 0; evaluates it and waits. Of a vector by one index. Of a `var_value` a scalar expression of it | no: with derivatives it is `v[i]` |
| `indexing(x, i, j)` | (i, j), where `i` and `j` are whole numbers or expressions of them (`int`, `long`) that count from 0; [below](#elements-at-indices) | yes |
| `v[i]` | of a vector, likewise, by one expression of whole numbers; of its size; `v[2]` is a number | yes |
| `take_rows(x, i)`, `take_cols(x, j)` | the rows that a column `i` numbers, the columns that a row `j` does | yes |
| `as_column_vector_or_scalar(v)` | of a vector, as a column; a scalar is one already | yes |
| `diag_matrix(v)` | of a vector, on the diagonal of zeros | no |
| `diag_pre_multiply(v, x)`, `diag_post_multiply(x, v)` | of `x`, every row (column) times an element of a vector | no |
| `symmetrize_from_lower_tri(x)`, `symmetrize_from_upper_tri(x)` | of one triangle, on both sides of the diagonal | no |
| `add_diag(x, v)` | of `x`, with a vector or a scalar added along the diagonal | no |
| `identity_matrix<matrix_cl<T>>(n)`, `identity(n)` | ones on the diagonal of zeros; of `double` where no type is given | no |

A place outside of the operand throws `std::out_of_range`, a negative size or a matrix where a vector is needed
`std::invalid_argument`, a negative size of `rep_*`, `identity_matrix`, `Zero` and the like `std::domain_error`, before anything is
enqueued. `block_zero_based` throws `std::invalid_argument` for both a place outside and a negative size.

`to_matrix(x, rows, cols)`, `to_vector(x)` and `to_row_vector(x)` hold the elements of `x`, column by column, in another
shape, `sort_asc(v)` and `sort_desc(v)` those of a vector in order, NaN last. They are evaluated at once: a matrix, or
from a variable a variable. `rank(v, i)` is how many elements are less than element i, as a number; i counts from 1. `rows(x)`, `cols(x)`,
`size(x)`, `num_elements(x)` and `dims(x)` tell sizes. In place, `divide_columns(m, v)` divides each column of a matrix by a
vector, `m.zeros_strict_tri<matrix_cl_view::Lower>()` sets what is below the diagonal to zero and
`opencl_kernels::fill_strict_tri` to a number. Stan Math's names of arrays are those of columns: `append_array`,
`rep_array<matrix_cl<T>>(s, n)` (without the type a `std::vector` on the host), `to_array_1d` (`to_vector`), `to_array_2d` (the matrix itself; of Eigen's matrices lists of rows, of which `to_matrix` makes a matrix again).

Where `x` is a `matrix_cl` that is not const (or an assignable part of one), `=`, `+=`, `-=`, `*=` and `/=` write its
elements and no others, also among several `results(...)`, which are written in their order where parts of one matrix
overlap (a matrix and a part of it are no two results: `std::invalid_argument`); a scalar fills; `/=` takes scalars only. Sizes have to fit (`std::invalid_argument`). The right side is read as it was before the
statement: `block(a, ...) = block(a, ...)` may overlap, through a temporary. The view of the matrix widens to what was written; the rest of a triangle that a
block is the first to touch is zero.

## Elements at indices

`indexing(m, i, j)`, `v[i]`, `take_rows(m, i)` and `take_cols(m, j)` have the elements of an expression at places that
whole numbers name, counted from 0 as in Stan Math. The result has the size of the indices, which combine like other
operands: a number fits any, and so do broadcasts; where no index says how many, `row_index()` in the place of `i` and `col_index()`
in that of `j` are all rows and columns of `m`, and others, as in `indexing(m, col_index(), row_index())`, have the size of what is around
them, as `row_index()` has everywhere (for a derivative by `m` they need one of their own). Beside a column of indices
`col_index()` is a column, too: `indexing(m, i, col_index())` has one element a row, and whole rows are `take_rows(m, i)`. Where all indices are numbers (or scalar expressions, as `v[g[1]]`) the element is a scalar
expression: `double x = v[1]`, `y + v[1]`, `var s = alpha[0]`, `normal_lpdf(y, mu[2], 1.0)`; alone it is 1 x 1, `v[1] = 5.0` writes
it and nothing else, and its derivative needs no lists. `v(1)` and `m(i, j)` read it at once. So `alpha[group]` are the parameters of each observation's group, `take_rows(X, batch)` is a
minibatch (of a `std::vector<int> w`: `take_rows(X, matrix_cl(w))`) and `indexing(p, row_index(), y)` has the probability of each observation's class, all read in place within a
larger kernel.

**Bounds** are looked at before anything is enqueued. A place outside throws `std::out_of_range`, which names the
function, the index, where it stands (nothing of a number) and the size; targets are as they were. What index matrices hold is read once,
with one wait, and known until they are written to: a warm evaluation asks the device nothing. A new minibatch costs a wait for its
bounds and, for a derivative, one for the lists. Indices in a buffer that
was handed out (`g.buffer()`, or a matrix over a `cl::Buffer`) are read at every evaluation. `reference(e)` and
`explain(e)` do not look at them. Places are looked at also where a selection takes no element of theirs: of a number below 0 that stands for none
it is `select(g < 0, 0.0, v[select(g < 0, 0, g)])`. A column of indices of the host is `matrix_cl<int> g(std::vector{0, 2})`, as two whole numbers in braces are sizes.

**Derivatives** go to the elements that were read, where those of equal places add up: sums over lists of what goes to
each place, in one order always, in a kernel of their own (one more where more than 256 elements, on a CPU 32, go to some place, and one
more for each further such factor). The host makes the lists when a gradient by `m` is first taken, which takes about 30 ms for
a million indices, and again for new indices, as of a minibatch; they are kept like the bounds, for `take_rows` and `take_cols` with a number for each row or column taken; data needs none, nor does one element of every row (`indexing(p, row_index(), y)`).

**Targets.** `indexing(m, i, j) = e`, `v[i] = e`, the same of `take_rows` and `take_cols`, `+=` and `-=` of a `matrix_cl` that is not const, or of an assignable part of one
(`col(m, 1)[i] += 1.0`), write its elements at these places; `*=` and `/=` are refused where there may be several. Of several values for one element
`=` keeps the last, column by column, and `+=` adds all, in one order always. They write the whole of `m`, whose view becomes that of the sum
(`Entire` for `=`), or the whole of the part. Among `results(...)` they cannot stand.

## Views

A matrix has a view, the part of it that may be other than zero: `Diagonal`, `Lower`, `Upper` or `Entire`. So has an
expression, by what it does with its operands: a sum has what either operand has, a product what both have, a quotient
what its numerator has, unless the divisor has zeros there too. Functions that are 0 at 0 keep views, transposes turn
them, a block from above the diagonal of a lower triangle is `Lower`, one from below that of an upper triangle `Upper`, `select(row_index() >= col_index(), x, d)` with a diagonal `d` is `Lower`. What a number is decides nothing, 0
neither. Broadcasts, reductions and scans are `Entire`.

Outside of its view an expression is exactly zero wherever it is used: stored, reduced, read by a further operation,
differentiated. What operands hold there, NaN or infinities too, does not matter:
`sum(elt_multiply(lower, b))` is the sum of the stored product. Nor does it take time: where all that one kernel stores
and reduces leaves out a triangle, that is neither read nor computed nor written, and an operand with a view is read
within it only. The memory of a result outside of its view holds anything.
)";

/// What makes sizes fit, changes types, and what statements consist of besides one expression.
constexpr std::string_view rest_of_the_language = R"(
## Repeating and constants

Sizes have to fit; only numbers and scalar expressions fit everywhere. What else is repeated says so.

| expression | elements |
| --- | --- |
| `rowwise_broadcast(v)` | a column vector, in as many columns as its user has |
| `colwise_broadcast(v)` | a row vector, in as many rows |
| `broadcast<Colwise, Rowwise>(x)` | the two above by template arguments; with both a single element everywhere |
| `optional_broadcast<Colwise, Rowwise>(x)`, `rowwise_optional_broadcast(x)`, `colwise_optional_broadcast(x)` | repeated in those of the directions in which `x` has size one, else as it is |
| `constant(s)`, `constant(s, rows, cols)` | a host number everywhere; without sizes, or with -1 as `e.rows()` is of what fits any size, it fits any |
| `rep_matrix`, `rep_vector`, `rep_row_vector` | [above](#structure), with sizes |
| `row_index()`, `col_index()`, `row_index(rows, cols)`, `col_index(rows, cols)` | number of the row, of the column, from 0, as `int`; without sizes, or with -1 for one, they fit any |

An expression all of whose parts fit any size has none of its own: assigning it to a matrix throws
`std::invalid_argument`. Assigned to a part of one it takes the size of that; among several `results(...)`, and within a
reduction there, the size of the others; where all are reductions, that of what the first of them with a size reduces.
`mean`, `variance` and `sd` need an operand with a size: they divide by its number of elements.

A plain number (or `parameter`) among several expressions is no matrix: `results(r, s) = expressions(3.0, A)` makes `r` 1 x 1,
as in Stan Math, and `expressions(constant(3.0), A)` makes it as large as `A`. `results(r, s) += expressions(3.0, A)` adds 3 to
every element of `r`, as `r += 3.0` does; `r` has the size that it had, which has to be that of `A`.

## Types, sharing, derivatives

| expression | |
| --- | --- |
| `cast<T>(x)` | each element converted as by `static_cast`; `bool` is `x != 0`. An integer made of NaN, or of a number that its type does not hold, may be any |
| `is_matrix_cl<M>` | whether a type is a `matrix_cl` |
| `shared(x)` | a handle to `x`: used in several places, it is walked and computed once, and host cost grows with distinct parts only |
| `once(x)` | `x`, of data, computed once: the value stays with the memory of its first matrix until an operand is written to, so that `once(sum(log(y)))` costs an optimiser or sampler one kernel in all. Where derivatives are taken by an operand, it is `x` |
| `stop_gradient(x)` | the values of `x` as data, with derivative 0 |
| `user_function<F>(x, ...)` | [a function of your own](user_functions.md) |
| `opencl_code<text>(std::make_tuple("a", "b"), x, y).output<T>("c")` | what lines of OpenCL C leave in their variable `c`, which is of type `T` or converts to it, for each element; `a` and `b` are those of `x` and `y`. `text` is a `static constexpr char text[] = "double c = 2 * a + b;"` outside of functions. Without a derivative |
| `holder_cl(x, p, ...)`, `make_holder_cl(f, m, ...)` | `x`, the owner of objects made by `new`; `f(m, ...)`, the owner of those of `m, ...` that are rvalues |
| `add(x, y)`, `subtract(x, y)`, `multiply(x, y)`, `divide(x, s)`, `minus(x)` | `x + y`, `x - y`, `x * y`, `x / s`, `-x` under Stan Math's names |

**Numbers have their C++ type.** In `A * 0.1` with a `matrix_cl<float>` the literal is a `double`, so the expression is one of
`double`, as in C++: it is computed in `double`, and refused where the device has none. On a CPU (PoCL) a million elements
of `A * 0.1 + A` then take 1.3 times as long, of `exp(A * 0.1) + A` 4.3 times; GPUs may have far fewer units for `double`.
Write `A * 0.1f`. `explain(e)` names such numbers. Whole numbers (`A * 2`) leave `float` as it is.

## Statements

| statement | |
| --- | --- |
| `m = e`, `m += e`, `m -= e`, `m *= e`, `m /= e` | into a matrix, which takes size and view of `e`, or a part of one ([above](#structure)). `*=` is the product of matrices where `e` is no scalar; `/=` takes scalars only: element by element it is `m = elt_divide(m, e)` |
| `matrix_cl<T> m = e`, `matrix_cl<T> m(e)`, `e.eval()` | into a new one, converted to `T` |
| `results(m, n) = expressions(e, f)`, also `+=`, `-=`, `*=`, `/=` | several results, in as few kernels as possible. Results that are no reductions have one size. Numbers of the host may be among them, `double d; results(d, m) = expressions(sum(a), e)`: one wait brings all of them |
| `calc_if<B>(e)` in either list | `e`, or nothing where `B` is false: the result is dropped at compile time |
| `double x = sum(e)`, `x += sum(e)`, `x -= sum(e)`, `evaluate_scalar(sum(e))` | a scalar expression as a number; waits for it |
| `scalar_cl<T> s = sum(e)`, `m = a * s`, `s += 1.0`, `results(s, m) = expressions(sum(e), f)` | a number that stays on the device: it combines with any size, as a number of the host does, and nothing waits for it; `double x = s`, `if (s > 3.0)` and `to_host(s)` do. `scalar_cl<T>()` is 0, copies are deep, a moved one keeps its value, and a `std::vector` may hold them. To derivatives it is data (a `parameter` is what they are taken by) |
| `to_matrix_cl(h)`, `from_matrix_cl(m)`, `from_matrix_cl<H>(m)`, `copy_cl(m)`, `out << m` | copies from, to, on the device; `H` is an Eigen type (of a row, no column vector), `std::vector<T>` (of a vector) or `T` (of one element); printing |
| `value_and_gradient(e, wrt(m))`, `var`, `var_value<M>` | [gradients](gradients.md) |
| `adjoint_results(v, c) += expressions(e, f)` | adds to adjoints of variables, to that of a number the sum |
| `arena_matrix_cl<T>`, `value_of_rec(x)` | a handle to a matrix; the value of a variable, or of what is none |
| `prepare(...)`, `freeze()` | [building ahead](building_ahead.md) |
| `kernel_cl<...>` | [kernels of your own](kernel_cl.md) |
| `check_cl(f, "y", y, "positive") = y > 0.0` | throws `std::domain_error`, "f: y[3] is -1, but must be positive!", unless the condition holds for every element: the first one column by column, counted from 1; NaN > 0 does not hold; a condition without a size of its own, as a number or `constant(3) > 4`, is that of all elements. Any number of checks stand among `results(...)`, where numbers may be results, too: one wait brings all, and where a check fails the results are what they were. The first one that fails, in the order written, is told, be its condition a number or computed, before a factor of the statement that does not exist; results must be different. `results(check_cl(...), m) += ...` and the like leave conditions as they are |
| `checked(e, check_cl(f, "y", y, "positive", y > 0.0), ...)` | a scalar expression with checks (`checked_expression`), for `double l = checked(...)`, `var l = checked(...)` and `value_and_gradient(checked(...), wrt(x))`: value, derivatives and checks are one statement with one wait. Where one fails it throws as above, and gradients and tape are as they were |
| `check_nan(f, "y", y)`, `check_symmetric(f, "y", y)`, `check_diagonal_zeros(f, "y", y)` | such checks by name (in `<fusion/autodiff.hpp>`), each a statement of its own that the host waits for: of NaN, of elements that differ across the diagonal by more than 1e-8, of zeros along it. `check_square`, `check_vector`, `check_mat_size_one`, `check_mat_not_size_one`, `check_matching_dims`, `check_triangular`, `check_invalid_matrix_view` (`std::invalid_argument`) and `check_column_index` (`std::out_of_range`) look at sizes and views and wait for nothing. `check_pos_definite(f, "y", factor)` (in `<primitives/primitives.hpp>`) is of what `Eigen::LLT` has factored |
| `check_opencl_error(name, e)` | throws `std::system_error` for a `cl::Error` of OpenCL calls of your own |

## Likelihoods

In `<primitives/primitives.hpp>`, which includes the headers of the language and of [gradients](gradients.md): log densities under
Stan Math's names, with its order of arguments and its checks. Each argument is a number (a scalar expression, too, as `mean(v)` or `exp(s)`) or a container (matrix, vector, row
vector or an expression of these; of Eigen or a `std::vector`, too), data or variable (`var`, `var_value<M>`, and those of Eigen and `std::vector`s); integers are taken as they are. The result is a
`double`, or a `var` where an argument is a variable: then the value, the checks and all derivatives are one statement with
one wait. **A density is evaluated where it is called: within `value_and_gradient` it is a number without a derivative**, and
`value_and_gradient(sum(X * b) + normal_lpdf(b, 0.0, 1.0), wrt(b))` has the gradient of the first term alone. There
a prior is written as its formula, `sum(X * b) - 0.5 * dot_self(b)`, or the whole is taken on the tape; a `parameter` as an argument does not compile. Containers have one size (`std::invalid_argument`), where rows and columns are the same; of containers
without elements the density is 0. A value outside of its support throws `std::domain_error` with function, argument, place
(counted from 1) and value. `normal_lpdf<true>(...)` leaves out terms without variables. Differences of
arguments must not overflow, but those of the normal distribution. Regressions of counts beyond 1e9 lose digits of the value, of which
`lgamma(y + 1)` is a term of its own; densities by name do not.

| function | |
| --- | --- |
| `normal_id_glm_lpdf(y, x, alpha, beta, sigma)` | normal about `x * beta + alpha` |
| `bernoulli_logit_glm_lpmf(y, x, alpha, beta)` | 1 with probability `inv_logit(x * beta + alpha)`, else 0 |
| `binomial_logit_glm_lpmf(n, N, x, alpha, beta)` | n of N trials with that probability |
| `poisson_log_glm_lpmf(y, x, alpha, beta)` | counts with mean `exp(x * beta + alpha)` |
| `neg_binomial_2_log_glm_lpmf(y, x, alpha, beta, phi)` | counts with that mean m and variance m + m^2 / phi |
| `categorical_logit_glm_lpmf(y, x, alpha, beta)` | classes 1 to C with probabilities softmax of a row of `x * beta + alpha`; beta is k x C, alpha a vector of C elements |
| `multinomial_logit_glm_lpmf(y, x, alpha, beta)` | counts in C categories, a row of y each, with these probabilities; alpha has C elements or is n x C |
| `ordered_logistic_glm_lpmf(y, x, beta, cuts)` | classes 1 to C between C - 1 increasing cut points on the scale of `x * beta` |

Counts and classes of regressions are whole numbers, in a matrix of `int` or of `double`, and data: of a variable its
`value_of(y)`. In the regressions (`*_glm_*`) x is n x k, or one row that stands for all; the others have n elements or are numbers, beta has k
elements or is one number for all columns. x is read once for the value and every derivative, which are at most two kernels
(four for more than 16 classes, or 128 columns on tensor cores). One copy to the
host brings the value, what the checks found and the derivatives by numbers. Where the sum is not finite, x, alpha and beta are looked at, too, and named if they are not. Where `phi` is large
beside the mean m the derivative with respect to it is a small difference: about log10(phi / m) of its digits are lost.

The densities, with what their arguments have to be (a `support` in the `density_parameter`s of their records in namespace
`density`, whose comments have the formulas). Counts are whole numbers, of `int`, `long`, `unsigned` or `bool`, each a number or a matrix. Where y lies outside of the support of a distribution
and no check forbids it the density is -infinity, and that of all elements, too. At a finite end of the support values and derivatives
are limits from within, be they infinite, unless the density is -infinity: of that no variable gets an adjoint
(`bernoulli_lpmf` and `binomial_lpmf`, where theta is 0 or 1, `categorical_lpmf` and `dirichlet_lpdf` still give theirs). Values and derivatives are compared with
textbook definitions in 60 digits: relative errors are below 1e-12, or a thousand roundings of the arguments. Farther out some derivatives
are small differences: by the shape of `neg_binomial_lpmf` for counts of 1e7 (3e-11) to 1e9 (1e-9), by `phi` of `neg_binomial_2_lpmf` for few counts
beside a mean below 1e-6 (1e-10 and more); where a `beta_binomial_lpmf` is next to 0, as with a shape of 1e-3 beside one of 1e6, its derivative by
the small shape has errors of 1e-16 over that shape; and derivatives of `exp_mod_normal_lcdf` lose digits where it is far below 0.

)";

constexpr std::string_view vector_densities = R"(
Of classes, counted from 1, and of vectors, which are columns or rows, or columns of a matrix with one for each outcome; one
vector stands for all outcomes. Probabilities are nonnegative and sum to 1 within 1e-8. They are compared with definitions as
the others are.

| density | arguments |
| --- | --- |
| `categorical_lpmf(n, theta)` | `n` class or vector of classes, `theta` probabilities of the classes |
| `categorical_logit_lpmf(n, beta)` | `n` class or vector of classes, `beta` finite, softmax of which are the probabilities |
| `ordered_logistic_lpmf(y, lambda, c)` | `y` class or vector of classes, `lambda` finite number or vector, `c` cut points, finite and increasing, one fewer than classes |
| `multinomial_lpmf(ns, theta)` | `ns` whole and nonnegative, `theta` probabilities of the categories |
| `multi_normal_cholesky_lpdf(y, mu, L)` | normal vectors with means `mu`, a number for all of them or a vector, and covariance `L * transpose(L)`, of which the lower triangle of `L` is read |
| `multi_normal_lpdf(y, mu, Sigma)` | the same with covariance `Sigma`, finite, symmetric within 1e-8 and positive definite; the derivative is that by its lower triangle |
| `multi_normal_prec_lpdf(y, mu, Omega)` | the same with the inverse of the covariance |
| `dirichlet_lpdf(theta, alpha)` | `theta` probabilities, `alpha` positive, a number for all of them or a vector |
)";

constexpr std::string_view constraints = R"(
## Constraining transforms

In `<primitives/primitives.hpp>`. From unbounded numbers to a support, as samplers need them; expressions with derivatives by every argument. A further
last argument, a `double`, a `scalar_cl<double>` or a `var`, has the logarithm of the absolute derivative added to it, summed over the elements.
`x` is a matrix or a scalar, bounds, offsets and multipliers are numbers or matrices of the size of `x`.

| transform | value |
| --- | --- |
| `lb_constrain(x, lb)` | `lb + exp(x)`; `x` where `lb` is -infinity |
| `ub_constrain(x, ub)` | `ub - exp(x)`; `x` where `ub` is infinity |
| `lub_constrain(x, lb, ub)` | `lb + (ub - lb) * inv_logit(x)`, and as above where one or both are infinite; `lb` below `ub` |
| `offset_multiplier_constrain(x, mu, sigma)` | `mu + sigma * x`; `mu` finite, `sigma` positive and finite |
| `unit_vector_constrain(x)` | `x / norm(x)`; adds `-0.5 * dot_self(x)` |

What is said of bounds, offsets, multipliers and the norm is checked (`std::domain_error`), for which the host waits once.

## Mixtures and probabilities

`log_mix(theta, lambda)` is `log(sum(theta * exp(lambda)))` of a vector of proportions and one of logarithms of densities, or
the sum of that over the columns of a matrix, without overflow: a number, or a `var`. Proportions are in [0, 1], `lambda` is not NaN.
`log_mix(theta, a, b)` is `log(theta * exp(a) + (1 - theta) * exp(b))`, element by element: an expression, and of numbers a number;
NaN where `theta` is not in [0, 1].
)";

constexpr std::string_view looking_inside = R"(
## Looking inside and counting

| function | |
| --- | --- |
| `explain(e)` | an `explanation`: `graphs` after each pass, `plan`, `kernels` in the order of launches (`explained_kernel`), `bytes_read`, `bytes_written`, `flops`, `predicted_seconds`, `measured_seconds` when it ran last ([`FUSECL_PROFILE`](environment.md#looking-inside)), a `note`; printable; `dot` is a Graphviz picture. Runs nothing but `copy_bandwidth()` |
| `kernel_source(m, e)`, `e.get_kernel_source_for_evaluating_into(m)`, `results(...).get_kernel_source_for_evaluating(expressions(...))` | OpenCL C text of what would evaluate `e` into `m`, without comments |
| `reference(e)` | what the host interpreter computes for `e` |
| `runtime_counters()` | `counters` of the calling thread: `launches`, `host_waits`, `host_reads`, `bytes_to_device`, `bytes_to_host`, `buffers_created`, `buffers_reused`, `programs_built`, `programs_loaded` and others; `after - before` is what came between |
| `pool_statistics()`, `reset_pool_peak()`, `trim()` | [memory](building_ahead.md#memory) |
| `copy_bandwidth()` | bytes a second of a plain copy kernel, measured once a device |
| `opencl_context`, `select_device`, `list_devices()`, `describe(devices)` | [devices](threads.md) |

## Names of views

`matrix_cl_view::Diagonal`, `Lower`, `Upper`, `Entire`. `either(a, b)` is what is in one of two, `both(a, b)` what is in both,
`transpose(a)`, `invert(a)` `Lower` for `Upper` and so on, `contains_nonzero(a, part)` whether a view has a part,
`from_eigen_uplo_type(Eigen::Lower)` Eigen's name as a view, `view_name(a)` its name.

## Errors

Sizes that do not fit are `std::invalid_argument`, places outside `std::out_of_range` (of `block_zero_based` `std::invalid_argument`), both before anything is enqueued.
What device, driver or set-up do wrong derives from `fusecl::error`, which is a `std::runtime_error`:

| exception | when |
| --- | --- |
| `no_device_error` | no device, or none that matches |
| `unsupported_type_error` | `double` on a device without it |
| `out_of_device_memory` | an `opencl_error` |
| `opencl_error` | an OpenCL call failed; `code()` |
| `build_error` | a kernel does not build; `log()`, `source()` |
| `frozen_error` | a kernel would have to be built after `freeze()` |
)";

struct entry {
  std::string_view name, text;
};
/// How operators are written where it is not the OpenCL text.
constexpr entry spellings[] = {
    {"multiply", "`elt_multiply(x, y)`, `x * y` if one is a scalar"},
    {"divide", "`elt_divide(x, y)`, `x / y` if one is a scalar"},
    {"integer_divide", "`elt_divide(x, y)`, `x / y` of integers"},
    {"modulo", "`x % y` of integers"},
    {"select", "`select(c, x, y)`"},
};
/// Names of the operands; x, y, z if not here. The notes of the records use them.
constexpr entry operand_names[] = {{"beta", "ab"},
                                   {"lbeta", "ab"},
                                   {"binomial_coefficient_log", "nk"},
                                   {"polygamma", "nx"},
                                   {"select", "cxy"}};
/// What records have no field for.
constexpr entry remarks[] = {
    {"integer_divide", "Truncated; 0 where the divisor is 0, wrapped where the quotient does not fit."},
    {"modulo", "Remainder of the truncated quotient; 0 where the divisor is 0."},
    {"fmax", "NaN only where both operands are."},
    {"fmin", "NaN only where both operands are."},
    {"multiply_log", "`x * log(y)`, 0 where both operands are 0."},
    {"lmultiply", "The same as `multiply_log`."},
    {"inv_sqrt", "The same as `rsqrt`."},
    {"Phi_approx", "`inv_logit(0.07056 * x * x * x + 1.5976 * x)`."},
    {"max", "NaN propagates. Of nothing: -infinity, of integers the lowest value."},
    {"min", "NaN propagates. Of nothing: infinity, of integers the highest value."},
    {"sum", "Of nothing: 0. What is the same in every row or column is read once and counted."},
    {"prod", "Of nothing: 1."},
    {"log_sum_exp_of_all",
     "`log(sum(exp(x)))` without overflow. Of nothing, and where all are -infinity: -infinity. With a "
     "+infinity: +infinity."},
    {"cumulative_sum",
     "`cumulative_sum(x)` throws for what is no vector. A NaN stays in all that follow it."},
    {"softmax",
     "`exp(x) / sum(exp(x))` without overflow, of the size of `x`. NaN throughout where the largest "
     "element is infinite or one is NaN."},
    {"log_softmax", "`x - log_sum_exp(x)`, also where `x` is far from 0. NaN where `softmax` is."},
    {"mean", "Throws for nothing."},
    {"variance",
     "Divisor n - 1, in two passes where rows stay on the chip; long ones are read once "
     "([decision 17](decisions/0017-accumulated-together.md)). 0 of one element. Throws for nothing."},
    {"sd",
     "`sqrt(variance(x))`; 0 with derivative 0 of one element or of equal ones (stored ones: "
     "[kinks](gradients.md#kinks-and-edges)). Throws for nothing."},
    {"dot_self", "Sum of the squares; of integers their promoted type (`int` of `bool`), which wraps."},
    {"norm", "`sqrt(dot_self(x))` with derivative 0 at 0; also `norm2`."},
    {"norm1", "Sum of the absolute values."},
    {"dot_product",
     "Sum of the products, of the same type as `dot_self`. `dot_product`, `squared_distance` and `distance` "
     "take "
     "vectors that lie "
     "differently, too."},
    {"squared_distance", "`dot_self(x - y)`; integers become double first."},
    {"distance", "`sqrt(squared_distance(x, y))` with derivative 0 at 0."},
};

std::string_view found_in(std::span<const entry> list, std::string_view name,
                          std::string_view otherwise = {}) {
  for (const entry& e : list)
    if (e.name == name) return e.text;
  return otherwise;
}

std::string_view operands(const operation& op) { return found_in(operand_names, op.name, "xyz"); }

/// A formula of a record with names for its operands and its result, as code inside of a table cell.
std::string code(const operation& op, std::string_view formula) {
  std::string text = "`";
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const char c = formula[k];
    if (c == '$') {
      const char which = formula[++k];
      text += which == 'y' ? 'f' : operands(op)[static_cast<std::size_t>(which - '0')];
    } else {
      text += c == '|' ? std::string("\\|") : std::string(1, c);
    }
  }
  return text + "`";
}

std::string call(const operation& op) {
  std::string text = "`" + std::string(op.name) + "(";
  for (std::size_t k = 0; k < op.arity; ++k) text += (k > 0 ? ", " : "") + std::string(1, operands(op)[k]);
  return text + ")`";
}
std::string operator_text(const operation& op) {
  const std::string_view given = found_in(spellings, op.name);
  return given.empty() ? code(op, op.opencl) : std::string(given);
}

std::string_view rule(type_rule types) {
  constexpr std::string_view names[] = {"arithmetic", "floating",  "comparison", "logical",
                                        "classify",   "selection", "scaled"};
  return names[static_cast<int>(types)];
}

std::string accuracy(const operation& op) {
  if (op.types == type_rule::comparison || op.types == type_rule::logical ||
      op.types == type_rule::classify || op.types == type_rule::selection)
    return "exact";
  std::ostringstream text;
  text << op.ulp;
  return text.str();
}

std::string derivatives(const operation& op) {
  std::string text;
  for (int k = 0; k < op.arity; ++k)
    if (!op.partials[k].empty()) text += (text.empty() ? "" : ", ") + code(op, op.partials[k]);
  return text.empty() ? "none" : text;
}

std::string note(const operation& op) {
  std::string text(found_in(remarks, op.name));
  if (!text.empty() && !op.accuracy_note.empty()) text += " ";
  return text + std::string(op.accuracy_note);
}

/// A table of operations; `spelled` writes the first cell.
void write_table(std::ostream& out, std::string_view title, std::string (*spelled)(const operation&),
                 std::initializer_list<const operation*> operations) {
  out << "\n## " << title
      << "\n\n| operation | types | ulp | derivatives | notes |\n| --- | --- | --- | --- | --- |\n";
  for (const operation* op : operations)
    out << "| " << spelled(*op) << " | " << rule(op->types) << " | " << accuracy(*op) << " | "
        << derivatives(*op) << " | " << note(*op) << " |\n";
}

/// "sigma positive" for each argument, and counts as such.
std::string arguments_of(std::span<const density_parameter> parameters) {
  std::string text;
  for (const density_parameter& p : parameters)
    text +=
        (text.empty() ? "`" : ", `") + std::string(p.name) + "` " +
        (p.lies == support::any ? "whole"
                                : (p.is_count ? "whole and " : "") + std::string(detail::must_be(p.lies)));
  return text;
}
std::string call_of(std::string name, std::span<const density_parameter> parameters) {
  for (const density_parameter& p : parameters)
    name += (&p == parameters.data() ? "(" : ", ") + std::string(p.name);
  return "`" + name + ")`";
}

/// The densities and distribution functions, from their table.
void write_densities(std::ostream& out) {
  out << "| density | arguments |\n| --- | --- |\n";
#define FUSECL_ROW(NAME)                                            \
  out << "| " << call_of(#NAME, density::NAME::parameters) << " | " \
      << arguments_of(density::NAME::parameters) << " |\n";
  FUSECL_DENSITIES(FUSECL_ROW)
#undef FUSECL_ROW
  out << vector_densities << constraints;
  out << "\nThe probability of values up to y, its logarithm and that of the probability above, each summed "
         "(`_cdf`:\nmultiplied) over the elements:\n\n| function | arguments |\n| --- | --- |\n";
#define FUSECL_ROW(NAME)                                                                                  \
  out << "| " << call_of(#NAME "_cdf", density::NAME##_lcdf::parameters) << ", `" #NAME "_lcdf`, `" #NAME \
      << "_lccdf` | " << arguments_of(density::NAME##_lcdf::parameters) << " |\n";
  FUSECL_DISTRIBUTIONS(FUSECL_ROW)
#undef FUSECL_ROW
}

constexpr std::string_view statistics = R"(
## Statistics

Made of the operations above, and differentiable as they are. Integers are computed in `double` unless said
otherwise. Where a result would be made of no element, `mean`, `variance` and `sd` throw `std::invalid_argument`.
Stan Math's `rows_dot_product`, `columns_dot_product`, `rows_dot_self` and `columns_dot_self` are here too.

| operation | notes |
| --- | --- |
)";

/// A row of the table above; the element-wise log_sum_exp has the plain name in `remarks`.
void write_statistic(std::ostream& out, const std::string& name, const char* operands) {
  const std::string_view own = found_in(remarks, name + "_of_all");
  out << "| `rowwise_" << name << operands << "`, `colwise_" << name << operands << "`, `" << name << operands
      << "` | " << (own.empty() ? found_in(remarks, name) : own) << " |\n";
}

std::string text_of_page() {
  std::ostringstream out;
  out << introduction;
#define FUSECL_RECORD(NAME) &op::NAME::record(),
  write_table(out, "Operators", operator_text,
              {FUSECL_BINARY_ARITHMETIC(FUSECL_RECORD) FUSECL_RECORD(integer_divide) FUSECL_RECORD(negate)
                   FUSECL_BINARY_COMPARISON(FUSECL_RECORD) FUSECL_BINARY_LOGICAL(FUSECL_RECORD)
                       FUSECL_RECORD(logical_not) FUSECL_RECORD(select)});
  write_table(out, "Elementary functions", call,
              {FUSECL_ELEMENTARY_UNARY(FUSECL_RECORD) FUSECL_ELEMENTARY_ARITHMETIC(FUSECL_RECORD)
                   FUSECL_ELEMENTARY_CLASSIFY(FUSECL_RECORD) FUSECL_ELEMENTARY_BINARY(FUSECL_RECORD)
                       FUSECL_ELEMENTARY_SCALED(FUSECL_RECORD) FUSECL_ELEMENTARY_TERNARY(FUSECL_RECORD)});
  write_table(out, "Special functions", call,
              {FUSECL_SPECIAL_UNARY(FUSECL_RECORD) FUSECL_SPECIAL_BINARY(FUSECL_RECORD)
                   FUSECL_SPECIAL_TERNARY(FUSECL_RECORD)});
#undef FUSECL_RECORD
  out << "\n## Reductions\n\nPer row, per column and of everything. Types follow the arithmetic rule (a sum "
         "of "
         "`int` is an `int` and wraps: `sum(cast<long>(x))`); an error grows at most with the\nnumber of "
         "elements. `any(x)` and `all(x)` tell whether any element, and whether "
         "every element, is not zero, and\n`count(x)` how many are not, as `long`. `max(x)` and `min(x)` are "
         "`max_2d` and "
         "`min_2d`, `sum(x)` and `prod(x)` `sum_2d` and `prod_2d`.\n\n| operation | notes |\n| --- | --- |\n";
#define FUSECL_ROW(NAME)                                                          \
  out << "| `rowwise_" #NAME "(x)`, `colwise_" #NAME "(x)`, `" #NAME "_2d(x)` | " \
      << note(op::NAME::record()) << " |\n";
  FUSECL_REDUCTIONS(FUSECL_ROW)
#undef FUSECL_ROW
  out << "\n## Scans\n\nEach element with all before it in its row or column, or in a vector; of the size of "
         "the "
         "operand. Types follow the\narithmetic rule; an error grows at most with the number of elements "
         "before. "
         "The derivative is the same scan from\nthe other end.\n\n| operation | notes |\n| --- | --- |\n";
#define FUSECL_ROW(NAME)                                                                                   \
  out << "| `rowwise_" #NAME "(x)`, `colwise_" #NAME "(x)`, `" #NAME "(x)` | " << note(op::NAME::record()) \
      << " |\n";
  FUSECL_SCANS(FUSECL_ROW)
#undef FUSECL_ROW
  out << statistics;
#define FUSECL_ROW(NAME) write_statistic(out, #NAME, "(x)");
  FUSECL_STATISTICS(FUSECL_ROW)
#undef FUSECL_ROW
#define FUSECL_ROW(NAME) write_statistic(out, #NAME, "(x, y)");
  FUSECL_PAIR_STATISTICS(FUSECL_ROW)
#undef FUSECL_ROW
  out << structure << rest_of_the_language;
  write_densities(out);
  out << looking_inside;
  return out.str();
}

std::string text_of_file() {
  std::ifstream file(page);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OperationsPage, IsCurrent) {
  const std::string text = text_of_page();
  if (std::getenv("FUSECL_UPDATE_DOCS") != nullptr) {
    std::ofstream(page) << text;
    GTEST_SKIP() << "wrote " << page;
  }
  EXPECT_EQ(text_of_file(), text) << "run this test once with FUSECL_UPDATE_DOCS=1";
}

TEST(OperationsPage, HasEveryOperation) {
  const std::string text = text_of_page();
  std::size_t rows = 0;
  const std::size_t end = text.find(structure);
  for (std::size_t at = text.find("\n| `"); at < end && at != std::string::npos;
       at = text.find("\n| `", at + 1))
    ++rows;
  std::size_t statistics = 0;
#define FUSECL_COUNT(NAME) ++statistics;
  FUSECL_STATISTICS(FUSECL_COUNT)
  FUSECL_PAIR_STATISTICS(FUSECL_COUNT)
#undef FUSECL_COUNT
  EXPECT_EQ(rows, ops::registry().size() + statistics);
}

}  // namespace
}  // namespace fusecl
