#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every #include "room/..." in src/ obeys the table of rooms in ARCHITECTURE.md, which is read here
# so that the text and the check are one.  An include without a room is a file beside it, or made
# in the build.
table=$(awk -F'|' '/^\| `[a-z_\/]+` \|/ { gsub(/[`, ]+/, " ", $2); gsub(/[`, ]+/, " ", $3)
	print $2, $3 }' ARCHITECTURE.md)
[ -n "$table" ] || { echo "ARCHITECTURE.md: no table of rooms"; exit 1; }

echo "$table" | awk '{ print $1 }' | while read -r room; do
	[ -d "src/$room" ] || echo "ARCHITECTURE.md: room $room is not there"
done >build/lint-rooms.out
find src -mindepth 1 -type d | while read -r folder; do
	room=${folder#src/}
	echo "$table" | grep -q "^ *$room " || echo "src/$room: has no row in ARCHITECTURE.md"
done >>build/lint-rooms.out

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
	room = folder(quoted[2])
	beside = "src/" from "/" quoted[2]
	if (room == "" && quoted[2] !~ /\.skel\.h$/ && (getline line <beside) < 0)
		print part[1] ":" part[2] ": no " quoted[2] " beside it: say its room"
	close(beside)
	if (room != "" && !((from, room) in may))
		print part[1] ":" part[2] ": " from " may not include " quoted[2]
}' >>build/lint-rooms.out
cat build/lint-rooms.out
[ ! -s build/lint-rooms.out ]
