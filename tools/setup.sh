#!/usr/bin/env bash
# Installs what FuseCL needs on Debian 12 or Ubuntu 24.04, as root or through sudo.
#   tools/setup.sh        all: building, testing, checking
#   tools/setup.sh demo   only what the demo needs
# Packages already installed are left alone; with nothing missing, neither the network nor sudo is used.
set -euo pipefail

demo_packages=(build-essential cmake ninja-build pocl-opencl-icd ocl-icd-opencl-dev opencl-clhpp-headers
  libeigen3-dev libboost-dev libcli11-dev)
test_packages=(libgtest-dev libbenchmark-dev ccache clang clang-format-14 clang-tidy-14 oclgrind mesa-opencl-icd clinfo
  python3 python3-matplotlib git)

packages=("${demo_packages[@]}")
case "${1:-all}" in
  all) packages+=("${test_packages[@]}") ;;
  demo) ;;
  *) echo "usage: tools/setup.sh [all|demo]" >&2; exit 2 ;;
esac

if ! command -v apt-get > /dev/null; then
  echo "tools/setup.sh knows apt only. Install by hand what these Debian packages hold: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: every package is installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "setup: needs root or sudo to install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
"${apt[@]}" update < /dev/null
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null
