#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every #include "component/..." in src/ obeys the table of components in ARCHITECTURE.md, which is read here
# so that the text and the check are one.  An include without a component is a file beside it, or made
# in the build.
table=$(awk -F'|' '/^\| `[a-z_\/]+` \|/ { gsub(/[`, ]+/, " ", $2); gsub(/[`, ]+/, " ", $3)
	print $2, $3 }' ARCHITECTURE.md)
[ -n "$table" ] || { echo "ARCHITECTURE.md: no table of components"; exit 1; }

echo "$table" | awk '{ print $1 }' | while read -r component; do
	[ -d "src/$component" ] || echo "ARCHITECTURE.md: component $component is not there"
done >build/lint-components.out
find src -mindepth 1 -type d | while read -r folder; do
	component=${folder#src/}
	echo "$table" | grep -q "^ *$component " || echo "src/$component: has no row in ARCHITECTURE.md"
done >>build/lint-components.out

git ls-files -z 'src/*.c' 'src/*.h' | xargs -0 grep -Hn '^# *include "' | awk -v table="$table" '
BEGIN {
	count = split(table, rows, "\n")
	for (i = 1; i <= count; i++) {
		words = split(rows[i], row, " ")
		for (j = 1; j <= words; j++)
			may[row[1], row[j]] = 1
	}
}
# The folder of PATH, "" if there is none.
function folder(path) { return match(path, /.*\//) ? substr(path, 1, RLENGTH - 1) : "" }
{
	split($0, part, ":")
	split($0, quoted, "\"")
	from = substr(folder(part[1]), length("src/") + 1)
	component = folder(quoted[2])
	beside = "src/" from "/" quoted[2]
	if (component == "" && quoted[2] !~ /\.(skel|made)\.h$/ && (getline line <beside) < 0)
		print part[1] ":" part[2] ": no " quoted[2] " beside it: say its component"
	close(beside)
	if (component != "" && !((from, component) in may))
		print part[1] ":" part[2] ": " from " may not include " quoted[2]
}' >>build/lint-components.out
cat build/lint-components.out
[ ! -s build/lint-components.out ]
