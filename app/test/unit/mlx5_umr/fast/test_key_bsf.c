/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two functions configure keys: a quick one for what is usual, and one for everything. Random
 * requests, good and bad, go to both, each with a key and a queue of its own: they must return the
 * same, write the same bytes, and leave the same behind.
 */

#define TEST_NB_WQEBB 64u

#include "budget.h"
#include "plan/configure.h"
#include "ring/mkey.h"
#include "test_queue.h"

#define NB_STEPS	(8 * test_nb_cases())
#define NB_CHUNKS	8u
#define MAX_ENTRIES	64u
#define FEW_ENTRIES	6u
#define NB_SIGS		6u
#define NB_CRYPTOS	6u

/* One side. */
struct side {
	struct test_queue *t;
	struct test_keys keys;
	struct rte_umr_mkey *mkey;
	struct mlx5_umr_key_sig *sig;	/* NULL: not supported */
	struct mlx5_umr_key_crypto *crypto;	/* NULL: not supported */
	uint8_t klms[MAX_ENTRIES * PRM_KLM_SIZE] __rte_aligned(16);
};

/* A request. */
struct request {
	struct rte_umr_mkey_op conf;
	struct rte_umr_seg segs[MAX_ENTRIES + 4];
	struct rte_umr_interleaved interleaved[MAX_ENTRIES + 4];
	struct rte_umr_fixed fixed[MAX_ENTRIES + 4];
	struct rte_umr_sig sig;
	struct rte_umr_crypto crypto;
	uint64_t flags;
};

static struct side quick, general;
/* The same for both: its address is in WQEs. */
static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint32_t seed;
static struct rte_umr_dek deks[] = {
	{ .id = 0x112233, .dev_id = TEST_DEV_ID },
	{ .id = 0x445566, .dev_id = TEST_DEV_ID },
	{ .id = 0x778899, .dev_id = TEST_DEV_ID + 1 },
};

static uint32_t
rnd(uint32_t nb)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % nb;
}

/* One of many. */
static bool
seldom(void)
{
	return rnd(40) == 0;
}

static void
side_init(struct side *side, uint16_t key_flags, bool has_multi_block)
{
	struct mlx5_umr_mkey_priv *priv;

	memset(side, 0, sizeof(*side));
	side->t = test_queue_new();
	test_klm_mem_set(side->t, memory, NB_CHUNKS);
	side->t->queue.relaxed_mkey_mask = PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE |
					   PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ;
	side->t->dev.sig_caps = (struct mlx5_umr_sig_caps){
		.types = 0x3e, .block_sizes = 0x1b, .trans_types = RTE_BIT32(RTE_UMR_SIG_CRC32C),
	};
	side->t->dev.caps.crypto = (struct mlx5_umr_crypto_caps){
		.has_xts = true, .has_multi_block = has_multi_block,
	};
	side->mkey = test_keys_set(&side->keys, 0, MAX_ENTRIES, key_flags);
	side->mkey->log_entry_size = 12;
	priv = rte_umr_mkey_priv(side->mkey);
	priv->klms = side->klms;
	if ((key_flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0)
		side->crypto = mlx5_umr_mkey_crypto(side->mkey);
	if ((key_flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)
		return;
	side->sig = mlx5_umr_mkey_sig(side->mkey);
	side->sig->psv[0] = 0x111111;
	side->sig->psv[1] = 0x222222;
	assert_int_equal(mlx5_umr_sig_keys_add(&side->t->dev.sig_keys, side->mkey->key >> 8,
					       side->sig), 0);
}

static void
side_fini(struct side *side)
{
	mlx5_umr_sig_keys_fini(&side->t->dev.sig_keys);
	free(side->t);
}

static struct rte_umr_sig_domain
domain_random(void)
{
	static const uint16_t sizes[] = { 512, 520, 4048, 4096, 4160, 513, 0 };
	struct rte_umr_sig_domain domain = {
		.type = rnd(6), .flags = rnd(2),
		.block_size = sizes[rnd(rnd(8) == 0 ? RTE_DIM(sizes) : 2)],
		.app_tag = (uint16_t)rnd(3), .ref_tag = rnd(3),
	};

	if (mlx5_umr_sig_is_t10dif(&domain))
		domain.flags = rnd(16);
	/* One over all the data, mostly good. */
	if (domain.type == RTE_UMR_SIG_CRC32C && rnd(2)) {
		domain.flags |= RTE_UMR_SIG_DOMAIN_F_TRANSACTION;
		domain.block_size = seldom() ? 512 : 0;
	}
	if (seldom())
		domain.type = 6 + rnd(3);
	if (seldom())
		domain.flags = rnd(64);
	return domain;
}

/* Few signatures, so that the same come again; and the same with other tags. */
static void
sig_random(struct request *req)
{
	uint32_t before = seed, tags;

	seed = rnd(NB_SIGS) * 7919;
	req->sig = (struct rte_umr_sig){
		.mem = domain_random(), .wire = domain_random(), .check_mask = (uint8_t)rnd(256),
	};
	if (rnd(3) == 0)
		req->sig.wire = req->sig.mem;
	if (rnd(4) == 0)
		req->sig.wire.type = RTE_UMR_SIG_NONE;
	else if (rnd(4) == 0)
		req->sig.mem.type = RTE_UMR_SIG_NONE;
	if (rnd(4) == 0) {
		req->sig.flags = RTE_UMR_SIG_F_COPY_MASK;
		req->sig.copy_mask = (uint8_t)rnd(256);
	}
	if (rnd(2) && mlx5_umr_sig_is_trans(&req->sig))
		req->sig.check_mask = 0xff;
	seed = before;
	if (rnd(4) == 0) {
		const struct rte_umr_sig_domain whole = {
			.type = RTE_UMR_SIG_CRC32C,
			.flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION |
				 (rnd(2) ? RTE_UMR_SIG_DOMAIN_F_SEED_ONES : 0),
		};

		req->sig = (struct rte_umr_sig){ .check_mask = RTE_UMR_SIG_MASK_CRC32 };
		*(rnd(2) ? &req->sig.mem : &req->sig.wire) = whole;
	}
	tags = rnd(8);
	req->sig.mem.ref_tag += tags & 1;
	req->sig.wire.ref_tag += tags >> 1 & 1;
	req->sig.wire.app_tag += (uint16_t)(tags >> 2);
	req->sig.reserved = seldom();
	req->sig.flags |= seldom() ? 2 : 0;
}

static void
crypto_random(struct request *req)
{
	static const uint16_t sizes[] = { 512, 4096, 520, 4160, 4048, 1024, 0 };
	uint32_t before = seed;

	seed = rnd(NB_CRYPTOS) * 104729;
	req->crypto = (struct rte_umr_crypto){
		.dek = &deks[rnd(rnd(8) == 0 ? RTE_DIM(deks) : 2)],
		.order = rnd(2),
		.encrypt_on_tx = rnd(2),
		.data_unit_size = sizes[rnd(rnd(6) == 0 ? RTE_DIM(sizes) : 2)],
	};
	seed = before;
	for (uint32_t i = 0; i < RTE_UMR_TWEAK_LEN; i++)
		req->crypto.tweak[i] = (uint8_t)rnd(256);
	for (uint32_t i = 0; i < RTE_UMR_KEYTAG_LEN; i++)
		req->crypto.keytag[i] = (uint8_t)rnd(256);
	req->crypto.reserved = seldom();
	req->crypto.reserved2 = seldom();
	req->crypto.reserved3 = seldom();
	req->crypto.standard = seldom();
	if (seldom())
		req->crypto.order = 2;
	if (seldom())
		req->crypto.dek = NULL;
}

static void
layout_random(struct request *req)
{
	uint32_t nb = rnd(rnd(4) == 0 ? MAX_ENTRIES + 4 : 8), i;

	req->conf.layout = rnd(6) < 4 ? RTE_UMR_LAYOUT_LIST : rnd(4);
	req->conf.nb_entries = nb;
	req->conf.repeat = rnd(8) == 0 ? 0 : 1 + rnd(5);
	for (i = 0; i < RTE_DIM(req->segs); i++) {
		req->segs[i] = (struct rte_umr_seg){ seed, 1 + rnd(600), 0x100 + i };
		req->interleaved[i] = (struct rte_umr_interleaved){ seed, 1 + rnd(99), rnd(99), i };
		req->fixed[i] = (struct rte_umr_fixed){ seed, 0x200 + i, 0 };
	}
	i = nb != 0 ? rnd(nb) : 0;
	if (seldom())
		req->segs[i].length = rnd(2) ? 0 : UINT32_C(0x80000001);
	/* More than a format can have. */
	if (rnd(8) == 0)
		req->segs[0].length = req->segs[1].length = UINT32_C(1) << 31;
	if (seldom())
		req->interleaved[i].bytes_skip = UINT16_MAX;
	if (seldom())
		req->interleaved[i].bytes_count = 0;
	req->fixed[i].reserved = seldom();
	if (req->conf.layout == RTE_UMR_LAYOUT_LIST)
		req->conf.segs = req->segs;
	else if (req->conf.layout == RTE_UMR_LAYOUT_INTERLEAVED)
		req->conf.interleaved = req->interleaved;
	else
		req->conf.fixed = req->fixed;
}

static void
request_random(struct request *req, uint16_t key_flags)
{
	memset(req, 0, sizeof(*req));
	layout_random(req);
	sig_random(req);
	crypto_random(req);
	/* Every second time all that is usual. */
	req->conf.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			    (key_flags & (RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO))
				    << 2;
	if (rnd(2))
		req->conf.setters &= rnd(RTE_UMR_MKEY_SET_ALL + 1);
	if (rnd(10) == 0)
		req->conf.setters = rnd(2 * RTE_UMR_MKEY_SET_ALL);
	req->conf.access = rnd(16);
	if (seldom())
		req->conf.access |= RTE_UMR_ACCESS_RELAXED_ORDERING;
	if (seldom())
		req->conf.access = rnd(2048);
	req->conf.reserved = (uint32_t)seldom() << rnd(32);
	req->conf.base_addr = (uint64_t)seldom() << rnd(64);
	req->conf.sig = seldom() ? NULL : &req->sig;
	req->conf.crypto = seldom() ? NULL : &req->crypto;
	req->flags = rnd(RTE_UMR_OP_F_ALL + 1);
	if (seldom())
		req->flags = rnd(64);
}

/* What may happen to a key and a queue between two requests. */
static void
event(struct side *side, uint32_t what)
{
	struct mlx5_umr_sig_keys *keys = &side->t->dev.sig_keys;
	struct mlx5_umr_queue *q = &side->t->queue;
	struct mlx5_cqe64 cqe = { 0 };

	if (what == 0) {
		mlx5_umr_sig_keys_flushed(keys);
	} else if (what == 1) {
		prm_set(&cqe, PRM_SIGERR_MKEY, side->mkey->key);
		mlx5_umr_sig_keys_take(keys, &cqe);
	} else if (what == 2) {
		if (side->sig != NULL)
			mlx5_umr_key_sig_recycle(side->sig);
		if (side->crypto != NULL)
			mlx5_umr_key_crypto_recycle(side->crypto);
		side->mkey->key = (side->mkey->key & ~0xffu) | ((side->mkey->key + 1) & 0xff);
	} else if (what == 3) {
		side->mkey->dev_id ^= 1;
	} else if (what == 4) {
		q->error = q->error != 0 ? 0 : -EIO;
	} else if (what == 5) {
		side->mkey->max_entries = MAX_ENTRIES + FEW_ENTRIES - side->mkey->max_entries;
	} else if (what <= 60) {
		/* All has been collected. */
		q->op_ci = q->op_pi;
		q->sq_end = q->sq_pi + TEST_NB_WQEBB;
		mlx5_umr_klm_mem_collect(&q->klm_mem, q->op_ci);
	}
}

static void
both_event(uint32_t what)
{
	event(&quick, what);
	event(&general, what);
}

static void
sigs_compare(const struct mlx5_umr_key_sig *a, const struct mlx5_umr_key_sig *b)
{
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->armed_at, b->armed_at);
	assert_int_equal(a->epoch, b->epoch);
	assert_int_equal(a->is_set, b->is_set);
	assert_int_equal(a->has_bsf, b->has_bsf);
	assert_int_equal(a->is_quick, b->is_quick);
	assert_memory_equal(&a->sig, &b->sig, sizeof(a->sig));
	assert_int_equal(a->image.nb_psv, b->image.nb_psv);
	assert_memory_equal(a->image.bsf, b->image.bsf, sizeof(a->image.bsf));
	assert_memory_equal(a->image.psvs, b->image.psvs,
			    a->image.nb_psv * sizeof(a->image.psvs[0]));
}

static void
cryptos_compare(const struct mlx5_umr_key_crypto *a, const struct mlx5_umr_key_crypto *b)
{
	assert_int_equal(a->state.is_set, b->state.is_set);
	assert_int_equal(a->state.order, b->state.order);
	assert_int_equal(a->state.unit_size, b->state.unit_size);
	assert_int_equal(a->state.epoch, b->state.epoch);
	assert_int_equal(a->state.len, b->state.len);
	assert_int_equal(a->state.len_max, b->state.len_max);
	assert_int_equal(a->state.len_max_signed, b->state.len_max_signed);
	assert_int_equal(a->state.has_bsf, b->state.has_bsf);
	assert_memory_equal(&a->what, &b->what, sizeof(a->what));
	assert_memory_equal(&a->bsf, &b->bsf, sizeof(a->bsf));
}

static void
sides_compare(void)
{
	const struct mlx5_umr_queue *a = &quick.t->queue, *b = &general.t->queue;

	assert_memory_equal(quick.t->sq, general.t->sq, TEST_NB_WQEBB * PRM_WQE_BB_SIZE);
	assert_memory_equal(quick.t->ops, general.t->ops, sizeof(quick.t->ops));
	assert_memory_equal(quick.mkey, general.mkey, offsetof(struct rte_umr_mkey, is_unknown));
	assert_memory_equal(quick.klms, general.klms, sizeof(quick.klms));
	assert_int_equal(a->sq_pi, b->sq_pi);
	assert_int_equal(a->op_pi, b->op_pi);
	assert_int_equal(a->fm_next, b->fm_next);
	assert_int_equal(a->multi_pi, b->multi_pi);
	assert_memory_equal(a->nb_rejects, b->nb_rejects, sizeof(a->nb_rejects));
	assert_int_equal(a->klm_mem.head, b->klm_mem.head);
	if (quick.sig != NULL)
		sigs_compare(quick.sig, general.sig);
	if (quick.crypto != NULL)
		cryptos_compare(quick.crypto, general.crypto);
}

/* Take back what the quick way began before it left the operation to the general one. */
static void
quick_restore(uint32_t pi, bool is_rejected)
{
	struct mlx5_umr_queue *q = &quick.t->queue;
	uint32_t nb_ds, used;
	size_t at;

	test_sq_restore(quick.t, general.t->sq, is_rejected ? MLX5_UMR_HDR_WQEBB : 0);
	/* What WQEs leave of their last blocks. */
	for (; pi != q->sq_pi; pi += (nb_ds + PRM_WQE_DS_PER_BB - 1) / PRM_WQE_DS_PER_BB) {
		nb_ds = quick.t->sq[(pi & q->sq_mask) * PRM_WQE_BB_SIZE + 7] & 0x3f;
		used = nb_ds % PRM_WQE_DS_PER_BB * PRM_WQE_DS_SIZE;
		if (used == 0)
			continue;
		at = ((pi + nb_ds / PRM_WQE_DS_PER_BB) & q->sq_mask) * (size_t)PRM_WQE_BB_SIZE +
		     used;
		memcpy(quick.t->sq + at, general.t->sq + at, PRM_WQE_BB_SIZE - used);
	}
}

#define MAX_BURST	4u

/*
 * A burst of operations that differ in tags, tweaks and the first length, against calls of the
 * general function.
 *
 * @return
 *   As the burst.
 */
static int
burst_run(const struct request *req, uint32_t nb)
{
	const uint64_t fence = req->flags > RTE_UMR_OP_F_ALL ? req->flags :
							      req->flags & RTE_UMR_OP_F_FENCE;
	struct rte_umr_mkey_op ops[MAX_BURST];
	struct rte_umr_crypto cryptos[MAX_BURST];
	struct rte_umr_sig sigs[MAX_BURST];
	int ret, nb_done = 0, one = 0;

	for (uint32_t i = 0; i < nb; i++) {
		ops[i] = req->conf;
		ops[i].mkey = quick.mkey;
		sigs[i] = req->sig;
		sigs[i].mem.ref_tag += rnd(2);
		cryptos[i] = req->crypto;
		cryptos[i].tweak[i] ^= (uint8_t)rnd(256);
		if (req->conf.sig != NULL)
			ops[i].sig = &sigs[i];
		if (req->conf.crypto != NULL)
			ops[i].crypto = &cryptos[i];
	}
	ret = test_isa->mkey_configure_burst(&quick.t->queue, ops, (uint16_t)nb, req->flags);
	for (uint32_t i = 0; i < nb && one >= 0; i++) {
		ops[i].mkey = general.mkey;
		one = mlx5_umr_mkey_configure_general(&general.t->queue, &ops[i],
						      i == 0 ? fence : 0);
		nb_done += one >= 0;
	}
	if (nb_done != 0 && (req->flags & RTE_UMR_OP_F_SUBMIT) != 0)
		mlx5_umr_submit(&general.t->queue);
	assert_int_equal(ret, nb_done != 0 ? nb_done : one);
	return ret;
}

/* @return Whether the request was accepted, as a whole. */
static bool
request_run(struct request *req)
{
	const uint32_t pi = quick.t->queue.sq_pi, nb = rnd(MAX_BURST + 1);
	bool is_good;
	int ret;

	if (nb == 0) {
		ret = test_configure(&quick.t->queue, quick.mkey, &req->conf, req->flags);
		req->conf.mkey = general.mkey;
		assert_int_equal(mlx5_umr_mkey_configure_general(&general.t->queue, &req->conf,
								 req->flags), ret);
		is_good = ret >= 0;
	} else {
		is_good = burst_run(req, nb) == (int)nb;
	}
	quick_restore(pi, !is_good);
	return is_good;
}

/* @return Requests that were accepted. */
static uint32_t
run_with(uint16_t key_flags, bool has_multi_block)
{
	static struct request req;
	uint32_t i, what, nb_good = 0;

	seed = test_seed();
	side_init(&quick, key_flags, has_multi_block);
	side_init(&general, key_flags, has_multi_block);
	for (i = 0; i < NB_STEPS; i++) {
		request_random(&req, key_flags);
		nb_good += request_run(&req);
		sides_compare();
		what = rnd(64);
		if (what == 6)
			deks[rnd(2)].state ^= RTE_UMR_DEK_ERROR;
		else if (what == 7)
			deks[rnd(2)].id ^= 1;
		both_event(what);
		/* Nobody waits long in error, or with the wrong device. */
		if (quick.t->queue.error != 0 && rnd(4) == 0)
			both_event(4);
		if (quick.mkey->dev_id != TEST_DEV_ID && rnd(4) == 0)
			both_event(3);
	}
	side_fini(&quick);
	side_fini(&general);
	return nb_good;
}

CASE(quick_and_general_do_the_same)
{
	static const uint16_t key_flags[] = {
		0, RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE, RTE_UMR_MKEY_POOL_F_SIG,
		RTE_UMR_MKEY_POOL_F_CRYPTO, RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO,
		RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_UPDATE,
		RTE_UMR_MKEY_POOL_F_CRYPTO | RTE_UMR_MKEY_POOL_F_FIXED_SIZE,
		RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING,
		RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING,
	};

	for (size_t i = 0; i < RTE_DIM(key_flags); i++) {
		assert_uint_in_range(run_with(key_flags[i], true), NB_STEPS / 20, NB_STEPS);
		assert_uint_in_range(run_with(key_flags[i], false), NB_STEPS / 40, NB_STEPS);
	}
}

/* A key of 4 GiB has no formats, also if its layout is older than they are. */
CASE(length_of_an_older_layout_counts)
{
	const struct rte_umr_seg segs[] = { { 0, UINT32_C(1) << 31, 1 },
					    { 0, UINT32_C(1) << 31, 1 } };
	const struct rte_umr_sig sig = {
		.mem = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 },
	};
	const struct rte_umr_crypto crypto = { .dek = &deks[0], .data_unit_size = 512 };
	struct rte_umr_mkey_op conf = {
		.nb_entries = 2, .segs = segs, .sig = &sig, .crypto = &crypto,
	};

	deks[0].state = RTE_UMR_DEK_READY;
	for (uint16_t format = RTE_UMR_MKEY_POOL_F_SIG; format <= RTE_UMR_MKEY_POOL_F_CRYPTO;
	     format++) {
		side_init(&quick, format, true);
		conf.setters = RTE_UMR_MKEY_SET_LAYOUT;
		assert_int_equal(test_configure(&quick.t->queue, quick.mkey, &conf, 0), 0);
		conf.setters = format << 2;
		assert_int_equal(test_configure(&quick.t->queue, quick.mkey, &conf, 0), -ERANGE);
		assert_int_equal(quick.t->queue.sq_pi, 3);
		side_fini(&quick);
	}
}

int
main(void)
{
	return test_run_isas();
}
