#pragma once
// Program binaries on disk, one file each, found by the text of everything they depend on. No fault of the
// disk or of a file is an error: a load then finds nothing, a store does nothing. What another user could
// have written is not loaded.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fusion/base/content_hash.hpp>
#include <fusion/base/list_of.hpp>

namespace fusecl::runtime {

/// Makes a folder with all above it. False if there is none afterwards.
bool make_directories(const std::string& path);

/// What a variable holds; empty, too, where it is not set.
std::string environment_text(const char* variable);

/// The folder of the library below the one that `variable` names, else below `in_home` of the home folder;
/// empty where neither is known.
std::string user_folder(const char* variable, const char* in_home);

/// Where binaries are kept: FUSECL_CACHE_DIR, else $XDG_CACHE_HOME/fusecl, else ~/.cache/fusecl. Empty if
/// FUSECL_CACHE is 0 or off or no such directory can be named. Throws error if FUSECL_CACHE is no switch.
std::string disk_cache_directory();

/// The file of a key, whether it exists or not; empty if the cache is off.
std::string disk_cache_file(std::string_view key);

/// The binary stored under exactly this key text; empty if there is none or its file is damaged, and if its
/// file or folder belongs to another user than this one or root, or others may write to it. The first folder
/// of that kind is named on stderr.
list_of<unsigned char> load_binary(std::string_view key);

/// Stores a binary by a temporary file and rename, so that concurrent processes only ever see whole files,
/// then removes the least recently used files beyond `disk_cache_limit` bytes in all.
void store_binary(std::string_view key, const list_of<unsigned char>& binary);

inline constexpr std::uint64_t disk_cache_limit = std::uint64_t{256} << 20;

/// Removes the least recently used files of a directory until at most `limit` bytes remain, and temporary
/// files older than an hour.
void bound_disk_cache(const std::string& directory, std::uint64_t limit);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/disk_cache.ipp>
#endif
