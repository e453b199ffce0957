// Statements at the end of threads and of the program, and after fork().

#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <thread>

#include <fusion/autodiff/living_tapes.ipp>
#include <fusion/autodiff/var.hpp>
#include <fusion/fusion.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

const std::vector<float> numbers = {1, 2, 3, 4};

/// Uses the device in its destructor: a statement on the tape, one with a temporary, a number.
struct late_user {
  explicit late_user(float* result) : result_(result) {}
  late_user(const late_user&) = delete;
  ~late_user() {
    try {
      const matrix_cl<float> a(numbers);
      var_value<matrix_cl<float>> x(a);
      var total = sum(elt_multiply(x, x));
      total.grad();
      *result_ = sum(x.adj() - rowwise_broadcast(rowwise_sum(a))) + static_cast<float>(total.val());
    } catch (const error& e) {
      std::printf("late_user: %s\n", e.what());
      *result_ = -1;
    }
  }
  float* result_;
};

TEST(EndOfAThread, ObjectsOfTheThreadMayUseTheDevice) {
  for (bool device_first : {false, true}) {
    float first = 0, second = 0;
    std::thread([&] {
      const matrix_cl<float> a(numbers);
      if (device_first) static_cast<void>(static_cast<float>(sum(a)));
      thread_local std::unique_ptr<late_user> destroyed_last, destroyed_first;
      destroyed_last = std::make_unique<late_user>(&first);
      if (!device_first) static_cast<void>(static_cast<float>(sum(a)));
      destroyed_first = std::make_unique<late_user>(&second);
    }).join();
    EXPECT_EQ(first, 40);
    EXPECT_EQ(second, 40);
  }
}

TEST(EndOfAThread, ManyThreadsThatEndWithStatementsLeaveTheirQueues) {
  for (int k = 0; k < 100; ++k) {
    float result = 0;
    std::thread([&] { thread_local late_user user(&result); }).join();
    ASSERT_EQ(result, 40);
  }
}

float static_results[2];

struct print_at_end {
  const char* text;
  float* result;
  ~print_at_end() { std::printf("%s %g\n", text, static_cast<double>(*result)); }
};

TEST(Probe, DISABLED_EndsWithStatementsOfStaticObjects) {
  static print_at_end print_early{"early", &static_results[0]};
  static late_user early(&static_results[0]);
  static const matrix_cl<float> a(numbers);
  const float total = sum(exp(a));
  EXPECT_GT(total, 0);
  static print_at_end print_late{"late", &static_results[1]};
  static late_user late(&static_results[1]);
}

TEST(EndOfTheProgram, StaticObjectsMadeAfterTheFirstUseMayUseTheDeviceOthersAreTold) {
  const auto [output, status] = test::run_probe("Probe.DISABLED_EndsWithStatementsOfStaticObjects", "");
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("late 40"), std::string::npos) << output;
  EXPECT_NE(output.find("late_user: the program is ending"), std::string::npos) << output;
  EXPECT_NE(output.find("early -1"), std::string::npos) << output;
}

TEST(Probe, DISABLED_EndsWithANewStatementOfAnObjectOlderThanTheFirstKernel) {
  static_cast<void>(opencl_context.device());
  static print_at_end print{"older", &static_results[0]};
  static late_user older(&static_results[0]);
  const matrix_cl<float> a(numbers);
  EXPECT_GT(from_matrix_cl(matrix_cl<float>(atan(a) * 1.25f))(0), 0);
}

TEST(EndOfTheProgram, StatementsThatAreNewToADriverWithoutCompilerAreTold) {
  const auto [output, status] =
      test::run_probe("Probe.DISABLED_EndsWithANewStatementOfAnObjectOlderThanTheFirstKernel", "");
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("late_user: the program is ending and the compiler"), std::string::npos) << output;
  EXPECT_NE(output.find("older -1"), std::string::npos) << output;
}

/// Its constructor only enqueues, its destructor evaluates what is new.
struct evaluated_in_constructor {
  matrix_cl<float> a{numbers}, kept;
  evaluated_in_constructor() { kept = a * 2.0f; }
  ~evaluated_in_constructor() {
    const double total = sum(a * 3.0f), both = sum(elt_multiply(kept, a));
    std::printf("at exit %g %g\n", total, both);
  }
};

TEST(Probe, DISABLED_EndsWithANewStatementOfAnObjectWhoseConstructorEvaluates) {
  static const evaluated_in_constructor object;
  const matrix_cl<float> b = exp(object.a) * 0.5f;
  EXPECT_GT(sum(b), 0);
}

TEST(EndOfTheProgram, WhatAConstructorEnqueuesIsOlderThanItsObject) {
  for (const char* kernel_cache : {"0", "1"}) {
    const test::scratch_directory cache;
    const auto [output, status] =
        test::run_probe("Probe.DISABLED_EndsWithANewStatementOfAnObjectWhoseConstructorEvaluates",
                        "FUSECL_CACHE=0 POCL_KERNEL_CACHE=" + std::string(kernel_cache) +
                            " POCL_CACHE_DIR=" + cache.path.string());
    EXPECT_EQ(status, 0) << output;
    EXPECT_NE(output.find("at exit "), std::string::npos) << output;
  }
}

TEST(Probe, DISABLED_EndsBesideACompiler) {
  const matrix_cl<float> a(numbers);
  matrix_cl<float> b = exp(a) * 1.25f;  // which PoCL compiles when it begins to run
  std::thread([&] { b = colwise_sum(atan(b) * 2.5f); }).join();
  b = square(b) + 0.75f;
}

TEST(Probe, DISABLED_EndsBesideACompilerOfAnEarlierSelection) {
  const matrix_cl<float> a(numbers), b = exp(a) * 1.25f;
  test::select_same_device();
}

TEST(EndOfTheProgram, WaitsForKernelsThatAreStillCompiled) {
  for (int k = 0; k < 4; ++k) {
    const test::scratch_directory cache;
    const std::string earlier = k % 2 == 0 ? "" : "OfAnEarlierSelection";
    const auto [output, status] = test::run_probe("Probe.DISABLED_EndsBesideACompiler" + earlier,
                                                  "FUSECL_CACHE=0 POCL_CACHE_DIR=" + cache.path.string());
    EXPECT_EQ(status, 0) << output;
    EXPECT_NE(output.find("[  PASSED  ] 1 test."), std::string::npos) << output;
  }
}

/// Exit status of a child that runs `body`; 99 if it takes longer than 30 s.
template <class Body>
int status_of_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

template <class Use>
int exit_code_of(Use use) {
  try {
    use();
  } catch (const std::runtime_error& e) {
    return std::string(e.what()).find("fork()") != std::string::npos ? 7 : 8;
  }
  return 9;
}

TEST(Fork, TheChildIsToldThatItHasNoDevice) {
  const matrix_cl<float> a(numbers);
  const auto expression = a * 2.0f + 0.3f;
  const float before = sum(expression);
  matrix_cl<float> r = expression;
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { r = expression; })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { static_cast<void>(from_matrix_cl(a)); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { matrix_cl<float> b(numbers); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { matrix_cl<float> b = cos(a) - 4.0f; })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([] { select_device(filter::any()); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([] { list_devices(); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([] { freeze(); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { r.wait_for_read_write_events(); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { r.wait_for_read_events(); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { r.wait_for_write_events(); })); }), 7);
  EXPECT_EQ(status_of_child([&] { _exit(exit_code_of([&] { static_cast<void>(a.buffer()); })); }), 7);
#ifndef __SANITIZE_THREAD__  // which allows no threads in such a child
  EXPECT_EQ(status_of_child([&] {
              int code = 0;
              std::thread([&] { code = exit_code_of([&] { r = expression; }); }).join();
              _exit(code);
            }),
            7);
#endif
  EXPECT_EQ(static_cast<float>(sum(expression)), before);  // the parent does not notice
}

/// A number that a thread is about to lower, under the lock of the plans, until it is let go.
struct slow_number : expression<slow_number> {
  static constexpr scalar_type type = scalar_type::float32;
  static constexpr bool is_scalar = true;
  std::atomic<int>* stage;
  explicit slow_number(std::atomic<int>& of) : stage(&of) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar(1.5f); }
  ir::node_id lower(lowering& low) const {
    int before = 0;  // lowered again, it does not wait again
    stage->compare_exchange_strong(before, 1);
    while (*stage == 1) std::this_thread::yield();
    return low.scalar(type);
  }
};

TEST(Fork, TheChildWaitsForNoLockThatAnotherThreadHeld) {
  const matrix_cl<float> a(numbers);
  matrix_cl<float> r = a + 1.0f;
  std::atomic<int> stage = 0;
  std::thread slow([&] { static_cast<void>(matrix_cl<float>(a * slow_number(stage))); });
  while (stage != 1) std::this_thread::yield();
  const int prepared = status_of_child([&] { _exit(exit_code_of([&] { prepare(r, sin(a) - 5.0f); })); });
  const int explained =
      status_of_child([&] { _exit(exit_code_of([&] { static_cast<void>(explain(cos(a) - 7.0f)); })); });
  stage = 2;
  slow.join();
  EXPECT_EQ(prepared, 7);
  EXPECT_EQ(explained, 7);
}

TEST(Fork, KernelsMayBeMadeAndDestroyedInTheChildWhileAnotherThreadDidTheSame) {
  using nothing = kernel_cl<int>;
  const char* const text = "kernel void nothing(int n) {}";
  nothing("nothing", text)(cl::NDRange(1), 1);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) nothing("nothing", text);
  });
  auto old = std::make_unique<nothing>("nothing", text);
  bool ended = true;
  for (int k = 0; k < 60 && ended; ++k)
    ended = status_of_child([&] {
              alarm(10);
              old.reset();
              nothing("nothing", text);
            }) == 0;
  stop = true;
  other.join();
  EXPECT_TRUE(ended);
}

TEST(Fork, MatricesMayBeDestroyedInTheChild) {
  auto a = std::make_unique<matrix_cl<float>>(numbers);
  EXPECT_EQ(status_of_child([&] {
              a.reset();
              trim();
            }),
            0);
}

TEST(Probe, DISABLED_ForksAfterUseAndBothEnd) {
  const matrix_cl<float> a(numbers);
  EXPECT_EQ(static_cast<float>(sum(a)), 10);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    std::exit(exit_code_of([&] { static_cast<void>(from_matrix_cl(a)); }));
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

TEST(Fork, TheChildEndsByExit) {
  const auto [output, status] = test::run_probe("Probe.DISABLED_ForksAfterUseAndBothEnd", "");
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("child 7"), std::string::npos) << output;
}

TEST(Probe, DISABLED_ForksOnAThreadWhileTheListOfTapesIsHeld) {
  std::thread([] {
    const var_value<matrix_cl<float>> x(matrix_cl<float>{numbers});
    detail::all_tapes().mutex.lock();  // as another thread may have done
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      std::atexit([] { _exit(7); });
      return;  // the tape ends, and with the last thread the process
    }
    detail::all_tapes().mutex.unlock();
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  }).join();
}

TEST(Fork, TheChildEndsWhateverItsParentsThreadsHeld) {
  const auto [output, status] = test::run_probe("Probe.DISABLED_ForksOnAThreadWhileTheListOfTapesIsHeld", "");
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("child 7"), std::string::npos) << output;
}

TEST(Probe, DISABLED_ForksBeforeUse) {
  const pid_t child = fork();
  alarm(60);
  const matrix_cl<float> a(numbers);
  const float total = sum(a);
  if (child == 0) _exit(total == 10 ? 5 : 6);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("parent %g child %d\n", static_cast<double>(total),
              WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

TEST(Fork, BeforeTheFirstUseLeavesBothTheDevice) {
  const auto [output, status] = test::run_probe("Probe.DISABLED_ForksBeforeUse", "");
  EXPECT_NE(output.find("parent 10 child 5"), std::string::npos) << output;
}

}  // namespace
}  // namespace fusecl
