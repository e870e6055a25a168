/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Table of commands (ucma.c: ucma_cmd_table), and commands of identifiers. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "front/ucma/agent.h"
#include "front/ucma/ucma_cmd.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/id.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/uverbs_mem.h"

int
swhca_ucm_answer(const struct swhca_ucm_cmd *cmd, uint64_t addr, const void *resp, size_t size,
		 size_t min)
{
	if (cmd->out_len < min)
		return -ENOSPC;
	return swhca_uaddr_write(addr, resp, cmd->out_len < size ? cmd->out_len : size);
}

static int
create_id(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_create_id *in = cmd->in;
	struct rdma_ucm_create_id_resp resp;
	struct swhca_ucm_id *id;
	uint8_t qp_type;
	int ret;

	switch (in->ps) {
	case RDMA_PS_TCP:
		qp_type = UCM_QPT_RC;
		break;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		qp_type = UCM_QPT_UD;
		break;
	case RDMA_PS_IB:
		qp_type = in->qp_type;
		break;
	default:
		SWHCA_LOG(WARNING, "rdma_cm: create ID: port space 0x%x: not known", in->ps);
		return -EINVAL;
	}
	id = swhca_ucm_id_create(cmd->file, in->ps, qp_type, in->uid);
	if (id == NULL)
		return -ENOMEM;
	resp.id = id->handle;
	ret = swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp), sizeof(resp));
	if (ret != 0)
		swhca_ucm_id_destroy(id);
	return ret;
}

static int
destroy_id(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_destroy_id *in = cmd->in;
	struct rdma_ucm_destroy_id_resp resp;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_find(cmd->file, in->id, &id);
	if (ret != 0)
		return ret;
	if (cmd->out_len < sizeof(resp))
		return -ENOSPC;
	resp.events_reported = id->nb_reported;
	swhca_ucm_id_destroy(id);
	return swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp), sizeof(resp));
}

static int
migrate_id(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_migrate_id *in = cmd->in;
	struct swhca_ufile *ufile = swhca_ufile_get((int)in->fd);
	struct rdma_ucm_migrate_resp resp;
	struct swhca_ucm_id *id;
	int ret;

	if (ufile == NULL)
		return -ENOENT;
	ret = ufile->cm == NULL ? -EINVAL : swhca_ucm_id_get(ufile->cm, in->id, &id);
	swhca_ufile_put(ufile);
	if (ret != 0)
		return ret;
	if (id->file != cmd->file)
		swhca_ucm_events_move(id, cmd->file);
	resp.events_reported = id->nb_reported;
	return swhca_ucm_answer(cmd, in->response, &resp, sizeof(resp), sizeof(resp));
}

static const struct {
	int (*exec)(const struct swhca_ucm_cmd *cmd);
	size_t size;		/* Size of its structure. */
	bool needs_devices;
} commands[] = {
#define COMMAND(name, handler, type, devices)                                                      \
	[RDMA_USER_CM_CMD_##name] = { handler, sizeof(struct rdma_ucm_##type), devices }
	COMMAND(CREATE_ID, create_id, create_id, false),
	COMMAND(DESTROY_ID, destroy_id, destroy_id, false),
	COMMAND(BIND_IP, swhca_ucm_bind_ip, bind_ip, true),
	COMMAND(RESOLVE_IP, swhca_ucm_resolve_ip, resolve_ip, true),
	COMMAND(RESOLVE_ROUTE, swhca_ucm_resolve_route, resolve_route, false),
	COMMAND(QUERY_ROUTE, swhca_ucm_query_route, query, false),
	COMMAND(CONNECT, swhca_ucm_connect, connect, false),
	COMMAND(LISTEN, swhca_ucm_listen, listen, true),
	COMMAND(ACCEPT, swhca_ucm_accept, accept, false),
	COMMAND(REJECT, swhca_ucm_reject, reject, false),
	COMMAND(DISCONNECT, swhca_ucm_disconnect, disconnect, false),
	COMMAND(INIT_QP_ATTR, swhca_ucm_init_qp_attr, init_qp_attr, false),
	COMMAND(SET_OPTION, swhca_ucm_set_option, set_option, false),
	COMMAND(NOTIFY, swhca_ucm_notify, notify, false),
	COMMAND(JOIN_IP_MCAST, swhca_ucm_join_ip_mcast, join_ip_mcast, false),
	COMMAND(LEAVE_MCAST, swhca_ucm_leave_mcast, destroy_id, false),
	COMMAND(MIGRATE_ID, migrate_id, migrate_id, false),
	COMMAND(QUERY, swhca_ucm_query, query, false),
	COMMAND(BIND, swhca_ucm_bind, bind, true),
	COMMAND(RESOLVE_ADDR, swhca_ucm_resolve_addr, resolve_addr, true),
	COMMAND(JOIN_MCAST, swhca_ucm_join_mcast, join_mcast, false),
};

int
swhca_ucm_cmd_exec(struct swhca_ucm_file *file, uint32_t number, uint64_t in, size_t in_len,
		   size_t out_len)
{
	_Alignas(8) uint8_t buf[1024] = { 0 };
	struct swhca_ucm_cmd cmd = { .file = file, .in = buf, .out_len = out_len };
	int ret;

	/* Linux has no GET_OPTION either. */
	if (number >= sizeof(commands) / sizeof(commands[0]) || commands[number].exec == NULL) {
		SWHCA_LOG(WARNING, "rdma_cm: command %u: not known", number);
		return -ENOSYS;
	}
	_Static_assert(sizeof(struct rdma_ucm_accept) <= sizeof(buf), "largest command");
	if (in_len > commands[number].size)
		in_len = commands[number].size;
	ret = swhca_uaddr_read(buf, in, in_len);
	if (ret == 0 && commands[number].needs_devices)
		ret = swhca_ucm_agents_start();
	if (ret != 0)
		return ret;
	swhca_ucm_lock();
	ret = commands[number].exec(&cmd);
	swhca_ucm_unlock();
	if (ret != 0)
		SWHCA_LOG(DEBUG, "rdma_cm: command %u: %s", number, strerror(-ret));
	return ret;
}
