/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_HANDLERS_H
#define SWHCA_CMD_HANDLERS_H

/**
 * @file
 * What executes each command, as the table of cmd.c has it; a status each.
 */

#include "cmd/cmd.h"

/* Capabilities: cap.c */
uint8_t swhca_cmd_query_hca_cap(struct swhca_cmd *cmd);

/* Flow counters: flow_counter.c */
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

/* Signature: psv.c */
uint8_t swhca_cmd_create_psv(struct swhca_cmd *cmd);

/* Event and completion queues, queue pairs: eq.c, cq.c, cq_modify.c, qp.c */
uint8_t swhca_cmd_create_eq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_eq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_create_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_cq(struct swhca_cmd *cmd);
uint8_t swhca_cmd_create_qp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_modify_qp(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_qp(struct swhca_cmd *cmd);

/* Ports: port.c */
uint8_t swhca_cmd_query_lag(struct swhca_cmd *cmd);

/* General objects: general.c */
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

/* Multicast groups: mcg.c */
uint8_t swhca_cmd_attach_to_mcg(struct swhca_cmd *cmd);
uint8_t swhca_cmd_detach_from_mcg(struct swhca_cmd *cmd);

/* Targets of DC: dct.c */
uint8_t swhca_cmd_create_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_destroy_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_drain_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_query_dct(struct swhca_cmd *cmd);
uint8_t swhca_cmd_arm_dct(struct swhca_cmd *cmd);

/* The rate table: qos.c */
uint8_t swhca_cmd_set_pp_rate_limit(struct swhca_cmd *cmd);

#endif /* SWHCA_CMD_HANDLERS_H */
