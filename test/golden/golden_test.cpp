// Golden kernels: the OpenCL C of typical statements for a GPU and a CPU, kept as files for people to read
// and for refactorings to leave alone. FUSECL_UPDATE_GOLDEN=1 rewrites them. No device is needed.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>
#include <fusion/ops/registry.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct turned_pairs {
  static constexpr std::string_view name = "turned_pairs";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(leaf_size, leaf_size a) { return a.cols / 2; }
  static constexpr std::string_view body = R"(
    for (long i = 0; i < rows; ++i) {
      result(i, 2 * task, a(i, 2 * task + 1));
      result(i, 2 * task + 1, a(i, 2 * task));
    })";
};
struct unit_columns {
  static constexpr std::string_view name = "unit_columns";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;
  static constexpr int work_items = 16;
  static std::int64_t tasks(leaf_size result, leaf_size) { return result.cols; }
  static constexpr leaf_macro macros[] = {{"ITEMS", 16}};
  static constexpr std::string_view body = R"(
    local real parts[ITEMS];
    real sum = 0.0;
    for (long i = lane; i < a_rows; i += ITEMS) sum += a(i, task) * a(i, task);
    parts[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0;
    for (int k = 0; k < ITEMS; ++k) sum += parts[k];
    for (long i = lane; i < rows; i += ITEMS) result(i, task, a(i, task) / sqrt(sum));)";
};

const schedule::device_shape gpu{schedule::device_form::gpu, 132, 256, 16};
const schedule::device_shape& sm90 = h200;
const schedule::device_shape cpu{schedule::device_form::cpu, 8, 1, 32, 16, false, true};

fs::path golden_folder() { return fs::path(FUSECL_TEST_DIR) / "golden"; }

/// Text of every step of a graph that has been through the passes.
std::vector<std::string> emitted(ir::graph g, const list_of<std::int64_t>& extents,
                                 const schedule::device_shape& device,
                                 schedule::row_tiles tiles = schedule::row_tiles::no,
                                 bool joins_sums = false) {
  const schedule::plan p =
      schedule::make_plan(std::move(g), device.form, extents.data(), extents.size(), tiles, joins_sums);
  std::vector<std::string> steps;
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const schedule::step& s = p.steps[k];
    const schedule::geometry shape =
        kinds::shape({p, s, device, extents, schedule::widest(p, s, device), true, true});
    steps.push_back(kinds::emit(p, k, shape).source);
  }
  return steps;
}

/// A statement by name, as a function that lowers it.
struct golden {
  const char* name;
  lowered_statement (*lower)();
  schedule::row_tiles tiles = schedule::row_tiles::no;
  bool joins_sums = false;
};

// Sizes: 71 x 33 is ragged in every way, 4096 x 64 is whole vectors, the others need partial results.
const placeholder<double> A(0, 71, 33), B(1, 71, 33), C(2, 71, 33);
const placeholder<float> F(3, 4096, 64), G(4, 4096, 64);
const placeholder<int> I(5, 71, 33), K(6, 71, 33);
const placeholder<double> row(7, 1, 33), column(8, 71, 1);
const placeholder<double> large(9, 1000, 1000), wide(10, 100, 100000), tall(11, 100000, 10);
const placeholder<double> square10(31, 10, 10), square71(39, 71, 71);
const placeholder<double> lower_part(12, 33, 33, matrix_cl_view::Lower),
    upper_part(13, 33, 33, matrix_cl_view::Upper), square_part(26, 33, 33);
const placeholder<float> F33(32, 33, 33);
const placeholder<double> y(14, 569, 1), eta(15, 569, 1);
const placeholder<double> very_tall(16, 1000000, 10), long_column(17, 1000000, 1), long_row(40, 1, 1000000),
    three_rows(41, 3, 100000);
const placeholder<double> huge(18, 70001, 40000), huge_row(19, 1, 40000), huge_tall(20, 1000000, 3000);
const placeholder<double> large_upper(35, 1000, 1000, matrix_cl_view::Upper);
const placeholder<double> column1000(36, 1000, 1);
const placeholder<double> square1536(38, 1536, 1536);
const placeholder<float> float_column33(39, 33, 1);
const placeholder<double> turned(23, 33, 71), large_part(24, 1000, 33);
const placeholder<float> G64(25, 64, 4096);
const placeholder<float> float_column(21, 71, 1), F71(22, 71, 33);
const placeholder<float> F7(26, 7, 1000), row_of_F7(27, 1, 1000), column_of_F7(28, 7, 1);
const placeholder<double> design(32, 100000, 100), weights(33, 100, 1), counts(34, 100000, 1),
    wide_design(42, 10000, 5000), wide_weights(43, 5000, 1), wide_counts(44, 10000, 1),
    weights_of_two(37, 100, 2), weights_of_ten(38, 10, 1), weights_of_three(41, 100, 3),
    design_of_few(42, 100000, 32), weights_of_few(43, 32, 3);
const placeholder<double> D5(29, 5, 1000, matrix_cl_view::Lower), column_of_D5(30, 5, 1);
const placeholder<double> batch32(0, 32, 320000), other32(1, 32, 320000), batch64(2, 64, 640000),
    sides64(3, 64, 30000), batch7x3(4, 7, 120), batch5x7(5, 5, 280);
const placeholder<float> batch5(6, 5, 500);

/// Sums and derivatives of rows that join three predictors.
lowered_statement classes_of(const placeholder<double>& x, const placeholder<double>& by) {
  const auto first = shared(exp(x * fusecl::col(by, 1))), second = shared(exp(x * fusecl::col(by, 2))),
             third = shared(exp(x * fusecl::col(by, 3)));
  const auto all = shared(first + second + third);
  return lowered(sum(elt_multiply(counts, log(all))), transpose(x) * elt_divide(first, all),
                 transpose(x) * elt_divide(second, all), transpose(x) * elt_divide(third, all),
                 sum(elt_divide(first, all)));
}

const golden statements[] = {
    {"elementwise", [] { return lowered(exp(A) * 2.0 + elt_divide(B, C)); }},
    {"elementwise_float", [] { return lowered(fmax(F, 0.25f) - elt_multiply(G, G) * 3.0f); }},
    {"integers", [] { return lowered(I % K + elt_multiply(elt_divide(I, 7), K)); }},
    {"mixed_types", [] { return lowered(cast<double>(F) + cast<int>(G) / 2, F > G && !isnan(F)); }},
    {"sum_of_long_branches",
     [] { return lowered(sum(select(A > B, square(lbeta(A, B)) + lbeta(A, B), B))); }},
    {"selection", [] { return lowered(select(A > B && C != 0.0, sqrt(A), -B)); }},
    {"three_results_and_a_sum", [] { return lowered(A + B, A - B, exp(elt_multiply(A, C)), sum(A + C)); }},
    {"residuals_and_their_squares", [] { return lowered(A - B, sum(elt_multiply(A - B, A - B))); }},
    {"views", [] { return lowered(lower_part + upper_part * 0.5); }},
    {"triangle", [] { return lowered(elt_multiply(lower_part, square_part)); }},
    {"triangle_in_a_sum", [] { return lowered(square_part + elt_multiply(lower_part, square_part)); }},
    {"sum_of_a_triangle", [] { return lowered(sum(elt_multiply(lower_part, square_part))); }},
    {"row_maxima_of_a_triangle", [] { return lowered(rowwise_max(upper_part)); }},
    {"column_sums_of_a_triangle", [] { return lowered(colwise_sum(elt_multiply(upper_part, square_part))); }},
    {"transpose_of_a_triangle", [] { return lowered(transpose(lower_part)); }},
    {"broadcasts", [] { return lowered(elt_divide(A - colwise_broadcast(row), rowwise_broadcast(column))); }},
    {"broadcasts_over_few_rows",
     [] { return lowered(elt_divide(F7 - colwise_broadcast(row_of_F7), rowwise_broadcast(column_of_F7))); }},
    {"broadcast_over_few_rows_of_a_triangle",
     [] { return lowered(D5 + rowwise_broadcast(column_of_D5) - cast<double>(col_index())); }},
    {"broadcast_over_many_rows", [] { return lowered(very_tall - rowwise_broadcast(long_column)); }},
    {"broadcast_of_floats", [] { return lowered(F71 + rowwise_broadcast(float_column)); }},
    {"broadcast_beyond_31_bits", [] { return lowered(huge + colwise_broadcast(huge_row)); }},
    {"broadcast_over_many_rows_beyond_31_bits",
     [] { return lowered(huge_tall - rowwise_broadcast(long_column)); }},
    {"centred_squares", [] { return lowered(sum(square(large - sum(large) / 1e6)) / 2.0 - sum(row)); }},
    {"transpose", [] { return lowered(A + transpose(turned)); }},
    {"transpose_of_whole_vectors", [] { return lowered(transpose(G64) * 2.0f); }},
    {"blocks", [] { return lowered(block_zero_based(large, 3, 4, 71, 33) + exp(B)); }},
    {"blocks_of_whole_vectors", [] { return lowered(block_zero_based(F, 5, 6, 1024, 32) + 1.0f); }},
    {"block_of_a_triangle", [] { return lowered(block_zero_based(lower_part, 2, 2, 8, 8)); }},
    {"diagonal_and_reverse", [] { return lowered(diagonal(lower_part) + reverse(col(upper_part, 3))); }},
    {"repeated_row", [] { return lowered(A + colwise_broadcast(fusecl::row(large_part, 2))); }},
    {"sums_of_a_transpose", [] { return lowered(rowwise_sum(transpose(A))); }},
    {"indices", [] { return lowered(select(row_index() == col_index(), A + 1.0, A)); }},
    {"sum", [] { return lowered(sum(A)); }},
    {"sum_of_many", [] { return lowered(sqrt(sum(square(large))) / 2.0); }},
    {"row_sums", [] { return lowered(rowwise_sum(A)); }},
    {"row_maxima_of_many_columns", [] { return lowered(rowwise_max(wide)); }},
    {"sum_of_a_long_row", [] { return lowered(rowwise_sum(elt_multiply(long_row, long_row)) - 1.0); }},
    {"sums_of_few_long_rows",
     [] { return lowered(rowwise_sum(elt_multiply(F7, colwise_broadcast(row_of_F7))) + column_of_F7); }},
    {"deviations_of_few_long_rows", [] { return lowered(rowwise_sd(three_rows)); }},
    {"column_means", [] { return lowered(colwise_sum(A) / 71.0 - row); }},
    {"log_sums_of_short_columns",
     [] {
       const auto largest = shared(colwise_max(F7));
       return lowered(log(colwise_sum(exp(F7 - rowwise_broadcast(column_of_F7)))) + largest - row_of_F7);
     }},
    {"deviations_of_columns", [] { return lowered(colwise_sd(A)); }},
    {"deviations_of_short_columns", [] { return lowered(colwise_sd(F7)); }},
    {"column_sums_of_many_rows", [] { return lowered(colwise_sum(square(tall))); }},
    {"centred", [] { return lowered(A - sum(A) / 2343.0); }},
    {"softmax",
     [] {
       const auto e = shared(exp(A - rowwise_broadcast(rowwise_max(A))));
       return lowered(elt_divide(e, rowwise_broadcast(rowwise_sum(e))));
     }},
    {"scan_of_columns", [] { return lowered(exp(colwise_cumulative_sum(A)) - B); }},
    {"scan_of_rows", [] { return lowered(rowwise_cumulative_sum(A + B)); }},
    {"scan_of_a_long_vector", [] { return lowered(cumulative_sum(long_column)); }},
    {"scan_of_many_columns", [] { return lowered(rowwise_cumulative_sum(wide)); }},
    {"product", [] { return lowered(A * turned); }},
    {"product_of_many_terms", [] { return lowered(exp(transpose(tall) * tall) - square10); }},
    {"product_with_a_column", [] { return lowered(exp(large * column1000)); }},
    {"product_that_shares_last_tiles", [] { return lowered(exp(square1536 * square1536)); }},
    {"product_of_odd_transposes", [] { return lowered(transpose(A) * transpose(turned) + 1.0); }},
    {"product_with_own_transpose", [] { return lowered(A * transpose(A) + 1.0); }},
    {"product_of_triangles", [] { return lowered(lower_part * lower_part); }},
    {"product_with_triangle", [] { return lowered(transpose(A) - transpose(lower_part) * transpose(A)); }},
    {"product_plus_a_matrix", [] { return lowered(exp(A * turned + square71)); }},
    {"product_in_sums",
     [] {
       const auto p = shared(A * turned);
       return lowered(exp(p), sum(square(p - square71)) / 2.0, max_2d(p));
     },
     schedule::row_tiles::no, true},
    {"product_of_floats_in_a_sum", [] { return lowered(sum(exp(F71 * transpose(F71)))); },
     schedule::row_tiles::no, true},
    {"product_in_sums_of_rows",
     [] {
       const auto p = shared(A * turned);
       return lowered(rowwise_sum(square(p - square71)), rowwise_max(p));
     },
     schedule::row_tiles::no, true},
    {"product_of_floats_in_sums_of_columns", [] { return lowered(colwise_sum(exp(F71 * F33)) / 71.0f); },
     schedule::row_tiles::no, true},
    {"product_with_diagonal", [] { return lowered(diag_matrix(column) * A); }},
    {"product_of_transposed_floats", [] { return lowered(exp(transpose(F) * transpose(G64)) - 1.0f); }},
    {"poisson_regression",
     [] {
       const auto log_mean = shared(design * weights);
       return lowered(sum(elt_multiply(counts, log_mean) - exp(log_mean) - lgamma(counts + 1.0)),
                      transpose(design) * (counts - exp(log_mean)));
     },
     schedule::row_tiles::yes},
    {"logistic_regression_of_few_columns",
     [] {
       const auto eta = shared(tall * weights_of_ten);
       return lowered(sum(elt_multiply(counts, eta) - log1p_exp(eta)),
                      transpose(tall) * (counts - inv_logit(eta)));
     },
     schedule::row_tiles::yes},
    {"logistic_regression_of_many_columns",
     [] {
       const auto eta = shared(wide_design * wide_weights);
       return lowered(sum(elt_multiply(wide_counts, eta) - log1p_exp(eta)),
                      transpose(wide_design) * (wide_counts - inv_logit(eta)));
     },
     schedule::row_tiles::yes},
    {"regressions_of_two_columns",
     [] {
       const auto first = shared(design * fusecl::col(weights_of_two, 1)),
                  second = shared(design * fusecl::col(weights_of_two, 2));
       return lowered(
           sum(elt_multiply(counts, first) - exp(first)), transpose(design) * (counts - exp(first)),
           sum(elt_multiply(counts, second) - exp(second)), transpose(design) * (counts - exp(second)));
     },
     schedule::row_tiles::yes},
    {"rows_of_a_long_function",
     [] {
       const auto eta = shared(design * fusecl::col(weights_of_two, 1));
       const auto slope = counts - inv_logit(eta) + exp(-square(eta));
       return lowered(sum(elt_multiply(counts, eta) - log1p_exp(eta) - lgamma(counts + 1.0)),
                      transpose(design) * slope);
     },
     schedule::row_tiles::yes},
    {"rows_of_three_classes", [] { return classes_of(design, weights_of_three); }, schedule::row_tiles::yes},
    {"rows_of_three_classes_of_few_columns", [] { return classes_of(design_of_few, weights_of_few); },
     schedule::row_tiles::yes},
    {"cholesky_factor", [] { return lowered(exp(cholesky_decompose(square10))); }},
    {"cholesky_panels", [] { return lowered(exp(cholesky_decompose(square_part))); }},
    {"cholesky_panels_of_an_inverse",
     [] {
       lowered_statement s = lowered(exp(transpose(mdivide_left_tri_low(cholesky_decompose(square_part)))));
       s.graph = passes::join_factors(passes::run_pipeline(s.graph));
       return s;
     }},
    {"triangular_system_of_floats", [] { return lowered(mdivide_left_tri_low(F33, F33)); }},
    {"triangular_inverse", [] { return lowered(tri_inverse(upper_part) * 2.0); }},
    {"leaf", [] { return lowered(exp(user_leaf<turned_pairs>(A + 2.0 * B)) - B); }},
    {"leaf_of_groups", [] { return lowered(user_leaf<unit_columns>(F71 * 0.5f)); }},
    {"batched_products", [] { return lowered(batched_multiply(batch32, 0.5 * other32, 10000)); }},
    {"batched_products_of_odd_transposes",
     [] { return lowered(exp(batched_multiply(transpose_each(batch7x3), transpose_each(batch5x7), 40))); }},
    {"batched_cholesky", [] { return lowered(batched_cholesky_decompose(batch64)); }},
    {"batched_cholesky_of_floats", [] { return lowered(exp(batched_cholesky_decompose(batch5))); }},
    {"batched_systems",
     [] { return lowered(batched_mdivide_left_tri_low(transpose_each(batch64), sides64)); }},
    {"batched_inverses", [] { return lowered(batched_tri_inverse(batch5) * 2.0f); }},
    {"triangular_system_of_blocks", [] { return lowered(mdivide_left_tri_low(large, large) * 2.0); }},
    {"triangular_system_with_a_side_of_blocks",
     [] { return lowered(transpose(mdivide_left_tri_low(large, column1000))); }},
    {"turned_system_of_floats_with_a_side_of_blocks",
     [] { return lowered(mdivide_left_tri<matrix_cl_view::Upper>(transpose(F33), float_column33) * 0.5f); }},
    {"triangular_inverse_of_blocks", [] { return lowered(tri_inverse(large_upper) * 2.0); }},
    {"quotients_in_a_sum",
     [] {
       return lowered(sum(elt_multiply(log(long_column), (long_column - 0.5) / 1.3) -
                          1.0 / long_column / 1.3 + long_column / 4.0));
     }},
    {"logistic_log_density", [] { return lowered(sum(elt_multiply(y, eta) - log(1.0 + exp(eta)))); }},
};

struct golden_file {
  std::string name;
  std::string text;
};

std::vector<golden_file> generated() {
  std::vector<golden_file> files;
  const auto add = [&](const golden& g, const schedule::device_shape& device, const char* form) {
    const lowered_statement s = g.lower();
    const std::vector<std::string> steps =
        emitted(passes::run_pipeline(s.graph), s.extents(), device, g.tiles, g.joins_sums);
    for (std::size_t k = 0; k < steps.size(); ++k)
      files.push_back(
          {g.name + std::string(form) + (steps.size() > 1 ? "." + std::to_string(k) : "") + ".cl", steps[k]});
  };
  for (const golden& g : statements) {
    add(g, gpu, ".gpu");
    const std::string_view name = g.name;
    if (!name.ends_with("of_an_inverse") && !name.starts_with("turned")) add(g, cpu, ".cpu");
    if (name.starts_with("product") || name.starts_with("cholesky_panels") || name.ends_with("of_blocks") ||
        name == "sum_of_many" || name == "quotients_in_a_sum" || name.starts_with("logistic_regression") ||
        name.starts_with("rows_of_"))
      add(g, sm90, ".sm90");
  }
  return files;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool updating() {
  const char* value = std::getenv("FUSECL_UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

TEST(Golden, KernelsAreThoseOnRecord) {
  for (const golden_file& file : generated()) {
    const fs::path path = golden_folder() / file.name;
    if (updating()) std::ofstream(path) << file.text;
    ASSERT_TRUE(fs::exists(path)) << path << " is missing; FUSECL_UPDATE_GOLDEN=1 writes it";
    EXPECT_EQ(contents(path), file.text) << path << "; FUSECL_UPDATE_GOLDEN=1 accepts the new text";
  }
}

TEST(Golden, EveryFileBelongsToAStatement) {
  std::set<std::string> known;
  for (const golden_file& file : generated()) known.insert(file.name);
  for (const auto& entry : fs::directory_iterator(golden_folder())) {
    if (entry.path().extension() != ".cl" || known.contains(entry.path().filename().string())) continue;
    if (updating())
      fs::remove(entry.path());
    else
      ADD_FAILURE() << entry.path() << " belongs to no statement; FUSECL_UPDATE_GOLDEN=1 removes it";
  }
}

TEST(Golden, TheSameStatementGivesTheSameText) {
  const std::vector<golden_file> once = generated(), again = generated();
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t k = 0; k < once.size(); ++k) EXPECT_EQ(once[k].text, again[k].text);
}

TEST(Golden, LinesAreIndented) {
  for (const golden_file& file : generated()) {
    std::istringstream lines(file.text);
    std::int64_t depth = 0;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find_last_not_of(' ') + 1, line.size()) << file.name << ": " << line;
      if (line.empty() || line[0] == '#') continue;
      const std::size_t indent = line.find_first_not_of(' ');
      const bool closes = line[indent] == '}';
      EXPECT_GE(static_cast<std::int64_t>(indent), 2 * (depth - closes)) << file.name << ": " << line;
      depth += std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
    }
    EXPECT_EQ(depth, 0) << file.name;
  }
}

/// Whether clang, if there is one, accepts these files as OpenCL C 1.2. Functions for all types compare
/// integers with themselves where they look for NaN.
void expect_clang_accepts(const std::string& files, const char* target = "spir64") {
  if (std::system("command -v clang >/dev/null 2>&1") != 0) GTEST_SKIP() << "clang is not installed";
  const std::string command = std::string("clang -x cl -cl-std=CL1.2 --target=") + target +
                              " -fsyntax-only -Wall -Werror -Wno-tautological-compare "
                              "-Xclang -finclude-default-header -Dasm=__asm__ " +
                              files;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

/// How often a text asks for loops to be unrolled, and for loops not to be.
std::pair<int, int> unrolled_loops(const std::vector<std::string>& steps) {
  int yes = 0, no = 0;
  for (const std::string& text : steps) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      (line == "#pragma unroll 1" ? no : yes) += line.starts_with("#pragma unroll");
  }
  return {yes, no};
}

TEST(Emission, LoopsOfLongFormulasAreNotUnrolled) {
  const auto of = [](const lowered_statement& s) {
    return unrolled_loops(emitted(passes::run_pipeline(s.graph), s.extents(), gpu));
  };
  const auto costly = [](const auto& a) {
    return elt_multiply(elt_multiply(lgamma(a), digamma(a)), elt_multiply(lgamma(1.0 + a), digamma(1.0 + a)));
  };
  const auto very_costly = [&](const auto& a) {
    return elt_multiply(elt_multiply(costly(a), costly(2.0 + a)),
                        elt_multiply(costly(4.0 + a), costly(6.0 + a)));
  };
  // sums
  EXPECT_EQ(of(lowered(sum(costly(large)))).second, 0);
  EXPECT_GT(of(lowered(sum(very_costly(large)))).second, 0);
  // rows that stay in registers
  const auto softmax_of = [](const auto& e) { return elt_divide(e, rowwise_broadcast(rowwise_sum(e))); };
  EXPECT_EQ(of(lowered(softmax_of(shared(exp(A))))).second, 0);
  EXPECT_GT(of(lowered(softmax_of(shared(exp(A))))).first, 0);
  EXPECT_GT(of(lowered(softmax_of(shared(very_costly(A))))).second, 0);
  // scans
  EXPECT_EQ(of(lowered(rowwise_cumulative_sum(exp(A)))).second, 0);
  EXPECT_GT(of(lowered(rowwise_cumulative_sum(very_costly(A)))).second, 0);
}

/// How often each of these is in the text of the steps.
std::vector<int> count_texts(const std::vector<std::string>& steps, const std::vector<const char*>& wanted) {
  std::vector<int> found;
  for (const char* text : wanted) {
    int times = 0;
    for (const std::string& step : steps)
      for (std::size_t at = step.find(text); at != std::string::npos; at = step.find(text, at + 1)) ++times;
    found.push_back(times);
  }
  return found;
}

// A column of ones adds up what rows give; a second sum of the same value is added as others are.
TEST(Emission, SumsOfOneValueOfRowsTakeOneColumn) {
  const auto first = shared(exp(design * fusecl::col(weights_of_three, 1))),
             second = shared(exp(design * fusecl::col(weights_of_three, 2))),
             third = shared(exp(design * fusecl::col(weights_of_three, 3)));
  const auto share = shared(elt_divide(first, first + second + third));
  const lowered_statement s = lowered(transpose(design) * share, sum(share), colwise_sum(share));
  const std::vector<std::string> steps =
      emitted(passes::run_pipeline(s.graph), s.extents(), sm90, schedule::row_tiles::yes);
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(count_texts(steps, {"multiply_unit(along[0]", "j == cols0"}), (std::vector{1, 1}));
}

// Loops that compute much and store load the operands of the next element first; others have enough
// work-items, or rounds side by side.
TEST(Emission, HeavyLoopsWithStoresLoadAhead) {
  const auto of = [](const lowered_statement& s, const schedule::device_shape& device) {
    return count_texts(emitted(passes::run_pipeline(s.graph), s.extents(), device), {"x0_next", "x1_next"});
  };
  const auto stored = [] { return lowered(log(elt_multiply(A, B)), sum(exp(A))); };
  EXPECT_EQ(of(stored(), gpu), (std::vector{3, 3}));
  EXPECT_EQ(of(stored(), cpu), (std::vector{0, 0}));
  EXPECT_EQ(of(lowered(sum(exp(A) + B)), gpu), (std::vector{0, 0}));
  EXPECT_EQ(of(lowered(A + B, sum(A)), gpu), (std::vector{0, 0}));
}

// What is one number for all elements and takes long is computed before the loop.
TEST(Emission, FunctionsOfNumbersStandBeforeLoops) {
  const auto numbers = shared(log(sum(column)));
  const lowered_statement s = lowered(A + numbers);
  const std::vector<std::string> steps = emitted(passes::run_pipeline(s.graph), s.extents(), gpu);
  EXPECT_EQ(count_texts(steps, {"const double u0 = log("}), (std::vector{1})) << steps.back();
}

// Sums and products of signed numbers wrap: compilers take it that those of OpenCL C do not overflow.
TEST(Emission, ReductionsOfSignedNumbersAreMadeUnsigned) {
  const auto whole = cast<int>(A);
  for (const schedule::device_shape& device : {cpu, gpu})
    for (const lowered_statement& s :
         {lowered(sum(whole)), lowered(colwise_sum(whole)), lowered(prod(whole))}) {
      const std::string text = emitted(passes::run_pipeline(s.graph), s.extents(), device).at(0);
      EXPECT_TRUE(text.find("(uint)") != std::string::npos || text.find("(ulong)") != std::string::npos)
          << text;
    }
}

// Parts of rows and columns take little memory, and a tile has elements of its own rows and columns alone.
TEST(Emission, LinesOfProductsAreJoinedWhereTheirPartsAreFew) {
  const auto joins = [](const lowered_statement& s, const schedule::device_shape& device) {
    const list_of<std::int64_t> extents = s.extents();
    const schedule::plan p = schedule::make_plan(passes::run_pipeline(s.graph), device.form, extents.data(),
                                                 extents.size(), schedule::row_tiles::no, true);
    const schedule::step& own = p.steps[0];
    EXPECT_FALSE(own.sums.empty());
    return kinds::shape({p, own, device, extents, schedule::widest(p, own, device), true, true}).groups > 0;
  };
  const placeholder<double> huge_square(40, 40000, 40000);
  for (const schedule::device_shape& device : {cpu, gpu, sm90}) {
    EXPECT_TRUE(joins(lowered(rowwise_sum(A * turned)), device));
    EXPECT_TRUE(joins(lowered(sum(huge * huge_square)), device));
    EXPECT_FALSE(joins(lowered(rowwise_sum(huge * huge_square)), device));
    EXPECT_FALSE(joins(lowered(colwise_max(huge * huge_square)), device));
    EXPECT_FALSE(joins(lowered(rowwise_sum(exp(A * transpose(A)))), device));
  }
}

// Terms of rows alone are added before the tiles where few work-items have a row, wherever they stand in a
// sum.
TEST(Emission, HeavyTermsOfRowsAloneAreAddedBeforeTheTiles) {
  const auto log_mean = shared(design * weights);
  const auto of = [&](const auto&... results) {
    const lowered_statement s = lowered(results..., transpose(design) * (counts - exp(log_mean)));
    const std::string text =
        emitted(passes::run_pipeline(s.graph), s.extents(), gpu, schedule::row_tiles::yes).at(0);
    const std::size_t tiles = text.find("for (long tile");
    EXPECT_NE(tiles, std::string::npos);
    return std::pair(text.find("// terms of rows alone") != std::string::npos,
                     text.find("log_gamma_", tiles) != std::string::npos);
  };
  using apart_and_within = std::pair<bool, bool>;
  const auto costly = shared(lgamma(counts + 1.0));
  EXPECT_EQ(of(sum(elt_multiply(counts, log_mean) - (exp(log_mean) + costly))),
            apart_and_within(true, false));
  // needed within the tile as well, cheap, or made of what columns give
  EXPECT_EQ(of(sum(elt_multiply(counts, log_mean) - costly), sum(elt_multiply(costly, log_mean))),
            apart_and_within(false, true));
  EXPECT_EQ(of(sum(elt_multiply(counts, log_mean) - square(counts))), apart_and_within(false, false));
  EXPECT_EQ(of(sum(lgamma(1.0 + exp(log_mean)))), apart_and_within(false, true));
}

TEST(Golden, ClangAcceptsEveryFile) {
  std::string files, with_ptx;
  for (const golden_file& file : generated())
    (file.text.find("asm volatile") != std::string::npos ? with_ptx : files) +=
        "'" + (golden_folder() / file.name).string() + "' ";
  expect_clang_accepts(files);
  expect_clang_accepts(with_ptx, "nvptx64");
}

/// A graph whose results are all element-wise operations, of one operand type.
ir::graph all_operations(scalar_type type) {
  ir::graph g;
  const ir::node_id x = g.matrix(type, 0, 0, 1, matrix_cl_view::Entire),
                    z = g.matrix(type, 1, 0, 1, matrix_cl_view::Entire);
  for (const ir::operation* op : ops::registry()) {
    const bool integers_only = op == &op::integer_divide::record() || op == &op::modulo::record();
    if (op->kind != ir::op_class::elementwise || (integers_only && is_floating(type))) continue;
    const ir::node_id operands[] = {x, z, x};
    g.roots.push_back(g.apply(*op, operands));
  }
  for (const ir::operation* op : ops::registry())
    if (op->kind == ir::op_class::reduction) g.roots.push_back(g.reduce(*op, ir::axis::all, x));
  return g;
}

TEST(Golden, ClangAcceptsEveryOperationOfEveryType) {
  std::string files;
  for (scalar_type type : all_scalar_types)
    for (const schedule::device_shape* device : {&gpu, &cpu}) {
      const std::string text = emitted(all_operations(type), {71, 71}, *device).at(0);
      const fs::path path =
          fs::path(::testing::TempDir()) /
          ("fusecl_operations_" + std::string(cpp_name(type)) + (device == &gpu ? "_gpu.cl" : "_cpu.cl"));
      std::ofstream(path) << text;
      files += "'" + path.string() + "' ";
    }
  expect_clang_accepts(files);
}

}  // namespace
}  // namespace fusecl
