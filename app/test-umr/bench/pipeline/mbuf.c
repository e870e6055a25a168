/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Bursts of packets: each is a chain of mbufs and goes to one place at a peer. Chains are made of
 * mbufs in random order before the timed section. That section covers everything from a chain to
 * freed mbufs: finding keys, building, copying, the doorbell, collecting and freeing. The received
 * data is compared with the chains.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "bench/measure/clock.h"
#include "bench/path/collect.h"
#include "bench/path/mlx5dv.h"
#include "bench/pipeline/pipeline.h"

#define NB_PACKETS	32u		/* per burst */
#define SEG_LEN		256u
#define MAX_SEGS	32u		/* per chain */
#define MAX_LEN		(MAX_SEGS * SEG_LEN)
#define NB_BURSTS	16u		/* per way and round */
#define NB_WARM_UP	2u
#define NB_MBUFS	4095u		/* four bursts of the longest chains */
#define MAX_CHUNKS	16u
#define PAGE_SIZE	4096u

enum {
	WAY_UMR,	/* a key and a write for each chain */
	WAY_COPY,
	WAY_SGES,	/* by libmlx5 */
	WAY_WRITES,	/* one per segment */
	NB_WAYS,
};

struct packets {
	struct bench *bench;
	int16_t dev_id;
	uint16_t queue_id;
	struct bench_rte_info rte;
	struct rte_mempool *pool;
	bool is_registered;
	struct rte_umr_mbuf_fifo *fifo;
	uint8_t *copies;		/* space for each packet */
	uint8_t *peer;			/* same */
	struct rte_umr_mr *copies_mr;
	struct rte_umr_mr *peer_mr;
	struct ibv_mr *ibv_peer;
	/* State of a libibverbs application for a mempool: regions of its chunks. */
	uint32_t nb_chunks;
	struct ibv_mr *chunks[MAX_CHUNKS];
	/* State of the row. */
	uint32_t nb_segs;
	uint32_t nb_packets;
	uint32_t nb_wqes[NB_WAYS];	/* per packet */
	struct rte_mbuf *chains[NB_PACKETS];
	struct rte_umr_seg segs[NB_PACKETS * MAX_SEGS];
	struct rte_umr_rdma_op ops[NB_PACKETS * MAX_SEGS];
	struct rte_umr_mbuf_op mbuf_ops[NB_PACKETS];
	uint64_t remote[NB_PACKETS * MAX_SEGS];
	struct rte_mbuf *all[NB_MBUFS];
};

static uint64_t
remote_of(const struct packets *packets, uint32_t i)
{
	return (uintptr_t)packets->peer + (size_t)i * MAX_LEN;
}

/* Make chains with contents that identify their position. */
static bool
chains_make(struct packets *packets, uint8_t salt)
{
	struct rte_mbuf *mbufs[MAX_SEGS];

	for (uint32_t i = 0; i < packets->nb_packets; i++) {
		if (rte_pktmbuf_alloc_bulk(packets->pool, mbufs, packets->nb_segs) != 0) {
			tool_error("bench: out of mbufs");
			rte_pktmbuf_free_bulk(packets->chains, i);
			return false;
		}
		for (uint32_t s = 0; s < packets->nb_segs; s++) {
			memset(rte_pktmbuf_append(mbufs[s], SEG_LEN), (uint8_t)(salt + i * 7 + s),
			       SEG_LEN);
			mbufs[s]->next = s + 1 < packets->nb_segs ? mbufs[s + 1] : NULL;
		}
		mbufs[0]->nb_segs = (uint16_t)packets->nb_segs;
		mbufs[0]->pkt_len = packets->nb_segs * SEG_LEN;
		packets->chains[i] = mbufs[0];
	}
	return true;
}

/* Whether all chains have arrived. */
static bool
peer_check(const struct packets *packets, uint8_t salt)
{
	for (uint32_t i = 0; i < packets->nb_packets; i++)
		for (uint32_t b = 0; b < packets->nb_segs * SEG_LEN; b++)
			if (packets->peer[(size_t)i * MAX_LEN + b] !=
			    (uint8_t)(salt + i * 7 + b / SEG_LEN))
				return false;
	return true;
}

/* Post a write per op: a burst for all but the last one, whose index is needed. */
static int
writes_post(struct packets *packets, uint32_t nb)
{
	const struct rte_umr_rdma_op *last = &packets->ops[nb - 1];
	int ret = 0;

	if (nb > 1)
		ret = rte_umr_write_burst(packets->dev_id, packets->queue_id, packets->ops,
					  (uint16_t)(nb - 1), 0);
	if (ret < 0 || (uint32_t)ret < nb - 1)
		return ret < 0 ? ret : -ENOSPC;
	return rte_umr_write(packets->dev_id, packets->queue_id, &last->local, last->remote_addr,
			     last->rkey, RTE_UMR_OP_F_SUBMIT);
}

static int
post_umr(struct packets *packets)
{
	const uint32_t nb = packets->nb_packets;
	int ret;

	for (uint32_t i = 0; i < nb; i++) {
		struct rte_umr_mkey *mkey = packets->rte.mkeys[i];
		const uint32_t len = packets->chains[i]->pkt_len;

		packets->mbuf_ops[i] = (struct rte_umr_mbuf_op){
			.mkey = mkey, .mbuf = packets->chains[i], .len = len,
		};
		packets->ops[i] = (struct rte_umr_rdma_op){
			.local = { .length = len, .lkey = mkey->key },
			.remote_addr = remote_of(packets, i),
			.rkey = packets->peer_mr->rkey,
		};
	}
	ret = rte_umr_mbuf_mkey_list_burst(packets->dev_id, packets->queue_id, BENCH_ACCESS,
					   packets->mbuf_ops, (uint16_t)nb, 0);
	if (ret < 0 || (uint32_t)ret < nb)
		return ret < 0 ? ret : -ENOSPC;
	ret = writes_post(packets, nb);
	if (ret >= 0)
		rte_umr_mbuf_fifo_hold(packets->fifo, (uint16_t)ret, packets->chains, (uint16_t)nb);
	return ret;
}

static int
post_copy(struct packets *packets)
{
	const uint32_t nb = packets->nb_packets;

	for (uint32_t i = 0; i < nb; i++) {
		uint8_t *copy = packets->copies + (size_t)i * MAX_LEN;
		uint32_t len = 0;

		for (const struct rte_mbuf *m = packets->chains[i]; m != NULL; m = m->next) {
			memcpy(copy + len, rte_pktmbuf_mtod(m, const void *), m->data_len);
			len += m->data_len;
		}
		packets->ops[i] = (struct rte_umr_rdma_op){
			.local = { (uintptr_t)copy, len, packets->copies_mr->lkey },
			.remote_addr = remote_of(packets, i),
			.rkey = packets->peer_mr->rkey,
		};
	}
	rte_pktmbuf_free_bulk(packets->chains, nb);
	return writes_post(packets, nb);
}

static int
post_writes(struct packets *packets)
{
	const uint32_t nb = packets->nb_packets;
	uint32_t nb_ops = 0;
	int ret;

	for (uint32_t i = 0; i < nb; i++) {
		uint64_t remote = remote_of(packets, i);
		int nb_segs = rte_umr_mbuf_to_segs(packets->dev_id, packets->chains[i], 0,
						   RTE_UMR_MBUF_REST, packets->segs, MAX_SEGS);

		if (nb_segs < 0)
			return nb_segs;
		for (int s = 0; s < nb_segs; s++) {
			packets->ops[nb_ops++] = (struct rte_umr_rdma_op){
				.local = packets->segs[s],
				.remote_addr = remote,
				.rkey = packets->peer_mr->rkey,
			};
			remote += packets->segs[s].length;
		}
	}
	ret = writes_post(packets, nb_ops);
	if (ret >= 0)
		rte_umr_mbuf_fifo_hold(packets->fifo, (uint16_t)ret, packets->chains, (uint16_t)nb);
	return ret;
}

static uint32_t
chunk_lkey(const struct packets *packets, uintptr_t addr)
{
	for (uint32_t i = 0; i < packets->nb_chunks; i++)
		if (addr - (uintptr_t)packets->chunks[i]->addr < packets->chunks[i]->length)
			return packets->chunks[i]->lkey;
	return 0;
}

/* Use the maximum number of segments that libmlx5 supports per request. */
static bool
post_sges(struct packets *packets, struct bench_sample *sample)
{
	const uint32_t nb_wqes = packets->nb_wqes[WAY_SGES];
	struct bench_dv_writes writes = {
		.segs = packets->segs,
		.nb_segs = packets->nb_segs / nb_wqes,
		.nb = nb_wqes * packets->nb_packets,
		.remote = packets->remote,
		.rkey = packets->ibv_peer->rkey,
	};
	uint64_t start = bench_section_start(), cycles;
	uint32_t nb = 0;

	for (uint32_t i = 0; i < packets->nb_packets; i++) {
		for (uint32_t w = 0; w < nb_wqes; w++)
			packets->remote[i * nb_wqes + w] =
				remote_of(packets, i) + (size_t)w * writes.nb_segs * SEG_LEN;
		for (const struct rte_mbuf *m = packets->chains[i]; m != NULL; m = m->next) {
			const uintptr_t addr = rte_pktmbuf_mtod(m, uintptr_t);

			packets->segs[nb++] = (struct rte_umr_seg){
				.addr = addr, .length = m->data_len,
				.lkey = chunk_lkey(packets, addr),
			};
		}
	}
	cycles = bench_section_end() - start;
	if (!bench_dv_write(packets->bench->workers[0].ctx[BENCH_LIBMLX5], &writes, sample))
		return false;
	sample->post += cycles;
	return true;
}

static bool
post_rte(struct packets *packets, uint32_t way, struct bench_sample *sample)
{
	static int (*const posts[NB_WAYS])(struct packets *packets) = {
		[WAY_UMR] = post_umr,
		[WAY_COPY] = post_copy,
		[WAY_WRITES] = post_writes,
	};
	uint64_t start = bench_section_start();
	int ret = posts[way](packets);

	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	if (ret < 0)
		tool_error("bench: %u packets of %u segments: %s", packets->nb_packets,
			   packets->nb_segs, rte_strerror(-ret));
	return ret >= 0;
}

static bool
fifo_has_completion(const void *ctx)
{
	const struct packets *packets = ctx;

	return bench_path_rte.has_completion(packets->bench->workers[0].ctx[BENCH_RTE]);
}

/* Collect, and free the mbufs of completed operations. */
static int
fifo_take(void *ctx, uint32_t nb, struct bench_sample *sample)
{
	struct packets *packets = ctx;
	uint64_t start = bench_section_start();
	bool has_error;
	uint16_t nb_done;

	nb_done = rte_umr_mbuf_fifo_completed(packets->fifo, (uint16_t)nb, NULL, &has_error);
	sample->done = bench_section_end();
	sample->poll += sample->done - start;
	if (!has_error)
		return nb_done;
	tool_error("bench: an operation on chains has failed");
	return -1;
}

static const struct bench_path path_fifo = {
	.name = "rte",
	.has_completion = fifo_has_completion,
	.take = fifo_take,
};

static bool
burst_run(struct packets *packets, uint32_t way, struct bench_wait *wait,
	  struct bench_sample *sample)
{
	const uint32_t nb = packets->nb_packets * packets->nb_wqes[way];
	uint64_t start;

	if (way != WAY_SGES)
		return post_rte(packets, way, sample) &&
		       bench_collect(&path_fifo, packets, nb, wait, sample);
	if (!post_sges(packets, sample) ||
	    !bench_collect(&bench_path_libmlx5, packets->bench->workers[0].ctx[BENCH_LIBMLX5], nb,
			   wait, sample))
		return false;
	start = bench_section_start();
	rte_pktmbuf_free_bulk(packets->chains, packets->nb_packets);
	sample->poll += bench_section_end() - start;
	return true;
}

static bool
round_run(void *ctx, uint32_t way, double *cost)
{
	struct packets *packets = ctx;
	const bool is_warm = packets->bench->setup.is_poll_warm;
	const double overhead = 2 * packets->bench->tsc_overhead;
	struct bench_wait wait = { 0 };
	struct bench_sample sample;
	double values[NB_BURSTS];
	uint32_t nb_warm_up = 0;

	for (uint32_t i = 0; i < NB_BURSTS;) {
		const bool is_measured = nb_warm_up == NB_WARM_UP;

		if (!chains_make(packets, (uint8_t)(i + way)) ||
		    !burst_run(packets, way, is_measured && !is_warm ? &wait : NULL, &sample))
			return false;
		if (packets->bench->setup.is_executing &&
		    !peer_check(packets, (uint8_t)(i + way))) {
			tool_error("bench: chains of %u segments arrived wrong", packets->nb_segs);
			return false;
		}
		if (!is_measured) {
			bench_wait_learn(&wait, sample.done - sample.posted);
			nb_warm_up++;
		} else if (!sample.is_late) {
			values[i++] = ((double)(sample.post + sample.poll) - overhead) /
				      packets->nb_packets;
		}
	}
	*cost = bench_mean(values, NB_BURSTS);
	return true;
}

/* Randomize the order of the mbufs in the mempool. */
static bool
pool_shuffle(struct packets *packets)
{
	uint64_t state = 1;

	if (rte_pktmbuf_alloc_bulk(packets->pool, packets->all, NB_MBUFS) != 0) {
		tool_error("bench: out of mbufs");
		return false;
	}
	for (uint32_t i = NB_MBUFS; i > 1; i--) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		RTE_SWAP(packets->all[i - 1], packets->all[(state >> 33) % i]);
	}
	for (uint32_t i = 0; i < NB_MBUFS; i++)
		rte_pktmbuf_free(packets->all[i]);
	return true;
}

static void
chunk_register(struct rte_mempool *mp, void *opaque, struct rte_mempool_memhdr *chunk,
	       unsigned int index)
{
	struct packets *packets = opaque;
	const struct bench_dv *dv = packets->bench->workers[0].ctx[BENCH_LIBMLX5];

	RTE_SET_USED(mp);
	if (index >= MAX_CHUNKS || packets->nb_chunks != index)
		return;
	packets->chunks[index] = ibv_reg_mr(dv->keys->pd, chunk->addr, chunk->len, BENCH_DV_ACCESS);
	if (packets->chunks[index] != NULL)
		packets->nb_chunks++;
}

static bool
pool_open(struct packets *packets)
{
	int ret;

	packets->pool = rte_pktmbuf_pool_create("bench packets", NB_MBUFS, 256, 0,
						RTE_PKTMBUF_HEADROOM + SEG_LEN, SOCKET_ID_ANY);
	if (packets->pool == NULL) {
		tool_error("bench: %u mbufs: %s", NB_MBUFS, rte_strerror(rte_errno));
		return false;
	}
	ret = rte_umr_mempool_register(packets->dev_id, packets->pool, BENCH_ACCESS);
	if (ret != 0) {
		tool_error("bench: registering mbufs: %s", rte_strerror(-ret));
		return false;
	}
	packets->is_registered = true;
	rte_mempool_mem_iter(packets->pool, chunk_register, packets);
	if (packets->nb_chunks != packets->pool->nb_mem_chunks)
		return bench_dv_error("ibv_reg_mr");
	packets->fifo = rte_umr_mbuf_fifo_create(packets->dev_id, packets->queue_id, 0);
	if (packets->fifo != NULL)
		return pool_shuffle(packets);
	tool_error("bench: mbufs of a queue: %s", rte_strerror(rte_errno));
	return false;
}

static uint8_t *
memory_alloc(struct packets *packets, struct rte_umr_mr **mr)
{
	const size_t len = (size_t)NB_PACKETS * MAX_LEN;
	uint8_t *memory = rte_zmalloc("bench packets", len, PAGE_SIZE);

	if (memory != NULL)
		*mr = rte_umr_mr_register(packets->dev_id, &(struct rte_umr_mr_conf){
			.addr = memory, .len = len, .access = BENCH_ACCESS });
	if (*mr == NULL)
		tool_error("bench: %zu bytes for packets: %s", len,
			   rte_strerror(memory == NULL ? ENOMEM : rte_errno));
	return memory;
}

static bool
packets_open(struct packets *packets)
{
	const struct bench_dv *dv = packets->bench->workers[0].ctx[BENCH_LIBMLX5];
	const struct bench_row keys = { .layout = BENCH_LIST, .nb_keys = NB_PACKETS };

	if (!bench_path_rte.begin(packets->bench->workers[0].ctx[BENCH_RTE], &keys, 0))
		return false;
	packets->copies = memory_alloc(packets, &packets->copies_mr);
	packets->peer = memory_alloc(packets, &packets->peer_mr);
	if (packets->copies_mr == NULL || packets->peer_mr == NULL)
		return false;
	packets->ibv_peer = ibv_reg_mr(dv->keys->pd, packets->peer, (size_t)NB_PACKETS * MAX_LEN,
				       BENCH_DV_ACCESS);
	if (packets->ibv_peer == NULL)
		return bench_dv_error("ibv_reg_mr");
	return pool_open(packets);
}

static void
packets_close(struct packets *packets)
{
	rte_umr_mbuf_fifo_destroy(packets->fifo);
	for (uint32_t i = 0; i < packets->nb_chunks; i++)
		ibv_dereg_mr(packets->chunks[i]);
	if (packets->is_registered)
		rte_umr_mempool_unregister(packets->dev_id, packets->pool);
	rte_mempool_free(packets->pool);
	if (packets->ibv_peer != NULL)
		ibv_dereg_mr(packets->ibv_peer);
	rte_umr_mr_deregister(packets->peer_mr);
	rte_umr_mr_deregister(packets->copies_mr);
	rte_free(packets->peer);
	rte_free(packets->copies);
}

/* Reduce the packets of a burst if the rings are too short for a write of each segment. */
static bool
row_begin(struct packets *packets, struct bench_pipeline_row *row)
{
	const uint32_t depth = packets->bench->setup.depth;
	const uint32_t per_packet = bench_writes_desc(packets->dev_id, row->nb);

	packets->nb_segs = row->nb;
	packets->nb_packets = RTE_MIN(NB_PACKETS, depth / RTE_MAX(per_packet, 1u));
	packets->nb_wqes[WAY_UMR] = 2;
	packets->nb_wqes[WAY_COPY] = 1;
	packets->nb_wqes[WAY_SGES] = (row->nb + BENCH_MAX_SGE - 1) / BENCH_MAX_SGE;
	packets->nb_wqes[WAY_WRITES] = row->nb;
	for (uint32_t way = 0; way < NB_WAYS; way++)
		row->costs[way].nb_wqes = packets->nb_wqes[way];
	if (packets->nb_packets != 0)
		return true;
	tool_error("bench: a ring of %u descriptors is too short for %u writes", depth, row->nb);
	return false;
}

bool
bench_pipeline_mbuf(struct bench *bench, struct bench_pipeline_table *table)
{
	static const uint32_t counts[] = { 2, 8, MAX_SEGS };
	struct packets *packets = tool_calloc("bench", 1, sizeof(*packets));
	bool is_ok;

	*table = (struct bench_pipeline_table){
		.what = "Chains of mbufs to a place each at a peer, in bursts of 32: TSC cycles of "
			"the posting CPU per packet,\n"
			"with finding keys, copying, collecting and freeing, and work requests per "
			"packet. umr+write:\n"
			"rte_umr_mbuf_mkey_list_burst(); multi-sge: libmlx5, at most 30 segments a "
			"request.",
		.nb_name = "segments",
		.unit = "cycles",
		.has_wqes = true,
		.nb_ways = NB_WAYS,
		.ways = {
			[WAY_UMR] = "umr+write",
			[WAY_COPY] = "copy+write",
			[WAY_SGES] = "multi-sge",
			[WAY_WRITES] = "writes",
		},
	};
	if (packets == NULL)
		return false;
	packets->bench = bench;
	packets->dev_id = bench->setup.dev_id;
	bench_rte_info_get(bench->workers[0].ctx[BENCH_RTE], &packets->rte);
	packets->queue_id = packets->rte.queue_id;
	is_ok = packets_open(packets);
	for (uint32_t i = 0; i < RTE_DIM(counts) && is_ok; i++) {
		struct bench_pipeline_row *row = bench_pipeline_row_add(table, counts[i], SEG_LEN,
									"");

		is_ok = row_begin(packets, row) &&
			bench_pipeline_measure(bench, table, row, round_run, packets);
	}
	packets_close(packets);
	free(packets);
	return is_ok;
}
