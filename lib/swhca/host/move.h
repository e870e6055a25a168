/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MOVE_H
#define SWHCA_MOVE_H

/**
 * @file
 * Instructions of the program that move a value between a register, or a constant, and memory: what
 * it was about to do when an access of it faulted. x86-64 only.
 *
 * Followed are mov of all sizes, movzx and movsx of a byte, movnti, and stores of XMM registers in
 * their encodings by SSE and by a VEX prefix. Others are not.
 */

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/** Most bytes of a move. */
#define SWHCA_MOVE_MAX 16u

/** A move that faulted. */
struct swhca_move {
	bool is_store;
	bool is_constant;	/**< Stored is a constant. */
	bool is_high;		/**< The register is AH, CH, DH or BH. */
	bool is_signed;		/**< Of a load: it extends the sign. */
	bool is_xmm;		/**< The register is an XMM register. */
	uint8_t size;		/**< Bytes in memory. */
	uint8_t dst_size;	/**< Of a load: bytes of the register that are written. */
	uint8_t reg;		/**< Number of the register. */
	uint8_t len;		/**< Of the instruction, in bytes. */
	int32_t constant;
};

/**
 * Decode an instruction.
 *
 * @param code
 *   Its first byte; the program was about to execute it, so it can be read.
 * @return
 *   Whether it is a move that is followed.
 */
bool swhca_move_decode(const uint8_t *code, struct swhca_move *move);

/** What a store stores, move->size bytes of value. */
void swhca_move_source(const ucontext_t *uc, const struct swhca_move *move,
		       uint8_t value[SWHCA_MOVE_MAX]);

/** Put what a load of one byte has found into its register. */
void swhca_move_finish(ucontext_t *uc, const struct swhca_move *move, uint8_t value);

#endif /* SWHCA_MOVE_H */
