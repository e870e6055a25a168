#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run an example; it exits with 0 and says, line by line, what its guide quotes. Cycles of a CPU at
# the end of a line may differ.
# Usage: run-example.sh EXPECTED-OUTPUT COMMAND [ARGUMENT]...

set -eu -o pipefail
expected=$1
shift

mask()
{
	sed -E 's/ +[0-9]+\.[0-9] cycles$/ N cycles/' "$@"
}

"$@" | mask | diff <(mask "$expected") -
