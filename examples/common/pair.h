/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PAIR_H
#define PAIR_H

/*
 * Two sides in one program, connected as two programs would be: an example is its own peer.
 *
 *     near side                                far side
 *     queues 0 to n - 1    <---- RC ---->      queues n to 2n - 1
 *     default PD                               a PD of its own
 *
 * Each side has its own protection domain, so that neither can use a key of the other but by
 * RDMA: what one side is to know of the other has to be told, pair_tell(), and is counted there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

/* Longest time without any completion. */
#define PAIR_TIMEOUT_S 60

enum pair_side {
	PAIR_NEAR = 0,
	PAIR_FAR,
};

/* Memory of a side, registered for all that both sides may do with it. */
struct pair_mem {
	uint8_t *addr;
	size_t len;
	struct rte_umr_mr *mr;
};

struct pair_conf {
	uint16_t nb_queues; /* of each side; 0 means 1 */
	uint32_t msg_len; /* of the longest message of pair_tell(); 0: none */
	/* Of all queues; transport and PD are set here, nb_desc is at most what the device has. */
	struct rte_umr_queue_conf queue;
};

struct pair {
	int16_t dev_id;
	uint16_t nb_queues; /* of each side */
	struct rte_umr_dev_info info;
	struct rte_umr_pd *pds[2]; /* by side */
	struct pair_mem msg[2];
	uint64_t nb_told; /* bytes of pair_tell(), both ways */
};

/*
 * Open a device, or the first one if device is NULL, and connect its queues. Behind an error, which
 * is told on stderr, there is nothing to close. Returns 0 or a negative errno.
 */
int pair_open(struct pair *pair, const char *device, const struct pair_conf *conf);

/* All memory and pools of the two sides are gone before. */
void pair_close(struct pair *pair);

/*
 * All that a main() does when it knows its options: start EAL, open the pair, call run, and take
 * both down again. Returns the status to exit with: that of a success if run has returned 0.
 */
int pair_run(int argc, char **argv, struct pair *pair, const char *device,
	     const struct pair_conf *conf, int (*run)(void *arg), void *arg);

/* Queue i of a side. */
static inline uint16_t
pair_queue(const struct pair *pair, enum pair_side side, uint16_t i)
{
	return (uint16_t)(side == PAIR_NEAR ? i : pair->nb_queues + i);
}

/* Memory of random bytes for a side. Returns 0 or a negative errno. */
int pair_mem_alloc(const struct pair *pair, enum pair_side side, size_t len, struct pair_mem *mem);

/* Memory that was not allocated is accepted. */
void pair_mem_free(struct pair_mem *mem);

/* A piece of memory, for its own side. */
static inline struct rte_umr_seg
pair_seg(const struct pair_mem *mem, size_t offset, uint32_t len)
{
	return (struct rte_umr_seg){ (uintptr_t)mem->addr + offset, len, mem->mr->lkey };
}

/* Keys of a side, out of a pool of their own. */
struct pair_keys {
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey **mkeys;
	uint32_t nb;
};

/* Make keys; flags are those of their pool. Returns 0 or a negative errno. */
int pair_keys_create(const struct pair *pair, enum pair_side side, uint32_t nb,
		     uint32_t max_entries, uint32_t flags, struct pair_keys *keys);

/* Keys that were not made are accepted. */
void pair_keys_destroy(struct pair_keys *keys);

/*
 * Submit what is enqueued, and collect all operations of a queue. One that failed is told on
 * stderr. Returns 0, -EIO, -ETIMEDOUT or another negative errno.
 */
int pair_collect(const struct pair *pair, uint16_t queue);

/*
 * Whether to enqueue again: if ret, of an enqueue function, is -ENOSPC, what was in front of it has
 * been collected, and there is room. *start, a time of rte_rdtsc(), moves by as long as that took,
 * so that waiting does not count.
 */
bool pair_retry(const struct pair *pair, uint16_t queue, int ret, uint64_t *start);

/*
 * Send a message of at most msg_len bytes to the other side, over the first queues, on which
 * nothing is outstanding. heard is what came there. Returns 0 or a negative errno.
 */
int pair_tell(struct pair *pair, enum pair_side from, const void *what, uint32_t len, void *heard);

#endif /* PAIR_H */
