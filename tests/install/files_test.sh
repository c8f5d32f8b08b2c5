#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# files_test.sh PREFIX: everything is there that docs/install.md promises, and nothing that is not for users.
set -euo pipefail
cd "$1"
failed=0
one() { compgen -G "$1" > /dev/null || { echo "missing: $1"; failed=1; }; }
for file in bin/plumb share/man/man1/plumb.1 share/bash-completion/completions/plumb \
  'share/zsh/*/_plumb' share/doc/plumb/{LICENSE,copyright,README.md,NEWS.md} \
  share/doc/plumb/docs/{install.md,api.md,report.schema.json} share/doc/plumb/examples/data/stale_read.jsonl \
  share/doc/plumb/models/register.plumb include/plumb/{check,test,verify,version}.hpp \
  'lib*/libplumb.*' 'lib*/pkgconfig/plumb.pc' 'lib*/cmake/plumb/plumb-config.cmake'; do
  one "$file"
done
stray=$(find . -name CMakeLists.txt -o -name '*.o' -o -path '*/tests/*' -o -name '*gtest*')
if [[ $stray ]]; then
  printf 'not for users:\n%s\n' "$stray"
  failed=1
fi
# Relocatable: the descriptions do not say where they were installed first.
if grep -rn "$1" lib*/pkgconfig lib*/cmake; then
  echo "these know where they are"
  failed=1
fi
exit $failed
