#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run rdma-core's own tests, as shipped by Debian, on the software ConnectX of a build folder.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

suite=$top_dir/app/test/interop/pyverbs/suite.py

usage()
{
	cat <<END
Usage: devtools/check/pyverbs.sh [options] [module...] [-- argument...]

The same set-up as devtools/run.sh, then the pyverbs tests of Debian's rdma-core on the software
ConnectX: a line per test, complaints about skips that are not in the list of expected ones (or are
there without need), and "N passed, N failed, N errors, N skipped". Each version of rdma-core has its
lists in app/test/interop/pyverbs.

  module...            modules (test_qp), classes (test_qp.QPTest) or tests; default: see --list
  argument...          for the tests' own parser: --dev, --port, --gid
  --list               name the default modules and exit
  --verbose            show tracebacks
  --timeout SECONDS    longest time for a test (default: 240, times the variable
                       UMR_TEST_TIMEOUT_FACTOR)
  --module-timeout SECONDS
                       longest time for a module (default: 540, times the same)
  --rdma-core VERSION  whose lists to take (default: that of python3-pyverbs, or the last before it)
  --skips FILE         another list of expected skips
  --no-install         do not look at packages
  --no-build           take the build folder as it is
  --no-huge            do not reserve hugepages
  --build-dir DIR      where to build (default: build); tests and logs go to DIR/pyverbs
  --help               this text

The environment variables of devtools/swhca-run (see its --help) choose the device and what it logs.

Exit status: 0 no test failed and the skips are the expected ones; 1 a test failed, had an error or
took too long; 2 wrong usage; 3 only the skips differ; 77 pyverbs is not installed.
END
}

opt_build=yes
args=()
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--list | --verbose) args+=("$1") ;;
	--timeout | --module-timeout | --rdma-core | --skips)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		args+=("$1" "$2")
		opt_words=2
		;;
	--no-build) opt_build=no ;;
	--)
		args+=("$@")
		break
		;;
	-*) common_option "$@" ;;
	*) args+=("$1") ;;
	esac
	shift "$opt_words"
done

case " ${args[*]-} " in
*" --list "*) exec python3 "$suite" --dir "$build_dir/pyverbs" "${args[@]}" ;;
esac
install_packages run full
reserve_hugepages
if [ "$opt_build" = yes ]; then
	configure
	build tools
fi
export SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0
exec python3 "$suite" --dir "$build_dir/pyverbs" "${args[@]}"
