#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run libFuzzer on the software HCA: commands, WQE rings, queues that change while they work,
# requests of programs to its device files, packets, frames, management datagrams, messages of
# connection management, and accesses of a VMM and a guest to a PCI function.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

all_targets=(cmd wqe queue wire uverbs control pci packet frame nic mad cm ucma)
found_dir=$top_dir/app/test/fuzz/found

usage()
{
	cat <<END
Usage: devtools/check/fuzz.sh [options] [target...]

Builds the fuzz targets (default: all of ${all_targets[*]}) with clang, AddressSanitizer and UBSan, and runs
each for some time, beginning with the seeds (app/test/fuzz/make_seeds.py), with inputs that once found
a fault (app/test/fuzz/found/TARGET) and with what earlier runs found. Inputs that it finds go to
DIR/corpus/TARGET; one that crashes, hangs or leaks goes to DIR/crashes, and
"DIR/app/test/fuzz/libfuzzer-TARGET INPUT" repeats it.

  --seconds N      for each target (default: 600); --time is the same
  --coverage       run nothing but the seeds and found/, and print what they cover: lines and branches
                   of each room of lib/swhca, and the target that covers most of it
  --seed N         of libFuzzer (default: another one each time)
  --minimize       afterwards leave in DIR/corpus/TARGET only what covers more than the seeds do; not
                   of a target that failed, behind which nothing runs any more
  --no-install     do not look at packages
  --build-dir DIR  where to build (default: build-fuzz)
  --help           this text

Exit status: 0 nothing found; 1 something found, or the build failed; 2 wrong usage.
END
}

opt_time=600
opt_minimize=no
opt_coverage=no
opt_seed=0
build_dir=
targets=()
while [ $# -gt 0 ]; do
	case $1 in
	--minimize) opt_minimize=yes ;;
	--coverage) opt_coverage=yes ;;
	--no-install) opt_install=no ;;
	--seconds | --time | --seed | --build-dir)
		[ $# -gt 1 ] || die "$1 needs a value"
		case $1 in
		--seconds | --time) opt_time=$2 ;;
		--seed) opt_seed=$2 ;;
		*) build_dir=$(realpath -m "$2") ;;
		esac
		shift
		;;
	--help)
		usage
		exit 0
		;;
	*)
		if [[ " ${all_targets[*]} " != *" $1 "* ]]; then
			printf 'unknown option or target %s; see --help\n' "$1" >&2
			exit 2
		fi
		targets+=("$1")
		;;
	esac
	shift
done
[ "${#targets[@]}" -gt 0 ] || targets=("${all_targets[@]}")
# The coverage build is separate because it is slower.
[ -n "$build_dir" ] || build_dir=$top_dir/build-fuzz$([ "$opt_coverage" = no ] || echo -coverage)

# inputs_of TARGET: set "inputs" to the folders of initial inputs.
inputs_of()
{
	inputs=("$build_dir/app/test/fuzz/seeds/$1")
	[ ! -d "$found_dir/$1" ] || inputs+=("$found_dir/$1")
}

# fuzz TARGET: run it once. The log has details; only the last lines are shown.
fuzz()
{
	local target=$1 log=$build_dir/fuzz-$1.log dict=steps

	[ ! -f "$top_dir/app/test/fuzz/$target.dict" ] || dict=$target

	inputs_of "$target"
	mkdir -p "$build_dir/corpus/$target" "$build_dir/crashes"
	run "$build_dir/app/test/fuzz/libfuzzer-$target" -max_total_time="$opt_time" \
		-seed="$opt_seed" -timeout="$(patience 60)" \
		-max_len=4096 -rss_limit_mb=2048 -artifact_prefix="$build_dir/crashes/$target-" \
		-dict="$top_dir/app/test/fuzz/$dict.dict" -print_final_stats=1 \
		"$build_dir/corpus/$target" "${inputs[@]}" >"$log" 2>&1 && {
		grep -E '^(stat::number_of_executed_units|Done)' "$log" || true
		return 0
	}
	tail -n 60 "$log"
	say "FAILED: $target; log in $log"
	return 1
}

# Minimize the corpus to inputs that cover code beyond the seeds.
minimize()
{
	local target=$1 corpus=$build_dir/corpus/$1 work max_len=2048

	# Creating a queue pair of verbs takes a dozen requests with their attributes.
	[ "$target" != uverbs ] || max_len=4096

	work=$(mktemp -d "$build_dir/minimize.XXXXXX")
	mkdir "$work/kept"
	inputs_of "$target"
	find "${inputs[@]}" -type f -exec cp -t "$work/kept" {} +
	if ! run "$build_dir/app/test/fuzz/libfuzzer-$target" -set_cover_merge=1 -use_counters=0 \
		-max_len=$max_len "$work/kept" "$corpus" >"$work/log" 2>&1; then
		tail -n 20 "$work/log"
		say "FAILED: $target cannot be minimized; $corpus is as it was"
		rm -rf "$work"
		return 1
	fi
	find "${inputs[@]}" -type f -printf "$work/kept/%f\0" | xargs -0 rm -f
	rm -rf "$corpus"
	mv "$work/kept" "$corpus"
	rm -rf "$work"
	say "$target: $(find "$corpus" -type f | wc -l) inputs beside the seeds"
}

# Run the inputs of each target once and report their coverage.
coverage()
{
	local target dir=$build_dir/coverage objects=() profiles=()

	mkdir -p "$dir"
	for target in "${targets[@]}"; do
		inputs_of "$target"
		LLVM_PROFILE_FILE=$dir/$target.profraw run \
			"$build_dir/app/test/fuzz/libfuzzer-$target" -runs=0 \
			"${inputs[@]}" >"$dir/$target.log" 2>&1 || die "$target: see $dir/$target.log"
		"$(llvm profdata)" merge -sparse "$dir/$target.profraw" -o "$dir/$target.profdata"
		profiles+=("$dir/$target.profdata")
		objects+=("$build_dir/app/test/fuzz/libfuzzer-$target")
		"$(llvm cov)" export -summary-only -instr-profile="$dir/$target.profdata" \
			"${objects[-1]}" >"$dir/$target.json"
	done
	"$(llvm profdata)" merge -sparse "${profiles[@]}" -o "$dir/all.profdata"
	"$(llvm cov)" export -summary-only -instr-profile="$dir/all.profdata" \
		"${objects[0]}" "${objects[@]/#/-object=}" >"$dir/all.json"
	python3 "$top_dir/devtools/check/fuzz-coverage.py" "$dir/all.json" "${targets[@]/#/$dir/}"
}

# llvm TOOL: find the tool of the installed clang.
llvm()
{
	local name=llvm-$1 version

	version=$(clang -dumpversion)
	command -v "$name-${version%%.*}" || command -v "$name" || die "$name: not found"
}

install_packages
export CC=clang
export UBSAN_OPTIONS=print_stacktrace=1
[ -f "$build_dir/build.ninja" ] || run meson setup "$build_dir" "$top_dir" -Dfuzz=enabled -Doptimization=1 \
	-Dfuzz_coverage="$([ "$opt_coverage" = yes ] && echo true || echo false)"
run ninja -C "$build_dir" app/test/fuzz/seeds "${targets[@]/#/app/test/fuzz/libfuzzer-}"
if [ "$opt_coverage" = yes ]; then
	coverage
	exit
fi
status=0
for target in "${targets[@]}"; do
	if ! fuzz "$target"; then
		status=1
		[ "$opt_minimize" = no ] || die "$target failed: neither it nor the targets behind it are minimized"
	elif [ "$opt_minimize" = yes ]; then
		minimize "$target" || exit 1
	fi
done
[ "$status" = 1 ] || say "fuzz: nothing found in $opt_time s each: ${targets[*]}"
exit $status
