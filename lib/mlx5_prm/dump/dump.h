/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_DUMP_H
#define MLX5_PRM_DUMP_H

/**
 * @file
 * Work queue entries, completion queue entries and memory key contexts as text.
 *
 * One field per line, "name: value (meaning)", sections indented by two spaces: the same bytes
 * always result in the same text, so it can be compared and searched. The input is not trusted:
 * nothing beyond its length is read, whatever it contains. Use open_memstream(3) to get a string.
 *
 * Thread safe; no state is kept between calls.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Service of the queue of a WQE: it determines what follows the control segment. */
enum prm_dump_service {
	PRM_DUMP_CONNECTED,	/**< RC, UC: nothing. */
	PRM_DUMP_DATAGRAM,	/**< UD: an address vector. */
	PRM_DUMP_XRC,		/**< XRC initiator: the number of a shared receive queue. */
	PRM_DUMP_DC,		/**< DC initiator: an address vector with a DC key. */
};

/**
 * Print one send WQE.
 *
 * @param f
 *   Output file.
 * @param service
 *   Service of the queue; a WQE does not contain it.
 * @param wqe
 *   First byte of the control segment. A WQE that wraps at the end of its ring must be copied to
 *   contiguous memory before.
 * @param len
 *   Readable bytes; those after the WQE's own size are ignored.
 * @return
 *   Bytes from this WQE to the next one in the ring, a multiple of 64, also when len is less; 0
 *   if the control segment is incomplete or has an impossible size.
 */
size_t prm_wqe_dump_as(FILE *f, enum prm_dump_service service, const void *wqe, size_t len);

/** Print one send WQE of a connected queue: prm_wqe_dump_as() with PRM_DUMP_CONNECTED. */
size_t prm_wqe_dump(FILE *f, const void *wqe, size_t len);

/**
 * Print one 64-byte CQE. Of a 128-byte CQE, pass the second half.
 *
 * @param f
 *   Output file.
 * @param cqe
 *   First byte.
 * @param len
 *   Readable bytes; those after the first 64 are ignored.
 */
void prm_cqe_dump(FILE *f, const void *cqe, size_t len);

/**
 * Print one memory key context: of CREATE_MKEY, of QUERY_MKEY, or the segment of an UMR WQE.
 *
 * @param f
 *   Output file.
 * @param mkc
 *   First byte.
 * @param len
 *   Readable bytes; those after the first 64 are ignored.
 */
void prm_mkc_dump(FILE *f, const void *mkc, size_t len);

/** Name of a send opcode (MLX5_OPCODE_ without its prefix), "unknown" for others. */
const char *prm_wqe_opcode_name(uint8_t opcode);

/** Name of a CQE opcode (op_own bits 7..4), "unknown" for others. */
const char *prm_cqe_opcode_name(uint8_t opcode);

/** Name of the syndrome of an error CQE, "unknown" for others. */
const char *prm_cqe_syndrome_name(uint8_t syndrome);

#endif /* MLX5_PRM_DUMP_H */
