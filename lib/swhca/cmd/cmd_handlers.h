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
 * The commands: name, sizes of the fixed parts of both mailboxes, handler, and what else is true of
 * a command; cmd.c gives these words their meaning:
 *
 * CREATES, MODIFIES, QUERIES: users execute it in DevX for an object; the command that destroys or
 * creates the object. GENERAL: they execute it without an object, with ANY_UID also without a user
 * context. MAKES: it creates an object, but has a method of its own.
 * NUM: field with the number of the object, in the output of a command that creates it.
 * OBJ: type of the object, for its handler. DESTROYS: it releases something and works on a failed
 * device. ENDS_QP, ENDS_QUEUE: software expects no CQE of the queue after it.
 * DRIVER: of a function with a driver, users may execute it, too. KERNEL: of that driver only.
 * EARLY: works before INIT_HCA, as those of KERNEL do (Linux: mlx5_function_enable(), _open()).
 */
#define SWHCA_CMDS(X)                                                                              \
	X(QUERY_HCA_CAP, 16, 16, swhca_cmd_query_hca_cap, GENERAL, ANY_UID, EARLY)                 \
	X(QUERY_HCA_VPORT_CONTEXT, 16, 16, swhca_cmd_query_hca_vport_context, GENERAL, ANY_UID)    \
	X(QUERY_NIC_VPORT_CONTEXT, 16, PRM_QUERY_NIC_VPORT_CONTEXT_OUT_SIZE,                       \
	  swhca_cmd_query_nic_vport_context, GENERAL)                                              \
	X(QUERY_ROCE_ADDRESS, 16, PRM_QUERY_ROCE_ADDRESS_OUT_SIZE, swhca_cmd_query_roce_address,   \
	  GENERAL)                                                                                 \
	X(SET_ROCE_ADDRESS, PRM_SET_ROCE_ADDRESS_IN_SIZE, 16, swhca_cmd_set_roce_address)          \
	X(CREATE_DCT, PRM_CREATE_DCT_IN_SIZE, 16, swhca_cmd_create_dct, CREATES(DESTROY_DCT))      \
	X(DESTROY_DCT, 16, 16, swhca_cmd_destroy_dct, DESTROYS, ENDS_QUEUE)                        \
	X(DRAIN_DCT, 16, 16, swhca_cmd_drain_dct, ENDS_QUEUE)                                      \
	X(QUERY_DCT, 16, PRM_QUERY_DCT_OUT_SIZE, swhca_cmd_query_dct, QUERIES(CREATE_DCT))         \
	X(ARM_DCT_FOR_KEY_VIOLATION, 16, 16, swhca_cmd_arm_dct, MODIFIES(CREATE_DCT))              \
	X(SET_PP_RATE_LIMIT, PRM_SET_PP_RATE_LIMIT_IN_SIZE, 16, swhca_cmd_set_pp_rate_limit)       \
	X(QUERY_SPECIAL_CONTEXTS, 16, 16, swhca_cmd_query_special_contexts)                        \
	X(PAGE_FAULT_RESUME, 16, 16, swhca_cmd_page_fault_resume)                                  \
	X(CREATE_MKEY, PRM_CREATE_MKEY_IN_XLT_BYTE, 16, swhca_cmd_create_mkey,                     \
	  CREATES(DESTROY_MKEY))                                                                   \
	X(QUERY_MKEY, 16, PRM_QUERY_MKEY_OUT_SIZE, swhca_cmd_query_mkey, QUERIES(CREATE_MKEY))     \
	X(DESTROY_MKEY, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(MKEY))                            \
	X(ALLOC_MEMIC, PRM_ALLOC_MEMIC_IN_SIZE, 16, swhca_cmd_alloc_memic)                         \
	X(DEALLOC_MEMIC, PRM_DEALLOC_MEMIC_IN_SIZE, 16, swhca_cmd_dealloc_memic, DESTROYS)         \
	X(MODIFY_MEMIC, PRM_MODIFY_MEMIC_IN_SIZE, PRM_MODIFY_MEMIC_OUT_SIZE,                       \
	  swhca_cmd_modify_memic)                                                                  \
	X(CREATE_PSV, 16, PRM_CREATE_PSV_OUT_SIZE, swhca_cmd_create_psv, CREATES(DESTROY_PSV),     \
	  NUM(PRM_CREATE_PSV_OUT_PSV(0)))                                                          \
	X(DESTROY_PSV, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(PSV))                              \
	X(CREATE_EQ, PRM_CREATE_EQ_IN_PAS_BYTE, 16, swhca_cmd_create_eq)                           \
	X(QUERY_EQ, 16, PRM_QUERY_EQ_OUT_SIZE, swhca_cmd_query_eq)                                 \
	X(DESTROY_EQ, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(EQ))                                \
	X(CREATE_CQ, PRM_CREATE_CQ_IN_PAS_BYTE, 16, swhca_cmd_create_cq, CREATES(DESTROY_CQ))      \
	X(DESTROY_CQ, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(CQ))                                \
	X(MODIFY_CQ, PRM_MODIFY_CQ_IN_PAS_BYTE, 16, swhca_cmd_modify_cq, MODIFIES(CREATE_CQ))      \
	X(QUERY_CQ, 16, PRM_QUERY_CQ_OUT_SIZE, swhca_cmd_query_cq, QUERIES(CREATE_CQ))             \
	X(CREATE_QP, PRM_CREATE_QP_IN_PAS_BYTE, 16, swhca_cmd_create_qp, CREATES(DESTROY_QP))      \
	X(DESTROY_QP, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(QP), ENDS_QP)                       \
	X(RST2INIT_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))        \
	X(INIT2INIT_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))       \
	X(INIT2RTR_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))        \
	X(RTR2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))         \
	X(RTS2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))         \
	X(RTS2SQD_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                              \
	X(SQERR2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))       \
	X(SQD2RTS_QP, PRM_MODIFY_QP_IN_SIZE, 16, swhca_cmd_modify_qp)                              \
	X(2ERR_QP, 16, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP))                               \
	X(2RST_QP, 16, 16, swhca_cmd_modify_qp, MODIFIES(CREATE_QP), ENDS_QP)                      \
	X(QUERY_QP, 16, PRM_QUERY_QP_OUT_SIZE, swhca_cmd_query_qp, QUERIES(CREATE_QP))             \
	X(CREATE_SRQ, PRM_CREATE_SRQ_IN_PAS_BYTE, 16, swhca_cmd_create_srq, CREATES(DESTROY_SRQ))  \
	X(DESTROY_SRQ, 16, 16, swhca_cmd_destroy_srq, DESTROYS, ENDS_QUEUE)                        \
	X(QUERY_SRQ, 16, PRM_QUERY_SRQ_OUT_SIZE, swhca_cmd_query_srq, QUERIES(CREATE_SRQ))         \
	X(ARM_RQ, 16, 16, swhca_cmd_arm_srq, MODIFIES(CREATE_SRQ))                                 \
	X(CREATE_XRC_SRQ, PRM_CREATE_SRQ_IN_PAS_BYTE, 16, swhca_cmd_create_srq,                    \
	  CREATES(DESTROY_XRC_SRQ))                                                                \
	X(DESTROY_XRC_SRQ, 16, 16, swhca_cmd_destroy_srq, DESTROYS, ENDS_QUEUE)                    \
	X(QUERY_XRC_SRQ, 16, PRM_QUERY_SRQ_OUT_SIZE, swhca_cmd_query_srq, QUERIES(CREATE_XRC_SRQ)) \
	X(ARM_XRC_SRQ, 16, 16, swhca_cmd_arm_srq, MODIFIES(CREATE_XRC_SRQ))                        \
	X(CREATE_RMP, PRM_CREATE_RMP_IN_PAS_BYTE, 16, swhca_cmd_create_rmp, CREATES(DESTROY_RMP))  \
	X(MODIFY_RMP, PRM_MODIFY_RMP_IN_SIZE, 16, swhca_cmd_modify_rmp, MODIFIES(CREATE_RMP))      \
	X(DESTROY_RMP, 16, 16, swhca_cmd_destroy_srq, DESTROYS, ENDS_QUEUE)                        \
	X(QUERY_RMP, 16, PRM_QUERY_RMP_OUT_SIZE, swhca_cmd_query_rmp, QUERIES(CREATE_RMP))         \
	X(ATTACH_TO_MCG, PRM_MCG_IN_SIZE, 16, swhca_cmd_attach_to_mcg)                             \
	X(DETACH_FROM_MCG, PRM_MCG_IN_SIZE, 16, swhca_cmd_detach_from_mcg, DESTROYS)               \
	X(ALLOC_XRCD, 16, 16, swhca_cmd_alloc_number, CREATES(DEALLOC_XRCD), OBJ(XRCD))            \
	X(DEALLOC_XRCD, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(XRCD))                            \
	X(ALLOC_PD, 16, 16, swhca_cmd_alloc_number, CREATES(DEALLOC_PD), OBJ(PD))                  \
	X(DEALLOC_PD, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(PD))                                \
	X(ALLOC_UAR, 16, 16, swhca_cmd_alloc_uar, MAKES(DEALLOC_UAR))                              \
	X(DEALLOC_UAR, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(UAR))                              \
	X(ALLOC_TRANSPORT_DOMAIN, 16, 16, swhca_cmd_alloc_number,                                  \
	  CREATES(DEALLOC_TRANSPORT_DOMAIN), OBJ(TD))                                              \
	X(DEALLOC_TRANSPORT_DOMAIN, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(TD))                  \
	X(ALLOC_FLOW_COUNTER, 16, 16, swhca_cmd_alloc_flow_counter, CREATES(DEALLOC_FLOW_COUNTER)) \
	X(DEALLOC_FLOW_COUNTER, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(FLOW_COUNTER))            \
	X(QUERY_FLOW_COUNTER, PRM_QUERY_FLOW_COUNTER_IN_SIZE, PRM_QUERY_FLOW_COUNTER_OUT_SIZE,     \
	  swhca_cmd_query_flow_counter, QUERIES(ALLOC_FLOW_COUNTER),                               \
	  NUM(PRM_QUERY_FLOW_COUNTER_IN_ID))                                                       \
	X(QUERY_LAG, 16, 16, swhca_cmd_query_lag, GENERAL)                                         \
	X(CREATE_GENERAL_OBJECT, 16, 16, swhca_cmd_create_general_object,                          \
	  CREATES(DESTROY_GENERAL_OBJECT), NUM(PRM_GENERAL_OBJ_OUT_OBJ_ID))                        \
	X(MODIFY_GENERAL_OBJECT, 16, 16, swhca_cmd_modify_general_object,                          \
	  MODIFIES(CREATE_GENERAL_OBJECT), NUM(PRM_GENERAL_OBJ_IN_OBJ_ID))                         \
	X(QUERY_GENERAL_OBJECT, 16, 16, swhca_cmd_query_general_object,                            \
	  QUERIES(CREATE_GENERAL_OBJECT), NUM(PRM_GENERAL_OBJ_IN_OBJ_ID))                          \
	X(DESTROY_GENERAL_OBJECT, 16, 16, swhca_cmd_destroy_general_object, DESTROYS)              \
	X(CREATE_UCTX, 16, 16, swhca_cmd_create_uctx, OBJ(UCTX))                                   \
	X(DESTROY_UCTX, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(UCTX))                            \
	X(CREATE_UMEM, PRM_CREATE_UMEM_IN_MTT_BYTE, 16, swhca_cmd_create_umem,                     \
	  MAKES(DESTROY_UMEM))                                                                     \
	X(DESTROY_UMEM, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(UMEM))                            \
	X(NOP, 8, 8, swhca_cmd_nop, GENERAL, EARLY)                                                \
	/* Of a function with a driver. */                                                         \
	X(QUERY_ADAPTER, 16, PRM_QUERY_ADAPTER_OUT_SIZE, swhca_cmd_query_adapter, GENERAL, EARLY,  \
	  DRIVER)                                                                                  \
	X(QUERY_ISSI, 8, PRM_QUERY_ISSI_OUT_SIZE, swhca_cmd_query_issi, GENERAL, EARLY, DRIVER)    \
	X(QUERY_VPORT_STATE, 16, 16, swhca_cmd_query_vport_state, GENERAL, DRIVER)                 \
	X(QUERY_VPORT_COUNTER, PRM_QUERY_VPORT_COUNTER_IN_SIZE, PRM_QUERY_VPORT_COUNTER_OUT_SIZE,  \
	  swhca_cmd_query_vport_counter, GENERAL, DRIVER)                                          \
	X(ALLOC_Q_COUNTER, 16, 16, swhca_cmd_alloc_q_counter, CREATES(DEALLOC_Q_COUNTER), DRIVER)  \
	X(DEALLOC_Q_COUNTER, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(Q_COUNTER), DRIVER)          \
	X(QUERY_Q_COUNTER, PRM_QUERY_Q_COUNTER_IN_SIZE, PRM_QUERY_Q_COUNTER_OUT_SIZE,              \
	  swhca_cmd_query_q_counter, QUERIES(ALLOC_Q_COUNTER), DRIVER)                             \
	/* Of that driver only. */                                                                 \
	X(ENABLE_HCA, 16, PRM_ENABLE_HCA_OUT_SIZE, swhca_cmd_enable_hca, KERNEL)                   \
	X(DISABLE_HCA, 16, 8, swhca_cmd_disable_hca, DESTROYS, KERNEL)                             \
	X(INIT_HCA, PRM_INIT_HCA_IN_SIZE, 8, swhca_cmd_init_hca, KERNEL)                           \
	X(TEARDOWN_HCA, 16, 16, swhca_cmd_teardown_hca, DESTROYS, KERNEL)                          \
	X(SET_ISSI, 16, 8, swhca_cmd_set_issi, KERNEL)                                             \
	X(QUERY_PAGES, 16, 16, swhca_cmd_query_pages, KERNEL)                                      \
	X(MANAGE_PAGES, 16, 16, swhca_cmd_manage_pages, DESTROYS, KERNEL)                          \
	X(SET_HCA_CAP, PRM_SET_HCA_CAP_IN_SIZE, 8, swhca_cmd_set_hca_cap, KERNEL)                  \
	X(ACCESS_REG, 16, 16, swhca_cmd_access_reg, KERNEL)                                        \
	X(MAD_IFC, PRM_MAD_IFC_SIZE, PRM_MAD_IFC_SIZE, swhca_cmd_mad_ifc, KERNEL)                  \
	X(MODIFY_HCA_VPORT_CONTEXT, PRM_MODIFY_HCA_VPORT_CONTEXT_IN_SIZE, 8,                       \
	  swhca_cmd_modify_hca_vport_context, KERNEL)                                              \
	X(QUERY_HCA_VPORT_GID, 16, 16, swhca_cmd_query_hca_vport_gid, KERNEL)                      \
	X(QUERY_HCA_VPORT_PKEY, 16, 16, swhca_cmd_query_hca_vport_pkey, KERNEL)

/**
 * Those of Ethernet queues, and of their steering. In a build without them (meson option swhca_eth)
 * the device rejects them.
 */
#define SWHCA_ETH_CMDS(X)                                                                          \
	X(CREATE_TIS, PRM_CREATE_TIS_IN_SIZE, 16, swhca_cmd_create_tis, CREATES(DESTROY_TIS),      \
	  DRIVER)                                                                                  \
	X(QUERY_TIS, 16, PRM_QUERY_TIS_OUT_SIZE, swhca_cmd_query_tis, QUERIES(CREATE_TIS), DRIVER) \
	X(DESTROY_TIS, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(TIS), DRIVER)                      \
	X(CREATE_SQ, PRM_CREATE_XQ_IN_PAS_BYTE, 16, swhca_cmd_create_sq, CREATES(DESTROY_SQ),      \
	  DRIVER)                                                                                  \
	X(MODIFY_SQ, PRM_MODIFY_XQ_IN_SIZE, 16, swhca_cmd_modify_sq, MODIFIES(CREATE_SQ),          \
	  ENDS_QUEUE, DRIVER)                                                                      \
	X(QUERY_SQ, 16, PRM_QUERY_XQ_OUT_SIZE, swhca_cmd_query_sq, QUERIES(CREATE_SQ), DRIVER)     \
	X(DESTROY_SQ, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(ESQ), ENDS_QUEUE, DRIVER)           \
	X(CREATE_RQ, PRM_CREATE_XQ_IN_PAS_BYTE, 16, swhca_cmd_create_rq, CREATES(DESTROY_RQ),      \
	  DRIVER)                                                                                  \
	X(MODIFY_RQ, PRM_MODIFY_XQ_IN_SIZE, 16, swhca_cmd_modify_rq, MODIFIES(CREATE_RQ),          \
	  ENDS_QUEUE, DRIVER)                                                                      \
	X(QUERY_RQ, 16, PRM_QUERY_XQ_OUT_SIZE, swhca_cmd_query_rq, QUERIES(CREATE_RQ), DRIVER)     \
	X(DESTROY_RQ, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(ERQ), ENDS_QUEUE, DRIVER)           \
	X(CREATE_RQT, PRM_RQT_IN_SIZE, 16, swhca_cmd_create_rqt, CREATES(DESTROY_RQT), DRIVER)     \
	X(MODIFY_RQT, PRM_RQT_IN_SIZE, 16, swhca_cmd_modify_rqt, MODIFIES(CREATE_RQT), DRIVER)     \
	X(QUERY_RQT, 16, PRM_QUERY_RQT_OUT_SIZE, swhca_cmd_query_rqt, QUERIES(CREATE_RQT), DRIVER) \
	X(DESTROY_RQT, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(RQT), DRIVER)                      \
	X(CREATE_TIR, PRM_TIR_IN_SIZE, 16, swhca_cmd_create_tir, CREATES(DESTROY_TIR), DRIVER)     \
	X(MODIFY_TIR, PRM_TIR_IN_SIZE, 16, swhca_cmd_modify_tir, MODIFIES(CREATE_TIR), DRIVER)     \
	X(QUERY_TIR, 16, PRM_QUERY_TIR_OUT_SIZE, swhca_cmd_query_tir, QUERIES(CREATE_TIR), DRIVER) \
	X(DESTROY_TIR, 16, 16, swhca_cmd_destroy, DESTROYS, OBJ(TIR), DRIVER)                      \
	X(CREATE_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_create_flow_table,                    \
	  CREATES(DESTROY_FLOW_TABLE), DRIVER)                                                     \
	X(MODIFY_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_modify_flow_table,                    \
	  MODIFIES(CREATE_FLOW_TABLE), DRIVER)                                                     \
	X(QUERY_FLOW_TABLE, PRM_FLOW_IN_SIZE, PRM_FLOW_IN_SIZE, swhca_cmd_query_flow_table,        \
	  QUERIES(CREATE_FLOW_TABLE), DRIVER)                                                      \
	X(DESTROY_FLOW_TABLE, PRM_FLOW_IN_SIZE, 16, swhca_cmd_destroy_flow_table, DESTROYS,        \
	  DRIVER)                                                                                  \
	X(SET_FLOW_TABLE_ROOT, PRM_FLOW_IN_SIZE, 16, swhca_cmd_set_flow_table_root, DRIVER)        \
	X(CREATE_FLOW_GROUP, PRM_FLOW_GROUP_SIZE, 16, swhca_cmd_create_flow_group,                 \
	  CREATES(DESTROY_FLOW_GROUP), DRIVER)                                                     \
	X(QUERY_FLOW_GROUP, PRM_FLOW_IN_SIZE, PRM_FLOW_GROUP_SIZE, swhca_cmd_query_flow_group,     \
	  QUERIES(CREATE_FLOW_GROUP), DRIVER)                                                      \
	X(DESTROY_FLOW_GROUP, PRM_FLOW_IN_SIZE, 16, swhca_cmd_destroy_flow_group, DESTROYS,        \
	  DRIVER)                                                                                  \
	X(SET_FLOW_TABLE_ENTRY, PRM_FTE_IN_SIZE, 16, swhca_cmd_set_flow_table_entry,               \
	  CREATES(DELETE_FLOW_TABLE_ENTRY), DRIVER)                                                \
	X(QUERY_FLOW_TABLE_ENTRY, PRM_FLOW_IN_SIZE, PRM_FTE_IN_SIZE,                               \
	  swhca_cmd_query_flow_table_entry, QUERIES(SET_FLOW_TABLE_ENTRY), DRIVER)                 \
	X(DELETE_FLOW_TABLE_ENTRY, PRM_FLOW_IN_SIZE, 16, swhca_cmd_delete_flow_table_entry,        \
	  DESTROYS, DRIVER)                                                                        \
	X(MODIFY_NIC_VPORT_CONTEXT, PRM_MODIFY_NIC_VPORT_IN_SIZE, 16,                              \
	  swhca_cmd_modify_nic_vport_context, KERNEL)

/** Creators that Linux accepts in DevX (devx_is_obj_create_cmd()) and the device rejects. */
#define SWHCA_FOREIGN_CMDS(X)                                                                      \
	X(CREATE_XRQ, 0, 0, NULL, DEVX(CREATE))                                                    \
	X(CREATE_SCHEDULING_ELEMENT, 0, 0, NULL, DEVX(CREATE))                                     \
	X(ADD_VXLAN_UDP_DPORT, 0, 0, NULL, DEVX(CREATE))                                           \
	X(SET_L2_TABLE_ENTRY, 0, 0, NULL, DEVX(CREATE))                                            \
	X(ALLOC_PACKET_REFORMAT_CONTEXT, 0, 0, NULL, DEVX(CREATE))                                 \
	X(ALLOC_MODIFY_HEADER_CONTEXT, 0, 0, NULL, DEVX(CREATE))

/** Handler of a command. @return Its status. */
#define SWHCA_CMD_HANDLER(op, in_size, out_size, fn, ...) uint8_t fn(struct swhca_cmd *cmd);

SWHCA_CMDS(SWHCA_CMD_HANDLER)
SWHCA_ETH_CMDS(SWHCA_CMD_HANDLER)

#undef SWHCA_CMD_HANDLER

#endif /* SWHCA_CMD_HANDLERS_H */
