#!/usr/bin/env bash
# Builds, tests and measures FuseCL on this machine and leaves JSON, logs and one report in a folder.
#   tools/device_check.sh [FOLDER]        default: build/device_check
# For every OpenCL device found: the tests, then the benches; then the same work in PyTorch and JAX where these are
# installed, and C++ compile times. A step that fails or takes too long does not stop the others; the exit code is
# 0 only if all went well. Variables: ICD, an OpenCL driver library to register; CMAKE_ARGS, more arguments for
# CMake; CASE_SECONDS, time for a bench case (0.4); STEPS, a part of "build tests benches peers compile".
set -uo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,/^set /{/^# /s/^# //p}' "$0"; exit 0 ;;
  -*) echo "usage: tools/device_check.sh [FOLDER]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.." || exit
out=${1:-build/device_check}
mkdir -p "$out"
out=$(cd "$out" && pwd)
build=$PWD/build/device
steps=${STEPS:-build tests benches peers compile}
seconds=${CASE_SECONDS:-0.4}
summary=()
code=0

# step NAME LIMIT COMMAND...: runs with a time limit, output to NAME.log.
step() {
  local name=$1 limit=$2 start=$SECONDS status=0
  shift 2
  echo "==== $name"
  timeout -k 10 "$limit" "$@" > "$out/$name.log" 2>&1 < /dev/null || status=$?
  local verdict="ok"
  [ "$status" -eq 124 ] && verdict="TIMED OUT after $limit s"
  [ "$status" -ne 0 ] && [ "$status" -ne 124 ] && verdict="FAILED (exit code $status)"
  summary+=("$(printf '%-28s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")")
  if [ "$status" -ne 0 ]; then
    code=1
    tail -n 15 "$out/$name.log"
  fi
  return "$status"
}
wanted() { [[ " $steps " == *" $1 "* ]]; }

if [ -n "${ICD:-}" ]; then
  mkdir -p "$out/vendors"
  cp /etc/OpenCL/vendors/*.icd "$out/vendors/" 2> /dev/null
  echo "$ICD" > "$out/vendors/device_check.icd"
  export OCL_ICD_VENDORS=$out/vendors
fi
export FUSECL_CACHE_DIR=$out/cache

jobs=$(nproc)
if wanted build; then
  # shellcheck disable=SC2086
  step configure 60 cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFUSECL_BUILD_EXAMPLES=OFF ${CMAKE_ARGS:-} &&
    step compile 300 cmake --build "$build" --parallel "$jobs" -- -k 0
fi

first_bench=$(find "$build/bench" -maxdepth 1 -type f -name 'bench_*' -perm -u+x 2> /dev/null | sort | head -n 1)
devices=()
if [ -n "$first_bench" ]; then
  mapfile -t devices < <("$first_bench" --devices)
fi
printf '%s\n' "${devices[@]:-no OpenCL device}" | tee "$out/devices.txt"
if [ ${#devices[@]} -eq 0 ] && { wanted tests || wanted benches; }; then
  summary+=("no OpenCL device to test or measure")
  code=1
fi

for position in "${!devices[@]}"; do
  export OCL_POSITION=$position
  if wanted tests; then
    step "tests_$position" 200 ctest --test-dir "$build" --output-on-failure --parallel "$jobs" -LE "slow|long"
    summary+=("    $(grep -E 'tests passed|tests failed' "$out/tests_$position.log" | head -n 1)")
  fi
  if wanted benches; then
    for program in "$build"/bench/bench_*; do
      [ -x "$program" ] || continue
      name=$(basename "$program")_$position
      step "$name" 200 "$program" --seconds="$seconds" --benchmark_out="$out/$name.json" --benchmark_out_format=json
    done
  fi
done
unset OCL_POSITION
if wanted peers && { python3 -c "import torch" || python3 -c "import jax"; } 2> /dev/null; then
  step peers 480 python3 bench/peers.py --out "$out/peers.json"
fi
if wanted compile; then
  include=$(sed -n 's/^Eigen3_DIR:PATH=//p' "$build/CMakeCache.txt" 2> /dev/null | sed 's#/share/eigen3/cmake$#/include/eigen3#')
  step compile_time 150 python3 bench/compile_time.py --repetitions 1 --out "$out/compile_time.json" ${include:+--include "$include"}
fi

shopt -s nullglob
json=("$out"/*.json)
if [ ${#json[@]} -gt 0 ]; then
  step report 60 python3 bench/report.py "${json[@]}" --out "$out/report.md" --plot "$out/report.png" --missed
fi
echo "==== summary ($SECONDS s)"
printf '%s\n' "${summary[@]}"
[ ! -e "$out/report.log" ] || cat "$out/report.log"
exit "$code"
