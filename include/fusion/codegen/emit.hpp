#pragma once
// OpenCL C text of a step: one kernel that walks the domain and, where groups leave partial results that the
// last of them cannot finish, a second one that does. Both are in one program.

#include <string>
#include <vector>

#include <fusion/schedule/geometry.hpp>

namespace fusecl::codegen {

/// What a kernel argument is; sizes are fields of schedule::geometry or of the domain.
enum class argument_kind : std::uint8_t {
  operand,
  target,
  temporary,
  partial,
  arrivals,  ///< how many groups have left their partial results; these and those before it are buffers
  scalar,
  extent,  ///< a size of the statement, by symbol
  count,
  elements,
  chunk,
  rows,
  cols,
  row_tile,
  col_tile,
  results,
  parts,
  size,         ///< schedule::geometry::sizes[number]
  finish_size,  ///< schedule::geometry::finish_sizes[number]
  row_tiles,
  lanes,
  half,
  finish_lanes,
  finish_half  ///< these are uint, the sizes before them long
};

struct argument {
  argument_kind kind;
  std::int64_t number = 0;
  bool written = false;
  friend bool operator==(const argument&, const argument&) = default;
};

struct kernel_text {
  std::string name;
  std::vector<argument> arguments;
};

struct program_text {
  std::string source;
  kernel_text main;
  kernel_text finish;  ///< no name where the variant needs none
};

/// Text of step `number` of `p` in the variant of `shape`. Vector forms keep `group` work-items a group.
program_text emit_step(const schedule::plan& p, std::size_t number, const schedule::geometry& shape);

}  // namespace fusecl::codegen

#ifndef FUSECL_SPLIT
#include <fusion/codegen/emit.ipp>
#endif
