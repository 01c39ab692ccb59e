#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# as-nobody.sh PROGRAM [ARG...]: run it with no privilege at all.
[ "$(id -u)" = 0 ] || { echo "# skipped: only root can become nobody"; exit 77; }
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"; }
nobody test -x "$1" || { echo "# skipped: nobody may not enter $(dirname "$1")"; exit 77; }
nobody "$@"
