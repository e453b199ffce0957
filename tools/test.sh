#!/usr/bin/env bash
# Sets up, builds and runs every test but those labelled `long`: the quick ones first, then those labelled `slow`.
# Both groups always run; the exit code is 0 only if the build and all tests succeed.
set -euo pipefail
if [ $# -gt 0 ]; then
  echo "usage: tools/test.sh"
  [ "$1" = -h ] || [ "$1" = --help ]
  exit
fi
cd "$(dirname "$0")/.."

bash tools/setup.sh
jobs=$(nproc)
cmake --preset ci
cmake --build --preset ci --parallel "$jobs"

results=()
code=0
# run_group NAME CTEST-ARGUMENT...
run_group() {
  local name=$1 status=0
  shift
  echo "==== tests: $name"
  ctest --preset ci --parallel "$jobs" --output-junit "junit_$name.xml" "$@" < /dev/null || status=$?
  # ctest keeps the reasons of skipped tests in its log only.
  awk '/^skipped: / { print } /: Skipped$/ { getline; print "skipped: " $0 }
       match($0, / \.\.\. skipped /) { print "skipped: " substr($0, RSTART + RLENGTH) }' \
    build/ci/Testing/Temporary/LastTest.log | sort | uniq -c
  results+=("$name: $([ "$status" -eq 0 ] && echo passed || echo "FAILED (ctest exit code $status)")")
  [ "$status" -eq 0 ] || code=1
}
run_group quick -LE "slow|long"
run_group slow -L slow -LE long

echo "==== summary"
printf '%s\n' "${results[@]}"
exit "$code"
