// Products on the tensor cores of NVIDIA's GPUs, computed on the host: the text of the kernel is made C++ and
// run by work-items that take turns (on_host/warps.hpp). Elements are small whole numbers, so that results
// are exact.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>

#include <fusion/fusion.hpp>
#include <fusion/kinds/copied_product_shape.hpp>
#include <fusion/kinds/tensor_tile.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// The body of a function whose name begins so is replaced by `body`.
std::string with_body(const std::string& text, const std::string& name, const std::string& body) {
  return std::regex_replace(text, std::regex("(void " + name + "\\w*\\([^)]*\\) \\{)[\\s\\S]*?\\n\\}\\n"),
                            "$1 " + body + " }\n");
}

/// The kernel as C++: pointers to local memory are pointers, and variables there are those of the group.
/// `late`: slices that are waited for later than the kernel asks.
std::string as_cpp(std::string text, int late) {
  text = with_body(text, "copy_1", "on_host::copy_async(to, from, bytes, 8);");
  text = with_body(text, "copy_2", "on_host::copy_async(to, from, bytes, 16);");
  text = with_body(text, "bring_to_cache", "");
  text = with_body(text, "end_of_slice", "on_host::end_of_slice();");
  text = with_body(text, "multiply_unit", "on_host::multiply_unit(c, a0, a1, b);");
  std::smatch pending;
  if (std::regex_search(text, pending, std::regex("wait_group (\\d+)")))
    text = with_body(text, "wait_for_slices",
                     "on_host::wait_for_slices(" + std::to_string(std::stoi(pending[1]) + late) + ");");
  text = std::regex_replace(text, std::regex("local ((const )?\\w+( const)?\\*)"), "$1");
  text = std::regex_replace(text, std::regex("\\blocal "), "static ");
  text = std::regex_replace(
      text, std::regex("#pragma[^\\n]*|__attribute__\\(\\([^()]*(\\([^()]*\\))?[^()]*\\)\\)"), "");
  text = std::regex_replace(text, std::regex("\\b(kernel|global|restrict)\\b"), "");
  return text;
}

/// Text of the kernel's arguments: buffers are x0, x1, ... and y.
std::string arguments_of(const codegen::kernel_text& kernel, const schedule::plan& p,
                         const schedule::geometry& shape, const list_of<std::int64_t>& extents) {
  std::string text;
  for (const codegen::argument& a : kernel.arguments) {
    text += text.empty() ? "" : ", ";
    switch (a.kind) {
      case codegen::argument_kind::operand:
        text += "x" + std::to_string(a.number);
        break;
      case codegen::argument_kind::target:
        text += "y";
        break;
      case codegen::argument_kind::partial:
        text += "parts.data()";
        break;
      case codegen::argument_kind::extent:
        text += std::to_string(p.size_of(static_cast<ir::extent>(a.number), extents)) + "L";
        break;
      case codegen::argument_kind::size:
        text += std::to_string(shape.sizes[static_cast<std::size_t>(a.number)].value) + "L";
        break;
      default:
        ADD_FAILURE() << "the product takes an argument that the test has not";
    }
  }
  return text;
}

/// A product of n x k by k x m, of transposes where these are in memory, on a device with so many units. The
/// views are those of the matrices in memory, whose other elements are NaN.
struct product {
  std::int64_t n, k, m;
  bool first_turned = false, second_turned = false;
  std::int64_t units = 132;
  matrix_cl_view first_view = matrix_cl_view::Entire, second_view = matrix_cl_view::Entire;
  bool with_own_transpose = false;  ///< the second operand is the transpose of the first
  bool shares_rest = false;         ///< the terms of the tiles that are beyond the last full round
  bool rounded = false;             ///< it is stored rounded, by a function that OpenCL C has
  bool added = false;               ///< a matrix is added to it
};

/// The geometry in which three groups each share the terms of those tiles.
schedule::geometry with_shared_rest(const schedule::launch_request& r, const schedule::geometry& shape) {
  const std::span<const kinds::copied_tile::tile> tiles(kinds::tensor_product_walk::tiles);
  const kinds::copied_tile::tile& t = tiles[shape.kernel.choices[0]];
  const std::int64_t count = kinds::tiles_of_product(kinds::parts_of_product(r.p, r.s), r.rows(), r.cols(),
                                                     t.rows, t.cols, 1),
                     units = r.device.compute_units;
  schedule::geometry shared = kinds::copied_product::geometry_of(
      r, tiles, 0,
      {.t = &t, .tiles = count, .parts = 3, .time = 0, .whole = count / units * units, .rounds = 1});
  shared.kernel.kind = shape.kernel.kind;
  return shared;
}

/// Expects that all ways to run the kernel give what the loop on the host does, or that one does not. Returns
/// the kernel's text.
std::string expect_product(const product& wanted, std::int64_t shown_bytes, int late = 0) {
  const auto& [n, k, m, first_turned, second_turned, units, first_view, second_view, symmetric, shares_rest,
               rounded, added] = wanted;
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(k) + " x " + std::to_string(m));
  const schedule::device_shape device{.form = schedule::device_form::gpu,
                                      .compute_units = units,
                                      .tensor_cores = true,
                                      .async_copies = true,
                                      .shown_bytes = shown_bytes,
                                      .local_bytes = 49152,
                                      .largest_group = 1024};
  const placeholder<double> a(0, n, k, first_view), b(1, k, m, second_view), at(0, k, n, first_view),
      bt(1, m, k, second_view), c(2, n, m);
  const lowered_statement s =
      symmetric       ? lowered(a * transpose(a))
      : first_turned  ? second_turned ? lowered(transpose(at) * transpose(bt)) : lowered(transpose(at) * b)
       : second_turned ? lowered(a * transpose(bt))
      : rounded       ? lowered(round(a * b))
      : added         ? lowered(a * b + c)
                      : lowered(a * b);
  const list_of<std::int64_t> extents = s.extents();
  const schedule::plan p =
      schedule::make_plan(passes::run_pipeline(s.graph), device.form, extents.data(), extents.size());
  EXPECT_EQ(p.steps.size(), 1u);
  const schedule::launch_request request{
      p, p.steps[0], device, extents, schedule::widest(p, p.steps[0], device), true, true};
  schedule::geometry shape = kinds::shape(request);
  EXPECT_EQ(kinds::kind_of(shape).name, std::string("tensor_product"));
  if (shares_rest) shape = with_shared_rest(request, shape);
  const codegen::program_text program = kinds::emit(p, 0, shape);
  std::string finish_call;
  if (shape.kernel.partial)
    finish_call = program.finish.name + "(" + arguments_of(program.finish, p, shape, extents) + ");";
  const fs::path folder = fs::temp_directory_path() / ("fusecl_emulation_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path source = folder / "product.cpp", binary = folder / "product";
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  std::ofstream(source) << "#include \"" << FUSECL_TEST_DIR << "/golden/on_host/warps.hpp\"\n"
                        << as_cpp(program.source, late) << "\nstatic double *x0, *x1, *x2, *y;\n"
                        << "static std::vector<double> parts("
                        << text(shape.kernel.partial ? shape.part_elements[0] : 0) << ", 1e300);\n"
                        << "static void run() { " << program.main.name << "("
                        << arguments_of(program.main, p, shape, extents) << "); }\n"
                        << "static void finish() { " << finish_call << " }\n"
                        << "int main() {\n  const long n = " << text(n) << ", k = " << text(k)
                        << ", m = " << text(m) << ";\n"
                        << R"(  std::vector<double> a(n * k), b(k * m), c(n * m), sums(n * m), right(n * m);
  for (long i = 0; i < n * k; ++i) a[i] = (i * 7 + i / 13) % 11 - 5;
  for (long i = 0; i < k * m; ++i) b[i] = (i * 5 + i / 17) % 13 - 6;
  for (long i = 0; i < n * m; ++i) c[i] = (i * 3 + i / 11) % 17 - 8;
)"
                        << "  const bool first_turned = " << first_turned
                        << ", second_turned = " << second_turned << ", symmetric = " << symmetric
                        << ", added = " << added << ";\n"
                        << "  const int first_view = " << static_cast<int>(first_view)
                        << ", second_view = " << static_cast<int>(second_view) << ";\n"
                        << R"(  if (symmetric)
    for (long i = 0; i < n; ++i)
      for (long t = 0; t < k; ++t) b[t + i * k] = a[i + t * n];
  // a view has the elements on the diagonal, below it (1) and above it (2)
  const auto limit = [](std::vector<double>& all, long rows, int view, double other) {
    for (long e = 0; e < (long)all.size(); ++e) {
      const long i = e % rows, j = e / rows;
      if ((i > j && view % 2 == 0) || (i < j && view < 2)) all[e] = other;
    }
  };
  limit(a, first_turned ? k : n, first_view, 0);
  limit(b, second_turned ? m : k, second_view, 0);
)"
                        << R"(  if (added) right = c;
  for (long j = 0; j < m; ++j)
    for (long t = 0; t < k; ++t)
      for (long i = 0; i < n; ++i)
        right[i + j * n] += a[first_turned ? t + i * k : i + t * n] * b[second_turned ? j + t * m : t + j * k];
  limit(a, first_turned ? k : n, first_view, NAN);
  limit(b, second_turned ? m : k, second_view, NAN);
  x0 = a.data(), x1 = b.data(), x2 = c.data(), y = sums.data();
  for (int way = 0; way < 4; ++way) {
    on_host::now.late = way % 2, on_host::now.backwards = way / 2;
    std::fill(sums.begin(), sums.end(), 1e300);
)"
                        << "    on_host::now.kernel = run;\n"
                        << "    for (uint group = 0; group < " << text(shape.groups)
                        << "; ++group) on_host::now.group = group, on_host::run_group(" << text(shape.local)
                        << ");\n"
                        << "    on_host::now.kernel = finish;\n"
                        << "    for (uint group = 0; group < "
                        << text(shape.kernel.partial ? shape.finish_groups : 0)
                        << "; ++group) on_host::now.group = group, on_host::run_group(" << text(shape.local)
                        << ");\n"
                        << "    if (sums != right) return 10 + way;\n  }\n}\n";
  const std::string build = "c++ -std=c++20 -O1 -w -o " + binary.string() + " " + source.string();
  EXPECT_EQ(std::system(build.c_str()), 0) << build;
  EXPECT_EQ(std::system(binary.c_str()) == 0, late == 0) << "kept in " << source;
  if (!::testing::Test::HasFailure()) fs::remove_all(folder);
  return program.source;
}

bool has_compiler() { return std::system("command -v c++ >/dev/null 2>&1") == 0; }

constexpr std::int64_t little = 48 * 1024, much = 226 * 1024;

TEST(Emulation, ProductsOnTensorCoresAreExact) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  const product largest_tile{256, 77, 256, false, false, 1};
  expect_product(largest_tile, little);
  expect_product(largest_tile, much);
  expect_product({130, 100, 70, false, false, 132}, little);
  expect_product({130, 100, 70, false, false, 132}, much);
  expect_product({.n = 130, .k = 400, .m = 70, .units = 4, .shares_rest = true}, much);
  expect_product({129, 8, 3, true, false, 132}, much);
  expect_product({66, 41, 64, false, true, 132}, much);
  expect_product({34, 64, 130, true, true, 132}, much);
}

// What an epilogue reads is loaded while the last slices are multiplied, or after them by large tiles; also
// at the edges, and where there are fewer slices than are copied ahead.
TEST(Emulation, ProductsToWhichAMatrixIsAddedAreExact) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  const std::string beside = expect_product({.n = 130, .k = 100, .m = 70, .added = true}, much);
  EXPECT_EQ(beside.find("ahead0[v % 2]"), std::string::npos);
  expect_product({.n = 66, .k = 9, .m = 33, .added = true}, much);
  expect_product({.n = 130, .k = 400, .m = 70, .units = 4, .shares_rest = true, .added = true}, much);
  const std::string after = expect_product({.n = 250, .k = 77, .m = 256, .units = 1, .added = true}, much);
  EXPECT_NE(after.find("ahead0[v % 2]"), std::string::npos);
}

// Where all tiles are small and within the result the kernel has no text for edges.
TEST(Emulation, ProductsOfWholeTilesAreExact) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  const auto lower = matrix_cl_view::Lower;
  const product cases[] = {{.n = 192, .k = 77, .m = 96, .added = true},
                           {.n = 192, .k = 401, .m = 96, .units = 4, .shares_rest = true, .added = true},
                           {.n = 128, .k = 6, .m = 96, .first_turned = true, .second_turned = true},
                           {.n = 128, .k = 128, .m = 96, .first_view = lower, .rounded = true},
                           {.n = 192, .k = 96, .m = 96, .second_turned = true, .second_view = lower}};
  for (const product& whole : cases)
    EXPECT_EQ(expect_product(whole, much).find("interior"), std::string::npos) << whole.n << " " << whole.k;
  for (const product& other : {product{.n = 191, .k = 8, .m = 96}, product{.n = 192, .k = 8, .m = 95},
                               product{.n = 256, .k = 7, .m = 256, .units = 1}})
    EXPECT_NE(expect_product(other, much).find("interior"), std::string::npos) << other.n << " " << other.m;
}

// Tiles with more terms come first; where a unit has several at once, every other round goes backwards.
// Elements outside of a view are not read, also where they are copied in pairs with others.
TEST(Emulation, ProductsOfTrianglesAreExact) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  const auto lower = matrix_cl_view::Lower, upper = matrix_cl_view::Upper, entire = matrix_cl_view::Entire,
             diagonal = matrix_cl_view::Diagonal;
  const std::string backwards =
      expect_product({.n = 150, .k = 150, .m = 70, .units = 4, .first_view = lower, .rounded = true}, much);
  EXPECT_NE(backwards.find("start / round_groups % 2"), std::string::npos);
  expect_product({150, 150, 70, false, false, 4, upper}, little);
  expect_product({150, 150, 70, true, false, 4, upper}, much);
  expect_product({150, 151, 70, true, false, 3, lower}, much);
  expect_product({70, 150, 150, false, false, 4, entire, lower}, much);
  expect_product({70, 150, 150, false, true, 4, entire, lower}, much);
  expect_product({71, 149, 149, false, true, 4, entire, upper}, much);
  expect_product({100, 130, 140, false, false, 132, lower, upper}, much);
  expect_product({100, 100, 100, false, false, 4, lower, lower}, much);
  expect_product({66, 66, 66, false, false, 2, diagonal, upper}, much);
}

// Half of the tiles are computed; groups may share the terms of those beyond the last full round.
TEST(Emulation, ProductsWithTheOwnTransposeAreExact) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  const auto entire = matrix_cl_view::Entire;
  expect_product({150, 77, 150, false, false, 132, entire, entire, true}, much);
  const std::string shared =
      expect_product({150, 400, 150, false, false, 4, entire, entire, true, true}, much);
  EXPECT_NE(shared.find("is_whole ? inner"), std::string::npos);
  expect_product({129, 401, 129, false, false, 2, entire, entire, true, true}, little);
}

// A kernel that reads slices which may not be there yet is found to be wrong.
TEST(Emulation, FindsSlicesThatAreNotWaitedFor) {
  if (!has_compiler()) GTEST_SKIP() << "no c++ is installed";
  expect_product({130, 100, 70, false, false, 132}, little, 1);
  expect_product({130, 100, 70, false, false, 132}, much, 1);
}

}  // namespace
}  // namespace fusecl
