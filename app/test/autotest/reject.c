/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Each reason to reject an operation, by one that is bad in just that: it is counted each time, and
 * logged the first time.
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>

#include "autotest.h"
#include "crypto/crypto.h"
#include "dc/dc.h"
#include "env.h"

/* Longer than a WQE, and all that the memory of lists holds. */
#define LIST_LEN 128u
#define NB_SIG	 4u

/* A queue for each thing that can be wrong with one. */
enum {
	Q_GOOD,		/* but has no receives */
	Q_LIST_FULL,
	Q_RING_FULL,
	Q_ERROR,
	Q_UNCONNECTED,
	Q_DCI,		/* without an address; only if the device has DC */
	NB_QUEUES,
};

struct bed {
	struct at_env *env;
	int16_t dev_id;
	struct rte_umr_dev_info info;
	struct rte_umr_mkey *mkey;
	struct rte_umr_mkey *sig_mkey;
	struct rte_umr_mkey *crypto_mkey;
};

/* What is logged while a case runs. */
static struct {
	char *text;
	size_t len;
	FILE *f;
} logged;

static uint16_t
nb_queues_of(const struct bed *bed)
{
	return (bed->info.dev_capa & RTE_UMR_CAPA_DC) != 0 ? NB_QUEUES : Q_DCI;
}

static struct rte_umr_queue_conf
conf_of(const struct bed *bed, uint16_t queue)
{
	struct rte_umr_queue_conf conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK, .nb_desc = 64, .socket_id = -1,
		.nb_list_entries = LIST_LEN,
	};

	if ((bed->info.dev_capa & RTE_UMR_CAPA_MKEY_SIG) != 0)
		conf.nb_sig_mkeys = NB_SIG;
	if (queue == Q_UNCONNECTED)
		conf.transport = RTE_UMR_TRANSPORT_RC;
	if (queue == Q_DCI)
		conf.transport = RTE_UMR_TRANSPORT_DCI;
	return conf;
}

static int
bed_make(struct bed *bed, struct at_env *env)
{
	const struct at_conf conf = { .max_entries = LIST_LEN };
	struct rte_umr_dev_conf dev_conf = { 0 };
	struct rte_umr_queue_conf queue_conf;

	TEST_NEED(at_side_probe(env, 0));
	env->tx = &env->sides[0];
	bed->env = env;
	bed->dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(bed->dev_id, &bed->info));
	if (bed->info.max_list < LIST_LEN)
		TEST_SKIP("needs lists of %u entries", LIST_LEN);
	TEST_NEED(at_side_memory(env->tx, &conf));
	dev_conf.nb_queues = nb_queues_of(bed);
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(bed->dev_id, &dev_conf));
	for (uint16_t q = 0; q < dev_conf.nb_queues; q++) {
		queue_conf = conf_of(bed, q);
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(bed->dev_id, q, &queue_conf));
	}
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(bed->dev_id));
	bed->mkey = AT_KEY(env->tx);
	if ((bed->info.dev_capa & RTE_UMR_CAPA_MKEY_SIG) != 0)
		bed->sig_mkey = AT_OWN_KEY(env->tx, .max_entries = 4,
					   .flags = RTE_UMR_MKEY_POOL_F_SIG);
	if ((bed->info.dev_capa & RTE_UMR_CAPA_MKEY_CRYPTO) != 0)
		bed->crypto_mkey = AT_OWN_KEY(env->tx, .max_entries = 4,
					      .flags = RTE_UMR_MKEY_POOL_F_CRYPTO);
	return TEST_SUCCESS;
}

static int
write_to(const struct bed *bed, uint16_t queue, uint64_t flags)
{
	const struct rte_umr_seg local = at_seg(bed->env->tx, 0, 8);

	return rte_umr_write(bed->dev_id, queue, &local, at_addr(bed->env->tx, 64),
			     bed->env->tx->mr->rkey, flags);
}

static int
list_on(const struct bed *bed, uint16_t queue, uint32_t access, uint32_t nb, uint32_t length)
{
	struct rte_umr_seg segs[LIST_LEN];

	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(bed->env->tx, i * 8, length);
	return rte_umr_mkey_list(bed->dev_id, queue, bed->mkey, access, segs, nb, 0);
}

static int
ring_is_full(const struct bed *bed)
{
	int ret;

	do
		ret = write_to(bed, Q_RING_FULL, 0);
	while (ret >= 0);
	return ret;
}

static int
lists_are_full(const struct bed *bed)
{
	int ret;

	do
		ret = list_on(bed, Q_LIST_FULL, 0, LIST_LEN, 8);
	while (ret >= 0);
	return ret;
}

static int
queue_is_in_error(const struct bed *bed)
{
	const struct rte_umr_seg local = at_seg(bed->env->tx, 0, 8);
	struct rte_umr_completion done;

	const int ret = rte_umr_write(bed->dev_id, Q_ERROR, &local, 0, 0, RTE_UMR_OP_F_SUBMIT);
	if (ret < 0)
		return ret;
	at_collect(bed->dev_id, Q_ERROR, &done, 1);
	return write_to(bed, Q_ERROR, 0);
}

static int
nobody_is_connected(const struct bed *bed)
{
	return write_to(bed, Q_UNCONNECTED, 0);
}

static int
queue_has_no_receives(const struct bed *bed)
{
	const struct rte_umr_seg seg = at_seg(bed->env->tx, 0, 8);

	return rte_umr_recv(bed->dev_id, Q_GOOD, &seg, 1, 0);
}

static int
flag_is_unknown(const struct bed *bed)
{
	return write_to(bed, Q_GOOD, RTE_BIT64(63));
}

static int
reserved_is_set(const struct bed *bed)
{
	const struct rte_umr_rdma_op op = {
		.local = at_seg(bed->env->tx, 0, 8), .rkey = bed->env->tx->mr->rkey,
		.remote_addr = at_addr(bed->env->tx, 64), .reserved = 1,
	};

	return rte_umr_write_burst(bed->dev_id, Q_GOOD, &op, 1, 0);
}

static int
burst_is_empty(const struct bed *bed)
{
	return rte_umr_write_burst(bed->dev_id, Q_GOOD, NULL, 0, 0);
}

/* Bind a window, which says that it is of that device. */
static int
bind_as(const struct bed *bed, int16_t dev_id, const struct rte_umr_mw_range *range)
{
	struct rte_umr_mw *mw = rte_umr_mw_create(bed->dev_id, NULL, RTE_UMR_MW_TYPE_1);

	TEST_ASSERT(mw != NULL);
	mw->dev_id = dev_id;
	const int ret = rte_umr_mw_bind(bed->dev_id, Q_GOOD, mw, range, 0);
	mw->dev_id = bed->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_mw_destroy(mw));
	return ret;
}

static int
window_of_another_device(const struct bed *bed)
{
	const struct rte_umr_mw_range range = { .mr = bed->env->tx->mr };

	return bind_as(bed, (int16_t)(bed->dev_id + 1), &range);
}

static int
key_has_no_updates(const struct bed *bed)
{
	const struct rte_umr_seg seg = at_seg(bed->env->tx, 0, 8);

	return rte_umr_mkey_update(bed->dev_id, Q_GOOD, bed->mkey, 0, &seg, 1, 0);
}

static int
access_is_unknown(const struct bed *bed)
{
	return list_on(bed, Q_GOOD, RTE_BIT32(30), 1, 8);
}

static int
configure_as(const struct bed *bed, struct rte_umr_mkey *mkey, uint32_t setters, uint8_t layout)
{
	const struct rte_umr_seg seg = at_seg(bed->env->tx, 0, 8);
	const struct rte_umr_mkey_op op = {
		.setters = setters, .layout = layout, .nb_entries = 1, .segs = &seg,
	};

	return at_mkey_configure(bed->dev_id, Q_GOOD, mkey, &op, 0);
}

static int
setter_is_unknown(const struct bed *bed)
{
	return configure_as(bed, bed->mkey, RTE_BIT32(30), RTE_UMR_LAYOUT_LIST);
}

static int
layout_is_unknown(const struct bed *bed)
{
	return configure_as(bed, bed->mkey, RTE_UMR_MKEY_SET_LAYOUT, UINT8_MAX);
}

static int
list_is_empty(const struct bed *bed)
{
	return list_on(bed, Q_GOOD, 0, 0, 8);
}

static int
segment_is_empty(const struct bed *bed)
{
	return list_on(bed, Q_GOOD, 0, 1, 0);
}

static int
window_beyond_its_region(const struct bed *bed)
{
	const struct rte_umr_mw_range range = {
		.mr = bed->env->tx->mr, .addr = at_addr(bed->env->tx, 1), .length = AT_BUF_LEN,
	};

	return bind_as(bed, bed->dev_id, &range);
}

static int
signature_is_missing(const struct bed *bed)
{
	return configure_as(bed, bed->sig_mkey, RTE_UMR_MKEY_SET_SIG, RTE_UMR_LAYOUT_LIST);
}

static int
encryption_is_missing(const struct bed *bed)
{
	return configure_as(bed, bed->crypto_mkey, RTE_UMR_MKEY_SET_CRYPTO, RTE_UMR_LAYOUT_LIST);
}

static int
initiator_has_no_address(const struct bed *bed)
{
	return write_to(bed, Q_DCI, 0);
}

static const struct {
	enum rte_umr_reject reason;
	int error;
	int (*op)(const struct bed *bed);
	uint16_t queue;
	bool is_silent;
	uint64_t capa;		/* what the device needs for it */
} rejects[] = {
	{ RTE_UMR_REJECT_RING_FULL, -ENOSPC, ring_is_full, Q_RING_FULL, true, 0 },
	{ RTE_UMR_REJECT_LIST_FULL, -ENOSPC, lists_are_full, Q_LIST_FULL, true, 0 },
	{ RTE_UMR_REJECT_NOT_CONNECTED, -ENOTCONN, nobody_is_connected, Q_UNCONNECTED, false, 0 },
	{ RTE_UMR_REJECT_QUEUE_ERROR, -EIO, queue_is_in_error, Q_ERROR, false, 0 },
	{ RTE_UMR_REJECT_UNSUPPORTED, -ENOTSUP, queue_has_no_receives, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_FLAGS, -EINVAL, flag_is_unknown, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_RESERVED, -EINVAL, reserved_is_set, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_BURST, -EINVAL, burst_is_empty, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_OWNER, -EXDEV, window_of_another_device, Q_GOOD, false,
	  RTE_UMR_CAPA_MW_TYPE_1 },
	{ RTE_UMR_REJECT_KEY, -ENOTSUP, key_has_no_updates, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_ACCESS, -EINVAL, access_is_unknown, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_SETTERS, -EINVAL, setter_is_unknown, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_LAYOUT, -EINVAL, layout_is_unknown, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_ENTRIES, -EINVAL, list_is_empty, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_LENGTH, -EINVAL, segment_is_empty, Q_GOOD, false, 0 },
	{ RTE_UMR_REJECT_RANGE, -EINVAL, window_beyond_its_region, Q_GOOD, false,
	  RTE_UMR_CAPA_MW_TYPE_1 },
	{ RTE_UMR_REJECT_SIGNATURE, -EINVAL, signature_is_missing, Q_GOOD, false,
	  RTE_UMR_CAPA_MKEY_SIG },
	{ RTE_UMR_REJECT_CRYPTO, -EINVAL, encryption_is_missing, Q_GOOD, false,
	  RTE_UMR_CAPA_MKEY_CRYPTO },
	{ RTE_UMR_REJECT_ADDRESS, -EDESTADDRREQ, initiator_has_no_address, Q_DCI, false,
	  RTE_UMR_CAPA_DC },
};

/* Run it; how many lines does it log? -1 if it does not end as it should. */
static int
lines_of(const struct bed *bed, unsigned int i)
{
	char start[64];
	const char *at;
	int nb = 0, ret;

	logged.f = open_memstream(&logged.text, &logged.len);
	if (logged.f == NULL)
		return -1;
	rte_openlog_stream(logged.f);
	ret = rejects[i].op(bed);
	rte_openlog_stream(NULL);
	fclose(logged.f);
	snprintf(start, sizeof(start), ": queue %u: ", rejects[i].queue);
	for (at = logged.text; (at = strstr(at, start)) != NULL; at++)
		nb++;
	if (nb != 0)
		printf("%s: %s", rte_umr_reject_name(rejects[i].reason), logged.text);
	free(logged.text);
	if (ret == rejects[i].error)
		return nb;
	printf("%s: %d, not %d\n", rte_umr_reject_name(rejects[i].reason), ret, rejects[i].error);
	return -1;
}

/* Only this reason was counted, so often, and the sums are right. */
static int
counts_check(const struct bed *bed, unsigned int i, uint64_t nb)
{
	struct rte_umr_queue_stats stats;
	uint64_t sum = 0;

	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(bed->dev_id, rejects[i].queue, &stats));
	for (unsigned int r = 0; r < RTE_UMR_REJECT_MAX; r++)
		sum += stats.nb_rejects[r];
	TEST_ASSERT_EQUAL(stats.nb_rejects[rejects[i].reason], nb);
	TEST_ASSERT_EQUAL(sum, nb);
	TEST_ASSERT_EQUAL(rejects[i].is_silent ? stats.nb_full : stats.nb_rejected, nb);
	TEST_ASSERT_EQUAL(stats.nb_full + stats.nb_rejected, nb);
	return TEST_SUCCESS;
}

static int
reject_check(const struct bed *bed, unsigned int i)
{
	const int first = rejects[i].is_silent ? 0 : 1;

	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_reset(bed->dev_id, rejects[i].queue));
	TEST_ASSERT_EQUAL(lines_of(bed, i), first);
	TEST_ASSERT_EQUAL(lines_of(bed, i), 0);
	TEST_ASSERT_SUCCESS(counts_check(bed, i, 2));
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_reset(bed->dev_id, rejects[i].queue));
	TEST_ASSERT_EQUAL(lines_of(bed, i), first);
	return counts_check(bed, i, 1);
}

AT_CASE(reject, each_reason_is_counted_and_logged_once)
{
	struct bed bed = { 0 };

	TEST_NEED(bed_make(&bed, env));
	for (unsigned int i = 0; i < RTE_DIM(rejects); i++)
		if ((bed.info.dev_capa & rejects[i].capa) == rejects[i].capa &&
		    reject_check(&bed, i) != TEST_SUCCESS)
			TEST_FAIL_AT("reason %s", rte_umr_reject_name(rejects[i].reason));
	return TEST_SUCCESS;
}

/* The table has every reason that has a name. */
AT_CASE(reject, no_reason_is_forgotten)
{
	unsigned int i, r;

	for (r = 0; r < RTE_UMR_REJECT_MAX; r++) {
		if (strcmp(rte_umr_reject_name((enum rte_umr_reject)r), "unknown") == 0)
			break;
		for (i = 0; i < RTE_DIM(rejects) && rejects[i].reason != r; i++)
			;
		if (i == RTE_DIM(rejects))
			TEST_FAIL_AT("no case for %s", rte_umr_reject_name((enum rte_umr_reject)r));
	}
	TEST_ASSERT_EQUAL(r, RTE_DIM(rejects));
	return TEST_SUCCESS;
}

/* Dump names what there was, and nothing else. */
AT_CASE(reject, dump_tells_reasons)
{
	char *text = NULL;
	size_t len;
	FILE *f;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	f = TEST_NOT_NULL(open_memstream(&text, &len));
	TEST_ASSERT_SUCCESS(rte_umr_dump(env->tx->dev_id, f));
	fflush(f);
	const bool was_told = strstr(text, "rejected") != NULL;
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, 0, &seg, 0, 0, RTE_BIT64(63)), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, 0, &seg, 0, 0, RTE_BIT64(62)), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write_burst(env->tx->dev_id, 0, NULL, 0, 0), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dump(env->tx->dev_id, f));
	fclose(f);
	const bool is_told = strstr(text, "    rejected: flags 2 burst 1\n") != NULL;
	free(text);
	TEST_ASSERT(!was_told && is_told);
	return TEST_SUCCESS;
}

#define BURST_LEN 4u

/* Bytes of a descriptor that are to be zero. */
static const size_t reserved_of_mkey_op[] = {
	offsetof(struct rte_umr_mkey_op, reserved), offsetof(struct rte_umr_mkey_op, reserved) + 3,
};
static const size_t reserved_of_rdma_op[] = {
	offsetof(struct rte_umr_rdma_op, reserved), offsetof(struct rte_umr_rdma_op, reserved) + 3,
};

/* What a burst is made of, by each function that takes an array or one of them. */
union burst_ops {
	struct rte_umr_mkey_op mkey[BURST_LEN];
	struct rte_umr_rdma_op rdma[BURST_LEN];
};

static int
configure_burst(int16_t dev_id, const union burst_ops *ops, unsigned int i, uint16_t nb)
{
	return rte_umr_mkey_configure_burst(dev_id, 0, &ops->mkey[i], nb, 0);
}

static int
configure_one(int16_t dev_id, const union burst_ops *ops, unsigned int i, uint16_t nb)
{
	RTE_SET_USED(nb);
	return rte_umr_mkey_configure(dev_id, 0, &ops->mkey[i], 0);
}

static int
write_burst(int16_t dev_id, const union burst_ops *ops, unsigned int i, uint16_t nb)
{
	return rte_umr_write_burst(dev_id, 0, &ops->rdma[i], nb, 0);
}

static int
read_burst(int16_t dev_id, const union burst_ops *ops, unsigned int i, uint16_t nb)
{
	return rte_umr_read_burst(dev_id, 0, &ops->rdma[i], nb, 0);
}

static const struct {
	const char *name;
	int (*enqueue)(int16_t dev_id, const union burst_ops *ops, unsigned int i, uint16_t nb);
	const size_t *reserved;
	unsigned int nb_reserved;
	size_t size;
	bool is_one;	/* it takes no array */
	uint8_t layout;
	uint32_t nb_entries; /* 0: no key is configured */
} enqueues[] = {
#define OF_KEYS reserved_of_mkey_op, RTE_DIM(reserved_of_mkey_op), sizeof(struct rte_umr_mkey_op)
#define OF_RDMA reserved_of_rdma_op, RTE_DIM(reserved_of_rdma_op), sizeof(struct rte_umr_rdma_op)
	{ "configure, list", configure_one, OF_KEYS, true, RTE_UMR_LAYOUT_LIST, 3 },
	{ "configure, pattern", configure_one, OF_KEYS, true, RTE_UMR_LAYOUT_INTERLEAVED, 2 },
	{ "burst, list", configure_burst, OF_KEYS, false, RTE_UMR_LAYOUT_LIST, 3 },
	{ "burst, long list", configure_burst, OF_KEYS, false, RTE_UMR_LAYOUT_LIST, 9 },
	{ "burst, list in memory", configure_burst, OF_KEYS, false, RTE_UMR_LAYOUT_LIST, 60 },
	{ "burst, pattern", configure_burst, OF_KEYS, false, RTE_UMR_LAYOUT_INTERLEAVED, 2 },
	{ "burst, long pattern", configure_burst, OF_KEYS, false, RTE_UMR_LAYOUT_INTERLEAVED, 9 },
	{ "write", write_burst, OF_RDMA, false, 0, 0 },
	{ "read", read_burst, OF_RDMA, false, 0, 0 },
#undef OF_KEYS
#undef OF_RDMA
};

static void
ops_fill(union burst_ops *ops, struct at_env *env, struct rte_umr_mkey *mkey, unsigned int e)
{
	static struct rte_umr_interleaved pattern[9];
	static struct rte_umr_seg segs[60];

	for (unsigned int i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, 64 * i, 8);
	for (unsigned int i = 0; i < RTE_DIM(pattern); i++)
		pattern[i] = (struct rte_umr_interleaved){
			.addr = segs[i].addr, .bytes_count = 8, .lkey = segs[i].lkey,
		};
	memset(ops, 0, sizeof(*ops));
	for (unsigned int i = 0; i < BURST_LEN; i++) {
		if (enqueues[e].nb_entries == 0) {
			ops->rdma[i] = (struct rte_umr_rdma_op){
				.local = segs[i], .rkey = env->rx->mr->rkey,
				.remote_addr = at_addr(env->rx, 32768 + 64 * i),
			};
			continue;
		}
		ops->mkey[i] = (struct rte_umr_mkey_op){
			.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .repeat = 2,
			.layout = enqueues[e].layout, .nb_entries = enqueues[e].nb_entries,
			.segs = segs,
		};
		if (enqueues[e].layout == RTE_UMR_LAYOUT_INTERLEAVED)
			ops->mkey[i].interleaved = pattern;
	}
}

/* Operation bad has one that is not zero: those in front of it are enqueued, and no more. */
static int
reserved_check(struct at_env *env, struct rte_umr_mkey *mkey, unsigned int e, unsigned int bad,
	       size_t offset)
{
	union burst_ops ops;
	uint16_t nb = enqueues[e].is_one ? 0 : (uint16_t)bad;

	ops_fill(&ops, env, mkey, e);
	((uint8_t *)&ops)[bad * enqueues[e].size + offset] = 1;
	const int ret = enqueues[e].enqueue(env->tx->dev_id, &ops, bad - nb, BURST_LEN);
	if (ret != (nb == 0 ? -EINVAL : nb))
		TEST_FAIL_AT("%s: operation %u, byte %zu: %d", enqueues[e].name, bad, offset, ret);
	return nb == 0 ? TEST_SUCCESS : at_finish(env, nb);
}

AT_CASE(reject, reserved_fields_of_each_operation_are_zero)
{
	AT_BUILD(env, .max_entries = 60);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (unsigned int e = 0; e < RTE_DIM(enqueues); e++)
		for (unsigned int i = 0; i < enqueues[e].nb_reserved; i++)
			for (unsigned int bad = 0; bad < BURST_LEN; bad++)
				TEST_ASSERT_SUCCESS(reserved_check(env, mkey, e, bad,
								   enqueues[e].reserved[i]));
	return TEST_SUCCESS;
}
