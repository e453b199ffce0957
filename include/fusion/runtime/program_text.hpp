#pragma once
// What programs say of themselves: the key of their binaries, their statement, how their text is shown.

#include <string>
#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/base/content_hash.hpp>
#include <fusion/runtime/device.hpp>

namespace fusecl::runtime {

/// A program to have. `name` is for messages and file names; source and options decide which program it is.
struct program_request {
  std::string name;
  std::string source;
  std::string options;
};

/// Everything that a binary depends on, as the disk cache's key: library, device, driver, the variables that
/// drivers read, options, source. Empty for a source that includes files, which is not kept on disk.
std::string disk_cache_key(const program_request& request, const capabilities& device);

/// Which program it is among those of a device, by options and source.
text::content_hash hash_of(const program_request& request);

/// Whether a source has a directive that reads a file.
bool includes_files(std::string_view source);

/// The comment above the first kernel of a source, in one line: of a generated one its statement.
std::string comment_above_kernel(std::string_view source);

/// The source with a line number before each line.
std::string numbered(const std::string& source);

/// FUSECL_SHOW_KERNELS: to stderr, or as DIR/name_hash.cl. Throws error if that cannot be written.
void show_program(const program_request& request, const char* origin);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/program_text.ipp>
#endif
