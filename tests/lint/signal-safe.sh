#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A tick may come at any instruction of the program, in the middle of malloc too: what runs at one
# calls nothing but itself.  The files are compiled here as compilers like it, for every processor
# whose atomic steps might turn into calls; what they leave undefined must be among what they define
# or in the list of what is allowed.  scale.c is for BPF too, which has no calls at all.
tick='src/histogram/cell.c src/histogram/region.c src/histogram/scale.c'

# The same and the timer engine's handler, which needs each system's own headers.
handler='src/engine/timer/inside/guest.c src/engine/timer/inside/guest_walk.c
	src/engine/timer/inside/handler.c src/engine/timer/inside/handoff.c src/unwind/callers.c src/unwind/find.c
	src/engine/inside/pc.c src/engine/inside/pc_list.c src/engine/inside/tally.c'

# What counts a call of a function compiled with -pg, at the entry of any function.
call='src/gmon/arcs.c'

# What writes the files of such a program, in the handler of a fatal signal too: neither malloc nor
# stdio is among what it may call, nor anything else that takes a lock.  Of objects.c and clock.c, which
# do other things as well, it calls what is marked signal-safe there.
last='src/base/gmon_file.c src/base/proto.c src/gmon/arcs.c src/gmon/formats.c src/gmon/gzip.c src/gmon/output.c
	src/gmon/places.c src/gmon/pprof.c src/gmon/pprof_facts.c src/gmon/save.c
	src/gmon/scan.c src/gmon/write.c'
libc='__errno_location clock_gettime close getenv getpid memcpy memset mmap munmap open pread read
	rename strcmp strerrordesc_np strlen strrchr sysconf uname unlink write'
gmon='clock_account clock_engine clock_hertz clock_noted clock_period object_cells objects_at
	objects_first'

# The address table of position-independent code, and leaf functions of the compiler's own that are
# linked in: 64-bit division on 32-bit processors, and arm's atomic steps (__aarch64_...), which ask
# at run time which instructions there are.
own='_GLOBAL_OFFSET_TABLE_ __udivdi3'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# check FILES COMPILER... and what else they may call in $allowed
check() {
	files=$1
	shift
	rm -f "$scratch"/*.o
	for file in $files; do
		if ! "$@" -std=gnu17 -D_GNU_SOURCE -Wall -Werror -Isrc -c "$file" \
			-o "$scratch/$(basename "$file").o"; then
			status=1
			return
		fi
	done
	nm -g "$scratch"/*.o | awk -v allowed="$allowed" -v how="$*" '
		BEGIN { count = split(allowed, names, " "); for (i in names) known[names[i]] = 1 }
		NF == 2 && $1 ~ /^[Uvw]$/ { wanted[$2] = 1 }
		NF == 3 { known[$3] = 1 }
		END {
			for (name in wanted)
				if (!(name in known) && name !~ /^__aarch64_/) {
					print how ": a tick would call " name
					bad = 1
				}
			exit bad
		}' || status=1
}

allowed="$own $(echo "$libc $gmon" | tr -d '\n')"
for level in -O0 -O2 -Os; do
	check "$last" gcc $level -fPIC -DPROFIL_VERSION='"0"'
done
allowed=$own
for level in -O0 -O2 -Os; do
	check "$tick $handler" gcc $level -fPIC
	check "$call" gcc $level -fPIC -ffreestanding -fno-tree-loop-distribute-patterns -mgeneral-regs-only
	check "$tick $handler" clang $level -fPIC
	for target in x86_64 i686 aarch64 riscv64; do
		check "$tick" clang --target=$target-linux-gnu -ffreestanding $level -fPIC
	done
	check "$tick $handler" aarch64-linux-gnu-gcc $level -fPIC
	check "$call" aarch64-linux-gnu-gcc $level -fPIC -ffreestanding -fno-tree-loop-distribute-patterns
	check "$tick $handler" riscv64-linux-gnu-gcc $level -fPIC
done
check src/histogram/scale.c clang --target=bpf -ffreestanding -O2
exit $status
