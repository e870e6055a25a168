/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys with a block signature and an encryption: the same bytes as libmlx5, UMR and SET_PSV. Signed
 * are one domain, or both by the same sum; wqe_bytes_sig.c has all kinds of signatures. PSVs and
 * DEKs of each side are its own, so their numbers are compared by value; ctrl.imm of SET_PSV is
 * left by libmlx5 as an older WQE had it.
 */

#include <mlx5_prm_sig.h>

#include "wqe_bytes.h"

#define NB_ROUNDS	400u
#define NB_STEPS	5u
/* Two BSFs take the place of eight entries. */
#define MAX_ENTRIES	(WB_MAX_ENTRIES - 2 * PRM_BSF_SIZE / PRM_KLM_SIZE)
#define MAX_WQES	3u
#define KEY_LEN		32u

/* Numbers of a side, 0 until they are seen. */
struct numbers {
	uint32_t psv[2];
	uint32_t dek;
};

static struct {
	struct mlx5dv_dek *their_dek;
	struct rte_umr_dek *our_dek;
	struct numbers theirs, ours;
} t;

/* What both configure, setter by setter. */
struct request {
	uint32_t setters;	/* RTE_UMR_MKEY_SET_*, RTE_UMR_MKEY_RESET_SIG */
	uint32_t access;
	unsigned int verbs;
	uint32_t nb;
	struct ibv_sge sges[WB_MAX_ENTRIES];
	struct rte_umr_sig sig;
	struct rte_umr_crypto crypto;
};

static void
sig_random(struct request *req, bool has_both)
{
	const struct rte_umr_sig_domain domain = {
		.type = wb_random32() & 1 ? RTE_UMR_SIG_CRC32 : RTE_UMR_SIG_CRC32C,
		.flags = wb_random32() & RTE_UMR_SIG_DOMAIN_F_SEED_ONES,
		.block_size = 512,
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
crypto_random(struct request *req, bool has_both)
{
	bool encrypt_on_tx = (wb_random32() & 1) != 0, is_after = (wb_random32() & 1) != 0;
	uint32_t i;

	req->setters |= RTE_UMR_MKEY_SET_CRYPTO;
	/* Between two signatures there is no place for a cipher. */
	if (has_both)
		is_after = !encrypt_on_tx;
	req->crypto = (struct rte_umr_crypto){
		.dek = t.our_dek,
		.order = is_after ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE,
		.encrypt_on_tx = encrypt_on_tx,
		.data_unit_size = wb_random32() & 1 ? 512 : 4096,
	};
	for (i = 0; i < RTE_UMR_TWEAK_LEN; i++)
		req->crypto.tweak[i] = (uint8_t)wb_random32();
	for (i = 0; i < RTE_UMR_KEYTAG_LEN; i++)
		req->crypto.keytag[i] = (uint8_t)wb_random32();
}

static void
layout_random(struct request *req)
{
	uint32_t i;

	req->setters |= RTE_UMR_MKEY_SET_LAYOUT;
	req->nb = wb_random32() % 4 != 0 ? wb_random32() % MAX_ENTRIES + 1 : MAX_ENTRIES;
	for (i = 0; i < req->nb; i++)
		req->sges[i] = (struct ibv_sge){
			.addr = (uint64_t)wb_random32() << 32 | wb_random32(),
			.length = wb_random32() % 16384 + 1,
			.lkey = wb_random32(),
		};
}

static const struct mlx5dv_sig_block_domain *
their_domain(const struct rte_umr_sig_domain *ours, struct mlx5dv_sig_block_domain *domain,
	     struct mlx5dv_sig_crc *crc)
{
	if (ours->type == RTE_UMR_SIG_NONE)
		return NULL;
	*crc = (struct mlx5dv_sig_crc){
		.type = ours->type == RTE_UMR_SIG_CRC32 ? MLX5DV_SIG_CRC_TYPE_CRC32 :
							  MLX5DV_SIG_CRC_TYPE_CRC32C,
		.seed = ours->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES ? UINT32_MAX : 0,
	};
	*domain = (struct mlx5dv_sig_block_domain){
		.sig_type = MLX5DV_SIG_TYPE_CRC,
		.sig.crc = crc,
		.block_size = MLX5DV_BLOCK_SIZE_512,
	};
	return domain;
}

static struct mlx5dv_crypto_attr
their_crypto(const struct rte_umr_crypto *ours)
{
	struct mlx5dv_crypto_attr attr = {
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = ours->encrypt_on_tx,
		.signature_crypto_order = ours->order == RTE_UMR_CRYPTO_SIG_AFTER ?
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX :
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = ours->data_unit_size == 512 ? MLX5DV_BLOCK_SIZE_512 :
								MLX5DV_BLOCK_SIZE_4096,
		.dek = t.their_dek,
	};

	memcpy(attr.initial_tweak, ours->tweak, sizeof(attr.initial_tweak));
	memcpy(attr.keytag, ours->keytag, sizeof(attr.keytag));
	return attr;
}

static void
theirs_configure(const struct request *req, struct wb_wqe *wqes, unsigned int nb)
{
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = req->setters & RTE_UMR_MKEY_RESET_SIG ?
				      MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};
	uint32_t nb_setters = __builtin_popcount(req->setters & ~RTE_UMR_MKEY_RESET_SIG);
	struct mlx5dv_sig_block_domain mem, wire;
	struct mlx5dv_sig_crc mem_crc, wire_crc;
	const struct mlx5dv_sig_block_attr sig = {
		.mem = their_domain(&req->sig.mem, &mem, &mem_crc),
		.wire = their_domain(&req->sig.wire, &wire, &wire_crc),
		.check_mask = req->sig.check_mask,
	};
	const struct mlx5dv_crypto_attr crypto = their_crypto(&req->crypto);

	wb_libmlx5_begin(true);
	mlx5dv_wr_mkey_configure(wb.dvqp, wb.mkey, (uint8_t)nb_setters, &attr);
	if (req->setters & RTE_UMR_MKEY_SET_ACCESS)
		mlx5dv_wr_set_mkey_access_flags(wb.dvqp, req->verbs);
	if (req->setters & RTE_UMR_MKEY_SET_LAYOUT)
		mlx5dv_wr_set_mkey_layout_list(wb.dvqp, (uint16_t)req->nb, req->sges);
	if (req->setters & RTE_UMR_MKEY_SET_SIG)
		mlx5dv_wr_set_mkey_sig_block(wb.dvqp, &sig);
	if (req->setters & RTE_UMR_MKEY_SET_CRYPTO)
		mlx5dv_wr_set_mkey_crypto(wb.dvqp, &crypto);
	wb_libmlx5_end_multi(wqes, nb);
}

static void
ours_configure(const struct request *req, struct wb_wqe *wqes, unsigned int nb)
{
	const struct rte_umr_mkey_conf conf = {
		.setters = req->setters,
		.access = req->access,
		.nb_entries = req->nb,
		.segs = (const void *)req->sges,
		.sig = &req->sig,
		.crypto = &req->crypto,
	};
	uint16_t pi = wb.queue->sq_pi;

	wb_driver_end_multi(rte_umr_mkey_configure(wb.dev_id, 0, wb.key, &conf, 0), pi, wqes, nb);
}

/* Note a number the first time, compare it from then on, and take it out. */
static void
mask_number(void *base, struct prm_field field, uint32_t *number)
{
	uint32_t value = (uint32_t)prm_get(base, field);

	if (value == 0)
		return;
	if (*number == 0)
		*number = value;
	assert_int_equal(value, *number);
	prm_set(base, field, 0);
}

/* Both formats are at the end of the WQE, or none of them is there. */
static void
mask_bsf(struct wb_wqe *wqe, struct numbers *numbers, bool is_due)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr =
		(const void *)(wqe->bytes + sizeof(struct mlx5_wqe_ctrl_seg));
	uint8_t *bsf = wqe->bytes + wqe->len - 2 * PRM_BSF_SIZE;

	assert_int_equal(be16toh(umr->bsf_octowords),
			 is_due ? 2 * PRM_BSF_SIZE / PRM_WQE_DS_SIZE : 0);
	if (!is_due)
		return;
	mask_number(bsf, PRM_BSF_M_PSV, &numbers->psv[0]);
	mask_number(bsf, PRM_BSF_W_PSV, &numbers->psv[1]);
	assert_int_not_equal(prm_get(bsf + PRM_BSF_SIZE, PRM_BSF_DEK), 0);
	mask_number(bsf + PRM_BSF_SIZE, PRM_BSF_DEK, &numbers->dek);
}

static void
mask_set_psv(struct wb_wqe *wqe, uint32_t qpn, uint16_t pi, uint32_t *psv)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	wb_mask_ctrl(wqe, qpn, pi);
	ctrl->imm = 0;
	mask_number(wqe->bytes + sizeof(*ctrl), PRM_SET_PSV_INDEX, psv);
}

/* Configure the keys of both sides and compare all that was posted. */
static void
both_configure(const struct request *req)
{
	const uint32_t formats = RTE_UMR_MKEY_SET_SIG | RTE_UMR_MKEY_RESET_SIG |
				 RTE_UMR_MKEY_SET_CRYPTO;
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs[MAX_WQES], ours[MAX_WQES];
	unsigned int domains[2], nb = 0, i;

	if ((req->setters & RTE_UMR_MKEY_SET_SIG) && req->sig.mem.type != RTE_UMR_SIG_NONE)
		domains[nb++] = 0;
	if ((req->setters & RTE_UMR_MKEY_SET_SIG) && req->sig.wire.type != RTE_UMR_SIG_NONE)
		domains[nb++] = 1;
	theirs_configure(req, theirs, nb + 1);
	ours_configure(req, ours, nb + 1);
	assert_int_equal((uint16_t)(wb.queue->sq_pi - our_pi), (uint16_t)(wb.pi - their_pi));
	for (i = 0; i < nb; i++) {
		mask_set_psv(&theirs[i + 1], wb.qp->qp_num, (uint16_t)(wb.pi - nb + i),
			     &t.theirs.psv[domains[i]]);
		mask_set_psv(&ours[i + 1], wb.queue->qpn, (uint16_t)(wb.queue->sq_pi - nb + i),
			     &t.ours.psv[domains[i]]);
		wb_assert_same(&theirs[i + 1], &ours[i + 1]);
	}
	mask_bsf(&theirs[0], &t.theirs, (req->setters & formats) != 0);
	mask_bsf(&ours[0], &t.ours, (req->setters & formats) != 0);
	wb_compare_umr(&theirs[0], their_pi, &ours[0], our_pi);
}

/* All at once, then any setters in turn: what is not set is kept or reset. */
static void
signed_encryptions_have_the_same_bytes(void **state)
{
	struct request req;
	uint32_t round, step;

	(void)state;
	for (round = 0; round < NB_ROUNDS; round++) {
		bool has_both = (wb_random32() & 1) != 0;

		for (step = 0; step < NB_STEPS; step++) {
			uint32_t what = step == 0 ? UINT32_MAX : wb_random32();

			memset(&req, 0, sizeof(req));
			if (what & 1) {
				req.setters |= RTE_UMR_MKEY_SET_ACCESS;
				req.access = wb_random_access(&req.verbs);
			}
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
	assert_int_equal(t.ours.dek, t.our_dek->id);
}

static int
setup(void **state)
{
	static const uint8_t key[KEY_LEN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const struct wb_conf conf = {
		.dv_ops = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
		.mkey_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE |
			      MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
		.pool_flags = RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO,
	};
	struct mlx5dv_dek_init_attr attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	const struct rte_umr_dek_conf dek_conf = { .key = key, .key_len = KEY_LEN };

	(void)state;
	if (wb_setup(&conf) != 0)
		return -1;
	attr.pd = wb.pd;
	memcpy(attr.key, key, sizeof(key));
	t.their_dek = mlx5dv_dek_create(wb.ctx, &attr);
	assert_non_null(t.their_dek);
	t.our_dek = rte_umr_dek_create(wb.dev_id, &dek_conf);
	assert_non_null(t.our_dek);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	assert_int_equal(mlx5dv_dek_destroy(t.their_dek), 0);
	assert_int_equal(rte_umr_dek_destroy(t.our_dek), 0);
	return wb_teardown();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_encryptions_have_the_same_bytes),
	};

	return wb_run(argc, argv, tests, setup, teardown);
}
