#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# archive_test.sh SOURCE BUILD FOLDER COMPILER: without PLUMB_SHARED an archive is installed, which asks whoever
# links it for what it is built of. BUILD has it compiled, as a subproject (install_subproject).
set -euo pipefail
source=$1 build=$2 folder=$3 compiler=$4
prefix=$folder/prefix
log=$folder/log
rm -rf "$folder"
mkdir -p "$folder"
cmake -S "$source/tests/install/subproject" -B "$build" -DPLUMB_INSTALL=ON > "$log"
cmake --build "$build" >> "$log"
cmake --install "$build" --prefix "$prefix" >> "$log"
[[ -f $(echo "$prefix"/lib*/libplumb.a) ]] || { echo "no archive"; exit 1; }
if compgen -G "$prefix/lib*/libplumb.so*"; then echo "shared nevertheless"; exit 1; fi
if compgen -G "$prefix/bin/*"; then echo "a program, without PLUMB_CLI"; exit 1; fi
"$source/tests/install/pkg_config_consumer.sh" "$prefix" "$source/tests/install/consumer/main.cpp" \
  "$folder/pkg_config_consumer" "$compiler"
cmake -S "$source/tests/install/consumer" -B "$folder/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >> "$log"
cmake --build "$folder/consumer" >> "$log"
"$folder/consumer/consumer"

# The same is asked for where Plumb is not a part of another project.
cmake -S "$source" -B "$folder/alone" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DPLUMB_SHARED=OFF -DPLUMB_DEVELOPER=OFF -DPLUMB_CLI=OFF >> "$log"
targets=$(ninja -C "$folder/alone" -t targets all)
grep -q '^src/libplumb\.a:' <<< "$targets" || { echo "alone: no archive"; exit 1; }
if grep -E '^(src/libplumb\.so|bin/plumb:)' <<< "$targets"; then echo "alone: more than was asked for"; exit 1; fi
