#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# headers.sh INCLUDE: every header is C and C++ by itself, beside the C library's, in any order.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# compile DIRECTORY LINES: as the strictest would.
compile() {
	printf '%b' "$2" >"$scratch/a.c"
	cp "$scratch/a.c" "$scratch/a.cc"
	for std in c99 c11 gnu17; do
		cc -std=$std -Wall -Wextra -Werror -pedantic -I"$1" -fsyntax-only "$scratch/a.c" ||
			{ echo "C ($std): $2"; status=1; }
	done
	# As programs of the time are compiled: no prototypes and no declarations among statements.
	cc -std=gnu89 -Wall -Werror -I"$1" -fsyntax-only "$scratch/a.c" ||
		{ echo "C (gnu89): $2"; status=1; }
	c++ -Wall -Wextra -Werror -pedantic -I"$1" -fsyntax-only "$scratch/a.cc" ||
		{ echo "C++: $2"; status=1; }
}

compile "$1" '#include <profil.h>\nextern int x;\n'
for folder in "$1"/profil/*/; do
	all=$(cd "$folder" && find . -name '*.h' | sed 's,^\./,,' | sort)
	for header in $all; do
		compile "$folder" "#include <$header>\n#include <unistd.h>\nextern int x;\n"
		compile "$folder" "#include <unistd.h>\n#include <$header>\nextern int x;\n"
	done
	together=$(echo "$all" | sed 's/.*/#include <&>\\n/' | tr -d '\n')
	compile "$folder" "$together#include <stdio.h>\n#include <stdlib.h>\nextern int x;\n"
done
exit $status
