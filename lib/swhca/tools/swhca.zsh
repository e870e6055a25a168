#compdef swhca-run swhca-ctl swhca-pci swhca-speed dpdk-test-umr
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# zsh completion: what the completion of bash in the same prefix offers, or files.

local file=${${(%):-%x}:A:h}/../../bash-completion/completions/${words[1]:t}
local -a offered
offered=(${(f)"$(bash -c 'source "$1" && shift || exit
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	"$(complete -p "${1##*/}" | sed "s/.* -F \([^ ]*\).*/\1/")"
	printf "%s\n" "${COMPREPLY[@]}"' bash $file "${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
if (( $#offered )); then
	compadd -- $offered
else
	_files
fi
