/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_umr_pmd.h>

#include "wqe/crypto.h"

static int
dek_check(int16_t dev_id, const struct rte_umr_dek *dek, char *why, size_t why_size)
{
	if (dek == NULL) {
		snprintf(why, why_size, "dek is NULL");
		return -EINVAL;
	}
	if (dek->dev_id != dev_id) {
		snprintf(why, why_size, "DEK 0x%x is of %s", dek->id,
			 rte_umr_dev_label(dek->dev_id));
		return -EXDEV;
	}
	if (dek->state != RTE_UMR_DEK_READY) {
		snprintf(why, why_size, "DEK 0x%x is in state %u, not ready", dek->id, dek->state);
		return -EKEYREJECTED;
	}
	return 0;
}

int
mlx5_umr_crypto_check(const struct mlx5_umr_crypto_caps *caps, int16_t dev_id,
		      const struct rte_umr_crypto *crypto, char *why, size_t why_size)
{
	if (crypto->standard != RTE_UMR_CRYPTO_AES_XTS) {
		snprintf(why, why_size, "standard is %u, only AES-XTS (0) is known",
			 crypto->standard);
		return -EINVAL;
	}
	if (crypto->order != RTE_UMR_CRYPTO_SIG_AFTER &&
	    crypto->order != RTE_UMR_CRYPTO_SIG_BEFORE) {
		snprintf(why, why_size, "order is %u, none of enum rte_umr_crypto_order",
			 crypto->order);
		return -EINVAL;
	}
	if ((crypto->reserved | crypto->reserved2 | crypto->reserved3) != 0) {
		snprintf(why, why_size, "reserved 0x%x, 0x%x or 0x%" PRIx64 " is not 0",
			 crypto->reserved, crypto->reserved2, crypto->reserved3);
		return -EINVAL;
	}
	if (mlx5_umr_crypto_selector(crypto->data_unit_size) == PRM_BSF_BS_NONE) {
		snprintf(why, why_size, "data_unit_size is %u, not 512, 520, 4048, 4096 or 4160",
			 crypto->data_unit_size);
		return -EINVAL;
	}
	if (crypto->data_unit_size == 4048 && !caps->has_block_4048) {
		snprintf(why, why_size, "data_unit_size is 4048, which the device does not have");
		return -ENOTSUP;
	}
	return dek_check(dev_id, crypto->dek, why, why_size);
}

/**
 * Together with a transaction signature devices support two orders (Mellanox' SPDK,
 * module/accel/mlx5/accel_mlx5.c, "HW limitation"): encrypted raw wire signed there, and encrypted
 * raw memory signed there.
 */
static int
trans_order_check(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig, char *why,
		  size_t why_size)
{
	bool is_wire = mlx5_umr_sig_domain_is_trans(&sig->wire);

	if (order == (is_wire ? PRM_BSF_ENC_RAW_WIRE : PRM_BSF_ENC_RAW_MEMORY))
		return 0;
	snprintf(why, why_size, "beside a transaction signature %s only order %d with "
		 "encrypt_on_tx %d", is_wire ? "on the wire" : "in memory",
		 is_wire ? RTE_UMR_CRYPTO_SIG_AFTER : RTE_UMR_CRYPTO_SIG_BEFORE, is_wire);
	return -ENOTSUP;
}

int
mlx5_umr_crypto_sig_check(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig, char *why,
			  size_t why_size)
{
	if (sig != NULL && mlx5_umr_sig_is_trans(sig))
		return trans_order_check(order, sig, why, why_size);
	if (order != PRM_BSF_ENC_RAW_WIRE && order != PRM_BSF_ENC_RAW_MEMORY)
		return 0;
	if (sig == NULL || sig->mem.type == RTE_UMR_SIG_NONE || sig->wire.type == RTE_UMR_SIG_NONE)
		return 0;
	snprintf(why, why_size, "order %d with encrypt_on_tx %d, between signatures in memory and "
		 "on the wire",
		 order == PRM_BSF_ENC_RAW_WIRE ? RTE_UMR_CRYPTO_SIG_AFTER :
						 RTE_UMR_CRYPTO_SIG_BEFORE,
		 order == PRM_BSF_ENC_RAW_WIRE);
	return -EINVAL;
}

static uint32_t
field_size(const struct rte_umr_sig_domain *domain)
{
	return rte_umr_sig_size((enum rte_umr_sig_type)domain->type);
}

/** Bytes of a block with its field; 0 for a domain without blocks. */
static uint32_t
full_block(const struct rte_umr_sig_domain *domain)
{
	uint32_t field = field_size(domain);

	return field == 0 || mlx5_umr_sig_domain_is_trans(domain) ? 0 : domain->block_size + field;
}

/** Data before byte pos of a domain. */
static uint64_t
data_before(const struct rte_umr_sig_domain *domain, uint64_t pos)
{
	uint32_t full = full_block(domain), field = field_size(domain);

	if (full == 0)
		return pos > field ? pos - field : 0;
	return pos / full * domain->block_size + RTE_MIN(pos % full, domain->block_size);
}

/** Bytes of a domain for nb bytes of data, with the fields of complete blocks. */
static uint64_t
domain_before(const struct rte_umr_sig_domain *domain, uint64_t nb)
{
	uint32_t full = full_block(domain);

	if (full == 0)
		return nb + field_size(domain);
	return nb / domain->block_size * full + nb % domain->block_size;
}

uint64_t
mlx5_umr_crypto_pass_len(enum prm_bsf_enc_order order, const struct rte_umr_sig *sig, uint64_t len)
{
	uint64_t nb;

	if (sig == NULL || order == PRM_BSF_ENC_MEMORY_SIGNATURE)
		return len;
	nb = data_before(&sig->mem, len);
	return order == PRM_BSF_ENC_WIRE_SIGNATURE ? domain_before(&sig->wire, nb) : nb;
}

uint32_t
mlx5_umr_crypto_len_max(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
			enum prm_bsf_enc_order order, const struct rte_umr_sig *sig)
{
	uint32_t nb = unit_size, full;

	if (caps->has_multi_block)
		return MLX5_UMR_BSF_MAX_LEN;
	if (sig == NULL || order == PRM_BSF_ENC_MEMORY_SIGNATURE)
		return unit_size;
	/* The last byte of a block on the wire adds its field, which must fit, too. */
	full = order == PRM_BSF_ENC_WIRE_SIGNATURE ? full_block(&sig->wire) : 0;
	if (full != 0)
		nb = unit_size / full * sig->wire.block_size +
		     RTE_MIN(unit_size % full, sig->wire.block_size - 1u);
	return (uint32_t)domain_before(&sig->mem, nb);
}

int
mlx5_umr_crypto_len_check(const struct mlx5_umr_crypto_caps *caps, uint16_t unit_size,
			  enum prm_bsf_enc_order order, const struct rte_umr_sig *sig,
			  uint64_t len, char *why, size_t why_size)
{
	uint32_t len_max = mlx5_umr_crypto_len_max(caps, unit_size, order, sig);

	if (len <= len_max)
		return 0;
	snprintf(why, why_size, "%" PRIu64 " bytes, of which %" PRIu64 " pass the cipher, in data "
		 "units of %u; at most %u bytes under such a key", len,
		 mlx5_umr_crypto_pass_len(order, sig, len), unit_size, len_max);
	return -ERANGE;
}
