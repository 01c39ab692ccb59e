# SPDX-License-Identifier: BSD-2-Clause
# C without its comments and the insides of its strings, line for line.
{
	out = ""
	rest = $0
	while (rest != "") {
		if (comment) {
			end = index(rest, "*/")
			if (!end)
				break
			rest = substr(rest, end + 2)
			comment = 0
		} else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/)) {
			out = out substr(rest, 1, 1) substr(rest, RLENGTH, 1)
			rest = substr(rest, RLENGTH + 1)
		} else if (substr(rest, 1, 2) == "/*") {
			rest = substr(rest, 3)
			comment = 1
		} else if (substr(rest, 1, 2) == "//") {
			break
		} else {
			out = out substr(rest, 1, 1)
			rest = substr(rest, 2)
		}
	}
	print out
}
