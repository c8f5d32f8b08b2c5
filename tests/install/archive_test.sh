#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# archive_test.sh SOURCE BUILD COMPILER: with PLUMB_SHARED=OFF an archive is installed, which asks whoever links
# it for what it is built of.
set -euo pipefail
source=$1 build=$2 compiler=$3
prefix=$build/prefix
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$compiler" \
  -DPLUMB_SHARED=OFF -DPLUMB_DEVELOPER=OFF -DPLUMB_CLI=OFF > "$build.log"
cmake --build "$build" >> "$build.log"
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >> "$build.log"
[[ -f $(echo "$prefix"/lib*/libplumb.a) ]] || { echo "no archive"; exit 1; }
if compgen -G "$prefix/lib*/libplumb.so*"; then echo "shared nevertheless"; exit 1; fi
if compgen -G "$prefix/bin/*"; then echo "a program, without PLUMB_CLI"; exit 1; fi
"$source/tests/install/pkg_config_consumer.sh" "$prefix" "$source/tests/install/consumer/main.cpp" \
  "$build/pkg_config_consumer" "$compiler"
cmake -S "$source/tests/install/consumer" -B "$build/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >> "$build.log"
cmake --build "$build/consumer" >> "$build.log"
"$build/consumer/consumer"
