#pragma once
// Launch geometry of a step for given sizes: which variant of its kernel, how many groups, which tiles.
// Sizes never change the text, except through the few fields of `variant`.

#include <span>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// What the choice depends on besides the sizes.
struct device_shape {
  device_form form = device_form::gpu;
  std::int64_t compute_units = 1;
  std::int64_t group = 256;  ///< work-items a group on a GPU; a power of two
  int vector_bytes = 64;     ///< bytes of an explicit vector on a CPU
  int access_bytes = 16;     ///< bytes a work-item of a GPU loads at once; at least one element
  bool streams = false;      ///< the compiler has stores that bypass the caches, and prefetches (PoCL)
  bool last_group = false;   ///< a group sees what those wrote that counted themselves before it did
  bool shuffles = false;     ///< work-items of a warp of 32 exchange values by PTX (NVIDIA)
  bool tensor_cores =
      false;  ///< a warp multiplies doubles 16 x 4 by 4 x 8 faster than its work-items do (NVIDIA)
  bool async_copies = false;  ///< copies to local memory go on beside other work by PTX (NVIDIA, from 8.0)
  std::int64_t shown_bytes = 32768;  ///< local memory that groups were seen to have, `local_bytes` or more
  std::int64_t local_bytes = 32768;  ///< local memory of a group
  std::int64_t largest_group = 256;  ///< work-items a group may have
  std::int64_t tile_bytes = 960;     ///< registers of a work-item that hold parts of a tile, at most
  std::int64_t loop_rounds = 0;  ///< of all loops of a work-item, after which the driver ends them; 0: never

  /// Whether texts of kernels may have PTX.
  bool takes_ptx() const { return shuffles && form == device_form::gpu; }
  /// Of the local memory: what else the text of a kernel declares has the rest.
  std::int64_t bytes_for_tiles() const { return local_bytes * 7 / 8; }
};

/// When a work-item of a GPU loads the rows of a tile.
enum class tile_fetch : std::uint8_t {
  at_start,  ///< of it
  ahead,     ///< while the tile before is computed, to registers of their own
  in_place   ///< while the tile before is computed, to the registers whose columns are done with
};

/// How groups of a GPU go through the rows of a tile.
enum class tile_walk : std::uint8_t {
  registers,  ///< work-items hold its elements
  twice,      ///< they read it by rows, and again by columns
  products,   ///< tensor cores multiply it, from local memory
  team        ///< several groups share its rows, each with columns of its own
};

/// The part of a row tile's geometry that is compiled into its kernel.
struct tile_variant {
  static constexpr std::size_t most_extents = 3;
  tile_walk walk = tile_walk::registers;     ///< (GPU)
  std::uint16_t lanes = 0;                   ///< vectors of rows of a tile (GPU), or its rows (CPU)
  std::uint16_t slots = 0;                   ///< work-items of a group that share a row (GPU)
  std::uint16_t team = 1;                    ///< groups that share a row (GPU)
  std::uint16_t columns[most_extents] = {};  ///< columns of a work-item, by extent of the step (GPU)
  tile_fetch fetch = tile_fetch::at_start;
  bool shuffles = false;      ///< work-items of a warp exchange values without local memory
  std::uint8_t finished = 1;  ///< results that a group which finishes columns has side by side (GPU)
  bool chains = false;        ///< slots have row chains of their own (GPU)
  bool shares_rows = false;   ///< slots share out the rows whose functions they compute (GPU)
  std::uint16_t rows = 0;     ///< of a tile that is read twice or multiplied (GPU)
  // Of a tile that tensor cores multiply, which is in local memory with `columns[0]`, of which the last ones
  // are zero; `slots` tiles of 16 of them have sums (GPU).
  bool pairs = false;                ///< it is copied two rows at a time
  bool shares_coefficients = false;  ///< which a group has in local memory then, not in registers
  std::uint8_t most_registers = 0;   ///< of a work-item, so that groups find room beside others, or 0 (GPU)
  bool brings = false;               ///< columns that are read next are brought to the caches (CPU)
  bool whole_passes = false;         ///< there are as many columns as passes take (CPU)
  /// Whether functions of its rows are computed apart from the columns that they follow from and lead to.
  bool has_rows_apart() const { return walk == tile_walk::twice || walk == tile_walk::products; }
  friend bool operator==(const tile_variant&, const tile_variant&) = default;
};

/// The part of a geometry that is compiled into a kernel.
struct variant {
  const kinds::step_kind* kind = nullptr;  ///< of the step
  std::uint8_t width = 1;                  ///< elements a work-item handles at once
  bool ragged = false;                     ///< the domain (or its columns) does not divide into whole vectors
  bool distinct = false;                   ///< no result shares memory with an operand: loads may pass stores
  bool streaming = false;         ///< results are far larger than the caches: stores bypass them (CPU)
  bool partial = false;           ///< groups leave partial results
  bool last = false;              ///< which the last of them adds, instead of a finishing kernel
  bool by_ptx = false;            ///< texts may have PTX, as what orders what groups write before that (GPU)
  std::uint8_t accumulators = 1;  ///< of a work-item for each reduction (CPU), or columns it adds at a time
  // tiled kernels without reductions on a GPU, where every work-item takes the next vector of the domain
  bool crossing = false;  ///< columns do not divide into whole vectors: a vector may end in the next column
  bool blocks = false;    ///< blocks of rows in turn
  bool large = false;     ///< elements are counted in 64 bits
  tile_variant tile = {};
  std::uint16_t choices[4] = {};  ///< of the kind of step, which alone knows what they mean
  friend bool operator==(const variant&, const variant&) = default;
};

/// A number that the texts of a step's kernels may take as an argument.
struct named_size {
  std::string name;
  std::int64_t value;
  bool narrow = false;  ///< uint in the text instead of long
};

struct geometry {
  variant kernel;
  std::int64_t groups = 0;  ///< none: there is nothing to do; negative: the step does not fit the sizes
  std::int64_t local = 1;   ///< work-items a group
  std::int64_t finish_groups = 0;  ///< of the finishing kernel
  /// Of the parts of each reduction, where groups leave parts; of each piece of an opaque step's workspace.
  list_of<std::int64_t> part_elements;
  /// Of one buffer that has the parts of all reductions, or 0 where each has a buffer of its own. The size
  /// "apart<e>" is then the bytes from one reduction of section e to the next. To a driver each buffer of a
  /// kernel costs time (H200, an ordered regression with 17 reductions: 20 us to enqueue a kernel, 12.5 with
  /// 27 arguments less).
  std::int64_t bytes_together = 0;
  /// Groups of each launch of the main kernel, which takes the number of the launch as the size "round";
  /// empty where one launch with `groups` is all.
  list_of<std::int64_t> round_groups;
  /// Whether groups of a launch hand elements to each other, in memory that the queue keeps.
  bool hands_on = false;
  /// Whether they exchange elements, in other memory that it keeps.
  bool exchanges = false;
  /// Throws where what kernels have left in the last part, which the host reads at its next wait, says that
  /// the step could not be done; null for steps that always can.
  void (*failed)(const void* part) = nullptr;
  /// What kernels take; names and their order are the same for all sizes of a variant.
  list_of<named_size> sizes;

  /// Position of a size that the kind of step has.
  std::size_t number_of(std::string_view name) const;
  std::int64_t size(std::string_view name) const { return sizes[number_of(name)].value; }
};

/// What a geometry is chosen for. `padded`: every buffer may be touched up to the next whole vector.
/// `distinct`: no result shares memory with an operand.
struct launch_request {
  const plan& p;
  const step& s;
  const device_shape& device;
  std::span<const std::int64_t> extents;  ///< run-time sizes, negative where free
  int width = 1;                          ///< `widest` of the step
  bool padded = true;
  bool distinct = true;

  std::int64_t size(ir::extent e) const { return p.size_of(e, extents); }
  std::int64_t rows() const { return size(s.rows); }
  std::int64_t cols() const { return size(s.cols); }
  bool on_cpu() const { return device.form == device_form::cpu; }
};

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

/// Where groups hand elements to each other: numbers of 32 bits before these, and elements at most. All bits
/// are set between kernels, and a kernel that changes any sets them again.
inline constexpr std::int64_t head_of_handed_on = 16, most_handed_on = 8192;

/// Where teams of groups exchange elements: numbers of 32 bits before these, and elements at most, 16 bytes
/// each. All are zero at first; between kernels the first two numbers are, and no element has a tag that is
/// greater than the third number.
inline constexpr std::int64_t head_of_exchanged = 16, most_exchanged = 65536;
inline constexpr std::size_t bytes_exchanged = 4 * head_of_exchanged + 16 * most_exchanged;

/// Results that a work-item of a finishing kernel on a CPU completes.
inline constexpr std::int64_t cpu_finish_tile = 1024;

/// Takes room for the parts of the reductions of section `e`, `each` elements a reduction: in one buffer
/// where the step has several reductions.
void take_parts(geometry& g, const launch_request& r, std::size_t e, std::size_t reductions,
                std::int64_t each);

/// Bytes of the parts of the reduction, or of the piece of a workspace, with the number `part`.
inline std::int64_t bytes_of_part(const plan& p, const step& s, const geometry& g, std::size_t part) {
  return g.part_elements[part] * static_cast<std::int64_t>(size_of(type_of_part(p, s, part)));
}

/// First stride of a tree that combines `count` values: half of the next power of two.
std::int64_t first_stride(std::int64_t count);

/// Largest number of elements a work-item of this step handles at once on this device.
int widest(const plan& p, const step& s, const device_shape& device);

/// Counters of groups that have arrived which a kernel may have.
inline constexpr std::int64_t most_arrivals = 4096;

/// Has the last group add what all have left, if it is `wanted` and the device lets a group see that.
void let_last_group_finish(variant& kernel, const device_shape& device, bool wanted);

/// Results of each reduction of a step.
std::int64_t result_count(const launch_request& r);
/// Completes the geometry of a step that reduces: `parts` partial results for each result, `tree` work-items
/// of a group whose accumulators are combined. Adds the sizes "results", "parts", "first_stride",
/// "finish_lanes" and "finish_stride".
void leave_parts(geometry& g, const launch_request& r, std::int64_t parts, std::int64_t tree);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/geometry.ipp>
#endif
