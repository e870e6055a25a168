/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "front/ucma/ucma_event.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"
#include "front/ucma/ucma_request.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"

/* cma.c: CMA_CM_RESPONSE_TIMEOUT (4.3 s), CMA_MAX_CM_RETRIES */
#define RESPONSE_TIMEOUT 20u
#define MAX_CM_RETRIES 15u
#define MAX_RETRY_COUNT 7u
#define PKEY_DEFAULT 0xffffu
/* IBV_RATE_40_GBPS */
#define RATE_40_GBPS 7u

/* Header of private data (cma.c: struct cma_hdr): version, IP version, port, addresses. */
#define HDR_VERSION 0u
#define HDR_IP_VERSION_SHIFT 4
#define HDR_SRC 4u
#define HDR_DST 20u

/* The same layout for IPv4 and IPv6, except that an IPv4 address is preceded by zeros. */
static void
hdr_addr_write(uint8_t *dst, const struct sockaddr_storage *addr)
{
	uint8_t raw[16];

	swhca_ucm_addr_raw(addr, raw);
	if (addr->ss_family == AF_INET)
		memset(raw, 0, 12);
	memcpy(dst, raw, sizeof(raw));
}

static size_t
hdr_len(const struct swhca_ucm_id *id)
{
	return id->src.ss_family == UCM_AF_IB ? 0 : UCM_HDR_LEN;
}

static void
hdr_write(const struct swhca_ucm_id *id, uint8_t *data)
{
	uint16_t port = swhca_ucm_addr_port(&id->src);

	if (hdr_len(id) == 0)
		return;
	data[0] = HDR_VERSION;
	data[1] = (uint8_t)((id->src.ss_family == AF_INET ? 4 : 6) << HDR_IP_VERSION_SHIFT);
	data[2] = (uint8_t)(port >> 8);
	data[3] = (uint8_t)port;
	hdr_addr_write(data + HDR_SRC, &id->src);
	hdr_addr_write(data + HDR_DST, &id->dst);
}

/* @return Address family, 0: not such a header. */
static sa_family_t
hdr_family(const uint8_t *data)
{
	if (data[0] != HDR_VERSION)
		return 0;
	switch (data[1] >> HDR_IP_VERSION_SHIFT) {
	case 4:
		return AF_INET;
	case 6:
		return AF_INET6;
	default:
		return 0;
	}
}

static void
hdr_addr_read(const uint8_t *src, sa_family_t family, uint16_t port,
	      struct sockaddr_storage *addr)
{
	memset(addr, 0, sizeof(*addr));
	swhca_ucm_addr_set_raw(addr, family, src);
	swhca_ucm_addr_set_port(addr, port);
}

/* Write the private data after the header. @return 0 or -EINVAL: it does not fit. */
static int
private_write(const struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param,
	      struct swhca_cm_msg *msg, size_t room)
{
	size_t len = hdr_len(id);

	if (len + param->private_data_len > room) {
		SWHCA_LOG(WARNING, "rdma_cm: connect: %u bytes of private data, %zu are possible",
			  param->private_data_len, room - len);
		return -EINVAL;
	}
	hdr_write(id, msg->private_data);
	memcpy(msg->private_data + len, param->private_data, param->private_data_len);
	return 0;
}

static int
sidr_req_send(struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param)
{
	struct swhca_cm_msg msg = {
		.sidr_req = {
			.pkey = PKEY_DEFAULT,
			.service_id = swhca_ucm_service_id(id, &id->dst),
		},
	};
	int ret;

	ret = private_write(id, param, &msg, SWHCA_CM_SIDR_REQ_PRIVATE_LEN);
	if (ret != 0)
		return ret;
	swhca_ucm_conn_create(id);
	return swhca_cm_sidr_ask(&id->conn, &msg, RESPONSE_TIMEOUT, MAX_CM_RETRIES,
				 swhca_now_ns());
}

static uint8_t
at_most(uint8_t value, uint8_t max)
{
	return value < max ? value : max;
}

/* cm.c: cm_format_req(). LIDs of a path with routers are unused. */
static void
path_write(const struct swhca_ucm_id *id, struct swhca_cm_path *path)
{
	bool is_local = id->hop_limit <= 1;

	*path = (struct swhca_cm_path){
		.local_lid = is_local ? id->local.lid : SWHCA_CM_LID_PERMISSIVE,
		.remote_lid = is_local ? id->dlid : SWHCA_CM_LID_PERMISSIVE,
		.rate = RATE_40_GBPS,
		.traffic_class = id->tos,
		.hop_limit = id->hop_limit,
		.is_subnet_local = is_local,
	};
	memcpy(path->local_gid, id->local.gid, sizeof(path->local_gid));
	memcpy(path->remote_gid, id->dgid, sizeof(path->remote_gid));
}

int
swhca_ucm_request_send(struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param,
		       const struct rdma_ucm_ece *ece)
{
	struct swhca_cm_msg msg = {
		.attr_mod = ece->attr_mod,
		.req = {
			.service_id = swhca_ucm_service_id(id, &id->dst),
			.vendor_id = ece->vendor_id,
			.qpn = param->qp_num,
			.responder_resources = param->responder_resources,
			.initiator_depth = param->initiator_depth,
			.remote_response_timeout = RESPONSE_TIMEOUT,
			.local_response_timeout = RESPONSE_TIMEOUT,
			.flow_control = param->flow_control != 0,
			.starting_psn = id->seq_num,
			.retry_count = at_most(param->retry_count, MAX_RETRY_COUNT),
			.rnr_retry_count = at_most(param->rnr_retry_count, MAX_RETRY_COUNT),
			.pkey = PKEY_DEFAULT,
			.path_mtu = id->path_mtu,
			.max_cm_retries = MAX_CM_RETRIES,
			.srq = param->srq != 0,
		},
	};
	int ret;

	if (id->qp_type == UCM_QPT_UD)
		return sidr_req_send(id, param);
	ret = private_write(id, param, &msg, SWHCA_CM_REQ_PRIVATE_LEN);
	if (ret != 0)
		return ret;
	path_write(id, &msg.req.primary);
	if (id->qp_type == UCM_QPT_UC)
		msg.req.service_type = SWHCA_CM_SERVICE_UC;
	if (id->qp_type == UCM_QPT_XRC_INI) {
		msg.req.service_type = SWHCA_CM_SERVICE_EXT;
		msg.req.ext_service_type = SWHCA_CM_EXT_XRC;
	}
	swhca_ucm_conn_create(id);
	return swhca_cm_connect(&id->conn, &msg, id->packet_life_time, swhca_now_ns());
}

/* cma.c: cma_match_private_data() */
static bool
listener_fits(const struct swhca_ucm_id *id, const struct swhca_cm_msg *msg)
{
	sa_family_t family = hdr_family(msg->private_data);
	struct sockaddr_storage to;

	if (id->src.ss_family == UCM_AF_IB)
		return true;
	if (family == 0)
		return false;
	if (swhca_ucm_addr_is_any(&id->src) && id->dev == NULL)
		return !id->is_family_only || family == id->src.ss_family;
	hdr_addr_read(msg->private_data + HDR_DST, family, 0, &to);
	return swhca_ucm_addr_is_same(&to, &id->src);
}

static struct swhca_ucm_id *
listener_find(const struct swhca_udev *dev, uint64_t service_id, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_id *id;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->state == SWHCA_UCM_LISTEN && (id->dev == NULL || id->dev == dev) &&
		    swhca_ucm_service_id(id, &id->src) == service_id && listener_fits(id, msg))
			return id;
	}
	return NULL;
}

/* Type of the own queue pair for a message; cm.c: cm_req_get_qp_type(). */
static uint8_t
qp_type_of(const struct swhca_cm_msg *msg)
{
	if (msg->attr == SWHCA_CM_SIDR_REQ)
		return UCM_QPT_UD;
	switch (msg->req.service_type) {
	case SWHCA_CM_SERVICE_RC:
		return UCM_QPT_RC;
	case SWHCA_CM_SERVICE_UC:
		return UCM_QPT_UC;
	case SWHCA_CM_SERVICE_EXT:
		return msg->req.ext_service_type == SWHCA_CM_EXT_XRC ? UCM_QPT_XRC_TGT : 0;
	default:
		return 0;
	}
}

/* An identifier created by a request is bound from the start, to the addresses in it. */
static void
request_addrs_set(struct swhca_ucm_id *id, const struct swhca_ucm_id *listener,
		  const struct swhca_cm_msg *msg)
{
	const uint8_t *hdr = msg->private_data;
	sa_family_t family = hdr_family(hdr);

	if (listener->src.ss_family == UCM_AF_IB) {
		id->src = listener->src;
		swhca_ucm_addr_set_raw(&id->src, UCM_AF_IB, id->local.gid);
		swhca_ucm_addr_set_raw(&id->dst, UCM_AF_IB, id->dgid);
		return;
	}
	hdr_addr_read(hdr + HDR_DST, family, swhca_ucm_addr_port(&listener->src), &id->src);
	hdr_addr_read(hdr + HDR_SRC, family, (uint16_t)(hdr[2] << 8 | hdr[3]), &id->dst);
}

static void
request_path_set(struct swhca_ucm_id *id, const struct swhca_mad *mad,
		 const struct swhca_cm_msg *msg)
{
	static const uint8_t zero[16];
	const struct swhca_cm_path *path = &msg->req.primary;

	swhca_ucm_route_set(id);
	memcpy(id->dgid, mad->sgid, sizeof(id->dgid));
	if (msg->attr != SWHCA_CM_REQ)
		return;
	if (memcmp(path->local_gid, zero, sizeof(zero)) != 0)
		memcpy(id->dgid, path->local_gid, sizeof(id->dgid));
	if (path->local_lid != SWHCA_CM_LID_PERMISSIVE)
		id->dlid = path->local_lid;
	id->path_mtu = msg->req.path_mtu;
	id->tos = path->traffic_class;
	id->packet_life_time = path->ack_timeout != 0 ? (uint8_t)(path->ack_timeout - 1) : 0;
}

static struct swhca_ucm_id *
request_create(const struct swhca_ucm_id *listener, const struct swhca_udev *dev,
	       const struct swhca_mad *mad, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_port local;
	struct swhca_ucm_id *id;

	/* The port with the GID in the request, or any. */
	if (!(msg->attr == SWHCA_CM_REQ &&
	      swhca_ucm_port_of_gid(dev->index, msg->req.primary.remote_gid, &local)) &&
	    !swhca_ucm_port_of_gid(dev->index, mad->dgid, &local) &&
	    !swhca_ucm_port_of(dev->index, &local))
		return NULL;
	id = swhca_ucm_id_create(listener->file, listener->ps, qp_type_of(msg), 0);
	if (id == NULL)
		return NULL;
	id->is_request = true;
	id->state = SWHCA_UCM_CONNECT;
	if (swhca_ucm_id_attach(id, &local) != 0) {
		swhca_ucm_id_destroy(id);
		return NULL;
	}
	request_path_set(id, mad, msg);
	request_addrs_set(id, listener, msg);
	swhca_ucm_conn_create(id);
	if (msg->attr == SWHCA_CM_REQ)
		swhca_cm_request(&id->conn, msg);
	else
		swhca_cm_sidr_request(&id->conn, msg);
	return id;
}

int
swhca_ucm_request_receive(struct swhca_udev *dev, const struct swhca_mad *mad,
			  const struct swhca_cm_msg *msg)
{
	uint64_t service_id = msg->attr == SWHCA_CM_REQ ? msg->req.service_id :
							  msg->sidr_req.service_id;
	struct swhca_ucm_id *listener = listener_find(dev, service_id, msg), *id;
	struct swhca_ucm_event *event;
	uint8_t listens_for;

	if (listener == NULL)
		return -ENOENT;
	listens_for = listener->qp_type == UCM_QPT_XRC_INI ? UCM_QPT_XRC_TGT : listener->qp_type;
	if (qp_type_of(msg) != listens_for)
		return -ENOENT;
	/* Too many wait: the peer retransmits it (cm.c: no rejection after -ENOMEM). */
	if (listener->nb_requests >= listener->backlog)
		return 0;
	id = request_create(listener, dev, mad, msg);
	if (id == NULL)
		return 0;
	event = swhca_ucm_event_post(listener, UCM_CONNECT_REQUEST, 0);
	if (event == NULL) {
		swhca_ucm_id_destroy(id);
		return 0;
	}
	event->resp.id = id->handle;
	event->request = id;
	listener->nb_requests++;
	swhca_ucm_event_set_request(event, msg, hdr_len(id));
	return 0;
}

void
swhca_ucm_stray_answer(struct swhca_udev *dev, const struct swhca_mad *mad,
		       const struct swhca_cm_msg *msg)
{
	struct swhca_cm_msg answer;
	uint8_t data[SWHCA_MAD_LEN];

	if (!swhca_cm_stray_answer(msg, &answer))
		return;
	swhca_cm_build(&answer, data);
	swhca_ucm_mad_post(dev, mad->dgid, mad->sgid, data);
}
