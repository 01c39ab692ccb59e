#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "make dist" makes the same bytes of a commit from every clone, whoever makes it, where and when, and
# they hold the files of the commit.  The packages have its version.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
makefile=$PWD/Makefile

# clone FOLDER UMASK TIME_ZONE
clone() {
	(umask "$2" && git clone -q . "$scratch/$1" && touch -d "$2 days ago" "$scratch/$1"/* &&
		TZ=$3 make -s -C "$scratch/$1" -f "$makefile" dist >"$scratch/said") || exit
	tarball=$(echo "$scratch/$1"/profil-*.tar.gz)
}

clone one 022 UTC
first=$tarball
clone another 077 Asia/Tokyo
cmp "$first" "$tarball" || exit
version=${first##*/profil-}
version=${version%.tar.gz}
grep -qx "Version: $version" rpm/profil.spec || { echo "rpm/profil.spec: not $version"; exit 1; }
head -1 debian/changelog | grep -qF "profil ($version)" || { echo "debian/changelog: not $version"; exit 1; }
tar -tf "$tarball" | sed -n 's|^profil-[0-9.]*/||; /[^/]$/p' | LC_ALL=C sort >"$scratch/packed"
git ls-tree -r --name-only HEAD | LC_ALL=C sort | diff - "$scratch/packed"
