#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# static.sh SOURCE ARCHIVE MAP: static programs of libprofil.a, of the C library beside it and of nothing
# else, count as dynamic ones do; what they cannot load they say.  The engine is PROFIL_ENGINE's.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$1
directory=$(dirname "$2")
status=0

# build NAME INCLUDE OPTION...: the linker's warnings, of what a static program cannot have, are errors.
build() {
	name=$1 include=$2
	shift 2
	cc -O2 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Werror \
		-Wl,--fatal-warnings -I"$source/$include" -I"$source/include" "$@" -o "$scratch/$name" \
		"$source/tests/abi/programs/$name.c" "$source/tests/abi/programs/truth.c" \
		-L"$directory" -lprofil
}

# count NAME INCLUDE OPTION...
count() {
	echo "# $*"
	build "$@" || { echo "$1: is not linked"; return 1; }
	if readelf -lW "$scratch/$1" | grep -q INTERP; then
		echo "$1: is not static"
		return 1
	fi
	"$scratch/$1"
	ended=$?
	[ $ended -eq 77 ] && exit 77
	[ $ended -eq 0 ] || { echo "$1: failed"; return 1; }
}

echo 'int main(void) { return 0; }' >"$scratch/empty.c"
cc -static -o "$scratch/empty" "$scratch/empty.c" || { echo "skipped: no static C library"; exit 77; }

# It shows what the library does.
want=$({ echo profil; echo sprofil; sed -n 's/^\t\([a-z_0-9]*\);$/\1/p' "$3"; } | sort)
have=$(nm -g --defined-only "$2" | awk 'NF == 3 { print $3 }' | sort)
[ "$have" = "$want" ] || { printf 'shown:\n%s\nthe map:\n%s\n' "$have" "$want"; status=1; }

count linux include/profil/linux -static || status=1
count linux include/profil/linux -static-pie -fPIE || status=1
count processes include/profil/linux -static || status=1
count refused-static include -static || status=1
exit $status
