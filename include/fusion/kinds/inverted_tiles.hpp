#pragma once
// What kernels share that begin with the inverses of the tiles on the diagonal of a triangular matrix.

#include <fusion/kinds/rounds_emitter.hpp>

namespace fusecl::kinds {

class inverting_emitter : public rounds_emitter {
 public:
  using rounds_emitter::rounds_emitter;

 protected:
  /// Writes the function that inverts a lower triangular tile by substitution; above the diagonal it has
  /// zeros.
  void declare_inversion() {
    codegen::writer body(1);
    if (cpu_) {
      body.open("for (int q = 0; q < {}; ++q)", {size()});
      body.line("for (int r = 0; r < {}; ++r) x[r + q * {}] = r == q ? 1 : 0;", {size(), leading()});
      body.close();
      body.open("for (int k = 0; k < {}; ++k)", {size()});
      body.line("const {} pivot = d[k + k * {}];", {type(), leading()});
      body.open("for (int q = 0; q <= k; ++q)");
      body.line("const {} value = x[k + q * {}] / pivot;", {type(), leading()});
      body.line("x[k + q * {}] = value;", {leading()});
      body.line("for (int r = k + 1; r < {}; ++r)", {size()});
      body.line("  x[r + q * {}] = fma(-d[r + k * {}], value, x[r + q * {}]);",
                {leading(), leading(), leading()});
      body.close();
      body.close();
    } else {  // a column of the inverse each
      body.open("for (uint q = lane; q < {}; q += {})", {size(), shape_.local});
      body.open("for (uint r = 0; r < {}; ++r)", {size()});
      body.line("{} sum = r == q ? 1 : 0;", {type()});
      body.line("for (uint k = q; k < r; ++k) sum = fma(-d[r + k * {}], x[k + q * {}], sum);",
                {leading(), leading()});
      body.line("x[r + q * {}] = r < q ? 0 : sum / d[r + r * {}];", {leading(), leading()});
      body.close();
      body.close();
    }
    text::append(helpers_,
                 "static inline __attribute__((always_inline)) void invert_tile(\n"
                 "    local const {}* d, local {}* x, uint lane) {\n{}}\n\n",
                 {type(), type(), body.text()});
  }
};

}  // namespace fusecl::kinds
