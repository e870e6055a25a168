/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_X86_MOVE_H
#define SWHCA_X86_MOVE_H

/**
 * @file
 * Decoder of move instructions between a register, or a constant, and memory, for accesses of the
 * program that faulted. x86-64 only.
 *
 * Supported are mov of all sizes, movzx and movsx of a byte, movnti, and stores of XMM registers in
 * their encodings by SSE and by a VEX prefix.
 */

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/** Maximum bytes of a move. */
#define SWHCA_MOVE_MAX 16u

/** A move that faulted. */
struct swhca_move {
	bool is_store;
	bool is_constant;	/**< Stores a constant. */
	bool is_high;		/**< The register is AH, CH, DH or BH. */
	bool is_signed;		/**< Load: sign extension. */
	bool is_xmm;		/**< The register is an XMM register. */
	uint8_t size;		/**< Bytes in memory. */
	uint8_t dst_size;	/**< Load: bytes of the register that are written. */
	uint8_t reg;		/**< Number of the register. */
	uint8_t len;		/**< Length of the instruction in bytes. */
	int32_t constant;
};

/**
 * Decode an instruction.
 *
 * @param code
 *   Its first byte; the program was about to execute it, so it is readable.
 * @return
 *   Whether it is a supported move.
 */
bool swhca_move_decode(const uint8_t *code, struct swhca_move *move);

/** Get the value of a store, move->size bytes of value. */
void swhca_move_source(const ucontext_t *uc, const struct swhca_move *move,
		       uint8_t value[SWHCA_MOVE_MAX]);

/** Write the result of a one-byte load to its register. */
void swhca_move_finish(ucontext_t *uc, const struct swhca_move *move, uint8_t value);

#endif /* SWHCA_X86_MOVE_H */
