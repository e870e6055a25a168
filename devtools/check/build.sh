#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Usage: devtools/check/build.sh [COMPILER...]
#
# Compile everything with gcc and clang, or with the named compilers, and treat warnings as errors.
# clang runs without its optimizer, which does not affect its warnings, and excludes the static
# libraries of lib/swhca, which the part fuzz of test.sh compiles. Nothing is linked or run.
# BUILD_DIR (default: build) is the prefix of the build folders.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

prefix=${BUILD_DIR:-$build_dir}
[ $# -gt 0 ] || set -- gcc clang
for compiler; do
	if ! command -v $compiler >/dev/null; then
		die "no $compiler"
	fi
	build_dir=$prefix-check-$compiler
	rm -rf "$build_dir"
	options=()
	excluded='^$'
	if [ $compiler = clang ]; then
		options=(-Doptimization=0 -Ddebug=false)
		excluded='^lib/swhca/.*\.a\.p/'
	fi
	CC=$compiler configure -Dwerror=true -Ddocs=disabled "${options[@]}"
	mapfile -t objects < <(ninja -C "$build_dir" -t targets all |
		sed -n 's/: c\(pp\)\?_COMPILER$//p' | grep -v "$excluded")
	build "${objects[@]}"
done
