// Building programs: once, with complete errors, never after freeze().

#include <barrier>
#include <thread>

#include <support/messages.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::build_program;
using runtime::program_request;
using test::contains;

const std::string text = "kernel void one(global int* a) { a[get_global_id(0)] = 1; }\n";

/// A source no other test and no earlier run of this one has built.
program_request new_request(const std::string& name) {
  static int serial = 0;
  return {name, text + "// " + std::to_string(getpid()) + "." + std::to_string(serial++) + "\n", ""};
}

class Program : public ::testing::Test {
  test::scoped_variable cache_off_{"FUSECL_CACHE", "0"};
};

TEST_F(Program, IsBuiltOnceAndThenFoundInMemory) {
  const program_request request = new_request("one");
  const auto before = runtime_counters();
  const cl::Program first = build_program(request);
  EXPECT_EQ(build_program(request)(), first());
  EXPECT_EQ((runtime_counters() - before).programs_built, 1u);
}

TEST_F(Program, DependsOnItsOptions) {
  program_request request = new_request("one");
  const cl::Program plain = build_program(request);
  request.options = "-D SOMETHING=1";
  EXPECT_NE(build_program(request)(), plain());
}

TEST_F(Program, AskedForByManyThreadsIsBuiltOnce) {
  const program_request request = new_request("one");
  std::atomic<std::uint64_t> built{0};
  std::barrier start(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      build_program(request);
      built += runtime_counters().programs_built;
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(built, 1u);
}

TEST_F(Program, BuildErrorHoldsEverythingToReportIt) {
  const program_request bad{"broken", "kernel void broken() {\n  undeclared_thing = 3;\n}\n", "-D CHOICE=7"};
  try {
    build_program(bad);
    FAIL() << "no exception";
  } catch (const build_error& e) {
    const std::string message = e.what();
    EXPECT_TRUE(contains(message, "kernel broken does not build")) << message;
    EXPECT_TRUE(contains(message, "options: -D CHOICE=7"));
    EXPECT_TRUE(contains(message, opencl_context.capabilities().name));
    EXPECT_TRUE(contains(message, opencl_context.capabilities().driver));
    EXPECT_TRUE(contains(message, "    2 |   undeclared_thing = 3;\n"));
    EXPECT_TRUE(contains(e.log(), "undeclared_thing"));
    EXPECT_EQ(e.source(), bad.source);
  }
}

TEST_F(Program, FailureIsReportedEachTimeAndHarmsNothing) {
  const program_request bad{"broken", "kernel void broken() { nonsense; }", ""};
  EXPECT_THROW(build_program(bad), build_error);
  EXPECT_THROW(build_program(bad), build_error);
  EXPECT_NO_THROW(build_program(new_request("one")));
  test::device_array<int> array({1, 2});
  EXPECT_EQ(array.read(), (std::vector<int>{1, 2}));
}

TEST_F(Program, AfterFreezeOnlyKnownProgramsAreHad) {
  const program_request known = new_request("known"), fresh = new_request("fresh");
  std::shared_ptr<const void> use;
  build_program(known, use, runtime::selected());
  freeze();
  EXPECT_TRUE(frozen());
  EXPECT_NO_THROW(build_program(known));
  try {
    build_program(fresh);
    ADD_FAILURE() << "no exception";
  } catch (const frozen_error& e) {
    EXPECT_TRUE(contains(e.what(), "fresh")) << e.what();
  }
  unfreeze();
  EXPECT_NO_THROW(build_program(fresh));
}

TEST_F(Program, AfterFreezeTheErrorHoldsTheStatement) {
  program_request request = new_request("one");
  request.source = "// about nothing\n\n// y0 = exp(x0)\n//      + x1\n" + request.source;
  freeze();
  try {
    build_program(request);
    ADD_FAILURE() << "no exception";
  } catch (const frozen_error& e) {
    EXPECT_TRUE(contains(e.what(), "after freeze(): y0 = exp(x0)")) << e.what();
    EXPECT_FALSE(contains(e.what(), "about nothing")) << e.what();
  }
  unfreeze();
}

TEST_F(Program, TextGoesToTheDirectoryAskedFor) {
  const test::scratch_directory directory;
  const test::scoped_variable show("FUSECL_SHOW_KERNELS", directory.path / "kernels");
  const program_request request = new_request("shown");
  build_program(request);
  const auto files = directory.files(".cl");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files[0].filename().string().starts_with("shown_"));
  EXPECT_TRUE(contains(test::read_file(files[0]), request.source));
}

TEST_F(Program, TextGoesToStderr) {
  const test::scoped_variable show("FUSECL_SHOW_KERNELS", "stderr");
  const program_request request = new_request("shown");
  ::testing::internal::CaptureStderr();
  build_program(request);
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStderr(), request.source));
}

TEST_F(Program, TextGoesNowhereOrToStderrBySwitch) {
  for (const auto& [word, shown] : {std::pair("1", true), {"on", true}, {"0", false}, {"off", false}}) {
    const test::scoped_variable show("FUSECL_SHOW_KERNELS", word);
    const program_request request = new_request("shown");
    ::testing::internal::CaptureStderr();
    build_program(request);
    EXPECT_EQ(contains(::testing::internal::GetCapturedStderr(), request.source), shown) << word;
    EXPECT_FALSE(std::filesystem::exists(word)) << word;
  }
}

TEST_F(Program, FolderThatCannotHaveTheTextIsAnError) {
  const test::scratch_directory directory;
  test::write_file(directory.path / "file", "");
  const program_request request = new_request("shown");
  for (const std::string& folder : {(directory.path / "file").string(), std::string("/proc/nowhere")}) {
    const test::scoped_variable show("FUSECL_SHOW_KERNELS", folder);
    try {
      build_program(request);
      ADD_FAILURE() << "no exception";
    } catch (const error& e) {
      EXPECT_TRUE(contains(e.what(), "FUSECL_SHOW_KERNELS: " + folder + "/shown_")) << e.what();
      EXPECT_TRUE(contains(e.what(), "cannot be written")) << e.what();
    }
  }
  EXPECT_NO_THROW(build_program(request));
}

TEST(NumberedSource, CountsFromOne) {
  EXPECT_EQ(runtime::numbered("a\n\nb"), "    1 | a\n    2 | \n    3 | b\n");
  EXPECT_EQ(runtime::numbered(""), "");
}

TEST(Kernel, OfAMissingFunctionIsAnErrorNamingIt) {
  runtime::kernel missing(new_request("program_name"), "no_such_function");
  try {
    missing.handle();
    FAIL() << "no exception";
  } catch (const std::invalid_argument& e) {
    EXPECT_TRUE(contains(e.what(), "no_such_function")) << e.what();
    EXPECT_TRUE(contains(e.what(), "one")) << e.what();
  }
}

TEST(Kernel, HasAnObjectPerThreadAndGeneration) {
  runtime::kernel one(new_request("one"));
  cl_kernel mine = one.handle(), other = nullptr;
  EXPECT_EQ(one.handle(), mine);
  std::thread([&] { other = one.handle(); }).join();
  EXPECT_NE(other, mine);
  test::select_same_device();
  cl_context context = nullptr;
  clGetKernelInfo(one.handle(), CL_KERNEL_CONTEXT, sizeof(context), &context, nullptr);
  EXPECT_EQ(context, opencl_context.context()());
}

}  // namespace
}  // namespace fusecl
