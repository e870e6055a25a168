/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Mbufs and keys of operations: a queue that completes, fails, flushes and is recovered at random,
 * against a list of what is outstanding, over many wraps of the ring index. Mbufs are numbers;
 * every third one has the key of its number, if it is held by a call with keys.
 */

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_umr.h>

#include "cases.h"
#include "budget.h"
#include "alloc.h"
#include "stub.h"

#define DEV_ID		7
#define QUEUE_ID	1
#define NB_QUEUES	4
#define NB_STEPS	300000u
#define MAX_BURST	40u
#define POOL		((struct rte_umr_mkey_pool *)&stub_dev)

static uint8_t dev_status;

static struct rte_umr_fp_queue *dev_queues[NB_QUEUES];
static struct rte_umr_queue_conf queue_confs[NB_QUEUES];
int
rte_umr_dev_status(int16_t dev_id, uint8_t *status)
{
	assert_int_equal(dev_id, DEV_ID);
	*status = dev_status;
	return 0;
}

/* Mbufs come back in the order in which they were held. */
static uintptr_t next_held, next_freed;

void
rte_pktmbuf_free_bulk(struct rte_mbuf **mbufs, unsigned int nb)
{
	assert_int_not_equal(nb, 0);
	for (unsigned int i = 0; i < nb; i++)
		assert_int_equal((uintptr_t)mbufs[i], ++next_freed);
}

static uint32_t nb_keys; /* that are held */
static uintptr_t last_key; /* that came back */

static void
key_back(const struct rte_umr_mkey *mkey)
{
	assert_true((uintptr_t)mkey > last_key && (uintptr_t)mkey <= next_held);
	last_key = (uintptr_t)mkey;
	nb_keys--;
}

int
rte_umr_mkey_put_bulk(struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *const *mkeys,
		      uint32_t nb)
{
	assert_ptr_equal(pool, POOL);
	assert_int_not_equal(nb, 0);
	for (uint32_t i = 0; i < nb; i++)
		key_back(mkeys[i]);
	return 0;
}

/* Operations that are not collected begin at idx; how they end is random. */
static struct {
	uint16_t idx;
	uint32_t nb_outstanding;
	uint32_t nb_good; /* of them; the next one fails, the others are flushed */
	uint32_t nb_ready; /* of them: could be collected */
} queue;

static uint16_t
fake_completed(void *q, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	const uint16_t nb = (uint16_t)RTE_MIN(nb_max, RTE_MIN(queue.nb_good, queue.nb_ready));

	*has_error = nb == queue.nb_good && queue.nb_ready > nb;
	if (nb == 0)
		return 0;
	queue.idx = (uint16_t)(queue.idx + nb);
	queue.nb_outstanding -= nb;
	queue.nb_ready -= nb;
	queue.nb_good -= nb;
	*last_idx = (uint16_t)(queue.idx - 1);
	return nb;
}

static uint16_t
fake_completed_status(void *q, uint16_t nb_max, struct rte_umr_completion *done)
{
	const uint16_t nb = (uint16_t)RTE_MIN(nb_max, queue.nb_ready);

	for (uint16_t i = 0; i < nb; i++) {
		done[i] = (struct rte_umr_completion){ .idx = queue.idx++ };
		if (queue.nb_good != 0)
			queue.nb_good--;
		else
			done[i].status = RTE_UMR_STATUS_FLUSHED;
	}
	queue.nb_outstanding -= nb;
	queue.nb_ready -= nb;
	return nb;
}

static const struct rte_umr_fp_ops fake_ops = {
	.completed = fake_completed, .completed_status = fake_completed_status,
};
static struct rte_umr_fp_queue fake_queue;
static struct rte_umr_fp_entry lib_entry;

static int
setup(void **state)
{
	srand(test_seed());
	memset(&queue, 0, sizeof(queue));
	stub_dev = (struct rte_umr_dev){
		.dev_id = DEV_ID, .nb_queues = NB_QUEUES,
		.queues = dev_queues, .queue_confs = queue_confs,
	};
	memset(&test_alloc, 0, sizeof(test_alloc));
	next_held = next_freed = 0;
	nb_keys = 0;
	last_key = 0;
	dev_status = RTE_UMR_DEV_STATUS_OK;
	memset(queue_confs, 0, sizeof(queue_confs));
	queue_confs[QUEUE_ID] = (struct rte_umr_queue_conf){ .nb_desc = 300, .socket_id = 3 };
	dev_queues[QUEUE_ID] = &fake_queue;
	lib_entry = rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES + QUEUE_ID];
	rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES + QUEUE_ID] =
		(struct rte_umr_fp_entry){ &fake_ops, &fake_queue };
	return 0;
}

static int
teardown(void **state)
{
	rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES + QUEUE_ID] = lib_entry;
	assert_int_equal(test_alloc.nb_live, 0);
	assert_int_equal(nb_keys, 0);
	return 0;
}

static struct rte_umr_mbuf_fifo *
create(uint32_t nb_mbufs)
{
	struct rte_umr_mbuf_fifo *fifo = rte_umr_mbuf_fifo_create(DEV_ID, QUEUE_ID, nb_mbufs);

	assert_non_null(fifo);
	return fifo;
}

/* @return what rte_umr_mbuf_fifo_hold() does with the next nb mbufs. */
static int
hold(struct rte_umr_mbuf_fifo *fifo, uint16_t idx, uint16_t nb)
{
	const bool has_keys = rand() % 2 == 0;
	struct rte_umr_mkey *mkeys[MAX_BURST];
	struct rte_mbuf *mbufs[MAX_BURST];
	uint32_t nb_new = 0;
	int ret;

	for (uint16_t i = 0; i < nb; i++) {
		const uintptr_t n = next_held + i + 1;

		mbufs[i] = (struct rte_mbuf *)n;
		mkeys[i] = n % 3 == 0 ? (struct rte_umr_mkey *)n : NULL;
		nb_new += has_keys && n % 3 == 0;
	}
	if (has_keys)
		ret = rte_umr_mbuf_fifo_hold_mkeys(fifo, idx, POOL, mbufs, mkeys, nb);
	else
		ret = rte_umr_mbuf_fifo_hold(fifo, idx, mbufs, nb);
	if (ret == 0) {
		next_held += nb;
		nb_keys += nb_new;
	}
	/* The arrays are the caller's again. */
	memset(mbufs, 0xee, sizeof(mbufs));
	memset(mkeys, 0xee, sizeof(mkeys));
	return ret;
}

/* Take all up to an operation, in pieces: each as it was held, in order. */
static uint32_t
take(struct rte_umr_mbuf_fifo *fifo, uint16_t last_idx)
{
	const bool has_keys = rand() % 2 == 0;
	struct rte_umr_mkey *mkeys[MAX_BURST];
	struct rte_mbuf *mbufs[MAX_BURST];
	uint32_t nb, max, i, sum = 0;

	do {
		max = (uint32_t)rand() % (MAX_BURST + 1);
		nb = rte_umr_mbuf_fifo_take(fifo, last_idx, mbufs, has_keys ? mkeys : NULL, max);
		assert_true(nb <= max);
		for (i = 0; i < nb; i++) {
			assert_int_equal((uintptr_t)mbufs[i], ++next_freed);
			if (has_keys && mkeys[i] != NULL) {
				assert_int_equal((uintptr_t)mkeys[i], next_freed);
				key_back(mkeys[i]);
			}
		}
		sum += nb;
	} while (nb == max);
	return sum;
}

/* What is held, and until when: counted by operations without a wrap. */
static struct {
	uint64_t op;
	uintptr_t last;
} marks[1 << 16];
static uint32_t mark_head, mark_tail;
static uint64_t nb_ops; /* that were enqueued */

static uintptr_t
freed_by(uint64_t nb_collected)
{
	static uintptr_t last;

	if (mark_head == 0)
		last = 0;
	while (mark_head != mark_tail && marks[mark_head % RTE_DIM(marks)].op < nb_collected)
		last = marks[mark_head++ % RTE_DIM(marks)].last;
	return last;
}

/* Some operations, of which some have mbufs: none, one or several. */
static void
enqueue(struct rte_umr_mbuf_fifo *fifo, uint32_t max_outstanding)
{
	uint32_t i, nb, room = max_outstanding - queue.nb_outstanding;

	for (i = 1 + (uint32_t)rand() % MAX_BURST; i != 0 && room != 0; i--, room--) {
		queue.nb_outstanding++;
		nb_ops++;
		nb = (rand() & 1) != 0 ? 1 : (uint32_t)rand() % 4;
		if (rte_umr_mbuf_fifo_avail(fifo) < nb) {
			assert_int_equal(hold(fifo, (uint16_t)(nb_ops - 1), (uint16_t)nb), -ENOSPC);
			continue;
		}
		assert_int_equal(hold(fifo, (uint16_t)(nb_ops - 1), (uint16_t)nb), 0);
		marks[mark_tail % RTE_DIM(marks)].op = nb_ops - 1;
		marks[mark_tail++ % RTE_DIM(marks)].last = next_held;
		assert_true(mark_tail - mark_head <= RTE_DIM(marks));
	}
}

static void
collect(struct rte_umr_mbuf_fifo *fifo)
{
	struct rte_umr_completion done[MAX_BURST];
	bool has_error = false;
	uint16_t last;

	switch (rand() % 5) {
	case 0:
		if (rte_umr_mbuf_fifo_completed(fifo, MAX_BURST, &last, &has_error) != 0)
			assert_int_equal((uint16_t)(last + 1), queue.idx);
		break;
	case 1:
		rte_umr_mbuf_fifo_completed(fifo, UINT16_MAX, NULL, NULL);
		break;
	case 2:
		rte_umr_mbuf_fifo_completed_status(fifo, MAX_BURST, done);
		break;
	case 3:
		if (rte_umr_completed_status(DEV_ID, QUEUE_ID, MAX_BURST, done) != 0)
			take(fifo, (uint16_t)(queue.idx - 1));
		break;
	default:
		if (rte_umr_completed_status(DEV_ID, QUEUE_ID, MAX_BURST, done) != 0)
			rte_umr_mbuf_fifo_release(fifo, (uint16_t)(queue.idx - 1));
	}
	assert_int_equal(next_freed, freed_by(nb_ops - queue.nb_outstanding));
	assert_true(nb_keys <= (next_held - next_freed) / 3 + 1);
}

static void
work(uint32_t nb_mbufs, uint32_t max_outstanding, uint32_t nb_steps)
{
	struct rte_umr_mbuf_fifo *fifo = create(nb_mbufs);

	mark_head = mark_tail = 0;
	nb_ops = 0;
	for (uint32_t step = 0; step < nb_steps; step++) {
		/* Fuller and emptier in turn. */
		if (rand() % 100 < ((step >> 12 & 1) != 0 ? 40 : 60))
			enqueue(fifo, max_outstanding);
		else
			collect(fifo);
		queue.nb_ready += (uint32_t)rand() % (queue.nb_outstanding - queue.nb_ready + 1);
		/* How the next ones end; behind a failure, when the queue was recovered. */
		if (queue.nb_good == 0 && ((rand() & 7) != 0 || queue.nb_ready == 0))
			queue.nb_good = (uint32_t)rand() % 500;
	}
	assert_true(nb_ops > 4 * UINT16_MAX);
	rte_umr_mbuf_fifo_destroy(fifo);
	assert_int_equal(next_freed, next_held);
}

CASE_WITH(mbufs_are_freed_with_their_operation, setup, teardown)
{
	queue_confs[QUEUE_ID].nb_desc = 256;
	work(0, 256, NB_STEPS);
}

CASE_WITH(full_fifo_takes_nothing, setup, teardown)
{
	work(20, 300, NB_STEPS);
}

/* As deep as a ring can be: the difference of two indices uses all of its values. */
CASE_WITH(deepest_ring_is_told_apart, setup, teardown)
{
	struct rte_umr_mbuf_fifo *fifo;
	struct rte_umr_completion done;
	uint32_t i;

	queue_confs[QUEUE_ID].nb_desc = 1 << 15;
	fifo = create(0);
	for (i = 0; i < 1u << 15; i++)
		assert_int_equal(hold(fifo, (uint16_t)i, 1), 0);
	assert_int_equal(hold(fifo, (uint16_t)i, 1), -ENOSPC);
	queue.nb_outstanding = 1 << 15;
	for (; i < 200000; i++) {
		queue.nb_ready = queue.nb_good = 1;
		assert_int_equal(rte_umr_mbuf_fifo_completed_status(fifo, 9, &done), 1);
		assert_int_equal(next_freed, i - (1u << 15) + 1);
		assert_int_equal(hold(fifo, (uint16_t)i, 1), 0);
		queue.nb_outstanding++;
	}
	assert_int_equal(hold(fifo, (uint16_t)i, 1), -ENOSPC);
	rte_umr_mbuf_fifo_destroy(fifo);
	assert_int_equal(next_freed, 200000);
	/* One that is enqueued before the FIFO is told of the first is as far as can be. */
	fifo = create(0);
	assert_int_equal(hold(fifo, 0, 1), 0);
	assert_int_equal(hold(fifo, (1 << 15) - 1, 1), 0);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, (1 << 15) - 1), 2);
	assert_int_equal(hold(fifo, 1 << 15, 1), 0);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 0), 0);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 1 << 15), 1);
	rte_umr_mbuf_fifo_destroy(fifo);
}

CASE_WITH(deep_ring_works_at_random, setup, teardown)
{
	queue_confs[QUEUE_ID].nb_desc = 1 << 15;
	work(1 << 16, 1 << 15, NB_STEPS);
}

CASE_WITH(older_operation_is_rejected, setup, teardown)
{
	struct rte_umr_mbuf_fifo *fifo = create(0);

	assert_int_equal(hold(fifo, 65535, 2), 0);
	assert_int_equal(hold(fifo, 65534, 1), -EINVAL);
	assert_int_equal(hold(fifo, 65535, 1), 0);
	assert_int_equal(hold(fifo, 0, 1), 0);
	assert_int_equal(hold(fifo, 65535, 1), -EINVAL);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 65534), 0);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 65535), 3);
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 65535), 0);
	assert_int_equal(rte_umr_mbuf_fifo_reset(fifo), 1);
	/* Nothing is held: a ring may begin anew. */
	assert_int_equal(hold(fifo, 0, 1), 0);
	assert_int_equal(rte_umr_mbuf_fifo_avail(fifo), 511);
	rte_umr_mbuf_fifo_destroy(fifo);
}

CASE_WITH(lost_device_keeps_what_it_may_access, setup, teardown)
{
	struct rte_umr_mbuf_fifo *fifo = create(0);
	struct rte_umr_completion done[6];

	for (uint16_t i = 0; i < 6; i++)
		assert_int_equal(hold(fifo, i, 2), 0);
	queue.nb_outstanding = queue.nb_ready = 6;
	/* A failure of the queue alone frees. */
	assert_int_equal(rte_umr_mbuf_fifo_completed_status(fifo, 1, done), 1);
	assert_int_equal(next_freed, 2);
	dev_status = RTE_UMR_DEV_STATUS_SILENT;
	queue.nb_good = 2;
	assert_int_equal(rte_umr_mbuf_fifo_completed_status(fifo, 3, done), 3);
	assert_int_equal(next_freed, 6);
	assert_int_equal(rte_umr_mbuf_fifo_completed_status(fifo, 6, done), 2);
	assert_int_equal(next_freed, 6);
	stub_dev.is_started = true;
	assert_int_equal(rte_umr_mbuf_fifo_take(fifo, 5, NULL, NULL, 6), 0);
	assert_int_equal(rte_umr_mbuf_fifo_avail(fifo), 512 - 6);
	stub_dev.is_started = false;
	assert_int_equal(take(fifo, 3), 2);
	assert_int_equal(rte_umr_mbuf_fifo_reset(fifo), 4);
	/* From the beginning, on a device that was probed anew. */
	dev_status = RTE_UMR_DEV_STATUS_OK;
	queue.idx = 0;
	queue.nb_outstanding = queue.nb_ready = queue.nb_good = 1;
	assert_int_equal(hold(fifo, 0, 1), 0);
	assert_int_equal(rte_umr_mbuf_fifo_completed(fifo, 1, NULL, NULL), 1);
	assert_int_equal(next_freed, next_held);
	rte_umr_mbuf_fifo_destroy(fifo);
}

CASE_WITH(keys_are_of_one_pool, setup, teardown)
{
	struct rte_umr_mkey *mkey = (struct rte_umr_mkey *)1;
	struct rte_mbuf *mbuf = (struct rte_mbuf *)1;
	struct rte_umr_mbuf_fifo *fifo = create(0);

	assert_int_equal(rte_umr_mbuf_fifo_hold_mkeys(fifo, 0, POOL, &mbuf, &mkey, 1), 0);
	assert_int_equal(rte_umr_mbuf_fifo_hold_mkeys(fifo, 1, NULL, &mbuf, &mkey, 1), -EINVAL);
	next_held = nb_keys = 1;
	assert_int_equal(rte_umr_mbuf_fifo_release(fifo, 0), 1);
	/* None is held any more. */
	mkey = NULL;
	mbuf = (struct rte_mbuf *)2;
	assert_int_equal(rte_umr_mbuf_fifo_hold_mkeys(fifo, 1, NULL, &mbuf, &mkey, 1), 0);
	assert_int_equal(hold(fifo, 1, 0), 0);
	rte_umr_mbuf_fifo_destroy(fifo);
}

static void
no_fifo(int16_t dev_id, uint16_t queue_id, uint32_t nb_mbufs, int error)
{
	rte_errno = 0;
	assert_null(rte_umr_mbuf_fifo_create(dev_id, queue_id, nb_mbufs));
	assert_int_equal(rte_errno, error);
}

CASE_WITH(fifo_needs_a_queue_that_sends, setup, teardown)
{
	struct rte_umr_mbuf_fifo *fifo;

	no_fifo(DEV_ID + 1, QUEUE_ID, 0, ENODEV);
	no_fifo(DEV_ID, NB_QUEUES, 0, EINVAL);
	no_fifo(DEV_ID, QUEUE_ID + 1, 0, EINVAL);
	no_fifo(DEV_ID, QUEUE_ID, (1u << 30) + 1, EINVAL);
	queue_confs[QUEUE_ID].nb_desc = 0;
	no_fifo(DEV_ID, QUEUE_ID, 8, ENOTSUP);
	queue_confs[QUEUE_ID].nb_desc = (1 << 15) + 1;
	no_fifo(DEV_ID, QUEUE_ID, 8, ENOTSUP);
	queue_confs[QUEUE_ID].nb_desc = 1;
	test_alloc.fail_at = 1;
	no_fifo(DEV_ID, QUEUE_ID, 8, ENOMEM);
	fifo = create(0);
	assert_int_equal(test_alloc.socket_id, 3);
	assert_int_equal(rte_umr_mbuf_fifo_avail(fifo), 1);
	rte_umr_mbuf_fifo_destroy(fifo);
	rte_umr_mbuf_fifo_destroy(NULL);
}
