// Products of which a part is not computed: what is stored at two places has one writer each, and tiles at
// the edges of triangles read and write within their matrices.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(ProductParts, HalvesAndTriangles) {
  FUSECL_NEEDS_DOUBLE;
  for (const auto [n, k] : std::vector<size_pair>{{1, 3}, {7, 5}, {65, 9}, {130, 3}}) {
    const auto a = random_matrix<double>(n, k, matrix_cl_view::Entire, -1, 1),
               c = random_matrix<double>(n, n, matrix_cl_view::Entire, -1, 1),
               l = random_matrix<double>(n, n, matrix_cl_view::Lower, -1, 1);
    expect_matches_reference(a * transpose(a) - c);
    expect_matches_reference(transpose(l) * a);
    if (n > 65) continue;  // an interpreter takes its time
    expect_matches_reference(l * l);
    expect_matches_reference(tcrossprod(l));
  }
  matrix_cl<double> onto = random_matrix<double>(65, 65);
  const auto a = random_matrix<double>(65, 4);
  onto = a * transpose(a) + onto;
}

TEST(ProductParts, HalvesOfManyTerms) {
  FUSECL_NEEDS_DOUBLE;
  const auto a = random_matrix<double>(5, 1030, matrix_cl_view::Entire, -1, 1);
  expect_matches_reference(a * transpose(a));
}

}  // namespace
}  // namespace fusecl
