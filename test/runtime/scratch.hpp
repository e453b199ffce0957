#pragma once
// What the runtime tests share: typed storages, environment variables and directories for one test, and child
// processes that run one disabled test of this very program in another environment.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <support/scoped_variable.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/driver_faults.hpp>
#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl::test {

/// A device array, matrix-like enough for kernel_cl.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size), storage_(runtime::make_storage(size * sizeof(T))) {}
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) { write(values); }
  device_array(std::initializer_list<T> values) : device_array(std::vector<T>(values)) {}
  const runtime::storage_ref& storage() const { return storage_; }
  void write(const std::vector<T>& values) {
    runtime::this_thread_queue().write(*storage_, 0, values.size() * sizeof(T), values.data());
  }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    runtime::this_thread_queue().read(*storage_, 0, size_ * sizeof(T), values.data());
    return values;
  }

 private:
  std::size_t size_;
  runtime::storage_ref storage_;
};

/// An empty directory that goes with the scope.
class scratch_directory {
 public:
  scratch_directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "fusecl_test_XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  std::vector<std::filesystem::path> files(const std::string& extension = "") const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension)) {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  std::filesystem::path path;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Output and exit status of the disabled test `probe` ("Probe.DISABLED_Name") of this program in a new
/// process with these variables ("NAME=value" each; "-u NAME" unsets).
inline std::pair<std::string, int> run_probe(const std::string& probe, const std::string& variables) {
  const std::string command = "env " + variables + " " +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              " --gtest_also_run_disabled_tests --gtest_filter=" + probe + " 2>&1";
  std::string output;
  std::FILE* child = popen(command.c_str(), "r");
  char piece[4096];
  while (const std::size_t bytes = std::fread(piece, 1, sizeof(piece), child)) {
    output.append(piece, bytes);
  }
  const int status = pclose(child);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

/// Selects the current device once more: a new generation with an empty program table and pool.
inline void select_same_device() { runtime::select_anew(); }

/// Whether programs are kept on disk for this driver.
inline bool keeps_programs() { return !runtime::may_abort_on_binaries(opencl_context.capabilities()); }

}  // namespace fusecl::test
