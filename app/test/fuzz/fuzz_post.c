/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What a program does to the queues of the world. Each function takes what it needs from the input,
 * most of it so that the result makes sense to the device; raw octowords make the rest.
 */

#include "fuzz_check.h"

struct fuzz_hca *
fuzz_pick_hca(struct fuzz_world *w, struct fuzz_input *in)
{
	return &w->hcas[fuzz_u8(in) % FUZZ_NB_HCAS];
}

struct fuzz_qp *
fuzz_pick_qp(struct fuzz_hca *h, struct fuzz_input *in)
{
	return &h->qps[fuzz_u8(in) % FUZZ_NB_QPS];
}

struct fuzz_cq *
fuzz_pick_cq(struct fuzz_hca *h, struct fuzz_input *in)
{
	return &h->cqs[fuzz_u8(in) % FUZZ_NB_CQS];
}

/* A key of the device or its peer, seldom one that nobody has. */
static uint32_t
pick_key(const struct fuzz_world *w, const struct fuzz_hca *h, struct fuzz_input *in)
{
	uint8_t pick = fuzz_u8(in);

	if (pick >= 0xf0)
		return fuzz_u32(in);
	if (pick >= 0x80)
		h = h == &w->hcas[0] ? &w->hcas[1] : &w->hcas[0];
	/* One that must not be of use. */
	if ((pick & 0xf) == FUZZ_NB_KEYS)
		return h->traps[pick >> 5 & 3];
	return h->keys[(pick & 0xf) % FUZZ_NB_KEYS] + (pick >> 4 & 1);
}

/* An address in somebody's data, or an offset in a key that begins at zero, or any. */
static uint64_t
pick_addr(const struct fuzz_world *w, struct fuzz_input *in)
{
	uint8_t pick = fuzz_u8(in);
	uint64_t offset = fuzz_u16(in);

	switch (pick % 8) {
	case 0:
	case 1:
		return w->hcas[pick % 8].data + offset;
	case 2:
		offset |= (uint64_t)fuzz_u32(in) << 32;
		return offset;
	case 6:
	case 7:
		return w->hcas[pick % 2].traps_data + offset % (FUZZ_NB_TRAPS * FUZZ_PAGE);
	case 3:
		return FUZZ_BUS + (offset << 4);
	default:
		return offset;
	}
}

static uint32_t
pick_len(struct fuzz_input *in)
{
	uint8_t pick = fuzz_u8(in);

	return pick < 0xe0 ? pick : pick < 0xf0 ? fuzz_u16(in) : fuzz_u32(in);
}

/* ---- Segments: each writes nb_ds octowords and returns how many ---- */

enum seg_kind {
	SEG_RAW, SEG_DATA, SEG_RADDR, SEG_INLINE, SEG_UMR_CTRL, SEG_MKC, SEG_REPEAT, SEG_XRC,
	SEG_AV, SEG_BSF, SEG_NB,
};

#define MAX_SEG_DS 16u

static uint32_t
seg_data(const struct fuzz_world *w, const struct fuzz_hca *h, struct fuzz_input *in, uint8_t *seg)
{
	prm_dword_set(seg, 0, pick_len(in));
	prm_dword_set(seg, 1, pick_key(w, h, in));
	prm_set(seg, PRM_FIELD(2, 0, 64), pick_addr(w, in));
	return 1;
}

static uint32_t
seg_raddr(const struct fuzz_world *w, const struct fuzz_hca *h, struct fuzz_input *in, uint8_t *seg)
{
	prm_set(seg, PRM_FIELD(0, 0, 64), pick_addr(w, in));
	prm_dword_set(seg, 2, pick_key(w, h, in));
	return 1;
}

/* Length, then that many bytes, more or less. */
static uint32_t
seg_inline(struct fuzz_input *in, uint8_t *seg)
{
	uint32_t len = fuzz_u8(in), room = 60;

	prm_dword_set(seg, 0, 0x80000000 | len);
	fuzz_bytes(in, seg + 4, len < room ? len : room);
	return ((len < room ? len : room) + 4 + 15) / 16;
}

static uint32_t
seg_umr_ctrl(struct fuzz_input *in, uint8_t *seg)
{
	seg[0] = fuzz_u8(in);			/* flags */
	seg[5] = fuzz_u8(in);			/* klm_octowords */
	seg[7] = fuzz_u8(in);			/* bsf_octowords */
	prm_dword_set(seg, 3, fuzz_u32(in));	/* mkey_mask */
	prm_dword_set(seg, 2, fuzz_u32(in));
	return 3;
}

static uint32_t
seg_mkc(const struct fuzz_hca *h, struct fuzz_input *in, uint8_t *seg)
{
	fuzz_bytes(in, seg, 3);			/* access, access mode */
	prm_dword_set(seg, 1, 0xffffff00 | fuzz_u8(in));
	prm_set(seg, PRM_MKC_PD, h->pdn);
	seg[12] = fuzz_u8(in);			/* length64, bsf_en, ... */
	prm_set(seg, PRM_MKC_START_ADDR, fuzz_u16(in));
	prm_set(seg, PRM_MKC_LEN, fuzz_u32(in));
	prm_dword_set(seg, 15, fuzz_u32(in));
	return 4;
}

static uint32_t
seg_repeat(const struct fuzz_world *w, const struct fuzz_hca *h, struct fuzz_input *in,
	   uint8_t *seg)
{
	uint32_t nb = fuzz_u8(in), i;

	prm_dword_set(seg, 0, fuzz_u32(in));		/* byte_count */
	prm_dword_set(seg, 1, PRM_UMR_REPEAT_BLOCK_OP);
	prm_dword_set(seg, 2, pick_len(in));		/* repeat_count */
	prm_dword_set(seg, 3, nb);			/* num_ent */
	for (i = 1; i <= nb && i < MAX_SEG_DS; i++) {
		seg += 16;
		prm_dword_set(seg, 0, fuzz_u32(in));	/* stride, byte_count */
		prm_dword_set(seg, 1, pick_key(w, h, in));
		prm_set(seg, PRM_FIELD(2, 0, 64), pick_addr(w, in));
	}
	return i;
}

/* Address vector: to a queue of somebody, or a target of DC. */
static uint32_t
seg_av(struct fuzz_world *w, struct fuzz_input *in, uint8_t *seg)
{
	struct fuzz_hca *peer = fuzz_pick_hca(w, in);
	uint8_t pick = fuzz_u8(in);

	fuzz_bytes(in, seg, 4);			/* Q_Key, or half of a dc_access_key */
	prm_dword_set(seg, 2, 0x80000000 |
		      (pick >= 0x80 ? peer->dctn : peer->qps[pick % FUZZ_NB_QPS].num));
	prm_dword_set(seg, 3, (uint32_t)(peer - w->hcas) + 1);
	if (w->is_eth) {
		seg[20] = 0x02;			/* rmac */
		seg[25] = (uint8_t)(peer - w->hcas) + 1;
		seg[28] = 0x40;			/* GRH */
		fuzz_gid(w, peer, seg + 32);
	}
	if (fuzz_u8(in) >= 0xc0)
		fuzz_bytes(in, seg + 8, 40);
	return 3;
}

static uint32_t
seg_build(struct fuzz_world *w, struct fuzz_hca *h, struct fuzz_input *in, uint8_t *seg)
{
	switch (fuzz_u8(in) % SEG_NB) {
	case SEG_DATA:
		return seg_data(w, h, in, seg);
	case SEG_RADDR:
		return seg_raddr(w, h, in, seg);
	case SEG_INLINE:
		return seg_inline(in, seg);
	case SEG_UMR_CTRL:
		return seg_umr_ctrl(in, seg);
	case SEG_MKC:
		return seg_mkc(h, in, seg);
	case SEG_REPEAT:
		return seg_repeat(w, h, in, seg);
	case SEG_AV:
		return seg_av(w, in, seg);
	case SEG_BSF:
		fuzz_bytes(in, seg, 64);
		return 4;
	case SEG_XRC:
		prm_dword_set(seg, 0, fuzz_pick_hca(w, in)->srqs[fuzz_u8(in) % FUZZ_NB_SRQS].num);
		return 1;
	case SEG_RAW:
	default:
		fuzz_bytes(in, seg, 16);
		return 1;
	}
}

/* ---- Queues ---- */

static void
put_counter(struct fuzz_world *w, uint64_t dbr, unsigned int dword, uint32_t value)
{
	prm_dword_set(fuzz_mem(w, dbr), dword, value);
}

/* Opcodes that a device of this kind knows (PRM; mlx5dv.h has most). */
static const uint8_t opcodes[] = {
	MLX5_OPCODE_NOP, MLX5_OPCODE_SEND_INVAL, MLX5_OPCODE_RDMA_WRITE,
	MLX5_OPCODE_RDMA_WRITE_IMM, MLX5_OPCODE_SEND, MLX5_OPCODE_SEND_IMM, MLX5_OPCODE_TSO,
	MLX5_OPCODE_RDMA_READ, MLX5_OPCODE_ATOMIC_CS, MLX5_OPCODE_ATOMIC_FA,
	MLX5_OPCODE_ATOMIC_MASKED_CS, MLX5_OPCODE_ATOMIC_MASKED_FA, MLX5_OPCODE_FMR,
	MLX5_OPCODE_LOCAL_INVAL, MLX5_OPCODE_CONFIG_CMD, MLX5_OPCODE_SET_PSV, 0x23 /* DUMP */,
	MLX5_OPCODE_UMR, MLX5_OPCODE_TAG_MATCHING, MLX5_OPCODE_FLOW_TBL_ACCESS, MLX5_OPCODE_MMO,
};

#define MAX_WQE_DS 64u

void
fuzz_post_send(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	struct fuzz_qp *qp = fuzz_pick_qp(h, in);
	uint8_t wqe[(MAX_WQE_DS + MAX_SEG_DS) * 16] = { 0 };
	uint8_t pick = fuzz_u8(in), opmod = 0, nb_segs, *sq = fuzz_mem(w, qp->sq);
	uint32_t nb_ds = 1, nb_bb;

	if (pick >= 0xc0)
		opmod = fuzz_u8(in);
	pick = pick >= 0xf0 ? fuzz_u8(in) : opcodes[pick % sizeof(opcodes)];
	prm_dword_set(wqe, 0, (uint32_t)opmod << 24 | (uint32_t)qp->pi << 8 | pick);
	wqe[11] = fuzz_u8(in);
	wqe[10] = pick & 0x3;			/* stream of a DCI */
	prm_dword_set(wqe, 3, pick_key(w, h, in));
	for (nb_segs = fuzz_u8(in) % 16; nb_segs > 0 && nb_ds < MAX_WQE_DS; nb_segs--)
		nb_ds += seg_build(w, h, in, wqe + (size_t)nb_ds * 16);
	if (nb_ds > MAX_WQE_DS - 1)
		nb_ds = MAX_WQE_DS - 1;
	prm_dword_set(wqe, 1, qp->num << 8 | nb_ds);
	/* At times the length is a lie, or the WQE is of somebody else. */
	pick = fuzz_u8(in);
	if (pick >= 0xf0)
		prm_dword_set(wqe, 1, prm_dword_get(wqe, 1) ^ fuzz_u16(in));
	nb_bb = (nb_ds + 3) / 4;
	for (uint32_t i = 0; i < nb_bb; i++)
		memcpy(sq + (size_t)((qp->pi + i) % FUZZ_SQ_BB) * 64, wqe + (size_t)i * 64, 64);
	qp->pi = (uint16_t)(qp->pi + nb_bb);
}

/* Data segments of a receive WQE with room for so many. */
static void
recv_segs(struct fuzz_world *w, struct fuzz_hca *h, struct fuzz_input *in, uint8_t *wqe,
	  unsigned int room)
{
	unsigned int nb = fuzz_u8(in) % (room + 1), i;

	for (i = 0; i < nb; i++)
		seg_data(w, h, in, wqe + (size_t)i * 16);
	if (nb < room) {
		memset(wqe + (size_t)nb * 16, 0, 16);
		prm_dword_set(wqe + (size_t)nb * 16, 1, 0x100);	/* the list ends */
	}
}

void
fuzz_post_recv(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	uint8_t pick = fuzz_u8(in);
	struct fuzz_qp *qp = &h->qps[pick % FUZZ_NB_QPS];
	struct fuzz_srq *srq = &h->srqs[pick % FUZZ_NB_SRQS];
	uint64_t addr;

	if (pick < 0x80) {
		addr = qp->ring + (uint64_t)(qp->rq_pi++ % FUZZ_RQ_WQES) * 64;
		recv_segs(w, h, in, fuzz_mem(w, addr), 4);
		put_counter(w, qp->dbr, PRM_DBR_RQ, qp->rq_pi);
	} else {
		addr = srq->ring + (uint64_t)(srq->pi++ % FUZZ_RQ_WQES) * 64 + 16;
		recv_segs(w, h, in, fuzz_mem(w, addr), 3);
		put_counter(w, srq->dbr, PRM_DBR_RQ, srq->pi);
	}
}

void
fuzz_ring(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	struct fuzz_qp *qp = fuzz_pick_qp(h, in);
	uint8_t pick = fuzz_u8(in);
	uint64_t doorbell = UINT64_MAX;

	if (pick < 0xf0) {
		put_counter(w, qp->dbr, PRM_DBR_SQ, qp->pi);
	} else {
		put_counter(w, qp->dbr, pick % 2 ? PRM_DBR_SQ : PRM_DBR_RQ, fuzz_u32(in));
		fuzz_cqes_touched(qp->dbr, PRM_DBR_SIZE);
	}
	memcpy(h->bar + (size_t)h->uarn * SWHCA_UAR_SIZE + PRM_UAR_BF_OFFSET, &doorbell,
	       sizeof(doorbell));
}

void
fuzz_consume(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	struct fuzz_cq *cq = fuzz_pick_cq(h, in);
	uint8_t *uar = h->bar + (size_t)h->uarn * SWHCA_UAR_SIZE;
	uint8_t pick = fuzz_u8(in);

	cq->ci += pick < 0xf0 ? pick % FUZZ_CQ_CQES : fuzz_u32(in);
	put_counter(w, cq->dbr, 0, cq->ci & 0xffffff);
	if (pick < 0x80)
		return;
	/* Arm: for the next CQE, or the next solicited one; in the record and at the doorbell. */
	put_counter(w, cq->dbr, 1, (uint32_t)(pick & 0x7) << 28 | (cq->ci & 0xffffff));
	prm_dword_set(uar + PRM_UAR_CQ_DB_OFFSET, 0,
		      (uint32_t)(pick & 0x7) << 28 | (cq->ci & 0xffffff));
	prm_dword_set(uar + PRM_UAR_CQ_DB_OFFSET, 1, cq->num);
	if ((pick & 0x40) != 0)
		prm_dword_set(uar + PRM_UAR_EQ_DB_OFFSET, 0, h->eqn << 24 | fuzz_u16(in));
}

void
fuzz_resume(struct fuzz_world *w, struct fuzz_input *in)
{
	uint8_t box[PRM_CMD_SHORT_IN_SIZE] = { 0 }, out[PRM_CMD_SHORT_OUT_SIZE], pick;

	if (!w->has_faults)
		return;
	pick = fuzz_u8(in);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_PAGE_FAULT_RESUME);
	prm_set(box, PRM_PAGE_FAULT_RESUME_IN_ERROR, pick & 1);
	prm_set(box, PRM_PAGE_FAULT_RESUME_IN_TOKEN, pick >> 1 & 0x1f);
	fuzz_cmd(&w->hcas[pick >> 6 & 1], box, sizeof(box), out, sizeof(out));
}

void
fuzz_scribble(struct fuzz_world *w, struct fuzz_input *in)
{
	uint8_t pick = fuzz_u8(in);
	uint32_t offset = fuzz_u16(in), len = fuzz_u8(in) % 65;
	struct fuzz_hca *h = &w->hcas[pick % FUZZ_NB_HCAS];
	uint8_t bytes[64];

	fuzz_bytes(in, bytes, len);
	if (pick < 0xc0) {
		/* In units of 16 bytes all of the arena has 14 bits. */
		offset = (offset << 4) % (FUZZ_ARENA - sizeof(bytes));
		memcpy(w->arena + offset, bytes, len);
		fuzz_cqes_touched(FUZZ_BUS + offset, len);
	} else {
		offset = (offset << 3) % (4 * SWHCA_UAR_SIZE - sizeof(bytes));
		memcpy(h->bar + offset, bytes, len);
	}
}

void
fuzz_run(struct fuzz_world *w, struct fuzz_input *in)
{
	fuzz_world_run(w);
	fuzz_resume(w, in);
}

void
fuzz_steps_run(struct fuzz_world *w, const uint8_t *data, size_t size, const fuzz_step *steps,
	       unsigned int nb, unsigned int max_steps)
{
	struct fuzz_input in = { .data = data, .left = size };

	fuzz_world_create(w, fuzz_u8(&in) & FUZZ_KINDS);
	fuzz_queues_create(w);
	fuzz_keys_create(w);
	for (unsigned int i = 0; i < max_steps && in.left > 0; i++)
		steps[fuzz_u8(&in) % nb](w, &in);
	fuzz_world_run(w);
	fuzz_world_destroy(w);
}
