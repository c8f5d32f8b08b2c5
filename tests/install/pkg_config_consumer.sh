#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pkg_config_consumer.sh PREFIX SOURCE OUTPUT COMPILER [FLAGS]: builds and runs it without CMake.
set -euo pipefail
prefix=$1 source=$2 output=$3
shift 3
found=$(find "$prefix" -name plumb.pc -printf '%h\n')
PKG_CONFIG_PATH=$found${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
read -ra cflags <<< "$(pkg-config --cflags plumb)"
read -ra libs <<< "$(pkg-config --libs plumb)"
"$@" -std=c++20 "${cflags[@]}" "$source" -o "$output" "${libs[@]}"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir plumb) "$output"
