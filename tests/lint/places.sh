#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The repository stands alone: it names no machine's own paths and no host that serves packages, and
# nothing in it is left for later.
paths='(^|[^A-Za-z0-9_.])/(work|home/[a-z]{3,}|root|Users)/'
hosts='deb\.debian\.org|proxy\.golang\.org|registry\.npmjs|pypi\.org|crates\.io'
later='\<(TODO|FIXME|XXX|HACK)\>'
git grep -nIE "$paths|$hosts|$later" -- . ':!tests/lint/places.sh'
[ $? = 1 ]
