#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh LIBPROFIL MAP: what is exported is what the map lists, and profil and sprofil, which
# stand in no version; the C library is all it asks for.
status=0
# shellcheck source=tests/abi/exports.sh
. "$(dirname "$0")/exports.sh"
want=$({ echo profil; echo sprofil
	sed -n 's/^\t\([a-z_0-9]*\);$/\1@@PROFIL_0.1/p' "$2"; } | sort)
exports "$1" "$want" || status=1
asks_libc_alone "$1" || status=1
readelf -d "$1" | grep -q 'SONAME.*\[libprofil.so.0\]' || { echo "no soname"; status=1; }
if readelf -d "$1" | grep -q TEXTREL; then
	echo "has text relocations"
	status=1
fi
exit $status
