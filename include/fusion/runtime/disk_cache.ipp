#pragma once
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fusion/base/environment.hpp>
#include <fusion/base/error.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/disk_cache.hpp>

namespace fusecl::runtime {

/// What a cache file starts with; the key text and the binary follow.
struct cache_header {
  char magic[8] = {'F', 'U', 'S', 'E', 'C', 'L', '0', '1'};
  std::uint64_t key_bytes = 0;
  std::uint64_t binary_bytes = 0;
  text::content_hash checksum;  // of key and binary, one after the other
};

FUSECL_INLINE std::string environment_text(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

FUSECL_INLINE std::string user_folder(const char* variable, const char* in_home) {
  if (const std::string shared = environment_text(variable); !shared.empty())
    return text::fill("{}/fusecl", {shared});
  const std::string home = environment_text("HOME");
  return home.empty() ? std::string() : text::fill("{}/{}/fusecl", {home, in_home});
}

FUSECL_INLINE std::string disk_cache_directory() {
  if (!switch_is_on("FUSECL_CACHE", true, "; FUSECL_CACHE_DIR names the folder of the cache")) {
    return {};
  }
  std::string own = environment_text("FUSECL_CACHE_DIR");
  return own.empty() ? user_folder("XDG_CACHE_HOME", ".cache") : own;
}

FUSECL_INLINE std::string disk_cache_file(std::string_view key) {
  const std::string directory = disk_cache_directory();
  return directory.empty() ? directory
                           : text::fill("{}/{}.bin", {directory, text::hex(text::hash_content(key))});
}

/// Whether nobody but this user and root can have written what has this status. In a folder where only owners
/// may remove files (/tmp), what others could do shows in the status of the file.
FUSECL_INLINE bool is_own(const struct stat& status) {
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  return (status.st_uid == geteuid() || status.st_uid == 0) &&
         (sticky || (status.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

/// Says once in a process that others can write to a part of the cache.
FUSECL_INLINE void warn_of_others(const std::string& path) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(stderr,
               "FuseCL: the kernel cache %s is not used: another user owns it or can write to it (chmod "
               "go-w, or choose another folder by FUSECL_CACHE_DIR)\n",
               path.c_str());
}

/// Whether the folder of the cache is there and can be trusted.
FUSECL_INLINE bool is_trusted(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return false;
  }
  if (is_own(status)) {
    return true;
  }
  warn_of_others(directory);
  return false;
}

FUSECL_INLINE list_of<unsigned char> load_binary(std::string_view key) {
  const std::string path = disk_cache_file(key);
  if (path.empty() || !is_trusted(disk_cache_directory())) {
    return {};
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a pipe must not wait
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "rb");
  if (file == nullptr) {
    if (descriptor >= 0) {
      close(descriptor);
    }
    return {};
  }
  // The header's sizes are believed only where they agree with the file's.
  std::string content;
  cache_header header;
  const cache_header expected;
  struct stat status {};
  const std::uint64_t around = sizeof(header) + key.size();
  const bool has_status = fstat(descriptor, &status) == 0, own = has_status && is_own(status);
  if (has_status && !own) {
    warn_of_others(path);
  }
  bool good = own && S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > around &&
              static_cast<std::uint64_t>(status.st_size) <= disk_cache_limit &&
              std::fread(&header, sizeof(header), 1, file) == 1 &&
              std::memcmp(header.magic, expected.magic, sizeof(header.magic)) == 0 &&
              header.key_bytes == key.size() &&
              header.binary_bytes == static_cast<std::uint64_t>(status.st_size) - around;
  if (good) {
    content.resize(header.key_bytes + header.binary_bytes);
    good = std::fread(content.data(), 1, content.size(), file) == content.size() &&
           std::string_view(content).substr(0, key.size()) == key &&
           text::hash_content(content) == header.checksum;
  }
  if (good) {
    futimens(descriptor, nullptr);  // its time says when it was last of use
  }
  std::fclose(file);
  if (!good) {
    return {};
  }
  return {content.begin() + static_cast<std::ptrdiff_t>(key.size()), content.end()};
}

FUSECL_INLINE bool make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0700);
  }
  mkdir(path.c_str(), 0700);
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

FUSECL_INLINE void store_binary(std::string_view key, const list_of<unsigned char>& binary) {
  const std::string path = disk_cache_file(key);
  if (path.empty() || binary.empty() || !make_directories(disk_cache_directory()) ||
      !is_trusted(disk_cache_directory())) {
    return;
  }
  static std::atomic<unsigned> serial{0};
  const std::string temporary = text::fill("{}.{}.{}.tmp", {path, getpid(), serial.fetch_add(1)});
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return;
  }
  std::string content(key);
  content.append(reinterpret_cast<const char*>(binary.data()), binary.size());
  cache_header header;
  header.key_bytes = key.size();
  header.binary_bytes = binary.size();
  header.checksum = text::hash_content(content);
  std::FILE* file = fdopen(descriptor, "wb");
  if (file == nullptr) {
    close(descriptor);
    unlink(temporary.c_str());
    return;
  }
  bool good = std::fwrite(&header, sizeof(header), 1, file) == 1 &&
              std::fwrite(content.data(), 1, content.size(), file) == content.size();
  good = std::fclose(file) == 0 && good;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
    return;
  }
  bound_disk_cache(disk_cache_directory(), disk_cache_limit);
}

FUSECL_INLINE void bound_disk_cache(const std::string& directory, std::uint64_t limit) {
  struct cached_file {
    std::time_t used;
    std::uint64_t bytes;
    char name[40];
  };
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) {
    return;
  }
  list_of<cached_file> files;
  std::uint64_t total = 0;
  while (const dirent* entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    const std::string path = text::fill("{}/{}", {directory, name});
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    if (name.ends_with(".tmp") && status.st_mtime + 3600 < std::time(nullptr)) {
      unlink(path.c_str());
    } else if (name.size() == 36 && name.ends_with(".bin")) {
      files.push_back({status.st_mtime, static_cast<std::uint64_t>(status.st_size), {}});
      name.copy(files.back().name, name.size());
      total += files.back().bytes;
    }
  }
  closedir(listing);
  while (total > limit && !files.empty()) {
    const auto oldest =
        std::min_element(files.begin(), files.end(),
                         [](const cached_file& a, const cached_file& b) { return a.used < b.used; });
    unlink(text::fill("{}/{}", {directory, oldest->name}).c_str());
    total -= oldest->bytes;
    *oldest = files.back();
    files.pop_back();
  }
}

}  // namespace fusecl::runtime
