#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Every source file names its license and copyright within its first lines.

set -eu -o pipefail
cd "$(dirname "$0")/.."

bad=0
while read -r file; do
	[ -f "$file" ] || continue
	case $file in
	LICENSE | .gitignore | *.md | *.json | *.svg | *.golden | *.pcap | app/test/fuzz/corpus/* | \
		doc/guides/performance/*) continue ;;
	# Their formats have no place for it, or debian/copyright is it.
	.dockerignore | debian/changelog | debian/copyright | debian/source/* | debian/*.install | \
		debian/*.examples | debian/not-installed | debian/*.doc-base.* | \
		debian/tests/control) continue ;;
	esac
	if ! head -n 4 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause$'; then
		echo "$file: no line 'SPDX-License-Identifier: BSD-3-Clause'"
		bad=1
	elif ! head -n 5 "$file" | grep -q 'Copyright(c) [0-9]'; then
		echo "$file: no line 'Copyright(c) YEAR NAME'"
		bad=1
	fi
done < <(git ls-files -co --exclude-standard 2>/dev/null ||
	find . -type f -not -path './build*' -not -path './.git/*' -not -path '*/__pycache__/*' -printf '%P\n')
[ $bad -eq 0 ] && echo "SPDX: good"
exit $bad
