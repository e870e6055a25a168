#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Run the measurements and regenerate the tables and plots of doc/guides/performance.rst and the
# table of README.md.

set -eu -o pipefail
. "$(dirname "$0")/../ci/lib.sh"

usage()
{
	cat <<END
Usage: devtools/bench/report.sh [options]

Builds the project, measures for some minutes, and writes the tables and plots that
doc/guides/performance.rst shows to doc/guides/performance/, and the table of README.md. Nothing
else should run meanwhile. Each table is told on standard error when it starts.

  --readme         only the table of README.md
  --check          measure nothing: exit status 1 if the code that is measured has changed since the
                   tables were written, 77 if this clone does not have their commit
  --rounds R       rounds of each line (default 51)
  --no-swhca       measure on an adapter: no acknowledge-only mode, nothing below swhca-run
  --no-install     do not look at packages
  --no-huge        do not reserve or use hugepages
  --build-dir DIR  where to build (default: build)
  --output DIR     where to write (default: doc/guides/performance, and README.md)
  --help           this text
END
}

# check_age: whether the tables are those of the code; does not return.
check_age()
{
	local commit changed

	commit=$(sed -n 's/^Commit *\([0-9a-f]*\),.*/\1/p' "$guide/machine.txt")
	git -C "$top_dir" cat-file -e "$commit^{commit}" 2>/dev/null ||
		skip "the tables are of commit $commit, which this clone does not have"
	changed=$(git -C "$top_dir" diff --name-only "$commit" -- lib drivers app/common app/swhca-speed \
		app/test-umr app/test/perf)
	[ -z "$changed" ] || die "measure again: changed since commit $commit:"$'\n'"$changed"
	say "the tables are of commit $commit, and nothing that they measure has changed since"
	exit 0
}

rounds=51
on_swhca=yes
readme_only=no
guide=$top_dir/doc/guides/performance
output=$guide
while [ $# -gt 0 ]; do
	opt_words=1
	case $1 in
	--rounds | --output)
		[ $# -gt 1 ] || wrong_usage "$1 needs a value"
		if [ "$1" = --rounds ]; then rounds=$2; else output=$(realpath -m "$2"); fi
		opt_words=2
		;;
	--no-swhca) on_swhca=no ;;
	--readme) readme_only=yes ;;
	--check) check_age ;;
	*) common_option "$@" ;;
	esac
	shift "$opt_words"
done

install_packages run full
reserve_hugepages
configure
build tools
mkdir -p "$output"

mapfile -t eal < <(eal_options)
nb_cpus=$(nproc)
export SWHCA_LIB=$build_dir/lib/swhca/libswhca.so.0
# Use the library of that build, and ignore the mode in the caller's environment.
unset SWHCA_ACK_ONLY

# bench FILE MODE OPTION...: generate a table. MODE is ack or exec.
bench()
{
	local file=$output/$1 mode=$2 below=()
	shift 2

	if [ "$on_swhca" = yes ]; then
		below=("$top_dir/devtools/swhca-run")
		[ "$mode" = exec ] || below+=(--acknowledge-only)
	fi
	step "$(basename "$file"): bench $*"
	run "${below[@]}" "$build_dir/app/test-umr/dpdk-test-umr" "${eal[@]}" -- bench "$@" \
		>"$file.log"
	# The first line is the command; remove folder names.
	sed -e "s|$top_dir/||g" -e "s|$build_dir/|build/|g" -e '1s/^+/$/' "$file.log" >"$file"
	rm "$file.log"
	say "$(basename "$file"): written"
}

# targets FILE: generate the verdicts of targets.py.
targets()
{
	local file=$output/$1 below=()

	[ "$on_swhca" = no ] || below=("$top_dir/devtools/swhca-run" --acknowledge-only)
	step "$1: targets of $rounds rounds"
	run "$top_dir/devtools/bench/targets.py" --rounds "$rounds" -- "${below[@]}" \
		"$build_dir/app/test-umr/dpdk-test-umr" "${eal[@]}" -- >"$file.log"
	sed -e "s|$top_dir/||g" -e "s|$build_dir/|build/|g" -e '1s/^+/$/' "$file.log" >"$file"
	rm "$file.log"
	say "$1: written"
}

# lcores LIST: set option -l of the next tables.
lcores()
{
	local i
	for i in "${!eal[@]}"; do
		[ "${eal[i]}" != -l ] || eal[i + 1]=$1
	done
}
all_cpus=$(taskset -cp $$ | sed 's/.*: //')

lscpu_of()
{
	lscpu | sed -n "s/^ *$1: *//p" | head -1
}

machine()
{
	printf 'Commit    %s, %s\n' "$(git -C "$top_dir" log -1 --format=%h)" "$(date +%F)"
	printf 'CPU       %s, family %s, model %s; %s CPUs, %s a core\n' "$(lscpu_of 'Model name')" \
		"$(lscpu_of 'CPU family')" "$(lscpu_of Model)" "$nb_cpus" \
		"$(lscpu_of 'Thread(s) per core')"
	printf 'Caches    %s\n' "$(lscpu | sed -n 's/^\(L[123]d\?\) cache: */\1 /p' | paste -sd';' |
		grep . || echo unknown)"
	printf 'Machine   %s\n' \
		"$(grep -qw hypervisor /proc/cpuinfo && echo virtual || echo bare metal)"
	printf 'Kernel    %s\n' "$(uname -sr)"
	printf 'Compiler  %s\n' "$(cc --version | head -1)"
	printf 'DPDK      %s\n' "$(pkg-config --modversion libdpdk)"
	printf 'rdma-core %s\n' "$(pkg-config --modversion libibverbs), $(dpkg-query -W -f \
		'${Package} ${Version}' ibverbs-providers 2>/dev/null || echo not of Debian)"
	printf 'Memory    %s\n' "$(hugepages_usable && echo hugepages || echo 4 KiB pages)"
}

# Replace the output of devtools/run.sh in README.md, from the command to the end of the block.
readme()
{
	local table=$output/readme.txt

	lcores "$(first_cpu)"
	bench readme.txt ack
	awk -v table="$table" '
		/^\+ .* -- bench$/ {
			while ((getline line < table) > 0) {
				sub(/^\$/, "+", line)
				print line
			}
			is_old = 1
		}
		/^```$/ { is_old = 0 }
		!is_old' "$top_dir/README.md" >"$table.md"
	rm "$table"
	mv "$table.md" "$top_dir/README.md"
	say "README.md: written"
}

if [ "$readme_only" = yes ]; then
	readme
	exit 0
fi

say "machine"
machine | tee "$output/machine.txt"

# Software devices also run below valgrind; for others, the CPU may have a counter.
instructions=()
[ "$on_swhca" = no ] || ! command -v valgrind >/dev/null ||
	instructions=(--instructions callgrind)

all_entries=1,2,4,8,16,32,52
plots=()
command -v gnuplot >/dev/null && plots=(--plot "$output") ||
	warn "no gnuplot, no new plots"

lcores "$(first_cpu)"
for i in 1 2 3; do
	targets "targets-$i.txt"
done
# One lcore leaves a CPU to the engine of a software device; one target needs two lcores.
lcores "$all_cpus"
targets targets-lcores.txt
lcores "$(first_cpu)"
bench cost.txt ack --layout list,interleaved,nested,mixed,invalidate,keyget \
	--entries $all_entries --batch 1,8,32,64 --rounds "$rounds" "${instructions[@]}" \
	"${plots[@]}"
bench cost-warm.txt ack --layout list,interleaved --entries 1,4,16,52 --batch 1,32,64 \
	--poll warm --rounds "$rounds"
bench cost-memory.txt ack --layout list --entries 256,4096 --batch 8 --rounds "$rounds" \
	"${instructions[@]}"
bsfs=crypto,signature,dif,dif-both,sigcrypto,transaction
bench cost-bsfs.txt ack --layout $bsfs --entries 4,16 --batch 1,32 --rounds "$rounds"
bench keys-8192.txt ack --layout $bsfs --entries 4 --batch 32 --keys 8192 --order random \
	--rounds "$rounds"
bench cost-executing.txt exec --layout list,interleaved,mixed --entries 4,16,52 --batch 1,32 \
	--rounds "$rounds"
for keys in 64 4096 65536; do
	bench "keys-$keys.txt" ack --layout list --entries 4 --batch 32 --keys $keys \
		--order random --rounds "$rounds"
done
bench latency.txt exec --measure latency --layout list,mixed --entries 4 --batch 1,32 \
	--rounds "$rounds"
bench jobs.txt ack --measure jobs --rounds "$rounds" "${plots[@]}"
bench jobs-executing.txt exec --measure jobs --rounds "$rounds"
bench pipeline.txt ack --layout mbuf,lookup,register --rounds "$rounds"

# Remove plots that the guide does not show.
for file in "$output"/*.svg; do
	[ ! -f "$file" ] || grep -q "$(basename "$file")" "$top_dir/doc/guides/performance.rst" ||
		rm "$file"
done

# The engine of the software device needs an additional CPU.
if [ "$nb_cpus" -gt 2 ] || [ "$on_swhca" = no ]; then
	lcores "$all_cpus"
	for nb in 1 2; do
		bench "lcores-$nb.txt" ack --layout list --entries 4 --batch 32 \
			--lcores $nb --rounds "$rounds"
	done
else
	for nb in 1 2; do
		printf 'Not measured: %s CPUs, and the engine needs one besides the lcores.\n' \
			"$nb_cpus" >"$output/lcores-$nb.txt"
	done
fi

if [ "$on_swhca" = yes ]; then
	speed=$build_dir/app/swhca-speed/swhca-speed
	step "model.txt, model-ack.txt: swhca-speed"
	run "$top_dir/devtools/swhca-run" "$speed" >"$output/model.log"
	sed 1d "$output/model.log" >"$output/model.txt"
	run "$top_dir/devtools/swhca-run" --acknowledge-only "$speed" >"$output/model.log"
	sed 1d "$output/model.log" >"$output/model-ack.txt"
	rm "$output/model.log"
fi
[ "$on_swhca" = no ] || [ "$output" != "$guide" ] || readme
grep -v '^# SPDX\|^# Copyright\|^#$' "$top_dir/app/test/perf/counts.txt" >"$output/counts.txt"
say "done: $output"
