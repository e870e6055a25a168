/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Multicast groups (cma.c: cma_iboe_join_multicast(), cma_join_ib_multicast()). Routers and subnet
 * managers are not notified: librdmacm attaches the queue pair of a member.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/ucma/ucma_cmd.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/group.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"

/* All queue pairs of a group (IBTA volume 1, 3.5.3). */
#define QPN_MULTICAST 0xffffffu

static int
join_tell(struct swhca_ucm_id *id, struct swhca_ucm_mc *mc, const uint8_t mgid[16])
{
	struct rdma_ucm_ud_param *ud;
	struct swhca_ucm_event *event;
	int status;

	status = swhca_ucm_qkey_set(id, 0);
	event = swhca_ucm_event_post(id, status == 0 ? UCM_MULTICAST_JOIN : UCM_MULTICAST_ERROR,
				     status);
	if (event == NULL)
		return -ENOMEM;
	event->mc = mc;
	event->resp.uid = mc->uid;
	event->resp.id = mc->handle;
	if (status != 0)
		return 0;
	swhca_ucm_route_set(id);
	ud = &event->resp.param.ud;
	swhca_ucm_ah_fill(id, &ud->ah_attr);
	memcpy(ud->ah_attr.grh.dgid, mgid, sizeof(ud->ah_attr.grh.dgid));
	ud->ah_attr.is_global = 1;
	ud->ah_attr.dlid = swhca_ucm_group_lid(mgid);
	ud->qp_num = QPN_MULTICAST;
	ud->qkey = id->qkey;
	return 0;
}

static int
group_join(const struct swhca_ucm_cmd *cmd, uint32_t handle, uint64_t uid, uint64_t response,
	   const struct sockaddr_storage *addr)
{
	struct rdma_ucm_create_id_resp resp;
	struct swhca_ucm_mc *mc;
	struct swhca_ucm_id *id;
	uint8_t mgid[16];
	int ret;

	ret = swhca_ucm_id_get(cmd->file, handle, &id);
	if (ret != 0)
		return ret;
	if (id->dev == NULL ||
	    (id->state != SWHCA_UCM_BOUND && id->state != SWHCA_UCM_ADDR_RESOLVED))
		return -EINVAL;
	if (!swhca_ucm_addr_is_group(addr))
		return -EINVAL;
	swhca_ucm_group_gid(addr, id->ps == RDMA_PS_UDP, mgid);
	mc = calloc(1, sizeof(*mc));
	if (mc == NULL)
		return -ENOMEM;
	mc->id = id;
	mc->handle = resp.id = swhca_ucm_handle_next();
	mc->uid = uid;
	LIST_INSERT_HEAD(&id->groups, mc, link);
	ret = swhca_ucm_answer(cmd, response, &resp, sizeof(resp), sizeof(resp));
	if (ret == 0)
		ret = join_tell(id, mc, mgid);
	if (ret != 0)
		swhca_ucm_mc_destroy(mc);
	return ret;
}

int
swhca_ucm_join_ip_mcast(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_join_ip_mcast *in = cmd->in;
	struct sockaddr_storage addr = { 0 };

	memcpy(&addr, &in->addr, sizeof(in->addr));
	if (addr.ss_family != AF_INET && addr.ss_family != AF_INET6)
		return -EINVAL;
	return group_join(cmd, in->id, in->uid, in->response, &addr);
}

int
swhca_ucm_join_mcast(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_join_mcast *in = cmd->in;
	struct sockaddr_storage addr;

	_Static_assert(sizeof(in->addr) == sizeof(addr), "addresses of commands");
	memcpy(&addr, &in->addr, sizeof(addr));
	if (in->addr_size == 0 || in->addr_size != swhca_ucm_addr_len(&addr) ||
	    in->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return -EINVAL;
	return group_join(cmd, in->id, in->uid, in->response, &addr);
}

int
swhca_ucm_leave_mcast(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_destroy_id *in = cmd->in;
	struct rdma_ucm_destroy_id_resp resp;
	struct swhca_ucm_mc *mc;
	int ret;

	if (cmd->out_len < sizeof(resp))
		return -ENOSPC;
	ret = swhca_ucm_mc_get(cmd->file, in->id, &mc);
	if (ret != 0)
		return ret;
	resp.events_reported = mc->nb_reported;
	swhca_ucm_mc_destroy(mc);
	return swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp), sizeof(resp));
}
