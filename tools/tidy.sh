#!/usr/bin/env bash
# Runs clang-tidy over the library's bodies and the examples, or over those of the folders given.
#   tools/tidy.sh BUILD-FOLDER [FOLDER...]     a folder configured by CMake, for its compile_commands.json
# Exit code 77 (skipped) where clang-tidy 14 is missing: other versions know other checks.
set -euo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
folders=("$@")
[ $# -gt 0 ] || folders=(include examples)

clang_tidy=""
for candidate in clang-tidy-14 clang-tidy; do
  if command -v "$candidate" > /dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    clang_tidy=$candidate
    break
  fi
done
if [ -z "$clang_tidy" ]; then
  echo "skipped: clang-tidy 14 is not installed"
  exit 77
fi

mapfile -t sources < <(find "${folders[@]}" -name '*.cpp' | sort)
# g++ options that clang does not know are no findings
"$clang_tidy" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument -p "$build" "${sources[@]}"
echo "${#sources[@]} files are clean"
