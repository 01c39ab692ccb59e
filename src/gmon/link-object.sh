#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-object.sh MAP OBJECT ARCHIVE OBJCOPY AR CC... -- WHOLE... -- PARTS...: gcrt0.o and
# libprofil-gmon.a, which is the same: all of WHOLE and what it wants of PARTS in one object, that shows
# only what MAP lists.
set -e
map=$1 object=$2 archive=$3 objcopy=$4 ar=$5
shift 5
compiler=
while [ "$1" != -- ]; do
	compiler="$compiler $1"
	shift
done
shift
whole=
while [ "$1" != -- ]; do
	whole="$whole $1"
	shift
done
shift
# shellcheck disable=SC2086 # lists of words
$compiler -r -nostdlib -no-pie -o "$object" -Wl,--whole-archive $whole -Wl,--no-whole-archive "$@"
# shellcheck disable=SC2046 # a list of words
"$objcopy" $(sed -n 's/^\t\([a-zA-Z_]*\);$/--keep-global-symbol=\1/p' "$map") "$object"
rm -f "$archive"
"$ar" rcs "$archive" "$object"
