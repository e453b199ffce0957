#pragma once
#include <fusion/codegen/emit.hpp>
#include <fusion/codegen/step_emitter.hpp>

namespace fusecl::codegen {

FUSECL_INLINE program_text emit_step(const schedule::plan& p, std::size_t number,
                                     const schedule::geometry& shape) {
  return detail::step_emitter(p, number, shape).run();
}

}  // namespace fusecl::codegen
