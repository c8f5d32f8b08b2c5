#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh: runs what was built here, and compares. A replay command that is printed must work.
set -u

expect() {  # STATUS TEXT COMMAND...
  status=$1 text=$2
  shift 2
  output=$(cd / && "$@" 2>&1)
  got=$?
  if [ "$got" != "$status" ] || ! printf '%s' "$output" | grep -q -- "$text"; then
    printf '%s: status %s, expected %s and "%s":\n%s\n' "$*" "$got" "$status" "$text" "$output"
    exit 1
  fi
}
again() { printf '%s' "$output" | sed -n 's/^ *Replay: //p'; }

here=$PWD
expect 0 '^HOLDS  counter_main: nothing found' "$here/counter_main" right
expect 1 '^VIOLATION  counter_main: an assertion fails' "$here/counter_main" wrong
expect 1 '(1 execution, ' sh -c "$(again)"

expect 0 'PASSED' "$here/counter_test" --gtest_filter=Counter.Right
expect 1 'VIOLATION  Counter.Wrong: an assertion fails' "$here/counter_test" --gtest_brief=1
expect 1 '(1 execution, ' sh -c "$(again)"
