#pragma once
// Small files that are written at once.

#include <string>

namespace sampling {

/// Writes `text` as the file at `path`. Throws std::runtime_error with the path and the system's reason.
void write_text(const std::string& path, const std::string& text);

}  // namespace sampling
