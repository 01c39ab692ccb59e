#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# again.sh COMMAND...: run a test, and twice more at most where nothing failed but counts that it calls
# "off limits", for the reason that is in cli/limits.py.
said=$(mktemp -d) || exit 2
trap 'rm -rf "$said"' EXIT
for left in 2 1 0; do
	"$@" >"$said/out" 2>"$said/err"
	status=$?
	off=$(cat "$said/out" "$said/err" | grep -c 'off limits')
	if [ "$status" -eq 0 ] || [ "$status" -ge 77 ] || [ "$left" -eq 0 ] || [ "$off" -eq 0 ] ||
		[ "$(grep -c '^not ok [0-9]' "$said/out")" -gt "$off" ]; then
		break
	fi
	sed -n 's/^[# ]*\(.*off limits\)/# run again: \1/p' "$said/out" "$said/err"
done
cat "$said/out"
cat "$said/err" >&2
exit "$status"
