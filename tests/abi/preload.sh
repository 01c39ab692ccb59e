#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# preload.sh PROGRAM LIBPROFIL: a program that was linked with the C library's profil and sprofil,
# by whatever version they have there, gets libprofil's when that is preloaded: its tick is the one
# asked for, a third call does no harm, and it says who counts.
count() {
	said=$(PROFIL_HZ=500 PROFIL_DEBUG=1 LD_PRELOAD=$library "$program" 2>&1) || { echo "$said"; exit 1; }
	ticks=$(echo "$said" | sed -n 's/.*us, \([0-9]*\) ticks/\1/p')
}

program=$1 library=$2
count
# 200 ms at 500 Hz are 100, but for the time in system calls.  A host that takes the processor away
# meanwhile makes more of them by perf's clock than by the process's, and not again and again.
for _ in 1 2 3 4; do
	[ "$ticks" -lt 70 ] || [ "$ticks" -gt 115 ] || break
	count
done
echo "$said"
echo "$said" | grep -q '^libprofil: sprofil: ' || { echo "sprofil is not ours"; exit 1; }
echo "$said" | grep -q '^libprofil: profil: ' || { echo "profil is not ours"; exit 1; }
echo "$said" | grep -q '^2000 us, ' || { echo "tvp does not tell the tick"; exit 1; }
if [ "$ticks" -lt 70 ] || [ "$ticks" -gt 115 ]; then
	echo "$ticks ticks"
	exit 1
fi
