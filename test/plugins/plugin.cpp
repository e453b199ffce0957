// What a program loads: functions over matrices that it or another plugin made.

#include <fusion/fusion.hpp>

#define FUSECL_TEST_EXPORT extern "C" __attribute__((visibility("default")))

using matrix = fusecl::matrix_cl<float>;

FUSECL_TEST_EXPORT matrix* make_matrix(float value) {
  return new matrix(fusecl::constant(value, 300, 200) + 0.0f);
}
FUSECL_TEST_EXPORT void end_matrix(matrix* m) { delete m; }
FUSECL_TEST_EXPORT float sum_of(const matrix* m) { return fusecl::sum(*m + 0.5f); }
FUSECL_TEST_EXPORT void scale(matrix* m, float factor) { *m = *m * factor; }
FUSECL_TEST_EXPORT const void* runtime_of() { return &fusecl::runtime::selected_device; }
