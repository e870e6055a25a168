/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Objects that commands make: those that are there can be ended, and then a device holds nothing.
 * A command that is rejected changes nothing: not the number of objects, not what a query of its
 * object says, nothing of its output but status and syndrome, and nothing behind that.
 */

#include "fuzz_check.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_eth.h"
#include "mlx5_prm_hca.h"
#include "mlx5_prm_sig.h"
#include "mlx5_prm_srq.h"

#define MAX_ENDS  4096u
#define END_SIZE  0x40u
#define GUARD	  64u
#define MAX_OUT	  0x1100u
#define QUERY_OUT 0x400u

/* What makes an object, what ends it, and what asks for it. */
static const struct {
	uint16_t make;
	uint16_t end;
	uint16_t query;		/* 0: none */
} pairs[] = {
	{ PRM_CMD_CREATE_MKEY, PRM_CMD_DESTROY_MKEY, PRM_CMD_QUERY_MKEY },
	{ PRM_CMD_CREATE_EQ, PRM_CMD_DESTROY_EQ, PRM_CMD_QUERY_EQ },
	{ PRM_CMD_CREATE_CQ, PRM_CMD_DESTROY_CQ, PRM_CMD_QUERY_CQ },
	{ PRM_CMD_CREATE_QP, PRM_CMD_DESTROY_QP, PRM_CMD_QUERY_QP },
	{ PRM_CMD_CREATE_SRQ, PRM_CMD_DESTROY_SRQ, PRM_CMD_QUERY_SRQ },
	{ PRM_CMD_CREATE_XRC_SRQ, PRM_CMD_DESTROY_XRC_SRQ, PRM_CMD_QUERY_XRC_SRQ },
	{ PRM_CMD_CREATE_RMP, PRM_CMD_DESTROY_RMP, PRM_CMD_QUERY_RMP },
	{ PRM_CMD_CREATE_DCT, PRM_CMD_DESTROY_DCT, PRM_CMD_QUERY_DCT },
	{ PRM_CMD_CREATE_PSV, PRM_CMD_DESTROY_PSV, 0 },
	{ PRM_CMD_ALLOC_PD, PRM_CMD_DEALLOC_PD, 0 },
	{ PRM_CMD_ALLOC_UAR, PRM_CMD_DEALLOC_UAR, 0 },
	{ PRM_CMD_ALLOC_XRCD, PRM_CMD_DEALLOC_XRCD, 0 },
	{ PRM_CMD_ALLOC_TRANSPORT_DOMAIN, PRM_CMD_DEALLOC_TRANSPORT_DOMAIN, 0 },
	{ PRM_CMD_ALLOC_FLOW_COUNTER, PRM_CMD_DEALLOC_FLOW_COUNTER, 0 },
	{ PRM_CMD_ALLOC_Q_COUNTER, PRM_CMD_DEALLOC_Q_COUNTER, 0 },
	{ PRM_CMD_CREATE_UCTX, PRM_CMD_DESTROY_UCTX, 0 },
	{ PRM_CMD_CREATE_UMEM, PRM_CMD_DESTROY_UMEM, 0 },
	{ PRM_CMD_CREATE_GENERAL_OBJECT, PRM_CMD_DESTROY_GENERAL_OBJECT,
	  PRM_CMD_QUERY_GENERAL_OBJECT },
	{ PRM_CMD_CREATE_TIS, PRM_CMD_DESTROY_TIS, PRM_CMD_QUERY_TIS },
	{ PRM_CMD_CREATE_SQ, PRM_CMD_DESTROY_SQ, PRM_CMD_QUERY_SQ },
	{ PRM_CMD_CREATE_RQ, PRM_CMD_DESTROY_RQ, PRM_CMD_QUERY_RQ },
	{ PRM_CMD_CREATE_RQT, PRM_CMD_DESTROY_RQT, PRM_CMD_QUERY_RQT },
	{ PRM_CMD_CREATE_TIR, PRM_CMD_DESTROY_TIR, PRM_CMD_QUERY_TIR },
};

#define NB_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/* Commands that change an object, and what asks for that. */
static const struct {
	uint16_t first;
	uint16_t last;
	uint16_t query;
} changes[] = {
	{ PRM_CMD_RST2INIT_QP, PRM_CMD_2RST_QP, PRM_CMD_QUERY_QP },
	{ PRM_CMD_SQD2RTS_QP, PRM_CMD_SQD2RTS_QP, PRM_CMD_QUERY_QP },
	{ PRM_CMD_INIT2INIT_QP, 0x50f /* SQD_SQD_QP */, PRM_CMD_QUERY_QP },
	{ PRM_CMD_MODIFY_CQ, PRM_CMD_MODIFY_CQ, PRM_CMD_QUERY_CQ },
	{ PRM_CMD_ARM_RQ, PRM_CMD_ARM_RQ, PRM_CMD_QUERY_SRQ },
	{ PRM_CMD_ARM_XRC_SRQ, PRM_CMD_ARM_XRC_SRQ, PRM_CMD_QUERY_XRC_SRQ },
	{ PRM_CMD_DRAIN_DCT, PRM_CMD_DRAIN_DCT, PRM_CMD_QUERY_DCT },
	{ PRM_CMD_ARM_DCT_FOR_KEY_VIOLATION, PRM_CMD_ARM_DCT_FOR_KEY_VIOLATION, PRM_CMD_QUERY_DCT },
	{ PRM_CMD_MODIFY_RMP, PRM_CMD_MODIFY_RMP, PRM_CMD_QUERY_RMP },
	{ PRM_CMD_MODIFY_SQ, PRM_CMD_MODIFY_SQ, PRM_CMD_QUERY_SQ },
	{ PRM_CMD_MODIFY_RQ, PRM_CMD_MODIFY_RQ, PRM_CMD_QUERY_RQ },
	{ PRM_CMD_MODIFY_RQT, PRM_CMD_MODIFY_RQT, PRM_CMD_QUERY_RQT },
	{ PRM_CMD_MODIFY_TIR, PRM_CMD_MODIFY_TIR, PRM_CMD_QUERY_TIR },
	{ PRM_CMD_MODIFY_GENERAL_OBJECT, PRM_CMD_MODIFY_GENERAL_OBJECT,
	  PRM_CMD_QUERY_GENERAL_OBJECT },
};

#define NB_CHANGES (sizeof(changes) / sizeof(changes[0]))

/* How to give back what is there. */
struct end {
	struct fuzz_obj obj;
	struct fuzz_hca *h;
	uint8_t box[END_SIZE];
};

static struct end ends[MAX_ENDS];
static size_t nb_ends;
/* More than fits, or of a kind that is not known here: a reset must do. */
static bool is_partial;

void
fuzz_objects_reset(void)
{
	nb_ends = 0;
	is_partial = false;
}

static uint32_t
obj_kind(const uint8_t *in, uint16_t end)
{
	if (end == PRM_CMD_DESTROY_GENERAL_OBJECT)
		return end | (uint32_t)prm_get(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE) << 16;
	return end;
}

bool
fuzz_obj_made(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out,
	      struct fuzz_obj *obj)
{
	uint16_t opcode = (uint16_t)prm_get(in, PRM_CMD_IN_OPCODE);

	(void)in_len;
	for (size_t i = 0; i < NB_PAIRS; i++) {
		if (pairs[i].make != opcode)
			continue;
		*obj = (struct fuzz_obj){
			.h = h, .kind = obj_kind(in, pairs[i].end), .num = prm_dword_get(out, 2),
		};
		return true;
	}
	return false;
}

bool
fuzz_obj_ended(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, struct fuzz_obj *obj)
{
	uint16_t opcode = (uint16_t)prm_get(in, PRM_CMD_IN_OPCODE);

	if (in_len < PRM_CMD_SHORT_IN_SIZE)
		return false;
	for (size_t i = 0; i < NB_PAIRS; i++) {
		if (pairs[i].end != opcode)
			continue;
		*obj = (struct fuzz_obj){
			.h = h, .kind = obj_kind(in, opcode), .num = prm_dword_get(in, 2),
		};
		/* A byte above the number is reserved, but for general objects. */
		if (opcode != PRM_CMD_DESTROY_GENERAL_OBJECT)
			obj->num &= opcode == PRM_CMD_DESTROY_EQ ? 0xff : 0xffffff;
		return true;
	}
	return false;
}

/* ---- A list of what is there ---- */

static struct end *
end_add(struct fuzz_hca *h, const struct fuzz_obj *obj)
{
	struct end *end = &ends[nb_ends];

	if (nb_ends == MAX_ENDS) {
		is_partial = true;
		return NULL;
	}
	nb_ends++;
	*end = (struct end){ .obj = *obj, .h = h };
	prm_set(end->box, PRM_CMD_IN_OPCODE, obj->kind & 0xffff);
	if (obj->kind >> 16 != 0)
		prm_set(end->box, PRM_GENERAL_OBJ_IN_OBJ_TYPE, obj->kind >> 16);
	prm_dword_set(end->box, 2, obj->num);
	return end;
}

static void
end_remove(const struct fuzz_obj *obj)
{
	for (size_t i = 0; i < nb_ends; i++) {
		if (fuzz_obj_is(&ends[i].obj, obj)) {
			memmove(&ends[i], &ends[i + 1], (--nb_ends - i) * sizeof(ends[0]));
			return;
		}
	}
	if (!is_partial)
		FUZZ_BROKEN("opcode 0x%x ended 0x%x, which was not there", obj->kind, obj->num);
}

/* All of a device went at once. */
static void
ends_drop(const struct fuzz_hca *h)
{
	size_t nb = 0;

	for (size_t i = 0; i < nb_ends; i++) {
		if (ends[i].h != h)
			ends[nb++] = ends[i];
	}
	nb_ends = nb;
}

static void
psvs_made(struct fuzz_hca *h, const uint8_t *in, const uint8_t *out)
{
	uint64_t i, nb = prm_get(in, PRM_CREATE_PSV_IN_NUM_PSV);
	struct fuzz_obj obj = { .h = h, .kind = PRM_CMD_DESTROY_PSV };

	for (i = 0; i < nb; i++) {
		obj.num = (uint32_t)prm_get(out, PRM_CREATE_PSV_OUT_PSV((uint16_t)i));
		end_add(h, &obj);
	}
}

static void
memic_made(struct fuzz_hca *h, const uint8_t *in, const uint8_t *out)
{
	struct fuzz_obj obj = { .h = h, .kind = PRM_CMD_DEALLOC_MEMIC };
	uint64_t addr = prm_get(out, PRM_ALLOC_MEMIC_OUT_MEMIC_START_ADDR);
	struct end *end;

	obj.num = (uint32_t)addr;
	end = end_add(h, &obj);
	if (end == NULL)
		return;
	prm_dword_set(end->box, 2, 0);
	prm_set(end->box, PRM_DEALLOC_MEMIC_IN_MEMIC_START_ADDR, addr);
	prm_set(end->box, PRM_DEALLOC_MEMIC_IN_MEMIC_SIZE,
		prm_get(in, PRM_ALLOC_MEMIC_IN_MEMIC_SIZE));
}

static void
accepted(struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out)
{
	struct fuzz_obj obj;

	if (fuzz_obj_ended(h, in, in_len, &obj)) {
		end_remove(&obj);
		return;
	}
	switch (prm_get(in, PRM_CMD_IN_OPCODE)) {
	case PRM_CMD_CREATE_PSV:
		psvs_made(h, in, out);
		break;
	case PRM_CMD_ALLOC_MEMIC:
		memic_made(h, in, out);
		break;
	case PRM_CMD_DEALLOC_MEMIC:
		obj = (struct fuzz_obj){ .h = h, .kind = PRM_CMD_DEALLOC_MEMIC };
		obj.num = (uint32_t)prm_get(in, PRM_DEALLOC_MEMIC_IN_MEMIC_START_ADDR);
		end_remove(&obj);
		break;
	case PRM_CMD_TEARDOWN_HCA:
	case PRM_CMD_DISABLE_HCA:
		ends_drop(h);
		break;
	case PRM_CMD_CREATE_FLOW_TABLE:
	case PRM_CMD_CREATE_FLOW_GROUP:
	case PRM_CMD_SET_FLOW_TABLE_ENTRY:
	case PRM_CMD_ATTACH_TO_MCG:
	case PRM_CMD_MODIFY_MEMIC:
		is_partial = true;
		break;
	default:
		if (fuzz_obj_made(h, in, in_len, out, &obj))
			end_add(h, &obj);
		break;
	}
}

/* ---- Commands ---- */

/* What asks for the object that a command is about. */
static uint16_t
query_of(uint16_t opcode)
{
	for (size_t i = 0; i < NB_CHANGES; i++) {
		if (opcode >= changes[i].first && opcode <= changes[i].last &&
		    opcode != PRM_CMD_QUERY_QP)
			return changes[i].query;
	}
	for (size_t i = 0; i < NB_PAIRS; i++) {
		if (opcode == pairs[i].end)
			return pairs[i].query;
	}
	return 0;
}

/* What it says, or the status alone. */
static size_t
query(struct fuzz_hca *h, uint16_t opcode, const uint8_t *in, uint8_t *out)
{
	uint8_t box[PRM_CMD_SHORT_IN_SIZE] = { 0 };

	if (opcode == 0)
		return 0;
	prm_set(box, PRM_CMD_IN_OPCODE, opcode);
	if (opcode == PRM_CMD_QUERY_GENERAL_OBJECT)
		prm_set(box, PRM_GENERAL_OBJ_IN_OBJ_TYPE, prm_get(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE));
	prm_dword_set(box, 2, prm_dword_get(in, 2) & 0xffffff);
	swhca_hca_cmd_exec(h->hca, box, sizeof(box), out, QUERY_OUT);
	return QUERY_OUT;
}

static void
rejected_check(uint16_t opcode, const struct swhca_hca_stats *before, const struct fuzz_hca *h,
	       const uint8_t *out, size_t out_len)
{
	struct swhca_hca_stats stats;

	swhca_hca_stats_get(h->hca, &stats);
	if (stats.nb_objects != before->nb_objects || stats.nb_umems != before->nb_umems ||
	    stats.nb_mkeys != before->nb_mkeys)
		FUZZ_BROKEN("opcode 0x%x was rejected, and objects have changed", opcode);
	for (size_t i = 8; i < out_len; i++) {
		if (out[i] != 0)
			FUZZ_BROKEN("opcode 0x%x was rejected, and byte %zu of its output is 0x%x",
				    opcode, i, out[i]);
	}
}

/*
 * Doorbells of before a resize are executed before it, and who finds the ring unmapped puts the CQ
 * into error: its states and counters go on, whatever becomes of the command.
 */
static bool
is_cq_progress(size_t byte)
{
	size_t dw = byte < PRM_QUERY_CQ_OUT_CQC_BYTE ? SIZE_MAX :
						       (byte - PRM_QUERY_CQ_OUT_CQC_BYTE) / 4;

	return dw == PRM_CQC_STATUS.dw || dw == PRM_CQC_LAST_NOTIFIED_INDEX.dw ||
	       dw == PRM_CQC_LAST_SOLICIT_INDEX.dw || dw == PRM_CQC_CONSUMER_COUNTER.dw ||
	       dw == PRM_CQC_PRODUCER_COUNTER.dw;
}

uint8_t
fuzz_objects_exec(struct fuzz_hca *h, const uint8_t *in, size_t in_len, uint8_t *out,
		  size_t out_len)
{
	static uint8_t guarded[MAX_OUT + GUARD], old[QUERY_OUT], now[QUERY_OUT];
	uint16_t opcode = in_len < 4 ? 0 : (uint16_t)prm_get(in, PRM_CMD_IN_OPCODE);
	uint16_t asks = in_len < PRM_CMD_SHORT_IN_SIZE ? 0 : query_of(opcode);
	struct swhca_hca_stats before;
	size_t asked;
	uint8_t status;

	FUZZ_NEED(out_len <= MAX_OUT);
	memset(guarded + out_len, 0xa5, GUARD);
	asked = query(h, asks, in, old);
	swhca_hca_stats_get(h->hca, &before);
	status = swhca_hca_cmd_exec(h->hca, in, in_len, guarded, out_len);
	for (size_t i = 0; i < GUARD; i++) {
		if (guarded[out_len + i] != 0xa5)
			FUZZ_BROKEN("opcode 0x%x: byte %zu behind its output", opcode, i);
	}
	memcpy(out, guarded, out_len);
	if (status == PRM_CMD_OK) {
		accepted(h, in, in_len, out);
		return status;
	}
	rejected_check(opcode, &before, h, out, out_len);
	query(h, asks, in, now);
	for (size_t i = 0; i < asked; i++) {
		if (old[i] != now[i] && !(opcode == PRM_CMD_MODIFY_CQ && is_cq_progress(i)))
			FUZZ_BROKEN("opcode 0x%x was rejected, and byte %zu of opcode 0x%x is 0x%x,"
				    " not 0x%x", opcode, i, asks, now[i], old[i]);
	}
	return status;
}

/* A target gets rid of its initiators before it goes. */
static void
dct_drain(struct fuzz_hca *h, uint32_t num)
{
	uint8_t box[PRM_CMD_SHORT_IN_SIZE] = { 0 }, out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_DRAIN_DCT);
	prm_dword_set(box, 2, num);
	fuzz_cmd(h, box, sizeof(box), out, sizeof(out));
}

/* The last first; what others use, when these are gone. */
static void
ends_exec(void)
{
	uint8_t out[0x20];
	struct end end;
	size_t nb;

	do {
		nb = nb_ends;
		for (size_t i = nb_ends; i > 0; i--) {
			end = ends[i - 1];
			if (end.obj.kind == PRM_CMD_DESTROY_DCT)
				dct_drain(end.h, end.obj.num);
			fuzz_cmd(end.h, end.box, sizeof(end.box), out, sizeof(out));
		}
	} while (nb_ends != nb);
}

void
fuzz_objects_end(struct fuzz_world *w)
{
	struct swhca_hca_stats stats;

	ends_exec();
	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++) {
		swhca_hca_stats_get(w->hcas[i].hca, &stats);
		if (!is_partial && (nb_ends != 0 || stats.nb_objects != 0))
			FUZZ_BROKEN("device %u: %llu objects that cannot be ended, the last 0x%x of"
				    " opcode 0x%x", i, (unsigned long long)stats.nb_objects,
				    nb_ends == 0 ? 0 : ends[nb_ends - 1].obj.num,
				    nb_ends == 0 ? 0 : ends[nb_ends - 1].obj.kind);
		swhca_hca_reset(w->hcas[i].hca);
		swhca_hca_stats_get(w->hcas[i].hca, &stats);
		if (stats.nb_objects != 0 || stats.nb_umems != 0 || stats.nb_mkeys != 0 ||
		    stats.nb_odp_children != 0)
			FUZZ_BROKEN("device %u, reset: %llu objects, %llu umems, %llu keys, %llu"
				    " parts of regions", i, (unsigned long long)stats.nb_objects,
				    (unsigned long long)stats.nb_umems,
				    (unsigned long long)stats.nb_mkeys,
				    (unsigned long long)stats.nb_odp_children);
	}
}
