# SPDX-License-Identifier: BSD-2-Clause
# The front of Meson.  "make demo" and "make check" are enough on a fresh Debian 12.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 3
export PATH := $(PATH):/usr/sbin:/sbin

# One more test at a time than there are CPUs: many wait for a while.
AT_ONCE := --num-processes $(shell echo $$(($$(nproc) + 1)))

# Profiling asks for a privilege, so what runs profil runs as root.
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo env 'PATH=$(PATH)' CI=$(CI))

all: configure
	@ninja -C build

# The set-up of a build only looks; that of demo, check, lint and bench installs what is missing.
configure:
	@tools/setup --check build
	@[ -e build/build.ninja ] || meson setup --prefix '$(PREFIX)' build
	@tools/setup --again build

setup:
	@tools/setup build

demo:
	@tools/setup build demo
	@tools/setup shows || echo 'demo: goes on without them'
	@$(MAKE) -s configure
	@ninja -C build profil
	@tools/demo

# The picture in README, of the demo on this machine.
picture: demo
	@build/profil flame --title 'make demo: SQLite and zlib make a database of the system headers' \
		--width 900 --minwidth 3 -o docs/flame.svg demo.pb.gz

# For in between: the units and recorded profiles.  It needs neither root nor a clock.
check-quick:
	@tools/setup --check build
	@$(MAKE) -s all
	@meson test -C build --no-rebuild --print-errorlogs --suite unit --suite golden \
		--no-suite timed --no-suite long --logbase quicklog

check:
	@tools/setup build test
	@$(MAKE) -s all
	@$(AS_ROOT) meson test -C build --no-rebuild --print-errorlogs -t 3 --no-suite long $(AT_ONCE) $(TESTS)

# What takes long by its nature: 1,000 visits to a server under load, a collector that is held up, the
# C library's and the compiler's own tests of -pg out of their sources.
check-long:
	@tools/setup build test long
	@$(MAKE) -s all
	@$(AS_ROOT) meson test -C build --no-rebuild --print-errorlogs --suite long --logbase longlog $(AT_ONCE)

# On other kernels than this machine's, emulated.
check-kernels:
	@tools/setup build test kernels
	@$(MAKE) -s all
	@tests/kernels/run build $(KERNELS)

# Debian's packages and RPMs: built, and those of Debian installed in a copy of this system, used, removed.
check-packages:
	@tools/setup build test packages
	@$(MAKE) -s dist >&2
	@$(AS_ROOT) unshare -m --propagation private tests/packages/run '$(RELEASE).tar.gz'

# The unit tests and the storms of requests at a server once more, by another compiler and with every access and
# overflow watched (a signal ends a page's process, and memory is flat, as without that); and what has to do with
# threads and signals, with every two accesses that nothing orders.
sanitize: sanitized
	@meson test -C build-sanitize --no-rebuild --print-errorlogs --suite unit --no-suite long
	@$(AS_ROOT) env ASAN_OPTIONS=quarantine_size_mb=1:handle_segv=0 \
		meson test -C build-sanitize --no-rebuild --print-errorlogs --logbase servelog serve serve_live
	@[ -e build-thread/build.ninja ] || \
		CC=clang meson setup --werror -Db_sanitize=thread -Db_lundef=false build-thread
	@ninja -C build-thread
	@$(AS_ROOT) meson test -C build-thread --no-rebuild --print-errorlogs --suite races
	@$(MAKE) -s fuzz

sanitized:
	@tools/setup build test sanitize
	@[ -e build-sanitize/build.ninja ] || CC=clang meson setup --werror -Dfuzz=true \
		-Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=undefined build-sanitize
	@ninja -C build-sanitize

# libFuzzer on every reader (fuzz/README): make fuzz FUZZ_SECONDS=600 FUZZ='pprof prf'
fuzz: sanitized
	@fuzz/run build-sanitize $(FUZZ_SECONDS) $(FUZZ)

lint:
	@tools/setup build lint
	@$(MAKE) -s all
	@tests/lint/run

# make bench BENCH='--quick --json'
bench:
	@tools/setup build bench
	@$(MAKE) -s all >&2
	@$(AS_ROOT) bench/bench.py $(BENCH)

format:
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i

install: all
	@meson configure build -Dprefix='$(PREFIX)'
	@DESTDIR='$(DESTDIR)' meson install -C build

# The commit that is checked out as a tarball, the same from every clone: nothing in it is of the
# work tree, and every time in it is the commit's.
RELEASE = profil-$(shell sed -n "s/^ *version: '\(.*\)',$$/\1/p" meson.build)
dist:
	@git -c tar.umask=0022 -c core.autocrlf=false -c tar.tar.gz.command='gzip -cn' \
		archive --prefix='$(RELEASE)/' -o '$(RELEASE).tar.gz' HEAD
	@sha256sum '$(RELEASE).tar.gz'

clean:
	rm -rf build build-sanitize build-thread build-without demo.pb.gz demo.html profil-*.tar.gz

.PHONY: all bench check check-kernels check-long check-packages check-quick clean configure demo dist format fuzz install lint picture sanitize sanitized setup
