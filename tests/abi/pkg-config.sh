#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pkg-config.sh SOURCE BUILD: what is installed compiles, links and runs by what pkg-config says of it
# and nothing else.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
meson install -C "$2" --no-rebuild --quiet --destdir "$scratch/root" >"$scratch/said" 2>&1 ||
	{ cat "$scratch/said"; exit 1; }
said=$(find "$scratch/root" -name libprofil.pc ! -path '*/lib32/*')
said_32=$(find "$scratch/root" -name libprofil.pc -path '*/lib32/*')
PKG_CONFIG_LIBDIR=$(dirname "$said")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_LIBDIR")
# All paths are below the root, those of a system's own folders too.
export PKG_CONFIG_LIBDIR LD_LIBRARY_PATH PKG_CONFIG_SYSROOT_DIR="$scratch/root" \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1

# build NAME SOURCE LIBRARY [-static]
build() {
	flags=$(pkg-config --cflags --libs ${4:+--static} "$3") || return
	# shellcheck disable=SC2086 # words
	cc -O1 -Wall -Wextra -Werror -o "$scratch/$1" "$2" $4 $flags
}

# Calls are counted whole by one that is compiled with what libprofil-gmon.pc says.
gmon() {
	build "$1" "$source/tests/gmon/programs/calls.c" libprofil-gmon "$2" || return
	(cd "$scratch" && rm -f gmon.out && "./$1") || return
	gprof -b -p "$scratch/$1" "$scratch/gmon.out" >"$scratch/flat" || return
	awk '$NF == "leaf" && $4 == 13000 { found = 1 } END { exit !found }' "$scratch/flat" ||
		{ cat "$scratch/flat"; return 1; }
}

# A program that measures itself needs no more, and as a static one has nothing beside it.
itself() {
	build "$1" "$scratch/itself.c" libprofil "$2" && "$scratch/$1"
}

source=$1
cat >"$scratch/itself.c" <<END
#include <profil.h>
int main(void)
{
	struct profil_measurement *measurement = profil_whole(NULL);

	if (!measurement || profil_start(measurement) || profil_stop(measurement))
		return 1;
	profil_close(measurement);
	return 0;
}
END
itself itself '' || { echo "libprofil: failed"; status=1; }
itself itself-static -static || { echo "libprofil, static: failed"; status=1; }
if readelf -lW "$scratch/itself-static" | grep -q INTERP; then
	echo "libprofil, static: is not"
	status=1
fi
if [ -e "$PKG_CONFIG_LIBDIR/libprofil-gmon.pc" ]; then
	gmon gmon '' || { echo "libprofil-gmon: failed"; status=1; }
	gmon gmon-static -static || { echo "libprofil-gmon, static: failed"; status=1; }
else
	[ -e "$2/gcrt0.o" ] && { echo "libprofil-gmon.pc is not installed"; status=1; }
fi
# The 32-bit one is found by its folder, and says -m32 itself.
if [ -n "$said_32" ]; then
	PKG_CONFIG_LIBDIR=$(dirname "$said_32")
	LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_LIBDIR")
	{ itself itself-32 '' && readelf -h "$scratch/itself-32" | grep -q ELF32; } ||
		{ echo "libprofil, 32 bits: failed"; status=1; }
elif [ -n "$(find "$scratch/root" -path '*/lib32/libprofil.so*')" ]; then
	echo "libprofil, 32 bits: libprofil.pc is not installed"
	status=1
fi
exit $status
