#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Usage: devtools/check-build.sh [COMPILER...]
#
# Compile everything with gcc and clang, or with the named compilers, and treat warnings as errors.
# clang runs without its optimizer, which does not affect its warnings. Nothing is linked or run. The
# static libraries of lib/swhca are excluded; fuzz.sh compiles them with the same warnings.
# BUILD_DIR (default: build) is the prefix of the build folders.

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
