/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "wqe/sig.h"

/* A field at its position in a dword. */
static inline uint32_t
bits(struct prm_field field, uint32_t value)
{
	assert(field.width == 32 || value >> field.width == 0);
	return value << field.lsb;
}

#define BLOCK(n) [MLX5_UMR_BLOCK_HASH(n)] = { n, PRM_BSF_BS_##n, RTE_UMR_SIG_BLOCK_##n }

const struct mlx5_umr_block mlx5_umr_blocks[] = {
	BLOCK(512), BLOCK(520), BLOCK(4048), BLOCK(4096), BLOCK(4160),
};

const uint64_t mlx5_umr_no_sig_bsf[] = {
	RTE_BE64((uint64_t)PRM_BSF_LEN_WITH_INLINE << 62 | UINT32_MAX), 0, 0, 0, 0, 0, 0, 0,
};

/** Check a signature over all the data; type and flags are valid. */
static int
trans_domain_check(const struct mlx5_umr_sig_caps *caps, const struct rte_umr_sig_domain *domain,
		   const char *name, char *why, size_t why_size)
{
	if (domain->block_size != 0) {
		snprintf(why, why_size, "%s: block_size is %u, a transaction has 0", name,
			 domain->block_size);
		return -EINVAL;
	}
	if ((caps->trans_types & RTE_BIT32(domain->type)) == 0) {
		snprintf(why, why_size, "%s: the device has transactions of 0x%x, not type %u",
			 name, caps->trans_types, domain->type);
		return -ENOTSUP;
	}
	return 0;
}

static int
domain_check(const struct mlx5_umr_sig_caps *caps, const struct rte_umr_sig_domain *domain,
	     const char *name, char *why, size_t why_size)
{
	const uint32_t t10dif_flags = RTE_UMR_SIG_DOMAIN_F_ALL &
				      ~(RTE_UMR_SIG_DOMAIN_F_SEED_ONES |
					RTE_UMR_SIG_DOMAIN_F_TRANSACTION);
	uint32_t flags_all = RTE_UMR_SIG_DOMAIN_F_ALL;
	struct mlx5_umr_block block;

	if (domain->type == RTE_UMR_SIG_NONE)
		return 0;
	if (domain->type > RTE_UMR_SIG_CRC64_XP10) {
		snprintf(why, why_size, "%s: type is %u, at most %u", name, domain->type,
			 RTE_UMR_SIG_CRC64_XP10);
		return -EINVAL;
	}
	if (!mlx5_umr_sig_is_t10dif(domain))
		flags_all &= ~t10dif_flags;
	if ((domain->flags & ~flags_all) != 0) {
		snprintf(why, why_size, "%s: flags 0x%x has bits beyond 0x%x for type %u", name,
			 domain->flags, flags_all, domain->type);
		return -EINVAL;
	}
	if (mlx5_umr_sig_domain_is_trans(domain))
		return trans_domain_check(caps, domain, name, why, why_size);
	block = mlx5_umr_block_find(domain->block_size);
	if (block.selector == PRM_BSF_BS_NONE) {
		snprintf(why, why_size, "%s: block_size is %u, not 512, 520, 4048, 4096 or 4160",
			 name, domain->block_size);
		return -EINVAL;
	}
	if ((caps->types & RTE_BIT32(domain->type)) == 0) {
		snprintf(why, why_size, "%s: the device has signatures 0x%x, not type %u", name,
			 caps->types, domain->type);
		return -ENOTSUP;
	}
	if ((caps->block_sizes & block.capa) == 0) {
		snprintf(why, why_size, "%s: the device has block sizes 0x%x, not %u", name,
			 caps->block_sizes, domain->block_size);
		return -ENOTSUP;
	}
	return 0;
}

/** Check a whole transaction; its domains are valid. */
static int
trans_check(const struct rte_umr_sig *sig, char *why, size_t why_size)
{
	if (!mlx5_umr_sig_is_trans(sig))
		return 0;
	if (mlx5_umr_sig_nb_psv(sig) != 1) {
		snprintf(why, why_size, "a transaction beside a signature of the other domain: "
			 "memory type %u, flags 0x%x, wire type %u, flags 0x%x", sig->mem.type,
			 sig->mem.flags, sig->wire.type, sig->wire.flags);
		return -ENOTSUP;
	}
	/* The only known value (SPDK: 0xff). */
	if ((~sig->check_mask & RTE_UMR_SIG_MASK_CRC32) != 0) {
		snprintf(why, why_size, "check_mask is 0x%02x, a transaction is checked by 0x%02x",
			 sig->check_mask, RTE_UMR_SIG_MASK_CRC32);
		return -EINVAL;
	}
	return 0;
}

int
mlx5_umr_sig_check(const struct mlx5_umr_sig_caps *caps, const struct rte_umr_sig *sig, char *why,
		   size_t why_size)
{
	int ret;

	if ((sig->flags & ~RTE_UMR_SIG_F_ALL) != 0) {
		snprintf(why, why_size, "flags 0x%x has bits beyond 0x%x", sig->flags,
			 (unsigned int)RTE_UMR_SIG_F_ALL);
		return -EINVAL;
	}
	if (sig->reserved != 0) {
		snprintf(why, why_size, "reserved %u is not 0", sig->reserved);
		return -EINVAL;
	}
	if (mlx5_umr_sig_nb_psv(sig) == 0) {
		snprintf(why, why_size, "neither domain has one");
		return -EINVAL;
	}
	ret = domain_check(caps, &sig->mem, "memory", why, why_size);
	if (ret != 0)
		return ret;
	ret = domain_check(caps, &sig->wire, "wire", why, why_size);
	if (ret != 0)
		return ret;
	if ((sig->flags & RTE_UMR_SIG_F_COPY_MASK) != 0 && !mlx5_umr_sig_is_same_structure(sig)) {
		snprintf(why, why_size, "copy mask 0x%x between type %u of %u bytes and type %u "
			 "of %u", sig->copy_mask, sig->mem.type, sig->mem.block_size,
			 sig->wire.type, sig->wire.block_size);
		return -EINVAL;
	}
	return trans_check(sig, why, why_size);
}

bool
mlx5_umr_sig_is_same_structure(const struct rte_umr_sig *sig)
{
	if (sig->mem.type == RTE_UMR_SIG_NONE || sig->mem.block_size != sig->wire.block_size)
		return false;
	if (mlx5_umr_sig_is_t10dif(&sig->mem))
		return mlx5_umr_sig_is_t10dif(&sig->wire);
	return sig->mem.type == sig->wire.type;
}

uint8_t
mlx5_umr_sig_copy_mask(const struct rte_umr_sig *sig)
{
	const uint32_t diff = sig->mem.flags ^ sig->wire.flags;
	bool is_same_sum = sig->mem.type == sig->wire.type &&
			   (diff & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) == 0;
	uint8_t mask = 0;

	if ((sig->flags & RTE_UMR_SIG_F_COPY_MASK) != 0)
		return sig->copy_mask;
	if (!mlx5_umr_sig_is_t10dif(&sig->mem)) {
		if (!is_same_sum)
			return 0;
		return sig->mem.type == RTE_UMR_SIG_CRC64_XP10 ? RTE_UMR_SIG_MASK_CRC64 :
								 RTE_UMR_SIG_MASK_CRC32;
	}
	if (is_same_sum)
		mask |= RTE_UMR_SIG_MASK_GUARD;
	if (sig->mem.app_tag == sig->wire.app_tag)
		mask |= RTE_UMR_SIG_MASK_APP_TAG;
	if (sig->mem.ref_tag == sig->wire.ref_tag &&
	    (diff & RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT) == 0)
		mask |= RTE_UMR_SIG_MASK_REF_TAG;
	return mask;
}

/** Inline section of a T10-DIF domain. */
static void
inl_build(uint32_t *inl, const struct rte_umr_sig_domain *domain)
{
	bool seed = (domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0;
	bool inc = (domain->flags & RTE_UMR_SIG_DOMAIN_F_REF_INCREMENT) != 0;
	bool app_ref = (domain->flags & RTE_UMR_SIG_DOMAIN_F_APP_REF_ESCAPE) != 0;
	bool app = !app_ref && (domain->flags & RTE_UMR_SIG_DOMAIN_F_APP_ESCAPE) != 0;
	uint32_t type = domain->type == RTE_UMR_SIG_T10DIF_CRC ? PRM_BSF_INL_T10DIF_CRC :
								 PRM_BSF_INL_T10DIF_CSUM;

	inl[0] = rte_cpu_to_be_32(bits(PRM_BSF_INL_VALID, 1) | bits(PRM_BSF_INL_REFRESH_DIF, 1) |
				  bits(PRM_BSF_INL_APP_TAG, domain->app_tag));
	inl[1] = rte_cpu_to_be_32(domain->ref_tag);
	inl[2] = rte_cpu_to_be_32(bits(PRM_BSF_INL_SIG_TYPE, type) | bits(PRM_BSF_INL_REPEAT, 1) |
				  bits(PRM_BSF_INL_SEED, seed));
	inl[3] = rte_cpu_to_be_32(bits(PRM_BSF_INL_INC_REF, inc) |
				  bits(PRM_BSF_INL_APPREF_ESCAPE, app_ref) |
				  bits(PRM_BSF_INL_APP_ESCAPE, app) |
				  bits(PRM_BSF_INL_APP_MASK, UINT16_MAX));
}

/** Block format selector of a domain; T10-DIF uses its inline section instead. */
static uint32_t
bfs_of(const struct rte_umr_sig_domain *domain)
{
	bool seed = (domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0;
	uint32_t flags = PRM_BFS_CRC_REPEAT | (seed ? 0 : PRM_BFS_CRC_SEED_ZERO);

	switch (domain->type) {
	case RTE_UMR_SIG_CRC32:
		return PRM_BFS_CRC32 | flags;
	case RTE_UMR_SIG_CRC32C:
		return PRM_BFS_CRC32C | flags;
	case RTE_UMR_SIG_CRC64_XP10:
		return PRM_BFS_CRC64_XP10 | flags;
	default:
		return PRM_BFS_NONE;
	}
}

static uint32_t
selector_of(const struct rte_umr_sig_domain *domain)
{
	if (domain->type == RTE_UMR_SIG_NONE)
		return PRM_BSF_BS_NONE;
	return mlx5_umr_block_find(domain->block_size).selector;
}

void
mlx5_umr_sig_bsf_build(uint8_t *bsf, const struct rte_umr_sig *sig,
		       const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS], bool has_crypto)
{
	bool has_mem = sig->mem.type != RTE_UMR_SIG_NONE;
	bool has_wire = sig->wire.type != RTE_UMR_SIG_NONE;
	bool is_same = has_wire && mlx5_umr_sig_is_same_structure(sig);
	uint32_t *dst = (uint32_t *)bsf;

	memset(dst, 0, PRM_BSF_SIZE);
	dst[0] = rte_cpu_to_be_32(
		bits(PRM_BSF_LEN, has_crypto ? PRM_BSF_LEN_SIG_AND_CRYPTO :
					       PRM_BSF_LEN_WITH_INLINE) |
		bits(PRM_BSF_SBS, is_same) |
		bits(PRM_BSF_CHECK_BYTE_MASK, has_mem || has_wire ? sig->check_mask : 0) |
		(is_same ? bits(PRM_BSF_W_COPY_BYTE_MASK, mlx5_umr_sig_copy_mask(sig)) :
			   bits(PRM_BSF_W_BS_SELECTOR, selector_of(&sig->wire))) |
		bits(PRM_BSF_M_BS_SELECTOR, selector_of(&sig->mem)));
	dst[1] = rte_cpu_to_be_32(bits(PRM_BSF_RAW_DATA_SIZE, UINT32_MAX));
	if (has_wire)
		dst[2] = rte_cpu_to_be_32(bits(PRM_BSF_W_BFS, bfs_of(&sig->wire)) |
					  bits(PRM_BSF_W_PSV, psv[MLX5_UMR_SIG_WIRE]));
	if (has_mem)
		dst[3] = rte_cpu_to_be_32(bits(PRM_BSF_M_BFS, bfs_of(&sig->mem)) |
					  bits(PRM_BSF_M_PSV, psv[MLX5_UMR_SIG_MEM]));
	if (mlx5_umr_sig_is_t10dif(&sig->wire))
		inl_build(dst + PRM_BSF_W_INL_BYTE / sizeof(*dst), &sig->wire);
	if (mlx5_umr_sig_is_t10dif(&sig->mem))
		inl_build(dst + PRM_BSF_M_INL_BYTE / sizeof(*dst), &sig->mem);
}

void
mlx5_umr_sig_trans_build(uint8_t *bsf, const struct rte_umr_sig *sig,
			 const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS])
{
	bool is_wire = sig->wire.type != RTE_UMR_SIG_NONE;
	const struct rte_umr_sig_domain *domain = is_wire ? &sig->wire : &sig->mem;
	uint32_t *dst = (uint32_t *)bsf, tfs = PRM_BFS_CRC32C;

	if ((domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) == 0)
		tfs |= PRM_BFS_CRC_SEED_ZERO;
	memset(dst, 0, PRM_BSF_SIZE);
	dst[0] = rte_cpu_to_be_32(bits(PRM_BSF_LEN, PRM_BSF_LEN_EXTENDED) |
				  bits(PRM_BSF_CHECK_BYTE_MASK, UINT8_MAX));
	if (is_wire) {
		dst[4] = rte_cpu_to_be_32(bits(PRM_BSF_W_T_INIT, 1) |
					  bits(PRM_BSF_W_T_CHECK_GEN, 1));
		dst[6] = rte_cpu_to_be_32(bits(PRM_BSF_W_TFS, tfs) |
					  bits(PRM_BSF_W_T_PSV, psv[MLX5_UMR_SIG_WIRE]));
	} else {
		dst[4] = rte_cpu_to_be_32(bits(PRM_BSF_M_T_INIT, 1) |
					  bits(PRM_BSF_M_T_CHECK_GEN, 1));
		dst[7] = rte_cpu_to_be_32(bits(PRM_BSF_M_TFS, tfs) |
					  bits(PRM_BSF_M_T_PSV, psv[MLX5_UMR_SIG_MEM]));
	}
}

uint64_t
mlx5_umr_sig_transient(const struct rte_umr_sig_domain *domain)
{
	bool seed = (domain->flags & RTE_UMR_SIG_DOMAIN_F_SEED_ONES) != 0;

	if (mlx5_umr_sig_is_t10dif(domain))
		return (uint64_t)(seed ? UINT16_MAX : 0) << 48 | (uint64_t)domain->app_tag << 32 |
		       domain->ref_tag;
	if (!seed)
		return 0;
	return domain->type == RTE_UMR_SIG_CRC64_XP10 ? UINT64_MAX : (uint64_t)UINT32_MAX << 32;
}

struct mlx5_umr_psv
mlx5_umr_psv_make(uint32_t psv, uint64_t transient)
{
	return (struct mlx5_umr_psv){ {
		rte_cpu_to_be_64((uint64_t)bits(PRM_SET_PSV_INDEX, psv) << 32),
		rte_cpu_to_be_64(transient),
	} };
}

void
mlx5_umr_sig_image_build(struct mlx5_umr_sig_image *image, const struct rte_umr_sig *sig,
			 const uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS])
{
	uint16_t nb_psv = 0;

	image->is_trans = mlx5_umr_sig_is_trans(sig);
	image->trans_field = (uint8_t)rte_umr_sig_size((enum rte_umr_sig_type)sig->mem.type);
	if (image->is_trans)
		mlx5_umr_sig_trans_build((uint8_t *)image->bsf, sig, psv);
	else
		mlx5_umr_sig_bsf_build((uint8_t *)image->bsf, sig, psv, false);
	if (sig->mem.type != RTE_UMR_SIG_NONE)
		image->psvs[nb_psv++] = mlx5_umr_psv_make(psv[MLX5_UMR_SIG_MEM],
							  mlx5_umr_sig_transient(&sig->mem));
	if (sig->wire.type != RTE_UMR_SIG_NONE)
		image->psvs[nb_psv++] = mlx5_umr_psv_make(psv[MLX5_UMR_SIG_WIRE],
							  mlx5_umr_sig_transient(&sig->wire));
	image->nb_psv = nb_psv;
}

void
mlx5_umr_sigerr_read(const void *cqe, struct mlx5_umr_sigerr *err)
{
	*err = (struct mlx5_umr_sigerr){
		.expected = prm_get(cqe, PRM_SIGERR_EXPECTED) << 32 |
			    prm_get(cqe, PRM_SIGERR_EXPECTED_LOW),
		.actual = prm_get(cqe, PRM_SIGERR_ACTUAL) << 32 |
			  prm_get(cqe, PRM_SIGERR_ACTUAL_LOW),
		.offset = prm_get(cqe, PRM_SIGERR_OFFSET),
		.mkey = prm_get_u32(cqe, PRM_SIGERR_MKEY),
		.qpn = prm_get_u32(cqe, PRM_SIGERR_QPN),
		.syndrome = prm_get_u16(cqe, PRM_SIGERR_SYNDROME),
		.sig_type = prm_get_u8(cqe, PRM_SIGERR_SIG_TYPE),
		.domain = prm_get_u8(cqe, PRM_SIGERR_DOMAIN),
	};
}

/** Bits of a guard, in the upper part of the values of a CQE (rdma-core, mlx5_decode_sigerr()). */
static unsigned int
guard_width(uint8_t type)
{
	switch (type) {
	case RTE_UMR_SIG_T10DIF_CRC:
	case RTE_UMR_SIG_T10DIF_CSUM:
		return 16;
	case RTE_UMR_SIG_CRC64_XP10:
		return 64;
	default:
		return 32;
	}
}

int
mlx5_umr_sigerr_decode(const struct mlx5_umr_sigerr *err, struct rte_umr_mkey_error *error)
{
	bool is_wire = err->domain == PRM_SIGERR_DOMAIN_WIRE;
	uint8_t type = err->types[is_wire ? MLX5_UMR_SIG_WIRE : MLX5_UMR_SIG_MEM];
	bool is_trans = (type & MLX5_UMR_SIG_TYPE_TRANS) != 0;
	unsigned int shift;

	type &= (uint8_t)~MLX5_UMR_SIG_TYPE_TRANS;
	shift = 64 - guard_width(type);
	if (err->sig_type != (is_trans ? PRM_SIGERR_TYPE_TRANSACTION : PRM_SIGERR_TYPE_BLOCK) ||
	    err->domain > PRM_SIGERR_DOMAIN_MEMORY || type == RTE_UMR_SIG_NONE)
		return -EPROTO;
	*error = (struct rte_umr_mkey_error){
		.is_wire = is_wire,
		.qpn = err->qpn,
		.offset = err->offset,
	};
	if ((err->syndrome & PRM_SIGERR_SYNDROME_REFTAG) != 0) {
		error->type = RTE_UMR_MKEY_ERROR_REF_TAG;
		error->expected = PRM_PSV_REF_TAG(err->expected);
		error->actual = PRM_PSV_REF_TAG(err->actual);
	} else if ((err->syndrome & PRM_SIGERR_SYNDROME_APPTAG) != 0) {
		error->type = RTE_UMR_MKEY_ERROR_APP_TAG;
		error->expected = PRM_PSV_APP_TAG(err->expected);
		error->actual = PRM_PSV_APP_TAG(err->actual);
	} else if ((err->syndrome & PRM_SIGERR_SYNDROME_GUARD) != 0) {
		error->type = RTE_UMR_MKEY_ERROR_GUARD;
		error->expected = err->expected >> shift;
		error->actual = err->actual >> shift;
	} else {
		return -EPROTO;
	}
	return 0;
}
