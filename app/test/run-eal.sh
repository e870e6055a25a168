#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run an EAL program on the software ConnectX, without hugepages, on one CPU, or two if there are.
# Usage: run-eal.sh SWHCA-RUN COMMAND [ARGUMENT]...

set -eu

# "0-3,8" of /proc/self/status to "0 1 2 3 8", of which the first two are used.
cpus=()
IFS=, read -ra ranges <<<"$(awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status)"
for range in "${ranges[@]}"; do
	for ((cpu = ${range%-*}; cpu <= ${range#*-} && ${#cpus[@]} < 2; cpu++)); do
		cpus+=("$cpu")
	done
done
lcores=$(IFS=, && echo "${cpus[*]}")

# EAL 22.11 rejects --no-huge together with --in-memory; --no-shconf is the rest of that.
swhca_run=$1
command=$2
shift 2
exec "$swhca_run" "$command" --no-huge --no-shconf -l "$lcores" --no-pci --no-telemetry \
	--log-level lib.umr:error -- "$@"
