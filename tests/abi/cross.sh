#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cross.sh SOURCE PROCESSOR: libprofil for another processor, without a warning, asks for its C
# library alone; programs count by the timer engine there, under an emulator; and what runs in the
# kernel is compiled.  The emulator falls over a process with threads that forks, and there is no
# object to save with: such programs are compiled only.
cd "$1" || exit 2
cc=$2-linux-gnu-gcc
for tool in "$cc" "qemu-$2"; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool: make setup"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)

# Warnings and all as meson.build has them.
compile() {
	"$cc" -std=gnu17 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
		-Wformat=2 -Wno-missing-field-initializers -Wno-unused-parameter -Werror \
		-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 "-DPROFIL_VERSION=\"$version\"" "$@"
}

for file in src/base/*.c src/histogram/*.c src/unwind/*.c src/engine/inside/*.c \
	src/engine/*/inside/*.c src/libprofil/*.c; do
	compile -fPIC -fvisibility=hidden -Isrc -Iinclude -c "$file" \
		-o "$scratch/$(echo "$file" | tr / -).o" || exit 1
done
ar rc "$scratch/core.a" "$scratch"/src-base-*.o "$scratch"/src-histogram-*.o \
	"$scratch"/src-unwind-*.o
compile -shared -o "$scratch/libprofil.so.0" -Wl,-soname,libprofil.so.0,-z,nodelete,--as-needed \
	-Wl,--no-undefined,--version-script,src/libprofil/libprofil.map \
	"$scratch"/src-engine-*.o "$scratch"/src-libprofil-*.o "$scratch/core.a" || exit 1
ln -s libprofil.so.0 "$scratch/libprofil.so"
sh tests/abi/symbols.sh "$scratch/libprofil.so.0" src/libprofil/libprofil.map || status=1

# program NAME INCLUDE
program() {
	compile -Wno-missing-prototypes "-I$2" -Iinclude -o "$scratch/$1" "tests/abi/programs/$1.c" \
		tests/abi/programs/truth.c -L"$scratch" -Wl,-rpath,"$scratch" -lprofil ||
		{ echo "$1: is not compiled"; status=1; }
}

processor=$2
# count NAME INCLUDE
count() {
	program "$@"
	echo "# $1"
	PROFIL_ENGINE=timer "qemu-$processor" -L "/usr/$processor-linux-gnu" "$scratch/$1" ||
		{ echo "$1: failed"; status=1; }
}

for system in aix bsd hpux irix linux svr4 v7; do
	count $system include/profil/$system
done
count stack-buffer include/profil/linux
count overlap include/profil/linux
program processes include/profil/linux
for name in pages whole forks closes-all; do
	program $name include
done

# The programs that run in the kernel know the processor by its registers.
case $processor in
aarch64) registers=arm64 ;;
riscv64) registers=riscv ;;
esac
for file in src/*/*.bpf.c src/*/*/*/*.bpf.c; do
	clang -target bpf -mcpu=v3 -O2 -g -Wall -Werror "-D__TARGET_ARCH_$registers" -ffreestanding \
		-nostdinc -isystem "$(clang -print-resource-dir)/include" \
		-isystem "/usr/$processor-linux-gnu/include" -isystem /usr/include -Isrc \
		-c "$file" -o "$scratch/bpf.o" || { echo "$file: is not compiled"; status=1; }
done
exit $status
