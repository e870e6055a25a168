/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Chains as segments: random chains over memory of which some has no key, against a list of the
 * addresses of all bytes; and what a burst gives to the driver. The mbufs are of no mempool.
 */

#include <rte_mbuf.h>
#include <rte_per_lcore.h>
#include <rte_umr.h>

#include "cases.h"
#include "budget.h"
#include "stub.h"

#define DEV_ID		5
#define NB_CHAINS	(8 * test_nb_cases())
#define MAX_MBUFS	12u
#define MAX_SEGS	10u
#define NB_REGIONS	4u
#define REGION		4096u
#define FIRST_KEY	0x100u
#define NO_KEY		2u	/* the region that is not registered */
#define LOG_OPS		100u	/* operations that are kept */

static struct rte_umr_mr mrs[NB_REGIONS];
/* Side by side: pieces may follow each other over a border of regions, too. */
static uint8_t memory[NB_REGIONS * REGION];

/* A driver that takes operations until it shall not. */
static struct {
	uint32_t nb;
	uint32_t nb_max; /* operations that it takes */
	int error; /* of the next one */
	bool has_rejected; /* it has told, and is not to be asked again */
	uint32_t nb_calls;
	uint64_t flags[LOG_OPS]; /* of each call */
	uint32_t nb_submits; /* of what there was */
	struct rte_umr_mkey_op ops[LOG_OPS];
	uint64_t addrs[LOG_OPS]; /* of the first segment of each */
} driver;

static int
fake_configure_burst(void *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
		     uint64_t flags)
{
	uint16_t nb;

	if (nb_ops == 0)
		return -EINVAL;
	assert_false(driver.has_rejected);
	driver.flags[driver.nb_calls++] = flags;
	for (nb = 0; nb < nb_ops && driver.nb < driver.nb_max; nb++) {
		assert_int_equal(ops[nb].layout, RTE_UMR_LAYOUT_LIST);
		assert_int_equal(ops[nb].setters, RTE_UMR_MKEY_SET_ACCESS_LAYOUT);
		driver.addrs[driver.nb] = ops[nb].segs[0].addr;
		driver.ops[driver.nb++] = ops[nb];
	}
	driver.has_rejected = nb < nb_ops;
	driver.nb_submits += nb != 0 && (flags & RTE_UMR_OP_F_SUBMIT) != 0;
	return nb != 0 ? nb : driver.error;
}

static int
fake_list(void *queue, struct rte_umr_mkey *mkey, uint32_t access, const struct rte_umr_seg *segs,
	  uint32_t nb_segs, uint64_t flags)
{
	const struct rte_umr_mkey_op op = {
		.mkey = mkey, .segs = segs, .nb_entries = nb_segs, .access = access,
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .layout = RTE_UMR_LAYOUT_LIST,
	};

	return nb_segs == 0 ? -EINVAL : fake_configure_burst(queue, &op, 1, flags) == 1 ? 7 : -1;
}

static int
fake_submit(void *queue)
{
	driver.nb_submits++;
	return 0;
}

static int
fake_sg(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs,
	uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	driver.flags[driver.nb_calls++] = flags;
	driver.addrs[driver.nb++] = segs[0].addr;
	return (int)(nb_segs + remote_addr + rkey);
}

static const struct rte_umr_fp_ops fake_ops = {
	.write_sg = fake_sg, .read_sg = fake_sg, .mkey_list = fake_list,
	.mkey_configure_burst = fake_configure_burst, .submit = fake_submit,
};
static struct rte_umr_fp_queue fake_queue;
static struct rte_umr_fp_entry lib_entry;

static uint32_t
key_of(const uint8_t *byte)
{
	const uint32_t region = (uint32_t)(byte - memory) / REGION;

	return region == NO_KEY ? RTE_UMR_LKEY_NONE : FIRST_KEY + region;
}

static int
setup(void **state)
{
	srand(test_seed());
	stub_dev.dev_id = DEV_ID;
	RTE_PER_LCORE(_lcore_id) = 1;
	memset(&driver, 0, sizeof(driver));
	driver.nb_max = LOG_OPS;
	lib_entry = rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES];
	rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES] =
		(struct rte_umr_fp_entry){ &fake_ops, &fake_queue };
	assert_int_equal(rte_umr_lookup_open(DEV_ID), 0);
	for (uint32_t i = 0; i < NB_REGIONS; i++)
		if (i != NO_KEY)
			assert_int_equal(rte_umr_lookup_add(DEV_ID, memory + i * REGION, REGION,
							    FIRST_KEY + i, &mrs[i]), 0);
	return 0;
}

static int
teardown(void **state)
{
	for (uint32_t i = 0; i < NB_REGIONS; i++)
		if (i != NO_KEY)
			rte_umr_lookup_remove(DEV_ID, memory + i * REGION, &mrs[i]);
	rte_umr_lookup_close(DEV_ID);
	rte_umr_fp_entries[DEV_ID * RTE_UMR_MAX_QUEUES] = lib_entry;
	RTE_PER_LCORE(_lcore_id) = LCORE_ID_ANY;
	return 0;
}

static void
mbuf_set(struct rte_mbuf *mbuf, uint8_t *data, uint16_t len, uint16_t headroom)
{
	memset(mbuf, 0, sizeof(*mbuf));
	mbuf->buf_addr = (void *)((uintptr_t)data - headroom);
	mbuf->data_off = headroom;
	mbuf->data_len = len;
	mbuf->buf_len = (uint16_t)(headroom + len);
	/* Not to be looked at. */
	mbuf->pkt_len = (uint32_t)rand();
	mbuf->nb_segs = (uint16_t)rand();
}

/* A random chain. @return the number of its bytes, whose addresses are in bytes. */
static uint32_t
chain_make(struct rte_mbuf *mbufs, const uint8_t **bytes)
{
	const uint32_t nb = 1 + (uint32_t)rand() % MAX_MBUFS;
	/* Some have little chance of memory without a key. */
	const uint32_t space = (rand() & 3) != 0 ? NO_KEY * REGION : NB_REGIONS * REGION;
	uint32_t i, j, len, place = 0, nb_bytes = 0;

	for (i = 0; i < nb; i++) {
		len = (rand() & 3) == 0 ? 0 : 1 + (uint32_t)rand() % 40;
		/* Often behind the one in front of it, or around a border of regions. */
		if (i == 0 || (rand() & 1) != 0)
			place = (rand() & 1) != 0 ? REGION - 1 - (uint32_t)rand() % 50 :
						    (uint32_t)rand() % (space - 50);
		place = RTE_MIN(place, space - 50);
		/* A piece has one key, or none. */
		if (place / REGION != (place + len) / REGION)
			len = REGION - place % REGION;
		mbuf_set(&mbufs[i], memory + place, (uint16_t)len, (uint16_t)rand());
		mbufs[i].next = i + 1 < nb ? &mbufs[i + 1] : NULL;
		for (j = 0; j < len; j++)
			bytes[nb_bytes++] = memory + place++;
	}
	return nb_bytes;
}

/* What is expected of bytes [offset, offset + len) of a chain of nb. */
static int
oracle(const uint8_t *const *bytes, uint32_t nb, uint32_t offset, uint32_t len,
	struct rte_umr_seg *segs, uint32_t nb_max)
{
	const uint32_t end = len == RTE_UMR_MBUF_REST ? nb : offset + len;
	uint32_t i, nb_segs = 0;

	for (i = offset; i < RTE_MIN(end, nb); i++) {
		if (nb_segs != 0 && bytes[i] == bytes[i - 1] + 1 &&
		    key_of(bytes[i]) == segs[nb_segs - 1].lkey) {
			segs[nb_segs - 1].length++;
			continue;
		}
		if (nb_segs != 0 && segs[nb_segs - 1].lkey == RTE_UMR_LKEY_NONE)
			return -ENOENT;
		if (nb_segs == nb_max)
			return -E2BIG;
		segs[nb_segs++] = (struct rte_umr_seg){
			.addr = (uintptr_t)bytes[i], .length = 1, .lkey = key_of(bytes[i]),
		};
	}
	if (nb_segs != 0 && segs[nb_segs - 1].lkey == RTE_UMR_LKEY_NONE)
		return -ENOENT;
	return offset > nb || end > nb ? -ERANGE : (int)nb_segs;
}

static uint32_t
nb_to_compare(int ret, const struct rte_umr_seg *segs)
{
	uint32_t nb = 0;

	if (ret != -ENOENT)
		return ret >= 0 ? (uint32_t)ret : 0;
	while (segs[nb].lkey != RTE_UMR_LKEY_NONE)
		nb++;
	return nb;
}

CASE_WITH(segments_are_the_bytes_of_the_chain, setup, teardown)
{
	static const uint8_t *bytes[MAX_MBUFS * 64];
	struct rte_umr_seg segs[MAX_SEGS + 1], want[MAX_SEGS + 1];
	struct rte_mbuf mbufs[MAX_MBUFS];
	uint32_t step, nb, offset, len, nb_max, nb_of[4] = { 0 };
	int ret;

	for (step = 0; step < NB_CHAINS; step++) {
		nb = chain_make(mbufs, bytes);
		offset = (rand() & 3) == 0 ? 0 : (uint32_t)rand() % (nb + 2);
		len = (rand() & 3) == 0 ? RTE_UMR_MBUF_REST : (uint32_t)rand() % (nb + 2);
		nb_max = (rand() & 3) != 0 ? MAX_SEGS : (uint32_t)rand() % MAX_SEGS;
		memset(segs, 0xee, sizeof(segs));
		ret = oracle(bytes, nb, offset, len, want, nb_max);
		assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, mbufs, offset, len, segs, nb_max),
				 ret);
		assert_memory_equal(segs, want, nb_to_compare(ret, want) * sizeof(segs[0]));
		if (ret == -ENOENT) {
			nb = nb_to_compare(ret, want);
			assert_int_equal(segs[nb].lkey, RTE_UMR_LKEY_NONE);
			assert_int_equal(segs[nb].addr, want[nb].addr);
		}
		/* Nothing behind what there was room for. */
		assert_int_equal(segs[nb_max].lkey, 0xeeeeeeee);
		nb_of[ret >= 0 ? 0 : ret == -ENOENT ? 1 : ret == -E2BIG ? 2 : 3]++;
	}
	for (step = 0; step < RTE_DIM(nb_of); step++)
		assert_true(nb_of[step] > NB_CHAINS / 50);
}

/* Whole chains, one behind the other, are a long one that is cut anywhere. */
CASE_WITH(parts_are_one_behind_the_other, setup, teardown)
{
	static const uint8_t *bytes[MAX_MBUFS * 64], *of_parts[3 * MAX_MBUFS * 64];
	struct rte_umr_seg segs[MAX_SEGS + 1], want[MAX_SEGS];
	struct rte_mbuf mbufs[3][MAX_MBUFS];
	struct rte_umr_mbuf_part parts[3];
	uint32_t step, i, nb, nb_bytes, nb_good = 0;
	int ret;

	for (step = 0; step < NB_CHAINS; step++) {
		for (i = nb_bytes = 0; i < RTE_DIM(parts); i++) {
			nb = chain_make(mbufs[i], bytes);
			parts[i].mbuf = mbufs[i];
			parts[i].offset = (uint32_t)rand() % (nb + 1);
			nb -= parts[i].offset;
			/* Not all that many. */
			nb = RTE_MIN(nb, (uint32_t)rand() % 100);
			parts[i].len = nb;
			memcpy(&of_parts[nb_bytes], &bytes[parts[i].offset], nb * sizeof(bytes[0]));
			nb_bytes += nb;
		}
		ret = oracle(of_parts, nb_bytes, 0, nb_bytes, want, MAX_SEGS);
		memset(segs, 0xee, sizeof(segs));
		assert_int_equal(rte_umr_mbuf_parts_to_segs(DEV_ID, parts, RTE_DIM(parts), segs,
							    MAX_SEGS), ret);
		assert_memory_equal(segs, want, nb_to_compare(ret, want) * sizeof(segs[0]));
		assert_int_equal(segs[MAX_SEGS].lkey, 0xeeeeeeee);
		nb_good += ret > 3;
	}
	assert_true(nb_good > NB_CHAINS / 10);
	parts[2].offset = UINT32_MAX;
	assert_int_equal(rte_umr_mbuf_parts_to_segs(DEV_ID, &parts[2], 1, segs, 1), -ERANGE);
	assert_int_equal(rte_umr_mbuf_parts_to_segs(DEV_ID, NULL, 0, segs, 1), 0);
}

CASE_WITH(no_mbuf_is_an_empty_chain, setup, teardown)
{
	struct rte_umr_seg seg;
	struct rte_mbuf mbuf;

	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, NULL, 0, RTE_UMR_MBUF_REST, &seg, 1), 0);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, NULL, 0, 0, NULL, 0), 0);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, NULL, 1, 0, &seg, 1), -ERANGE);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, NULL, 0, 1, &seg, 1), -ERANGE);
	mbuf_set(&mbuf, memory, 8, 3);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, &mbuf, 8, RTE_UMR_MBUF_REST, &seg, 1), 0);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, &mbuf, 9, RTE_UMR_MBUF_REST, &seg, 1),
			 -ERANGE);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, &mbuf, 0, 8, NULL, 0), -E2BIG);
}

CASE_WITH(device_that_is_not_there_is_told, setup, teardown)
{
	struct rte_umr_seg seg;
	struct rte_mbuf mbuf;

	mbuf_set(&mbuf, memory, 8, 0);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID + 1, &mbuf, 0, 8, &seg, 1), -ENODEV);
	mbuf_set(&mbuf, memory + NO_KEY * REGION, 8, 0);
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, &mbuf, 0, 8, &seg, 1), -ENOENT);
}

/* Pieces that follow each other for more than that. */
CASE_WITH(long_segment_ends_at_a_gibibyte, setup, teardown)
{
	static struct rte_mbuf mbufs[(1u << 30) / UINT16_MAX + 3];
	const uint8_t *const base = (const uint8_t *)(UINT64_C(1) << 40);
	struct rte_umr_seg segs[2];

	assert_int_equal(rte_umr_lookup_add(DEV_ID, base, UINT64_C(1) << 32, 77, mbufs), 0);
	for (uint32_t i = 0; i < RTE_DIM(mbufs); i++) {
		mbufs[i].buf_addr = (void *)(uintptr_t)(base + (size_t)i * UINT16_MAX);
		mbufs[i].data_len = UINT16_MAX;
		mbufs[i].next = i + 1 < RTE_DIM(mbufs) ? &mbufs[i + 1] : NULL;
	}
	assert_int_equal(rte_umr_mbuf_to_segs(DEV_ID, mbufs, 0, RTE_UMR_MBUF_REST, segs, 2), 2);
	assert_int_equal(segs[0].length, (1u << 30) / UINT16_MAX * UINT16_MAX);
	assert_int_equal(segs[1].addr, segs[0].addr + segs[0].length);
	assert_int_equal((uint64_t)segs[0].length + segs[1].length,
			 (uint64_t)RTE_DIM(mbufs) * UINT16_MAX);
	rte_umr_lookup_remove(DEV_ID, base, mbufs);
}

CASE_WITH(chain_goes_under_a_key, setup, teardown)
{
	struct rte_umr_mkey mkey = { .dev_id = DEV_ID };
	struct rte_umr_mbuf_op op = { .mkey = &mkey, .offset = 2, .len = 3 };
	struct rte_mbuf mbuf;
	struct rte_umr_mbuf_part part = { .mbuf = &mbuf, .offset = 4, .len = 1 };

	mbuf_set(&mbuf, memory + 64, 5, 6);
	op.mbuf = &mbuf;
	assert_int_equal(rte_umr_mbuf_mkey_list(DEV_ID, 0, 9, &op, RTE_UMR_OP_F_SUBMIT), 7);
	assert_int_equal(driver.nb, 1);
	assert_ptr_equal(driver.ops[0].mkey, &mkey);
	assert_int_equal(driver.ops[0].access, 9);
	assert_int_equal(driver.flags[0], RTE_UMR_OP_F_SUBMIT);
	assert_int_equal(driver.addrs[0], (uintptr_t)memory + 66);
	assert_int_equal(rte_umr_mbuf_mkey_parts(DEV_ID, 0, &mkey, 5, &part, 1, 0), 7);
	assert_int_equal(driver.nb, 2);
	assert_int_equal(driver.ops[1].access, 5);
	assert_int_equal(driver.ops[1].nb_entries, 1);
	assert_int_equal(driver.addrs[1], (uintptr_t)memory + 68);
	driver.nb = 1;
	part.len = 2;
	assert_int_equal(rte_umr_mbuf_mkey_parts(DEV_ID, 0, &mkey, 5, &part, 1, 0), -ERANGE);
	op.len = 4;
	assert_int_equal(rte_umr_mbuf_mkey_list(DEV_ID, 0, 9, &op, 0), -ERANGE);
	op.len = 0;
	assert_int_equal(rte_umr_mbuf_mkey_list(DEV_ID, 0, 9, &op, 0), -EINVAL);
	assert_int_equal(driver.nb, 1);
}

CASE_WITH(chain_is_moved_without_a_key, setup, teardown)
{
	struct rte_mbuf mbufs[2];
	const struct rte_umr_mbuf_part parts[] = { { &mbufs[0], 1, 4 }, { &mbufs[1], 0, 6 } };

	mbuf_set(&mbufs[0], memory + 64, 5, 6);
	mbuf_set(&mbufs[1], memory + 200, 5, 6);
	assert_int_equal(rte_umr_mbuf_write_sg(DEV_ID, 0, parts, 1, 30, 20, RTE_UMR_OP_F_SUBMIT),
			 51);
	assert_int_equal(rte_umr_mbuf_read_sg(DEV_ID, 0, parts, 1, 3, 2, 0), 6);
	assert_int_equal(driver.nb, 2);
	assert_int_equal(driver.flags[0], RTE_UMR_OP_F_SUBMIT);
	assert_int_equal(driver.addrs[0], (uintptr_t)memory + 65);
	assert_int_equal(driver.addrs[1], (uintptr_t)memory + 65);
	/* One byte too many. */
	assert_int_equal(rte_umr_mbuf_write_sg(DEV_ID, 0, parts, 2, 30, 20, 0), -ERANGE);
	assert_int_equal(rte_umr_mbuf_read_sg(DEV_ID, 0, parts, 2, 30, 20, 0), -ERANGE);
	assert_int_equal(driver.nb, 2);
}

#define NB_OPS 80u
static struct rte_umr_mkey mkeys[NB_OPS];
static struct rte_umr_mbuf_op ops[NB_OPS];

/* Chains of nb_pieces, which do not follow each other; chain i begins at byte i. */
static void
ops_make(uint32_t nb_pieces)
{
	static struct rte_mbuf mbufs[NB_OPS][RTE_UMR_MBUF_MAX_SEGS + 1];

	for (uint32_t i = 0; i < NB_OPS; i++) {
		for (uint32_t j = 0; j < nb_pieces; j++) {
			mbuf_set(&mbufs[i][j], memory + i + (j % 2 != 0 ? 2 * NB_OPS : 0), 1, 0);
			mbufs[i][j].next = j + 1 < nb_pieces ? &mbufs[i][j + 1] : NULL;
		}
		mkeys[i].dev_id = DEV_ID;
		ops[i] = (struct rte_umr_mbuf_op){
			.mkey = &mkeys[i], .mbuf = mbufs[i], .len = RTE_UMR_MBUF_REST,
		};
	}
}

/* Whatever is enqueued is so in order, fenced once, and submitted once. */
static void
burst_check(uint32_t nb)
{
	assert_int_equal(driver.nb, nb);
	for (uint32_t i = 0; i < nb; i++) {
		assert_ptr_equal(driver.ops[i].mkey, &mkeys[i]);
		assert_int_equal(driver.ops[i].access, 3);
		assert_int_equal(driver.addrs[i], (uintptr_t)memory + i);
	}
	for (uint32_t i = 0; i < driver.nb_calls; i++)
		assert_int_equal(driver.flags[i] & RTE_UMR_OP_F_FENCE,
				 i == 0 ? RTE_UMR_OP_F_FENCE : 0);
	assert_int_equal(driver.nb_submits, nb != 0);
}

static void
burst_of(uint32_t nb_pieces, uint32_t nb_max, uint32_t bad, int want)
{
	memset(&driver, 0, sizeof(driver));
	driver.nb_max = nb_max;
	driver.error = -ENOSPC;
	ops_make(nb_pieces);
	if (bad < NB_OPS)
		ops[bad].offset = nb_pieces + 1;
	assert_int_equal(rte_umr_mbuf_mkey_list_burst(DEV_ID, 0, 3, ops, NB_OPS, RTE_UMR_OP_F_ALL),
			 want);
	burst_check(want > 0 ? (uint32_t)want : 0);
}

CASE_WITH(burst_is_as_many_calls, setup, teardown)
{
	static const uint32_t nb_pieces[] = { 1, 2, 7, 100, 256, 257, RTE_UMR_MBUF_MAX_SEGS };

	for (uint32_t i = 0; i < RTE_DIM(nb_pieces); i++) {
		burst_of(nb_pieces[i], UINT32_MAX, UINT32_MAX, NB_OPS);
		for (uint32_t nb = 0; nb < NB_OPS; nb++) {
			burst_of(nb_pieces[i], UINT32_MAX, nb, nb != 0 ? (int)nb : -ERANGE);
			burst_of(nb_pieces[i], nb, UINT32_MAX, nb != 0 ? (int)nb : -ENOSPC);
		}
	}
	burst_of(RTE_UMR_MBUF_MAX_SEGS + 1, UINT32_MAX, UINT32_MAX, -E2BIG);
	assert_int_equal(rte_umr_mbuf_mkey_list_burst(DEV_ID, 0, 3, ops, 0, 0), -EINVAL);
}
