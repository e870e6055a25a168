/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_API_H
#define FUZZ_API_H

/**
 * @file
 * State of the fuzz target of lib/umr: a device, memory, and objects created by calls.
 *
 * Memory that may be registered is between two unmapped areas. Pointers that a call trusts are
 * those of existing objects; numbers, flags, lengths and addresses are arbitrary values from the
 * input.
 */

#include <rte_umr.h>

#include "fuzz.h"

#define API_ARENA	0x10000u
#define API_NB_QUEUES	2u
#define API_NB_SLOTS	4u
#define API_NB_KEYS	16u
#define API_MAX_SEGS	8u

/** Outstanding operations of a ring in order. */
struct api_ring {
	uint16_t idx[UINT16_MAX + 1];
	uint8_t op[UINT16_MAX + 1];
	uint32_t head;
	uint32_t tail;
};

struct api_world {
	struct fuzz_input *in;
	int16_t dev_id;
	uint8_t *arena;
	/** Bytes of the arena that any region ever allowed a device to write. */
	uint8_t may_write[API_ARENA];
	struct rte_umr_pd *pds[API_NB_SLOTS];
	struct rte_umr_mr *mrs[API_NB_SLOTS];
	struct rte_umr_mkey_pool *pools[API_NB_SLOTS];
	struct rte_umr_mw *mws[API_NB_SLOTS];
	struct rte_umr_mkey *keys[API_NB_KEYS];
	uint8_t key_pools[API_NB_KEYS];	/**< Slot of its pool. */
	struct api_ring sends[API_NB_QUEUES];
	struct api_ring recvs[API_NB_QUEUES];
};

/** Check a return value: 0 or more, or an error listed in the header. @return ret */
int api_ret(const char *function, int ret);
/** The same for a pointer: NULL comes with an errno. */
void api_ptr(const char *function, const void *ptr);

/** Record whether an operation was accepted. */
void api_posted(struct api_ring *ring, uint8_t op, int ret);
/** Check that completed operations are the oldest ones, in order. */
void api_done(struct api_ring *ring, const struct rte_umr_completion *done, uint16_t nb);

struct api_queue {
	int16_t dev_id;
	uint16_t id;
};

/** Choose a queue; device or index are sometimes invalid. */
struct api_queue api_pick_queue(struct api_world *w);
bool api_is_ours(const struct api_world *w, struct api_queue at);

/** Control functions: fuzz_api_control.c */
void api_control_step(struct api_world *w, uint8_t kind);
/** Create a device with its queues, memory and keys. */
void api_bring_up(struct api_world *w);
/** Tear everything down; recorded operations must complete. */
void api_take_down(struct api_world *w);
#define API_NB_CONTROL_STEPS 16u

/** Data path: fuzz_api_data.c */
void api_data_step(struct api_world *w, uint8_t kind);
#define API_NB_DATA_STEPS 16u
/** Collect available completions. @return Number of operations. */
unsigned int api_collect(struct api_world *w, uint16_t queue_id, uint16_t nb_max);

#endif /* FUZZ_API_H */
