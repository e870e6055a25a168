/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_LIMITS_H
#define SWHCA_OBJECT_LIMITS_H

/**
 * @file
 * Limits that QUERY_HCA_CAP reports and the commands enforce, and first object numbers.
 */

#define SWHCA_LOG_MAX_CQ_SZ	22u
#define SWHCA_LOG_MAX_QP_SZ	15u
#define SWHCA_LOG_MAX_CQ	16u
#define SWHCA_LOG_MAX_QP	16u
#define SWHCA_LOG_MAX_SRQ	16u
#define SWHCA_LOG_MAX_SRQ_SZ	15u
#define SWHCA_LOG_MAX_XRCD	10u
#define SWHCA_LOG_MAX_MKEY	22u
#define SWHCA_LOG_MAX_IMPLICIT	26u	/* entries of 1 GiB: 56 address bits, 5-level paging */
#define SWHCA_MAX_XLT		(1u << 29)	/* octowords of all keys of a guest: 8 GiB */
#define SWHCA_LOG_MAX_PD	16u
#define SWHCA_LOG_MAX_PSV	20u
#define SWHCA_LOG_MAX_DEK	12u
#define SWHCA_LOG_MAX_BSF_LIST	3u	/* octowords: signature and crypto */
#define SWHCA_LOG_MAX_EQ	6u
#define SWHCA_LOG_MAX_UCTX	12u
#define SWHCA_NB_IB_GIDS	8u	/* gid_table_size 0 */
#define SWHCA_NB_IB_PKEYS	128u	/* pkey_table_size 0 */
#define SWHCA_LOG_MAX_EQ_SZ	22u
#define SWHCA_LOG_MAX_MSG	30u
#define SWHCA_MAX_WQE_SZ_SQ	1024u
#define SWHCA_MAX_WQE_SZ_RQ	512u
#define SWHCA_NB_LAG_PORTS	2u
#define SWHCA_MIN_ROCE_SPORT	0xc000u

/* Numbers start here: lower ones are reserved for firmware, and key 4 would be a repeat block. */
#define SWHCA_FIRST_MKEY	0x1000u
#define SWHCA_NB_FLOW_COUNTERS	1024u
#define SWHCA_NB_Q_COUNTERS	255u	/* counter_set_id has 8 bits, and 0 means none */
#define SWHCA_FIRST_QP		0x48u
#define SWHCA_FIRST_SQ		0x800000u	/* not a QP number: doorbells use either */
#define SWHCA_FIRST_CQ		0x10u
#define SWHCA_FIRST_SRQ		0x10u

#endif /* SWHCA_OBJECT_LIMITS_H */
