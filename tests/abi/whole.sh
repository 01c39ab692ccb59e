#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# whole.sh PROGRAM PROFIL: profil_save() writes all ticks that there were, and the report knows the
# function that they were counted in.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
account=$("$1" "$scratch/whole.pb.gz") || exit $?
"$2" report --json "$scratch/whole.pb.gz" >"$scratch/report.json" || exit 1
python3 - "$scratch/report.json" "$account" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
ticks, counted = map(int, sys.argv[2].split())
assert report["total"] == ticks and report["identity"]["holds"], (report, ticks)
assert ticks - report["classes"]["unresolved"] == counted, (report, counted)
first = report["rows"][0]
assert first["name"] == "spin_code", first
assert first["samples"] > 0.9 * counted, (first, counted)
END
