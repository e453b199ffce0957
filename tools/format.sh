#!/usr/bin/env bash
# Formats every C++ and OpenCL C source; --check only reports. Needs clang-format 14: versions differ in where
# they break lines. Exit code 77 (skipped) where that version is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

clang_format=""
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" > /dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    clang_format=$candidate
    break
  fi
done
if [ -z "$clang_format" ]; then
  echo "skipped: clang-format 14 is not installed"
  exit 77
fi

mapfile -d '' sources < <(find include test bench examples -type f \
  \( -name '*.hpp' -o -name '*.ipp' -o -name '*.cpp' \) -print0 | sort -z)
if [ "${1:-}" = "--check" ]; then
  "$clang_format" --dry-run -Werror "${sources[@]}"
  echo "${#sources[@]} files are formatted"
else
  "$clang_format" -i "${sources[@]}"
fi
