#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gmon.sh PROGRAM: gprof reads what a BSD runtime writes of profil()'s cells, and finds in it the
# function that the time was spent in, and all of the time.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
seconds=$("$1" "$scratch/gmon.out") || exit $?
gprof -O4.4bsd -b -p "$1" "$scratch/gmon.out" >"$scratch/flat" || exit 1
# 598 ticks are due: that 6 % and more are elsewhere or missing has a chance below 1e-6 as in
# check_ticks(), for less than 1 % is outside spin_code().
awk -v due="$seconds" '$NF == "spin_code" { found = $3 }
	END {
		is_off = found <= due * 0.94 || found >= due * 1.06
		print "# " found " s of " due (is_off && found ? ": off limits" : "")
		exit is_off
	}' "$scratch/flat" || { cat "$scratch/flat"; exit 1; }
