// Entry point of every test executable. A run that selects no test at all is a failure, not a success.

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const auto& run = *::testing::UnitTest::GetInstance();
  if (!GTEST_FLAG_GET(list_tests) && failed == 0 && run.total_test_count() == 0) {
    return 1;
  }
  return failed;
}
