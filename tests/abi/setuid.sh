#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# setuid.sh SOURCE LIBPROFIL: a program that is set-user-ID root takes no orders from who runs it:
# neither by the environment nor by objects that he has laid in its way.  As a control the same
# program does all that when root himself runs it.
skip() {
	echo "skipped: $1"
	exit 77
}
[ "$(id -u)" = 0 ] || skip "only root makes a program set-user-ID root: run as root"

engine=
scratch=$(mktemp -d /var/tmp/profil-setuid-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir "$scratch/lib"
mkdir -m 777 "$scratch/marks"
cp "$2" "$scratch/lib/libprofil.so.0"
ln -s libprofil.so.0 "$scratch/lib/libprofil.so"
cc -O1 -Wall -Wextra -Werror -I"$1/include" -I"$1/include/profil/linux" -o "$scratch/privileged" \
	"$1/tests/abi/programs/privileged.c" -L"$scratch/lib" -Wl,-rpath,"$scratch/lib" \
	-lprofil || exit 1
chmod 4755 "$scratch/privileged"

# The objects that libprofil loads, each of which leaves a mark when it is: beside libprofil, where
# they may be taken from, where LD_LIBRARY_PATH shows, where the program is run, and where argv[0]
# says that it lies.
for object in libprofil-kernel.so.0 libprofil-save.so.0; do
	for folder in lib path here name; do
		mkdir -p "$scratch/$folder"
		echo "#include <fcntl.h>
			__attribute__((constructor)) static void mark(void)
			{ creat(\"$scratch/marks/$folder-$object\", 0666); }" |
			cc -shared -fPIC -x c - -o "$scratch/$folder/$object" || exit 1
	done
done

# run PREFIX...: what the program says, and what is left behind.
run() {
	rm -f "$scratch"/marks/*
	said=$(cd "$scratch/here" && "$@" env LD_LIBRARY_PATH="$scratch/path" \
		PROFIL_HZ=500 PROFIL_DEBUG=1 "PROFIL_ENGINE=$engine" bash -c \
		"exec -a $scratch/name/privileged $scratch/privileged $scratch/profile.pb.gz" \
		2>"$scratch/stderr")
	marks=$(echo "$scratch"/marks/* | sed "s,$scratch/marks/,,g")
	printf '%s\n' "$* $engine: $said" "  marks: $marks"
}

# expect WHAT TEXT PATTERN
expect() {
	# shellcheck disable=SC2053 # a pattern
	[[ $2 == $3 ]] || { echo "$1: '$2', not '$3'"; exit 1; }
}

engine='' run env
expect "root's own" "$said" 'euid 0, secure 0, sprofil 0, tick 2000 us, *'
expect "PROFIL_DEBUG" "$(cat "$scratch/stderr")" '*libprofil: sprofil: *'
expect "its objects" "$marks" 'lib-libprofil-kernel.so.0 path-libprofil-save.so.0'
engine=nonsense run env
expect "an engine that there is not" "$said" 'euid 0, secure 0, sprofil -1, *'

engine=nonsense run setpriv --reuid 65534 --regid 65534 --clear-groups
if [[ $said == 'euid 65534'* ]]; then
	skip "the file system of $scratch knows no set-user-ID: mount it without nosuid"
fi
expect "set-user-ID" "$said" 'euid 0, secure 1, sprofil 0, tick 10000 us, saved no'
expect "its stderr" "$(cat "$scratch/stderr")" ''
expect "its objects" "$marks" 'lib-libprofil-kernel.so.0 lib-libprofil-save.so.0'
