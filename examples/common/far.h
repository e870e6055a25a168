/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_FAR_H
#define EXAMPLES_FAR_H

/*
 * Far side for examples: a second device of this process (or the only one), whose queues are
 * connected to those of the first. Messages are written to slots of a queue there; the immediate
 * data of the last write signals completion. Slots are used in turn.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_umr.h>

#define FAR_MAX_QUEUES 8u
#define FAR_MAX_AGAIN 128u

struct rte_mempool;

struct far_conf {
	uint16_t nb_queues;	/* [1, FAR_MAX_QUEUES] */
	uint16_t nb_slots;	/* of each queue */
	uint16_t nb_desc;	/* of each send ring */
	uint32_t slot_len;	/* bytes */
	struct rte_mempool *pool; /* mempool of the mbufs to send */
};

/* State of a queue for the lcore that owns it; cache aligned. */
struct far_queue {
	int16_t dev_id;
	int16_t far_dev_id;
	uint16_t id;
	uint16_t far_id;
	struct rte_umr_mbuf_fifo *fifo;	/* outstanding mbufs */
	struct rte_umr_mkey **mkeys;	/* one per slot */
	uint8_t *linear;		/* slots on this side, for copies */
	uint8_t *landing;		/* slots on the far side */
	uint32_t linear_lkey;
	uint32_t landing_rkey;
	uint32_t nb_slots;
	uint32_t slot_len;
	uint32_t nb_posted;		/* messages so far; nb_arrived of them have arrived */
	uint32_t nb_arrived;
	uint64_t cycles;		/* spent on collecting operations */
	uint32_t nb_recoveries;		/* since a message has arrived */
	bool has_failed;		/* an operation, which was collected */
	uint16_t failed_idx;
} __rte_cache_aligned;

/* Messages whose operations failed or were flushed, in order, with the mbufs held for each. */
struct far_again {
	struct rte_mbuf *mbufs[FAR_MAX_AGAIN];
	uint16_t nb_mbufs[FAR_MAX_AGAIN];
	uint32_t nb_messages;
	uint32_t nb_arrived;	/* the first ones, which the far side has nevertheless */
};

struct far {
	char names[2][RTE_UMR_DEV_NAME_LEN];
	int16_t dev_ids[2];		/* this side, far side; -1: not open */
	struct far_conf conf;
	uint8_t *memory;		/* slots of both sides */
	struct rte_umr_mr *linear;
	struct rte_umr_mr *landing;
	struct rte_umr_mkey_pool *mkey_pool;
	bool has_mempool;
	struct rte_umr_mkey **mkeys;
	struct far_queue queues[FAR_MAX_QUEUES];
};

/*
 * Open devices, connect queues and register memory. Returns 0 or a negative errno; after an error
 * nothing remains open.
 */
int far_open(struct far *far, const struct far_conf *conf);

/* Undo far_open(), also for lost devices. Afterwards, no mbuf is held. */
void far_close(struct far *far);

/* The slot of the next message, and its address on each side. */
static inline uint32_t
far_slot(const struct far_queue *queue)
{
	return queue->nb_posted % queue->nb_slots;
}

static inline uint8_t *
far_linear(const struct far_queue *queue)
{
	return queue->linear + (size_t)far_slot(queue) * queue->slot_len;
}

static inline uint64_t
far_addr(const struct far_queue *queue)
{
	return (uintptr_t)queue->landing + (uint64_t)far_slot(queue) * queue->slot_len;
}

/* Enqueue a write to the far side that completes a message. */
static inline int
far_write(struct far_queue *queue, const struct rte_umr_seg *local, uint64_t addr, uint32_t imm,
	  uint64_t flags)
{
	const int ret = rte_umr_write_imm(queue->dev_id, queue->id, local, addr,
					  queue->landing_rkey, rte_cpu_to_be_32(imm), flags);

	queue->nb_posted += ret >= 0;
	return ret;
}

/*
 * Collect completed operations of this side, which frees mbufs, and check for messages on the far
 * side. Calls take for each message with the immediate data of its last write. Returns 0 or a
 * negative errno: -EIO if an operation failed (printed on stderr), or the error of take.
 */
typedef int (*far_take_t)(void *arg, const uint8_t *message, uint32_t imm);
int far_poll(struct far_queue *queue, far_take_t take, void *arg);

/*
 * The same until at most nb_left messages are outstanding and the ring has room for nb_desc more
 * descriptors; -ETIMEDOUT after an unreasonably long time.
 */
int far_wait(struct far_queue *queue, uint32_t nb_left, uint16_t nb_desc, far_take_t take,
	     void *arg);

/*
 * After -EIO of these two: recover the queues of both sides, and return what is to be sent again,
 * before anything else; the caller owns the mbufs. Messages that have arrived are taken first.
 * Returns 0 or, with no mbufs, a negative errno: a device is lost, nothing arrives any
 * more, or the error of take.
 */
int far_recover(struct far_queue *queue, far_take_t take, void *arg, struct far_again *again);

#endif /* EXAMPLES_FAR_H */
