/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with a block signature and an encryption: the same bytes as libmlx5, UMR and SET_PSV. Signed
 * are one domain, or both by the same sum; sig.c has all kinds of signatures. PSVs and
 * DEKs of each side are its own, so their numbers are compared by value; ctrl.imm of SET_PSV is
 * left by libmlx5 as an older WQE had it.
 *
 * Of a device of single data units, too. There libmlx5 rejects a key that is longer than its data
 * unit, although the signature in memory may not pass the cipher (crypto_umr_wqe_finalize());
 * the driver rejects one of which more than a data unit passes.
 */

#include <mlx5_prm_sig.h>

#include "request.h"

#define NB_STEPS	5u
/* Two BSFs take the place of eight entries. */
#define MAX_ENTRIES	(WB_MAX_ENTRIES - 2 * PRM_BSF_SIZE / PRM_KLM_SIZE)
#define MAX_WQES	3u

/* Numbers of DEKs are 0 until they are seen. */
static struct {
	struct wb_deks deks;
	uint32_t their_dek, our_dek;
	struct wb_psvs psvs;
	bool is_multi;
} t;

static void
sig_random(struct wb_request *req, bool has_both)
{
	const struct rte_umr_sig_domain domain = {
		.type = wb_random32() & 1 ? RTE_UMR_SIG_CRC32 : RTE_UMR_SIG_CRC32C,
		.flags = wb_random32() & RTE_UMR_SIG_DOMAIN_F_SEED_ONES, .block_size = 512,
	};
	uint32_t what = has_both ? 2 : wb_random32() % 2;

	req->setters |= RTE_UMR_MKEY_SET_SIG;
	req->sig = (struct rte_umr_sig){ .check_mask = (uint8_t)wb_random32() };
	if (what != 0)
		req->sig.mem = domain;
	if (what != 1)
		req->sig.wire = domain;
}

static void
crypto_random(struct wb_request *req, bool has_both)
{
	bool encrypt_on_tx = (wb_random32() & 1) != 0, is_after = (wb_random32() & 1) != 0;

	req->setters |= RTE_UMR_MKEY_SET_CRYPTO;
	/* Between two signatures there is no place for a cipher. */
	if (has_both)
		is_after = !encrypt_on_tx;
	req->crypto = (struct rte_umr_crypto){
		.dek = t.deks.ours,
		.order = is_after ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE,
		.encrypt_on_tx = encrypt_on_tx, .data_unit_size = wb_random32() & 1 ? 512 : 4096,
	};
	wb_random_tweak(&req->crypto);
}

static void
layout_random(struct wb_request *req)
{
	/* Less than a block, so that it fits with each signature and each order. */
	uint32_t max = t.is_multi ? 16384 : 511 / MAX_ENTRIES;

	wb_request_list(req, wb_random32() % 4 != 0 ? wb_random32() % MAX_ENTRIES + 1 : MAX_ENTRIES,
			max);
}

/* Both formats are at the end of the WQE, or none of them is there. */
static void
mask_bsf(struct wb_wqe *wqe, uint32_t *psv, uint32_t *dek, bool is_due)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr =
		(const void *)(wqe->bytes + sizeof(struct mlx5_wqe_ctrl_seg));
	uint8_t *bsf = wqe->bytes + wqe->len - 2 * PRM_BSF_SIZE;

	assert_int_equal(be16toh(umr->bsf_octowords),
			 is_due ? 2 * PRM_BSF_SIZE / PRM_WQE_DS_SIZE : 0);
	if (!is_due)
		return;
	wb_mask_number(bsf, PRM_BSF_M_PSV, &psv[WB_MEM]);
	wb_mask_number(bsf, PRM_BSF_W_PSV, &psv[WB_WIRE]);
	assert_int_not_equal(prm_get(bsf + PRM_BSF_SIZE, PRM_BSF_DEK), 0);
	wb_mask_number(bsf + PRM_BSF_SIZE, PRM_BSF_DEK, dek);
}

static void
mask_unit(struct wb_wqe *wqe, uint16_t unit)
{
	uint8_t *bsf = wqe->bytes + wqe->len - PRM_BSF_SIZE;

	assert_int_equal(prm_get(bsf, PRM_BSF_UNIT_SELECTOR),
			 unit == 512 ? PRM_BSF_BS_512 : PRM_BSF_BS_4096);
	prm_set(bsf, PRM_BSF_UNIT_SELECTOR, 0);
}

/* Configure the keys of both sides and compare all that was posted, but for data units. */
static void
both_configure_units(const struct wb_request *req, uint16_t their_unit, uint16_t our_unit)
{
	const uint32_t formats = RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_RESET_SIG |
				 RTE_UMR_MKEY_SET_CRYPTO;
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs[MAX_WQES], ours[MAX_WQES];
	const struct rte_umr_sig *sig = req->setters & RTE_UMR_MKEY_SET_SIG ? &req->sig : NULL;
	struct wb_request their_req = *req, our_req = *req;
	struct mlx5dv_crypto_attr crypto = { 0 };
	unsigned int nb = wb_nb_psvs(sig);

	their_req.crypto.data_unit_size = their_unit;
	our_req.crypto.data_unit_size = our_unit;
	if (req->setters & RTE_UMR_MKEY_SET_CRYPTO)
		crypto = wb_their_crypto(&their_req.crypto, &t.deks);
	wb_libmlx5_configure(&their_req, &crypto, theirs, nb + 1);
	wb_driver_configure(&our_req, ours, nb + 1);
	assert_int_equal((uint16_t)(wb.queue->sq_pi - our_pi), (uint16_t)(wb.pi - their_pi));
	wb_compare_psvs(sig, &theirs[1], &ours[1], &t.psvs);
	mask_bsf(&theirs[0], t.psvs.theirs, &t.their_dek, (req->setters & formats) != 0);
	mask_bsf(&ours[0], t.psvs.ours, &t.our_dek, (req->setters & formats) != 0);
	if (their_unit != our_unit) {
		mask_unit(&theirs[0], their_unit);
		mask_unit(&ours[0], our_unit);
	}
	wb_compare_umr(&(struct wb_pair){ their_pi, our_pi, theirs[0], ours[0] });
}

static void
both_configure(const struct wb_request *req)
{
	both_configure_units(req, req->crypto.data_unit_size, req->crypto.data_unit_size);
}

/* All at once, then any setters in turn: what is not set is kept or reset. */
CASE(signed_encryptions_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases() / NB_STEPS + 1;
	struct wb_request req;
	uint32_t round, step;

	for (round = 0; round < nb; round++) {
		bool has_both = (wb_random32() & 1) != 0;

		for (step = 0; step < NB_STEPS; step++) {
			uint32_t what = step == 0 ? UINT32_MAX : wb_random32();

			memset(&req, 0, sizeof(req));
			if (what & 1)
				wb_request_access(&req);
			if (what & 2)
				layout_random(&req);
			if (what & 4)
				sig_random(&req, has_both);
			else if (what & 8)
				req.setters |= RTE_UMR_MKEY_RESET_SIG;
			if (what & 16)
				crypto_random(&req, has_both);
			both_configure(&req);
		}
	}
	assert_int_equal(t.our_dek, t.deks.ours->id);
}

/*
 * A data unit and its CRC in memory, which does not pass the cipher: data+sig | enc(data) and
 * enc(data)+sig | data. libmlx5 takes that length with a larger unit; all else is the same.
 */
CASE(data_unit_signed_in_memory_has_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	struct wb_request req;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		memset(&req, 0, sizeof(req));
		wb_request_access(&req);
		wb_request_list(&req, 2, 1);
		req.sges[0].length = 1 + wb_random32() % 515;
		req.sges[1].length = 516 - req.sges[0].length;
		if (req.sges[1].length == 0)
			req.nb = 1;
		crypto_random(&req, false);
		req.crypto.order = RTE_UMR_CRYPTO_SIG_BEFORE;
		req.setters |= RTE_UMR_MKEY_SET_SIG;
		req.sig = (struct rte_umr_sig){
			.mem = { .type = RTE_UMR_SIG_CRC32C, .block_size = 512 },
			.check_mask = RTE_UMR_SIG_MASK_CRC32,
		};
		both_configure_units(&req, 4096, 512);
	}
}

static int
setup(void **state)
{
	const struct wb_conf conf = {
		.dv_ops = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		.mkey_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |
			      MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
		.pool_flags = RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO,
	};

	wb_setup(&conf);
	t.is_multi = wb_is_multi_unit();
	wb_deks_create(&t.deks);
	return 0;
}

static int
teardown(void **state)
{
	wb_deks_destroy(&t.deks);
	return wb_teardown(state);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, teardown);
}
