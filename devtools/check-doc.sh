#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# The target doc: no warning, every exported function and every guide has a page, what the guides name
# of the API is in its headers, and the table of verbs has those of the installed libmlx5; and each
# kind of fault that it is there to find fails it. BUILD_DIR (default: build) is the build to use.
# Exit status 77: the build has no such target.

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! meson introspect --targets "$build_dir" | grep -q '"name": "doc"'; then
	warn "$build_dir has no target doc: doxygen or sphinx-build was missing when it was set up"
	exit 77
fi
# What meson says when it sets a build up anew is not about documents.
run ninja -C "$build_dir" build.ninja >"$work/log" 2>&1 || die "meson: $(cat "$work/log")"
run meson compile -C "$build_dir" doc >"$work/log" 2>&1 || die "target doc: $(cat "$work/log")"
if grep -i 'warning' "$work/log"; then
	die "target doc warns, and does not fail"
fi

# What can be linked can be looked up.
api=$build_dir/doc/api/html
missing=
for name in $(sed -n 's/^\t\(rte_umr_[a-z0-9_]*\);$/\1/p' <(sed '/^INTERNAL/,$d' \
	"$top_dir/lib/umr/version.map")); do
	grep -qw "$name" "$api"/*_8h.html || missing+=" $name"
done
[ -z "$missing" ] || die "not in the reference:$missing"
for header in $(sed -n "/^umr_headers = /,/^)/s/^\t'\(.*\)',$/\1/p" "$top_dir/lib/umr/meson.build"); do
	grep -qF "| $header |" "$top_dir/doc/api/index.md" || die "not in doc/api/index.md: $header"
	nb_headers=$((${nb_headers-0} + 1))
done
[ "${nb_headers-0}" -gt 0 ] || die "lib/umr/meson.build: no list of public headers"
while read -r guide; do
	page=$build_dir/doc/guides/html/${guide%.rst}.html
	[ -s "$page" ] || die "no page of $guide"
done < <(cd "$top_dir/doc/guides" && find . -name man -prune -o -name '*.rst' -printf '%P\n')

# What the guides name is there; a name that ends in _* begins another one.
api_words()
{
	grep -ohE '\b(rte_umr|RTE_UMR)[A-Za-z0-9_]*(\.h)?' "$@" | sort -u
}
api_words "$top_dir"/lib/umr/*.[ch] >"$work/known"
(cd "$top_dir/lib/umr" && ls -- *.h) >>"$work/known"
unknown=
while read -r word; do
	case $word in
	rte_umr) ;;
	*_) grep -q "^$word" "$work/known" || unknown+=" $word*" ;;
	*) grep -qx "$word" "$work/known" || unknown+=" $word" ;;
	esac
done < <(find "$top_dir/doc/guides" -name '*.rst' -exec cat {} + | cat - "$top_dir/README.md" | api_words)
[ -z "$unknown" ] || die "in the guides, not in lib/umr:$unknown"

# Device options of the driver have an entry, and no others do; the guide has all capabilities.
nic=$top_dir/doc/guides/nics/mlx5_umr.rst
diff <(sed -n 's/^#define ARG_[A-Z_]*\t*"\(.*\)"$/\1/p' "$top_dir"/drivers/common/mlx5_umr/*.c | sort) \
	<(sed -n '/^Device options/,/^Limits/s/^``\([a-z_]*\)`` (.*/\1/p' "$nic" | sort) >"$work/log" ||
	die "device options of the driver (<) and of ${nic##*/} (>): $(cat "$work/log")"
for name in $(grep -oE '#define RTE_UMR_CAPA_[A-Z0-9_]+' "$top_dir/lib/umr/rte_umr.h" | cut -c 22-); do
	grep -rqE "\`(RTE_UMR_CAPA_)?$name\`" "$top_dir/doc/guides/prog_guide/umr.rst" ||
		die "in no guide: RTE_UMR_CAPA_$name"
done

# All of mlx5dv is in the table, if only as one of prefix*name(), and so are the verbs and flags of memory
# regions and windows.
verbs=$top_dir/doc/guides/prog_guide/umr_verbs.rst
include_dir=$(pkg-config --variable=includedir libmlx5)/infiniband
grep -oE '``(mlx5dv|ibv)_[a-z0-9_*]+\(\)``' "$verbs" | tr -d '`()' | sort -u >"$work/verbs"
nb_verbs=0
while read -r name; do
	is_there=
	while read -r pattern; do
		# A * of the table is one of the shell.
		# shellcheck disable=SC2254
		case $name in $pattern) is_there=yes; break ;; esac
	done <"$work/verbs"
	[ -n "$is_there" ] || die "not in ${verbs##*/}: $name()"
	nb_verbs=$((nb_verbs + 1))
done < <({ grep -ohE '\bmlx5dv_[a-z0-9_]+\(' "$include_dir/mlx5dv.h" &&
	grep -ohE '\bibv_[a-z_]*(mr|mw|rkey)(_iova2?)?\(' "$include_dir/verbs.h"; } | tr -d '(' | sort -u)
[ "$nb_verbs" -ge 140 ] || die "$include_dir: only $nb_verbs verbs found"
for name in $(grep -oE '\bMLX5DV_(MKEY_INIT_ATTR|MKEY_CONF)_FLAGS?_[A-Z_]+' "$include_dir/mlx5dv.h" | sort -u); do
	grep -qF "$name" "$verbs" || die "not in ${verbs##*/}: $name"
done

# api_fault NAME, and a header on stdin: the reference with it must fail.
api_fault()
{
	cat >"$work/fault.h"
	sed "s|^INPUT  .*|INPUT = \"$work/fault.h\"|; s|^OUTPUT_DIRECTORY .*|OUTPUT_DIRECTORY = $work|
		/^USE_MDFILE_AS_MAINPAGE/d" "$build_dir/doc/api/doxygen.conf" >"$work/doxygen.conf"
	if doxygen "$work/doxygen.conf" >"$work/log" 2>&1; then
		[ "$1" = none ] || die "doxygen does not mind: $1"
	else
		[ "$1" != none ] || die "doxygen complains of a good header: $(cat "$work/log")"
	fi
}

# guide_fault NAME, and the text of a guide on stdin, likewise.
guide_fault()
{
	mkdir -p "$work/guide"
	cat >"$work/guide/index.rst"
	if "$top_dir/doc/guides/build.sh" sphinx-build 0 "$work/guide" "$work/guide.html" \
		>"$work/log" 2>&1; then
		[ "$1" = none ] || die "sphinx-build does not mind: $1"
	else
		[ "$1" != none ] || die "sphinx-build complains of a good guide: $(cat "$work/log")"
	fi
}

good='/**
 * @file
 * Text.
 */
/**
 * Text.
 * @param a
 *   Text.
 * @return
 *   Text.
 */
int f(int a);
'
printf '%s' "$good" | api_fault none
printf '%s' "${good/@param a/@param b}" | api_fault "a parameter of another name"
printf '%s/** Text. */\nstruct s { int member; };\n' "$good" | api_fault "a member without text"
printf '%sint g(void);\n' "$good" | api_fault "a function without text"
printf '%s/** See @ref nothing. */\nint g(void);\n' "$good" | api_fault "a reference to nothing"
printf 'Title\n=====\n\nText.\n' | guide_fault none
printf 'Titles\n====\n\nText.\n' | guide_fault "a short underline"
printf 'Title\n=====\n\n:doc:`nowhere`\n' | guide_fault "a guide that is not there"
printf 'Title\n=====\n\n.. literalinclude:: nothing.c\n' | guide_fault "a file that is not there"
printf 'Title\n=====\n\n`nowhere`_\n' | guide_fault "a reference to nothing"
echo "doc: good"
