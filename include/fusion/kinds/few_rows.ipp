#pragma once
// Element-wise steps on a CPU that tell rows and columns apart where columns do not fill vectors: as many
// columns at a time as a vector has lanes. Their elements are whole vectors, as many as there are rows, and
// the row and column of each lane are the same for all such blocks: they are in the text.

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/few_rows_vectors.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace few_rows_walk {

using schedule::device_form, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  const bool in_domain = !s.is_tile() && !s.scans && !s.reduces && !s.maps && !s.linear;
  return p.form == device_form::cpu && in_domain && s.rows != ir::one && s.cols != ir::one;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols(), width = r.width;
  const bool fits =
      r.padded && width > 1 && rows > 0 && rows <= most_few_rows && rows % width != 0 && cols >= width;
  if (!fits || r.s.flops * static_cast<double>(rows) > most_flops_of_few_rows) {
    g.groups = does_not_fit;
    return g;
  }
  cpu_columns(g, r);
  g.kernel.choices[0] = static_cast<std::uint16_t>(rows);
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    for (const char* name : {"rows", "cols", "col_tile"}) add_size(name);
    codegen::value_emitter values = emitter_of(domain_, false);
    out_.line("const long begin = {};", {codegen::detail::group_of("* col_tile")});
    out_.line("const long end = min(begin + col_tile, cols);");
    start(values);
    out_.line("long j = begin;");
    out_.open("for (; j + {} <= end; j += {})", {v_.width, v_.width});
    for (int number = 0; number < v_.choices[0]; ++number) {
      out_.open();
      one_vector(values, number);
      out_.close();
    }
    out_.close();
    out_.open("for (; j < end; ++j)");
    out_.open("for (long i = 0; i < rows; ++i)");
    visit(values, 1, "", "");
    out_.close();
    out_.close();
  }

  /// Vector `number` of those of a block of columns from `j` on.
  void one_vector(codegen::value_emitter& values, int number) {
    const few_rows_vector own = {v_.choices[0], v_.width, number};
    values.begin(own.access());
    out_.line("const long e = j * {} + {};", {own.rows, number * own.lanes});
    store_in_domain(values, s_.stores, texts_of(values, s_.stores), own.lanes);
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace few_rows_walk

inline constexpr step_kind few_rows{
    kind_order::few_rows, "few_rows",           "as many columns at a time as a vector has lanes",
    few_rows_walk::takes, few_rows_walk::shape, few_rows_walk::emit};

}  // namespace fusecl::kinds
