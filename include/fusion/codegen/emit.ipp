#pragma once
#include <fusion/codegen/emit.hpp>
#include <fusion/codegen/step_emitter.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen {

FUSECL_INLINE program_text emit_step(const schedule::plan& p, std::size_t number,
                                     const schedule::geometry& shape) {
  if (p.steps[number].walk == schedule::pattern::row_tile)
    return detail::tile_emitter(p, number, shape).run();
  return detail::step_emitter(p, number, shape).run();
}

}  // namespace fusecl::codegen
