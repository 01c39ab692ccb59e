#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# whole.sh PROGRAM PROFIL: what profil_save() writes is what the account counted, and the report
# knows the function that it was counted in.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
counted=$("$1" "$scratch/whole.pb.gz") || exit $?
"$2" report --json "$scratch/whole.pb.gz" >"$scratch/report.json" || exit 1
python3 - "$scratch/report.json" "$counted" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
counted = int(sys.argv[2])
assert report["total"] == counted and report["identity"]["holds"], (report, counted)
first = report["rows"][0]
assert first["name"] == "spin_code", first
assert first["ticks"] > 0.9 * counted, (first, counted)
END
