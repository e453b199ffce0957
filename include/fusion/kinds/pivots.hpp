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
template <class T, ops::factored By = ops::factored::cholesky_decompose>
void throw_unless_positive_definite(const void* part) {
  T found[2];
  std::memcpy(found, part, sizeof found);
  if (found[0] == 0) return;
  constexpr bool by_user = By == ops::factored::cholesky_decompose;
  throw std::domain_error(text::fill(
      "{} is not positive definite: pivot {} is {}, but must be positive!{}",
      {ops::name_of(By), static_cast<std::int64_t>(found[0]), fusecl::detail::number_text(found[1]),
       by_user ? " A is the operand of that call, whose outcome is known when the host next waits" : ""}));
}
/// That in the name of whoever factors.
template <class T>
auto thrower_for(ops::factored by) {
  using ops::factored;
  return by == factored::multi_normal        ? throw_unless_positive_definite<T, factored::multi_normal>
         : by == factored::multi_normal_prec ? throw_unless_positive_definite<T, factored::multi_normal_prec>
                                             : throw_unless_positive_definite<T>;
}

/// Adds to a geometry what the factor of n rows that `node` is has in tiles: what is left to factor, the
/// factor, each with `held` elements, and the outcome.
inline void add_parts_of_cholesky(schedule::geometry& g, const ir::node& node, std::int64_t n,
                                  std::int64_t tiles, std::int64_t held) {
  const ops::factored by = ops::factored_by(node);
  g.groups = n == 0 ? 0 : g.round_groups[0];
  g.part_elements = {tiles > 1 ? held : 1, held, 2};
  g.failed = node.type == scalar_type::float64 ? thrower_for<double>(by) : thrower_for<float>(by);
}

class pivoting_emitter : public rounds_emitter {
 public:
  using rounds_emitter::rounds_emitter;

 protected:
  int parts() const override { return 3; }
  int result_part() const override { return 1; }
  bool is_lower() const override { return true; }

  /// Notes pivot `pivot` of column `first + k`, the first of a panel that is not positive, unless `k` is
  /// `none`. One work-item calls this once a round, after a search of its own: compilers have lost what is
  /// stored to such a cell where it is read for each pivot (PoCL 3.1 after `atomic_min`).
  void note_first_bad(const char* k, const std::string& none, const char* pivot) {
    out_.line("if (round == 0) p2[0] = 0;");
    out_.open("if ({} < {} && p2[0] == 0)", {k, none});
    out_.line("p2[0] = first + {} + 1;", {k});
    out_.line("p2[1] = {};", {pivot});
    out_.close();
  }
};

}  // namespace fusecl::kinds
