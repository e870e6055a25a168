/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transport interfaces of receivers (TIR): to one queue, or to a table of them.
 */

#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/cmd_handlers.h"
#include "eth/eth_queue.h"

#define KNOWN_MODIFY (PRM_MODIFY_TIR_PACKET_MERGE | PRM_MODIFY_TIR_HASH | PRM_MODIFY_TIR_SELF_LB)

static uint8_t
tirc_check(struct swhca_cmd *cmd, const uint8_t *tirc)
{
	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (prm_get(tirc, PRM_TIRC_TLS_EN) != 0 || prm_get(tirc, PRM_TIRC_PACKET_MERGE_MASK) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"TLS and merged packets are not modelled");
	if (prm_get(tirc, PRM_TIRC_TUNNELED_OFFLOAD_EN) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"inner headers are not modelled");
	if (prm_get(tirc, PRM_TIRC_RX_HASH_FN) > PRM_RX_HASH_FN_TOEPLITZ)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "hash function %u",
					(unsigned int)prm_get(tirc, PRM_TIRC_RX_HASH_FN));
	return PRM_CMD_OK;
}

/* Set the destination of its frames. */
static uint8_t
tir_init_queues(struct swhca_cmd *cmd, struct swhca_tir *tir, const uint8_t *tirc)
{
	uint32_t type = (uint32_t)prm_get(tirc, PRM_TIRC_DISP_TYPE);
	struct swhca_obj *obj;
	uint32_t num;

	if (type == PRM_TIRC_DISP_DIRECT) {
		num = (uint32_t)prm_get(tirc, PRM_TIRC_INLINE_RQN);
		obj = swhca_cmd_obj(cmd, SWHCA_OBJ_ERQ, num);
		tir->rq = (struct swhca_erq *)obj;
	} else if (type == PRM_TIRC_DISP_INDIRECT) {
		num = (uint32_t)prm_get(tirc, PRM_TIRC_INDIRECT_TABLE);
		obj = swhca_cmd_obj(cmd, SWHCA_OBJ_RQT, num);
		tir->rqt = (struct swhca_rqt *)obj;
	} else {
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5, "dispatch of type %u", type);
	}
	if (obj == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6, "%s 0x%x does not exist",
					type == PRM_TIRC_DISP_DIRECT ? "RQ" : "RQT", num);
	swhca_obj_ref(obj);
	return PRM_CMD_OK;
}

static uint8_t
tir_init(struct swhca_cmd *cmd, struct swhca_tir *tir, const uint8_t *tirc)
{
	uint32_t num = (uint32_t)prm_get(tirc, PRM_TIRC_TRANSPORT_DOMAIN);
	struct swhca_obj *td = swhca_cmd_obj(cmd, SWHCA_OBJ_TD, num);

	if (td == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7,
					"transport domain 0x%x does not exist", num);
	tir->td = td;
	swhca_obj_ref(td);
	memcpy(tir->tirc, tirc, sizeof(tir->tirc));
	return tir_init_queues(cmd, tir, tirc);
}

uint8_t
swhca_cmd_create_tir(struct swhca_cmd *cmd)
{
	const uint8_t *tirc = cmd->in + PRM_TIR_IN_CTX_BYTE;
	struct swhca_tir *tir;
	uint8_t status;

	status = tirc_check(cmd, tirc);
	if (status != PRM_CMD_OK)
		return status;
	tir = swhca_obj_create(cmd->hca, SWHCA_OBJ_TIR, cmd->uid, sizeof(*tir));
	if (tir == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 8, "%u in use",
					cmd->hca->tables[SWHCA_OBJ_TIR].nb_used);
	status = tir_init(cmd, tir, tirc);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &tir->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CMD_OUT_OBJ, tir->obj.num);
	return PRM_CMD_OK;
}

static struct swhca_tir *
tir_get(struct swhca_cmd *cmd)
{
	return (struct swhca_tir *)swhca_cmd_obj(cmd, SWHCA_OBJ_TIR,
						 prm_get(cmd->in, PRM_TIR_IN_NUM));
}

static void
hash_copy(uint8_t *to, const uint8_t *from)
{
	static const struct prm_field fields[] = {
		PRM_TIRC_RX_HASH_SYMMETRIC,
		PRM_TIRC_RX_HASH_FN,
		PRM_TIRC_HASH_FIELDS_OUTER,
		PRM_TIRC_HASH_FIELDS_INNER,
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		prm_set(to, fields[i], prm_get(from, fields[i]));
	memcpy(to + PRM_TIRC_TOEPLITZ_KEY_BYTE, from + PRM_TIRC_TOEPLITZ_KEY_BYTE,
	       PRM_TIRC_TOEPLITZ_KEY_SIZE);
}

uint8_t
swhca_cmd_modify_tir(struct swhca_cmd *cmd)
{
	const uint8_t *tirc = cmd->in + PRM_TIR_IN_CTX_BYTE;
	uint64_t bits = prm_get(cmd->in, PRM_TIR_IN_BITMASK);
	struct swhca_tir *tir = tir_get(cmd);
	uint8_t status;

	if (tir == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 10, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_TIR_IN_NUM));
	if (bits & ~(uint64_t)KNOWN_MODIFY)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11, "fields 0x%x of 0x%x",
					(uint32_t)bits, KNOWN_MODIFY);
	status = tirc_check(cmd, tirc);
	if (status != PRM_CMD_OK)
		return status;
	if (bits & PRM_MODIFY_TIR_SELF_LB)
		prm_set(tir->tirc, PRM_TIRC_SELF_LB_BLOCK,
			prm_get(tirc, PRM_TIRC_SELF_LB_BLOCK));
	if (bits & PRM_MODIFY_TIR_HASH)
		hash_copy(tir->tirc, tirc);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_tir(struct swhca_cmd *cmd)
{
	const struct swhca_tir *tir = tir_get(cmd);

	if (tir == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist",
					(uint32_t)prm_get(cmd->in, PRM_TIR_IN_NUM));
	memcpy(cmd->out + PRM_QUERY_TIR_OUT_CTX_BYTE, tir->tirc, sizeof(tir->tirc));
	return PRM_CMD_OK;
}
