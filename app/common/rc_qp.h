/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RC_QP_H
#define RC_QP_H

/*
 * RC queue pairs of plain verbs programs, from reset to ready to send: connected to themselves or
 * to a peer, through a port and its first GID.
 */

#include <stdint.h>

#include <infiniband/verbs.h>

#define RC_QP_PORT 1

/* Parameters of a connection; zero is a valid value. */
struct rc_qp_conf {
	unsigned int access; /* IBV_ACCESS_*: rights of the peer */
	enum ibv_mtu mtu; /* path MTU; 0: that of the port */
	uint32_t psn; /* first packet sequence number of both directions */
	uint8_t rd_atomic; /* outstanding reads and atomics, in both directions */
	uint8_t min_rnr_timer;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
};

/* Address of the first port: LID, and the first GID on Ethernet. Returns 0 or an errno. */
int rc_qp_own_address(struct ibv_context *ctx, struct ibv_ah_attr *ah);

/* The same for another port. */
int rc_qp_port_address(struct ibv_context *ctx, uint8_t port_num, struct ibv_ah_attr *ah);

/*
 * Connect a queue pair in reset to number qpn at an address, using its port. Returns 0 or an errno.
 */
int rc_qp_connect(struct ibv_qp *qp, const struct rc_qp_conf *conf, const struct ibv_ah_attr *ah,
		  uint32_t qpn);

/* Connect a queue pair in reset to itself. Returns 0 or an errno. */
int rc_qp_connect_itself(struct ibv_qp *qp, const struct rc_qp_conf *conf);

#endif /* RC_QP_H */
