/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_UVERBS_H
#define FUZZ_UVERBS_H

/**
 * @file
 * What stands around the uverbs front end when it is fuzzed: memory of a program at addresses that
 * do not change, descriptors with numbers that do not change, devices without a thread.
 *
 * Memory is in three places. Of the arguments only the program knows, and only requests reach
 * them; the arena may be registered, and the device reaches it; everything else is out of reach of
 * both, so that no number that an input holds can touch memory of the harness.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What may be registered. It is there twice, one behind the other. */
#define UVERBS_ARENA		UINT64_C(0x200000000000)
#define UVERBS_ARENA_SIZE	(UINT64_C(4) << 20)
/** Behind it: a page that can only be read, and nothing. */
#define UVERBS_READ_ONLY	(UVERBS_ARENA + 2 * UVERBS_ARENA_SIZE)
#define UVERBS_HOLE		(UVERBS_READ_ONLY + 4096)
/** Arguments of requests. */
#define UVERBS_ARGS		UINT64_C(0x210000000000)
#define UVERBS_ARGS_SIZE	(UINT64_C(1) << 20)

/** Descriptors that are always there: an eventfd, a DMA buffer, a file. */
#define UVERBS_FD_EVENT		90
#define UVERBS_FD_DMABUF	91
#define UVERBS_FD_FILE		92
/** Those of event files, in the order in which they are made. */
#define UVERBS_FD_FIRST		100
#define UVERBS_NB_FDS		16

/** Devices of each link layer; the files of an input are all of one. */
#define UVERBS_NB_DEVICES	2u

/** Where numbers of queue pairs begin. */
#define UVERBS_FIRST_QPN	0x100000u

/** Bits of the first byte of an input. */
#define UVERBS_KIND_ETH		0x01u	/**< RoCE, not InfiniBand. */
#define UVERBS_KIND_STATIC_UAR	0x02u	/**< UAR pages as old kernels give them. */

/** Make all that; done once. Aborts when it cannot. */
void uverbs_host_init(void);
/** A new input begins: everything is as it was when the first one did. */
void uverbs_host_begin(uint8_t kind);
/** It has closed its files: nothing may be left of it in the devices or in this process. */
void uverbs_host_end(void);

/** Device of a slot of the kind that the input is of. */
unsigned int uverbs_host_device(unsigned int slot);

/** Give event files that requests made their descriptors. */
void uverbs_host_take_fds(void);

/** Let the engine work until it has nothing to do; abort if it never ends. */
void uverbs_host_run(void);

/** Copy to the arguments or the arena. @return false: out of bounds. */
bool uverbs_host_put(uint64_t addr, const void *src, size_t len);
/** Bytes of the arguments. */
uint8_t *uverbs_host_args(uint64_t addr);

#endif /* FUZZ_UVERBS_H */
