/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transaction signatures: the WQEs of the driver beside those that SPDK posts for the same request
 * (spdk_wqe.h, whose bytes swhca/test_spdk.c compares with what SPDK's builders wrote). What
 * differs is named here, field by field, with the reason; all other bytes are the same.
 */

#include "spdk_wqe.h"
#include "test_queue.h"

#include "plan/configure.h"
#include "ring/mkey.h"

#define PSV_MEM		0x111111
#define PSV_WIRE	0x222222
#define ACCESS		(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ)
#define DATA_LEN	0x1010u

/* A queue and a key with places for formats. */
static struct {
	struct test_queue *t;
	struct test_keys keys;
	struct rte_umr_mkey *mkey;
	struct mlx5_umr_key_sig *sig;
} bed;

static const struct rte_umr_dek dek = { .id = 0x112233, .dev_id = TEST_DEV_ID };

static int
setup(void **state)
{
	memset(&bed, 0, sizeof(bed));
	bed.t = test_queue_new();
	bed.t->dev.sig_caps = (struct mlx5_umr_sig_caps){
		.types = 0x3e, .block_sizes = 0x1f, .trans_types = RTE_BIT32(RTE_UMR_SIG_CRC32C),
	};
	bed.t->dev.caps.crypto = (struct mlx5_umr_crypto_caps){
		.has_xts = true, .has_multi_block = true,
	};
	bed.mkey = test_keys_set(&bed.keys, 0, 16, RTE_UMR_MKEY_POOL_F_SIG);
	bed.sig = mlx5_umr_mkey_sig(bed.mkey);
	bed.sig->psv[MLX5_UMR_SIG_MEM] = PSV_MEM;
	bed.sig->psv[MLX5_UMR_SIG_WIRE] = PSV_WIRE;
	return mlx5_umr_sig_keys_add(&bed.t->dev.sig_keys, bed.mkey->key >> 8, bed.sig);
}

/* A key that encrypts, too. */
static int
setup_both(void **state)
{
	int ret = setup(state);

	bed.mkey->flags |= RTE_UMR_MKEY_POOL_F_CRYPTO;
	return ret;
}

static int
teardown(void **state)
{
	mlx5_umr_sig_keys_fini(&bed.t->dev.sig_keys);
	free(bed.t);
	return 0;
}

static struct rte_umr_sig
trans_sig(bool is_wire, bool seed_ones)
{
	const struct rte_umr_sig_domain domain = {
		.type = RTE_UMR_SIG_CRC32C,
		.flags = RTE_UMR_SIG_DOMAIN_F_TRANSACTION |
			 (seed_ones ? RTE_UMR_SIG_DOMAIN_F_SEED_ONES : 0),
	};
	struct rte_umr_sig sig = { .check_mask = RTE_UMR_SIG_MASK_CRC32 };

	if (is_wire)
		sig.wire = domain;
	else
		sig.mem = domain;
	return sig;
}

/* Two pieces of len bytes. */
static int
configure(uint32_t setters, const struct rte_umr_sig *sig, const struct rte_umr_crypto *crypto,
	  uint32_t len)
{
	const struct rte_umr_seg segs[] = { { 0x1122334455667788, len - 1, 0xaabbcc00 },
					    { 0x99, 1, 0x77 } };
	const struct rte_umr_mkey_op conf = {
		.setters = setters, .access = ACCESS, .nb_entries = 2, .segs = segs, .sig = sig,
		.crypto = crypto,
	};

	return test_configure(&bed.t->queue, bed.mkey, &conf, 0);
}

static void
ring_restart(void)
{
	bed.t->queue.op_ci = bed.t->queue.op_pi;
	bed.t->queue.sq_pi = 0;
	bed.t->queue.sq_end = TEST_NB_WQEBB;
}

/* The same at the beginning of the ring, and accepted. */
static void
configured(uint32_t setters, const struct rte_umr_sig *sig, const struct rte_umr_crypto *crypto,
	   uint32_t len)
{
	ring_restart();
	assert_true(configure(setters, sig, crypto, len) >= 0);
}

#define LAYOUT	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT)
#define WITH_SIG (LAYOUT | RTE_UMR_MKEY_SET_SIG)

static const struct spdk_sge sges[] = {
	{ 0x1122334455667788, DATA_LEN - 1, 0xaabbcc00 }, { 0x99, 1, 0x77 },
};

static uint64_t
get64(const uint8_t *at)
{
	uint64_t be;

	memcpy(&be, at, sizeof(be));
	return rte_be_to_cpu_64(be);
}

static uint32_t
get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Each byte that the driver writes otherwise, taken out of a copy. */
static void
umr_compare(const uint8_t *ours, uint8_t *theirs, uint32_t len)
{
	uint8_t copy[SPDK_MAX_WQE];

	memcpy(copy, ours, len);
	/* Completion and fence are the queue's: SPDK says NO_FLUSH_ERROR, here a fence is due. */
	assert_int_equal(copy[11] & ~PRM_CTRL_FM_INITIATOR_SMALL, 0);
	copy[11] = theirs[11];
	/*
	 * mkey_mask: SPDK gives rights when it creates a key, sets bsf_en there for good, and never
	 * changes a tag. Here these are part of a request: access (18 to 21), BSF_ENABLE (12), tag
	 * (13).
	 */
	assert_int_equal(get64(copy + 24) ^ get64(theirs + 24),
			 UINT64_C(0xf) << 18 | 1 << 13 | 1 << 12);
	memcpy(copy + 24, theirs + 24, 8);
	/* So are the fields of the key context: rights, tag, bsf_en. */
	assert_int_equal(copy[66], 0x18); /* rr, lw */
	assert_int_equal(get32(copy + 68), 0xffffff00 | (bed.mkey->key & 0xff));
	assert_int_equal(get32(copy + 76) ^ get32(theirs + 76), 1u << 30);
	memcpy(copy + 64, theirs + 64, 16);
	assert_memory_equal(copy, theirs, len);
}

/* SPDK sets a PSV only after an error; the driver also with the first transaction of a key. */
static void
psv_compare(const uint8_t *ours, uint16_t pi, uint32_t psv, uint32_t seed)
{
	const struct spdk_ctrl ctrl = { pi, TEST_QPN, PRM_CTRL_FM_INITIATOR_SMALL };
	uint8_t theirs[SPDK_MAX_WQE];

	spdk_set_psv(theirs, &ctrl, psv, seed);
	assert_memory_equal(ours, theirs, 32);
}

/* Both domains, both seeds. */
CASE_WITH(wqes_are_those_of_spdk, setup, teardown)
{
	const struct spdk_ctrl ctrl = { 0, TEST_QPN, SPDK_CE_NO_FLUSH_ERROR };
	uint8_t theirs[SPDK_MAX_WQE];
	uint32_t what, len;

	for (what = 0; what < 4; what++) {
		const bool is_wire = what & 1;
		const struct rte_umr_sig sig = trans_sig(is_wire, what & 2);
		const struct spdk_sig attr = {
			.seed = what & 2 ? UINT32_MAX : 0,
			.psv = is_wire ? PSV_WIRE : PSV_MEM,
			.is_wire = is_wire,
			/* Both arm a key with each request, to begin with for the first error. */
			.sigerr_count = 1,
			.raw_data_size = is_wire ? DATA_LEN : DATA_LEN - 4,
			.init = true,
			.check_gen = true,
		};

		assert_int_equal(configure(WITH_SIG, &sig, NULL, DATA_LEN), what);
		len = spdk_umr_sig(theirs, &ctrl, bed.mkey->key, DATA_LEN, sges, 2, &attr);
		assert_int_equal(len, 4 * 64);
		umr_compare(bed.t->sq, theirs, len);
		psv_compare(bed.t->sq + 4 * 64, 4, attr.psv, attr.seed);
		assert_int_equal(bed.t->queue.sq_pi, 5);
		ring_restart();
	}
}

/* Beside an encryption: what Mellanox' SPDK posts, but for the length in the format of crypto. */
CASE_WITH(encrypted_transactions_are_those_of_spdk, setup_both, teardown)
{
	uint8_t theirs[SPDK_MAX_WQE];
	uint32_t what, pi = 0, len;

	for (what = 0; what < 2; what++) {
		const bool is_wire = what == 0;
		const struct rte_umr_sig sig = trans_sig(is_wire, true);
		const struct rte_umr_crypto crypto = {
			.dek = &dek,
			.order = is_wire ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE,
			.encrypt_on_tx = is_wire,
			.data_unit_size = 512,
			.tweak = { 8, 7, 6, 5, 4, 3, 2, 1 },
			.keytag = { 0x11, 0x12 },
		};
		const struct spdk_crypto attr = {
			is_wire ? 2 : 3, 1, true, dek.id, 0x0102030405060708, { 0x11, 0x12 },
		};
		const struct spdk_sig sig_attr = {
			UINT32_MAX, is_wire ? PSV_WIRE : PSV_MEM, is_wire, 1,
			is_wire ? DATA_LEN : DATA_LEN - 4, true, true,
		};
		const struct spdk_ctrl ctrl = { (uint16_t)pi, TEST_QPN, SPDK_CE_NO_FLUSH_ERROR };

		assert_int_equal(configure(WITH_SIG | RTE_UMR_MKEY_SET_CRYPTO, &sig, &crypto,
					   DATA_LEN), what);
		len = spdk_umr_sig_crypto(theirs, &ctrl, bed.mkey->key, DATA_LEN, sges, 2,
					  &sig_attr, &attr);
		/* raw_data_size of the crypto format is without limit here, as libmlx5 has it. */
		assert_int_equal(get32(bed.t->sq + pi * 64 + 260), UINT32_MAX);
		memset(theirs + 260, 0xff, 4);
		umr_compare(bed.t->sq + pi * 64, theirs, len);
		psv_compare(bed.t->sq + (pi + 5) * 64, (uint16_t)(pi + 5), sig_attr.psv,
			    UINT32_MAX);
		pi += 6;
		assert_int_equal(bed.t->queue.sq_pi, pi);
	}
}

/* Number of blocks of the next configuration. */
static uint32_t
nb_wqebb(uint32_t setters, const struct rte_umr_sig *sig)
{
	configured(setters, sig, NULL, DATA_LEN);
	return bed.t->queue.sq_pi;
}

/* Each format starts the sum anew, so that only the error of a PSV has to be removed. */
CASE_WITH(psvs_are_set_initially_and_after_errors, setup, teardown)
{
	const struct rte_umr_sig mem = trans_sig(false, true), wire = trans_sig(true, true);

	assert_int_equal(nb_wqebb(WITH_SIG, &mem), 5);
	assert_int_equal(nb_wqebb(WITH_SIG, &mem), 4);
	assert_int_equal(nb_wqebb(LAYOUT, NULL), 4);
	assert_int_equal(nb_wqebb(RTE_UMR_MKEY_SET_ACCESS, NULL), 2);
	bed.sig->nb_errors++;
	assert_int_equal(nb_wqebb(WITH_SIG, &mem), 5);
	assert_int_equal(nb_wqebb(WITH_SIG, &mem), 4);
	/* The PSV of the other domain. */
	assert_int_equal(nb_wqebb(WITH_SIG, &wire), 5);
	assert_int_equal(nb_wqebb(WITH_SIG, &wire), 4);
	/* A reset does not set it. */
	bed.sig->nb_errors++;
	assert_int_equal(nb_wqebb(RTE_UMR_MKEY_RESET_SIG, NULL), 2);
	assert_int_equal(nb_wqebb(WITH_SIG, &wire), 5);
	/* What was flushed may have been the operation that set it. */
	mlx5_umr_sig_keys_flushed(&bed.t->dev.sig_keys);
	assert_int_equal(nb_wqebb(WITH_SIG, &wire), 5);
	assert_int_equal(nb_wqebb(WITH_SIG, &wire), 4);
}

/* Formats of the last UMR, which began there, in octowords; its size of the data. */
static uint32_t
bsf_octowords(uint32_t pi)
{
	return bed.t->sq[pi * 64 + 22] << 8 | bed.t->sq[pi * 64 + 23];
}

/* The format has the length of the data: it waits for a layout, and follows each. */
CASE_WITH(format_follows_the_layout, setup, teardown)
{
	const struct rte_umr_sig sig = trans_sig(false, true);
	const uint8_t *wqe = bed.t->sq;

	/* Nothing to sign yet: neither format nor PSV. */
	configured(RTE_UMR_MKEY_SET_SIG, &sig, NULL, 2);
	assert_int_equal(bed.t->queue.sq_pi, 2);
	assert_int_equal(bsf_octowords(0), 0);
	/* By any function that lays it. */
	configured(LAYOUT, NULL, NULL, 100);
	assert_int_equal(bed.t->queue.sq_pi, 5);
	assert_int_equal(bsf_octowords(0), 4);
	assert_int_equal(get32(wqe + 192 + 4), 96);
	ring_restart();
	assert_true(mlx5_umr_mkey_list_general(&bed.t->queue, bed.mkey, 0,
					       &(struct rte_umr_seg){ 0, 5, 1 }, 1,
					       MLX5_UMR_HOW(0, RTE_UMR_OP_MKEY_LIST)) >= 0);
	assert_int_equal(get32(wqe + 192 + 4), 1);
	/* The same again, all at once. */
	configured(WITH_SIG, &sig, NULL, 1000);
	assert_int_equal(get32(wqe + 192 + 4), 996);
	configured(WITH_SIG, &sig, NULL, 2000);
	assert_int_equal(get32(wqe + 192 + 4), 1996);
	/* Rights alone leave it. */
	configured(RTE_UMR_MKEY_SET_ACCESS, NULL, NULL, 2);
	assert_int_equal(bsf_octowords(0), 0);
	/* Reset and set again, on the layout that there is. */
	configured(RTE_UMR_MKEY_RESET_SIG, NULL, NULL, 2);
	assert_int_equal(bsf_octowords(0), 0);
	assert_int_equal(get32(wqe + 76) >> 30 & 1, 0);
	configured(RTE_UMR_MKEY_SET_SIG, &sig, NULL, 2);
	assert_int_equal(bsf_octowords(0), 4);
	assert_int_equal(get32(wqe + 128 + 4), 1996);
}

/* From blocks to a transaction and back, by the functions for short lists and others. */
CASE_WITH(signatures_of_both_kinds_take_turns, setup, teardown)
{
	const struct rte_umr_sig trans = trans_sig(true, false);
	const struct rte_umr_sig block = {
		.wire = { .type = RTE_UMR_SIG_CRC32C, .block_size = 512 },
		.check_mask = RTE_UMR_SIG_MASK_CRC32,
	};

	for (unsigned int i = 0; i < 3; i++) {
		configured(WITH_SIG, &block, NULL, 512);
		assert_int_equal(bed.t->sq[192], 0x80);
		assert_int_equal(get32(bed.t->sq + 192 + 8), 0x43000000 | PSV_WIRE);
		configured(WITH_SIG, &trans, NULL, 512 + i);
		assert_int_equal(bed.t->sq[192], 0x40);
		assert_int_equal(get32(bed.t->sq + 192 + 4), 512 + i);
		assert_int_equal(get32(bed.t->sq + 192 + 24), 0x41000000 | PSV_WIRE);
		configured(LAYOUT, NULL, NULL, 600 + i);
		assert_int_equal(get32(bed.t->sq + 192 + 4), 600 + i);
	}
}

static void
rejected(int ret, int error)
{
	assert_int_equal(ret, error);
	assert_int_equal(bed.t->queue.sq_pi, 0);
	assert_int_equal(bed.t->sq[0], TEST_POISON);
}

CASE_WITH(what_has_no_room_for_its_field_is_rejected, setup, teardown)
{
	const struct rte_umr_sig mem = trans_sig(false, true), wire = trans_sig(true, true);

	rejected(configure(WITH_SIG, &mem, NULL, 4), -ERANGE);
	rejected(configure(WITH_SIG, &mem, NULL, 2), -ERANGE);
	configured(WITH_SIG, &mem, NULL, 5);
	configured(WITH_SIG, &wire, NULL, 2);
	assert_int_equal(configure(LAYOUT, NULL, NULL, 2), 2);
	assert_true(configure(RTE_UMR_MKEY_SET_SIG, &mem, NULL, 2) == -ERANGE);
}

CASE_WITH(other_orders_of_encryption_are_rejected, setup_both, teardown)
{
	struct rte_umr_crypto crypto = { .dek = &dek, .data_unit_size = 512 };

	for (unsigned int what = 0; what < 8; what++) {
		const bool is_wire = what & 1, is_tx = what & 2, is_after = what & 4;
		const struct rte_umr_sig sig = trans_sig(is_wire, true);

		crypto.encrypt_on_tx = is_tx;
		crypto.order = is_after ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE;
		if (is_wire == is_tx && is_wire == is_after)
			continue;
		rejected(configure(WITH_SIG | RTE_UMR_MKEY_SET_CRYPTO, &sig, &crypto, 516),
			-ENOTSUP);
	}
}

/* An encryption that comes first has no signature in front of it yet. */
CASE_WITH(encryption_in_front_of_the_layout_waits_for_nothing, setup_both, teardown)
{
	const struct rte_umr_sig sig = trans_sig(true, true);
	const struct rte_umr_crypto crypto = {
		.dek = &dek, .encrypt_on_tx = true, .data_unit_size = 512,
	};

	configured(RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_SET_CRYPTO, &sig, &crypto, 2);
	assert_int_equal(bsf_octowords(0), 8);
	assert_int_equal(bed.t->sq[128], 0xc0);
	assert_int_equal(get32(bed.t->sq + 128 + 24), 0);
	configured(LAYOUT, NULL, NULL, 512);
	assert_int_equal(bsf_octowords(0), 8);
	assert_int_equal(get32(bed.t->sq + 192 + 24), 0x40000000 | PSV_WIRE);
	assert_int_equal(bed.t->sq[256], 0xc1);
}

/* The CQE names the kind, which must be that of the key. */
CASE_WITH(errors_are_told_by_their_kind, setup, teardown)
{
	const struct rte_umr_sig sig = trans_sig(false, true);
	struct rte_umr_mkey_error error;
	struct mlx5_cqe64 cqe = { 0 };
	uint8_t *raw = (uint8_t *)&cqe;

	configured(WITH_SIG, &sig, NULL, 100);
	spdk_put32(raw + 16, 0xaabbccdd);
	spdk_put32(raw + 20, 0x11223344);
	spdk_put32(raw + 32, 0x20000101);	/* guard; transaction; memory */
	spdk_put32(raw + 36, bed.mkey->key);
	mlx5_umr_sig_keys_take(&bed.t->dev.sig_keys, &cqe);
	assert_int_equal(mlx5_umr_key_sig_check(bed.sig, &error), 0);
	assert_int_equal(error.type, RTE_UMR_MKEY_ERROR_GUARD);
	assert_false(error.is_wire);
	assert_int_equal(error.expected, 0xaabbccdd);
	assert_int_equal(error.actual, 0x11223344);
	raw[34] = 0;				/* block */
	mlx5_umr_sig_keys_take(&bed.t->dev.sig_keys, &cqe);
	assert_int_equal(mlx5_umr_key_sig_check(bed.sig, &error), -EPROTO);
	raw[34] = 1;
	raw[35] = 0;				/* wire, which has none */
	mlx5_umr_sig_keys_take(&bed.t->dev.sig_keys, &cqe);
	assert_int_equal(mlx5_umr_key_sig_check(bed.sig, &error), -EPROTO);
}

int
main(void)
{
	return test_run_isas();
}
