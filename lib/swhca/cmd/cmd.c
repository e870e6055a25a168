/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <swhca_parts.h>

#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "mlx5_prm_sig.h"
#include "mlx5_prm_srq.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "engine/engine.h"
#include "include/command.h"
#include "object/buf.h"
#include "object/uar.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"
#include "queue/qp.h"

/* Maximum final turns of a datagram queue pair: as many as a full send queue needs. */
#define MAX_LAST_PASSES 1024u

void
swhca_cmd_note_reject(struct swhca_cmd *cmd, enum prm_cmd_status status, uint8_t check,
		      const char *format, ...)
{
	uint32_t syndrome = (uint32_t)cmd->opcode << 8 | check;
	char why[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	SWHCA_LOG(ERR, "%s: status 0x%x, syndrome 0x%x: %s", cmd->name, (unsigned int)status,
		  syndrome, why);
	prm_set(cmd->out, PRM_CMD_OUT_SYNDROME, syndrome);
}

/* Objects that only have a number; the table defines their type. */
uint8_t
swhca_cmd_alloc_number(struct swhca_cmd *cmd)
{
	struct swhca_obj *obj = swhca_obj_create(cmd->hca, cmd->type, cmd->uid, sizeof(*obj));

	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 1, "%u in use",
					cmd->hca->tables[cmd->type].nb_used);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, obj->num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_uctx(struct swhca_cmd *cmd)
{
	/* A user context belongs to the kernel. */
	cmd->uid = 0;
	return swhca_cmd_alloc_number(cmd);
}

uint8_t
swhca_cmd_alloc_uar(struct swhca_cmd *cmd)
{
	struct swhca_uar *uar;

	uar = swhca_obj_create(cmd->hca, SWHCA_OBJ_UAR, cmd->uid, sizeof(*uar));
	if (uar == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 1, "%u UARs in use",
					cmd->hca->tables[SWHCA_OBJ_UAR].nb_used);
	uar->page = cmd->hca->bar + (size_t)uar->obj.num * SWHCA_UAR_SIZE;
	/* Its last owner may have rung it unnoticed. */
	memset(uar->page, 0, SWHCA_UAR_SIZE);
	LIST_INIT(&uar->qps);
	LIST_INIT(&uar->sqs);
	LIST_INIT(&uar->cqs);
	LIST_INIT(&uar->eqs);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, uar->obj.num);
	return PRM_CMD_OK;
}

/* Each entry has access bits; those of a registration are the same (Linux: devx.c). */
static bool
mtts_are_writable(const uint8_t *mtts, uint64_t nb)
{
	uint64_t i;

	for (i = 0; i < nb; i++)
		if ((mtts[i * PRM_MTT_SIZE + PRM_MTT_SIZE - 1] & PRM_MTT_WR_EN) == 0)
			return false;
	return true;
}

uint8_t
swhca_cmd_create_umem(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_CREATE_UMEM_IN_UMEM_BYTE;
	uint64_t nb_mtt = prm_get(ctx, PRM_UMEM_NUM_OF_MTT);
	uint64_t log_page = prm_get(ctx, PRM_UMEM_LOG_PAGE_SIZE) + PRM_ADAPTER_PAGE_SHIFT;
	uint64_t page_offset = prm_get(ctx, PRM_UMEM_PAGE_OFFSET);
	uint64_t room = (cmd->in_len - PRM_CREATE_UMEM_IN_MTT_BYTE) / PRM_MTT_SIZE;
	struct swhca_umem *umem;

	if (nb_mtt == 0 || nb_mtt > room)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"num_of_mtt %" PRIu64 ", the mailbox holds %" PRIu64,
					nb_mtt, room);
	if (page_offset >= UINT64_C(1) << log_page)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"page_offset 0x%" PRIx64 ", a page has 0x%" PRIx64 " bytes",
					page_offset, UINT64_C(1) << log_page);
	umem = swhca_obj_create(cmd->hca, SWHCA_OBJ_UMEM, cmd->uid, sizeof(*umem));
	if (umem == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 3, "%u umems in use",
					cmd->hca->tables[SWHCA_OBJ_UMEM].nb_used);
	if (swhca_buf_init(&umem->buf, cmd->hca, cmd->in + PRM_CREATE_UMEM_IN_MTT_BYTE,
			   (uint32_t)nb_mtt, (uint8_t)log_page, page_offset) != 0) {
		swhca_obj_destroy(cmd->hca, &umem->obj);
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 4, "no memory for %" PRIu64 " pages",
					nb_mtt);
	}
	umem->is_writable = mtts_are_writable(cmd->in + PRM_CREATE_UMEM_IN_MTT_BYTE, nb_mtt);
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, umem->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_destroy(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_obj *obj = swhca_cmd_obj(cmd, cmd->type, num);

	if (obj == NULL || !swhca_cmd_may_destroy(cmd, obj))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x %s", num,
					obj == NULL ? "does not exist" : "is the kernel's");
	if (obj->nb_refs != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 2, "0x%x has %u users", num,
					obj->nb_refs);
	swhca_obj_destroy(cmd->hca, obj);
	return PRM_CMD_OK;
}

/* Users that may execute a command. */
enum cmd_scope {
	SCOPE_ALL,
	SCOPE_DRIVER,	/* all, but only if the function has a driver */
	SCOPE_KERNEL,	/* that driver */
};

/* Queues of which software expects no CQE after a command. */
enum cmd_ends {
	ENDS_NOTHING,
	ENDS_THE_QP,
	ENDS_OTHER,
};

struct cmd_row {
	struct swhca_cmd_info info;
	const char *name;
	uint8_t (*exec)(struct swhca_cmd *cmd);	/* NULL: not modelled */
	uint16_t min_in;	/* size of the fixed part */
	uint16_t min_out;
	struct prm_field num;	/* of the object; default PRM_CMD_IN_OBJ, as PRM_CMD_OUT_OBJ */
	enum swhca_obj_type type;	/* of the object, if exec needs it */
	enum cmd_scope scope;
	enum cmd_ends ends;
	bool is_early;		/* before INIT_HCA */
	bool is_teardown;	/* also on a failed device */
};

/* The words of the table in cmd_handlers.h. */
#define DEVX(class) .info.devx = SWHCA_DEVX_##class
#define MAKES(destroyer) .info.destroy_op = PRM_CMD_##destroyer
#define CREATES(destroyer) DEVX(CREATE), MAKES(destroyer)
#define MODIFIES(creator) DEVX(MODIFY), .info.create_op = PRM_CMD_##creator
#define QUERIES(creator) DEVX(QUERY), .info.create_op = PRM_CMD_##creator
#define GENERAL DEVX(GENERAL)
#define ANY_UID .info.needs_no_uctx = true
#define NUM(field) .num = field
#define OBJ(obj_type) .type = SWHCA_OBJ_##obj_type
#define DESTROYS .is_teardown = true
#define ENDS_QP .ends = ENDS_THE_QP
#define ENDS_QUEUE .ends = ENDS_OTHER
#define EARLY .is_early = true
#define DRIVER .scope = SCOPE_DRIVER
#define KERNEL .scope = SCOPE_KERNEL, EARLY

#define ROW_NUM(op, in_size, out_size, fn, ...) ROW_##op,
#define ROW_OF(op, in_size, out_size, fn, ...) [PRM_CMD_##op] = ROW_##op,
#define ROW(op, in_size, out_size, fn, ...)                                                        \
	[ROW_##op] = { .name = #op, .exec = fn, .min_in = in_size, .min_out = out_size,            \
		       __VA_ARGS__ },
#define ROW_ETH(op, in_size, out_size, fn, ...)                                                    \
	ROW(op, in_size, out_size, SWHCA_HAS_ETH ? fn : NULL, __VA_ARGS__)
#define ALL_CMDS(X) SWHCA_CMDS(X) SWHCA_ETH_CMDS(X) SWHCA_FOREIGN_CMDS(X)

enum { ROW_NONE, ALL_CMDS(ROW_NUM) NB_ROWS };
static_assert(NB_ROWS <= UINT8_MAX, "row_of has numbers of 8 bits");

static const struct cmd_row rows[NB_ROWS] = { SWHCA_CMDS(ROW) SWHCA_ETH_CMDS(ROW_ETH)
						      SWHCA_FOREIGN_CMDS(ROW) };
static const uint8_t row_of[] = { ALL_CMDS(ROW_OF) };

/* Row of an opcode; that of an unknown one is empty. */
static const struct cmd_row *
row_find(uint16_t opcode)
{
	return &rows[opcode < sizeof(row_of) ? row_of[opcode] : ROW_NONE];
}

const struct swhca_cmd_info *
swhca_cmd_info(uint16_t opcode)
{
	return &row_find(opcode)->info;
}

int
swhca_cmd_obj_num(uint16_t opcode, const void *mailbox, size_t len, uint32_t *num)
{
	struct prm_field field = row_find(opcode)->num;

	if (field.width == 0)
		field = PRM_CMD_IN_OBJ;
	if (len < PRM_FIELD_BYTE(field) + sizeof(uint32_t))
		return -EINVAL;
	*num = (uint32_t)prm_get(mailbox, field);
	return 0;
}

/* @return NULL: the user of the command may not execute it, or it is not modelled. */
static const struct cmd_row *
cmd_lookup(const struct swhca_cmd *cmd)
{
	const struct cmd_row *row = row_find(cmd->opcode);

	if (row->exec == NULL || (row->scope != SCOPE_ALL && !cmd->hca->conf.has_driver) ||
	    (row->scope == SCOPE_KERNEL && cmd->uid != 0))
		return NULL;
	return row;
}

static uint8_t
state_check(struct swhca_cmd *cmd, const struct cmd_row *row)
{
	if (cmd->hca->is_failed && !row->is_teardown)
		return swhca_cmd_reject(cmd, PRM_CMD_INT_ERR, 0, "the device is gone");
	if (cmd->hca->function.state == SWHCA_FUNCTION_READY || row->is_early)
		return PRM_CMD_OK;
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 0, "before INIT_HCA");
}

/*
 * Execute doorbells rung before the command: programs that send datagrams without waiting for a
 * completion (mckey) expect them to be sent, as hardware is faster than a command.
 */
static void
datagrams_send(const struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	unsigned int i;

	if (cmd->opcode != PRM_CMD_DESTROY_QP || prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_UD)
		return;
	for (i = 0; i == 0 || (qp->is_queued && i < MAX_LAST_PASSES); i++)
		swhca_engine_pass(cmd->hca->fabric);
}

/* A halted device drops the CQEs of the queue; it writes those of other queues on resume. */
static void
cq_let_go(struct swhca_hca *hca, struct swhca_cq *cq, const struct swhca_qp *qp)
{
	if (cq != NULL && hca->is_halted)
		swhca_cq_drop_qp(cq, qp->obj.num);
	else if (cq != NULL)
		swhca_cq_release(hca, cq);
}

/* Write the delayed CQEs of a queue that ends; for a QP, only those in its CQs. */
static void
queue_end(const struct swhca_cmd *cmd, enum cmd_ends ends)
{
	const struct swhca_qp *qp;

	if (cmd->hca->is_failed) {
		swhca_cq_drop_all(cmd->hca);
		return;
	}
	if (ends != ENDS_THE_QP) {
		if (!cmd->hca->is_halted)
			swhca_cq_release_all(cmd->hca);
		return;
	}
	qp = (const struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP,
						    prm_get(cmd->in, PRM_CMD_IN_OBJ));
	if (qp == NULL)
		return;
	datagrams_send(cmd, qp);
	cq_let_go(cmd->hca, qp->send_cq, qp);
	cq_let_go(cmd->hca, qp->recv_cq, qp);
}

static uint8_t
cmd_dispatch(struct swhca_cmd *cmd)
{
	const struct cmd_row *row = cmd_lookup(cmd);
	uint8_t status;

	cmd->name = "command";
	if (row == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 0, "opcode 0x%x is not modelled",
					cmd->opcode);
	cmd->name = row->name;
	cmd->type = row->type;
	if (cmd->hca->fail_in != 0 && --cmd->hca->fail_in == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_INT_ERR, 0xff, "made to fail");
	status = state_check(cmd, row);
	if (status != PRM_CMD_OK)
		return status;
	if (cmd->in_len < row->min_in)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 0,
					"input of %zu bytes, at least %u", cmd->in_len,
					row->min_in);
	if (cmd->out_len < row->min_out)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 0,
					"output of %zu bytes, at least %u", cmd->out_len,
					row->min_out);
	if (cmd->uid != 0 && cmd->uid != PRM_UID_SHARED && cmd->opcode != PRM_CMD_DESTROY_UCTX &&
	    swhca_table_get(&cmd->hca->tables[SWHCA_OBJ_UCTX], cmd->uid) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 0, "uid %u does not exist",
					cmd->uid);
	if (row->ends != ENDS_NOTHING)
		queue_end(cmd, row->ends);
	return row->exec(cmd);
}

bool
swhca_hca_has_cmd_eq(struct swhca_hca *hca)
{
	bool has_one;

	swhca_fabric_lock(hca->fabric);
	has_one = hca->event_eqs[PRM_EVENT_CMD] != NULL;
	swhca_fabric_unlock(hca->fabric);
	return has_one;
}

void
swhca_hca_raise_cmd_event(struct swhca_hca *hca, uint32_t slots)
{
	swhca_fabric_lock(hca->fabric);
	swhca_event_raise_cmd(hca, slots);
	swhca_fabric_unlock(hca->fabric);
}

void
swhca_hca_cmd_fail(struct swhca_hca *hca, uint64_t n)
{
	swhca_fabric_lock(hca->fabric);
	hca->fail_in = n;
	swhca_fabric_unlock(hca->fabric);
}

uint8_t
swhca_hca_cmd_exec(struct swhca_hca *hca, const void *in, size_t in_len, void *out,
		   size_t out_len)
{
	struct swhca_cmd cmd = { .hca = hca, .in_len = in_len, .out = out, .out_len = out_len };
	uint8_t status = PRM_CMD_BAD_INP_LEN;
	uint8_t *copy;

	memset(out, 0, out_len);
	if (out_len < 2 * sizeof(uint32_t)) {
		SWHCA_LOG(ERR, "command: output of %zu bytes, at least 8", out_len);
		return PRM_CMD_BAD_OUTP_LEN;
	}
	if (in_len < 2 * sizeof(uint32_t) || in_len > SWHCA_MAX_CMD_IN) {
		SWHCA_LOG(ERR, "command: input of %zu bytes, 8 to %u", in_len, SWHCA_MAX_CMD_IN);
		prm_set(out, PRM_CMD_OUT_STATUS, status);
		return status;
	}
	copy = malloc(in_len);
	if (copy == NULL) {
		prm_set(out, PRM_CMD_OUT_STATUS, PRM_CMD_NO_RES);
		return PRM_CMD_NO_RES;
	}
	memcpy(copy, in, in_len);
	cmd.in = copy;
	cmd.opcode = (uint16_t)prm_get(copy, PRM_CMD_IN_OPCODE);
	cmd.uid = (uint16_t)prm_get(copy, PRM_CMD_IN_UID);
	swhca_fabric_lock(hca->fabric);
	status = cmd_dispatch(&cmd);
	hca->stats.nb_cmds++;
	if (status != PRM_CMD_OK) {
		hca->stats.nb_cmd_errors++;
		/* It may have failed after writing output, which must not be returned. */
		memset(cmd.out + 2 * sizeof(uint32_t), 0, out_len - 2 * sizeof(uint32_t));
	} else {
		SWHCA_LOG(DEBUG, "%s: uid %u, object 0x%x", cmd.name, cmd.uid,
			  (unsigned int)prm_get(out, PRM_CMD_OUT_OBJ));
	}
	swhca_fabric_unlock(hca->fabric);
	prm_set(out, PRM_CMD_OUT_STATUS, status);
	/* Commands contain keys and credentials. */
	explicit_bzero(copy, in_len);
	free(copy);
	return status;
}
