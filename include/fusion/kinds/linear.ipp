#pragma once
// Element-wise steps whose operands are contiguous and of the domain's shape: one index for all of them.

#include <algorithm>

#include <fusion/codegen/step_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace linear_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Elements of a result that the caches of a CPU do not hold until it is read again.
inline constexpr std::int64_t streaming_elements = 4'000'000;

FUSECL_INLINE bool takes(const plan&, const step& s) { return s.linear && !s.is_tile() && !s.reduces; }

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t elements = r.rows() * r.cols();
  const std::int64_t width = r.padded && elements > 1 ? r.width : 1, count = divide_up(elements, width);
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.streaming = r.on_cpu() && r.device.streams && width > 1 && elements >= streaming_elements;
  g.local = r.on_cpu() ? 1 : r.device.group;
  const std::int64_t chunk =
      r.on_cpu() ? std::clamp(divide_up(count, cpu_turns(r.device)), 256 / width + 1, cpu_chunk / width)
                 : r.device.group;
  g.groups = divide_up(count, std::max<std::int64_t>(chunk, 1));
  g.sizes = {{"count", count}, {"chunk", chunk}};
  return g;
}

class emitter final : public codegen::detail::step_emitter {
 public:
  using step_emitter::step_emitter;

 private:
  void walk() override {
    using codegen::detail::group_of;
    add_size("count");
    if (cpu_) add_size("chunk");
    codegen::value_emitter values = domain_emitter();
    if (!cpu_) {
      out_.line("const long i = get_global_id(0);");
      out_.line("if (i >= count) return;");
      start(values);
      body(values, v_.width, "", "");
      return;
    }
    out_.line("const long begin = {};", {group_of("* chunk")});
    out_.line("const long end = min(begin + chunk, count);");
    start(values);
    out_.open("for (long i = begin; i < end; ++i)");
    visit(values, v_.width, "", "");
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace linear_walk

inline constexpr step_kind linear{kind_order::linear, "linear",           "one index over all elements",
                                  linear_walk::takes, linear_walk::shape, linear_walk::emit};

}  // namespace fusecl::kinds
