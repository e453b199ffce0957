#pragma once
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <primitives/likelihoods/multinomial_logit_glm.hpp>

namespace fusecl::detail {

FUSECL_INLINE void multinomial_logit_glm::check_sizes(const argument& y, const argument& x,
                                                      const argument& alpha, const argument& beta) {
  for (const argument* matrix : {&y, &x, &alpha, &beta})
    if (matrix->is_number())
      throw std::invalid_argument(
          text::fill("{}: {} is a number, but must be a matrix", {function, matrix->name()}));
  if (y.rows() != x.rows() || y.cols() != beta.cols() || x.cols() != beta.rows())
    throw std::invalid_argument(text::fill(
        "{}: {} ({}) must have the rows of {} ({}) and the columns of {} ({}), which has a row a column of "
        "{}",
        {function, y.name(), y.size_text(), x.name(), x.size_text(), beta.name(), beta.size_text(),
         x.name()}));
  const bool is_vector = alpha.rows() == 1 || alpha.cols() == 1;
  const bool fits = (is_vector && alpha.rows() * alpha.cols() == y.cols()) ||
                    (alpha.rows() == y.rows() && alpha.cols() == y.cols());
  if (!fits)
    throw std::invalid_argument(
        text::fill("{}: {} ({}) must have an element a category, or the size of {} ({})",
                   {function, alpha.name(), alpha.size_text(), y.name(), y.size_text()}));
}

FUSECL_INLINE argument multinomial_logit_glm::in_rows_of(const argument& y, const argument& alpha) {
  if (alpha.rows() == y.rows() && alpha.cols() == y.cols()) return alpha;
  return alpha.cols() == 1 ? alpha.arranged(colwise_broadcast(transpose(alpha)))
                           : alpha.arranged(colwise_broadcast(alpha));
}

FUSECL_INLINE matrix_cl<int> rows_of_counts(const std::vector<std::vector<int>>& counts) {
  const std::size_t categories = counts.empty() ? 0 : counts.front().size();
  Eigen::MatrixXi rows(static_cast<Eigen::Index>(counts.size()), static_cast<Eigen::Index>(categories));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].size() != categories)
      throw std::invalid_argument(text::fill("{}: outcome counts[{}] has {} elements, outcome counts[1] {}",
                                             {multinomial_logit_glm::function, std::to_string(i + 1),
                                              std::to_string(counts[i].size()), std::to_string(categories)}));
    for (std::size_t c = 0; c < categories; ++c)
      rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) = counts[i][c];
  }
  return matrix_cl<int>(rows);
}

}  // namespace fusecl::detail
