/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_HANDLERS_H
#define SWHCA_CMD_HANDLERS_H

/**
 * @file
 * All supported commands and their handlers.
 */

#include "mlx5_prm_eth.h"
#include "mlx5_prm_hca.h"
#include "cmd/cmd.h"

/**
 * The commands.
 *
 * LONG: sizes of the fixed parts of both mailboxes; SHORT: both have the minimum size; OBJ: type of
 * the object, if the handler needs it, and size of the fixed part of the input.
 */
#define SWHCA_CMDS(LONG, SHORT, OBJ)                                                               \
	LONG(QUERY_HCA_CAP, 16, 16, swhca_cmd_query_hca_cap)                                       \
	SHORT(QUERY_HCA_VPORT_CONTEXT, swhca_cmd_query_hca_vport_context)                          \
	LONG(QUERY_NIC_VPORT_CONTEXT, 16, PRM_QUERY_NIC_VPORT_CONTEXT_OUT_SIZE,                    \
	     swhca_cmd_query_nic_vport_context)                                                    \
	LONG(QUERY_ROCE_ADDRESS, 16, PRM_QUERY_ROCE_ADDRESS_OUT_SIZE,                              \
	     swhca_cmd_query_roce_address)                                                         \
	LONG(SET_ROCE_ADDRESS, PRM_SET_ROCE_ADDRESS_IN_SIZE, 16, swhca_cmd_set_roce_address)       \
	LONG(CREATE_DCT, PRM_CREATE_DCT_IN_SIZE, 16, swhca_cmd_create_dct)                         \
	SHORT(DESTROY_DCT, swhca_cmd_destroy_dct)                                                  \
	SHORT(DRAIN_DCT, swhca_cmd_drain_dct)                                                      \
	LONG(QUERY_DCT, 16, PRM_QUERY_DCT_OUT_SIZE, swhca_cmd_query_dct)                           \
	SHORT(ARM_DCT_FOR_KEY_VIOLATION, swhca_cmd_arm_dct)                                        \
	LONG(SET_PP_RATE_LIMIT, PRM_SET_PP_RATE_LIMIT_IN_SIZE, 16, swhca_cmd_set_pp_rate_limit)    \
	SHORT(QUERY_SPECIAL_CONTEXTS, swhca_cmd_query_special_contexts)                            \
	SHORT(PAGE_FAULT_RESUME, swhca_cmd_page_fault_resume)                                      \
	LONG(CREATE_MKEY, PRM_CREATE_MKEY_IN_XLT_BYTE, 16, swhca_cmd_create_mkey)                  \
	LONG(QUERY_MKEY, 16, PRM_QUERY_MKEY_OUT_SIZE, swhca_cmd_query_mkey)                        \
	OBJ(DESTROY_MKEY, MKEY, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                          \
	LONG(ALLOC_MEMIC, PRM_ALLOC_MEMIC_IN_SIZE, 16, swhca_cmd_alloc_memic)                      \
	LONG(DEALLOC_MEMIC, PRM_DEALLOC_MEMIC_IN_SIZE, 16, swhca_cmd_dealloc_memic)                \
	LONG(MODIFY_MEMIC, PRM_MODIFY_MEMIC_IN_SIZE, PRM_MODIFY_MEMIC_OUT_SIZE,                    \
	     swhca_cmd_modify_memic)                                                               \
	LONG(CREATE_PSV, 16, PRM_CREATE_PSV_OUT_SIZE, swhca_cmd_create_psv)                        \
	OBJ(DESTROY_PSV, PSV, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                            \
	LONG(CREATE_EQ, PRM_CREATE_EQ_IN_PAS_BYTE, 16, swhca_cmd_create_eq)                        \
	LONG(QUERY_EQ, 16, PRM_QUERY_EQ_OUT_SIZE, swhca_cmd_query_eq)                              \
	OBJ(DESTROY_EQ, EQ, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                              \
	LONG(CREATE_CQ, PRM_CREATE_CQ_IN_PAS_BYTE, 16, swhca_cmd_create_cq)                        \
	OBJ(DESTROY_CQ, CQ, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                              \
	LONG(MODIFY_CQ, PRM_MODIFY_CQ_IN_PAS_BYTE, 16, swhca_cmd_modify_cq)                        \
	LONG(QUERY_CQ, 16, PRM_QUERY_CQ_OUT_SIZE, swhca_cmd_query_cq)                              \
	LONG(CREATE_QP, PRM_CREATE_QP_IN_PAS_BYTE, 16, swhca_cmd_create_qp)                        \
	OBJ(DESTROY_QP, QP, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                              \
	LONG(RST2INIT_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                          \
	LONG(INIT2INIT_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                         \
	LONG(INIT2RTR_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                          \
	LONG(RTR2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                           \
	LONG(RTS2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                           \
	LONG(RTS2SQD_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                           \
	LONG(SQERR2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                         \
	LONG(SQD2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                           \
	SHORT(2ERR_QP, swhca_cmd_modify_qp)                                                        \
	SHORT(2RST_QP, swhca_cmd_modify_qp)                                                        \
	LONG(QUERY_QP, 16, PRM_QUERY_QP_OUT_SIZE, swhca_cmd_query_qp)                              \
	LONG(CREATE_SRQ, PRM_CREATE_SRQ_IN_PAS_BYTE, 16, swhca_cmd_create_srq)                     \
	SHORT(DESTROY_SRQ, swhca_cmd_destroy_srq)                                                  \
	LONG(QUERY_SRQ, 16, PRM_QUERY_SRQ_OUT_SIZE, swhca_cmd_query_srq)                           \
	SHORT(ARM_RQ, swhca_cmd_arm_srq)                                                           \
	LONG(CREATE_XRC_SRQ, PRM_CREATE_SRQ_IN_PAS_BYTE, 16, swhca_cmd_create_srq)                 \
	SHORT(DESTROY_XRC_SRQ, swhca_cmd_destroy_srq)                                              \
	LONG(QUERY_XRC_SRQ, 16, PRM_QUERY_SRQ_OUT_SIZE, swhca_cmd_query_srq)                       \
	SHORT(ARM_XRC_SRQ, swhca_cmd_arm_srq)                                                      \
	LONG(CREATE_RMP, PRM_CREATE_RMP_IN_PAS_BYTE, 16, swhca_cmd_create_rmp)                     \
	LONG(MODIFY_RMP, PRM_MODIFY_RMP_IN_SIZE, 16, swhca_cmd_modify_rmp)                         \
	SHORT(DESTROY_RMP, swhca_cmd_destroy_srq)                                                  \
	LONG(QUERY_RMP, 16, PRM_QUERY_RMP_OUT_SIZE, swhca_cmd_query_rmp)                           \
	LONG(ATTACH_TO_MCG, PRM_MCG_IN_SIZE, 16, swhca_cmd_attach_to_mcg)                          \
	LONG(DETACH_FROM_MCG, PRM_MCG_IN_SIZE, 16, swhca_cmd_detach_from_mcg)                      \
	OBJ(ALLOC_XRCD, XRCD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_alloc_number)                       \
	OBJ(DEALLOC_XRCD, XRCD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                          \
	OBJ(ALLOC_PD, PD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_alloc_number)                           \
	OBJ(DEALLOC_PD, PD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                              \
	SHORT(ALLOC_UAR, swhca_cmd_alloc_uar)                                                      \
	OBJ(DEALLOC_UAR, UAR, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                            \
	OBJ(ALLOC_TRANSPORT_DOMAIN, TD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_alloc_number)             \
	OBJ(DEALLOC_TRANSPORT_DOMAIN, TD, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                \
	SHORT(ALLOC_FLOW_COUNTER, swhca_cmd_alloc_flow_counter)                                    \
	OBJ(DEALLOC_FLOW_COUNTER, FLOW_COUNTER, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)          \
	LONG(QUERY_FLOW_COUNTER, PRM_QUERY_FLOW_COUNTER_IN_SIZE,                                   \
	     PRM_QUERY_FLOW_COUNTER_OUT_SIZE, swhca_cmd_query_flow_counter)                        \
	SHORT(QUERY_LAG, swhca_cmd_query_lag)                                                      \
	SHORT(CREATE_GENERAL_OBJECT, swhca_cmd_create_general_object)                              \
	SHORT(MODIFY_GENERAL_OBJECT, swhca_cmd_modify_general_object)                              \
	SHORT(QUERY_GENERAL_OBJECT, swhca_cmd_query_general_object)                                \
	SHORT(DESTROY_GENERAL_OBJECT, swhca_cmd_destroy_general_object)                            \
	OBJ(CREATE_UCTX, UCTX, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_create_uctx)                       \
	OBJ(DESTROY_UCTX, UCTX, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                          \
	LONG(CREATE_UMEM, PRM_CREATE_UMEM_IN_MTT_BYTE, 16, swhca_cmd_create_umem)                  \
	OBJ(DESTROY_UMEM, UMEM, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)

/** Commands of a function owned by a driver that users may execute, too. */
#define SWHCA_FUNCTION_CMDS(LONG, SHORT, OBJ)                                                      \
	LONG(QUERY_ADAPTER, 16, PRM_QUERY_ADAPTER_OUT_SIZE, swhca_cmd_query_adapter)               \
	LONG(QUERY_ISSI, 8, PRM_QUERY_ISSI_OUT_SIZE, swhca_cmd_query_issi)                         \
	SHORT(QUERY_VPORT_STATE, swhca_cmd_query_vport_state)                                      \
	LONG(QUERY_VPORT_COUNTER, PRM_QUERY_VPORT_COUNTER_IN_SIZE,                                 \
	     PRM_QUERY_VPORT_COUNTER_OUT_SIZE, swhca_cmd_query_vport_counter)                      \
	SHORT(ALLOC_Q_COUNTER, swhca_cmd_alloc_q_counter)                                          \
	OBJ(DEALLOC_Q_COUNTER, Q_COUNTER, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                \
	LONG(QUERY_Q_COUNTER, PRM_QUERY_Q_COUNTER_IN_SIZE, PRM_QUERY_Q_COUNTER_OUT_SIZE,           \
	     swhca_cmd_query_q_counter)                                                            \
	LONG(NOP, 8, 8, swhca_cmd_nop)

/** Ethernet queues and steering of such a function; users may execute these, too. */
#define SWHCA_ETH_CMDS(LONG, SHORT, OBJ)                                                           \
	LONG(CREATE_TIS, PRM_CREATE_TIS_IN_SIZE, 16, swhca_cmd_create_tis)                         \
	LONG(QUERY_TIS, 16, PRM_QUERY_TIS_OUT_SIZE, swhca_cmd_query_tis)                           \
	OBJ(DESTROY_TIS, TIS, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                            \
	LONG(CREATE_SQ, PRM_CREATE_XQ_IN_PAS_BYTE, 16, swhca_cmd_create_sq)                        \
	LONG(MODIFY_SQ, PRM_MODIFY_XQ_IN_SIZE, 16, swhca_cmd_modify_sq)                            \
	LONG(QUERY_SQ, 16, PRM_QUERY_XQ_OUT_SIZE, swhca_cmd_query_sq)                              \
	OBJ(DESTROY_SQ, ESQ, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                             \
	LONG(CREATE_RQ, PRM_CREATE_XQ_IN_PAS_BYTE, 16, swhca_cmd_create_rq)                        \
	LONG(MODIFY_RQ, PRM_MODIFY_XQ_IN_SIZE, 16, swhca_cmd_modify_rq)                            \
	LONG(QUERY_RQ, 16, PRM_QUERY_XQ_OUT_SIZE, swhca_cmd_query_rq)                              \
	OBJ(DESTROY_RQ, ERQ, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                             \
	LONG(CREATE_RQT, PRM_RQT_IN_SIZE, 16, swhca_cmd_create_rqt)                                \
	LONG(MODIFY_RQT, PRM_RQT_IN_SIZE, 16, swhca_cmd_modify_rqt)                                \
	LONG(QUERY_RQT, 16, PRM_QUERY_RQT_OUT_SIZE, swhca_cmd_query_rqt)                           \
	OBJ(DESTROY_RQT, RQT, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                            \
	LONG(CREATE_TIR, PRM_TIR_IN_SIZE, 16, swhca_cmd_create_tir)                                \
	LONG(MODIFY_TIR, PRM_TIR_IN_SIZE, 16, swhca_cmd_modify_tir)                                \
	LONG(QUERY_TIR, 16, PRM_QUERY_TIR_OUT_SIZE, swhca_cmd_query_tir)                           \
	OBJ(DESTROY_TIR, TIR, PRM_CMD_SHORT_IN_SIZE, swhca_cmd_destroy)                            \
	LONG(CREATE_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_create_flow_table)                 \
	LONG(MODIFY_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_modify_flow_table)                 \
	LONG(QUERY_FLOW_TABLE, PRM_FLOW_IN_SIZE, PRM_FLOW_IN_SIZE, swhca_cmd_query_flow_table)     \
	LONG(DESTROY_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_destroy_flow_table)               \
	LONG(SET_FLOW_TABLE_ROOT, PRM_FLOW_IN_SIZE, 16, swhca_cmd_set_flow_table_root)             \
	LONG(CREATE_FLOW_GROUP, PRM_FLOW_GROUP_SIZE, 16, swhca_cmd_create_flow_group)              \
	LONG(QUERY_FLOW_GROUP, PRM_FLOW_IN_SIZE, PRM_FLOW_GROUP_SIZE, swhca_cmd_query_flow_group)  \
	LONG(DESTROY_FLOW_GROUP, PRM_FLOW_IN_SIZE, 16, swhca_cmd_destroy_flow_group)               \
	LONG(SET_FLOW_TABLE_ENTRY, PRM_FTE_IN_SIZE, 16, swhca_cmd_set_flow_table_entry)            \
	LONG(QUERY_FLOW_TABLE_ENTRY, PRM_FLOW_IN_SIZE, PRM_FTE_IN_SIZE,                            \
	     swhca_cmd_query_flow_table_entry)                                                     \
	LONG(DELETE_FLOW_TABLE_ENTRY, PRM_FLOW_IN_SIZE, 16, swhca_cmd_delete_flow_table_entry)

/** Commands of that driver only. */
#define SWHCA_KERNEL_CMDS(LONG, SHORT)                                                             \
	LONG(ENABLE_HCA, 16, PRM_ENABLE_HCA_OUT_SIZE, swhca_cmd_enable_hca)                        \
	LONG(DISABLE_HCA, 16, 8, swhca_cmd_disable_hca)                                            \
	LONG(INIT_HCA, PRM_INIT_HCA_IN_SIZE, 8, swhca_cmd_init_hca)                                \
	LONG(TEARDOWN_HCA, 16, 16, swhca_cmd_teardown_hca)                                         \
	LONG(SET_ISSI, 16, 8, swhca_cmd_set_issi)                                                  \
	SHORT(QUERY_PAGES, swhca_cmd_query_pages)                                                  \
	SHORT(MANAGE_PAGES, swhca_cmd_manage_pages)                                                \
	LONG(SET_HCA_CAP, PRM_SET_HCA_CAP_IN_SIZE, 8, swhca_cmd_set_hca_cap)                       \
	LONG(MODIFY_NIC_VPORT_CONTEXT, PRM_MODIFY_NIC_VPORT_IN_SIZE, 16,                           \
	     swhca_cmd_modify_nic_vport_context)                                                   \
	SHORT(ACCESS_REG, swhca_cmd_access_reg)                                                    \
	LONG(MAD_IFC, PRM_MAD_IFC_SIZE, PRM_MAD_IFC_SIZE, swhca_cmd_mad_ifc)                       \
	LONG(MODIFY_HCA_VPORT_CONTEXT, PRM_MODIFY_HCA_VPORT_CONTEXT_IN_SIZE, 8,                    \
	     swhca_cmd_modify_hca_vport_context)                                                   \
	SHORT(QUERY_HCA_VPORT_GID, swhca_cmd_query_hca_vport_gid)                                  \
	SHORT(QUERY_HCA_VPORT_PKEY, swhca_cmd_query_hca_vport_pkey)

/** Handler of a command. @return Its status. */
#define SWHCA_CMD_LONG(op, in_size, out_size, fn) uint8_t fn(struct swhca_cmd *cmd);
#define SWHCA_CMD_SHORT(op, fn) uint8_t fn(struct swhca_cmd *cmd);
#define SWHCA_CMD_OBJ(op, obj_type, in_size, fn) uint8_t fn(struct swhca_cmd *cmd);

SWHCA_CMDS(SWHCA_CMD_LONG, SWHCA_CMD_SHORT, SWHCA_CMD_OBJ)
SWHCA_FUNCTION_CMDS(SWHCA_CMD_LONG, SWHCA_CMD_SHORT, SWHCA_CMD_OBJ)
SWHCA_ETH_CMDS(SWHCA_CMD_LONG, SWHCA_CMD_SHORT, SWHCA_CMD_OBJ)
SWHCA_KERNEL_CMDS(SWHCA_CMD_LONG, SWHCA_CMD_SHORT)

#undef SWHCA_CMD_LONG
#undef SWHCA_CMD_SHORT
#undef SWHCA_CMD_OBJ

#endif /* SWHCA_CMD_HANDLERS_H */
