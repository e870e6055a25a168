#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Check the target doc: no warnings; every exported function and every guide has a page; API names in
# the guides exist in the headers; the table of verbs covers the installed libmlx5. Then check that
# every kind of error that the target must detect makes it fail. BUILD_DIR (default: build) is the
# build to use. Exit status 77: the build has no such target.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

build_dir=$(realpath "${BUILD_DIR:-$build_dir}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! meson introspect --targets "$build_dir" | grep -q '"name": "doc"'; then
	warn "$build_dir has no target doc: doxygen or sphinx-build was missing when it was set up"
	exit 77
fi
# Messages of meson about reconfiguring are unrelated to the documents.
run ninja -C "$build_dir" build.ninja >"$work/log" 2>&1 || die "meson: $(cat "$work/log")"
run meson compile -C "$build_dir" doc >"$work/log" 2>&1 || die "target doc: $(cat "$work/log")"
if grep -i 'warning' "$work/log"; then
	die "target doc warns, and does not fail"
fi

# Every exported function is in the reference.
api=$build_dir/doc/api/html
missing=
version_map=$(cd "$top_dir/lib/umr" && python3 version_map.py version.map rte_umr_ops.h)
for name in $(sed -n 's/^\t\(rte_umr_[a-z0-9_]*\);$/\1/p' <<<"${version_map%%INTERNAL*}"); do
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

# Names in the guides exist; a name that ends in _* is a prefix. Release notes list removed names in
# the first column of a table.
api_words()
{
	grep -ohE '\b(rte_umr|RTE_UMR)[A-Za-z0-9_]*(\.h)?' "$@" | sort -u
}
api_words "$top_dir"/lib/umr/*.[ch] >"$work/known"
(cd "$top_dir/lib/umr" && ls -- *.h && basename -s .c -- *.c) >>"$work/known"
unknown=
while read -r word; do
	case $word in
	rte_umr) ;;
	*_) grep -q "^$word" "$work/known" || unknown+=" $word*" ;;
	*) grep -qx "$word" "$work/known" || unknown+=" $word" ;;
	esac
done < <({
	find "$top_dir/doc/guides" -name '*.rst' -not -path '*/rel_notes/*' -exec cat {} +
	sed '/^   \* - /d' "$top_dir"/doc/guides/rel_notes/*.rst
	cat "$top_dir/README.md"
} | api_words)
[ -z "$unknown" ] || die "in the guides, not in lib/umr:$unknown"

# links_good FOLDER: in the guides in FOLDER, names in the tag file of the reference are links, and
# the targets of links and tags exist.
links_good()
{
	python3 - "$api/../umr.tag" "$1" "$api/index.html" <<'END'
import html.parser
import pathlib
import re
import sys
import xml.etree.ElementTree as ET


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.depth, self.links, self.ids, self.text = 0, [], set(), ""
        # Nested elements of the text itself, without menus and titles of windows.
        self.divs = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "a"
        self.divs += tag == "div" and (self.divs > 0 or ("role", "main") in attrs)
        self.links += [value for key, value in attrs if tag == "a" and key == "href"]
        self.ids |= {value for key, value in attrs if key in ("id", "name")}

    def handle_endtag(self, tag):
        self.depth -= tag == "a"
        self.divs -= tag == "div" and self.divs > 0

    def handle_data(self, data):
        self.text += "" if self.depth or not self.divs else data


def page_of(path, read={}):
    if path not in read:
        read[path] = Page(path.read_text(encoding="utf-8")) if path.is_file() else None
    return read[path]


tags = ET.parse(sys.argv[1])
known = {name.text for name in tags.iter("name")}
bad, nb_links = [], 0
# Doxygen 1.9 has no anchor for a member of a nameless union whose text is one sentence.
for member in tags.iter("member"):
    page = page_of(pathlib.Path(sys.argv[3]).parent / member.findtext("anchorfile"))
    if page is None or member.findtext("anchor") not in page.ids:
        bad.append(f"{member.findtext('anchorfile')}: no place for {member.findtext('name')}")
for path in [*pathlib.Path(sys.argv[2]).rglob("*.html"), pathlib.Path(sys.argv[3])]:
    page = page_of(path)
    if path != pathlib.Path(sys.argv[3]):
        bad += [f"{path.name}: {name} is no link"
                for name in re.findall(r"\b(?:rte_umr|RTE_UMR)\w*(?:\.h\b)?", page.text) if name in known]
    for link in page.links:
        if not re.match(r"(\.\./)+(api|guides)/html/", link):
            continue
        nb_links += 1
        file, _, anchor = link.partition("#")
        there = page_of((path.parent / file).resolve())
        if there is None or anchor and anchor not in there.ids:
            bad.append(f"{path.name}: {link} leads nowhere")
print("\n".join(sorted(set(bad)) if bad or nb_links else ["no link at all"]), end="")
sys.exit(1 if bad or not nb_links else 0)
END
}
links_good "$build_dir/doc/guides/html" || die "links of guides and reference: see above"
grep -q 'guides/html/index.html' "$api/menudata.js" || die "no way from the reference to the guides"

# The guide describes exactly the device options of the driver, and all capabilities.
nic=$top_dir/doc/guides/nics/mlx5_umr.rst
diff <(sed -n 's/^#define ARG_[A-Z_]*\t*"\(.*\)"$/\1/p' "$top_dir"/drivers/common/mlx5_umr/ctrl/*.c | sort) \
	<(sed -n '/^Device options/,/^Limits/s/^``\([a-z_]*\)`` (.*/\1/p' "$nic" | sort) >"$work/log" ||
	die "device options of the driver (<) and of ${nic##*/} (>): $(cat "$work/log")"
for name in $(grep -oE '#define RTE_UMR_CAPA_[A-Z0-9_]+' "$top_dir/lib/umr/rte_umr.h" | cut -c 22-); do
	grep -rqE "\`(RTE_UMR_CAPA_)?$name\`" "$top_dir/doc/guides/prog_guide/umr.rst" ||
		die "in no guide: RTE_UMR_CAPA_$name"
done

# The table contains all of mlx5dv, possibly as prefix*name(), and the verbs and flags of memory
# regions and windows.
verbs=$top_dir/doc/guides/prog_guide/umr_verbs.rst
include_dir=$(pkg-config --variable=includedir libmlx5)/infiniband
grep -oE '``(mlx5dv|ibv)_[a-z0-9_*]+\(\)``' "$verbs" | tr -d '`()' | sort -u >"$work/verbs"
nb_verbs=0
while read -r name; do
	is_there=
	while read -r pattern; do
		# A * of the table is a shell pattern.
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

# api_fault NAME: building the reference from the header on stdin must fail.
api_fault()
{
	cat >"$work/fault.h"
	sed "s|^INPUT  .*|INPUT = \"$work/fault.h\"|; s|^OUTPUT_DIRECTORY .*|OUTPUT_DIRECTORY = $work|
		/^GENERATE_TAGFILE/d
		/^USE_MDFILE_AS_MAINPAGE/d" "$build_dir/doc/api/doxygen.conf" >"$work/doxygen.conf"
	if doxygen "$work/doxygen.conf" >"$work/log" 2>&1; then
		[ "$1" = none ] || die "doxygen does not mind: $1"
	else
		[ "$1" != none ] || die "doxygen complains of a good header: $(cat "$work/log")"
	fi
}

# guide_fault NAME [TAG-FILE]: building the guide on stdin must fail.
guide_fault()
{
	mkdir -p "$work/guide"
	cat >"$work/guide/index.rst"
	if "$top_dir/doc/guides/build.sh" sphinx-build 0 "$work/guide" "$work/guide.html" "${@:2}" \
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
# Names, also of members, become links in text, code, tables and titles, unless they are already
# links or do not exist.
named='T ``rte_umr_dev_probe()``
=========================

``struct rte_umr_seg``, RTE_UMR_OP_F_SUBMIT, rte_umr_nothing, `rte_umr_submit <https://example.org>`_::

   rte_umr_write(rte_umr.h, rte_umr_completion::imm);
'
printf '%s' "$named" | guide_fault none
links_good "$work/guide.html" >"$work/log" && die "names that are no links are not found"
mkdir -p "$work/doc/guides" "$work/doc/api"
ln -s "$api" "$work/doc/api/html"
printf '%s' "$named" | guide_fault none "$api/../umr.tag"
mv "$work/guide.html" "$work/doc/guides/html"
links_good "$work/doc/guides/html" || die "names are no links, or lead nowhere: see above"
[ "$(grep -o 'class="api"' "$work/doc/guides/html/index.html" | wc -l)" = 6 ] ||
	die "not each of 6 names is a link"
echo "doc: good"
