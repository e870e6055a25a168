# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# bash completion for swhca-run, swhca-ctl, swhca-pci and swhca-speed: commands, options and their
# values are those of --help of the program.

# Classes of faults, which no help lists; the rest of the words is not repeated here.
_swhca_faults='error-cqe cqe-delay doorbell-drop doorbell-delay engine-stall qp-delay fatal unmap
	odp-delay'

# _swhca_about HELP WORD: print what HELP says of an option or command: its line, and those below.
_swhca_about()
{
	local line is_there=

	while IFS= read -r line; do
		if [[ $line =~ ^\ {2,10}((-[A-Za-z]),\ )?([a-z-]+)\  ]]; then
			is_there=
			[[ $2 != "${BASH_REMATCH[2]}" && $2 != "${BASH_REMATCH[3]}" ]] || is_there=1
		elif [[ $line != ' '* ]]; then
			is_there=
		fi
		[[ -z $is_there ]] || printf '%s\n' "$line"
	done <<<"$1"
}

# _swhca_values ABOUT: print the values that the text names, and classes of faults if it takes them.
_swhca_values()
{
	local line rest

	while IFS= read -r line; do
		rest=${line##*  }
		if [[ $rest =~ ^([a-z0-9]+(, [a-z0-9]+)+)\;\ default ]]; then
			printf '%s\n' "${BASH_REMATCH[1]//,/}"
		elif [[ $rest =~ ^([a-z]+)\ \(default\),\ ([a-z]+)\ or\ ([a-z]+)$ ]]; then
			printf '%s\n' "${BASH_REMATCH[@]:1:3}"
		elif [[ $rest =~ ^([0-9]+)\ to\ ([0-9]+),\ default && ${BASH_REMATCH[2]} -le 8 ]]; then
			seq "${BASH_REMATCH[@]:1:2}"
		elif [[ $rest != default* && $line =~ ^\ {20,}([a-z]+=?)[^\ ]*(\ \[[A-Z]+\])?:(\ |$) ]]; then
			printf '%s\n' "${BASH_REMATCH[1]}"
		fi
		[[ ! $line =~ PID\ N\ ([a-z]+\|[a-z|]+) ]] || printf '%s\n' "${BASH_REMATCH[1]//|/ }"
	done <<<"$1"
	[[ $1 != *CLASS* ]] || printf '%s\n' "$_swhca_faults"
}

# _swhca_option PROGRAM HELP OPTION WORD: complete the value of an option; fail if it has none.
_swhca_option()
{
	local program=$1 option=$3 cur=$4 about words
	about=$(_swhca_about "$2" "$option")

	if [[ $about == *"as of swhca-run;"* ]]; then
		[[ $program == */* ]] && program=${program%/*}/swhca-run || program=swhca-run
		about=$(_swhca_about "$("$program" --help 2>/dev/null)" "$option")
	fi
	[[ $about =~ ^\ +(-[A-Za-z],\ )?--[a-z-]+\ ([A-Z]+)\  ]] || return
	case ${BASH_REMATCH[2]} in
	FILE | LIB | PATH) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)
		words=$(_swhca_values "$about" | sort -u)
		[[ $about != *", or list"* ]] ||
			words=$("$program" "$option" list 2>/dev/null | cut -d ' ' -f 1)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		;;
	esac
}

# Options and commands of the help.
_swhca_heads()
{
	local line

	while IFS= read -r line; do
		if [[ $line =~ ^\ {2,10}((-[A-Za-z]),\ )?(--[a-z0-9-]+)\  ]]; then
			printf '%s\n' ${BASH_REMATCH[2]:+"${BASH_REMATCH[2]}"} "${BASH_REMATCH[3]}"
		elif [[ $line =~ ^\ \ ([a-z-]+)\ PID ]]; then
			printf '%s\n' "${BASH_REMATCH[1]}"
		fi
	done <<<"$1"
}

# swhca-ctl COMMAND PID [N [K]]
_swhca_command()
{
	local cur=$2 words=

	case $COMP_CWORD in
	# Programs with devices listen at an address that has their number.
	2) [[ ! -r /proc/net/unix ]] || words=$(sed -n 's/^.* @swhca-\([0-9]*\)$/\1/p' /proc/net/unix) ;;
	3) [[ $(_swhca_about "$1" "${COMP_WORDS[1]}") != *" PID N"* ]] || words='0 1 2 3 4 5 6 7' ;;
	4) words=$(_swhca_values "$(_swhca_about "$1" "${COMP_WORDS[1]}")") ;;
	5) [[ ${COMP_WORDS[1]}:${COMP_WORDS[4]} != fault:off ]] || words=$_swhca_faults ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

_swhca()
{
	local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} text i
	text=$("$program" --help 2>/dev/null) || return

	COMPREPLY=()
	if [[ $text == *'COMMAND PID'* ]] && ((COMP_CWORD > 1)); then
		_swhca_command "$text" "$cur"
		return
	fi
	# The command, if any, is the first word that is neither an option nor its value.
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] || break
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			((i++))
			break
		fi
		_swhca_option "$program" "$text" "${COMP_WORDS[i]}" "$cur" || continue
		((++i < COMP_CWORD)) || return
	done
	COMPREPLY=()
	if ((i == COMP_CWORD)) && [[ $cur == -* && ${COMP_WORDS[i - 1]} != -- ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_swhca_heads "$text" | grep '^-')" -- "$cur")
	elif [[ $text == *'COMMAND PID'* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_swhca_heads "$text" | grep -v '^-')" -- "$cur")
	elif [[ $text != *'COMMAND [ARGUMENT]'* ]]; then
		return
	elif ((i == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	elif declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$i"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$i"
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
} &&
	complete -o filenames -F _swhca swhca-run swhca-ctl swhca-pci swhca-speed
