/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NIC_H
#define SWHCA_NIC_H

/**
 * @file
 * Ethernet ports of a fabric, used like Linux' mlx5e does, by commands typed by dword and bit
 * (include/linux/mlx5/mlx5_ifc.h). Each has an SQ, and an RQ after a table that accepts all frames.
 */

#include "pair.h"

#define NB_NICS		3
#define NIC_PAGE	4096u
#define NIC_WQES	16u
#define NIC_BUF_BYTES	2048u
#define NIC_MAX_SEND	131072u

/* Rings and records have their own pages; uint8_t pointers to page-aligned memory. */
struct nic {
	struct swhca_hca *hca;
	uint8_t *bar;
	uint8_t mac[6];
	uint32_t uarn, eqn, pdn, tdn, key, tisn, scqn, rcqn, sqn, rqn, tirn, table;
	uint8_t *eq, *scq, *rcq, *sq, *rq, *dbr;	/* dbr: SQ 0, RQ 64, SCQ 128, RCQ 192 */
	uint8_t *bufs;		/* NIC_WQES of NIC_BUF_BYTES */
	uint8_t *tx;		/* NIC_MAX_SEND */
	uint16_t sq_pi, rq_pi;
	uint32_t scq_ci, rcq_ci, eq_ci;
};

struct nics {
	struct swhca_fabric *fabric;
	struct nic nic[NB_NICS];
};

/* A command with room for a context; gives dword 2 of the output. */
static inline uint8_t
nic_exec(struct nic *nic, uint8_t *in, size_t len, uint16_t opcode, uint32_t *num)
{
	uint8_t out[1024], status;

	world_put(in, 0, 16, opcode);
	status = swhca_hca_cmd_exec(nic->hca, in, len, out, sizeof(out));
	if (num != NULL)
		*num = world_get(out, 2) & 0xffffff;
	return status;
}

static inline uint32_t
nic_create(struct nic *nic, uint8_t *in, size_t len, uint16_t opcode)
{
	world_put(in, 0, 16, opcode);
	return world_exec_create(nic->hca, in, len);
}

static inline uint32_t
nic_cq_create(struct nic *nic, const uint8_t *ring, const uint8_t *dbr)
{
	uint8_t in[0x118] = { 0 };

	world_put(in, 7, 24, 5);	/* log_cq_size */
	world_put(in, 7, 0, nic->uarn);
	world_put(in, 9, 0, nic->eqn);
	world_put_bus(in, 18, dbr);
	world_put_bus(in, 68, ring);
	return nic_create(nic, in, sizeof(in), 0x400);
}

#define WQ_BOX 0x118u

/* CREATE_SQ, CREATE_RQ: context at dword 8, its wq at 20, pages at 68. */
static inline void
nic_wq_box(const struct nic *nic, uint8_t *in, bool is_sq)
{
	memset(in, 0, WQ_BOX);
	world_put(in, 8, 28, is_sq);		/* SQ: flush_in_error_en */
	world_put(in, 9, 0, is_sq ? 0x51 : 0x52);	/* user_index */
	world_put(in, 10, 0, is_sq ? nic->scqn : nic->rcqn);
	if (is_sq) {
		world_put(in, 16, 16, 1);	/* tis_lst_sz */
		world_put(in, 19, 0, nic->tisn);
		world_put(in, 23, 0, nic->uarn);
	}
	world_put(in, 20, 28, 1);		/* cyclic */
	world_put(in, 22, 0, nic->pdn);
	world_put_bus(in, 24, nic->dbr + (is_sq ? 0 : 64));
	world_put(in, 28, 16, is_sq ? 6 : 5);	/* WQEs of 64 or 32 bytes */
	world_put(in, 28, 0, 4);		/* 16 of them */
	world_put_bus(in, 68, is_sq ? nic->sq : nic->rq);
}

/* MODIFY_SQ, MODIFY_RQ */
static inline uint8_t
nic_wq_modify(struct nic *nic, uint16_t opcode, uint32_t num, uint32_t from, uint32_t to)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 2, 0, num);
	world_put(in, 2, 28, from);
	world_put(in, 8, 20, to);
	return nic_exec(nic, in, sizeof(in), opcode, NULL);
}

/* CREATE_TIR to one queue: context at dword 8. */
static inline uint32_t
nic_tir_create(struct nic *nic, uint32_t rqn)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 8 + 7, 0, rqn);
	world_put(in, 8 + 9, 0, nic->tdn);
	return nic_create(nic, in, sizeof(in), 0x900);
}

static inline uint8_t
nic_table_exec(struct nic *nic, uint8_t level, uint8_t log_size, uint32_t miss, uint32_t *num)
{
	uint8_t in[0x40] = { 0 };

	world_put(in, 6, 16, level);
	world_put(in, 6, 0, log_size);
	if (miss != 0) {
		world_put(in, 6, 24, 1);
		world_put(in, 7, 0, miss);
	}
	return nic_exec(nic, in, sizeof(in), 0x930, num);
}

static inline uint8_t
nic_root_set(struct nic *nic, uint32_t table)
{
	uint8_t in[0x40] = { 0 };

	world_put(in, 5, 0, table);
	return nic_exec(nic, in, sizeof(in), 0x92f, NULL);
}

/* Create a group of entries; mask is that of the outer headers, or NULL. */
static inline uint8_t
nic_group_exec(struct nic *nic, uint32_t table, uint32_t start, uint32_t end, const uint8_t *mask,
	       uint32_t *num)
{
	uint8_t in[0x400] = { 0 };

	world_put(in, 5, 0, table);
	world_put(in, 7, 0, start);
	world_put(in, 9, 0, end);
	if (mask != NULL) {
		world_put(in, 15, 0, 1);
		memcpy(in + 0x40, mask, 64);
	}
	return nic_exec(nic, in, sizeof(in), 0x933, num);
}

/* An entry with one destination of a type (1: table, 2: TIR); 0: drop. */
struct nic_entry {
	uint32_t table, group, index, tag, dest_type, dest, counter;
	const uint8_t *value;
	bool is_modify;
};

static inline uint8_t
nic_entry_exec(struct nic *nic, const struct nic_entry *entry)
{
	uint8_t in[0x340 + 16] = { 0 };
	uint32_t action = entry->dest_type != 0 ? 4 : 2;
	unsigned int at = 208;

	world_put(in, 1, 0, entry->is_modify);
	world_put(in, 6, 0, entry->is_modify ? 4 : 0);	/* destinations */
	world_put(in, 5, 0, entry->table);
	world_put(in, 8, 0, entry->index);
	world_put(in, 17, 0, entry->group);
	world_put(in, 18, 0, entry->tag);
	if (entry->counter != 0)
		action |= 8;
	world_put(in, 19, 0, action);
	if (entry->value != NULL)
		memcpy(in + 0x80, entry->value, 64);
	if (entry->dest_type != 0) {
		world_put(in, 20, 0, 1);
		world_put(in, at, 24, entry->dest_type);
		world_put(in, at, 0, entry->dest);
		at += 2;
	}
	if (entry->counter != 0) {
		world_put(in, 21, 0, 1);
		world_put(in, at, 0, entry->counter);
	}
	return nic_exec(nic, in, sizeof(in), 0x936, NULL);
}

/* MODIFY_NIC_VPORT_CONTEXT: field_select at dword 3, context at 64. */
static inline uint8_t
nic_list_set(struct nic *nic, uint32_t type, const uint8_t (*macs)[6], uint32_t nb)
{
	uint8_t in[0x200 + 4 * 8] = { 0 };

	world_put(in, 3, 0, 4);
	world_put(in, 64 + 60, 24, type);
	world_put(in, 64 + 60, 0, nb);
	for (uint32_t i = 0; macs != NULL && i < nb; i++)
		memcpy(in + 0x200 + i * 8 + 2, macs[i], 6);
	return nic_exec(nic, in, sizeof(in), 0x755, NULL);
}

static inline uint8_t
nic_promisc_set(struct nic *nic, bool uc, bool mc, bool all)
{
	uint8_t in[0x200] = { 0 };

	world_put(in, 3, 0, 0x10);
	world_put(in, 64 + 60, 31, uc);
	world_put(in, 64 + 60, 30, mc);
	world_put(in, 64 + 60, 29, all);
	return nic_exec(nic, in, sizeof(in), 0x755, NULL);
}

static inline void
nic_recv_post(struct nic *nic, unsigned int nb)
{
	uint8_t *wqe;

	for (; nb > 0; nb--, nic->rq_pi++) {
		wqe = nic->rq + (nic->rq_pi % NIC_WQES) * 32;
		memset(wqe, 0, 32);
		world_put(wqe, 0, 0, NIC_BUF_BYTES);
		world_put(wqe, 1, 0, nic->key);
		world_put_bus(wqe, 2, nic->bufs + (nic->rq_pi % NIC_WQES) * NIC_BUF_BYTES);
		world_put(wqe, 5, 0, 0x100);
	}
	world_store(nic->dbr + 64, nic->rq_pi);
}

static inline void
nic_ring(struct nic *nic)
{
	uint64_t value;

	world_store(nic->dbr + 4, nic->sq_pi);
	memcpy(&value, nic->sq + ((nic->sq_pi - 1) % NIC_WQES) * 64, 8);
	memcpy(nic->bar + (size_t)nic->uarn * SWHCA_UAR_SIZE + 0x800, &value, 8);
}

/* Parameters of sending a frame. */
struct nic_send {
	uint8_t opcode;		/* 0: SEND */
	uint8_t cs_flags;
	uint16_t mss;
	uint16_t inline_len;	/* inline bytes of the frame in the WQE */
	uint16_t insert;	/* inserted instead */
	uint16_t tci;
};

/* One WQE of a WQEBB: 2 octowords, inline headers of up to 18 bytes, one data segment. */
static inline void
nic_post(struct nic *nic, const void *frame, size_t len, const struct nic_send *how)
{
	uint8_t *wqe = nic->sq + (nic->sq_pi % NIC_WQES) * 64;
	unsigned int nb_ds = 3, dw = 8;

	memset(wqe, 0, 64);
	memcpy(nic->tx, frame, len);
	if (how->inline_len != 0) {
		nb_ds = 4;
		dw = 12;
		world_put(wqe, 7, 16, how->inline_len);
		memcpy(wqe + 30, frame, how->inline_len);
	}
	if (how->insert != 0) {
		world_put(wqe, 7, 16, how->insert);
		world_put(wqe, 7, 0, how->tci);
	}
	world_put(wqe, 0, 0, (uint32_t)nic->sq_pi << 8 | (how->opcode ? how->opcode : OP_SEND));
	world_put(wqe, 1, 0, nic->sqn << 8 | nb_ds);
	world_put(wqe, 2, 0, CE);
	world_put(wqe, 5, 24, how->cs_flags);
	world_put(wqe, 5, 0, how->mss);
	world_put(wqe, dw, 0, (uint32_t)(len - how->inline_len));
	world_put(wqe, dw + 1, 0, nic->key);
	world_put_bus(wqe, dw + 2, nic->tx + how->inline_len);
	nic->sq_pi++;
	nic_ring(nic);
}

static inline void
nics_run(struct nics *all)
{
	for (int i = 0; i < 100 && swhca_fabric_poll(all->fabric) != 0; i++)
		;
}

static inline void
nic_send(struct nics *all, struct nic *nic, const void *frame, size_t len)
{
	const struct nic_send how = { 0 };

	nic_post(nic, frame, len, &how);
	nics_run(all);
}

static inline const struct mlx5_cqe64 *
nic_cqe(const uint8_t *ring, uint32_t *ci, uint8_t *dbr)
{
	const struct mlx5_cqe64 *cqe = (const void *)(ring + (*ci % 32) * 64);

	if ((cqe->op_own & 1) != (*ci / 32 & 1) || cqe->op_own >> 4 == 0xf)
		return NULL;
	world_store(dbr, ++*ci);
	return cqe;
}

static inline const struct mlx5_cqe64 *
nic_send_cqe(struct nic *nic)
{
	return nic_cqe(nic->scq, &nic->scq_ci, nic->dbr + 128);
}

static inline const struct mlx5_cqe64 *
nic_recv_cqe(struct nic *nic)
{
	return nic_cqe(nic->rcq, &nic->rcq_ci, nic->dbr + 192);
}

/* Frame of a CQE. */
static inline const uint8_t *
nic_frame(const struct nic *nic, const struct mlx5_cqe64 *cqe)
{
	return nic->bufs + (be16toh(cqe->wqe_counter) % NIC_WQES) * NIC_BUF_BYTES;
}

/* 60 bytes that are only meaningful to the switch. */
#define FRAME_LEN 60u

static inline const uint8_t *
nic_frame_fill(uint8_t *frame, const uint8_t *dst, const uint8_t *src)
{
	memcpy(frame, dst, 6);
	memcpy(frame + 6, src, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	for (size_t i = 14; i < FRAME_LEN; i++)
		frame[i] = (uint8_t)(i * 3);
	return frame;
}

/* Of the case: ports, and a frame that is to go from a to b. */
extern struct nics *all;
extern struct nic *a, *b, *c;
extern uint8_t frame[FRAME_LEN];

static inline void
frame_send(struct nic *from)
{
	nic_send(all, from, frame, sizeof(frame));
}

int nics_setup(void **state);
int nics_teardown(void **state);

#define NIC_CASE(f) CASE_WITH(f, nics_setup, nics_teardown)

#endif /* SWHCA_NIC_H */
