/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What rte_umr_op_desc() tells is what rte_umr_desc_avail() falls by, for every operation.
 */

#include <string.h>

#include "autotest.h"
#include "crypto/crypto.h"
#include "dc/dc.h"
#include "env.h"

#define ACCESS		RTE_UMR_ACCESS_LOCAL_WRITE
#define MAX_ENTRIES	700u
#define BLOCK		512u
#define SMALL_LIST_MEM	256u
#define LOG_FIXED	12u

static const uint32_t counts[] = {
	1, 2, 3, 4, 5, 15, 16, 44, 45, 48, 49, 51, 52, 53, 128, 129, 600
};
static const uint32_t lengths[] = { 1, 12, 13, 28, 29, 60, 64, 100, 200 };

/* One entry after the other, of 64 bytes. */
static struct rte_umr_seg segs[MAX_ENTRIES];
static struct rte_umr_interleaved pattern[MAX_ENTRIES];

static void
entries_init(const struct at_env *env)
{
	for (uint32_t i = 0; i < MAX_ENTRIES; i++) {
		segs[i] = at_seg(env->tx, i * 64, 64);
		pattern[i] = (struct rte_umr_interleaved){
			.addr = segs[i].addr, .bytes_count = 16, .bytes_skip = 16,
			.lkey = segs[i].lkey,
		};
	}
}

/** An operation was enqueued: how many descriptors did it take, and were as many foretold? */
static int
took(struct at_env *env, uint16_t before, int ret, const struct rte_umr_op_shape *shape)
{
	const uint16_t after = rte_umr_desc_avail(env->tx->dev_id, 0);
	struct rte_umr_op_size size;

	TEST_ASSERT(ret >= 0);
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, shape, &size));
	if (before - after != size.nb_desc)
		printf("type %u, %u entries, setters 0x%x, %u bytes:\n", shape->op,
		       shape->nb_entries, shape->setters, shape->length);
	TEST_ASSERT_EQUAL(before - after, size.nb_desc);
	return at_finish(env, 1);
}

#define TOOK(env, call, ...)                                                                       \
	do {                                                                                       \
		const uint16_t before = rte_umr_desc_avail((env)->tx->dev_id, 0);                  \
		const struct rte_umr_op_shape op_shape = { __VA_ARGS__ };                          \
		const int call_ret = (call);                                                       \
												   \
		TEST_ASSERT_SUCCESS(took(env, before, call_ret, &op_shape));                       \
	} while (0)

static int
keys_take_it(struct at_env *env)
{
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	struct rte_umr_mkey_op op;
	uint32_t i, n;

	entries_init(env);
	for (i = 0; i < RTE_DIM(counts) && counts[i] < mkey->max_entries; i++) {
		n = counts[i];
		TOOK(env, rte_umr_mkey_list(dev, 0, mkey, ACCESS, segs, n, 0),
		     .op = RTE_UMR_OP_MKEY_LIST, .nb_entries = n);
		TOOK(env, rte_umr_mkey_interleaved(dev, 0, mkey, ACCESS, 2, pattern, n, 0),
		     .op = RTE_UMR_OP_MKEY_INTERLEAVED, .nb_entries = n);
		op = (struct rte_umr_mkey_op){
			.mkey = mkey, .setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = n,
			.segs = segs,
		};
		TOOK(env, rte_umr_mkey_configure(dev, 0, &op, 0), .op = RTE_UMR_OP_MKEY_CONFIGURE,
		     .setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = n);
		op.layout = RTE_UMR_LAYOUT_INTERLEAVED;
		op.repeat = 2;
		op.interleaved = pattern;
		TOOK(env, rte_umr_mkey_configure(dev, 0, &op, 0), .op = RTE_UMR_OP_MKEY_CONFIGURE,
		     .setters = RTE_UMR_MKEY_SET_LAYOUT, .layout = RTE_UMR_LAYOUT_INTERLEAVED,
		     .nb_entries = n);
	}
	op = (struct rte_umr_mkey_op){
		.mkey = mkey, .setters = RTE_UMR_MKEY_SET_ACCESS, .access = ACCESS };
	TOOK(env, rte_umr_mkey_configure(dev, 0, &op, 0), .op = RTE_UMR_OP_MKEY_CONFIGURE,
	     .setters = RTE_UMR_MKEY_SET_ACCESS);
	TOOK(env, rte_umr_mkey_invalidate(dev, 0, mkey, 0), .op = RTE_UMR_OP_MKEY_INVALIDATE);
	return TEST_SUCCESS;
}

AT_CASE(op_desc, keys_take_what_is_told)
{
	AT_BUILD(env, .max_entries = MAX_ENTRIES);
	return keys_take_it(env);
}

AT_CASE(op_desc, updates_take_what_is_told)
{
	AT_BUILD(env, .max_entries = MAX_ENTRIES, .mkey_flags = RTE_UMR_MKEY_POOL_F_UPDATE);
	entries_init(env);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ACCEPT(at_list(env, mkey, ACCESS, segs, MAX_ENTRIES, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	for (uint32_t first = 0; first < 6; first++)
		for (uint32_t i = 0; i < RTE_DIM(counts); i++)
			TOOK(env, rte_umr_mkey_update(env->tx->dev_id, 0, mkey, first, &segs[first],
						      counts[i], 0), .op = RTE_UMR_OP_MKEY_UPDATE,
			     .first = first, .nb_entries = counts[i]);
	return TEST_SUCCESS;
}

AT_CASE(op_desc, signatures_take_what_is_told)
{
	const struct at_conf at_conf = { .max_entries = MAX_ENTRIES,
					 .nb_mkeys = 2 * RTE_DIM(counts),
					 .mkey_flags = RTE_UMR_MKEY_POOL_F_SIG };
	const uint32_t setters = RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_SIG;
	const struct rte_umr_sig_domain domain = { .type = RTE_UMR_SIG_T10DIF_CRC,
						   .block_size = BLOCK };
	struct rte_umr_mkey_op op = { .setters = setters, .segs = segs };
	struct rte_umr_sig sig = { .mem = domain, .check_mask = RTE_UMR_SIG_MASK_T10DIF };

	TEST_NEED(at_env_build_capable(env, RTE_UMR_CAPA_MKEY_SIG, &at_conf));
	entries_init(env);
	for (uint32_t nb_domains = 1; nb_domains <= 2; nb_domains++) {
		for (uint32_t i = 0; i < RTE_DIM(counts); i++) {
			op.nb_entries = counts[i];
			op.sig = &sig;
			op.mkey = AT_KEY(env->tx);
			TOOK(env, rte_umr_mkey_configure(env->tx->dev_id, 0, &op, 0),
			     .op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = setters,
			     .pool_flags = RTE_UMR_MKEY_POOL_F_SIG, .nb_entries = counts[i],
			     .nb_sig_domains = (uint8_t)nb_domains);
			op.setters = RTE_UMR_MKEY_SET_LAYOUT;
			TOOK(env, rte_umr_mkey_configure(env->tx->dev_id, 0, &op, 0),
			     .op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = op.setters,
			     .pool_flags = RTE_UMR_MKEY_POOL_F_SIG, .nb_entries = counts[i]);
			op.setters = setters;
		}
		sig.wire = domain;
	}
	return TEST_SUCCESS;
}

/* Pieces of one size, laid and exchanged. */
static int
fixed_take_it(struct at_env *env, struct rte_umr_mkey *mkey)
{
	static struct rte_umr_fixed fixed[MAX_ENTRIES];
	struct rte_umr_mkey_op op = { .mkey = mkey, .setters = RTE_UMR_MKEY_SET_LAYOUT,
				      .layout = RTE_UMR_LAYOUT_FIXED, .fixed = fixed };
	uint32_t i, n;

	for (i = 0; i < MAX_ENTRIES; i++) {
		fixed[i] = (struct rte_umr_fixed){ .addr = at_addr(env->tx, 0),
						   .lkey = env->tx->mr->lkey };
		segs[i] = at_seg(env->tx, 0, 1u << LOG_FIXED);
	}
	for (i = 0; i < RTE_DIM(counts); i++) {
		n = op.nb_entries = counts[i];
		TOOK(env, rte_umr_mkey_configure(env->tx->dev_id, 0, &op, 0),
		     .op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = op.setters,
		     .layout = RTE_UMR_LAYOUT_FIXED, .pool_flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE |
		     RTE_UMR_MKEY_POOL_F_UPDATE, .nb_entries = n);
		TOOK(env, rte_umr_mkey_update(env->tx->dev_id, 0, mkey, i % 4 < n ? i % 4 : 0, segs,
					      i % 4 < n ? n - i % 4 : n, 0),
		     .op = RTE_UMR_OP_MKEY_UPDATE, .first = i % 4 < n ? i % 4 : 0,
		     .nb_entries = i % 4 < n ? n - i % 4 : n);
	}
	return TEST_SUCCESS;
}

AT_CASE(op_desc, fixed_layouts_take_what_is_told)
{
	AT_BUILD(env, .max_entries = MAX_ENTRIES);
	if (env->tx->info.min_log_entry_size > LOG_FIXED ||
	    env->tx->info.max_log_entry_size < LOG_FIXED)
		TEST_SKIP("needs entries of %u bytes", 1u << LOG_FIXED);
	return fixed_take_it(env, AT_OWN_KEY(env->tx, .max_entries = MAX_ENTRIES,
					     .log_entry_size = LOG_FIXED,
					     .flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE |
						      RTE_UMR_MKEY_POOL_F_UPDATE));
}

/* An encryption, a signature where setters say so, and any layout. Of single units: one entry. */
static int
encryption_takes_it(const struct crypto_bed *bed, struct rte_umr_mkey *mkey, uint32_t pool_flags,
		    uint32_t setters)
{
	const struct rte_umr_crypto crypto = crypto_of(bed->dek, BLOCK, true);
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_T10DIF_CRC, .block_size = BLOCK },
		.check_mask = RTE_UMR_SIG_MASK_T10DIF,
	};
	struct rte_umr_mkey_op op = { .mkey = mkey, .setters = setters, .segs = segs,
				      .crypto = &crypto, .sig = &sig };

	for (uint32_t i = 0; i < RTE_DIM(counts) && (bed->is_multi || counts[i] == 1); i++) {
		op.nb_entries = counts[i];
		TOOK(bed->env, rte_umr_mkey_configure(bed->dev_id, 0, &op, 0),
		     .op = RTE_UMR_OP_MKEY_CONFIGURE, .setters = setters, .pool_flags = pool_flags,
		     .nb_entries = counts[i],
		     .nb_sig_domains = (setters & RTE_UMR_MKEY_SET_SIG) != 0);
	}
	return TEST_SUCCESS;
}

/* Keys of a pool with these flags take encryptions, with each of the setters. */
static int
encryptions_take_it(struct at_env *env, uint32_t pool_flags, const uint32_t *setters, uint32_t nb)
{
	const struct at_conf conf = { .nb_mkeys = 8, .max_entries = MAX_ENTRIES,
				      .mkey_flags = pool_flags };
	const bool has_sig = (pool_flags & RTE_UMR_MKEY_POOL_F_SIG) != 0;
	struct crypto_bed bed;
	struct rte_umr_mkey *mkey;

	TEST_NEED(crypto_bed_build(&bed, env, has_sig ? RTE_UMR_CAPA_MKEY_SIG : 0, &conf));
	for (uint32_t i = 0; i < MAX_ENTRIES; i++)
		segs[i] = at_seg(env->tx, 0, BLOCK);
	for (uint32_t i = 0; i < nb; i++) {
		mkey = AT_KEY(env->tx);
		TEST_ASSERT_SUCCESS(encryption_takes_it(&bed, mkey, pool_flags, setters[i]));
	}
	TEST_ASSERT_SUCCESS(rte_umr_dek_destroy(bed.dek));
	return rte_umr_crypto_login_destroy(bed.login);
}

static const uint32_t encryption_setters[] = {
	RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_CRYPTO,
	RTE_UMR_MKEY_SET_ACCESS_LAYOUT | RTE_UMR_MKEY_SET_CRYPTO,
	/* Of a key with places for both. */
	RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_CRYPTO | RTE_UMR_MKEY_SET_SIG,
};

AT_CASE_CALL(op_desc, encryptions_take_what_is_told,
	encryptions_take_it(env, RTE_UMR_MKEY_POOL_F_CRYPTO, encryption_setters,
			    RTE_DIM(encryption_setters) - 1))
AT_CASE_CALL(op_desc, signed_encryptions_take_what_is_told,
	encryptions_take_it(env, RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_SIG,
			    encryption_setters, RTE_DIM(encryption_setters)))

/* Each segment of the same bytes; a list has one length. */
static int
lists_take_it(struct at_env *env, uint64_t addr, uint32_t rkey)
{
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_WRITE, .length = 64 };
	struct rte_umr_op_size size;

	entries_init(env);
	for (uint32_t nb = 1; nb <= 27; nb++) {
		TOOK(env, rte_umr_write_list(dev, 0, segs, nb, addr, rkey, 0),
		     .op = RTE_UMR_OP_WRITE, .length = nb * 64, .nb_entries = nb);
		TOOK(env, rte_umr_read_list(dev, 0, segs, nb, addr, rkey, 0), .op = RTE_UMR_OP_READ,
		     .length = nb * 64, .nb_entries = nb);
	}
	TOOK(env, rte_umr_write_list(dev, 0, segs, 58, addr, rkey, 0), .op = RTE_UMR_OP_WRITE,
	     .length = 58 * 64, .nb_entries = 58);
	TOOK(env, rte_umr_write_list(dev, 0, segs, 3, addr, rkey, RTE_UMR_OP_F_INLINE),
	     .op = RTE_UMR_OP_WRITE, .flags = RTE_UMR_OP_F_INLINE, .length = 3 * 64,
	     .nb_entries = 3);
	shape.nb_entries = 62;
	TEST_ASSERT_EQUAL(rte_umr_op_desc(dev, 0, &shape, &size), -E2BIG);
	return TEST_SUCCESS;
}

/* Of local memory to local memory, through the queue of the environment. */
static int
transfers_take_it(struct at_env *env, uint64_t addr, uint32_t rkey, uint16_t max_inline)
{
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_seg local = at_seg(env->tx, 0, 64);

	TOOK(env, rte_umr_write(dev, 0, &local, addr, rkey, 0), .op = RTE_UMR_OP_WRITE,
	     .length = 64);
	TOOK(env, rte_umr_read(dev, 0, &local, addr, rkey, 0), .op = RTE_UMR_OP_READ, .length = 64);
	TEST_ASSERT_SUCCESS(lists_take_it(env, addr, rkey));
	for (uint32_t i = 0; i < RTE_DIM(lengths) && lengths[i] <= max_inline; i++) {
		local.length = lengths[i];
		TOOK(env, rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
		     .op = RTE_UMR_OP_WRITE, .flags = RTE_UMR_OP_F_INLINE, .length = lengths[i]);
	}
	local.length = max_inline;
	TOOK(env, rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
	     .op = RTE_UMR_OP_WRITE, .flags = RTE_UMR_OP_F_INLINE, .length = max_inline);
	local.length = RTE_UMR_ATOMIC_LEN;
	TOOK(env, rte_umr_fetch_add(dev, 0, &local, addr, rkey, 1, 0), .op = RTE_UMR_OP_FETCH_ADD);
	TOOK(env, rte_umr_cmp_swap(dev, 0, &local, addr, rkey, 1, 2, 0), .op = RTE_UMR_OP_CMP_SWAP);
	return TEST_SUCCESS;
}

AT_CASE(op_desc, transfers_take_what_is_told)
{
	struct rte_umr_seg local;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(transfers_take_it(env, at_addr(env->rx, 0x10000), env->rx->mr->rkey,
					      env->tx->info.max_inline));
	for (uint32_t i = 0; i < RTE_DIM(lengths); i++) {
		local = at_seg(env->rx, 0x8000, 256);
		TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &local, 1, 0));
		local = at_seg(env->tx, 0, lengths[i]);
		TOOK(env, at_send(env, local, i % 2 == 0 ?
				       RTE_UMR_OP_F_INLINE : 0), .op = RTE_UMR_OP_SEND,
		     .flags = i % 2 == 0 ? RTE_UMR_OP_F_INLINE : 0, .length = lengths[i]);
	}
	return TEST_SUCCESS;
}

AT_CASE(op_desc, initiators_take_what_is_told)
{
	struct rte_umr_seg local;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	TEST_ASSERT_SUCCESS(keys_take_it(env));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_SUCCESS(transfers_take_it(env, at_addr(dc.targets[0].side, DC_HALF),
					      dc.targets[0].side->mr->rkey,
					      env->tx->info.max_dci_inline));
	for (uint32_t i = 0; i < 4; i++) {
		TEST_ACCEPT(dc_recv_post(&dc.targets[0], i));
		local = at_seg(env->tx, 0, i * 16);
		TOOK(env, at_send(env, local, i % 2 == 0 ?
				       RTE_UMR_OP_F_INLINE : 0), .op = RTE_UMR_OP_SEND,
		     .flags = i % 2 == 0 ? RTE_UMR_OP_F_INLINE : 0, .length = i * 16);
	}
	return TEST_SUCCESS;
}

AT_CASE(op_desc, windows_take_what_is_told)
{
	static const enum rte_umr_mw_type types[] = { RTE_UMR_MW_TYPE_1, RTE_UMR_MW_TYPE_2B };
	struct rte_umr_mw_range range = { .length = 64, .access = RTE_UMR_ACCESS_REMOTE_READ };
	struct rte_umr_mw *mw;

	AT_BUILD(env, .access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND);
	range.mr = env->tx->mr;
	range.addr = at_addr(env->tx, 0);
	for (uint32_t i = 0; i < RTE_DIM(types); i++) {
		rte_errno = 0;
		mw = rte_umr_mw_create(env->tx->dev_id, NULL, types[i]);
		if (mw == NULL && rte_errno == ENOTSUP)
			continue;
		TEST_ASSERT(mw != NULL);
		TOOK(env, rte_umr_mw_bind(env->tx->dev_id, 0, mw, &range, 0),
		     .op = RTE_UMR_OP_MW_BIND);
		TOOK(env, rte_umr_mw_invalidate(env->tx->dev_id, 0, mw, 0),
		     .op = RTE_UMR_OP_MW_INVALIDATE);
		TEST_ASSERT_SUCCESS(rte_umr_mw_destroy(mw));
	}
	return TEST_SUCCESS;
}

AT_CASE(op_desc, senseless_shapes_are_rejected)
{
	const struct rte_umr_op_shape good = { .op = RTE_UMR_OP_MKEY_CONFIGURE, .nb_entries = 1,
					       .setters = RTE_UMR_MKEY_SET_LAYOUT };
	const struct rte_umr_op_shape too_long = { .op = RTE_UMR_OP_WRITE, .length = UINT16_MAX,
						   .flags = RTE_UMR_OP_F_INLINE };
	struct rte_umr_op_size size = { .nb_desc = 77 };

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_EQUAL(rte_umr_op_desc(RTE_UMR_MAX_DEVS - 1, 0, &good, &size), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_op_desc(dev_id, 1, &good, &size), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_op_desc(dev_id, 0, NULL, &size), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_op_desc(dev_id, 0, &good, NULL), -EINVAL);
	TEST_BAD(good, op, RTE_UMR_OP_RECV, rte_umr_op_desc(dev_id, 0, &bad, &size), -EINVAL);
	TEST_BAD(good, nb_entries, 0, rte_umr_op_desc(dev_id, 0, &bad, &size), -EINVAL);
	TEST_BAD(good, layout, RTE_UMR_LAYOUT_FIXED + 1, rte_umr_op_desc(dev_id, 0, &bad, &size),
		 -EINVAL);
	TEST_BAD(good, setters, good.setters | RTE_UMR_MKEY_SET_SIG,
		 rte_umr_op_desc(dev_id, 0, &bad, &size), -EINVAL);
	TEST_BAD(good, reserved2[1], 1, rte_umr_op_desc(dev_id, 0, &bad, &size), -EINVAL);
	TEST_BAD(good, nb_entries, UINT32_MAX, rte_umr_op_desc(dev_id, 0, &bad, &size), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_op_desc(dev_id, 0, &too_long, &size), -ERANGE);
	TEST_ASSERT_EQUAL(size.nb_desc, 77);
	return TEST_SUCCESS;
}

/* Lists that do not fit the ring take their entries elsewhere: as many as the queue has. */
AT_CASE(op_desc, list_memory_takes_what_is_told)
{
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1,
						       .nb_list_entries = SMALL_LIST_MEM };
	struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_LIST, .nb_entries = 100 };
	struct rte_umr_op_size size;

	AT_BUILD(env, .max_entries = MAX_ENTRIES);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->tx->dev_id, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &shape, &size));
	TEST_ASSERT_EQUAL(size.nb_list_entries, SMALL_LIST_MEM / 2);
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
	entries_init(env);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ACCEPT(at_list(env, mkey, ACCESS, segs, 100, 0));
	TEST_ACCEPT(at_list(env, mkey, ACCESS, segs, 100, 0));
	TEST_ASSERT_EQUAL(at_list(env, mkey, ACCESS, segs, 100, 0), -ENOSPC);
	return at_finish(env, 2);
}

/* What is told for up to so many entries is the maximum of what is told for each number. */
static int
most_is_told(struct at_env *env, struct rte_umr_op_shape shape)
{
	struct rte_umr_op_size most = { 0 }, size;

	for (uint32_t n = 1; n <= MAX_ENTRIES; n++) {
		shape.nb_entries = n;
		shape.is_up_to = false;
		TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &shape, &size));
		most.nb_desc = RTE_MAX(most.nb_desc, size.nb_desc);
		most.nb_list_entries = RTE_MAX(most.nb_list_entries, size.nb_list_entries);
		shape.is_up_to = true;
		TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &shape, &size));
		if (size.nb_desc != most.nb_desc || size.nb_list_entries != most.nb_list_entries)
			TEST_FAIL_AT("type %u, setters 0x%x, layout %u, first %u, up to %u: %u of "
				     "%u descriptors, %u of %u entries", shape.op, shape.setters,
				     shape.layout, shape.first, n, size.nb_desc, most.nb_desc,
				     size.nb_list_entries, most.nb_list_entries);
	}
	return TEST_SUCCESS;
}

AT_CASE(op_desc, most_up_to_is_the_maximum)
{
	struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_CONFIGURE };

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (shape.setters = 0; shape.setters <= RTE_UMR_MKEY_SET_ALL; shape.setters++)
		for (shape.layout = 0; shape.layout <= RTE_UMR_LAYOUT_FIXED; shape.layout++)
			for (uint8_t nb = 1; nb <= 2; nb++) {
				shape.nb_sig_domains = nb;
				TEST_ASSERT_SUCCESS(most_is_told(env, shape));
			}
	shape = (struct rte_umr_op_shape){ .op = RTE_UMR_OP_MKEY_LIST };
	TEST_ASSERT_SUCCESS(most_is_told(env, shape));
	shape.op = RTE_UMR_OP_MKEY_INTERLEAVED;
	TEST_ASSERT_SUCCESS(most_is_told(env, shape));
	shape.op = RTE_UMR_OP_MKEY_UPDATE;
	for (shape.first = 0; shape.first < 6; shape.first++)
		TEST_ASSERT_SUCCESS(most_is_told(env, shape));
	return TEST_SUCCESS;
}

/* A list of any length is let in where there is room for the write behind it as well. */
AT_CASE(op_desc, guarded_list_leaves_room_for_its_write)
{
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_LIST, .is_up_to = true,
						.nb_entries = 128 };
	const struct rte_umr_op_shape write = { .op = RTE_UMR_OP_WRITE };
	struct rte_umr_op_size size, write_size;
	uint16_t nb_ops = 0;

	AT_BUILD(env, .nb_desc = 64, .max_entries = MAX_ENTRIES);
	const int16_t dev_id = env->tx->dev_id;
	entries_init(env);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	const struct rte_umr_seg local = at_key_seg(mkey, 0, 64);
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(dev_id, 0, &shape, &size));
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(dev_id, 0, &write, &write_size));
	for (uint32_t i = 0; i < 200; i++) {
		if (rte_umr_desc_avail(dev_id, 0) < size.nb_desc + write_size.nb_desc) {
			TEST_ASSERT_SUCCESS(at_finish(env, nb_ops));
			nb_ops = 0;
		}
		TEST_ACCEPT(rte_umr_mkey_list(dev_id, 0, mkey, ACCESS, segs, 1 + i * 7 % 128, 0));
		TEST_ACCEPT(rte_umr_write(dev_id, 0, &local, at_addr(env->rx, AT_BUF_LEN / 2),
					  env->rx->mr->rkey, 0));
		nb_ops += 2;
	}
	return at_finish(env, nb_ops);
}
