#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Test a fresh clone in one command. The last line is "N passed, N failed, N skipped".

set -eu -o pipefail
. "$(dirname "$0")/ci/lib.sh"

# Parts: name, runs that include it, typical seconds on 2 CPUs of 2.4 GHz (1.6 times as many on 2 virtual
# CPUs of an AMD EPYC of 2.1 GHz), description. Default parts and those marked "alone" run one at a time,
# with all CPUs; of the others, as many as CPUs. Those marked "own" have build folders of their own.
all_parts=(
	'build      default,full 150  the plain build, warnings being errors'
	'unit       default      35  each source file by itself, without EAL and without a device'
	'autotest   default      35  rte_umr, its driver and the examples on the software ConnectX'
	'interop    default      55  libibverbs, libmlx5 and programs of others; two processes'
	'verify     default      3  2000 random cases of all layouts, against a scalar model'
	'style      default,full   6  format, licenses, rooms, spelling'
	'bench      full,alone   90  dpdk-test-umr bench, which has both CPUs: threads that wait poll'
	'guest      full        780  kernels in virtual machines, above and beside the software ConnectX'
	'suites     full        650  all links and models, all of interop, soak, 2500 cases of what is random'
	'guest-one  ci           30  one virtual machine: it boots, verifies 100 cases, exchanges messages'
	'asan       full,ci,own 580  unit, autotest, fuzz and soak with AddressSanitizer and UBSan'
	'tsan       full,ci,own 340  what has threads of unit, autotest and interop, with ThreadSanitizer'
	'analysis   full        520  clang-tidy, the analyzer of gcc, widths of comparisons'
	'trixie     full,own    400  the default parts on Debian 13, but unit, which --ci runs there'
	'install    full,ci     290  meson install, pkg-config, programs outside the tree'
	'asan-pyverbs full,ci    180  the tests of rdma-core with AddressSanitizer and UBSan'
	'clang      full,own    215  clang: warnings are errors; each header by itself'
	'fuzz       full,own    180  hostile input for the model, with libFuzzer for 5 seconds a target'
	'verify-all full         95  16000 random cases: hugepages, Ethernet, other models'
	'doc        full,ci      25  reference and guides without a warning'
	'arm64      full,own    120  what is built for arm64, and its unit tests on a CPU of QEMU'
	'mutants    full         30  the catalogue of planted faults, and what plants them'
	'trixie-unit ci,own     350  build and unit on Debian 13'
	'swhca      ci,own      180  the software ConnectX by itself, without DPDK and optional parts'
)

usage()
{
	cat <<END
Usage: devtools/test.sh [options]

Installs what it needs, builds the project and tests it: what is to be run before each commit. The last
line sums up every test case: "N passed, N failed, N skipped". Exit status: 0 none failed, 1 one failed,
2 wrong usage. JUnit XML of all cases is in build/junit.

  --full           everything that must hold before a release; parts that are not default ones run
                   concurrently, and the output of each is printed when it ends
  --ci             what .ci/run runs: the default parts and some of the others
  --part A[,B]     these parts, and the plain build if they need it
  --list           parts, the seconds that they usually take on 2 CPUs, and what they are
  -j N             tests that run at a time (default: number of CPUs)
  --no-install     do not look at packages
  --no-huge        do not reserve hugepages
  --junit DIR      where the JUnit files go, instead of old ones (default: junit in the build folder)
  --build-dir DIR  where to build (default: build); others go to DIR-asan, DIR-tsan, DIR-fuzz, DIR-check-*
  --help           this text

UMR_TEST_TIMEOUT_FACTOR  multiplies every time limit, for machines that are slow or busy (default: 1)
UMR_TEST_CASES           cases of each random test (default: 100; 2500 in the part suites)
UMR_TEST_SEED            seed of random tests (default: a new one, which they print)
END
}

part_list()
{
	local line name runs seconds text

	for line in "${all_parts[@]}"; do
		read -r name runs seconds text <<<"$line"
		printf '%-12s %-12s %4s s  %s\n' "$name" "$runs" "$seconds" "$text"
	done
}

# parts_of RUN: print the names of its parts.
parts_of()
{
	local line name runs rest

	for line in "${all_parts[@]}"; do
		read -r name runs rest <<<"$line"
		[[ ,$runs, != *,$1,* ]] || printf '%s\n' "$name"
	done
}

opt_jobs=$(nproc)
opt_junit=
mapfile -t opt_parts < <(parts_of default)
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--full) mapfile -t opt_parts < <(parts_of full) ;;
	--ci) mapfile -t opt_parts < <(parts_of default && parts_of ci) ;;
	--list)
		part_list
		exit 0
		;;
	--part | --junit | -j)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		case $1 in
		--part) IFS=, read -ra opt_parts <<<"$2" ;;
		--junit) opt_junit=$(realpath -m "$2") ;;
		*)
			[[ $2 =~ ^[1-9][0-9]?$ ]] || wrong_usage "-j takes a number from 1 to 99, not $2"
			opt_jobs=$2
			;;
		esac
		opt_words=2
		;;
	*) common_option "$@" ;;
	esac
	shift "$opt_words"
done
# Checked by lib.sh.
factor=${UMR_TEST_TIMEOUT_FACTOR:-1}

# is_wanted PART...: whether one of them is selected.
is_wanted()
{
	local part

	for part; do
		[[ " ${opt_parts[*]} " != *" $part "* ]] || return 0
	done
	return 1
}

# temporary_files: set test_dir to the folder for temporary files of tests. Each start of a device
# creates some six hundred small files, which takes a second on many disks. Use memory if there is
# room and programs can be executed from there.
test_dir=
temporary_files()
{
	local room

	[ -z "${TMPDIR-}" ] && [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || return 0
	room=$(df -k --output=avail /dev/shm | tail -n 1)
	[ "$room" -ge 2000000 ] && test_dir=$(mktemp -d /dev/shm/umr-test.XXXXXX) || return 0
	# Like /tmp: some tests use several users.
	chmod 1777 "$test_dir"
	if cp "$(type -P true)" "$test_dir" && "$test_dir/true"; then
		export TMPDIR=$test_dir
	fi
}

# built [TARGET...]: build everything or these targets of meson, unless a part has built everything,
# because other parts may use the build at the same time.
built()
{
	[ "$build_dir" = "$built_dir" ] || run meson compile -C "$build_dir" "$@"
}

# suites LABEL [meson test arguments...]: run tests and continue after failures, which the summary
# reports. Builds only what these tests need, unless a part has built everything.
suites()
{
	local label=$1 rebuild=()
	shift
	[ "$build_dir" != "$built_dir" ] || rebuild=(--no-rebuild)
	rm -f "$build_dir/meson-logs/$label".{json,junit.xml}
	run meson test -C "$build_dir" --print-errorlogs --logbase "$label" --num-processes "$opt_jobs" \
		--timeout-multiplier "$factor" "${rebuild[@]}" "$@" || true
	echo "$build_dir/meson-logs/$label.json" >>"$work/logs"
}

# check COMMAND...: run a script of this folder. It counts as one test case; exit status 77 means
# skipped.
check()
{
	local status=0

	BUILD_DIR=$build_dir run "$@" || status=$?
	case $status in
	0) echo "1 0 0 $1" >>"$work/summary" ;;
	77) echo "0 0 1 $1" >>"$work/summary" ;;
	*)
		echo "0 1 0 $1" >>"$work/summary"
		say "FAILED: $*"
		;;
	esac
}

# quietly LABEL COMMAND...: the same for a script with a summary line like this one: its output goes
# to a file.
quietly()
{
	local status=0 log=$build_dir/meson-logs/$1.txt label=$1

	shift
	run "$@" >"$log" 2>&1 || status=$?
	case $status in
	0) echo "1 0 0 $label" >>"$work/summary" ;;
	77)
		echo "0 0 1 $label" >>"$work/summary"
		grep '^== skipped' "$log" || true
		;;
	*)
		echo "0 1 0 $label" >>"$work/summary"
		tail -n 100 "$log"
		say "FAILED: $label: $log"
		;;
	esac
}

# verify_on NAME CASES EAL-OPTION...: run random cases of all layouts, during which the indices of
# queues wrap around.
verify_on()
{
	local name=$1 cases=$2

	shift 2
	SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0 quietly "verify-$name" \
		"$top_dir/devtools/swhca-run" "$build_dir/app/test-umr/dpdk-test-umr" "$@" \
		-l "$(first_cpu)" --no-pci --no-telemetry -- \
		verify --layout all --cases "$cases" --seed "${UMR_TEST_SEED:-$RANDOM}" --wrap
}

part_build()
{
	configure -Dtests=enabled -Dwerror=true
	build
}

# Suites that other parts run.
not_default=()
for suite in variants long soak fuzz guest pyverbs mutants analysis; do
	not_default+=(--no-suite "$suite")
done

part_unit()
{
	suites unit --suite unit "${not_default[@]}"
}

part_autotest()
{
	suites autotest --suite autotest "${not_default[@]}"
}

part_interop()
{
	suites interop --suite interop "${not_default[@]}" --no-suite autotest
}

part_verify()
{
	built dpdk-test-umr swhca:shared_library swhca-ctl
	verify_on default 2000 --no-huge --in-memory
}

part_style()
{
	check "$top_dir/devtools/check/format.py"
	check "$top_dir/devtools/check/rooms.py"
}

part_suites()
{
	UMR_TEST_CASES=${UMR_TEST_CASES:-2500} suites suites --suite random --suite variants \
		--suite interop --suite long --suite soak --no-suite pyverbs --no-suite bench
}

part_bench()
{
	suites bench --suite bench
}

part_verify-all()
{
	built dpdk-test-umr swhca:shared_library swhca-ctl
	verify_on no-huge 8000 --no-huge --in-memory
	SWHCA_LINK_LAYER=eth verify_on eth 3000 --no-huge --in-memory
	SWHCA_MODEL=cx5 verify_on cx5 1000 --no-huge --in-memory
	SWHCA_MODEL=cx6dx SWHCA_CRYPTO=wrapped verify_on wrapped 1000 --no-huge --in-memory
	if hugepages_usable; then
		verify_on hugepages 3000 --in-memory
	else
		say "no usable hugepages: verify runs without them only"
		echo "0 0 1 verify-hugepages" >>"$work/summary"
	fi
}

# Sanitizer builds are separate. Backtraces have lines without the rest of the debug information.
configure_sanitizer()
{
	CFLAGS=-g1 configure -Ddocs=disabled "$@"
}

# Optimization would take longer to compile than it saves.
configure_asan()
{
	configure_sanitizer -Doptimization=0 -Db_sanitize=address,undefined -Dumr_debug=true
}

part_asan()
{
	local build_dir=$build_dir-asan

	configure_asan
	suites asan --suite unit --suite autotest --suite "$asan_fuzz" --suite soak \
		--no-suite variants --no-suite long
}

# One test of that module is excluded below a sanitizer.
part_asan-pyverbs()
{
	suites pyverbs pyverbs_test_device
	local build_dir=$build_dir-asan

	configure_asan
	suites asan-pyverbs --suite pyverbs
}

part_tsan()
{
	local build_dir=$build_dir-tsan

	configure_sanitizer -Doptimization=1 -Db_sanitize=thread
	suites tsan --suite threads --no-suite variants --no-suite soak
}

part_fuzz()
{
	local build_dir=$build_dir-fuzz

	# Five seconds are not worth an optimizer; clang's warnings about lib/swhca are errors.
	CC=clang configure -Dfuzz=enabled -Doptimization=0 -Dwerror=true
	check "$top_dir/devtools/check/fuzz.sh" --no-install --seconds 5 --seed 1 --build-dir "$build_dir"
}

part_guest()
{
	suites guest --suite guest
}

part_guest-one()
{
	suites guest-one --suite guest-one
}

part_clang()
{
	check "$top_dir/devtools/check/build.sh" clang
	check "$top_dir/devtools/check/headers.sh"
}

part_analysis()
{
	suites analysis --suite analysis
	check "$top_dir/devtools/check/analysis.py"
	check "$top_dir/devtools/check/widths.py"
}

part_arm64()
{
	local build_dir=$build_dir-arm64

	check "$top_dir/devtools/check/arm64.sh"
	[ ! -f "$build_dir/build.ninja" ] || suites arm64 --suite portable
}

part_install()
{
	built
	check "$top_dir/devtools/check/install.sh"
}

part_doc()
{
	check "$top_dir/devtools/check/doc.sh"
}

part_mutants()
{
	suites mutants --suite mutants
}

part_swhca()
{
	local build_dir=$build_dir-swhca

	# What most programs need: part build has the optional parts, and part install installs them
	# without DPDK.
	configure -Dcomponents=swhca -Dtests=enabled -Ddocs=disabled -Dwerror=true \
		-Doptimization=0 -Ddebug=false -Dswhca_{cm,eth,netlink,pci,sm}=disabled
	suites swhca --suite unit --suite interop "${not_default[@]}"
}

part_trixie()
{
	quietly trixie "$top_dir/devtools/ci/platform.sh" trixie env CFLAGS='-O0 -g0' devtools/test.sh \
		--build-dir build-fast --part autotest,interop,verify
}

# With optimization: its warnings and instruction counts are those of another compiler.
part_trixie-unit()
{
	quietly trixie-unit "$top_dir/devtools/ci/platform.sh" trixie env CFLAGS=-g0 devtools/test.sh \
		--part build,unit
}

# part PART: run it and add a line with wall and CPU seconds to the table. Runs in a subprocess.
part()
{
	local start=$SECONDS

	"part_$1"
	times >"$work/$1.times"
	printf '%-12s %4d s  %s\n' "$1" $((SECONDS - start)) "$(awk -F '[ms ]+' '
		{ s += 60 * $1 + $2 + 60 * $3 + $4 } END { printf "%5d s of CPU", s }' "$work/$1.times")" \
		>>"$work/table"
}

# next_part: set part to the first one that can run now and remove it from opt_parts. Parts whose
# names start alike share a build folder, so only one of them runs at a time.
next_part()
{
	local i other

	for i in "${!opt_parts[@]}"; do
		part=${opt_parts[i]}
		for other in "${running[@]}"; do
			[ "${part%%-*}" != "${other%%-*}" ] || continue 2
		done
		unset "opt_parts[i]"
		return
	done
	return 1
}

# part_begin: start it in the background, in a process group that ends with the script.
part_begin()
{
	say "part $part begins"
	set -m
	part "$part" >"$work/$part.txt" 2>&1 </dev/null &
	set +m
	running[$!]=$part
}

# part_end: wait for one and print its complete output.
part_end()
{
	local pid status=0

	wait -n -p pid "${!running[@]}" || status=$?
	part=${running[pid]}
	unset "running[pid]"
	say "part $part"
	cat "$work/$part.txt"
	[ $status -eq 0 ] || {
		echo "0 1 0 part $part" >>"$work/summary"
		say "FAILED: part $part: status $status"
	}
	say "part $part is over after $SECONDS s; behind it: ${#running[@]} running, ${#opt_parts[@]} waiting"
}

clean_up()
{
	local pid

	for pid in "${!running[@]}"; do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$test_dir" "$work"
}

for part in "${opt_parts[@]}"; do
	[ "$(type -t "part_$part")" = function ] || wrong_usage "no part $part; --list has their names"
done
# Default parts need fewer packages than the others.
purposes='run test'
for part in "${opt_parts[@]}"; do
	[[ " $(parts_of default | tr '\n' ' ')" = *" $part "* ]] || purposes=all
done
# shellcheck disable=SC2086
install_packages $purposes
# It links hundreds of programs; the default linker takes three times as long.
if command -v ld.lld >/dev/null; then
	export CC_LD=lld CXX_LD=lld
fi
if is_wanted guest guest-one && [ "$opt_install" = yes ]; then
	"$top_dir/devtools/guest.sh" --fetch || say "no guest: its suite is skipped"
	# The kernel of this release includes Linux' rxe.
	! is_wanted guest || "$top_dir/devtools/guest.sh" --no-function --fetch ||
		say "no guest without functions"
fi
reserve_hugepages
work=$(mktemp -d)
# libFuzzer runs the other targets with the same sanitizers.
asan_fuzz=$(is_wanted fuzz && echo fuzz-api || echo fuzz)
running=()
built_dir=
trap clean_up EXIT
trap 'exit 130' INT TERM
temporary_files
touch "$work/logs" "$work/summary"
# Without the part build, the others build what they need. Parts that run at a time and share the build
# folder must not.
own=" $(parts_of own | tr '\n' ' ')$(parts_of default | tr '\n' ' ')"
nb_sharing=0
for part in "${opt_parts[@]}"; do
	[[ $own = *" $part "* ]] || nb_sharing=$((nb_sharing + 1))
done
if [ "$nb_sharing" -gt 1 ]; then
	is_wanted build || opt_parts=(build "${opt_parts[@]}")
elif [ ! -f "$build_dir/build.ninja" ] && ! is_wanted build; then
	configure -Dtests=enabled -Dwerror=true
fi
printf '%-12s %4d s\n' set-up $SECONDS >"$work/table"
# Default parts, and those that measure, use all CPUs. Others often wait, or end with a single process.
alone=" $(parts_of default | tr '\n' ' ')$(parts_of alone | tr '\n' ' ')"
for i in "${!opt_parts[@]}"; do
	part=${opt_parts[i]}
	[[ $alone = *" $part "* ]] || continue
	say "part $part"
	(part "$part")
	[ "$part" != build ] || built_dir=$build_dir
	unset "opt_parts[i]"
done
while [ ${#opt_parts[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
	if [ ${#running[@]} -lt "$(nproc)" ] && next_part; then
		part_begin
	else
		part_end
	fi
done
printf '%-12s %4d s\n' total $SECONDS >>"$work/table"

say "parts and their seconds"
cat "$work/table"
mapfile -t logs <"$work/logs"
python3 "$top_dir/devtools/ci/sum-tests.py" --junit "${opt_junit:-$build_dir/junit}" --add "$work/summary" "${logs[@]}"
