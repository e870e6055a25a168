/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Address commands: own address, peer, and route (cma.c: rdma_bind_addr(), rdma_resolve_addr(),
 * rdma_resolve_route(), rdma_listen()).
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "include/gid.h"
#include "base/log.h"
#include "front/ucma/ucma_cmd.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/group.h"
#include "front/ucma/hold.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"
#include "front/ucma/space.h"
#include "front/uverbs/file/uverbs_mem.h"

/* net.rdma_ucm.max_backlog */
#define MAX_BACKLOG 1024u
/* Path record of the subnet administration: cmd SET_OPTION. */
#define PRIMARY_PATH (IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL)

/* Copy an address from a command that has "size" bytes of it. @return 0 or -EINVAL. */
static int
addr_get(const void *src, size_t size, struct sockaddr_storage *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (size > sizeof(*addr))
		return -EINVAL;
	memcpy(addr, src, size);
	return size == swhca_ucm_addr_len(addr) && size != 0 ? 0 : -EINVAL;
}

/* The same for commands with room for IPv6 only. */
static int
addr_get_ip(const struct sockaddr_in6 *src, struct sockaddr_storage *addr)
{
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, src, sizeof(*src));
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6 ? 0 : -EINVAL;
}

/*
 * Bind to the address of the loopback interface, which the kernel assigns to sockets that connect
 * to other addresses of that interface: the nearest port replaces it, if there is one.
 */
static int
localhost_bind(struct swhca_ucm_id *id)
{
	struct swhca_ucm_port port;
	uint8_t raw[16];

	if (!swhca_ucm_addr_is_localhost(&id->src))
		return -EADDRNOTAVAIL;
	if (!swhca_ucm_port_nearest(&id->src, &port))
		return 0;
	swhca_ucm_port_raw(&port, raw);
	swhca_ucm_addr_set_raw(&id->src, id->src.ss_family, raw);
	return swhca_ucm_id_attach(id, &port);
}

/* An address that the host does not have is rejected; a wildcard address may have no device. */
static int
device_bind(struct swhca_ucm_id *id)
{
	struct swhca_ucm_port port;

	if (swhca_ucm_addr_is_zero(&id->src))
		return 0;
	if (swhca_ucm_port_find(&id->src, &port))
		return swhca_ucm_id_attach(id, &port);
	return localhost_bind(id);
}

static int
addr_bind(struct swhca_ucm_id *id, const struct sockaddr_storage *addr)
{
	int ret;

	if (swhca_ucm_addr_len(addr) == 0)
		return -EAFNOSUPPORT;
	if (id->state != SWHCA_UCM_IDLE)
		return -EINVAL;
	id->src = *addr;
	ret = device_bind(id);
	/* net.ipv6.bindv6only is 0. */
	if (!id->is_family_only_set)
		id->is_family_only = addr->ss_family == AF_INET;
	if (ret == 0)
		ret = swhca_ucm_space_bind(id);
	if (ret != 0) {
		SWHCA_LOG(WARNING, "rdma_cm: 0x%x: bind to port %u: %s", id->handle,
			  swhca_ucm_addr_port(addr), strerror(-ret));
		memset(&id->src, 0, sizeof(id->src));
		id->dev = NULL;
		return ret;
	}
	id->state = SWHCA_UCM_BOUND;
	return 0;
}

int
swhca_ucm_bind_ip(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_bind_ip *in = cmd->in;
	struct sockaddr_storage addr;
	struct swhca_ucm_id *id;
	int ret;

	ret = addr_get_ip(&in->addr, &addr);
	if (ret == 0)
		ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	return ret != 0 ? ret : addr_bind(id, &addr);
}

int
swhca_ucm_bind(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_bind *in = cmd->in;
	struct sockaddr_storage addr;
	struct swhca_ucm_id *id;
	int ret;

	ret = in->reserved != 0 ? -EINVAL : addr_get(&in->addr, in->addr_size, &addr);
	if (ret == 0)
		ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	return ret != 0 ? ret : addr_bind(id, &addr);
}

/* The result is reported by an event, as in Linux, where it takes time. */
static void
peer_find(struct swhca_ucm_id *id)
{
	struct swhca_ucm_port local = id->local;
	uint8_t raw[16];
	int ret;

	if (swhca_ucm_addr_is_group(&id->dst))
		ret = swhca_ucm_group_find(&id->dst, id->dev != NULL, &local, id->dgid, &id->dlid);
	else
		ret = swhca_ucm_way_find(&id->dst, id->dev != NULL, &local, id->dgid, &id->dlid);
	if (ret == 0)
		ret = swhca_ucm_id_attach(id, &local);
	if (ret != 0) {
		SWHCA_LOG(WARNING, "rdma_cm: 0x%x: resolve address: %s", id->handle,
			  strerror(-ret));
		swhca_ucm_event_post(id, UCM_ADDR_ERROR, ret);
		return;
	}
	swhca_ucm_port_raw(&local, raw);
	/* If it has an IPv4 address, its GID is the IPv6 one. */
	swhca_ucm_addr_set_raw(&id->src, id->src.ss_family,
			       id->src.ss_family == UCM_AF_IB ||
			       (id->src.ss_family == AF_INET6 && swhca_gid_is_ipv4(raw)) ?
			       local.gid : raw);
	id->state = SWHCA_UCM_ADDR_RESOLVED;
	swhca_ucm_event_post(id, UCM_ADDR_RESOLVED, 0);
}

static int
addr_resolve(struct swhca_ucm_id *id, const struct sockaddr_storage *src,
	     const struct sockaddr_storage *dst)
{
	struct sockaddr_storage any = { .ss_family = dst->ss_family };
	int ret;

	if (id->state == SWHCA_UCM_IDLE) {
		ret = addr_bind(id, src->ss_family == 0 ? &any : src);
		if (ret != 0)
			return ret;
	}
	if (id->state != SWHCA_UCM_BOUND || id->src.ss_family != dst->ss_family)
		return -EINVAL;
	id->dst = *dst;
	peer_find(id);
	return 0;
}

int
swhca_ucm_resolve_ip(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_resolve_ip *in = cmd->in;
	struct sockaddr_storage src, dst;
	struct swhca_ucm_id *id;
	int ret;

	ret = addr_get_ip(&in->dst_addr, &dst);
	if (ret == 0 && addr_get_ip(&in->src_addr, &src) != 0 && src.ss_family != 0)
		ret = -EINVAL;
	if (ret == 0)
		ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	return ret != 0 ? ret : addr_resolve(id, &src, &dst);
}

int
swhca_ucm_resolve_addr(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_resolve_addr *in = cmd->in;
	struct sockaddr_storage src = { 0 }, dst;
	struct swhca_ucm_id *id;
	int ret;

	ret = in->reserved != 0 ? -EINVAL : addr_get(&in->dst_addr, in->dst_size, &dst);
	if (ret == 0 && in->src_size != 0)
		ret = addr_get(&in->src_addr, in->src_size, &src);
	if (ret == 0)
		ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	return ret != 0 ? ret : addr_resolve(id, &src, &dst);
}

static int
route_resolve(struct swhca_ucm_id *id)
{
	if (id->state != SWHCA_UCM_ADDR_RESOLVED)
		return -EINVAL;
	swhca_ucm_route_set(id);
	id->state = SWHCA_UCM_ROUTE_RESOLVED;
	swhca_ucm_event_post(id, UCM_ROUTE_RESOLVED, 0);
	return 0;
}

int
swhca_ucm_resolve_route(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_resolve_route *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	return ret != 0 ? ret : route_resolve(id);
}

int
swhca_ucm_listen(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_listen *in = cmd->in;
	const struct sockaddr_storage any = { .ss_family = AF_INET };
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && id->state == SWHCA_UCM_IDLE)
		ret = addr_bind(id, &any);
	if (ret == 0 && id->state != SWHCA_UCM_BOUND)
		ret = -EINVAL;
	if (ret == 0)
		ret = swhca_ucm_space_listen(id);
	if (ret != 0)
		return ret;
	id->backlog = in->backlog > 0 && in->backlog < MAX_BACKLOG ? in->backlog : MAX_BACKLOG;
	id->state = SWHCA_UCM_LISTEN;
	SWHCA_LOG(DEBUG, "rdma_cm: 0x%x: listens, port %u", id->handle,
		  swhca_ucm_addr_port(&id->src));
	swhca_ucm_hold_retry();
	return 0;
}

static int
id_option_set(struct swhca_ucm_id *id, uint32_t name, uint32_t value, uint32_t len)
{
	bool is_byte = name == RDMA_OPTION_ID_TOS || name == RDMA_OPTION_ID_ACK_TIMEOUT;

	if (name > RDMA_OPTION_ID_ACK_TIMEOUT)
		return -ENOSYS;
	if (len != (is_byte ? sizeof(uint8_t) : sizeof(int)))
		return -EINVAL;
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		id->tos = (uint8_t)value;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
		if (value == 0 && id->state != SWHCA_UCM_IDLE)
			return -EINVAL;
		id->may_reuse = value != 0;
		return 0;
	case RDMA_OPTION_ID_AFONLY:
		if (id->state > SWHCA_UCM_BOUND)
			return -EINVAL;
		id->is_family_only = value != 0;
		id->is_family_only_set = true;
		return 0;
	default:
		/* cma.c: rdma_set_ack_timeout(); a field of 5 bits. */
		if ((id->qp_type != UCM_QPT_RC && id->qp_type != UCM_QPT_XRC_INI) || value > 31)
			return -EINVAL;
		id->ack_timeout = (uint8_t)value;
		id->has_ack_timeout = true;
		return 0;
	}
}

/* Route given by the program: here each peer has one route, which is known. */
static int
path_option_set(struct swhca_ucm_id *id, const struct rdma_ucm_set_option *in)
{
	struct ib_path_rec_data path;
	uint32_t at;
	int ret;

	if (in->optlen == 0 || in->optlen % sizeof(path) != 0)
		return -EINVAL;
	for (at = 0; at < in->optlen; at += sizeof(path)) {
		ret = swhca_uaddr_read(&path, in->optval + at, sizeof(path));
		if (ret != 0)
			return ret;
		if (path.flags == PRIMARY_PATH)
			return route_resolve(id);
	}
	return -EINVAL;
}

int
swhca_ucm_set_option(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_set_option *in = cmd->in;
	struct swhca_ucm_id *id;
	uint32_t value = 0;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret != 0)
		return ret;
	if (in->level == RDMA_OPTION_IB && in->optname == RDMA_OPTION_IB_PATH)
		return path_option_set(id, in);
	if (in->level != RDMA_OPTION_ID)
		return -ENOSYS;
	ret = swhca_uaddr_read(&value, in->optval,
			       in->optlen < sizeof(value) ? in->optlen : sizeof(value));
	return ret != 0 ? ret : id_option_set(id, in->optname, value, in->optlen);
}
