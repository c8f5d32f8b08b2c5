#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb_test.sh SOURCE TREE BUILD: makes the Debian package of a build tree as ./run package does of its own, in
# BUILD, installs it into a root of its own, uses what is there, removes it, and looks for what is left.
#
# The root has a copy of this machine's list of packages, so that dpkg checks the dependencies in earnest;
# the machine itself stays as it is.
set -euo pipefail
source=$1 tree=$2 build=$3
skip() { echo "$1"; exit 77; }
for tool in dpkg dpkg-deb dpkg-shlibdeps cpack file; do
  command -v $tool > /dev/null || skip "skipped: $tool is not installed"
done
((EUID == 0)) || skip "skipped: dpkg installs as root only"
fail() { echo "$1"; exit 1; }

rm -rf "$build"
mkdir -p "$build"
cpack -G DEB --config "$tree/CPackConfig.cmake" -B "$build" > "$build.log" 2>&1 ||
  { tail -20 "$build.log"; exit 1; }
deb=$(ls "$build"/plumb_*.deb)
dpkg-deb --info "$deb"
field() { dpkg-deb --field "$deb" "$1"; }
[[ $(field Package) == plumb && $(field Architecture) == "$(dpkg --print-architecture)" ]] || fail "wrong name"
for library in libc6 libstdc++6 libfmt9 libzstd1 zlib1g libxxhash0 libdw1 libzydis4.0; do
  [[ $(field Depends) == *"$library "* ]] || fail "does not depend on $library: $(field Depends)"
done
[[ $(field Depends) != *-dev* ]] || fail "depends on a -dev package, which a shared library does not need"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
for list in /var/lib/dpkg/info/*.list; do : > "$root/var/lib/dpkg/info/${list##*/}"; done
for folder in bin sbin lib lib64; do
  mkdir -p "$root/etc" "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
# The package's scripts run inside, where they find a shell and ldconfig, with their libraries. Only they:
# a program that is linked to what is installed there would take its C library from there, too.
lent=()
for program in sh ldconfig; do
  path=$(PATH=$PATH:/usr/sbin:/sbin command -v $program)
  mapfile -t -O ${#lent[@]} lent < <(echo "$path"; ldd "$path" 2> /dev/null | grep -o '/[^ ]*')
done
apply() {
  local file
  for file in "${lent[@]}"; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
  dpkg --root="$root" --no-triggers --log=/dev/null "$@"
  for file in "${lent[@]}"; do rm -f "$root$file"; done
}
# All but what dpkg and ldconfig keep for themselves.
contents() { (cd "$root" && find . -path ./var -prune -o -path ./etc/ld.so.cache -prune -o -print | sort); }

apply --version > /dev/null
before=$(contents)
apply --install "$deb"
new=$(comm -13 <(echo "$before") <(contents))
[[ $new ]] || fail "nothing was installed"
if grep -vE '^\./usr(/|$)' <<< "$new"; then fail "these are outside of /usr"; fi

plumb=$root/usr/bin/plumb
export XDG_CACHE_HOME=$root/cache
"$plumb" --version
status=0
(cd "$root/usr/share/doc/plumb" && "$plumb" check examples/data/queue_violation.jsonl) || status=$?
((status == 1)) || fail "plumb check: status $status"
(cd "$root/usr/share/doc/plumb" && "$plumb" check examples/data/bounded.jsonl --spec examples/bounded_queue.cpp)
status=0
(cd "$root/usr/share/doc/plumb" && "$plumb" test examples/objects/ticket_queue.cpp) || status=$?
((status == 1)) || fail "plumb test: status $status"
(cd "$root/usr/share/doc/plumb" && "$plumb" verify models/register.plumb)
"$source/tests/install/pkg_config_consumer.sh" "$root/usr" "$source/tests/install/consumer/main.cpp" \
  "$build/deb_consumer" "${CXX:-c++}"
if command -v man > /dev/null; then
  warnings=$(man --warnings -l "$root/usr/share/man/man1/plumb.1" 2>&1 > /dev/null)
  [[ -z $warnings ]] || fail "the manual page: $warnings"
fi
rm -rf "$XDG_CACHE_HOME"

apply --purge plumb
left=$(comm -13 <(echo "$before") <(contents))
[[ -z $left ]] || fail "left behind: $left"
if grep -A2 '^Package: plumb$' "$root/var/lib/dpkg/status"; then fail "dpkg still knows it"; fi
echo "installed, used and removed: ${deb##*/}"
