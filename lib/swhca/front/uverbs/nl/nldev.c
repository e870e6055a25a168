/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include <swhca_parts.h>

#include "base/array.h"
#include "base/log.h"
#include "host/conf.h"
#include "host/ident.h"
#include "host/sysfs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/nl/nl_msg.h"
#include "front/uverbs/nl/nldev.h"
#include "front/uverbs/nl/nldev_attr.h"
#include "front/uverbs/nl/nldev_call.h"
#include "front/uverbs/nl/nldev_res.h"

/* Linux, enum rdma_node_type: RDMA_NODE_IB_CA. */
#define NODE_TYPE_CA	1u
/* Network namespaces share all devices, the default of ib_core (netns_mode). */
#define NETNS_SHARED	1u
/* IBA, PortInfo; as in sysfs. */
#define PORT_STATE_DOWN 1u
#define PORT_STATE_ACTIVE 4u
#define PORT_PHYS_STATE_POLLING 2u
#define PORT_PHYS_STATE_DISABLED 3u
#define PORT_PHYS_STATE_LINK_UP 5u
/* Subnet prefix of the GIDs. */
#define SUBNET_PREFIX	UINT64_C(0xfe80000000000000)
/* enum rdma_nl_name_assign_type: RDMA_NAME_ASSIGN_TYPE_USER is 1; the driver assigned the name. */
#define NAME_BY_KERNEL	0u

/* fill_dev_info() */
static void
device_put(struct swhca_nldev_call *call, uint32_t index)
{
	const struct swhca_conf *conf = swhca_conf_get();
	struct swhca_nl_packet *packet = &call->packet;
	char fw[SWHCA_IDENT_NAME_SIZE];

	swhca_nldev_handle_put(call, index);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_PORT_INDEX, SWHCA_NLDEV_PORT);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CAP_FLAGS, swhca_ident_dev_caps());
	swhca_ident_fw(conf, fw);
	swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_FW_VERSION, fw);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_NODE_GUID, swhca_ident_guid(index));
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, swhca_ident_guid(index));
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, NODE_TYPE_CA);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	swhca_nl_put_u8(packet, SWHCA_NLDEV_ATTR_NAME_ASSIGN_TYPE, NAME_BY_KERNEL);
	swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_DEV_PROTOCOL,
			    conf->link_layer == SWHCA_LINK_ETH ? "roce" : "ib");
}

static void
state_put(struct swhca_nl_packet *packet, uint32_t index, bool is_eth)
{
	bool is_up = swhca_uport_is_up(index);

	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_PORT_STATE,
			is_up ? PORT_STATE_ACTIVE : PORT_STATE_DOWN);
	swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_PORT_PHYS_STATE,
			is_up  ? PORT_PHYS_STATE_LINK_UP :
			is_eth ? PORT_PHYS_STATE_DISABLED :
				 PORT_PHYS_STATE_POLLING);
}

/* fill_port_info() */
static void
port_put(struct swhca_nldev_call *call, uint32_t index)
{
	const struct swhca_conf *conf = swhca_conf_get();
	struct swhca_nl_packet *packet = &call->packet;
	char name[SWHCA_IDENT_NAME_SIZE];

	swhca_nldev_handle_put(call, index);
	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_PORT_INDEX, SWHCA_NLDEV_PORT);
	if (conf->link_layer == SWHCA_LINK_IB) {
		swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CAP_FLAGS, swhca_ident_port_caps(conf));
		swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_SUBNET_PREFIX, SUBNET_PREFIX);
		/* The subnet manager has the same LID, as in sysfs. */
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_LID, swhca_ident_lid(conf, index));
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_SM_LID, swhca_ident_lid(conf, index));
		swhca_nl_put_u8(packet, RDMA_NLDEV_ATTR_LMC, 0);
	}
	state_put(packet, index, conf->link_layer == SWHCA_LINK_ETH);
	if (conf->link_layer == SWHCA_LINK_ETH) {
		swhca_ident_netdev(index, name);
		swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_NDEV_INDEX, swhca_ident_ifindex(index));
		swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_NDEV_NAME, name);
	}
}

/* Write an answer; if it does not fit, start another packet. */
static int
answer_put(struct swhca_nldev_call *call, uint16_t type, uint32_t index,
	   void (*put)(struct swhca_nldev_call *call, uint32_t index))
{
	swhca_nldev_begin(call, type);
	put(call, index);
	if (swhca_nl_end(&call->packet) == 0)
		return 0;
	swhca_nldev_flush(call);
	swhca_nldev_begin(call, type);
	put(call, index);
	return swhca_nl_end(&call->packet);
}

static int
device_get(struct swhca_nldev_call *call)
{
	uint32_t index;

	if (swhca_nldev_device(call, &index) != 0)
		return -EINVAL;
	return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_GET), index, device_put);
}

static int
devices_dump(struct swhca_nldev_call *call)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < swhca_udev_nb(); i++)
		if (!swhca_udev_is_removed(i))
			ret = answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_GET), i, device_put);
	return ret;
}

/* Its answer has the type of a device (nldev_port_get_doit()). */
static int
port_get(struct swhca_nldev_call *call)
{
	uint32_t index, port;

	if (swhca_nldev_device(call, &index) != 0 || swhca_nldev_port(call, &port) != 0 ||
	    port == 0)
		return -EINVAL;
	return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_GET), index, port_put);
}

static int
ports_dump(struct swhca_nldev_call *call)
{
	uint32_t index;

	if (swhca_nldev_device(call, &index) != 0)
		return -EINVAL;
	return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_PORT_GET), index, port_put);
}

/* huge_encode_dev() of Linux: 12 bits of the major number between 8 and 12 of the minor one. */
static uint64_t
chardev_encode(unsigned int major, unsigned int minor)
{
	return (minor & 0xff) | (uint64_t)major << 8 | (uint64_t)(minor & ~0xffu) << 12;
}

static void
chardev_put(struct swhca_nldev_call *call, uint32_t index)
{
	struct swhca_nl_packet *packet = &call->packet;
	char name[16];

	swhca_nl_put_u32(packet, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_DRIVER_MLX5);
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CHARDEV,
			 chardev_encode(SWHCA_UVERBS_MAJOR, SWHCA_UVERBS_BASE_MINOR + index));
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CHARDEV_ABI, SWHCA_UVERBS_DRIVER_ABI);
	snprintf(name, sizeof(name), "uverbs%u", index);
	swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_CHARDEV_NAME, name);
}

/* Connection manager, which is common to all devices (ucma_get_global_nl_info()). */
static void
cm_chardev_put(struct swhca_nldev_call *call, uint32_t index)
{
	struct swhca_nl_packet *packet = &call->packet;

	(void)index;
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CHARDEV,
			 chardev_encode(SWHCA_RDMA_CM_MAJOR, SWHCA_RDMA_CM_MINOR));
	swhca_nl_put_u64(packet, RDMA_NLDEV_ATTR_CHARDEV_ABI, SWHCA_RDMA_CM_ABI);
	swhca_nl_put_string(packet, RDMA_NLDEV_ATTR_CHARDEV_NAME, "rdma_cm");
}

/*
 * nldev_get_chardev(): the file of a device that libibverbs opens, or that of the connection
 * manager; other kinds are unsupported.
 */
static int
chardev_get(struct swhca_nldev_call *call)
{
	const uint8_t *kind = call->attrs.data[RDMA_NLDEV_ATTR_CHARDEV_TYPE];
	bool has_index = call->attrs.data[RDMA_NLDEV_ATTR_DEV_INDEX] != NULL;
	bool has_port = call->attrs.data[RDMA_NLDEV_ATTR_PORT_INDEX] != NULL;
	uint32_t index;

	if (kind == NULL || (has_port && !has_index))
		return -EINVAL;
	if (has_index && swhca_nldev_device(call, &index) != 0)
		return -EINVAL;
	if (SWHCA_HAS_CM && !has_index && swhca_udev_nb() > 0 &&
	    strcmp((const char *)kind, "rdma_cm") == 0)
		return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_GET_CHARDEV), 0, cm_chardev_put);
	/* A device only has a file of this kind. */
	if (!has_index || strcmp((const char *)kind, "uverbs") != 0)
		return -EOPNOTSUPP;
	if (has_port)
		return -EINVAL;
	return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_GET_CHARDEV), index, chardev_put);
}

/*
 * Properties of all devices. Since Linux 5.12 pages used by devices stay with the parent in
 * fork(2); libibverbs asks whether madvise(2) is unnecessary. This holds here on any kernel, as the
 * devices access memory by addresses of the parent.
 */
static void
system_put(struct swhca_nldev_call *call, uint32_t index)
{
	struct swhca_nl_packet *packet = &call->packet;

	(void)index;
	swhca_nl_put_u8(packet, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, NETNS_SHARED);
	swhca_nl_put_u8(packet, SWHCA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, 0);
	if (!swhca_conf_get()->is_fork_unsafe)
		swhca_nl_put_u8(packet, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

static int
system_get(struct swhca_nldev_call *call)
{
	return answer_put(call, NLDEV_TYPE(RDMA_NLDEV_CMD_SYS_GET), 0, system_put);
}

/* Changes that users cannot make to these devices. */
static int
change_reject(struct swhca_nldev_call *call)
{
	SWHCA_LOG(WARNING, "netlink: command %u: devices cannot be changed",
		  RDMA_NL_GET_OP(call->request->nlmsg_type));
	return -EOPNOTSUPP;
}

#define CHANGE(name, is_strict)                                                                    \
	{                                                                                          \
		NLDEV_TYPE(RDMA_NLDEV_CMD_##name), change_reject, NULL, true, is_strict            \
	}

/* Devices, ports and files; those of objects are in nldev_res.c. */
static const struct swhca_nldev_op ops[] = {
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_GET), device_get, devices_dump, false, false },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_PORT_GET), port_get, ports_dump, false, false },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_SYS_GET), system_get, NULL, false, true },
	{ NLDEV_TYPE(RDMA_NLDEV_CMD_GET_CHARDEV), chardev_get, NULL, false, true },
	CHANGE(SET, false), CHANGE(NEWLINK, false), CHANGE(DELLINK, false), CHANGE(SYS_SET, true),
	CHANGE(STAT_SET, true), CHANGE(STAT_DEL, true),
};

static const struct swhca_nldev_op *
op_find(uint16_t type)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(ops); i++)
		if (ops[i].type == type)
			return &ops[i];
	for (i = 0; i < swhca_nldev_res_ops.nb; i++)
		if (swhca_nldev_res_ops.list[i].type == type)
			return &swhca_nldev_res_ops.list[i];
	return NULL;
}

/* NLMSG_DONE with the result of the dump (netlink_dump_done()). */
static void
done_put(struct swhca_nldev_call *call, int32_t ret)
{
	swhca_nldev_flush(call);
	swhca_nldev_begin(call, NLMSG_DONE);
	swhca_nl_put_bytes(&call->packet, &ret, sizeof(ret));
	swhca_nl_end(&call->packet);
	swhca_nldev_flush(call);
}

/* NLMSG_ERROR, which also reports success (netlink_ack()). */
static void
ack_put(struct swhca_nldev_call *call, int32_t ret)
{
	const struct nlmsghdr *request = call->request;
	bool has_request = ret != 0 && !call->peer->has_cap_ack;
	bool has_text = ret != 0 && call->peer->has_ext_ack && call->attrs.error != NULL;
	struct nlmsghdr hdr = {
		.nlmsg_type = NLMSG_ERROR,
		.nlmsg_flags = (uint16_t)((has_request ? 0 : NLM_F_CAPPED) |
					  (has_text ? NLM_F_ACK_TLVS : 0)),
		.nlmsg_seq = request->nlmsg_seq,
		.nlmsg_pid = call->peer->port,
	};

	swhca_nl_begin(&call->packet, &hdr);
	swhca_nl_put_bytes(&call->packet, &ret, sizeof(ret));
	swhca_nl_put_bytes(&call->packet, request,
			   has_request ? request->nlmsg_len : NLMSG_HDRLEN);
	if (has_text) {
		swhca_nl_put_string(&call->packet, NLMSGERR_ATTR_MSG, call->attrs.error);
		if (call->attrs.error_offset != 0)
			swhca_nl_put_u32(&call->packet, NLMSGERR_ATTR_OFFS,
					 call->attrs.error_offset);
	}
	/* A request larger than a packet is not repeated in the answer. */
	if (swhca_nl_end(&call->packet) != 0) {
		hdr.nlmsg_flags = NLM_F_CAPPED;
		swhca_nl_begin(&call->packet, &hdr);
		swhca_nl_put_bytes(&call->packet, &ret, sizeof(ret));
		swhca_nl_put_bytes(&call->packet, request, NLMSG_HDRLEN);
		swhca_nl_end(&call->packet);
	}
	swhca_nldev_flush(call);
}

static int
op_run(const struct swhca_nldev_op *op, struct swhca_nldev_call *call)
{
	swhca_nldev_answer_t run = swhca_nldev_is_dump(call) ? op->dump : op->get;
	int ret;

	ret = swhca_nldev_attrs_read(call->request, op->is_strict, &call->attrs);
	if (ret == 0)
		ret = run(call);
	if (ret != 0)
		swhca_nl_cancel(&call->packet);
	swhca_nldev_flush(call);
	return ret;
}

/*
 * rdma_nl_rcv_msg(). @return Whether the answer is a dump, which ends by itself, and is not
 * acknowledged.
 */
static bool
call_run(struct swhca_nldev_call *call, int *ret)
{
	const struct swhca_nldev_op *op = op_find(call->request->nlmsg_type);
	bool is_dump = swhca_nldev_is_dump(call);

	*ret = -EINVAL;
	if (op == NULL)
		return false;
	if (op->is_admin && !swhca_nldev_is_admin()) {
		*ret = -EPERM;
		return false;
	}
	if (is_dump && op->dump == NULL)
		return false;
	/* netlink_dump_start(): one list at a time. */
	if (is_dump && call->peer->is_busy) {
		*ret = -EBUSY;
		return false;
	}
	*ret = op_run(op, call);
	if (is_dump)
		done_put(call, *ret);
	return is_dump;
}

void
swhca_nldev_request(const struct nlmsghdr *request, const struct swhca_nldev_peer *peer)
{
	struct swhca_nldev_call call = { .request = request, .peer = peer };
	int ret = 0;

	/*
	 * rdma_nl_rcv_skb(): messages other than requests, or for the transport itself, are only
	 * acknowledged.
	 */
	if ((request->nlmsg_flags & NLM_F_REQUEST) != 0 &&
	    request->nlmsg_type >= NLMSG_MIN_TYPE && call_run(&call, &ret))
		return;
	if (ret != 0 || (request->nlmsg_flags & NLM_F_ACK) != 0)
		ack_put(&call, ret);
}
