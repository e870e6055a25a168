/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Query commands (ucma.c: ucma_query_route() and others). */

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "host/ident.h"
#include "front/ucma/ucma_cmd.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_mem.h"

#define PORT 1u
#define PKEY_DEFAULT 0xffffu
#define PRIMARY_PATH (IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL)

int
swhca_ucm_query_route(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_query *in = cmd->in;
	struct rdma_ucm_query_route_resp resp = { 0 };
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret != 0)
		return ret;
	memcpy(&resp.src_addr, &id->src, sizeof(resp.src_addr));
	memcpy(&resp.dst_addr, &id->dst, sizeof(resp.dst_addr));
	if (id->dev != NULL) {
		resp.node_guid = htobe64(swhca_ident_guid(id->dev->index));
		resp.port_num = PORT;
		resp.ibdev_index = id->dev->index;
		resp.num_paths = id->has_route;
		swhca_ucm_path_fill(id, &resp.ib_route[0]);
	}
	return swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp),
				offsetof(struct rdma_ucm_query_route_resp, ibdev_index));
}

static void
device_set(const struct swhca_ucm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	if (id->dev == NULL)
		return;
	resp->node_guid = htobe64(swhca_ident_guid(id->dev->index));
	resp->port_num = PORT;
	resp->ibdev_index = id->dev->index;
	resp->pkey = htons(PKEY_DEFAULT);
}

static int
addr_answer(const struct swhca_ucm_cmd *cmd, const struct rdma_ucm_query_addr_resp *resp)
{
	const struct rdma_ucm_query *in = cmd->in;

	return swhca_ucm_answer(cmd, in->response, resp, sizeof(*resp),
				offsetof(struct rdma_ucm_query_addr_resp, ibdev_index));
}

static int
query_addr(const struct swhca_ucm_cmd *cmd, const struct swhca_ucm_id *id)
{
	struct rdma_ucm_query_addr_resp resp = { 0 };

	resp.src_size = (uint16_t)swhca_ucm_addr_len(&id->src);
	resp.dst_size = (uint16_t)swhca_ucm_addr_len(&id->dst);
	memcpy(&resp.src_addr, &id->src, resp.src_size);
	memcpy(&resp.dst_addr, &id->dst, resp.dst_size);
	device_set(id, &resp);
	return addr_answer(cmd, &resp);
}

/* Fill an end as an InfiniBand address. */
static void
gid_set(const struct swhca_ucm_id *id, const struct sockaddr_storage *addr, const uint8_t gid[16],
	void *dst)
{
	struct swhca_ucm_sockaddr_ib ib = {
		.sib_family = UCM_AF_IB,
		.sib_pkey = htons(PKEY_DEFAULT),
		.sib_sid = htobe64(swhca_ucm_service_id(id, addr)),
	};

	if (addr->ss_family == UCM_AF_IB)
		memcpy(&ib, addr, sizeof(ib));
	memcpy(ib.sib_addr, gid, sizeof(ib.sib_addr));
	memcpy(dst, &ib, sizeof(ib));
}

static int
query_gid(const struct swhca_ucm_cmd *cmd, const struct swhca_ucm_id *id)
{
	static const uint8_t none[16];
	struct rdma_ucm_query_addr_resp resp = { 0 };

	resp.src_size = sizeof(struct swhca_ucm_sockaddr_ib);
	resp.dst_size = sizeof(struct swhca_ucm_sockaddr_ib);
	gid_set(id, &id->src, id->dev != NULL ? id->local.gid : none, &resp.src_addr);
	gid_set(id, &id->dst, id->dgid, &resp.dst_addr);
	device_set(id, &resp);
	return addr_answer(cmd, &resp);
}

static int
query_path(const struct swhca_ucm_cmd *cmd, const struct swhca_ucm_id *id)
{
	const struct rdma_ucm_query *in = cmd->in;
	struct rdma_ucm_query_path_resp head = { .num_paths = id->has_route };
	struct ib_path_rec_data path = { .flags = PRIMARY_PATH };
	uint8_t resp[sizeof(head) + sizeof(path)]; /* the kernel's struct ends within the paths */
	size_t size = sizeof(head);

	memcpy(resp, &head, sizeof(head));
	if (id->has_route && cmd->out_len >= sizeof(resp)) {
		swhca_ucm_path_pack(id, (uint8_t *)path.path_rec);
		memcpy(resp + sizeof(head), &path, sizeof(path));
		size = sizeof(resp);
	}
	return swhca_ucm_answer(cmd, in->response, resp, size, sizeof(head));
}

int
swhca_ucm_query(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_query *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret != 0)
		return ret;
	switch (in->option) {
	case RDMA_USER_CM_QUERY_ADDR:
		return query_addr(cmd, id);
	case RDMA_USER_CM_QUERY_PATH:
		return query_path(cmd, id);
	case RDMA_USER_CM_QUERY_GID:
		return query_gid(cmd, id);
	default:
		return -ENOSYS;
	}
}

int
swhca_ucm_init_qp_attr(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_init_qp_attr *in = cmd->in;
	struct ib_uverbs_qp_attr resp;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && id->dev == NULL)
		ret = -EINVAL;
	if (ret == 0)
		ret = swhca_ucm_qp_attr(id, in->qp_state, &resp);
	return ret != 0 ? ret : swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp),
						 sizeof(resp));
}
