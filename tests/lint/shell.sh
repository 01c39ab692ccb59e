#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shell scripts, by way of shellcheck.
git ls-files -z '*.sh' '*.bash' .ci/run fuzz/run tools/demo tools/setup tests/kernels/run tests/kernels/root tests/lint/run \
	tests/packages/run debian/tests/profiles debian/tests/library debian/tests/dos | xargs -0 shellcheck -x -f gcc
