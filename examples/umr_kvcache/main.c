/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Fetch a sequence from the paged KV cache of a peer. Its blocks are in pages scattered over the
 * cache there (the far side), and go to other pages of the cache here (the near side):
 *
 *     far  pages | 7 |   | 0 | 3 |   | 1 | ...        near pages |   | 3 | 0 |   | 7 | 1 | ...
 *
 * Three ways are compared: a read request for each block, as transfer engines do; packing by the
 * CPU there, one read, and unpacking by the CPU here; and one read from a key over the pages there
 * to a key over the pages here. If a key does not support that many pages, keys are nested:
 *
 *     root      |     key 0     |     key 1     |  key 2  |        one range
 *     keys      | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |          pages, in order of blocks
 *
 * If the near side has the first blocks of the sequence already, the range begins behind them: the
 * address of a byte is its position in the sequence, on both sides.
 *
 *   umr_kvcache [EAL option]... -- [option]... [device[,option...]]
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "options.h"
#include "pair.h"
#include "cache.h"

#define BURST 64 /* read requests enqueued by one call */

struct kvcache {
	struct pair pair;
	struct cache near, far;
	uint32_t nb_blocks, block_len;
	uint32_t nb_prefix; /* blocks that the near side has already */
	uint32_t per_key; /* pages or keys per key */
	uint32_t nb_levels; /* of keys: 1 if a single key suffices */
	uint32_t nb_rounds;
};

/* Response of the far side to the request for a sequence. */
struct answer {
	uint64_t addr;
	uint32_t rkey;
	uint32_t nb_blocks;
};

/* Read the whole sequence in one read. */
static int
read_all(struct kvcache *kv, const struct rte_umr_seg *local, const struct answer *answer,
	 struct cost *cost)
{
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_READ, .length = local->length };
	struct cache *near = &kv->near;
	const uint64_t start = rte_rdtsc();
	int ret = rte_umr_read(kv->pair.dev_id, near->queue, local, answer->addr, answer->rkey, 0);

	ret = cost_enqueued(cost, near->queue, &shape, ret < 0 ? ret : 1, start);
	return ret != 0 ? ret : pair_collect(&kv->pair, near->queue);
}

/* Way 1: the far side sends its page table, and each block is a request. */
static int
fetch_by_requests(void *arg, struct cost *cost)
{
	struct kvcache *kv = arg;
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_READ, .length = kv->block_len };
	struct cache *near = &kv->near, *far = &kv->far;
	struct answer answer = { (uintptr_t)far->pages.addr, far->pages.mr->rkey, kv->nb_blocks };
	struct rte_umr_rdma_op ops[BURST];
	uint32_t block = 0, i;
	uint64_t start;
	int ret;

	ret = pair_send(&kv->pair, PAIR_FAR, &answer, sizeof(answer), &answer);
	if (ret == 0)
		ret = pair_send(&kv->pair, PAIR_FAR, far->page_of, kv->nb_blocks * sizeof(uint32_t),
				near->peer_page_of);
	while (block < kv->nb_blocks && ret == 0) {
		start = rte_rdtsc();
		for (i = 0; i < BURST && block + i < kv->nb_blocks; i++)
			ops[i] = (struct rte_umr_rdma_op){
				.local = { (uintptr_t)cache_page(near, block + i), kv->block_len,
					   near->pages.mr->lkey },
				.remote_addr = answer.addr + kv->block_len *
					       (uint64_t)near->peer_page_of[block + i],
				.rkey = answer.rkey,
			};
		do
			ret = rte_umr_read_burst(kv->pair.dev_id, near->queue, ops, (uint16_t)i, 0);
		while (pair_retry(&kv->pair, near->queue, ret, &start));
		block += (uint32_t)RTE_MAX(ret, 0);
		ret = cost_enqueued(cost, near->queue, &shape, ret, start);
	}
	return ret != 0 ? ret : pair_collect(&kv->pair, near->queue);
}

/* Way 2: the far side packs, one read, the near side unpacks. */
static int
fetch_by_copy(void *arg, struct cost *cost)
{
	struct kvcache *kv = arg;
	struct cache *near = &kv->near, *far = &kv->far;
	struct answer answer = { (uintptr_t)far->staging.addr, far->staging.mr->rkey,
				 kv->nb_blocks };
	const size_t len = kv->block_len;
	const struct rte_umr_seg local = pair_seg(&near->staging, 0, kv->nb_blocks * kv->block_len);
	uint64_t start = rte_rdtsc();
	uint32_t i;
	int ret;

	for (i = 0; i < kv->nb_blocks; i++)
		memcpy(far->staging.addr + i * len, cache_page(far, i), len);
	cost_since(cost, start);
	ret = pair_send(&kv->pair, PAIR_FAR, &answer, sizeof(answer), &answer);
	if (ret == 0)
		ret = read_all(kv, &local, &answer, cost);
	start = rte_rdtsc();
	for (i = 0; i < kv->nb_blocks && ret == 0; i++)
		memcpy(cache_page(near, i), near->staging.addr + i * len, len);
	cost_since(cost, start);
	cost->nb_copied = 2 * kv->nb_blocks * len;
	return ret;
}

/* Position of the first block in the sequence. */
static uint64_t
position(const struct kvcache *kv)
{
	return (uint64_t)kv->nb_prefix * kv->block_len;
}

/* Lay blocks under keys, level by level: each key replaces its pieces in the next list. */
static int
keys_lay(struct kvcache *kv, struct cache *cache, struct cost *cost)
{
	struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ,
	};
	struct rte_umr_op_shape shape = {
		.op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = op.setters,
	};
	struct rte_umr_mkey **mkey = cache->keys.mkeys;
	uint32_t nb = kv->nb_blocks, nb_above, i, j, len;
	uint64_t start = rte_rdtsc();
	int ret;

	for (i = 0; i < nb; i++)
		cache->segs[i] = (struct rte_umr_seg){ (uintptr_t)cache_page(cache, i),
						       kv->block_len, cache->pages.mr->lkey };
	cost_since(cost, start);
	do {
		for (i = 0, nb_above = 0; i < nb; i += shape.nb_entries, mkey++) {
			start = rte_rdtsc();
			shape.nb_entries = RTE_MIN(nb - i, kv->per_key);
			for (j = 0, len = 0; j < shape.nb_entries; j++)
				len += cache->segs[i + j].length;
			op.mkey = *mkey;
			op.segs = &cache->segs[i];
			op.nb_entries = shape.nb_entries;
			/* The root has the addresses that both sides use. */
			op.base_addr = op.nb_entries == nb ? position(kv) : 0;
			do
				ret = rte_umr_mkey_configure(kv->pair.dev_id, cache->queue, &op,
							     0);
			while (pair_retry(&kv->pair, cache->queue, ret, &start));
			/* The list was copied, so its memory can be reused for the next level. */
			cache->segs[nb_above++] = (struct rte_umr_seg){ op.base_addr, len,
									(*mkey)->key };
			ret = cost_enqueued(cost, cache->queue, &shape, ret < 0 ? ret : 1, start);
			if (ret != 0)
				return ret;
		}
		nb = nb_above;
	} while (nb > 1);
	return 0;
}

/* Way 3: a key there, a key here, one read. */
static int
fetch_by_keys(void *arg, struct cost *cost)
{
	struct kvcache *kv = arg;
	struct cache *near = &kv->near, *far = &kv->far;
	struct answer answer = { .addr = position(kv), .nb_blocks = kv->nb_blocks };
	int ret = keys_lay(kv, far, cost);

	/* Queues are independent: send the key after its configuration completes. */
	if (ret == 0)
		ret = pair_collect(&kv->pair, far->queue);
	if (ret != 0)
		return ret;
	answer.rkey = far->segs[0].lkey;
	ret = pair_send(&kv->pair, PAIR_FAR, &answer, sizeof(answer), &answer);
	/* Within one queue no wait is needed: the read follows the keys that it uses. */
	if (ret == 0)
		ret = keys_lay(kv, near, cost);
	return ret != 0 ? ret : read_all(kv, &near->segs[0], &answer, cost);
}

/* What is here must equal what is there. */
static int
sequence_verify(void *arg)
{
	const struct kvcache *kv = arg;

	return cache_has_sequence(&kv->near, &kv->far) ? 0 : -EBADMSG;
}

static int
near_clear(void *arg)
{
	struct kvcache *kv = arg;

	cache_clear(&kv->near);
	return 0;
}

static int
compare(struct kvcache *kv)
{
	static const struct cost_way ways[] = {
		{ "a read for each block", fetch_by_requests },
		{ "pack, one read, unpack", fetch_by_copy },
		{ "keys on both sides, one read", fetch_by_keys },
	};
	const struct cost_ways all = {
		.ways = ways, .nb_ways = RTE_DIM(ways), .nb_rounds = kv->nb_rounds, .arg = kv,
		.prepare = near_clear, .verify = sequence_verify,
		.unit = "block", .nb_units = kv->nb_blocks,
	};

	return cost_compare(&kv->pair, &all);
}

/* Compute the number of keys of a side and check the limits of the device. */
static int
keys_plan(struct kvcache *kv, uint32_t *nb_mkeys)
{
	const struct rte_umr_dev_info *info = &kv->pair.info;
	const uint64_t len = (uint64_t)kv->nb_blocks * kv->block_len;
	uint32_t nb = kv->nb_blocks;

	kv->per_key = RTE_MIN(kv->per_key, info->max_list);
	do {
		nb = (nb + kv->per_key - 1) / kv->per_key;
		*nb_mkeys += nb;
		kv->nb_levels++;
	} while (nb > 1);
	if (len > info->max_msg_len)
		fprintf(stderr, "%" PRIu64 " bytes: a read moves at most %" PRIu64 "\n", len,
			info->max_msg_len);
	if (kv->nb_levels > info->max_nesting)
		fprintf(stderr, "%" PRIu32 " levels of keys: the device has at most %u\n",
			kv->nb_levels, info->max_nesting);
	return len > info->max_msg_len || kv->nb_levels > info->max_nesting ? -ERANGE : 0;
}

static int
run(void *arg)
{
	struct kvcache *kv = arg;
	const uint32_t flags = kv->nb_prefix != 0 ? RTE_UMR_MKEY_POOL_F_BASE : 0;
	uint32_t nb_mkeys = 0;
	int ret = keys_plan(kv, &nb_mkeys);

	if (ret != 0)
		return ret;
	kv->near = (struct cache){ .nb_blocks = kv->nb_blocks, .block_len = kv->block_len,
				   .nb_pages = kv->nb_blocks + kv->nb_blocks / 4 + 1 };
	kv->far = kv->near;
	ret = cache_create(&kv->near, &kv->pair, PAIR_NEAR, nb_mkeys, kv->per_key, flags);
	if (ret == 0)
		ret = cache_create(&kv->far, &kv->pair, PAIR_FAR, nb_mkeys, kv->per_key, flags);
	if (ret == 0)
		ret = compare(kv);
	cache_destroy(&kv->near);
	cache_destroy(&kv->far);
	if (kv->nb_prefix != 0)
		printf("keys begin at 0x%" PRIx64 "\n", position(kv));
	printf("%" PRIu32 " blocks of %" PRIu32 " bytes, levels of keys: %" PRIu32 ": %s\n",
	       kv->nb_blocks, kv->block_len, kv->nb_levels, ret == 0 ? "good" : strerror(-ret));
	return ret;
}

int
main(int argc, char **argv)
{
	struct kvcache kv = { .nb_blocks = 1000, .block_len = 4096, .per_key = 65536,
			      .nb_rounds = 15 };
	const struct option_value values[] = {
		{ "blocks", "blocks of the sequence", &kv.nb_blocks, 1, 100000, NULL },
		{ "prefix", "blocks in front of these, which are here already", &kv.nb_prefix, 0,
		  UINT32_MAX, NULL },
		{ "block-size", "bytes of a block", &kv.block_len, 4096, 65536, NULL },
		{ "per-key", "most pages of a key, if the device has not less", &kv.per_key, 2,
		  65536, NULL },
		{ "rounds", "rounds of each way", &kv.nb_rounds, 1, COST_MAX_ROUNDS, NULL },
	};
	struct pair_conf conf = { .queue.nb_desc = 4096 };
	const char *device = NULL;
	int ret = options_parse(argc, argv, "Fetch blocks of a paged KV cache.", values,
				RTE_DIM(values), &device);

	if (ret != 0)
		return ret == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
	conf.msg_len = kv.nb_blocks * sizeof(uint32_t) + sizeof(struct answer);
	return pair_run(argc, argv, &kv.pair, device, &conf, run, &kv);
}
