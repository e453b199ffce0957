#!/usr/bin/env bash
# The main job: sets up, builds and runs examples/logistic_regression. Arguments go to the program (--help).
set -euo pipefail
cd "$(dirname "$0")/.."

for argument in "$@"; do
  [ "$argument" = -h ] || [ "$argument" = --help ] || continue
  cat << 'END'
usage: tools/demo.sh [OPTION]...
Installs what is missing, builds examples/logistic_regression in build/demo and runs it: a Bayesian logistic
regression on real data on an OpenCL device. Options are those of the program:
  --data FILE         CSV file: first line 'rows,features,name of class 0,name of class 1', then the
                      features and the class (0 or 1) of one row a line; breast cancer data if not given
  --device NAME       part of the name of the device to use
  --estimates FILE    also write the estimates to this CSV file
  --check             compare the gradient with differences first
  --prior-scale NUMBER  standard deviation of the normal prior on every coefficient [2.5]
  --rows NUMBER       rows of the larger data set that is timed, made of copies [500000]
  --quick             time the data as they are only, in few repetitions
END
  exit 0
done

bash tools/setup.sh demo
cmake --preset demo > /dev/null
cmake --build --preset demo --target fusecl_logistic_regression
exec build/demo/examples/fusecl_logistic_regression "$@"
