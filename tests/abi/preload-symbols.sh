#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# preload-symbols.sh OBJECT MAP: what is put into other people's programs shows them just what the map
# lists, and asks for the C library alone.
status=0
have=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
want=$(sed -n '/global:/,/local:/s/^\t*\([a-z_0-9]*\);$/\1/p' "$2" | sort)
if [ "$have" != "$want" ]; then
	printf 'exported:\n%s\nthe map:\n%s\n' "$have" "$want"
	status=1
fi
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -Ev '^(libc\.so\.6|libc\.musl.*|ld-linux.*)$')
[ -z "$needed" ] || { echo "needs $needed"; status=1; }
exit $status
