#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: options.sh [PROFIL [MAN_DIRECTORY]]
# Every option of a command is in its help, in the completions and in its man page, and no other.
set -eu
profil=${1:-build/profil}
man=${2:-man}
[ -x "$profil" ] || { echo "$profil is not built: its options are not compared"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# The long options in what is read, one a line.
names() {
	grep -oE -e '--[a-z][a-z-]+' | sort -u
}

compare() {
	if ! diff -u "$scratch/help" "$scratch/found" >"$scratch/diff"; then
		echo "the help of $1 and its $2 differ in options:"
		cat "$scratch/diff"
		status=1
	fi
}

check() {
	command=$1
	page=$2
	"$profil" help "$command" | grep -E '^ +(-[A-Za-z], )?--' | names >"$scratch/help"

	# Definitions begin a line; the options of other commands stand in sections of their own.
	sed '/^# OPTIONS BEFORE A COMMAND/,/^# COMMANDS/d' "$man/$page" | grep -E '^\*-' |
		sed 's/\*//g' | names >"$scratch/found"
	compare "$command" "man page ($page)"

	"$profil" completion bash | grep -E "^	$command\) echo " | names >"$scratch/found"
	compare "$command" "bash completion"

	# In brackets is what an option does.
	"$profil" completion zsh | sed -n "/^_profil_$command()/,/^}/s/\[.*//p" | names \
		>"$scratch/found"
	compare "$command" "zsh completion"
}

check run profil.1.scd
check record profil.1.scd
check attach profil-attach.1.scd
check system profil-system.1.scd
check report profil-report.1.scd
check tree profil-tree.1.scd
check annotate profil-annotate.1.scd
check hist profil-hist.1.scd
check html profil-html.1.scd
check serve profil-serve.1.scd
check dos profil-dos.1.scd
check prohst profil-prohst.1.scd
check export profil-export.1.scd
check doctor profil-doctor.1.scd
check list profil-list.1.scd
check diff profil-diff.1.scd
check merge profil-merge.1.scd
exit $status
