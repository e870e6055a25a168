/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_SIG_H
#define MLX5_UMR_SIG_H

/**
 * @file
 * Block signature: bytes and values out of arguments. No I/O, no queue policy.
 *
 * A signature is a byte stream format (BSF) of 64 bytes behind the KLMs of an UMR, and behind that
 * UMR one SET_PSV WQE for each domain that has one. The bytes are those that libmlx5 writes for
 * the same request (rdma-core 44, providers/mlx5/qp.c: mlx5_umr_fill_sig_bsf(),
 * mlx5_umr_set_psv()), with one exception, see mlx5_umr_sig_copy_mask().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mlx5_prm_sig.h>
#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "mlx5_umr_wqe.h"

/** The domains, as indices. */
enum {
	MLX5_UMR_SIG_MEM = 0,
	MLX5_UMR_SIG_WIRE,
	MLX5_UMR_SIG_NB_DOMAINS,
};

/* SET_PSV: control segment and one octoword. */
#define MLX5_UMR_SET_PSV_DS	(MLX5_UMR_CTRL_DS + PRM_SET_PSV_SIZE / PRM_WQE_DS_SIZE)
#define MLX5_UMR_SET_PSV_WQEBB	1u
static_assert(MLX5_UMR_SET_PSV_DS <= PRM_WQE_DS_PER_BB, "SET_PSV is one block");

/* BSF, in octowords and blocks. */
#define MLX5_UMR_BSF_DS		(PRM_BSF_SIZE / PRM_WQE_DS_SIZE)
#define MLX5_UMR_BSF_WQEBB	(PRM_BSF_SIZE / PRM_WQE_BB_SIZE)
static_assert(PRM_BSF_SIZE == PRM_WQE_BB_SIZE, "a BSF is a block");

/** What a device can sign. */
struct mlx5_umr_sig_caps {
	uint32_t types;		/* bit n: enum rte_umr_sig_type n */
	uint32_t block_sizes;	/* RTE_UMR_SIG_BLOCK_* */
};

static inline bool
mlx5_umr_sig_is_t10dif(const struct rte_umr_sig_domain *domain)
{
	return domain->type == RTE_UMR_SIG_T10DIF_CRC || domain->type == RTE_UMR_SIG_T10DIF_CSUM;
}

/** SET_PSV WQEs that a signature takes. */
static inline uint32_t
mlx5_umr_sig_nb_psv(const struct rte_umr_sig *sig)
{
	return (sig->mem.type != RTE_UMR_SIG_NONE) + (sig->wire.type != RTE_UMR_SIG_NONE);
}

/**
 * Whether a device can do a signature.
 *
 * @param why
 *   Written on error: what is wrong, with the value and the limit.
 * @return
 *   0, -EINVAL, or -ENOTSUP for what other devices can.
 */
int mlx5_umr_sig_check(const struct mlx5_umr_sig_caps *caps, const struct rte_umr_sig *sig,
		       char *why, size_t why_size);

/** Whether the field of one domain can be copied to the other one. */
bool mlx5_umr_sig_is_same_structure(const struct rte_umr_sig *sig);

/**
 * Bytes of the field that go from one domain to the other, of domains of the same structure.
 *
 * libmlx5 copies a CRC if its type is the same and a reference tag if its start is. Here the seed
 * and the increment must be the same, too: otherwise the copy would be wrong in its new domain.
 */
uint8_t mlx5_umr_sig_copy_mask(const struct rte_umr_sig *sig);

/**
 * Signature BSF, PRM_BSF_SIZE bytes; all of them are written. Both domains may be without a
 * signature, in front of a crypto BSF.
 */
void mlx5_umr_sig_bsf_build(uint8_t *bsf, const struct rte_umr_sig *sig,
			    const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS], bool has_crypto);

/** Initial signature of a domain, for its PSV. */
uint64_t mlx5_umr_sig_transient(const struct rte_umr_sig_domain *domain);

/** SET_PSV WQE; one block, of which MLX5_UMR_SET_PSV_DS octowords are written. */
void mlx5_umr_set_psv_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint32_t psv,
			    uint64_t transient);

/** What a signature error CQE tells, before it is known what the key was configured with. */
struct mlx5_umr_sigerr {
	uint64_t expected;
	uint64_t actual;
	uint64_t offset;
	uint32_t mkey;
	uint32_t qpn;
	uint16_t syndrome;
	uint8_t sig_type;
	uint8_t domain;
};

/** Read a signature error CQE. */
void mlx5_umr_sigerr_read(const void *cqe, struct mlx5_umr_sigerr *err);

/**
 * What an error means for a key of that signature.
 *
 * @return
 *   0, or -EPROTO if it is of a kind that is not known.
 */
int mlx5_umr_sigerr_decode(const struct mlx5_umr_sigerr *err, const struct rte_umr_sig *sig,
			   struct rte_umr_mkey_error *error);

#endif /* MLX5_UMR_SIG_H */
