#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A build that was configured without bcc makes PROFIL.COM when bcc is there, and no longer when it is gone:
# make looks again.  Tried on a copy of what looks, with a PATH that has bcc, as86 and ld86 or has not.
set -eu
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/bin" "$copy/project"
# What stands in two folders is the first's, as PATH has it; ccache looks for compilers in PATH itself.
(
	IFS=:
	for folder in $PATH /usr/sbin /sbin; do
		case $folder in
		*/ccache) ;;
		*) ln -s "$folder"/* "$copy/bin" 2>/dev/null || true ;;
		esac
	done
)
cd "$copy/project"
mkdir dos tools
cp "$root/Makefile" .
cp "$root/tools/setup" "$root/tools/meson.build" tools
cp "$root/dos/meson.build" dos
cat >meson.build <<'END'
project('copy', 'c', meson_version: '>= 1.0.0')
subdir('tools')
subdir('dos')
END
PATH=$copy/bin
export PATH

bring() {
	for tool in bcc as86 ld86; do
		printf '#!/bin/sh\n' >"$copy/bin/$tool"
		chmod +x "$copy/bin/$tool"
	done
}

# Whether make configures the build (yes or no), and whether it would make PROFIL.COM then.
expect() {
	made=no
	again=no
	make -s configure >"$copy/words" 2>&1 || cat "$copy/words"
	! grep -q 'configuring it again' "$copy/words" || again=yes
	! grep -q PROFIL.COM build/build.ninja || made=yes
	[ "$again $made" = "$2 $3" ] || {
		echo "$1: configured again: $again, not $2; PROFIL.COM: $made, not $3"
		exit 1
	}
}

rm -f "$copy/bin/bcc" "$copy/bin/as86" "$copy/bin/ld86"
expect "without bcc" no no
expect "once more" no no
bring
expect "bcc has come" yes yes
expect "nothing has changed" no yes
rm "$copy/bin/bcc"
expect "bcc has gone" yes no
