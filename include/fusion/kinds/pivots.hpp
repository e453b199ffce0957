#pragma once
// What kernels of Cholesky factors share: their workspace, and how they say which pivot was not positive.

#include <cstring>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/number_text.hpp>
#include <fusion/kinds/rounds_emitter.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::kinds {

/// Throws where the outcome of a factorization names a pivot that is not positive.
template <class T>
void throw_unless_positive_definite(const void* part) {
  T found[2];
  std::memcpy(found, part, sizeof found);
  if (found[0] == 0) return;
  throw std::domain_error(
      text::fill("cholesky_decompose: A is not positive definite: pivot {} is {}, but must be positive!",
                 {static_cast<std::int64_t>(found[0]), fusecl::detail::number_text(found[1])}));
}

/// Adds to a geometry what a factor of n rows in tiles has: what is left to factor, the factor, each with
/// `held` elements, and the outcome.
inline void add_parts_of_cholesky(schedule::geometry& g, scalar_type type, std::int64_t n, std::int64_t tiles,
                                  std::int64_t held) {
  g.groups = n == 0 ? 0 : g.round_groups[0];
  g.part_elements = {tiles > 1 ? held : 1, held, 2};
  g.failed = type == scalar_type::float64 ? throw_unless_positive_definite<double>
                                          : throw_unless_positive_definite<float>;
}

class pivoting_emitter : public rounds_emitter {
 public:
  using rounds_emitter::rounds_emitter;

 protected:
  int parts() const override { return 3; }
  int result_part() const override { return 1; }
  bool is_lower() const override { return true; }

  void start_outcome() { out_.line("if (round == 0) p2[0] = 0;"); }
  /// Notes `pivot` of column `first + k`, where it is the first that is not positive.
  void note_bad_pivot() {
    out_.open("if (!(pivot > 0) && p2[0] == 0)");
    out_.line("p2[0] = first + k + 1;");
    out_.line("p2[1] = pivot;");
    out_.close();
  }
  /// Notes pivot `pivot` of column `first + k`, unless `k` is `none`.
  void note_first_bad(const char* k, const std::string& none, const char* pivot) {
    start_outcome();
    out_.open("if ({} < {} && p2[0] == 0)", {k, none});
    out_.line("p2[0] = first + {} + 1;", {k});
    out_.line("p2[1] = {};", {pivot});
    out_.close();
  }
  /// The work-item calls this that knows the pivots of a panel, elements `pivots` by k.
  void note_pivots(const std::string& pivots) {
    start_outcome();
    out_.line("const uint own_columns = (uint)min({}L, rows - first);", {size()});
    out_.open("for (uint k = 0; k < own_columns && p2[0] == 0; ++k)");
    out_.line("const {} pivot = {};", {type(), pivots});
    note_bad_pivot();
    out_.close();
  }
};

}  // namespace fusecl::kinds
