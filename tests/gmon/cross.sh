#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cross.sh SOURCE FOLDER: FOLDER/gcrt0.o and libprofil-gmon.so for aarch64, without a warning.
cd "$1" || exit 2
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
set -e

# Warnings and all as meson.build has them.
compile() {
	aarch64-linux-gnu-gcc -std=gnu17 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes \
		-Wmissing-prototypes -Wvla -Wformat=2 -Wno-missing-field-initializers \
		-Wno-unused-parameter -Werror -fPIC -fvisibility=hidden -D_GNU_SOURCE \
		-D_FILE_OFFSET_BITS=64 "-DPROFIL_VERSION=\"$version\"" -Isrc -Iinclude \
		'-DGMON_SONAME="libprofil-gmon.so.0"' "$@"
}

for file in src/base/array.c src/base/build_id.c src/base/error.c src/base/gmon_file.c \
	src/base/maps_line.c src/base/perf_event.c src/base/proto.c src/histogram/*.c \
	src/engine/inside/*.c src/engine/*/inside/*.c src/libprofil/*.c src/unwind/*.c; do
	compile -c "$file" -o "$objects/$(echo "$file" | tr / -).o"
done
ar rc "$objects/parts.a" "$objects"/*.o
mkdir "$objects/gmon" "$objects/static"
for file in src/gmon/*.c; do
	compile -DGMON_IS_LINKED=0 -c "$file" -o "$objects/gmon/$(basename "$file").o"
	compile -DGMON_IS_LINKED=1 -c "$file" -o "$objects/static/$(basename "$file").o"
done
compile -c src/libprofil/static/no_kernel.c -o "$objects/static/no_kernel.c.o"
aarch64-linux-gnu-gcc -shared -o "$2/libprofil-gmon.so" -Wl,--no-undefined \
	-Wl,--version-script,src/gmon/libprofil-gmon.map "$objects"/gmon/*.o "$objects/parts.a"
ar rc "$objects/whole.a" "$objects"/static/*.o
src/libprofil/static/link-object.sh src/gmon/libprofil-gmon.map '' "$2/gcrt0.o" \
	"$2/libprofil-gmon.a" aarch64-linux-gnu-objcopy aarch64-linux-gnu-ar aarch64-linux-gnu-gcc \
	-- "$objects/whole.a" -- "$objects/parts.a"
