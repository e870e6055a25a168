/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHANNEL_H
#define CHANNEL_H

/**
 * @file
 * rdma_cm through its ABI, without librdmacm.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>

/** Open an event channel. */
int channel_open(void);
/** Execute a command whose structure follows its header. @return 0, or errno. */
int channel_do(int fd, uint32_t cmd, const void *in, size_t in_len, size_t out_len);
/** Whether an event is pending. */
bool channel_has_event(int fd);
/**
 * Get the next event; the program fails without an event, or with another type or an error status.
 */
void channel_event(int fd, uint32_t type, struct rdma_ucm_event_resp *resp);
/** The same with any status. @return The status. */
int channel_event_status(int fd, uint32_t type, struct rdma_ucm_event_resp *resp);

struct sockaddr_in channel_addr(const char *text, uint16_t port);

/* Commands that must succeed, and commands that return their result. */
uint32_t id_create(int fd, uint16_t ps, uint8_t qp_type, uint64_t uid);
uint32_t id_destroy(int fd, uint32_t id);
int id_bind(int fd, uint32_t id, const struct sockaddr_in *addr);
int id_listen(int fd, uint32_t id, uint32_t backlog);
int id_resolve(int fd, uint32_t id, const struct sockaddr_in *to);
int id_route(int fd, uint32_t id);
int id_connect(int fd, uint32_t id, uint32_t qpn, const char *data);
int id_accept(int fd, uint32_t id, uint32_t qpn, uint64_t uid, const char *data);
/** Accept a response; nothing else is needed. */
int id_ready(int fd, uint32_t id);
int id_reject(int fd, uint32_t id, const char *data);
int id_disconnect(int fd, uint32_t id);
int id_qp_attr(int fd, uint32_t id, uint32_t state, struct ib_uverbs_qp_attr *attr);
void id_query_addr(int fd, uint32_t id, struct rdma_ucm_query_addr_resp *resp);
void id_query_route(int fd, uint32_t id, struct rdma_ucm_query_route_resp *resp);
/** Create an identifier and resolve its address and route. */
uint32_t id_to(int fd, uint16_t ps, uint8_t qp_type, uint64_t uid, const struct sockaddr_in *to);

#endif /* CHANNEL_H */
