/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_H
#define SWHCA_CMD_H

/**
 * @file
 * One PRM command on its way, and the functions that execute each.
 */

#include "mlx5_prm_cmd.h"
#include "object/object.h"

/** A command; in and out are at least as long as the opcode's entry in the table says. */
struct swhca_cmd {
	struct swhca_hca *hca;
	const char *name;
	enum swhca_obj_type type; /**< Of the object that it is about, where the table says. */
	uint16_t opcode;
	uint16_t uid;
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;		/**< Zeroed; a handler writes only what it returns. */
	size_t out_len;
};

/**
 * Refuse a command: note the syndrome and log why.
 *
 * @param check
 *   Which check of this opcode failed, 1..255; the syndrome is opcode << 8 | check, so that a
 *   user can find it in the source. The values of real firmware are not public.
 * @return
 *   The status.
 */
uint8_t swhca_cmd_refuse(struct swhca_cmd *cmd, enum prm_cmd_status status, uint8_t check,
			 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Find an object that the command may use, counting no reference. */
static inline struct swhca_obj *
swhca_cmd_obj(const struct swhca_cmd *cmd, enum swhca_obj_type type, uint64_t num)
{
	return swhca_obj_find(cmd->hca, type, (uint32_t)num, cmd->uid);
}

/**
 * Whether the command may destroy an object that it may use: users refer to what is the kernel's,
 * as their CQs do to its EQs, but it is not theirs.
 */
static inline bool
swhca_cmd_may_destroy(const struct swhca_cmd *cmd, const struct swhca_obj *obj)
{
	return cmd->uid == 0 || obj->uid == cmd->uid;
}

/** Where a queue's ring or record lives, as a command describes it. */
struct swhca_ring_where {
	bool in_umem;
	uint32_t umem_id;
	uint64_t umem_offset;
	const uint8_t *pas;	/**< Page addresses, up to the end of the mailbox. */
	uint32_t nb_pas;
	uint8_t log_page;	/**< log2 of the bytes of a page of pas. */
	uint8_t page_offset;	/**< Beginning in the first page, in 64ths of a page. */
};

/** Do queues take time stamps of the real-time clock? Their format is one of RoCE. */
static inline bool
swhca_cmd_has_real_time(const struct swhca_hca *hca)
{
	return hca->conf.link_layer == SWHCA_LINK_ETH &&
	       swhca_model_has(hca->conf.model, SWHCA_FEATURE_REAL_TIME);
}

/* Capabilities: cap.c */
uint8_t swhca_cmd_query_hca_cap(struct swhca_cmd *cmd);
uint8_t swhca_cmd_alloc_flow_counter(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_flow_counter(struct swhca_cmd *cmd);

/* Port and its addresses: port.c */
uint8_t swhca_cmd_query_hca_vport_context(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_nic_vport_context(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_roce_address(struct swhca_cmd *cmd);
uint8_t swhca_cmd_set_roce_address(struct swhca_cmd *cmd);

/* Memory keys: mkey.c */
uint8_t swhca_cmd_create_mkey(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_mkey(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_special_contexts(struct swhca_cmd *cmd);

/* Device memory: memic.c */
uint8_t swhca_cmd_alloc_memic(struct swhca_cmd *cmd);
uint8_t swhca_cmd_dealloc_memic(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_memic(struct swhca_cmd *cmd);
/* Signature: op/psv.c */
uint8_t swhca_cmd_create_psv(struct swhca_cmd *cmd);

/* Event and completion queues, queue pairs: queue/eq.c, cq*.c, qp.c */
uint8_t swhca_cmd_ring_init(struct swhca_cmd *cmd, const struct swhca_ring_where *where,
			    uint64_t bytes, struct swhca_buf *buf, struct swhca_umem **umem);
uint8_t swhca_cmd_dbr_init(struct swhca_cmd *cmd, bool in_umem, uint32_t umem_id, uint64_t addr,
			   struct swhca_dbr *dbr);
uint8_t swhca_cmd_create_eq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_eq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_create_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_create_qp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_qp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_qp(struct swhca_cmd *cmd);
/** Whether a new QP may have its payload in CQEs as it asks: mem/scatter.c */
uint8_t swhca_cmd_qp_scatter_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);
/** Parameters of a transition that bits 95..32 of its mask select: qp_ext.c */
uint8_t swhca_cmd_qp_ext_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);
void swhca_cmd_qp_ext_apply(const struct swhca_cmd *cmd, struct swhca_qp *qp);
/** Forget what of them does not stand in the context. */
void swhca_cmd_qp_ext_reset(struct swhca_qp *qp);

/* Ports: port.c */
uint8_t swhca_cmd_query_lag(struct swhca_cmd *cmd);

/* General objects: general.c */
/** The capability: a bit for each type. */
uint64_t swhca_general_obj_types(const struct swhca_hca *hca);
uint8_t swhca_cmd_create_general_object(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_general_object(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_general_object(struct swhca_cmd *cmd);
uint8_t swhca_cmd_destroy_general_object(struct swhca_cmd *cmd);

/* Shared receive queues: srq.c */
uint8_t swhca_cmd_create_srq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_create_rmp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_destroy_srq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_srq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_rmp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_arm_srq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_rmp(struct swhca_cmd *cmd);

/* Multicast groups: xport/mcg.c */
uint8_t swhca_cmd_attach_to_mcg(struct swhca_cmd *cmd);
uint8_t swhca_cmd_detach_from_mcg(struct swhca_cmd *cmd);

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_LOG_MAX_CQ_SZ	22u
#define SWHCA_LOG_MAX_QP_SZ	15u
#define SWHCA_LOG_MAX_CQ	16u
#define SWHCA_LOG_MAX_QP	16u
#define SWHCA_LOG_MAX_SRQ	16u
#define SWHCA_LOG_MAX_SRQ_SZ	15u
#define SWHCA_LOG_MAX_XRCD	10u
#define SWHCA_LOG_MAX_MKEY	22u
#define SWHCA_LOG_MAX_PD	16u
#define SWHCA_LOG_MAX_PSV	20u
#define SWHCA_LOG_MAX_DEK	12u
#define SWHCA_LOG_MAX_BSF_LIST	3u	/* octowords: signature and crypto */
#define SWHCA_LOG_MAX_EQ	6u
#define SWHCA_LOG_MAX_EQ_SZ	22u
#define SWHCA_LOG_MAX_MSG	30u
#define SWHCA_MAX_WQE_SZ_SQ	1024u
#define SWHCA_MAX_WQE_SZ_RQ	512u
#define SWHCA_NB_LAG_PORTS	2u
#define SWHCA_MIN_ROCE_SPORT	0xc000u

/* Numbers start here: low ones are the firmware's own, and key 4 would be a repeat block. */
#define SWHCA_FIRST_MKEY	0x1000u
#define SWHCA_NB_FLOW_COUNTERS	1024u
#define SWHCA_FIRST_QP		0x48u
#define SWHCA_FIRST_CQ		0x10u
#define SWHCA_FIRST_SRQ		0x10u

#endif /* SWHCA_CMD_H */
