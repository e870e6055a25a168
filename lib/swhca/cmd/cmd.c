/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "mlx5_prm_sig.h"
#include "mlx5_prm_srq.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/handlers.h"
#include "engine/engine.h"
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

struct cmd_entry {
	uint16_t opcode;
	uint16_t min_in;	/* size of the fixed part */
	uint16_t min_out;
	enum swhca_obj_type type;	/* of the object, if exec needs it */
	const char *name;
	uint8_t (*exec)(struct swhca_cmd *cmd);
};

#define LONG_CMD(op, in_size, out_size, fn)                                                        \
	{                                                                                          \
		.opcode = PRM_CMD_##op, .min_in = in_size, .min_out = out_size, .name = #op,       \
		.exec = fn                                                                         \
	},
#define SHORT_CMD(op, fn) LONG_CMD(op, PRM_CMD_SHORT_IN_SIZE, PRM_CMD_SHORT_OUT_SIZE, fn)
#define OBJ_CMD(op, obj_type, in_size, fn)                                                         \
	{                                                                                          \
		.opcode = PRM_CMD_##op, .min_in = in_size, .min_out = PRM_CMD_SHORT_OUT_SIZE,      \
		.type = SWHCA_OBJ_##obj_type, .name = #op, .exec = fn                              \
	},

static const struct cmd_entry cmd_table[] = { SWHCA_CMDS(LONG_CMD, SHORT_CMD, OBJ_CMD) };

/* Commands of a function with a driver: for all, and for the kernel only. */
static const struct cmd_entry function_cmd_table[] = {
	SWHCA_FUNCTION_CMDS(LONG_CMD, SHORT_CMD, OBJ_CMD)
	SWHCA_ETH_CMDS(LONG_CMD, SHORT_CMD, OBJ_CMD)
};
static const struct cmd_entry kernel_cmd_table[] = { SWHCA_KERNEL_CMDS(LONG_CMD, SHORT_CMD) };

#define NB_CMDS(table) (sizeof(table) / sizeof((table)[0]))

static const struct cmd_entry *
table_lookup(const struct cmd_entry *table, size_t nb, uint16_t opcode)
{
	size_t i;

	for (i = 0; i < nb; i++) {
		if (table[i].opcode == opcode)
			return &table[i];
	}
	return NULL;
}

static const struct cmd_entry *
cmd_lookup(const struct swhca_cmd *cmd)
{
	const struct cmd_entry *entry = table_lookup(cmd_table, NB_CMDS(cmd_table), cmd->opcode);

	if (entry == NULL && cmd->hca->conf.has_driver)
		entry = table_lookup(function_cmd_table, NB_CMDS(function_cmd_table), cmd->opcode);
	if (entry == NULL && cmd->hca->conf.has_driver && cmd->uid == 0)
		entry = table_lookup(kernel_cmd_table, NB_CMDS(kernel_cmd_table), cmd->opcode);
	return entry;
}

/* Commands that release something: they also work on a failed device. */
static bool
is_teardown(const struct cmd_entry *entry)
{
	return entry->opcode == PRM_CMD_TEARDOWN_HCA || entry->opcode == PRM_CMD_DISABLE_HCA ||
	       entry->opcode == PRM_CMD_MANAGE_PAGES || strncmp(entry->name, "DESTROY_", 8) == 0 ||
	       strncmp(entry->name, "DEALLOC_", 8) == 0 ||
	       strncmp(entry->name, "DETACH_", 7) == 0 ||
	       strncmp(entry->name, "DELETE_", 7) == 0;
}

/* Commands that a driver uses before INIT_HCA (Linux: mlx5_function_enable(), _open()). */
static bool
is_early(const struct cmd_entry *entry)
{
	switch (entry->opcode) {
	case PRM_CMD_QUERY_HCA_CAP:
	case PRM_CMD_QUERY_ADAPTER:
	case PRM_CMD_QUERY_ISSI:
	case PRM_CMD_NOP:
		return true;
	default:
		return table_lookup(kernel_cmd_table, NB_CMDS(kernel_cmd_table), entry->opcode) !=
		       NULL;
	}
}

static uint8_t
state_check(struct swhca_cmd *cmd, const struct cmd_entry *entry)
{
	if (cmd->hca->is_failed && !is_teardown(entry))
		return swhca_cmd_reject(cmd, PRM_CMD_INT_ERR, 0, "the device is gone");
	if (cmd->hca->function.state == SWHCA_FUNCTION_READY || is_early(entry))
		return PRM_CMD_OK;
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_SYS_STATE, 0, "before INIT_HCA");
}

/* Commands after which software expects no CQE of a queue. */
static bool
ends_queue(const struct swhca_cmd *cmd)
{
	switch (cmd->opcode) {
	case PRM_CMD_2RST_QP:
	case PRM_CMD_DESTROY_QP:
	case PRM_CMD_DESTROY_DCT:
	case PRM_CMD_DRAIN_DCT:
	case PRM_CMD_DESTROY_SRQ:
	case PRM_CMD_DESTROY_XRC_SRQ:
	case PRM_CMD_DESTROY_RMP:
	case PRM_CMD_MODIFY_RQ:
	case PRM_CMD_DESTROY_RQ:
	case PRM_CMD_MODIFY_SQ:
	case PRM_CMD_DESTROY_SQ:
		return true;
	default:
		return false;
	}
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
queue_end(const struct swhca_cmd *cmd)
{
	const struct swhca_qp *qp;

	if (cmd->hca->is_failed) {
		swhca_cq_drop_all(cmd->hca);
		return;
	}
	if (cmd->opcode != PRM_CMD_2RST_QP && cmd->opcode != PRM_CMD_DESTROY_QP) {
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
	const struct cmd_entry *entry = cmd_lookup(cmd);
	uint8_t status;

	cmd->name = "command";
	if (entry == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 0, "opcode 0x%x is not modelled",
					cmd->opcode);
	cmd->name = entry->name;
	cmd->type = entry->type;
	if (cmd->hca->fail_in != 0 && --cmd->hca->fail_in == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_INT_ERR, 0xff, "made to fail");
	status = state_check(cmd, entry);
	if (status != PRM_CMD_OK)
		return status;
	if (cmd->in_len < entry->min_in)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 0,
					"input of %zu bytes, at least %u", cmd->in_len,
					entry->min_in);
	if (cmd->out_len < entry->min_out)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 0,
					"output of %zu bytes, at least %u", cmd->out_len,
					entry->min_out);
	if (cmd->uid != 0 && cmd->uid != PRM_UID_SHARED && cmd->opcode != PRM_CMD_DESTROY_UCTX &&
	    swhca_table_get(&cmd->hca->tables[SWHCA_OBJ_UCTX], cmd->uid) == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 0, "uid %u does not exist",
					cmd->uid);
	if (ends_queue(cmd))
		queue_end(cmd);
	return entry->exec(cmd);
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
