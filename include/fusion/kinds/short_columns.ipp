#pragma once
// Reductions along columns on a CPU that are long for each element, of columns that are short: as many
// columns at a time as a vector has lanes, row by row, so that functions of elements and of sums are those of
// vectors.

#include <algorithm>

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace short_columns_walk {

using schedule::device_form, schedule::geometry, schedule::launch_request, schedule::leave_parts,
    schedule::plan, schedule::step;

// Rows up to which loads of single elements cost less than what vectors save, and flops of an element from
// which on they save that much.
inline constexpr std::int64_t most_rows = 48;
inline constexpr double least_flops = 8;
// Variances have few flops for what is done when a column ends: from two vectors of rows on a column at a
// time (column_sums.ipp) is faster (16 x 100,000: 0.61 ms, 1.18 side by side).
inline constexpr double few_flops = 16;
// Blocks of columns between those that are read and those that are brought to the caches meanwhile: memory is
// read at several places in turn, of which processors do not foresee the next ones (30 x 100,000: standard
// deviations 10 ms without, 1.2 with, log-sum-exp 10 and 2.1).
inline constexpr int blocks_ahead = 4;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  const bool reduces_columns = s.reduces && s.axis == ir::axis::column && s.stores.empty();
  return p.form == device_form::cpu && reduces_columns && !s.is_tile() && !s.scans && !s.maps && !s.linear &&
         s.part == matrix_cl_view::Entire && s.rows != ir::one && s.cols != ir::one && s.flops >= least_flops;
}

FUSECL_INLINE std::int64_t most_rows_of(const launch_request& r) {
  const bool few = r.s.flops < few_flops && schedule::any_running(r.p.graph, r.s.reductions);
  return few ? 2 * r.width - 1 : most_rows;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols(), width = r.width;
  if (width == 1 || rows == 0 || rows > most_rows_of(r) || cols < width) {
    g.groups = does_not_fit;
    return g;
  }
  cpu_columns(g, r);
  g.kernel.tile.brings = r.device.streams;
  leave_parts(g, r, 1, 1);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  void walk() override {
    for (const char* name : {"rows", "cols", "col_tile"}) add_size(name);
    codegen::value_emitter values = domain_emitter();
    out_.line("const long begin = {};", {codegen::detail::group_of("* col_tile")});
    out_.line("const long end = min(begin + col_tile, cols);");
    start(values);
    out_.line("long j = begin;");
    out_.open("for (; j + {} <= end; j += {})", {v_.width, v_.width});
    columns_side_by_side(values, "_v", v_.width);
    out_.close();
    out_.open("for (; j < end; ++j)");
    columns_side_by_side(values, "_s", 1);
    out_.close();
  }

  void columns_side_by_side(codegen::value_emitter& values, const char* suffix, int lanes) {
    declare_accumulators(suffix, lanes);
    // what the first element decides about the others is decided once
    const bool apart = decides_at_first();
    if (apart) {
      out_.open();
      out_.line("const long i = 0;");
      row_of_columns(values, suffix, lanes);
      out_.close();
    }
    decided_ = apart;
    out_.open("for (long i = {}; i < rows; ++i)", {apart ? 1 : 0});
    row_of_columns(values, suffix, lanes);
    out_.close();
    decided_ = false;
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("const {} r{} = r{}{};",
                {codegen::vector_type(g_[s_.reductions[k]].type, lanes), k, k, suffix});
    finish_results("0", "j", lanes);
  }

  /// Row i of as many columns from j on.
  void row_of_columns(codegen::value_emitter& values, const char* suffix, int lanes) {
    if (lanes == 1) return visit(values, 1, suffix, "");
    lanes_ = v_.width;
    codegen::access how;
    how.lanes = lanes_;
    how.self = this;
    how.load = load;
    how.crossing = true;
    how.row = codegen::fill("({})((int)i)", {{scalar_type::int32, lanes_}});
    how.col = codegen::fill("((int)j + {})", {codegen::detail::lane_numbers(scalar_type::int32, lanes_)});
    how.lane_rows.clear();
    how.lane_cols.clear();
    for (int lane = 0; lane < lanes_; ++lane) {
      how.lane_rows.push_back("i");
      how.lane_cols.push_back(codegen::fill("(j + {})", {lane}));
    }
    values.begin(how);
    list_of<std::string> added;
    read_.clear();
    add_up(values, added);
    accumulate(added, suffix, "", lanes_);
    bring_ahead();
  }

  /// Brings a line of columns that are read later to the caches.
  void bring_ahead() {
    if (!v_.tile.brings) return;
    for (const std::string& name : read_)
      out_.line("__builtin_prefetch((const void*)(ulong)({} + i * {} + (j + {}) * rows), 0, 3);",
                {name, lanes_, blocks_ahead * lanes_});
  }

  FUSECL_INLINE static std::string load(const void* self, const std::string& name, scalar_type type,
                                        bool rows, bool cols) {
    const auto& own = *static_cast<const emitter*>(self);
    const int lanes = own.lanes_;
    if (!rows && !cols) return codegen::fill("{}[0]", {name});
    if (!cols) return codegen::fill("({})({}[i])", {{type, lanes}, name});
    if (!rows) return codegen::fill("vload{}(0, {} + j)", {lanes, name});
    if (std::find(own.read_.begin(), own.read_.end(), name) == own.read_.end()) own.read_.push_back(name);
    std::string text = codegen::fill("({})(", {{type, lanes}});
    for (int lane = 0; lane < lanes; ++lane)
      text += codegen::fill("{}[i + (j + {}) * rows]{}", {name, lane, lane + 1 < lanes ? ", " : ")"});
    return text;
  }

  mutable list_of<std::string> read_;  // matrices of which elements are read, by their names
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace short_columns_walk

inline constexpr step_kind short_columns{kind_order::short_columns,
                                         "short_columns",
                                         "as many short columns at a time as a vector has lanes",
                                         short_columns_walk::takes,
                                         short_columns_walk::shape,
                                         short_columns_walk::emit};

}  // namespace fusecl::kinds
