// Loads two plugins privately and exchanges matrices with them: program shares|apart FIRST SECOND. What comes
// back is right, or an exception that says why there is nothing.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

#include <fusion/fusion.hpp>

using matrix = fusecl::matrix_cl<float>;

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::printf("failed: %s\n", what);
}

struct plugin {
  explicit plugin(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) {
      std::printf("%s\n", dlerror());
      std::exit(1);
    }
    find(make_matrix, "make_matrix");
    find(end_matrix, "end_matrix");
    find(sum_of, "sum_of");
    find(scale, "scale");
    find(runtime_of, "runtime_of");
  }
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }
  void* handle;
  matrix* (*make_matrix)(float);
  void (*end_matrix)(matrix*);
  float (*sum_of)(const matrix*);
  void (*scale)(matrix*, float);
  const void* (*runtime_of)();
};

/// Whether the use throws what says that there are two copies.
template <class Use>
bool is_refused(Use use) {
  try {
    use();
  } catch (const fusecl::error& e) {
    return std::string(e.what()).find("another copy of FuseCL") != std::string::npos;
  }
  return false;
}

constexpr float elements = 300 * 200;

/// Passes matrices of one plugin to the other, many times: an order that is missing shows sooner or later.
void exchange(const plugin& from, const plugin& to) {
  matrix* m = from.make_matrix(1);
  if (from.runtime_of() == to.runtime_of()) {
    for (int round = 0; round < 50; ++round) {
      from.scale(m, 2);
      expect(to.sum_of(m) == 2.5f * elements, "the sum of what the other one scaled");
      to.scale(m, 0.5f);
      expect(from.sum_of(m) == 1.5f * elements, "the sum of what was scaled back");
    }
  } else {
    expect(is_refused([&] { to.sum_of(m); }), "reading what another copy made");
    expect(is_refused([&] { to.scale(m, 2); }), "changing what another copy made");
    expect(from.sum_of(m) == 1.5f * elements, "the matrix is as it was");
  }
  to.end_matrix(m);
}

int main(int, char** arguments) {
  const bool shares = std::string(arguments[1]) == "shares";
  const plugin first(arguments[2]), second(arguments[3]);
  const void* own = &fusecl::runtime::selected_device;
  if (shares) {
    expect(first.runtime_of() == own && second.runtime_of() == own, "one runtime for all");
  } else {
    expect(first.runtime_of() != own && second.runtime_of() != own, "a runtime of the plugins' own");
  }
  plugin self = first;  // the program's side, with its own functions
  self.make_matrix = [](float value) { return new matrix(fusecl::constant(value, 300, 200) + 0.0f); };
  self.end_matrix = [](matrix* m) { delete m; };
  self.sum_of = [](const matrix* m) { return static_cast<float>(fusecl::sum(*m + 0.5f)); };
  self.scale = [](matrix* m, float factor) { *m = *m * factor; };
  self.runtime_of = []() -> const void* { return &fusecl::runtime::selected_device; };
  exchange(self, first);
  exchange(first, self);
  exchange(first, second);
  exchange(second, first);
  const fusecl::pool_counts pool = fusecl::pool_statistics();
  expect(pool.blocks_in_use < 100 && pool.bytes_in_use < 1'000'000'000, "the pool counts its own blocks");
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
