#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# To be read by other scripts: what a library shows, and whom it asks.

# exports OBJECT WANTED: it shows the symbols of WANTED, sorted lines, and no other.
exports() {
	have=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
	[ "$have" = "$2" ] && return
	printf 'exported:\n%s\nthe map:\n%s\n' "$have" "$2"
	return 1
}

# asks_libc_alone OBJECT
asks_libc_alone() {
	needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -Ev '^(libc\.so\.6|libc\.musl.*|ld-linux.*)$')
	[ -z "$needed" ] && return
	echo "needs $needed"
	return 1
}
