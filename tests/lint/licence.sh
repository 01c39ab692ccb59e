#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every source and script says its licence in the first lines.
git ls-files -z '*.c' '*.h' '*.awk' '*.go' '*.py' '*.sh' Makefile .ci fuzz/run tools tests/lint/run |
	xargs -0 awk 'FNR == 1 && file != "" && !said { print file ": no SPDX line"; bad = 1 }
		FNR == 1 { file = FILENAME; said = 0 }
		FNR <= 3 && /SPDX-License-Identifier: / { said = 1 }
		END { if (!said) { print file ": no SPDX line"; bad = 1 } exit bad }'
