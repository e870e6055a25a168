#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Add library, driver and autotests to the source tree of DPDK as a patch series; see --help.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

usage()
{
	cat <<END_OF_HELP
Usage: devtools/package/in-dpdk.sh [options]

Lays lib/umr, drivers/common/mlx5_umr and the autotests into the source of DPDK, as commits of a
repository, makes patches of them, has DPDK's own scripts check these (checkpatches.sh, with symbol
changes; check-symbol-maps.sh; check-meson.py; check-maintainers.sh), builds that with DPDK's meson,
warnings being errors, and runs the autotests in dpdk-test on the software ConnectX of the build
folder. Ends with a summary.

The source is that of Debian's package, as "apt-get source dpdk" has it, with books of its own, so
that apt's sources need no deb-src. It is kept in the cache folder, and so are what is built and
checkpatch.pl, which is of the Linux kernel (package linux-source).

  --suite SUITE    bookworm (22.11) or trixie (24.11); default: that of this machine
  --source DIR     a checkout, or what was unpacked, of any DPDK from 22.11 on instead
  --output DIR     where patches go (default: build-dpdk/VERSION)
  --cache DIR      (default: \${XDG_CACHE_HOME:-~/.cache}/umr)
  --no-test        build, but run nothing
  --no-build       patches and their checks only
  --build-dir DIR  where the software ConnectX is (default: build)
  --test NAME      only this suite, one or more times
  --help           this text

Exit status: 0; 1 if a check or a test fails; 2 wrong usage; 77 if the source cannot be had.
END_OF_HELP
}

cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/umr
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
source=
output=
opt_build=yes
opt_test=yes
only=()
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--suite | --source | --output | --cache)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		declare "${1#--}=$2"
		opt_words=2
		;;
	--test)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		only+=("$2")
		opt_words=2
		;;
	--no-test) opt_test=no ;;
	--no-build) opt_build=no opt_test=no ;;
	*) common_option "$@" ;;
	esac
	shift "$opt_words"
done
case $suite in
bookworm | trixie | sid) ;;
*) [ -n "$source" ] || wrong_usage "--suite: '$suite' is not bookworm, trixie or sid" ;;
esac
home=$(realpath -m "$cache")/in-dpdk
mkdir -p "$home"
exec 9>"$home/lock"
flock -n 9 || { say "waiting for another run in $home"; flock 9; }

# Verdicts of this run, one per line.
summary=$(mktemp)
log=$(mktemp)
trap 'rm -f "$summary" "$log"' EXIT

# verdict passed|failed|skipped WHAT...
verdict()
{
	echo "$*" >>"$summary"
	say "$*"
}

# check WHAT COMMAND...: run a step; its exit status is the verdict.
check()
{
	local what=$1

	shift
	printf '+ %s\n' "$*"
	if "$@" >"$log" 2>&1; then
		verdict passed "$what"
	else
		tail -n 60 "$log"
		verdict failed "$what"
	fi
}

# own_apt COMMAND WORD...: run a command of apt with separate state for one release.
own_apt()
{
	local dir=$home/apt-$suite command=$1

	shift
	"$command" -q -o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache" \
		-o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=30 "$@"
}

own_apt_update()
{
	local dir=$home/apt-$suite

	[ ! -e "$dir/updated" ] || return 0
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	find_mirror "$suite" "$dir/InRelease" ||
		skip "no mirror of apt's sources answers and has Debian's $suite"
	printf 'deb %s %s main\ndeb-src %s %s main\n' "$mirror" "$suite" "$mirror" "$suite" \
		>"$dir/sources.list"
	own_apt apt-get update --error-on=any >"$log" 2>&1 ||
		skip "apt-get update, $suite: $(grep '^E:' "$log" | head -n 1)"
	touch "$dir/updated"
}

# Set tarball to the original source of DPDK, without patches of the package.
fetch_source()
{
	local dir=$home/source-$suite

	mkdir -p "$dir"
	tarball=$(find "$dir" -name 'dpdk_*.orig.tar.*' -not -name '*.asc' | sort | tail -n 1)
	[ -z "$tarball" ] || return 0
	own_apt_update
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	(cd "$dir.new" && own_apt apt-get source --download-only dpdk) >"$log" 2>&1 || {
		# Package lists older than the mirror refer to deleted files.
		rm -f "$home/apt-$suite/updated"
		skip "apt-get source dpdk, $suite: $(grep '^E:' "$log" | head -n 1)"
	}
	rm -rf "$dir"
	mv "$dir.new" "$dir"
	tarball=$(find "$dir" -name 'dpdk_*.orig.tar.*' -not -name '*.asc' | sort | tail -n 1)
	[ -n "$tarball" ] || die "$dir: no source of dpdk"
}

git_in()
{
	git -C "$tree" -c user.name="$author_name" -c user.email="$author_email" \
		-c core.autocrlf=false -c gc.auto=0 "$@"
}

# Create a repository of the source of DPDK with the tag "base". It is kept, so that unchanged files
# are not rebuilt.
make_tree()
{
	if [ -n "$source" ]; then
		[ -f "$source/VERSION" ] || wrong_usage "--source: $source has no DPDK"
		version=$(cat "$source/VERSION")
	else
		fetch_source
		version=$(tar -x -O -f "$tarball" --wildcards --no-wildcards-match-slash '*/VERSION')
	fi
	tree=$home/dpdk-$version
	if ! git -C "$tree" rev-parse -q --verify base >/dev/null 2>&1; then
		say "DPDK $version: ${source:-$tarball}"
		rm -rf "$tree" "$tree-build"
		mkdir -p "$tree"
		if [ -n "$source" ]; then
			tar -C "$source" -c --exclude=.git . | tar -C "$tree" -x --no-same-owner
		else
			tar -C "$tree" -x --strip-components=1 --no-same-owner -f "$tarball"
		fi
		git -C "$tree" init -q
		git_in add -A -f
		git_in commit -q -m "DPDK $version"
		git_in tag base
	fi
	git_in checkout -q -f --detach base
	git_in clean -q -f -d -x
}

# quoted FOLDER FILE...: print files in the syntax of meson.
quoted()
{
	local dir=$1 file

	shift
	for file in "$@"; do
		printf "        '%s',\n" "${file#"$dir/"}"
	done | sort
}

spdx="# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors"

# insert FILE REGEX: insert stdin after the first matching line.
insert()
{
	local line

	line=$(grep -n -m 1 -- "$2" "$1" | cut -d : -f 1) || true
	[ -n "$line" ] || die "$1: no line '$2'"
	sed -i "${line}r /dev/stdin" "$1"
}

# commit SUBJECT: commit with the body from stdin.
commit()
{
	git_in add -A
	{
		printf '%s\n\n' "$1"
		cat
		printf '\nSigned-off-by: %s <%s>\n' "$author_name" "$author_email"
	} >"$log"
	git_in commit -q -F "$log"
}

lay_lib()
{
	local to=$tree/lib/umr from=$top_dir/lib/umr

	mkdir "$to"
	(cd "$from" && find . \( -name '*.[ch]' -o -name version.map \) -not -path './pch/*' -print0 |
		tar -c --null -T -) | tar -C "$to" -x
	python3 "$from/version_map.py" "$from/version.map" "$from/rte_umr_ops.h" >"$to/version.map"
	cat >"$to/meson.build" <<END_OF_BUILD
$spdx

sources = files(
$(cd "$to" && mapfile -t list < <(find . -name '*.c') && quoted . "${list[@]}")
)
headers = files(
        'rte_umr.h',
)
indirect_headers += files(
$(sed -n '/^umr_headers = /,/^)/s/^\t/        /p' "$from/meson.build" | grep -v "'rte_umr.h'")
)
driver_sdk_headers += files(
        'rte_umr_pmd.h',
)
deps += ['kvargs', 'telemetry', 'mempool', 'mbuf']
END_OF_BUILD
	echo "        'umr'," | insert "$tree/lib/meson.build" "^        'stack',"
	insert "$tree/doc/api/doxy-api.conf.in" 'TOPDIR@/lib/timer' <<'END_OF_LINES'
                          @TOPDIR@/lib/umr \
END_OF_LINES
	insert "$tree/doc/api/doxy-api-index.md" '\[dmadev\]' <<'END_OF_LINES'
  [umr](@ref rte_umr.h),
END_OF_LINES
	insert "$tree/MAINTAINERS" '^F: .*prog_guide/dmadev' <<END_OF_LINES

UMR device API - EXPERIMENTAL
M: $author_name <$author_email>
F: lib/umr/
F: app/test/test_umr*
F: app/test/umr/
END_OF_LINES
	commit 'umr: introduce API for memory keys over scattered memory' <<'END_OF_LINES'
An RDMA adapter can treat scattered memory as one contiguous region: a
memory key whose layout is a list of pieces or an interleaved pattern.
User-mode memory registration (UMR) rewrites such a key by a work
request, in order with the transfers behind it.

Add a device API for that, modelled on dmadev: enqueue functions that
return a ring index, one submit, burst completions; memory of mempools
and of EAL registered in one call, keys looked up on the data path, and
chains of mbufs laid under a key.
END_OF_LINES
}

lay_driver()
{
	local to=$tree/drivers/common/mlx5_umr from=$top_dir/drivers/common/mlx5_umr

	mkdir "$to"
	(cd "$from" && find . \( -name '*.[ch]' -o -name version.map \) \
		-not -name 'mlx5_umr_link.*' -print0 | tar -c --null -T -) | tar -C "$to" -x
	mkdir "$to/prm"
	cp "$top_dir"/lib/mlx5_prm/*.h "$to/prm"
	# Here everybody has the driver by its plugin or archive, as other drivers.
	sed -i '/mlx5_umr_link\.h/d; /^\/\* Beside what registers the driver/,$d' "$to/ctrl/probe.c"
	sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$to/ctrl/probe.c"
	sed -i '/mlx5_umr_link_anchor/d' "$to/version.map"
	cat >"$to/meson.build" <<END_OF_BUILD
$spdx

if not is_linux
    build = false
    reason = 'only supported on Linux'
    subdir_done()
endif

foreach libname: ['mlx5', 'ibverbs']
    lib = dependency('lib' + libname, required: false, method: 'pkg-config')
    if not lib.found()
        build = false
        reason = 'missing dependency, "' + libname + '"'
        subdir_done()
    endif
    ext_deps += lib
endforeach

deps += ['umr', 'kvargs']
includes += include_directories('prm')
sources = files(
$(cd "$to" && mapfile -t list < <(find . -name '*.c' -not -path './fast/key_burst.c' \
	-not -path './fast/key_one.c' -not -path './fast/sg_key.c') && quoted . "${list[@]}")
)

# What is put together from words is stored by words: in a vector they meet too late.
cflags += ['-fno-tree-slp-vectorize']

# Keys are configured by the same source for every instruction set.
isas = {'base': []}
if arch_subdir == 'x86' and dpdk_conf.get('RTE_ARCH_64', false)
    isas += {'avx2': ['-mavx2', '-mbmi', '-mbmi2', '-mtune=haswell']}
    cflags += '-DMLX5_UMR_HAS_AVX2'
endif
foreach isa, isa_args: isas
    isa_lib = static_library('mlx5_umr_' + isa,
            files(
                    'fast/key_burst.c',
                    'fast/key_one.c',
                    'fast/sg_key.c',
            ),
            include_directories: includes,
            dependencies: [static_rte_eal, static_rte_umr, ext_deps],
            c_args: [cflags, '-DMLX5_UMR_ISA=' + isa, isa_args,
                '-DRTE_LOG_DEFAULT_LOGTYPE=pmd.common.mlx5_umr'])
    objs += isa_lib.extract_all_objects(recursive: true)
endforeach
END_OF_BUILD
	echo "        'mlx5_umr'," | insert "$tree/drivers/common/meson.build" "^        'idpf',"
	insert "$tree/MAINTAINERS" '^F: lib/umr/' <<'END_OF_LINES'
F: drivers/common/mlx5_umr/
END_OF_LINES
	commit 'common/mlx5_umr: add driver of memory keys' <<'END_OF_LINES'
Queues, completion queues and keys are made with DevX commands; work
requests are built inline on a ring that one lcore owns, with one
doorbell per burst. The driver names its devices as libibverbs does, and
is probed by the umr library.
END_OF_LINES
}

lay_tests()
{
	local to=$tree/app/test/umr from=$top_dir/app/test/autotest build=$tree/app/test/meson.build
	local names_of_lists=(sources deps) name register=REGISTER_TEST_COMMAND

	mkdir "$to"
	(cd "$from" && find . -name '*.[ch]' -not -name main.c -not -name secondary.c -print0 |
		tar -c --null -T -) | tar -C "$to" -x
	cp "$top_dir/app/test/patience.h" "$tree/app/test"
	cp "$top_dir/app/test/tap/budget.h" "$to"
	mkdir "$to/model"
	cp "$top_dir"/app/test-umr/model/{prng.h,{type_gen,type_oracle,xts_ref}.[ch]} "$to/model"
	! grep -q REGISTER_DRIVER_TEST "$tree/app/test/test.h" || register=REGISTER_DRIVER_TEST
	{
		sed "s/REGISTER_UMR_TEST/$register/" "$top_dir/devtools/package/in-dpdk/test_umr.c"
		for name in $(suites); do
			echo "UMR_TEST(umr_${name}_autotest, \"$name\")"
		done
	} >"$tree/app/test/test_umr.c"
	! grep -q '^test_sources' "$build" || names_of_lists=(test_sources test_deps)
	cat >"$log" <<END_OF_BUILD

# devices are software ones, which sign and encrypt as this does for comparison
umr_crypto = dependency('libcrypto', required: false, method: 'pkg-config')
if dpdk_conf.has('RTE_COMMON_MLX5_UMR') and dpdk_conf.has('RTE_LIB_IP_FRAG') and umr_crypto.found()
    ${names_of_lists[0]} += files(
            'test_umr.c',
$(cd "$tree/app/test" && mapfile -t list < <(find ./umr -name '*.c') &&
	quoted . "${list[@]}" | sed 's/^/    /')
    )
    ${names_of_lists[1]} += ['umr', 'common_mlx5_umr', 'ip_frag']
    ext_deps += umr_crypto
    cflags += '-I' + meson.current_source_dir() / 'umr'
endif
END_OF_BUILD
	insert "$build" '^cflags += .*-DALLOW_INTERNAL_API' <"$log"
	if [ $register = REGISTER_TEST_COMMAND ]; then
		for name in '' $(suites | sed 's/$/_/'); do
			echo "        'umr_${name}autotest',"
		done | insert "$build" '^driver_test_names = \['
	fi
	commit 'test/umr: add cases of memory keys' <<'END_OF_LINES'
Suites of the API's contracts, of data that moves, of full queues and of
errors, for any devices of the umr library.
END_OF_LINES
}

# Suites of the autotests, without those that take minutes or need device options; the runner of the
# project covers these.
suites()
{
	grep -o '\<X([a-z_0-9]*)' "$top_dir/app/test/autotest/autotest.h" | sed 's/X(\(.*\))/\1/' |
		grep -v -x -e wrap -e wrap_cq -e command -e lost
}

# Set DPDK_CHECKPATCH_PATH for DPDK's checkpatches.sh; download it if necessary.
find_checkpatch()
{
	local dir=$home/checkpatch package

	if [ -z "${DPDK_CHECKPATCH_PATH-}" ]; then
		export DPDK_CHECKPATCH_PATH=$dir/checkpatch.pl
	fi
	[ ! -x "$DPDK_CHECKPATCH_PATH" ] || return 0
	own_apt_update
	package=$(own_apt apt-cache depends linux-source | sed -n 's/^ *Depends: \(linux-source-.*\)/\1/p')
	say "checkpatch.pl: of ${package:-linux-source}"
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	(cd "$dir.new" && own_apt apt-get download "$package" && dpkg-deb --fsys-tarfile ./*.deb |
		tar -x -O --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -x -J --strip-components=2 --wildcards --occurrence=1 \
			'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
			'*/scripts/const_structs.checkpatch') >"$log" 2>&1 || true
	rm -f "$dir.new"/*.deb
	[ -x "$dir.new/checkpatch.pl" ] || return 1
	rm -rf "$dir"
	mv "$dir.new" "$dir"
}

# Print complaints of checkpatches.sh as "TYPE FILE", without the expected ones; "unused" marks
# expected complaints that are missing.
complaints()
{
	python3 - "$1" "$top_dir/devtools/package/in-dpdk/checkpatches.txt" <<'END_OF_PROGRAM'
import collections, fnmatch, re, sys

TOKENS = {"compiler attribute": "attribute", "%l format": "%l"}
found, kind, told = collections.Counter(), None, False
for line in open(sys.argv[1], errors="replace"):
    line = line.rstrip("\n")
    if match := re.match(r"(?:ERROR|WARNING|CHECK):(\w+): ", line):
        kind = match[1]
    elif match := re.match(r"#\d+: FILE: ([^:]+):", line):
        found[kind, match[1]] += 1
    elif match := re.match(r"Warning in (\S+):$", line):
        token = match[1]
        told = True
    elif told:
        name = next((name for text, name in TOKENS.items() if text in line), line)
        found["TOKEN:" + name, token] += 1
        told = False
    elif re.match(r"ERROR: |Please |__rte_|awk: |.*release_\d", line):
        found[line, "-"] += 1
expected = {}
for line in open(sys.argv[2]):
    if line.strip() and not line.startswith("#"):
        expected[tuple(line.split()[:2])] = False
for (kind, file), count in sorted(found.items()):
    fits = [key for key in expected if key[0] == kind and fnmatch.fnmatch(file, key[1])]
    for key in fits:
        expected[key] = True
    if not fits:
        print(f"{count} x {kind} {file}")
for (kind, files), used in expected.items():
    if not used:
        print(f"unused: {kind} {files}")
END_OF_PROGRAM
}

check_patches()
{
	local script found what

	if ! command -v gawk >/dev/null; then
		verdict skipped "checkpatches.sh: DPDK's scripts want gawk"
	elif ! find_checkpatch; then
		verdict skipped "checkpatches.sh: no checkpatch.pl"
	else
		mkdir -p "$home/bin"
		ln -sf "$(command -v gawk)" "$home/bin/awk"
		(cd "$tree" && PATH=$home/bin:$PATH devtools/checkpatches.sh "$output"/*.patch) \
			>"$output/checkpatches.log" 2>&1 || true
		what="checkpatches.sh: $(grep '^total:' "$output/checkpatches.log" |
			awk '{ e += $2; w += $4; n += $6 } END { print n " lines, " e + w }') remarks"
		found=$(complaints "$output/checkpatches.log")
		if ! grep -q '^total:' "$output/checkpatches.log"; then
			tail -n 20 "$output/checkpatches.log"
			verdict failed "checkpatches.sh"
		elif [ -n "$found" ]; then
			printf '%s\n' "$found"
			verdict failed "$what, not all of them expected: $output/checkpatches.log"
		else
			verdict passed "$what, as devtools/package/in-dpdk/checkpatches.txt has them"
		fi
	fi
	for script in check-symbol-maps.sh check-meson.py check-maintainers.sh check-spdx-tag.sh; do
		[ -x "$tree/devtools/$script" ] || continue
		(cd "$tree" && check "$script" "devtools/$script")
	done
}

build_tree()
{
	local dir=$tree-build options

	options=(--werror -Dplatform=generic -Ddefault_library=static -Denable_kmods=false
		-Denable_drivers=common/mlx5_umr,mempool/ring,mempool/stack,bus/pci,bus/vdev
		-Ddeveloper_mode=enabled -Dtests=true)
	if grep -q "'enable_libs'" "$tree/meson_options.txt"; then
		options+=(-Denable_libs=umr,ip_frag -Denable_apps=test)
	else
		options+=("-Ddisable_apps=*" "-Ddisable_libs=*")
	fi
	if [ ! -f "$dir/build.ninja" ]; then
		rm -rf "$dir"
		check "meson setup" meson setup "$dir" "$tree" "${options[@]}"
	fi
	[ ! -f "$dir/build.ninja" ] || check "ninja, warnings are errors" ninja -C "$dir"
}

run_tests()
{
	local name names program words sum

	program=$(find "$tree-build/app" -name dpdk-test -type f)
	if [ ! -x "$program" ]; then
		verdict failed "dpdk-test: not built"
		return
	fi
	mapfile -t names < <(if [ "${#only[@]}" -gt 0 ]; then printf '%s\n' "${only[@]}"; else suites; fi)
	[ -e "$build_dir/lib/swhca/libswhca.so.0" ] || build
	export SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0 SWHCA_LOG=none SWHCA_STRICT=1
	words=(--no-huge --no-shconf -m 1024 -l 0,1 --no-pci --no-telemetry --log-level=lib.umr:error)
	[ "$(nproc)" -gt 1 ] || words[5]=0
	for name in "${names[@]}"; do
		DPDK_TEST=umr_${name}_autotest "$top_dir/devtools/swhca-run" "$program" \
			"${words[@]}" </dev/null >"$log" 2>&1 || true
		sum=$(grep -a '^umr: [0-9]* passed' "$log" || true)
		case $sum in
		*" 0 failed"*) verdict passed "dpdk-test umr_${name}_autotest: ${sum#umr: }" ;;
		*)
			grep -a -B 3 FAILED "$log" || tail -n 20 "$log"
			verdict failed "dpdk-test umr_${name}_autotest: ${sum:-ended}"
			;;
		esac
	done
}

author_name=$(git -C "$top_dir" config user.name || echo "The umr project authors")
author_email=$(git -C "$top_dir" config user.email || echo "umr@localhost")
start=$SECONDS
make_tree
output=$(realpath -m "${output:-$top_dir/build-dpdk/$version}")
lay_lib
lay_driver
lay_tests
rm -rf "$output"
mkdir -p "$output"
git_in format-patch -q --no-signature -o "$output" base
say "patches: $output"
(cd "$output" && ls -- *.patch)
check_patches
[ "$opt_build" = no ] || build_tree
[ "$opt_test" = no ] || run_tests

say "DPDK $version, $((SECONDS - start)) s"
sort -s -k 1,1 "$summary"
nb_failed=$(grep -c '^failed' "$summary" || true)
echo "$(grep -c '^passed' "$summary" || true) passed, $nb_failed failed," \
	"$(grep -c '^skipped' "$summary" || true) skipped"
[ "$nb_failed" -eq 0 ]
