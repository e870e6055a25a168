#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Set up, build and run dpdk-test-umr on the software ConnectX in one command from a fresh clone.

set -eu -o pipefail
. "$(dirname "$0")/ci/lib.sh"

usage()
{
	cat <<END
Usage: devtools/run.sh [options]

Installs the Debian packages that it needs, reserves hugepages where it can, builds dpdk-test-umr and
the software ConnectX, and runs the one on the other: info, a short verify, a short bench.
Every command is printed before it runs.

  --all            install what tests, documents and releases need, too, and build everything
  --no-install     do not look at packages
  --no-huge        do not reserve or use hugepages
  --no-run         stop after the build
  --build-dir DIR  where to build (default: build)
  --help           this text
END
}

opt_run=yes
purposes=(run)
targets=(tools)
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--all)
		purposes=(all)
		targets=()
		;;
	--no-run) opt_run=no ;;
	*) common_option "$@" ;;
	esac
	shift "$opt_words"
done

install_packages "${purposes[@]}"
reserve_hugepages
# A first run has no need of debug information, which is a tenth of the compile time.
[ "${#targets[@]}" -eq 0 ] || [ -f "$build_dir/build.ninja" ] || setup_args=(-Ddebug=false)
configure ${setup_args+"${setup_args[@]}"}
build "${targets[@]}"
[ "$opt_run" = yes ] || exit 0

if hugepages_usable; then
	say "memory: hugepages"
else
	say "memory: no usable hugepages, so EAL runs with --no-huge"
fi
mapfile -t eal < <(eal_options)
export SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0
cmd=("$top_dir/devtools/swhca-run" "$build_dir/app/test-umr/dpdk-test-umr" "${eal[@]}" --)

say "devices and limits"
run "${cmd[@]}" info
say "random work of every kind, moved by RDMA and compared with a scalar model"
run "${cmd[@]}" verify --layout all --cases 3600 --seed 1
say "what it costs a CPU to post; the device only acknowledges, so that nothing else is in it"
run "${cmd[0]}" --acknowledge-only "${cmd[@]:1}" bench --rounds 21
