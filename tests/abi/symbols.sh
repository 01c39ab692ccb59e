#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh LIBPROFIL MAP: what is exported is what the map lists, and profil and sprofil, which
# stand in no version; the C library is all it asks for.
status=0
have=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
want=$({ echo profil; echo sprofil
	sed -n 's/^\t\([a-z_0-9]*\);$/\1@@PROFIL_0.1/p' "$2"; } | sort)
if [ "$have" != "$want" ]; then
	printf 'exported:\n%s\nthe map:\n%s\n' "$have" "$want"
	status=1
fi
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -Ev '^(libc\.so\.6|libc\.musl.*|ld-linux.*)$')
[ -z "$needed" ] || { echo "needs $needed"; status=1; }
readelf -d "$1" | grep -q 'SONAME.*\[libprofil.so.0\]' || { echo "no soname"; status=1; }
if readelf -d "$1" | grep -q TEXTREL; then
	echo "has text relocations"
	status=1
fi
exit $status
