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

/* One domain as libmlx5 takes it. */
struct their_domain {
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_crc crc;
};

bool
wb_is_t10dif(const struct rte_umr_sig_domain *domain)
{
	return domain->type == RTE_UMR_SIG_T10DIF_CRC || domain->type == RTE_UMR_SIG_T10DIF_CSUM;
}

static const struct mlx5dv_sig_block_domain *
their_domain(const struct rte_umr_sig_domain *ours, struct their_domain *theirs)
{
	bool ones = (ours->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0;

	if (ours->type == RTE_UMR_SIG_NONE)
		return NULL;
	theirs->domain = (struct mlx5dv_sig_block_domain){
		.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &theirs->crc,
		.block_size = wb_block_size(ours->block_size),
	};
	theirs->crc = (struct mlx5dv_sig_crc){
		.type = ours->type == RTE_UMR_SIG_CRC32 ? MLX5DV_SIG_CRC_TYPE_CRC32 :
			ours->type == RTE_UMR_SIG_CRC32C ? MLX5DV_SIG_CRC_TYPE_CRC32C :
							   MLX5DV_SIG_CRC_TYPE_CRC64_XP10,
		.seed = !ones ? 0 : ours->type == RTE_UMR_SIG_CRC64_XP10 ? UINT64_MAX :
									   UINT32_MAX,
	};
	if (!wb_is_t10dif(ours))
		return &theirs->domain;
	theirs->domain.sig_type = MLX5DV_SIG_TYPE_T10DIF;
	theirs->domain.sig.dif = &theirs->dif;
	theirs->dif = (struct mlx5dv_sig_t10dif){
		.bg_type = ours->type == RTE_UMR_SIG_T10DIF_CRC ? MLX5DV_SIG_T10DIF_CRC :
								  MLX5DV_SIG_T10DIF_CSUM,
		.bg = ones ? UINT16_MAX : 0, .app_tag = ours->app_tag, .ref_tag = ours->ref_tag,
	};
	if (ours->flags & RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT)
		theirs->dif.flags |= MLX5DV_SIG_T10DIF_FLAG_REF_REMAP;
	if (ours->flags & RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE)
		theirs->dif.flags |= MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE;
	if (ours->flags & RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE)
		theirs->dif.flags |= MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE;
	return &theirs->domain;
}

void
wb_libmlx5_configure(const struct wb_request *req, const struct mlx5dv_crypto_attr *crypto,
		     struct wb_wqe *wqes, unsigned int nb)
{
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = req->setters & RTE_UMR_MKEY_RESET_SIG ?
				      MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};
	uint32_t nb_setters = __builtin_popcount(req->setters & ~RTE_UMR_MKEY_RESET_SIG);
	struct their_domain mem, wire;
	const struct mlx5dv_sig_block_attr sig = {
		.mem = their_domain(&req->sig.mem, &mem),
		.wire = their_domain(&req->sig.wire, &wire),
		.flags = req->sig.flags & RTE_UMR_SIG_F_COPY_MASK ?
				 MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK : 0,
		.check_mask = req->sig.check_mask, .copy_mask = req->sig.copy_mask,
	};

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
		mlx5dv_wr_set_mkey_sig_block(wb.dvqp, &sig);
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

bool
wb_is_multi_unit(void)
{
	struct rte_umr_dev_info info;

	assert_int_equal(rte_umr_dev_info_get(wb.dev_id, &info), 0);
	return (info.dev_capa & RTE_UMR_CAPA_CRYPTO_MULTI_UNIT) != 0;
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
