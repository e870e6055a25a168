/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SPDK_WQE_H
#define SPDK_WQE_H

/**
 * Work requests with the bytes that SPDK's accel_mlx5 posts for its three kinds of keys: plain,
 * encrypting, and signing by one CRC32C over all moved data.
 *
 * Source: SPDK 3230130e6 (lib/mlx5); each field names the function there that sets it, and
 * swhca/test_spdk.c has bytes written by its builders. No layout of this project is used.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* fm_ce_se: mlx5_qp_fm_ce_se_update(), g_mlx5_ce_map[SPDK_MLX5_QP_SIG_NONE]. */
#define SPDK_CE_NO_FLUSH_ERROR	0x04	/* replaces 0 */
#define SPDK_CE_CQ_UPDATE	0x08
#define SPDK_SMALL_FENCE	0x20
#define SPDK_STRONG_ORDERING	0x60

#define SPDK_OP_WRITE		0x08	/* MLX5_OPCODE_* */
#define SPDK_OP_READ		0x10
#define SPDK_OP_SET_PSV		0x20
#define SPDK_OP_UMR		0x25

#define SPDK_MAX_WQE		1024u
#define SPDK_BB			64u	/* MLX5_SEND_WQE_BB */

/* struct ibv_sge */
struct spdk_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* The part of the control segment that depends on the queue. */
struct spdk_ctrl {
	uint16_t pi;
	uint32_t qpn;
	uint8_t fm_ce_se;
};

/* struct spdk_mlx5_umr_crypto_attr */
struct spdk_crypto {
	uint8_t enc_order;
	uint8_t bs_selector;
	bool is_be;		/* SPDK_MLX5_CRYPTO_KEY_TWEAK_MODE_SIMPLE_LBA_BE */
	uint32_t dek;
	uint64_t iv;
	uint8_t keytag[8];
};

/* struct spdk_mlx5_umr_sig_attr */
struct spdk_sig {
	uint32_t seed;		/* 0 or 0xffffffff */
	uint32_t psv;
	bool is_wire;
	uint32_t sigerr_count;
	uint32_t raw_data_size;
	bool init;
	bool check_gen;
};

static inline void
spdk_put32(uint8_t *to, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline void
spdk_put64(uint8_t *to, uint64_t value)
{
	spdk_put32(to, (uint32_t)(value >> 32));
	spdk_put32(to + 4, (uint32_t)value);
}

/* mlx5_set_ctrl_seg(): opmod and signature are 0, imm is big endian. */
static inline void
spdk_ctrl_seg(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint8_t opcode, uint32_t nb_ds,
	      uint32_t imm)
{
	spdk_put32(wqe, (uint32_t)ctrl->pi << 8 | opcode);
	spdk_put32(wqe + 4, ctrl->qpn << 8 | nb_ds);
	spdk_put32(wqe + 8, ctrl->fm_ce_se);
	spdk_put32(wqe + 12, imm);
}

/* A UMR of KLMs, padded to 64 bytes; nb_bsf formats of 64 bytes follow. @return Their position. */
static inline uint8_t *
spdk_umr(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t mkey, uint64_t umr_len,
	 const struct spdk_sge *sges, uint32_t nb, uint32_t nb_bsf)
{
	uint32_t nb_klm = (nb + 3) & ~3u, i;

	memset(wqe, 0, SPDK_MAX_WQE);
	/* spdk_mlx5_umr_configure(): 16 + 48 + 64 bytes, KLMs, formats. */
	spdk_ctrl_seg(wqe, ctrl, SPDK_OP_UMR, 8 + nb_klm + 4 * nb_bsf, mkey);
	/* _mlx5_set_umr_ctrl_seg_mtt(): inline; FREE (bit 29) and LEN (bit 0) of the mask. */
	wqe[16] = 0x80;
	wqe[21] = (uint8_t)nb_klm;
	/* mlx5_set_umr_ctrl_seg_bsf_size(): octowords, padded to four. */
	wqe[23] = (uint8_t)(4 * nb_bsf);
	spdk_put64(wqe + 24, UINT64_C(1) << 29 | 1);
	/* mlx5_set_umr_mkey_seg_mtt(): the key context contains only the length. */
	spdk_put64(wqe + 64 + 24, umr_len);
	/* mlx5_set_umr_inline_klm_seg() */
	for (i = 0; i < nb; i++) {
		spdk_put32(wqe + 128 + 16 * i, sges[i].length);
		spdk_put32(wqe + 128 + 16 * i + 4, sges[i].lkey);
		spdk_put64(wqe + 128 + 16 * i + 8, sges[i].addr);
	}
	return wqe + 128 + 16 * nb_klm;
}

/* mlx5_set_umr_crypto_bsf_seg() */
static inline void
spdk_bsf_crypto(uint8_t *bsf, const struct spdk_crypto *attr, uint32_t raw_data_size,
		uint8_t bsf_size)
{
	memset(bsf, 0, 64);
	bsf[0] = (uint8_t)(bsf_size << 6 | 1);	/* MLX5_CRYPTO_BSF_P_TYPE_CRYPTO */
	bsf[1] = attr->enc_order;
	spdk_put32(bsf + 4, raw_data_size);
	bsf[8] = attr->bs_selector;
	if (attr->is_be)
		spdk_put64(bsf + 24, attr->iv);
	else
		for (unsigned int i = 0; i < 8; i++)
			bsf[16 + i] = (uint8_t)(attr->iv >> (8 * i));
	spdk_put32(bsf + 32, attr->dek);
	memcpy(bsf + 40, attr->keytag, 8);
}

/* mlx5_set_umr_sig_bsf_seg(); size 1 (32 bytes) when used alone. */
static inline void
spdk_bsf_sig(uint8_t *bsf, const struct spdk_sig *attr, uint8_t bsf_size)
{
	/* mlx5_get_crc32c_tfs() */
	uint32_t tfs = 64 | (attr->seed == 0);
	uint32_t init_gen = (attr->init ? 1u << 25 : 0) | (attr->check_gen ? 1u << 24 : 0);

	memset(bsf, 0, 64);
	bsf[0] = (uint8_t)(bsf_size << 6);
	bsf[1] = 0xff;				/* check_byte_mask */
	spdk_put32(bsf + 4, attr->raw_data_size);
	/* MLX5_SIG_BSF_EXT_M_T_INIT and so on; those of the wire are 4 bits higher. */
	spdk_put32(bsf + 16, attr->is_wire ? init_gen << 4 : init_gen);
	spdk_put32(bsf + (attr->is_wire ? 24 : 28), tfs << 24 | (attr->psv & 0xffffff));
}

/* spdk_mlx5_umr_configure(). @return Bytes. */
static inline uint32_t
spdk_umr_plain(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t mkey, uint64_t umr_len,
	       const struct spdk_sge *sges, uint32_t nb)
{
	return (uint32_t)(spdk_umr(wqe, ctrl, mkey, umr_len, sges, nb, 0) - wqe);
}

/* spdk_mlx5_umr_configure_crypto(): MLX5_CRYPTO_BSF_SIZE_64B. */
static inline uint32_t
spdk_umr_crypto(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t mkey, uint64_t umr_len,
		const struct spdk_sge *sges, uint32_t nb, const struct spdk_crypto *attr)
{
	uint8_t *bsf = spdk_umr(wqe, ctrl, mkey, umr_len, sges, nb, 1);

	spdk_bsf_crypto(bsf, attr, (uint32_t)umr_len, 2);
	return (uint32_t)(bsf + 64 - wqe);
}

/* mlx5_set_umr_ctrl_seg_mtt_sig() and mlx5_set_umr_mkey_seg_sig(): the expected error. */
static inline void
spdk_umr_sigerr(uint8_t *wqe, uint32_t sigerr_count)
{
	wqe[30] |= 0x02;			/* MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR: bit 9 */
	spdk_put32(wqe + 64 + 12, (sigerr_count & 1) << 26);
}

/* spdk_mlx5_umr_configure_sig(): MLX5_SIG_BSF_SIZE_32B in 64 bytes. */
static inline uint32_t
spdk_umr_sig(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t mkey, uint64_t umr_len,
	     const struct spdk_sge *sges, uint32_t nb, const struct spdk_sig *attr)
{
	uint8_t *bsf = spdk_umr(wqe, ctrl, mkey, umr_len, sges, nb, 1);

	spdk_umr_sigerr(wqe, attr->sigerr_count);
	spdk_bsf_sig(bsf, attr, 1);
	return (uint32_t)(bsf + 64 - wqe);
}

/*
 * Both, as in Mellanox' SPDK (lib/mlx5/mlx5_umr.c, mlx5_umr_configure_full_sig_crypto()): each
 * format has size 3, and both have the size of the data.
 */
static inline uint32_t
spdk_umr_sig_crypto(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t mkey, uint64_t umr_len,
		    const struct spdk_sge *sges, uint32_t nb, const struct spdk_sig *sig,
		    const struct spdk_crypto *crypto)
{
	uint8_t *bsf = spdk_umr(wqe, ctrl, mkey, umr_len, sges, nb, 2);

	spdk_umr_sigerr(wqe, sig->sigerr_count);
	spdk_bsf_sig(bsf, sig, 3);
	spdk_bsf_crypto(bsf + 64, crypto, sig->raw_data_size, 3);
	return (uint32_t)(bsf + 128 - wqe);
}

/* spdk_mlx5_qp_set_psv(): the rest of the block is zero. */
static inline uint32_t
spdk_set_psv(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint32_t psv, uint32_t crc_seed)
{
	memset(wqe, 0, SPDK_BB);
	spdk_ctrl_seg(wqe, ctrl, SPDK_OP_SET_PSV, 2, 0);
	spdk_put32(wqe + 16, psv);
	spdk_put32(wqe + 24, crc_seed);
	return SPDK_BB;
}

/* mlx5_dma_xfer_full(): RDMA READ or WRITE between sges and [raddr, ...) of rkey. */
static inline uint32_t
spdk_xfer(uint8_t *wqe, const struct spdk_ctrl *ctrl, uint8_t opcode, uint64_t raddr,
	  uint32_t rkey, const struct spdk_sge *sges, uint32_t nb)
{
	memset(wqe, 0, SPDK_MAX_WQE);
	spdk_ctrl_seg(wqe, ctrl, opcode, 2 + nb, 0);
	spdk_put64(wqe + 16, raddr);
	spdk_put32(wqe + 24, rkey);
	for (uint32_t i = 0; i < nb; i++) {
		spdk_put32(wqe + 32 + 16 * i, sges[i].length);
		spdk_put32(wqe + 32 + 16 * i + 4, sges[i].lkey);
		spdk_put64(wqe + 32 + 16 * i + 8, sges[i].addr);
	}
	return (32 + 16 * nb + SPDK_BB - 1) & ~(SPDK_BB - 1);
}

#endif /* SPDK_WQE_H */
