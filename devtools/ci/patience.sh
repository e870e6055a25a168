# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Timeouts of scripts; to be sourced. The environment variable UMR_TEST_TIMEOUT_FACTOR multiplies
# their default limits on slow or busy machines; explicit limits remain unchanged.
# app/test/patience.h and app/test/interop/programs/patience.py do the same for tests.

patience_factor=${UMR_TEST_TIMEOUT_FACTOR-1}
if ! [[ $patience_factor =~ ^0*([0-9]+)(\.[0-9]*)?$ ]] || ((${#BASH_REMATCH[1]} > 4)) ||
	((BASH_REMATCH[1] < 1 || BASH_REMATCH[1] > 1000)); then
	echo "UMR_TEST_TIMEOUT_FACTOR: \"$patience_factor\" is not a number from 1 to 1000" >&2
	exit 2
fi

# patience SECONDS: print the product with the factor as an integer.
patience()
{
	awk -v s="$1" -v f="$patience_factor" 'BEGIN { printf "%d\n", s * f }'
}
