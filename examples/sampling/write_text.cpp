// By the C library, whose errors have reasons.

#include "write_text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace sampling {

void write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int reason = errno;
  if (file != nullptr && std::fclose(file) != 0 && written) {  // what was kept back is written here
    written = false;
    reason = errno;
  }
  if (!written) throw std::runtime_error("cannot write " + path + ": " + std::strerror(reason));
}

}  // namespace sampling
