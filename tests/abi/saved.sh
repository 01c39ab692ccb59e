#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# saved.sh PROGRAM PROFIL: a saved file has all ticks of the account, those that are in no cell too,
# by their reasons; profil report's identity holds on it and says so, and pprof finds as many.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=$1
profil=$2

if go version >/dev/null 2>&1; then
	go=yes
elif [ "$CI" = true ]; then
	echo "go is not installed: apt-get install golang-go"
	exit 1
else
	go=
	echo "SKIPPED: go tool pprof is not installed: apt-get install golang-go"
fi

# The sum of all samples, as pprof reads them.
pprof_ticks() {
	go tool pprof -symbolize=none -sample_index=samples -raw "$scratch/saved.pb.gz" |
		awk '/^Locations/ { exit }
			inside { sub(":.*", "", $0); sum += $1 }
			/^samples\/count/ { inside = 1 }
			END { print sum + 0 }'
}

# check WORD...: with a WORD cells stay full.
check() {
	"$program" "$scratch/saved.pb.gz" "$@" >"$scratch/account.json" || exit $?
	cat "$scratch/account.json"
	"$profil" report "$scratch/saved.pb.gz" >"$scratch/report.txt" || exit 1
	"$profil" report --json "$scratch/saved.pb.gz" >"$scratch/report.json" || exit 1
	python3 - "$scratch" "$@" <<'END' || exit 1
import json, sys
scratch, saturates = sys.argv[1], len(sys.argv) > 2
account = json.load(open(scratch + "/account.json"))
report = json.load(open(scratch + "/report.json"))
text = open(scratch + "/report.txt").read()
went = account["counted"] + account["saturated"]
expected = {
    "outside of the text that was measured": account["outside"],
    "the cell was full": went - account["held"],
    "lost before it was counted": account["lost"],
}
# That is no test of nothing: a cell holds 255, spinning is 0.8 s, and memset() 0.1 s.
assert went > 300 and went > account["held"] and account["outside"] > 0, account
assert (account["saturated"] > 0) == saturates, account
assert account["held"] >= 255 or not saturates, account
for reason, ticks in report["unresolved"].items():
    assert ticks == expected.get(reason, 0), (reason, report["unresolved"], account)
identity = report["identity"]
assert identity["holds"] and identity["samples"] == identity["counted"] == account["samples"], identity
unresolved = account["samples"] - account["held"]
assert report["classes"]["program"] == account["held"], (report["classes"], account)
assert report["classes"]["unresolved"] == unresolved, (report["classes"], account)
assert f"{account['samples']:,} samples = {account['held']:,} program + " in text, text
assert f"+ {unresolved:,} unresolved" in text, text
for reason, ticks in expected.items():
    told = f"sample unresolved: {reason}" if ticks == 1 else f"samples unresolved: {reason}"
    assert not ticks or f"{ticks:,} {told}" in text, text
END
	[ -z "$go" ] && return
	ticks=$(sed 's/.*"samples": \([0-9]*\),.*/\1/' "$scratch/account.json")
	found=$(pprof_ticks)
	[ "$found" = "$ticks" ] || { echo "pprof: $found of $ticks ticks"; exit 1; }
}

check
check stays-full
