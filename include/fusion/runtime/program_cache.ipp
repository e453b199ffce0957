#pragma once
#include <algorithm>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/builtin_declarations.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/disk_cache.hpp>
#include <fusion/runtime/driver_faults.hpp>
#include <fusion/runtime/program_cache.hpp>
#include <fusion/runtime/program_events.hpp>

namespace fusecl {
namespace runtime {

/// A program in memory, or on its way there: whoever holds the mutex of an unfinished one builds it.
struct program_entry {
  std::mutex mutex;
  cl::Program program;
};

/// Where the binary of a program goes that is complete when each of its kernels was launched.
struct awaited_binary {
  cl_program program;
  std::string key;                ///< of the disk cache
  list_of<std::string> launched;  ///< each once
};

struct held_program {
  text::content_hash key;  ///< of options and source
  std::shared_ptr<program_entry> entry;
};

/// The programs of the selected device. Never destroyed.
struct program_table {
  std::mutex mutex;
  std::uint64_t generation = 0;
  list_of<held_program> entries;
  std::size_t look_at = most_unused_programs;  ///< number of entries at which unused ones are looked for
  list_of<awaited_binary> compiled_here;
  std::atomic<bool> frozen{false};

  /// Lets go of the programs of other selections. The caller holds the mutex.
  void start_generation(std::uint64_t selection) {
    if (generation == selection) return;
    entries.clear();
    compiled_here.clear();
    generation = selection;
    look_at = most_unused_programs;
  }
};

inline FUSECL_SHARED program_table& the_programs() {
  static program_table& programs = *new program_table;
  return programs;
}

FUSECL_INLINE bool completes_binaries_at_launch(const capabilities& device) {
  return device.platform == "Portable Computing Language";
}

FUSECL_INLINE std::string build_log(cl_program program, cl_device_id device) {
  return info_text([&](std::size_t bytes, char* to, std::size_t* length) {
    return clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, to, length);
  });
}

/// The binary for the selected device, one of those of the program's context.
FUSECL_INLINE list_of<unsigned char> program_binary(cl_program program) {
  cl_uint count = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, nullptr) != CL_SUCCESS) {
    return {};
  }
  list_of<cl_device_id> devices(count);
  list_of<std::size_t> bytes(count);
  if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), devices.data(), nullptr) !=
          CL_SUCCESS ||
      clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof(std::size_t), bytes.data(),
                       nullptr) != CL_SUCCESS) {
    return {};
  }
  list_of<list_of<unsigned char>> binaries;
  list_of<unsigned char*> starts;
  for (std::size_t each : bytes) {
    starts.push_back(each == 0 ? nullptr : binaries.emplace_back(each).data());
  }
  const std::size_t own = devices.index_of(selected().entry.device());
  if (own == count || bytes[own] == 0 ||
      clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof(unsigned char*), starts.data(),
                       nullptr) != CL_SUCCESS) {
    return {};
  }
  return {starts[own], starts[own] + bytes[own]};
}

/// The program from its binary on disk; empty if that cannot be had.
FUSECL_INLINE cl::Program load_program(const program_request& request, const std::string& key,
                                       cl_context context, cl_device_id device) {
  const list_of<unsigned char> binary = key.empty() ? list_of<unsigned char>() : load_binary(key);
  if (binary.empty()) {
    return {};
  }
  const unsigned char* start = binary.data();
  const std::size_t bytes = binary.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  const cl::Program program(clCreateProgramWithBinary(context, 1, &device, &bytes, &start, &status, &code));
  if (code == CL_SUCCESS && status == CL_SUCCESS) {
    code = clBuildProgram(program(), 1, &device, request.options.c_str(), nullptr, nullptr);
    watch_the_compiler(compiled::from_binary);
  }
  return code == CL_SUCCESS && status == CL_SUCCESS ? program : cl::Program();
}

FUSECL_INLINE cl::Program compile_program(const program_request& request, const capabilities& on,
                                          cl_context context, cl_device_id device) {
  const char* source = request.source.c_str();
  const std::size_t length = request.source.size();
  cl_int code = CL_SUCCESS;
  if (const declared_program own = with_own_declarations(request, on); !own.declarations.empty()) {
    const char* texts[] = {own.declarations.c_str(), source};
    const std::size_t lengths[] = {own.declarations.size(), length};
    const cl::Program program(clCreateProgramWithSource(context, 2, texts, lengths, &code));
    if (code == CL_SUCCESS &&
        clBuildProgram(program(), 1, &device, own.options.c_str(), nullptr, nullptr) == CL_SUCCESS) {
      watch_the_compiler(compiled::from_source);
      return program;
    }
  }
  const cl::Program program(clCreateProgramWithSource(context, 1, &source, &length, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program(), 1, &device, request.options.c_str(), nullptr, nullptr);
  watch_the_compiler(compiled::from_source);
  if (code != CL_SUCCESS) {
    const std::string log = build_log(program(), device);
    throw build_error(
        text::fill("kernel {} does not build ({})\noptions: {}\ndevice: {}, {}\ndriver: {}, {}\nlog:\n{}\n"
                   "source:\n{}",
                   {request.name, error_name(code), request.options, on.name, on.platform, on.driver,
                    on.version, log, numbered(request.source)}),
        log, request.source);
  }
  return program;
}

FUSECL_INLINE cl::Program make_program(const program_request& request, const device_state& state) {
  require_compiler();
  const capabilities& on = state.entry.capabilities;
  const cl::Context context = living_context_of(state);
  const cl_device_id device = state.entry.device();
  const std::string key = may_abort_on_binaries(on) ? std::string() : disk_cache_key(request, on);
  if (cl::Program loaded = load_program(request, key, context(), device); loaded() != nullptr) {
    ++thread_counters.programs_loaded;
    show_program(request, "from the disk cache");
    return loaded;
  }
  show_program(request, "built");
  cl::Program compiled = compile_program(request, on, context(), device);
  ++thread_counters.programs_built;
  if (!key.empty() && !disk_cache_directory().empty()) {
    if (completes_binaries_at_launch(on)) {
      program_table& programs = the_programs();
      const std::lock_guard lock(programs.mutex);
      if (programs.generation == state.generation) {  // else nobody would take it out
        programs.compiled_here.push_back({compiled(), key, {}});
      }
    } else {
      store_binary(key, program_binary(compiled()));
    }
  }
  return compiled;
}

/// Lets go the programs that nobody else holds, if they are many. The caller holds the table's mutex.
FUSECL_INLINE void drop_unused(program_table& programs) {
  // more are made under the mutex only
  const auto is_unused = [](const held_program& each) { return each.entry.use_count() == 1; };
  std::size_t unused = 0;
  for (const held_program& each : programs.entries) unused += is_unused(each);
  if (unused >= most_unused_programs) {
    erase_if(programs.compiled_here, [&](const awaited_binary& binary) {
      for (const held_program& each : programs.entries)
        if (is_unused(each) && each.entry->program() == binary.program) return true;
      return false;
    });
    erase_if(programs.entries, is_unused);
  }
  programs.look_at = programs.entries.size() + most_unused_programs / 4;
}

FUSECL_INLINE void forget_earlier_programs(std::uint64_t generation) {
  program_table& programs = the_programs();
  const std::lock_guard lock(programs.mutex);
  if (selected_generation.load(std::memory_order_acquire) == generation)
    programs.start_generation(generation);
}

FUSECL_INLINE std::size_t programs_in_memory() {
  program_table& programs = the_programs();
  const std::lock_guard lock(programs.mutex);
  return programs.entries.size();
}

FUSECL_INLINE cl::Program build_program(const program_request& request) {
  std::shared_ptr<const void> use;
  return build_program(request, use, selected());
}

FUSECL_INLINE cl::Program build_program(const program_request& request, std::shared_ptr<const void>& use,
                                        const device_state& state) {
  program_table& programs = the_programs();
  std::shared_ptr<program_entry> entry;
  {
    const std::lock_guard lock(programs.mutex);
    if (programs.generation > state.generation) throw_overtaken(state.entry.capabilities);
    programs.start_generation(state.generation);
    if (programs.entries.size() >= programs.look_at && !programs.frozen.load(std::memory_order_relaxed)) {
      drop_unused(programs);
    }
    const text::content_hash key = hash_of(request);
    for (const held_program& each : programs.entries)
      if (each.key == key) entry = each.entry;
    if (entry == nullptr) {
      entry = std::make_shared<program_entry>();
      programs.entries.push_back({key, entry});
    }
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->program() == nullptr) {
    if (programs.frozen.load(std::memory_order_relaxed)) {
      const std::string statement = comment_above_kernel(request.source);
      throw frozen_error(text::fill("kernel {} would have to be built after freeze(){}{}",
                                    {request.name, statement.empty() ? "" : ": ", statement}));
    }
    entry->program = make_program(request, state);
  }
  use = entry;
  return entry->program;
}

FUSECL_INLINE std::size_t awaited_binaries() {
  program_table& programs = the_programs();
  const std::lock_guard lock(programs.mutex);
  return programs.compiled_here.size();
}

FUSECL_INLINE bool store_program_after_first_launch(cl_program program, std::string_view kernel) {
  program_table& programs = the_programs();
  std::string key;
  {
    const std::lock_guard lock(programs.mutex);
    awaited_binary* found = programs.compiled_here.begin();
    while (found != programs.compiled_here.end() && found->program != program) ++found;
    if (found == programs.compiled_here.end()) return false;
    awaited_binary& binary = *found;
    key = binary.key;
    if (!binary.launched.contains(kernel)) binary.launched.emplace_back(kernel);
    std::size_t kernels = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(kernels), &kernels, nullptr) != CL_SUCCESS ||
        binary.launched.size() >= kernels) {
      programs.compiled_here.erase(found);
    }
  }
  if (awaits_program_event()) return false;  // another process may compile it once more, and store it
  clFinish(this_thread_queue().handle());    // the launch is what completes the binary
  store_binary(key, program_binary(program));
  return true;
}

}  // namespace runtime

FUSECL_INLINE void freeze() {
  runtime::require_driver();  // what it builds would wait for ever in a forked child
  for (const runtime::before_freeze* each = runtime::all_before_freeze.load(); each; each = each->next)
    each->call();
  runtime::the_programs().frozen.store(true, std::memory_order_relaxed);
}
FUSECL_INLINE void unfreeze() { runtime::the_programs().frozen.store(false, std::memory_order_relaxed); }
FUSECL_INLINE bool frozen() { return runtime::the_programs().frozen.load(std::memory_order_relaxed); }

}  // namespace fusecl
