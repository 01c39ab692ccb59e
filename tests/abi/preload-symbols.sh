#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# preload-symbols.sh OBJECT MAP: what is put into other people's programs shows them just what the map
# lists, and asks for the C library alone.
status=0
# shellcheck source=tests/abi/exports.sh
. "$(dirname "$0")/exports.sh"
want=$(sed -n '/global:/,/local:/s/^\t*\([a-z_0-9]*\);$/\1/p' "$2" | sort)
exports "$1" "$want" || status=1
asks_libc_alone "$1" || status=1
exit $status
