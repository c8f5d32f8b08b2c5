# SPDX-License-Identifier: MIT
# For the scripts that run an example against a real system; run them from the top of the source.

# prepare TARGET: builds it, and plumb. CMake searches again for packages that are new.
prepare() {
  [[ -f build/release/build.ninja ]] && ninja -C build/release -t query "$1" > /dev/null 2>&1 ||
    cmake --preset release > /dev/null
  ./run build release "$1" plumb_cli
}

failed=0

# expect holds|violation FILE: prints plumb's verdict, and whether it is as expected.
expect() {
  local status=0 wanted=0
  [[ $1 == violation ]] && wanted=1
  printf '\n== %s: %s expected\n' "${2##*/}" "$1"
  build/release/bin/plumb check --timeout 60 "$2" || status=$?
  ((status == wanted)) && return
  failed=1
  printf 'NOT AS EXPECTED: exit status %s\n' "$status" >&2
}

verdict() {
  ((failed)) && exit 1
  printf '\nAll verdicts are as expected.\n'
}
