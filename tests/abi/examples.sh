#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples.sh SOURCE LIBPROFIL: the example of each page of section 3 is a program that compiles
# without a warning and does what it says.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
directory=$(cd "$(dirname "$2")" && pwd)
status=0
for page in "$1"/man/*.3.scd; do
	# A runtime without calls of its own: its examples are commands.
	case $page in *gmon*) continue ;; esac
	name=$(basename "$page" .3.scd)
	# The block of code that has a main().
	awk '/^```/ { if (inside && text ~ /main\(/) printf "%s", text; inside = !inside; text = ""
		next } inside { text = text $0 "\n" }' "$page" >"$scratch/$name.c"
	[ -s "$scratch/$name.c" ] || { echo "$name: has no example"; status=1; continue; }
	[ "$name" = pcsample ] && system=svr4 || system=linux
	cc -std=gnu17 -O1 -Wall -Wextra -Werror -I"$1/include" -I"$1/include/profil/$system" \
		-o "$scratch/$name" "$scratch/$name.c" -L"$directory" -Wl,-rpath,"$directory" \
		-lprofil || { status=1; continue; }
	said=$(cd "$scratch" && PROFIL_HZ=997 "./$name") || { echo "$name: failed"; status=1; }
	echo "$said"
	case $name in
	profil) wanted='^work+[0-9]*: [1-9]' ;;
	sprofil) wanted='^1003 us a tick: divide [1-9][0-9]*, add [1-9]' ;;
	libprofil) wanted='^[1-9][0-9]* ticks, 0\.[0-9]* s of CPU, by the [a-z]* engine$' ;;
	*) wanted=. ;;
	esac
	echo "$said" | grep -q "$wanted" || { echo "$name: does not say $wanted"; status=1; }
done
exit $status
