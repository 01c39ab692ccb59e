#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# as-nobody.sh PROGRAM [ARG...]: run it with no privilege at all, as a user who is this run's alone: what
# he may lock for rings of events is one amount for all that he runs.
[ "$(id -u)" = 0 ] || { echo "# skipped: only root can become nobody"; exit 77; }
user=$((100000 + $$))
nobody() { setpriv --reuid=$user --regid=$user --clear-groups --bounding-set=-all "$@"; }
nobody test -x "$1" || { echo "# skipped: nobody may not enter $(dirname "$1")"; exit 77; }
nobody "$@"
