# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# bash completion for swhca-run; a test compares its options with --help.

_swhca_run()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	local with_value='-d --devices -m --model --link-layer --wire --impair --fault
		--capture --crypto --stale-region --quirk -l --log -L --library
		--log-max-klm --max-indirection --log-max-mkey --log-max-qp --log-max-qp-size
		--log-max-cq --log-max-cq-size --log-max-uar'
	local without_value='--static-uar --no-copy-on-fork --acknowledge-only --strict --memlock
		--strong-fence --check --version -h --help'

	# The command is the first word that is neither an option nor its value.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			((i++))
			break
			;;
		-*) [[ " ${with_value//[[:space:]]/ } " != *" ${COMP_WORDS[i]} "* ]] || ((i++)) ;;
		*) break ;;
		esac
	done
	COMPREPLY=()
	if ((i < COMP_CWORD)); then
		# Words of the command.
		if declare -F _comp_command_offset >/dev/null; then
			_comp_command_offset "$i"
		elif declare -F _command_offset >/dev/null; then
			_command_offset "$i"
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
	elif ((i > COMP_CWORD)); then
		# The value of an option.
		case $prev in
		-d | --devices) mapfile -t COMPREPLY < <(compgen -W '1 2 3 4 5 6 7 8' -- "$cur") ;;
		-m | --model) mapfile -t COMPREPLY < <(compgen -W 'cx7 cx6dx cx5' -- "$cur") ;;
		--link-layer) mapfile -t COMPREPLY < <(compgen -W 'ib eth' -- "$cur") ;;
		--wire) mapfile -t COMPREPLY < <(compgen -W 'inproc udp' -- "$cur") ;;
		--crypto) mapfile -t COMPREPLY < <(compgen -W 'plain wrapped' -- "$cur") ;;
		-l | --log)
			mapfile -t COMPREPLY < <(compgen -W 'none error warning debug wqe' -- "$cur")
			;;
		--stale-region)
			mapfile -t COMPREPLY < <(compgen -W 'warn error follow' -- "$cur")
			;;
		--quirk)
			mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --quirk list \
				2>/dev/null | cut -d ' ' -f 1)" -- "$cur")
			;;
		-L | --library | --capture) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		esac
	elif [[ $cur == -* && ${COMP_WORDS[i - 1]} != -- ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$with_value $without_value" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	fi
} &&
	complete -o filenames -F _swhca_run swhca-run
