#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Every header of lib/ and drivers/ compiles on its own; those included by rte_umr.h also compile as
# C++ if a compiler is available.

set -eu -o pipefail
cd "$(dirname "$0")/../.."

read -ra flags <<<"$(pkg-config --cflags libdpdk libibverbs libmlx5)"
flags+=(-D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API -Wall -Wextra -Werror -fsyntax-only
	-Ilib/mlx5_prm -Ilib/swhca -Ilib/umr -Idrivers/common/mlx5_umr)

shopt -s globstar
bad=0
for header in lib/**/*.h drivers/**/*.h; do
	case $header in
	# These headers require inclusion through rte_umr.h.
	*/rte_umr_core.h | */rte_umr_data.h) continue ;;
	esac
	echo "#include \"$PWD/$header\"" |
		gcc -std=gnu11 -x c "${flags[@]}" - || { echo "$header: not in C" && bad=1; }
done
# Programs may be stricter than DPDK.
strict=$(pkg-config --cflags libdpdk | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
echo '#include "rte_umr.h"' | gcc -std=c11 -x c -Wpedantic "${flags[@]}" $strict - ||
	{ echo "rte_umr.h: not in strict C11" && bad=1; }
if command -v g++ >/dev/null; then
	echo '#include "rte_umr.h"' | g++ -x c++ "${flags[@]}" - ||
		{ echo "rte_umr.h: not in C++" && bad=1; }
else
	echo "no g++: rte_umr.h not tried as C++"
fi
[ $bad -eq 0 ] && echo "headers: good"
exit $bad
