#!/usr/bin/env bash
# Formats the C++ sources of include, test, bench, examples and tools; --check only reports. Needs clang-format 14:
# versions differ in where they break lines. Exit code 77 (skipped) where that version is missing.
set -euo pipefail
case "${1:-}" in
  "" | --check) ;;
  *) echo "usage: tools/format.sh [--check]"; [ "$1" = -h ] || [ "$1" = --help ]; exit ;;
esac
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

mapfile -d '' sources < <(find include test bench examples tools -type f \
  \( -name '*.hpp' -o -name '*.ipp' -o -name '*.cpp' \) -print0 | sort -z)
if [ "${1:-}" = "--check" ]; then
  "$clang_format" --dry-run -Werror "${sources[@]}"
  echo "${#sources[@]} files are formatted"
else
  "$clang_format" -i "${sources[@]}"
fi
