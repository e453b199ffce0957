#pragma once
// Cholesky factors of many small matrices. On a GPU a work-item has a row in registers and eliminates two
// columns with each barrier; a group has one matrix, or several small ones. On a CPU a group, one work-item,
// factors some matrices in turn. Each matrix notes its first pivot that is not positive, and a second kernel
// finds the first such matrix.

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <fusion/base/number_text.hpp>
#include <fusion/kinds/batched_factor_emitter.hpp>
#include <fusion/kinds/elimination.hpp>

namespace fusecl::kinds {
namespace batched_cholesky_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::round_up,
    schedule::step;

// Bytes of the outcome: in the first eight the number of the matrix and, below this, that of the pivot from 1
// on, or zero; then the pivot.
inline constexpr std::int64_t outcome_bytes = 16, pivots = 256;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return s.opaque && p.graph[s.reductions[0]].is(op::batched_cholesky::record());
}

/// Throws where the outcome names a pivot that is not positive.
template <class T>
void throw_unless_all_positive_definite(const void* part) {
  std::int64_t place = 0;
  T pivot;
  std::memcpy(&place, part, sizeof place);
  std::memcpy(&pivot, static_cast<const char*>(part) + sizeof place, sizeof pivot);
  if (place == 0) return;
  throw std::domain_error(
      text::fill("batched_cholesky_decompose: matrix number {}, counted from 0, is not positive definite: "
                 "pivot {} is {}, "
                 "but must be positive!",
                 {place / pivots, place % pivots, fusecl::detail::number_text(pivot)}));
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const factor_sizes sizes = factors_of(r.p, r.s, r.extents);
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const auto element = static_cast<std::int64_t>(size_of(type));
  geometry g = geometry_of_factors(r, sizes);
  if (r.on_cpu()) {
    const std::int64_t lanes = lanes_of(r, type), size = std::max(lanes, round_up(sizes.rows, lanes));
    g.kernel.width = static_cast<std::uint8_t>(lanes);
    g.kernel.choices[0] = static_cast<std::uint16_t>(size);
    g.kernel.choices[1] = size * size * element <= r.device.bytes_for_tiles();
    share_turns(g, r, sizes.count);
  } else {
    const std::int64_t size = power_of_two(sizes.rows, 4, ops::most_batched_rows),
                       together = std::max<std::int64_t>(1, least_batched_group / size);
    g.kernel.choices[0] = static_cast<std::uint16_t>(size);
    g.kernel.choices[1] = keeps_arrays(r.device);
    g.local = size * together;
    g.groups = divide_up(sizes.count, together);
  }
  g.kernel.partial = true;
  g.finish_groups = 1;
  g.part_elements = {2 * std::max<std::int64_t>(1, sizes.count), outcome_bytes / element};
  g.failed = type == scalar_type::float64 ? throw_unless_all_positive_definite<double>
                                          : throw_unless_all_positive_definite<float>;
  return g;
}

class emitter final : public batched_emitter {
 public:
  explicit emitter(const codegen::emit_request& r) : batched_emitter(r) {
    finish_title_ = "finds the first matrix that is not positive definite";
  }

 private:
  int size() const { return v_.choices[0]; }
  bool unrolls() const { return v_.choices[1] != 0; }

  void add_own_sizes() override {
    declare_part(0, true);
    add_size("count");
    if (cpu_) add_size("share");
  }

  void walk() override {
    const schedule::variant whole = v_;
    v_.partial = false;  // the parts have nothing of the result
    if (cpu_)
      walk_on_cpu();
    else
      walk_on_gpu();
    v_ = whole;
  }

  void walk_on_gpu() {
    const int together = static_cast<int>(shape_.local) / size();
    out_.line("local {} pairs[2][{}];", {codegen::vector_type(type_, 2), shape_.local});
    out_.line("local {} roots[{}], scales[{}];", {type(), shape_.local, shape_.local});
    out_.line("const uint lane = get_local_id(0), own = lane % {}, top = lane - own;", {size()});
    out_.line("const long block = (long)get_group_id(0) * {} + top / {}, first_col = block * rows;",
              {together, size()});
    out_.line("const bool exists = block < count && own < rows;");
    codegen::value_emitter values = start_epilogue();
    out_.line("{} row[{}];", {type(), size()});
    out_.line("local {}* roots_of_own = roots + top;", {type()});
    loop("q", size(), unrolls());
    out_.line("const long own_row = own, own_col = first_col + q;");
    out_.line("{} value = own == q ? 1 : 0;", {type()});
    out_.open("if (exists && q <= own)");
    const std::string text = element(0, "own_row", "own_col");
    out_.line("value = {};", {text});
    out_.close();
    out_.line("row[q] = value;");
    out_.close();
    eliminate_by_rows(out_, {.type = type(),
                             .width = size(),
                             .unrolled = unrolls(),
                             .pair = "pairs[k / 2 % 2] + top",
                             .tell = "both[own]",
                             .first = "own == 0",
                             .roots = "roots_of_own",
                             .same_rounds = unrolls()});
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.open("if (own == 0 && exists)");
    out_.line("uint k = 0;");
    out_.line("while (k < rows && roots[top + k] > 0) ++k;");
    out_.line("p0[2 * block] = k < rows ? k + 1 : 0;");
    out_.line("p0[2 * block + 1] = k < rows ? roots[top + k] : 0;");
    out_.close();
    out_.line("const {} pivot = roots[lane], root = pivot > 0 ? sqrt(pivot) : ({})(NAN);", {type(), type()});
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.line("roots[lane] = root;");
    out_.line("scales[lane] = 1 / root;");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    loop("q", size(), unrolls());
    out_.open("if (exists && q < rows)");
    out_.line("const long i = own, j = first_col + q;");
    out_.line("const {} r0 = q > own ? 0 : q == own ? roots[top + q] : row[q] * scales[top + q];", {type()});
    finish_elements(values, "r0", 1);
    out_.close();
    out_.close();
  }

  void walk_on_cpu() {
    const char* memory = v_.choices[1] != 0 ? "local " : "";
    out_.line("{}{} d[{}] __attribute__((aligned(64)));", {memory, type(), size() * size()});
    out_.line("{} scales[{}];", {type(), size()});
    codegen::value_emitter values = start_epilogue();
    out_.line("const long first_block = get_group_id(0) * share;");
    out_.line("const long end_block = min(first_block + share, count);");
    out_.open("for (long block = first_block; block < end_block; ++block)");
    out_.line("const long first_col = block * rows;");
    out_.open("for (int q = 0; q < {}; ++q)", {size()});
    out_.line("for (int r = 0; r < {}; ++r) d[r + q * {}] = r == q;", {size(), size()});
    out_.close();
    out_.open("for (int q = 0; q < rows; ++q)");
    out_.open("for (int r = q; r < rows; ++r)");
    out_.line("const long row = r, col = first_col + q;");
    const std::string text = element(0, "row", "col");
    out_.line("d[r + q * {}] = {};", {size(), text});
    out_.close();
    out_.close();
    out_.line("int bad = 0;");
    out_.line("{} bad_pivot = 0;", {type()});
    eliminate_in_vectors(out_, type_, v_.width, size(), memory, [&] {
      out_.open("if (!(pivot > 0) && bad == 0 && k < rows)");
      out_.line("bad = k + 1;");
      out_.line("bad_pivot = pivot;");
      out_.close();
    });
    out_.line("p0[2 * block] = bad;");
    out_.line("p0[2 * block + 1] = bad_pivot;");
    store_on_cpu(values);
    out_.close();
  }

  void store_on_cpu(codegen::value_emitter& values) {
    const int lanes = epilogue_lanes();
    const auto visit = [&](const char* end, int width, const std::string& value) {
      out_.open("for (; i + {} <= {}; i += {})", {width, end, width});
      out_.line("const {} r0 = {};", {codegen::vector_type(type_, width), value});
      finish_elements(values, "r0", width);
      out_.close();
    };
    out_.open("for (int q = 0; q < rows; ++q)");
    out_.line("const long j = first_col + q;");
    out_.line("long i = 0;");
    visit("q", 1, "0");
    if (lanes > 1) visit("rows", lanes, codegen::fill("vload{}(0, d + i + q * {})", {lanes, size()}));
    visit("rows", 1, codegen::fill("d[i + q * {}]", {size()}));
    out_.close();
  }

  void finish() override {
    declare_part(0, false);
    declare_part(1, true);
    add_size("count");
    const std::int64_t lanes = shape_.local;
    out_.line("const uint lane = get_local_id(0);");
    out_.line("long found = count;");
    out_.open("for (long block = lane; block < count && found == count; block += {})", {lanes});
    out_.line("if (p0[2 * block] != 0) found = block;");
    out_.close();
    if (!cpu_) {
      out_.line("local long all[{}];", {lanes});
      out_.line("all[lane] = found;");
      out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
      out_.line("if (lane == 0) for (uint k = 1; k < {}; ++k) found = min(found, all[k]);", {lanes});
    }
    out_.open("if (lane == 0)");
    out_.line("const bool failed = found < count;");
    out_.line("((global long*)p1)[0] = failed ? found * {} + (long)p0[2 * found] : 0;", {pivots});
    out_.line("p1[{}] = failed ? p0[2 * found + 1] : 0;", {8 / static_cast<int>(size_of(type_))});
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

FUSECL_INLINE double flops(const plan& p, const step& s, std::span<const std::int64_t> extents) {
  const factor_sizes sizes = factors_of(p, s, extents);
  const auto n = static_cast<double>(sizes.rows);
  return n * n * n / 3 * static_cast<double>(sizes.count);
}

}  // namespace batched_cholesky_walk

inline constexpr step_kind batched_cholesky{kind_order::batched_cholesky,
                                            "batched_cholesky",
                                            "Cholesky factors of many matrices, a row to a work-item",
                                            batched_cholesky_walk::takes,
                                            batched_cholesky_walk::shape,
                                            batched_cholesky_walk::emit,
                                            batched_cholesky_walk::flops};

}  // namespace fusecl::kinds
