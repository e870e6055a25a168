# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# bash completion for swhca-ctl; a test compares its commands with --help.

_swhca_ctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words=
	local commands='list stats remove crash halt resume delete-credential fail-command port
		impair counters fault'

	case $COMP_CWORD in
	1)
		words=$commands
		[[ $cur != -* ]] || words='--version -h --help'
		;;
	2)
		# Programs with devices listen at an address that tells their number.
		[[ ! -r /proc/net/unix ]] || words=$(sed -n 's/^.* @swhca-\([0-9]*\)$/\1/p' /proc/net/unix)
		;;
	3) [[ ${COMP_WORDS[1]} == list || ${COMP_WORDS[1]} == stats ]] || words='0 1 2 3 4 5 6 7' ;;
	4)
		case ${COMP_WORDS[1]} in
		port) words='down up speed=' ;;
		fault)
			words='list off error-cqe cqe-delay doorbell-drop doorbell-delay engine-stall
				qp-delay fatal unmap odp-delay'
			;;
		esac
		;;
	5)
		[[ ${COMP_WORDS[1]} != fault || ${COMP_WORDS[4]} != off ]] ||
			words='error-cqe cqe-delay doorbell-drop doorbell-delay engine-stall qp-delay
				fatal unmap odp-delay'
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
} &&
	complete -F _swhca_ctl swhca-ctl
