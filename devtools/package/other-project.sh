#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Stand-in for the tests of another project in the commands of doc/guides/howto/rdma_ci.rst:
# programs and tests of rdma-core, and ucx_perftest of UCX, from Debian. Run it below swhca-run. The
# last line has the number of passed tests.

set -eu -o pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nb_passed=0

fail()
{
	echo "$*" >&2
	exit 1
}

# passes NAME PATTERN COMMAND...: it must succeed and print the pattern.
passes()
{
	local name=$1 pattern=$2
	shift 2

	timeout 600 "$@" >"$folder/log" 2>&1 || fail "$name: status $?: $(tail -n 40 "$folder/log")"
	grep -qE "$pattern" "$folder/log" || fail "$name: no '$pattern': $(tail -n 40 "$folder/log")"
	echo "passed: $name"
	nb_passed=$((nb_passed + 1))
}

link=$(ibv_devinfo -d mlx5_0 | awk '/link_layer:/ { print $2 }')
passes ibv_devices mlx5_1 ibv_devices
passes ibv_devinfo 'PORT_ACTIVE' ibv_devinfo -v

cp -rL /usr/share/doc/rdma-core/tests "$folder/tests"
find "$folder/tests" -name '*.gz' -exec gunzip {} +
# From version 56 on, tests with traffic query the net device with rdma(8); devtools/check/pyverbs.sh runs
# them.
for module in test_pd test_addr; do
	passes "rdma-core: $module on $link" '^OK' \
		/usr/bin/python3 "$folder/tests/run_tests.py" --dev mlx5_0 -k "$module"
done

# Use only the transports of verbs.
for test in tag_lat ucp_put_lat ucp_fadd; do
	passes "ucx_perftest: $test on $link" '^Final:' env UCX_TLS=rc UCX_NET_DEVICES=mlx5_0:1 \
		ucx_perftest -l -t "$test" -n 100 -w 10
done
echo "$nb_passed passed"
