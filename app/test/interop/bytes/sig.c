/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with block signatures: the same bytes as libmlx5, UMR and SET_PSV. Each side has PSVs of its
 * own, whose numbers are compared by value; ctrl.imm of SET_PSV is left by libmlx5 as an older WQE
 * had it.
 *
 * Not compared, because libmlx5 44 copies fields that are wrong where they arrive: CRCs between
 * domains of different seeds, reference tags that only one domain increments.
 */

#include <mlx5_prm_sig.h>

#include "request.h"

/* A BSF takes the place of four entries. */
#define MAX_ENTRIES	(WB_MAX_ENTRIES - PRM_BSF_SIZE / PRM_KLM_SIZE)
#define MAX_WQES	3u

static struct wb_psvs psvs;

static struct rte_umr_sig_domain
random_domain(void)
{
	struct rte_umr_sig_domain domain = {
		.type = wb_random32() % RTE_UMR_SIG_CRC64_XP10 + 1,
		/* libmlx5 has no transactions. */
		.flags = wb_random32() &
			 (RTE_UMR_SIG_DOMAIN_F_ALL & ~RTE_UMR_SIG_DOMAIN_F_TRANSACTION),
		.block_size = wb_blocks[wb_random32() % WB_NB_BLOCKS].bytes,
	};

	if (wb_is_t10dif(&domain)) {
		domain.app_tag = (uint16_t)wb_random32();
		domain.ref_tag = wb_random32();
	} else {
		domain.flags &= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
	}
	return domain;
}

static struct rte_umr_sig
random_sig(void)
{
	struct rte_umr_sig sig = { .check_mask = (uint8_t)wb_random32() };
	uint32_t what = wb_random32() % 5;

	if (what != 0)
		sig.mem = random_domain();
	if (what != 1)
		sig.wire = random_domain();
	/* What is not compared, see above. */
	if (!wb_is_t10dif(&sig.mem) && sig.mem.type == sig.wire.type)
		sig.wire.flags = sig.mem.flags;
	if (what < 3)
		return sig;
	/* Of the same structure, with some of the parts different. */
	sig.wire = sig.mem;
	if (wb_is_t10dif(&sig.mem)) {
		sig.wire.app_tag ^= wb_random32() & 1;
		sig.wire.ref_tag ^= wb_random32() & 1;
		if (wb_random32() & 1)
			sig.wire.type ^= RTE_UMR_SIG_T10DIF_CRC ^ RTE_UMR_SIG_T10DIF_CSUM;
		if (wb_random32() & 1)
			sig.wire.flags ^= RTE_UMR_SIG_DOMAIN_F_SEED_ONES;
	}
	if (what == 4) {
		sig.flags = RTE_UMR_SIG_F_COPY_MASK;
		sig.copy_mask = (uint8_t)wb_random32();
	}
	return sig;
}

static void
mask_bsf(struct wb_wqe *wqe, uint32_t *psv)
{
	uint8_t *bsf = wqe->bytes + wqe->len - PRM_BSF_SIZE;

	wb_mask_number(bsf, PRM_BSF_M_PSV, &psv[WB_MEM]);
	wb_mask_number(bsf, PRM_BSF_W_PSV, &psv[WB_WIRE]);
}

/*
 * Configure the keys of both sides and compare nb WQEs.
 *
 * @param sig
 *   The signature whose PSVs are set, or NULL.
 */
static void
both_configure(const struct wb_request *req, const struct rte_umr_sig *sig)
{
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs[MAX_WQES], ours[MAX_WQES];
	unsigned int nb = wb_nb_psvs(sig);

	wb_libmlx5_configure(req, NULL, theirs, nb + 1);
	wb_driver_configure(req, ours, nb + 1);
	/* All that was posted has been compared. */
	assert_int_equal((uint16_t)(wb.queue->sq_pi - our_pi), (uint16_t)(wb.pi - their_pi));
	wb_compare_psvs(sig, &theirs[1], &ours[1], &psvs);
	if (req->setters & RTE_UMR_MKEY_SET_SIG) {
		mask_bsf(&theirs[0], psvs.theirs);
		mask_bsf(&ours[0], psvs.ours);
	}
	wb_compare_umr(&(struct wb_pair){ their_pi, our_pi, theirs[0], ours[0] });
}

static void
random_layout(struct wb_request *req)
{
	wb_request_list(req, wb_random32() % MAX_ENTRIES + 1, 16384);
}

CASE(random_signatures_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	struct wb_request req;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		memset(&req, 0, sizeof(req));
		wb_request_access(&req);
		req.setters |= RTE_UMR_MKEY_SET_SIG;
		req.sig = random_sig();
		random_layout(&req);
		both_configure(&req, &req.sig);
	}
}

/* Any setters in turn: what is not set is kept or reset. */
CASE(kept_and_reset_signatures_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases();
	struct wb_request req;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		memset(&req, 0, sizeof(req));
		if (wb_random32() & 1)
			wb_request_access(&req);
		if (wb_random32() & 1)
			random_layout(&req);
		switch (wb_random32() % 3) {
		case 0:
			req.setters |= RTE_UMR_MKEY_SET_SIG;
			req.sig = random_sig();
			break;
		case 1:
			req.setters |= RTE_UMR_MKEY_RESET_SIG;
			break;
		default:
			break;
		}
		both_configure(&req, req.setters & RTE_UMR_MKEY_SET_SIG ? &req.sig : NULL);
	}
}

/* A transfer out of both keys, of a block with a bad field. */
static void
both_find_an_error(void)
{
	const struct rte_umr_seg local = { .length = 512, .lkey = wb.key->key };
	struct rte_umr_mkey_error error;
	struct mlx5dv_mkey_err their_error;
	struct wb_wqe wqe;
	uint16_t pi = wb.queue->sq_pi;

	wb_libmlx5_begin(false);
	ibv_wr_rdma_write(wb.qpx, wb.mr->rkey, (uintptr_t)wb.mem + 4096);
	ibv_wr_set_sge(wb.qpx, wb.mkey->lkey, 0, 512);
	wb_libmlx5_end(&wqe);
	assert_int_equal(mlx5dv_mkey_check(wb.mkey, &their_error), 0);
	wb_driver_end(rte_umr_write(wb.dev_id, 0, &local, (uintptr_t)wb.mem + 4096,
				    wb.umr_mr->rkey, 0), pi, &wqe);
	assert_int_equal(rte_umr_mkey_check(wb.key, &error), 0);
	assert_int_equal(their_error.err_type, MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD);
	assert_int_equal(error.type, RTE_UMR_MKEY_ERROR_GUARD);
	assert_int_equal(error.expected, their_error.err.sig.expected_value);
	assert_int_equal(error.actual, their_error.err.sig.actual_value);
	assert_int_equal(error.offset, their_error.err.sig.offset);
}

/* Behind an error the next configuration arms the key, with the bit of the count of errors. */
CASE(keys_are_armed_by_the_same_bytes)
{
	struct wb_request req = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
			   RTE_UMR_MKEY_SET_SIG,
		.nb = 1, .sges = { { (uintptr_t)wb.mem, 516, 0 } },
		.sig = { .mem = { .type = RTE_UMR_SIG_CRC32, .block_size = 512 },
			 .check_mask = RTE_UMR_SIG_MASK_CRC32 },
	};
	struct wb_wqe theirs[MAX_WQES], ours[MAX_WQES];
	const struct rte_umr_sig sig = req.sig;
	uint32_t i;

	memset(wb.mem, 0x5a, 516);
	/* Each side lays out its own region. */
	req.sges[0].lkey = wb.mr->lkey;
	wb_libmlx5_configure(&req, NULL, theirs, 2);
	req.sges[0].lkey = wb.umr_mr->lkey;
	wb_driver_configure(&req, ours, 2);
	for (i = 0; i < 4; i++) {
		both_find_an_error();
		memset(&req, 0, sizeof(req));
		both_configure(&req, &sig);	/* armed: PSVs are set again */
		both_configure(&req, NULL);	/* it is */
	}
	/* Without a signature it is armed, too. */
	both_find_an_error();
	req.setters = RTE_UMR_MKEY_RESET_SIG;
	both_configure(&req, NULL);
	req.setters = 0;
	both_configure(&req, NULL);
}

static int
setup(void **state)
{
	const struct wb_conf conf = {
		.ibv_ops = IBV_QP_EX_WITH_RDMA_WRITE, .dv_ops = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		.mkey_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
		.pool_flags = RTE_UMR_MKEY_POOL_F_SIG,
	};

	return wb_setup(&conf);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, wb_teardown);
}
