#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Build Debian packages of this checkout and test them in separate roots; see --help.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

usage()
{
	cat <<END
Usage: devtools/package/package.sh [options]

Builds the packages of debian/ in an empty root of a Debian release (devtools/ci/platform.sh), where there
is nothing but what they ask for, and looks at them with lintian. They are left in one folder.

  --suite SUITE  bookworm (default) or trixie
  --output DIR   where packages go (default: build-packages/SUITE)
  --nodpdk       only libswhca0 and swhca, without DPDK
  --test         then install them in an empty root, run their own tests (debian/tests) and the
                 commands of the guide for other projects as an ordinary user, and purge them, after
                 which nothing may be left
  --only-test    the same with packages that are there
  --container    instead of all that: the steps of Containerfile, in empty roots of trixie
  --cache DIR    that of devtools/ci/platform.sh
  --help         this text

Exit status: 0; 1 if something failed; 77 if there is no root and none can be made here.
END
}

suite=bookworm
output=
profiles=
opt_build=yes
opt_test=no
opt_container=no
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/umr
while [ $# -gt 0 ]; do
	case $1 in
	--suite | --output | --cache)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		declare "${1#--}=$2"
		shift
		;;
	--nodpdk) profiles=pkg.umr.nodpdk ;;
	--test) opt_test=yes ;;
	--container) opt_container=yes ;;
	--only-test) opt_build=no opt_test=yes ;;
	--help)
		usage
		exit 0
		;;
	*) wrong_usage "unknown option $1" ;;
	esac
	shift
done
case $suite in
bookworm | trixie) ;;
*) wrong_usage "--suite: '$suite' is not bookworm or trixie" ;;
esac
output=$(realpath -m "${output:-$top_dir/build-packages/$suite}")

[ "$opt_container" = no ] || suite=trixie
# Contents of /share in the root, which keeps apt downloads and compiled files.
share=$(realpath -m "$cache/packages-$suite")
mkdir -p "$share/apt/partial" "$share/ccache" "$output"

in_root()
{
	step "$*: in an empty root of $suite"
	run "$top_dir/devtools/ci/platform.sh" --cache "$cache" --share "$share" --empty "$suite" \
		env SHARE=/share DEB_BUILD_PROFILES="$profiles" \
		devtools/package/package-root.sh "$@"
}

if [ "$opt_container" = yes ]; then
	rm -rf "$share/packages"
	in_root stage 1
	in_root stage 2
	exit 0
fi
rm -rf "$share/out"
if [ "$opt_build" = yes ]; then
	rm -rf "${output:?}"/*
	in_root build
	cp "$share/out/"* "$output"
	say "packages: $output"
	(cd "$output" && ls -- *.deb)
fi
if [ "$opt_test" = yes ]; then
	rm -rf "$share/out"
	mkdir "$share/out"
	cp "$output"/*.deb "$share/out"
	in_root test
	in_root guide
fi
