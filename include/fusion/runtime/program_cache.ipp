#pragma once
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/disk_cache.hpp>
#include <fusion/runtime/program_cache.hpp>

namespace fusecl {
namespace runtime {

/// A program in memory, or on its way there: whoever holds the mutex of an unfinished one builds it.
struct program_entry {
  std::mutex mutex;
  cl::Program program;
};

/// The programs of the selected device. Never destroyed.
struct program_table {
  std::mutex mutex;
  std::uint64_t generation = 0;
  std::unordered_map<std::string, std::shared_ptr<program_entry>> entries;
  std::size_t look_at = most_unused_programs;  ///< number of entries at which unused ones are looked for
  std::unordered_map<cl_program, std::string> compiled_here;  // disk cache keys of what may grow at launches
  std::atomic<bool> frozen{false};
};

FUSECL_INLINE program_table& the_programs() {
  static program_table& programs = *new program_table;
  return programs;
}

FUSECL_INLINE bool completes_binaries_at_launch(const capabilities& device) {
  return device.platform == "Portable Computing Language";
}

FUSECL_INLINE std::string disk_cache_key(const program_request& request, const capabilities& device) {
  return "library " FUSECL_VERSION "\nplatform " + device.platform + " | " + device.platform_version +
         "\ndevice " + device.name + " | " + device.vendor + " | " + device.version + " | " +
         std::to_string(device.nvidia_capability) + "\ndriver " + device.driver + "\noptions " +
         request.options + "\nsource\n" + request.source;
}

FUSECL_INLINE std::string numbered(const std::string& source) {
  std::string text;
  unsigned line = 0;
  for (std::size_t start = 0; start < source.size();) {
    const std::size_t end = std::min(source.find('\n', start), source.size());
    char number[16];
    std::snprintf(number, sizeof(number), "%5u | ", ++line);
    text += number + source.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text;
}

/// FUSECL_SHOW_KERNELS: to stderr, or as DIR/name_hash.cl.
FUSECL_INLINE void show_program(const program_request& request, const char* origin) {
  const char* where = std::getenv("FUSECL_SHOW_KERNELS");
  if (where == nullptr || *where == '\0') {
    return;
  }
  const std::string shown =
      text::fill("// {} ({}), options: {}\n{}\n", {request.name, origin, request.options, request.source});
  if (std::string_view(where) == "stderr") {
    std::fputs(shown.c_str(), stderr);
    return;
  }
  const std::string hash = hex(hash_content(request.options + '\0' + request.source));
  make_directories(where);
  const std::string path = text::fill("{}/{}_{}.cl", {where, request.name, hash});
  if (std::FILE* file = std::fopen(path.c_str(), "we")) {
    std::fputs(shown.c_str(), file);
    std::fclose(file);
  }
}

FUSECL_INLINE std::string build_log(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) {
    return {};
  }
  std::string log(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

FUSECL_INLINE std::vector<unsigned char> program_binary(cl_program program) {
  std::size_t bytes = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, nullptr) != CL_SUCCESS) {
    return {};
  }
  std::vector<unsigned char> binary(bytes);
  unsigned char* start = binary.data();
  if (bytes == 0 ||
      clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(start), &start, nullptr) != CL_SUCCESS) {
    return {};
  }
  return binary;
}

/// The program from its binary on disk; empty if that cannot be had.
FUSECL_INLINE cl::Program load_program(const program_request& request, const std::string& key,
                                       cl_context context, cl_device_id device) {
  const std::vector<unsigned char> binary = load_binary(key);
  if (binary.empty()) {
    return {};
  }
  const unsigned char* start = binary.data();
  const std::size_t bytes = binary.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  const cl::Program program(clCreateProgramWithBinary(context, 1, &device, &bytes, &start, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS ||
      clBuildProgram(program(), 1, &device, request.options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    return {};
  }
  return program;
}

FUSECL_INLINE cl::Program compile_program(const program_request& request, const capabilities& on,
                                          cl_context context, cl_device_id device) {
  const char* source = request.source.c_str();
  const std::size_t length = request.source.size();
  cl_int code = CL_SUCCESS;
  const cl::Program program(clCreateProgramWithSource(context, 1, &source, &length, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program(), 1, &device, request.options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    const std::string log = build_log(program(), device);
    throw build_error("kernel " + request.name + " does not build (" + error_name(code) +
                          ")\noptions: " + request.options + "\ndevice: " + on.name + ", " + on.platform +
                          "\ndriver: " + on.driver + ", " + on.version + "\nlog:\n" + log + "\nsource:\n" +
                          numbered(request.source),
                      log, request.source);
  }
  return program;
}

FUSECL_INLINE cl::Program make_program(const program_request& request, const device_state& state) {
  const capabilities& on = state.entry.capabilities;
  const cl::Context context = context_of(state);
  const cl_device_id device = state.entry.device();
  const std::string key = disk_cache_key(request, on);
  if (cl::Program loaded = load_program(request, key, context(), device); loaded() != nullptr) {
    ++thread_counters.programs_loaded;
    show_program(request, "from the disk cache");
    return loaded;
  }
  show_program(request, "built");
  cl::Program compiled = compile_program(request, on, context(), device);
  ++thread_counters.programs_built;
  if (!disk_cache_directory().empty()) {
    if (completes_binaries_at_launch(on)) {
      program_table& programs = the_programs();
      const std::lock_guard lock(programs.mutex);
      programs.compiled_here[compiled()] = key;
    } else {
      store_binary(key, program_binary(compiled()));
    }
  }
  return compiled;
}

/// Lets go the programs that nobody else holds, if they are many. The caller holds the table's mutex.
FUSECL_INLINE void drop_unused(program_table& programs) {
  std::vector<std::string> unused;
  for (const auto& [key, entry] : programs.entries) {
    if (entry.use_count() == 1) {  // more are made under the mutex only
      unused.push_back(key);
    }
  }
  if (unused.size() >= most_unused_programs) {
    for (const std::string& key : unused) {
      const auto entry = programs.entries.find(key);
      programs.compiled_here.erase(entry->second->program());
      programs.entries.erase(entry);
    }
  }
  programs.look_at = programs.entries.size() + most_unused_programs / 4;
}

FUSECL_INLINE std::size_t programs_in_memory() {
  program_table& programs = the_programs();
  const std::lock_guard lock(programs.mutex);
  return programs.entries.size();
}

FUSECL_INLINE cl::Program build_program(const program_request& request) {
  std::shared_ptr<const void> use;
  return build_program(request, use);
}

FUSECL_INLINE cl::Program build_program(const program_request& request, std::shared_ptr<const void>& use) {
  program_table& programs = the_programs();
  const device_state& state = selected();
  std::shared_ptr<program_entry> entry;
  {
    const std::lock_guard lock(programs.mutex);
    if (programs.generation != state.generation) {
      programs.entries.clear();
      programs.compiled_here.clear();
      programs.generation = state.generation;
      programs.look_at = most_unused_programs;
    }
    if (programs.entries.size() >= programs.look_at && !programs.frozen.load(std::memory_order_relaxed)) {
      drop_unused(programs);
    }
    std::shared_ptr<program_entry>& found = programs.entries[request.options + '\0' + request.source];
    if (found == nullptr) {
      found = std::make_shared<program_entry>();
    }
    entry = found;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->program() == nullptr) {
    if (programs.frozen.load(std::memory_order_relaxed)) {
      throw frozen_error("kernel " + request.name + " would have to be built after freeze()");
    }
    entry->program = make_program(request, state);
  }
  use = entry;
  return entry->program;
}

FUSECL_INLINE bool store_program_after_first_launch(cl_program program) {
  program_table& programs = the_programs();
  std::string key;
  {
    const std::lock_guard lock(programs.mutex);
    const auto found = programs.compiled_here.find(program);
    if (found == programs.compiled_here.end()) {
      return false;
    }
    key = found->second;
  }
  clFinish(this_thread_queue().handle());  // the launch is what completes the binary
  store_binary(key, program_binary(program));
  return true;
}

}  // namespace runtime

FUSECL_INLINE void freeze() {
  if (void (*prepare)() = runtime::before_freeze.load()) prepare();
  runtime::the_programs().frozen.store(true, std::memory_order_relaxed);
}
FUSECL_INLINE void unfreeze() { runtime::the_programs().frozen.store(false, std::memory_order_relaxed); }
FUSECL_INLINE bool frozen() { return runtime::the_programs().frozen.load(std::memory_order_relaxed); }

}  // namespace fusecl
