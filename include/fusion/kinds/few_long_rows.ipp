#pragma once
// Reductions along few, long rows on a CPU, by vectors along the memory: as many columns as a vector has
// lanes are as many vectors as there are rows, each with an accumulator whose lanes are of rows that the text
// knows. Tiles of rows (rows.ipp) took single elements there: 2.2 ms for the sum of one row of 1e6, against
// 0.08 so.

#include <algorithm>

#include <fusion/codegen/reducing_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/few_rows_vectors.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace few_long_rows_walk {

using schedule::device_form, schedule::divide_up, schedule::geometry, schedule::launch_request,
    schedule::leave_parts, schedule::plan, schedule::round_up, schedule::step;

// Elements from which on a text for each number of rows is worth building.
inline constexpr std::int64_t least_elements = 2048;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  const bool reduces_rows = s.reduces && s.axis == ir::axis::row && s.stores.empty();
  return p.form == device_form::cpu && reduces_rows && !s.is_tile() && !s.scans && !s.maps && !s.linear &&
         s.part == matrix_cl_view::Entire && s.cols != ir::one;
}

/// Blocks of columns that have accumulators of their own: additions overlap where rows are too few for that.
FUSECL_INLINE std::int64_t blocks_at_a_time(const launch_request& r) {
  return divide_up(cpu_accumulators(r.s, r.width), r.rows());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols(), width = r.width;
  const bool fits = r.padded && width > 1 && rows > 0 && rows <= most_few_rows && cols >= width;
  if (!fits || rows * cols < least_elements ||
      r.s.flops * static_cast<double>(rows) > most_flops_of_few_rows) {
    g.groups = does_not_fit;
    return g;
  }
  const std::int64_t most = std::max<std::int64_t>(rows * cols / (2 * cpu_part), 1);
  const std::int64_t blocks = blocks_at_a_time(r), wanted = std::min(cpu_turns(r.device), most);
  const std::int64_t col_tile = round_up(divide_up(cols, wanted), width * blocks);
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(rows);
  g.kernel.choices[1] = static_cast<std::uint16_t>(blocks);
  g.groups = divide_up(cols, col_tile);
  g.sizes = {{"rows", rows}, {"cols", cols}, {"col_tile", col_tile}};
  leave_parts(g, r, g.groups, 1);
  if (rows == 1) schedule::let_last_group_finish(g.kernel, r.device, g.kernel.partial);
  return g;
}

class emitter final : public codegen::detail::reducing_emitter {
 public:
  using reducing_emitter::reducing_emitter;

 private:
  int rows() const { return v_.choices[0]; }
  int blocks() const { return v_.choices[1]; }
  int vectors() const { return rows() * blocks(); }
  int columns() const { return v_.width * blocks(); }

  void walk() override {
    for (const char* name : {"rows", "cols", "col_tile"}) add_size(name);
    codegen::value_emitter values = domain_emitter();
    out_.line("const long begin = {};", {codegen::detail::group_of("* col_tile")});
    out_.line("const long end = min(begin + col_tile, cols);");
    start(values);
    declare_several("_v", v_.width, vectors());
    declare_several("_s", 1, rows());
    out_.line("long j = begin;");
    whole_blocks(values);
    single_columns(values);
    fold_rows();
  }

  /// One accumulator, too, is an array: the text asks for it by number.
  void declare_several(const char* suffix, int lanes, int count) {
    std::string clear;
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      const ir::node& n = g_[s_.reductions[k]];
      out_.line("{} r{}{}[{}];", {codegen::vector_type(n.type, lanes), k, suffix, count});
      clear += codegen::fill("r{}{}[k] = {}; ", {k, suffix, codegen::detail::neutral_text(n)});
    }
    out_.raw("#pragma unroll\n");
    out_.line("for (int k = 0; k < {}; ++k) { {}}", {count, clear});
  }

  /// Reductions that are accumulated beside others have accumulators for a few vectors each (visit_whole).
  void whole_blocks(codegen::value_emitter& values) {
    const bool few = has_running();
    if (few) {
      out_.open("while (j + {} <= end)", {columns()});
      out_.line("const long until = min(j + {}, end);", {few_vectors * columns()});
      declare_several("_few", v_.width, vectors());
    }
    out_.open("for (; j + {} <= {}; j += {})", {columns(), few ? "until" : "end", columns()});
    if (blocks() == 1)
      one_block(values, few ? "_few" : "_v", 0);
    else
      for (int block = 0; block < blocks(); ++block) next_block(values, few ? "_few" : "_v", block);
    out_.close();
    if (!few) return;
    out_.raw("#pragma unroll\n");
    out_.open("for (int k = 0; k < {}; ++k)", {vectors()});
    merge("r{}_v[k]", "r{}_few[k]", v_.width);
    out_.close();
    out_.close();
  }

  void next_block(codegen::value_emitter& values, const char* suffix, int block) {
    out_.open();
    out_.line("const long first = j + {};", {block * v_.width});
    out_.open();
    out_.line("const long j = first;");
    one_block(values, suffix, block);
    out_.close();
    out_.close();
  }

  void one_block(codegen::value_emitter& values, const char* suffix, int block) {
    for (int number = 0; number < rows(); ++number) {
      if (rows() > 1) out_.open();
      const few_rows_vector own = {rows(), v_.width, number};
      codegen::access how = own.access();
      how.in_order = true;
      const std::string first = rows() == 1 ? "j" : codegen::fill("j * {} + {}", {rows(), number * v_.width});
      after_what_it_mentions({"e"}, codegen::fill("const long e = {};", {first}), [&] {
        values.begin(how);
        list_of<std::string> added;
        add_up(values, added);
        accumulate(added, suffix, codegen::fill("[{}]", {block * rows() + number}).c_str(), v_.width);
      });
      if (rows() > 1) out_.close();
    }
  }

  void single_columns(codegen::value_emitter& values) {
    out_.open("for (; j < end; ++j)");
    out_.open("for (long i = 0; i < rows; ++i)");
    visit(values, 1, "_s", "[i]");
    out_.close();
    out_.close();
  }

  /// The lanes of all accumulators go to the rows that they are of.
  void fold_rows() {
    for (int block = 1; block < blocks(); ++block)
      for (int number = 0; number < rows(); ++number)
        merge(codegen::fill("r{}_v[{}]", {"{}", number}),
              codegen::fill("r{}_v[{}]", {"{}", block * rows() + number}), v_.width);
    for (std::size_t k = 0; k < s_.reductions.size(); ++k) {
      out_.line("{} r{}_all[{}];", {{g_[s_.reductions[k]].type, 1}, k, rows() * v_.width});
      for (int number = 0; number < rows(); ++number)
        out_.line("vstore{}(r{}_v[{}], {}, r{}_all);", {v_.width, k, number, number, k});
    }
    out_.open("for (long i = 0; i < rows; ++i)");
    for (std::size_t k = 0; k < s_.reductions.size(); ++k)
      out_.line("{} r{} = r{}_s[i];", {{g_[s_.reductions[k]].type, 1}, k, k});
    out_.open("for (long k = i; k < {}; k += rows)", {rows() * v_.width});
    merge("r{}", "r{}_all[k]", 1);
    out_.close();
    finish_results("get_group_id(0)", "i", 1);
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace few_long_rows_walk

inline constexpr step_kind few_long_rows{kind_order::few_long_rows,
                                         "few_long_rows",
                                         "as many columns of few, long rows at a time as a vector has lanes",
                                         few_long_rows_walk::takes,
                                         few_long_rows_walk::shape,
                                         few_long_rows_walk::emit};

}  // namespace fusecl::kinds
