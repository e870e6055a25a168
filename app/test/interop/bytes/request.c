/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <mlx5_prm_sig.h>

#include "request.h"

#define KEY_LEN		32u

const struct wb_block wb_blocks[WB_NB_BLOCKS] = {
	{ 512, MLX5DV_BLOCK_SIZE_512 },	  { 520, MLX5DV_BLOCK_SIZE_520 },
	{ 4048, MLX5DV_BLOCK_SIZE_4048 }, { 4096, MLX5DV_BLOCK_SIZE_4096 },
	{ 4160, MLX5DV_BLOCK_SIZE_4160 },
};

enum mlx5dv_block_size
wb_block_size(uint16_t bytes)
{
	uint32_t i;

	for (i = 0; i < WB_NB_BLOCKS - 1 && wb_blocks[i].bytes != bytes; i++)
		continue;
	assert_int_equal(wb_blocks[i].bytes, bytes);
	return wb_blocks[i].theirs;
}

void
wb_request_access(struct wb_request *req)
{
	req->setters |= RTE_UMR_MKEY_SET_ACCESS;
	req->access = wb_random_access(&req->verbs);
}

void
wb_request_list(struct wb_request *req, uint32_t nb, uint32_t max)
{
	uint32_t i;

	req->setters |= RTE_UMR_MKEY_SET_LAYOUT;
	req->nb = nb;
	for (i = 0; i < nb; i++)
		req->sges[i] = wb_random_sge(max);
}

void
wb_libmlx5_configure(const struct wb_request *req, const struct mlx5dv_sig_block_attr *sig,
		     const struct mlx5dv_crypto_attr *crypto, struct wb_wqe *wqes, unsigned int nb)
{
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = req->setters & RTE_UMR_MKEY_RESET_SIG ?
				      MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};
	uint32_t nb_setters = __builtin_popcount(req->setters & ~RTE_UMR_MKEY_RESET_SIG);

	wb_libmlx5_begin(true);
	mlx5dv_wr_mkey_configure(wb.dvqp, wb.mkey, (uint8_t)nb_setters, &attr);
	if (req->setters & RTE_UMR_MKEY_SET_ACCESS)
		mlx5dv_wr_set_mkey_access_flags(wb.dvqp, req->verbs);
	if ((req->setters & RTE_UMR_MKEY_SET_LAYOUT) && req->repeat == 0)
		mlx5dv_wr_set_mkey_layout_list(wb.dvqp, (uint16_t)req->nb, req->sges);
	else if (req->setters & RTE_UMR_MKEY_SET_LAYOUT)
		mlx5dv_wr_set_mkey_layout_interleaved(wb.dvqp, req->repeat, (uint16_t)req->nb,
						      req->interleaved);
	if (req->setters & RTE_UMR_MKEY_SET_SIG)
		mlx5dv_wr_set_mkey_sig_block(wb.dvqp, sig);
	if (req->setters & RTE_UMR_MKEY_SET_CRYPTO)
		mlx5dv_wr_set_mkey_crypto(wb.dvqp, crypto);
	wb_libmlx5_end_multi(wqes, nb);
}

void
wb_driver_configure(const struct wb_request *req, struct wb_wqe *wqes, unsigned int nb)
{
	const struct rte_umr_mkey_op conf = {
		.mkey = wb.key, .setters = req->setters, .access = req->access,
		.layout = req->repeat == 0 ? RTE_UMR_LAYOUT_LIST : RTE_UMR_LAYOUT_INTERLEAVED,
		.nb_entries = req->nb, .repeat = req->repeat,
		.segs = req->repeat == 0 ? (const void *)req->sges : (const void *)req->interleaved,
		.sig = &req->sig, .crypto = &req->crypto,
	};
	uint16_t pi = wb.queue->sq_pi;

	wb_driver_end_multi(rte_umr_mkey_configure(wb.dev_id, 0, &conf, 0), pi, wqes, nb);
}

void
wb_random_tweak(struct rte_umr_crypto *crypto)
{
	uint32_t i;

	for (i = 0; i < RTE_UMR_TWEAK_LEN; i++)
		crypto->tweak[i] = (uint8_t)wb_random32();
	for (i = 0; i < RTE_UMR_KEYTAG_LEN; i++)
		crypto->keytag[i] = (uint8_t)wb_random32();
}

void
wb_mask_number(void *base, struct prm_field field, uint32_t *number)
{
	uint32_t value = (uint32_t)prm_get(base, field);

	if (value == 0)
		return;
	if (*number == 0)
		*number = value;
	assert_int_equal(value, *number);
	prm_set(base, field, 0);
}

/* libmlx5 leaves ctrl.imm of SET_PSV as an older WQE had it. */
static void
mask_set_psv(struct wb_wqe *wqe, uint32_t qpn, uint16_t pi, uint32_t *psv)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	wb_mask_ctrl(wqe, qpn, pi);
	ctrl->imm = 0;
	assert_int_not_equal(prm_get(wqe->bytes + sizeof(*ctrl), PRM_SET_PSV_INDEX), 0);
	wb_mask_number(wqe->bytes + sizeof(*ctrl), PRM_SET_PSV_INDEX, psv);
}

unsigned int
wb_nb_psvs(const struct rte_umr_sig *sig)
{
	return sig == NULL ? 0 : (sig->mem.type != RTE_UMR_SIG_NONE) +
				 (sig->wire.type != RTE_UMR_SIG_NONE);
}

void
wb_compare_psvs(const struct rte_umr_sig *sig, struct wb_wqe *theirs, struct wb_wqe *ours,
		struct wb_psvs *psvs)
{
	unsigned int nb = wb_nb_psvs(sig), i, domain;

	for (i = 0; i < nb; i++) {
		domain = i == 0 && sig->mem.type != RTE_UMR_SIG_NONE ? WB_MEM : WB_WIRE;
		mask_set_psv(&theirs[i], wb.qp->qp_num, (uint16_t)(wb.pi - nb + i),
			     &psvs->theirs[domain]);
		mask_set_psv(&ours[i], wb.queue->qpn, (uint16_t)(wb.queue->sq_pi - nb + i),
			     &psvs->ours[domain]);
		wb_assert_same(&theirs[i], &ours[i]);
	}
}

void
wb_deks_create(struct wb_deks *deks)
{
	static const uint8_t key[KEY_LEN] = { 1, 2,  3,	 4,  5,	 6,  7,	 8, 9,
					      10, 11, 12, 13, 14, 15, 16, 17 };
	struct mlx5dv_dek_init_attr attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, .pd = wb.pd,
	};
	const struct rte_umr_dek_conf conf = { .key = key, .key_len = KEY_LEN };

	memcpy(attr.key, key, sizeof(key));
	deks->theirs = mlx5dv_dek_create(wb.ctx, &attr);
	assert_non_null(deks->theirs);
	deks->ours = rte_umr_dek_create(wb.dev_id, &conf);
	assert_non_null(deks->ours);
}

void
wb_deks_destroy(struct wb_deks *deks)
{
	assert_int_equal(mlx5dv_dek_destroy(deks->theirs), 0);
	assert_int_equal(rte_umr_dek_destroy(deks->ours), 0);
}

struct mlx5dv_crypto_attr
wb_their_crypto(const struct rte_umr_crypto *ours, const struct wb_deks *deks)
{
	struct mlx5dv_crypto_attr attr = {
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = ours->encrypt_on_tx,
		.signature_crypto_order = ours->order == RTE_UMR_CRYPTO_SIG_AFTER ?
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX :
			MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = wb_block_size(ours->data_unit_size), .dek = deks->theirs,
	};

	memcpy(attr.initial_tweak, ours->tweak, sizeof(attr.initial_tweak));
	memcpy(attr.keytag, ours->keytag, sizeof(attr.keytag));
	return attr;
}
