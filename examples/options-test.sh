#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Examples describe their purpose, and reject invalid arguments with value and limit before they start
# EAL or access a device.
# Usage: options-test.sh PROGRAM...

set -eu -o pipefail

fail()
{
	printf '%s\n' "$*" >&2
	exit 1
}

# rejected PATTERN PROGRAM WORD...: it must fail with the reason before it starts.
rejected()
{
	local pattern=$1 printed
	shift
	if printed=$("$@" 2>&1 >/dev/null); then
		fail "accepted: $*"
	fi
	case $printed in
	*"$pattern"*) ;;
	*) fail "$* says '$printed', not '$pattern'" ;;
	esac
}

for program; do
	"$program" --help | grep -q '^usage: .* -- \[option\]' || fail "$program --help"
	"$program" -- --help | grep -q -e '--rounds .*; 1 to 101, default' || fail "$program -- --help"
	for value in 0 102 -1 +1 ' 1' 1x x '' 99999999999999999999; do
		rejected "--rounds $value: not a number from 1 to 101" "$program" -- --rounds "$value"
		rejected "--rounds $value: not a number from 1 to 101" "$program" -- "--rounds=$value"
	done
	rejected '--rounds needs a value' "$program" -l 0 -- --rounds
	rejected '--round: no such option' "$program" -- --round 1
	rejected 'mlx5_1: one device is enough' "$program" -- mlx5_0 mlx5_1
done
