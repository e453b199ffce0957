#pragma once
// Launch geometry of a step for given sizes: which variant of its kernel, how many groups, which tiles.
// Sizes never change the text, except through the few fields of `variant`.

#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// Rows of a CPU row reduction that are accumulated side by side.
inline constexpr std::int64_t cpu_row_tile = 1024;
/// Results that a work-item of a finishing kernel on a CPU completes.
inline constexpr std::int64_t cpu_finish_tile = 1024;

/// What the choice depends on besides the sizes.
struct device_shape {
  device_form form = device_form::gpu;
  std::int64_t compute_units = 1;
  std::int64_t group = 256;  ///< work-items a group on a GPU; a power of two
  int vector_bytes = 64;     ///< bytes of an explicit vector on a CPU
  int access_bytes = 16;     ///< bytes a work-item of a GPU loads at once; at least one element
  bool streams = false;      ///< the compiler has stores that bypass the caches (PoCL)
  bool last_group = false;   ///< a group sees what those wrote that counted themselves before it did (PoCL)
  bool shuffles = false;     ///< work-items of a warp of 32 exchange values by PTX (NVIDIA)
  std::int64_t local_bytes = 32768;  ///< local memory of a group
  std::int64_t largest_group = 256;  ///< work-items a group may have
  std::int64_t tile_bytes = 960;     ///< registers of a work-item that hold parts of a tile, at most
};

/// The part of a row tile's geometry that is compiled into its kernel.
struct tile_variant {
  static constexpr std::size_t most_extents = 3;
  std::uint16_t lanes = 0;                   ///< vectors of rows of a tile (GPU), or its rows (CPU)
  std::uint16_t slots = 0;                   ///< work-items that share a row (GPU)
  std::uint16_t columns[most_extents] = {};  ///< columns of a work-item, by extent of the step (GPU)
  bool prefetch = false;                     ///< the next tile is loaded while the present one is computed
  bool shuffles = false;                     ///< work-items of a warp exchange values without local memory
  friend bool operator==(const tile_variant&, const tile_variant&) = default;
};

/// The part of a geometry that is compiled into a kernel.
struct variant {
  std::uint8_t width = 1;         ///< elements a work-item handles at once
  bool ragged = false;            ///< the domain (or its columns) does not divide into whole vectors
  bool distinct = false;          ///< no result shares memory with an operand: loads may pass stores
  bool streaming = false;         ///< results are far larger than the caches: stores bypass them (CPU)
  bool partial = false;           ///< groups leave partial results
  bool last = false;              ///< which the last of them adds, instead of a finishing kernel
  std::uint8_t accumulators = 1;  ///< of a work-item for each reduction (CPU), or columns it adds at a time
  // tiled kernels without reductions on a GPU, where every work-item takes the next vector of the domain
  bool crossing = false;  ///< columns do not divide into whole vectors: a vector may end in the next column
  bool blocks = false;    ///< blocks of rows in turn
  bool large = false;     ///< elements are counted in 64 bits
  tile_variant tile = {};
  friend bool operator==(const variant&, const variant&) = default;
};

struct geometry {
  variant kernel;
  std::int64_t groups = 0;
  std::int64_t local = 1;
  std::int64_t count = 0;      ///< linear, and tiled without reductions on a GPU: vectors in the domain
  std::int64_t chunk = 0;      ///< linear: vectors a group walks
  std::int64_t row_tile = 0;   ///< tiled: rows a group walks (in vectors on a GPU), or rows of a block
  std::int64_t col_tile = 0;   ///< tiled: columns a group walks
  std::int64_t row_tiles = 0;  ///< tiled: groups along the rows
  std::int64_t lanes = 1;      ///< tiled on a GPU: work-items of a group side by side along the rows
  std::int64_t tree = 1;       ///< work-items of a group whose accumulators are combined (GPU)
  std::int64_t results = 0;    ///< elements of each reduction's result
  std::int64_t parts = 1;      ///< partial results for each of them
  // the finishing kernel
  std::int64_t finish_groups = 0;
  std::int64_t finish_lanes = 1;
  // a row tile
  std::vector<std::int64_t> sizes;  ///< values of its kernel's size arguments, in their order
  std::vector<std::int64_t> finish_sizes;
  std::vector<std::int64_t> part_elements;  ///< of the parts of each reduction
};

/// Column extents of the phases of a row tile, in order of appearance.
std::vector<ir::extent> tile_extents(const step& s);
/// What a work-item of a GPU holds of an element of the tile, by column extent: bytes of operands, of values
/// live at once, and of accumulators.
struct tile_load {
  int operands = 0;
  int live = 0;
  int sums = 0;
};
std::vector<tile_load> tile_loads(const plan& p, const step& s);

/// First stride of a tree that combines `count` values: half of the next power of two.
std::int64_t first_stride(std::int64_t count);

/// Largest number of elements a work-item of this step handles at once on this device.
int widest(const plan& p, const step& s, const device_shape& device);

/// Geometry for a domain of rows x cols. `padded`: every buffer may be touched up to the next whole vector.
/// `distinct`: no result shares memory with an operand.
geometry choose_geometry(const step& s, int width, const device_shape& device, std::int64_t rows,
                         std::int64_t cols, bool padded, bool distinct);
/// The same for a row tile over `rows` rows, with `cols[k]` columns in the k-th extent of `tile_extents`;
/// `groups` is -1 where a tile of these sizes does not fit the device.
geometry choose_tile(const plan& p, const step& s, int width, const device_shape& device, std::int64_t rows,
                     const std::vector<std::int64_t>& cols, bool padded, bool distinct);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/geometry.ipp>
#include <fusion/schedule/row_tile.ipp>
#endif
