#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# symbols_test.sh LIBRARY RUNTIME: what the shared libraries show of themselves. The library: its public
# names, and of the standard library's templates those that the compiler made. The runtime also the
# functions that it stands in for, without which nothing would be explored.
set -euo pipefail
failed=0

shown() { nm -DC --defined-only "$1" | sed -E 's/^[0-9a-f]* *[A-Za-z] //'; }
own='^((typeinfo|typeinfo name|vtable|VTT) for )?plumb::[A-Za-z_]+'
layers='plumb::(report|refine|model|native|quasi|lineup|explore|session|runtime|cli|explain)::'

foreign=$(shown "$1" | grep -vE "$own" | grep -vE '(^|[ <(*&])std::|__gnu_cxx::|^operator (new|delete)' || true)
if [[ $foreign ]]; then
  printf '%s shows names that are not its own:\n%s\n' "$1" "$(head -20 <<< "$foreign")"
  failed=1
fi
private=$(shown "$1" | grep -E "^((typeinfo|typeinfo name|vtable) for )?($layers|fmt::|nlohmann::|simdjson::)" || true)
if [[ $private ]]; then
  printf '%s shows what is private:\n%s\n' "$1" "$(head -20 <<< "$private")"
  failed=1
fi
for name in 'plumb::check(' 'plumb::read_history(' 'plumb::HistoryBuilder::call(' 'plumb::version()' \
  'plumb::load_specification(' 'plumb::verify(' 'plumb::read_model(' 'plumb::Model::object'; do
  grep -qF "$name" <<< "$(shown "$1")" || { echo "$1 does not show $name"; failed=1; }
done
printf '%s: %s names\n' "${1##*/}" "$(shown "$1" | wc -l)"

if [[ ${2:-} ]]; then
  for name in __tsan_read4 __tsan_atomic32_load pthread_mutex_lock pthread_create malloc free syscall \
    clock_gettime plumb_explore plumb_test_object_main; do
    grep -qxE "$name(@@.*)?" <<< "$(shown "$2")" || { echo "$2 does not show $name"; failed=1; }
  done
  inner=$(shown "$2" | grep -E "^((typeinfo|typeinfo name|vtable) for )?$layers" || true)
  if [[ $inner ]]; then
    printf '%s shows what is private:\n%s\n' "$2" "$(head -20 <<< "$inner")"
    failed=1
  fi
fi
exit $failed
