/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CM_MSG_H
#define SWHCA_CM_MSG_H

/**
 * @file
 * Messages of the communication management class, as bytes and structures (IBTA volume 1, chapter
 * 12; 13.4.2 for the header). Numbers are in host byte order.
 */

#include <stddef.h>
#include <stdint.h>

#include "include/mad.h"

/** Attributes of the class (IBTA volume 1, table 105). */
enum swhca_cm_attr {
	SWHCA_CM_REQ = 0x10,
	SWHCA_CM_MRA,
	SWHCA_CM_REJ,
	SWHCA_CM_REP,
	SWHCA_CM_RTU,
	SWHCA_CM_DREQ,
	SWHCA_CM_DREP,
	SWHCA_CM_SIDR_REQ,
	SWHCA_CM_SIDR_REP,
};

/** Message answered by a REJ or an MRA. */
enum swhca_cm_answered {
	SWHCA_CM_ANSWERED_REQ,
	SWHCA_CM_ANSWERED_REP,
	SWHCA_CM_ANSWERED_OTHER,
};

/** Reasons for a REJ (IBTA volume 1, 12.6.7.2). */
enum swhca_cm_reason {
	SWHCA_CM_REASON_NO_RESOURCES = 3,
	SWHCA_CM_REASON_TIMEOUT = 4,
	SWHCA_CM_REASON_SERVICE_ID = 8,
	SWHCA_CM_REASON_STALE = 10,
	SWHCA_CM_REASON_GID = 12,
	SWHCA_CM_REASON_CONSUMER = 28,
};

/** Status of a SIDR_REP (IBTA volume 1, 12.11.2.1). */
enum swhca_cm_sidr_status {
	SWHCA_CM_SIDR_VALID,
	SWHCA_CM_SIDR_NO_SERVICE,
	SWHCA_CM_SIDR_REJECTED,
};

/** Transport service type of a REQ; EXT: another field has the type. */
#define SWHCA_CM_SERVICE_RC	0u
#define SWHCA_CM_SERVICE_UC	1u
#define SWHCA_CM_SERVICE_EXT	3u
#define SWHCA_CM_EXT_XRC	1u

/** Permissive LID: identifies no port (IBTA volume 1, 4.1.3). */
#define SWHCA_CM_LID_PERMISSIVE 0xffffu

/** Maximum private data of any message, and of some. */
#define SWHCA_CM_PRIVATE_LEN		224u
#define SWHCA_CM_REQ_PRIVATE_LEN	92u
#define SWHCA_CM_REP_PRIVATE_LEN	196u
#define SWHCA_CM_REJ_PRIVATE_LEN	148u
#define SWHCA_CM_SIDR_REQ_PRIVATE_LEN	216u
#define SWHCA_CM_SIDR_REP_PRIVATE_LEN	136u

/** A path of a REQ, from the view of its sender. */
struct swhca_cm_path {
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint32_t flow_label;
	uint8_t rate;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t is_subnet_local;
	uint8_t ack_timeout;		/**< 4.096 us * 2^n */
};

/** Request for communication (12.6.5). */
struct swhca_cm_req {
	uint64_t service_id;
	uint64_t ca_guid;
	uint32_t vendor_id;		/**< Of the ECE options in the attribute modifier. */
	uint32_t qkey;
	uint32_t qpn;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t remote_response_timeout; /**< 4.096 us * 2^n, like the next. */
	uint8_t local_response_timeout;
	uint8_t service_type;
	uint8_t ext_service_type;
	uint8_t flow_control;
	uint32_t starting_psn;		/**< Initial PSN of the receiver of this message. */
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint16_t pkey;
	uint8_t path_mtu;		/**< As IBV_MTU_*. */
	uint8_t max_cm_retries;
	uint8_t srq;
	struct swhca_cm_path primary;
	struct swhca_cm_path alternate;	/**< All zero: none. */
};

/** Reply to a REQ (12.6.8). */
struct swhca_cm_rep {
	uint64_t ca_guid;
	uint32_t vendor_id;
	uint32_t qkey;
	uint32_t qpn;
	uint32_t ee_context;
	uint32_t starting_psn;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay;
	uint8_t failover;
	uint8_t flow_control;
	uint8_t rnr_retry_count;
	uint8_t srq;
};

/** Message receipt acknowledgment (12.6.6). */
struct swhca_cm_mra {
	uint8_t answered;		/**< enum swhca_cm_answered */
	uint8_t service_timeout;	/**< 4.096 us * 2^n */
};

/** Reject (12.6.7). */
struct swhca_cm_rej {
	uint8_t answered;		/**< enum swhca_cm_answered */
	uint8_t info_len;
	uint16_t reason;
	uint64_t info_guid;		/**< Start of the additional information. */
};

/** Request and reply of service ID resolution (12.11). */
struct swhca_cm_sidr_req {
	uint32_t request_id;
	uint16_t pkey;
	uint64_t service_id;
};

struct swhca_cm_sidr_rep {
	uint32_t request_id;
	uint8_t status;			/**< enum swhca_cm_sidr_status */
	uint32_t qpn;
	uint64_t service_id;
	uint32_t qkey;
};

/** Any message. */
struct swhca_cm_msg {
	uint16_t attr;			/**< enum swhca_cm_attr */
	uint64_t tid;			/**< Transaction ID. */
	uint32_t attr_mod;
	uint32_t local_id;		/**< ID of its sender; not in SIDR messages. */
	uint32_t remote_id;		/**< ID of its receiver; not in a REQ. */
	union {
		struct swhca_cm_req req;
		struct swhca_cm_rep rep;
		struct swhca_cm_mra mra;
		struct swhca_cm_rej rej;
		uint32_t dreq_qpn;	/**< QPN of the receiver, in a DREQ. */
		struct swhca_cm_sidr_req sidr_req;
		struct swhca_cm_sidr_rep sidr_rep;
	};
	uint8_t private_data[SWHCA_CM_PRIVATE_LEN];
};

/** Size of a message's private data; 0: no such message. */
size_t swhca_cm_private_len(uint16_t attr);

/** Encode a message, whose attribute must belong to the class. Excess bits are truncated. */
void swhca_cm_build(const struct swhca_cm_msg *msg, uint8_t mad[SWHCA_MAD_LEN]);

/**
 * Parse a message.
 *
 * @return
 *   0, or -EBADMSG: another class, version or method, or an unknown attribute. Written on success
 *   only.
 */
int swhca_cm_parse(const uint8_t mad[SWHCA_MAD_LEN], struct swhca_cm_msg *msg);

#endif /* SWHCA_CM_MSG_H */
