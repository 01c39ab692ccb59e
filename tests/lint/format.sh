#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every C file is as clang-format writes it ("make format"): Debian 12's, for each version has ways of
# its own with macros, and files cannot follow two.
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
	echo "clang-format is $version: layout is version 14's and is not compared"
	exit 0
fi
git ls-files -z '*.c' '*.h' | xargs -0 -n 32 -P "$(nproc)" clang-format --dry-run -Werror 2>&1 | grep 'error:'
[ $? = 1 ]
