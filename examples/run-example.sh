#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run an example; it must exit with 0 and print the lines that its guide quotes. Values that depend on
# the machine may differ: CPU cycles at the end of a line, rates, and the number of lcores.
# Usage: run-example.sh EXPECTED-OUTPUT COMMAND [ARGUMENT]...

set -eu -o pipefail
expected=$1
shift

mask()
{
	sed -E -e 's/ +[0-9]+\.[0-9] cycles$/ N cycles/' -e '/ packets\/s: /d' \
		-e '/ \| /s/ +[0-9]+$/ N/' -e 's/[0-9]+ lcores/N lcores/' "$@"
}

"$@" | mask | diff <(mask "$expected") -
