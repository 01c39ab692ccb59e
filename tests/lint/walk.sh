#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ARCHITECTURE.md names is there: each function of its walk from a tick to the report is defined in
# src/, and each file that stands anywhere in it exists.
# shellcheck disable=SC2016 # backticks of Markdown
words=$(grep -o '`[^`]*`' ARCHITECTURE.md | tr -d '`')
# shellcheck disable=SC2016 # the same
walk=$(sed -n '/^## From a tick/,/^## /p' ARCHITECTURE.md | grep -o '`[a-z_0-9]*()`' | tr -d '`()')
[ -n "$walk" ] || { echo "ARCHITECTURE.md: no walk from a tick to the report"; exit 1; }
sources=$(git ls-files '*.c' '*.h' '*.s')
status=0
for name in $walk; do
	# A definition begins in the first column, and what declares alone ends with a semicolon.
	git grep -hE "^[a-z].*\<$name\(" -- 'src/*.c' 'src/*.h' | grep -qv ';$' ||
		{ echo "ARCHITECTURE.md: no function $name() in src/"; status=1; }
done
for file in $(echo "$words" | grep -E '^[a-z_0-9/.]+\.[chs]$' | sort -u); do
	echo "$sources" | grep -qE "(^|/)$(echo "$file" | sed 's/\./\\./g')\$" ||
		{ echo "ARCHITECTURE.md: no file $file"; status=1; }
done
exit $status
