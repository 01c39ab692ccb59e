#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Below view and the commands nothing prints and nothing ends the process: functions return.  A line that must
# says so: "lint: prints" and why.
words='printf|vprintf|fprintf|vfprintf|puts|fputs|putchar|putc|fputc|perror|psignal'
words="$words|err|errx|warn|warnx|error|exit|abort"
git ls-files 'src/*.c' 'src/*.h' | grep -Ev '^src/(view|cmd|dos/cmd)/' | while read -r file; do
	awk -f tests/lint/code.awk "$file" | grep -nE "(^|[^A-Za-z0-9_.>])($words) *\(" |
		while IFS=: read -r line code; do
			sed -n "${line}p" "$file" | grep -q 'lint: prints' || echo "$file:$line: $code"
		done
done | grep .
[ $? = 1 ]
