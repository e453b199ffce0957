#pragma once
// Element-wise steps on a GPU whose elements come from or go to other places: the numbered walk, with several
// loads in flight, which no vector loads as their addresses are not aligned.

#include <algorithm>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/gpu_sectors.hpp>
#include <fusion/kinds/listed_sums.ipp>
#include <fusion/kinds/numbered.ipp>

namespace fusecl::kinds {
namespace scattered_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::round_up,
    schedule::step;

// Vectors' worth of elements that a work-item takes.
inline constexpr std::int64_t vectors_in_flight = 2;
// Columns that it takes where a vector that is scattered over memory, such as a diagonal, is read again for
// every column (H200, 1e4 x 1e4: 0.96 of copy bandwidth against 0.51).
inline constexpr std::int64_t columns_in_flight = 8;

FUSECL_INLINE bool takes(const plan& p, const step& s) { return numbered_walk::takes(p, s) && s.maps; }

/// Whether an element is a sum of many places already, which leaves its work-item no time for others.
FUSECL_INLINE bool adds_lists(const launch_request& r) { return !sums_of_lists(r.p, r.s).empty(); }

/// Elements of a sector of a result, or 1 where all columns start with one. Where columns start within
/// sectors, work-items that are neighbours begin at a boundary in every column (H200, diagonal repeated over
/// 9999 x 10001: 0.96 of copy bandwidth against 0.90).
FUSECL_INLINE std::int64_t sector_elements(const launch_request& r) {
  std::size_t smallest = sector_bytes;
  for (const schedule::store& result : r.s.stores)
    smallest = std::min(smallest, size_of(r.p.graph[result.value].type));
  const std::int64_t elements = sector_bytes / static_cast<std::int64_t>(smallest);
  return r.rows() % elements == 0 ? 1 : elements;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g = numbered_walk::shape(r);
  if (g.kernel.blocks) {
    g.groups = does_not_fit;
    return g;
  }
  const std::int64_t rows = r.rows(), cols = r.cols();
  const bool in_columns = r.s.reuses_rows && r.s.transposes && cols > 1;
  const std::int64_t align = in_columns ? sector_elements(r) : 1;
  const std::int64_t places = align > 1 ? round_up(rows + align - 1, align) : rows;
  const std::int64_t rounds = in_columns      ? columns_in_flight
                              : adds_lists(r) ? 1
                                              : vectors_in_flight * r.width;
  g.kernel.width = 1;
  g.kernel.crossing = false;
  g.kernel.choices[0] = static_cast<std::uint16_t>(rounds);
  g.kernel.choices[1] = in_columns;
  g.kernel.choices[2] = static_cast<std::uint16_t>(align);
  const std::int64_t count = in_columns ? places * align * divide_up(cols, rounds * align) : rows * cols;
  // few rows have many more places, which count from the start of a sector
  g.kernel.large = std::max(count, rows * cols) >= std::int64_t{1} << 31;
  g.groups = divide_up(count, in_columns ? g.local : g.local * rounds);
  g.sizes = {{"rows", rows},
             {"count", count},
             {"cols", cols},
             {"places", places},
             {"rows_on", rows > 0 ? g.local % rows : 0, true},
             {"cols_on", rows > 0 ? g.local / rows : 0, true}};
  return g;
}

class emitter final : public numbered_walk::emitter {
 public:
  using numbered_walk::emitter::emitter;

 private:
  /// Several elements, with one division for all of them: `e`, a group's length apart, or those of
  /// neighbouring columns. All are loaded before the first is stored, without conditions, so that loads
  /// overlap (H200, copy of a block: 0.99 of copy bandwidth against 0.88); past the end they are of some
  /// element that is not stored.
  void walk() override {
    for (const char* name : {"rows", "count", "cols"}) add_size(name);
    if (!in_columns()) {
      add_size("rows_on");
      add_size("cols_on");
    }
    codegen::value_emitter values = domain_emitter(), places = values;
    start(values);
    values.begin(access_to_domain(1));
    places.begin(access_to_domain(1));
    number_rounds();
    const std::string inside =
        s_.part == matrix_cl_view::Entire ? "" : codegen::fill("!({})", {test_of_outside()});
    list_of<std::string> loaded;
    for (const schedule::store& result : s_.stores) {
      loaded.push_back(codegen::fill("y{}_k[k]", {loaded.size()}));
      out_.line("{} y{}_k[{}];", {{g_[result.value].type, 1}, loaded.size() - 1, rounds()});
    }
    in_each_round([&] {
      if (!inside.empty()) out_.open("if ({})", {inside});
      const list_of<std::string> stored = texts_of(values, s_.stores);
      for (std::size_t k = 0; k < stored.size(); ++k) out_.line("{} = {};", {loaded[k], stored[k]});
      if (!inside.empty()) out_.close();
    });
    if (!in_columns()) out_.line("i = first - first / {} * {}, j = first / {};", {rows(), rows(), rows()});
    in_each_round([&] {
      const std::string too = inside.empty() ? "" : codegen::fill(" && {}", {inside});
      if (in_columns())
        out_.open("if ({}first + {} < {}{})",
                  {align() > 1 ? "within && " : "", column_of_round(), cols(), too});
      else
        out_.open("if (first + k * {} < count{})", {shape_.local, too});
      store_in_domain(places, s_.stores, loaded, 1);
      out_.close();
    });
  }

  int rounds() const { return v_.choices[0]; }
  bool in_columns() const { return v_.choices[1] != 0; }
  int align() const { return v_.choices[2]; }
  /// Which column a round takes, from the first one on: those that start alike.
  std::string column_of_round() const { return align() > 1 ? codegen::fill("k * {}", {align()}) : "k"; }
  const char* cols() const { return v_.large ? "cols" : "(uint)cols"; }

  /// The first element, or the row and the first column, of a work-item.
  void number_rounds() {
    if (in_columns()) {
      out_.line("const {} n = get_global_id(0);", {index()});
      out_.line("if (n >= count) return;");
      if (align() > 1) return number_aligned();
      out_.line("const {} first = n / {} * {}, i = n % {};", {index(), rows(), rounds(), rows()});
      return;
    }
    out_.line("const {} first = ({})get_group_id(0) * {} + get_local_id(0);",
              {index(), index(), rounds() * shape_.local});
    out_.line("{} j = first / {}, i = first - j * {};", {index(), rows(), rows()});
    out_.line("j = min(j, {} - 1);", {cols()});
  }

  /// Every `align`-th column starts alike: a work-item takes such columns, from a row on that is as far from
  /// the start of a sector as its neighbours say.
  void number_aligned() {
    add_size("places");
    const char* places = v_.large ? "places" : "(uint)places";
    const int apart = align();
    out_.line("const {} set = n / {}, place = n % {};", {index(), places, places});
    out_.line("const {} first = set / {} * {} + set % {};", {index(), apart, rounds() * apart, apart});
    out_.line("const {} before = first * {} % {};", {index(), rows(), apart});
    out_.line("const bool within = place >= before && place - before < {};", {rows()});
    out_.line("const {} i = within ? place - before : 0;", {index()});
  }

  template <class Lines>
  void in_each_round(Lines lines) {
    out_.raw(unrolled(rounds()));
    out_.open("for (uint k = 0; k < {}; ++k)", {rounds()});
    const codegen::writer before = std::exchange(out_, out_.apart());
    lines();
    const codegen::writer round = std::exchange(out_, before);
    if (in_columns())
      out_.line("const {} j = min(first + {}, {} - 1);", {index(), column_of_round(), cols()});
    if (codegen::mentions(round.text(), "e")) {
      if (in_columns())
        out_.line("const {} e = i + j * {};", {index(), rows()});
      else
        out_.line("const {} e = min(first + k * {}, {} - 1);",
                  {index(), shape_.local, v_.large ? "count" : "(uint)count"});
    }
    out_.raw(round.text());
    if (!in_columns()) {
      out_.line("i += rows_on, j += cols_on;");
      out_.line("if (i >= {}) i -= {}, ++j;", {rows(), rows()});
      out_.line("j = min(j, {} - 1);", {cols()});
    }
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace scattered_walk

inline constexpr step_kind scattered{kind_order::scattered, numbered.name,         numbered.walk,
                                     scattered_walk::takes, scattered_walk::shape, scattered_walk::emit};

}  // namespace fusecl::kinds
