#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# allocators.sh PROGRAM FORKS CC...
#
# PROGRAM forks FORKS times while it allocates: under each allocator, of which some have no care for
# forks, in place of the C library's.
set -eu
program=$1
forks=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
GMON_OUT_PREFIX=$folder/gmon.out
export GMON_OUT_PREFIX

for library in libasan.so libc_malloc_debug.so.0 libtcmalloc_minimal.so.4 libjemalloc.so.2 \
	libmimalloc.so.2; do
	path=$("$@" -print-file-name="$library")
	if [ "$path" = "$library" ]; then
		echo "$library: not there: run tools/setup test" >&2
		exit 1
	fi
	status=0
	MALLOC_CHECK_=3 LD_PRELOAD=$path "$program" "$forks" || status=$?
	if [ "$status" != 0 ]; then
		echo "$library: status $status" >&2
		exit 1
	fi
	rm -f "${folder:?}"/*
done
