#pragma once
// Products of matrices of double on the tensor cores of NVIDIA's GPUs.

#include <span>

#include <fusion/kinds/copied_product.hpp>
#include <fusion/kinds/tensor_tile.hpp>

namespace fusecl::kinds {
namespace tensor_product_walk {

using schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return copied_product::takes(p, s, scalar_type::float64);
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const std::span<const copied_tile::tile> all(tiles);
  if (r.device.shown_bytes < longest_ring)
    return copied_product::shape(r, r.device.tensor_cores, all.first(first_of_longer), 0);
  geometry g = copied_product::shape(r, r.device.tensor_cores, all.subspan(first_of_longer), 0);
  g.kernel.choices[0] = static_cast<std::uint16_t>(g.kernel.choices[0] + first_of_longer);
  return g;
}

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) {
  return copied_product::emitter<tile_emitter<product_emitter>>(r, tiles[r.shape.kernel.choices[0]]).run();
}

}  // namespace tensor_product_walk

inline constexpr step_kind product_on_tensor_cores{
    kind_order::product_on_tensor_cores,
    "tensor_product",
    "a product of matrices on tensor cores, by tiles from slices copied ahead to local memory",
    tensor_product_walk::takes,
    tensor_product_walk::shape,
    tensor_product_walk::emit,
    flops_of_product};

}  // namespace fusecl::kinds
