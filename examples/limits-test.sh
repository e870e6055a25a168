#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The umr project authors
#
# Operations that a device does not support are rejected with the value and the limit; examples work
# with shorter rings and keys than usual.
# Usage: limits-test.sh RUN-EAL SWHCA-RUN UMR-KVCACHE UMR-STORAGE UMR-TRANSPOSE

set -eu -o pipefail
run_eal=$1 swhca_run=$2 kvcache=$3 storage=$4 transpose=$5

# rejected MODEL TEXT PROGRAM WORD...: it must fail on that device and print this line.
rejected()
{
	local model=$1 text=$2 said
	shift 2
	if said=$(SWHCA_MODEL=$model "$run_eal" "$swhca_run" "$@" 2>&1); then
		printf 'accepted by %s: %s\n' "$model" "$*" >&2
		exit 1
	fi
	if ! grep -qxF -e "$text" <<<"$said"; then
		printf '%s on %s says\n%s\nand not\n%s\n' "$*" "$model" "$said" "$text" >&2
		exit 1
	fi
}

# ends_with TEXT PROGRAM WORD...: it must work with rings of 64 descriptors and keys of 256 entries.
ends_with()
{
	local text=$1 said
	shift
	said=$(SWHCA_LOG_MAX_QP_SIZE=6 SWHCA_LOG_MAX_KLM=8 "$run_eal" "$swhca_run" "$@")
	if [ "$(tail -n 1 <<<"$said")" != "$text" ]; then
		printf '%s says\n%s\nand does not end with\n%s\n' "$*" "$said" "$text" >&2
		exit 1
	fi
}

rejected cx7 '6553600000 bytes: a read moves at most 1073741824' \
	"$kvcache" --blocks 100000 --block-size 65536
rejected cx7 '5 levels of keys: the device has at most 4' "$kvcache" --per-key 5
rejected cx7 'nonesuch: No such device' "$kvcache" nonesuch
ends_with '1000 blocks of 4096 bytes, levels of keys: 2: good' "$kvcache" --rounds 2
rejected cx7 '65 rows: no multiple of the 16 of a tile' "$transpose" --rows 65
rejected cx7 '97 cols: no multiple of the 8 of a tile' "$transpose" --cols 97
rejected cx7 '1352000000 bytes: a write moves at most 1073741824' \
	"$transpose" --rows 65000 --cols 650 --tile-rows 1 --tile-cols 1
SWHCA_MAX_INDIRECTION=1 rejected cx7 \
	'2 levels of keys for columns of tiles: the device has at most 1' "$transpose"
ends_with '64 x 96 elements of 32 bytes, interleaved keys: 12: good' "$transpose" --rounds 2
see='see --cipher, --block-size, --blocks'
rejected cx6dx "mlx5_0 has not: more than one data unit in a key; $see" "$storage" --blocks 2
rejected cx5 "mlx5_0 has not: AES-XTS by a plain key, with data units of this size; $see" \
	"$storage" --blocks 1
ends_with '31 blocks of 512 bytes, AES-256-XTS: good' "$storage" --rounds 2
