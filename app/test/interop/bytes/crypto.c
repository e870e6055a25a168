/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys that encrypt: the same bytes as libmlx5, of a device of many data units and of one that
 * does a single one. Each side has a DEK of its own, whose number is compared by value.
 */

#include <mlx5_prm_sig.h>

#include "request.h"

/* A BSF takes the place of four entries. */
#define MAX_ENTRIES	(WB_MAX_ENTRIES - PRM_BSF_SIZE / PRM_KLM_SIZE)

static struct {
	struct wb_deks pair;
	/* Not told by libmlx5: the first key that names its DEK does. */
	uint32_t their_id;
	bool is_multi;
} deks;

static void
random_crypto(struct rte_umr_crypto *crypto)
{
	uint32_t unit = wb_random32() % WB_NB_BLOCKS;

	*crypto = (struct rte_umr_crypto){
		.dek = deks.pair.ours, .encrypt_on_tx = wb_random32() & 1,
		.data_unit_size = wb_blocks[unit].bytes,
	};
	crypto->order = wb_random32() & 1 ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE;
	wb_random_tweak(crypto);
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
both_configure(const struct wb_request *req)
{
	const bool has_crypto = (req->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0;
	struct mlx5dv_crypto_attr crypto = { 0 };
	uint32_t our_id = deks.pair.ours->id;
	struct wb_pair pair;

	if (has_crypto)
		crypto = wb_their_crypto(&req->crypto, &deks.pair);
	wb_pair_begin(&pair);
	wb_libmlx5_configure(req, &crypto, &pair.theirs, 1);
	wb_driver_configure(req, &pair.ours, 1);
	if (has_crypto) {
		mask_dek(&pair.theirs, &deks.their_id);
		mask_dek(&pair.ours, &our_id);
	}
	wb_compare_umr(&pair);
}

/* A layout of at most one data unit if the device can no more. */
static void
random_layout(struct wb_request *req, bool is_interleaved)
{
	uint32_t max = deks.is_multi ? 16384 : 512 / WB_MAX_ENTRIES / (is_interleaved ? 2 : 1);
	uint32_t i;

	req->setters |= RTE_UMR_MKEY_SET_LAYOUT;
	req->nb = wb_random32() % (MAX_ENTRIES - is_interleaved) + 1;
	req->repeat = is_interleaved ? wb_random32() % 2 + 1 : 0;
	for (i = 0; i < req->nb; i++) {
		req->sges[i] = wb_random_sge(max);
		req->interleaved[i] = (struct mlx5dv_mr_interleaved){
			.addr = req->sges[i].addr, .bytes_count = req->sges[i].length,
			.bytes_skip = wb_random32() % 16384, .lkey = req->sges[i].lkey,
		};
	}
}

CASE(random_encryptions_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	struct wb_request req;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		memset(&req, 0, sizeof(req));
		wb_request_access(&req);
		req.setters |= RTE_UMR_MKEY_SET_CRYPTO;
		random_crypto(&req.crypto);
		random_layout(&req, i % 2 != 0);
		both_configure(&req);
	}
}

CASE(longest_encrypted_list_has_the_same_bytes)
{
	struct wb_request req = { .setters = RTE_UMR_MKEY_SET_CRYPTO };

	random_crypto(&req.crypto);
	do
		random_layout(&req, false);
	while (req.nb != MAX_ENTRIES);
	both_configure(&req);
}

/* Any setters in turn: what is not set is kept, and its bytes are not written. */
CASE(kept_encryptions_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	struct wb_request req;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		memset(&req, 0, sizeof(req));
		if (wb_random32() & 1)
			wb_request_access(&req);
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

	wb_setup(&conf);
	deks.is_multi = wb_is_multi_unit();
	wb_deks_create(&deks.pair);
	return 0;
}

static int
teardown(void **state)
{
	wb_deks_destroy(&deks.pair);
	return wb_teardown(state);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, teardown);
}
