#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every manual page is built and set without a warning.  Tables are lines of text here: groff 1.23 warns
# where they are marked as tables and tbl has not set them, which man(1) has it do.
status=0
for source in man/*.scd; do
	[ -e "$source" ] || continue
	page=$(scdoc <"$source") || { echo "$source: scdoc refuses it"; status=1; continue; }
	warnings=$(printf '%s\n' "$page" | sed '/^\.T[SE]/d' | groff -K utf8 -man -Tutf8 -ww -z 2>&1)
	[ -z "$warnings" ] || { echo "$warnings" | sed "s|^|$source: |"; status=1; }
done
exit $status
