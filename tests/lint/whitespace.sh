#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No blanks at the end of a line or of a file, in any tracked file.
git diff --check "$(git hash-object -t tree /dev/null)"
