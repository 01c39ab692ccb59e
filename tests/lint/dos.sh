#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The C of the DOS programs, once more by a compiler that knows prototypes: bcc takes them out.  -m32
# comes nearest to where an address and an unsigned are of one size.
git ls-files 'dos/*.c' | while read -r file; do
	cc -m32 -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes \
		-I dos -I src "$file" 2>&1 | grep -E 'error|warning'
done | grep .
[ $? = 1 ]
