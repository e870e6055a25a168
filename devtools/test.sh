#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# One command from a fresh clone to a verdict. The last line is "N passed, N failed, N skipped".

set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

usage()
{
	cat <<END
Usage: devtools/test.sh [options]

The same set-up as devtools/run.sh, a kernel and a QEMU for virtual machines (110 MB), then every test:
the suites unit, autotest, interop, soak, fuzz and guest,
20000 random cases of all layouts with and without hugepages, fewer on Ethernet and on other models,
with indices of queues that begin again among them,
the suites unit, autotest, fuzz and soak and the tests of rdma-core once more with AddressSanitizer, UBSan
and the checks of RTE_UMR_DEBUG, the suites unit, autotest and part of interop with ThreadSanitizer,
libFuzzer for a moment,
the checks of devtools/, and with devtools/platform.sh the suites but guest, soak, fuzz and long on
Debian 13, which is skipped where no root of it can be made.
The last line sums up every test case: "N passed, N failed, N skipped". Exit status 1 if one failed.
The same as JUnit XML, a file for each run of meson and one for the rest, is in build/junit.

  --quick          only the suites in the plain build: no sanitizers, no checks
  --no-guest       without the suite guest: no virtual machines
  --no-long        without the suites soak, fuzz and long: minutes of random work, and what else takes
                   long and has nothing to do with the system below
  --no-install     do not look at packages
  --no-huge        do not reserve hugepages
  --junit DIR      where the JUnit files go, instead of old ones (default: junit in the build folder)
  --build-dir DIR  where to build (default: build); the others go to DIR-asan, DIR-tsan, DIR-fuzz,
                   DIR-check-*
  --help           this text
END
}

opt_quick=no
opt_guest=yes
opt_long=yes
opt_junit=
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--quick) opt_quick=yes ;;
	--no-guest) opt_guest=no ;;
	--no-long) opt_long=no ;;
	--junit)
		[ $# -gt 1 ] || wrong_usage "$1 needs a folder"
		opt_junit=$(realpath -m "$2")
		opt_words=2
		;;
	*) common_option "$@" ;;
	esac
	shift "$opt_words"
done

# part NAME: what follows is a part of its own; ends the one before. "parts" shows how long each took.
part_names=()
part_starts=()
part()
{
	part_names+=("$1")
	part_starts+=("$SECONDS")
}

parts()
{
	local i seconds

	part end
	for ((i = 0; i + 1 < ${#part_starts[@]}; i++)); do
		seconds=$((part_starts[i + 1] - part_starts[i]))
		say "$(printf '%-16s %3d:%02d' "${part_names[i]}" $((seconds / 60)) $((seconds % 60)))"
	done
	say "$(printf '%-16s %3d:%02d' total $((SECONDS / 60)) $((SECONDS % 60)))"
	[ -z "$beside_took" ] || say "beside them: builds $beside_builds s, checks $beside_checks s," \
		"trixie $beside_took s"
}

# temporary_files: where tests have theirs, in test_dir. Each start of a device makes some six hundred
# small files, which takes a second on many a disk: in memory if there is room, and if programs may be
# run from there.
test_dir=
temporary_files()
{
	local room

	[ -z "${TMPDIR-}" ] && [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || return 0
	room=$(df -k --output=avail /dev/shm | tail -n 1)
	[ "$room" -ge 2000000 ] && test_dir=$(mktemp -d /dev/shm/umr-test.XXXXXX) || return 0
	# As /tmp is: some tests have several users.
	chmod 1777 "$test_dir"
	if cp "$(type -P true)" "$test_dir" && "$test_dir/true"; then
		export TMPDIR=$test_dir
	fi
}

part set-up
install_packages
if [ "$opt_install$opt_guest" = yesyes ]; then
	"$top_dir/devtools/guest.sh" --fetch || say "no guest: its suite is skipped"
	# Linux' rxe runs in the kernel of this release.
	"$top_dir/devtools/guest.sh" --no-function --fetch || say "no guest without functions"
fi
reserve_hugepages
trap 'rm -rf "$test_dir" "${summary-}"' EXIT
temporary_files
part build
# What check-build.sh compiles by gcc is the same build: that is not done twice.
checked_compiler=
if [ "$opt_quick" = yes ]; then
	build
else
	build -Dwerror=true
	[[ $(${CC:-cc} --version) != *Free\ Software* ]] || checked_compiler=gcc
fi
main_build_dir=$build_dir
summary=$(mktemp)
logs=()

# suites LABEL [meson test arguments...]: run, keep going on failure: the summary tells.
suites()
{
	local label=$1
	shift
	rm -f "$build_dir/meson-logs/$label".{json,junit.xml}
	run meson test -C "$build_dir" --no-rebuild --print-errorlogs --logbase "$label" "$@" ||
		true
	logs+=("$build_dir/meson-logs/$label.json")
}

# check COMMAND...: one of the scripts beside this one; counts as one test case, skipped if it says
# so by its exit status, 77.
check()
{
	local status=0

	run "$@" || status=$?
	case $status in
	0) echo "1 0 0 $1" >>"$summary" ;;
	77) echo "0 0 1 $1" >>"$summary" ;;
	*)
		echo "0 1 0 $1" >>"$summary"
		say "FAILED: $*"
		;;
	esac
}

# verify_on NAME CASES EAL-OPTION...: random cases of all layouts, among which the indices of queues
# begin again; counts as one test case.
verify_on()
{
	local name=$1 cases=$2
	shift 2
	# Its closing line would look like that of this script.
	if run "$top_dir/devtools/swhca-run" "$build_dir/app/test-umr/dpdk-test-umr" "$@" \
		-l "$(first_cpu)" --no-pci --no-telemetry -- \
		verify --layout all --cases "$cases" --seed 7 --wrap \
		>"$build_dir/meson-logs/verify-$name.txt" 2>&1; then
		echo "1 0 0 verify-$name" >>"$summary"
	else
		echo "0 1 0 verify-$name" >>"$summary"
		tail -n 50 "$build_dir/meson-logs/verify-$name.txt"
		say "FAILED: verify with $*"
	fi
}

# quick_on RELEASE: the suites in a root of another Debian release; counts as one test case, skipped
# with its reason where there is no such root.
quick_on()
{
	local status=0 log=$build_dir/meson-logs/platform-$1.txt

	# Its closing line, too, would look like that of this script.
	# The virtual machines are the same everywhere, and so is the device that random work meets.
	run "$top_dir/devtools/platform.sh" "$1" devtools/test.sh --quick --no-guest --no-long \
		>"$log" 2>&1 || status=$?
	case $status in
	0) echo "1 0 0 platform-$1" >>"$summary" ;;
	77)
		echo "0 0 1 platform-$1" >>"$summary"
		grep '^== skipped' "$log" || true
		;;
	*)
		echo "0 1 0 platform-$1" >>"$summary"
		tail -n 100 "$log"
		say "FAILED: the suites on $1: $log"
		;;
	esac
}

# What looks at the tree and builds.
checks()
{
	export BUILD_DIR=$main_build_dir
	check "$top_dir/devtools/fuzz.sh" --no-install --time 10 --seed 1 \
		--build-dir "$main_build_dir-fuzz"
	check "$top_dir/devtools/check-spdx.sh"
	check "$top_dir/devtools/check-format.sh"
	check "$top_dir/devtools/check-headers.sh"
	check "$top_dir/devtools/check-widths.py"
	check "$top_dir/devtools/check-rooms.py"
	check "$top_dir/devtools/check-analysis.py"
	check "$top_dir/devtools/check-install.sh"
	check "$top_dir/devtools/check-doc.sh"
	if [ "$checked_compiler" = gcc ]; then
		check "$top_dir/devtools/check-build.sh" clang
	else
		check "$top_dir/devtools/check-build.sh"
	fi
}

# sanitizer_builds: the two builds with sanitizers, one after the other.
sanitizer_builds()
{
	build_dir=$main_build_dir-asan
	# Optimized further, files of the data path take a minute each to compile.
	build -Db_sanitize=address,undefined -Doptimization=1 -Dumr_debug=true
	build_dir=$main_build_dir-tsan
	build -Db_sanitize=thread -Doptimization=1
}

# beside_part NAME COMMAND...: what has no deadlines leaves the CPU to what has. Its output goes to
# NAME.txt; says "NAME SECONDS" when it is through.
beside_part()
{
	local name=$1 start=$SECONDS
	shift
	(
		[ "$name" = trixie ] || renice -n 15 -p "$BASHPID" >/dev/null
		"$@"
	) >"$main_build_dir/meson-logs/$name.txt" 2>&1 </dev/null
	echo "$name $((SECONDS - start))"
}

# beside: what runs beside the suites, on another CPU if there is one. Ends early if a build fails.
beside()
{
	set -e
	beside_part builds sanitizer_builds
	beside_part checks checks
	beside_part trixie quick_on trixie
}

# wait_beside NAME: until that part of beside() is through. Sets beside_took.
wait_beside()
{
	local name

	read -r -u "$beside_fd" name beside_took && [ "$name" = "$1" ] && return
	tail -n 100 "$main_build_dir/meson-logs/$1.txt"
	die "$1: did not come to an end"
}

# Most tests have deadlines, so they run one at a time.
beside_took=
[ "$opt_quick" = yes ] || exec {beside_fd}< <(beside)
part suites
left_out=()
[ "$opt_guest" = yes ] || left_out+=(--no-suite guest)
[ "$opt_long" = yes ] || left_out+=(--no-suite soak --no-suite fuzz --no-suite long)
suites testlog "${left_out[@]}"
if [ "$opt_quick" = no ]; then
	part verify
	export SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0
	verify_on no-huge 20000 --no-huge --in-memory
	SWHCA_LINK_LAYER=eth verify_on eth 5000 --no-huge --in-memory
	SWHCA_MODEL=cx5 verify_on cx5 2000 --no-huge --in-memory
	SWHCA_MODEL=cx6dx SWHCA_CRYPTO=wrapped verify_on wrapped 2000 --no-huge --in-memory
	if hugepages_usable; then
		verify_on hugepages 20000 --in-memory
	else
		say "no usable hugepages: verify runs without them only"
		echo "0 0 1 verify-hugepages" >>"$summary"
	fi
	unset SWHCA_LIB
fi
if [ "$opt_quick" = no ]; then
	part builds
	wait_beside builds
	beside_builds=$beside_took
	part "suites, asan"
	build_dir=$main_build_dir-asan
	suites testlog-asan --suite unit --suite autotest --suite fuzz \
		--suite pyverbs --suite soak
	part "suites, tsan"
	build_dir=$main_build_dir-tsan
	suites testlog-tsan --suite unit --suite autotest --suite threads
	part "checks, trixie"
	wait_beside checks
	cat "$main_build_dir/meson-logs/checks.txt"
	beside_checks=$beside_took
	wait_beside trixie
	cat "$main_build_dir/meson-logs/trixie.txt"
	build_dir=$main_build_dir
fi

parts
python3 "$top_dir/devtools/sum-tests.py" --junit "${opt_junit:-$main_build_dir/junit}" \
	--add "$summary" "${logs[@]}"
