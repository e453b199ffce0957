// The main of programs whose own takes no arguments, as those that pages show: answers --help, refuses what
// they would not look at, then runs theirs, which the linker renames (--wrap=main).

#include "../program.hpp"

extern "C" int __real_main();                       // NOLINT(bugprone-reserved-identifier)
extern "C" int __wrap_main(int argc, char** argv);  // NOLINT(bugprone-reserved-identifier)

int __wrap_main(int argc, char** argv) {
  CLI::App app(FUSECL_EXAMPLE_DESCRIPTION "\n", FUSECL_EXAMPLE_NAME);
  int code = 0;
  const int failed = example::run_program(app, argc, argv, [&] { code = __real_main(); });
  return failed != 0 ? failed : code;
}
