/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys that encrypt: the same bytes as libmlx5, of a device of many data units and of one that
 * does a single one. Each side has a DEK of its own, whose number is compared by value.
 */

#include <mlx5_prm_sig.h>

#include "wqe_bytes.h"

#define NB_RANDOM	1000u
/* A BSF takes the place of four entries. */
#define MAX_ENTRIES	(WB_MAX_ENTRIES - PRM_BSF_SIZE / PRM_KLM_SIZE)
#define KEY_LEN		32u

static struct {
	struct mlx5dv_dek *theirs;
	struct rte_umr_dek *ours;
	uint32_t their_id;
	bool is_multi;
} deks;

/* Numbers of general objects are not told by libmlx5: the first key that names it does. */
static const uint8_t key[KEY_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };

static const struct {
	uint16_t bytes;
	enum mlx5dv_block_size theirs;
} units[] = {
	{ 512, MLX5DV_BLOCK_SIZE_512 },	  { 520, MLX5DV_BLOCK_SIZE_520 },
	{ 4048, MLX5DV_BLOCK_SIZE_4048 }, { 4096, MLX5DV_BLOCK_SIZE_4096 },
	{ 4160, MLX5DV_BLOCK_SIZE_4160 },
};

/* One encryption, as both take it. */
struct both {
	struct mlx5dv_crypto_attr theirs;
	struct rte_umr_crypto ours;
};

static void
random_crypto(struct both *both)
{
	uint32_t unit = wb_random32() % RTE_DIM(units), i;

	memset(both, 0, sizeof(*both));
	both->theirs = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = wb_random32() & 1,
		.signature_crypto_order = wb_random32() & 1 ?
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX :
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = units[unit].theirs,
		.dek = deks.theirs,
	};
	for (i = 0; i < RTE_UMR_TWEAK_LEN; i++)
		both->theirs.initial_tweak[i] = (char)wb_random32();
	for (i = 0; i < RTE_UMR_KEYTAG_LEN; i++)
		both->theirs.keytag[i] = (char)wb_random32();
	both->ours = (struct rte_umr_crypto){
		.dek = deks.ours,
		.order = both->theirs.signature_crypto_order ==
			 MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX ?
				 RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE,
		.encrypt_on_tx = both->theirs.encrypt_on_tx,
		.data_unit_size = units[unit].bytes,
	};
	memcpy(both->ours.tweak, both->theirs.initial_tweak, RTE_UMR_TWEAK_LEN);
	memcpy(both->ours.keytag, both->theirs.keytag, RTE_UMR_KEYTAG_LEN);
}

/* The number of the DEK is in its BSF, the last one of the WQE. */
static void
mask_dek(struct wb_wqe *wqe, uint32_t *id)
{
	uint8_t *bsf = wqe->bytes + wqe->len - PRM_BSF_SIZE;

	if (*id == 0)
		*id = (uint32_t)prm_get(bsf, PRM_BSF_DEK);
	assert_int_equal(prm_get(bsf, PRM_BSF_DEK), *id);
	prm_set(bsf, PRM_BSF_DEK, 0);
}

static void
compare(struct wb_wqe *theirs, uint16_t their_pi, struct wb_wqe *ours, uint16_t our_pi,
	bool has_crypto)
{
	uint32_t our_id = deks.ours->id;

	if (has_crypto) {
		mask_dek(theirs, &deks.their_id);
		mask_dek(ours, &our_id);
	}
	wb_compare_umr(theirs, their_pi, ours, our_pi);
}

/* What both configure, setter by setter. */
struct request {
	uint32_t setters;	/* RTE_UMR_MKEY_SET_* */
	uint32_t access;
	unsigned int verbs;
	uint32_t repeat;	/* 0: a list */
	uint16_t nb;
	struct ibv_sge sges[WB_MAX_ENTRIES];
	struct mlx5dv_mr_interleaved interleaved[WB_MAX_ENTRIES];
	struct both crypto;
};

static void
theirs_configure(const struct request *req, struct wb_wqe *wqe)
{
	struct mlx5dv_mkey_conf_attr attr = { 0 };

	wb_libmlx5_begin(true);
	mlx5dv_wr_mkey_configure(wb.dvqp, wb.mkey, (uint8_t)__builtin_popcount(req->setters),
				 &attr);
	if (req->setters & RTE_UMR_MKEY_SET_ACCESS)
		mlx5dv_wr_set_mkey_access_flags(wb.dvqp, req->verbs);
	if ((req->setters & RTE_UMR_MKEY_SET_LAYOUT) && req->repeat == 0)
		mlx5dv_wr_set_mkey_layout_list(wb.dvqp, req->nb, req->sges);
	else if (req->setters & RTE_UMR_MKEY_SET_LAYOUT)
		mlx5dv_wr_set_mkey_layout_interleaved(wb.dvqp, req->repeat, req->nb,
						      req->interleaved);
	if (req->setters & RTE_UMR_MKEY_SET_CRYPTO)
		mlx5dv_wr_set_mkey_crypto(wb.dvqp, &req->crypto.theirs);
	wb_libmlx5_end(wqe);
}

static void
ours_configure(const struct request *req, struct wb_wqe *wqe)
{
	const struct rte_umr_mkey_conf conf = {
		.setters = req->setters,
		.access = req->access,
		.layout = req->repeat == 0 ? RTE_UMR_LAYOUT_LIST : RTE_UMR_LAYOUT_INTERLEAVED,
		.nb_entries = req->nb,
		.repeat = req->repeat,
		.segs = req->repeat == 0 ? (const void *)req->sges : (const void *)req->interleaved,
		.crypto = &req->crypto.ours,
	};
	uint16_t pi = wb.queue->sq_pi;

	wb_driver_end(rte_umr_mkey_configure(wb.dev_id, 0, wb.key, &conf, 0), pi, wqe);
}

static void
both_configure(const struct request *req)
{
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs, ours;

	theirs_configure(req, &theirs);
	ours_configure(req, &ours);
	compare(&theirs, their_pi, &ours, our_pi,
		(req->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0);
}

/* A layout of at most one data unit if the device can no more. */
static void
random_layout(struct request *req, bool is_interleaved)
{
	uint32_t max = deks.is_multi ? 16384 : 512 / WB_MAX_ENTRIES / (is_interleaved ? 2 : 1);
	uint32_t i;

	req->setters |= RTE_UMR_MKEY_SET_LAYOUT;
	req->nb = (uint16_t)(wb_random32() % (MAX_ENTRIES - is_interleaved) + 1);
	req->repeat = is_interleaved ? wb_random32() % 2 + 1 : 0;
	for (i = 0; i < req->nb; i++) {
		req->sges[i] = (struct ibv_sge){
			.addr = (uint64_t)wb_random32() << 32 | wb_random32(),
			.length = wb_random32() % max + 1,
			.lkey = wb_random32(),
		};
		req->interleaved[i] = (struct mlx5dv_mr_interleaved){
			.addr = req->sges[i].addr,
			.bytes_count = req->sges[i].length,
			.bytes_skip = wb_random32() % 16384,
			.lkey = req->sges[i].lkey,
		};
	}
}

static void
random_encryptions_have_the_same_bytes(void **state)
{
	struct request req;
	uint32_t i;

	(void)state;
	for (i = 0; i < NB_RANDOM; i++) {
		memset(&req, 0, sizeof(req));
		req.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_CRYPTO;
		req.access = wb_random_access(&req.verbs);
		random_crypto(&req.crypto);
		random_layout(&req, i % 2 != 0);
		both_configure(&req);
	}
}

static void
longest_encrypted_list_has_the_same_bytes(void **state)
{
	struct request req = { .setters = RTE_UMR_MKEY_SET_CRYPTO };

	(void)state;
	random_crypto(&req.crypto);
	do
		random_layout(&req, false);
	while (req.nb != MAX_ENTRIES);
	both_configure(&req);
}

/* Any setters in turn: what is not set is kept, and its bytes are not written. */
static void
kept_encryptions_have_the_same_bytes(void **state)
{
	struct request req;
	uint32_t i;

	(void)state;
	for (i = 0; i < NB_RANDOM; i++) {
		memset(&req, 0, sizeof(req));
		if (wb_random32() & 1) {
			req.setters |= RTE_UMR_MKEY_SET_ACCESS;
			req.access = wb_random_access(&req.verbs);
		}
		if (wb_random32() & 1)
			random_layout(&req, (wb_random32() & 1) != 0);
		if (wb_random32() & 1) {
			req.setters |= RTE_UMR_MKEY_SET_CRYPTO;
			random_crypto(&req.crypto);
		}
		both_configure(&req);
	}
}

static int
setup(void **state)
{
	const struct wb_conf conf = {
		.dv_ops = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		.mkey_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
		.pool_flags = RTE_UMR_MKEY_POOL_F_CRYPTO,
	};
	struct mlx5dv_dek_init_attr attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	const struct rte_umr_dek_conf dek_conf = { .key = key, .key_len = KEY_LEN };
	struct rte_umr_dev_info info;

	(void)state;
	if (wb_setup(&conf) != 0)
		return -1;
	assert_int_equal(rte_umr_dev_info_get(wb.dev_id, &info), 0);
	deks.is_multi = (info.dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0;
	attr.pd = wb.pd;
	memcpy(attr.key, key, sizeof(key));
	deks.theirs = mlx5dv_dek_create(wb.ctx, &attr);
	assert_non_null(deks.theirs);
	deks.ours = rte_umr_dek_create(wb.dev_id, &dek_conf);
	assert_non_null(deks.ours);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	assert_int_equal(mlx5dv_dek_destroy(deks.theirs), 0);
	assert_int_equal(rte_umr_dek_destroy(deks.ours), 0);
	return wb_teardown();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_encryptions_have_the_same_bytes),
		cmocka_unit_test(longest_encrypted_list_has_the_same_bytes),
		cmocka_unit_test(kept_encryptions_have_the_same_bytes),
	};

	return wb_run(argc, argv, tests, setup, teardown);
}
