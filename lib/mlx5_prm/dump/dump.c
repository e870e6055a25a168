/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>

#include "dump/dump.h"
#include "dump/seg.h"
#include "mlx5_prm_wqe.h"

/*
 * Sizes and positions of segments: rdma-core, providers/mlx5/mlx5dv.h and wqe.h, except where a
 * comment names another source.
 */

#define INLINE_LEN_MASK	0x7fffffffu

static const struct prm_name wqe_opcodes[] = {
	{ MLX5_OPCODE_NOP, "NOP" },
	{ MLX5_OPCODE_SEND_INVAL, "SEND_INVAL" },
	{ MLX5_OPCODE_RDMA_WRITE, "RDMA_WRITE" },
	{ MLX5_OPCODE_RDMA_WRITE_IMM, "RDMA_WRITE_IMM" },
	{ MLX5_OPCODE_SEND, "SEND" },
	{ MLX5_OPCODE_SEND_IMM, "SEND_IMM" },
	{ MLX5_OPCODE_TSO, "TSO" },
	{ MLX5_OPCODE_RDMA_READ, "RDMA_READ" },
	{ MLX5_OPCODE_ATOMIC_CS, "ATOMIC_CS" },
	{ MLX5_OPCODE_ATOMIC_FA, "ATOMIC_FA" },
	{ MLX5_OPCODE_ATOMIC_MASKED_CS, "ATOMIC_MASKED_CS" },
	{ MLX5_OPCODE_ATOMIC_MASKED_FA, "ATOMIC_MASKED_FA" },
	{ MLX5_OPCODE_FMR, "FMR" },
	{ MLX5_OPCODE_LOCAL_INVAL, "LOCAL_INVAL" },
	{ MLX5_OPCODE_CONFIG_CMD, "CONFIG_CMD" },
	{ MLX5_OPCODE_SET_PSV, "SET_PSV" },
	{ MLX5_OPCODE_UMR, "UMR" },
	{ MLX5_OPCODE_TAG_MATCHING, "TAG_MATCHING" },
	{ MLX5_OPCODE_FLOW_TBL_ACCESS, "FLOW_TBL_ACCESS" },
	{ MLX5_OPCODE_MMO, "MMO" },
};

static const struct prm_name fence_modes[] = {
	{ PRM_CTRL_FM_NONE, "none" },
	{ PRM_CTRL_FM_INITIATOR_SMALL, "initiator small" },
	{ PRM_CTRL_FM_FENCE, "fence" },
	{ PRM_CTRL_FM_STRONG_ORDERING, "strong ordering" },
	{ PRM_CTRL_FM_FENCE_AND_SMALL, "fence and initiator small" },
};

static const struct prm_name completion_modes[] = {
	{ PRM_CTRL_CE_ON_ERROR, "on error" },
	{ PRM_CTRL_CE_ON_FIRST_ERROR, "on first error" },
	{ PRM_CTRL_CE_ALWAYS, "always" },
	{ PRM_CTRL_CE_ALWAYS_EQE, "always, with event" },
};

static const struct prm_name umr_flags[] = {
	{ MLX5_WQE_UMR_CTRL_FLAG_INLINE, "INLINE" },
	{ PRM_UMR_FLAG_CHECK_NOT_FREE, "CHECK_NOT_FREE" },
	{ MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE, "CHECK_FREE" },
	{ MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET, "TRANSLATION_OFFSET" },
	{ MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN, "CHECK_QPN" },
};

static const struct prm_name umr_mask_bits[] = {
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN, "LEN" },
	{ PRM_UMR_MKEY_MASK_PAGE_SIZE, "PAGE_SIZE" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR, "START_ADDR" },
	{ PRM_UMR_MKEY_MASK_PD, "PD" },
	{ PRM_UMR_MKEY_MASK_EN_RINVAL, "EN_RINVAL" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR, "SIG_ERR" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE, "BSF_ENABLE" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY, "MKEY" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN, "QPN" },
	{ PRM_UMR_MKEY_MASK_LR, "LR" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE, "LW" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ, "RR" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE, "RW" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC, "A" },
	{ PRM_UMR_MKEY_MASK_SMALL_FENCE, "SMALL_FENCE" },
	{ PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE, "RELAXED_ORDERING_WRITE" },
	{ PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ, "RELAXED_ORDERING_READ" },
	{ MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE, "FREE" },
};

static const struct prm_name access_modes[] = {
	{ PRM_MKC_ACCESS_MODE_PA, "PA" },
	{ PRM_MKC_ACCESS_MODE_MTT, "MTT" },
	{ PRM_MKC_ACCESS_MODE_KLMS, "KLMS" },
	{ PRM_MKC_ACCESS_MODE_KSM, "KSM" },
	{ PRM_MKC_ACCESS_MODE_SW_ICM, "SW_ICM" },
	{ PRM_MKC_ACCESS_MODE_MEMIC, "MEMIC" },
};

/* Bits of dword 0 of a memory key context, highest first. */
static const struct prm_name mkc_access_bits[] = {
	{ UINT32_C(1) << 14, "A" },
	{ UINT32_C(1) << 13, "RW" },
	{ UINT32_C(1) << 12, "RR" },
	{ UINT32_C(1) << 11, "LW" },
	{ UINT32_C(1) << 10, "LR" },
};

#define MKC_ACCESS_MASK	0x7c00u
/* Operation modifier of MMO (rdma-core: MLX5_OPC_MOD_MMO_DMA). */
#define MMO_DMA		0x1u

const char *
prm_wqe_opcode_name(uint8_t opcode)
{
	return PRM_NAME_OF(wqe_opcodes, opcode);
}

static bool
is_zero(const uint8_t *bytes, size_t len)
{
	while (len > 0 && *bytes == 0) {
		bytes++;
		len--;
	}
	return len == 0;
}

/* Meaning of ctrl.imm for an opcode. */
static const char *
imm_meaning(uint8_t opcode)
{
	switch (opcode) {
	case MLX5_OPCODE_UMR:
	case MLX5_OPCODE_LOCAL_INVAL:
		return "mkey";
	case MLX5_OPCODE_SEND_INVAL:
		return "remote key to invalidate";
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
		return "immediate data";
	default:
		return "unused";
	}
}

static void
put_ctrl(struct prm_dump *d, const uint8_t *ctrl)
{
	uint32_t opmod_idx_opcode = prm_get32(ctrl);
	uint32_t qpn_ds = prm_get32(ctrl + 4);
	uint8_t opcode = opmod_idx_opcode & 0xff;
	uint32_t ds = qpn_ds & 0x3f;
	uint8_t fm_ce_se = ctrl[11];
	unsigned int fm = fm_ce_se & PRM_CTRL_FM_MASK;
	unsigned int ce = fm_ce_se & PRM_CTRL_CE_MASK;

	prm_section_open(d, "ctrl");
	prm_put(d, "opcode: 0x%02x (%s)", opcode, prm_wqe_opcode_name(opcode));
	prm_put(d, "opmod: 0x%02x", opmod_idx_opcode >> 24);
	prm_put(d, "wqe_index: %u", opmod_idx_opcode >> 8 & 0xffff);
	prm_put(d, "qpn: 0x%06x", qpn_ds >> 8);
	prm_put(d, "ds: %u (%u bytes, %u WQEBB)", ds, ds * PRM_WQE_DS_SIZE, prm_ds_to_wqebb(ds));
	prm_put(d, "signature: 0x%02x", ctrl[8]);
	prm_put(d, "dci_stream: %u", prm_get16(ctrl + 9));
	prm_put(d, "fence: 0x%02x (%s)", fm, PRM_NAME_OF(fence_modes, fm));
	prm_put(d, "completion: 0x%02x (%s)", ce, PRM_NAME_OF(completion_modes, ce));
	prm_put(d, "solicited: %u", (fm_ce_se & PRM_CTRL_SE) != 0);
	prm_put(d, "imm: 0x%08x (%s)", prm_get32(ctrl + 12), imm_meaning(opcode));
	prm_section_close(d);
}

static void
put_mkc(struct prm_dump *d, const uint8_t *mkc)
{
	unsigned int mode = (unsigned int)(prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 |
					   prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0));
	uint32_t qpn = (uint32_t)prm_get(mkc, PRM_MKC_QPN);

	prm_put(d, "free: %u", (unsigned int)prm_get(mkc, PRM_MKC_FREE));
	prm_put(d, "access_mode: %u (%s)", mode, PRM_NAME_OF(access_modes, mode));
	prm_put(d, "umr_en: %u", (unsigned int)prm_get(mkc, PRM_MKC_UMR_EN));
	PRM_PUT_FLAGS(d, "access", 4, prm_dword_get(mkc, 0) & MKC_ACCESS_MASK, mkc_access_bits);
	prm_put(d, "relaxed_ordering_write: %u",
		(unsigned int)prm_get(mkc, PRM_MKC_RELAXED_ORDERING_WRITE));
	prm_put(d, "relaxed_ordering_read: %u",
		(unsigned int)prm_get(mkc, PRM_MKC_RELAXED_ORDERING_READ));
	prm_put(d, "qpn: 0x%06x%s", qpn, qpn == PRM_MKC_QPN_ANY ? " (any)" : "");
	prm_put(d, "mkey_7_0: 0x%02x", (unsigned int)prm_get(mkc, PRM_MKC_MKEY_7_0));
	prm_put(d, "length64: %u", (unsigned int)prm_get(mkc, PRM_MKC_LENGTH64));
	prm_put(d, "bsf_en: %u", (unsigned int)prm_get(mkc, PRM_MKC_BSF_EN));
	prm_put(d, "sync_umr: %u", (unsigned int)prm_get(mkc, PRM_MKC_SYNC_UMR));
	prm_put(d, "expected_sigerr_count: %u",
		(unsigned int)prm_get(mkc, PRM_MKC_EXPECTED_SIGERR_COUNT));
	prm_put(d, "en_rinval: %u", (unsigned int)prm_get(mkc, PRM_MKC_EN_RINVAL));
	prm_put(d, "pd: 0x%06x", (unsigned int)prm_get(mkc, PRM_MKC_PD));
	prm_put(d, "start_addr: 0x%016" PRIx64, prm_get(mkc, PRM_MKC_START_ADDR));
	prm_put(d, "len: %" PRIu64, prm_get(mkc, PRM_MKC_LEN));
	prm_put(d, "bsf_octwords: %u", (unsigned int)prm_get(mkc, PRM_MKC_BSF_OCTWORD_SIZE));
	prm_put(d, "translations_octwords: %u",
		(unsigned int)prm_get(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE));
	prm_put(d, "log_page_size: %u", (unsigned int)prm_get(mkc, PRM_MKC_LOG_PAGE_SIZE));
	prm_put(d, "crypto_en: %u", (unsigned int)prm_get(mkc, PRM_MKC_CRYPTO_EN));
}

static void
put_mkc_section(struct prm_dump *d)
{
	const uint8_t *mkc;

	prm_section_open(d, "mkc");
	mkc = prm_take(d, PRM_MKC_SIZE);
	if (mkc != NULL)
		put_mkc(d, mkc);
	prm_section_close(d);
}

/* A KLM and a data segment have the same fields. */
static void
put_key_addr(const struct prm_dump *d, const uint8_t *seg, const char *key_name)
{
	prm_put(d, "byte_count: %u", prm_get32(seg));
	prm_put(d, "%s: 0x%08x", key_name, prm_get32(seg + 4));
	prm_put(d, "addr: 0x%016" PRIx64, prm_get64(seg + 8));
}

static void
put_klms(struct prm_dump *d, unsigned int nb)
{
	const uint8_t *klm;
	unsigned int i;

	for (i = 0; i < nb && prm_left(d) != 0; i++) {
		if (prm_left(d) >= PRM_KLM_SIZE && is_zero(d->bytes + d->pos, PRM_KLM_SIZE)) {
			prm_take(d, PRM_KLM_SIZE);
			prm_put(d, "klm[%u]: zero", i);
			continue;
		}
		prm_put(d, "klm[%u]:", i);
		d->indent++;
		klm = prm_take(d, PRM_KLM_SIZE);
		if (klm != NULL)
			put_key_addr(d, klm, "mkey");
		d->indent--;
	}
	if (i < nb)
		prm_put(d, "truncated: %u of %u entries", i, nb);
}

/* Repeat block: a header and num_ent entries instead of KLMs. Returns the entries used. */
static unsigned int
put_repeat_block(struct prm_dump *d)
{
	const uint8_t *seg = prm_take(d, PRM_KLM_SIZE);
	unsigned int nb_entries, i;

	prm_section_open(d, "repeat_block");
	nb_entries = prm_get16(seg + 14);
	prm_put(d, "byte_count: %u", prm_get32(seg));
	prm_put(d, "op: 0x%08x (repeat)", prm_get32(seg + 4));
	prm_put(d, "repeat_count: %u", prm_get32(seg + 8));
	prm_put(d, "num_ent: %u", nb_entries);
	for (i = 0; i < nb_entries && prm_left(d) != 0; i++) {
		prm_put(d, "entry[%u]:", i);
		d->indent++;
		seg = prm_take(d, PRM_KLM_SIZE);
		if (seg != NULL) {
			prm_put(d, "stride: %u", prm_get16(seg));
			prm_put(d, "byte_count: %u", prm_get16(seg + 2));
			prm_put(d, "mkey: 0x%08x", prm_get32(seg + 4));
			prm_put(d, "addr: 0x%016" PRIx64, prm_get64(seg + 8));
		}
		d->indent--;
	}
	if (i < nb_entries)
		prm_put(d, "truncated: %u of %u entries", i, nb_entries);
	prm_section_close(d);
	return i + 1;
}

/* Translation entries in the WQE. */
static void
put_umr_inline(struct prm_dump *d, unsigned int nb_octowords)
{
	const uint8_t *first = d->bytes + d->pos;
	unsigned int used = 0;

	if (nb_octowords == 0)
		return;
	prm_section_open(d, "translation");
	if (prm_left(d) >= PRM_KLM_SIZE && prm_get32(first + 4) == PRM_UMR_REPEAT_BLOCK_OP)
		used = put_repeat_block(d);
	if (nb_octowords > used)
		put_klms(d, nb_octowords - used);
	prm_section_close(d);
}

static void
put_umr(struct prm_dump *d)
{
	const uint8_t *umr, *pointer;
	unsigned int klm_octowords, flags;

	prm_section_open(d, "umr_ctrl");
	umr = prm_take(d, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	if (umr == NULL) {
		prm_section_close(d);
		return;
	}
	flags = umr[0];
	klm_octowords = prm_get16(umr + 4);
	PRM_PUT_FLAGS(d, "flags", 2, flags, umr_flags);
	prm_put(d, "klm_octowords: %u", klm_octowords);
	if (flags & MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET)
		/* Upper bits: Linux, include/linux/mlx5/qp.h, xlt_offset_47_16. */
		prm_put(d, "translation_offset: %" PRIu64,
			(uint64_t)prm_get32(umr + 16) << 16 | prm_get16(umr + 6));
	else
		prm_put(d, "bsf_octowords: %u", prm_get16(umr + 6));
	PRM_PUT_FLAGS(d, "mkey_mask", 16, prm_get64(umr + 8), umr_mask_bits);
	prm_section_close(d);

	put_mkc_section(d);
	if (flags & MLX5_WQE_UMR_CTRL_FLAG_INLINE) {
		put_umr_inline(d, klm_octowords);
	} else if (klm_octowords != 0 && prm_left(d) != 0) {
		prm_section_open(d, "translation_pointer");
		pointer = prm_take(d, PRM_WQE_DS_SIZE);
		if (pointer != NULL)
			put_key_addr(d, pointer, "lkey");
		prm_section_close(d);
	}
	prm_put_bsfs(d);
}

static void
put_raddr(struct prm_dump *d)
{
	const uint8_t *raddr;

	prm_section_open(d, "raddr");
	raddr = prm_take(d, sizeof(struct mlx5_wqe_raddr_seg));
	if (raddr != NULL) {
		prm_put(d, "raddr: 0x%016" PRIx64, prm_get64(raddr));
		prm_put(d, "rkey: 0x%08x", prm_get32(raddr + 8));
	}
	prm_section_close(d);
}

/* Inline data: a length with its highest bit set, the bytes, and padding to a whole DS. */
static void
put_inline_data(struct prm_dump *d)
{
	size_t start = d->pos;
	uint32_t len = prm_get32(prm_take(d, sizeof(uint32_t))) & INLINE_LEN_MASK;
	const uint8_t *data;
	size_t padding;

	prm_section_open(d, "inline_data");
	prm_put(d, "byte_count: %u", len);
	data = prm_take(d, len);
	if (data != NULL)
		prm_put_hex(d, data, len);
	padding = (PRM_WQE_DS_SIZE - (d->pos - start) % PRM_WQE_DS_SIZE) % PRM_WQE_DS_SIZE;
	d->pos += padding < prm_left(d) ? padding : prm_left(d);
	prm_section_close(d);
}

static void
put_data(struct prm_dump *d)
{
	const uint8_t *seg;

	for (unsigned int i = 0; prm_left(d) != 0; i++) {
		if (prm_left(d) >= sizeof(uint32_t) && (d->bytes[d->pos] & 0x80) != 0) {
			put_inline_data(d);
			continue;
		}
		prm_put(d, "data[%u]:", i);
		d->indent++;
		seg = prm_take(d, sizeof(struct mlx5_wqe_data_seg));
		if (seg != NULL)
			put_key_addr(d, seg, "lkey");
		d->indent--;
	}
}

static void
put_atomic(struct prm_dump *d, uint8_t opcode)
{
	const uint8_t *seg;

	prm_section_open(d, "atomic");
	seg = prm_take(d, sizeof(struct mlx5_wqe_atomic_seg));
	if (seg != NULL) {
		prm_put(d, "%s: 0x%016" PRIx64, opcode == MLX5_OPCODE_ATOMIC_CS ? "swap" : "add",
			prm_get64(seg));
		prm_put(d, "compare: 0x%016" PRIx64, prm_get64(seg + 8));
	}
	prm_section_close(d);
}

/*
 * Masked atomics: operand size from 3 bits of opmod (log2 minus 2), segments as in UCX,
 * src/uct/ib/mlx5/ib_mlx5.h (uct_ib_mlx5_atomic_masked_*_seg).
 */
static void
put_masked_atomic(struct prm_dump *d, uint8_t opcode, uint8_t opmod)
{
	static const char *const cs_names[] = { "swap", "compare", "swap_mask", "compare_mask" };
	static const char *const fa_names[] = { "add", "field_boundary", "reserved", "reserved" };
	bool is_cs = opcode == MLX5_OPCODE_ATOMIC_MASKED_CS;
	bool is_64 = (opmod & 0x7) == 1;
	unsigned int nb = is_64 && !is_cs ? 2 : 4;
	const uint8_t *seg;

	prm_section_open(d, "masked_atomic");
	seg = prm_take(d, (size_t)nb * (is_64 ? 8 : 4));
	for (unsigned int i = 0; seg != NULL && i < nb; i++) {
		const char *name = is_cs ? cs_names[i] : fa_names[i];

		if (is_64)
			prm_put(d, "%s: 0x%016" PRIx64, name, prm_get64(seg + (size_t)i * 8));
		else
			prm_put(d, "%s: 0x%08x", name, prm_get32(seg + (size_t)i * 4));
	}
	prm_section_close(d);
}

static void
put_set_psv(struct prm_dump *d)
{
	const uint8_t *psv;

	prm_section_open(d, "set_psv");
	psv = prm_take(d, PRM_WQE_DS_SIZE);
	if (psv != NULL) {
		prm_put(d, "psv_index: 0x%06x", prm_get32(psv) & 0xffffff);
		prm_put(d, "syndrome: 0x%04x", prm_get16(psv + 4));
		prm_put(d, "transient_signature: 0x%016" PRIx64, prm_get64(psv + 8));
	}
	prm_section_close(d);
}

/* Memory to memory: rdma-core, providers/mlx5/wqe.h, struct mlx5_mmo_wqe. */
static void
put_mmo(struct prm_dump *d, uint8_t opmod)
{
	const uint8_t *meta;

	prm_section_open(d, opmod == MMO_DMA ? "mmo_dma" : "mmo");
	meta = prm_take(d, PRM_WQE_DS_SIZE);
	if (meta != NULL) {
		prm_put(d, "mmo_control: 0x%08x", prm_get32(meta));
		prm_put(d, "lkey: 0x%08x", prm_get32(meta + 4));
		prm_put(d, "addr: 0x%016" PRIx64, prm_get64(meta + 8));
	}
	prm_section_close(d);
	put_data(d);
}

/* Opcodes with a peer: on an unconnected queue the WQE contains its address. */
static bool
has_peer(uint8_t opcode)
{
	switch (opcode) {
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
	case MLX5_OPCODE_RDMA_READ:
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
	case MLX5_OPCODE_ATOMIC_MASKED_CS:
	case MLX5_OPCODE_ATOMIC_MASKED_FA:
		return true;
	default:
		return false;
	}
}

static void
put_peer(struct prm_dump *d, enum prm_dump_service service)
{
	switch (service) {
	case PRM_DUMP_DATAGRAM:
	case PRM_DUMP_DC:
		prm_put_av(d, service == PRM_DUMP_DC);
		break;
	case PRM_DUMP_XRC:
		prm_put_xrc(d);
		break;
	case PRM_DUMP_CONNECTED:
	default:
		break;
	}
}

/* The segments after the control segment. */
static void
put_segments(struct prm_dump *d, uint8_t opcode, uint8_t opmod)
{
	switch (opcode) {
	case MLX5_OPCODE_UMR:
		put_umr(d);
		break;
	case MLX5_OPCODE_RDMA_WRITE:
	case MLX5_OPCODE_RDMA_WRITE_IMM:
	case MLX5_OPCODE_RDMA_READ:
		put_raddr(d);
		put_data(d);
		break;
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_SEND_IMM:
	case MLX5_OPCODE_SEND_INVAL:
		put_data(d);
		break;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		put_raddr(d);
		put_atomic(d, opcode);
		put_data(d);
		break;
	case MLX5_OPCODE_ATOMIC_MASKED_CS:
	case MLX5_OPCODE_ATOMIC_MASKED_FA:
		put_raddr(d);
		put_masked_atomic(d, opcode, opmod);
		put_data(d);
		break;
	case MLX5_OPCODE_SET_PSV:
		put_set_psv(d);
		break;
	case MLX5_OPCODE_MMO:
		put_mmo(d, opmod);
		break;
	default:
		/* NOP and LOCAL_INVAL have no segments; others are not decoded. */
		break;
	}
	prm_put_rest(d, "extra");
}

size_t
prm_wqe_dump(FILE *f, const void *wqe, size_t len)
{
	return prm_wqe_dump_as(f, PRM_DUMP_CONNECTED, wqe, len);
}

size_t
prm_wqe_dump_as(FILE *f, enum prm_dump_service service, const void *wqe, size_t len)
{
	struct prm_dump d = { .f = f, .bytes = wqe, .len = len };
	const uint8_t *ctrl;
	size_t size;

	prm_section_open(&d, "wqe");
	ctrl = prm_take(&d, sizeof(struct mlx5_wqe_ctrl_seg));
	if (ctrl == NULL)
		return 0;
	put_ctrl(&d, ctrl);
	size = (prm_get32(ctrl + 4) & 0x3f) * (size_t)PRM_WQE_DS_SIZE;
	if (size == 0) {
		prm_put(&d, "invalid: ds is 0");
		return 0;
	}
	if (size < len)
		d.len = size;
	if (has_peer(ctrl[3]))
		put_peer(&d, service);
	put_segments(&d, ctrl[3], ctrl[0]);
	if (size > len)
		prm_put(&d, "truncated: %zu of %zu bytes", len, size);
	return prm_ds_to_wqebb((uint32_t)(size / PRM_WQE_DS_SIZE)) * (size_t)PRM_WQE_BB_SIZE;
}

void
prm_mkc_dump(FILE *f, const void *mkc, size_t len)
{
	struct prm_dump d = { .f = f, .bytes = mkc, .len = len };

	put_mkc_section(&d);
}
