#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shell scripts, by way of shellcheck.
git ls-files -z '*.sh' '*.bash' .ci/run fuzz/run tools/demo tools/setup tests/kernels/run tests/kernels/root tests/lint/run | xargs -0 shellcheck -x -f gcc
