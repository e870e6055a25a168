#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Build guides as HTML; a warning is an error. From nothing each time: Sphinx does not warn again of
# what it has read before.
# Usage: build.sh SPHINX-BUILD VERSION SOURCE-DIR OUTPUT-DIR [TAG-FILE]
# With Doxygen's tag file, names of the API lead to the reference.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$4"
exec "$1" -b html -c "$here" -q -E -a -W --keep-going -D version="$2" -D release="$2" \
	${5:+-D api_tag_file="$5"} -d "$4.doctrees" "$3" "$4"
