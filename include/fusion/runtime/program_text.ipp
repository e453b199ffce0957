#pragma once
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include <strings.h>
#include <unistd.h>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/environment.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/disk_cache.hpp>
#include <fusion/runtime/program_text.hpp>

namespace fusecl::runtime {

/// The variables by which drivers are told to compile differently, sorted. Those that say where caches are,
/// what is printed and which devices there are stay out.
FUSECL_INLINE std::string driver_environment() {
  constexpr std::string_view prefixes[] = {
      "POCL_",    "CUDA_",    "NV_",    "CL_CONFIG_",           // PoCL, NVIDIA, Intel's CPUs
      "NEO",      "IGC_",     "INTEL_", "ANV_",       "IRIS_",  // Intel's GPUs
      "AMD_",     "AMDGPU_",  "GPU_",   "HSA_",       "ROC_",     "PAL_",     "COMGR_",  // ROCm
      "MESA_",    "RUSTICL_", "CLC_",   "CLOVER_",    "GALLIUM_", "GALLIVM_", "LP_",
      "LIBGL_",  // Mesa, and below its drivers
      "ZINK_",    "NIR_",     "TGSI_",  "RADEON_",    "RADV_",    "R600_",    "ACO_",
      "NOUVEAU_", "NVK_",     "NAK_",   "IR3_",       "FD_",      "TU_",      "PAN_",
      "V3D_",     "VC4_",     "AGX_",   "ASAHI_",     "CLVK_",    "CLSPV_"};
  constexpr std::string_view harmless[] = {
      "POCL_CACHE_DIR=", "POCL_DEBUG",      "POCL_DEVICES=",      "POCL_TRACING",     "CUDA_VISIBLE_DEVICES=",
      "CUDA_CACHE_",     "NEO_CACHE_",      "MESA_SHADER_CACHE_", "MESA_GLSL_CACHE_", "MESA_LOG",
      "LIBGL_DEBUG=",    "CLVK_CACHE_DIR=", "CLVK_LOG",           "RUSTICL_ENABLE=",  "CUDA_DEVICE_ORDER="};
  list_of<std::string_view> found;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const auto starts = [&](std::span<const std::string_view> with) {
      for (const std::string_view start : with)
        if (variable.starts_with(start)) return true;
      return false;
    };
    if (starts(prefixes) && !starts(harmless)) {
      const std::string_view* after = found.begin();
      while (after != found.end() && *after < variable) ++after;
      found.insert(after, variable);
    }
  }
  std::string text;
  for (std::string_view each : found) {
    text.append(each) += '\n';
  }
  return text;
}

FUSECL_INLINE text::content_hash hash_of(const program_request& request) {
  std::string all = request.options;
  all += '\0';
  all += request.source;
  return text::hash_content(all);
}

FUSECL_INLINE bool includes_files(std::string_view source) {
  std::string text(source);
  for (std::string_view splice : {"\\\n", "\\\r\n"}) {
    for (std::size_t at = text.find(splice); at != std::string::npos; at = text.find(splice, at)) {
      text.erase(at, splice.size());
    }
  }
  for (std::string_view word : {"include", "import", "embed"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      std::string_view before = std::string_view(text).substr(0, at);
      for (bool blank = true; blank && !before.empty();) {
        const std::size_t comment = before.ends_with("*/") ? before.rfind("/*") : std::string_view::npos;
        blank = comment != std::string_view::npos || before.ends_with(' ') || before.ends_with('\t');
        before = before.substr(0, comment != std::string_view::npos ? comment : before.size() - blank);
      }
      if (before.ends_with('#') || before.ends_with("%:")) {
        return true;
      }
    }
  }
  return false;
}

FUSECL_INLINE std::string comment_above_kernel(std::string_view source) {
  std::string comment;
  for (std::size_t start = 0; start < source.size();) {
    const std::size_t end = std::min(source.find('\n', start), source.size());
    const std::string_view line = source.substr(start, end - start);
    if (line.starts_with("kernel ") || line.starts_with("__kernel ")) {
      return comment;
    }
    if (line.starts_with("// ")) {
      comment.append(comment.empty() ? "" : " ").append(line.substr(3));
    } else {
      comment.clear();
    }
    start = end + 1;
  }
  return {};
}

FUSECL_INLINE std::string disk_cache_key(const program_request& request, const capabilities& device) {
  if (includes_files(request.source)) {
    return {};
  }
  return text::fill(
      "library " FUSECL_VERSION
      "\nplatform {} | {}\ndevice {} | {} | {} | {}\ndriver {}\nenvironment\n{}options {}\n"
      "source\n{}",
      {device.platform, device.platform_version, device.name, device.vendor, device.version,
       device.nvidia_capability, device.driver, driver_environment(), request.options, request.source});
}

FUSECL_INLINE std::string numbered(const std::string& source) {
  std::string text;
  unsigned line = 0;
  for (std::size_t start = 0; start < source.size();) {
    const std::size_t end = std::min(source.find('\n', start), source.size());
    char number[16];
    std::snprintf(number, sizeof(number), "%5u | ", ++line);
    text += number;
    text.append(source, start, end - start);
    text += '\n';
    start = end + 1;
  }
  return text;
}

FUSECL_INLINE void show_program(const program_request& request, const char* origin) {
  const environment_switch wanted = read_switch("FUSECL_SHOW_KERNELS");
  if (wanted == environment_switch::unset || wanted == environment_switch::off) {
    return;
  }
  const char* where = std::getenv("FUSECL_SHOW_KERNELS");
  const std::string shown =
      text::fill("// {} ({}), options: {}\n{}\n", {request.name, origin, request.options, request.source});
  if (wanted == environment_switch::on || strcasecmp(where, "stderr") == 0) {
    std::fputs(shown.c_str(), stderr);
    return;
  }
  const std::string hash = text::hex(hash_of(request));
  make_directories(where);
  const std::string path = text::fill("{}/{}_{}.cl", {where, request.name, hash});
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "we");
  bool good = file != nullptr && std::fputs(shown.c_str(), file) >= 0;
  good = file != nullptr && std::fclose(file) == 0 && good;
  if (!good) {
    throw error(text::fill("FUSECL_SHOW_KERNELS: {} cannot be written ({}); it is a folder, or 1 for stderr",
                           {path, std::strerror(errno)}));
  }
}

}  // namespace fusecl::runtime
