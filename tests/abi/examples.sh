#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples.sh SOURCE LIBPROFIL: the example of each page of section 3 is a program that compiles
# without a warning, in C and in C++, with the folders of headers that its SYNOPSIS names, and does
# what it says.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$1
directory=$(cd "$(dirname "$2")" && pwd)
status=0

# build OUTPUT EXAMPLE OPTION...: by both compilers; what the C compiler makes is to be run.
build() {
	output=$1 example=$2
	shift 2
	for compiler in 'c++ -std=gnu++17 -x c++' 'cc -std=gnu17'; do
		# shellcheck disable=SC2086 # words
		$compiler -O1 -Wall -Wextra -Werror "$@" -o "$output" "$example" -x none \
			-L"$directory" -Wl,-rpath,"$directory" -lprofil ||
			{ echo "$example: ${compiler%% *} $*: is not compiled"; return 1; }
	done
}

for page in "$source"/man/*.3.scd; do
	# A runtime without calls of its own: its examples are commands.
	case $page in *gmon*) continue ;; esac
	name=$(basename "$page" .3.scd)
	# The block of code that has a main().
	awk '/^```/ { if (inside && text ~ /main\(/) printf "%s", text; inside = !inside; text = ""
		next } inside { text = text $0 "\n" }' "$page" >"$scratch/$name.c"
	[ -s "$scratch/$name.c" ] || { echo "$name: has no example"; status=1; continue; }
	# The C library has profil and sprofil too, and its headers come without -I.
	case $name in
	libprofil) folders=-I$source/include ;;
	pcsample) folders=-I$source/include/profil/svr4 ;;
	*)
		folders=
		build "$scratch/$name" "$scratch/$name.c" "-I$source/include/profil/linux" || status=1
		;;
	esac
	build "$scratch/$name" "$scratch/$name.c" ${folders:+"$folders"} || { status=1; continue; }
	said=$(cd "$scratch" && PROFIL_HZ=997 "./$name") || { echo "$name: failed"; status=1; }
	echo "$said"
	case $name in
	profil) wanted='^work+[0-9]*: [1-9]' ;;
	sprofil) wanted='^1003 us a sample: divide [1-9][0-9]*, add [1-9]' ;;
	libprofil) wanted='^[1-9][0-9]* samples, 0\.[0-9]* s of CPU, by the [a-z]* engine$' ;;
	*) wanted=. ;;
	esac
	echo "$said" | grep -q "$wanted" || { echo "$name: does not say $wanted"; status=1; }
done

# Where the kernel engine can be had, as by cells that the library makes, that of profil(3) is for it too.
if (cd "$scratch" && PROFIL_ENGINE=kernel ./libprofil) >"$scratch/said" 2>&1; then
	PROFIL_ENGINE=kernel PROFIL_HZ=997 "$scratch/profil" >"$scratch/said" ||
		{ echo "profil: refused by the kernel engine"; status=1; }
	grep -q '^work+[0-9]*: [1-9]' "$scratch/said" ||
		{ echo "profil: the kernel engine counts nothing"; status=1; }
else
	sed 's/^/# no kernel engine: /' "$scratch/said"
fi
exit $status
