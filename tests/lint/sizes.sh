#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A function fits a screen and a file holds one idea.  Told: files over 400 lines, functions over 60
# without "Long:" and a reason in the comment above.  Refused: files over 500, functions over 100,
# and a house whose median function is over 12 lines or whose tenth longest is over 40.
git ls-files -z '*.c' '*.h' | xargs -0 awk '
function told(what, size, soft, hard, reason) {
	if (size > hard) {
		print what ": " size " lines, at most " hard
		bad = 1
	} else if (size > soft && !reason)
		print what ": " size " lines; " soft " should do"
}
function close_file() {
	if (file != "")
		told(file, lines, 400, 500, 0)
}
FNR == 1 { close_file(); file = FILENAME; start = 0; reason = 0 }
{ lines = FNR }
/Long: / { reason = 1 }
/^{/ { start = FNR }
/^}/ && start {
	size = FNR - start - 1
	if (FILENAME ~ /^src\//)
		sizes[size]++
	told(FILENAME ":" start, size, 60, 100, reason)
	start = 0
}
/^}/ { reason = 0 }
END {
	close_file()
	for (size in sizes)
		total += sizes[size]
	for (size = 0; total && seen < total * 0.9; size++) {
		seen += sizes[size]
		if (median == "" && seen >= total / 2)
			median = size
	}
	if (median > 12 || size - 1 > 40) {
		print "functions: median " median " lines, at most 12; 90 % within " size - 1 ", at most 40"
		bad = 1
	}
	exit bad
}'
