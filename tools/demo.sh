#!/usr/bin/env bash
# The main job: sets up, builds and runs examples/logistic_regression. Arguments go to the program (--help).
set -euo pipefail
cd "$(dirname "$0")/.."

bash tools/setup.sh demo
cmake --preset demo > /dev/null
cmake --build --preset demo --target fusecl_logistic_regression
exec build/demo/examples/fusecl_logistic_regression "$@"
