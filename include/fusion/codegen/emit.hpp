#pragma once
// OpenCL C text of a step: one kernel that walks the domain and, where groups leave partial results that the
// last of them cannot finish, a second one that does. Both are in one program.

#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/base/numbering.hpp>
#include <fusion/schedule/geometry.hpp>

namespace fusecl::codegen {

/// What a kernel argument is.
enum class argument_kind : std::uint8_t {
  operand,
  target,
  temporary,
  partial,
  handed_on,  ///< what groups of a launch hand to each other
  exchanged,  ///< what teams of its groups exchange
  arrivals,   ///< how many groups have left their partial results; these and those before it are buffers
  scalar,
  extent,  ///< a size of the statement, by symbol
  size     ///< schedule::geometry::sizes[number]
};

struct argument {
  argument_kind kind;
  std::int64_t number = 0;
  bool written = false;
  friend bool operator==(const argument&, const argument&) = default;
  friend std::size_t hash_of_key(const argument& a) { return hash_of_numbers(a.number, a.kind, a.written); }
};

struct kernel_text {
  std::string name;
  list_of<argument> arguments;
};

struct program_text {
  std::string source;
  kernel_text main;
  kernel_text finish;      ///< no name where the variant needs none
  int most_registers = 0;  ///< that a work-item may have, on NVIDIA's GPUs; 0: as many as the driver gives
};

/// A step whose text is wanted, and the variant. `prefix` starts the names of its kernels.
struct emit_request {
  const schedule::plan& p;
  std::size_t number;
  const schedule::geometry& shape;
  const char* prefix;
};

}  // namespace fusecl::codegen
