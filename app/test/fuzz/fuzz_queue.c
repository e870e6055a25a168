/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queues that change while they work: modified, reset, resized, destroyed and created again, with
 * counters and rings that anybody may have overwritten. The input is the link layer and a list
 * of steps, each begins with its kind.
 */

#include "fuzz.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_srq.h"

#define MAX_STEPS 256u

static struct fuzz_world world;

static bool
exec(struct fuzz_hca *h, struct fuzz_input *in, uint8_t *box, size_t len, uint32_t *num)
{
	uint8_t out[PRM_QUERY_HCA_CAP_OUT_SIZE];

	fuzz_edit(in, box, len);
	if (fuzz_cmd(h, box, len, out, sizeof(out)) != PRM_CMD_OK)
		return false;
	if (num != NULL)
		*num = (uint32_t)prm_get(out, PRM_CMD_OUT_OBJ);
	return true;
}

/* As software has to: a queue that is new, or as new, begins at zero. */
static void
queue_restart(struct fuzz_world *w, struct fuzz_qp *qp)
{
	qp->pi = qp->rq_pi = 0;
	memset(fuzz_mem(w, qp->dbr), 0, PRM_DBR_SIZE);
}

static void
modify_qp(struct fuzz_world *w, struct fuzz_input *in)
{
	static const uint16_t opcodes[] = {
		PRM_CMD_RST2INIT_QP, PRM_CMD_INIT2RTR_QP, PRM_CMD_RTR2RTS_QP, PRM_CMD_RTS2RTS_QP,
		PRM_CMD_SQERR2RTS_QP, PRM_CMD_2ERR_QP, PRM_CMD_RTS2SQD_QP, PRM_CMD_2RST_QP,
		PRM_CMD_SQD2RTS_QP, PRM_CMD_INIT2INIT_QP, 0x50f /* SQD_SQD_QP */,
	};
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	struct fuzz_qp *qp = fuzz_pick_qp(h, in);
	uint16_t opcode = opcodes[fuzz_u8(in) % (sizeof(opcodes) / sizeof(opcodes[0]))];
	uint8_t box[FUZZ_BOX];

	fuzz_modify_box(w, h, qp, opcode, box);
	if (exec(h, in, box, FUZZ_MODIFY, NULL) &&
	    prm_get(box, PRM_CMD_IN_OPCODE) == PRM_CMD_2RST_QP &&
	    prm_get(box, PRM_MODIFY_QP_IN_QPN) == qp->num)
		queue_restart(w, qp);
}

static void
create(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	uint8_t pick = fuzz_u8(in), which = pick / 4, box[FUZZ_BOX];
	struct fuzz_srq *srq = &h->srqs[which % FUZZ_NB_SRQS];
	struct fuzz_cq *cq = &h->cqs[which % FUZZ_NB_CQS];
	struct fuzz_qp *qp = &h->qps[which % FUZZ_NB_QPS];

	switch (pick % 4) {
	case 0:
		fuzz_qp_box(h, qp, box);
		if (exec(h, in, box, PRM_CREATE_QP_IN_PAS_BYTE + PRM_MTT_SIZE, &qp->num))
			queue_restart(w, qp);
		break;
	case 1:
		fuzz_cq_box(h, cq, box);
		cq->ci = 0;
		exec(h, in, box, PRM_CREATE_CQ_IN_PAS_BYTE + PRM_MTT_SIZE, &cq->num);
		break;
	case 2:
		fuzz_srq_box(h, srq, box);
		srq->pi = 0;
		exec(h, in, box, PRM_CREATE_SRQ_IN_PAS_BYTE + PRM_MTT_SIZE, &srq->num);
		break;
	default:
		fuzz_dct_box(h, box);
		exec(h, in, box, PRM_CREATE_DCT_IN_SIZE, &h->dctn);
		break;
	}
}

enum num_kind {
	NUM_QP, NUM_CQ, NUM_EQ, NUM_SRQ, NUM_KEY, NUM_DCT, NUM_PSV, NUM_UAR, NUM_PD, NUM_XRCD,
};

static uint32_t
pick_num(struct fuzz_hca *h, enum num_kind kind, struct fuzz_input *in)
{
	const uint8_t pick = fuzz_u8(in);
	const uint32_t numbers[] = {
		[NUM_QP] = h->qps[pick % FUZZ_NB_QPS].num,
		[NUM_CQ] = h->cqs[pick % FUZZ_NB_CQS].num,
		[NUM_EQ] = h->eqn,
		[NUM_SRQ] = h->srqs[pick % FUZZ_NB_SRQS].num,
		[NUM_KEY] = h->keys[pick % FUZZ_NB_KEYS] >> 8,
		[NUM_DCT] = h->dctn,
		[NUM_PSV] = pick,
		[NUM_UAR] = h->uarn,
		[NUM_PD] = h->pdn,
		[NUM_XRCD] = h->xrcdn,
	};

	return numbers[kind];
}

/* Commands about one object, and of which kind. */
static const struct {
	uint16_t opcode;
	enum num_kind kind;
} short_commands[] = {
	{ PRM_CMD_DESTROY_QP, NUM_QP },		{ PRM_CMD_DESTROY_CQ, NUM_CQ },
	{ PRM_CMD_DESTROY_MKEY, NUM_KEY },	{ PRM_CMD_DESTROY_EQ, NUM_EQ },
	{ PRM_CMD_QUERY_QP, NUM_QP },		{ PRM_CMD_QUERY_CQ, NUM_CQ },
	{ PRM_CMD_QUERY_MKEY, NUM_KEY },	{ PRM_CMD_QUERY_EQ, NUM_EQ },
	{ PRM_CMD_DEALLOC_PD, NUM_PD },		{ PRM_CMD_DEALLOC_UAR, NUM_UAR },
	{ PRM_CMD_DESTROY_SRQ, NUM_SRQ },	{ PRM_CMD_QUERY_SRQ, NUM_SRQ },
	{ PRM_CMD_ARM_RQ, NUM_SRQ },		{ PRM_CMD_DESTROY_XRC_SRQ, NUM_SRQ },
	{ PRM_CMD_QUERY_XRC_SRQ, NUM_SRQ },	{ PRM_CMD_ARM_XRC_SRQ, NUM_SRQ },
	{ PRM_CMD_DESTROY_DCT, NUM_DCT },	{ PRM_CMD_DRAIN_DCT, NUM_DCT },
	{ PRM_CMD_QUERY_DCT, NUM_DCT },		{ PRM_CMD_ARM_DCT_FOR_KEY_VIOLATION, NUM_DCT },
	{ PRM_CMD_DESTROY_PSV, NUM_PSV },	{ PRM_CMD_DEALLOC_XRCD, NUM_XRCD },
	{ PRM_CMD_ATTACH_TO_MCG, NUM_QP },	{ PRM_CMD_DETACH_FROM_MCG, NUM_QP },
};

#define NB_SHORT_COMMANDS (sizeof(short_commands) / sizeof(short_commands[0]))

static void
short_command(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	uint8_t i = fuzz_u8(in) % NB_SHORT_COMMANDS;
	uint8_t box[PRM_MCG_IN_SIZE] = { 0 };

	prm_set(box, PRM_CMD_IN_OPCODE, short_commands[i].opcode);
	prm_dword_set(box, 2, pick_num(h, short_commands[i].kind, in));
	/* Of a multicast group; nobody else looks there. */
	box[PRM_MCG_IN_GID_BYTE] = 0xff;
	exec(h, in, box, sizeof(box), NULL);
}

/* MODIFY_CQ: the ring it has, or a smaller or larger one. */
static void
modify_cq(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	struct fuzz_cq *cq = fuzz_pick_cq(h, in);
	uint8_t box[FUZZ_BOX];

	fuzz_cq_box(h, cq, box);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_MODIFY_CQ);
	prm_set(box, PRM_CMD_IN_OP_MOD, fuzz_u8(in) & 1);
	prm_dword_set(box, 2, cq->num);
	prm_dword_set(box, 3, fuzz_u8(in));
	exec(h, in, box, PRM_CREATE_CQ_IN_PAS_BYTE + PRM_MTT_SIZE, NULL);
}

/* What is neither a command nor a doorbell: pages come and go, a CPU looks at device memory. */
static void
host(struct fuzz_world *w, struct fuzz_input *in)
{
	struct fuzz_hca *h = fuzz_pick_hca(w, in);
	uint64_t addr = fuzz_u16(in), len = fuzz_u16(in);
	uint8_t pick = fuzz_u8(in), value = pick;

	if (pick < 0x60)
		swhca_hca_pages_invalidate(h->hca, h->data + addr, len);
	else if (pick < 0xc0)
		swhca_hca_pages_prefetch(h->hca, h->keys[12 + pick % 2], h->data + addr, len,
					 pick % 3);
	else if (pick < 0xf0)
		swhca_hca_memic_access(h->hca, swhca_hca_bar_size(h->hca) + addr, pick & 1, &value);
	else
		swhca_hca_fail(h->hca);
}

static void
poll_fabric(struct fuzz_world *w, struct fuzz_input *in)
{
	(void)in;
	swhca_fabric_poll(w->fabric);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const fuzz_step steps[] = {
		fuzz_post_send, fuzz_post_send, fuzz_post_recv, fuzz_ring, fuzz_consume,
		fuzz_scribble, modify_qp, create, short_command, modify_cq, poll_fabric, fuzz_run,
		host,
	};

	fuzz_steps_run(&world, data, size, steps, sizeof(steps) / sizeof(steps[0]), MAX_STEPS);
	return 0;
}
