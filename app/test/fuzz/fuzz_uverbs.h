/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_UVERBS_H
#define FUZZ_UVERBS_H

/**
 * @file
 * Environment of the fuzzed uverbs front end: memory of a program at fixed addresses, descriptors
 * with fixed numbers, and devices without threads.
 *
 * There are three kinds of memory. Arguments are only accessed by the program and by requests; the
 * arena may be registered, and the device accesses it; all other memory is unreachable for both, so
 * that no number in an input can access memory of the harness.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Memory that may be registered, mapped twice in sequence. */
#define UVERBS_ARENA		UINT64_C(0x200000000000)
#define UVERBS_ARENA_SIZE	(UINT64_C(4) << 20)
/** After it: a read-only page, and unmapped memory. */
#define UVERBS_READ_ONLY	(UVERBS_ARENA + 2 * UVERBS_ARENA_SIZE)
#define UVERBS_HOLE		(UVERBS_READ_ONLY + 4096)
/** Arguments of requests. */
#define UVERBS_ARGS		UINT64_C(0x210000000000)
#define UVERBS_ARGS_SIZE	(UINT64_C(1) << 20)

/** Descriptors that always exist: an eventfd, a DMA buffer, a file. */
#define UVERBS_FD_EVENT		90
#define UVERBS_FD_DMABUF	91
#define UVERBS_FD_FILE		92
/** Descriptors of event files in the order of creation. */
#define UVERBS_FD_FIRST		100
#define UVERBS_NB_FDS		16

/** Devices per link layer; all files of an input use the same link layer. */
#define UVERBS_NB_DEVICES	2u

/** First queue pair number. */
#define UVERBS_FIRST_QPN	0x100000u

/** Bits of the first byte of an input. */
#define UVERBS_KIND_ETH		0x01u	/**< RoCE, not InfiniBand. */
#define UVERBS_KIND_STATIC_UAR	0x02u	/**< UAR pages as in old kernels. */

/** Create all of this once. Aborts on failure. */
void uverbs_host_init(void);
/** Start a new input: restore the initial state. */
void uverbs_host_begin(uint8_t kind);
/** The input closed its files: nothing of it may remain in the devices or in this process. */
void uverbs_host_end(void);

/** Device of a slot, with the link layer of the input. */
unsigned int uverbs_host_device(unsigned int slot);

/** Assign descriptors to event files created by requests. */
void uverbs_host_take_fds(void);

/** Run the engine until it is idle; abort if it never is. */
void uverbs_host_run(void);

/** Copy to the arguments or the arena. @return false: out of bounds. */
bool uverbs_host_put(uint64_t addr, const void *src, size_t len);
/** Bytes of the arguments. */
uint8_t *uverbs_host_args(uint64_t addr);

#endif /* FUZZ_UVERBS_H */
