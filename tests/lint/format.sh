#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every C file is as clang-format writes it ("make format").
git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run -Werror 2>&1 | grep 'error:'
[ $? = 1 ]
