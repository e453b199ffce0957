#pragma once
// What kernels of batches of small matrices share. A batch has its matrices side by side; kernels count tiles
// of matrices, one matrix after the other, and name the matrix `block`.

#include <algorithm>
#include <cstdint>
#include <string>

#include <fusion/kinds/opaque_emitter.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {

/// The smallest power of two that is not below `size`, nor `least`, but at most `most`.
inline std::int64_t power_of_two(std::int64_t size, std::int64_t least, std::int64_t most) {
  std::int64_t power = least;
  while (power < size && power < most) power *= 2;
  return power;
}

class batched_emitter : public opaque_emitter {
 public:
  explicit batched_emitter(const codegen::emit_request& r) : opaque_emitter(r) { computes_operands_ = true; }

 protected:
  /// Sizes of the geometry that the kernel takes besides "rows" and "cols".
  virtual void add_own_sizes() = 0;

  void declare_all() override {
    for (const schedule::store& result : s_.epilogue) declare(result, 1);
    add_buffers(domain_, false, 1);
    add_buffers(after_, true, 1);
    for (int k = 0; k < ir::arity(g_[self_]); ++k) add_extents({g_[g_[self_].operands[k]].rows});
    for (const char* name : {"rows", "cols"}) add_size(name);
    add_own_sizes();
  }
};

}  // namespace fusecl::kinds
