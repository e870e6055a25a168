/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PAIR_H
#define PAIR_H

/*
 * Two sides in one program, connected like two programs: an example is its own peer.
 *
 *     near side                                far side
 *     queues 0 to n - 1    <---- RC ---->      queues n to 2n - 1
 *     default PD                               separate PD
 *
 * Each side has its own protection domain, so that it can use keys of the other side only by RDMA.
 * Sides exchange all other information by pair_send(), which counts it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

/* Longest time without a completion. */
#define PAIR_TIMEOUT_S 60

enum pair_side {
	PAIR_NEAR = 0,
	PAIR_FAR,
};

/* Memory of a side, registered with full access for both sides. */
struct pair_mem {
	uint8_t *addr;
	size_t len;
	struct rte_umr_mr *mr;
};

struct pair_conf {
	uint16_t nb_queues; /* per side; 0 means 1 */
	uint32_t msg_len; /* longest message of pair_send(); 0: none */
	/* Of all queues; transport and PD are set here, nb_desc is limited by the device. */
	struct rte_umr_queue_conf queue;
};

struct pair {
	int16_t dev_id;
	uint16_t nb_queues; /* per side */
	struct rte_umr_dev_info info;
	struct rte_umr_pd *pds[2]; /* by side */
	struct pair_mem msg[2];
	uint64_t nb_sent; /* bytes of pair_send() in both directions */
};

/*
 * Open a device, or the first one if device is NULL, and connect its queues. Errors are printed on
 * stderr; after an error nothing remains open. Returns 0 or a negative errno.
 */
int pair_open(struct pair *pair, const char *device, const struct pair_conf *conf);

/* All memory and pools of both sides must have been freed. */
void pair_close(struct pair *pair);

/*
 * Common part of main() after parsing options: initialize EAL, open the pair, call run, and close
 * both. Returns the exit status, which is success if run returns 0.
 */
int pair_run(int argc, char **argv, struct pair *pair, const char *device,
	     const struct pair_conf *conf, int (*run)(void *arg), void *arg);

/* Queue i of a side. */
static inline uint16_t
pair_queue(const struct pair *pair, enum pair_side side, uint16_t i)
{
	return (uint16_t)(side == PAIR_NEAR ? i : pair->nb_queues + i);
}

/* Allocate memory of random bytes for a side. Returns 0 or a negative errno. */
int pair_mem_alloc(const struct pair *pair, enum pair_side side, size_t len, struct pair_mem *mem);

/* Accepts memory that was not allocated. */
void pair_mem_free(struct pair_mem *mem);

/* A piece of memory with the key for its own side. */
static inline struct rte_umr_seg
pair_seg(const struct pair_mem *mem, size_t offset, uint32_t len)
{
	return (struct rte_umr_seg){ (uintptr_t)mem->addr + offset, len, mem->mr->lkey };
}

/* Keys of a side, from a separate pool. */
struct pair_keys {
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;
	uint32_t nb;
};

/* Create keys; flags are those of their pool. Returns 0 or a negative errno. */
int pair_keys_create(const struct pair *pair, enum pair_side side, uint32_t nb,
		     uint32_t max_entries, uint32_t flags, struct pair_keys *keys);

/* Accepts keys that were not created. */
void pair_keys_destroy(struct pair_keys *keys);

/*
 * Submit enqueued operations and collect all operations of a queue. A failure is printed on stderr.
 * Returns 0, -EIO, -ETIMEDOUT or another negative errno.
 */
int pair_collect(const struct pair *pair, uint16_t queue);

/*
 * Whether to enqueue again: if ret, the result of an enqueue function, is -ENOSPC, collect
 * outstanding operations to make room. *start, from rte_rdtsc(), is advanced by the time of
 * collecting, so that waiting does not count.
 */
bool pair_retry(const struct pair *pair, uint16_t queue, int ret, uint64_t *start);

/*
 * Send a message of at most msg_len bytes to the other side on the first queues, which must be
 * idle. heard receives it. Returns 0 or a negative errno.
 */
int pair_send(struct pair *pair, enum pair_side from, const void *what, uint32_t len, void *heard);

#endif /* PAIR_H */
