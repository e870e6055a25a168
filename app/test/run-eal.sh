#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run an EAL program on the software ConnectX, without hugepages, with one lcore, or two if there are
# two CPUs. Any lcore may be on any CPU: programs that poll beside each other would go on by turns.
# Usage: run-eal.sh SWHCA-RUN COMMAND [ARGUMENT]...

set -eu

cpus=$(awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status)
lcores="0@($cpus)"
[[ $cpus != *[-,]* ]] || lcores+=",1@($cpus)"

# EAL 22.11 rejects --no-huge together with --in-memory; --no-shconf is the rest of that.
swhca_run=$1
command=$2
shift 2
exec "$swhca_run" "$command" --no-huge --no-shconf --lcores "$lcores" --no-pci --no-telemetry \
	--log-level lib.umr:error -- "$@"
