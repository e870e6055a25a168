/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_ABI_H
#define SWHCA_UCMA_ABI_H

/**
 * @file
 * User ABI of rdma_cm: the kernel's header, and definitions of librdmacm.
 */

#include <stdint.h>

#include <rdma/rdma_user_cm.h>

/** Events (librdmacm: enum rdma_cm_event_type). */
enum swhca_ucm_event_type {
	UCM_ADDR_RESOLVED,
	UCM_ADDR_ERROR,
	UCM_ROUTE_RESOLVED,
	UCM_ROUTE_ERROR,
	UCM_CONNECT_REQUEST,
	UCM_CONNECT_RESPONSE,
	UCM_CONNECT_ERROR,
	UCM_UNREACHABLE,
	UCM_REJECTED,
	UCM_ESTABLISHED,
	UCM_DISCONNECTED,
	UCM_DEVICE_REMOVAL,
	UCM_MULTICAST_JOIN,
	UCM_MULTICAST_ERROR,
	UCM_ADDR_CHANGE,
	UCM_TIMEWAIT_EXIT,
};

/** Address of a port of InfiniBand (include/rdma/ib.h: struct sockaddr_ib). */
#define UCM_AF_IB 27
struct swhca_ucm_sockaddr_ib {
	uint16_t sib_family;
	uint16_t sib_pkey;		/**< Big endian, like all that follow. */
	uint32_t sib_flowinfo;
	uint8_t sib_addr[16];
	uint64_t sib_sid;
	uint64_t sib_sid_mask;
	uint64_t sib_scope_id;
};

/** Types of queue pairs (verbs.h: enum ibv_qp_type). */
#define UCM_QPT_RC	2u
#define UCM_QPT_UC	3u
#define UCM_QPT_UD	4u
#define UCM_QPT_XRC_INI	9u
#define UCM_QPT_XRC_TGT	10u

/** Q_Key of UDP ports (librdmacm: RDMA_UDP_QKEY). */
#define UCM_UDP_QKEY 0x01234567u
/** Q_Key of the broadcast group of IPoIB (mad/sa.c), for its port space. */
#define UCM_IPOIB_QKEY 0x00000b1bu

/** Size of the kernel's header before private data (cma.c: struct cma_hdr). */
#define UCM_HDR_LEN 36u

#endif /* SWHCA_UCMA_ABI_H */
