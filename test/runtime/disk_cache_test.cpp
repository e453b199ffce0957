// The disk cache: programs come back in another process, and no fault of the disk is ever an error.

#include <chrono>
#include <cstring>
#include <ctime>
#include <tuple>

#include <sys/stat.h>
#include <utime.h>

#include <fusion/runtime/disk_cache.hpp>
#include <fusion/runtime/launch_gate.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using runtime::load_binary;
using runtime::store_binary;
using test::read_file;
using test::write_file;

const list_of<unsigned char> some_binary = {1, 2, 3, 4, 5, 0, 255};

class DiskCache : public ::testing::Test {
 protected:
  test::scratch_directory directory_;
  test::scoped_variable variable_{"FUSECL_CACHE_DIR", directory_.path / "a" / "b"};
  test::scoped_variable on_{"FUSECL_CACHE", "1"};

  std::filesystem::path only_file() const {
    const auto files = directory_.files();
    return files.size() == 1 ? files[0] : std::filesystem::path();
  }

  static void launch_square(const test::device_array<int>& array) {
    runtime::kernel square(
        {"square",
         "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void square(global int* a) { "
         "a[get_global_id(0)] *= a[get_global_id(0)]; }",
         ""});
    cl_mem buffer = array.storage()->mem();
    clSetKernelArg(square.handle(), 0, sizeof(buffer), &buffer);
    const std::size_t size = 4;
    runtime::this_thread_queue().before_write(*array.storage());
    square.launch(1, &size, &size);
  }

  /// Runs a kernel after forgetting every program in memory; returns what that cost.
  counters run_kernel() {
    test::select_same_device();
    test::device_array<int> array({1, 2, 3, 4});
    const auto before = runtime_counters();
    launch_square(array);
    const counters spent = runtime_counters() - before;
    EXPECT_EQ(array.read(), (std::vector<int>{1, 4, 9, 16}));
    return spent;
  }

  void expect_built() {
    const counters spent = run_kernel();
    EXPECT_EQ(spent.programs_built, 1u);
    EXPECT_EQ(spent.programs_loaded, 0u);
  }
  void expect_loaded() {
    const counters spent = run_kernel();
    EXPECT_EQ(spent.programs_built, 0u);
    EXPECT_EQ(spent.programs_loaded, 1u);
  }
};

/// Tests that need binaries of the driver.
class DiskCacheOfPrograms : public DiskCache {
 protected:
  void SetUp() override {
    if (!test::keeps_programs()) GTEST_SKIP() << "no programs are kept on disk for this driver";
  }
};

TEST_F(DiskCache, GivesBackWhatWasStoredUnderThatKeyOnly) {
  store_binary("key", some_binary);
  EXPECT_EQ(load_binary("key"), some_binary);
  EXPECT_TRUE(load_binary("another key").empty());
  store_binary("key", {9});
  EXPECT_EQ(load_binary("key"), (list_of<unsigned char>{9}));
  EXPECT_FALSE(only_file().empty());
}

TEST_F(DiskCache, FindsNothingInADamagedFile) {
  store_binary("key", some_binary);
  const std::string good = read_file(only_file());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    write_file(only_file(), damaged);
    EXPECT_TRUE(load_binary("key").empty()) << "byte " << i;
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    write_file(only_file(), good.substr(0, length));
    EXPECT_TRUE(load_binary("key").empty()) << "length " << length;
  }
  write_file(only_file(), good + "x");
  EXPECT_TRUE(load_binary("key").empty());
  write_file(only_file(), good);
  EXPECT_EQ(load_binary("key"), some_binary);
}

TEST_F(DiskCache, FindsNothingInAPipeAndDoesNotWait) {
  store_binary("key", some_binary);
  const std::filesystem::path file = only_file();
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(load_binary("key").empty());
}

TEST_F(DiskCache, BelievesNoSizeBeyondItsLimit) {
  store_binary("key", some_binary);
  std::string content = read_file(only_file());
  const std::uint64_t claimed = (std::uint64_t{1} << 43) - 40 - 3;
  std::memcpy(content.data() + 16, &claimed, sizeof(claimed));
  write_file(only_file(), content);
  EXPECT_TRUE(load_binary("key").empty());
  std::error_code no_room;
  std::filesystem::resize_file(only_file(), std::uint64_t{1} << 43, no_room);  // sparse
  if (no_room) GTEST_SKIP() << "no file of 2^43 bytes here: " << no_room.message();
  EXPECT_NO_THROW(EXPECT_TRUE(load_binary("key").empty()));
}

TEST_F(DiskCache, LoadsNothingThatAnotherUserCouldHaveWritten) {
  store_binary("key", some_binary);
  const std::string file = only_file(), folder = runtime::disk_cache_directory();
  for (const auto& [path, mode, bad] : {std::tuple(file, 0600, 0620), std::tuple(file, 0600, 0602),
                                        std::tuple(folder, 0700, 0770), std::tuple(folder, 0700, 0707)}) {
    ASSERT_EQ(chmod(path.c_str(), bad), 0);
    EXPECT_TRUE(load_binary("key").empty()) << path << " " << bad;
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_EQ(load_binary("key"), some_binary);
  }
  ASSERT_EQ(chmod(folder.c_str(), 01777), 0);  // as /tmp is: only owners may remove
  EXPECT_EQ(load_binary("key"), some_binary);
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  for (const std::string& path : {file, folder}) {
    ASSERT_EQ(chown(path.c_str(), 4321, 4321), 0);
    EXPECT_TRUE(load_binary("key").empty()) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(load_binary("key"), some_binary);
}

TEST_F(DiskCache, StoresNothingInAFolderThatOthersCanWrite) {
  store_binary("key", some_binary);
  const std::string folder = runtime::disk_cache_directory();
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  store_binary("another", some_binary);
  EXPECT_EQ(directory_.files().size(), 1u);
}

TEST_F(DiskCache, ComparesTheWholeKeyNotOnlyItsHash) {
  store_binary("key1", some_binary);
  std::filesystem::rename(only_file(), runtime::disk_cache_file("key2"));
  EXPECT_TRUE(load_binary("key2").empty());
}

TEST_F(DiskCache, RemovesTheLeastRecentlyUsedFilesBeyondItsSize) {
  for (int i = 0; i < 5; ++i) {
    const std::string key = "key" + std::to_string(i);
    store_binary(key, list_of<unsigned char>(10000));
    const utimbuf times{1000000 + i, 1000000 + i};
    utime(runtime::disk_cache_file(key).c_str(), &times);
  }
  load_binary("key0");  // used just now
  const std::string directory = runtime::disk_cache_directory();
  write_file(directory + "/x.1.2.tmp", "left by a dead process");
  const utimbuf old{1000000, 1000000};
  utime((directory + "/x.1.2.tmp").c_str(), &old);
  runtime::bound_disk_cache(directory, 25000);
  EXPECT_FALSE(load_binary("key0").empty());
  EXPECT_TRUE(load_binary("key1").empty());
  EXPECT_TRUE(load_binary("key2").empty());
  EXPECT_TRUE(load_binary("key3").empty());
  EXPECT_FALSE(load_binary("key4").empty());
  EXPECT_EQ(directory_.files().size(), 2u);
}

TEST_F(DiskCache, LivesWhereTheEnvironmentSays) {
  EXPECT_EQ(runtime::disk_cache_directory(), (directory_.path / "a" / "b").string());
  const test::scoped_variable no_own("FUSECL_CACHE_DIR", "");
  {
    const test::scoped_variable shared("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(runtime::disk_cache_directory(), "/x/fusecl");
  }
  const test::scoped_variable no_shared("XDG_CACHE_HOME", "");
  const test::scoped_variable home("HOME", "/home/someone");
  EXPECT_EQ(runtime::disk_cache_directory(), "/home/someone/.cache/fusecl");
  const test::scoped_variable no_home("HOME", "");
  EXPECT_EQ(runtime::disk_cache_directory(), "");
}

TEST_F(DiskCache, KeyChangesWithEverythingABinaryDependsOn) {
  const runtime::program_request request{"name", "source", "options"};
  const capabilities device = opencl_context.capabilities();
  const std::string key = runtime::disk_cache_key(request, device);
  EXPECT_NE(runtime::disk_cache_key({"name", "other", "options"}, device), key);
  EXPECT_NE(runtime::disk_cache_key({"name", "source", "other"}, device), key);
  for (std::string capabilities::*part :
       {&capabilities::platform, &capabilities::platform_version, &capabilities::name, &capabilities::version,
        &capabilities::driver}) {
    capabilities changed = device;
    changed.*part += "x";
    EXPECT_NE(runtime::disk_cache_key(request, changed), key);
  }
  EXPECT_NE(key.find(FUSECL_VERSION), std::string::npos);
}

TEST_F(DiskCache, KeyChangesWithWhatDriversReadFromTheEnvironment) {
  const runtime::program_request request{"name", "source", "options"};
  const capabilities device = opencl_context.capabilities();
  const std::string key = runtime::disk_cache_key(request, device);
  for (const char* name : {"POCL_WORK_GROUP_METHOD",
                           "CUDA_FORCE_PTX_JIT",
                           "LP_NATIVE_VECTOR_WIDTH",
                           "NEO_OverrideDefaultFP64Settings",
                           "NEOReadDebugKeys",
                           "IGC_EnableVISANoSchedule",
                           "LIBGL_ALWAYS_SOFTWARE",
                           "ZINK_DEBUG",
                           "AMDGPU_TARGETS",
                           "AMD_COMGR_SAVE_TEMPS",
                           "RUSTICL_FEATURES",
                           "MESA_LOADER_DRIVER_OVERRIDE",
                           "GALLIVM_DEBUG",
                           "NIR_DEBUG",
                           "RADV_DEBUG",
                           "AMD_DEBUG",
                           "GALLIUM_DRIVER",
                           "INTEL_DEBUG",
                           "CLC_DEBUG",
                           "HSA_OVERRIDE_GFX_VERSION"}) {
    const test::scoped_variable set(name, "unusual");
    EXPECT_NE(runtime::disk_cache_key(request, device), key) << name;
  }
  for (const char* name : {"POCL_CACHE_DIR", "CUDA_VISIBLE_DEVICES", "NEO_CACHE_PERSISTENT",
                           "MESA_SHADER_CACHE_DIR", "MESA_LOG_FILE", "LIBGL_DEBUG", "LANG"}) {
    const test::scoped_variable set(name, "unusual");
    EXPECT_EQ(runtime::disk_cache_key(request, device), key) << name;
  }
}

TEST_F(DiskCache, HasNoKeyForSourcesThatIncludeFiles) {
  for (const char* source :
       {"#include \"a.h\"", "int a;\n  #  include <b.h>", "# /* c */ include \"c.h\"", "%:include \"d.h\"",
        "#inc\\\nlude \"e.h\"", "#import \"f.h\"", "#include_next <g.h>"})
    EXPECT_TRUE(runtime::includes_files(source)) << source;
  for (const char* source : {"", "// does not include anything", "int include;", "#define B 1\nint include;"})
    EXPECT_FALSE(runtime::includes_files(source)) << source;
  const capabilities device = opencl_context.capabilities();
  EXPECT_EQ(runtime::disk_cache_key({"name", "#include \"a.h\"", ""}, device), "");
}

TEST_F(DiskCache, DoesNotHideAChangeOfAnIncludedFile) {
  const std::filesystem::path header = directory_.path / "value.h";
  const auto value = [&] {
    test::select_same_device();
    const kernel_cl<out_buffer> fill(
        "fill", "#include \"" + header.string() + "\"\nkernel void fill(global int* a) { a[0] = VALUE; }");
    test::device_array<int> array(1);
    fill(cl::NDRange(1), array);
    return array.read()[0];
  };
  write_file(header, "#define VALUE 3\n");
  EXPECT_EQ(value(), 3);
  write_file(header, "#define VALUE 4\n");
  EXPECT_EQ(value(), 4);
}

TEST_F(DiskCacheOfPrograms, SparesTheSecondBuild) {
  expect_built();
  expect_loaded();
}

TEST_F(DiskCache, IsOffWhenToldSo) {
  for (const char* word : {"0", "off", "OFF", "no"}) {
    const test::scoped_variable off("FUSECL_CACHE", word);
    expect_built();
    expect_built();
    EXPECT_TRUE(directory_.files().empty()) << word;
  }
}

TEST_F(DiskCacheOfPrograms, RefusesASwitchItDoesNotKnow) {
  const test::scoped_variable unknown("FUSECL_CACHE", "/tmp");
  try {
    run_kernel();
    ADD_FAILURE() << "nothing thrown";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("FUSECL_CACHE is \"/tmp\", expected 0 or off, 1 or on"),
              std::string::npos)
        << e.what();
  }
  const test::scoped_variable on("FUSECL_CACHE", "on");
  expect_built();
  expect_loaded();
}

TEST_F(DiskCacheOfPrograms, DamageLeadsToABuildThatMendsTheFile) {
  expect_built();
  write_file(only_file(), read_file(only_file()).substr(0, 500));
  expect_built();
  expect_loaded();
}

TEST_F(DiskCacheOfPrograms, BinaryTheDriverRejectsLeadsToABuildThatMendsTheFile) {
  if (opencl_context.capabilities().platform == "rusticl") {
    GTEST_SKIP() << "rusticl aborts the process on a malformed binary";
  }
  expect_built();
  const std::string content = read_file(only_file());
  const std::string key = content.substr(40, content.find("*= a[get_global_id(0)]; }") + 25 - 40);
  ASSERT_EQ(runtime::disk_cache_file(key), only_file().string());
  store_binary(key, some_binary);
  expect_built();
  expect_loaded();
}

TEST_F(DiskCache, DirectoryThatCannotBeMadeIsNoError) {
  write_file(directory_.path / "a", "a file where a directory should be");
  expect_built();
  expect_built();
}

TEST_F(DiskCache, DeviceWithoutRoomIsNoError) {
  if (access("/dev/full", W_OK) != 0) {
    GTEST_SKIP() << "no /dev/full";
  }
  const test::scoped_variable full("FUSECL_CACHE_DIR", "/dev/full");
  expect_built();
  const test::scoped_variable pseudo("FUSECL_CACHE_DIR", "/proc/self");
  expect_built();
}

TEST(Probe, DISABLED_BuildsAndRunsAKernel) {
  const kernel_cl<out_buffer> three("three", "kernel void three(global int* a) { a[get_global_id(0)] = 3; }");
  test::device_array<int> array(5);
  three(cl::NDRange(5), array);
  EXPECT_EQ(array.read(), std::vector<int>(5, 3));
  std::printf("built=%d loaded=%d\n", static_cast<int>(runtime_counters().programs_built),
              static_cast<int>(runtime_counters().programs_loaded));
}

TEST_F(DiskCacheOfPrograms, ServesOtherProcesses) {
  const auto [first, first_status] = test::run_probe("Probe.DISABLED_BuildsAndRunsAKernel", "");
  const auto [second, second_status] = test::run_probe("Probe.DISABLED_BuildsAndRunsAKernel", "");
  EXPECT_EQ(first_status + second_status, 0);
  EXPECT_NE(first.find("built=1 loaded=0"), std::string::npos) << first;
  EXPECT_NE(second.find("built=0 loaded=1"), std::string::npos) << second;
}

TEST(Probe, DISABLED_StoresAndLoadsOverAndOver) {
  for (int i = 0; i < 300; ++i) {
    const std::string key = "key" + std::to_string(i % 3);
    const list_of<unsigned char> found = load_binary(key);
    EXPECT_TRUE(found.empty() || found == list_of<unsigned char>(found.size(), found[0]));
    store_binary(key, list_of<unsigned char>(1000 + i * 37, static_cast<unsigned char>(i)));
  }
}

TEST_F(DiskCache, IsSafeForProcessesAtOnce) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string one = self +
                          " --gtest_also_run_disabled_tests "
                          "--gtest_filter=Probe.DISABLED_StoresAndLoadsOverAndOver >/dev/null 2>&1";
  const std::string script = one + " & a=$!; " + one + " & b=$!; " + one + " && wait $a && wait $b";
  EXPECT_EQ(std::system(script.c_str()), 0);
  EXPECT_EQ(directory_.files(".bin").size(), 3u);
  EXPECT_TRUE(directory_.files(".tmp").empty());
  for (const char* key : {"key0", "key1", "key2"}) {
    EXPECT_FALSE(load_binary(key).empty());
  }
}

TEST(ContentHash, SeesEveryByteAndTheLength) {
  const std::string all(100, 'a');
  std::vector<text::content_hash> seen = {text::hash_content(all), text::hash_content(all + '\0')};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string changed = all;
    changed[i] = 'b';
    seen.push_back(text::hash_content(changed));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(seen[i].high, seen[j].high);
      EXPECT_NE(seen[i].low, seen[j].low);
    }
  }
  EXPECT_EQ(text::hex({0x12, 0xab}), "000000000000001200000000000000ab");
}

TEST_F(DiskCache, NothingWaitsForAnEventThatTheProgramCompletesLater) {
  test::select_same_device();
  test::device_array<int> array({1, 2, 3, 4});
  cl::UserEvent later(opencl_context.context());
  runtime::this_thread_queue().wait_for_event(later());
  launch_square(array);
  later.setStatus(CL_COMPLETE);
  EXPECT_EQ(array.read(), (std::vector<int>{1, 4, 9, 16}));
  // a driver that compiles when kernels run has nothing to store yet; what comes later is stored as ever
  const bool compiles_later = runtime::launch_gate::needed(opencl_context.capabilities());
  EXPECT_EQ(directory_.files().empty(), compiles_later);
  if (compiles_later)
    expect_built();
  else
    expect_loaded();
  EXPECT_EQ(directory_.files().size(), 1u);
}

}  // namespace
}  // namespace fusecl
