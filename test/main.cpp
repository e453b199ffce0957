// Entry point of every test executable. A run that selects no test at all is a failure, not a success.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const auto& run = *::testing::UnitTest::GetInstance();
  // the first shard has a test wherever any has one; others may be left without
  const char* const shard = std::getenv("GTEST_SHARD_INDEX");
  const bool may_be_left_without = shard != nullptr && std::string_view(shard) != "0";
  if (!GTEST_FLAG_GET(list_tests) && failed == 0 && run.test_to_run_count() == 0 && !may_be_left_without) {
    std::printf("no test is selected\n");
    return 1;
  }
  return failed;
}
