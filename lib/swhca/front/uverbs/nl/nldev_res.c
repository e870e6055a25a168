/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Objects of all processes by RDMA netlink, and their counters (Linux, nldev.c: res_get_common_*,
 * fill_res_*, stat_get_*).
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "base/array.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nldev_attr.h"
#include "front/uverbs/nl/nldev_call.h"
#include "front/uverbs/nl/nldev_res.h"
#include "front/uverbs/nl/resource.h"
#include "front/uverbs/nl/resource_all.h"

/* Type of a driver-specific queue pair. */
#define QPT_DRIVER	0xffu
/* enum rdma_nl_counter_mode: no counter is bound to a queue pair. */
#define COUNTER_MODE_NONE 0u

/* State of a report. */
struct telling {
	struct swhca_nldev_call *call;
	const struct swhca_resources *resources;
	bool is_admin;
	uint32_t port;		/* Only objects of this port; 0: all. */
};

/* Write the attributes of an object. */
typedef void (*res_put_t)(const struct telling *telling, const struct swhca_resource *res);

/* A kind of objects. */
struct table {
	uint16_t type;		/* Of the table. */
	uint16_t entry;		/* Of an entry. */
	uint16_t id;		/* Of the number of an object. */
	bool is_per_port;
	res_put_t put;
};

static void
user_put(struct swhca_nl_packet *packet, const struct swhca_resource *res)
{
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_PID, res->pid);
}

/* Queue pairs whose peer is reported by Linux. */
static bool
is_connected(uint8_t type)
{
	return type == IB_UVERBS_QPT_RC || type == IB_UVERBS_QPT_UC;
}

static bool
can_migrate(uint8_t type)
{
	return is_connected(type) || type == IB_UVERBS_QPT_XRC_INI ||
	       type == IB_UVERBS_QPT_XRC_TGT;
}

static void
qp_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;

	if (res->port != 0)
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_PORT_INDEX, res->port);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_LQPN, res->id);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_PDN, res->pdn);
	user_put(packet, res);
	if (is_connected(res->type)) {
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_RQPN, res->rqpn);
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_RQ_PSN, res->rq_psn);
	}
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_SQ_PSN, res->sq_psn);
	if (can_migrate(res->type))
		swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, res->mig_state);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_RES_TYPE, res->type);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_RES_STATE, res->state);
	/* mlx5_ib: fill_res_qp_entry() */
	if (res->type == QPT_DRIVER)
		swhca_nl_put_string(packet, SWHCA_NLDEV_ATTR_RES_SUBTYPE,
				    res->is_dct ? "DCT" : "DCI");
}

static void
cq_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;

	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_CQE, res->nb_cqe);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_RES_USECNT, res->nb_users);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_CQN, res->id);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_CTXN, res->ctxn);
	user_put(packet, res);
}

static void
mr_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;

	if (telling->is_admin) {
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_RKEY, res->key);
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_LKEY, res->key);
	}
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_RES_MRLEN, res->len);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_MRN, res->id);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_PDN, res->pdn);
	user_put(packet, res);
}

/* Without a key for local DMA, the key is 0. */
static void
pd_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;

	if (telling->is_admin)
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, 0);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_RES_USECNT, res->nb_users);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_PDN, res->id);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_CTXN, res->ctxn);
	user_put(packet, res);
}

static void
ctx_put(const struct telling *telling, const struct swhca_resource *res)
{
	swhca_nl_put_u32(&telling->call->packet, RDMA_NLDEV_ATTR_RES_CTXN, res->id);
	user_put(&telling->call->packet, res);
}

/* Queue pairs that receive from an SRQ; like the kernel, report ranges of consecutive numbers. */
static void
srq_qps_put(const struct telling *telling, const struct swhca_resource *srq)
{
	struct swhca_nl_packet *packet = &telling->call->packet;
	uint32_t table = swhca_nl_nest_begin(packet, RDMA_NLDEV_ATTR_RES_QP | NLA_F_NESTED), entry;
	const struct swhca_resource *res;
	size_t i;

	for (i = 0; i < telling->resources->nb; i++) {
		res = &telling->resources->list[i];
		if (res->kind != SWHCA_RESOURCE_QP || res->srqn != srq->id)
			continue;
		entry = swhca_nl_nest_begin(packet, RDMA_NLDEV_ATTR_RES_QP_ENTRY | NLA_F_NESTED);
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_LQPN, res->id);
		swhca_nl_nest_end(packet, entry);
	}
	swhca_nl_nest_end(packet, table);
}

static void
srq_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;

	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_SRQN, res->id);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_RES_TYPE, res->type);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_PDN, res->pdn);
	if (res->has_cq)
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_CQN, res->cqn);
	srq_qps_put(telling, res);
	user_put(packet, res);
}

static const struct table tables[SWHCA_RESOURCE_NB] = {
	[SWHCA_RESOURCE_PD] = { RDMA_NLDEV_ATTR_RES_PD, RDMA_NLDEV_ATTR_RES_PD_ENTRY,
				RDMA_NLDEV_ATTR_RES_PDN, false, pd_put },
	[SWHCA_RESOURCE_CQ] = { RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY,
				RDMA_NLDEV_ATTR_RES_CQN, false, cq_put },
	[SWHCA_RESOURCE_QP] = { RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY,
				RDMA_NLDEV_ATTR_RES_LQPN, true, qp_put },
	/* The list is always empty. */
	[SWHCA_RESOURCE_CM_ID] = { RDMA_NLDEV_ATTR_RES_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY,
				   RDMA_NLDEV_ATTR_RES_CM_IDN, true, NULL },
	[SWHCA_RESOURCE_MR] = { RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY,
				RDMA_NLDEV_ATTR_RES_MRN, false, mr_put },
	[SWHCA_RESOURCE_CTX] = { RDMA_NLDEV_ATTR_RES_CTX, RDMA_NLDEV_ATTR_RES_CTX_ENTRY,
				 RDMA_NLDEV_ATTR_RES_CTXN, false, ctx_put },
	[SWHCA_RESOURCE_SRQ] = { RDMA_NLDEV_ATTR_RES_SRQ, RDMA_NLDEV_ATTR_RES_SRQ_ENTRY,
				 RDMA_NLDEV_ATTR_RES_SRQN, false, srq_put },
};

/* fill_res_info() */
static void
summary_put(struct swhca_nldev_call *call, uint32_t index, const struct swhca_resources *resources)
{
	static const char *const names[SWHCA_RESOURCE_NB] = {
		[SWHCA_RESOURCE_PD] = "pd", [SWHCA_RESOURCE_CQ] = "cq",
		[SWHCA_RESOURCE_QP] = "qp", [SWHCA_RESOURCE_CM_ID] = "cm_id",
		[SWHCA_RESOURCE_MR] = "mr", [SWHCA_RESOURCE_CTX] = "ctx",
		[SWHCA_RESOURCE_SRQ] = "srq",
	};
	uint64_t counts[SWHCA_RESOURCE_NB] = { 0 };
	uint32_t table, entry;
	size_t i;

	for (i = 0; i < resources->nb; i++)
		if (resources->list[i].kind < SWHCA_RESOURCE_NB)
			counts[resources->list[i].kind]++;
	swhca_nldev_begin(call, NLDEV_TYPE(RDMA_NLDEV_CMD_RES_GET));
	swhca_nldev_handle_put(call, index);
	table = swhca_nl_nest_begin(&call->packet, RDMA_NLDEV_ATTR_RES_SUMMARY);
	for (i = 0; i < SWHCA_RESOURCE_NB; i++) {
		entry = swhca_nl_nest_begin(&call->packet, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
		swhca_nl_put_string(&call->packet, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME,
				    names[i]);
		swhca_nl_put_u64(&call->packet, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR,
				 counts[i]);
		swhca_nl_nest_end(&call->packet, entry);
	}
	swhca_nl_nest_end(&call->packet, table);
}

/* Write one message per packet for a device. */
static int
summary_tell(struct swhca_nldev_call *call, uint32_t index)
{
	struct swhca_resources resources;
	int ret;

	ret = swhca_resources_all(index, &resources);
	if (ret != 0)
		return ret;
	swhca_nldev_flush(call);
	summary_put(call, index, &resources);
	free(resources.list);
	return swhca_nl_end(&call->packet);
}

static int
summary_get(struct swhca_nldev_call *call)
{
	uint32_t index;

	return swhca_nldev_device(call, &index) != 0 ? -EINVAL : summary_tell(call, index);
}

static int
summary_dump(struct swhca_nldev_call *call)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < swhca_udev_nb(); i++)
		if (!swhca_udev_is_removed(i))
			ret = summary_tell(call, i);
	return ret;
}

static bool
is_wanted(const struct telling *telling, const struct table *table,
	  const struct swhca_resource *res)
{
	return (size_t)res->kind == (size_t)(table - tables) &&
	       (telling->port == 0 || !table->is_per_port || telling->port == res->port);
}

/* Begin a message with a table. @return Position of the table. */
static uint32_t
table_begin(const struct telling *telling, const struct table *table, uint32_t index)
{
	swhca_nldev_begin(telling->call, telling->call->request->nlmsg_type);
	swhca_nldev_handle_put(telling->call, index);
	return swhca_nl_nest_begin(&telling->call->packet, table->type);
}

static void
table_end(const struct telling *telling, uint32_t start)
{
	swhca_nl_nest_end(&telling->call->packet, start);
	swhca_nl_end(&telling->call->packet);
	swhca_nldev_flush(telling->call);
}

/* @return false if it does not fit, and nothing is written. */
static bool
entry_put(const struct telling *telling, const struct table *table, res_put_t put,
	  const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;
	const struct swhca_nl_mark mark = swhca_nl_mark(packet);
	uint32_t start = swhca_nl_nest_begin(packet, table->entry);

	put(telling, res);
	swhca_nl_nest_end(packet, start);
	if (!packet->is_full)
		return true;
	swhca_nl_rewind(packet, mark);
	return false;
}

/* Write as many entries as fit a packet each; entries that do not fit an empty one are skipped. */
static void
table_put(const struct telling *telling, const struct table *table, res_put_t put, uint32_t index)
{
	const struct swhca_resource *res;
	uint32_t start = 0, nb = 0;
	size_t i;

	for (i = 0; i < telling->resources->nb; i++) {
		res = &telling->resources->list[i];
		if (!is_wanted(telling, table, res))
			continue;
		if (nb == 0)
			start = table_begin(telling, table, index);
		if (!entry_put(telling, table, put, res) && nb > 0) {
			table_end(telling, start);
			start = table_begin(telling, table, index);
			nb = 0;
			entry_put(telling, table, put, res);
		}
		nb++;
	}
	if (nb > 0)
		table_end(telling, start);
}

static const struct table *
table_of(const struct swhca_nldev_call *call)
{
	static const uint16_t kinds[] = {
		[RDMA_NLDEV_CMD_RES_QP_GET] = SWHCA_RESOURCE_QP,
		[RDMA_NLDEV_CMD_RES_CM_ID_GET] = SWHCA_RESOURCE_CM_ID,
		[RDMA_NLDEV_CMD_RES_CQ_GET] = SWHCA_RESOURCE_CQ,
		[RDMA_NLDEV_CMD_RES_MR_GET] = SWHCA_RESOURCE_MR,
		[RDMA_NLDEV_CMD_RES_PD_GET] = SWHCA_RESOURCE_PD,
		[RDMA_NLDEV_CMD_STAT_GET] = SWHCA_RESOURCE_MR,
		[RDMA_NLDEV_CMD_RES_CTX_GET] = SWHCA_RESOURCE_CTX,
		[RDMA_NLDEV_CMD_RES_SRQ_GET] = SWHCA_RESOURCE_SRQ,
	};

	return &tables[kinds[RDMA_NL_GET_OP(call->request->nlmsg_type)]];
}

/* res_get_common_dumpit() */
static int
objects_dump(struct swhca_nldev_call *call, res_put_t put)
{
	const struct table *table = table_of(call);
	struct swhca_resources resources;
	struct telling telling = { .call = call, .resources = &resources,
				   .is_admin = swhca_nldev_is_admin() };
	uint32_t index;
	int ret;

	if (swhca_nldev_device(call, &index) != 0 || swhca_nldev_port(call, &telling.port) != 0)
		return -EINVAL;
	ret = swhca_resources_all(index, &resources);
	if (ret != 0)
		return ret;
	if (put != NULL)
		table_put(&telling, table, put, index);
	free(resources.list);
	return 0;
}

static int
object_put(const struct telling *telling, const struct table *table, res_put_t put,
	   uint32_t index, uint32_t id)
{
	const struct swhca_resource *res;
	size_t i;

	for (i = 0; i < telling->resources->nb; i++) {
		res = &telling->resources->list[i];
		if ((size_t)res->kind != (size_t)(table - tables) || res->id != id)
			continue;
		/* fill_res_qp_entry(): a queue pair of another port */
		if (!is_wanted(telling, table, res))
			return -EAGAIN;
		swhca_nldev_begin(telling->call, telling->call->request->nlmsg_type);
		swhca_nldev_handle_put(telling->call, index);
		put(telling, res);
		return swhca_nl_end(&telling->call->packet);
	}
	return -ENOENT;
}

/* res_get_common_doit() */
static int
object_get(struct swhca_nldev_call *call, res_put_t put)
{
	const struct table *table = table_of(call);
	struct swhca_resources resources;
	struct telling telling = { .call = call, .resources = &resources,
				   .is_admin = swhca_nldev_is_admin() };
	uint32_t index, id;
	int ret;

	if (swhca_nldev_device(call, &index) != 0 ||
	    !swhca_nldev_attr_u32(&call->attrs, table->id, &id) ||
	    swhca_nldev_port(call, &telling.port) != 0 ||
	    (telling.port != 0) != table->is_per_port)
		return -EINVAL;
	ret = swhca_resources_all(index, &resources);
	if (ret != 0)
		return ret;
	ret = object_put(&telling, table, put, index, id);
	free(resources.list);
	return ret;
}

static int
resource_get(struct swhca_nldev_call *call)
{
	return object_get(call, table_of(call)->put);
}

static int
resource_dump(struct swhca_nldev_call *call)
{
	return objects_dump(call, table_of(call)->put);
}

static void
counter_put(struct swhca_nl_packet *packet, const char *name, uint64_t value)
{
	uint32_t start = swhca_nl_nest_begin(packet, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY |
							     NLA_F_NESTED);

	swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
	swhca_nl_nest_end(packet, start);
}

/* fill_stat_mr_entry() of ib_core and of mlx5_ib: only on-demand paging has counters. */
static void
mr_counters_put(const struct telling *telling, const struct swhca_resource *res)
{
	struct swhca_nl_packet *packet = &telling->call->packet;
	uint32_t start;

	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_RES_MRN, res->id);
	if (!res->is_odp)
		return;
	start = swhca_nl_nest_begin(packet, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS | NLA_F_NESTED);
	counter_put(packet, "page_faults", res->nb_faults);
	counter_put(packet, "page_invalidations", res->nb_invalidations);
	counter_put(packet, "page_prefetch", res->nb_prefetches);
	swhca_nl_nest_end(packet, start);
}

/* stat_get_doit_qp(): counters are never bound to a queue pair. */
static int
counter_mode_get(struct swhca_nldev_call *call)
{
	struct swhca_nl_packet *packet = &call->packet;
	uint32_t index, port;

	if (swhca_nldev_device(call, &index) != 0 || swhca_nldev_port(call, &port) != 0 ||
	    port == 0)
		return -EINVAL;
	if (call->attrs.data[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] != NULL)
		return -ENOENT;
	if (call->attrs.data[RDMA_NLDEV_ATTR_STAT_MODE] == NULL)
		return -EINVAL;
	swhca_nldev_begin(call, NLDEV_TYPE(RDMA_NLDEV_CMD_STAT_GET));
	swhca_nldev_handle_put(call, index);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_STAT_MODE, COUNTER_MODE_NONE);
	return swhca_nl_end(packet);
}

/* Port counters need sets of queue counters, which these adapters lack: -EINVAL. */
static int
counters_get(struct swhca_nldev_call *call)
{
	uint32_t what;

	if (!swhca_nldev_attr_u32(&call->attrs, RDMA_NLDEV_ATTR_STAT_RES, &what))
		return -EINVAL;
	if (what == RDMA_NLDEV_ATTR_RES_QP)
		return counter_mode_get(call);
	return what == RDMA_NLDEV_ATTR_RES_MR ? object_get(call, mr_counters_put) : -EINVAL;
}

static int
counters_dump(struct swhca_nldev_call *call)
{
	uint32_t what;

	if (!swhca_nldev_attr_u32(&call->attrs, RDMA_NLDEV_ATTR_STAT_RES, &what))
		return -EINVAL;
	if (what == RDMA_NLDEV_ATTR_RES_QP)
		return 0;
	return what == RDMA_NLDEV_ATTR_RES_MR ? objects_dump(call, mr_counters_put) : -EINVAL;
}

#define RESOURCE(name)                                                                             \
	{                                                                                          \
		NLDEV_TYPE(RDMA_NLDEV_CMD_RES_##name##_GET), resource_get, resource_dump, false,   \
			false                                                                      \
	}

static const struct swhca_nldev_op ops[] = {
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_RES_GET), summary_get, summary_dump, false, false },
	RESOURCE(QP), RESOURCE(CM_ID), RESOURCE(CQ), RESOURCE(MR),
	RESOURCE(PD), RESOURCE(CTX), RESOURCE(SRQ),
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_STAT_GET), counters_get, counters_dump, false, true },
};

const struct swhca_nldev_ops swhca_nldev_res_ops = { .list = ops, .nb = SWHCA_ARRAY_SIZE(ops) };
