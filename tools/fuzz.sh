#!/usr/bin/env bash
# Runs random graphs with their gradients on the selected device, shared out over processes, since building kernels
# takes the time.
#   tools/fuzz.sh PROGRAM [GRAPHS [PROCESSES [FIRST_SEED [SECONDS]]]]
# PROGRAM is build/ci/test/test_autodiff; defaults: 20000 graphs, one process a core, seed 20240607, no limit. After
# SECONDS no process starts another statement.
# Prints what each process compared and, of those that found a fault, the report, and last how many graphs that
# was; the exit code is 0 only if nothing was wrong. The seed of a report with one process and one batch shows the
# same fault again.
set -uo pipefail
program=${1:?usage: tools/fuzz.sh PROGRAM [GRAPHS [PROCESSES [FIRST_SEED [SECONDS]]]]}
graphs=${2:-20000}
processes=${3:-$(nproc)}
export FUSECL_TEST_SEED=${4:-20240607}
limit=${5:-0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# every kernel is built once: caches on disk would only fill up
export FUSECL_CACHE=0 CUDA_CACHE_DISABLE=1 FUSECL_FUZZ_DEVICE_GRAPHS=$graphs FUSECL_FUZZ_SECONDS=$limit
pids=()
for ((i = 0; i < processes; ++i)); do
  mkdir "$folder/pocl_$i"
  POCL_CACHE_DIR=$folder/pocl_$i FUSECL_FUZZ_SHARD=$i/$processes \
    "$program" --gtest_filter='RandomGraphsOnTheDevice.*' > "$folder/$i.log" 2>&1 &
  pids+=($!)
done
code=0
compared=0
for ((i = 0; i < processes; ++i)); do
  status=0
  wait "${pids[i]}" || status=$?
  echo "process $i: $(grep '  graphs  ' "$folder/$i.log" || tail -n 1 "$folder/$i.log") (exit code $status)"
  done_here=$(sed -n 's/^\[  graphs  \] \([0-9]*\) of .*/\1/p' "$folder/$i.log")
  compared=$((compared + ${done_here:-0}))
  if [ "$status" -ne 0 ]; then
    code=1
    grep -A 200 'Failure' "$folder/$i.log" | head -n 300
  fi
done
verdict=agree
[ "$code" -eq 0 ] || verdict="NOT ALL AGREE"
echo "$compared of $graphs graphs from seed $FUSECL_TEST_SEED: $verdict ($SECONDS s)"
exit "$code"
