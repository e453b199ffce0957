// `host` does not change its parameters.
// expect: `host` of a leaf takes the values of the result and of each operand
#include <fusion/fusion.hpp>

struct turned_pairs {
  static constexpr std::string_view name = "turned_pairs";
  static constexpr std::array<std::string_view, 1> parameters = {"a"};
  static constexpr std::size_t sized_as = 0;
  static std::int64_t tasks(fusecl::leaf_size, fusecl::leaf_size a) { return a.cols / 2; }
  static void host(fusecl::leaf_values& result, fusecl::leaf_values& a) { result(0, 0) = a(0, 0); }
  static constexpr std::string_view body = R"(
    for (long i = 0; i < rows; ++i) {
      result(i, 2 * task, a(i, 2 * task + 1));
      result(i, 2 * task + 1, a(i, 2 * task));
    })";
};

auto use(const fusecl::matrix_cl<double>& a) {
  return fusecl::matrix_cl<double>(fusecl::user_leaf<turned_pairs>(a));
}
