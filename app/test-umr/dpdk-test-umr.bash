# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# bash completion for dpdk-test-umr; a test compares commands and options with --help. EAL options
# are not completed.

_dpdk_test_umr()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= words= i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		info | verify | check | bench | calibrate | dump | cases | serve | soak)
			command=${COMP_WORDS[i]}
			break
			;;
		--config)
			command=cases
			break
			;;
		esac
	done
	# The second file of two.
	[[ ${COMP_WORDS[COMP_CWORD - 2]-} != --compare ]] || prev=--compare
	case $command:$prev in
	:*)
		words='info verify check bench calibrate dump cases serve soak --'
		[[ $cur != -* ]] || words='-- -h --help --version --config'
		;;
	*:--format) words='table json csv' ;;
	verify:--layout)
		words='list noninline partial interleaved nested ksm access odp tag sig trans crypto
			sigcrypto dc mw invalidate atomic recv all'
		;;
	bench:--layout)
		words='list noninline interleaved nested invalidate mixed keyget update crypto signature
			dif dif-both sigcrypto transaction all mbuf lookup register'
		;;
	soak:--transport) words='loopback rc dc all' ;;
	soak:--faults)
		words='bad-lkey bad-rkey access bounds stale-tag revoked-window length rnr
			peer-reset peer-gone ring-full cq-full unmapped odp odp-hole signature
			command stall error-cqe doorbell cqe-delay removed wire-loss wire-dup
			wire-reorder all none'
		;;
	*:--transport) words='loopback rc all' ;;
	bench:--operation) words='write read' ;;
	*:--order) words='pool random' ;;
	*:--calls) words='burst single' ;;
	*:--poll) words='cold warm' ;;
	*:--measure) words='cost latency jobs flat recover lcores software' ;;
	*:--instructions) words='cpu callgrind off' ;;
	cases:--case)
		# Sections of the given file.
		mapfile -t COMPREPLY < <(compgen -W "$(for ((i = 1; i + 1 < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != --config ]] ||
				sed -n 's/^\[\(.*\)\]/\1/p' "${COMP_WORDS[i + 1]}" 2>/dev/null
		done)" -- "$cur")
		return
		;;
	check:--only)
		# A name, or another name after a comma.
		local before=
		[[ $cur != *,* ]] || before=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$("${COMP_WORDS[0]}" check --list \
			2>/dev/null | cut -d ' ' -f 1)" -- "${cur##*,}")
		return
		;;
	*:--type) words='wqe cqe mkc' ;;
	*:--service) words='rc ud xrc dc' ;;
	*:--plot)
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	*:--file | *:--config | *:--compare)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	*:--entries | *:--batch | *:--depth | *:--keys | *:--lcores | *:--rounds | *:--device | \
		*:--peer | *:--listen | *:--idle | *:--cases | *:--seed | *:--case | *:--seconds | \
		*:--queue | *:--size | *:--step | *:--queues | *:--operations | *:--port) ;;
	info:*) words='--device --format --help' ;;
	verify:*)
		words='--layout --cases --seed --case --device --transport --peer --wrap --format
			--progress --verbose --help'
		;;
	check:*) words='--device --port --only --list --format --help' ;;
	bench:*)
		words='--layout --entries --batch --depth --keys --order --lcores --calls --poll
			--rounds --measure --instructions --peer --size --operation --queues --seconds
			--compare --plot --device --format --progress --help'
		;;
	calibrate:*) words='--rounds --device --format --help' ;;
	dump:*) words='--type --service --file --format --help' ;;
	cases:*) words='--config --case --list --format --help' ;;
	soak:*)
		words='--seconds --faults --seed --queue --step --queues --lcores --transport
			--peer --operations --device --format --progress --verbose --help'
		;;
	serve:*) words='--listen --once --idle --device --help' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
} &&
	complete -F _dpdk_test_umr dpdk-test-umr
