#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# The format rules that always hold, over every tracked or new file. With --suggest also what
# clang-format would do to C files, for reading: it is often right and sometimes wrong.

set -eu -o pipefail
cd "$(dirname "$0")/.."

max_lines=800

case ${1-} in
"" | --suggest) ;;
--help)
	echo "Usage: devtools/check-format.sh [--suggest]"
	exit 0
	;;
*)
	echo "unknown option $1" >&2
	exit 2
	;;
esac

# Files by suffix, tracked or not yet; without git, what find sees outside build folders.
list_files()
{
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- "$@"
	else
		local pattern
		for pattern in "$@"; do
			find . -name "$pattern" -not -path './build*'
		done
	fi
}

bad=0
complain()
{
	printf '%s\n' "$@"
	bad=1
}

while read -r file; do
	[ -f "$file" ] || continue
	case $file in
	*.[ch])
		found=$(grep -nP '^ +(?!\*)' "$file" | head -3) &&
			complain "$file: indented with spaces, not tabs:" "$found"
		found=$(grep -nP '^\s*(if|for|while|switch|\} else if) .*\)\{$|\b(if|for|while|switch)\(' \
			"$file" | head -3) &&
			complain "$file: no space before ( or {:" "$found"
		found=$(grep -nP '^\s*//|\s//\s' "$file" | grep -v '://' | head -3) &&
			complain "$file: a // comment:" "$found"
		found=$(awk '$0 == "{" && last ~ /^[a-z].* \*?[a-z0-9_]+\(.*\)$/ { print FNR - 1 ": " last }
			{ last = $0 }' "$file")
		[ -z "$found" ] || complain "$file: return type not on a line of its own:" "$found"
		;;
	esac
	case $file in
	*.[ch]) max_columns=100 ;;
	*) max_columns=120 ;;
	esac
	case $file in
	*.[ch] | *.sh | *.py | *meson.build)
		found=$(expand -t 8 "$file" | awk -v max=$max_columns \
			'length($0) > max { print FNR ": " length($0) " columns"; if (++n == 3) exit }')
		[ -z "$found" ] || complain "$file: over $max_columns columns:" "$found"
		lines=$(wc -l <"$file")
		# A public header is as long as its documentation.
		[ "$lines" -le $max_lines ] || [[ $file == */rte_*.h ]] ||
			complain "$file: $lines lines, over $max_lines"
		;;
	esac
	found=$(grep -nP '[ \t]+$' "$file" | head -3) &&
		complain "$file: blanks at the end of a line:" "$found"
	[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] ||
		complain "$file: no newline at the end"
done < <(list_files '*.c' '*.h' '*.sh' '*.py' '*.md' '*.rst' '*meson.build' '*.map')

if [ "${1-}" = --suggest ]; then
	while read -r file; do
		clang-format --style=file "$file" | diff -u "$file" - || true
	done < <(list_files '*.c' '*.h')
fi
[ $bad -eq 0 ] && echo "format: good"
exit $bad
