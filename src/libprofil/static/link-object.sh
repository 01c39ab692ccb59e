#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link-object.sh MAP NAMES OBJECT ARCHIVE OBJCOPY AR CC... -- WHOLE... -- PARTS...: a library for static
# programs, as an object and as an archive of it: all of WHOLE and what it wants of PARTS in one object,
# that shows only what MAP lists and NAMES.
set -e
map=$1 names=$2 object=$3 archive=$4 objcopy=$5 ar=$6
shift 6
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
keep=
for name in $names $(sed -n 's/^\t\([a-zA-Z_0-9]*\);$/\1/p' "$map"); do
	keep="$keep --keep-global-symbol=$name"
done
# shellcheck disable=SC2086 # a list of words
"$objcopy" $keep "$object"
rm -f "$archive"
"$ar" rcs "$archive" "$object"
