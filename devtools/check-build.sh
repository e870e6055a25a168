#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Usage: devtools/check-build.sh [COMPILER...]
#
# Compiles everything with gcc and with clang, or those that are named, warnings being errors: those of
# clang are the same without its optimizer. Links and runs nothing. Not the static libraries of lib/swhca,
# which fuzz.sh compiles with the same warnings.
# BUILD_DIR (default: build) is the prefix of the folders used.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

prefix=${BUILD_DIR:-$build_dir}
[ $# -gt 0 ] || set -- gcc clang
for compiler; do
	if ! command -v $compiler >/dev/null; then
		die "no $compiler"
	fi
	build_dir=$prefix-check-$compiler
	rm -rf "$build_dir"
	options=()
	[ $compiler != clang ] || options=(-Doptimization=0 -Ddebug=false)
	CC=$compiler configure -Dwerror=true -Ddocs=disabled "${options[@]}"
	mapfile -t objects < <(ninja -C "$build_dir" -t targets all |
		sed -n '/^lib\/swhca\/.*\.a\.p\//d; s/: c\(pp\)\?_COMPILER$//p')
	build "${objects[@]}"
done
