#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: completion.bash PROFIL
# The completion of bash, driven as readline drives it.
set -u
status=0

# Only a shell that completes has this one; the script calls it.
# shellcheck disable=SC2317
compopt() { :; }

script=$("$1" completion bash) || exit 1
eval "$script"

# expect REPLIES WORD...: with the words typed so far, the last of them being completed.
expect() {
	local expected=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_profil
	if [[ "${COMPREPLY[*]}" != "$expected" ]]; then
		echo "'${COMP_WORDS[*]}' gives '${COMPREPLY[*]}', not '$expected'"
		status=1
	fi
}

cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
touch one.pb.gz two.txt

expect '--clock' profil --cl
expect '--version' profil --vers
expect 'machine task' profil --clock ''
expect 'task' profil run --clock t
expect 'line' profil report --by = li
expect 'line' profil -n 3 --by = li
expect 'one.pb.gz' profil report one
expect 'one.pb.gz' profil -o one
expect '' profil -F ''
expect 'run record attach system top report tree flame annotate hist html serve diff merge export gprof dos prohst list doctor help completion version' profil help ''
expect 'bash zsh' profil completion ''
expect 'two.txt' profil dos --bucket 2 tw
expect '' profil dos two.txt --cl
expect 'one.pb.gz' profil prohst one
# Behind a program's name words are the program's.
expect 'two.txt' profil -F 99 ls tw
expect '' profil -F 99 ls --cl
expect '' profil --by=line -q ls --cl
expect 'two.txt' profil -- ls tw
exit $status
