#pragma once
// What follows when accumulators are complete: partial results, and values over the shape of the results.

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/reducing_emitter.hpp>

namespace fusecl::codegen::detail {

/// A sum of nothing is zero already.
FUSECL_INLINE bool reducing_emitter::misses_zeros(const node& n) const {
  return s_.part != matrix_cl_view::Entire && n.op->host(nullptr) != 0;
}

/// A test whether elements of the result (or results) `index` are outside of the part.
FUSECL_INLINE std::string reducing_emitter::test_of_missed_zeros(const char* index, int lanes) const {
  const bool lower = s_.part == matrix_cl_view::Lower, upper = s_.part == matrix_cl_view::Upper;
  const std::string rows = cpu_ || v_.width == 1 ? "rows" : fill("rows * {}", {v_.width});
  if (s_.axis == axis::row) {
    const std::string row = row_number(lanes);
    if (lower) return fill("{} + 1 < (int)cols", {row});
    if (upper) return fill("{} > (cols > 0 ? 0 : INT_MAX)", {row});
    return fill("{} >= (cols > 1 ? 0 : cols > 0 ? 1 : INT_MAX)", {row});
  }
  if (s_.axis == axis::column) {
    if (lower) return fill("rows > 0 && {} > 0", {index});
    if (upper) return fill("{} + 1 < {}", {index, rows});
    return fill("rows > 0 && ({} > 0 || {} > 1)", {index, rows});
  }
  if (lower) return "rows > 0 && cols > 1";
  if (upper) return fill("{} > 1 && cols > 0", {rows});
  return fill("rows > 0 && cols > 0 && {} + cols > 2", {rows});
}

/// Extremes and products are the same however many zeros there are: one stands for all that were passed over.
FUSECL_INLINE void reducing_emitter::add_missed_zeros(const char* index, int lanes) {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const node& n = g_[sums_[k]];
    if (!misses_zeros(n)) continue;
    const std::string own = fill("r{}", {k});
    const std::string zero = fill("({})(0)", {{n.type, lanes}}), test = test_of_missed_zeros(index, lanes);
    const bool wide = lanes > 1 && size_of(n.type) == 8;
    out_.line(wide ? "{} = convert_long{}({}) ? {} : {};" : "{}{} = ({}) ? {} : {};",
              {own, wide ? fill("{}", {lanes}) : "", test, combined(n, own, zero, lanes), own});
  }
}

/// Writes the results of the reductions: as part `part` of the partial results, or through the epilogue.
FUSECL_INLINE void reducing_emitter::finish_results(const char* part, const char* index, int lanes) {
  add_missed_zeros(index, lanes);
  if (!v_.partial) {
    run_epilogue(index, lanes);
    return;
  }
  const char* stride = s_.axis == axis::row ? "rows" : "cols";
  const std::string at = s_.axis == axis::all ? part : fill("{} + {} * {}", {index, part, stride});
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    if (cpu_ && lanes > 1)
      out_.line("vstore{}(r{}, 0, p{} + {});", {lanes, k, k, at});
    else
      out_.line("p{}[{}] = r{};", {k, at, k});
  }
  if (v_.last && cpu_) finish_last_group();
}

/// Adds the partial results in their order, whichever group comes last.
FUSECL_INLINE void reducing_emitter::finish_last_group() {
  open_last_group("the group that arrives last adds what all have left");
  for (std::size_t k = 0; k < sums_.size(); ++k) out_.line("r{} = {};", {k, neutral_text(g_[sums_[k]])});
  if (cpu_) {
    out_.open("for (uint part = 0; part < get_num_groups(0); ++part)");
  } else {
    out_.raw("#pragma unroll 4\n");
    out_.open("for (uint part = lane; part < get_num_groups(0); part += {})", {shape_.local});
  }
  add_parts("part");
  out_.close();
  if (!cpu_) {
    tree(fill("{}", {shape_.local}), "1", "lane", 1);
    out_.open("if (lane == 0)");
  }
  run_epilogue("0", 1);
  if (!cpu_) out_.close();
  out_.close();
}

/// Combines r0, r1, ... with the partial results at `index`.
FUSECL_INLINE void reducing_emitter::add_parts(const char* index) {
  merge("r{}", fill("p{}[{}]", {"{}", index}), 1);
}

/// Values over the shape of the reductions' results, from registers r0, r1, ... and memory.
FUSECL_INLINE void reducing_emitter::run_epilogue(const char* index, int lanes) {
  // in a scope of its own where it would repeat names of the scope around the loops
  const bool apart = cpu_ && names_around_ && !v_.last;
  if (apart) out_.open();
  value_emitter values = emitter_of(result_values_, true);
  know_results(values);
  lanes_ = lanes;
  result_index_ = index;
  values.uniforms(out_);
  values.begin(access_to_results(index, lanes));
  const list_of<std::string> stored = texts_of(values, results_);
  for (std::size_t k = 0; k < stored.size(); ++k)
    store(values, results_[k], s_.axis == axis::all ? "0" : index, stored[k], cpu_ ? lanes : 1, false);
  if (apart) out_.close();
}

/// How values over the shape of the reductions' results read memory.
FUSECL_INLINE access reducing_emitter::access_to_results(const char* index, int lanes) {
  access how;
  how.lanes = lanes;
  how.self = this;
  how.load = load_result;
  how.in_order = true;
  how.row = s_.axis == axis::row ? fill("(int){}", {index}) : "0";
  how.col = s_.axis == axis::column ? fill("(int){}", {index}) : "0";
  how.lane_rows.assign(static_cast<std::size_t>(lanes), "0");
  how.lane_cols.assign(static_cast<std::size_t>(lanes),
                       s_.axis == axis::column ? fill("(long){}", {index}) : "0");
  if (s_.axis != axis::row) return how;
  const std::string first = cpu_ || lanes == 1 ? index : fill("{} * {}", {index, lanes});
  if (lanes > 1) how.row = fill("((int){} + {})", {first, lane_numbers(scalar_type::int32, lanes)});
  for (int k = 0; k < lanes; ++k)
    how.lane_rows[static_cast<std::size_t>(k)] =
        lanes == 1 ? fill("(long){}", {index}) : fill("((long){} + {})", {first, k});
  return how;
}

FUSECL_INLINE void reducing_emitter::finish() {
  for (const schedule::store& result : results_) declare(result, 1);
  declare_parts(false, 1);
  v_ = {};
  names_around_ = false;
  add_buffers(result_values_, true, 1);
  add_size("results");
  add_size("parts");
  if (cpu_) {
    out_.line("const long begin = (long)get_group_id(0) * {}, end = min(begin + {}, results);",
              {schedule::cpu_finish_tile, schedule::cpu_finish_tile});
    out_.open("for (long i = begin; i < end; ++i)");
    declare_accumulators("", 1);
    out_.open("for (long part = 0; part < parts; ++part)");
  } else {
    declare_shared(1);
    add_size("finish_lanes", "lanes");
    add_size("finish_stride", "first_stride");
    out_.line(lane_numbers_in_group());
    out_.line("const long i = {};", {group_of("* lanes + across")});
    declare_accumulators("", 1);
    out_.open("if (i < results && down < rounds)");
    out_.raw("#pragma unroll 4\n");
    out_.open("for (long part = down; part < parts; part += rounds)");
  }
  add_parts("i + part * results");
  out_.close();
  if (!cpu_) {
    out_.close();
    tree("rounds", "lanes", "down", 1);
    out_.open("if (down == 0 && i < results)");
  }
  run_epilogue("i", 1);
  out_.close();
}

}  // namespace fusecl::codegen::detail
